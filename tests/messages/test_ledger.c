/*
 * The ledger: rows as their slow twin has them; the same bytes on every way to them; and nothing of what happens at or
 * after the time of a row in it.
 */
#include "messages/ledger_twin.h"

#include "contexts.h"
#include "messages/pairs/ledger_parts.h"

#include <float.h>

enum { PAIRS = TWIN_NODES * TWIN_NODES, PLACES_MOST = 2 * TWIN_EVENTS + 2 };

static sg_ledger *must_open(const sg_ledger_options *options, const ledger_log *log, int threads)
{
    scadyg_error error = {0};
    sg_ledger *ledger;
    if (sg_ledger_open(context_of(threads), options, &log->columns, log->keys, TWIN_NODES, &ledger, &error))
        fail_msg("%s", error.message);
    return ledger;
}

/* In one, and every other time in two. */
static void must_run(sg_ledger *ledger, const sg_read_plan *read_plan)
{
    static int turn;
    scadyg_error error = {0};
    turn = !turn;
    if (turn ? sg_ledger_run(ledger, read_plan, &error)
             : sg_ledger_start(ledger, read_plan, &error) || sg_ledger_finish(ledger, &error))
        fail_msg("%s", error.message);
}

/* Everything there is to ask at some places: all pairs and all nodes. */
typedef struct questions {
    size_t count;
    uint64_t seen[PLACES_MOST];
    double at[PLACES_MOST];
    uint32_t src[PLACES_MOST * PAIRS], dst[PLACES_MOST * PAIRS], nodes[PLACES_MOST * TWIN_NODES];
} questions;

typedef struct answers {
    size_t pair_width, node_width;
    float *between, *nodes;
} answers;

static answers answers_for(const questions *q, const sg_ledger_options *options)
{
    const sg_ledger_widths widths = sg_ledger_widths_of(options);
    answers a = {.pair_width = widths.between, .node_width = widths.node};
    a.between = malloc(q->count * PAIRS * a.pair_width * sizeof(float));
    a.nodes = malloc(q->count * TWIN_NODES * a.node_width * sizeof(float));
    assert_true(a.between && a.nodes);
    memset(a.between, 0xee, q->count * PAIRS * a.pair_width * sizeof(float));
    memset(a.nodes, 0xee, q->count * TWIN_NODES * a.node_width * sizeof(float));
    return a;
}

static void drop(answers *a)
{
    free(a->between);
    free(a->nodes);
}

static void assert_same(const questions *q, const answers *a, const answers *b)
{
    assert_memory_equal(a->between, b->between, q->count * PAIRS * a->pair_width * sizeof(float));
    assert_memory_equal(a->nodes, b->nodes, q->count * TWIN_NODES * a->node_width * sizeof(float));
}

static void add_place(questions *q, uint64_t seen, double at)
{
    for (uint32_t i = 0; i < PAIRS; i++) {
        q->src[q->count * PAIRS + i] = i / TWIN_NODES;
        q->dst[q->count * PAIRS + i] = i % TWIN_NODES;
    }
    for (uint32_t i = 0; i < TWIN_NODES; i++) q->nodes[q->count * TWIN_NODES + i] = i;
    q->seen[q->count] = seen;
    q->at[q->count++] = at;
}

/* Before the first event, at every time, between times and behind the last; batched: as a batch of seven would see. */
static questions *ask_everywhere(const ledger_log *log, int batched)
{
    questions *q = calloc(1, sizeof *q);
    assert_non_null(q);
    add_place(q, 0, log->time[0]);
    for (uint64_t e = 1; e < TWIN_EVENTS; e++) {
        if (log->time[e] == log->time[e - 1]) continue;
        const uint64_t batch = e / 7 * 7, seen = batched && batch < e ? batch : e;
        add_place(q, seen, e % 2 && !batched ? (log->time[e - 1] + log->time[e]) / 2 : log->time[e]);
        if (e % 5 == 0) add_place(q, seen, log->time[e]);
    }
    add_place(q, TWIN_EVENTS, log->time[TWIN_EVENTS - 1] + 1.5);
    return q;
}

