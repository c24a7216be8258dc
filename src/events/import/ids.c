/* Node ids on their way in: any integer or any UTF-8 string to a node number. */
#include "events/import/ids.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

void sg_ids_init(sg_ids *ids, int spaces)
{
    *ids = (sg_ids){.spaces = spaces, .separate = spaces == 2, .key = sg_hash_key_draw()};
}

void sg_ids_free(sg_ids *ids)
{
    for (int side = 0; side < 2; side++) {
        SG_FREE(ids->integers[side].slots, ids->integers[side].dense, ids->texts[side].slots);
    }
    SG_FREE(ids->keys, ids->kinds, ids->sides, ids->arena);
    *ids = (sg_ids){0};
}

/* Whether the text is an int64 as printf would write it. */
static int read_usual_integer(const char *text, size_t length, int64_t *value)
{
    size_t digits = length, at = 0;
    int negative = length > 1 && text[0] == '-';
    if (negative) {
        at = 1;
        digits--;
    }
    if (digits == 0 || digits > 19 || (text[at] == '0' && (digits > 1 || negative))) return 0;
    uint64_t number = 0;
    for (; at < length; at++) {
        unsigned digit = (unsigned)(unsigned char)text[at] - '0';
        if (digit > 9) return 0;
        number = number * 10 + digit; /* 19 digits fit */
    }
    if (number > (uint64_t)INT64_MAX + (uint64_t)negative) return 0;
    *value = negative ? (int64_t)(0 - number) : (int64_t)number;
    return 1;
}

void sg_id_parse(sg_id *id, const sg_hash_key *key, const char *text, size_t length)
{
    int64_t integer;
    if (read_usual_integer(text, length, &integer)) {
        *id = sg_id_integer(key, integer);
        return;
    }
    id->value.text = text;
    id->length = (uint32_t)length;
    id->hash = (uint32_t)sg_hash_text(key, text, length) | 1u;
}

void sg_id_print(const sg_id *id, char *out, size_t size)
{
    if (id->length)
        snprintf(out, size, "%.*s", (int)(id->length < size ? id->length : size - 1), id->value.text);
    else
        snprintf(out, size, "%lld", (long long)id->value.integer);
}

static uint32_t read_arena_length(const char *entry)
{
    return (uint32_t)(unsigned char)entry[0] | (uint32_t)(unsigned char)entry[1] << 8;
}

static int is_same_id(const sg_ids *ids, const sg_id_slot *slot, const sg_id *id)
{
    if (slot->hash != id->hash) return 0;
    if (!id->length) return slot->key == id->value.integer;
    const char *entry = ids->arena + slot->key;
    return read_arena_length(entry) == id->length && memcmp(entry + 2, id->value.text, id->length) == 0;
}

/* The slot of an id, or the empty one where it would go. */
static sg_id_slot *find_slot(const sg_ids *ids, const sg_id_table *table, const sg_id *id)
{
    size_t mask = table->capacity - 1, at = (id->hash >> 1) & mask;
    while (table->slots[at].hash && !is_same_id(ids, &table->slots[at], id)) at = (at + 1) & mask;
    return &table->slots[at];
}

static int fail_memory(scadyg_error *error)
{
    return sg_fail_memory(error, "the table of node ids");
}

/* Puts the slots in use into a new array of `capacity` slots, without the integers the dense part now serves. */
static int rebuild_table(sg_id_table *table, size_t capacity, scadyg_error *error)
{
    sg_id_slot *slots = sg_alloc_zero(capacity, sizeof *slots);
    if (!slots) return fail_memory(error);
    size_t mask = capacity - 1;
    table->count = 0;
    for (size_t i = 0; i < table->capacity; i++) {
        const sg_id_slot *slot = &table->slots[i];
        if (!slot->hash) continue;
        if ((uint64_t)slot->key < table->dense_size) {
            table->dense[slot->key] = slot->node + 1;
            continue;
        }
        size_t at = (slot->hash >> 1) & mask;
        while (slots[at].hash) at = (at + 1) & mask;
        slots[at] = *slot;
        table->count++;
    }
    free(table->slots);
    table->slots = slots;
    table->capacity = capacity;
    return SCADYG_OK;
}

/* Lets an integer new to the table be looked up by its value from now on if there are at most four times as many values
 * as nodes, so that this never takes more memory than the slots would. */
static int extend_dense(sg_ids *ids, sg_id_table *table, int64_t value, scadyg_error *error)
{
    if (value < 0 || (uint64_t)value < table->dense_size) return SCADYG_OK;
    if ((uint64_t)value >= 4 * ((uint64_t)ids->count + 1024)) return SCADYG_OK;
    size_t size = table->dense_size ? table->dense_size : 4096;
    while (size <= (uint64_t)value) size *= 2;
    uint32_t *dense = sg_alloc_aligned(size, sizeof *dense);
    if (!dense) return fail_memory(error);
    if (table->dense_size) memcpy(dense, table->dense, table->dense_size * sizeof *dense);
    free(table->dense);
    table->dense = dense;
    table->dense_size = size;
    return table->count ? rebuild_table(table, table->capacity, error) : SCADYG_OK;
}

