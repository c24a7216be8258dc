/*
 * The leak test: whatever happens to the log at or after t, everything a model says of t keeps its bits.
 *
 * Random logs with ties, and models of every kind there is, with random options: whatever words an option takes, whatever
 * parts can be left out. Events at or after t are altered, deleted or joined by others; those at t itself count as the
 * future too.
 */
#include "learn/sample.h"

#include "evaluate/rounds.h"

enum { EVENTS = 90, NODES = 8, FEATURES = 3, MOST = EVENTS + 20, WIDEST = 128, AGES = 3 };

static uint64_t pick(sg_rng *rng, uint64_t n)
{
    return sg_rng_below(rng, n);
}

/* ---- Logs ---- */

typedef struct history {
    uint32_t src[MOST], dst[MOST];
    double time[MOST];
    float weight[MOST], features[MOST * FEATURES];
    made_events made;
} history;

static void link_up(history *l, size_t count, int weighted, int featured)
{
    l->made = (made_events){.count = count,
                            .nodes = NODES,
                            .src = l->src,
                            .dst = l->dst,
                            .time = l->time,
                            .weight = weighted ? l->weight : NULL,
                            .edge_features = featured ? FEATURES : 0,
                            .features = l->features};
}

static void random_event(history *l, size_t i, double time, sg_rng *rng)
{
    l->src[i] = (uint32_t)pick(rng, NODES);
    l->dst[i] = (uint32_t)pick(rng, NODES);
    l->time[i] = time;
    l->weight[i] = (float)(1 + sg_rng_unit(rng));
    for (size_t j = 0; j < FEATURES; j++) l->features[i * FEATURES + j] = (float)(sg_rng_unit(rng) * 2 - 1);
}

/* Whole times in small gaps: many ties, and steps of equal length that end at event times. */
static void random_log(history *l, sg_rng *rng)
{
    double now = pick(rng, 2) ? 1e9 : 0;
    for (size_t i = 0; i < EVENTS; i++) {
        random_event(l, i, now, rng);
        now += (double)pick(rng, 3);
    }
    link_up(l, EVENTS, (int)pick(rng, 2), (int)pick(rng, 2));
}

/* The first `past` events as they are, all others altered in one of four ways. */
static void alter_from(history *other, const history *l, size_t past, double t, size_t way, sg_rng *rng)
{
    *other = *l;
    size_t count = l->made.count;
    switch (way) {
    case 0: /* other nodes and numbers */
        for (size_t i = past; i < count; i++) random_event(other, i, l->time[i], rng);
        break;
    case 1: /* deleted */ count = past; break;
    case 2: /* later, at other gaps */
        for (size_t i = past; i < count; i++)
            other->time[i] = (i > past ? other->time[i - 1] : t) + (double)pick(rng, 99);
        break;
    default: /* more events at t itself */
        count += 20;
        memmove(other->time + past + 20, other->time + past, (l->made.count - past) * sizeof *other->time);
        for (size_t i = past; i < count; i++) random_event(other, i, i < past + 20 ? t : other->time[i], rng);
    }
    link_up(other, count, l->made.weight != NULL, l->made.edge_features != 0);
}

/* The same past, another future. */
static void alter(history *other, const history *l, double t, sg_rng *rng)
{
    const size_t way = pick(rng, 4);
    alter_from(other, l, (size_t)sg_events_before(l->time, l->made.count, t), t, way, rng);
}

/* ---- Models: a kind, with options as they come ---- */

static void set_option(scadyg_options *options, const char *name, const char *value)
{
    scadyg_error error = {0};
    if (scadyg_options_set(options, name, value, &error)) fail_msg("%s", error.message);
}

/* One of the words, which have bars between them. */
static void set_word(scadyg_options *options, const scadyg_option *option, const char *words, sg_rng *rng)
{
    char word[64];
    size_t count = 1;
    for (const char *c = words; *c; c++) count += *c == '|';
    for (size_t skip = pick(rng, count); skip; skip--) words = strchr(words, '|') + 1;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(words, "|"), words);
    set_option(options, option->name, word);
}

/* Nothing, or one part or two that the kind can do without. */
static void leave_out(scadyg_options *options, sg_rng *rng)
{
    size_t count = 0;
    while (scadyg_part_at(options, count)) count++;
    if (!count || pick(rng, 3) == 0) return;
    char parts[64];
    const char *one = scadyg_part_at(options, pick(rng, count)), *other = scadyg_part_at(options, pick(rng, count));
    snprintf(parts, sizeof parts, one == other ? "%s" : "%s,%s", one, other);
    set_option(options, "without", parts);
}

/* A number or a text that is worth trying; what is not here keeps its default. */
static const struct {
    const char *name, *words;
} tried[] = {
    {"steps", "14|17|20|26|33"},
    {"window", "all|all|all|1|2|4"},
    {"hops", "1|1|1|2"},
    {"node-features", "none|none|onehot|random:5"},
    {"hidden", "5"},
    {"batch", "16"},
    {"epochs", "1|2"},
    {"lr", "0.05"},        /* one epoch that leaves its mark */
    {"fallback", "0|0|1"}, /* of so little, mostly a baseline is better */
    {"seed", "1|2|3|4|5|6|7"},
};

