/*
 * The speed of evaluation: pairs a model scores per second under each protocol, in the test part.
 *
 *   bench_evaluate M.scadyg X.events [--rounds N] [--threads N]
 *
 * Pairs are counted as protocols hand them over. `scoring` is the model alone, with everything it does to follow the log,
 * which is also measured by itself; `all` has the protocol too: negatives, ranks, averages. The best of the rounds counts.
 */
#include "machine.h"

#include "base/context.h"
#include "evaluate/evaluate.h"
#include "models/kind.h"

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

static int score_counter(void *context, const sg_question *question, scadyg_error *error)
{
    counter *c = context;
    c->pairs += question->count;
    return c->inner.score(c->inner.context, question, error);
}

static int score_many_counter(void *context, const sg_question *questions, size_t count, scadyg_error *error)
{
    counter *c = context;
    for (size_t i = 0; i < count; i++) c->pairs += questions[i].count;
    return c->inner.score_many(c->inner.context, questions, count, error);
}

static void must(int status, const scadyg_error *error)
{
    if (!status) return;
    fprintf(stderr, "bench_evaluate: %s\n", error->message);
    exit(1);
}

typedef struct setting {
    const char *name;
    int protocol, pool;
} setting;

static void evaluate(const setting *how, const sg_view *view, counter *c, int rounds)
{
    const sg_evaluated_data data = {.columns = *view->columns,
                                    .nodes = view->nodes,
                                    .steps = &view->messages->steps,
                                    .split = sg_view_parts(view)};
    const sg_eval_options options = {.protocol = how->protocol, .pool = how->pool, .seeds = 1, .seed = 1};
    const sg_scorer scorer = {.name = "scadyg",
                              .context = c,
                              .rewind = rewind_counter,
                              .score = score_counter,
                              .close = NULL,
                              .score_many = c->inner.score_many ? score_many_counter : NULL};
    double all = INFINITY, scoring = INFINITY;
    for (int i = 0; i < rounds; i++) {
        sg_scores scores;
        scadyg_error error = {0};
        double seconds = 0;
        sg_evaluation_scores out = {.scores = &scores, .seconds = &seconds};
        const double begin = bench_now();
        c->pairs = 0;
        must(sg_evaluate_links(view->context, &data, &options, &scorer, 1, NULL, &out, &error), &error);
        all = fmin(all, bench_now() - begin);
        scoring = fmin(scoring, seconds);
    }
    printf("%-22s %12llu %10.2f %14.2f %10.2f %14.2f\n", how->name, (unsigned long long)c->pairs, scoring,
           1e-6 * (double)c->pairs / scoring, all, 1e-6 * (double)c->pairs / all);
}

/* Through the whole log, for a single pair at its end. */
static void follow(const sg_view *view, counter *c, int rounds)
{
    const sg_columns *columns = view->columns;
    double best = INFINITY, score;
    const uint32_t node = 0;
    const sg_question question = {.at = nextafter(columns->time[columns->count - 1], INFINITY),
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
        must(c->inner.score(c->inner.context, &question, &error), &error);
        best = fmin(best, bench_now() - begin);
    }
    printf("following the log: %.2f s, %.2f M events/s\n\n", best, 1e-6 * (double)columns->count / best);
}

static int usage(void)
{
    fprintf(stderr, "usage: bench_evaluate M.scadyg X.events [--rounds N] [--threads N]\n");
    return 2;
}

int main(int argc, char **argv)
{
    static const setting settings[] = {{"paper, any", SG_PROTOCOL_PAPER, SG_POOL_ANY},
                                       {"paper, destination", SG_PROTOCOL_PAPER, SG_POOL_DESTINATION},
                                       {"dyglib, destination", SG_PROTOCOL_DYGLIB, SG_POOL_DESTINATION},
                                       {"tgb-link", SG_PROTOCOL_TGB_LINK, SG_POOL_DEFAULT}};
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
    scadyg_context *context = NULL;
    scadyg_model *model = NULL;
    scadyg_events *events = NULL;
    sg_view view = {0};
    counter c = {0};
    must(scadyg_context_open(&context, &error), &error);
    scadyg_context_set_threads(context, threads);
    must(scadyg_model_open(argv[1], &model, &error), &error);
    must(scadyg_events_open(argv[2], &events, &error), &error);
    must(sg_view_open(context, model, events, &view, &error), &error);
    must(model->kind->scorer_open(model->kind, &view, &c.inner, &error), &error);
    bench_print_machine();
    printf("%s, threads: %zu, best of %d rounds\n", argv[2], sg_context_threads(context), rounds);
    follow(&view, &c, rounds);
    printf("%-22s %12s %10s %14s %10s %14s\n", "protocol, pool", "pairs", "scoring, s", "M pairs/s", "all, s",
           "M pairs/s");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) evaluate(&settings[i], &view, &c, rounds);
    printf("wanted: at least 1 M pairs/s\n");
    c.inner.close(c.inner.context);
    sg_view_close(&view);
    scadyg_events_close(events);
    scadyg_model_close(model);
    scadyg_context_close(context);
    return 0;
}
