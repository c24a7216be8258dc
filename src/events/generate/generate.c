/* Generate: a graph with a known process, streamed to disk. */
#include "events/generate/generate.h"

#include "base/context.h"
#include "base/file.h"
#include "base/memory.h"
#include "events/number_text.h"
#include "events/writer.h"
#include "scadyg_lab.h"

#include <math.h>
#include <string.h>

#define DRAFT_EVENTS ((size_t)1 << 17)
#define DRAFT_VALUES ((size_t)1 << 20) /* features in a draft */
#define FEATURE_CHUNKS 16
#define RANK_TEXT 56 /* bytes of a line of the oracle file, at most */

static const sg_option GENERATE_TABLE[] = {
    SG_OPTION(sg_generate_options, kind, "kind", 0, SCADYG_OPTION_CHOICE, "KIND", "messages", "messages|items", 1,
              0, "messages between nodes, or users that go through items", 0),
    SG_OPTION(sg_generate_options, events, "events", 0, SCADYG_OPTION_INT, "N", "100000", NULL, 1, 1e12,
              "number of events", 0),
    SG_OPTION(sg_generate_options, nodes, "nodes", 0, SCADYG_OPTION_INT, "N", "1000", NULL, 2, INT32_MAX,
              "number of nodes; of users for items", 0),
    SG_OPTION(sg_generate_options, items, "items", 0, SCADYG_OPTION_INT, "N", "100", NULL, 1, INT32_MAX,
              "number of items", 0),
    SG_OPTION(sg_generate_options, communities, "communities", 0, SCADYG_OPTION_INT, "N", "10", NULL, 1, INT32_MAX,
              "number of communities", 1),
    SG_OPTION(sg_generate_options, edge_features, "edge-features", 0, SCADYG_OPTION_INT, "D", "0", NULL, 0, 4096,
              "numbers per event that tell something of the communities", 1),
    SG_OPTION(sg_generate_options, again, "again", 0, SCADYG_OPTION_REAL, "P", "1", NULL, 0, 1,
              "how strong the memory of pairs is: answers, sequences and meeting again; 0: none", 1),
    SG_OPTION(sg_generate_options, oracle_one_in, "oracle-one-in", 0, SCADYG_OPTION_INT, "N", "1", NULL, 1, 1e12,
              "with --oracle: rank one event in N, which takes most of the time", 1),
    SG_OPTION(sg_generate_options, seed, "seed", 0, SCADYG_OPTION_INT, "N", "1", NULL, 1, 0,
              "another seed gives another graph", 0),
};

const sg_option_set sg_generate_set = SG_OPTION_SET("generate", GENERATE_TABLE, sg_generate_options, NULL);

/* ---- Drafts ---- */

enum { STREAM_SOURCE_SIGNS = 0xA1, STREAM_DESTINATION_SIGNS = 0xB2, STREAM_NOISE = 0xC3, STREAM_OTHERS = 0xD4 };

int sg_draft_open(sg_draft *draft, size_t capacity, size_t dimension, int oracle, scadyg_error *error)
{
    *draft = (sg_draft){.one_in = 1};
    const int missing = SG_ALLOC(
        SG_ARRAY(draft->src, capacity), SG_ARRAY(draft->dst, capacity), SG_ARRAY(draft->time, capacity),
        SG_ARRAY_IF(dimension, draft->src_community, capacity),
        SG_ARRAY_IF(dimension, draft->dst_community, capacity),
        SG_ARRAY_IF(dimension, draft->features, capacity * dimension), SG_ARRAY_IF(oracle, draft->rank, capacity));
    return missing ? sg_fail_memory(error, "a draft of events") : SCADYG_OK;
}

void sg_draft_close(sg_draft *draft)
{
    SG_FREE(draft->src, draft->dst, draft->time, draft->src_community, draft->dst_community, draft->features,
            draft->rank);
    *draft = (sg_draft){0};
}

