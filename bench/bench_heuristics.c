/*
 * The heuristics under every protocol and pool, on an events file.
 *
 *     bench_heuristics FILE.events STEPS equal-time|equal-count [SEEDS]
 */
#include "evaluate/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KINDS = SG_LINK_HEURISTICS, SEEDS_MOST = 100 };

static void must(int status, const scadyg_error *error)
{
    if (!status) return;
    fprintf(stderr, "bench_heuristics: %s\n", error->message);
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void print_score(double value)
{
    if (isnan(value))
        printf("       -");
    else
        printf("  %.4f", value);
}

static scadyg_scores mean_of(const scadyg_scores *scores, int64_t seeds)
{
    scadyg_scores mean = {0};
    for (int64_t i = 0; i < seeds; i++) {
        mean.mrr += scores[i].mrr / (double)seeds;
        mean.hits1 += scores[i].hits1 / (double)seeds;
        mean.hits10 += scores[i].hits10 / (double)seeds;
        mean.ap += scores[i].ap / (double)seeds;
        mean.auc += scores[i].auc / (double)seeds;
    }
    return mean;
}

static void judge(const sg_evaluated_data *trial, int protocol, int pool, int64_t seeds)
{
    static const char *const names[] = {"paper", "tgb-link", "dyglib"};
    static scadyg_scores scores[KINDS * SEEDS_MOST];
    double seconds[KINDS], begun = now(), scoring = 0;
    sg_scorer scorers[KINDS];
    scadyg_error error;
    sg_split split = protocol == SCADYG_PROTOCOL_PAPER
                         ? trial->split
                         : sg_split_time(trial->columns.time, trial->columns.count, 0.70, 0.15);
    const double *time = trial->columns.time;
    const double range = split.train_end ? time[split.train_end - 1] - time[0] : 0;
    for (int i = 0; i < KINDS; i++)
        must(sg_heuristic_open(sg_link_heuristics[i], &trial->columns, trial->nodes, range, &scorers[i], &error),
             &error);
    scadyg_eval_options options = {.protocol = protocol, .pool = pool, .seeds = seeds, .seed = 1};
    sg_evaluation_scores scores_out = {.scores = scores, .seconds = seconds};
    must(sg_protocol_links(trial, &options, scorers, KINDS, NULL, &scores_out, &error), &error);
    double all = now() - begun;
    for (int i = 0; i < KINDS; i++) scoring += seconds[i];
    printf("%s, pool %s, %lld negatives, %llu queries: %.1f ms, of which scoring %.1f\n", names[protocol],
           scores_out.pool, (long long)scores_out.negatives, (unsigned long long)scores_out.queries, 1e3 * all,
           1e3 * scoring);
    for (int i = 0; i < KINDS; i++) {
        scadyg_scores mean = mean_of(scores + i * seeds, seeds);
        printf("  %-22s", scorers[i].name);
        print_score(mean.mrr), print_score(mean.hits1), print_score(mean.hits10);
        print_score(mean.ap), print_score(mean.auc);
        printf("  %7.1f ms\n", 1e3 * seconds[i]);
        scorers[i].close(scorers[i].context);
    }
}

static int nothing(void *context, scadyg_error *error)
{
    (void)context, (void)error;
    return SCADYG_OK;
}

static int cheap(void *context, const sg_question *block, scadyg_error *error)
{
    (void)context, (void)error;
    for (size_t i = 0; i < block->count; i++)
        block->score[i] = (double)((block->src[i] * 31u) ^ (block->dst[i] * 17u));
    return SCADYG_OK;
}

/* What validation costs in every epoch, besides the scoring: the best of five. */
static void validate(const sg_evaluated_data *trial)
{
    const sg_scorer scorer = {"cheap", NULL, nothing, cheap, NULL, NULL};
    scadyg_eval_options options = {.part = SCADYG_PART_VALIDATION, .seeds = 1, .seed = 1};
    scadyg_scores scores;
    double seconds, best = INFINITY;
    sg_evaluation_scores scores_out = {.scores = &scores, .seconds = &seconds};
    scadyg_error error;
    for (int i = 0; i < 5; i++) {
        double begun = now();
        must(sg_protocol_links(trial, &options, &scorer, 1, NULL, &scores_out, &error), &error);
        best = fmin(best, now() - begun - seconds);
    }
    printf("paper, validation, one scorer, %llu queries: %.1f ms besides scoring\n",
           (unsigned long long)scores_out.queries, 1e3 * best);
}

int main(int count, char **words)
{
    scadyg_error error;
    sg_evaluated_data trial = {.threads = 1};
    sg_steps steps;
    if (count < 4) {
        fprintf(stderr, "usage: bench_heuristics FILE.events STEPS equal-time|equal-count [SEEDS]\n");
        return 2;
    }
    int64_t seeds = count > 4 ? atoi(words[4]) : 1;
    if (seeds < 1 || seeds > SEEDS_MOST) return 2;
    must(scadyg_events_open(words[1], &trial.events, &error), &error);
    must(sg_events_columns(trial.events, 0, 0, &trial.columns, &error), &error);
    trial.nodes = scadyg_events_shape(trial.events)->nodes;
    must(sg_steps_make(&steps, trial.columns.time, trial.columns.count, atoll(words[2]),
                       strcmp(words[3], "equal-count") ? SCADYG_STEPS_EQUAL_TIME : SCADYG_STEPS_EQUAL_COUNT,
                       &error),
         &error);
    trial.steps = &steps;
    trial.split = sg_split_steps(&steps, 0.70, 0.15);
    printf("%-24s     MRR  hits@1 hits@10      AP     AUC\n", words[1]);
    validate(&trial);
    for (int protocol = 0; protocol < 3; protocol++)
        for (int pool = 0; pool <= SCADYG_POOL_INDUCTIVE; pool++)
            if (pool || protocol == SCADYG_PROTOCOL_TGB_LINK) judge(&trial, protocol, pool, seeds);
    sg_steps_free(&steps);
    scadyg_events_close(trial.events);
    return 0;
}
