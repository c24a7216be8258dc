/* The head `pair` at work: what it is asked live is what it learned from and was judged by, bit for bit. */
#include "tasks/pair_sample.h"

#include "tasks/pair_cases.h"
#include "tasks/pair_scorer.h"
#include "tasks/split.h"

/* ---- Training and live ---- */

/* A reader of its own, on a file of its own. */
typedef struct live {
    scadyg_events *events;
    sg_inputs inputs;
    sg_pair_reader reader;
} live;

static void live_open(live *l, const scadyg_model *model, scadyg_events *events, int threads)
{
    scadyg_error error = {0};
    l->events = events;
    if (sg_inputs_open(model, events, threads, &l->inputs, &error) ||
        sg_pair_reader_open(&l->reader, &l->inputs, &error))
        fail_msg("%s", error.message);
}

static void live_close(live *l)
{
    sg_pair_reader_close(&l->reader);
    sg_inputs_close(&l->inputs);
}

/* One pair and its nodes at a time, as a prediction asks; the rows must be those given. */
static void compare_live(live *l, double time, uint32_t src, uint32_t dst, const float *left, const float *right,
                         const float *between)
{
    scadyg_error error = {0};
    const sg_columns *columns = &l->inputs.messages->columns;
    const sg_pair_net *net = &l->inputs.model->pair;
    const sg_place place =
        sg_reader_place(&l->inputs, -1, time, sg_events_before(columns->time, columns->count, time));
    const sg_ledger_group group = {place.seen, place.at, 0, 1};
    const uint32_t nodes[2] = {src, dst};
    const size_t node_first[2] = {0, 2};
    const sg_read_plan read_plan = {
        .groups = &group, .count = 1, .src = &src, .dst = &dst, .nodes = nodes, .node_first = node_first};
    if (sg_pair_reader_run(&l->reader, &read_plan, &error)) fail_msg("%s", error.message);
    assert_memory_equal(l->reader.nodes, left, net->node * sizeof *left);
    assert_memory_equal(l->reader.nodes + net->node, right, net->node * sizeof *right);
    assert_memory_equal(l->reader.between, between, (net->rates + net->rest) * sizeof *between);
}

static void compare_case(live *l, size_t group, const sg_pair_chunk *c, const sg_pair_reader *trained,
                         size_t number, double time)
{
    const sg_pair_net *net = &l->inputs.model->pair;
    for (size_t k = number * group; k < (number + 1) * group; k++)
        compare_live(l, time, c->src[k], c->dst[k], trained->nodes + c->left[k] * net->node,
                     trained->nodes + c->right[k] * net->node, trained->between + k * (net->rates + net->rest));
}

