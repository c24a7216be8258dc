/* Info: what is in an events file. */
#include "base/memory.h"
#include "base/parallel.h"
#include "events/file.h"
#include "events/info_pairs.h"
#include "events/steps.h"

#include <stdlib.h>
#include <string.h>

#define TENTHS 10
#define BLOCK ((uint64_t)1 << 22) /* events between two progress reports */
#define DEFAULT_MEMORY ((uint64_t)1 << 30)
#define FEW_EVENTS ((uint64_t)1 << 15) /* done before other threads would have begun */

/* What one side, sources or destinations, tells of a node: one word, so that an event touches memory once. */
#define DEGREE_BITS 48
#define DEGREE_MASK (((uint64_t)1 << DEGREE_BITS) - 1) /* below: events; above: a bit per tenth it was active in */

typedef struct survey {
    sg_columns columns;
    uint64_t begin, end; /* events of the present block, all in one tenth */
    int tenth;
    uint64_t *sides[2]; /* [nodes] */
    uint64_t self_loops;
    uint64_t distinct_times;
} survey;

static void count_side(const survey *s, int side)
{
    const uint32_t *node = side ? s->columns.dst : s->columns.src;
    uint64_t *known = s->sides[side];
    const uint64_t active = (uint64_t)1 << (DEGREE_BITS + s->tenth);
    const uint32_t *src = s->columns.src;
    for (uint64_t i = s->begin; i < s->end; i++) {
        /* A self-loop is one event of its node: it counts on the side of the source only. */
        uint64_t one = !side || node[i] != src[i];
        known[node[i]] = (known[node[i]] + one) | active;
    }
}

static void count_streams(survey *s)
{
    const sg_columns *c = &s->columns;
    uint64_t loops = 0, changes = s->begin == 0;
    for (uint64_t i = s->begin; i < s->end; i++) loops += c->src[i] == c->dst[i];
    for (uint64_t i = s->begin ? s->begin : 1; i < s->end; i++) changes += c->time[i] != c->time[i - 1];
    s->self_loops += loops;
    s->distinct_times += changes;
}

static void survey_task(void *context, size_t task)
{
    survey *s = context;
    if (task < 2)
        count_side(s, (int)task);
    else
        count_streams(s);
}

/* Everything but the pairs, in blocks that do not cross a tenth. */
static int run_survey(survey *s, const sg_steps *tenths, int threads, const scadyg_progress *progress,
                      scadyg_error *error)
{
    for (s->tenth = 0; s->tenth < TENTHS; s->tenth++)
        for (s->begin = tenths->first[s->tenth]; s->begin < tenths->first[s->tenth + 1]; s->begin = s->end) {
            s->end = tenths->first[s->tenth + 1];
            if (s->end - s->begin > BLOCK) s->end = s->begin + BLOCK;
            sg_parallel_for(threads, 3, survey_task, s);
            int status = sg_report(progress, "counting events", s->end, s->columns.count, error);
            if (status) return status;
        }
    return SCADYG_OK;
}

/* Keeps the busiest nodes in order; of equally busy ones the one that came first. */
static void offer_top(scadyg_info *info, uint32_t node, uint64_t degree)
{
    size_t at = info->top_count;
    if (at == SCADYG_INFO_TOP && degree <= info->top_degrees[at - 1]) return;
    if (at == SCADYG_INFO_TOP)
        at--;
    else
        info->top_count++;
    for (; at > 0 && info->top_degrees[at - 1] < degree; at--) {
        info->top_degrees[at] = info->top_degrees[at - 1];
        info->top_nodes[at] = info->top_nodes[at - 1];
    }
    info->top_degrees[at] = degree;
    info->top_nodes[at] = node;
}

