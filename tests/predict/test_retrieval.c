/*
 * Rankings that look at a part of all destinations: what they name is among all and has the score it has there, for any number of
 * threads, and a live state names the same. And many destinations of one source have the scores they have one by one.
 */
#include "learn/sample.h"
#include "under_sanitizer.h"

#include "predict/live_parts.h"
#include "predict/rank.h"

enum { MANY = 9000, NODES = 7000, TOP = 60 };

typedef struct big {
    size_t count, nodes;
    uint32_t src[MANY], dst[MANY];
    double time[MANY];
    float weight[MANY], features[MANY * SAMPLE_FEATURES];
    char text[NODES][8];
    const char *from[MANY], *to[MANY];
} big;

/* A few sources with much to do, many destinations that come once, some that come again and again. */
static void make_big(big *b, uint64_t seed)
{
    sg_rng rng;
    double now = 1e9;
    sg_rng_seed(&rng, seed, 0xb16);
    b->count = MANY;
    b->nodes = 0;
    for (size_t i = 0; i < NODES; i++) snprintf(b->text[i], sizeof b->text[i], "%zu", i);
    for (size_t i = 0; i < MANY; i++) {
        uint32_t *end[2] = {&b->src[i], &b->dst[i]};
        for (int k = 0; k < 2; k++) {
            const uint64_t fresh = k ? 3 : 40;
            if (b->nodes < NODES && (b->nodes < 4 || sg_rng_below(&rng, fresh) != (k ? 0 : 1)) &&
                (k || b->nodes < 4))
                *end[k] = (uint32_t)b->nodes++;
            else
                *end[k] = sg_rng_below(&rng, 2) && i ? b->dst[sg_rng_below(&rng, i)]
                                                     : (uint32_t)sg_rng_below(&rng, b->nodes < 90 ? b->nodes : 90);
        }
        b->from[i] = b->text[b->src[i]];
        b->to[i] = b->text[b->dst[i]];
        b->time[i] = now;
        b->weight[i] = (float)sg_rng_unit(&rng);
        for (size_t j = 0; j < SAMPLE_FEATURES; j++)
            b->features[i * SAMPLE_FEATURES + j] = (float)sg_rng_unit(&rng) - 0.5f;
        if (sg_rng_below(&rng, 3)) now += (double)sg_rng_below(&rng, 40);
    }
}

static scadyg_events *file_of(const big *b)
{
    const made_events made = {.count = b->count,
                              .nodes = b->nodes,
                              .src = b->src,
                              .dst = b->dst,
                              .time = b->time,
                              .weight = b->weight,
                              .edge_features = SAMPLE_FEATURES,
                              .features = b->features};
    return make_events(&made);
}

static void must(int status, const scadyg_error *error)
{
    if (status) fail_msg("%s", error->message);
}

static scadyg_model *model_of(const char *settings)
{
    scadyg_events *events = sample_events(3);
    scadyg_model *model = trained(NULL, events, "scadyg", "link", settings);
    scadyg_events_close(events);
    return model;
}

typedef struct ranking {
    uint32_t node[NODES];
    double score[NODES], probability[NODES];
    size_t count;
} ranking;

static void rank(scadyg_predictor *p, uint32_t source, double at, int how, size_t top, ranking *r)
{
    scadyg_error error = {0};
    must(scadyg_rank(p, source, at, how, top, r->node, r->score, r->probability, &r->count, &error), &error);
}

/* All that is named is there, with its score, in the same order; a better one that is not named was not looked at. */
static size_t compare_with_all(const ranking *part, const ranking *all)
{
    size_t at = 0, missed = 0;
    for (size_t i = 0; i < part->count; i++, at++) {
        for (; at < all->count && all->node[at] != part->node[i]; at++) missed++;
        assert_true(at < all->count);
        assert_true(part->score[i] == all->score[at]);
        assert_true(part->probability[i] > 0 && part->probability[i] <= 1);
    }
    return missed;
}

static void assert_same(const ranking *a, const ranking *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->node, b->node, a->count * sizeof *a->node);
    assert_memory_equal(a->score, b->score, a->count * sizeof *a->score);
    assert_memory_equal(a->probability, b->probability, a->count * sizeof *a->probability);
}

/* ---- Part of all ---- */

