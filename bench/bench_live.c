/*
 * A live state of any size: how fast it takes in events, how long a snapshot and its restoring take, and what those who ask
 * notice of it.
 *
 *   bench_live M.scadyg [--nodes N] [--events N] [--pairs BYTES] [--path FILE] [--threads N]
 *
 * M is a model scadyg for links, not stepwise. Events are between random nodes, so nearly every one is a new pair. --pairs takes the
 * place of the bound in the model, which was made for its own log. Seconds by the clock, and of the processor in brackets.
 */
#include "machine.h"

#include "base/rng.h"
#include "models/scadyg/scadyg.h"
#include "scadyg_live.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { BATCH = 4096, MEANWHILE = 5 * BATCH };

typedef struct bench {
    scadyg_context *context;
    scadyg_model *model;
    scadyg_live *live;
    uint64_t nodes, events, next;
    const char *path;
    char text[2 * BATCH][24];
    const char *src[BATCH], *dst[BATCH];
    double time[BATCH];
    float weight[BATCH];
} bench;

static void must(int status, const scadyg_error *error)
{
    if (!status) return;
    fprintf(stderr, "bench_live: %s\n", error->message);
    exit(1);
}

static void observe(bench *b, uint64_t count)
{
    scadyg_error error = {0};
    for (uint64_t end = b->next + count; b->next < end;) {
        const size_t some = end - b->next < BATCH ? (size_t)(end - b->next) : BATCH;
        for (size_t i = 0; i < some; i++) {
            const uint64_t e = b->next + i;
            /* Every node comes once before any comes by chance. */
            const uint64_t from = e < b->nodes / 2 ? 2 * e : sg_hash3(1, 2, e) % b->nodes;
            const uint64_t to = e < b->nodes / 2 ? 2 * e + 1 : sg_hash3(1, 3, e) % b->nodes;
            snprintf(b->text[2 * i], sizeof b->text[0], "%llu", (unsigned long long)from);
            snprintf(b->text[2 * i + 1], sizeof b->text[0], "%llu", (unsigned long long)to);
            b->src[i] = b->text[2 * i];
            b->dst[i] = b->text[2 * i + 1];
            b->time[i] = 1e9 + (double)e;
            b->weight[i] = 1;
        }
        const scadyg_live_events events = {.size = sizeof events,
                                           .count = some,
                                           .src = b->src,
                                           .dst = b->dst,
                                           .time = b->time,
                                           .weight = b->weight};
        must(scadyg_live_observe(b->live, &events, NULL, &error), &error);
        b->next += some;
    }
}

static double ask(bench *b)
{
    enum { PAIRS = 1000 };
    static uint32_t src[PAIRS], dst[PAIRS];
    static double score[PAIRS];
    scadyg_error error = {0};
    const double begin = bench_now();
    for (uint32_t i = 0; i < PAIRS; i++) {
        src[i] = (uint32_t)(sg_hash3(4, 5, i) % b->nodes);
        dst[i] = (uint32_t)(sg_hash3(4, 6, i) % b->nodes);
    }
    must(scadyg_live_score(b->live, src, dst, PAIRS, NAN, score, &error), &error);
    return bench_now() - begin;
}

static void print_row(const char *what, double begin, double cpu, const char *more)
{
    printf("%-44s %9.2f s (%.2f) %s\n", what, bench_now() - begin, bench_cpu() - cpu, more);
    fflush(stdout);
}

static double gigabytes(const char *path)
{
    struct stat facts;
    return stat(path, &facts) ? NAN : 1e-9 * (double)facts.st_size;
}