static scadyg_options *random_options(const scadyg_kind *kind, sg_rng *rng)
{
    scadyg_options *options = train_options(kind->name, kind->task, NULL);
    const scadyg_option *option;
    for (size_t i = 0; (option = scadyg_options_at(options, i)); i++) {
        const int fixed = strcmp(option->name, "model") == 0 || strcmp(option->name, "task") == 0;
        if (option->type == SCADYG_OPTION_CHOICE && !fixed) set_word(options, option, option->choices, rng);
        for (size_t k = 0; k < sizeof tried / sizeof *tried; k++)
            if (strcmp(tried[k].name, option->name) == 0) set_word(options, option, tried[k].words, rng);
    }
    leave_out(options, rng);
    if (scadyg_options_check(options, NULL)) { /* they do not go together: then with all parts */
        char text[8];
        if (scadyg_options_get(options, "without", text, sizeof text)) set_option(options, "without", "none");
    }
    return options;
}

/* NULL: the log is too short for a part of the split. */
static scadyg_model *random_model(const scadyg_kind *kind, const history *l, sg_rng *rng)
{
    scadyg_error error = {0};
    scadyg_model *model = NULL;
    scadyg_options *options = random_options(kind, rng);
    scadyg_events *events = make_events(&l->made);
    int status = scadyg_train(context_of(1 + (int)pick(rng, 2)), events, options, NULL, 0, NULL, &model, &error);
    scadyg_events_close(events);
    scadyg_options_close(options);
    if (status && !strstr(error.message, "empty") && !strstr(error.message, "no labels"))
        fail_msg("%s for %s: %s", kind->name, kind->task, error.message);
    return model;
}

/* ---- Everything a model says at t ---- */

/* Scores of all pairs and ranks, or shares of the classes; embeddings, weights and memory where it has them. */
typedef struct said {
    double numbers[NODES * NODES + 2 * NODES * NODES + AGES];
    float embeddings[NODES * WIDEST], weights[WIDEST * WIDEST];
    size_t count, width;
    int embeds, weighs, remembers;
} said;

static void ask_links(scadyg_predictor *predictor, double t, said *s)
{
    scadyg_error error = {0};
    uint32_t src[NODES * NODES], dst[NODES * NODES], ranked[NODES];
    double time[NODES * NODES];
    for (uint32_t i = 0; i < NODES * NODES; i++) {
        src[i] = i / NODES;
        dst[i] = i % NODES;
        time[i] = t;
    }
    if (scadyg_predict(predictor, src, dst, time, NODES * NODES, s->numbers, &error)) fail_msg("%s", error.message);
    s->count = NODES * NODES;
    for (uint32_t i = 0; i < NODES; i++) {
        size_t found;
        double scores[NODES];
        assert_int_equal(scadyg_rank(predictor, i, t, i % 2, NODES, ranked, scores, NULL, &found, &error),
                         SCADYG_OK);
        for (size_t k = 0; k < found; k++) {
            s->numbers[s->count++] = ranked[k];
            s->numbers[s->count++] = scores[k];
        }
    }
}

/* What not every kind can do is refused, always or never. */
static int can(int status, const scadyg_error *error)
{
    if (status && status != SCADYG_E_USAGE) fail_msg("%s", error->message);
    return !status;
}

static void look_into(scadyg_predictor *predictor, double t, said *s)
{
    static const double ages[AGES] = {0, 3, 100};
    scadyg_error error = {0};
    assert_true(s->width <= WIDEST);
    s->embeds = can(scadyg_embed(predictor, t, NULL, NODES, s->embeddings, &error), &error);
    assert_int_equal(s->embeds, s->width > 0);
    s->weighs = can(scadyg_node_weights(predictor, 3, t, s->weights, &error), &error);
    s->remembers = can(scadyg_memory_curve(predictor, 3, t, ages, AGES, s->numbers + s->count, &error), &error);
    if (s->remembers) s->count += AGES;
}

static void ask(const scadyg_model *model, const history *l, double t, said *s)
{
    scadyg_error error = {0};
    const scadyg_model_info *info = scadyg_model_look(model);
    scadyg_events *events = make_events(&l->made);
    scadyg_predictor *predictor = must_predictor(NULL, model, events);
    memset(s, 0, sizeof *s);
    s->width = info->width;
    if (strcmp(info->task, "link") == 0)
        ask_links(predictor, t, s);
    else
        for (uint32_t i = 0; i < NODES; i++, s->count += info->classes)
            if (scadyg_affinity(predictor, i, t, s->numbers + s->count, &error)) fail_msg("%s", error.message);
    look_into(predictor, t, s);
    scadyg_predictor_close(predictor);
    scadyg_events_close(events);
}

