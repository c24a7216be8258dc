/* Baselines for links: against their definition on random graphs with ties, and blind for what they may not see. */
#include "cmocka_all.h"
#include "evaluate/rounds.h"

#include "base/rng.h"
#include "models/baselines/rules.h"

#include <math.h>
#include <string.h>

enum { EVENTS = 50, NODES = 6, PAIRS = NODES * NODES };

typedef struct graph {
    uint32_t src[EVENTS], dst[EVENTS];
    double time[EVENTS];
    sg_columns columns;
} graph;

static void make(graph *g, uint64_t number)
{
    sg_rng rng;
    sg_rng_seed(&rng, 51, number);
    double now = number % 3 ? 1e9 : 0;
    for (int i = 0; i < EVENTS; i++) {
        g->src[i] = (uint32_t)sg_rng_below(&rng, NODES);
        g->dst[i] = (uint32_t)sg_rng_below(&rng, NODES);
        if (sg_rng_below(&rng, 2)) now += number % 5 ? (double)sg_rng_below(&rng, 4) : 1e4 * sg_rng_unit(&rng);
        g->time[i] = now;
    }
    g->columns = (sg_columns){.count = EVENTS, .src = g->src, .dst = g->dst, .time = g->time};
}

/* What the definitions say, event by event. */
typedef struct facts {
    double popularity, contacts;
    double last_contact, last_either, last_activity; /* times; -inf: never */
    double went, left; /* decayed: transitions from the source's last destination to dst, and to any */
    int transitions;   /* to dst */
    double neighbours; /* the sum of shrunk cosines */
} facts;

/* The last of the first `seen` events of a source that is before a time; -1: none. */
static int last_before(const graph *g, uint64_t seen, uint32_t src, double time)
{
    int last = -1;
    for (uint64_t e = 0; e < seen; e++)
        if (g->src[e] == src && g->time[e] < time) last = (int)e;
    return last;
}

static void count_transitions(const graph *g, uint64_t seen, double at, double rate, uint32_t src, uint32_t dst,
                              facts *f)
{
    const int last = last_before(g, seen, src, INFINITY);
    for (uint64_t e = 0; e < seen && last >= 0; e++) {
        const int from = last_before(g, seen, g->src[e], g->time[e]);
        if (from < 0 || g->dst[from] != g->dst[last]) continue;
        f->left += exp(-rate * (at - g->time[e]));
        if (g->dst[e] == dst) f->transitions++, f->went += exp(-rate * (at - g->time[e]));
    }
}

/* The distinct destinations of a source before a time, among the first `seen` events, the latest first. */
static int places_of(const graph *g, uint64_t seen, uint32_t src, double time, uint32_t place[NODES])
{
    int count = 0;
    for (uint64_t e = seen; e-- > 0;) {
        int known = g->src[e] != src || g->time[e] >= time;
        for (int i = 0; i < count; i++) known |= place[i] == g->dst[e];
        if (!known) place[count++] = g->dst[e];
    }
    return count;
}

static double popularity_of(const graph *g, uint64_t seen, double at, double rate, uint32_t dst)
{
    double sum = 0;
    for (uint64_t e = 0; e < seen; e++)
        if (g->dst[e] == dst) sum += exp(-rate * (at - g->time[e]));
    return sum;
}

/* How often sources went to dst that had been at `from`, each time less the longer ago they had been and it was. */
static double neighbour_count(const graph *g, uint64_t seen, double at, double rate, uint32_t from, uint32_t dst)
{
    double sum = 0;
    for (uint64_t e = 0; e < seen; e++) {
        uint32_t place[NODES];
        const int places = g->dst[e] == dst ? places_of(g, seen, g->src[e], g->time[e], place) : 0;
        for (int j = 0; j < places; j++)
            if (place[j] == from && from != dst) sum += exp(-rate * (at - g->time[e])) / (1 + j);
    }
    return sum;
}