double sg_oracle_rank(const sg_process *process, uint64_t seed, uint32_t destination)
{
    const double truth = sg_process_probability(process, destination);
    uint32_t others = sg_process_candidates(process) - 1;
    double rank = 1;
    if (others == 0) return rank;
    sg_rng rng;
    sg_rng_seed(&rng, seed ^ STREAM_OTHERS, process->event);
    for (int i = 0; i < SG_ORACLE_OTHERS; i++) {
        uint32_t node;
        do node = process->first + (uint32_t)sg_rng_below(&rng, process->pool);
        while (node == destination || (!process->items && node == process->source));
        double probability = sg_process_probability(process, node);
        if (probability > truth) rank += 1;
        if (probability == truth) rank += 0.5;
    }
    return rank;
}

int sg_draft_simulate(sg_draft *draft, sg_process *process, uint64_t seed, uint64_t first, size_t count,
                      scadyg_error *error)
{
    draft->first = first;
    draft->count = count;
    for (size_t i = 0; i < count; i++) {
        int status = sg_process_begin(process, error);
        if (status) return status;
        uint32_t destination = sg_process_draw(process);
        if (draft->rank)
            draft->rank[i] = (first + i) % draft->one_in == 0 ? sg_oracle_rank(process, seed, destination) : 0;
        if (draft->features) {
            draft->src_community[i] = process->actor[process->source].community;
            draft->dst_community[i] = process->actor[destination].community;
        }
        draft->src[i] = process->source;
        draft->dst[i] = destination;
        draft->time[i] = process->time;
        sg_process_accept(process, destination);
    }
    return SCADYG_OK;
}

/* The signs of dimensions 64 k .. 64 k + 63 of a community. */
static uint64_t draw_signs(uint64_t seed, uint64_t stream, uint32_t community, size_t k)
{
    return sg_hash3(seed, stream, (uint64_t)community << 16 | (k / 64));
}

void sg_draft_features(sg_draft *draft, uint64_t seed, size_t dimension, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        float *feature = draft->features + i * dimension;
        uint64_t from = 0, to = 0;
        sg_rng rng;
        sg_rng_seed(&rng, seed ^ STREAM_NOISE, draft->first + i);
        for (size_t k = 0; k < dimension; k++) {
            if (k % 64 == 0) {
                from = draw_signs(seed, STREAM_SOURCE_SIGNS, draft->src_community[i], k);
                to = draw_signs(seed, STREAM_DESTINATION_SIGNS, draft->dst_community[i], k);
            }
            int sum = (from >> k % 64 & 1 ? 1 : -1) + (to >> k % 64 & 1 ? 1 : -1);
            feature[k] = (float)(sum * 0.5 + 0.5 * sg_rng_normal(&rng));
        }
    }
}

/* ---- The generator ---- */

typedef struct generator {
    const sg_generate_options *options;
    uint64_t seed, events;
    size_t dimension, draft_events;
    sg_process process;
    sg_writer writer;
    sg_draft draft[3];
    uint64_t round;   /* draft `round` is simulated, round - 1 gets features, round - 2 is written */
    uint32_t *number; /* [nodes of the process]: in the file; SG_PROCESS_NOBODY: not seen yet */
    int64_t *id;      /* [nodes of the file] */
    uint32_t nodes;   /* of the file */
    int all_whole;    /* no time so far has a fraction */
    double first_time, last_time;
    sg_output oracle;
    uint64_t oracle_size;
    char *oracle_text;
    int simulate_status, write_status;
    scadyg_error simulate_error, write_error;
} generator;

/* ---- Writing ---- */

static uint32_t get_number(generator *g, uint32_t node)
{
    if (g->number[node] == SG_PROCESS_NOBODY) {
        g->id[g->nodes] = node;
        g->number[node] = g->nodes++;
    }
    return g->number[node];
}

/* Nodes are numbered by first appearance, source before destination. */
static void number_nodes(generator *g, sg_draft *draft)
{
    for (size_t i = 0; i < draft->count; i++) {
        if (i + 16 < draft->count) {
            __builtin_prefetch(&g->number[draft->src[i + 16]]);
            __builtin_prefetch(&g->number[draft->dst[i + 16]]);
        }
        draft->src[i] = get_number(g, draft->src[i]);
        draft->dst[i] = get_number(g, draft->dst[i]);
        g->all_whole &= draft->time[i] == floor(draft->time[i]);
    }
    if (draft->first == 0) g->first_time = draft->time[0];
    g->last_time = draft->time[draft->count - 1];
}

