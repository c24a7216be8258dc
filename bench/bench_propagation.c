/*
 * The speed of messages: how many events per second the engines add, beside a bare loop.
 *
 *   bench_propagation [--events N] [--nodes N] [--rounds N]   a graph made on the fly, all engines
 *   bench_propagation --file X.events                         opens and propagates a given file
 *
 * The bare loop makes the same memory accesses and no exponentials: it reads both ends and the time of each
 * event and adds one number to the eight of either row, as a vector. Rounds are interleaved and the best of
 * each engine counts, because other work on the machine only ever slows them down.
 */
#include "machine.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/simd.h"
#include "events/writer.h"
#include "messages/nodes/stream.h"
#include "messages/nodes/sums.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));

static scadyg_context *two_threads, *all_threads;

static void must(int status, const scadyg_error *error)
{
    if (!status) return;
    fprintf(stderr, "bench_propagation: %s\n", error->message);
    exit(1);
}

/* ---- The graph: heavy-tailed degrees, nodes numbered in the order of their first appearance ---- */

typedef struct graph {
    uint64_t events, nodes, seen;
    uint32_t *number; /* of each node drawn so far, or UINT32_MAX */
    sg_rng rng;
} graph;

/* Rank nodes * u^2.5: the busiest node takes part in about one event of 200, the 1000th in one of 100,000. */
static uint32_t draw(graph *g)
{
    const double u = sg_rng_unit(&g->rng);
    uint32_t *number = &g->number[(uint64_t)((double)g->nodes * u * u * sqrt(u))];
    if (*number == UINT32_MAX) *number = (uint32_t)g->seen++;
    return *number;
}

static void write_graph(const char *path, uint64_t events, uint64_t nodes)
{
    enum { PIECE = 1 << 16 };
    static uint32_t src[PIECE], dst[PIECE];
    static double time[PIECE];
    scadyg_error error;
    sg_writer writer;
    graph g = {.events = events, .nodes = nodes, .number = malloc(nodes * sizeof *g.number)};
    scadyg_shape shape = {.events = events, .first_time = 1.2e9, .last_time = 1.2e9 + 3.5 * (double)(events - 1)};
    if (!g.number) exit(1);
    memset(g.number, 0xFF, nodes * sizeof *g.number);
    sg_rng_seed(&g.rng, 1, 0);
    must(sg_writer_open(&writer, path, &shape, &error), &error);
    for (uint64_t done = 0; done < events; done += PIECE) {
        const size_t size = events - done < PIECE ? (size_t)(events - done) : PIECE;
        for (size_t i = 0; i < size; i++) {
            src[i] = draw(&g);
            dst[i] = draw(&g);
            time[i] = 1.2e9 + 3.5 * (double)(done + i);
        }
        must(sg_writer_append(&writer, SCADYG_COLUMN_SRC, src, size * 4, &error), &error);
        must(sg_writer_append(&writer, SCADYG_COLUMN_DST, dst, size * 4, &error), &error);
        must(sg_writer_append(&writer, SCADYG_COLUMN_TIME, time, size * 8, &error), &error);
    }
    shape.nodes = g.seen;
    shape.integer_ids = 1;
    int64_t *ids = calloc(g.seen, sizeof *ids);
    if (!ids) exit(1);
    must(sg_writer_begin(&writer, SCADYG_COLUMN_ID_INTEGERS, g.seen * 8, &error), &error);
    must(sg_writer_append(&writer, SCADYG_COLUMN_ID_INTEGERS, ids, g.seen * 8, &error), &error);
    must(sg_writer_commit(&writer, &shape, &error), &error);
    free(ids);
    free(g.number);
}

/* ---- The engines ---- */

typedef struct spent {
    double wall, cpu; /* seconds */
} spent;

static spent start(void)
{
    return (spent){bench_now(), bench_cpu()};
}

static spent stop(spent begin)
{
    return (spent){bench_now() - begin.wall, bench_cpu() - begin.cpu};
}

SG_INLINE void bare_body(float *rows, const sg_source *source, uint64_t events)
{
    const uint32_t *src = source->src, *dst = source->dst;
    const double *time = source->time;
    for (uint64_t i = 0; i < events; i++) {
        const float x = (float)time[i];
        const eight value = {x, x, x, x, x, x, x, x};
        *(eight *)(rows + (size_t)src[i] * 8) += value;
        *(eight *)(rows + (size_t)dst[i] * 8) += value;
    }
}

SG_AVX2 static void bare_avx2(float *rows, const sg_source *source, uint64_t events)
{
    bare_body(rows, source, events);
}

