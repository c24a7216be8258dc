/*
 * How fast the state of the default model follows a log, and how near that is to what memory allows.
 *
 *   bench_engine X.events [--rounds N] [--memory MIB] [--whole] [--own] [--vectors] [--json]
 *
 * Rows, each the best of some rounds, in which everything is measured in turn:
 *   - plain C that reads the log once, the floor of a pass;
 *   - the bare loop, which reads, scales and writes random lines of a table, fetched ahead, at the state's lines an event and size
 *     and (not with --own) at 24 and 12 lines in .2 and 4 GiB: what no program that touches so many lines can beat by much;
 *   - the state followed through the log, whole on one thread and on two (counts on one, lists on the other, as training and `rank`
 *     do), and part by part on one thread (not with --whole); with --vectors these too, apart.
 * Time is processor time of the thread that has most of it: on a free machine that is the time by the clock. Lines are those of 64
 * bytes of state that an event touches, counted over the last events. --memory bounds the stores of pairs; without it nothing is
 * forgotten.
 */
#include "machine.h"

#include "base/memory.h"
#include "events/node_id.h"
#include "messages/pairs/ledger_parts.h"

#include <math.h>
#include <pthread.h>

enum { LINE = 64, FLOATS = LINE / sizeof(float), LAST = 100000, AHEAD = 64, THREADS = 2, ROWS = 32 };
#define GIB ((double)(1u << 30))
#define BARE_EVENTS 1000000u /* a bare loop goes on for at most so many events */

typedef struct row {
    const char *name;
    double lines, gib; /* of the table, or of the state, or of the columns read */
    int threads;
    double ns; /* an event */
} row;

typedef struct field {
    scadyg_context *context;
    scadyg_events *events;
    sg_columns columns;
    const uint64_t *keys;
    size_t nodes;
    sg_ledger_options options;
    int rounds, whole, own, vectors, json;
    row rows[ROWS];
    size_t count;
} field;

static void must(int status, const scadyg_error *error)
{
    if (!status) return;
    fprintf(stderr, "bench_engine: %s\n", error->message);
    exit(1);
}

static void *must_have(void *memory)
{
    if (!memory) fprintf(stderr, "bench_engine: out of memory\n");
    if (!memory) exit(1);
    return memory;
}

static size_t add_row(field *f, const char *name, double lines, double gib, int threads)
{
    f->rows[f->count] = (row){name, lines, gib, threads, INFINITY};
    return f->count++;
}

static void keep_best(field *f, size_t at, double seconds, double events)
{
    f->rows[at].ns = fmin(f->rows[at].ns, seconds / events * 1e9);
}

/* ---- Threads, each with its own clock ---- */

typedef struct job {
    void (*body)(struct job *job);
    int number; /* of the thread */
    double seconds;
    /* of a bare loop */
    float *table;
    uint64_t room, steps;
    /* of the state */
    sg_ledger *ledger;
    uint64_t events;
} job;

static void *run_job(void *data)
{
    job *j = data;
    const double begin = bench_clock(CLOCK_THREAD_CPUTIME_ID);
    j->body(j);
    j->seconds = bench_clock(CLOCK_THREAD_CPUTIME_ID) - begin;
    return NULL;
}

/* Processor seconds of the thread that takes longest. */
static double run_jobs(job *jobs, int count)
{
    pthread_t thread[THREADS];
    double most = 0;
    for (int i = 0; i < count; i++)
        if (pthread_create(&thread[i], NULL, run_job, &jobs[i])) exit(1);
    for (int i = 0; i < count; i++) {
        (void)pthread_join(thread[i], NULL);
        most = fmax(most, jobs[i].seconds);
    }
    return most;
}

/* ---- The limits ---- */

typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));

/* The i-th random line: its address costs two multiplications, less than anything else here. */
static inline float *line_at(const job *j, uint64_t i)
{
    uint64_t x = (i + ((uint64_t)j->number << 48)) * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return j->table + (uint64_t)((unsigned __int128)x * j->room >> 64) * FLOATS;
}

