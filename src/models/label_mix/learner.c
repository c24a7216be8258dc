/*
 * The default model for affinity: learning, and answering.
 *
 * An epoch follows the label times of the training part in their order, the nodes of each in random order, in batches;
 * then the labels of that time become part of the past. So nothing but the past is kept, and what is learned last is what
 * happened last.
 */
#include "base/memory.h"
#include "messages/pairs/label_past.h"
#include "models/label_mix/label_mix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * ---- The state of labels, in fixed pieces over threads ----
 *
 * Their past up to a label time, and everything that is asked of nodes there. One
 * code path for learning, validation, evaluation and prediction, so all of them see the same numbers.
 *
 * Of a pair (u, c) the net reads, each as log(1 + share / LEAST) brought to about -1 .. 1: u's averages on c, c's
 * popularity, and, where classes are nodes, c's averages on u; and how many labels u has had. Of a node: that number,
 * how concentrated its averages are, and its message.
 */

enum { K = SG_LABEL_RATES, READ = 2 * K - 1, PIECE = 8, PIECES = 32 };

/* A share of this size is barely one. */
#define LEAST 1e-4f
#define FINEST 1e-6f

/* Multiplications worth another thread: see models/scadyg_paper/infer.c. */
#define WORTH_A_THREAD ((size_t)1 << 23)

/* Scratch memory of up to PIECE nodes, one after the other. */
typedef struct mix_piece {
    float *x, *summary; /* [most][pair], [summary] */
    size_t x_room;
    sg_mix_scratch scratch;
    float *gradient; /* [count] */
    double loss;
} mix_piece;

typedef struct label_state {
    const scadyg_model *model;
    const sg_labels *labels;
    scadyg_context *context;
    sg_label_past past;
    sg_mix_shared shared;
    float *popular_x; /* [classes][rates]: popularity as the net reads it */
    int settled;      /* whether popular_x is that of the past as it is */
    mix_piece *pieces;
} label_state;

/* ---- What the net reads ---- */

static float scaled(float share)
{
    return 0.25f * logf(1 + share / LEAST) - 1;
}

/* A change in units of the usual noise, between -1 and 1. */
static float squashed(float change)
{
    return change / (1 + fabsf(change));
}

/* Shares at all rates, coarsely, and what changes from a rate to the next slower one, finely: x[READ]. */
static void read_shares(const float *average, float noise, float *x)
{
    float fine[K];
    for (size_t k = 0; k < K; k++) {
        x[k] = scaled(average[k]);
        fine[k] = logf(average[k] + FINEST);
    }
    for (size_t k = 0; k + 1 < K; k++) x[K + k] = squashed((fine[k] - fine[k + 1]) / noise);
}

static void settle_popularity(label_state *state)
{
    const sg_label_memory *all = &state->past.all;
    const float noise = (float)sg_label_mix_of(state->model)->noise;
    if (state->settled) return;
    for (size_t c = 0; c < all->count; c++) read_shares(all->average + c * K, noise, state->popular_x + c * READ);
    state->settled = 1;
}

static float seen_of(const sg_label_memory *m)
{
    return 0.25f * logf(1 + (float)m->labels);
}

/* One pair, x[pair]. */
static void read_pair(const label_state *state, uint32_t node, size_t n, float *x)
{
    const sg_label_past *past = &state->past;
    const sg_mix_net *mix = &sg_label_mix_of(state->model)->net;
    const sg_label_memory *m = &past->of[node];
    const uint32_t class_of = m->class_of[n];
    read_shares(m->average + n * K, (float)sg_label_mix_of(state->model)->noise, x);
    x += READ;
    if (mix->popularity) {
        memcpy(x, state->popular_x + class_of * READ, READ * sizeof *x);
        x += READ;
    }
    if (mix->reverse) {
        const uint32_t other = past->node_of_class[class_of], own = past->class_of_node[node];
        const float *average =
            other < past->nodes && own != SG_NO_CLASS ? sg_label_past_find(past, other, own) : NULL;
        for (size_t k = 0; k < K; k++) *x++ = average ? scaled(average[k]) : -1;
        *x++ = own == class_of; /* itself */
    }
    *x = seen_of(m);
}