/* Places first .. end-1 as one read plan; `alone`: every pair is a group of its own. */
static void run_places(sg_ledger *ledger, const questions *q, size_t first, size_t end, int alone, answers *a)
{
    static sg_ledger_group groups[PLACES_MOST * PAIRS];
    static size_t node_first[PLACES_MOST * PAIRS + 1];
    size_t count = 0;
    for (size_t p = first; p < end; p++)
        for (size_t i = 0; i < PAIRS; i += alone ? 1 : PAIRS) {
            const size_t pair = p * PAIRS + i;
            groups[count] = (sg_ledger_group){q->seen[p], q->at[p], pair, pair + (alone ? 1 : PAIRS)};
            node_first[count++] = i ? (p + 1) * TWIN_NODES : p * TWIN_NODES; /* with the first pair, all nodes */
        }
    node_first[count] = end * TWIN_NODES;
    must_run(ledger, &(sg_read_plan){.groups = groups,
                                     .count = count,
                                     .src = q->src,
                                     .dst = q->dst,
                                     .between = a->between,
                                     .nodes = q->nodes,
                                     .node_first = node_first,
                                     .node_rows = a->nodes});
}

static answers answer(const sg_ledger_options *options, const ledger_log *log, const questions *q)
{
    sg_ledger *ledger = must_open(options, log, 1);
    answers a = answers_for(q, options);
    run_places(ledger, q, 0, q->count, 0, &a);
    sg_ledger_close(ledger);
    return a;
}

static sg_ledger_options options_of(uint64_t seed)
{
    static const size_t edge[] = {0, 3, SG_LEDGER_FEATURES, TWIN_FEATURES}, node[] = {0, TWIN_FEATURES, 2};
    sg_ledger_options o = ledger_options((int)(seed % 2), edge[seed % 4], node[seed % 3]);
    o.vectors = (int)(seed / 2 % 2);
    o.plan.vectors = seed % 3 ? TWIN_NODES : 6;
    return o;
}

/* ---- Against the twin ---- */

/* The events seen, none of a time that is parted. */
static uint64_t whole(const ledger_log *log, uint64_t seen)
{
    while (seen > 0 && seen < log->columns.count && log->time[seen - 1] == log->time[seen]) seen--;
    return seen;
}

static void compare(const char *what, size_t place, size_t row, const float *got, const double *expected,
                    size_t width)
{
    for (size_t j = 0; j < width; j++)
        if (!(fabs((double)got[j] - expected[j]) <= 2e-4 + 2e-5 * fabs(expected[j])))
            fail_msg("%s %zu at place %zu, number %zu: %.9g, not %.9g", what, row, place, j, (double)got[j],
                     expected[j]);
}

/* The last numbers of a row are those of vectors that have seen the same. */
static void compare_vectors(const sg_ledger_options *o, sg_vectors *vectors, uint32_t src, uint32_t dst,
                            const float *row)
{
    float numbers[SG_VECTOR_NUMBERS];
    sg_vector_query query = {.source = UINT32_MAX};
    const size_t width = sg_ledger_vector_width(o);
    if (!width) return;
    sg_vectors_read(vectors, src, dst, &query, numbers);
    assert_memory_equal(row + sg_ledger_widths_of(o).between - width, numbers, width * sizeof *row);
}

static void check_place(const ledger_log *log, const sg_ledger_options *o, const questions *q, size_t p,
                        const answers *a, sg_vectors *vectors)
{
    static twin_state twin;
    double row[TWIN_ROW], node_row[TWIN_NODE_ROW];
    const uint64_t seen = whole(log, q->seen[p]);
    twin_settle(log, TWIN_NODES, seen, &twin);
    for (size_t i = 0; i < PAIRS; i++) {
        const size_t pair = p * PAIRS + i;
        twin_pair(log, o, &twin, seen, q->at[p], q->src[pair], q->dst[pair], row);
        compare("pair", p, i, a->between + pair * a->pair_width, row, a->pair_width - sg_ledger_vector_width(o));
        compare_vectors(o, vectors, q->src[pair], q->dst[pair], a->between + pair * a->pair_width);
    }
    for (uint32_t i = 0; i < TWIN_NODES; i++) {
        twin_node(log, o, seen, q->at[p], i, node_row);
        compare("node", p, i, a->nodes + (p * TWIN_NODES + i) * a->node_width, node_row, a->node_width);
    }
}

