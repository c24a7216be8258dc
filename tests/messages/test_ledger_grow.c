/*
 * A ledger that grows as events come, nodes with them, is that of all events together, bit for bit: wherever the stream is
 * cut, however many events share a time, with snapshots between. And what a snapshot says is checked.
 */
#include "contexts.h"
#include "make_events.h"
#include "repair_state.h"

#include "base/memory.h"
#include "base/rng.h"
#include "messages/pairs/ledger_parts.h"

#include <math.h>

enum { EVENTS = 7000, NODES = 160, FEATURES = 3, ASKED = 60 };

typedef struct stream {
    uint32_t src[EVENTS], dst[EVENTS];
    double time[EVENTS];
    float weight[EVENTS], features[EVENTS * FEATURES];
    uint64_t keys[NODES];
    size_t nodes[EVENTS + 1]; /* that the first events have */
    size_t count;
} stream;

/* Nodes appear one by one, as in a file; pairs repeat, meet themselves, and come in bursts of one time. */
static void make_stream(stream *s, uint64_t seed, size_t count)
{
    sg_rng rng;
    double now = 1e6;
    size_t nodes = 0;
    sg_rng_seed(&rng, seed, 0x11fe);
    s->count = count;
    s->nodes[0] = 0;
    const uint64_t ties = 1 + sg_rng_below(&rng, 5);
    for (size_t i = 0; i < count; i++) {
        uint32_t *end[2] = {&s->src[i], &s->dst[i]};
        for (int k = 0; k < 2; k++) {
            if (nodes < NODES && (nodes < 2 || sg_rng_below(&rng, 24) == 0)) {
                *end[k] = (uint32_t)nodes++;
            } else {
                const uint64_t old = i ? sg_rng_below(&rng, i) : 0;
                *end[k] = sg_rng_below(&rng, 2) && i ? s->dst[old] : (uint32_t)sg_rng_below(&rng, nodes);
            }
        }
        if (sg_rng_below(&rng, 9) == 0 && i) s->dst[i] = s->src[i];
        s->time[i] = now;
        s->weight[i] = (float)sg_rng_unit(&rng);
        for (size_t j = 0; j < FEATURES; j++) s->features[i * FEATURES + j] = (float)sg_rng_unit(&rng) - 0.5f;
        s->nodes[i + 1] = nodes;
        if (sg_rng_below(&rng, ties) == 0) now += (double)sg_rng_below(&rng, 30) / 4;
    }
    for (size_t i = 0; i < NODES; i++) s->keys[i] = sg_hash3(seed, 7, i);
}

static sg_ledger_options options_of(uint64_t seed)
{
    static const uint64_t vectors[] = {NODES, 1, 2, 9, 40};
    sg_ledger_options o = {.plan = {.pair_bytes = seed % 3 ? 1u << 20 : 64u << 20, .vectors = vectors[seed % 5]},
                           .weighted = (int)(seed % 2),
                           .edge_features = seed / 2 % 2 ? FEATURES : 0,
                           .vectors = (int)(seed / 4 % 2)};
    for (int k = 0; k < SG_RATES; k++) o.plan.rates.rate[k] = 1e-5 * pow(6, k);
    return o;
}

static sg_columns columns_of(const stream *s, int weighted, size_t features)
{
    return (sg_columns){.count = s->count,
                        .src = s->src,
                        .dst = s->dst,
                        .time = s->time,
                        .weight = weighted ? s->weight : NULL,
                        .edge_features = features ? s->features : NULL};
}

/* What a live state has: the first event of the log, and behind it the new ones. */
typedef struct grown {
    sg_ledger *ledger;
    sg_columns columns;
    uint32_t src[EVENTS + 1], dst[EVENTS + 1];
    double time[EVENTS + 1];
    float weight[EVENTS + 1], features[(EVENTS + 1) * FEATURES];
    uint64_t keys[2 * NODES];
    size_t capacity;
    sg_state_reader reader;
} grown;

static void must(int status, const scadyg_error *error)
{
    if (status) fail_msg("%s", error->message);
}

static void hand_over(grown *g, const stream *s, size_t first, size_t count, size_t place)
{
    memcpy(g->src + place, s->src + first, count * sizeof *g->src);
    memcpy(g->dst + place, s->dst + first, count * sizeof *g->dst);
    memcpy(g->time + place, s->time + first, count * sizeof *g->time);
    memcpy(g->weight + place, s->weight + first, count * sizeof *g->weight);
    memcpy(g->features + place * FEATURES, s->features + first * FEATURES, count * FEATURES * sizeof *g->features);
}

static void open_grown(grown *g, const stream *s, const sg_ledger_options *o)
{
    scadyg_error error = {0};
    hand_over(g, s, 0, 1, 0);
    g->columns = (sg_columns){.count = 1,
                              .src = g->src,
                              .dst = g->dst,
                              .time = g->time,
                              .weight = g->weight,
                              .edge_features = g->features};
    g->capacity = 2;
    memcpy(g->keys, s->keys, 2 * sizeof *g->keys);
    must(sg_ledger_open(context_of(2), o, &g->columns, g->keys, g->capacity, &g->ledger, &error), &error);
}