static int write_ranks(generator *g, const sg_draft *draft, scadyg_error *error)
{
    size_t length = 0;
    for (size_t i = 0; i < draft->count; i++) {
        if (draft->rank[i] == 0) continue;
        length += sg_print_integer((int64_t)(draft->first + i), g->oracle_text + length);
        g->oracle_text[length++] = ',';
        length += sg_print_double(draft->rank[i], g->oracle_text + length);
        g->oracle_text[length++] = '\n';
    }
    int status = sg_output_write_at(&g->oracle, g->oracle_size, g->oracle_text, length, error);
    g->oracle_size += length;
    return status;
}

static int write_draft(generator *g, sg_draft *draft, scadyg_error *error)
{
    number_nodes(g, draft);
    const struct {
        scadyg_column column;
        const void *data;
    } parts[] = {{SCADYG_COLUMN_SRC, draft->src},
                 {SCADYG_COLUMN_DST, draft->dst},
                 {SCADYG_COLUMN_TIME, draft->time},
                 {SCADYG_COLUMN_EDGE_FEATURES, draft->features}};
    for (int i = 0; i < 4; i++) {
        if (!parts[i].data) continue;
        uint64_t size = draft->count * sg_column_size(&g->writer.shape, parts[i].column);
        int status = sg_writer_append(&g->writer, parts[i].column, parts[i].data, size, error);
        if (status) return status;
    }
    return draft->rank ? write_ranks(g, draft, error) : SCADYG_OK;
}

/* ---- The pipeline ---- */

static sg_draft *get_draft(generator *g, uint64_t round)
{
    return &g->draft[round % 3];
}

/* Events of a draft of the run, 0 beyond its end. */
static size_t count_events(const generator *g, uint64_t round)
{
    uint64_t first = round * g->draft_events;
    if (first >= g->events) return 0;
    uint64_t left = g->events - first;
    return left < g->draft_events ? (size_t)left : g->draft_events;
}

/* Task 0 simulates, task 1 writes, the others make features: of three different drafts, so in any order. */
static void run_task(void *data, size_t worker, size_t task)
{
    (void)worker;
    generator *g = data;
    if (task == 0) {
        size_t count = count_events(g, g->round);
        if (count)
            g->simulate_status = sg_draft_simulate(get_draft(g, g->round), &g->process, g->seed,
                                                   g->round * g->draft_events, count, &g->simulate_error);
    } else if (task == 1) {
        if (g->round >= 2) g->write_status = write_draft(g, get_draft(g, g->round - 2), &g->write_error);
    } else if (g->round >= 1) {
        sg_draft *draft = get_draft(g, g->round - 1);
        size_t count = count_events(g, g->round - 1), chunk = task - 2;
        sg_draft_features(draft, g->seed, g->dimension, count * chunk / FEATURE_CHUNKS,
                          count * (chunk + 1) / FEATURE_CHUNKS);
    }
}

static int run_drafts(scadyg_context *context, generator *g, scadyg_error *error)
{
    uint64_t drafts = (g->events + g->draft_events - 1) / g->draft_events;
    for (g->round = 0; g->round < drafts + 2; g->round++) {
        sg_parallel_for(context, g->dimension ? 2 + FEATURE_CHUNKS : 2, run_task, g);
        if (g->simulate_status) return sg_fail(error, g->simulate_status, "%s", g->simulate_error.message);
        if (g->write_status) return sg_fail(error, g->write_status, "%s", g->write_error.message);
        uint64_t done = g->round < 1 ? 0 : (g->round - 1) * g->draft_events;
        int status = sg_report(context, "generating", done < g->events ? done : g->events, g->events, error);
        if (status) return status;
    }
    return SCADYG_OK;
}

/* ---- Beginning and ending ---- */