static void follows_the_definition(void **state)
{
    (void)state;
    static ledger_log log;
    for (uint64_t seed = 0; seed < 24; seed++) {
        ledger_log_make(&log, seed);
        const sg_ledger_options o = options_of(seed);
        questions *q = ask_everywhere(&log, seed % 5 == 4);
        answers a = answer(&o, &log, q);
        sg_vectors *vectors;
        uint64_t learned = 0;
        assert_int_equal(sg_vectors_open(&log.columns, log.keys, TWIN_NODES, o.plan.vectors, &vectors, NULL),
                         SCADYG_OK);
        for (size_t p = 0; p < q->count; p++) {
            const uint64_t seen = whole(&log, q->seen[p]);
            if (seen > learned) assert_int_equal(sg_vectors_add(vectors, learned, seen, NULL), SCADYG_OK);
            learned = seen > learned ? seen : learned;
            check_place(&log, &o, q, p, &a, vectors);
        }
        sg_vectors_close(vectors);
        drop(&a);
        free(q);
    }
}

/* Nodes with more partners than a list has room for, as sources and as destinations. */
static void long_lists(void **state)
{
    (void)state;
    enum { HUBS = 1, EACH = 2 * HUBS * TWIN_CROWD };
    static ledger_log log;
    static twin_state twin;
    static uint32_t src[EACH], dst[EACH];
    double row[TWIN_ROW];
    sg_rng rng;
    sg_rng_seed(&rng, 12, 12);
    for (uint64_t seed = 0; seed < 6; seed++) {
        ledger_log_make(&log, seed);
        for (size_t e = 0; e < TWIN_EVENTS; e++) {
            log.src[e] = (uint32_t)sg_rng_below(&rng, e % 2 ? HUBS : TWIN_CROWD);
            log.dst[e] = (uint32_t)sg_rng_below(&rng, e % 2 ? TWIN_CROWD : HUBS);
        }
        const sg_ledger_options o = ledger_options(0, 0, 0);
        const size_t width = sg_ledger_widths_of(&o).between;
        float *rows = malloc(EACH * width * sizeof *rows);
        sg_ledger *ledger;
        assert_non_null(rows);
        for (uint32_t i = 0; i < EACH; i++) {
            const uint32_t hub = i % HUBS, other = i / HUBS % TWIN_CROWD;
            src[i] = i < EACH / 2 ? hub : other;
            dst[i] = i < EACH / 2 ? other : hub;
        }
        assert_int_equal(sg_ledger_open(context_of(1), &o, &log.columns, log.keys, TWIN_CROWD, &ledger, NULL),
                         SCADYG_OK);
        for (uint64_t seen = TWIN_EVENTS / 2; seen <= TWIN_EVENTS; seen += TWIN_EVENTS / 2) {
            const double at = log.time[seen - 1] + 0.125;
            const sg_ledger_group group = {seen, at, 0, EACH};
            must_run(ledger,
                     &(sg_read_plan){.groups = &group, .count = 1, .src = src, .dst = dst, .between = rows});
            twin_settle(&log, TWIN_CROWD, whole(&log, seen), &twin);
            for (size_t i = 0; i < EACH; i++) {
                twin_pair(&log, &o, &twin, whole(&log, seen), at, src[i], dst[i], row);
                compare("pair", seen, i, rows + i * width, row, width);
            }
        }
        if (seed == 0) assert_int_equal(twin.out[0].count + twin.in[0].count, 2 * SG_RECENT);
        sg_ledger_close(ledger);
        free(rows);
    }
}

/* ---- The same bytes ---- */

