/* Training cases by their definition: whom negatives may be, which losses they are part of, and what is left out. */
#include "learn/sample.h"

#include "models/scadyg/cases.h"

enum {
    RANDOM_IN = 1 << SG_ORDER | 1 << SG_CHANCE_RANDOM,
    MET_IN = 1 << SG_CHANCE_MET,
    LATE_IN = 1 << SG_CHANCE_LATE
};

typedef struct opened {
    scadyg_events *events;
    scadyg_model *model;
    sg_view view;
    sg_pair_cases cases;
    uint64_t train_end;
} opened;

static void must_open(opened *o, const made_events *made, const char *settings)
{
    scadyg_error error = {0};
    sg_split split;
    o->events = make_events(made);
    o->model = trained(NULL, o->events, "scadyg", "link", settings);
    if (sg_view_open(NULL, o->model, o->events, &o->view, &error) || sg_view_split(&o->view, &split, &error) ||
        sg_pair_cases_open(&o->cases, &o->view, split.train_end, &error))
        fail_msg("%s", error.message);
    o->train_end = split.train_end;
}

static void close_all(opened *o)
{
    sg_pair_cases_close(&o->cases);
    sg_view_close(&o->view);
    scadyg_model_close(o->model);
    scadyg_events_close(o->events);
}

static const sg_pair_chunk *next_chunk(opened *o, int64_t epoch)
{
    const sg_pair_chunk *chunk;
    scadyg_error error = {0};
    if (sg_pair_cases_next(&o->cases, epoch, 1, &chunk, &error)) fail_msg("%s", error.message);
    return chunk;
}

/* The first contact of a pair among the first events; UINT64_MAX: none. */
static uint64_t first_contact(const sg_columns *c, uint64_t seen, uint32_t src, uint32_t dst)
{
    for (uint64_t e = 0; e < seen; e++)
        if (c->src[e] == src && c->dst[e] == dst) return e;
    return UINT64_MAX;
}

static int was_destination(const sg_columns *c, uint64_t seen, uint32_t node)
{
    for (uint64_t e = 0; e < seen; e++)
        if (c->dst[e] == node) return 1;
    return 0;
}

/* Whether a pair meets at the time of event e or, stepwise, in its step. */
static int meets_now(const opened *o, uint64_t e, uint32_t src, uint32_t dst)
{
    const sg_columns *c = o->view.columns;
    for (uint64_t i = 0; i < c->count; i++) {
        const int together = sg_train_of(o->model)->stepwise ? sg_messages_step_of(o->view.messages, c->time[i]) ==
                                                                   sg_messages_step_of(o->view.messages, c->time[e])
                                                             : c->time[i] == c->time[e];
        if (together && c->src[i] == src && c->dst[i] == dst) return 1;
    }
    return 0;
}

static size_t destinations(const sg_columns *c, uint64_t seen, size_t nodes)
{
    size_t count = 0;
    for (uint32_t x = 0; x < nodes; x++) count += (size_t)was_destination(c, seen, x);
    return count;
}

/* What was counted, to see that every kind came up. */
typedef struct tally {
    size_t random, met, late, left_out, strangers;
} tally;

static void check_negative(const opened *o, const sg_pair_chunk *chunk, size_t k, uint64_t e, uint64_t seen,
                           size_t place, tally *t)
{
    const sg_columns *c = o->view.columns;
    const size_t random = (size_t)sg_scadyg_options_of(o->model)->negatives;
    const uint64_t first = first_contact(c, seen, chunk->src[k], chunk->dst[k]);
    const unsigned in = chunk->in[k];
    assert_int_equal(in == 0, meets_now(o, e, chunk->src[k], chunk->dst[k]));
    t->left_out += in == 0;
    /* The first random one also teaches chances against late ones, in cases that have one. */
    const unsigned first_in = RANDOM_IN | LATE_IN;
    if (place <= random) assert_true(in == 0 || in == RANDOM_IN || (place == 1 && in == first_in));
    if (place <= random || in == RANDOM_IN) {
        assert_int_equal(chunk->src[k], c->src[e]);
        if (sg_scadyg_options_of(o->model)->train_pool == SG_SCADYG_POOL_DESTINATION)
            assert_true(was_destination(c, seen, chunk->dst[k]));
        t->strangers += !was_destination(c, seen, chunk->dst[k]);
        t->random++;
    } else if (in == MET_IN) {
        assert_true(first < seen);
        t->met++;
    } else if (in) {
        assert_int_equal(in, LATE_IN);
        assert_true(first < seen && first >= seen - seen / 5);
        t->late++;
    }
}

