/*
 * Learning links: one epoch is a pass over the steps of the training part in time order; the cases of a step come in
 * random order, in batches. Batches follow each other, and one of a narrow net takes microseconds, so threads serve only
 * wide nets, inside a batch.
 */
#include "base/hash.h"
#include "base/memory.h"
#include "base/rng.h"
#include "models/scadyg_paper/paper.h"

#include <stdlib.h>
#include <string.h>

/*
 * ---- The cases of a step: its events of the training part, each with a negative of the same source, in random order ----
 *
 * Drawn anew each epoch from (seed, epoch, step), so that any epoch can be made again by itself.
 */

/* Draws for one negative before a collision is left in: some sources meet every node of the pool. */
#define TRIES 20

/* Where training negatives come from. */
typedef struct train_pool {
    uint32_t *nodes; /* in the order of appearance; NULL: that of their numbers */
    size_t *known;   /* [steps]: how many of them have appeared by the end of each step */
} train_pool;

typedef struct link_cases {
    const float *rows;      /* [.][width] */
    uint32_t *left, *right; /* [count]: rows of the ends */
    float *label;           /* [count] */
    size_t count;

    size_t known; /* negatives come from the first of the pool */
    size_t capacity;
    uint64_t *pairs; /* the step's pairs, hashed: [slots], 0: free */
    size_t slots, slot_capacity;
    sg_hash_key key;
    float *own_rows; /* live: the messages of each end at its time */
    uint32_t *nodes; /* live: source, destination, negative of each event */
    size_t own_capacity;
} link_cases;

static void free_cases(link_cases *cases)
{
    SG_FREE(cases->left, cases->right, cases->label, cases->pairs, cases->own_rows, cases->nodes);
    *cases = (link_cases){0};
}

/* ---- The step's pairs, to tell negatives from positives ---- */

static uint64_t pair_of(uint32_t src, uint32_t dst)
{
    return ((uint64_t)src << 32 | dst) + 1; /* 0 stands for a free slot; the last node number is not used */
}

static size_t slot_of(const link_cases *cases, uint64_t pair)
{
    size_t slot = (size_t)sg_hash_number(&cases->key, pair) & (cases->slots - 1);
    while (cases->pairs[slot] && cases->pairs[slot] != pair) slot = (slot + 1) & (cases->slots - 1);
    return slot;
}

static int hash_pairs(link_cases *cases, const sg_columns *columns, uint64_t first, uint64_t end,
                      scadyg_error *error)
{
    size_t slots = 64;
    while (slots < 3 * (size_t)(end - first)) slots *= 2;
    if (sg_grow(&cases->pairs, &cases->slot_capacity, slots, sizeof *cases->pairs))
        return sg_fail_memory(error, "the pairs of a step");
    if (!cases->slots) cases->key = sg_hash_key_draw();
    cases->slots = slots;
    memset(cases->pairs, 0, slots * sizeof *cases->pairs);
    for (uint64_t e = first; e < end; e++) {
        const uint64_t pair = pair_of(columns->src[e], columns->dst[e]);
        cases->pairs[slot_of(cases, pair)] = pair;
    }
    return SCADYG_OK;
}

static uint32_t draw_negative(const link_cases *cases, const train_pool *pool, uint32_t src, sg_rng *rng)
{
    uint32_t node = 0;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t n = sg_rng_below(rng, cases->known);
        node = pool->nodes ? pool->nodes[n] : (uint32_t)n;
        const uint64_t pair = pair_of(src, node);
        if (cases->pairs[slot_of(cases, pair)] != pair) break;
    }
    return node;
}

/* ---- Rows ---- */

/* Stepwise: all messages of the step lie in one table, and a node's row is its number. */
static void list_by_node(link_cases *cases, const sg_columns *columns, const train_pool *pool, uint64_t first,
                         size_t events, sg_rng *rng)
{
    for (size_t i = 0; i < events; i++) {
        const uint32_t src = columns->src[first + i];
        cases->left[2 * i] = cases->left[2 * i + 1] = src;
        cases->right[2 * i] = columns->dst[first + i];
        cases->right[2 * i + 1] = draw_negative(cases, pool, src, rng);
    }
}

