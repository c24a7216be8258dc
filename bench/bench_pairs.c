/*
 * The speed of pair messages: adds and finds per second, beside a bare loop.
 *
 *   bench_pairs [--pairs N] [--steps N] [--rounds N]
 *
 * Pairs met in random order are the worst there is: every step waits for memory. The bare loop does the least one could
 * do: it adds to eight numbers in one cache line per step, chosen at random among as many lines as there are pairs, with
 * the numbers of the lines given. Rounds are interleaved and the best of each counts, because other work on the machine
 * only ever slows them down.
 */
#include "machine.h"

#include "base/memory.h"
#include "base/rng.h"
#include "messages/pairs/pair_store.h"

#include <math.h>

enum { BLOCK = 256, MOST_STEPS = 1 << 24 };

typedef struct line {
    float sum[16];
} line;

typedef struct field {
    uint64_t pairs, steps;
    sg_rates rates;
    sg_pair_store *store, *weighted, *bounded;
    line *lines;
    uint32_t *number;                /* [steps]: the line of each step */
    uint32_t *src, *dst;             /* [steps]: the pair of that number */
    uint32_t *other_src, *other_dst; /* [steps]: pairs that never met */
    uint64_t fresh;                  /* pairs that the bounded store has seen */
    double now;
    float sink;
} field;

static void must(int status, const scadyg_error *error)
{
    if (!status) return;
    fprintf(stderr, "bench_pairs: %s\n", error->message);
    exit(1);
}

static void *need(void *block)
{
    if (block) return block;
    fprintf(stderr, "bench_pairs: out of memory\n");
    exit(1);
}

static uint32_t src_of(uint64_t number)
{
    return (uint32_t)sg_hash64(number);
}

static uint32_t dst_of(uint64_t number)
{
    return (uint32_t)(sg_hash64(number) >> 32);
}

static const sg_pair_event once = {.weight = 1};

static double fill(field *f, sg_pair_store *store)
{
    scadyg_error error;
    const double begin = bench_cpu();
    for (uint64_t i = 0; i < f->pairs; i++)
        must(sg_pair_store_add(store, src_of(i), dst_of(i), 1e-6 * (double)i, &once, NULL, &error), &error);
    return bench_cpu() - begin;
}

/* ---- What is measured ------------------------------------------------------------------------------------- */

static void bare(field *f)
{
    for (uint64_t i = 0; i < f->steps; i++)
        for (int k = 0; k < 8; k++) f->lines[f->number[i]].sum[k] += 1;
}

static void add_to(field *f, sg_pair_store *store, int ahead)
{
    scadyg_error error;
    for (uint64_t i = 0; i < f->steps; i++) {
        if (ahead && i % SG_PAIR_GROUP == 0) {
            const uint64_t rest = f->steps - i;
            sg_pair_store_prefetch(store, f->src + i, f->dst + i, rest < SG_PAIR_GROUP ? rest : SG_PAIR_GROUP);
        }
        must(sg_pair_store_add(store, f->src[i], f->dst[i], f->now += 1e-6, &once, NULL, &error), &error);
    }
}

static void add_alone(field *f)
{
    add_to(f, f->store, 0);
}

static void add_ahead(field *f)
{
    add_to(f, f->store, 1);
}

static void add_weighted(field *f)
{
    add_to(f, f->weighted, 1);
}

/* Nothing but new pairs into a store that is full, forgetting included. */
static void add_new(field *f)
{
    scadyg_error error;
    for (uint64_t i = 0; i < f->steps; i++, f->fresh++)
        must(sg_pair_store_add(f->bounded, src_of(f->fresh), dst_of(f->fresh), 1e-6 * (double)f->fresh, &once, NULL,
                               &error),
             &error);
}

static void find_alone(field *f)
{
    for (uint64_t i = 0; i < f->steps; i++) {
        sg_pair_message message;
        if (sg_pair_store_find(f->store, f->src[i], f->dst[i], &message)) f->sink += message.tally->count[0];
    }
}

/* read: with the eight counts as of now. */
static void find_blocks(field *f, const uint32_t *src, const uint32_t *dst, int read)
{
    for (uint64_t i = 0; i < f->steps; i += BLOCK) {
        const size_t count = f->steps - i < BLOCK ? (size_t)(f->steps - i) : BLOCK;
        sg_pair_message messages[BLOCK];
        sg_pair_store_find_many(f->store, src + i, dst + i, count, messages);
        for (size_t j = 0; j < count; j++) {
            float out[SG_RATES] = {0};
            if (!messages[j].tally) continue;
            if (read) sg_tally_read(&f->rates, messages[j].tally, f->now + 1, out);
            f->sink += out[0] + (float)messages[j].tally->times;
        }
    }
}

static void find_many(field *f)
{
    find_blocks(f, f->src, f->dst, 0);
}

static void find_read(field *f)
{
    find_blocks(f, f->src, f->dst, 1);
}

