/* Node ids: from node number to the id of the input and back. */
#include "events/node_id.h"

#include "base/csv.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/rng.h"
#include "events/number_text.h"

#include <stdlib.h>
#include <string.h>

#define NO_NODE UINT32_MAX

/* A hash table of node numbers by plain id; nodes of both sides with the same id are both in it. */
struct sg_id_index {
    sg_hash_key key;
    uint64_t mask;
    uint32_t *slots; /* [mask + 1], NO_NODE: free */
};

/* An id to look for: a piece of text, and its number where ids are integers. */
typedef struct wanted_id {
    const char *text;
    size_t length;
    int64_t integer;
} wanted_id;

static int build_index(scadyg_events *events, const sg_id_columns *ids, scadyg_error *error);

int sg_id_columns_open(scadyg_events *events, sg_id_columns *ids, scadyg_error *error)
{
    const scadyg_column columns[] = {SCADYG_COLUMN_ID_INTEGERS, SCADYG_COLUMN_ID_OFFSETS, SCADYG_COLUMN_ID_TEXT,
                                     SCADYG_COLUMN_ID_SIDES};
    const void *data[4];
    for (int i = 0; i < 4; i++) {
        int status = scadyg_events_column(events, columns[i], &data[i], error);
        if (status) return status;
    }
    *ids = (sg_id_columns){
        .count = events->shape.nodes, .integers = data[0], .offsets = data[1], .text = data[2], .sides = data[3]};
    /* Columns of the file bring it with them; those that took their place (roles.c) do not. */
    return atomic_load(&events->id_index) ? SCADYG_OK : build_index(events, ids, error);
}

size_t sg_id_text(const sg_id_columns *ids, uint32_t node, char buffer[24], const char **text)
{
    if (ids->integers) {
        *text = buffer;
        return sg_print_integer(ids->integers[node], buffer);
    }
    *text = ids->text + ids->offsets[node];
    return (size_t)(ids->offsets[node + 1] - ids->offsets[node]);
}

/* ---- The index, which also tells whether two nodes have one id ---- */

static uint64_t hash_wanted(const sg_id_columns *ids, const sg_id_index *index, const wanted_id *wanted)
{
    return ids->integers ? sg_hash_number(&index->key, (uint64_t)wanted->integer)
                         : sg_hash_text(&index->key, wanted->text, wanted->length);
}

static wanted_id id_of(const sg_id_columns *ids, uint32_t node)
{
    wanted_id own = {.integer = ids->integers ? ids->integers[node] : 0};
    if (!ids->integers) own.length = sg_id_text(ids, node, NULL, &own.text);
    return own;
}

static int is_same_id(const sg_id_columns *ids, uint32_t node, const wanted_id *wanted)
{
    if (ids->integers) return ids->integers[node] == wanted->integer;
    return ids->offsets[node + 1] - ids->offsets[node] == wanted->length &&
           memcmp(ids->text + ids->offsets[node], wanted->text, wanted->length) == 0;
}

static int side_of(const sg_id_columns *ids, uint32_t node)
{
    return ids->sides && ids->sides[node];
}

void sg_id_index_free(sg_id_index *index)
{
    if (!index) return;
    SG_FREE(index->slots, index);
}

static sg_id_index *open_index(uint64_t nodes)
{
    sg_id_index *index = sg_alloc_zero(1, sizeof *index);
    if (!index) return NULL;
    uint64_t size = 16;
    while (size < nodes + nodes / 2) size *= 2;
    index->key = sg_hash_key_draw();
    index->mask = size - 1;
    index->slots = sg_alloc(size, sizeof *index->slots);
    if (!index->slots) {
        sg_id_index_free(index);
        return NULL;
    }
    memset(index->slots, 0xFF, size * sizeof *index->slots);
    return index;
}

/* Puts a node into its slot. Another of its side with the same id is returned, else NO_NODE; of any side where that was why
 * the sides are separate. */
static uint32_t add_to_index(const sg_id_columns *ids, sg_id_index *index, int by_ids, uint32_t node)
{
    const wanted_id own = id_of(ids, node);
    const int side = side_of(ids, node);
    uint64_t at = hash_wanted(ids, index, &own) & index->mask;
    for (; index->slots[at] != NO_NODE; at = (at + 1) & index->mask) {
        const uint32_t other = index->slots[at];
        if ((by_ids || side_of(ids, other) == side) && is_same_id(ids, other, &own)) return other;
    }
    index->slots[at] = node;
    return NO_NODE;
}

