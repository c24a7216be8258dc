/* .npy matrices: numbers of any plain numpy type, plain or compressed, read as float through a mapping. */
#ifndef SG_EVENTS_IMPORT_NPY_H
#define SG_EVENTS_IMPORT_NPY_H

#include "base/file.h"

typedef struct sg_npy {
    sg_mapping mapping;
    const unsigned char *data; /* the first number */
    uint64_t rows, columns;
    char type;      /* 'f' float, 'i' signed, 'u' unsigned, 'b' bool */
    unsigned width; /* bytes per number */
    int fortran;    /* columns are contiguous instead of rows */
} sg_npy;

/*
 * Opens a matrix of one or two dimensions (one: a single column). A compressed file is unpacked into a scratch
 * file in the directory of `beside`.
 */
int sg_npy_open(sg_npy *npy, const char *path, const char *beside, scadyg_error *error);
void sg_npy_close(sg_npy *npy);

/* One row as floats, into out[columns]. */
void sg_npy_row(const sg_npy *npy, uint64_t row, float *out);

/* The same checks and pointers for bytes already in memory. `name` is for messages. */
int sg_npy_parse(sg_npy *npy, const unsigned char *data, size_t size, const char *name, scadyg_error *error);

#endif
