/*
 * The speed of judging: pairs a model scores per second under each protocol, in the test part.
 *
 *   bench_judge M.scadyg X.events [--rounds N] [--threads N]
 *
 * Pairs are counted as protocols hand them over. `scoring` is the model alone, with everything it does to follow the log,
 * which is also measured by itself; `all` has the protocol too: negatives, ranks, averages. The best of the rounds counts.
 */
#include "machine.h"

#include "base/parallel.h"
#include "evaluate/evaluate.h"
#include "tasks/link_scorer.h"
#include "tasks/split.h"

#include <math.h>

/* A scorer that counts what it hands on. */
typedef struct counter {
    sg_scorer inner;
    uint64_t pairs;
} counter;

static int rewind_counter(void *context, scadyg_error *error)
{
    counter *c = context;
    return c->inner.rewind(c->inner.context, error);
}

static int score_counter(void *context, const sg_question *block, scadyg_error *error)
{
    counter *c = context;
    c->pairs += block->count;
    return c->inner.score(c->inner.context, block, error);
}

static int score_many_counter(void *context, const sg_question *blocks, size_t count, scadyg_error *error)
{
    counter *c = context;
    for (size_t i = 0; i < count; i++) c->pairs += blocks[i].count;
    return c->inner.score_many(c->inner.context, blocks, count, error);
}

static void must(int status, const scadyg_error *error)
{
    if (!status) return;
    fprintf(stderr, "bench_judge: %s\n", error->message);
    exit(1);
}

typedef struct trial_kind {
    const char *name;
    int protocol, pool;
} trial_kind;

static void judge(const trial_kind *kind, const sg_inputs *inputs, counter *c, int rounds)
{
    const scadyg_messages *messages = inputs->messages;
    const int paper = kind->protocol == SCADYG_PROTOCOL_PAPER;
    sg_evaluated_data trial = {
        .events = inputs->events,
        .columns = messages->columns,
        .nodes = messages->nodes,
        .steps = &messages->steps,
        .split = paper ? sg_model_parts(inputs->model, messages)
                       : sg_split_time(messages->columns.time, messages->columns.count, 0.70, 0.15),
        .threads = inputs->threads};
    const scadyg_eval_options options = {.protocol = kind->protocol,
                                         .pool = kind->pool,
                                         .part = SCADYG_PART_TEST,
                                         .seeds = 1,
                                         .seed = 1,
                                         .threads = inputs->threads};
    const sg_scorer scorer = {.name = "scadyg",
                              .context = c,
                              .rewind = rewind_counter,
                              .score = score_counter,
                              .close = NULL,
                              .score_many = c->inner.score_many ? score_many_counter : NULL};
    double all = INFINITY, scoring = INFINITY;
    for (int i = 0; i < rounds; i++) {
        scadyg_scores scores;
        scadyg_error error = {0};
        double seconds = 0;
        sg_evaluation_scores scores_out = {.scores = &scores, .seconds = &seconds};
        const double begin = bench_now();
        c->pairs = 0;
        must(sg_protocol_links(&trial, &options, &scorer, 1, NULL, &scores_out, &error), &error);
        all = fmin(all, bench_now() - begin);
        scoring = fmin(scoring, seconds);
    }
    printf("%-22s %12llu %10.2f %14.2f %10.2f %14.2f\n", kind->name, (unsigned long long)c->pairs, scoring,
           1e-6 * (double)c->pairs / scoring, all, 1e-6 * (double)c->pairs / all);
}

/* Through the whole log, for a single pair at its end. */
static void follow(const sg_inputs *inputs, counter *c, int rounds)
{
    const sg_columns *columns = &inputs->messages->columns;
    double best = INFINITY, score;
    const uint32_t node = 0;
    const sg_question block = {.at = nextafter(columns->time[columns->count - 1], INFINITY),
                               .seen = columns->count,
                               .step = -1,
                               .src = &node,
                               .dst = &node,
                               .count = 1,
                               .score = &score};
    for (int i = 0; i < rounds; i++) {
        scadyg_error error = {0};
        must(c->inner.rewind(c->inner.context, &error), &error);
        const double begin = bench_now();
        must(c->inner.score(c->inner.context, &block, &error), &error);
        best = fmin(best, bench_now() - begin);
    }
    printf("following the log: %.2f s, %.2f M events/s\n\n", best, 1e-6 * (double)columns->count / best);
}

static int usage(void)
{
    fprintf(stderr, "usage: bench_judge M.scadyg X.events [--rounds N] [--threads N]\n");
    return 2;
}

int main(int argc, char **argv)
{
    static const trial_kind kinds[] = {{"paper, any", SCADYG_PROTOCOL_PAPER, SCADYG_POOL_ANY},
                                       {"paper, destination", SCADYG_PROTOCOL_PAPER, SCADYG_POOL_DESTINATION},
                                       {"dyglib, destination", SCADYG_PROTOCOL_DYGLIB, SCADYG_POOL_DESTINATION},
                                       {"tgb-link", SCADYG_PROTOCOL_TGB_LINK, SCADYG_POOL_DEFAULT}};
    int rounds = 3, threads = 0;
    if (argc < 3) return usage();
    for (int i = 3; i < argc; i += 2) {
        if (i + 1 == argc) return usage();
        if (strcmp(argv[i], "--rounds") == 0)
            rounds = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--threads") == 0)
            threads = atoi(argv[i + 1]);
        else
            return usage();
    }
    scadyg_error error = {0};
    scadyg_model *model = NULL;
    scadyg_events *events = NULL;
    sg_inputs inputs = {0};
    counter c = {0};
    must(scadyg_model_open(argv[1], &model, &error), &error);
    must(scadyg_events_open(argv[2], &events, &error), &error);
    must(sg_inputs_open(model, events, sg_threads(threads), &inputs, &error), &error);
    must(sg_link_scorer_open(&inputs, &c.inner, &error), &error);
    bench_print_machine();
    printf("%s, threads: %d, best of %d rounds\n", argv[2], inputs.threads, rounds);
    follow(&inputs, &c, rounds);
    printf("%-22s %12s %10s %14s %10s %14s\n", "protocol, pool", "pairs", "scoring, s", "M pairs/s", "all, s",
           "M pairs/s");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) judge(&kinds[i], &inputs, &c, rounds);
    printf("wanted: at least 1 M pairs/s\n");
    c.inner.close(c.inner.context);
    sg_inputs_close(&inputs);
    scadyg_events_close(events);
    scadyg_model_close(model);
    return 0;
}
