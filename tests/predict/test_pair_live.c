/* The default model for links at work: what it is asked live is what it learned from and was evaluated by, bit for bit. */
#include "predict/live.h"

#include "models/scadyg/cases.h"
#include "models/scadyg/reader.h"

/* ---- Training and live ---- */

/* One pair and its nodes at a time, as a prediction asks; the rows must be those given. */
static void compare_live(live *l, double time, uint32_t src, uint32_t dst, const float *left, const float *right,
                         const float *between)
{
    scadyg_error error = {0};
    const sg_columns *columns = l->view.columns;
    const sg_pair_net *net = &sg_scadyg_of(l->view.model)->net;
    const sg_place place =
        sg_reader_place(&l->view, -1, time, sg_events_before(columns->time, columns->count, time));
    const sg_ledger_group group = {place.seen, place.at, 0, 1};
    const uint32_t nodes[2] = {src, dst};
    const size_t node_first[2] = {0, 2};
    const sg_read_plan read_plan = {
        .groups = &group, .count = 1, .src = &src, .dst = &dst, .nodes = nodes, .node_first = node_first};
    if (sg_pair_reader_run(&l->reader, &read_plan, &error)) fail_msg("%s", error.message);
    assert_memory_equal(l->reader.nodes, left, net->node * sizeof *left);
    assert_memory_equal(l->reader.nodes + net->node, right, net->node * sizeof *right);
    assert_memory_equal(l->reader.between, between, net->between * sizeof *between);
}

static void compare_case(live *l, size_t group, const sg_pair_chunk *c, const sg_pair_reader *trained,
                         size_t number, double time)
{
    const sg_pair_net *net = &sg_scadyg_of(l->view.model)->net;
    for (size_t k = number * group; k < (number + 1) * group; k++)
        compare_live(l, time, c->src[k], c->dst[k], trained->nodes + c->left[k] * net->node,
                     trained->nodes + c->right[k] * net->node, trained->between + k * net->between);
}