static void check_live(int freshness)
{
    static pair_sample s;
    pair_sample_make(&s, 11, 1e9);
    scadyg_error error = {0};
    scadyg_events *events = make_events(&s.made);
    scadyg_train_options options = pair_options(freshness);
    options.epochs = 1;
    scadyg_model *model = must_train(events, &options);
    live trained, follower;
    sg_pair_cases cases;
    sg_split split;
    size_t compared = 0;
    live_open(&trained, model, events, 2);
    live_open(&follower, model, events, 1);
    if (sg_model_split(model, trained.inputs.messages, &split, &error) ||
        sg_pair_cases_open(&cases, &trained.inputs, split.train_end, &error))
        fail_msg("%s", error.message);
    uint64_t e = 0;
    for (const sg_pair_chunk *chunk; (chunk = sg_pair_cases_next(&cases, 1, 1));) {
        const sg_read_plan read_plan = sg_pair_chunk_plan(chunk);
        /* The rows of the chunk before stay until this one is finished. */
        const float first = trained.reader.between ? trained.reader.between[0] : 0;
        if (sg_pair_reader_start(&trained.reader, &read_plan, &error)) fail_msg("%s", error.message);
        if (trained.reader.between) assert_true(trained.reader.between[0] == first);
        if (sg_pair_reader_finish(&trained.reader, &error)) fail_msg("%s", error.message);
        for (size_t i = 0; i < chunk->count; i++, e++) {
            while (
                sg_reader_place(&trained.inputs, -1, s.time[e], sg_events_before(s.time, SAMPLE_EVENTS, s.time[e]))
                    .seen == 0)
                e++; /* nothing was known: no case */
            assert_int_equal(chunk->src[i * cases.group], s.src[e]);
            assert_int_equal(chunk->dst[i * cases.group], s.dst[e]);
            compare_case(&follower, cases.group, chunk, &trained.reader, i, s.time[e]);
            compared++;
            if (i % 97) continue;
            /* And where the log ends before it, as it did when that was the present. */
            live present;
            made_events past = s.made;
            past.count = sg_events_before(s.time, SAMPLE_EVENTS, s.time[e]);
            scadyg_events *file = make_events(&past);
            live_open(&present, model, file, 1);
            compare_case(&present, cases.group, chunk, &trained.reader, i, s.time[e]);
            live_close(&present);
            scadyg_events_close(file);
        }
    }
    assert_true(compared > 1000);
    sg_pair_cases_close(&cases);
    live_close(&follower);
    live_close(&trained);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

static void live_as_in_training(void **state)
{
    (void)state;
    check_live(SCADYG_FRESHNESS_STEP);
    check_live(SCADYG_FRESHNESS_EVENT);
}

/* ---- Judging and predicting ---- */

/* Passes blocks on to the scorer of a judgement, and asks a predictor the same. */
typedef struct witness {
    sg_scorer own;
    scadyg_predictor *predictor;
    const sg_columns *columns;
    int question; /* that the protocol has */
    size_t blocks, compared, ranked;
} witness;

static int witness_rewind(void *context, scadyg_error *error)
{
    witness *w = context;
    return w->own.rewind(w->own.context, error);
}

/* The scores of the block's first source are those that rank gives its candidates. */
static int compare_rank(witness *w, const sg_question *block, double at, scadyg_error *error)
{
    enum { NODES_MOST = 1000 };
    uint32_t nodes[NODES_MOST];
    double scores[NODES_MOST], probabilities[NODES_MOST], sum = 0;
    size_t found;
    int status =
        scadyg_rank(w->predictor, block->src[0], at, 0, NODES_MOST, nodes, scores, probabilities, &found, error);
    for (size_t k = 0; k < found && !status; k++) {
        sum += probabilities[k];
        for (size_t i = 0; i < block->count && block->src[i] == block->src[0]; i++)
            if (block->dst[i] == nodes[k]) {
                assert_memory_equal(&scores[k], &block->score[i], sizeof *scores);
                w->ranked++;
            }
    }
    if (!status && found) assert_true(fabs(sum - 1) < 1e-9);
    return status;
}

static int witness_score(void *context, const sg_question *block, scadyg_error *error)
{
    enum { SOME = 40 };
    witness *w = context;
    const uint64_t before = sg_events_before(w->columns->time, w->columns->count, block->at);
    int status = w->own.score(w->own.context, block, error);
    assert_int_equal(block->question, w->question);
    assert_true(block->seen <= before); /* strictly before, whatever the protocol */
    if (status || w->blocks++ % 7 || block->seen != before || block->count == 0) return status;
    double time[SOME], score[SOME];
    const size_t count = block->count < SOME ? block->count : SOME;
    /* Whatever goes by steps is asked when the step begins; the protocol's time lies right behind the one before. */
    const int by_steps = block->step >= 0 && w->predictor->model->options.freshness == SCADYG_FRESHNESS_STEP;
    for (size_t i = 0; i < count; i++) time[i] = by_steps ? w->columns->time[block->seen] : block->at;
    status = scadyg_predict(w->predictor, block->src, block->dst, time, count, score, NULL, error);
    if (status) return status;
    w->compared += count;
    if (block->question == SG_ASK_CHANCE) {
        assert_memory_equal(score, block->score, count * sizeof *score);
        return SCADYG_OK;
    }
    /* The other output of the same pairs: as predicted, and not as ranked. */
    double chance[SOME];
    sg_question other = *block;
    other.count = count;
    other.score = chance;
    other.question = SG_ASK_CHANCE;
    status = w->own.score(w->own.context, &other, error);
    if (status) return status;
    assert_memory_equal(score, chance, count * sizeof *score);
    assert_memory_not_equal(score, block->score, count * sizeof *score);
    return compare_rank(w, block, time[0], error);
}

static void witness_close(void *context)
{
    (void)context;
}

static void judged_as_predicted(void **state)
{
    (void)state;
    scadyg_error error = {0};
    scadyg_events *events = pair_events(12);
    for (int round = 0; round < 12; round++) {
        const int protocol = round % 3, reveal = round / 6;
        scadyg_train_options options = pair_options(round / 3 % 2);
        options.epochs = 1;
        scadyg_model *model = must_train(events, &options);
        live l;
        live_open(&l, model, events, 2);
        witness w = {.predictor = must_predictor(model, events, 1),
                     .columns = &l.inputs.messages->columns,
                     .question = protocol == SCADYG_PROTOCOL_DYGLIB ? SG_ASK_CHANCE : SG_ASK_ORDER};
        if (sg_pair_scorer_open(&l.inputs, &w.own, &error)) fail_msg("%s", error.message);
        const sg_scorer scorer = {"scadyg", &w, witness_rewind, witness_score, witness_close, NULL};
        const sg_evaluated_data trial = {.events = events,
                                         .columns = l.inputs.messages->columns,
                                         .nodes = l.inputs.nodes,
                                         .steps = &l.inputs.messages->steps,
                                         .split = sg_model_parts(model, l.inputs.messages),
                                         .threads = 1};
        const scadyg_eval_options judging = {.protocol = protocol,
                                             .negatives = protocol ? 0 : 20,
                                             .reveal = protocol ? reveal : 0,
                                             .seeds = 1,
                                             .seed = 1,
                                             .threads = 1};
        scadyg_scores scores;
        sg_evaluation_scores scores_out = {.scores = &scores};
        if (sg_protocol_links(&trial, &judging, &scorer, 1, NULL, &scores_out, &error))
            fail_msg("%s", error.message);
        assert_true(w.blocks > 0);
        if (!judging.reveal) assert_true(w.compared > 0);
        if (!judging.reveal && w.question == SG_ASK_ORDER) assert_true(w.ranked > 0);
        w.own.close(w.own.context);
        scadyg_predictor_close(w.predictor);
        live_close(&l);
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
        double binary;
        const char *without;
        int same;
    } kinds[] = {{0.5, "none", 0}, {0, "none", 1}, {1, "none", 1}, {0.5, "ranking", 1}};
    scadyg_error error = {0};
    scadyg_events *events = pair_events(12);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        enum { PAIRS = 30 };
        scadyg_train_options options = pair_options(SCADYG_FRESHNESS_EVENT);
        options.epochs = 1;
        options.binary = kinds[i].binary;
        options.without = kinds[i].without;
        scadyg_model *model = must_train(events, &options);
        scadyg_predictor *predictor = must_predictor(model, events, 1);
        const double at = scadyg_events_shape(events)->last_time + 1;
        uint32_t src[PAIRS], dst[PAIRS];
        double order[PAIRS], chance[PAIRS];
        for (uint32_t k = 0; k < PAIRS; k++) src[k] = k % 7, dst[k] = k;
        sg_question block = {at, SAMPLE_EVENTS, -1, src, dst, PAIRS, order, SG_ASK_ORDER};
        if (predictor->scorer.score(predictor->scorer.context, &block, &error)) fail_msg("%s", error.message);
        block.score = chance;
        block.question = SG_ASK_CHANCE;
        if (predictor->scorer.score(predictor->scorer.context, &block, &error)) fail_msg("%s", error.message);
        assert_int_equal(memcmp(order, chance, sizeof order) == 0, kinds[i].same);
        scadyg_predictor_close(predictor);
        scadyg_model_close(model);
    }
    scadyg_events_close(events);
}