static void check_part(const scadyg_model *model, uint64_t seed)
{
    static big b;
    static ranking part, again, all;
    scadyg_error error = {0};
    scadyg_context *context[2] = {context_of(1), context_of(3)};
    scadyg_predictor *p[2];
    make_big(&b, seed);
    scadyg_events *events = file_of(&b);
    for (int i = 0; i < 2; i++) {
        must(scadyg_predictor_open(context[i], model, events, &p[i], &error), &error);
        p[i]->rank_all = 0;
    }
    size_t missed = 0;
    for (uint64_t i = 0; i < 24; i++) {
        /* Mostly onwards, in small steps and in large ones, sometimes back. */
        const size_t e = i < 20 ? 1000 + (MANY - 1000) * (size_t)i / 20 + (size_t)(i % 3) : (size_t)(300 * i);
        const double at = b.time[e < MANY ? e : MANY - 1] + (i % 2 ? 0.5 : 0);
        const uint32_t source = i % 4 ? b.src[e % MANY] : b.dst[e % MANY];
        const int exclude = i % 3 == 0 ? SCADYG_RANK_EXCLUDE_SEEN : 0;
        rank(p[0], source, at, exclude, TOP, &part);
        rank(p[1], source, at, exclude, TOP, &again);
        assert_same(&part, &again);
        rank(p[0], source, at, exclude | SCADYG_RANK_EXACT, NODES, &all);
        rank(p[1], source, at, exclude, NODES, &again); /* so many places look at all */
        assert_same(&all, &again);
        assert_true(part.count == (all.count < TOP ? all.count : TOP));
        missed += compare_with_all(&part, &all);
    }
    /* Else it would have looked at all. */
    if (!seed) assert_true(missed > 0);
    for (int i = 0; i < 2; i++) scadyg_predictor_close(p[i]);
    scadyg_events_close(events);
}

static void part_of_all(void **state)
{
    (void)state;
    static const char *const settings[] = {
        SMALL LIVE "epochs=1", SMALL LIVE "epochs=1 vectors=on", SMALL LIVE "epochs=1 without=partners,together",
        SMALL LIVE "epochs=1 without=transitions", SMALL LIVE "epochs=1 hidden=11"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        scadyg_model *model = model_of(settings[i]);
        for (uint64_t seed = 0; seed < (UNDER_SANITIZER ? 1 : 2); seed++) check_part(model, 10 * i + seed);
        scadyg_model_close(model);
    }
}

/* Few destinations, and models that have nothing to retrieve with, are ranked whole. */
static void few_are_all(void **state)
{
    (void)state;
    static big b;
    static ranking part, all;
    scadyg_error error = {0};
    scadyg_predictor *p;
    make_big(&b, 5);
    b.count = 3000;
    scadyg_events *events = file_of(&b);
    static const char *const settings[] = {SMALL LIVE "epochs=1", SMALL "epochs=1",
                                           SMALL LIVE "epochs=1 without=pairs"};
    for (size_t i = 0; i < 3; i++) {
        scadyg_model *model = model_of(settings[i]);
        must(scadyg_predictor_open(NULL, model, events, &p, &error), &error);
        if (i) p->rank_all = 0;
        rank(p, b.src[7], b.time[2999], 0, TOP, &part);
        rank(p, b.src[7], b.time[2999], SCADYG_RANK_EXACT, TOP, &all);
        assert_same(&part, &all);
        scadyg_predictor_close(p);
        scadyg_model_close(model);
    }
    scadyg_events_close(events);
}

/* ---- Live ---- */

static void observe(scadyg_live *live, const big *b, size_t first, size_t end)
{
    scadyg_error error = {0};
    const scadyg_live_events some = {.size = sizeof some,
                                     .count = end - first,
                                     .src = b->from + first,
                                     .dst = b->to + first,
                                     .time = b->time + first,
                                     .weight = b->weight + first,
                                     .features = b->features + first * SAMPLE_FEATURES};
    must(scadyg_live_observe(live, &some, NULL, &error), &error);
}

static size_t nodes_of(const big *b, size_t count)
{
    size_t nodes = 0;
    for (size_t e = 0; e < count; e++) {
        if (b->src[e] >= nodes) nodes = b->src[e] + 1;
        if (b->dst[e] >= nodes) nodes = b->dst[e] + 1;
    }
    return nodes;
}