static void check_live(const char *settings)
{
    static sample_log s;
    sample_log_make(&s, 11, 1e9);
    scadyg_error error = {0};
    scadyg_events *events = make_events(&s.made);
    scadyg_model *model = trained(NULL, events, "scadyg", "link", settings);
    live learner, follower;
    sg_pair_cases cases;
    sg_split split;
    size_t compared = 0;
    live_open(&learner, model, events, context_of(2));
    live_open(&follower, model, events, NULL);
    if (sg_view_split(&learner.view, &split, &error) ||
        sg_pair_cases_open(&cases, &learner.view, split.train_end, &error))
        fail_msg("%s", error.message);
    uint64_t e = 0;
    for (const sg_pair_chunk *chunk;;) {
        if (sg_pair_cases_next(&cases, 1, 1, &chunk, &error)) fail_msg("%s", error.message);
        if (!chunk) break;
        const sg_read_plan read_plan = sg_pair_chunk_plan(chunk);
        /* The rows of the chunk before stay until this one is finished. */
        const float first = learner.reader.between ? learner.reader.between[0] : 0;
        if (sg_pair_reader_start(&learner.reader, &read_plan, &error)) fail_msg("%s", error.message);
        if (learner.reader.between) assert_true(learner.reader.between[0] == first);
        if (sg_pair_reader_finish(&learner.reader, &error)) fail_msg("%s", error.message);
        for (size_t i = 0; i < chunk->count; i++, e++) {
            while (sg_reader_place(&learner.view, -1, s.time[e], sg_events_before(s.time, SAMPLE_EVENTS, s.time[e]))
                       .seen == 0)
                e++; /* nothing was known: no case */
            assert_int_equal(chunk->src[i * cases.group], s.src[e]);
            assert_int_equal(chunk->dst[i * cases.group], s.dst[e]);
            compare_case(&follower, cases.group, chunk, &learner.reader, i, s.time[e]);
            compared++;
            if (i % 97) continue;
            /* And where the log ends before it, as it did when that was the present. */
            live present;
            made_events past = s.made;
            past.count = sg_events_before(s.time, SAMPLE_EVENTS, s.time[e]);
            scadyg_events *file = make_events(&past);
            live_open(&present, model, file, NULL);
            compare_case(&present, cases.group, chunk, &learner.reader, i, s.time[e]);
            live_close(&present);
            scadyg_events_close(file);
        }
    }
    assert_true(compared > 700);
    sg_pair_cases_close(&cases);
    live_close(&follower);
    live_close(&learner);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

static void live_as_in_training(void **state)
{
    (void)state;
    check_live(SMALL "epochs=1");
    check_live(SMALL LIVE "epochs=1");
}

/* ---- Evaluating and predicting ---- */

/* Passes questions on to the scorer of an evaluation, and asks a predictor the same. */
typedef struct witness {
    sg_scorer own;
    scadyg_predictor *predictor;
    const sg_columns *columns;
    int ask; /* what the protocol asks for */
    size_t questions, compared, ranked;
} witness;

static int witness_rewind(void *context, scadyg_error *error)
{
    witness *w = context;
    return w->own.rewind(w->own.context, error);
}

/* The scores of the question's first source are those that rank gives its candidates. */
static int compare_rank(witness *w, const sg_question *question, double at, scadyg_error *error)
{
    enum { NODES_MOST = 1000 };
    uint32_t nodes[NODES_MOST];
    double scores[NODES_MOST], probabilities[NODES_MOST], sum = 0;
    size_t found;
    int status =
        scadyg_rank(w->predictor, question->src[0], at, 0, NODES_MOST, nodes, scores, probabilities, &found, error);
    for (size_t k = 0; k < found && !status; k++) {
        sum += probabilities[k];
        for (size_t i = 0; i < question->count && question->src[i] == question->src[0]; i++)
            if (question->dst[i] == nodes[k]) {
                assert_memory_equal(&scores[k], &question->score[i], sizeof *scores);
                w->ranked++;
            }
    }
    if (!status && found) assert_true(fabs(sum - 1) < 1e-9);
    return status;
}

static int witness_score(void *context, const sg_question *question, scadyg_error *error)
{
    enum { SOME = 40 };
    witness *w = context;
    const uint64_t before = sg_events_before(w->columns->time, w->columns->count, question->at);
    int status = w->own.score(w->own.context, question, error);
    assert_int_equal(question->ask, w->ask);
    assert_true(question->seen <= before); /* strictly before, whatever the protocol */
    if (status || w->questions++ % 7 || question->seen != before || question->count == 0) return status;
    double time[SOME], score[SOME];
    const size_t count = question->count < SOME ? question->count : SOME;
    /* Whatever goes by steps is asked when the step begins; the protocol's time lies right behind the one before. */
    const int by_steps = question->step >= 0 && sg_train_of(w->predictor->model)->stepwise;
    for (size_t i = 0; i < count; i++) time[i] = by_steps ? w->columns->time[question->seen] : question->at;
    status = scadyg_predict(w->predictor, question->src, question->dst, time, count, score, error);
    if (status) return status;
    w->compared += count;
    if (question->ask == SG_ASK_CHANCE) {
        assert_memory_equal(score, question->score, count * sizeof *score);
        return SCADYG_OK;
    }
    /* The other output of the same pairs: as predicted, and not as ranked. */
    double chance[SOME];
    sg_question other = *question;
    other.count = count;
    other.score = chance;
    other.ask = SG_ASK_CHANCE;
    status = w->own.score(w->own.context, &other, error);
    if (status) return status;
    assert_memory_equal(score, chance, count * sizeof *score);
    assert_memory_not_equal(score, question->score, count * sizeof *score);
    return compare_rank(w, question, time[0], error);
}

static void witness_close(void *context)
{
    (void)context;
}

/* One evaluation of a model with a witness beside it. */
static void witness_one(scadyg_events *events, const scadyg_model *model, sg_eval_options options)
{
    scadyg_error error = {0};
    live l;
    live_open(&l, model, events, context_of(2));
    witness w = {.predictor = must_predictor(NULL, model, events),
                 .columns = l.view.columns,
                 .ask = options.protocol == SG_PROTOCOL_DYGLIB ? SG_ASK_CHANCE : SG_ASK_ORDER};
    if (sg_scadyg_scorer_share(&l.view, &l.reader, &w.own, &error)) fail_msg("%s", error.message);
    const sg_scorer scorer = {"scadyg", &w, witness_rewind, witness_score, witness_close, NULL};
    const sg_evaluated_data data = {.columns = *l.view.columns,
                                    .nodes = l.view.nodes,
                                    .steps = &l.view.messages->steps,
                                    .split = sg_view_parts(&l.view)};
    sg_scores scores;
    sg_evaluation_scores out = {.scores = &scores};
    if (sg_evaluate_links(NULL, &data, &options, &scorer, 1, NULL, &out, &error)) fail_msg("%s", error.message);
    assert_true(w.questions > 0);
    if (!options.reveal) assert_true(w.compared > 0);
    if (!options.reveal && w.ask == SG_ASK_ORDER) assert_true(w.ranked > 0);
    w.own.close(w.own.context);
    scadyg_predictor_close(w.predictor);
    live_close(&l);
}

static void evaluated_as_predicted(void **state)
{
    (void)state;
    scadyg_events *events = sample_events(12);
    for (int sees_all = 0; sees_all <= 1; sees_all++) {
        scadyg_model *model =
            trained(NULL, events, "scadyg", "link", sees_all ? SMALL LIVE "epochs=1" : SMALL "epochs=1");
        const sg_eval_options base = {.seeds = 1, .seed = 1};
        for (int reveal = SG_REVEAL_EVENT; reveal <= SG_REVEAL_BATCH; reveal++)
            for (int protocol = SG_PROTOCOL_PAPER; protocol <= SG_PROTOCOL_DYGLIB; protocol++) {
                sg_eval_options options = base;
                options.protocol = protocol;
                options.negatives = protocol == SG_PROTOCOL_PAPER ? 20 : 0;
                options.reveal = protocol == SG_PROTOCOL_PAPER ? SG_REVEAL_EVENT : reveal;
                witness_one(events, model, options);
            }
        scadyg_model_close(model);
    }
    scadyg_events_close(events);
}

/* ---- Two questions ---- */

/* Whether one output answers both questions: that is so if nothing was learned for the other. */
static void questions(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        int same;
    } models[] = {{SMALL LIVE "epochs=1 binary=0.5", 0},
                  {SMALL LIVE "epochs=1 binary=0", 1},
                  {SMALL LIVE "epochs=1 binary=1", 1},
                  {SMALL LIVE "epochs=1 binary=0.5 without=ranking", 1}};
    scadyg_error error = {0};
    scadyg_events *events = sample_events(12);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        enum { PAIRS = 30 };
        scadyg_model *model = trained(NULL, events, "scadyg", "link", models[i].settings);
        scadyg_predictor *predictor = must_predictor(NULL, model, events);
        const double at = scadyg_events_shape(events)->last_time + 1;
        uint32_t src[PAIRS], dst[PAIRS];
        double order[PAIRS], chance[PAIRS];
        for (uint32_t k = 0; k < PAIRS; k++) src[k] = k % 7, dst[k] = k;
        sg_question question = {at, SAMPLE_EVENTS, -1, src, dst, PAIRS, order, SG_ASK_ORDER};
        if (predictor->scorer.score(predictor->scorer.context, &question, &error)) fail_msg("%s", error.message);
        question.score = chance;
        question.ask = SG_ASK_CHANCE;
        if (predictor->scorer.score(predictor->scorer.context, &question, &error)) fail_msg("%s", error.message);
        assert_int_equal(memcmp(order, chance, sizeof order) == 0, models[i].same);
        scadyg_predictor_close(predictor);
        scadyg_model_close(model);
    }
    scadyg_events_close(events);
}