static double cosines_of(const graph *g, uint64_t seen, double at, double rate, uint32_t src, uint32_t dst)
{
    double sum = 0;
    uint32_t place[NODES];
    const int places = places_of(g, seen, src, INFINITY, place);
    for (int j = 0; j < places; j++) {
        const double both = popularity_of(g, seen, at, rate, place[j]) * popularity_of(g, seen, at, rate, dst);
        sum += neighbour_count(g, seen, at, rate, place[j], dst) / (1 + j) / (sqrt(both) + 5);
    }
    return sum;
}

static facts facts_of(const graph *g, uint64_t seen, double at, double rate, uint32_t src, uint32_t dst)
{
    facts f = {0, 0, -INFINITY, -INFINITY, -INFINITY, 0, 0, 0, 0};
    for (uint64_t e = 0; e < seen; e++) {
        const int same = g->src[e] == src && g->dst[e] == dst, back = g->src[e] == dst && g->dst[e] == src;
        if (g->dst[e] == dst) f.popularity += exp(-rate * (at - g->time[e]));
        if (same) f.contacts++, f.last_contact = g->time[e];
        if (same || back) f.last_either = g->time[e];
        if (g->src[e] == dst || g->dst[e] == dst) f.last_activity = g->time[e];
    }
    count_transitions(g, seen, at, rate, src, dst, &f);
    f.neighbours = cosines_of(g, seen, at, rate, src, dst);
    return f;
}

/* Counts of neighbours are floats. */
static void check_neighbours(const facts *f, int repeat, double score)
{
    const double behind = 1e-100 * f->popularity / (1 + f->popularity);
    const double expected = f->neighbours > 0 ? f->neighbours : behind;
    if (repeat && f->contacts > 0)
        assert_true(score >= 1);
    else if (repeat)
        assert_true(fabs(score - expected / (1 + expected)) <= 1e-5 * expected && score < 1);
    else
        assert_true(fabs(score - expected) <= 1e-5 * expected);
}

/* Does the first pair rank before the second? 1, 0 level, -1. */
static int order(double a, double b)
{
    return (a > b) - (a < b);
}

/* From when on a contact counts for the rules with a window of their own. */
static double recent_from(const graph *g, uint64_t seen)
{
    const double place = 0.85 * (double)(seen - 1);
    const uint64_t below = (uint64_t)place;
    const double next = g->time[below + 1 < seen ? below + 1 : below];
    return g->time[below] + (place - (double)below) * (next - g->time[below]);
}

static double interval_from(const graph *g, uint64_t seen)
{
    double sum = 0, pairs = 0;
    for (uint32_t pair = 0; pair < PAIRS; pair++) {
        double first = 0, last = 0, count = 0;
        for (uint64_t e = 0; e < seen; e++)
            if (g->src[e] * NODES + g->dst[e] == pair) {
                if (count++ == 0) first = g->time[e];
                last = g->time[e];
            }
        pairs += count > 0;
        if (count > 1) sum += (last - first) / (count - 1);
    }
    return g->time[seen - 1] - sum / pairs;
}

static double mean_contacts(const graph *g, uint64_t seen)
{
    int met[PAIRS] = {0}, pairs = 0;
    for (uint64_t e = 0; e < seen; e++) pairs += met[g->src[e] * NODES + g->dst[e]]++ == 0;
    return (double)seen / pairs;
}

/* One that lies within rounding of where the window begins may be in or out. */
static void check_window(const facts *f, double from, double score)
{
    if (fabs(f->last_contact - from) <= 1e-12 * fabs(from)) return;
    assert_true(score == (f->last_contact >= from));
}

/* DyGLib's kinds of EdgeBank. 0: it is none of them. */
static int check_dyglib(const char *rule, const graph *g, uint64_t seen, const facts *f, double score)
{
    if (strncmp(rule, "edgebank-", 9) != 0 || strcmp(rule, "edgebank-window") == 0) return 0;
    if (seen == 0)
        assert_true(score == 0);
    else if (strcmp(rule, "edgebank-recent") == 0)
        check_window(f, recent_from(g, seen), score);
    else if (strcmp(rule, "edgebank-interval") == 0)
        check_window(f, interval_from(g, seen), score);
    else
        assert_true(score == (f->contacts > 0 && f->contacts >= mean_contacts(g, seen)));
    return 1;
}

