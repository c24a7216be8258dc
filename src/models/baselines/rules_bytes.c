/* How much memory the baselines for links take, known from one pass over the log before they follow it. */
#include "base/memory.h"
#include "base/rng.h"
#include "models/baselines/rules.h"

#include <math.h>
#include <stdlib.h>

/*
 * How many different numbers come (HyperLogLog, Flajolet et al. 2007): of so many registers each keeps the longest row of
 * zeros of its hashes. The standard error is 1.04 / sqrt(registers), .8 %. The hashes are the same for ever, as what is left out
 * for want of memory must be.
 */
enum { INDEX = 14, REGISTERS = 1 << INDEX };

typedef struct distinct {
    unsigned char longest[REGISTERS];
} distinct;

static void see_number(distinct *d, uint64_t number)
{
    const uint64_t hash = sg_hash64(number), rest = hash >> INDEX | (uint64_t)1 << (64 - INDEX);
    const unsigned char zeros = (unsigned char)(1 + __builtin_ctzll(rest));
    unsigned char *longest = &d->longest[hash % REGISTERS];
    if (zeros > *longest) *longest = zeros;
}

static uint64_t count_distinct(const distinct *d)
{
    double sum = 0, unused = 0;
    for (size_t i = 0; i < REGISTERS; i++) {
        sum += ldexp(1, -d->longest[i]);
        unused += d->longest[i] == 0;
    }
    const double many = 0.7213 / (1 + 1.079 / REGISTERS) * REGISTERS * REGISTERS / sum;
    const double few = unused > 0 ? REGISTERS * log(REGISTERS / unused) : INFINITY;
    return (uint64_t)((many <= 2.5 * REGISTERS ? fmin(few, many * 1e9) : many) * 1.03); /* rather too many */
}

typedef struct counts {
    distinct pairs, transitions, destinations;
} counts;

int sg_log_size_count(const sg_columns *columns, uint64_t nodes, sg_log_size *size, scadyg_error *error)
{
    counts *c = sg_alloc_zero(1, sizeof *c);
    uint32_t *last = sg_alloc_zero((size_t)nodes, sizeof *last); /* 1 + the destination that a source met last */
    const int bad = !c || !last;
    for (uint64_t e = 0; e < columns->count && !bad; e++) {
        const uint32_t src = columns->src[e], dst = columns->dst[e];
        sg_columns_pass(columns, e, sizeof src + sizeof dst);
        see_number(&c->pairs, sg_pair_key(src, dst));
        see_number(&c->destinations, dst);
        if (last[src]) see_number(&c->transitions, sg_pair_key(last[src] - 1, dst));
        last[src] = dst + 1;
    }
    if (!bad)
        *size = (sg_log_size){.events = columns->count,
                              .nodes = nodes,
                              .pairs = count_distinct(&c->pairs),
                              .transitions = count_distinct(&c->transitions),
                              .destinations = count_distinct(&c->destinations)};
    SG_FREE(c, last);
    return bad ? sg_fail_memory(error, "a look at the pairs") : SCADYG_OK;
}

sg_log_size sg_log_size_most(uint64_t events, uint64_t nodes)
{
    return (sg_log_size){events, nodes, events, events, nodes < events ? nodes : events};
}

static uint64_t map_bytes(uint64_t count)
{
    uint64_t slots = 1024;
    while (slots < 2 * count + 4) slots *= 2;
    return slots * sizeof(sg_pair_slot);
}

uint64_t sg_past_bytes(const sg_log_size *size, unsigned keeps)
{
    const uint64_t row = SG_NEIGHBOURS_MOST * 2 * sizeof(uint32_t) + 16; /* with what malloc adds */
    const uint64_t rows = size->destinations * row, added = size->events * SG_NEIGHBOUR_PLACES * 16;
    const uint64_t of_node = sizeof(sg_neighbour_row) + 4 * SG_NEIGHBOUR_PLACES + 1 + 8 + 4 + 8;
    const uint64_t pairs = keeps & SG_KEEPS_CONTACTS ? map_bytes(size->pairs) : 0;
    const uint64_t transitions = keeps & SG_KEEPS_TRANSITIONS ? map_bytes(size->transitions) : 0;
    uint64_t bytes = size->nodes * 2 * 8 + pairs + transitions; /* popularity and activity come with all */
    bytes += (pairs > transitions ? pairs : transitions) / 2;   /* what the largest is moved from as it grows */
    if (keeps & SG_KEEPS_TRANSITIONS) bytes += size->nodes * 3 * 8;
    if (keeps & SG_KEEPS_NEIGHBOURS) bytes += size->nodes * of_node + (rows < added ? rows : added);
    if (keeps & SG_KEEPS_INTERVALS) bytes += map_bytes(size->pairs) + size->pairs * sizeof(sg_interval) * 5 / 2;
    return bytes;
}

unsigned sg_past_within(const sg_log_size *size, unsigned wanted, double bytes)
{
    static const unsigned leave[] = {0, SG_KEEPS_INTERVALS, SG_KEEPS_NEIGHBOURS, SG_KEEPS_TRANSITIONS,
                                     SG_KEEPS_CONTACTS};
    for (size_t i = 0; i < sizeof leave / sizeof *leave; i++) {
        wanted &= ~leave[i];
        if ((double)sg_past_bytes(size, wanted) <= bytes) return wanted;
    }
    return 0;
}
