/*
 * The speed of walk sketches, beside a bare pass over the same memory and beside bare arithmetic.
 *
 *   bench_sketch [--nodes N] [--width N] [--rounds N] [--only WORD]
 *
 * The bare pass touches the same cache lines of the same nodes in the same order, asks for them as far ahead, and does
 * one vector operation with each half line; where the sketch is changed, it writes them too. The last rows have so few
 * nodes that all stays in the first-level cache: there the bare loop is as many multiplications and additions in
 * registers, as fast as the machine has them. Rounds are interleaved and the best of each counts, because other work on
 * the machine only ever slows them down. Where memory is read, the ratio is the median over rounds, since such work slows
 * both. All on one thread.
 */
#include "machine.h"

#include "base/memory.h"
#include "base/rng.h"
#include "base/simd.h"
#include "messages/pairs/sketch_state.h"

#include <math.h>

#pragma GCC diagnostic ignored "-Wpsabi"

typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));

enum { PAIRS = 7, PIECE = 512, EVENTS = 100000, FEW = 16, MOST_ROUNDS = 1000 };

/* Useful operations in a pair of one source: 10 products of 16 numbers for each order; 2 are the source's own. */
static const double PAIR_FLOPS = 10.0 * 2 * SG_BLOCK * SG_ORDERS;

static size_t nodes = 424000, width = 64;
static sg_sketch *sketch, *small;
static uint32_t *everyone, *zero, *left, *right, *source; /* the last three: EVENTS * PAIRS nodes */
static double *when, now;
static float *dots, *out;
static volatile float sink;

static void must(int status, const scadyg_error *error)
{
    if (!status) return;
    fprintf(stderr, "bench_sketch: %s\n", error->message);
    exit(1);
}

/* ---- Bare passes --------------------------------------------------------------------------------------- */

SG_INLINE void touch(sg_sketch_block *block, uint32_t node, int write, eight sum[4])
{
    float *at = (float *)(block->walks + node);
    sum[0] += *(eight *)(block->sides + node);
    for (size_t i = 0; i < sizeof(sg_walks) / sizeof(float); i += 8) {
        eight *x = (eight *)(at + i);
        if (write)
            *x += sum[0];
        else
            sum[i / 8 % 4] += *x;
    }
    if (write) *(volatile float *)&block->sides[node].mass[0] = 1;
}

SG_INLINE void ask(const sg_sketch_block *block, uint32_t node)
{
    __builtin_prefetch(block->sides + node);
    for (size_t i = 0; i < sizeof(sg_walks); i += 64) __builtin_prefetch((char *)(block->walks + node) + i);
}

/* Memory of nodes in an order; b may be NULL. */
SG_INLINE void pass_body(sg_sketch_block *block, const uint32_t *a, const uint32_t *b, size_t count, int write)
{
    eight sum[4] = {{0}};
    for (size_t i = 0; i < count; i++) {
        if (i + 8 < count) {
            ask(block, a[i + 8]);
            if (b) ask(block, b[i + 8]);
        }
        touch(block, a[i], write, sum);
        if (b) touch(block, b[i], write, sum);
    }
    sum[0] += sum[1] + sum[2] + sum[3];
    sink = sum[0][0] + sum[0][5];
}

static void pass(sg_sketch_block *block, const uint32_t *a, const uint32_t *b, size_t count)
{
    pass_body(block, a, b, count, 0);
}

static void pass_writing(sg_sketch_block *block, const uint32_t *a, const uint32_t *b, size_t count)
{
    pass_body(block, a, b, count, 1);
}

/* ---- Lists --------------------------------------------------------------------------------------------- */

static void list_bare(void)
{
    for (size_t i = 0; i < nodes; i += PIECE)
        for (size_t b = 0; b < sketch->blocks; b++)
            pass(&sketch->block[b], everyone + i, NULL, nodes - i < PIECE ? nodes - i : PIECE);
}

static void list_read(void)
{
    for (size_t i = 0; i < nodes; i += PIECE) {
        const size_t size = nodes - i < PIECE ? nodes - i : PIECE;
        memset(dots, 0, size * SG_ORDERS * SG_DOTS * sizeof *dots);
        for (size_t b = 0; b < sketch->blocks; b++) sg_sketch_read(sketch, b, zero, everyone + i, size, now, dots);
    }
}

static void random_bare(void)
{
    for (size_t i = 0; i < EVENTS; i += PIECE)
        for (size_t b = 0; b < sketch->blocks; b++)
            pass(&sketch->block[b], left + i, right + i, EVENTS - i < PIECE ? EVENTS - i : PIECE);
}