static void compare_live(scadyg_live *live, const scadyg_model *model, const big *b, size_t count)
{
    static ranking one, other;
    static big until;
    scadyg_error error = {0};
    scadyg_predictor *p;
    until = *b;
    until.count = count;
    until.nodes = nodes_of(b, count);
    scadyg_events *events = file_of(&until);
    must(scadyg_predictor_open(NULL, model, events, &p, &error), &error);
    p->rank_all = 0;
    const double at = nextafter(b->time[count - 1], INFINITY);
    for (size_t i = 0; i < 4; i++) {
        const uint32_t source = b->src[(count - 1) * i / 4];
        const int how = i % 2 ? SCADYG_RANK_EXCLUDE_SEEN : 0;
        rank(p, source, at, how, TOP, &one);
        must(scadyg_live_rank(live, source, NAN, how, TOP, other.node, other.score, other.probability, &other.count,
                              &error),
             &error);
        assert_same(&one, &other);
        rank(p, source, at, how | SCADYG_RANK_EXACT, TOP, &one);
        must(scadyg_live_rank(live, source, NAN, how | SCADYG_RANK_EXACT, TOP, other.node, other.score,
                              other.probability, &other.count, &error),
             &error);
        assert_same(&one, &other);
    }
    scadyg_predictor_close(p);
    scadyg_events_close(events);
}

static void live_retrieves_the_same(void **state)
{
    (void)state;
    static big b;
    scadyg_error error = {0};
    scadyg_model *model = model_of(SMALL LIVE "epochs=1");
    scadyg_live *live = NULL;
    make_big(&b, 8);
    must(scadyg_live_open(context_of(2), model, NULL, &live, &error), &error);
    live->rank_all = 0;
    /* Steps within what is remembered of events since the last ranking, and one beyond it. */
    static const size_t until[] = {500, 501, 504, 900, 5600, 5601, 5650, 8000, 8999, 9000};
    for (size_t i = 0, at = 0; i < sizeof until / sizeof *until; i++) {
        observe(live, &b, at, until[i]);
        at = until[i];
        compare_live(live, model, &b, at);
    }
    scadyg_live_close(live);
    scadyg_model_close(model);
}

/* ---- Without those that were met ---- */

enum { ITEMS = 5000, HEAVY = 4900, HALF = 2100, OTHERS = 100 };

/*
 * One source meets nearly all of the items, the popular ones too, one meets four in ten of them, others a few each, some items
 * again and again. All of it mixed, and as many destinations as rankings do not look at.
 */
static void make_heavy(big *b)
{
    sg_rng rng;
    sg_rng_seed(&rng, 5, 0xea);
    b->count = MANY;
    b->nodes = 2 + OTHERS + ITEMS;
    for (size_t i = 0; i < NODES; i++) snprintf(b->text[i], sizeof b->text[i], "%zu", i);
    for (size_t i = 0; i < MANY; i++) {
        /* 1237 has no factor in common with the number of items. */
        const uint32_t item = i < HEAVY ? (uint32_t)(i * 1237 % ITEMS)
                              : i < HEAVY + HALF
                                  ? (uint32_t)((i - HEAVY) * 1237 % ITEMS)
                                  : (uint32_t)(i % 4 ? sg_rng_below(&rng, 200) * sg_rng_below(&rng, 25)
                                                     : (HEAVY + i / 4 % (ITEMS - HEAVY)) * 1237 % ITEMS);
        b->src[i] = i < HEAVY ? 0 : i < HEAVY + HALF ? 1 : 2 + (uint32_t)sg_rng_below(&rng, OTHERS);
        b->dst[i] = 2 + OTHERS + item;
    }
    for (size_t i = MANY; i-- > 1;) {
        const size_t k = sg_rng_below(&rng, i + 1);
        const uint32_t src = b->src[i], dst = b->dst[i];
        b->src[i] = b->src[k], b->dst[i] = b->dst[k];
        b->src[k] = src, b->dst[k] = dst;
    }
    for (size_t i = 0; i < MANY; i++) {
        b->from[i] = b->text[b->src[i]];
        b->to[i] = b->text[b->dst[i]];
        b->time[i] = 1e9 + (double)i;
        b->weight[i] = 1;
        for (size_t j = 0; j < SAMPLE_FEATURES; j++)
            b->features[i * SAMPLE_FEATURES + j] = (float)sg_rng_unit(&rng) - 0.5f;
    }
}

static size_t count_unmet(const big *b, uint32_t source)
{
    static unsigned char met[NODES], is[NODES];
    size_t count = 0;
    memset(met, 0, sizeof met);
    memset(is, 0, sizeof is);
    for (size_t e = 0; e < b->count; e++) {
        is[b->dst[e]] = 1;
        if (b->src[e] == source) met[b->dst[e]] = 1;
    }
    for (size_t i = 0; i < b->nodes; i++) count += is[i] && !met[i];
    return count;
}

