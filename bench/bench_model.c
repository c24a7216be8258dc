/*
 * The speed of learning and scoring with the net of the paper: microseconds per batch of 128 pairs and pairs per second, on one core.
 *
 *   bench_model [--rounds N]
 *
 * Beside each batch stands a bare loop that does as many multiplications and additions on vectors in registers as the
 * products of the head need: what the processor could do at best if there were no hypernetwork. The best round counts,
 * because other work on the machine only ever slows one down.
 */
#include "machine.h"

#include "base/rng.h"
#include "base/simd.h"
#include "evaluate/evaluate.h"
#include "models/scadyg_paper/net.h"
#include "nn/optimiser.h"

#include <math.h>

enum { BATCH = 128, BATCHES = 64 };

typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));

static void *memory(size_t count, size_t size)
{
    void *block = calloc(count, size);
    if (!block) exit(1);
    return block;
}

static void must(int status, const scadyg_error *error)
{
    if (!status) return;
    fprintf(stderr, "bench_model: %s\n", error->message);
    exit(1);
}

/* `count` multiplications and additions, in eight independent sums, on numbers that are near. */
SG_INLINE void bare_body(size_t count, const float *from, eight *out)
{
    eight sum[8] = {{0}};
    for (size_t i = 0; i < count; i += 64)
        for (size_t k = 0; k < 8; k++)
            sum[k] += *(const eight *)(from + i % 1024 + 8 * (k / 4)) *
                      *(const eight *)(from + i % 1024 + 16 + 8 * (k % 4));
    for (size_t k = 0; k < 8; k++) *out += sum[k];
}

SG_AVX2 static void bare_avx2(size_t count, const float *from, eight *out)
{
    bare_body(count, from, out);
}

static void bare_any(size_t count, const float *from, eight *out)
{
    bare_body(count, from, out);
}

/* ---- Learning ---- */

typedef struct work {
    sg_net net;
    size_t nodes;
    float *values, *gradient, *average, *square, *rows, *label;
    uint32_t *left, *right;
    scadyg_context *context;
    sg_workspace *workspace;
} work;

static work make(size_t width, size_t hidden, int threads)
{
    scadyg_error error;
    work w = {.nodes = 2000};
    sg_rng rng;
    sg_rng_seed(&rng, 1, 0);
    sg_net_make(&w.net, SG_TASK_LINK, 1, width, hidden, 1);
    w.values = memory(w.net.count, sizeof *w.values);
    w.gradient = memory(w.net.count, sizeof *w.gradient);
    w.average = memory(w.net.count, sizeof *w.average);
    w.square = memory(w.net.count, sizeof *w.square);
    w.rows = memory(w.nodes * width, sizeof *w.rows);
    w.label = memory(BATCH, sizeof *w.label);
    w.left = memory(BATCH * BATCHES, sizeof *w.left);
    w.right = memory(BATCH * BATCHES, sizeof *w.right);
    sg_net_init(&w.net, 1, w.values);
    for (size_t i = 0; i < w.nodes * width; i++) w.rows[i] = (float)sg_rng_normal(&rng);
    for (size_t i = 0; i < BATCH; i++) w.label[i] = (float)(i % 2);
    for (size_t i = 0; i < BATCH * BATCHES; i++) {
        /* A positive and a negative pair of one source. */
        w.left[i] = i % 2 ? w.left[i - 1] : (uint32_t)sg_rng_below(&rng, w.nodes);
        w.right[i] = (uint32_t)sg_rng_below(&rng, w.nodes);
    }
    must(scadyg_context_open(&w.context, &error), &error);
    scadyg_context_set_threads(w.context, threads);
    must(sg_workspace_open(w.context, &w.net, BATCH, &w.workspace, &error), &error);
    return w;
}

static void drop(work *w)
{
    sg_workspace_close(w->workspace);
    scadyg_context_close(w->context);
    free(w->values), free(w->gradient), free(w->average), free(w->square);
    free(w->rows), free(w->label), free(w->left), free(w->right);
}