/* Half of the logarithm of the chance to be drawn, in units of that of a node drawn from all. */
static double offset_of(const opened *o, uint64_t seen, uint32_t dst)
{
    const size_t known = destinations(o->view.columns, seen, o->view.nodes);
    if (sg_scadyg_options_of(o->model)->train_pool != SG_SCADYG_POOL_MIXED || !known) return 0;
    const double often = was_destination(o->view.columns, seen, dst) ? (double)o->view.nodes / (double)known : 0;
    return -0.5 * log(0.5 + 0.5 * often);
}

static void check_chunk(const opened *o, const sg_pair_chunk *chunk, uint64_t *e, tally *t)
{
    const sg_columns *c = o->view.columns;
    size_t g = 0;
    for (size_t i = 0; i < chunk->count; i++, ++*e) {
        sg_place place;
        while (
            (place = sg_reader_place(&o->view, -1, c->time[*e], sg_events_before(c->time, c->count, c->time[*e])))
                .seen == 0)
            ++*e;
        const size_t begin = i * o->cases.group;
        while (chunk->groups[g].end <= begin) g++;
        assert_true(chunk->groups[g].seen == place.seen && chunk->groups[g].at == place.at);
        for (size_t k = begin; k < begin + o->cases.group; k++) {
            assert_int_equal(chunk->nodes[chunk->left[k]], chunk->src[k]);
            assert_int_equal(chunk->nodes[chunk->right[k]], chunk->dst[k]);
            assert_true(chunk->left[k] >= chunk->node_first[g] && chunk->left[k] < chunk->node_first[g + 1]);
            assert_true(chunk->right[k] >= chunk->node_first[g] && chunk->right[k] < chunk->node_first[g + 1]);
            assert_true(fabs((double)chunk->offset[k] - offset_of(o, place.seen, chunk->dst[k])) < 1e-6);
            if (k > begin) check_negative(o, chunk, k, *e, place.seen, k - begin, t);
        }
        assert_true(chunk->src[begin] == c->src[*e] && chunk->dst[begin] == c->dst[*e]);
        assert_int_equal(chunk->in[begin], 0xFF);
    }
}

/* Ties of many events too, which are listed rather than looked through. */
static void crowd(sample_log *s)
{
    for (size_t i = 0; i < SAMPLE_EVENTS; i++)
        if (i / 100 % 3 == 1) s->time[i] = s->time[i / 100 * 100];
}

static void check_cases(const char *settings, int stepwise)
{
    static sample_log s;
    opened o;
    tally t = {0};
    uint64_t e = 0;
    sample_log_make(&s, 5, 1e9);
    crowd(&s);
    must_open(&o, &s.made, settings);
    const size_t random = (size_t)sg_scadyg_options_of(o.model)->negatives;
    assert_int_equal(o.cases.group, 1 + random + (stepwise ? 0 : 1));
    for (const sg_pair_chunk *chunk; (chunk = next_chunk(&o, 3));) check_chunk(&o, chunk, &e, &t);
    assert_int_equal(e, o.train_end);
    assert_true(t.random > 3000 && t.left_out > 50);
    if (sg_scadyg_options_of(o.model)->train_pool != SG_SCADYG_POOL_DESTINATION) assert_true(t.strangers > 0);
    if (stepwise)
        assert_true(t.met + t.late == 0);
    else
        assert_true(t.met > 200 && t.late > 150);
    close_all(&o);
}

static void by_their_definition(void **state)
{
    (void)state;
    check_cases(SMALL LIVE "epochs=1 negatives=6", 0);
    check_cases(SMALL LIVE "epochs=1 negatives=6 train-pool=destination", 0);
    check_cases(SMALL LIVE "epochs=1 negatives=6 train-pool=any", 0);
    check_cases(SMALL "epochs=1 negatives=6", 1);
}

