/* Negatives of a source. */
#include "evaluate/negatives.h"

#include "base/memory.h"

#include <stdlib.h>

const char *sg_pool_text(int pool)
{
    switch (pool) {
    case SCADYG_POOL_ANY: return "any";
    case SCADYG_POOL_DESTINATION: return "destination";
    case SCADYG_POOL_HISTORICAL: return "historical";
    case SCADYG_POOL_INDUCTIVE: return "inductive";
    default: return "historical and random";
    }
}

static int has_meetings(int pool)
{
    return pool != SCADYG_POOL_ANY && pool != SCADYG_POOL_DESTINATION;
}

static int list_destinations(sg_negatives *negatives, uint64_t nodes)
{
    sg_marks seen;
    const sg_columns *columns = negatives->columns;
    if (sg_marks_open(&seen, nodes)) return -1;
    for (uint64_t e = 0; e < columns->count; e++) sg_mark(&seen, columns->dst[e]);
    uint64_t count = 0;
    for (uint64_t i = 0; i < nodes; i++) count += (uint64_t)sg_marked(&seen, (uint32_t)i);
    negatives->destination = sg_alloc((size_t)count, sizeof *negatives->destination);
    if (negatives->destination)
        for (uint64_t i = 0; i < nodes; i++)
            if (sg_marked(&seen, (uint32_t)i)) negatives->destination[negatives->destinations++] = (uint32_t)i;
    sg_marks_close(&seen);
    return negatives->destination ? 0 : -1;
}

static int open_parts(sg_negatives *negatives, uint64_t nodes, scadyg_error *error)
{
    if (list_destinations(negatives, nodes) || sg_drawer_open(&negatives->drawer, nodes, nodes) ||
        sg_marks_open(&negatives->without, nodes))
        return sg_fail_memory(error, "the negatives");
    negatives->random = negatives->pool == SCADYG_POOL_ANY
                            ? (sg_pool){.count = nodes}
                            : (sg_pool){.node = negatives->destination, .count = negatives->destinations};
    if (!has_meetings(negatives->pool)) return SCADYG_OK;
    return sg_first_contacts_make(&negatives->first_contacts, negatives->columns, nodes, error);
}

int sg_negatives_open(sg_negatives *negatives, const sg_columns *columns, uint64_t nodes, int pool, int again,
                      uint64_t train_end, scadyg_error *error)
{
    *negatives = (sg_negatives){.columns = columns, .pool = pool, .again = again, .train_end = train_end};
    int status = open_parts(negatives, nodes, error);
    if (status) sg_negatives_close(negatives);
    return status;
}

void sg_negatives_close(sg_negatives *negatives)
{
    free(negatives->destination);
    free(negatives->met);
    sg_first_contacts_free(&negatives->first_contacts);
    sg_drawer_close(&negatives->drawer);
    sg_marks_close(&negatives->without);
    *negatives = (sg_negatives){0};
}

/* Lists what the source has met, without its positives, and excludes it from random draws. */
static int list_met(sg_negatives *negatives, uint32_t source, uint64_t seen)
{
    const size_t *row = &negatives->first_contacts.row[source];
    const uint64_t *event = negatives->first_contacts.by_source + row[0];
    size_t count = row[1] - row[0], trained = sg_events_until(event, count, negatives->train_end);
    size_t first = negatives->pool == SCADYG_POOL_INDUCTIVE ? trained : 0;
    size_t end = negatives->pool == SG_POOL_MIX ? trained : sg_events_until(event, count, seen);
    if (end <= first) return 0;
    if (sg_grow(&negatives->met, &negatives->met_room, end - first, sizeof *negatives->met)) return -1;
    for (size_t i = first; i < end; i++) {
        uint32_t node = negatives->columns->dst[event[i]];
        if (!sg_marked(&negatives->without, node)) negatives->met[negatives->met_count++] = node;
        sg_mark(&negatives->without, node);
    }
    return 0;
}

int sg_negatives_of(sg_negatives *negatives, uint32_t source, const uint64_t *positive, size_t positives,
                    uint64_t seen)
{
    sg_marks_clear(&negatives->without);
    for (size_t i = 0; i < positives; i++) sg_mark(&negatives->without, negatives->columns->dst[positive[i]]);
    negatives->met_count = 0;
    return has_meetings(negatives->pool) ? list_met(negatives, source, seen) : 0;
}

size_t sg_negatives_most(const sg_negatives *negatives, size_t count)
{
    size_t all = negatives->met_count + (size_t)negatives->random.count;
    return negatives->again || count < all ? count : all;
}

size_t sg_negatives_draw(sg_negatives *negatives, sg_rng *rng, size_t count, uint32_t *out)
{
    size_t share = negatives->pool == SG_POOL_MIX ? count / 2 : count, done = 0;
    if (negatives->met_count) {
        sg_pool met = {.node = negatives->met, .count = negatives->met_count};
        done = sg_draw_once(&negatives->drawer, rng, &met, NULL, share, out);
    }
    if (done == count) return done;
    return done + (negatives->again ? sg_draw_again : sg_draw_once)(&negatives->drawer, rng, &negatives->random,
                                                                    &negatives->without, count - done, out + done);
}
