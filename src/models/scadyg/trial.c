/* Whether vectors of destinations are worth trying: where many are new to their sources, and there is time and room. */
#include "models/scadyg/scadyg.h"

#include "base/memory.h"
#include "messages/pairs/vectors.h"

#include <stdlib.h>

/* docs/accuracy.md, "Identity": where they paid, there were more. */
#define DESTINATIONS 1000
#define FIRST_CONTACTS 0.25
#define LOOKED_AT ((uint64_t)1 << 20) /* events of the training part */
#define MOST ((uint64_t)1 << 23) /* events of a log: with more, following vectors takes longer than all the rest */
#define BITS 25                  /* of a table of pairs, one bit each: two pairs rarely share one */

static int has_bit(uint64_t *bits, uint64_t at)
{
    const uint64_t bit = (uint64_t)1 << (at & 63);
    const int there = (bits[at >> 6] & bit) != 0;
    bits[at >> 6] |= bit;
    return there;
}

/* A quarter of the memory is for vectors: where they do not fit, the least used would be forgotten from the beginning. */
static int have_room(const scadyg_context *context, const sg_vector_roles *roles)
{
    const uint64_t rows = roles->destinations * SG_VECTOR_ROW_BYTES;
    return sg_vector_past_bytes(roles->nodes, roles->sources) + rows <= sg_context_memory(context, 4) / 4;
}

static int is_worth(scadyg_context *context, scadyg_events *events, const scadyg_options *options, int *worth,
                    scadyg_error *error)
{
    const sg_scadyg_options *values = (const sg_scadyg_options *)options->values;
    const uint64_t nodes = events->shape.nodes;
    sg_columns columns;
    sg_vector_roles roles;
    *worth = 0;
    if (values->train.stepwise || nodes < DESTINATIONS || events->shape.events > MOST) return SCADYG_OK;
    int status = sg_events_columns(context, events, 0, 0, &columns, error);
    if (!status) status = sg_vectors_count_roles(&columns, nodes, &roles, error);
    if (status || roles.destinations < DESTINATIONS || !have_room(context, &roles)) return status;
    uint64_t end = (uint64_t)(values->train.train_share * (double)columns.count), destinations = 0, first = 0;
    if (end > LOOKED_AT) end = LOOKED_AT;
    uint64_t *pairs = sg_alloc_zero(((size_t)1 << BITS) / 64, sizeof *pairs),
             *seen = sg_alloc_zero(nodes / 64 + 1, sizeof *seen);
    if (!status && (!pairs || !seen)) status = sg_fail_memory(error, "a look at the pairs");
    for (uint64_t i = 0; i < end && !status; i++) {
        destinations += !has_bit(seen, columns.dst[i]);
        first += !has_bit(pairs, sg_hash3(columns.src[i], columns.dst[i], 0) >> (64 - BITS));
    }
    if (!status && end) *worth = destinations >= DESTINATIONS && (double)first >= FIRST_CONTACTS * (double)end;
    SG_FREE(pairs, seen);
    return status;
}

/* Of a long log the beginning tells as well; and following all of it for a choice takes longer than the training. */
#define SHORT ((uint64_t)1 << 19)

/* Two short trainings differ by up to .015 of what is missed for no reason; where vectors pay it is .023 and more. */
#define GAIN 0.02

static const sg_setting settings[] = {{"epochs", "1"}, {"patience", "1"}, {"cases", "131072"}, {NULL, NULL}};

const sg_trial sg_scadyg_trial = {"vectors", {"off", "on"}, GAIN, settings, SHORT, is_worth};
