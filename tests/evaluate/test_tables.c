/* The tables of scores, protocols and options: they agree with each other, and what does not fit is refused in words. */
#include "cmocka_all.h"

#include "evaluate/evaluation.h"

#include <math.h>
#include <string.h>

static sg_eval_options defaults(void)
{
    scadyg_options *options;
    assert_int_equal(sg_options_open(&sg_eval_set, &options, NULL), SCADYG_OK);
    const sg_eval_options values = *(const sg_eval_options *)options->values;
    scadyg_options_close(options);
    return values;
}

static void option_defaults(void **state)
{
    (void)state;
    const sg_eval_options options = defaults();
    assert_string_equal(sg_eval_set.name, "evaluate");
    assert_int_equal(options.protocol, SG_PROTOCOL_AUTO);
    assert_int_equal(options.pool, SG_POOL_DEFAULT);
    assert_int_equal(options.negatives, 0);
    assert_int_equal(options.queries, 0);
    assert_int_equal(options.part, SG_PART_TEST);
    assert_int_equal(options.reveal, SG_REVEAL_EVENT);
    assert_int_equal(options.seeds, 1);
    assert_int_equal(options.seed, 1);
    assert_int_equal(options.baselines, 1);
    assert_int_equal(sg_eval_set.check(&options, NULL), SCADYG_OK);
}

static void option_words(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        int status;
    } cases[] = {
        {"protocol", "tgb-node", SCADYG_OK}, {"protocol", "roland", SCADYG_E_USAGE},
        {"pool", "random", SCADYG_OK},       {"pool", "default", SCADYG_E_USAGE},
        {"pool", "inductive", SCADYG_OK},    {"negatives", "auto", SCADYG_OK},
        {"negatives", "50", SCADYG_OK},      {"negatives", "0", SCADYG_E_USAGE},
        {"part", "validation", SCADYG_OK},   {"part", "train", SCADYG_E_USAGE},
        {"seeds", "0", SCADYG_E_USAGE},      {"reveal", "batch", SCADYG_OK},
        {"reveal", "step", SCADYG_E_USAGE},  {"seeds", "5", SCADYG_OK},
        {"seed", "-3", SCADYG_OK},           {"queries", "auto", SCADYG_OK},
        {"queries", "-2", SCADYG_E_USAGE},   {"queries", "all", SCADYG_OK},
        {"baselines", "0", SCADYG_OK},
    };
    sg_eval_options options = defaults();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sg_option *option = sg_option_find(&sg_eval_set, cases[i].name);
        assert_non_null(option);
        assert_int_equal(sg_option_set_text(option, &options, cases[i].text, NULL), cases[i].status);
    }
    assert_int_equal(options.protocol, SG_PROTOCOL_TGB_NODE);
    assert_int_equal(options.pool, SG_POOL_INDUCTIVE);
    assert_int_equal(options.negatives, 50);
    assert_int_equal(options.part, SG_PART_VALIDATION);
    assert_int_equal(options.reveal, SG_REVEAL_BATCH);
    assert_int_equal(options.queries, SG_ALL_QUERIES);
    assert_int_equal(options.seeds, 5);
    assert_int_equal(options.seed, -3);
    assert_int_equal(options.baselines, 0);
    assert_null(sg_option_find(&sg_eval_set, "threads"));
}

