/*
 * The baselines for links under every protocol and pool, on an events file.
 *
 *     bench_baselines FILE.events STEPS equal-time|equal-count [SEEDS]
 */
#include "base/clock.h"
#include "evaluate/evaluate.h"
#include "models/baselines/rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS_MOST = 100 };

static void must(int status, const scadyg_error *error)
{
    if (!status) return;
    fprintf(stderr, "bench_baselines: %s\n", error->message);
    exit(1);
}

static void print_score(double value)
{
    if (isnan(value))
        printf("       -");
    else
        printf("  %.4f", value);
}

static double mean_of(const sg_scores *scores, int64_t seeds, int score)
{
    double mean = 0;
    for (int64_t i = 0; i < seeds; i++) mean += scores[i].of[score] / (double)seeds;
    return mean;
}

static void evaluate(const sg_evaluated_data *data, int protocol, int pool, int64_t seeds)
{
    static const int shown[] = {SCADYG_MRR, SCADYG_HITS1, SCADYG_HITS10, SCADYG_AP, SCADYG_AUC};
    static sg_scores scores[SG_LINK_RULES * SEEDS_MOST];
    double seconds[SG_LINK_RULES], begun = sg_seconds(), scoring = 0;
    sg_scorer scorers[SG_LINK_RULES];
    scadyg_error error;
    const double *time = data->columns.time;
    const sg_split split = sg_protocols[protocol].cut == SG_CUT_TIME
                               ? sg_split_time(time, data->columns.count, 0.70, 0.15)
                               : data->split;
    const double range = split.train_end ? time[split.train_end - 1] - time[0] : 0;
    for (int i = 0; i < SG_LINK_RULES; i++)
        must(sg_link_rule_open(&sg_link_rules[i], &data->columns, data->nodes, range, NULL, &scorers[i], &error),
             &error);
    const sg_eval_options options = {.protocol = protocol, .pool = pool, .seeds = seeds, .seed = 1};
    sg_evaluation_scores out = {.scores = scores, .seconds = seconds};
    must(sg_evaluate_links(NULL, data, &options, scorers, SG_LINK_RULES, NULL, &out, &error), &error);
    const double all = sg_seconds() - begun;
    for (int i = 0; i < SG_LINK_RULES; i++) scoring += seconds[i];
    printf("%s, pool %s, %lld negatives, %llu queries: %.1f ms, of which scoring %.1f\n",
           sg_protocols[protocol].name, out.pool, (long long)out.negatives, (unsigned long long)out.queries,
           1e3 * all, 1e3 * scoring);
    for (int i = 0; i < SG_LINK_RULES; i++) {
        printf("  %-22s", scorers[i].name);
        for (size_t j = 0; j < sizeof shown / sizeof *shown; j++)
            print_score(mean_of(scores + i * seeds, seeds, shown[j]));
        printf("  %7.1f ms\n", 1e3 * seconds[i]);
        scorers[i].close(scorers[i].context);
    }
}

static int nothing(void *context, scadyg_error *error)
{
    (void)context, (void)error;
    return SCADYG_OK;
}

static int cheap(void *context, const sg_question *question, scadyg_error *error)
{
    (void)context, (void)error;
    for (size_t i = 0; i < question->count; i++)
        question->score[i] = (double)((question->src[i] * 31u) ^ (question->dst[i] * 17u));
    return SCADYG_OK;
}

/* What validation costs in every epoch, besides the scoring: the best of five. */
static void validate(const sg_evaluated_data *data)
{
    const sg_scorer scorer = {"cheap", NULL, nothing, cheap, NULL, NULL};
    const sg_eval_options options = {
        .protocol = SG_PROTOCOL_PAPER, .part = SG_PART_VALIDATION, .seeds = 1, .seed = 1};
    sg_scores scores;
    double seconds, best = INFINITY;
    sg_evaluation_scores out = {.scores = &scores, .seconds = &seconds};
    scadyg_error error;
    for (int i = 0; i < 5; i++) {
        double begun = sg_seconds();
        must(sg_evaluate_links(NULL, data, &options, &scorer, 1, NULL, &out, &error), &error);
        best = fmin(best, sg_seconds() - begun - seconds);
    }
    printf("paper, validation, one scorer, %llu queries: %.1f ms besides scoring\n",
           (unsigned long long)out.queries, 1e3 * best);
}

int main(int count, char **words)
{
    scadyg_error error;
    scadyg_events *events;
    sg_evaluated_data data = {0};
    sg_steps steps;
    if (count < 4) {
        fprintf(stderr, "usage: bench_baselines FILE.events STEPS equal-time|equal-count [SEEDS]\n");
        return 2;
    }
    int64_t seeds = count > 4 ? atoi(words[4]) : 1;
    if (seeds < 1 || seeds > SEEDS_MOST) return 2;
    must(scadyg_events_open(words[1], &events, &error), &error);
    must(sg_events_columns(NULL, events, 0, 0, &data.columns, &error), &error);
    data.nodes = scadyg_events_shape(events)->nodes;
    must(sg_steps_make(&steps, data.columns.time, data.columns.count, atoll(words[2]),
                       strcmp(words[3], "equal-count") ? SG_STEPS_EQUAL_TIME : SG_STEPS_EQUAL_COUNT, &error),
         &error);
    data.steps = &steps;
    data.split = sg_split_steps(&steps, 0.70, 0.15);
    printf("%-24s     MRR  hits@1 hits@10      AP     AUC\n", words[1]);
    validate(&data);
    for (int protocol = 0; protocol < SG_PROTOCOLS; protocol++)
        for (int pool = 0; pool <= SG_POOL_INDUCTIVE && sg_protocols[protocol].task == SG_TASK_LINK; pool++)
            if (pool || protocol == SG_PROTOCOL_TGB_LINK) evaluate(&data, protocol, pool, seeds);
    sg_steps_free(&steps);
    scadyg_events_close(events);
    return 0;
}
