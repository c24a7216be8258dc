/*
 * Features from files of their own: a matrix with a row per event (.npy), and a matrix by id (.npy) or a table with an id
 * column (.csv) with a row per node. Entered only where there are such files.
 */
#ifndef SG_EVENTS_IMPORT_FEATURES_H
#define SG_EVENTS_IMPORT_FEATURES_H

#include "base/file.h"
#include "events/import/ids.h"
#include "events/import/input.h"

/*
 * A mapping of which only so many bytes are in memory at a time: pages that have been read count as memory of the process,
 * and of a large matrix all would in the end.
 */
typedef struct sg_resident {
    sg_mapping mapping;
    uint64_t bound; /* bytes; 0: none */
    uint64_t touched;
} sg_resident;

/* Notes that `count` pieces of `size` bytes in different places are going to be read. */
void sg_resident_touch(sg_resident *resident, uint64_t count, uint64_t size);

/* ---- .npy matrices: numbers of any plain numpy type, plain or compressed, read as float through a mapping ---- */

typedef struct sg_npy {
    sg_resident resident;
    const unsigned char *data; /* the first number */
    uint64_t rows, columns;
    char type;      /* 'f' float, 'i' signed, 'u' unsigned, 'b' bool */
    unsigned width; /* bytes per number */
    int fortran;    /* columns are contiguous instead of rows */
} sg_npy;

/*
 * Opens a matrix of one or two dimensions (one: a single column), `resident` bytes of which are held at most, 0: no bound. A
 * compressed file is unpacked into a scratch file in the directory of `beside`.
 */
int sg_npy_open(sg_npy *npy, const sg_input_source *source, uint64_t resident, const char *beside,
                scadyg_error *error);
void sg_npy_close(sg_npy *npy);

/* One row as floats, into out[columns]. */
void sg_npy_row(sg_npy *npy, uint64_t row, float *out);

/* The same checks and pointers for bytes already in memory. `name` is for messages. */
int sg_npy_parse(sg_npy *npy, const unsigned char *data, size_t size, const char *name, scadyg_error *error);

/* ---- Of events ---- */

typedef struct sg_edge_matrix {
    const char *path; /* borrowed */
    sg_npy npy;
    uint64_t shift; /* 1: the first row is padding */
} sg_edge_matrix;

/* A packed file is unpacked into a scratch file beside `beside`. */
int sg_edge_matrix_open(sg_edge_matrix *matrix, const sg_input_source *source, uint64_t resident,
                        const char *beside, scadyg_error *error);
void sg_edge_matrix_close(sg_edge_matrix *matrix);

/*
 * Whether it has a row for each of so many events, with or without padding, so that none is silently shifted. For rows
 * that have no number of their own.
 */
int sg_edge_matrix_match(sg_edge_matrix *matrix, uint64_t events, scadyg_error *error);

/* SCADYG_E_CHANGED if the file is no longer as it was. */
int sg_edge_matrix_check(const sg_edge_matrix *matrix, scadyg_error *error);

/* A row as floats, into out[columns]. */
int sg_edge_matrix_row(sg_edge_matrix *matrix, uint64_t row, float *out, scadyg_error *error);

/* ---- Of nodes ---- */

typedef struct sg_node_features {
    const char *path; /* borrowed */
    uint32_t columns;
    const sg_ids *ids;
    sg_npy npy;        /* row = id */
    sg_resident table; /* float[nodes][columns] from a .csv, in a scratch file: it may be larger than memory */
    uint8_t *seen;     /* [nodes] of a .csv: whether there is a row; NULL: there is one for all */
    uint64_t unused;   /* rows that belong to no node */
    uint64_t missing;  /* nodes without a row; they get zeros (.csv only) */
} sg_node_features;

/* Opens the file for nodes already numbered. Scratch files go beside `beside`. */
int sg_node_features_open(sg_node_features *features, const sg_input_source *source, const sg_ids *ids,
                          uint64_t resident, const char *beside, scadyg_error *error);
void sg_node_features_close(sg_node_features *features);

/* SCADYG_E_CHANGED if the file is no longer as it was. */
int sg_node_features_check(const sg_node_features *features, scadyg_error *error);

/* The features of a node, as numbered in ids, into out[columns]. */
void sg_node_features_row(sg_node_features *features, uint32_t node, float *out);

#endif
