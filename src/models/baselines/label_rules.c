/*
 * Baselines for affinity: the last label of a node, or a moving average of its labels; zeros if it had none. They
 * know only labels that were revealed.
 */
#include "models/baselines/rules.h"

#include "models/kind.h"

#include "base/memory.h"

#include <string.h>

/* What a rule keeps of the past: a mean of all labels, or the last one. */
enum { KEEPS_LAST = 1, KEEPS_MEAN = 2 };

const sg_rule sg_label_rules[SG_LABEL_RULES] = {
    {"persistence", KEEPS_LAST, NULL},
    {"moving-average", KEEPS_MEAN, NULL},
};

const sg_rule *sg_label_rule_find(const char *name)
{
    for (size_t i = 0; i < SG_LABEL_RULES; i++)
        if (strcmp(sg_label_rules[i].name, name) == 0) return &sg_label_rules[i];
    return NULL;
}

/* A vector over classes, sparse: most nodes choose few of them. */
typedef struct memory {
    uint32_t *class_of; /* ascending */
    double *weight;
    size_t count, room;
} memory;

typedef struct label_state {
    const sg_rule *rule;
    const sg_labels *labels;
    uint64_t nodes;
    memory *of;    /* [nodes] */
    memory merged; /* the next state of a node, before it takes its place */
} label_state;

static int grow_memory(memory *m, size_t count)
{
    return SG_GROW(&m->room, count, SG_ARRAY(m->class_of, 1), SG_ARRAY(m->weight, 1));
}

static void add_class(memory *m, uint32_t class_of, double weight)
{
    m->class_of[m->count] = class_of;
    m->weight[m->count++] = weight;
}

/* m <- (6 m + y) / 7, or m <- y for a first label and for persistence. */
static int add_label(label_state *state, memory *m, size_t row)
{
    const sg_labels *labels = state->labels;
    const size_t end = labels->first[row + 1];
    const int copy = m->count == 0 || state->rule->keeps & KEEPS_LAST;
    memory *next = &state->merged;
    size_t old = copy ? m->count : 0;
    next->count = 0;
    if (grow_memory(next, m->count + (end - labels->first[row]))) return -1;
    for (size_t i = labels->first[row]; i < end; i++) {
        const uint32_t class_of = labels->class_of[i];
        const double y = (double)labels->weight[i];
        for (; old < m->count && m->class_of[old] < class_of; old++)
            add_class(next, m->class_of[old], 6 * m->weight[old] / 7);
        if (copy)
            add_class(next, class_of, y);
        else if (old < m->count && m->class_of[old] == class_of)
            add_class(next, class_of, (6 * m->weight[old++] + y) / 7);
        else
            add_class(next, class_of, y / 7);
    }
    for (; old < m->count; old++) add_class(next, m->class_of[old], 6 * m->weight[old] / 7);
    memory swap = *m;
    *m = *next;
    *next = swap;
    return 0;
}

static int reveal_group(void *context, size_t group, scadyg_error *error)
{
    label_state *state = context;
    for (size_t row = state->labels->first_row[group]; row < state->labels->first_row[group + 1]; row++)
        if (add_label(state, &state->of[state->labels->node[row]], row))
            return sg_fail_memory(error, "the labels of a node");
    return SCADYG_OK;
}

static int score_nodes(void *context, const sg_label_question *question, scadyg_error *error)
{
    (void)error;
    const label_state *state = context;
    const size_t classes = state->labels->classes;
    memset(question->score, 0, question->count * classes * sizeof *question->score);
    for (size_t i = 0; i < question->count; i++) {
        const memory *m = &state->of[question->nodes[i]];
        for (size_t j = 0; j < m->count; j++) question->score[i * classes + m->class_of[j]] = (float)m->weight[j];
    }
    return SCADYG_OK;
}

static int rewind_rule(void *context, scadyg_error *error)
{
    (void)error;
    label_state *state = context;
    for (uint64_t i = 0; i < state->nodes; i++) state->of[i].count = 0;
    return SCADYG_OK;
}

static void close_rule(void *context)
{
    label_state *state = context;
    for (uint64_t i = 0; state->of && i < state->nodes; i++) {
        SG_FREE(state->of[i].class_of, state->of[i].weight);
    }
    SG_FREE(state->merged.class_of, state->merged.weight, state->of, state);
}

int sg_label_rule_open(const sg_rule *rule, const sg_labels *labels, uint64_t nodes, sg_label_scorer *scorer,
                       scadyg_error *error)
{
    label_state *state = sg_alloc_zero(1, sizeof *state);
    if (!state) return sg_fail_memory(error, "a baseline");
    *state = (label_state){.rule = rule, .labels = labels, .nodes = nodes};
    state->of = sg_alloc_zero((size_t)nodes, sizeof *state->of);
    if (!state->of) {
        close_rule(state);
        return sg_fail_memory(error, "a baseline");
    }
    *scorer = (sg_label_scorer){.name = rule->name,
                                .context = state,
                                .rewind = rewind_rule,
                                .score = score_nodes,
                                .reveal = reveal_group,
                                .close = close_rule};
    return SCADYG_OK;
}

/* ---- As model kinds ---- */

typedef struct rule_options {
    sg_train_options train;
} rule_options;

static int open_rule(const sg_kind *kind, sg_view *view, const sg_labels *labels, sg_label_scorer *scorer,
                     scadyg_error *error)
{
    return sg_label_rule_open(sg_label_rule_find(kind->shown.name), labels, view->nodes, scorer, error);
}

/* Derived labels are those of steps. */
#define LABEL_RULE(symbol, name_, summary_)                                                                        \
    static const sg_option symbol##_table[] = {SG_ROWS_KIND(rule_options, name_, "affinity"),                      \
                                               SG_ROWS_LABELS(rule_options),                                       \
                                               SG_MESSAGES_STEP_OPTIONS(rule_options, train.messages)};            \
    static const sg_option_set symbol##_set = SG_OPTION_SET(name_, symbol##_table, rule_options, NULL);            \
    const sg_kind sg_kind_##symbol = {.shown = {name_, "affinity", summary_, 0},                                   \
                                      .task = SG_TASK_AFFINITY,                                                    \
                                      .options = &symbol##_set,                                                    \
                                      .reads = SG_READS_STEPS,                                                     \
                                      .label_scorer_open = open_rule,                                              \
                                      .needs_labels = 1,                                                           \
                                      .shares = 1}

LABEL_RULE(persistence, "persistence", "baseline: the last label of the node");
LABEL_RULE(moving_average, "moving-average", "baseline: a moving average of the labels of the node");