/* Live: three rows per event, read at its time. Events of the same time see the same past. */
static int read_at_times(link_cases *cases, sg_past_reader *past, const train_pool *pool, uint64_t first,
                         size_t events, sg_rng *rng, scadyg_error *error)
{
    const sg_columns *columns = &past->rows->view->messages->columns;
    const size_t width = past->rows->view->width;
    if (SG_GROW(&cases->own_capacity, 3 * events, SG_ARRAY(cases->nodes, 1), SG_ARRAY(cases->own_rows, width)))
        return sg_fail_memory(error, "the messages of a step's events");
    for (size_t i = 0; i < events; i++) {
        uint32_t *ends = cases->nodes + 3 * i;
        ends[0] = columns->src[first + i];
        ends[1] = columns->dst[first + i];
        ends[2] = draw_negative(cases, pool, ends[0], rng);
        cases->left[2 * i] = cases->left[2 * i + 1] = (uint32_t)(3 * i);
        cases->right[2 * i] = (uint32_t)(3 * i + 1);
        cases->right[2 * i + 1] = (uint32_t)(3 * i + 2);
    }
    int status = SCADYG_OK;
    for (size_t i = 0, next; i < events && !status; i = next) {
        const double at = columns->time[first + i];
        for (next = i + 1; next < events && columns->time[first + next] == at;) next++;
        status = sg_past_reader_read(past, -1, at, sg_events_before(columns->time, columns->count, at),
                                     cases->nodes + 3 * i, 3 * (next - i), cases->own_rows + 3 * i * width, error);
    }
    cases->rows = cases->own_rows;
    return status;
}

static void swap(uint32_t *a, uint32_t *b)
{
    const uint32_t other = *a;
    *a = *b;
    *b = other;
}

static void shuffle(link_cases *cases, sg_rng *rng)
{
    for (size_t i = cases->count; i > 1; i--) {
        const size_t j = (size_t)sg_rng_below(rng, i);
        const float label = cases->label[j];
        swap(&cases->left[i - 1], &cases->left[j]);
        swap(&cases->right[i - 1], &cases->right[j]);
        cases->label[j] = cases->label[i - 1];
        cases->label[i - 1] = label;
    }
}

/*
 * The cases of events first .. end-1 of a step. Live, the reader follows the log, so steps must be made in order.
 */
static int make_cases(link_cases *cases, sg_past_reader *past, const train_pool *pool, int64_t step, uint64_t first,
                      uint64_t end, uint64_t seed, int64_t epoch, scadyg_error *error)
{
    const sg_columns *columns = &past->rows->view->messages->columns;
    const size_t events = (size_t)(end - first);
    if (SG_GROW(&cases->capacity, 2 * events, SG_ARRAY(cases->left, 1), SG_ARRAY(cases->right, 1),
                SG_ARRAY(cases->label, 1)))
        return sg_fail_memory(error, "the cases of a step");
    cases->count = 2 * events;
    cases->known = pool->known[step];
    sg_rng rng;
    sg_rng_seed(&rng, sg_hash3(seed, (uint64_t)epoch, (uint64_t)step), 1);
    int status = hash_pairs(cases, columns, first, end, error);
    if (!status && !sg_train_of(past->rows->view->model)->stepwise) {
        status = read_at_times(cases, past, pool, first, events, &rng, error);
    } else if (!status) {
        status = sg_node_rows_step(past->rows, step, &cases->rows, error);
        if (!status) list_by_node(cases, columns, pool, first, events, &rng);
    }
    if (status) return status;
    for (size_t i = 0; i < events; i++) {
        cases->label[2 * i] = 1;
        cases->label[2 * i + 1] = 0;
    }
    shuffle(cases, &rng);
    return SCADYG_OK;
}

/* ---- Where training negatives come from ---- */

static void free_pool(train_pool *pool)
{
    SG_FREE(pool->nodes, pool->known);
    *pool = (train_pool){0};
}

static void list_nodes(train_pool *pool, const sg_columns *columns, const sg_steps *steps)
{
    size_t known = 0;
    for (int64_t step = 0; step < steps->count; step++) {
        for (uint64_t e = steps->first[step]; e < steps->first[step + 1]; e++) {
            const uint32_t last = columns->src[e] > columns->dst[e] ? columns->src[e] : columns->dst[e];
            if (last >= known) known = (size_t)last + 1;
        }
        pool->known[step] = known;
    }
}

static int list_destinations(train_pool *pool, const sg_columns *columns, size_t nodes, const sg_steps *steps,
                             scadyg_error *error)
{
    unsigned char *is = sg_alloc_zero(nodes, 1);
    pool->nodes = sg_alloc(nodes, sizeof *pool->nodes);
    if (!is || !pool->nodes) {
        free(is);
        return sg_fail_memory(error, "the destinations");
    }
    size_t known = 0;
    for (int64_t step = 0; step < steps->count; step++) {
        for (uint64_t e = steps->first[step]; e < steps->first[step + 1]; e++) {
            const uint32_t node = columns->dst[e];
            if (!is[node]) pool->nodes[known++] = node;
            is[node] = 1;
        }
        pool->known[step] = known;
    }
    free(is);
    return SCADYG_OK;
}

/* kind: SG_PAPER_POOL_... */
static int make_pool(train_pool *pool, const sg_columns *columns, size_t nodes, const sg_steps *steps, int kind,
                     scadyg_error *error)
{
    *pool = (train_pool){.known = sg_alloc((size_t)steps->count, sizeof *pool->known)};
    if (!pool->known) return sg_fail_memory(error, "the pool of negatives");
    if (kind == SG_PAPER_POOL_DESTINATION) return list_destinations(pool, columns, nodes, steps, error);
    for (int64_t step = 0; step < steps->count; step++) pool->known[step] = nodes;
    if (kind == SG_PAPER_POOL_SEEN) list_nodes(pool, columns, steps);
    return SCADYG_OK;
}

