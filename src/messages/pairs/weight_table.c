/* Numbers of unordered pairs of nodes. */
#include "messages/pairs/weight_table.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 4096 };
#define LEAST 0.05f                    /* what is below this after a halving is forgotten first */
#define MOST_PAIRS ((uint64_t)1 << 40) /* of which anybody asks what they would take */

int sg_weight_table_open(uint64_t bytes, sg_weight_table **table, scadyg_error *error)
{
    sg_weight_table *made = sg_alloc_zero(1, sizeof *made);
    *table = NULL;
    if (made) {
        *made = (sg_weight_table){.mask = FIRST_SLOTS - 1, .limit = FIRST_SLOTS, .key = sg_hash_key_draw()};
        /* While it grows, the old slots are there too. */
        while (made->limit <= bytes / (3 * sizeof(sg_weight_slot))) made->limit *= 2;
        made->slots = sg_alloc_zero(FIRST_SLOTS, sizeof *made->slots);
    }
    if (!made || !made->slots) {
        sg_weight_table_close(made);
        return sg_fail_memory(error, "what came up together");
    }
    *table = made;
    return SCADYG_OK;
}

void sg_weight_table_close(sg_weight_table *table)
{
    if (table) SG_FREE(table->slots, table);
}

void sg_weight_table_clear(sg_weight_table *table)
{
    memset(table->slots, 0, (table->mask + 1) * sizeof *table->slots);
    table->count = 0;
}

uint64_t sg_weight_table_bytes(const sg_weight_table *table)
{
    return (table->mask + 1) * sizeof *table->slots;
}

uint64_t sg_weight_table_bytes_for(uint64_t pairs)
{
    uint64_t slots = FIRST_SLOTS;
    while (slots < 2 * (pairs < MOST_PAIRS ? pairs : MOST_PAIRS)) slots *= 2;
    return (slots > FIRST_SLOTS ? slots + slots / 2 : slots) * sizeof(sg_weight_slot);
}

static int is_free(const sg_weight_slot *slot)
{
    return slot->low == slot->high;
}

static int grow(sg_weight_table *table, scadyg_error *error)
{
    sg_weight_slot *const old = table->slots;
    const uint64_t count = table->mask + 1;
    sg_weight_slot *made = sg_alloc_huge(2 * count, sizeof *made);
    if (!made) return sg_fail_memory(error, "what came up together");
    memset(made, 0, 2 * count * sizeof *made);
    table->slots = made;
    table->mask = 2 * count - 1;
    for (uint64_t i = 0; i < count; i++)
        if (!is_free(&old[i])) *sg_weight_table_slot(table, old[i].low, old[i].high) = old[i];
    free(old);
    return SCADYG_OK;
}

/*
 * Halves all weights and forgets those then below `least`, in place. Behind a slot that is free, each pair in turn is taken
 * out and put back: it comes to stand where it was or nearer to where it belongs, and nothing before it moves any more.
 */
static void halve(sg_weight_table *table, float least)
{
    uint64_t begin = 0;
    while (!is_free(&table->slots[begin])) begin++;
    for (uint64_t i = 1; i <= table->mask; i++) {
        sg_weight_slot *at = &table->slots[(begin + i) & table->mask], taken = *at;
        if (is_free(at)) continue;
        *at = (sg_weight_slot){0};
        taken.weight *= 0.5f;
        if (taken.weight >= least)
            *sg_weight_table_slot(table, taken.low, taken.high) = taken;
        else
            table->count--;
    }
}

static int make_room(sg_weight_table *table, scadyg_error *error)
{
    const uint64_t slots = table->mask + 1;
    if (2 * (table->count + 1) <= slots) return SCADYG_OK;
    if (slots < table->limit) return grow(table, error);
    for (float least = LEAST; 8 * table->count > 3 * slots; least *= 2) halve(table, least);
    return SCADYG_OK;
}

int sg_weight_table_add(sg_weight_table *table, uint32_t a, uint32_t b, float weight, scadyg_error *error)
{
    sg_weight_slot *slot = sg_weight_table_slot(table, a, b);
    if (is_free(slot)) {
        int status = make_room(table, error);
        if (status) return status;
        slot = sg_weight_table_slot(table, a, b);
        *slot = (sg_weight_slot){.low = a < b ? a : b, .high = a < b ? b : a};
        table->count++;
    }
    slot->weight += weight;
    return SCADYG_OK;
}