/* ---- Embeddings and weights ---- */

static void embeddings(void **state)
{
    (void)state;
    scadyg_error error = {0};
    scadyg_events *events = pair_events(13);
    scadyg_train_options options = pair_options(SCADYG_FRESHNESS_EVENT);
    for (int plain = 0; plain <= 1; plain++) {
        options.without = plain ? "hypernetwork" : "none";
        scadyg_model *model = must_train(events, &options);
        const size_t width = scadyg_model_look(model)->width;
        const double at = scadyg_events_shape(events)->last_time;
        scadyg_predictor *p = must_predictor(model, events, 2);
        float *all = malloc(SAMPLE_NODES * width * sizeof *all), *one = malloc(width * sizeof *one);
        float *w = malloc(width * width * sizeof *w);
        assert_true(all && one && w);
        if (scadyg_embed(p, at, NULL, SAMPLE_NODES, all, NULL, &error)) fail_msg("%s", error.message);
        for (uint32_t node = 0; node < SAMPLE_NODES; node += 9) {
            if (scadyg_embed(p, at, &node, 1, one, NULL, &error)) fail_msg("%s", error.message);
            assert_memory_equal(one, all + node * width, width * sizeof *one);
            const int status = scadyg_node_weights(p, node, at, w, &error);
            if (plain) {
                assert_int_equal(status, SCADYG_E_USAGE);
                assert_non_null(strstr(error.message, "hypernetwork"));
                assert_memory_equal(one, p->reader.nodes, width * sizeof *one); /* the message itself */
                continue;
            }
            /* h = W_x m */
            assert_int_equal(status, SCADYG_OK);
            for (size_t i = 0; i < width; i++) {
                double sum = 0;
                for (size_t j = 0; j < width; j++) sum += (double)w[i * width + j] * (double)p->reader.nodes[j];
                assert_true(fabs(sum - (double)one[i]) < 1e-3);
            }
        }
        free(all);
        free(one);
        free(w);
        scadyg_predictor_close(p);
        scadyg_model_close(model);
    }
    scadyg_events_close(events);
}