static int expected_order(const char *rule, const facts *a, const facts *b, double from)
{
    if (strcmp(rule, "edgebank") == 0) return order(a->contacts > 0, b->contacts > 0);
    if (strcmp(rule, "edgebank-window") == 0) return order(a->last_contact >= from, b->last_contact >= from);
    assert_string_equal(rule,
                        "pair-recency"); /* contacts first, by time; the others by the destination's activity */
    if (isfinite(a->last_either) || isfinite(b->last_either)) return order(a->last_either, b->last_either);
    return order(a->last_activity, b->last_activity);
}

static void check_order(const char *rule, const graph *g, const sg_question *question, double range)
{
    const double rate = log(2) / (0.02 * range), from = question->at - 0.15 * range;
    facts all[PAIRS];
    for (size_t i = 0; i < question->count; i++)
        all[i] = facts_of(g, question->seen, question->at, rate, question->src[i], question->dst[i]);
    for (size_t i = 0; i < question->count; i++) {
        const double p = all[i].popularity, squeezed = all[i].contacts + p / (1 + p);
        if (check_dyglib(rule, g, question->seen, &all[i], question->score[i])) continue;
        if (strcmp(rule, "popularity") == 0)
            assert_true(fabs(question->score[i] - p) <= 1e-9 * p);
        else if (strcmp(rule, "pair-then-popularity") == 0)
            assert_true(fabs(question->score[i] - squeezed) <= 1e-9 * squeezed);
        else if (strcmp(rule, "markov") == 0) {
            const double share = all[i].transitions ? all[i].went / all[i].left : 1e-100 * p / (1 + p);
            assert_true(fabs(question->score[i] - share) <= 1e-9 * share);
        } else if (strcmp(rule, "item-knn") == 0)
            check_neighbours(&all[i], 0, question->score[i]);
        else if (strcmp(rule, "repeat-then-neighbours") == 0) {
            check_neighbours(&all[i], 1, question->score[i]);
            for (size_t j = 0; j < question->count && all[i].contacts > 0; j++)
                if (all[j].contacts > 0)
                    assert_int_equal(order(question->score[i], question->score[j]),
                                     order(all[i].last_contact, all[j].last_contact));
        } else
            for (size_t j = 0; j < question->count; j++)
                assert_int_equal(order(question->score[i], question->score[j]),
                                 expected_order(rule, &all[i], &all[j], from));
    }
}

