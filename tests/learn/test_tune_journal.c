/* The journal of a search: what is written reads back, and nothing else is taken for it. */
#include "make_events.h"

#include "base/crc32c.h"
#include "learn/tune/tune.h"

#include <math.h>
#include <string.h>

static sg_journal sample(void)
{
    static const char *const names[] = {"lr", "labels"};
    sg_journal journal = {0};
    assert_int_equal(sg_journal_line(&journal.head, "events", "0123abcd 10 3"), 0);
    assert_int_equal(sg_journal_line(&journal.head, "option", "labels=a\\b\tc\nd"), 0);
    assert_int_equal(sg_journal_heading(&journal.head, names, 2), 0);
    const char *const first[] = {"0.1", "tab\there"}, *const second[] = {"1e-05", ""};
    char *values = sg_journal_values(first, 2);
    sg_journal_row row = {1, 1, 7, 3, 0.1, NULL, values};
    assert_int_equal(sg_journal_add(&journal, &row, NULL), SCADYG_OK);
    free(values);
    char failure[] = "it broke:\tline\nbreak \\ done";
    values = sg_journal_values(second, 2);
    row = (sg_journal_row){2, 1, 0, 0, NAN, failure, values};
    assert_int_equal(sg_journal_add(&journal, &row, NULL), SCADYG_OK);
    free(values);
    return journal;
}

static const char expected[] = "scadyg tune journal 1\n"
                               "events 0123abcd 10 3\n"
                               "option labels=a\\\\b\\tc\\nd\n"
                               "trial\tround\tepochs\tbest\tscore\tfailure\tlr\tlabels\n"
                               "1\t1\t7\t3\t0.1\t-\t0.1\ttab\\there\n"
                               "2\t1\t0\t0\t-\tit broke:\\tline\\nbreak \\\\ done\t1e-05\t\n";

static void there_and_back(void **state)
{
    (void)state;
    sg_journal journal = sample(), read = {0};
    char *text = sg_journal_text(&journal), seal[32];
    assert_non_null(text);
    assert_memory_equal(text, expected, sizeof expected - 1);
    snprintf(seal, sizeof seal, "checksum %08x\n", (unsigned)sg_crc32c(0, expected, sizeof expected - 1));
    assert_string_equal(text + sizeof expected - 1, seal);
    char path[64];
    make_path(path);
    assert_int_equal(sg_journal_write(path, &journal, NULL), SCADYG_OK);
    assert_int_equal(sg_journal_read(path, &read, NULL), SCADYG_OK);
    unlink(path);
    assert_string_equal(read.head, journal.head);
    assert_int_equal(read.count, 2);
    assert_true(read.rows[0].score == 0.1 && !read.rows[0].failure);
    assert_string_equal(read.rows[1].failure, journal.rows[1].failure);
    assert_string_equal(read.rows[1].values, "1e-05\t");
    char *again = sg_journal_text(&read);
    assert_string_equal(text, again);
    free(text);
    free(again);
    sg_journal_free(&journal);
    sg_journal_free(&read);
}

/* Cut anywhere, or with any bit changed: refused. */
static void damage(void **state)
{
    (void)state;
    sg_journal journal = sample(), read = {0};
    char *text = sg_journal_text(&journal);
    const size_t size = strlen(text);
    scadyg_error error;
    for (size_t n = 0; n < size; n++)
        assert_int_not_equal(sg_journal_parse("j", text, n, &read, &error), SCADYG_OK);
    for (size_t i = 0; i < 8 * size; i++) {
        text[i / 8] = (char)(text[i / 8] ^ 1 << i % 8);
        const int status = sg_journal_parse("j", text, size, &read, &error);
        assert_true(status == SCADYG_E_FORMAT || status == SCADYG_E_VERSION);
        text[i / 8] = (char)(text[i / 8] ^ 1 << i % 8);
    }
    assert_int_equal(sg_journal_parse("j", text, size, &read, &error), SCADYG_OK);
    sg_journal_free(&read);
    sg_journal_free(&journal);
    free(text);
}

/* With the right checksum, but not what is ever written. */
static void nonsense(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "1\t1\t7\t3\t0.1\t-\t0.1\n",       /* too few columns */
        "1\t1\t7\t3\t0.1\t-\t0.1\tx\ty\n", /* too many */
        "0\t1\t7\t3\t0.1\t-\t0.1\tx\n",    /* trials count from 1 */
        "1\t0\t7\t3\t0.1\t-\t0.1\tx\n",    /* rounds too */
        "1\t1\t-7\t3\t0.1\t-\t0.1\tx\n",   /* no such epochs */
        "1\t1\t7\t8\t0.1\t-\t0.1\tx\n",    /* the best is one of them */
        "1\t1\t7\t3\tnan\t-\t0.1\tx\n",    /* no score */
        "1\t1\t7\t3\t0.10\t-\t0.1\tx\n",   /* a longer text than needed */
        "1\t1\t7\t3\t0.1\tbad\t0.1\tx\n",  /* a score and a failure */
        "1\t1\t7\t3\t-\t-\t0.1\tx\n",      /* neither */
        "1\t1\t7\t3\t-\tbad\\x\t0.1\tx\n", /* an escape that is none */
        "1\t1\t7\t3\t-\tbad\\\t0.1\tx\n",  /* one at the end */
        " 1\t1\t7\t3\t0.1\t-\t0.1\tx\n",   /* a space */
        "+1\t1\t7\t3\t0.1\t-\t0.1\tx\n",   /* a sign */
        "9999999999999999999\t1\t7\t3\t0.1\t-\t0.1\tx\n",
        "\n",
    };
    const char *head = "scadyg tune journal 1\ntrial\tround\tepochs\tbest\tscore\tfailure\tlr\tlabels\n";
    for (size_t i = 0; i <= sizeof rows / sizeof *rows; i++) {
        char text[1024];
        const int good = i == sizeof rows / sizeof *rows;
        int size = snprintf(text, sizeof text, "%s%s", head, good ? "1\t1\t7\t3\t0.1\t-\t0.1\tx\n" : rows[i]);
        size += snprintf(text + size, sizeof text - (size_t)size, "checksum %08x\n",
                         (unsigned)sg_crc32c(0, text, (size_t)size));
        sg_journal read = {0};
        scadyg_error error = {0};
        const int status = sg_journal_parse("j", text, (size_t)size, &read, &error);
        if (status != (good ? SCADYG_OK : SCADYG_E_FORMAT)) fail_msg("row %zu: %d, %s", i, status, error.message);
        sg_journal_free(&read);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_and_back), cmocka_unit_test(damage),
                                       cmocka_unit_test(nonsense)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