static void check_ways(const ledger_log *log, const sg_ledger_options *o, const questions *q, sg_rng *rng)
{
    answers expected = answer(o, log, q);
    for (int threads = 1; threads <= 3; threads++) {
        sg_ledger *ledger = must_open(o, log, threads);
        for (int way = 0; way < 4; way++) { /* all at once, place by place, pair by pair, by chance */
            answers a = answers_for(q, o);
            for (size_t p = 0, next; p < q->count; p = next) {
                next = way == 1 ? p + 1 : way == 3 ? p + 1 + sg_rng_below(rng, q->count - p) : q->count;
                run_places(ledger, q, p, next, way == 2 || (way == 3 && sg_rng_below(rng, 2)), &a);
            }
            assert_same(q, &expected, &a);
            drop(&a);
            sg_ledger_rewind(ledger);
        }
        sg_ledger_close(ledger);
    }
    drop(&expected);
}

static void however_it_is_cut(void **state)
{
    (void)state;
    static ledger_log log;
    sg_rng rng;
    sg_rng_seed(&rng, 8, 8);
    for (uint64_t seed = 0; seed < 12; seed++) {
        ledger_log_make(&log, seed);
        sg_ledger_options o = options_of(seed);
        if (seed % 4 == 3) o.without = (unsigned)(1 + sg_rng_below(&rng, 63));
        questions *q = ask_everywhere(&log, (int)(seed / 2 % 2));
        check_ways(&log, &o, q, &rng);
        free(q);
    }
}

/* Far ahead in one go: the parts advance on threads, and so are pairs and nodes read. */
static void far_ahead(void **state)
{
    (void)state;
    enum { EVENTS = 6000, NODES = 300, ASKED = 5000 };
    static uint32_t src[EVENTS], dst[EVENTS], from[ASKED], to[ASKED], nodes[NODES];
    static double time[EVENTS];
    static uint64_t keys[NODES];
    sg_rng rng;
    sg_rng_seed(&rng, 9, 9);
    for (size_t i = 0; i < EVENTS; i++) {
        src[i] = (uint32_t)sg_rng_below(&rng, NODES);
        dst[i] = (uint32_t)(src[i] + sg_rng_below(&rng, 9)) % NODES;
        time[i] = i ? time[i - 1] + (double)sg_rng_below(&rng, 3) / 100 : 0;
    }
    for (size_t i = 0; i < ASKED; i++) {
        from[i] = (uint32_t)sg_rng_below(&rng, NODES);
        to[i] = (uint32_t)sg_rng_below(&rng, NODES);
    }
    for (uint32_t i = 0; i < NODES; i++) nodes[i] = i, keys[i] = sg_hash3(9, 9, i);
    const sg_columns columns = {.count = EVENTS, .src = src, .dst = dst, .time = time};
    const sg_ledger_options o = ledger_options(0, 0, 0);
    const sg_ledger_widths widths = sg_ledger_widths_of(&o);
    const size_t size = ASKED * widths.between + NODES * widths.node;
    const size_t node_first[] = {0, NODES};
    const sg_ledger_group group = {EVENTS - 1, time[EVENTS - 1] + 1, 0, ASKED};
    float *rows[4];
    for (int threads = 0; threads < 4; threads++) { /* the first goes there in two steps */
        scadyg_error error = {0};
        sg_ledger *ledger;
        rows[threads] = malloc(size * sizeof(float));
        assert_non_null(rows[threads]);
        sg_read_plan read_plan = {.groups = &group,
                                  .count = 1,
                                  .src = from,
                                  .dst = to,
                                  .between = rows[threads],
                                  .nodes = nodes,
                                  .node_first = node_first,
                                  .node_rows = rows[threads] + ASKED * widths.between};
        if (sg_ledger_open(context_of(threads ? threads : 1), &o, &columns, keys, NODES, &ledger, &error))
            fail_msg("%s", error.message);
        if (!threads) {
            const sg_ledger_group half = {EVENTS / 2, time[EVENTS / 2], 0, 10};
            sg_read_plan before = read_plan;
            before.groups = &half;
            before.nodes = NULL;
            must_run(ledger, &before);
        }
        must_run(ledger, &read_plan);
        assert_true(sg_ledger_used(ledger) >= sg_ledger_bytes(&o, NODES, 0));
        sg_ledger_close(ledger);
        if (threads) assert_memory_equal(rows[threads], rows[0], size * sizeof(float));
    }
    for (int threads = 0; threads < 4; threads++) free(rows[threads]);
}

