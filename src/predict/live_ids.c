/* Nodes of a live state by their ids. */
#include "predict/live_parts.h"

#include "base/memory.h"
#include "events/node_id.h"
#include "events/number_text.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

int sg_live_ids_open(sg_live_ids *ids, int integers, int two_sides, scadyg_error *error)
{
    *ids = (sg_live_ids){.integers = integers, .two_sides = two_sides, .hash = sg_hash_key_draw(), .mask = 63};
    ids->slots = sg_alloc_zero(ids->mask + 1, sizeof *ids->slots);
    if (!integers) ids->offset = sg_alloc_zero(1, sizeof *ids->offset);
    return ids->slots && (integers || ids->offset) ? SCADYG_OK : sg_fail_memory(error, "the ids of the nodes");
}

void sg_live_ids_close(sg_live_ids *ids)
{
    SG_FREE(ids->integer, ids->offset, ids->text, ids->side, ids->key, ids->slots);
    *ids = (sg_live_ids){0};
}

/* An integer as it is printed; 0 if the text is something else. */
static int read_integer(const char *text, size_t length, int64_t *integer)
{
    char printed[24], *end = NULL, copy[24];
    if (length == 0 || length >= sizeof copy) return 0;
    memcpy(copy, text, length);
    copy[length] = 0;
    *integer = strtoll(copy, &end, 10);
    return *end == 0 && sg_print_integer(*integer, printed) == length && memcmp(printed, copy, length) == 0;
}

int sg_live_ids_check(const sg_live_ids *ids, const char *id, scadyg_error *error)
{
    const char *fault = id ? sg_id_fault(id, strlen(id)) : "is missing";
    int64_t integer;
    if (fault) return sg_fail(error, SCADYG_E_INPUT, "the id of a node %s", fault);
    if (ids->integers && !read_integer(id, strlen(id), &integer))
        return sg_fail(error, SCADYG_E_INPUT, "the id '%.100s' is no integer, as the ids of this model's log are",
                       id);
    return SCADYG_OK;
}

size_t sg_live_ids_text(const sg_live_ids *ids, uint32_t node, char buffer[24], const char **text)
{
    if (ids->integers) {
        *text = buffer;
        return sg_print_integer(ids->integer[node], buffer);
    }
    *text = ids->text + ids->offset[node];
    return (size_t)(ids->offset[node + 1] - ids->offset[node]);
}

/* ---- The table ---- */

typedef struct wanted {
    const char *text;
    size_t length;
    int64_t integer;
    int side;
} wanted;

static int want(const sg_live_ids *ids, const char *id, size_t length, int side, wanted *w)
{
    *w = (wanted){id, length, 0, ids->two_sides && side};
    return !ids->integers || read_integer(id, length, &w->integer);
}

static size_t hash_of(const sg_live_ids *ids, const wanted *w)
{
    const uint64_t hash = ids->integers ? sg_hash_number(&ids->hash, (uint64_t)w->integer)
                                        : sg_hash_text(&ids->hash, w->text, w->length);
    return (size_t)(hash + (uint64_t)w->side) & ids->mask;
}

static int is_it(const sg_live_ids *ids, uint32_t node, const wanted *w)
{
    if (ids->side && ids->side[node] != w->side) return 0;
    if (ids->integers) return ids->integer[node] == w->integer;
    return ids->offset[node + 1] - ids->offset[node] == w->length &&
           memcmp(ids->text + ids->offset[node], w->text, w->length) == 0;
}

/* Its slot, or the free one where it would go. */
static size_t find_slot(const sg_live_ids *ids, const wanted *w)
{
    size_t at = hash_of(ids, w);
    while (ids->slots[at] && !is_it(ids, ids->slots[at] - 1, w)) at = (at + 1) & ids->mask;
    return at;
}

uint32_t sg_live_ids_find(const sg_live_ids *ids, const char *id, size_t length, int side)
{
    wanted w;
    if (!want(ids, id, length, side, &w)) return NONE;
    const uint32_t slot = ids->slots[find_slot(ids, &w)];
    return slot ? slot - 1 : NONE;
}

static wanted id_of(const sg_live_ids *ids, uint32_t node)
{
    wanted w = {.side = ids->side ? ids->side[node] : 0};
    if (ids->integers) {
        w.integer = ids->integer[node];
        return w;
    }
    w.length = sg_live_ids_text(ids, node, NULL, &w.text);
    return w;
}

/* -1 without memory. */
static int grow_table(sg_live_ids *ids, size_t count)
{
    size_t size = ids->mask + 1;
    while (2 * count >= size) size *= 2;
    if (size == ids->mask + 1) return 0;
    uint32_t *slots = sg_alloc_aligned(size, sizeof *slots), *old = ids->slots;
    if (!slots) return -1;
    ids->slots = slots;
    ids->mask = size - 1;
    for (uint32_t node = 0; node < ids->count; node++) {
        const wanted w = id_of(ids, node);
        size_t at = hash_of(ids, &w);
        while (slots[at]) at = (at + 1) & ids->mask;
        slots[at] = node + 1;
    }
    free(old);
    return 0;
}

/* Arrays of nodes with room for so many, and one more where offsets end. */
static int grow_arrays(sg_live_ids *ids, size_t count)
{
    size_t room = ids->room;
    if (SG_GROW(&room, count + 1, SG_ARRAY(ids->key, 1), SG_ARRAY_IF(ids->integers, ids->integer, 1),
                SG_ARRAY_IF(!ids->integers, ids->offset, 1), SG_ARRAY_IF(ids->two_sides, ids->side, 1)))
        return -1;
    ids->room = room;
    return 0;
}

int sg_live_ids_reserve(sg_live_ids *ids, size_t count, scadyg_error *error)
{
    return grow_table(ids, count) || grow_arrays(ids, count) ? sg_fail_memory(error, "the ids of the nodes")
                                                             : SCADYG_OK;
}

/* Of a node that is not there yet; NONE without memory. */
static uint32_t add_node(sg_live_ids *ids, const wanted *w)
{
    const uint32_t node = (uint32_t)ids->count;
    if (grow_table(ids, ids->count + 1) || grow_arrays(ids, ids->count + 1) ||
        (!ids->integers && sg_grow(&ids->text, &ids->text_room, (size_t)ids->offset[node] + w->length + 1, 1)))
        return NONE;
    if (ids->integers) {
        ids->integer[node] = w->integer;
        ids->key[node] = (uint64_t)w->integer;
    } else {
        memcpy(ids->text + ids->offset[node], w->text, w->length);
        ids->offset[node + 1] = ids->offset[node] + w->length;
        ids->key[node] = sg_id_hash(w->text, w->length);
    }
    if (ids->side) ids->side[node] = (uint8_t)w->side;
    if (w->side) ids->key[node] ^= (uint64_t)1 << 63;
    ids->slots[find_slot(ids, w)] = node + 1;
    ids->count++;
    return node;
}

static uint32_t put(sg_live_ids *ids, const wanted *w)
{
    const uint32_t known = ids->slots[find_slot(ids, w)];
    return known ? known - 1 : add_node(ids, w);
}

uint32_t sg_live_ids_put(sg_live_ids *ids, const char *id, size_t length, int side)
{
    wanted w;
    return want(ids, id, length, side, &w) ? put(ids, &w) : NONE;
}

uint32_t sg_live_ids_put_integer(sg_live_ids *ids, int64_t id, int side)
{
    return put(ids, &(wanted){.integer = id, .side = ids->two_sides && side});
}
