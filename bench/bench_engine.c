/*
 * How fast the state of the default model follows a log, and how near that is to what memory allows.
 *
 *   bench_engine X.events [--rounds N]
 *
 * Each part of the state is followed through the whole log by itself, on one thread (training and `rank` take the parts side by
 * side). Beside the time stand the cache lines of state that an event touches, counted at the end of the log: every distinct
 * line of 64 bytes that is read or written for one event. The bare loop reads, scales and writes as many lines in a table as
 * large as the state, at random, fetched ahead: what no program that touches so many lines can beat by much.
 */
#include "machine.h"

#include "base/memory.h"
#include "base/rng.h"
#include "events/node_id.h"
#include "messages/pairs/ledger_parts.h"

#include <math.h>

enum { LINE = 64, LAST = 100000, AHEAD = 8 };

typedef struct field {
    scadyg_context *context;
    scadyg_events *events;
    sg_columns columns;
    const uint64_t *keys;
    size_t nodes;
    sg_ledger_options options;
} field;

static void must(int status, const scadyg_error *error)
{
    if (!status) return;
    fprintf(stderr, "bench_engine: %s\n", error->message);
    exit(1);
}

/* ---- Cache lines ---- */

/* Distinct buckets that additions to a list touch. */
static double count_buckets(const sg_links *links, sg_link_place list, const sg_recent *recent, uint32_t node)
{
    unsigned char touched[SG_LINK_BUCKETS] = {0};
    double count = 0;
    for (size_t j = 0; j < SG_RECENT && recent->who[j] != SG_RECENT_NOBODY && list.length; j++) {
        const size_t at =
            (size_t)(sg_links_bucket(links, list, recent->who[j]) - (links->chunk[list.chunk] + list.first));
        if (recent->who[j] != node && !touched[at]++) count++;
    }
    return count;
}

/* Of the latest events, by the state as it is at the end: the lists of items and peers, on average. */
static double count_links(const field *f, const sg_ledger *l)
{
    const uint64_t end = f->columns.count, begin = end > LAST ? end - LAST : 0;
    double lines = 0;
    for (uint64_t e = begin; e < end; e++) {
        const uint32_t src = f->columns.src[e], dst = f->columns.dst[e];
        const sg_role_lists *from = &l->lists[src].out, *to = &l->lists[dst].in;
        lines += count_buckets(l->items, to->links, &from->recent, dst) +
                 count_buckets(l->peers, from->links, &to->recent, src);
    }
    return lines / (double)(end - begin);
}

/* ---- What is measured ---- */

static sg_ledger *open_ledger(const field *f, unsigned without)
{
    scadyg_error error = {0};
    sg_ledger_options options = f->options;
    sg_ledger *ledger;
    options.without = without;
    must(sg_ledger_open(f->context, &options, &f->columns, f->keys, f->nodes, &ledger, &error), &error);
    return ledger;
}

typedef int follow_part(sg_ledger *ledger, uint64_t first, uint64_t end, scadyg_error *error);

/* Processor seconds, the best of some rounds; the memory is touched before. */
static double measure(const field *f, unsigned without, follow_part *follow, int rounds, sg_ledger **kept)
{
    scadyg_error error = {0};
    sg_ledger *ledger = open_ledger(f, without);
    double best = INFINITY;
    for (int i = 0; i <= rounds; i++) {
        sg_ledger_rewind(ledger);
        const double begin = bench_cpu();
        must(follow(ledger, 0, f->columns.count, &error), &error);
        if (i) best = fmin(best, bench_cpu() - begin);
    }
    if (kept)
        *kept = ledger;
    else
        sg_ledger_close(ledger);
    return best;
}

/* Reads, scales and writes `lines` random lines an event. */
static double measure_bare(const field *f, double lines, uint64_t bytes, int rounds)
{
    const uint64_t room = bytes / LINE, steps = (uint64_t)((double)f->columns.count * lines);
    float *table = sg_alloc_aligned(room * (LINE / sizeof(float)), sizeof *table);
    double best = INFINITY;
    if (!table) return NAN;
    for (int round = 0; round <= rounds; round++) {
        const double begin = bench_cpu();
        for (uint64_t i = 0; i < steps; i++) {
            __builtin_prefetch(table + (sg_hash64(i + AHEAD) % room) * (LINE / sizeof(float)), 1);
            float *line = table + (sg_hash64(i) % room) * (LINE / sizeof(float));
            for (size_t k = 0; k < LINE / sizeof(float); k++) line[k] = line[k] * 0.99f + 1;
        }
        if (round) best = fmin(best, bench_cpu() - begin);
    }
    free(table);
    return best;
}