/* ---- Strictly before ---- */

/* The first `past` events as they are, the others in one of four ways; the time of event `past` stays in way 0. */
static void alter(ledger_log *other, const ledger_log *log, size_t past, double at, int way, sg_rng *rng)
{
    *other = *log;
    size_t count = TWIN_EVENTS;
    for (size_t i = past; i < TWIN_EVENTS; i++) ledger_event(other, i, log->time[i], rng);
    if (way == 1) count = past;
    for (size_t i = past; way == 2 && i < count; i++)
        other->time[i] = (i > past ? other->time[i - 1] : at) + (double)sg_rng_below(rng, 9);
    for (size_t i = past; way == 3 && i < count; i++) other->time[i] = at; /* a crowd at the time itself */
    ledger_link(other, count);
}

static void nothing_of_the_future(void **state)
{
    (void)state;
    static ledger_log log, other;
    sg_rng rng;
    sg_rng_seed(&rng, 10, 10);
    for (uint64_t round = 0; round < 300; round++) {
        ledger_log_make(&log, round % 40);
        sg_ledger_options o = options_of(round);
        questions *q = calloc(1, sizeof *q);
        assert_non_null(q);
        const size_t event = sg_rng_below(&rng, TWIN_EVENTS);
        const uint64_t before = sg_events_before(log.time, TWIN_EVENTS, log.time[event]);
        const int part = before > 1 && sg_rng_below(&rng, 2); /* less than is before, perhaps some of one time */
        const uint64_t seen = part ? sg_rng_below(&rng, before) : before;
        add_place(q, seen, log.time[event]);
        answers a = answer(&o, &log, q);
        /* Of what is not seen, its times say whether the latest that is seen was the last of its time. */
        const int way = whole(&log, seen) == seen && seen ? (int)sg_rng_below(&rng, 4) : 0;
        const double later = part ? nextafter(log.time[seen ? seen - 1 : 0], INFINITY) : log.time[event];
        alter(&other, &log, (size_t)seen, later, way, &rng);
        if (other.columns.count) {
            answers b = answer(&o, &other, q);
            assert_same(q, &a, &b);
            drop(&b);
        }
        if (whole(&log, seen) != seen) { /* as if it saw none of that time */
            q->seen[0] = whole(&log, seen);
            answers b = answer(&o, &log, q);
            assert_same(q, &a, &b);
            drop(&b);
        }
        drop(&a);
        free(q);
    }
}

/* ---- Parts left out ---- */

static void all_zero(const float *x, size_t count)
{
    for (size_t i = 0; i < count; i++) assert_true(x[i] == 0);
}

/* Where the parts of a row stand, behind the rates. */
enum {
    NEXT = 8,
    LIVES = 13,         /* logarithms: age, contacts and gap, either way */
    COMMON = LIVES + 6, /* partners that both have */
    TOGETHER = COMMON + 8,
    AFTER_TWO = COMMON + SG_LIST_LOGS,
    SHARES = AFTER_TWO + 3, /* of the lives, either way; who was last */
    SELF = SHARES + 13,
    PLACES = SELF + 1, /* among the partners, by the latest and by contacts */
    VECTORS = PLACES + 6
};

/* Numbers begin .. end-1 of the row are 0, and all others as they were. */
static void zero_between(const float *full, const float *row, size_t begin, size_t end, size_t from, size_t to)
{
    for (size_t i = begin; i < end; i++) {
        if (i >= from && i < to)
            assert_true(row[i] == 0);
        else
            assert_memory_equal(row + i, full + i, sizeof *row);
    }
}