static void check_round(sg_rng *rng, const scadyg_kind *kind, size_t *done)
{
    static history l, other;
    static said before, after;
    random_log(&l, rng);
    scadyg_model *model = random_model(kind, &l, rng);
    if (!model) return;
    for (int i = 0; i < 4; i++) {
        /* At an event, between events, or behind the last. */
        const double t = l.time[1 + pick(rng, EVENTS - 1)] + (pick(rng, 3) ? 0 : 0.5);
        ask(model, &l, t, &before);
        alter(&other, &l, t, rng);
        if (other.made.count == 0 || other.time[0] > t) continue; /* nothing is known then */
        ask(model, &other, t, &after);
        assert_memory_equal(&before, &after, sizeof before);
        ++*done;
    }
    scadyg_model_close(model);
}

/* How often each kind is tried; what learns has more to get wrong. */
static size_t rounds_of(const scadyg_kind *kind)
{
    const size_t usual = rounds(long_tier() ? 400 : UNDER_SANITIZER ? 30 : 100);
    return usual / (kind->learns ? 1 : 4) + 1;
}

static void every_kind(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 3, 0);
    const scadyg_kind *kind;
    for (size_t i = 0; (kind = scadyg_kind_at(i)); i++) {
        size_t done = 0;
        for (size_t round = 0; round < rounds_of(kind); round++) check_round(&rng, kind, &done);
        assert_true(done > rounds_of(kind));
    }
    assert_true(scadyg_kind_at(3) != NULL);
}

/* ---- Revealed in batches: nothing is known of a batch but its times ---- */

static void score_all(const scadyg_model *model, const history *l, double at, uint64_t seen, double *score)
{
    scadyg_error error = {0};
    scadyg_events *events = make_events(&l->made);
    scadyg_predictor *predictor = must_predictor(NULL, model, events);
    uint32_t src[NODES * NODES], dst[NODES * NODES];
    for (uint32_t i = 0; i < NODES * NODES; i++) src[i] = i / NODES, dst[i] = i % NODES;
    const sg_question question = {at, seen, -1, src, dst, NODES * NODES, score, SG_ASK_ORDER};
    if (predictor->scorer.score(predictor->scorer.context, &question, &error)) fail_msg("%s", error.message);
    scadyg_predictor_close(predictor);
    scadyg_events_close(events);
}

/*
 * Whether a model may notice the times of a batch, though nothing else of it: they say which steps are over, to the
 * paper's model where a window of steps of so many events ends, and to the default one whether the latest event it sees was
 * the last of its time.
 */
static int may_see_times(const scadyg_model *model, const history *l, uint64_t seen)
{
    const sg_train_options *options = sg_train_of(model);
    const char *name = model->kind->shown.name;
    if (!model->kind->shown.learns) return 0;
    if (options->stepwise) return 1;
    if (strcmp(name, "scadyg-paper") == 0) return options->messages.step_rule && options->messages.window;
    if (strcmp(name, "scadyg") == 0) return seen && l->time[seen] == l->time[seen - 1];
    return 1;
}

/* A batch begins at some event; one of its events is asked about. */
static void check_batch(const scadyg_model *model, const history *l, sg_rng *rng)
{
    static history other;
    double before[NODES * NODES], after[NODES * NODES];
    const size_t batch = 1 + pick(rng, EVENTS - 1), event = batch + pick(rng, EVENTS - batch);
    const double at = l->time[event], first = l->time[batch];
    const uint64_t past = sg_events_before(l->time, EVENTS, at), seen = past < batch ? past : batch;
    score_all(model, l, at, seen, before);
    alter_from(&other, l, (size_t)seen, at, may_see_times(model, l, seen) ? 0 : pick(rng, 3), rng);
    if (other.made.count == 0) return;
    score_all(model, &other, at, seen, after);
    assert_memory_equal(before, after, sizeof before);
    if (!model->kind->shown.learns || !sg_train_of(model)->stepwise) return;
    /* The whole batch is predicted from what is known when it begins. */
    score_all(model, l, first, sg_events_before(l->time, EVENTS, first), after);
    assert_memory_equal(before, after, sizeof before);
}

static void in_batches(void **state)
{
    (void)state;
    static history l;
    sg_rng rng;
    sg_rng_seed(&rng, 4, 0);
    const scadyg_kind *kind;
    for (size_t i = 0; (kind = scadyg_kind_at(i)); i++) {
        size_t done = 0;
        for (size_t round = 0; round < rounds_of(kind) && strcmp(kind->task, "link") == 0; round++) {
            random_log(&l, &rng);
            scadyg_model *model = random_model(kind, &l, &rng);
            for (int k = 0; k < 6 && model; k++) check_batch(model, &l, &rng);
            done += model != NULL;
            scadyg_model_close(model);
        }
        if (strcmp(kind->task, "link") == 0) assert_true(done > rounds_of(kind) / 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind), cmocka_unit_test(in_batches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
