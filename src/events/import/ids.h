/*
 * Node ids on their way in: any integer or any UTF-8 string to a node number.
 *
 * An integer in its usual writing ("-7", not "007" or "+7") is kept as a number, everything else as text; so each
 * id has one form and comes back unchanged. Sources and destinations that are known to be separate have tables of their own;
 * where that is decided in the end, the sides on which a node occurred are marked.
 */
#ifndef SG_EVENTS_IMPORT_IDS_H
#define SG_EVENTS_IMPORT_IDS_H

#include "base/hash.h"
#include "base/status.h"

#include <string.h>

#define SG_ID_LONGEST 65535u

/* An id as parsed: length 0 means an integer. */
typedef struct sg_id {
    union {
        int64_t integer;
        const char *text;
    } value;
    uint32_t length;
    uint32_t hash;
} sg_id;

typedef struct sg_id_slot {
    int64_t key; /* the integer, or where the text is kept */
    uint32_t node;
    uint32_t hash; /* 0: empty slot */
} sg_id_slot;

typedef struct sg_id_table {
    sg_id_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;    /* slots in use */
    /* Integers from 0 on that are dense enough are looked up by their value: node + 1, 0 for none. */
    uint32_t *dense;
    size_t dense_size;
} sg_id_table;

typedef struct sg_ids {
    sg_id_table integers[2], texts[2]; /* by id space */
    int spaces;                        /* 1 or 2 */
    size_t count, capacity;            /* nodes */
    int64_t *keys;                     /* [count]: integer, or offset in the arena */
    uint8_t *kinds;                    /* [count]: SG_ID_... */
    uint8_t *sides;                    /* two bits a node, so that those of many nodes stay near: SG_SIDE_... */
    size_t side_capacity;              /* bytes */
    char *arena;                       /* per text: its length in 2 bytes, then its bytes */
    size_t arena_size, arena_capacity;
    size_t text_count; /* nodes with a text id */
    int separate;      /* the destinations are separate: two tables, or sg_ids_separate */
    sg_hash_key key;   /* the ids it is asked for are hashed by it */
} sg_ids;

/* It is a text; it is a destination, which is separate from the sources. */
enum { SG_ID_TEXT = 1, SG_ID_DESTINATION = 2 };

/* It was marked as a source, as a destination. */
enum { SG_SIDE_SOURCE = 1, SG_SIDE_DESTINATION = 2 };
#define SG_SIDES_A_BYTE 4

void sg_ids_init(sg_ids *ids, int spaces);
void sg_ids_free(sg_ids *ids);

/* The node of an id, numbered anew if it has none. side 0 source, 1 destination. */
int sg_ids_node(sg_ids *ids, const sg_id *id, int side, uint32_t *node, scadyg_error *error);

/* UINT32_MAX if there is none. */
uint32_t sg_ids_find(const sg_ids *ids, const sg_id *id, int side);

/* The two ends of an event. */
static inline void sg_ids_mark(sg_ids *ids, uint32_t src, uint32_t dst)
{
    ids->sides[src / SG_SIDES_A_BYTE] |= (uint8_t)(SG_SIDE_SOURCE << src % SG_SIDES_A_BYTE * 2);
    ids->sides[dst / SG_SIDES_A_BYTE] |= (uint8_t)(SG_SIDE_DESTINATION << dst % SG_SIDES_A_BYTE * 2);
}

static inline int sg_ids_sides(const sg_ids *ids, size_t node)
{
    return ids->sides[node / SG_SIDES_A_BYTE] >> node % SG_SIDES_A_BYTE * 2 & 3;
}

/* Marked nodes of one table that occur on one side only become sources and destinations that are separate. */
void sg_ids_separate(sg_ids *ids);

/*
 * The nodes with this id by side, as they are in the end: found[0] the source, found[1] the destination, UINT32_MAX for none.
 * Of one kind, both are the same node.
 */
void sg_ids_find_sides(const sg_ids *ids, const sg_id *id, uint32_t found[2]);

/* Bytes held, for the memory bound. */
uint64_t sg_ids_bytes(const sg_ids *ids);

/* A node's id as text: an integer is printed into buffer[24], a text is pointed at. */
const char *sg_ids_text(const sg_ids *ids, uint32_t node, char buffer[24], size_t *length);

/* Makes an id from a field: integer where it is one in its usual writing. The key is that of the table it is for. */
void sg_id_parse(sg_id *id, const sg_hash_key *key, const char *text, size_t length);

/* As text, cut to what fits. */
void sg_id_print(const sg_id *id, char *out, size_t size);

/* 0 is kept for empty slots. */
static inline sg_id sg_id_integer(const sg_hash_key *key, int64_t value)
{
    return (sg_id){.value.integer = value, .hash = (uint32_t)sg_hash_number(key, (uint64_t)value) | 1u};
}

/* Asks for the memory a lookup will need, some rows ahead of it. Always inlined: as a function of its own without
 * visible effect, compilers leave it out. */
__attribute__((always_inline)) static inline void sg_ids_prefetch(const sg_ids *ids, const sg_id *id, int side)
{
    const sg_id_table *table = (id->length ? ids->texts : ids->integers) + (ids->spaces == 2 ? side : 0);
    if (!id->length && (uint64_t)id->value.integer < table->dense_size)
        __builtin_prefetch(&table->dense[id->value.integer]);
    else if (table->capacity)
        __builtin_prefetch(&table->slots[(id->hash >> 1) & (table->capacity - 1)]);
}

#endif