static void find_absent(field *f)
{
    find_blocks(f, f->other_src, f->other_dst, 1);
}

static void decay(field *f)
{
    for (uint64_t i = 0; i < f->steps; i++) {
        float out[SG_RATES];
        sg_rates_decay(&f->rates, (double)f->number[i], out);
        f->sink += out[3];
    }
}

static const struct {
    const char *name;
    void (*run)(field *);
} tasks[] = {
    {"bare loop", bare},
    {"add, one by one", add_alone},
    {"add, prefetched", add_ahead},
    {"add with weights, prefetched", add_weighted},
    {"add new pairs to a full store", add_new},
    {"find, one by one", find_alone},
    {"find many", find_many},
    {"find many and read", find_read},
    {"find many, never met", find_absent},
    {"eight exponentials alone", decay},
};

enum { TASKS = sizeof tasks / sizeof *tasks };

static void set_up(field *f)
{
    scadyg_error error;
    sg_rng rng;
    sg_rng_seed(&rng, 1, 0);
    for (int k = 0; k < SG_RATES; k++) f->rates.rate[k] = exp(-k);
    must(sg_pair_store_open(&f->rates, 0, UINT64_MAX, &f->store, &error), &error);
    must(sg_pair_store_open(&f->rates, 1, UINT64_MAX, &f->weighted, &error), &error);
    must(sg_pair_store_open(&f->rates, 0, sg_pair_store_bytes_for(f->pairs, 0), &f->bounded, &error), &error);
    printf("filled at %.0f ns per pair, first use of memory included\n",
           fill(f, f->store) / (double)f->pairs * 1e9);
    fill(f, f->weighted);
    fill(f, f->bounded);
    f->fresh = f->pairs;
    f->now = 1e-6 * (double)f->pairs;
    f->lines = need(sg_alloc_aligned(f->pairs, sizeof *f->lines));
    uint32_t **columns[] = {&f->number, &f->src, &f->dst, &f->other_src, &f->other_dst};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        *columns[i] = need(sg_alloc_aligned(f->steps, sizeof **columns[i]));
    for (uint64_t i = 0; i < f->steps; i++) {
        const uint64_t number = sg_rng_below(&rng, f->pairs), other = ((uint64_t)1 << 40) + i;
        f->number[i] = (uint32_t)number;
        f->src[i] = src_of(number), f->dst[i] = dst_of(number);
        f->other_src[i] = src_of(other), f->other_dst[i] = dst_of(other);
    }
}

static void tear_down(field *f)
{
    sg_pair_store_close(f->store);
    sg_pair_store_close(f->weighted);
    sg_pair_store_close(f->bounded);
    free(f->lines), free(f->number), free(f->src), free(f->dst), free(f->other_src), free(f->other_dst);
}

static void bench(uint64_t pairs, uint64_t steps, int rounds)
{
    field f = {.pairs = pairs, .steps = steps};
    double best[TASKS];
    printf("\n%.2f M pairs, %.1f M steps; best of %d rounds, processor time\n", (double)pairs / 1e6,
           (double)steps / 1e6, rounds);
    set_up(&f);
    for (int t = 0; t < TASKS; t++) best[t] = INFINITY;
    for (int round = 0; round < rounds; round++)
        for (int t = 0; t < TASKS; t++) {
            const double begin = bench_cpu();
            tasks[t].run(&f);
            best[t] = fmin(best[t], bench_cpu() - begin);
        }
    printf("%.1f bytes per pair, %.1f with weights; %.1f M forgotten by the full store%s\n\n",
           (double)sg_pair_store_bytes(f.store) / (double)pairs,
           (double)sg_pair_store_bytes(f.weighted) / (double)pairs,
           (double)sg_pair_store_forgotten(f.bounded) / 1e6, f.sink == 0 ? "!" : "");
    printf("%-32s %10s %10s %10s\n", "", "M/s", "ns", "of bare");
    for (int t = 0; t < TASKS; t++)
        printf("%-32s %10.1f %10.1f %10.2f\n", tasks[t].name, (double)steps / best[t] / 1e6,
               best[t] / (double)steps * 1e9, best[0] / best[t]);
    tear_down(&f);
}

int main(int argc, char **argv)
{
    uint64_t pairs = 0, steps = 2000000;
    int rounds = 5;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--pairs") == 0) pairs = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--steps") == 0) steps = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--rounds") == 0) rounds = atoi(argv[i + 1]);
    }
    if (argc % 2 == 0 || pairs > UINT32_MAX || steps < 1 || steps > MOST_STEPS || rounds < 1) {
        fprintf(stderr, "usage: bench_pairs [--pairs N] [--steps N] [--rounds N]\n");
        return 2;
    }
    bench_print_machine();
    if (pairs) {
        bench(pairs, steps, rounds);
    } else { /* in the cache, at its edge, far beyond it */
        bench(20000, steps, rounds);
        bench(1000000, steps, rounds);
        bench(10000000, steps, rounds);
    }
    return 0;
}