static void sum_up_nodes(const survey *s, uint64_t nodes, scadyg_info *info)
{
    uint64_t fresh[TENTHS] = {0}, active[TENTHS] = {0}, both = 0;
    for (uint64_t node = 0; node < nodes; node++) {
        uint64_t from = s->sides[0][node], to = s->sides[1][node];
        unsigned seen = (unsigned)((from | to) >> DEGREE_BITS);
        info->sources += from != 0;
        info->destinations += to != 0;
        both += from != 0 && to != 0;
        offer_top(info, (uint32_t)node, (from & DEGREE_MASK) + (to & DEGREE_MASK));
        if (!seen) continue;
        fresh[__builtin_ctz(seen)]++;
        for (; seen; seen &= seen - 1) active[__builtin_ctz(seen)]++;
    }
    info->bipartite = both == 0;
    for (int i = 0; i < TENTHS; i++) info->new_nodes[i] = active[i] ? (double)fresh[i] / (double)active[i] : 0;
}

static int all_zero(const float *values, uint64_t count)
{
    if (!values) return 0;
    for (uint64_t i = 0; i < count; i++)
        if (values[i] != 0) return 0;
    return 1;
}

static int cut_times(const sg_columns *columns, sg_steps *tenths, scadyg_info *info, scadyg_error *error)
{
    sg_steps bins;
    int status =
        sg_steps_make(&bins, columns->time, columns->count, SCADYG_INFO_BINS, SCADYG_STEPS_EQUAL_TIME, error);
    if (status) return status;
    for (int i = 0; i < SCADYG_INFO_BINS; i++) info->histogram[i] = bins.first[i + 1] - bins.first[i];
    sg_steps_free(&bins);
    status = sg_steps_make(tenths, columns->time, columns->count, TENTHS, SCADYG_STEPS_EQUAL_TIME, error);
    for (int i = 0; i < TENTHS && !status; i++) info->events_in_tenth[i] = tenths->first[i + 1] - tenths->first[i];
    return status;
}

static int compute(survey *s, sg_steps *tenths, uint64_t memory, int threads, const scadyg_progress *progress,
                   scadyg_info *info, scadyg_error *error)
{
    const scadyg_shape *shape = &info->shape;
    s->sides[0] = sg_alloc_zero(shape->nodes, sizeof(uint64_t));
    s->sides[1] = sg_alloc_zero(shape->nodes, sizeof(uint64_t));
    if (!s->sides[0] || !s->sides[1]) return sg_fail_memory(error, "the activity of the nodes");
    int status = cut_times(&s->columns, tenths, info, error);
    if (!status) status = run_survey(s, tenths, threads, progress, error);
    if (status) return status;
    sum_up_nodes(s, shape->nodes, info);
    sg_pair_counts pairs;
    status = sg_count_pairs(s->columns.src, s->columns.dst, s->columns.time, shape->events, memory, threads,
                            progress, &pairs, error);
    if (status) return status;
    info->self_loops = s->self_loops;
    info->distinct_times = s->distinct_times;
    info->distinct_pairs = pairs.distinct_pairs;
    info->repeated_pairs = shape->events - pairs.distinct_pairs;
    info->repeated_events = pairs.repeated_events;
    info->average_degree = 2 * (double)shape->events / (double)shape->nodes;
    info->edge_features_zero = all_zero(s->columns.edge_features, shape->events * shape->edge_features);
    info->node_features_zero = all_zero(s->columns.node_features, shape->nodes * shape->node_features);
    return SCADYG_OK;
}

int scadyg_info_compute(scadyg_events *events, uint64_t memory, int threads, const scadyg_progress *progress,
                        scadyg_info *info, scadyg_error *error)
{
    survey s = {0};
    sg_steps tenths = {0};
    scadyg_info result = {.shape = *scadyg_events_shape(events)};
    int status = sg_events_columns(events, 0, 1, &s.columns, error);
    threads = result.shape.events < FEW_EVENTS ? 1 : sg_threads(threads);
    if (!status) status = compute(&s, &tenths, memory ? memory : DEFAULT_MEMORY, threads, progress, &result, error);
    if (!status) *info = result;
    sg_steps_free(&tenths);
    free(s.sides[0]);
    free(s.sides[1]);
    return status;
}