static void bare_any(float *rows, const sg_source *source, uint64_t events)
{
    bare_body(rows, source, events);
}

static spent run_bare(const scadyg_messages *plan)
{
    float *rows = sg_alloc_aligned((size_t)plan->nodes * 8, sizeof *rows);
    const sg_source source = sg_plan_source(plan);
    if (!rows) exit(1);
    spent begin = start();
    (SG_HAS_AVX2() ? bare_avx2 : bare_any)(rows, &source, plan->columns.count);
    spent time = stop(begin);
    free(rows);
    return time;
}

/* The batch engine alone, on sums that stand ready like the rows of the bare loop. */
static spent run_batch(const scadyg_messages *plan, scadyg_context *context)
{
    const sg_source source = sg_plan_source(plan);
    scadyg_error error;
    sg_sums sums;
    sg_sums_init(&sums, plan);
    sg_sums_fix(&sums, plan->columns.time[plan->columns.count - 1] + 1);
    must(sg_sums_reserve(&sums, (size_t)plan->nodes, &error), &error);
    spent begin = start();
    must(sg_sums_add(context, &sums, &source, 0, plan->columns.count, NULL, NULL, &error), &error);
    spent time = stop(begin);
    sg_sums_free(&sums);
    return time;
}

static spent run_batch_1(scadyg_messages *plan)
{
    return run_batch(plan, NULL);
}

static spent run_batch_2(scadyg_messages *plan)
{
    return run_batch(plan, two_threads);
}

/* The whole public call on all threads: memory, propagation, and the messages of all nodes as doubles. */
static spent run_call(scadyg_messages *plan)
{
    scadyg_error error;
    double *out = malloc((size_t)plan->nodes * 8 * sizeof *out);
    if (!out) exit(1);
    spent begin = start();
    must(scadyg_messages_at(plan, plan->columns.time[plan->columns.count - 1] + 1, NULL, (size_t)plan->nodes, out,
                            &error),
         &error);
    spent time = stop(begin);
    free(out);
    return time;
}

static spent run_stream(scadyg_messages *plan)
{
    scadyg_error error;
    scadyg_stream *stream;
    must(scadyg_stream_open(plan, &stream, &error), &error);
    spent begin = start();
    must(scadyg_stream_add_events(stream, plan->events, 0, plan->columns.count, &error), &error);
    spent time = stop(begin);
    scadyg_stream_close(stream);
    return time;
}

static spent run_one_by_one(scadyg_messages *plan)
{
    scadyg_error error;
    scadyg_stream *stream;
    const sg_columns *columns = &plan->columns;
    must(scadyg_stream_open(plan, &stream, &error), &error);
    spent begin = start();
    for (uint64_t i = 0; i < columns->count; i++)
        must(scadyg_stream_add(stream, columns->src[i], columns->dst[i], columns->time[i], NULL, 1, &error),
             &error);
    spent time = stop(begin);
    scadyg_stream_close(stream);
    return time;
}

static spent run_bare_plan(scadyg_messages *plan)
{
    return run_bare(plan);
}

static const struct {
    const char *name;
    spent (*run)(scadyg_messages *plan);
    const char *target;
} engines[] = {
    {"bare loop, 1 thread", run_bare_plan, "1"},
    {"batch, 1 thread", run_batch_1, "at least 0.7"},
    {"batch, 2 threads", run_batch_2, "at least 1.05; 1.5 wanted"},
    {"streaming, in bulk", run_stream, "at least 0.5"},
    {"streaming, one by one", run_one_by_one, ""},
    {"whole call, all threads", run_call, ""},
};

enum { ENGINES = sizeof engines / sizeof *engines };

static scadyg_messages *open_plan(scadyg_context *context, scadyg_events *events)
{
    scadyg_messages *plan;
    scadyg_error error;
    must(scadyg_messages_open(context, events, NULL, &plan, &error), &error);
    return plan;
}