/* Microseconds per batch: of the gradient, of Adam, and of the bare loop. */
static void learn(size_t width, size_t hidden, int threads, int rounds)
{
    work w = make(width, hidden, threads);
    const sg_adam adam = SG_ADAM_DEFAULT(1e-3, 1e-4);
    const size_t products = 3 * BATCH * 2 * width * hidden;
    double best[3] = {INFINITY, INFINITY, INFINITY};
    static float from[2048];
    eight sink = {0};
    uint64_t t = 0;
    /* A wide batch takes milliseconds and is a round of its own: other work would spoil each of many. */
    const size_t batches = width > 16 ? 1 : BATCHES;
    for (int round = 0; round < rounds; round++) {
        double spent[3] = {0};
        for (size_t b = 0; b < batches; b++) {
            const double begin = bench_now();
            sg_link_gradient(w.workspace, w.values, w.rows, w.left + b * BATCH, w.right + b * BATCH, w.label, BATCH,
                             w.gradient);
            const double middle = bench_now();
            sg_adam_step(&adam, w.net.count, w.values, w.gradient, w.average, w.square, ++t);
            const double end = bench_now();
            (SG_HAS_AVX2() ? bare_avx2 : bare_any)(products, from, &sink);
            spent[0] += middle - begin, spent[1] += end - middle, spent[2] += bench_now() - end;
        }
        for (int k = 0; k < 3; k++) best[k] = fmin(best[k], spent[k] / (double)batches * 1e6);
    }
    printf("%-8zu %8zu %8d %12.2f %10.2f %10.2f %12.2f %10.2f\n", width, hidden, threads, best[0], best[1],
           best[0] + best[1], best[2], best[2] / (best[0] + best[1]) + (double)sink[0]);
    drop(&w);
}

/* ---- Scoring ---- */

typedef struct pairs {
    const float *left, *right;
    const uint32_t *src, *dst;
    size_t count, hidden;
} pairs;

/* Both rows of each pair are read and multiplied. */
SG_INLINE void products_body(const pairs *p, eight *out)
{
    eight sum[4] = {{0}};
    for (size_t i = 0; i < p->count; i++) {
        const float *left = p->left + p->src[i] * p->hidden, *right = p->right + p->dst[i] * p->hidden;
        for (size_t h = 0; h < p->hidden; h += 32)
            for (size_t k = 0; k < 4; k++)
                sum[k] += *(const eight *)(left + h + 8 * k) * *(const eight *)(right + h + 8 * k);
    }
    for (size_t k = 0; k < 4; k++) *out += sum[k];
}

SG_AVX2 static void products_avx2(const pairs *p, eight *out)
{
    products_body(p, out);
}

static void products_any(const pairs *p, eight *out)
{
    products_body(p, out);
}

static void score(size_t hidden, int rounds)
{
    enum { PAIRS = 1 << 16, NODES = 500 };
    work w = make(4, hidden, 1);
    scadyg_error error;
    float *left = memory(NODES * hidden, sizeof *left), *right = memory(NODES * hidden, sizeof *right);
    uint32_t *src = memory(PAIRS, sizeof *src), *dst = memory(PAIRS, sizeof *dst);
    double *out = memory(PAIRS, sizeof *out), best[2] = {INFINITY, INFINITY};
    sg_rng rng;
    sg_rng_seed(&rng, 2, 0);
    must(sg_link_sides(w.context, &w.net, w.values, w.rows, NODES, left, right, &error), &error);
    for (size_t i = 0; i < PAIRS; i++) {
        src[i] = (uint32_t)(i / 100 % NODES);
        dst[i] = (uint32_t)sg_rng_below(&rng, NODES);
    }
    for (int round = 0; round < rounds / 4 + 1; round++) {
        const double begin = bench_now();
        sg_link_scores(w.context, &w.net, w.values, left, src, right, dst, PAIRS, out);
        const double middle = bench_now();
        eight sum = {0};
        (SG_HAS_AVX2() ? products_avx2 : products_any)(&(pairs){left, right, src, dst, PAIRS, hidden}, &sum);
        out[0] += (double)sum[0];
        best[0] = fmin(best[0], middle - begin), best[1] = fmin(best[1], bench_now() - middle);
    }
    printf("%-8zu %12.1f %12.1f %10.2f\n", hidden, PAIRS / best[0] / 1e6, PAIRS / best[1] / 1e6, best[1] / best[0]);
    free(left), free(right), free(src), free(dst), free(out);
    drop(&w);
}

int main(int argc, char **argv)
{
    int rounds = 200;
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--rounds") == 0) rounds = atoi(argv[i + 1]);
    bench_print_machine();
    printf("\nlearning: links, batches of %d pairs, microseconds per batch; best of %d rounds\n\n", BATCH, rounds);
    printf("%-8s %8s %8s %12s %10s %10s %12s %10s\n", "width", "hidden", "threads", "gradient", "Adam", "both",
           "bare loop", "of bare");
    learn(4, 64, 1, rounds);
    learn(8, 64, 1, rounds);
    learn(16, 64, 1, rounds);
    learn(136, 128, 1, rounds);
    learn(136, 128, 2, rounds);
    printf("\nscoring: M pairs per second, one thread, rows in cache\n\n");
    printf("%-8s %12s %12s %10s\n", "hidden", "scores", "bare loop", "of bare");
    score(64, rounds);
    score(128, rounds);
    return 0;
}