static void read_summary(const label_state *state, uint32_t node, const float *message, float *summary)
{
    const sg_mix_net *mix = &sg_label_mix_of(state->model)->net;
    const sg_label_memory *m = &state->past.of[node];
    summary[0] = 1;
    summary[1] = seen_of(m);
    for (size_t k = 0; k < K; k++) {
        float square = 0;
        for (size_t n = 0; n < m->count; n++) square += m->average[n * K + k] * m->average[n * K + k];
        summary[2 + k] = 2 * scaled(square);
    }
    memcpy(summary + 2 + K, message, (mix->summary - 2 - K) * sizeof *summary);
}

static sg_mix_node read_node(const label_state *state, uint32_t node, const float *message, mix_piece *piece)
{
    const sg_label_memory *m = &state->past.of[node];
    const size_t pair = sg_label_mix_of(state->model)->net.pair;
    for (size_t n = 0; n < m->count; n++) read_pair(state, node, n, piece->x + n * pair);
    read_summary(state, node, message, piece->summary);
    return (sg_mix_node){m->count, m->class_of, m->average, piece->x, piece->summary};
}

/* ---- Pieces ---- */

typedef struct job {
    label_state *state;
    const uint32_t *nodes; /* or rows of the labels */
    const float *messages;
    size_t count;
    float *score;
    float share;
} job;

static size_t piece_end(const job *work, size_t i)
{
    return work->count < (i + 1) * PIECE ? work->count : (i + 1) * PIECE;
}

static void score_piece(void *data, size_t worker, size_t i)
{
    (void)worker;
    const job *work = data;
    label_state *state = work->state;
    mix_piece *piece = &state->pieces[i];
    const size_t width = state->model->width, classes = state->labels->classes;
    for (size_t at = i * PIECE; at < piece_end(work, i); at++) {
        const sg_mix_node node = read_node(state, work->nodes[at], work->messages + at * width, piece);
        sg_mix_scores(&state->shared, &node, &piece->scratch, work->score + at * classes);
    }
}

static void learn_piece(void *data, size_t worker, size_t i)
{
    (void)worker;
    const job *work = data;
    label_state *state = work->state;
    const sg_labels *labels = state->labels;
    mix_piece *piece = &state->pieces[i];
    const size_t width = state->model->width;
    piece->loss = 0;
    memset(piece->gradient, 0, sg_label_mix_of(state->model)->net.count * sizeof *piece->gradient);
    for (size_t at = i * PIECE; at < piece_end(work, i); at++) {
        const size_t row = work->nodes[at], first = labels->first[row];
        const sg_mix_node node = read_node(state, labels->node[row], work->messages + row * width, piece);
        const sg_mix_label label = {labels->first[row + 1] - first, labels->class_of + first,
                                    labels->weight + first};
        piece->loss +=
            sg_mix_gradient(&state->shared, &node, &label, work->share, &piece->scratch, piece->gradient);
    }
}

/* Makes room in the pieces for these nodes, and says whether they are worth other threads. */
static int make_room(label_state *state, const job *work, int rows, scadyg_context **context, scadyg_error *error)
{
    const sg_mix_net *mix = &sg_label_mix_of(state->model)->net;
    size_t most = 1, all = 0;
    for (size_t i = 0; i < work->count; i++) {
        const uint32_t node = rows ? state->labels->node[work->nodes[i]] : work->nodes[i];
        const size_t count = state->past.of[node].count;
        most = count > most ? count : most;
        all += count;
    }
    for (size_t i = 0; i * PIECE < work->count; i++) {
        mix_piece *piece = &state->pieces[i];
        if (sg_grow(&piece->x, &piece->x_room, most * mix->pair, sizeof *piece->x))
            return sg_fail_memory(error, "the classes of a node");
        int status = sg_mix_scratch_room(&piece->scratch, mix, state->labels->classes, most, error);
        if (status) return status;
    }
    *context = all * mix->pair * mix->hidden < WORTH_A_THREAD ? NULL : state->context;
    return SCADYG_OK;
}

/* Scores [count][classes] of nodes with messages [count][width]. */
static int score_nodes(label_state *state, const uint32_t *nodes, const float *messages, size_t count, float *score,
                       scadyg_error *error)
{
    const scadyg_model *model = state->model;
    const size_t classes = state->labels->classes, width = model->width;
    settle_popularity(state);
    int status = sg_mix_share(&state->shared, &sg_label_mix_of(model)->net, model->values, state->past.all.average,
                              classes, error);
    for (size_t at = 0; at < count && !status; at += PIECE * PIECES) {
        const size_t left = count - at < PIECE * PIECES ? count - at : PIECE * PIECES;
        job work = {state, nodes + at, messages + at * width, left, score + at * classes, 0};
        scadyg_context *context = NULL;
        status = make_room(state, &work, 0, &context, error);
        if (!status) sg_parallel_for(context, (left + PIECE - 1) / PIECE, score_piece, &work);
    }
    return status;
}