/* The words of the option are the names of the protocols, in their order. */
static void protocol_names(void **state)
{
    (void)state;
    const sg_option *option = sg_option_find(&sg_eval_set, "protocol");
    char words[128] = "";
    for (int i = 0; i < SG_PROTOCOLS; i++) {
        if (i) strcat(words, "|");
        strcat(words, sg_protocols[i].name);
        assert_int_equal(sg_protocol_find(sg_protocols[i].name), i);
        if (i == SG_PROTOCOL_AUTO) continue;
        assert_non_null(sg_protocols[i].run);
        assert_non_null(scadyg_score_at((size_t)sg_protocols[i].main_score));
        for (int j = 1; j < i; j++) assert_true(sg_protocols[i].stream != sg_protocols[j].stream);
    }
    assert_string_equal(option->shown.choices, words);
    assert_int_equal(sg_protocol_find("roland"), -1);
    /* Pinned: the negatives of a seed depend on them. */
    assert_int_equal(sg_protocols[SG_PROTOCOL_PAPER].stream, 0);
    assert_int_equal(sg_protocols[SG_PROTOCOL_TGB_LINK].stream, 1);
    assert_int_equal(sg_protocols[SG_PROTOCOL_DYGLIB].stream, 2);
    assert_int_equal(sg_protocols[SG_PROTOCOL_TGB_NODE].stream, 3);
    assert_int_equal(sg_protocols[SG_PROTOCOL_LIVE].stream, 4);
}