/* All pairs of nodes, scored at one time after another. */
static void run(const graph *g, const sg_rule *rule, double range, sg_rng *rng, int check)
{
    uint32_t src[PAIRS], dst[PAIRS];
    double score[PAIRS], again[PAIRS];
    scadyg_error error;
    sg_scorer scorer, other;
    for (uint32_t i = 0; i < PAIRS; i++) src[i] = i / NODES, dst[i] = i % NODES;
    assert_int_equal(sg_link_rule_open(rule, &g->columns, NODES, range, NULL, &scorer, &error), SCADYG_OK);
    for (uint64_t seen = 0; seen <= EVENTS; seen += 1 + sg_rng_below(rng, 6)) {
        const double at = seen ? nextafter(g->time[seen - 1], INFINITY) : g->time[0];
        sg_question question = {at, seen, -1, src, dst, PAIRS, score, SG_ASK_ORDER};
        assert_int_equal(scorer.score(scorer.context, &question, &error), SCADYG_OK);
        if (check) check_order(rule->name, g, &question, range);
        /* Whatever comes later is not known: the same bits with other events from here on. */
        graph changed = *g;
        changed.columns =
            (sg_columns){.count = EVENTS, .src = changed.src, .dst = changed.dst, .time = changed.time};
        for (uint64_t e = seen; e < EVENTS; e++) {
            changed.src[e] = (uint32_t)sg_rng_below(rng, NODES);
            changed.dst[e] = (uint32_t)sg_rng_below(rng, NODES);
            if (seen > 0) changed.time[e] += 5;
        }
        assert_int_equal(sg_link_rule_open(rule, &changed.columns, NODES, range, NULL, &other, &error), SCADYG_OK);
        question.score = again;
        assert_int_equal(other.score(other.context, &question, &error), SCADYG_OK);
        assert_memory_equal(score, again, sizeof score);
        other.close(other.context);
    }
    /* Back to the start only by rewinding. */
    sg_question question = {g->time[0], 0, -1, src, dst, PAIRS, again, SG_ASK_ORDER};
    assert_int_equal(scorer.score(scorer.context, &question, &error), SCADYG_E_USAGE);
    assert_int_equal(scorer.rewind(scorer.context, &error), SCADYG_OK);
    assert_int_equal(scorer.score(scorer.context, &question, &error), SCADYG_OK);
    for (int i = 1; i < PAIRS; i++) assert_true(again[i] == again[0]); /* nothing is known: all the same */
    scorer.close(scorer.context);
}

static void by_definition(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < rounds(150); number++) {
        graph g;
        sg_rng rng;
        make(&g, number);
        sg_rng_seed(&rng, 52, number);
        for (int i = 0; i < SG_LINK_RULES; i++)
            run(&g, &sg_link_rules[i], g.time[35] > g.time[0] ? g.time[35] - g.time[0] : 1, &rng, 1);
    }
    graph g;
    sg_rng rng;
    make(&g, 1);
    sg_rng_seed(&rng, 53, 0);
    for (int i = 0; i < SG_LINK_RULES; i++) run(&g, &sg_link_rules[i], 0, &rng, 0); /* no training time to go by */
    assert_null(sg_link_rule_find("persistence"));
}

/* The popular one stays ahead for ever, also when both have decayed beyond any number. */
static void check_far_future(const char *rule)
{
    const uint32_t src[] = {0, 0, 0}, dst[] = {1, 1, 2}, query[] = {0, 0};
    const double time[] = {0, 1, 1};
    sg_columns columns = {.count = 3, .src = src, .dst = dst, .time = time};
    sg_scorer scorer;
    double score[2];
    assert_int_equal(sg_link_rule_open(sg_link_rule_find(rule), &columns, 3, 1, NULL, &scorer, NULL), SCADYG_OK);
    for (double at = 2; at < 1e12; at *= 10) {
        sg_question question = {at, 3, -1, query, (const uint32_t[]){1, 2}, 2, score, SG_ASK_ORDER};
        assert_int_equal(scorer.score(scorer.context, &question, NULL), SCADYG_OK);
        assert_true(score[0] > score[1] && score[1] > 0);
    }
    scorer.close(scorer.context);
}

static void far_future(void **state)
{
    (void)state;
    check_far_future("popularity");
    check_far_future("markov"); /* nobody left the last destination: popularity decides */
}

/* By hand: equal times are no transitions of each other, and the last of them in the file counts as the last. */
static void markov_by_hand(void **state)
{
    (void)state;
    enum { A, B, C, D, W, X, Y, Z, ALL };
    const uint32_t src[] = {A, A, A, B, B, B, C}, dst[] = {W, X, Y, W, X, Z, W};
    const double time[] = {1, 2, 2, 3, 4, 4, 5};
    const sg_columns columns = {.count = 7, .src = src, .dst = dst, .time = time};
    sg_scorer scorer;
    assert_int_equal(sg_link_rule_open(sg_link_rule_find("markov"), &columns, ALL, 0, NULL, &scorer, NULL),
                     SCADYG_OK);
    /* From W: twice to X, once to Y, once to Z. A stands at Y and B at Z, which nobody has left; D nowhere. */
    const uint32_t from[] = {C, C, C, C, A, A, B, D}, to[] = {X, Y, Z, W, W, X, Z, A};
    double score[8];
    const sg_question question = {6, 7, -1, from, to, 8, score, SG_ASK_ORDER};
    assert_int_equal(scorer.score(scorer.context, &question, NULL), SCADYG_OK);
    const double expected[] = {1. / 2, 1. / 4, 1. / 4, 3e-100 / 4, 3e-100 / 4, 2e-100 / 3, 1e-100 / 2, 0};
    for (size_t i = 0; i < 8; i++) assert_true(fabs(score[i] - expected[i]) <= 1e-12 * expected[i]);
    assert_true(score[1] == score[2]);
    scorer.close(scorer.context);
}