static size_t count_shared(const ranking *a, const ranking *b, size_t first)
{
    size_t count = 0;
    for (size_t i = 0; i < first; i++)
        for (size_t k = 0; k < first; k++) count += a->node[i] == b->node[k];
    return count;
}

/* Rows and probabilities as if all had been scored, for whoever has met a few, many or nearly all; how many of the ten best. */
static size_t check_unmet(scadyg_predictor *p, scadyg_live *live, const big *b, uint32_t source)
{
    static ranking part, exact, other;
    scadyg_error error = {0};
    const int unmet = SCADYG_RANK_EXCLUDE_SEEN;
    const double at = nextafter(b->time[b->count - 1], INFINITY);
    const size_t left = count_unmet(b, source);
    rank(p, source, at, unmet, SG_RANK_TOP, &part);
    rank(p, source, at, unmet | SCADYG_RANK_EXACT, NODES, &exact);
    assert_int_equal(exact.count, left);
    assert_int_equal(part.count, left < SG_RANK_TOP ? left : SG_RANK_TOP);
    (void)compare_with_all(&part, &exact);
    for (size_t i = 0, k = 0; i < 10; i++, k = 0) {
        while (k < part.count && part.node[k] != exact.node[i]) k++;
        if (k < part.count) assert_true(fabs(log(part.probability[k] / exact.probability[i])) < log(1.25));
    }
    must(scadyg_live_rank(live, source, NAN, unmet, SG_RANK_TOP, other.node, other.score, other.probability,
                          &other.count, &error),
         &error);
    assert_same(&part, &other);
    return count_shared(&part, &exact, 10);
}

static void without_those_met(void **state)
{
    (void)state;
    static big b;
    scadyg_error error = {0};
    scadyg_model *model = model_of(SMALL LIVE "epochs=1");
    scadyg_predictor *p;
    scadyg_live *live = NULL;
    make_heavy(&b);
    scadyg_events *events = file_of(&b);
    must(scadyg_predictor_open(NULL, model, events, &p, &error), &error);
    must(scadyg_live_open(NULL, model, events, &live, &error), &error);
    size_t shared = 0;
    for (uint32_t source = 0; source < 12; source++) shared += check_unmet(p, live, &b, source);
    assert_true(shared >= 110);
    scadyg_live_close(live);
    scadyg_predictor_close(p);
    scadyg_events_close(events);
    scadyg_model_close(model);
}

/* ---- One source with many ---- */

static void many_as_one_by_one(void **state)
{
    (void)state;
    enum { ASKED = 3000 };
    static big b;
    static uint32_t src[ASKED], dst[ASKED];
    static double many[ASKED], single[ASKED];
    scadyg_error error = {0};
    scadyg_predictor *p;
    static const char *const settings[] = {SMALL LIVE "epochs=1", SMALL "epochs=1", SMALL LIVE "epochs=1 binary=1"};
    make_big(&b, 13);
    scadyg_events *events = file_of(&b);
    for (size_t m = 0; m < 3; m++) {
        scadyg_model *model = model_of(settings[m]);
        must(scadyg_predictor_open(context_of(2), model, events, &p, &error), &error);
        for (size_t round = 0; round < 6; round += UNDER_SANITIZER ? 3 : 1) {
            const double at = b.time[MANY - 1] + (double)(round / 3);
            for (size_t i = 0; i < ASKED; i++) {
                src[i] = b.src[round * 31];
                dst[i] = (uint32_t)(sg_hash3(round, 1, i) % b.nodes);
            }
            sg_question question = {at, sg_predictor_seen(p, at), -1, src, dst, ASKED, many, SG_ASK_ORDER};
            must(p->scorer.score(p->scorer.context, &question, &error), &error);
            for (size_t i = 0; i < ASKED; i += 50) {
                sg_question few = {at, question.seen, -1, src + i, dst + i, 50, single + i, SG_ASK_ORDER};
                must(p->scorer.score(p->scorer.context, &few, &error), &error);
            }
            assert_memory_equal(many, single, sizeof many);
        }
        scadyg_predictor_close(p);
        scadyg_model_close(model);
    }
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(part_of_all), cmocka_unit_test(few_are_all),
                                       cmocka_unit_test(live_retrieves_the_same),
                                       cmocka_unit_test(without_those_met), cmocka_unit_test(many_as_one_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
