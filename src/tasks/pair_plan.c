/* The plan of a ledger: rates from the events, widths from the memory. */
#include "tasks/pair_plan.h"

#include "tasks/pair_cases.h"

#define WIDEST 64               /* wider sketches are no better on the data at hand */
#define PAIRS_LEAST (16u << 20) /* bytes for pairs */

/* What training keeps of a node beside the ledger: keys, what cases are drawn from, where its row is. */
#define NODE_EXTRA (8 + 4 * SG_KEPT + 4 + 4 + 1 + 4 + 4)

/*
 * Room for four times the pairs that this log can have, in whole powers of two: it may grow, and the bound, which is kept
 * in the model, does not depend on the machine as long as memory is not short.
 */
static uint64_t ample(const sg_inputs *inputs)
{
    const scadyg_messages *messages = inputs->messages;
    uint64_t wanted = PAIRS_LEAST;
    while (wanted < 4 * sg_pair_store_bytes_for(messages->columns.count, messages->columns.weight != NULL))
        wanted *= 2;
    return wanted;
}

/* What of the memory is for the ledger: a thirty-second is for the chunks, and as much as is needed, up to a quarter, for
 * the pages of the events file that were read, which the system can take back. */
static uint64_t usable(const sg_inputs *inputs, uint64_t memory)
{
    const sg_columns *columns = &inputs->messages->columns;
    const uint64_t event = sizeof *columns->src + sizeof *columns->dst + sizeof *columns->time +
                           (columns->weight ? sizeof *columns->weight : 0);
    const uint64_t pages = columns->count * event;
    return memory - memory / 32 - (pages < memory / 4 ? pages : memory / 4);
}

/* The least memory of which so much is usable: a byte more of it never gives more than a byte. */
static uint64_t least_memory(const sg_inputs *inputs, uint64_t needed)
{
    uint64_t memory = needed;
    for (uint64_t has; (has = usable(inputs, memory)) < needed;) memory += needed - has;
    return memory;
}

/* Of what is left when the sketches are as wide as they can be, the pairs get all. */
int sg_pair_plan(scadyg_model *model, const sg_inputs *inputs, uint64_t train_end, uint64_t memory,
                 scadyg_error *error)
{
    const uint64_t nodes = inputs->nodes, room = usable(inputs, memory);
    sg_ledger_plan *plan = &model->plan;
    int status = sg_ledger_rates(&inputs->messages->columns, nodes, train_end, &plan->rates, error);
    if (status) return status;
    plan->walk_rate = plan->rates.rate[0];
    plan->width = WIDEST;
    if (model->options.walk_width > 0)
        plan->width = ((uint64_t)model->options.walk_width + SG_BLOCK - 1) / SG_BLOCK * SG_BLOCK;
    sg_ledger_options options;
    for (;; plan->width -= SG_BLOCK) {
        plan->pair_bytes = 0;
        status = sg_model_ledger(model, &options, error);
        if (status) return status;
        const uint64_t fixed = sg_ledger_bytes(&options, nodes) + nodes * NODE_EXTRA;
        const uint64_t needed = fixed + fixed / 2 + PAIRS_LEAST;
        if (room >= needed) {
            const uint64_t wanted = ample(inputs), left = room - fixed;
            plan->pair_bytes = wanted < left ? wanted : left;
            return SCADYG_OK;
        }
        if (plan->width == SG_BLOCK || model->options.walk_width > 0)
            return sg_fail(error, SCADYG_E_USAGE,
                           "--memory %llu is not enough for %llu nodes: at least %llu bytes are needed",
                           (unsigned long long)memory, (unsigned long long)nodes,
                           (unsigned long long)least_memory(inputs, needed));
    }
}