/* By hand: places by how lately they were met, a place is no neighbour of itself, equal times blind to each other. */
static void neighbours_by_hand(void **state)
{
    (void)state;
    enum { A, B, C, W, X, Y, Z, ALL };
    const uint32_t src[] = {A, A, A, A, B, B, C}, dst[] = {W, X, Y, W, W, Z, X};
    const double time[] = {1, 2, 3, 3, 4, 5, 6};
    const sg_columns columns = {.count = 7, .src = src, .dst = dst, .time = time};
    /* W to X 1, X to Y 1, W to Y 1/2, X to W 1 (Y is of the same time, and W itself no neighbour), W to Z 1.
     * B has been at Z, then W; C at X. Popularities: W 3, X 2, Y 1, Z 1. */
    const uint32_t from[] = {B, B, B, C, C, C, B, A}, to[] = {X, Y, W, Y, W, Z, B, Y};
    double score[8];
    const sg_question question = {7, 7, -1, from, to, 8, score, SG_ASK_ORDER};
    const double expected[] = {1. / 2 / (sqrt(6) + 5),
                               1. / 4 / (sqrt(3) + 5),
                               3e-100 / 4,
                               1 / (sqrt(2) + 5),
                               1 / (sqrt(6) + 5),
                               1e-100 / 2,
                               0, /* A: at W, Y, X */
                               1. / 2 / (sqrt(3) + 5) + 1. / 3 / (sqrt(2) + 5)};
    sg_scorer scorer;
    assert_int_equal(sg_link_rule_open(sg_link_rule_find("item-knn"), &columns, ALL, 0, NULL, &scorer, NULL),
                     SCADYG_OK);
    assert_int_equal(scorer.score(scorer.context, &question, NULL), SCADYG_OK);
    for (size_t i = 0; i < 8; i++) assert_true(fabs(score[i] - expected[i]) <= 1e-6 * expected[i]);
    scorer.close(scorer.context);
    assert_int_equal(
        sg_link_rule_open(sg_link_rule_find("repeat-then-neighbours"), &columns, ALL, 0, NULL, &scorer, NULL),
        SCADYG_OK);
    assert_int_equal(scorer.score(scorer.context, &question, NULL), SCADYG_OK);
    assert_true(score[2] > 1 && score[7] > 1 && score[0] > score[1] && score[0] < 1); /* B met W, and A met Y */
    scorer.close(scorer.context);
}

/* ---- Neighbours where places and rows are full, against plain arrays; nothing decays ---- */

enum { MANY = 60, LONG = 3000, KEPT = 5 };

typedef struct plain_row {
    uint32_t node[KEPT];
    float count[KEPT];
    int filled;
} plain_row;

static void count_neighbour(plain_row *row, uint32_t node, float weight)
{
    int at = 0, least = 0;
    while (at < row->filled && row->node[at] != node) at++;
    if (at == row->filled && row->filled < KEPT) row->filled++, row->count[at] = 0;
    if (at == KEPT) {
        for (int i = 1; i < KEPT; i++)
            if (row->count[i] < row->count[least]) least = i;
        at = least;
        row->count[at] = 0;
    }
    row->node[at] = node;
    row->count[at] += weight;
}

