/*
 * Ranking every node for one source, beside one pass over the state that must be read for it.
 *
 *   bench_rank M.scadyg X.events [--rounds N] [--threads N]
 *
 * The default model for links reads of every candidate its decayed counts and its latest partners: so many bytes a
 * node. The bare pass adds up memory of that size, on as many threads. Rounds are interleaved and the best of each
 * counts, because other work on the machine only ever slows them down.
 *
 *   scoring    all nodes as destinations of one source at the end of the log, when the state has arrived there
 *   rank       scadyg_rank as a caller has it: it also lists the candidates and sorts; the first call goes through the log
 */
#include "machine.h"

#include "base/memory.h"
#include "models/scadyg/scadyg.h"
#include "predict/predictor.h"

#include <math.h>

enum { SLICE = 1 << 20 }; /* bytes a thread adds up at a time */

typedef struct field {
    scadyg_events *events;
    scadyg_model *model;
    scadyg_predictor *predictor;
    scadyg_context *context;
    size_t nodes;
    double at;
    uint32_t *src, *dst;
    double *score;
    uint64_t bytes; /* of the state */
    float *state;   /* as many, for the bare pass */
    float *sums;    /* of slices */
} field;

static void must(int status, const scadyg_error *error)
{
    if (!status) return;
    fprintf(stderr, "bench_rank: %s\n", error->message);
    exit(1);
}

static void *need(void *block)
{
    if (block) return block;
    fprintf(stderr, "bench_rank: out of memory\n");
    exit(1);
}

/* ---- What is measured ---- */

static void add_slice(void *data, size_t worker, size_t slice)
{
    (void)worker;
    const field *f = data;
    const size_t count = SLICE / sizeof(float), all = f->bytes / sizeof(float), begin = slice * count;
    const size_t end = all - begin < count ? all : begin + count;
    float sum[16] = {0};
    for (size_t i = begin; i + 16 <= end; i += 16)
        for (size_t j = 0; j < 16; j++) sum[j] += f->state[i + j];
    for (size_t j = 0; j < 16; j++) f->sums[slice] += sum[j];
}

static size_t slices(const field *f)
{
    return (f->bytes + SLICE - 1) / SLICE;
}

static void bare(field *f)
{
    sg_parallel_for(f->context, slices(f), add_slice, f);
}

static void score_all(field *f)
{
    scadyg_error error = {0};
    const sg_scorer *scorer = &f->predictor->scorer;
    const sg_question block = {.at = f->at,
                               .seen = sg_predictor_seen(f->predictor, f->at),
                               .step = -1,
                               .src = f->src,
                               .dst = f->dst,
                               .count = f->nodes,
                               .score = f->score};
    must(scorer->score(scorer->context, &block, &error), &error);
}

static void rank(field *f)
{
    uint32_t nodes[10];
    double scores[10];
    size_t count = 0;
    scadyg_error error = {0};
    must(scadyg_rank(f->predictor, f->src[0], f->at, 0, 10, nodes, scores, NULL, &count, &error), &error);
}

static double timed(void (*work)(field *), field *f)
{
    const double begin = bench_now();
    work(f);
    return bench_now() - begin;
}

/* ---- The field ---- */

/* The source with the most events. */
static uint32_t busiest(const field *f)
{
    const sg_columns *columns = f->predictor->view.columns;
    uint32_t *times = need(sg_alloc_zero(f->nodes, sizeof *times)), best = 0;
    for (uint64_t e = 0; e < columns->count; e++) times[columns->src[e]]++;
    for (size_t i = 0; i < f->nodes; i++)
        if (times[i] > times[best]) best = (uint32_t)i;
    free(times);
    return best;
}

static void open_field(field *f, const char *model, const char *events)
{
    scadyg_error error = {0};
    must(scadyg_model_open(model, &f->model, &error), &error);
    must(scadyg_events_open(events, &f->events, &error), &error);
    if (f->model->kind->reads != SG_READS_LEDGER) {
        fprintf(stderr, "bench_rank: %s is not a model scadyg for links\n", model);
        exit(2);
    }
    must(scadyg_predictor_open(f->context, f->model, f->events, &f->predictor, &error), &error);
    f->nodes = f->predictor->view.nodes;
    f->at = nextafter(scadyg_events_shape(f->events)->last_time, INFINITY);
    const sg_ledger_options ledger = sg_scadyg_ledger(f->model);
    f->bytes = sg_ledger_bytes(&ledger, f->nodes) / 64 * 64;
    f->state = need(sg_alloc_aligned(f->bytes / sizeof(float), sizeof(float)));
    for (size_t i = 0; i < f->bytes / sizeof(float); i++) f->state[i] = 1; /* pages must be there */
    f->sums = need(sg_alloc_zero(slices(f), sizeof *f->sums));
    f->src = need(sg_alloc(f->nodes, sizeof *f->src));
    f->dst = need(sg_alloc(f->nodes, sizeof *f->dst));
    f->score = need(sg_alloc_zero(f->nodes, sizeof *f->score));
    const uint32_t source = busiest(f);
    for (size_t i = 0; i < f->nodes; i++) {
        f->src[i] = source;
        f->dst[i] = (uint32_t)i;
    }
}

static void close_field(field *f)
{
    scadyg_predictor_close(f->predictor);
    scadyg_events_close(f->events);
    scadyg_model_close(f->model);
    scadyg_context_close(f->context);
    free(f->src);
    free(f->dst);
    free(f->score);
    free(f->state);
    free(f->sums);
}

static void print_row(const char *what, double seconds, const field *f, double pass)
{
    printf("%-44s %9.1f ms %8.2f GB/s %8.2f M nodes/s %7.2f\n", what, 1e3 * seconds,
           1e-9 * (double)f->bytes / seconds, 1e-6 * (double)f->nodes / seconds, seconds / pass);
}

static int usage(void)
{
    fprintf(stderr, "usage: bench_rank M.scadyg X.events [--rounds N] [--threads N]\n");
    return 2;
}

int main(int argc, char **argv)
{
    field f = {0};
    int rounds = 7, threads = 0;
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
    must(scadyg_context_open(&f.context, &error), &error);
    scadyg_context_set_threads(f.context, threads);
    open_field(&f, argv[1], argv[2]);
    bench_print_machine();
    printf("%zu nodes, %.0f MB of state (%.0f bytes a node), threads: %zu, best of %d rounds\n\n", f.nodes,
           1e-6 * (double)f.bytes, (double)f.bytes / (double)f.nodes, sg_context_threads(f.context), rounds);
    const double first = timed(rank, &f);
    (void)timed(score_all, &f); /* the state arrives */
    double pass = INFINITY, scoring = INFINITY;
    for (int i = 0; i < rounds; i++) {
        pass = fmin(pass, timed(bare, &f));
        scoring = fmin(scoring, timed(score_all, &f));
    }
    const double again = timed(rank, &f);
    printf("%-44s %12s %13s %18s %7s\n", "", "time", "of the state", "", "ratio");
    print_row("one pass over as much memory", pass, &f, pass);
    print_row("scoring all nodes for a source", scoring, &f, pass);
    print_row("rank, the first call", first, &f, pass);
    print_row("rank, a later call at the same time", again, &f, pass);
    printf("wanted: scoring at most 1.5 passes\n");
    close_field(&f);
    return 0;
}