static void observe(grown *g, const stream *s, size_t first, size_t end)
{
    scadyg_error error = {0};
    while (g->capacity < s->nodes[end]) g->capacity += g->capacity / 2 + 1;
    memcpy(g->keys, s->keys, NODES * sizeof *g->keys);
    must(sg_ledger_grow(g->ledger, g->keys, g->capacity, &error), &error);
    /* Whatever was there before is gone. */
    memset(g->time + 1, 0xEE, EVENTS * sizeof *g->time);
    hand_over(g, s, first, end - first, 1);
    must(sg_ledger_observe(g->ledger, 1, 1 + end - first, first, &error), &error);
}

typedef struct answers {
    uint32_t src[ASKED], dst[ASKED];
    float *between, *nodes;
} answers;

static answers ask(sg_ledger *ledger, const sg_ledger_options *o, const stream *s, uint64_t seen, uint64_t count)
{
    const sg_ledger_widths widths = sg_ledger_widths_of(o);
    scadyg_error error = {0};
    answers a = {.between = calloc(ASKED * widths.between, sizeof(float)),
                 .nodes = calloc(2 * ASKED * widths.node, sizeof(float))};
    const double at = nextafter(s->time[count - 1], INFINITY) + (count % 3 ? 0 : 2);
    uint32_t nodes[2 * ASKED];
    sg_rng rng;
    sg_rng_seed(&rng, count, 3);
    for (size_t i = 0; i < ASKED; i++) {
        const uint64_t e = sg_rng_below(&rng, count);
        a.src[i] = sg_rng_below(&rng, 3) ? s->src[e] : (uint32_t)sg_rng_below(&rng, s->nodes[count]);
        a.dst[i] = sg_rng_below(&rng, 2) ? s->dst[e] : (uint32_t)sg_rng_below(&rng, s->nodes[count]);
        nodes[2 * i] = a.src[i];
        nodes[2 * i + 1] = a.dst[i];
    }
    const sg_ledger_group group = {seen, at, 0, ASKED};
    const size_t node_first[2] = {0, 2 * ASKED};
    const sg_read_plan plan = {.groups = &group,
                               .count = 1,
                               .src = a.src,
                               .dst = a.dst,
                               .between = a.between,
                               .nodes = nodes,
                               .node_first = node_first,
                               .node_rows = a.nodes};
    must(sg_ledger_run(ledger, &plan, &error), &error);
    return a;
}

static void drop(answers *a)
{
    free(a->between);
    free(a->nodes);
}

static void compare(grown *g, const stream *s, const sg_ledger_options *o, size_t count)
{
    const sg_ledger_widths widths = sg_ledger_widths_of(o);
    scadyg_error error = {0};
    sg_ledger *batch, *copy = malloc(sg_ledger_size());
    sg_columns columns = columns_of(s, o->weighted, o->edge_features);
    unsigned char met[2][ASKED];
    columns.count = count;
    must(sg_ledger_open(context_of(1), o, &columns, s->keys, s->nodes[count], &batch, &error), &error);
    sg_ledger_share(g->ledger, copy);
    answers a = ask(batch, o, s, count, count), b = ask(copy, o, s, 0, count);
    assert_memory_equal(a.between, b.between, ASKED * widths.between * sizeof(float));
    assert_memory_equal(a.nodes, b.nodes, 2 * ASKED * widths.node * sizeof(float));
    assert_int_equal(sg_ledger_met(batch, a.src[0], a.dst, ASKED, met[0]), 1);
    assert_int_equal(sg_ledger_met(g->ledger, a.src[0], a.dst, ASKED, met[1]), 1);
    assert_memory_equal(met[0], met[1], ASKED);
    drop(&a);
    drop(&b);
    free(copy);
    sg_ledger_close(batch);
}

/* Through a file, into another ledger. */
static void save_and_load(grown *g, const sg_ledger_options *o, const stream *s, size_t count, const char *path)
{
    scadyg_error error = {0};
    sg_state_writer writer = {0};
    sg_ledger_save(g->ledger, s->nodes[count], &writer);
    must(sg_state_save(&writer, 1, path, -1, &error), &error);
    sg_state_writer_close(&writer);
    sg_ledger_close(g->ledger);
    sg_state_close(&g->reader);
    must(sg_state_open(&g->reader, context_of(2), path, &error), &error);
    g->capacity = s->nodes[count];
    must(sg_ledger_open(context_of(2), o, &g->columns, g->keys, g->capacity, &g->ledger, &error), &error);
    must(sg_ledger_load(g->ledger, &g->reader, 0, s->time[count - 1], &error), &error);
    assert_true(sg_ledger_open_time(g->ledger) == s->time[count - 1]);
}