/* ---- A file that begins long after what was learned from ---- */

static void a_later_file(void **state)
{
    (void)state;
    static pair_sample late;
    scadyg_error error = {0};
    scadyg_events *events = pair_events(14);
    pair_sample_make(&late, 15, 2e9);
    scadyg_events *later = make_events(&late.made);
    for (int freshness = 0; freshness <= 1; freshness++) {
        scadyg_train_options options = pair_options(freshness);
        options.epochs = 1;
        scadyg_model *model = must_train(events, &options);
        const size_t width = scadyg_model_look(model)->width;
        scadyg_predictor *p = must_predictor(model, later, 1);
        float *h = malloc(SAMPLE_NODES * width * sizeof *h);
        assert_non_null(h);
        /* At its first time nothing is known: all nodes are alike. */
        if (scadyg_embed(p, late.time[0], NULL, SAMPLE_NODES, h, NULL, &error)) fail_msg("%s", error.message);
        for (size_t i = 0; i < width; i++) {
            /* Messages without events are 0, but for how long ago the latest was. */
            const float m = p->reader.nodes[i], none = i % 9 == 8 && i < 18 ? -logf(2) : 0;
            const float z = (none - model->mean[i]) * model->scale[i];
            assert_true(fabsf(m - fminf(fmaxf(z, -8), 8)) < 1e-3f);
        }
        for (size_t x = 1; x < SAMPLE_NODES; x++) assert_memory_equal(h + x * width, h, width * sizeof *h);
        free(h);
        scadyg_predictor_close(p);
        scadyg_model_close(model);
    }
    scadyg_events_close(later);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(live_as_in_training), cmocka_unit_test(judged_as_predicted),
                                       cmocka_unit_test(questions), cmocka_unit_test(embeddings),
                                       cmocka_unit_test(a_later_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
