/* The model with the head `pair` as a scorer. */
#include "tasks/pair_scorer.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define GROUPS 4096
#define SLAB 16384 /* pairs at a time, so that their rows stay in the cache and memory does not grow with a block */

typedef struct pair_scorer {
    sg_inputs *inputs;
    sg_pair_reader *reader;
    sg_pair_reader own; /* unless it is the caller's */
    int output[2];      /* of the net, for each question */
    uint32_t *slot;     /* [nodes]: the row of a node in this slab; NONE */
    /* The slab being put together. */
    size_t pairs, group_count, node_count;
    sg_ledger_group groups[GROUPS];
    size_t node_first[GROUPS + 1];
    uint32_t nodes[2 * SLAB], left[SLAB], right[SLAB];
} pair_scorer;

static int rewind_scorer(void *context, scadyg_error *error)
{
    (void)error;
    (void)context; /* the reader goes back by itself when it must */
    return SCADYG_OK;
}

static void close_scorer(void *context)
{
    pair_scorer *s = context;
    sg_pair_reader_close(&s->own);
    free(s->slot);
    free(s);
}

static uint32_t row_of(pair_scorer *s, uint32_t node)
{
    if (s->slot[node] == NONE) {
        s->slot[node] = (uint32_t)s->node_count;
        s->nodes[s->node_count++] = node;
    }
    return s->slot[node];
}

/* A group of the slab: pairs that see the same, each node with one row. */
static void add_group(pair_scorer *s, sg_place place, const uint32_t *src, const uint32_t *dst, size_t count)
{
    const size_t begin = s->node_count;
    for (size_t i = 0; i < count; i++) {
        s->left[s->pairs + i] = row_of(s, src[i]);
        s->right[s->pairs + i] = row_of(s, dst[i]);
    }
    for (size_t i = begin; i < s->node_count; i++) s->slot[s->nodes[i]] = NONE;
    s->groups[s->group_count++] = (sg_ledger_group){place.seen, place.at, s->pairs, s->pairs + count};
    s->node_first[s->group_count] = s->node_count;
    s->pairs += count;
}

/* Reads the slab, whose pairs begin at src and dst, and scores it. */
static int score_slab(pair_scorer *s, const uint32_t *src, const uint32_t *dst, int question, double *score,
                      scadyg_error *error)
{
    const scadyg_model *model = s->inputs->model;
    const sg_read_plan read_plan = {.groups = s->groups,
                                    .count = s->group_count,
                                    .src = src,
                                    .dst = dst,
                                    .nodes = s->nodes,
                                    .node_first = s->node_first};
    int status = sg_pair_reader_run(s->reader, &read_plan, error);
    const sg_pair_rows rows = {s->reader->nodes,   s->node_count, s->left, s->right,
                               s->reader->between, s->pairs,      NULL};
    if (!status)
        status = sg_pair_scores(&model->pair, model->values, &rows, s->output[question], score, s->inputs->workers,
                                error);
    s->pairs = s->group_count = s->node_count = 0;
    return status;
}

static int score(void *context, const sg_question *block, scadyg_error *error)
{
    pair_scorer *s = context;
    const sg_place place = sg_reader_place(s->inputs, block->step, block->at, block->seen);
    int status = SCADYG_OK;
    for (size_t i = 0; i < block->count && !status; i += SLAB) {
        add_group(s, place, block->src + i, block->dst + i, block->count - i < SLAB ? block->count - i : SLAB);
        status = score_slab(s, block->src + i, block->dst + i, block->question, block->score + i, error);
    }
    return status;
}

/* As many blocks at a time as a slab holds; a larger one goes by itself. */
static int score_many(void *context, const sg_question *blocks, size_t count, scadyg_error *error)
{
    pair_scorer *s = context;
    int status = SCADYG_OK;
    for (size_t first = 0, next; first < count && !status; first = next) {
        size_t pairs = 0;
        for (next = first; next < count && next - first < GROUPS && pairs + blocks[next].count <= SLAB; next++)
            pairs += blocks[next].count;
        if (next <= first + 1) {
            next = first + 1;
            status = score(s, &blocks[first], error);
            continue;
        }
        for (size_t i = first; i < next; i++)
            if (blocks[i].count)
                add_group(s, sg_reader_place(s->inputs, blocks[i].step, blocks[i].at, blocks[i].seen),
                          blocks[i].src, blocks[i].dst, blocks[i].count);
        if (s->pairs)
            status = score_slab(s, blocks[first].src, blocks[first].dst, blocks[first].question,
                                blocks[first].score, error);
    }
    return status;
}

/* An output that nothing was learned for has no answers: the other one's are better than none. */
static void set_outputs(pair_scorer *s)
{
    const double binary = sg_model_binary(s->inputs->model);
    s->output[SG_ASK_ORDER] = binary < 1 ? SG_ORDER : SG_CHANCE;
    s->output[SG_ASK_CHANCE] = binary > 0 ? SG_CHANCE : SG_ORDER;
}

int sg_pair_scorer_share(sg_inputs *inputs, sg_pair_reader *reader, sg_scorer *scorer, scadyg_error *error)
{
    pair_scorer *s = sg_alloc_zero(1, sizeof *s);
    if (!s) return sg_fail_memory(error, "a scorer");
    s->inputs = inputs;
    s->reader = reader ? reader : &s->own;
    set_outputs(s);
    s->slot = sg_alloc(inputs->nodes, sizeof *s->slot);
    int status = s->slot ? SCADYG_OK : sg_fail_memory(error, "a scorer");
    if (!status && !reader) status = sg_pair_reader_open(&s->own, inputs, error);
    if (status) {
        close_scorer(s);
        return status;
    }
    memset(s->slot, 0xFF, inputs->nodes * sizeof *s->slot);
    *scorer = (sg_scorer){"scadyg", s, rewind_scorer, score, close_scorer, score_many};
    return SCADYG_OK;
}

int sg_pair_scorer_open(sg_inputs *inputs, sg_scorer *scorer, scadyg_error *error)
{
    return sg_pair_scorer_share(inputs, NULL, scorer, error);
}