SG_INLINE void scale_line(float *line)
{
    for (size_t k = 0; k < FLOATS; k += 8) *(eight *)(line + k) = *(eight *)(line + k) * 0.99f + 1.0f;
}

static void scale_random(job *j)
{
    for (uint64_t i = 0; i < j->steps; i++) {
        __builtin_prefetch(line_at(j, i + AHEAD), 1);
        scale_line(line_at(j, i));
    }
}

static void scale_in_order(job *j)
{
    const uint64_t each = j->room / THREADS;
    for (uint64_t i = 0; i < each; i++) scale_line(j->table + ((uint64_t)j->number * each + i) * FLOATS);
}

static double measure_bare(field *f, size_t at, float *table, uint64_t room)
{
    const row *r = &f->rows[at];
    const uint64_t events = f->columns.count < BARE_EVENTS ? f->columns.count : BARE_EVENTS;
    job jobs[THREADS];
    for (int i = 0; i < r->threads; i++)
        jobs[i] = (job){.body = scale_random,
                        .number = i,
                        .table = table,
                        .room = room,
                        .steps = (uint64_t)((double)events * r->lines / r->threads)};
    const double seconds = run_jobs(jobs, r->threads);
    keep_best(f, at, seconds, (double)events);
    return seconds;
}

/* Bytes read and written a second by two threads that go through the table in order. */
static double measure_bandwidth(float *table, uint64_t room)
{
    job jobs[THREADS];
    for (int i = 0; i < THREADS; i++)
        jobs[i] = (job){.body = scale_in_order, .number = i, .table = table, .room = room};
    return 2.0 * LINE * (double)(room / THREADS * THREADS) / run_jobs(jobs, THREADS);
}

/* Loops in tables of given sizes, before there is a state that needs the memory. */
static void measure_tables(field *f)
{
    static const double gib[2] = {.2, 4}, lines[2] = {24, 12};
    for (int size = 0; size < 2; size++) {
        const uint64_t room = (uint64_t)(gib[size] * GIB) / LINE;
        float *table = must_have(sg_alloc_aligned(room * FLOATS, sizeof *table));
        const size_t first = f->count;
        for (int k = 0; k < 2; k++)
            for (int threads = 1; threads <= THREADS; threads++)
                (void)add_row(f, "bare loop", lines[k], gib[size], threads);
        for (int round = 0; round < f->rounds; round++)
            for (size_t at = first; at < f->count; at++) (void)measure_bare(f, at, table, room);
        free(table);
    }
}

static void measure_reading(field *f, size_t at)
{
    const sg_columns *c = &f->columns;
    const double begin = bench_cpu();
    uint64_t sum = 0;
    double time = 0;
    for (uint64_t e = 0; e < c->count; e++) {
        sum += c->src[e] ^ c->dst[e];
        time += c->time[e];
    }
    __asm__ volatile("" ::"r"(sum), "x"(time));
    keep_best(f, at, bench_cpu() - begin, (double)c->count);
}

/* ---- Cache lines ---- */

/* Distinct buckets that additions to a list touch. */
static double count_buckets(sg_link_place list, const sg_recent *recent, uint32_t node)
{
    unsigned char touched[SG_LINK_BUCKETS] = {0};
    double count = 0;
    for (size_t j = 0; j < SG_RECENT && recent->who[j] != SG_RECENT_NOBODY && list.length; j++)
        if (recent->who[j] != node && !touched[sg_links_hash(recent->who[j], list.length)]++) count++;
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
        lines += count_buckets(to->links, &from->recent, dst) + count_buckets(from->links, &to->recent, src);
    }
    return lines / (double)(end - begin);
}

