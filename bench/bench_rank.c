/*
 * Rankings over all destinations: how fast, and what retrieval loses.
 *
 *   bench_rank M.scadyg X.events [--rounds N] [--sources N] [--queries N] [--threads N] [--state FILE] [--json]
 *
 * Sources are drawn from those with an event in the last tenth of the log, each once.
 *
 *   product    the multiplications of the net for every destination, as one plain product of matrices
 *   full       all destinations of a source at the end of the log, when the state has arrived there; of the first source
 *              also what is kept for the others is computed
 *   retrieval  scadyg_rank as it is by default: time, how many it scores, and how many of the ten best of all it finds
 *   test       events of the test part, evenly spread: MRR of the destination among all, and with retrieval, where one that was
 *              not retrieved counts 0
 *
 * Times are those of the processor as well as of the clock, for other work on the machine takes its share of the latter. --state:
 * a file the state is kept in from one run to the next.
 */
#include "machine.h"

#include "base/memory.h"
#include "base/rng.h"
#include "models/scadyg/retrieve.h"
#include "models/scadyg/scadyg.h"
#include "predict/rank.h"
#include "scadyg_live.h"

#include <math.h>

enum { TOP = 10, PIECE = 96 };

typedef struct field {
    scadyg_context *context;
    scadyg_model *model;
    scadyg_events *events;
    scadyg_predictor *predictor;
    const sg_columns *columns;
    double at;
    uint32_t *sources;
    size_t source_count, destinations;
    int rounds;
    size_t queries;
} field;

typedef struct times {
    double cpu, clock;
} times;

typedef struct figures {
    times product, first, full; /* best of the rounds, a destination each but for `first` */
    double multiplications;
    double median[2], most[2]; /* of retrieval, seconds: cpu, clock; the latter that of 99 in 100 */
    double anew;               /* cpu of the first one, which finds the popular */
    double scored, recall, same, probability;
    double mrr[2];
    double retrieved; /* share of the destinations asked for */
} figures;

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

static times now(void)
{
    return (times){bench_cpu(), bench_now()};
}

static times since(times begin)
{
    const times end = now();
    return (times){end.cpu - begin.cpu, end.clock - begin.clock};
}

static void keep_best(times *best, times one)
{
    best->cpu = fmin(best->cpu, one.cpu);
    best->clock = fmin(best->clock, one.clock);
}

/* ---- The product ---- */

typedef struct product {
    const sg_pair_net *net;
    const float *panels;
    const float *x;
    float *out;
    size_t rows;
} product;

/* Pieces are read from memory as they come, and their results stay in the cache. */
static void multiply_piece(void *data, size_t worker, size_t piece)
{
    const product *p = data;
    const sg_kernels *kernels = sg_kernels_best();
    float *hidden = p->out + worker * 2 * PIECE * p->net->hidden;
    sg_layer layer = {.inputs = p->net->inputs,
                      .outputs = p->net->hidden,
                      .panels = p->panels,
                      .x = {p->x + piece % 64 * PIECE * p->net->inputs, p->net->inputs},
                      .out = hidden,
                      .out_pitch = p->net->hidden};
    kernels->layer(&layer, PIECE);
    layer.inputs = p->net->hidden;
    layer.x = (sg_rows_read){hidden, p->net->hidden};
    layer.out = hidden + PIECE * p->net->hidden;
    kernels->layer(&layer, PIECE);
}

static times multiply(field *f, product *p)
{
    const times begin = now();
    sg_parallel_for(f->context, (f->destinations + PIECE - 1) / PIECE, multiply_piece, p);
    return since(begin);
}

static void open_product(const field *f, product *p)
{
    const sg_pair_net *net = &sg_scadyg_of(f->model)->net;
    if (net->hidden % 16 || net->hidden2 != net->hidden) {
        fprintf(stderr, "bench_rank: hidden units must be a multiple of 16\n");
        exit(2);
    }
    *p = (product){net, need(sg_alloc_aligned(net->inputs * net->hidden, sizeof(float))),
                   need(sg_alloc_aligned(64 * PIECE * net->inputs, sizeof(float))),
                   need(sg_alloc_aligned(sg_context_threads(f->context) * 2 * PIECE * net->hidden, sizeof(float))),
                   0};
}

/* ---- Rankings ---- */

static void rank(field *f, uint32_t source, int how, uint32_t *nodes, double *scores, double *probabilities,
                 size_t *count)
{
    scadyg_error error = {0};
    must(scadyg_rank(f->predictor, source, f->at, how, TOP, nodes, scores, probabilities, count, &error), &error);
}

