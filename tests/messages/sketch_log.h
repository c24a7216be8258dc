/* Small random logs for the tests of walk sketches: ties, self-loops, the same nodes several times at one time. */
#ifndef TESTS_MESSAGES_SKETCH_LOG_H
#define TESTS_MESSAGES_SKETCH_LOG_H

#include "cmocka_all.h"

#include "base/rng.h"
#include "messages/pairs/sketch_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_EVENTS = 60, LOG_MOST_NODES = 16, ROW = SG_ORDERS * SG_DOTS };

typedef struct sketch_log {
    uint32_t src[LOG_EVENTS], dst[LOG_EVENTS];
    double time[LOG_EVENTS], end; /* end: after the last */
} sketch_log;

/* The later half of the events may also have the later half of the nodes; the last node meets nobody. */
static inline sketch_log make_log(uint64_t seed, size_t nodes)
{
    sketch_log log;
    sg_rng rng;
    double now = seed % 2 ? -7.25 : 1.5e9;
    sg_rng_seed(&rng, seed, 1);
    for (size_t i = 0; i < LOG_EVENTS; i++) {
        const size_t known = i < LOG_EVENTS / 2 ? nodes / 2 : nodes - 1;
        if (sg_rng_below(&rng, 3)) now += 0.25 + (double)sg_rng_below(&rng, 4);
        if (i == LOG_EVENTS / 2) now += 1;
        log.time[i] = now;
        log.src[i] = (uint32_t)sg_rng_below(&rng, known);
        log.dst[i] = sg_rng_below(&rng, 8) ? (uint32_t)sg_rng_below(&rng, known) : log.src[i];
    }
    log.end = now + 0.75;
    return log;
}

static inline void make_keys(uint64_t seed, size_t nodes, uint64_t *keys)
{
    for (size_t x = 0; x < nodes; x++) keys[x] = sg_hash3(seed, 7, x);
}

static inline sg_sketch *must_sketch(const sg_sketch_options *options, const uint64_t *keys, size_t nodes)
{
    scadyg_error error = {0};
    sg_sketch *sketch;
    if (sg_sketch_open(options, keys, nodes, &sketch, &error)) fail_msg("%s", error.message);
    return sketch;
}

/* All events into all blocks. */
static inline void add_log(sg_sketch *sketch, const sketch_log *log)
{
    for (size_t b = 0; b < sg_sketch_blocks(sketch); b++)
        sg_sketch_add(sketch, b, log->src, log->dst, log->time, LOG_EVENTS);
}

/* dots[nodes][nodes][ROW]: all pairs. */
static inline float *read_all(const sg_sketch *sketch, size_t nodes, double at)
{
    uint32_t src[LOG_MOST_NODES * LOG_MOST_NODES], dst[LOG_MOST_NODES * LOG_MOST_NODES];
    float *dots = calloc(nodes * nodes * ROW, sizeof *dots);
    assert_non_null(dots);
    for (size_t i = 0; i < nodes * nodes; i++) {
        src[i] = (uint32_t)(i / nodes);
        dst[i] = (uint32_t)(i % nodes);
    }
    for (size_t b = 0; b < sg_sketch_blocks(sketch); b++)
        sg_sketch_read(sketch, b, src, dst, nodes * nodes, at, dots);
    return dots;
}

#endif