static void check_growing(uint64_t seed, size_t events)
{
    static stream s;
    static grown g;
    char path[64];
    sg_rng rng;
    const sg_ledger_options o = options_of(seed);
    make_path(path);
    make_stream(&s, seed, events);
    sg_rng_seed(&rng, seed, 0x90);
    open_grown(&g, &s, &o);
    for (size_t at = 0, next; at < events; at = next) {
        const size_t most = sg_rng_below(&rng, 3) ? 3 : sg_rng_below(&rng, 2) ? 40 : 1200;
        next = at + 1 + (size_t)sg_rng_below(&rng, most);
        if (next > events) next = events;
        observe(&g, &s, at, next);
        if (sg_rng_below(&rng, events / 40 + 1) < 3 || next == events) compare(&g, &s, &o, next);
        if (sg_rng_below(&rng, events / 20 + 1) < 3) save_and_load(&g, &o, &s, next, path);
    }
    sg_ledger_close(g.ledger);
    sg_state_close(&g.reader);
    g = (grown){0};
    unlink(path);
}

static void as_all_together(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 24; seed++) check_growing(seed, 60 + 40 * (size_t)seed);
    for (uint64_t seed = 24; seed < 30; seed++) check_growing(seed, EVENTS);
}

/* ---- Snapshots that somebody damaged or forged ---- */

static unsigned char *saved_bytes(const sg_ledger_options *o, const stream *s, size_t count, size_t *size)
{
    static grown g;
    scadyg_error error = {0};
    sg_state_writer writer = {0};
    char path[64];
    make_path(path);
    open_grown(&g, s, o);
    observe(&g, s, 0, count);
    sg_ledger_save(g.ledger, s->nodes[count], &writer);
    must(sg_state_save(&writer, 1, path, -1, &error), &error);
    sg_state_writer_close(&writer);
    sg_ledger_close(g.ledger);
    g = (grown){0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = sg_alloc_huge(*size, 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    unlink(path);
    return bytes;
}

/* Reads it, and if it is taken uses everything that it leads to. */
static int use(const sg_ledger_options *o, const stream *s, size_t count, unsigned char *bytes, size_t size)
{
    static grown g;
    scadyg_error error = {0};
    open_grown(&g, s, o);
    sg_ledger_close(g.ledger);
    g.ledger = NULL;
    g.capacity = s->nodes[count];
    memcpy(g.keys, s->keys, NODES * sizeof *g.keys);
    int status = sg_state_open_memory(&g.reader, bytes, size, &error);
    if (!status) {
        must(sg_ledger_open(NULL, o, &g.columns, g.keys, g.capacity, &g.ledger, &error), &error);
        status = sg_ledger_load(g.ledger, &g.reader, 0, s->time[count - 1], &error);
    }
    if (status) assert_true(status == SCADYG_E_FORMAT || status == SCADYG_E_VERSION);
    if (!status) {
        answers a = ask(g.ledger, o, s, 0, count);
        drop(&a);
        observe(&g, s, count, count + 200);
        a = ask(g.ledger, o, s, 0, count + 200);
        drop(&a);
    }
    sg_ledger_close(g.ledger);
    sg_state_close(&g.reader);
    g = (grown){0};
    return status;
}

static void damage_is_refused(void **state)
{
    (void)state;
    static stream s;
    size_t size;
    sg_rng rng;
    const size_t count = 300;
    const sg_ledger_options o = options_of(7);
    make_stream(&s, 7, EVENTS);
    unsigned char *good = saved_bytes(&o, &s, count, &size), *bytes = sg_alloc_huge(size, 1);
    assert_non_null(bytes);
    memcpy(bytes, good, size);
    assert_int_equal(use(&o, &s, count, bytes, size), SCADYG_OK);
    sg_rng_seed(&rng, 5, 5);
    for (int i = 0; i < 60; i++) {
        memcpy(bytes, good, size);
        assert_int_not_equal(use(&o, &s, count, bytes, (size_t)sg_rng_below(&rng, size)), SCADYG_OK);
    }
    for (int i = 0; i < 200; i++) {
        memcpy(bytes, good, size);
        damage_state(bytes, &rng);
        assert_int_not_equal(use(&o, &s, count, bytes, size), SCADYG_OK);
    }
    free(bytes);
    free(good);
}

/* With checksums that are right: refused, or safe to use. */
static void forgery_is_safe(void **state)
{
    (void)state;
    static stream s;
    sg_rng rng;
    size_t refused = 0, taken = 0;
    sg_rng_seed(&rng, 6, 6);
    for (uint64_t seed = 4; seed < 8; seed++) {
        const size_t count = 400;
        size_t size;
        const sg_ledger_options o = options_of(seed);
        make_stream(&s, seed, EVENTS);
        unsigned char *good = saved_bytes(&o, &s, count, &size), *bytes = sg_alloc_huge(size, 1);
        assert_non_null(bytes);
        for (int i = 0; i < 400; i++) {
            memcpy(bytes, good, size);
            forge_state(bytes, &rng);
            if (use(&o, &s, count, bytes, size))
                refused++;
            else
                taken++;
        }
        free(bytes);
        free(good);
    }
    assert_true(refused > 50 && taken > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_all_together), cmocka_unit_test(damage_is_refused),
                                       cmocka_unit_test(forgery_is_safe)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