static void measure_full(field *f, figures *out)
{
    product p;
    uint32_t nodes[TOP];
    double scores[TOP];
    size_t count;
    open_product(f, &p);
    times begin = now();
    rank(f, f->sources[0], SCADYG_RANK_EXACT, nodes, scores, NULL, &count);
    out->first = since(begin);
    f->destinations = f->predictor->destinations;
    out->product = out->full = (times){INFINITY, INFINITY};
    for (int i = 0; i < f->rounds; i++) {
        keep_best(&out->product, multiply(f, &p));
        /* Several sources in a round: some have much to do with others, some little. */
        begin = now();
        for (size_t k = 0; k < 8; k++)
            rank(f, f->sources[k % f->source_count], SCADYG_RANK_EXACT, nodes, scores, NULL, &count);
        times one = since(begin);
        keep_best(&out->full, (times){one.cpu / 8, one.clock / 8});
    }
    const double each = (double)f->destinations;
    out->multiplications = (double)((p.net->inputs + p.net->hidden2) * p.net->hidden);
    out->product = (times){out->product.cpu / each, out->product.clock / each};
    out->full = (times){out->full.cpu / each, out->full.clock / each};
    free((void *)(uintptr_t)p.panels);
    free((void *)(uintptr_t)p.x);
    free(p.out);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void measure_retrieval(field *f, figures *out)
{
    uint32_t nodes[2][TOP];
    double scores[2][TOP], chance[2][TOP];
    size_t count[2], wanted = 0, found = 0, same = 0;
    double *cpu = need(sg_alloc(f->source_count, sizeof *cpu)),
           *clock = need(sg_alloc(f->source_count, sizeof *clock));
    times begin = now();
    rank(f, f->sources[0], 0, nodes[0], scores[0], chance[0], &count[0]);
    out->anew = since(begin).cpu;
    for (size_t i = 0; i < f->source_count; i++) {
        begin = now();
        rank(f, f->sources[i], 0, nodes[0], scores[0], chance[0], &count[0]);
        const times one = since(begin);
        cpu[i] = one.cpu, clock[i] = one.clock;
        if (f->rounds == 0) continue;
        rank(f, f->sources[i], SCADYG_RANK_EXACT, nodes[1], scores[1], chance[1], &count[1]);
        wanted += count[1];
        for (size_t k = 0; k < count[1]; k++)
            for (size_t j = 0; j < count[0]; j++)
                if (nodes[0][j] == nodes[1][k]) {
                    found++;
                    same += scores[0][j] == scores[1][k];
                    out->probability += fabs(log(chance[0][j] / chance[1][k]));
                }
    }
    qsort(cpu, f->source_count, sizeof *cpu, by_size);
    qsort(clock, f->source_count, sizeof *clock, by_size);
    const size_t middle = f->source_count / 2, last = (f->source_count * 99 + 99) / 100 - 1;
    out->median[0] = cpu[middle], out->median[1] = clock[middle];
    out->most[0] = cpu[last], out->most[1] = clock[last];
    out->recall = wanted ? (double)found / (double)wanted : NAN;
    out->same = found ? (double)same / (double)found : NAN;
    out->probability /= fmax(1, (double)found);
    free(cpu);
    free(clock);
}

/* One over the place of a destination among what is looked at: equal scores count half. 0: it is not there. */
static double reciprocal(field *f, const sg_ranking_asked *asked, uint32_t dst, size_t *scored)
{
    scadyg_predictor *p = f->predictor;
    scadyg_error error = {0};
    sg_ranking r;
    const int retrieves = sg_rank_retrieves(p->model, asked, p->destinations, p->rank_all);
    must(sg_ranking_open(&r, p->view.nodes + SG_RETRIEVED, TOP, &error), &error);
    if (retrieves) {
        must(sg_ranking_retrieve(&r, p->model, &p->scorer, asked, p->view.nodes, p->destinations, &error), &error);
    } else {
        for (uint32_t node = 0; node < p->view.nodes; node++)
            if (p->is_destination[node]) r.dst[r.count++] = node;
    }
    must(sg_ranking_run(&r, &p->scorer, asked, &error), &error);
    double place = 0.5, score = NAN;
    for (size_t i = 0; i < r.count; i++)
        if (r.dst[i] == dst) score = r.score[i];
    for (size_t i = 0; i < r.count; i++) place += r.score[i] > score ? 1 : r.score[i] == score ? 0.5 : 0;
    if (scored) *scored = r.count + r.others;
    sg_ranking_close(&r);
    return isnan(score) ? 0 : 1 / place;
}

static void count_scored(field *f, figures *out)
{
    for (size_t i = 0; i < f->source_count; i++) {
        size_t scored;
        const sg_ranking_asked asked = {f->sources[i], f->at, f->columns->count, TOP, 0};
        (void)reciprocal(f, &asked, 0, &scored);
        out->scored += (double)scored / (double)f->source_count;
    }
}

/* Events whose destination has been one before: only such can be ranked. */
static void measure_test(field *f, figures *out)
{
    uint32_t nodes[TOP];
    double scores[TOP];
    size_t count, asked_of = 0;
    const uint64_t all = f->columns->count, begin = all - all * 15 / 100;
    scadyg_error error = {0};
    for (size_t i = 0; i < f->queries; i++) {
        const uint64_t e = begin + (all - begin) * i / f->queries;
        const double at = f->columns->time[e];
        const uint32_t src = f->columns->src[e], dst = f->columns->dst[e];
        /* Goes to that time, and lists who has been a destination. */
        must(scadyg_rank(f->predictor, src, at, 0, TOP, nodes, scores, NULL, &count, &error), &error);
        if (!f->predictor->is_destination[dst]) continue;
        asked_of++;
        sg_ranking_asked asked = {src, at, sg_predictor_seen(f->predictor, at), TOP, 0};
        const double one = reciprocal(f, &asked, dst, NULL);
        out->mrr[1] += one;
        out->retrieved += one > 0;
        asked.how = SCADYG_RANK_EXACT;
        out->mrr[0] += reciprocal(f, &asked, dst, NULL);
    }
    out->mrr[0] /= (double)asked_of;
    out->mrr[1] /= (double)asked_of;
    out->retrieved /= (double)asked_of;
}

/* ---- The field ---- */

static void draw_sources(field *f, size_t wanted)
{
    const uint64_t all = f->columns->count;
    const size_t nodes = f->predictor->view.nodes;
    unsigned char *is = need(sg_alloc_zero(nodes, 1));
    f->sources = need(sg_alloc(nodes, sizeof *f->sources));
    for (uint64_t e = all - all / 10; e < all; e++) {
        if (is[f->columns->src[e]]) continue;
        is[f->columns->src[e]] = 1;
        f->sources[f->source_count++] = f->columns->src[e];
    }
    for (size_t i = 0; i < f->source_count; i++) {
        const size_t other = i + sg_hash3(1, 2, i) % (f->source_count - i);
        const uint32_t source = f->sources[other];
        f->sources[other] = f->sources[i];
        f->sources[i] = source;
    }
    if (f->source_count > wanted) f->source_count = wanted;
    free(is);
}

static void open_field(field *f, const char *model, const char *events, const char *state, size_t sources)
{
    scadyg_error error = {0};
    must(scadyg_model_open(model, &f->model, &error), &error);
    must(scadyg_events_open(events, &f->events, &error), &error);
    if (!f->model->kind->retrieve) {
        fprintf(stderr, "bench_rank: %s is not a model scadyg for links\n", model);
        exit(2);
    }
    scadyg_kept kept = {.size = sizeof kept};
    if (state) {
        must(scadyg_predictor_open_kept(f->context, f->model, f->events, state, &f->predictor, &kept, &error),
             &error);
        if (kept.can && !kept.known) must(scadyg_predictor_keep(f->predictor, state, &error), &error);
    } else {
        must(scadyg_predictor_open(f->context, f->model, f->events, &f->predictor, &error), &error);
    }
    f->columns = f->predictor->view.columns;
    f->at = nextafter(scadyg_events_shape(f->events)->last_time, INFINITY);
    draw_sources(f, sources);
}

static void close_field(field *f)
{
    scadyg_predictor_close(f->predictor);
    scadyg_events_close(f->events);
    scadyg_model_close(f->model);
    scadyg_context_close(f->context);
    free(f->sources);
}

static void print_json(const field *f, const figures *a)
{
    const size_t threads = sg_context_threads(f->context);
    printf("{\"destinations\": %zu, \"sources\": %zu, \"threads\": %zu", f->destinations, f->source_count, threads);
    if (f->rounds)
        printf(", \"product_cpu_ns\": %.1f, \"product_ns\": %.1f, \"full_cpu_ns\": %.1f, \"full_ns\": %.1f"
               ", \"first_full_cpu_ms\": %.1f, \"share_of_product\": %.3f, \"recall_at_10\": %.4f, "
               "\"same_scores\": %.4f"
               ", \"probability_error\": %.3f",
               1e9 * a->product.cpu, 1e9 * a->product.clock, 1e9 * a->full.cpu, 1e9 * a->full.clock,
               1e3 * a->first.cpu, a->product.cpu / a->full.cpu, a->recall, a->same, a->probability);
    printf(
        ", \"scored\": %.0f, \"median_cpu_ms\": %.2f, \"median_ms\": %.2f, \"p99_cpu_ms\": %.2f, \"p99_ms\": %.2f"
        ", \"popular_anew_cpu_ms\": %.1f",
        a->scored, 1e3 * a->median[0], 1e3 * a->median[1], 1e3 * a->most[0], 1e3 * a->most[1], 1e3 * a->anew);
    if (f->queries)
        printf(", \"queries\": %zu, \"mrr\": %.4f, \"mrr_retrieval\": %.4f, \"retrieved\": %.4f", f->queries,
               a->mrr[0], a->mrr[1], a->retrieved);
    printf("}\n");
}

static void print_text(const field *f, const figures *a)
{
    const double threads = (double)sg_context_threads(f->context);
    bench_print_machine();
    printf("%zu destinations, %zu sources, threads: %.0f\n\n", f->destinations, f->source_count, threads);
    if (f->rounds) {
        printf("%-52s %12s %12s\n", "a destination, ns", "processor", "clock");
        printf("%-52s %12.0f %12.0f\n", "product of the net's matrices", 1e9 * a->product.cpu,
               1e9 * a->product.clock);
        printf("%-52s %12.0f %12.0f\n", "full ranking", 1e9 * a->full.cpu, 1e9 * a->full.clock);
        printf("full ranking: %.2f million destinations/s on %.0f threads by the processor, %.2f by the clock\n",
               1e-6 * threads / a->full.cpu, threads, 1e-6 / a->full.clock);
        printf("              %.2f of the product's speed; the first one %.0f ms of the processor\n\n",
               a->product.cpu / a->full.cpu, 1e3 * a->first.cpu);
    }
    printf("%-52s %12s %12s\n", "retrieval, ms", "processor", "clock");
    printf("%-52s %12.2f %12.2f\n", "median", 1e3 * a->median[0], 1e3 * a->median[1]);
    printf("%-52s %12.2f %12.2f\n", "99 in 100 take at most", 1e3 * a->most[0], 1e3 * a->most[1]);
    printf("%-52s %12.2f\n", "the first, which looks for the popular", 1e3 * a->anew);
    printf("%.0f destinations scored on average\n", a->scored);
    if (f->rounds)
        printf("recall of the ten best %.4f, same scores %.4f, probabilities off by a factor of %.3f\n", a->recall,
               a->same, exp(a->probability));
    if (f->queries)
        printf("test part, %zu queries: MRR %.4f among all, %.4f with retrieval; %.4f retrieved\n", f->queries,
               a->mrr[0], a->mrr[1], a->retrieved);
    printf(
        "\nwanted: 5 million destinations/s on 2 threads; 99 in 100 at most 10 ms, recall .98, MRR within .005\n");
}

static int usage(void)
{
    fprintf(stderr, "usage: bench_rank M.scadyg X.events [--rounds N] [--sources N] [--queries N] [--threads N] "
                    "[--state FILE] [--json]\n"
                    "  --rounds 0: retrieval alone, not beside the full ranking\n");
    return 2;
}

int main(int argc, char **argv)
{
    field f = {.rounds = 5};
    size_t sources = 200;
    int threads = 0, json = 0;
    const char *state = NULL;
    if (argc < 3) return usage();
    for (int i = 3; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            json = 1;
            continue;
        }
        if (i + 1 == argc) return usage();
        const char *option = argv[i], *value = argv[++i];
        if (strcmp(option, "--rounds") == 0)
            f.rounds = atoi(value);
        else if (strcmp(option, "--sources") == 0)
            sources = (size_t)atol(value);
        else if (strcmp(option, "--queries") == 0)
            f.queries = (size_t)atol(value);
        else if (strcmp(option, "--threads") == 0)
            threads = atoi(value);
        else if (strcmp(option, "--state") == 0)
            state = value;
        else
            return usage();
    }
    scadyg_error error = {0};
    figures a = {0};
    must(scadyg_context_open(&f.context, &error), &error);
    scadyg_context_set_threads(f.context, threads);
    open_field(&f, argv[1], argv[2], state, sources);
    if (f.rounds) measure_full(&f, &a);
    measure_retrieval(&f, &a);
    f.destinations = f.predictor->destinations;
    count_scored(&f, &a);
    if (f.queries) measure_test(&f, &a);
    if (json)
        print_json(&f, &a);
    else
        print_text(&f, &a);
    close_field(&f);
    return 0;
}