/* Keeps the id itself; the table learns of it afterwards, so a failure changes nothing. */
static int keep_id(sg_ids *ids, const sg_id *id, int side, int64_t *key, scadyg_error *error)
{
    if (SG_GROW(&ids->capacity, ids->count + 1, SG_ARRAY(ids->keys, 1), SG_ARRAY(ids->kinds, 1)))
        return fail_memory(error);
    const size_t sides = ids->count / SG_SIDES_A_BYTE;
    if (sg_grow(&ids->sides, &ids->side_capacity, sides + 1, 1)) return fail_memory(error);
    if (ids->count % SG_SIDES_A_BYTE == 0) ids->sides[sides] = 0;
    *key = id->value.integer;
    if (id->length) {
        if (sg_grow(&ids->arena, &ids->arena_capacity, ids->arena_size + id->length + 2, 1))
            return fail_memory(error);
        char *entry = ids->arena + ids->arena_size;
        entry[0] = (char)(id->length & 255);
        entry[1] = (char)(id->length >> 8);
        memcpy(entry + 2, id->value.text, id->length);
        *key = (int64_t)ids->arena_size;
        ids->arena_size += id->length + 2;
        ids->text_count++;
    }
    ids->keys[ids->count] = *key;
    ids->kinds[ids->count] =
        (uint8_t)((id->length ? SG_ID_TEXT : 0) | (side && ids->spaces == 2 ? SG_ID_DESTINATION : 0));
    return SCADYG_OK;
}

/* Numbers an id that no table knows. */
static int add_node(sg_ids *ids, sg_id_table *table, const sg_id *id, int side, uint32_t *node, scadyg_error *error)
{
    int is_integer = id->length == 0;
    int64_t key = 0;
    if (ids->count >= UINT32_MAX - 1) return sg_fail(error, SCADYG_E_INPUT, "more than 4,294,967,294 nodes");
    int status = is_integer ? extend_dense(ids, table, id->value.integer, error) : SCADYG_OK;
    if (!status) status = keep_id(ids, id, side, &key, error);
    if (status) return status;
    if (is_integer && (uint64_t)id->value.integer < table->dense_size) {
        table->dense[id->value.integer] = (uint32_t)ids->count + 1;
    } else {
        if (table->count >= table->capacity / 4 * 3)
            status = rebuild_table(table, table->capacity ? 2 * table->capacity : 1024, error);
        if (status) return status;
        *find_slot(ids, table, id) = (sg_id_slot){.key = key, .node = (uint32_t)ids->count, .hash = id->hash};
        table->count++;
    }
    *node = (uint32_t)ids->count++;
    return SCADYG_OK;
}

uint32_t sg_ids_find(const sg_ids *ids, const sg_id *id, int side)
{
    const sg_id_table *table = (id->length ? ids->texts : ids->integers) + (ids->spaces == 2 ? side : 0);
    if (!id->length && (uint64_t)id->value.integer < table->dense_size)
        return table->dense[id->value.integer] - 1; /* none: 0 - 1 */
    if (!table->capacity) return UINT32_MAX;
    const sg_id_slot *slot = find_slot(ids, table, id);
    return slot->hash ? slot->node : UINT32_MAX;
}

void sg_ids_find_sides(const sg_ids *ids, const sg_id *id, uint32_t found[2])
{
    found[0] = sg_ids_find(ids, id, 0);
    found[1] = sg_ids_find(ids, id, 1);
    if (!ids->separate || ids->spaces == 2 || found[0] == UINT32_MAX) return;
    found[!(ids->kinds[found[0]] & SG_ID_DESTINATION)] = UINT32_MAX; /* one table: it is on one side only */
}

int sg_ids_node(sg_ids *ids, const sg_id *id, int side, uint32_t *node, scadyg_error *error)
{
    *node = sg_ids_find(ids, id, side);
    if (*node != UINT32_MAX) return SCADYG_OK;
    sg_id_table *table = (id->length ? ids->texts : ids->integers) + (ids->spaces == 2 ? side : 0);
    return add_node(ids, table, id, side, node, error);
}

void sg_ids_separate(sg_ids *ids)
{
    ids->separate = 1;
    for (size_t node = 0; node < ids->count; node++)
        if (sg_ids_sides(ids, node) & SG_SIDE_DESTINATION) ids->kinds[node] |= SG_ID_DESTINATION;
}

uint64_t sg_ids_bytes(const sg_ids *ids)
{
    uint64_t bytes = ids->capacity * (sizeof *ids->keys + 1) + ids->side_capacity + ids->arena_capacity;
    for (int side = 0; side < 2; side++)
        bytes += ids->integers[side].dense_size * sizeof(uint32_t) +
                 (ids->integers[side].capacity + ids->texts[side].capacity) * sizeof(sg_id_slot);
    return bytes;
}

const char *sg_ids_text(const sg_ids *ids, uint32_t node, char buffer[24], size_t *length)
{
    if (ids->kinds[node] & SG_ID_TEXT) {
        const char *entry = ids->arena + ids->keys[node];
        *length = read_arena_length(entry);
        return entry + 2;
    }
    *length = (size_t)snprintf(buffer, 24, "%lld", (long long)ids->keys[node]);
    return buffer;
}