/*
 * The mean loss of rows of the labels, all of the label time that comes next, with messages[row][width] of all rows,
 * at these values of the net; writes its gradient.
 */
static int state_gradient(label_state *state, const float *values, const uint32_t *rows, const float *messages,
                          size_t count, double *loss, float *gradient, scadyg_error *error)
{
    const scadyg_model *model = state->model;
    const size_t size = sg_label_mix_of(model)->net.count;
    double sum = 0;
    settle_popularity(state);
    memset(gradient, 0, size * sizeof *gradient);
    int status = sg_mix_share(&state->shared, &sg_label_mix_of(model)->net, values, state->past.all.average,
                              state->labels->classes, error);
    for (size_t at = 0; at < count && !status; at += PIECE * PIECES) {
        const size_t left = count - at < PIECE * PIECES ? count - at : PIECE * PIECES;
        const size_t pieces = (left + PIECE - 1) / PIECE;
        job work = {state, rows + at, messages, left, NULL, 1 / (float)count};
        scadyg_context *context = NULL;
        status = make_room(state, &work, 1, &context, error);
        if (status) break;
        sg_parallel_for(context, pieces, learn_piece, &work);
        for (size_t i = 0; i < pieces; i++) {
            sum += state->pieces[i].loss;
            for (size_t j = 0; j < size; j++) gradient[j] += state->pieces[i].gradient[j];
        }
    }
    *loss = sum / (double)count;
    return status;
}

/* ---- Opened, moved on, closed ---- */

static int open_past(label_state *state, scadyg_events *events, scadyg_error *error)
{
    const scadyg_model *model = state->model;
    double rate[K];
    uint32_t *node = NULL;
    int status = SCADYG_OK;
    sg_label_mix_rates(model, rate);
    if (sg_label_mix_of(model)->net.reverse) {
        node = sg_alloc(model->classes, sizeof *node);
        if (!node) return sg_fail_memory(error, "the classes");
        status = sg_labels_class_nodes(events, model->class_names, model->classes, node, error);
    }
    if (!status) status = sg_label_past_open(&state->past, events->shape.nodes, model->classes, rate, node, error);
    free(node);
    return status;
}

static int open_pieces(label_state *state, scadyg_error *error)
{
    const sg_mix_net *mix = &sg_label_mix_of(state->model)->net;
    state->popular_x = sg_alloc_zero(state->model->classes * READ, sizeof *state->popular_x);
    state->pieces = sg_alloc_zero(PIECES, sizeof *state->pieces);
    if (!state->popular_x || !state->pieces) return sg_fail_memory(error, "the classes");
    for (size_t i = 0; i < PIECES; i++) {
        state->pieces[i].summary = sg_alloc(mix->summary, sizeof(float));
        state->pieces[i].gradient = sg_alloc(mix->count, sizeof(float));
        if (!state->pieces[i].summary || !state->pieces[i].gradient) return sg_fail_memory(error, "a batch");
    }
    return SCADYG_OK;
}

static void close_state(label_state *state)
{
    for (size_t i = 0; state->pieces && i < PIECES; i++) {
        SG_FREE(state->pieces[i].x, state->pieces[i].summary, state->pieces[i].gradient);
        sg_mix_scratch_free(&state->pieces[i].scratch);
    }
    sg_label_past_close(&state->past);
    sg_mix_shared_free(&state->shared);
    SG_FREE(state->popular_x, state->pieces);
    *state = (label_state){0};
}

/* The model has its net and classes; labels, the model and its values must stay. */
static int open_state(scadyg_context *context, label_state *state, const scadyg_model *model, scadyg_events *events,
                      const sg_labels *labels, scadyg_error *error)
{
    *state = (label_state){.model = model, .labels = labels, .context = context};
    state->shared.noise = (float)sg_label_mix_of(model)->noise;
    int status = open_past(state, events, error);
    if (!status) status = open_pieces(state, error);
    if (status) close_state(state);
    return status;
}

static void clear_state(label_state *state)
{
    state->settled = 0;
    sg_label_past_clear(&state->past);
}

static int add_labels(label_state *state, size_t group, scadyg_error *error)
{
    state->settled = 0;
    return sg_label_past_add(&state->past, state->labels, group, error);
}

