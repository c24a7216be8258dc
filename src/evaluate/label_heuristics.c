/*
 * Heuristics for affinity: the last label of a node, or a moving average of its labels; zeros if it had none. They
 * know only labels that were revealed.
 */
#include "base/memory.h"
#include "evaluate/evaluate.h"

#include <stdlib.h>
#include <string.h>

/* A vector over classes, sparse: most nodes turn to few of them. */
typedef struct memory {
    uint32_t *class_of; /* ascending */
    double *weight;
    size_t count, room, weight_room;
} memory;

typedef struct label_heuristic {
    int kind;
    const sg_labels *labels;
    uint64_t nodes;
    memory *of;    /* [nodes] */
    memory merged; /* the next state of a node, before it takes its place */
} label_heuristic;

static int make_room(memory *m, size_t count)
{
    return sg_grow(&m->class_of, &m->room, count, sizeof *m->class_of) ||
                   sg_grow(&m->weight, &m->weight_room, count, sizeof *m->weight)
               ? -1
               : 0;
}

static void add(memory *m, uint32_t class_of, double weight)
{
    m->class_of[m->count] = class_of;
    m->weight[m->count++] = weight;
}

/* m <- (6 m + y) / 7, or m <- y for a first label and for persistence. */
static int take_label(label_heuristic *h, memory *m, size_t row)
{
    const sg_labels *labels = h->labels;
    const size_t end = labels->first[row + 1];
    const int copy = m->count == 0 || h->kind == SCADYG_MODEL_PERSISTENCE;
    memory *next = &h->merged;
    size_t old = copy ? m->count : 0;
    next->count = 0;
    if (make_room(next, m->count + (end - labels->first[row]))) return -1;
    for (size_t i = labels->first[row]; i < end; i++) {
        const uint32_t class_of = labels->class_of[i];
        const double y = (double)labels->weight[i];
        for (; old < m->count && m->class_of[old] < class_of; old++)
            add(next, m->class_of[old], 6 * m->weight[old] / 7);
        if (copy)
            add(next, class_of, y);
        else if (old < m->count && m->class_of[old] == class_of)
            add(next, class_of, (6 * m->weight[old++] + y) / 7);
        else
            add(next, class_of, y / 7);
    }
    for (; old < m->count; old++) add(next, m->class_of[old], 6 * m->weight[old] / 7);
    memory swap = *m;
    *m = *next;
    *next = swap;
    return 0;
}

static int reveal(void *context, size_t group, scadyg_error *error)
{
    label_heuristic *h = context;
    for (size_t row = h->labels->first_row[group]; row < h->labels->first_row[group + 1]; row++)
        if (take_label(h, &h->of[h->labels->node[row]], row)) return sg_fail_memory(error, "the labels of a node");
    return SCADYG_OK;
}

static int score(void *context, const sg_label_question *block, scadyg_error *error)
{
    (void)error;
    const label_heuristic *h = context;
    const size_t classes = h->labels->classes;
    memset(block->score, 0, block->count * classes * sizeof *block->score);
    for (size_t i = 0; i < block->count; i++) {
        const memory *m = &h->of[block->nodes[i]];
        for (size_t j = 0; j < m->count; j++) block->score[i * classes + m->class_of[j]] = (float)m->weight[j];
    }
    return SCADYG_OK;
}

static int rewind_labels(void *context, scadyg_error *error)
{
    (void)error;
    label_heuristic *h = context;
    for (uint64_t i = 0; i < h->nodes; i++) h->of[i].count = 0;
    return SCADYG_OK;
}

static void close_labels(void *context)
{
    label_heuristic *h = context;
    for (uint64_t i = 0; h->of && i < h->nodes; i++) {
        free(h->of[i].class_of);
        free(h->of[i].weight);
    }
    free(h->merged.class_of);
    free(h->merged.weight);
    free(h->of);
    free(h);
}

int sg_label_heuristic_open(int kind, const sg_labels *labels, uint64_t nodes, sg_label_scorer *scorer,
                            scadyg_error *error)
{
    if (kind != SCADYG_MODEL_PERSISTENCE && kind != SCADYG_MODEL_MOVING_AVERAGE)
        return sg_fail(error, SCADYG_E_USAGE, "this model is not a heuristic for affinity");
    label_heuristic *h = sg_alloc_zero(1, sizeof *h);
    if (!h) return sg_fail_memory(error, "a heuristic");
    *h = (label_heuristic){.kind = kind, .labels = labels, .nodes = nodes};
    h->of = sg_alloc_zero((size_t)nodes, sizeof *h->of);
    if (!h->of) {
        close_labels(h);
        return sg_fail_memory(error, "a heuristic");
    }
    *scorer = (sg_label_scorer){kind == SCADYG_MODEL_PERSISTENCE ? "persistence" : "moving-average",
                                h,
                                rewind_labels,
                                score,
                                reveal,
                                close_labels};
    return SCADYG_OK;
}
