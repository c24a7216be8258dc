/*
 * A state file: a few numbers and large arrays as they lie in memory, in sections that begin at whole pages, so that a
 * reader maps the file and uses them where they are.
 *
 *   header, table of sections, sections: each with its CRC32C; header and table have one together
 *
 * Writing takes two steps. First whoever has a state lists what is to be written; then the bytes are written, without any
 * memory being asked for: that may happen in a child process, which sees the state as it was.
 *
 * Reading maps the file privately: what is changed in memory stays there. Checksums protect from accidents only, and are not
 * secret: whoever takes a section checks that what it says makes sense.
 */
#ifndef SG_BASE_STATE_FILE_H
#define SG_BASE_STATE_FILE_H

#include "base/context.h"
#include "base/file.h"

#define SG_STATE_VERSION 1u
enum { SG_STATE_SECTIONS = 40, SG_STATE_PAGE = 4096 };

typedef struct sg_state_section { /* 32 bytes */
    uint32_t kind;
    uint32_t crc;
    uint64_t offset, size;
    uint64_t reserved; /* zero */
} sg_state_section;

typedef struct sg_state_header { /* 64 bytes */
    char magic[8];
    uint32_t version, sections;
    uint64_t file_size;
    uint32_t model, reserved_word; /* the checksum of the model file; zero */
    uint64_t reserved[3];          /* zero */
    uint32_t unused;               /* zero */
    uint32_t crc;                  /* of this header with crc 0, then the table */
} sg_state_header;

_Static_assert(sizeof(sg_state_section) == 32 && sizeof(sg_state_header) == 64, "sizes are part of the format");

/* ---- Writing ---- */

typedef struct sg_state_piece {
    const void *data;
    uint64_t size;
} sg_state_piece;

typedef struct sg_state_writer {
    sg_state_section table[SG_STATE_SECTIONS];
    size_t first[SG_STATE_SECTIONS + 1]; /* piece */
    uint32_t sections;
    sg_state_piece *pieces;
    size_t count, room;
    void **copies; /* owned */
    size_t copied, copy_room;
    int failed;
} sg_state_writer;

/* Zero-initialised. A section's pieces stand one behind the other in the file; what they point to stays the caller's, unless
 * it is copied. A failure shows when the file is written. */
void sg_state_begin(sg_state_writer *writer, uint32_t kind);
void sg_state_put(sg_state_writer *writer, const void *data, uint64_t size);
void sg_state_copy(sg_state_writer *writer, const void *data, size_t size);
void sg_state_writer_close(sg_state_writer *writer);

/* Whether all of it could be listed. */
int sg_state_listed(const sg_state_writer *writer, scadyg_error *error);
uint64_t sg_state_size(const sg_state_writer *writer);

/* All bytes to a descriptor that is at its beginning. Nothing is allocated. Returns 0 or errno. */
int sg_state_write(sg_state_writer *writer, uint32_t model, int fd);

/* Whether a descriptor has a file that was written to its end, as far as its length tells: the header comes last. */
int sg_state_is_written(int fd);

/* All of it: written, durable, and with its name. like: nobody may read it who may not read this file, and nobody but its owner
 * may write to it; -1: none. */
int sg_state_save(sg_state_writer *writer, uint32_t model, const char *path, int like, scadyg_error *error);

/* ---- Reading ---- */

typedef struct sg_state_reader {
    char *path;
    unsigned char *data; /* the whole file, private */
    size_t size;
    int borrowed;                /* the bytes are somebody else's */
    uint32_t owner, permissions; /* of the file */
    uint32_t model;
    uint32_t sections;
    const sg_state_section *table;
} sg_state_reader;

/* Opens, checks header, table, sizes and all checksums. To be closed also if this fails. */
int sg_state_open(sg_state_reader *reader, scadyg_context *context, const char *path, scadyg_error *error);
int sg_state_open_memory(sg_state_reader *reader, void *data, size_t size, scadyg_error *error);
void sg_state_close(sg_state_reader *reader);

/* Header and table alone; the checksums of the sections follow. */
int sg_state_look(sg_state_reader *reader, const char *path, scadyg_error *error);
int sg_state_verify(const sg_state_reader *reader, scadyg_context *context, scadyg_error *error);

/* Whether a new state may take the place of what has this name: nothing, or a state, however damaged. Anything else, and what
 * cannot be read, is somebody's: SCADYG_E_USAGE or SCADYG_E_IO and a sentence. */
int sg_state_may_replace(const char *path, scadyg_error *error);

/* A section; NULL and size 0: there is none. */
void *sg_state_find(const sg_state_reader *reader, uint32_t kind, uint64_t *size);

/* The same of a known size: SCADYG_E_FORMAT if it has another one, or is missing unless the size is 0. */
int sg_state_take(const sg_state_reader *reader, uint32_t kind, uint64_t size, void *data, scadyg_error *error);
int sg_state_bad(const sg_state_reader *reader, const char *reason, scadyg_error *error);

/* Bytes of a mapping: what lies in it must not be freed. */
typedef struct sg_state_range {
    const unsigned char *begin, *end;
} sg_state_range;
static inline int sg_state_holds(const sg_state_range *range, const void *block)
{
    const unsigned char *at = block;
    return at >= range->begin && at < range->end;
}

/* free(), but for what lies in the mapping. */
void sg_state_free(const sg_state_range *range, void *block);

#endif