/* ---- Embeddings ---- */

/* What the first layer makes of a node, as a source and as a destination. */
static void compare_embedding(const scadyg_model *model, const float *message, const float *h)
{
    const sg_pair_net *net = &sg_scadyg_of(model)->net;
    const float *fc1 = model->values + net->fc1, *bias = model->values + net->fc1_bias;
    for (size_t o = 0; o < net->hidden; o++) {
        double source = (double)bias[o], destination = 0;
        for (size_t i = 0; i < net->node; i++) {
            source += (double)message[i] * (double)fc1[i * net->hidden + o];
            destination += (double)message[i] * (double)fc1[(net->node + i) * net->hidden + o];
        }
        assert_true(fabs(source - (double)h[o]) < 1e-4);
        assert_true(fabs(destination - (double)h[net->hidden + o]) < 1e-4);
    }
}

static void embeddings(void **state)
{
    (void)state;
    scadyg_error error = {0};
    scadyg_events *events = sample_events(13);
    scadyg_model *model = trained(NULL, events, "scadyg", "link", SMALL LIVE "epochs=1");
    const size_t width = scadyg_model_look(model)->width;
    assert_int_equal(width, 2 * sg_scadyg_of(model)->net.hidden);
    const double at = scadyg_events_shape(events)->last_time;
    scadyg_predictor *p = must_predictor(context_of(2), model, events);
    live l;
    live_open(&l, model, events, NULL);
    float *all = malloc(SAMPLE_NODES * width * sizeof *all), *one = malloc(width * sizeof *one), w = 7;
    assert_true(all && one);
    if (scadyg_embed(p, at, NULL, SAMPLE_NODES, all, &error)) fail_msg("%s", error.message);
    for (uint32_t node = 0; node < SAMPLE_NODES; node += 9) {
        if (scadyg_embed(p, at, &node, 1, one, &error)) fail_msg("%s", error.message);
        assert_memory_equal(one, all + node * width, width * sizeof *one);
        compare_embedding(model, live_node(&l, node, at), one);
    }
    /* Weights of a node are another kind's. */
    assert_int_equal(scadyg_node_weights(p, 0, at, &w, &error), SCADYG_E_USAGE);
    assert_true(error.message[0] && w == 7);
    free(all);
    free(one);
    live_close(&l);
    scadyg_predictor_close(p);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

/* ---- A file that begins long after what was learned from ---- */

static void a_later_file(void **state)
{
    (void)state;
    static sample_log late;
    scadyg_error error = {0};
    scadyg_events *events = sample_events(14);
    sample_log_make(&late, 15, 2e9);
    scadyg_events *later = make_events(&late.made);
    for (int sees_all = 0; sees_all <= 1; sees_all++) {
        scadyg_model *model =
            trained(NULL, events, "scadyg", "link", sees_all ? SMALL LIVE "epochs=1" : SMALL "epochs=1");
        const size_t width = scadyg_model_look(model)->width;
        scadyg_predictor *p = must_predictor(NULL, model, later);
        live l;
        live_open(&l, model, later, NULL);
        float *h = malloc(SAMPLE_NODES * width * sizeof *h);
        assert_non_null(h);
        /* At its first time nothing is known: all nodes are alike. */
        if (scadyg_embed(p, late.time[0], NULL, SAMPLE_NODES, h, &error)) fail_msg("%s", error.message);
        const float *message = live_node(&l, 0, late.time[0]);
        const size_t node = sg_scadyg_of(model)->net.node;
        for (size_t i = 0; i < node; i++) {
            /* Messages without events are 0, but for how long ago the latest was and the share of all events. */
            const size_t from_end = (node - 1 - i) % 7;
            const int is_share = i + 14 >= node && from_end < 3;
            const float none = i % 9 == 8 && i < 18 ? -logf(2) : is_share ? logf(0.01f) : 0;
            const float z = (none - model->mean[i]) * model->scale[i];
            assert_true(fabsf(message[i] - fminf(fmaxf(z, -8), 8)) < 1e-3f);
        }
        for (size_t x = 1; x < SAMPLE_NODES; x++) assert_memory_equal(h + x * width, h, width * sizeof *h);
        free(h);
        live_close(&l);
        scadyg_predictor_close(p);
        scadyg_model_close(model);
    }
    scadyg_events_close(later);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(live_as_in_training),
                                       cmocka_unit_test(evaluated_as_predicted), cmocka_unit_test(questions),
                                       cmocka_unit_test(embeddings), cmocka_unit_test(a_later_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
