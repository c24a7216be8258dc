/*
 * The speed of the pair net: pairs per second of learning and scoring, and how much of what the processor can multiply
 * and add that is.
 *
 *   bench_pair_net [--rounds N] [--only learning|scoring] [--threads N]
 *
 * The peak is a loop on vectors in registers, as many multiplications as additions and no fused ones, measured in the
 * same run on one thread. Of the net only multiplications that are followed by an addition count. The best round counts: in processor time of all
 * threads, from which the share of the peak is taken, and in time by the clock, with the median beside it. On a machine
 * with other work only the first says what the code needs.
 */
#include "machine.h"

#include "base/rng.h"
#include "base/simd.h"
#include "models/scadyg/pair_net.h"

#include <math.h>

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
    fprintf(stderr, "bench_pair_net: %s\n", error->message);
    exit(1);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- The peak ---- */

/* A multiplication and the addition after it wait for each other for six cycles or more: twelve chains fill them. */
SG_INLINE void peak_body(size_t count, eight *out)
{
    eight sum[12];
    const eight factor = out[0], term = out[1];
    for (size_t k = 0; k < 12; k++) sum[k] = factor + (float)k;
    for (size_t i = 0; i < count; i += 96)
        for (size_t k = 0; k < 12; k++) sum[k] = sum[k] * factor + term;
    for (size_t k = 0; k < 12; k++) out[2] += sum[k];
}

SG_AVX2 static void peak_avx2(size_t count, eight *out)
{
    peak_body(count, out);
}

static void peak_any(size_t count, eight *out)
{
    peak_body(count, out);
}

/* Multiplications followed by an addition, per second. */
static double peak(int rounds)
{
    enum { PRODUCTS = 96 * 50000 };
    double best = INFINITY;
    eight out[3] = {{.5f}, {1}, {0}};
    for (int i = 0; i < rounds; i++) {
        const double begin = bench_now();
        (SG_HAS_AVX2() ? peak_avx2 : peak_any)(PRODUCTS, out);
        best = fmin(best, bench_now() - begin);
    }
    return (PRODUCTS + 1e-9 * (double)out[2][0]) / best;
}

/* ---- Pairs ---- */

typedef struct work {
    sg_pair_net net;
    sg_pair_rows rows;
    float *values, *gradient, *nodes, *between;
    uint32_t *left, *right;
    unsigned char *in;
    double *score;
} work;

/* The numbers of a node and of a pair without weights and features; a case: an event, random pairs, one of each other kind. */
enum { NODE = 38, BETWEEN = 69 };
static const unsigned char in[8] = {0xFF, 3, 3, 3, 3, 3, 4, 8};
static const double compared[SG_OUTPUTS - 1] = {1, .02, .02};

/* `cases` sources with `group` others each; with `nodes`, all of them among so many rows. */
static work make(size_t hidden2, size_t cases, size_t group, size_t nodes)
{
    work w = {0};
    sg_rng rng;
    sg_rng_seed(&rng, 1, 0);
    sg_pair_net_make(&w.net, NODE, BETWEEN, 64, hidden2);
    const size_t count = cases * group, width = w.net.between, rows = nodes ? nodes : cases + count;
    w.values = memory(w.net.count, sizeof *w.values);
    w.gradient = memory(w.net.count, sizeof *w.gradient);
    w.nodes = memory(rows * w.net.node, sizeof *w.nodes);
    w.between = memory(count * width, sizeof *w.between);
    w.left = memory(count, sizeof *w.left);
    w.right = memory(count, sizeof *w.right);
    w.in = memory(count, 1);
    w.score = memory(count, sizeof *w.score);
    sg_pair_net_init(&w.net, 1, w.values);
    for (size_t i = 0; i < rows * w.net.node; i++) w.nodes[i] = (float)(2 * sg_rng_unit(&rng) - 1);
    for (size_t i = 0; i < count * width; i++) w.between[i] = (float)(2 * sg_rng_unit(&rng) - 1);
    for (size_t k = 0; k < count; k++) {
        w.left[k] = (uint32_t)(nodes ? k / group % nodes : k / group * (group + 1));
        w.right[k] = (uint32_t)(nodes ? sg_rng_below(&rng, nodes) : w.left[k] + 1 + k % group);
        w.in[k] = in[k % group < 8 ? k % group : 1];
    }
    w.rows = (sg_pair_rows){.nodes = w.nodes,
                            .node_count = rows,
                            .left = w.left,
                            .right = w.right,
                            .between = w.between,
                            .count = count,
                            .compared = compared};
    return w;
}

static void drop(work *w)
{
    free(w->values), free(w->gradient), free(w->nodes), free(w->between);
    free(w->left), free(w->right), free(w->in), free(w->score);
}