/* The last distinct destinations before an event's time among the events before `seen`, at most as many as are kept. */
static int latest_places(const sg_columns *columns, uint64_t seen, uint32_t src, double time,
                         uint32_t place[SG_NEIGHBOUR_PLACES])
{
    int count = 0;
    for (uint64_t e = seen; e-- > 0 && count < SG_NEIGHBOUR_PLACES;) {
        int known = columns->src[e] != src || columns->time[e] >= time;
        for (int i = 0; i < count; i++) known |= place[i] == columns->dst[e];
        if (!known) place[count++] = columns->dst[e];
    }
    return count;
}

static double plain_score(const plain_row *rows, const sg_columns *columns, uint64_t seen, uint32_t src,
                          uint32_t dst)
{
    uint32_t place[SG_NEIGHBOUR_PLACES];
    const int places = latest_places(columns, seen, src, INFINITY, place);
    double score = 0;
    for (int j = 0; j < places; j++)
        for (int i = 0; i < rows[place[j]].filled; i++)
            if (rows[place[j]].node[i] == dst) score += (double)rows[place[j]].count[i] / (1 + j) / (2 + 5);
    return score;
}

static void check_all_pairs(sg_neighbours *neighbours, const plain_row *rows, const sg_columns *columns,
                            uint64_t seen)
{
    double popularity[MANY], score[MANY], alone;
    uint32_t dst[MANY];
    for (uint32_t i = 0; i < MANY; i++) popularity[i] = 1, dst[i] = i;
    const sg_popularities popularities = {popularity, 2};
    for (uint32_t src = 0; src < MANY; src++) {
        sg_neighbours_score(neighbours, columns->time[seen - 1], popularities, src, dst, MANY, score);
        for (uint32_t i = 0; i < MANY; i++) {
            sg_neighbours_score(neighbours, columns->time[seen - 1], popularities, src, &dst[i], 1, &alone);
            assert_true(alone == score[i]); /* asked alone or with others: the same bits */
            assert_true(fabs(score[i] - plain_score(rows, columns, seen, src, i)) <= 1e-9 * score[i]);
        }
    }
}

static void full_rows(void **state)
{
    (void)state;
    static uint32_t src[LONG], dst[LONG];
    static double time[LONG];
    static plain_row rows[MANY];
    sg_rng rng;
    sg_rng_seed(&rng, 55, 0);
    for (int i = 0; i < LONG; i++) {
        src[i] = (uint32_t)sg_rng_below(&rng, 4);
        dst[i] = (uint32_t)(sg_rng_below(&rng, MANY) * sg_rng_below(&rng, MANY) / MANY);
        time[i] = i / 3;
    }
    const sg_columns columns = {.count = LONG, .src = src, .dst = dst, .time = time};
    sg_neighbours neighbours;
    assert_int_equal(sg_neighbours_open(&neighbours, &columns, MANY, 0, NULL), SCADYG_OK);
    neighbours.most = KEPT;
    for (uint64_t e = 0; e < LONG; e++) {
        uint32_t place[SG_NEIGHBOUR_PLACES];
        const int places = latest_places(&columns, e, src[e], time[e], place);
        for (int j = 0; j < places; j++)
            if (place[j] != dst[e]) count_neighbour(&rows[place[j]], dst[e], 1.0F / (float)(1 + j));
        if (e % 250) continue;
        assert_int_equal(sg_neighbours_follow(&neighbours, e + 1, NULL), SCADYG_OK);
        check_all_pairs(&neighbours, rows, &columns, e + 1);
    }
    sg_neighbours_close(&neighbours);
}