static void refused(void **state)
{
    (void)state;
    enum { LINK = SG_TASK_LINK, AFFINITY = SG_TASK_AFFINITY };
    static const struct {
        sg_eval_options options;
        int task;
        const char *message; /* NULL: it is fine */
    } cases[] = {
        {{.protocol = SG_PROTOCOL_PAPER, .seeds = 1}, LINK, NULL},
        {{.protocol = SG_PROTOCOL_TGB_NODE, .seeds = 1000}, AFFINITY, NULL},
        {{.protocol = SG_PROTOCOL_DYGLIB, .seeds = 1, .negatives = 1, .reveal = SG_REVEAL_BATCH}, LINK, NULL},
        {{.protocol = SG_PROTOCOL_TGB_LINK, .seeds = 1, .pool = SG_POOL_INDUCTIVE, .queries = 5}, LINK, NULL},
        {{.protocol = SG_PROTOCOL_AUTO, .seeds = 1}, LINK, "there is no protocol 0"},
        {{.protocol = SG_PROTOCOLS, .seeds = 1}, LINK, "there is no protocol 6"},
        {{.protocol = SG_PROTOCOL_PAPER, .seeds = 1, .part = 2}, LINK, "there is no part 2"},
        {{.protocol = SG_PROTOCOL_PAPER}, LINK, "--seeds must be between 1 and 1000"},
        {{.protocol = SG_PROTOCOL_PAPER, .seeds = 1001}, LINK, "--seeds must be between 1 and 1000"},
        {{.protocol = SG_PROTOCOL_PAPER, .seeds = 1, .negatives = -1}, LINK, "--negatives must be at least 1"},
        {{.protocol = SG_PROTOCOL_PAPER, .seeds = 1, .pool = SG_POOL_MIX},
         LINK,
         "the protocol paper has no pool 6"},
        {{.protocol = SG_PROTOCOL_PAPER, .seeds = 1, .reveal = 2}, LINK, "there is no rule 2 of revealing"},
        {{.protocol = SG_PROTOCOL_PAPER, .seeds = 1, .reveal = SG_REVEAL_BATCH},
         LINK,
         "--reveal batch is for the protocols tgb-link and dyglib; paper reveals events a step at a time"},
        {{.protocol = SG_PROTOCOL_TGB_NODE, .seeds = 1, .reveal = SG_REVEAL_BATCH},
         AFFINITY,
         "--reveal batch is for the protocols tgb-link and dyglib; tgb-node has label times, not batches"},
        {{.protocol = SG_PROTOCOL_DYGLIB, .seeds = 1, .negatives = 2},
         LINK,
         "the protocol dyglib has one negative per positive: leave out --negatives"},
        {{.protocol = SG_PROTOCOL_TGB_NODE, .seeds = 1, .queries = 9},
         AFFINITY,
         "--queries is for links; tgb-node evaluates all label times"},
        {{.protocol = SG_PROTOCOL_TGB_NODE, .seeds = 1, .negatives = 9},
         AFFINITY,
         "--negatives is for links; tgb-node has no negatives"},
        {{.protocol = SG_PROTOCOL_DYGLIB, .seeds = 1},
         AFFINITY,
         "the protocol dyglib evaluates link models; this is an affinity model: use tgb-node"},
        {{.protocol = SG_PROTOCOL_TGB_NODE, .seeds = 1},
         LINK,
         "the protocol tgb-node evaluates affinity models; this is a link model: use live, paper, tgb-link or "
         "dyglib"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scadyg_error error = {0};
        const int status = sg_eval_check(&cases[i].options, cases[i].task, &error);
        assert_int_equal(status, cases[i].message ? SCADYG_E_USAGE : SCADYG_OK);
        assert_string_equal(error.message, cases[i].message ? cases[i].message : "");
    }
}

static void score_table(void **state)
{
    (void)state;
    static const char *const keys[] = {"mrr", "hits@1",  "hits@3",      "hits@10",     "ap",
                                       "auc", "ndcg@10", "ap_partners", "auc_partners"};
    for (size_t i = 0; i < SG_SCORES; i++) {
        const scadyg_score *score = scadyg_score_at(i);
        assert_string_equal(score->key, keys[i]);
        assert_true(score->title && *score->title && (score->better == 1 || score->better == -1));
    }
    assert_null(scadyg_score_at(SG_SCORES));
}

/* Means go by what a score is averaged over; what was not fed has none. */
static void sums_and_means(void **state)
{
    (void)state;
    sg_score_sums sums = {0}, all = {0};
    sg_scores none = sg_score_sums_means(&sums);
    for (size_t i = 0; i < SG_SCORES; i++) assert_true(isnan(none.of[i]));
    sg_score_sums_rank(&sums, 1);
    sg_score_sums_rank(&sums, 4);
    sg_scores ranked = sg_score_sums_means(&sums);
    assert_true(ranked.of[SCADYG_MRR] == 0.625 && ranked.of[SCADYG_HITS1] == 0.5 && ranked.of[SCADYG_HITS3] == 0.5);
    assert_true(ranked.of[SCADYG_HITS10] == 1 && isnan(ranked.of[SCADYG_AP]) && isnan(ranked.of[SCADYG_NDCG10]));
    sg_score_sums_add(&all, &sums, 3); /* MRR .625 with weight 3, no set */
    double positive[] = {1, 3}, negative[] = {2, 0};
    assert_true(fabs(sg_score_sums_set(&sums, SG_AGAINST_RANDOM, positive, 2, negative, 2) - 5.0 / 6) < 1e-15);
    sg_score_sums_add(&all, &sums, 1);
    sg_scores both = sg_score_sums_means(&all);
    assert_true(both.of[SCADYG_MRR] == 0.625 && both.of[SCADYG_AUC] == 0.75);
    assert_true(fabs(both.of[SCADYG_AP] - 5.0 / 6) < 1e-15 && isnan(both.of[SCADYG_NDCG10]));
    assert_true(all.weight[SG_OVER_QUERIES] == 4 && all.weight[SG_OVER_SETS] == 1 && all.weight[SG_OVER_OWN] == 0);
    assert_true(isnan(both.of[SCADYG_AP_PARTNERS]) && isnan(both.of[SCADYG_AUC_PARTNERS]));
    double met[] = {1, 3}, partner[] = {0};
    sg_score_sums_set(&all, SG_AGAINST_PARTNERS, met, 2, partner, 1);
    sg_score_sums other = {0};
    sg_score_sums_copy_ranks(&other, &all);
    both = sg_score_sums_means(&all);
    assert_true(both.of[SCADYG_AP_PARTNERS] == 1 && both.of[SCADYG_AUC_PARTNERS] == 1);
    assert_true(both.of[SCADYG_AUC] == 0.75 && all.weight[SG_OVER_PARTNER_SETS] == 1);
    sg_scores ranks = sg_score_sums_means(&other);
    assert_true(ranks.of[SCADYG_MRR] == both.of[SCADYG_MRR] && isnan(ranks.of[SCADYG_AP]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(option_defaults), cmocka_unit_test(option_words), cmocka_unit_test(protocol_names),
        cmocka_unit_test(refused),         cmocka_unit_test(score_table),  cmocka_unit_test(sums_and_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