static void run(bench *b)
{
    scadyg_error error = {0};
    char more[128];
    double begin = bench_now(), cpu = bench_cpu(), slowest = 0;
    must(scadyg_live_open(b->context, b->model, NULL, &b->live, &error), &error);
    observe(b, b->events);
    snprintf(more, sizeof more, "%.2f M events/s, text ids looked up",
             1e-6 * (double)b->events / (bench_now() - begin));
    print_row("observe", begin, cpu, more);
    scadyg_live_info info = {.size = sizeof info};
    scadyg_live_look(b->live, &info);
    printf("%-44s %llu nodes, %llu events, %.2f GB\n", "state", (unsigned long long)info.nodes,
           (unsigned long long)info.events, 1e-9 * (double)info.bytes);
    printf("%-44s %9.4f s\n", "1,000 pairs scored", ask(b));
    begin = bench_now(), cpu = bench_cpu();
    must(scadyg_live_snapshot(b->live, b->path, &error), &error);
    snprintf(more, sizeof more, "%.2f GB", gigabytes(b->path));
    print_row("snapshot, nothing observed meanwhile", begin, cpu, more);
    begin = bench_now(), cpu = bench_cpu();
    must(scadyg_live_snapshot_start(b->live, b->path, &error), &error);
    print_row("snapshot in the background: beginning", begin, cpu, "");
    begin = bench_now(), cpu = bench_cpu();
    uint64_t meanwhile = 0;
    for (int done = 0; !done; usleep(1000)) {
        /* Some: every page that changes takes memory twice until it is written. */
        if (meanwhile < MEANWHILE) observe(b, BATCH), meanwhile += BATCH;
        slowest = fmax(slowest, ask(b));
        must(scadyg_live_snapshot_finish(b->live, 0, &done, &error), &error);
    }
    snprintf(more, sizeof more, "%llu events observed meanwhile, the slowest 1,000 scores took %.3f s",
             (unsigned long long)meanwhile, slowest);
    print_row("  until it is written", begin, cpu, more);
    scadyg_live_close(b->live);
    begin = bench_now(), cpu = bench_cpu();
    must(scadyg_live_restore(b->context, b->model, b->path, &b->live, &error), &error);
    print_row("restored", begin, cpu, "");
    printf("%-44s %9.4f s\n", "1,000 pairs scored, the first", ask(b));
    begin = bench_now(), cpu = bench_cpu();
    observe(b, 100000);
    print_row("100,000 events more", begin, cpu, "");
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%-44s %.2f GB\n", "most memory", 1e-6 * (double)usage.ru_maxrss);
    scadyg_live_close(b->live);
    unlink(b->path);
}

static int usage(void)
{
    fprintf(stderr,
            "usage: bench_live M.scadyg [--nodes N] [--events N] [--pairs BYTES] [--path FILE] [--threads N]\n");
    return 2;
}

int main(int argc, char **argv)
{
    static bench b = {.nodes = 1000000, .events = 5000000, .path = "bench_live.state"};
    double pairs = 0;
    int threads = 0;
    if (argc < 2) return usage();
    for (int i = 2; i < argc; i += 2) {
        if (i + 1 == argc) return usage();
        if (strcmp(argv[i], "--nodes") == 0)
            b.nodes = (uint64_t)atof(argv[i + 1]);
        else if (strcmp(argv[i], "--events") == 0)
            b.events = (uint64_t)atof(argv[i + 1]);
        else if (strcmp(argv[i], "--pairs") == 0)
            pairs = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--path") == 0)
            b.path = argv[i + 1];
        else if (strcmp(argv[i], "--threads") == 0)
            threads = atoi(argv[i + 1]);
        else
            return usage();
    }
    scadyg_error error = {0};
    must(scadyg_context_open(&b.context, &error), &error);
    scadyg_context_set_threads(b.context, threads);
    scadyg_context_set_memory(b.context, (uint64_t)1 << 40);
    must(scadyg_model_open(argv[1], &b.model, &error), &error);
    if (!b.model->kind->live || !b.model->kind->live->can(b.model)) {
        fprintf(stderr, "bench_live: %s is not a live model scadyg for links\n", argv[1]);
        return 2;
    }
    if (pairs > 0) sg_scadyg_of(b.model)->plan.pair_bytes = (uint64_t)pairs;
    bench_print_machine();
    run(&b);
    scadyg_model_close(b.model);
    scadyg_context_close(b.context);
    return 0;
}
