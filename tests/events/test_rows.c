/* Rows: handed out in the order of time, ties in the order of input, in memory or through runs on disk. */
#include "cmocka_all.h"

#include "events/importing.h"

#include "events/import/rows.h"
#include "events/import/runs.h"

enum { CHUNK = 2 << 20 };

enum order { SORTED, REVERSED, RANDOM, TIES, NEARLY, STEPS, ONE_LATE, ORDERS };

static double time_for(enum order order, sg_rng *rng, size_t i, size_t count)
{
    switch (order) {
    case SORTED: return (double)(i / 3);
    case REVERSED: return (double)(count - i);
    case RANDOM: return sg_rng_unit(rng) - 0.5;
    case TIES: return (double)sg_rng_below(rng, 3);
    case NEARLY: return (double)i - (sg_rng_below(rng, 100) ? 0 : (double)sg_rng_below(rng, 500));
    case STEPS: return (double)(i % 1000);
    default: return i + 1 == count ? -1 : (double)i;
    }
}

/* A slow stable sort: by time, then by place in the input. */
static int by_time(const void *a, const void *b)
{
    const sg_sort_key *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static void sorting(void **state)
{
    (void)state;
    enum { MOST = 3000 };
    sg_sort_key *keys = malloc(2 * MOST * sizeof *keys), *twin = malloc(MOST * sizeof *twin);
    assert_true(keys && twin);
    sg_rng rng;
    sg_rng_seed(&rng, 1, 1);
    for (int round = test_rounds(700); round > 0; round--) {
        size_t count = sg_rng_below(&rng, round % 2 ? 40 : MOST);
        for (size_t i = 0; i < count; i++)
            keys[i] = twin[i] = (sg_sort_key){time_for((enum order)(round % ORDERS), &rng, i, count), i};
        sg_sort_by_time(keys, keys + MOST, count);
        qsort(twin, count, sizeof *twin, by_time);
        assert_memory_equal(keys, twin, count * sizeof *keys);
    }
    free(keys);
    free(twin);
}

/* Bytes of a record beyond its head, told by its number, so that a mix-up is seen. */
static void fill_record(unsigned char *record, const sg_row_places *places, double time, size_t i)
{
    sg_row head = {time, (uint32_t)i, (uint32_t)(i * 7)};
    memcpy(record, &head, sizeof head);
    for (size_t k = sizeof head; k < places->size; k++) record[k] = (unsigned char)(i * 31 + k);
}

/* Returns how many runs went to disk. */
static uint64_t check_rows(enum order order, size_t count, uint32_t features, uint64_t budget, int shrinking)
{
    sg_row_places places = sg_row_places_make(features > 0, features > 1, features > 2, features);
    assert_true(places.size % 8 == 0 && places.size >= sizeof(sg_row) + 4 * features);
    sg_sort_key *twin = malloc((count + 1) * sizeof *twin);
    unsigned char *expected = malloc(places.size);
    char beside[128];
    sg_row_store *rows;
    sg_rng rng;
    scadyg_error error = {0};
    assert_true(twin && expected);
    sg_rng_seed(&rng, (uint64_t)order, count);
    assert_int_equal(sg_row_store_open(&rows, &places, CHUNK, sample_path("rows", beside), &error), SCADYG_OK);
    uint64_t back = 0;
    for (size_t i = 0; i < count; i++) {
        void *record;
        double time = time_for(order, &rng, i, count);
        twin[i] = (sg_sort_key){time, i};
        back += i > 0 && time < twin[i - 1].time;
        uint64_t now = shrinking ? budget - budget * i / count : budget;
        if (sg_row_store_add(rows, time, now, &record, &error)) fail_msg("%s", error.message);
        fill_record(record, &places, time, i);
    }
    qsort(twin, count, sizeof *twin, by_time);
    assert_int_equal(sg_row_store_count(rows), count);
    assert_int_equal(sg_row_store_out_of_order(rows), back);
    if (sg_row_store_finish(rows, budget, &error)) fail_msg("%s", error.message);
    for (size_t i = 0; i < count; i++) {
        const void *record;
        assert_int_equal(sg_row_store_next(rows, &record, &error), SCADYG_OK);
        assert_non_null(record);
        fill_record(expected, &places, twin[i].time, (size_t)twin[i].row);
        assert_memory_equal(record, expected, places.size);
    }
    for (int i = 0; i < 2; i++) {
        const void *record = expected;
        assert_int_equal(sg_row_store_next(rows, &record, &error), SCADYG_OK);
        assert_null(record);
    }
    uint64_t runs = sg_row_store_runs(rows);
    sg_row_store_close(rows);
    assert_int_equal(files_in_directory(), 0);
    free(twin);
    free(expected);
    return runs;
}

static void in_memory(void **state)
{
    (void)state;
    for (int order = 0; order < ORDERS; order++)
        for (size_t count = 0; count < 2000; count = 3 * count + 1)
            assert_int_equal(check_rows((enum order)order, count, (uint32_t)count % 5, 1u << 30, 0), 0);
}

/* A chunk of rows is 2 MiB, and so the least run; wide rows make many runs of few of them. */
static void through_runs(void **state)
{
    (void)state;
    for (int order = 0; order < ORDERS; order++) {
        assert_true(check_rows((enum order)order, 3000, 1000, 0, 0) > 3);
        assert_true(check_rows((enum order)order, 400000, 0, 1, 0) > 1);
        assert_true(check_rows((enum order)order, 3000, 1000, 5u << 20, order % 2) > 0);
        assert_true(check_rows((enum order)order, 6, 600000, 1, 0) > 3); /* rows larger than a chunk */
    }
}

/* Rows in order up to nearly the bound, then one that steps back: what is there goes out in order, nothing is
 * lost. */
static void order_breaks_late(void **state)
{
    (void)state;
    size_t per_chunk = CHUNK / 16;
    for (int off = -1; off <= 1; off++)
        assert_true(
            check_rows(ONE_LATE, (size_t)((long)(2 * per_chunk) + off), 0, (4u << 20) + sg_runs_bytes(16), 0) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorting),
        cmocka_unit_test(in_memory),
        cmocka_unit_test(through_runs),
        cmocka_unit_test(order_breaks_late),
    };
    char path[128];
    sample_in_memory();
    sample_path("", path); /* makes the directory if that did not */
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sample_clean();
    return failed;
}
