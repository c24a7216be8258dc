/* Generate: a graph with a known process, streamed to disk. */
#include "base/memory.h"
#include "base/parallel.h"
#include "events/generate/draft.h"
#include "events/number_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DRAFT_EVENTS ((size_t)1 << 17)
#define DRAFT_VALUES ((size_t)1 << 20) /* features in a draft */
#define FEATURE_CHUNKS 16
#define RANK_TEXT 56 /* bytes of a line of the oracle file, at most */

#define FIELD(name) offsetof(scadyg_generate_options, name)
static const scadyg_option TABLE[] = {
    {"kind", 0, SCADYG_OPTION_CHOICE, FIELD(kind), "KIND", "messages", "messages|items", 1, 0,
     "messages between nodes, or users that go through items"},
    {"events", 0, SCADYG_OPTION_INT, FIELD(events), "N", "100000", NULL, 1, 1e12, "number of events"},
    {"nodes", 0, SCADYG_OPTION_INT, FIELD(nodes), "N", "1000", NULL, 2, INT32_MAX,
     "number of nodes; of users for items"},
    {"items", 0, SCADYG_OPTION_INT, FIELD(items), "N", "100", NULL, 1, INT32_MAX, "number of items"},
    {"communities", 0, SCADYG_OPTION_INT, FIELD(communities), "N", "10", NULL, 1, INT32_MAX,
     "number of communities"},
    {"edge-features", 0, SCADYG_OPTION_INT, FIELD(edge_features), "D", "0", NULL, 0, 4096,
     "numbers per event that tell something of the communities"},
    {"again", 0, SCADYG_OPTION_REAL, FIELD(again), "P", "1", NULL, 0, 1,
     "how strong the memory of pairs is: answers, sequences and meeting again; 0: none"},
    {"seed", 0, SCADYG_OPTION_INT, FIELD(seed), "N", "1", NULL, 1, 0, "another seed gives another graph"},
    {"threads", 0, SCADYG_OPTION_INT, FIELD(threads), "N", "all", "all", 0, 1024,
     "threads; the result does not depend on them"},
};

const scadyg_option *scadyg_generate_option_table(size_t *count)
{
    *count = sizeof TABLE / sizeof *TABLE;
    return TABLE;
}

typedef struct generator {
    const scadyg_generate_options *options;
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

static uint32_t number_of(generator *g, uint32_t node)
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
        draft->src[i] = number_of(g, draft->src[i]);
        draft->dst[i] = number_of(g, draft->dst[i]);
        g->all_whole &= draft->time[i] == floor(draft->time[i]);
    }
    if (draft->first == 0) g->first_time = draft->time[0];
    g->last_time = draft->time[draft->count - 1];
}

static int write_ranks(generator *g, const sg_draft *draft, scadyg_error *error)
{
    size_t length = 0;
    for (size_t i = 0; i < draft->count; i++) {
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

static sg_draft *draft_of(generator *g, uint64_t round)
{
    return &g->draft[round % 3];
}

/* Events of a draft of the run, 0 beyond its end. */
static size_t events_of(const generator *g, uint64_t round)
{
    uint64_t first = round * g->draft_events;
    if (first >= g->events) return 0;
    uint64_t left = g->events - first;
    return left < g->draft_events ? (size_t)left : g->draft_events;
}

/* Task 0 simulates, task 1 writes, the others make features: of three different drafts, so in any order. */
static void run_task(void *context, size_t task)
{
    generator *g = context;
    if (task == 0) {
        size_t count = events_of(g, g->round);
        if (count)
            g->simulate_status = sg_draft_simulate(draft_of(g, g->round), &g->process, g->seed,
                                                   g->round * g->draft_events, count, &g->simulate_error);
    } else if (task == 1) {
        if (g->round >= 2) g->write_status = write_draft(g, draft_of(g, g->round - 2), &g->write_error);
    } else if (g->round >= 1) {
        sg_draft *draft = draft_of(g, g->round - 1);
        size_t count = events_of(g, g->round - 1), chunk = task - 2;
        sg_draft_features(draft, g->seed, g->dimension, count * chunk / FEATURE_CHUNKS,
                          count * (chunk + 1) / FEATURE_CHUNKS);
    }
}

static int run_pipeline(generator *g, const scadyg_progress *progress, scadyg_error *error)
{
    uint64_t drafts = (g->events + g->draft_events - 1) / g->draft_events;
    int threads = sg_threads(g->options->threads);
    for (g->round = 0; g->round < drafts + 2; g->round++) {
        sg_parallel_for(threads, g->dimension ? 2 + FEATURE_CHUNKS : 2, run_task, g);
        if (g->simulate_status) return sg_fail(error, g->simulate_status, "%s", g->simulate_error.message);
        if (g->write_status) return sg_fail(error, g->write_status, "%s", g->write_error.message);
        uint64_t done = g->round < 1 ? 0 : (g->round - 1) * g->draft_events;
        int status = sg_report(progress, "generating", done < g->events ? done : g->events, g->events, error);
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
    g->number = sg_alloc(nodes, sizeof *g->number);
    g->id = sg_alloc(nodes, sizeof *g->id);
    if (oracle) g->oracle_text = sg_alloc(g->draft_events, RANK_TEXT);
    if (!g->number || !g->id || (oracle && !g->oracle_text)) return sg_fail_memory(error, "the node numbers");
    memset(g->number, 0xFF, nodes * sizeof *g->number);
    for (int i = 0; i < 3 && !status; i++)
        status = sg_draft_open(&g->draft[i], g->draft_events, g->dimension, oracle, error);
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

static int commit(generator *g, int oracle, scadyg_error *error)
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

static void close_all(generator *g)
{
    sg_output_abandon(&g->oracle);
    sg_writer_abandon(&g->writer);
    sg_process_close(&g->process);
    for (int i = 0; i < 3; i++) sg_draft_close(&g->draft[i]);
    free(g->number);
    free(g->id);
    free(g->oracle_text);
    free(g);
}

int scadyg_generate(const char *output, const char *oracle, const scadyg_generate_options *options,
                    const scadyg_progress *progress, scadyg_error *error)
{
    int status = sg_generate_check(options, error);
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
    if (!status) status = run_pipeline(g, progress, error);
    if (!status) status = commit(g, oracle != NULL, error);
    close_all(g);
    return status;
}