static void print_row(const field *f, const char *name, double lines, double seconds)
{
    const double events = (double)f->columns.count;
    printf("%-34s %6.1f %12.0f %14.2f\n", name, lines, seconds / events * 1e9, events / seconds / 1e6);
}

static void open_field(field *f, const char *path)
{
    scadyg_error error = {0};
    must(scadyg_context_open(&f->context, &error), &error);
    must(scadyg_events_open(path, &f->events, &error), &error);
    must(sg_events_columns(f->context, f->events, 0, 0, &f->columns, &error), &error);
    must(sg_events_keys(f->events, &f->keys, &error), &error);
    f->nodes = (size_t)scadyg_events_shape(f->events)->nodes;
    must(sg_ledger_rates(&f->columns, f->nodes, f->columns.count, &f->options.plan.rates, &error), &error);
    f->options.plan.pair_bytes = 4 * sg_pair_store_bytes_for(f->columns.count, 0);
}

int main(int count, char **arguments)
{
    field f = {0};
    const int rounds = count > 3 && strcmp(arguments[2], "--rounds") == 0 ? atoi(arguments[3]) : 2;
    if (count < 2) {
        fprintf(stderr, "usage: bench_engine X.events [--rounds N]\n");
        return 2;
    }
    bench_print_machine();
    open_field(&f, arguments[1]);
    printf("%llu events, %zu nodes, one thread a part, processor time, best of %d\n\n",
           (unsigned long long)f.columns.count, f.nodes, rounds);
    printf("%-34s %6s %12s %14s\n", "part of the state", "lines", "ns/event", "M events/s");
    sg_ledger *lists;
    /* Records of source, destination and the one before (4); a place and a tally of the pair, and of the transition. */
    const double node_lines = 3, pair_lines = 2, transition_lines = 3, partner_lines = 4, after_lines = 2;
    const double nodes = measure(&f, SG_LEDGER_NO_PAIRS | SG_LEDGER_NO_TRANSITIONS, sg_counts_add, rounds, NULL);
    const double pairs = measure(&f, SG_LEDGER_NO_TRANSITIONS, sg_counts_add, rounds, NULL);
    const double counts = measure(&f, 0, sg_counts_add, rounds, NULL);
    const double partners =
        measure(&f, SG_LEDGER_NO_TOGETHER | SG_LEDGER_NO_TRANSITIONS, sg_lists_add, rounds, NULL);
    const double after = measure(&f, SG_LEDGER_NO_TOGETHER, sg_lists_add, rounds, NULL);
    const double all_lists = measure(&f, 0, sg_lists_add, rounds, &lists);
    const double links = count_links(&f, lists);
    const double lines = node_lines + pair_lines + transition_lines + partner_lines + after_lines;
    const uint64_t bytes = sg_ledger_used(lists) + 3 * sg_pair_store_bytes_for(f.columns.count / 2, 0);
    print_row(&f, "counts of nodes", node_lines, nodes);
    print_row(&f, "counts of pairs", pair_lines, pairs - nodes);
    print_row(&f, "transitions", transition_lines, counts - pairs);
    print_row(&f, "latest partners", partner_lines, partners);
    print_row(&f, "what comes after two", after_lines, after - partners);
    print_row(&f, "all but what came up together", lines, counts + after);
    print_row(&f, "what came up together", links, all_lists - after);
    print_row(&f, "all", lines + links, counts + all_lists);
    print_row(&f, "bare loop, as many lines", lines, measure_bare(&f, lines, bytes, 1));
    print_row(&f, "bare loop, as many lines", lines + links, measure_bare(&f, lines + links, bytes, 1));
    printf("\nlists: %.1f bytes an event; the bare loop's table: %.0f MiB\n",
           (double)(sg_links_bytes(lists->items) + sg_links_bytes(lists->peers)) / (double)f.columns.count,
           (double)bytes / 1048576);
    sg_ledger_close(lists);
    scadyg_events_close(f.events);
    scadyg_context_close(f.context);
    return 0;
}