static void check_left_out(unsigned without, const float *full, const float *row, size_t rates, size_t width)
{
    const float *rest = row + rates, *was = full + rates;
    const size_t end = width - rates;
    if (without == SG_LEDGER_NO_PAIRS) {
        all_zero(row, rates);
        zero_between(was, rest, 0, LIVES, 0, NEXT);
        zero_between(was, rest, LIVES, SHARES, LIVES, COMMON);
        zero_between(was, rest, COMMON, end, SHARES, SELF);
    }
    if (without != SG_LEDGER_NO_PAIRS && without != SG_LEDGER_ONE_RATE)
        assert_memory_equal(row, full, rates * sizeof *row);
    if (without == SG_LEDGER_NO_TRANSITIONS) {
        zero_between(was, rest, 0, LIVES - 3, NEXT, NEXT + 2);
        assert_true(rest[LIVES - 3] == rest[LIVES - 2]); /* nothing left to nowhere */
        zero_between(was, rest, LIVES - 1, AFTER_TWO, LIVES - 1, LIVES);
        assert_true(rest[AFTER_TWO] == 0 && rest[AFTER_TWO + 1] == rest[LIVES - 2] && rest[AFTER_TWO + 2] == 0);
        zero_between(was, rest, SHARES, end, 0, 0);
    }
    if (without == SG_LEDGER_NO_NODES) zero_between(was, rest, 0, end, 0, 0);
    if (without == SG_LEDGER_NO_PARTNERS) {
        zero_between(was, rest, 0, PLACES, COMMON, TOGETHER);
        zero_between(was, rest, PLACES, end, PLACES, VECTORS);
    }
    if (without == SG_LEDGER_NO_TOGETHER) zero_between(was, rest, 0, end, TOGETHER, AFTER_TWO);
}

static void parts_left_out(void **state)
{
    (void)state;
    static ledger_log log;
    ledger_log_make(&log, 3);
    questions *q = ask_everywhere(&log, 0);
    sg_ledger_options o = options_of(3);
    answers full = answer(&o, &log, q);
    const sg_ledger_widths widths = sg_ledger_widths_of(&o);
    for (unsigned without = 1; without <= SG_LEDGER_ONE_RATE; without *= 2) {
        o.without = without;
        const sg_ledger_widths same = sg_ledger_widths_of(&o);
        assert_memory_equal(&widths, &same, sizeof widths);
        answers a = answer(&o, &log, q);
        for (size_t i = 0; i < q->count * PAIRS; i++)
            check_left_out(without, full.between + i * a.pair_width, a.between + i * a.pair_width, widths.rates,
                           a.pair_width);
        if (without == SG_LEDGER_NO_NODES)
            all_zero(a.nodes, q->count * TWIN_NODES * a.node_width);
        else if (without != SG_LEDGER_ONE_RATE && without != SG_LEDGER_NO_PAIRS) /* which says who is new */
            assert_memory_equal(a.nodes, full.nodes, q->count * TWIN_NODES * a.node_width * sizeof(float));
        drop(&a);
    }
    /* One rate for all: the slowest but one. */
    sg_ledger_options one = options_of(3);
    for (int k = 0; k < SG_RATES; k++) one.plan.rates.rate[k] = one.plan.rates.rate[1];
    o.without = SG_LEDGER_ONE_RATE;
    answers a = answer(&o, &log, q), b = answer(&one, &log, q);
    assert_same(q, &a, &b);
    drop(&a);
    drop(&b);
    drop(&full);
    free(q);
}

/* ---- Logarithms ---- */

static void logarithms(void **state)
{
    (void)state;
    enum { MOST = 37 };
    sg_rng rng;
    sg_rng_seed(&rng, 11, 11);
    for (size_t round = 0; round < 20000; round++) {
        const size_t count = round % MOST;
        float x[MOST + 1], y[MOST + 1];
        for (size_t i = 0; i <= MOST; i++) {
            const double exponent = round % 3 ? sg_rng_unit(&rng) * 4 - 2 : sg_rng_unit(&rng) * 80 - 44;
            x[i] = (float)(pow(10, exponent > 38 ? 38 : exponent) * (sg_rng_below(&rng, 2) ? 1 : -1));
            if (sg_rng_below(&rng, 30) == 0) x[i] = 0;
            y[i] = x[i];
        }
        sg_log_rows(y, count);
        for (size_t i = 0; i <= MOST; i++) {
            const double expected = i < count ? signed_log((double)x[i]) : (double)x[i];
            if (!(fabs((double)y[i] - expected) <= 1e-6 * fabs(expected) + 1e-44)) /* the last bits of the least */
                fail_msg("log of %.9g: %.9g, not %.9g", (double)x[i], (double)y[i], expected);
        }
    }
    float odd[] = {FLT_MAX, -FLT_MAX, INFINITY, -INFINITY, NAN, -0.0f};
    sg_log_rows(odd, 6);
    for (int i = 0; i < 5; i++) assert_true(fabsf(odd[i]) > 88 && fabsf(odd[i]) < 90); /* all of them finite */
    assert_true(odd[1] < 0 && odd[3] < 0 && odd[5] == 0);
}