/* ---- The learner ---- */

typedef struct learner {
    sg_training *training;
    scadyg_model *model;
    sg_node_rows rows;
    sg_past_reader past;
    train_pool pool;
    sg_workspace *workspace;
    float *gradient;

    link_cases cases;
    double loss; /* sum over cases */
    uint64_t learned;
} learner;

/* The events of a step that are trained on. Stepwise nothing is known before step 0, so it teaches nothing. */
static int step_events(const learner *l, int64_t epoch, int64_t step, uint64_t *first, uint64_t *end)
{
    const sg_steps *steps = &l->training->view.messages->steps;
    *first = steps->first[step];
    *end = steps->first[step + 1] < l->training->split.train_end ? steps->first[step + 1]
                                                                 : l->training->split.train_end;
    /* A step with something new in it is new. */
    return (step > 0 || !sg_train_of(l->model)->stepwise) && *first < *end &&
           sg_training_learns(l->training, epoch, *end - 1, (uint64_t)step);
}

static void learn_cases(learner *l, sg_optimiser *optimiser)
{
    scadyg_model *model = l->model;
    const link_cases *cases = &l->cases;
    const size_t size = sg_even_batch(cases->count, (size_t)sg_train_of(model)->batch);
    for (size_t begin = 0; begin < cases->count; begin += size) {
        const size_t count = cases->count - begin < size ? cases->count - begin : size;
        l->loss += (double)count * sg_link_gradient(l->workspace, model->values, cases->rows, cases->left + begin,
                                                    cases->right + begin, cases->label + begin, count, l->gradient);
        sg_optimiser_step(optimiser, model->count, model->values, l->gradient);
    }
    l->learned += cases->count / 2;
}

static int learn_epoch(sg_training *training, void *state, int64_t epoch, sg_optimiser *optimiser, double *loss,
                       uint64_t *events, scadyg_error *error)
{
    (void)training;
    learner *l = state;
    const uint64_t seed = (uint64_t)sg_train_of(l->model)->seed;
    int status = SCADYG_OK;
    l->loss = 0;
    l->learned = 0;
    sg_past_reader_rewind(&l->past);
    for (int64_t step = 0; step < l->training->view.messages->steps.count && !status; step++) {
        uint64_t first, end;
        if (!step_events(l, epoch, step, &first, &end)) continue;
        status = sg_training_report(l->training, "learning", l->learned, l->training->split.train_end, error);
        if (!status) status = make_cases(&l->cases, &l->past, &l->pool, step, first, end, seed, epoch, error);
        if (!status) learn_cases(l, optimiser);
    }
    *loss = l->learned ? l->loss / (2 * (double)l->learned) : 0;
    *events = l->learned;
    return status;
}

static void close_learner(void *state)
{
    learner *l = state;
    free_cases(&l->cases);
    sg_past_reader_close(&l->past);
    sg_node_rows_close(&l->rows);
    sg_workspace_close(l->workspace);
    free_pool(&l->pool);
    free(l->gradient);
}

static int open_learner(sg_training *training, sg_learner *out, scadyg_error *error)
{
    learner *l = out->state;
    scadyg_model *model = training->model;
    sg_view *view = &training->view;
    const sg_train_options *options = sg_train_of(model);
    /* Live, every event has its own messages; only the stream makes them. */
    const uint64_t memory = options->stepwise ? sg_context_memory(training->context, 4) : 0;
    l->training = training;
    l->model = model;
    sg_node_rows_open(&l->rows, view);
    int status = training->from ? sg_model_keep_values(model, training->from, error)
                                : sg_paper_shape(model, view->width, 1, error);
    if (!status)
        status = sg_node_rows_prepare(&l->rows, model, training->from ? NULL : &training->split, memory, error);
    if (!status) status = sg_past_reader_open(&l->past, &l->rows, error);
    if (!status)
        status = make_pool(&l->pool, view->columns, view->nodes, &view->messages->steps,
                           sg_paper_options_of(model)->train_pool, error);
    if (!status)
        status = sg_workspace_open(training->context, sg_paper_net(model), 2 * (size_t)options->batch,
                                   &l->workspace, error);
    if (!status && !(l->gradient = sg_alloc_aligned(model->count, sizeof *l->gradient)))
        status = sg_fail_memory(error, "the gradient");
    if (!status && !training->from) sg_net_init(sg_paper_net(model), (uint64_t)options->seed, model->values);
    if (!status) status = sg_paper_link_scorer_share(view, &l->rows, &out->scorer, error);
    out->width = view->width;
    out->bytes = l->rows.bytes;
    out->kept = l->rows.kept != NULL;
    return status;
}

const sg_learning sg_paper_link_learning = {
    .size = sizeof(learner), .open = open_learner, .learn = learn_epoch, .close = close_learner};