/* However often a pair meets, it comes up as often as another: first contacts are drawn, not events. */
static void each_pair_alike(void **state)
{
    (void)state;
    enum { EVENTS = 900, PAIRS = 30 };
    static uint32_t src[EVENTS], dst[EVENTS];
    static double time[EVENTS];
    for (uint32_t i = 0; i < EVENTS; i++) { /* one pair has half of all events */
        const uint32_t pair = i % 2 ? 0 : i / 2 % PAIRS;
        src[i] = pair;
        dst[i] = PAIRS + pair;
        time[i] = i;
    }
    const made_events made = {.count = EVENTS, .nodes = 2 * PAIRS, .src = src, .dst = dst, .time = time};
    opened o;
    size_t often = 0, all = 0;
    must_open(&o, &made, SMALL LIVE "epochs=1 train-share=0.9 validation-share=0.05");
    for (int64_t epoch = 1; epoch <= 5; epoch++) {
        sg_pair_cases_rewind(&o.cases);
        for (const sg_pair_chunk *chunk; (chunk = next_chunk(&o, epoch));)
            for (size_t k = 0; k < chunk->count * o.cases.group; k++) {
                if (k < 100 * o.cases.group || chunk->in[k] != MET_IN) continue; /* when all have met */
                often += chunk->src[k] == 0;
                all++;
            }
    }
    assert_true(all > 1000 && often * 10 < all); /* a thirtieth, and less where it meets at that time */
    close_all(&o);
}

/* An epoch can be made again by itself, and is another than the next. */
static void from_the_epoch_alone(void **state)
{
    (void)state;
    static sample_log s;
    opened o;
    sample_log_make(&s, 6, 1e9);
    must_open(&o, &s.made, SMALL LIVE "epochs=1");
    const size_t pairs = o.train_end * o.cases.group;
    uint32_t *kept = malloc(pairs * sizeof *kept);
    assert_non_null(kept);
    for (int64_t round = 0; round < 3; round++) {
        size_t at = 0, other = 0;
        sg_pair_cases_rewind(&o.cases);
        for (const sg_pair_chunk *chunk; (chunk = next_chunk(&o, round == 1 ? 2 : 1));)
            for (size_t k = 0; k < chunk->count * o.cases.group; k++, at++) {
                if (round) other += kept[at] != chunk->dst[k];
                if (!round) kept[at] = chunk->dst[k];
            }
        if (round == 1) assert_true(other > pairs / 3);
        if (round == 2) assert_int_equal(other, 0);
    }
    free(kept);
    close_all(&o);
}

/* One in so many: evenly spread, others in each epoch, all of them after as many epochs. Event e is known by its source. */
static void a_sample_in_each_epoch(void **state)
{
    (void)state;
    enum { EVENTS = 9000, EVERY = 4 };
    static uint32_t src[EVENTS], dst[EVENTS];
    static double time[EVENTS];
    static unsigned char learned[EVENTS];
    for (uint32_t i = 0; i < EVENTS; i++) src[i] = i, dst[i] = EVENTS + i % 7, time[i] = i;
    const made_events made = {.count = EVENTS, .nodes = EVENTS + 7, .src = src, .dst = dst, .time = time};
    opened o;
    must_open(&o, &made, SMALL LIVE "epochs=1 cases=500");
    assert_int_equal(sg_scadyg_every(o.model, 6300), 13);
    assert_int_equal(sg_scadyg_every(o.model, 999), 2);
    assert_int_equal(sg_scadyg_every(o.model, 500), 1);
    assert_int_equal(sg_scadyg_most_epochs(1 << 18), 4); /* half a million in all, but four epochs at least */
    assert_int_equal(sg_scadyg_most_epochs(1 << 16), 8);
    assert_int_equal(sg_scadyg_most_epochs(0), 4);
    for (int64_t epoch = 1; epoch <= EVERY; epoch++) {
        const sg_pair_chunk *chunk;
        size_t count = 0;
        sg_pair_cases_rewind(&o.cases);
        for (; sg_pair_cases_next(&o.cases, epoch, EVERY, &chunk, NULL) == SCADYG_OK && chunk;
             count += chunk->count)
            for (size_t i = 0; i < chunk->count; i++) learned[chunk->src[i * o.cases.group]]++;
        assert_true(count >= o.train_end / EVERY - 1 && count <= o.train_end / EVERY + 1);
    }
    for (uint32_t e = 1; e < o.train_end; e++)
        assert_int_equal(learned[e], 1); /* before the first nothing is known */
    close_all(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_their_definition), cmocka_unit_test(each_pair_alike),
                                       cmocka_unit_test(from_the_epoch_alone),
                                       cmocka_unit_test(a_sample_in_each_epoch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