/* Threads that need the index at the same time may each build one; the first to finish is kept. */
static int build_index(scadyg_events *events, const sg_id_columns *ids, scadyg_error *error)
{
    sg_id_index *known = atomic_load(&events->id_index), *built = known ? NULL : open_index(ids->count);
    if (known) return SCADYG_OK;
    if (!built) return sg_fail_memory(error, "the index of node ids");
    for (uint32_t node = 0; node < ids->count; node++) {
        const uint32_t other = add_to_index(ids, built, events->by_ids, node);
        if (other == NO_NODE) continue;
        sg_id_index_free(built);
        return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: nodes %u and %u have the same id", events->path,
                       other, node);
    }
    if (!atomic_compare_exchange_strong(&events->id_index, &known, built)) sg_id_index_free(built);
    return SCADYG_OK;
}

/* ---- Whether the ids are ids: what import would have taken, each once ---- */

#define ID_LONGEST 65535 /* as import has it */

const char *sg_id_fault(const char *text, size_t length)
{
    if (length == 0) return "is empty";
    if (length > ID_LONGEST) return "is longer than 65,535 bytes";
    if (memchr(text, 0, length)) return "holds a NUL byte";
    if (memchr(text, '\n', length) || memchr(text, '\r', length)) return "holds a line break";
    return sg_utf8_valid(text, length) ? NULL : "is not valid UTF-8";
}

static int check_texts(const scadyg_events *events, const sg_id_columns *ids, scadyg_error *error)
{
    for (uint32_t node = 0; node < ids->count; node++) {
        const wanted_id own = id_of(ids, node);
        const char *fault = sg_id_fault(own.text, own.length);
        if (fault)
            return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: the id of node %u %s", events->path, node,
                           fault);
    }
    return SCADYG_OK;
}

int sg_ids_check(scadyg_events *events, const sg_id_columns *ids, scadyg_error *error)
{
    int status = ids->integers ? SCADYG_OK : check_texts(events, ids, error);
    return status ? status : build_index(events, ids, error);
}

/* The nodes with this plain id, one per side at most. */
static void look_up(const sg_id_columns *ids, const sg_id_index *index, const wanted_id *wanted, uint32_t found[2])
{
    found[0] = found[1] = NO_NODE;
    for (uint64_t at = hash_wanted(ids, index, wanted) & index->mask; index->slots[at] != NO_NODE;
         at = (at + 1) & index->mask) {
        uint32_t node = index->slots[at];
        int side = side_of(ids, node);
        if (found[side] == NO_NODE && is_same_id(ids, node, wanted)) found[side] = node;
    }
}

/* ---- Keys ---- */

uint64_t sg_id_hash(const char *text, size_t length)
{
    uint64_t hash = length;
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        hash = sg_hash64(hash ^ word);
        text += 8;
        length -= 8;
    }
    uint64_t last = 0;
    memcpy(&last, text, length);
    return sg_hash64(hash ^ last);
}

static uint64_t *make_keys(const sg_id_columns *ids)
{
    uint64_t *keys = sg_alloc((size_t)ids->count, sizeof *keys);
    for (uint32_t node = 0; keys && node < ids->count; node++) {
        if (ids->integers) {
            keys[node] = (uint64_t)ids->integers[node];
        } else {
            const char *text;
            const size_t length = sg_id_text(ids, node, NULL, &text);
            keys[node] = sg_id_hash(text, length);
        }
        if (ids->sides && ids->sides[node]) keys[node] ^= (uint64_t)1 << 63;
    }
    return keys;
}

/* As with the index, the first to finish is kept. */
int sg_events_keys(scadyg_events *events, const uint64_t **keys, scadyg_error *error)
{
    uint64_t *known = atomic_load(&events->node_keys);
    sg_id_columns ids;
    if (!known) {
        int status = sg_id_columns_open(events, &ids, error);
        uint64_t *made = status ? NULL : make_keys(&ids);
        if (!made) return status ? status : sg_fail_memory(error, "the keys of the nodes");
        if (atomic_compare_exchange_strong(&events->node_keys, &known, made))
            known = made;
        else
            free(made);
    }
    *keys = known;
    return SCADYG_OK;
}

/* ---- Names ---- */