static void bench_engines(uint64_t events, uint64_t nodes, int rounds)
{
    char path[] = "/dev/shm/scadyg-bench-XXXXXX", other[] = "/tmp/scadyg-bench-XXXXXX", *name = path;
    int fd = mkstemp(path);
    if (fd < 0) fd = mkstemp(name = other);
    if (fd < 0) exit(1);
    close(fd);
    scadyg_events *file;
    scadyg_error error;
    write_graph(name, events, nodes);
    int status = scadyg_events_open(name, &file, &error);
    unlink(name);
    must(status, &error);
    scadyg_messages *plan = open_plan(all_threads, file);
    bench_print_machine();
    printf("propagation: %.1f M events, %.2f M nodes, 8 columns in float; best of %d rounds\n\n",
           (double)events / 1e6, (double)plan->nodes / 1e6, rounds);
    spent best[ENGINES];
    for (int e = 0; e < ENGINES; e++) best[e] = (spent){INFINITY, INFINITY};
    for (int round = 0; round < rounds; round++)
        for (int e = 0; e < ENGINES; e++) {
            const spent time = engines[e].run(plan);
            best[e] = (spent){fmin(best[e].wall, time.wall), fmin(best[e].cpu, time.cpu)};
        }
    printf("%-26s %12s %10s %14s %10s   %s\n", "engine", "M events/s", "ns/event", "cpu ns/event", "of bare",
           "target");
    for (int e = 0; e < ENGINES; e++)
        printf("%-26s %12.1f %10.2f %14.2f %10.2f   %s\n", engines[e].name, (double)events / best[e].wall / 1e6,
               best[e].wall / (double)events * 1e9, best[e].cpu / (double)events * 1e9, best[0].wall / best[e].wall,
               engines[e].target);
    printf("%-26s %12s %10s %14s %10.2f   at least 1.5\n", "2 threads over 1 thread", "", "", "",
           best[1].wall / best[2].wall);
    scadyg_messages_close(plan);
    scadyg_events_close(file);
}

/* ---- A given file: cost per event and memory beyond the page cache ---- */

static atomic_int watching;
static double most_anonymous;

static void *watch(void *unused)
{
    (void)unused;
    while (atomic_load(&watching)) {
        most_anonymous = fmax(most_anonymous, bench_memory("RssAnon"));
        usleep(5000);
    }
    return NULL;
}

static void bench_file(const char *path)
{
    scadyg_events *events;
    scadyg_error error;
    pthread_t watcher;
    atomic_store(&watching, 1);
    if (pthread_create(&watcher, NULL, watch, NULL)) exit(1);
    double begin = bench_now();
    must(scadyg_events_open(path, &events, &error), &error);
    double opened = bench_now();
    scadyg_messages *plan = open_plan(all_threads, events);
    double planned = bench_now();
    const size_t nodes = (size_t)plan->nodes, width = plan->width;
    const double count = (double)plan->columns.count;
    double *out = malloc(nodes * width * sizeof *out);
    if (!out) exit(1);
    double start = bench_now();
    must(scadyg_messages_at(plan, plan->columns.time[plan->columns.count - 1] + 1, NULL, nodes, out, &error),
         &error);
    double end = bench_now();
    atomic_store(&watching, 0);
    pthread_join(watcher, NULL);
    bench_print_machine();
    printf("%s: %.1f M events, %.2f M nodes, %zu columns in float, %zu threads\n\n", path, count / 1e6,
           (double)nodes / 1e6, width, sg_context_threads(all_threads));
    printf("open                       %10.6f s\n", opened - begin);
    printf("verify (first use)         %10.3f s   %8.2f ns/event\n", planned - opened,
           (planned - opened) / count * 1e9);
    printf("propagate                  %10.3f s   %8.2f ns/event   %.1f M events/s\n", end - start,
           (end - start) / count * 1e9, count / (end - start) / 1e6);
    printf("open, verify, propagate    %10.3f s   %8.2f ns/event\n", end - start + planned - begin,
           (end - start + planned - begin) / count * 1e9);
    printf("memory beyond page cache   %10.1f MiB at most (VmHWM with the mapped file: %.1f MiB)\n", most_anonymous,
           bench_memory("VmHWM"));
    free(out);
    scadyg_messages_close(plan);
    scadyg_events_close(events);
}

int main(int argc, char **argv)
{
    uint64_t events = 63500000, nodes = 2600000;
    int rounds = 5;
    const char *file = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--events") == 0) events = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--nodes") == 0) nodes = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--rounds") == 0) rounds = atoi(argv[i + 1]);
        if (strcmp(argv[i], "--file") == 0) file = argv[i + 1];
    }
    if (argc % 2 == 0 || events < 1 || nodes < 1 || nodes > UINT32_MAX - 1 || rounds < 1) {
        fprintf(stderr, "usage: bench_propagation [--events N] [--nodes N] [--rounds N] | --file X.events\n");
        return 2;
    }
    scadyg_error error;
    must(scadyg_context_open(&two_threads, &error), &error);
    must(scadyg_context_open(&all_threads, &error), &error);
    scadyg_context_set_threads(two_threads, 2);
    if (file)
        bench_file(file);
    else
        bench_engines(events, nodes, rounds);
    scadyg_context_close(two_threads);
    scadyg_context_close(all_threads);
    return 0;
}