static void random_read(void)
{
    for (size_t i = 0; i < EVENTS; i += PIECE)
        for (size_t b = 0; b < sketch->blocks; b++)
            sg_sketch_read(sketch, b, left + i, right + i, EVENTS - i < PIECE ? EVENTS - i : PIECE, now, dots);
}

/* ---- Events -------------------------------------------------------------------------------------------- */

static void add_bare(void)
{
    for (size_t b = 0; b < sketch->blocks; b++) pass_writing(&sketch->block[b], left, right, EVENTS);
}

static void add_events(void)
{
    for (size_t b = 0; b < sketch->blocks; b++) sg_sketch_add(sketch, b, left, right, when, EVENTS);
}

/* As in learning: the pairs of an event (its source with its partner and with some others), then the event. */
static void learn_bare(void)
{
    for (size_t b = 0; b < sketch->blocks; b++) {
        pass(&sketch->block[b], right, NULL, EVENTS * PAIRS);
        pass_writing(&sketch->block[b], left, NULL, EVENTS);
    }
}

static void learn_events(void)
{
    for (size_t b = 0; b < sketch->blocks; b++)
        for (size_t i = 0; i < EVENTS; i++) {
            const size_t first = i * PAIRS;
            sg_sketch_read_some(sketch, b, source + first, right + first, PAIRS, EVENTS * PAIRS - first, when[i],
                                dots + i % 64 * PAIRS * SG_ORDERS * SG_DOTS);
            sg_sketch_add(sketch, b, source + first, right + first, when + i, 1);
        }
}

/* ---- In the cache -------------------------------------------------------------------------------------- */

