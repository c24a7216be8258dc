/*
 * The .events format: the numbers on disk. docs/events-format.md says the same in words.
 *
 * Everything is little-endian. A file is a header, the section table right behind it, and the sections, each
 * beginning at a multiple of 64 bytes. Event columns come first, so that a writer that knows the number of events
 * can stream them before it knows the nodes.
 */
#ifndef SG_EVENTS_FORMAT_H
#define SG_EVENTS_FORMAT_H

#include "scadyg.h"

#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the events file is mapped as it is, so the machine must be little-endian"
#endif

#define SG_EVENTS_MAGIC "SCADYGEV"
#define SG_EVENTS_VERSION 1u
#define SG_SECTION_LIMIT 16 /* sections at most */
#define SG_SECTION_ALIGNMENT 64u

#define SG_SECTION_READING 12 /* beside the columns: how the text was read, see reading.h; not always there */

#define SG_ORIGIN_WORDS 2

/* Sources and destinations are separate; and that was decided by their ids, as none occurs on both sides. */
enum { SG_FLAG_TWO_ID_SPACES = 1, SG_FLAG_BY_IDS = 2 };

typedef struct sg_events_header { /* 128 bytes */
    char magic[8];
    uint32_t version;
    uint32_t section_count;
    uint64_t file_size;
    uint64_t events;
    uint64_t nodes;
    uint32_t edge_features;
    uint32_t node_features;
    uint32_t flags;
    uint32_t time_kind;
    double first_time;
    double last_time;
    uint64_t origin[SG_ORIGIN_WORDS]; /* of a cache: what it was made from; else zero */
    uint32_t bad_rows;                /* of a cache: rows of its log that were left out as bad; else zero */
    uint32_t reserved[8];             /* zero */
    uint32_t crc;                     /* of this header with crc = 0, then the section table */
} sg_events_header;

typedef struct sg_section { /* 32 bytes */
    uint32_t column;        /* a scadyg_column */
    uint32_t crc;
    uint64_t offset;
    uint64_t size;
    uint64_t reserved; /* zero */
} sg_section;

_Static_assert(sizeof(sg_events_header) == 128, "the header's size is part of the format");
_Static_assert(sizeof(sg_section) == 32, "the section entry's size is part of the format");

/* Bytes of one element of a column per event (or node); 0 for the id text, whose size is free. */
uint64_t sg_column_size(const scadyg_shape *shape, scadyg_column column);

/* "source", "time": what a message calls a column. */
const char *sg_column_name(scadyg_column column);

#endif
