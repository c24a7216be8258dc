/* Parsing: the quick way for three whole numbers and the careful way give the same, line by line. */
#include "cmocka_all.h"

#include "events/importing.h"

#include "events/import/layout.h"
#include "events/import/parse.h"

enum { BLOCK = 1 << 20 };

static void parse(sg_text_block *block, const sg_layout *layout, const char *data, size_t size, uint64_t skip)
{
    assert_true(size <= BLOCK);
    assert_int_equal(sg_text_block_open(block, layout, BLOCK, NULL), SCADYG_OK);
    assert_int_equal(sg_text_block_fill(block, data, size, NULL), SCADYG_OK);
    block->skip_lines = skip;
    sg_text_block_parse(block, layout, NULL);
}

static void same_id(const sg_id *a, const sg_id *b)
{
    assert_int_equal(a->length, b->length);
    assert_int_equal(a->hash, b->hash);
    if (a->length)
        assert_memory_equal(a->value.text, b->value.text, a->length);
    else
        assert_true(a->value.integer == b->value.integer);
}

static void same_rows(const sg_text_block *a, const sg_text_block *b)
{
    assert_int_equal(a->lines, b->lines);
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->data_rows, b->data_rows);
    assert_int_equal(a->bad_count, b->bad_count);
    assert_int_equal(a->all_whole, b->all_whole);
    for (size_t i = 0; i < a->rows; i++) {
        same_id(&a->src[i], &b->src[i]);
        same_id(&a->dst[i], &b->dst[i]);
        assert_memory_equal(&a->time[i], &b->time[i], 8);
        assert_int_equal(a->index[i], b->index[i]);
    }
    for (size_t i = 0; i < a->bad_count && i < SG_BAD_KEPT; i++) {
        assert_int_equal(a->bad[i].line, b->bad[i].line);
        assert_string_equal(a->bad[i].reason, b->bad[i].reason);
    }
}

/* Numbers of every length and sign, and things that are nearly numbers. */
static void put_field(long_text *t, sg_rng *rng)
{
    static const char *const odd[] = {"-0",
                                      "00",
                                      "-",
                                      "+5",
                                      "0",
                                      "-1",
                                      "7.5",
                                      "x",
                                      "1e3",
                                      "",
                                      "9007199254740993",
                                      "123456789012345",
                                      "1234567890123456",
                                      "-999999999999999",
                                      "9223372036854775807"};
    if (sg_rng_below(rng, 6) == 0)
        text_add(t, "%s", odd[sg_rng_below(rng, sizeof odd / sizeof *odd)]);
    else
        text_add(t, "%lld", (long long)sg_rng_next(rng) >> (10 + sg_rng_below(rng, 54)));
}

/* The same lines, once as they are and once with a blank at the end, which the quick way leaves to the other.
 */
static void quick_and_careful(void **state)
{
    (void)state;
    static const char separators[] = {' ', ',', '\t', ';'};
    static const char *const told[] = {"src,dst,time", "time,src,dst", "dst,time,src"};
    sg_layout *layout = malloc(sizeof *layout);
    assert_non_null(layout);
    sg_rng rng;
    sg_rng_seed(&rng, 1, 1);
    for (int round = 0; round < test_rounds(300); round++) {
        long_text quick = {0}, careful = {0};
        char separator = separators[round % 4], head[16];
        int last_newline = (int)sg_rng_below(&rng, 2), lines = (int)sg_rng_below(&rng, 60);
        for (int i = 0; i < lines; i++) {
            size_t begin = quick.size;
            int fields = sg_rng_below(&rng, 8) ? 3 : (int)sg_rng_below(&rng, 5);
            for (int k = 0; k < fields; k++) {
                if (k) text_bytes(&quick, &separator, 1);
                put_field(&quick, &rng);
            }
            if (quick.size == begin && i + 1 == lines && !last_newline) break; /* no line at all */
            if (quick.size > begin) text_bytes(&careful, quick.data + begin, quick.size - begin);
            text_add(&careful, " ");
            if (i + 1 == lines && !last_newline) break;
            text_add(&quick, sg_rng_below(&rng, 5) ? "\n" : "\r\n");
            text_add(&careful, "\n");
        }
        snprintf(head, sizeof head, "1%c2%c3\n", separator, separator);
        assert_int_equal(
            sg_layout_find(layout, "F", head, strlen(head), &(sg_told){.columns = told[round % 3]}, NULL, NULL),
            SCADYG_OK);
        sg_text_block a, b;
        uint64_t skip = sg_rng_below(&rng, 3);
        parse(&a, layout, quick.data ? quick.data : "", quick.size, skip);
        parse(&b, layout, careful.data ? careful.data : "", careful.size, skip);
        same_rows(&a, &b);
        sg_text_block_close(&a);
        sg_text_block_close(&b);
        text_free(&quick);
        text_free(&careful);
        sg_layout_free(layout);
    }
    free(layout);
}

/* Blocks of the shortest rows there are: every one has room. */
static void shortest_rows(void **state)
{
    (void)state;
    static const struct {
        const char *head, *told, *row;
    } cases[] = {
        {"1 2 3\n", NULL, "1 2 3\n"},
        {"1,2,3,,\n", "src,dst,time,-,-", "1,2,3,,\n"},
        {"src,dst,time,features\n1,2,3,1,2\n", NULL, "1,2,3,4,5\n"},
        {"1,2,3,1\n", "src,dst,time,feature...", "1,2,3,4\n"},
        {"1,2,3\n", "src,dst,time,feature...", "1,2,3\n"},
        {"src\tdst\ttime\tfeatures\n1\t2\t3\t1,2,3\n", NULL, "1\t2\t3\t1 2 3\n"},
        {"1,2,3,4,5\n", "src,dst,time,weight,label", "1,2,3,4,5\n"},
    };
    sg_layout *layout = malloc(sizeof *layout);
    assert_non_null(layout);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        long_text t = {0};
        size_t length = strlen(cases[i].row), rows = 0;
        for (; t.size + length <= BLOCK; rows++) text_bytes(&t, cases[i].row, length);
        if (t.size + length - 1 <= BLOCK) { /* one more without a newline */
            text_bytes(&t, cases[i].row, length - 1);
            rows++;
        }
        const char *head = cases[i].head;
        assert_int_equal(
            sg_layout_find(layout, "F", head, strlen(head), &(sg_told){.columns = cases[i].told}, NULL, NULL),
            SCADYG_OK);
        sg_text_block block;
        parse(&block, layout, t.data, t.size, 0);
        assert_int_equal(block.rows, rows);
        assert_true(block.rows <= block.capacity);
        assert_int_equal(block.bad_count, 0);
        sg_text_block_close(&block);
        sg_layout_free(layout);
        text_free(&t);
    }
    free(layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quick_and_careful),
        cmocka_unit_test(shortest_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