/* As many multiplications as additions, six chains of each: enough for two of either in every cycle. */
SG_AVX2 static void cached_bare(void)
{
    const eight one = {1, 2, 3, 4, 5, 6, 7, 8}, almost = one * 0 + 0.999999f;
    eight a = one, b = one, c = one, d = one, e = one, f = one, g = one, h = one, p = one, q = one, r = one,
          s = one;
    for (size_t done = 0; done < (size_t)PAIR_FLOPS * EVENTS; done += 12 * 8) {
        a += one, b += one, c += one, d += one, e += one, f += one;
        g *= almost, h *= almost, p *= almost, q *= almost, r *= almost, s *= almost;
        __asm__("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d), "+x"(e), "+x"(f));
        __asm__("" : "+x"(g), "+x"(h), "+x"(p), "+x"(q), "+x"(r), "+x"(s));
    }
    a += b + c + d + e + f + g + h + p + q + r + s;
    sink = a[0] + a[7];
}

static void cached_read(void)
{
    for (size_t i = 0; i < EVENTS; i += 64)
        sg_sketch_read(small, 0, zero, right, EVENTS - i < 64 ? EVENTS - i : 64, now, out);
}

static void cached_any(void)
{
    const sg_sketch_loops *best = small->loops;
    small->loops = &sg_sketch_any;
    cached_read();
    small->loops = best;
}

/* -------------------------------------------------------------------------------------------------------- */

typedef struct bench {
    const char *name, *unit, *target;
    void (*bare)(void), (*run)(void);
    double bytes; /* of state per unit and block; 0: none */
    double best_bare, best;
    double ratio[MOST_ROUNDS];
} bench;

#define STATE (double)(sizeof(sg_walks) + sizeof(sg_side))

static bench benches[] = {
    {"one source, all nodes", "pair", "at most 1.5", list_bare, list_read, STATE, 0, 0, {0}},
    {"random pairs", "pair", "", random_bare, random_read, 2 * STATE, 0, 0, {0}},
    {"add, random nodes", "event", "", add_bare, add_events, 2 * STATE, 0, 0, {0}},
    {"7 pairs and add", "event", "", learn_bare, learn_events, (PAIRS + 1) * STATE, 0, 0, {0}},
    {"cached, one source", "pair", "", cached_bare, cached_read, 0, 0, 0, {0}},
    {"cached, any processor", "pair", "", cached_bare, cached_any, 0, 0, 0, {0}},
};

enum { BENCHES = sizeof benches / sizeof *benches };

static double seconds(void (*run)(void))
{
    const double begin = bench_now();
    run();
    return bench_now() - begin;
}

static void prepare(void)
{
    sg_sketch_options options = {width, {0, 0.5f, 0.9f}, 1e-6};
    scadyg_error error;
    sg_rng rng;
    sg_rng_seed(&rng, 1, 0);
    const size_t drawn = (size_t)EVENTS * PAIRS;
    uint64_t *keys = sg_alloc(nodes, sizeof *keys);
    everyone = sg_alloc(nodes, sizeof *everyone);
    zero = sg_alloc_zero(nodes, sizeof *zero);
    left = sg_alloc(drawn, sizeof *left);
    right = sg_alloc(drawn, sizeof *right);
    source = sg_alloc(drawn, sizeof *source);
    when = sg_alloc(drawn, sizeof *when);
    dots = sg_alloc_zero((size_t)PIECE * PAIRS * SG_ORDERS * SG_DOTS, sizeof *dots);
    out = sg_alloc_zero(64 * SG_ORDERS * SG_DOTS, sizeof *out);
    if (!keys || !everyone || !zero || !left || !right || !source || !when || !dots || !out) exit(1);
    for (size_t i = 0; i < nodes; i++) {
        keys[i] = sg_hash64(i);
        everyone[i] = (uint32_t)i;
    }
    must(sg_sketch_open(&options, keys, nodes, &sketch, &error), &error);
    options.width = SG_BLOCK;
    must(sg_sketch_open(&options, keys, FEW, &small, &error), &error);
    for (size_t i = 0; i < drawn; i++) {
        left[i] = (uint32_t)sg_rng_below(&rng, i < 64 ? FEW : nodes);
        right[i] = (uint32_t)sg_rng_below(&rng, i < 64 ? FEW : nodes);
        when[i] = 1e9 + (double)i;
    }
    for (size_t i = 0; i < drawn; i++) source[i] = left[i / PAIRS];
    now = 1e9 + 2.0 * (double)drawn;
    sg_sketch_add(small, 0, left, right, when, 64);
    for (size_t b = 0; b < sketch->blocks; b++) { /* everyone has a past */
        sg_sketch_add(sketch, b, everyone, right, when, nodes < drawn ? nodes : drawn);
        sg_sketch_add(sketch, b, left, right, when, drawn);
    }
    for (size_t i = 0; i < drawn; i++) when[i] = now + (double)i;
    now = when[drawn - 1] + 1;
    free(keys);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(bench *b, int rounds)
{
    qsort(b->ratio, (size_t)rounds, sizeof *b->ratio, ascending);
    const int list = b->run == list_read, cached = b->bytes == 0;
    const double blocks = cached ? 1 : (double)sketch->blocks, count = (list ? (double)nodes : EVENTS) * blocks;
    printf("%-24s %-6s %10.1f %10.1f", b->name, b->unit, b->best / count * 1e9, b->best_bare / count * 1e9);
    if (cached)
        printf(" %12.1f GFLOP/s", PAIR_FLOPS * count / b->best / 1e9);
    else
        printf(" %12.1f GB/s   ", b->bytes * count / b->best / 1e9);
    printf(" %8.2f   %s\n", cached ? b->best / b->best_bare : b->ratio[rounds / 2], b->target);
}

/* Bare arithmetic is written for AVX2. */
static int wanted(const bench *b, const char *only)
{
    return strstr(b->name, only) && (b->bytes > 0 || SG_HAS_AVX2());
}

int main(int argc, char **argv)
{
    int rounds = 7;
    const char *only = "";
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--nodes") == 0) nodes = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--width") == 0) width = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--only") == 0) only = argv[i + 1];
        if (strcmp(argv[i], "--rounds") == 0) rounds = atoi(argv[i + 1]);
    }
    if (argc % 2 == 0 || nodes < FEW || nodes > UINT32_MAX || rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "usage: bench_sketch [--nodes N] [--width N] [--rounds N] [--only WORD]\n");
        return 2;
    }
    prepare();
    bench_print_machine();
    printf("walk sketches: %zu nodes, width %zu, %.0f MB; 1 thread; best of %d rounds\n\n", nodes, width,
           (double)sg_sketch_bytes(width, nodes) / 1e6, rounds);
    for (int i = 0; i < BENCHES; i++) benches[i].best = benches[i].best_bare = INFINITY;
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < BENCHES; i++) {
            if (!wanted(&benches[i], only)) continue;
            const double bare = seconds(benches[i].bare), run = seconds(benches[i].run);
            benches[i].best_bare = fmin(benches[i].best_bare, bare);
            benches[i].best = fmin(benches[i].best, run);
            benches[i].ratio[round] = run / bare;
        }
    printf("%-24s %-6s %10s %10s %20s %8s   %s\n", "", "", "ns/block", "bare ns", "rate", "ratio", "target");
    for (int i = 0; i < BENCHES; i++)
        if (wanted(&benches[i], only)) print(&benches[i], rounds);
    return 0;
}