#define SHUFFLE ((uint64_t)0xAFF2 << 48) /* streams of random numbers: with epoch and label time below */

/* ---- The scorer ---- */

typedef struct label_scorer {
    sg_label_source source;
    label_state own; /* unless it is the caller's */
    label_state *state;
} label_scorer;

static int rewind_scorer(void *context, scadyg_error *error)
{
    label_scorer *s = context;
    (void)error;
    sg_label_source_rewind(&s->source);
    clear_state(s->state);
    return SCADYG_OK;
}

static int reveal_labels(void *context, size_t group, scadyg_error *error)
{
    return add_labels(((label_scorer *)context)->state, group, error);
}

static void close_scorer(void *context)
{
    label_scorer *s = context;
    sg_label_source_close(&s->source);
    close_state(&s->own);
    free(s);
}

static int score_question(void *context, const sg_label_question *question, scadyg_error *error)
{
    label_scorer *s = context;
    int status = sg_label_source_read(&s->source, question, error);
    if (!status)
        status = score_nodes(s->state, question->nodes, s->source.rows, question->count, question->score, error);
    return status;
}

/* rows and state: those of a learner; NULL: of its own, from the log and the labels. */
static int open_scorer(sg_view *view, const sg_labels *labels, const sg_label_rows *rows, label_state *state,
                       sg_label_scorer *scorer, scadyg_error *error)
{
    label_scorer *s = sg_alloc_zero(1, sizeof *s);
    if (!s) return sg_fail_memory(error, "a scorer");
    s->state = state ? state : &s->own;
    int status = sg_label_source_open(&s->source, view, rows, error);
    if (!status && !state) status = open_state(view->context, &s->own, view->model, view->events, labels, error);
    if (status) {
        close_scorer(s);
        return status;
    }
    *scorer = (sg_label_scorer){
        view->model->kind->shown.name, s, rewind_scorer, score_question, reveal_labels, close_scorer};
    return SCADYG_OK;
}

int sg_label_mix_scorer_open(const sg_kind *kind, sg_view *view, const sg_labels *labels, sg_label_scorer *scorer,
                             scadyg_error *error)
{
    (void)kind;
    return open_scorer(view, labels, NULL, NULL, scorer, error);
}

int sg_label_mix_embed(void *scorer, const sg_nodes_asked *asked, float *out, scadyg_error *error)
{
    return sg_label_source_ask(&((label_scorer *)scorer)->source, asked, out, error);
}

/* ---- An epoch ---- */

typedef struct learner {
    sg_training *training;
    scadyg_model *model;
    sg_label_rows rows;
    label_state state;
    uint32_t *order; /* [rows to learn from] */
    float *gradient; /* [count] */
} learner;

/* Weight decay is for the head alone: a mixture has nothing to gain from being near to even. */
static void spare_mixture(learner *l, const float *values, double decay)
{
    for (size_t i = 0; i < sg_label_mix_of(l->model)->net.v; i++) l->gradient[i] -= (float)decay * values[i];
}

/* Small steps: the start is good, and the labels of a time are alike. */
#define NODES_MOST 32

/* One label time. */
static int learn_group(learner *l, int64_t epoch, size_t group, sg_optimiser *optimiser, double *sum,
                       scadyg_error *error)
{
    scadyg_model *model = l->model;
    const size_t begin = l->training->labels.first_row[group], end = l->training->labels.first_row[group + 1];
    const size_t batch = sg_train_of(model)->batch < NODES_MOST ? (size_t)sg_train_of(model)->batch : NODES_MOST;
    int status = SCADYG_OK;
    sg_shuffle_rows(l->order, begin, end, (uint64_t)sg_train_of(model)->seed,
                    SHUFFLE ^ (uint64_t)epoch << 32 ^ begin);
    for (size_t at = begin; at < end && !status; at += batch) {
        const size_t count = end - at < batch ? end - at : batch;
        const float *values = sg_optimiser_at(optimiser, model->values);
        double loss = 0;
        status =
            state_gradient(&l->state, values, l->order + at, l->rows.messages, count, &loss, l->gradient, error);
        if (status) break;
        spare_mixture(l, values, optimiser->adam.weight_decay);
        sg_optimiser_step(optimiser, model->count, model->values, l->gradient);
        *sum += loss * (double)count;
    }
    return status;
}

