/*
 * The container of model files and checkpoints: a header, a table of sections, and the sections, one right behind the
 * other. Every byte is covered by a checksum. docs/model-format.md says the same in words.
 */
#ifndef SG_MODELS_CONTAINER_H
#define SG_MODELS_CONTAINER_H

#include "base/file.h"

#define SG_MODEL_MAGIC "SCADYGMO"
#define SG_CHECKPOINT_MAGIC "SCADYGCK"
#define SG_MODEL_VERSION 9u
#define SG_PARTS_MOST 17

enum {
    SG_PART_OPTIONS = 1,
    SG_PART_TRAINED_ON = 2,
    SG_PART_NET = 3,
    SG_PART_VALUES = 4,
    SG_PART_NORMALISATION = 5,
    SG_PART_CLASSES = 6,
    SG_PART_PROVENANCE = 7,
    SG_PART_RESULT = 8,
    SG_PART_PROGRESS = 9, /* from here on: checkpoints only */
    SG_PART_AVERAGE = 10,
    SG_PART_SQUARE = 11,
    SG_PART_BEST = 12,
    SG_PART_EPOCHS = 13,
    SG_PART_RAW = 14,
    SG_PART_VALIDATED = 15,
    SG_PART_CURVE = 16, /* models only */
    SG_PART_LABELS = 17,
    SG_PART_READING = 18,
    SG_PART_LAST = 18
};

typedef struct sg_model_header { /* 32 bytes, little-endian */
    char magic[8];
    uint32_t version;
    uint32_t parts;
    uint64_t file_size;
    uint32_t reserved; /* zero */
    uint32_t crc;      /* of this header with crc = 0, then the table */
} sg_model_header;

typedef struct sg_model_part { /* 16 bytes */
    uint32_t kind;             /* ascending */
    uint32_t crc;
    uint64_t size;
} sg_model_part;

_Static_assert(sizeof(sg_model_header) == 32, "the header's size is part of the format");
_Static_assert(sizeof(sg_model_part) == 16, "the table entry's size is part of the format");

/* ---- Writing: into memory, then to a file in one stroke. Without memory it fails once, at the end. ---- */

typedef struct sg_pack {
    unsigned char *data;
    size_t size, capacity;
    sg_model_part table[SG_PARTS_MOST];
    uint32_t parts;
    int failed;
} sg_pack;

/* Begins the next section; what is put from now on is in it. */
void sg_pack_begin(sg_pack *pack, uint32_t kind);
void sg_pack_put(sg_pack *pack, const void *data, size_t size);

/*
 * Numbers of a struct, as they lie in memory: a list of them, written once as a macro, serves writing and reading.
 * An int takes 4 bytes; whoever reads one checks it as unsigned.
 */
typedef struct sg_number {
    void *at;
    size_t size;
} sg_number;
#define SG_NUMBER(field) ((sg_number){(void *)(uintptr_t) & (field), sizeof(field)})
#define SG_NUMBERS(...)                                                                                            \
    (const sg_number[]){__VA_ARGS__}, sizeof((const sg_number[]){__VA_ARGS__}) / sizeof(sg_number)
void sg_pack_numbers(sg_pack *pack, const sg_number *numbers, size_t count);

/* Writes the file and frees the memory, whatever happens. */
int sg_pack_finish(sg_pack *pack, const char *magic, const char *path, scadyg_error *error);

/* The checksum that the file would have (sg_unpack_checksum), without writing it; frees the memory too. */
int sg_pack_checksum(sg_pack *pack, const char *magic, uint32_t *checksum, scadyg_error *error);

/* ---- Reading ---- */

/* A section, read from its beginning to its end. Behind the end there are zeros, and `bad` is set. */
typedef struct sg_slice {
    const unsigned char *data; /* NULL: there is no such section */
    size_t size, at;
    int bad;
} sg_slice;

void sg_slice_numbers(sg_slice *slice, const sg_number *numbers, size_t count);

typedef struct sg_unpack {
    const char *path;
    sg_mapping mapping;
    int is_checkpoint;
    sg_slice parts[SG_PART_LAST + 1]; /* by kind */
} sg_unpack;

/* Opens a file and checks magic (NULL: a model's or a checkpoint's), version, sizes and all checksums. `what` is "a model
 * file". */
int sg_unpack_open(sg_unpack *unpack, const char *magic, const char *what, const char *path, scadyg_error *error);

/* What came of the reading: SCADYG_E_CHANGED if the file is no longer as it was, else the status. */
int sg_unpack_close(sg_unpack *unpack, int status, scadyg_error *error);

/* Of the header, which holds the checksums of all sections. */
uint32_t sg_unpack_checksum(const sg_unpack *unpack);

/* "PATH is damaged: REASON". */
int sg_unpack_damaged(const sg_unpack *unpack, const char *reason, scadyg_error *error);

#endif
