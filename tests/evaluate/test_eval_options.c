/* The option table of eval: defaults, words and what is refused. */
#include "cmocka_all.h"

#include "scadyg.h"

#include <string.h>

static const scadyg_option *option(const char *name)
{
    size_t count;
    const scadyg_option *table = scadyg_eval_option_table(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0) return &table[i];
    fail_msg("there is no option %s", name);
    return NULL;
}

static void defaults(void **state)
{
    (void)state;
    size_t count;
    scadyg_eval_options options;
    memset(&options, 0x55, sizeof options);
    const scadyg_option *table = scadyg_eval_option_table(&count);
    scadyg_options_default(table, count, &options);
    assert_int_equal(options.protocol, SCADYG_PROTOCOL_PAPER);
    assert_int_equal(options.pool, SCADYG_POOL_DEFAULT);
    assert_int_equal(options.negatives, 0);
    assert_int_equal(options.part, SCADYG_PART_TEST);
    assert_int_equal(options.reveal, SCADYG_REVEAL_EVENT);
    assert_int_equal(options.seeds, 1);
    assert_int_equal(options.seed, 1);
    assert_int_equal(options.threads, 0);
}

static void words(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        int status;
    } cases[] = {
        {"protocol", "tgb-node", SCADYG_OK}, {"protocol", "roland", SCADYG_E_USAGE},
        {"pool", "inductive", SCADYG_OK},    {"pool", "default", SCADYG_E_USAGE},
        {"negatives", "auto", SCADYG_OK},    {"negatives", "50", SCADYG_OK},
        {"negatives", "0", SCADYG_E_USAGE},  {"part", "validation", SCADYG_OK},
        {"part", "train", SCADYG_E_USAGE},   {"seeds", "0", SCADYG_E_USAGE},
        {"reveal", "batch", SCADYG_OK},      {"reveal", "step", SCADYG_E_USAGE},
        {"seeds", "5", SCADYG_OK},           {"seed", "-3", SCADYG_OK},
    };
    scadyg_eval_options options = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(scadyg_option_set(option(cases[i].name), &options, cases[i].text, NULL), cases[i].status);
    assert_int_equal(options.protocol, SCADYG_PROTOCOL_TGB_NODE);
    assert_int_equal(options.pool, SCADYG_POOL_INDUCTIVE);
    assert_int_equal(options.negatives, 50);
    assert_int_equal(options.part, SCADYG_PART_VALIDATION);
    assert_int_equal(options.reveal, SCADYG_REVEAL_BATCH);
    assert_int_equal(options.seeds, 5);
    assert_int_equal(options.seed, -3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(defaults), cmocka_unit_test(words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
