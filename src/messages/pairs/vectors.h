/*
 * Vectors of destinations, learned as events come: what a destination is, told from what the sources who chose it had chosen
 * before. Every destination v has two rows, e_v for having been chosen and f_v for being chosen next; of a source whose
 * latest destinations are i_0, i_1, ... (the latest first, each once)
 *
 *   q = sum over j of a_j e_(i_j),   score of v = <q, f_v> + c_j where v = i_j
 *
 * where a_j has a number of its own for each quarter of the vectors (a head): one begins with the latest destination, others
 * reach farther back.
 *
 * After the events of a time have been read, each is learned from by one step on -log softmax of its destination among
 * itself and random ones that were seen before. One pass, in the order of the log: part of the state like the counts, and the
 * same bytes wherever the same events have been seen.
 *
 * There are so many rows at most. Where there is none left for a new destination, the least used one is forgotten, as if it had
 * never come: a hand goes round the rows, halves how often each was chosen again, and stops where that is 0.
 */
#ifndef SG_MESSAGES_PAIRS_VECTORS_H
#define SG_MESSAGES_PAIRS_VECTORS_H

#include "base/state_file.h"
#include "base/status.h"
#include "events/file.h"

enum { SG_VECTOR = 64, SG_VECTOR_PAST = 30, SG_VECTOR_HEADS = 4, SG_VECTOR_NUMBERS = 5 + SG_VECTOR_HEADS };

/* The latest destinations of a source; UINT32_MAX behind the last. */
typedef struct sg_vector_past {
    uint32_t who[SG_VECTOR_PAST];
} sg_vector_past;

static inline int sg_vector_past_is_sound(const sg_vector_past *past, size_t nodes)
{
    int good = 1;
    for (size_t j = 0; j < SG_VECTOR_PAST; j++) good &= past->who[j] < nodes || past->who[j] == UINT32_MAX;
    return good;
}

/* Of a node, of a destination more, of a source more. */
#define SG_VECTOR_NODE_BYTES (2 * sizeof(uint32_t))
#define SG_VECTOR_ROW_BYTES ((2 * SG_VECTOR + 2) * sizeof(float) + 3 * sizeof(uint32_t))
#define SG_VECTOR_PAST_BYTES sizeof(sg_vector_past)

typedef struct sg_vectors sg_vectors;

/* How many nodes of a log are what; and the bytes that its vectors take beside the rows. */
typedef struct sg_vector_roles {
    uint64_t nodes, sources, destinations;
} sg_vector_roles;
int sg_vectors_count_roles(const sg_columns *columns, uint64_t nodes, sg_vector_roles *roles, scadyg_error *error);

static inline uint64_t sg_vector_past_bytes(uint64_t nodes, uint64_t sources)
{
    return nodes * SG_VECTOR_NODE_BYTES + sources * SG_VECTOR_PAST_BYTES;
}

/* columns and keys[nodes] (sg_events_keys) must stay. most: rows, at least 1. */
int sg_vectors_open(const sg_columns *columns, const uint64_t *keys, size_t nodes, uint64_t most,
                    sg_vectors **vectors, scadyg_error *error);
void sg_vectors_close(sg_vectors *vectors); /* NULL is fine */
void sg_vectors_rewind(sg_vectors *vectors);

/* Learns from events first .. end-1, the next ones, all events of a time in one call. */
int sg_vectors_add(sg_vectors *vectors, uint64_t first, uint64_t end, scadyg_error *error);

/* ---- Live: nodes and events as they come ---- */

/* More nodes; keys[nodes] must stay. */
int sg_vectors_grow(sg_vectors *vectors, const uint64_t *keys, size_t nodes, scadyg_error *error);

/* Event 0 of the columns has this number in the log. */
void sg_vectors_set_number(sg_vectors *vectors, uint64_t number);

/* How many destinations there are, and the latest ones of a source: what an event of the newest time, which is already learned
 * from, may still see. */
size_t sg_vectors_known(const sg_vectors *vectors);
const sg_vector_past *sg_vectors_past(const sg_vectors *vectors, uint32_t source);

/* One more event of a time that others have been learned from: as if it had come with them. */
int sg_vectors_go_on(sg_vectors *vectors, uint64_t event, size_t known, const sg_vector_past *past,
                     scadyg_error *error);

/* Bytes it takes. */
uint64_t sg_vectors_bytes(const sg_vectors *vectors);

/* Sections from `kind` on, of the first `nodes`; and back, into vectors just opened. */
enum { SG_VECTOR_SECTIONS = 7 };
void sg_vectors_save(const sg_vectors *vectors, uint32_t kind, size_t nodes, sg_state_writer *writer);
int sg_vectors_load(sg_vectors *vectors, uint32_t kind, const sg_state_reader *reader, scadyg_error *error);

/* The source read last, of one reader, until events are added. */
typedef struct sg_vector_query {
    uint32_t source;   /* UINT32_MAX: none */
    size_t remembered; /* of its latest destinations */
    float length, q[SG_VECTOR];
} sg_vector_query;

/* Of a pair, SG_VECTOR_NUMBERS: score, <q, f>, their cosine, the lengths of q and f, the product of each head. */
void sg_vectors_read(const sg_vectors *vectors, uint32_t src, uint32_t dst, sg_vector_query *query, float *numbers);

#endif