/* An integer as import accepts it for an id, which is as it is printed; 0 if the text is something else. */
static int read_integer(const char *text, size_t length, int64_t *integer)
{
    char printed[24];
    size_t at = length > 0 && text[0] == '-';
    uint64_t size = 0;
    if (length == at || length > 20) return 0;
    for (size_t i = at; i < length; i++) {
        unsigned digit = (unsigned)(text[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(size, 10u, &size) || __builtin_add_overflow(size, digit, &size))
            return 0;
    }
    *integer = (int64_t)(at ? 0 - size : size);
    return sg_print_integer(*integer, printed) == length && memcmp(printed, text, length) == 0;
}

static int look_up_text(const sg_id_columns *ids, const sg_id_index *index, const char *text, size_t length,
                        uint32_t found[2])
{
    wanted_id wanted = {.text = text, .length = length};
    found[0] = found[1] = NO_NODE;
    if (ids->integers && !read_integer(text, length, &wanted.integer)) return 0;
    look_up(ids, index, &wanted, found);
    return found[0] != NO_NODE || found[1] != NO_NODE;
}

/* Why an id is no node of the role that was asked for. */
static int fail_not_found(const scadyg_events *events, int role, const char *id, const uint32_t found[2],
                          scadyg_error *error)
{
    if (found[0] == NO_NODE && found[1] == NO_NODE)
        return sg_fail(error, SCADYG_E_NOT_FOUND, "there is no node '%.200s' in %s", id, events->path);
    if (role == SCADYG_ANY_ROLE)
        return sg_fail(error, SCADYG_E_NOT_FOUND,
                       "%.200s is a source and a destination, two different nodes: --role source or --role "
                       "destination says which",
                       id);
    return sg_fail(error, SCADYG_E_NOT_FOUND, "%.200s has never been a %s, only a %s", id, sg_role_word(role),
                   sg_role_word(role == SCADYG_SOURCE ? SCADYG_DESTINATION : SCADYG_SOURCE));
}

const char *sg_role_word(int role)
{
    return role == SCADYG_DESTINATION ? "destination" : "source";
}

int scadyg_node_find(scadyg_events *events, int role, const char *id, uint32_t *node, scadyg_error *error)
{
    sg_id_columns ids;
    uint32_t found[2];
    int status = sg_id_columns_open(events, &ids, error);
    if (status) return status;
    look_up_text(&ids, atomic_load(&events->id_index), id, strlen(id), found);
    if (!ids.sides) role = SCADYG_SOURCE; /* of one kind, each is found there */
    const int both = found[0] != NO_NODE && found[1] != NO_NODE;
    const uint32_t chosen = role == SCADYG_SOURCE        ? found[0]
                            : role == SCADYG_DESTINATION ? found[1]
                            : both                       ? NO_NODE
                            : found[0] != NO_NODE        ? found[0]
                                                         : found[1];
    if (chosen == NO_NODE) return fail_not_found(events, role, id, found, error);
    *node = chosen;
    return SCADYG_OK;
}

static int check_number(const scadyg_events *events, const sg_id_columns *ids, uint32_t node, scadyg_error *error)
{
    if (node < ids->count) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_NOT_FOUND, "there is no node number %u in %s", node, events->path);
}

int scadyg_node_name(scadyg_events *events, uint32_t node, char *buffer, size_t size, size_t *length,
                     scadyg_error *error)
{
    sg_id_columns ids;
    int status = sg_id_columns_open(events, &ids, error);
    if (!status) status = check_number(events, &ids, node, error);
    if (status) return status;
    char digits[24];
    const char *text;
    const size_t count = sg_id_text(&ids, node, digits, &text), kept = count < size ? count : size ? size - 1 : 0;
    if (length) *length = count;
    if (kept) memcpy(buffer, text, kept);
    if (size) buffer[kept] = 0;
    return SCADYG_OK;
}

int scadyg_node_role(scadyg_events *events, uint32_t node, int *role, scadyg_error *error)
{
    sg_id_columns ids;
    int status = sg_id_columns_open(events, &ids, error);
    if (!status) status = check_number(events, &ids, node, error);
    if (status) return status;
    *role = !ids.sides ? SCADYG_ANY_ROLE : ids.sides[node] ? SCADYG_DESTINATION : SCADYG_SOURCE;
    return SCADYG_OK;
}

uint32_t sg_id_other(const scadyg_events *events, const sg_id_columns *ids, uint32_t node)
{
    const wanted_id own = id_of(ids, node);
    uint32_t found[2];
    look_up(ids, atomic_load(&events->id_index), &own, found);
    const uint32_t other = found[!side_of(ids, node)];
    return other == NO_NODE ? node : other;
}