/* ---- Rates ---- */

static sg_rates rates_of(const uint32_t *src, const double *time, uint64_t count, uint64_t train_end)
{
    const sg_columns columns = {.count = count, .src = src, .dst = src, .time = time};
    sg_rates rates;
    scadyg_error error = {0};
    if (sg_ledger_rates(&columns, 100, train_end, &rates, &error)) fail_msg("%s", error.message);
    for (int k = 0; k < SG_RATES; k++) {
        assert_true(rates.rate[k] > 0 && isfinite(rates.rate[k]));
        if (k == 0) continue;
        /* Evenly spaced in their logarithms. */
        const double step = rates.rate[1] / rates.rate[0];
        assert_true(step > 1 && fabs(rates.rate[k] / rates.rate[k - 1] / step - 1) < 1e-9);
    }
    return rates;
}

static void assert_span(sg_rates rates, double slowest, double fastest)
{
    if (fabs(rates.rate[0] / slowest - 1) > 1e-9 || fabs(rates.rate[SG_RATES - 1] / fastest - 1) > 1e-9)
        fail_msg("rates from %g to %g, not %g to %g", rates.rate[0], rates.rate[SG_RATES - 1], slowest, fastest);
}

static void rates(void **state)
{
    (void)state;
    enum { MANY = 200000 };
    static uint32_t src[MANY];
    static double time[MANY];
    /* One event, and ties alone: any unit is as good as another. */
    time[0] = time[1] = time[2] = 1e9;
    assert_span(rates_of(src, time, 3, 1), 1, 50);
    assert_span(rates_of(src, time, 3, 3), 1, 50);
    /* Everybody comes once: no gaps. */
    for (uint32_t i = 0; i < 100; i++) src[i] = i, time[i] = i;
    assert_span(rates_of(src, time, 100, 100), 1.0 / 99, 50.0 / 99);
    /* Gaps of 1, and one of a million in every twenty. What is behind the training part does not count. */
    memset(src, 0, sizeof src);
    for (size_t i = 1; i < MANY; i++) time[i] = time[i - 1] + (i % 20 ? 1 : 1e6);
    time[0] = 0;
    const double range = time[MANY / 2 - 1] - time[0];
    const sg_rates half = rates_of(src, time, MANY, MANY / 2);
    assert_span(half, 1 / range, 1e6 / range); /* at most a million to one */
    for (size_t i = MANY / 2; i < MANY; i++) time[i] = 1e15 + (double)i * 1e-3;
    const sg_rates again = rates_of(src, time, MANY, MANY / 2);
    assert_memory_equal(&half, &again, sizeof half);
    /* A gap of a tenth of the range at least, and times far too small to be turned upside down. */
    const double few[] = {0, 5, 10}, tiny[] = {0, 0, 3e-320}, wide[] = {-8e307, 0, 8e307};
    assert_span(rates_of(src, few, 3, 3), 0.1, 5);
    (void)rates_of(src, tiny, 3, 3);
    (void)rates_of(src, wide, 3, 3);
    /* The tenth part of the gaps decides: 12 short ones of 100. */
    double now = 0;
    for (size_t i = 0; i < 101; i++) time[i] = now += i % 8 == 0 ? 0.01 : 1;
    assert_span(rates_of(src, time, 101, 101), 1 / (time[100] - time[0]), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(follows_the_definition),
                                       cmocka_unit_test(long_lists),
                                       cmocka_unit_test(however_it_is_cut),
                                       cmocka_unit_test(far_ahead),
                                       cmocka_unit_test(nothing_of_the_future),
                                       cmocka_unit_test(parts_left_out),
                                       cmocka_unit_test(logarithms),
                                       cmocka_unit_test(rates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