/* Of what comes after two: one, and where there are many successors another. */
static double count_after_two(const field *f, const sg_ledger *l)
{
    const uint64_t end = f->columns.count, begin = end > LAST ? end - LAST : 0;
    double lines = 0;
    for (uint64_t e = begin; e < end; e++) {
        const sg_node_record *u = &l->record[f->columns.src[e]];
        const sg_successor_line *line = sg_successors_line(l->successors, u->earlier, u->previous);
        lines += 1 + (line->all > 0 && line->who[SG_SUCCESSORS_FIRST - 1] != UINT32_MAX);
    }
    return lines / (double)(end - begin);
}

/* Of vectors: a half of four lines of each destination of the past and of those that are told apart, its square, where it is; the
 * past itself. */
static double count_vectors(const field *f, const sg_ledger *l)
{
    enum { HALF = SG_VECTOR * (int)sizeof(float) / LINE, TOLD_APART = 21, PAST = 2, PLACES = 3 };
    const uint64_t end = f->columns.count, begin = end > LAST ? end - LAST : 0;
    double lines = 0;
    for (uint64_t e = begin; e < end; e++) {
        const sg_vector_past *past = sg_vectors_past(l->vectors, f->columns.src[e]);
        size_t length = 0;
        while (length < SG_VECTOR_PAST && past->who[length] != UINT32_MAX) length++;
        lines += (double)length * (HALF + 2) + TOLD_APART * (HALF + 1) + PAST + PLACES;
    }
    return lines / (double)(end - begin);
}

/* ---- The state ---- */

static sg_ledger *open_ledger(const field *f, unsigned without, int vectors)
{
    scadyg_error error = {0};
    sg_ledger_options options = f->options;
    sg_ledger *ledger;
    options.without = without;
    options.vectors = vectors;
    options.plan.vectors = f->nodes;
    must(sg_ledger_open(f->context, &options, &f->columns, f->keys, f->nodes, &ledger, &error), &error);
    return ledger;
}

static void follow_counts(job *j)
{
    scadyg_error error = {0};
    must(sg_counts_add(j->ledger, 0, j->events, &error), &error);
}

static void follow_lists(job *j)
{
    scadyg_error error = {0};
    must(sg_lists_add(j->ledger, 0, j->events, &error), &error);
}

static void follow_vectors(job *j)
{
    scadyg_error error = {0};
    must(sg_vectors_add(j->ledger->vectors, 0, j->events, &error), &error);
}

/* Both on a thread each; seconds of the longer, and *sum of both. */
static double follow_whole(const field *f, sg_ledger *ledger, double *sum)
{
    job jobs[THREADS] = {{.body = follow_counts, .ledger = ledger, .events = f->columns.count},
                         {.body = follow_lists, .ledger = ledger, .events = f->columns.count}};
    sg_ledger_rewind(ledger);
    const double longest = run_jobs(jobs, THREADS);
    *sum = jobs[0].seconds + jobs[1].seconds;
    return longest;
}

/* Each in a state without the parts that follow it in the list, so that a part is the difference to the one before. */
typedef struct part {
    const char *name;
    unsigned without;
    void (*body)(job *job);
    double lines;
} part;

static void measure_parts(field *f, const part *parts, size_t count)
{
    double before = 0;
    for (size_t i = 0; i < count; i++) {
        sg_ledger *ledger = open_ledger(f, parts[i].without, parts[i].body == follow_vectors);
        const size_t at = add_row(f, parts[i].name, parts[i].lines, 0, 1);
        job one = {.body = parts[i].body, .ledger = ledger, .events = f->columns.count};
        for (int round = 0; round <= f->rounds; round++) {
            sg_ledger_rewind(ledger);
            const double seconds = run_jobs(&one, 1);
            if (round) keep_best(f, at, seconds, (double)f->columns.count);
        }
        if (parts[i].body == follow_vectors) f->rows[at].lines = count_vectors(f, ledger);
        const double all = f->rows[at].ns;
        f->rows[at].ns -= i && parts[i - 1].body == parts[i].body ? before : 0;
        before = all;
        sg_ledger_close(ledger);
    }
}