/* Multiplications with an addition: of a pair, of a source, of another node; forward, or both ways. */
static double products(const work *w, size_t sources, size_t others, int learning, int output)
{
    const sg_pair_net *net = &w->net;
    const double node = (double)net->node, hidden = (double)net->hidden, hidden2 = (double)net->hidden2;
    const double between = (double)net->between,
                 outputs = learning || output == SG_CHANCE ? SG_OUTPUTS - !learning : 1;
    double pair = between * hidden + hidden * hidden2 + outputs * hidden2, end = node * hidden;
    if (learning) {
        pair += between * hidden + 2 * hidden * hidden2 + 2 * outputs * hidden2;
        end += node * hidden;
    }
    return (double)w->rows.count * pair + (double)(sources + others) * end;
}

/* Of each round, by the clock and in processor time. */
typedef struct times {
    size_t rounds;
    double *clock, *cpu;
} times;

static times times_make(size_t rounds)
{
    return (times){rounds, memory(rounds, sizeof(double)), memory(rounds, sizeof(double))};
}

static void print(const char *name, const work *w, int threads, times *t, double most, double each)
{
    qsort(t->clock, t->rounds, sizeof *t->clock, by_size);
    qsort(t->cpu, t->rounds, sizeof *t->cpu, by_size);
    const double count = (double)w->rows.count;
    printf("%-22s %7zu %7zu %8d %10.3f %10.3f %10.3f %9.2f\n", name, w->rows.count, w->net.hidden2, threads,
           t->cpu[0] / count * 1e6, count / t->clock[0] / 1e6, count / t->clock[t->rounds / 2] / 1e6,
           each / t->cpu[0] / most);
    free(t->clock), free(t->cpu);
}

static void learn(const char *name, size_t hidden2, double binary, int threads, size_t rounds, double most)
{
    work w = make(hidden2, 200, 8, 0);
    times t = times_make(rounds);
    double sink = 0;
    sg_pair_workspace *workspace;
    scadyg_error error;
    scadyg_context *context;
    must(scadyg_context_open(&context, &error), &error);
    scadyg_context_set_threads(context, threads);
    must(sg_pair_workspace_open(context, &w.net, w.rows.count, &workspace, &error), &error);
    for (size_t i = 0; i < rounds; i++) {
        const double begin = bench_now(), cpu = bench_cpu();
        sink += sg_pair_gradient(workspace, w.values, &w.rows, 8, w.in, binary, w.gradient);
        t.clock[i] = bench_now() - begin;
        t.cpu[i] = bench_cpu() - cpu;
    }
    if (!(sink > 0)) exit(1);
    print(name, &w, threads, &t, most, products(&w, 200, 1600, 1, SG_ORDER));
    sg_pair_workspace_close(workspace);
    scadyg_context_close(context);
    drop(&w);
}

static void score(const char *name, int output, size_t cases, size_t group, size_t nodes, int threads,
                  size_t rounds, double most)
{
    work w = make(64, cases, group, nodes);
    times t = times_make(rounds);
    scadyg_error error;
    scadyg_context *context;
    must(scadyg_context_open(&context, &error), &error);
    scadyg_context_set_threads(context, threads);
    for (size_t i = 0; i < rounds; i++) {
        const double begin = bench_now(), cpu = bench_cpu();
        must(sg_pair_scores(context, &w.net, w.values, &w.rows, output, w.score, &error), &error);
        t.clock[i] = bench_now() - begin;
        t.cpu[i] = bench_cpu() - cpu;
    }
    print(name, &w, threads, &t, most,
          products(&w, nodes ? 0 : cases, nodes ? 2 * nodes : cases * group, 0, output));
    scadyg_context_close(context);
    drop(&w);
}

int main(int argc, char **argv)
{
    size_t rounds = 200;
    const char *only = "";
    int most_threads = 2;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--rounds") == 0) rounds = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--only") == 0) only = argv[i + 1];
        if (strcmp(argv[i], "--threads") == 0) most_threads = atoi(argv[i + 1]);
    }
    if (!rounds) rounds = 1;
    bench_print_machine();
    const double most = peak(300);
    printf("peak: %.1f G multiplications with an addition per second, one thread\n\n", most / 1e9);
    printf("%-22s %7s %7s %8s %10s %10s %10s %9s\n", "", "pairs", "hidden2", "threads", "cpu us", "M pairs/s",
           "median", "of peak");
    for (int threads = 1; threads <= most_threads; threads++) {
        if (*only && !strstr("learning", only)) break;
        learn("learning", 64, .5, threads, rounds, most);
        learn("learning, order alone", 64, 0, threads, rounds, most);
        learn("learning", 32, .5, threads, rounds, most);
    }
    for (int threads = 1; threads <= most_threads; threads++) {
        if (*only && !strstr("scoring", only)) break;
        score("order, one source", SG_ORDER, 1, 20000, 0, threads, rounds / 5 + 1, most);
        score("order, 21 a source", SG_ORDER, 1000, 21, 0, threads, rounds / 5 + 1, most);
        score("chances, 21 a source", SG_CHANCE, 1000, 21, 0, threads, rounds / 5 + 1, most);
        score("order, shared nodes", SG_ORDER, 1000, 21, 1000, threads, rounds / 5 + 1, most);
    }
    return 0;
}