/* A silence longer than any decay: what was counted before it is worth nothing, and what comes after is counted as ever. */
static void long_silence(void **state)
{
    (void)state;
    const uint32_t src[] = {0, 0, 0, 0, 0}, dst[] = {1, 2, 3, 1, 2}, asked[] = {1, 2, 3};
    const double time[] = {0, 1, 2, 1e9, 2e9}, popularity[] = {1, 1, 1, 1};
    const sg_columns columns = {.count = 5, .src = src, .dst = dst, .time = time};
    sg_neighbours neighbours;
    double score[3];
    assert_int_equal(sg_neighbours_open(&neighbours, &columns, 4, 1, NULL), SCADYG_OK);
    for (uint64_t seen = 1; seen <= 5; seen++) {
        assert_int_equal(sg_neighbours_follow(&neighbours, seen, NULL), SCADYG_OK);
        for (double at = time[seen - 1]; at < 1e12; at = 10 * at + 1) {
            sg_neighbours_score(&neighbours, at, (sg_popularities){popularity, 1}, 0, asked, 3, score);
            for (int i = 0; i < 3; i++) assert_true(isfinite(score[i]) && score[i] >= 0);
        }
    }
    /* At 2, 1, 3: of 1 and of 3 went on to 2 just now, places 0 and 1 by then, 1 and 2 of the question. */
    sg_neighbours_score(&neighbours, 2e9, (sg_popularities){popularity, 1}, 0, asked, 3, score);
    assert_true(fabs(score[1] - (1. / 2 + 1. / 2 / 3) / 6) < 1e-6);
    sg_neighbours_close(&neighbours);
}

/* The table of pairs against a plain matrix, through many growths. */
static void pair_table(void **state)
{
    (void)state;
    enum { SIDE = 200 };
    static uint64_t count[SIDE][SIDE];
    sg_pair_map map;
    sg_rng rng;
    uint64_t distinct = 0;
    sg_rng_seed(&rng, 54, 0);
    assert_int_equal(sg_pair_map_open(&map), 0);
    for (int i = 0; i < 50000; i++) {
        const uint32_t a = (uint32_t)sg_rng_below(&rng, SIDE), b = (uint32_t)sg_rng_below(&rng, SIDE);
        int is_new;
        uint64_t *value = sg_pair_map_put(&map, sg_pair_key(a, b), &is_new);
        assert_non_null(value);
        assert_int_equal(is_new, count[a][b] == 0);
        distinct += count[a][b] == 0;
        assert_int_equal(*value, count[a][b]);
        *value = ++count[a][b];
    }
    assert_int_equal(map.count, distinct);
    for (uint32_t a = 0; a < SIDE; a++)
        for (uint32_t b = 0; b < SIDE; b++) {
            const uint64_t *value = sg_pair_map_find(&map, sg_pair_key(a, b));
            assert_int_equal(value ? *value : 0, count[a][b]);
        }
    sg_pair_map_clear(&map);
    assert_null(sg_pair_map_find(&map, sg_pair_key(1, 1)));
    sg_pair_map_close(&map);
}