static int learn_epoch(sg_training *training, void *state, int64_t epoch, sg_optimiser *optimiser, double *loss,
                       uint64_t *cases, scadyg_error *error)
{
    (void)training;
    learner *l = state;
    const size_t train = l->training->label_split.train;
    const size_t *first_row = l->training->labels.first_row;
    double sum = 0;
    uint64_t learned = first_row[1]; /* labels: one node at one label time each */
    int status = SCADYG_OK;
    clear_state(&l->state);
    for (size_t group = 0; group < train && !status; group++) {
        status = sg_training_report(l->training, "learning", group, train, error);
        /* Before the first labels there is nothing to tell classes apart by. */
        if (!status && group > 0 && sg_training_learns(l->training, epoch, first_row[group], group)) {
            status = learn_group(l, epoch, group, optimiser, &sum, error);
            learned += first_row[group + 1] - first_row[group];
        }
        if (!status) status = add_labels(&l->state, group, error);
    }
    *loss = sum / (double)learned;
    *cases = learned;
    return status;
}

/* ---- Before the first epoch ---- */

/* The values of a start, by its number. */
static void begin_with(scadyg_model *model, uint64_t number)
{
    static const double others[SG_MIX_OTHERS] = {0.003, 0.01};
    const uint64_t i = number / SG_MIX_OTHERS;
    const sg_mix_start start = {i / 2, (i + 1) / 2, others[number % SG_MIX_OTHERS]};
    sg_mix_net_init(&sg_label_mix_of(model)->net, (uint64_t)sg_train_of(model)->seed, &start, model->values);
}

/* It begins with the moving average, or the mean of two next to each other, that does best on the validation part. */
static int choose_start(learner *l, const sg_learner *out, scadyg_error *error)
{
    const scadyg_model *chosen = l->training->chosen;
    sg_label_mix_own *own = sg_label_mix_of(l->model);
    double most = -INFINITY;
    sg_validated found = {0};
    int status = SCADYG_OK;
    own->start = chosen ? sg_label_mix_of(chosen)->start : 0;
    for (uint64_t number = 0; !chosen && number < SG_MIX_STARTS && !status; number++) {
        begin_with(l->model, number);
        status = sg_validate(l->training, out, &found, error);
        if (found.score > most) own->start = number;
        most = fmax(most, found.score);
    }
    free(found.each);
    begin_with(l->model, own->start);
    return status;
}

static void close_learner(void *state)
{
    learner *l = state;
    sg_label_rows_free(&l->rows);
    close_state(&l->state);
    SG_FREE(l->order, l->gradient);
}

/* How often labels come, over which time, and how much they vary. */
static int measure_labels(learner *l, scadyg_error *error)
{
    const sg_labels *labels = &l->training->labels;
    const size_t train = l->training->label_split.train;
    sg_label_mix_own *own = sg_label_mix_of(l->model);
    int status = sg_label_gap(labels, train, &own->gap, error);
    if (!status) status = sg_label_noise(labels, train, l->training->view.nodes, &own->noise, error);
    own->span = labels->time[train - 1] - labels->time[0];
    return status;
}

static int open_learner(sg_training *training, sg_learner *out, scadyg_error *error)
{
    learner *l = out->state;
    scadyg_model *model = training->model;
    const sg_labels *labels = &training->labels;
    l->training = training;
    l->model = model;
    out->start_counts = out->kept = 1;
    int status = training->from ? sg_model_keep_values(model, training->from, error)
                                : sg_label_mix_shape(model, training->view.width, error);
    if (!status) status = sg_label_rows_make(&l->rows, training, error);
    if (!status && !training->from) status = measure_labels(l, error);
    if (!status) status = open_state(training->context, &l->state, model, training->view.events, labels, error);
    if (status) return status;
    l->order = sg_alloc(labels->first_row[training->label_split.train], sizeof *l->order);
    l->gradient = sg_alloc_aligned(model->count, sizeof *l->gradient);
    if (!l->order || !l->gradient) return sg_fail_memory(error, "the training");
    out->width = l->rows.width;
    out->bytes = (uint64_t)l->rows.count * l->rows.width * sizeof *l->rows.messages;
    status = open_scorer(&training->view, labels, &l->rows, &l->state, &out->label_scorer, error);
    return status || training->from ? status : choose_start(l, out, error);
}

const sg_learning sg_label_mix_learning = {
    .size = sizeof(learner), .open = open_learner, .learn = learn_epoch, .close = close_learner};
