/* The default model for links as a scorer, and what else it can say. */
#include "models/scadyg/one_source.h"
#include "models/scadyg/retrieve.h"

#include "base/memory.h"
#include "models/baselines/rules.h"
#include "nn/kernels.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX
#define GROUPS 4096
#define SLAB                                                                                                       \
    SG_ONE_SOURCE_SLAB /* pairs at a time, so that their rows stay in the cache and memory does not grow with a block */

typedef struct pair_scorer {
    sg_view *view;
    sg_pair_reader *reader;
    sg_pair_reader own;  /* unless it is the caller's */
    int output[SG_ASKS]; /* of the net, for each question */
    double rates[SG_RATES];
    sg_pair_parts parts;
    sg_scorer rule;     /* that the model answers as; without a function: none */
    uint32_t *slot;     /* [nodes]: the row of a node in this slab; NONE */
    sg_one_source *one; /* made when needed */
    sg_retriever *retriever, *own_retriever;
    /* The slab being put together. */
    size_t pairs, group_count, node_count;
    sg_ledger_group groups[GROUPS];
    size_t node_first[GROUPS + 1];
    uint32_t nodes[2 * SLAB], left[SLAB], right[SLAB];
    unsigned char outputs[SLAB];
    uint32_t rest_src[SLAB], rest_dst[SLAB];
    double rest_score[SLAB];
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
    if (s->rule.close) s->rule.close(s->rule.context);
    sg_one_source_close(s->one);
    sg_retriever_close(s->own_retriever);
    sg_pair_reader_close(&s->own);
    SG_FREE(s->slot, s);
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
static void add_group(pair_scorer *s, const sg_question *question, size_t first, size_t count)
{
    const sg_place place = sg_reader_place(s->view, question->step, question->at, question->seen);
    const uint32_t *src = question->src + first, *dst = question->dst + first;
    const size_t begin = s->node_count;
    for (size_t i = 0; i < count; i++) {
        s->left[s->pairs + i] = row_of(s, src[i]);
        s->right[s->pairs + i] = row_of(s, dst[i]);
        s->outputs[s->pairs + i] = (unsigned char)s->output[question->ask];
    }
    for (size_t i = begin; i < s->node_count; i++) s->slot[s->nodes[i]] = NONE;
    s->groups[s->group_count++] = (sg_ledger_group){place.seen, place.at, s->pairs, s->pairs + count};
    s->node_first[s->group_count] = s->node_count;
    s->pairs += count;
}

/* Reads the slab, whose pairs begin at src and dst, and scores it. */
static int score_slab(pair_scorer *s, const uint32_t *src, const uint32_t *dst, double *score, scadyg_error *error)
{
    const scadyg_model *model = s->view->model;
    const sg_read_plan read_plan = {.groups = s->groups,
                                    .count = s->group_count,
                                    .src = src,
                                    .dst = dst,
                                    .nodes = s->nodes,
                                    .node_first = s->node_first};
    int status = sg_pair_reader_run(s->reader, &read_plan, error);
    const sg_pair_rows rows = {.nodes = s->reader->nodes,
                               .node_count = s->node_count,
                               .left = s->left,
                               .right = s->right,
                               .between = s->reader->between,
                               .count = s->pairs,
                               .compared = sg_scadyg_of(model)->compared,
                               .parts = s->parts.at ? s->parts.at + s->parts.used * (SG_OUTPUTS - 1) : NULL,
                               .output = s->outputs};
    s->parts.used += s->pairs;
    if (!status)
        status = sg_pair_scores(s->view->context, &sg_scadyg_of(model)->net, model->values, &rows, SG_ORDER, score,
                                error);
    s->pairs = s->group_count = s->node_count = 0;
    return status;
}

/* Whether there is one source with many destinations, and pairs with nothing between can be told. */
static int is_of_one_source(const pair_scorer *s, const sg_question *question)
{
    if (question->count < SG_ONE_SOURCE_LEAST || s->parts.at || !sg_near_can(s->reader->ledger)) return 0;
    for (size_t i = 1; i < question->count; i++)
        if (question->src[i] != question->src[0]) return 0;
    return 1;
}

/* The pairs of a slab that have something between, which begins at pair `first`. */
static int score_rest(pair_scorer *s, const sg_question *question, size_t first, scadyg_error *error)
{
    const sg_one_source *one = s->one;
    sg_question rest = *question;
    rest.src = s->rest_src;
    rest.dst = s->rest_dst;
    for (size_t i = 0; i < one->rest_count; i++) {
        s->rest_src[i] = question->src[0];
        s->rest_dst[i] = question->dst[first + one->rest[i]];
    }
    add_group(s, &rest, 0, one->rest_count);
    int status = score_slab(s, rest.src, rest.dst, s->rest_score, error);
    for (size_t i = 0; i < one->rest_count && !status; i++)
        question->score[first + one->rest[i]] = s->rest_score[i];
    return status;
}

static int score_one_source(pair_scorer *s, const sg_question *question, scadyg_error *error)
{
    int status = s->one ? SCADYG_OK : sg_one_source_open(&s->one, s->reader, s->reader == &s->own, error);
    if (!status)
        status = sg_one_source_begin(s->one, sg_reader_place(s->view, question->step, question->at, question->seen),
                                     question->src[0], question->count, error);
    for (size_t i = 0; i < question->count && !status; i += SLAB) {
        const size_t count = question->count - i < SLAB ? question->count - i : SLAB;
        status = sg_one_source_score(s->one, question->dst + i, count, s->output[question->ask],
                                     question->score + i, error);
        if (!status && s->one->rest_count) status = score_rest(s, question, i, error);
    }
    return status;
}

static int score_question(void *context, const sg_question *question, scadyg_error *error)
{
    pair_scorer *s = context;
    int status = SCADYG_OK;
    if (is_of_one_source(s, question)) return score_one_source(s, question, error);
    for (size_t i = 0; i < question->count && !status; i += SLAB) {
        add_group(s, question, i, question->count - i < SLAB ? question->count - i : SLAB);
        status = score_slab(s, question->src + i, question->dst + i, question->score + i, error);
    }
    return status;
}

/* As many questions at a time as a slab holds; a larger one goes by itself. */
static int score_many(void *context, const sg_question *questions, size_t count, scadyg_error *error)
{
    pair_scorer *s = context;
    int status = SCADYG_OK;
    for (size_t first = 0, next; first < count && !status; first = next) {
        size_t pairs = 0;
        for (next = first; next < count && next - first < GROUPS && pairs + questions[next].count <= SLAB; next++)
            pairs += questions[next].count;
        if (next <= first + 1) {
            next = first + 1;
            status = score_question(s, &questions[first], error);
            continue;
        }
        for (size_t i = first; i < next; i++)
            if (questions[i].count) add_group(s, &questions[i], 0, questions[i].count);
        if (s->pairs)
            status = score_slab(s, questions[first].src, questions[first].dst, questions[first].score, error);
    }
    return status;
}

/* An output that nothing was learned for has no answers: another one's are better than none. Stepwise, chances are learned
 * against random pairs only. */
static void set_outputs(pair_scorer *s)
{
    const double binary = sg_scadyg_binary(s->view->model);
    static const int chance[] = {SG_CHANCE, SG_CHANCE_RANDOM, SG_CHANCE_MET, SG_CHANCE_LATE};
    const int random_only = sg_train_of(s->view->model)->stepwise;
    s->output[SG_ASK_ORDER] = binary < 1 ? SG_ORDER : random_only ? SG_CHANCE_RANDOM : SG_CHANCE;
    for (int ask = SG_ASK_CHANCE; ask < SG_ASKS; ask++)
        s->output[ask] = !(binary > 0) ? SG_ORDER : random_only ? SG_CHANCE_RANDOM : chance[ask - SG_ASK_CHANCE];
}

#define ASKED 128 /* pairs of an event that is evaluated, at most about */

/* The ledger with as many pairs and vectors as the log can have, keys and slots of the nodes; the rows of a slab, and what a net
 * that is larger than by default makes of them. */
double sg_scadyg_bytes(const scadyg_model *model, const scadyg_shape *shape)
{
    const uint64_t asked = shape->events < SLAB / ASKED ? ASKED * shape->events : SLAB;
    const sg_ledger_options ledger = sg_scadyg_ledger(model);
    const double more = fmax(0, (double)sg_scadyg_of(model)->net.hidden - SG_SCADYG_HIDDEN);
    const uint64_t chosen = shape->nodes < shape->events ? shape->nodes : shape->events; /* or choosing, at most */
    return (double)sg_ledger_bytes(&ledger, shape->nodes, chosen) + 12 * (double)shape->nodes +
           (double)sg_ledger_vector_bytes(&ledger, chosen) +
           (double)sg_ledger_store_bytes(&ledger, shape->nodes, shape->events) +
           (double)sg_one_source_bytes(model, shape->nodes) +
           (double)sg_pair_reader_bytes(model, (sg_read_size){asked, 2 * asked}) + SLAB * more * 4 * sizeof(float);
}

int sg_scadyg_scorer_share(sg_view *view, sg_pair_reader *reader, sg_scorer *scorer, scadyg_error *error)
{
    pair_scorer *s = sg_alloc_zero(1, sizeof *s);
    if (!s) return sg_fail_memory(error, "a scorer");
    s->view = view;
    s->reader = reader ? reader : &s->own;
    set_outputs(s);
    s->slot = sg_alloc(view->nodes, sizeof *s->slot);
    int status = s->slot ? SCADYG_OK : sg_fail_memory(error, "a scorer");
    if (!status && !reader) status = sg_pair_reader_open(&s->own, view, error);
    if (status) {
        close_scorer(s);
        return status;
    }
    memset(s->slot, 0xFF, view->nodes * sizeof *s->slot);
    *scorer =
        (sg_scorer){view->model->kind->shown.name, s, rewind_scorer, score_question, close_scorer, score_many};
    return SCADYG_OK;
}

uint64_t sg_scadyg_scorer_used(const sg_scorer *scorer)
{
    const pair_scorer *s = scorer->context;
    return sg_ledger_used(s->reader->ledger);
}

sg_pair_parts *sg_scadyg_scorer_parts(const sg_scorer *scorer)
{
    pair_scorer *s = scorer->context;
    return &s->parts;
}

/* ---- Retrieval ---- */

void sg_scadyg_scorer_retriever(const sg_scorer *scorer, sg_retriever *retriever)
{
    pair_scorer *s = scorer->context;
    s->retriever = retriever;
}

/* Of a file: the destinations of events since it was asked last, or all anew. */
static int touch_file(pair_scorer *s, uint64_t seen, scadyg_error *error)
{
    int status = s->own_retriever ? SCADYG_OK : sg_retriever_open(&s->own_retriever, error);
    if (status) return status;
    sg_retriever *r = s->retriever = s->own_retriever;
    if (seen < r->seen || seen - r->seen > SG_TOUCHED)
        sg_retriever_forget(r);
    else
        sg_retriever_touch(r, s->view->columns->dst + r->seen, (size_t)(seen - r->seen));
    r->seen = seen;
    return SCADYG_OK;
}

static int follow_to(const pair_scorer *s, const sg_place *place, scadyg_error *error)
{
    const sg_ledger_group group = {place->seen, place->at, 0, 0};
    return sg_pair_reader_run_raw(s->reader, &(sg_read_plan){.groups = &group, .count = 1}, error);
}

int sg_scadyg_retrieve(void *scorer, const sg_nodes_asked *asked, sg_retrieval *retrieval, scadyg_error *error)
{
    pair_scorer *s = scorer;
    const sg_place place = sg_reader_place(s->view, -1, asked->at, asked->seen);
    int status = follow_to(s, &place, error);
    if (!status && (!s->retriever || s->own_retriever)) status = touch_file(s, place.seen, error);
    return status ? status : sg_retriever_list(s->retriever, s->reader->ledger, asked->count, retrieval, error);
}

int sg_scadyg_unmet(void *scorer, const sg_nodes_asked *asked, uint32_t source, uint32_t *list, size_t *count,
                    scadyg_error *error)
{
    const pair_scorer *s = scorer;
    const sg_place place = sg_reader_place(s->view, -1, asked->at, asked->seen);
    const int status = follow_to(s, &place, error);
    if (!status) *count = sg_near_list_unmet(s->reader->ledger, source, asked->count, list);
    return status;
}

/* ---- A model that answers as a baseline ---- */

static int score_by_rule(void *context, const sg_question *question, scadyg_error *error)
{
    const pair_scorer *s = context;
    const sg_place place = sg_reader_place(s->view, question->step, question->at, question->seen);
    sg_question visible = *question;
    visible.seen = place.seen;
    visible.at = place.at;
    return s->rule.score(s->rule.context, &visible, error);
}

static int rewind_rule(void *context, scadyg_error *error)
{
    const pair_scorer *s = context;
    return s->rule.rewind(s->rule.context, error);
}

int sg_scadyg_scorer_open(const sg_kind *kind, sg_view *view, sg_scorer *scorer, scadyg_error *error)
{
    const scadyg_model *model = view->model;
    const uint64_t rule = sg_scadyg_of(model)->rule;
    (void)kind;
    int status = sg_scadyg_scorer_share(view, NULL, scorer, error);
    if (status || !rule) return status;
    pair_scorer *s = scorer->context;
    status = sg_link_rule_open(
        &sg_link_rules[rule - 1], view->columns, view->nodes, model->train_end - model->trained_on.origin,
        sg_train_of(model)->stepwise ? NULL : view->past, /* stepwise it sees less than others */
        &s->rule, error);
    if (status) {
        close_scorer(s);
        *scorer = (sg_scorer){0}; /* for whoever closes what it has */
        return status;
    }
    scorer->rewind = rewind_rule;
    scorer->score = score_by_rule;
    scorer->score_many = NULL;
    return SCADYG_OK;
}

struct sg_pair_reader *sg_scadyg_reader(const void *scorer)
{
    const pair_scorer *s = scorer;
    return s->rule.score ? NULL : s->reader;
}

/* ---- Beyond scores: what the ledger says of nodes ---- */

/* Rows of nodes, normalised. They stay the reader's. */
static int read_nodes(pair_scorer *s, const sg_nodes_asked *asked, scadyg_error *error)
{
    const sg_place place = sg_reader_place(s->view, -1, asked->at, asked->seen);
    const sg_ledger_group group = {place.seen, place.at, 0, 0};
    const size_t node_first[2] = {0, asked->count};
    const sg_read_plan plan = {.groups = &group, .count = 1, .nodes = asked->nodes, .node_first = node_first};
    return sg_pair_reader_run(s->reader, &plan, error);
}

int sg_scadyg_embed(void *scorer, const sg_nodes_asked *asked, float *out, scadyg_error *error)
{
    pair_scorer *s = scorer;
    const scadyg_model *model = s->view->model;
    int status = read_nodes(s, asked, error);
    if (!status)
        status = sg_pair_embed(s->view->context, &sg_scadyg_of(model)->net, model->values, s->reader->nodes,
                               asked->count, out, error);
    return status;
}

int sg_scadyg_memory_rates(void *scorer, size_t *count, const double **rates, int *is_logarithm,
                           scadyg_error *error)
{
    pair_scorer *s = scorer;
    const scadyg_model *model = s->view->model;
    const unsigned without = sg_model_without(model);
    if (without & SG_WITHOUT_PAIRS)
        return sg_fail(error, SCADYG_E_USAGE, "the model was trained without pairs, whose memory the curve shows");
    for (size_t j = 0; j < SG_RATES; j++)
        s->rates[j] = sg_scadyg_of(model)->plan.rates.rate[without & SG_WITHOUT_MULTIRATE ? 1 : j];
    *count = SG_RATES;
    *rates = s->rates;
    *is_logarithm = 1;
    return SCADYG_OK;
}

/* Adds weight times a row of fc1 to the vector of a column. */
static void add_row(double *vector, const float *row, size_t hidden, double weight)
{
    for (size_t h = 0; h < hidden; h++) vector[h] += weight * (double)row[h];
}

int sg_scadyg_memory_vectors(void *scorer, const sg_nodes_asked *asked, size_t *hidden, double **vectors,
                             scadyg_error *error)
{
    (void)asked; /* it is the same for all sources */
    pair_scorer *s = scorer;
    const scadyg_model *model = s->view->model;
    *hidden = sg_scadyg_of(model)->net.hidden;
    *vectors = sg_alloc_zero(SG_RATES * *hidden, sizeof **vectors);
    if (!*vectors) return sg_fail_memory(error, "a memory curve");
    /* The decayed counts of source -> destination: their columns. */
    const sg_pair_net *net = &sg_scadyg_of(model)->net;
    const float *fc1 = model->values + net->fc1 + 2 * net->node * net->hidden, *scale = model->scale + net->node;
    for (size_t j = 0; j < SG_RATES; j++)
        add_row(*vectors + j * *hidden, fc1 + j * *hidden, *hidden, (double)scale[j]);
    return SCADYG_OK;
}