/* Far behind, the parts of a shared past follow side by side: the same as one after the other. */
static void past_at_once(void **state)
{
    (void)state;
    enum { AT_ONCE = 100000, ASKED = 4 };
    static uint32_t src[AT_ONCE], dst[AT_ONCE];
    static double time[AT_ONCE];
    sg_rng rng;
    sg_rng_seed(&rng, 9, 0);
    for (size_t e = 0; e < AT_ONCE; e++) {
        src[e] = (uint32_t)sg_rng_below(&rng, 40), dst[e] = (uint32_t)sg_rng_below(&rng, 40);
        time[e] = (double)(e / 3);
    }
    const sg_columns columns = {.src = src, .dst = dst, .time = time, .count = AT_ONCE};
    scadyg_context *context;
    assert_int_equal(scadyg_context_open(&context, NULL), SCADYG_OK);
    scadyg_context_set_threads(context, 3);
    sg_past past[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(sg_past_open(&past[i], i ? context : NULL, &columns, 40, AT_ONCE / 4,
                                      SG_KEEPS_GENERAL | SG_KEEPS_INTERVALS, NULL),
                         SCADYG_OK);
    const uint64_t places[ASKED] = {33000, 33003, 69000, 99999};
    for (size_t k = 0; k < SG_LINK_RULES; k++) {
        double score[2][ASKED][1600];
        uint32_t from[1600], to[1600];
        for (uint32_t p = 0; p < 1600; p++) from[p] = p / 40, to[p] = p % 40;
        for (int i = 0; i < 2; i++) {
            sg_scorer scorer;
            assert_int_equal(
                sg_link_rule_open(&sg_link_rules[k], &columns, 40, AT_ONCE / 4, &past[i], &scorer, NULL),
                SCADYG_OK);
            sg_past_rewind(&past[i], SG_KEEPS_GENERAL | SG_KEEPS_INTERVALS);
            for (size_t a = 0; a < ASKED; a++) {
                const sg_question question = {time[places[a]], places[a],   -1, from, to, 1600,
                                              score[i][a],     SG_ASK_ORDER};
                assert_int_equal(scorer.score(scorer.context, &question, NULL), SCADYG_OK);
            }
            scorer.close(scorer.context);
        }
        assert_memory_equal(score[0], score[1], sizeof score[0]);
    }
    assert_int_not_equal(sg_past_follow(&past[0], SG_KEEPS_CONTACTS, 5, NULL), SCADYG_OK);
    for (int i = 0; i < 2; i++) sg_past_close(&past[i]);
    scadyg_context_close(context);
}

/* What all share of the past says the same as one's own, also in a second pass. */
static void shared_past(void **state)
{
    (void)state;
    static graph g;
    make(&g, 4);
    sg_past past;
    assert_int_equal(sg_past_open(&past, NULL, &g.columns, NODES, 20, SG_KEEPS_GENERAL | SG_KEEPS_INTERVALS, NULL),
                     0);
    enum { KINDS = SG_LINK_RULES };
    sg_scorer own[KINDS], shared[KINDS];
    for (int i = 0; i < KINDS; i++) {
        assert_int_equal(sg_link_rule_open(&sg_link_rules[i], &g.columns, NODES, 20, NULL, &own[i], NULL),
                         SCADYG_OK);
        assert_int_equal(sg_link_rule_open(&sg_link_rules[i], &g.columns, NODES, 20, &past, &shared[i], NULL),
                         SCADYG_OK);
    }
    uint32_t src[PAIRS], dst[PAIRS];
    for (uint32_t k = 0; k < PAIRS; k++) src[k] = k / NODES, dst[k] = k % NODES;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < KINDS; i++) {
            assert_int_equal(own[i].rewind(own[i].context, NULL), SCADYG_OK);
            assert_int_equal(shared[i].rewind(shared[i].context, NULL), SCADYG_OK);
        }
        for (uint64_t e = 1; e < EVENTS; e += 3) {
            const uint64_t seen = sg_events_before(g.time, EVENTS, g.time[e]);
            for (int i = 0; i < KINDS; i++) {
                double a[PAIRS], b[PAIRS];
                const sg_question one = {g.time[e], seen, -1, src, dst, PAIRS, a, SG_ASK_ORDER},
                                  two = {g.time[e], seen, -1, src, dst, PAIRS, b, SG_ASK_ORDER};
                assert_int_equal(own[i].score(own[i].context, &one, NULL), SCADYG_OK);
                assert_int_equal(shared[i].score(shared[i].context, &two, NULL), SCADYG_OK);
                assert_memory_equal(a, b, sizeof a);
            }
        }
    }
    for (int i = 0; i < KINDS; i++) {
        own[i].close(own[i].context);
        shared[i].close(shared[i].context);
    }
    sg_past_close(&past);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_definition),      cmocka_unit_test(far_future),  cmocka_unit_test(markov_by_hand),
        cmocka_unit_test(pair_table),         cmocka_unit_test(shared_past), cmocka_unit_test(past_at_once),
        cmocka_unit_test(neighbours_by_hand), cmocka_unit_test(full_rows),   cmocka_unit_test(long_silence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