/* ---- What is said of it ---- */

static void print_rows(const field *f)
{
    printf("%-38s %6s %6s %7s %9s %11s\n", "", "lines", "GiB", "threads", "ns/event", "M events/s");
    for (size_t i = 0; i < f->count; i++) {
        const row *r = &f->rows[i];
        printf("%-38s %6.1f %6.2f %7d %9.1f %11.2f\n", r->name, r->lines, r->gib, r->threads, r->ns, 1e3 / r->ns);
    }
}

static void print_json_rows(const field *f)
{
    printf(" \"rows\": [\n");
    for (size_t i = 0; i < f->count; i++) {
        const row *r = &f->rows[i];
        printf("  {\"name\": \"%s\", \"lines\": %.2f, \"gib\": %.6f, \"threads\": %d, \"ns\": %.2f, "
               "\"events_per_second\": "
               "%.0f}%s\n",
               r->name, r->lines, r->gib, r->threads, r->ns, 1e9 / r->ns, i + 1 < f->count ? "," : "");
    }
    printf(" ],\n");
}

static void print_all(const field *f, const row *bare, const row *whole, double bandwidth)
{
    const double rate = 1e9 / whole[1].ns, bytes = whole[1].lines * LINE, traffic = 2 * bytes * rate / bandwidth;
    if (f->json) {
        printf("{\"events\": %llu, \"nodes\": %zu, \"rounds\": %d,\n", (unsigned long long)f->columns.count,
               f->nodes, f->rounds);
        print_json_rows(f);
        printf(" \"ratio_one_thread\": %.3f, \"ratio_two_threads\": %.3f, \"lines\": %.2f, \"bytes\": %.0f,\n"
               " \"bandwidth\": %.4g, \"bandwidth_share\": %.3f, \"random_lines_per_second\": %.4g}\n",
               bare[0].ns / whole[0].ns, bare[1].ns / whole[1].ns, whole[1].lines, bytes, bandwidth, traffic,
               bare[1].lines * 1e9 / bare[1].ns);
        return;
    }
    bench_print_machine();
    printf("%llu events, %zu nodes; processor time of the busiest thread, best of %d\n\n",
           (unsigned long long)f->columns.count, f->nodes, f->rounds);
    print_rows(f);
    printf("\nfollowing the whole state, of the bare loop with as many lines in a table of its size: %.2f on one "
           "thread, %.2f "
           "on two\n",
           bare[0].ns / whole[0].ns, bare[1].ns / whole[1].ns);
    printf("an event touches %.0f bytes of state; read and written, %.2f of the %.1f GB/s that two threads have in "
           "order\n",
           bytes, traffic, bandwidth / 1e9);
    printf("random lines a second, two threads: %.0f M in the bare loop, %.0f M in following\n",
           bare[1].lines * 1e3 / bare[1].ns, whole[1].lines * 1e3 / whole[1].ns);
}

static void open_field(field *f, const char *path, uint64_t bytes)
{
    scadyg_error error = {0};
    must(scadyg_context_open(&f->context, &error), &error);
    must(scadyg_events_open(path, &f->events, &error), &error);
    must(sg_events_columns(f->context, f->events, 0, 0, &f->columns, &error), &error);
    must(sg_events_keys(f->events, &f->keys, &error), &error);
    f->nodes = (size_t)scadyg_events_shape(f->events)->nodes;
    must(sg_ledger_rates(&f->columns, f->nodes, f->columns.count, &f->options.plan.rates, &error), &error);
    f->options.plan.pair_bytes = bytes ? bytes : 4 * sg_pair_store_bytes_for(f->columns.count, 0);
}