static int open_memory(generator *g, int oracle, scadyg_error *error)
{
    int status = sg_process_open(&g->process, g->options, error);
    if (status) return status;
    size_t nodes = (size_t)g->process.first + g->process.pool;
    if (SG_ALLOC(SG_ARRAY(g->number, nodes), SG_ARRAY(g->id, nodes),
                 SG_ARRAY_IF(oracle, g->oracle_text, g->draft_events * RANK_TEXT)))
        return sg_fail_memory(error, "the node numbers");
    memset(g->number, 0xFF, nodes * sizeof *g->number);
    for (int i = 0; i < 3 && !status; i++) {
        status = sg_draft_open(&g->draft[i], g->draft_events, g->dimension, oracle, error);
        g->draft[i].one_in = (uint64_t)g->options->oracle_one_in;
    }
    return status;
}

static int open_files(generator *g, const char *output, const char *oracle, scadyg_error *error)
{
    const scadyg_shape shape = {.events = g->events, .edge_features = (uint32_t)g->dimension, .integer_ids = 1};
    int status = sg_writer_open(&g->writer, output, &shape, error);
    if (status || !oracle) return status;
    static const char header[] = "event,rank\n";
    status = sg_output_open(&g->oracle, oracle, error);
    if (!status) status = sg_output_write_at(&g->oracle, 0, header, sizeof header - 1, error);
    g->oracle_size = sizeof header - 1;
    return status;
}

static int commit_files(generator *g, int oracle, scadyg_error *error)
{
    scadyg_shape shape = g->writer.shape;
    shape.nodes = g->nodes;
    shape.first_time = g->first_time;
    shape.last_time = g->last_time;
    shape.time_kind = sg_time_kind_of(g->first_time, g->last_time, g->all_whole);
    uint64_t size = g->nodes * sizeof *g->id;
    int status = sg_writer_begin(&g->writer, SCADYG_COLUMN_ID_INTEGERS, size, error);
    if (!status) status = sg_writer_append(&g->writer, SCADYG_COLUMN_ID_INTEGERS, g->id, size, error);
    if (!status && oracle) status = sg_output_commit(&g->oracle, error);
    if (!status) status = sg_writer_commit(&g->writer, &shape, error);
    return status;
}

static void close_generator(generator *g)
{
    sg_output_abandon(&g->oracle);
    sg_writer_abandon(&g->writer);
    sg_process_close(&g->process);
    for (int i = 0; i < 3; i++) sg_draft_close(&g->draft[i]);
    SG_FREE(g->number, g->id, g->oracle_text, g);
}

int sg_generate(scadyg_context *context, const char *output, const char *oracle, const sg_generate_options *options,
                scadyg_error *error)
{
    int status = sg_options_check_values(&sg_generate_set, options, error);
    if (status) return status;
    if (oracle && strcmp(output, oracle) == 0)
        return sg_fail(error, SCADYG_E_USAGE, "the events and the oracle cannot be written to the same file %s",
                       output);
    generator *g = sg_alloc_zero(1, sizeof *g);
    if (!g) return sg_fail_memory(error, "the generator");
    g->options = options;
    g->seed = (uint64_t)options->seed;
    g->events = (uint64_t)options->events;
    g->dimension = (size_t)options->edge_features;
    g->draft_events =
        g->dimension && DRAFT_VALUES / g->dimension < DRAFT_EVENTS ? DRAFT_VALUES / g->dimension : DRAFT_EVENTS;
    if (g->events < g->draft_events) g->draft_events = (size_t)g->events;
    g->all_whole = 1;
    g->writer.output.fd = g->oracle.fd = -1;
    status = open_files(g, output, oracle, error);
    if (!status) status = open_memory(g, oracle != NULL, error);
    if (!status) status = run_drafts(context, g, error);
    if (!status) status = commit_files(g, oracle != NULL, error);
    close_generator(g);
    return status;
}

int scadyg_generate(scadyg_context *context, const char *output, const char *oracle, const scadyg_options *options,
                    scadyg_error *error)
{
    sg_generate_options values;
    int status = sg_options_values(options, &sg_generate_set, &values, error);
    return status ? status : sg_generate(context, output, oracle, &values, error);
}