static void measure_all(field *f)
{
    enum { BARE, WHOLE = BARE + THREADS };
    const double node_lines = 3, pair_lines = 2, transition_lines = 3, partner_lines = 4;
    const double bytes = (double)f->columns.count * (2 * sizeof *f->columns.src + sizeof *f->columns.time);
    const size_t reading = add_row(f, "reading the log once", 0, bytes / GIB, 1);
    double sum, bandwidth = 0;
    if (!f->own) measure_tables(f);
    sg_ledger *ledger = open_ledger(f, 0, 0);
    (void)follow_whole(f, ledger, &sum); /* touches the memory */
    const double links = count_links(f, ledger), after = count_after_two(f, ledger);
    const double lines = node_lines + pair_lines + transition_lines + partner_lines + after + links;
    const uint64_t room = sg_ledger_used(ledger) / LINE;
    float *table = must_have(sg_alloc_aligned(room * FLOATS, sizeof *table));
    const size_t first = f->count;
    for (int threads = 1; threads <= THREADS; threads++)
        (void)add_row(f, "bare loop, as large as the state", lines, (double)room * LINE / GIB, threads);
    for (int threads = 1; threads <= THREADS; threads++)
        (void)add_row(f, "following the whole state", lines, (double)room * LINE / GIB, threads);
    for (int round = 0; round < f->rounds; round++) {
        measure_reading(f, reading);
        for (size_t i = 0; i < THREADS; i++) (void)measure_bare(f, first + BARE + i, table, room);
        bandwidth = fmax(bandwidth, measure_bandwidth(table, room));
        keep_best(f, first + WHOLE + 1, follow_whole(f, ledger, &sum), (double)f->columns.count);
        keep_best(f, first + WHOLE, sum, (double)f->columns.count);
    }
    free(table);
    sg_ledger_close(ledger);
    const part parts[] = {
        {"counts of nodes", SG_LEDGER_NO_PAIRS | SG_LEDGER_NO_TRANSITIONS, follow_counts, node_lines},
        {"counts of pairs", SG_LEDGER_NO_TRANSITIONS, follow_counts, pair_lines},
        {"transitions, after one and two", 0, follow_counts, transition_lines + after},
        {"latest partners", SG_LEDGER_NO_TOGETHER, follow_lists, partner_lines},
        {"what came up together", 0, follow_lists, links},
        {"vectors of destinations, apart", 0, follow_vectors, 0},
    };
    if (!f->whole) measure_parts(f, parts, f->vectors ? 6 : 5);
    print_all(f, &f->rows[first + BARE], &f->rows[first + WHOLE], bandwidth);
}

static int read_options(field *f, int count, char **arguments, uint64_t *bytes)
{
    f->rounds = 3;
    for (int i = 2; i < count; i++) {
        if (strcmp(arguments[i], "--rounds") == 0 && i + 1 < count)
            f->rounds = atoi(arguments[++i]);
        else if (strcmp(arguments[i], "--memory") == 0 && i + 1 < count)
            *bytes = strtoull(arguments[++i], NULL, 10) << 20;
        else if (strcmp(arguments[i], "--whole") == 0)
            f->whole = 1;
        else if (strcmp(arguments[i], "--own") == 0)
            f->own = 1;
        else if (strcmp(arguments[i], "--vectors") == 0)
            f->vectors = 1;
        else if (strcmp(arguments[i], "--json") == 0)
            f->json = 1;
        else
            return -1;
    }
    return count < 2 || f->rounds < 1 ? -1 : 0;
}

int main(int count, char **arguments)
{
    static field f;
    uint64_t bytes = 0;
    if (read_options(&f, count, arguments, &bytes)) {
        fprintf(
            stderr,
            "usage: bench_engine X.events [--rounds N] [--memory MIB] [--whole] [--own] [--vectors] [--json]\n");
        return 2;
    }
    open_field(&f, arguments[1], bytes);
    measure_all(&f);
    scadyg_events_close(f.events);
    scadyg_context_close(f.context);
    return 0;
}
