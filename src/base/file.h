/*
 * Files: written whole or not at all.
 *
 * An output file has no name until sg_output_commit: it lives as an unnamed file in its directory where the
 * system can do that, else under a temporary name. Whatever kills the process, no half-written file appears.
 */
#ifndef SG_BASE_FILE_H
#define SG_BASE_FILE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct sg_output {
    int fd;          /* -1: not open */
    char *path;      /* where it will appear */
    char *temporary; /* its name meanwhile; NULL: none */
} sg_output;

/* Begins an output file. Fails now if the directory cannot be written to or `path` is a directory. */
int sg_output_open(sg_output *output, const char *path, scadyg_error *error);

/* Writes all bytes at an offset. Safe from several threads at once. */
int sg_output_write_at(sg_output *output, uint64_t offset, const void *data, size_t size, scadyg_error *error);

/* Makes the file durable and gives it its name, replacing an older one in one stroke. Closes. */
int sg_output_commit(sg_output *output, scadyg_error *error);

/* Forgets the file. Fine to call at any time, also after commit. */
void sg_output_abandon(sg_output *output);

/* An unnamed scratch file in the directory of `beside` that vanishes when closed: its descriptor, -1 on failure. */
int sg_scratch_open(const char *beside, int *descriptor, scadyg_error *error);

/* Writes all bytes to a descriptor at an offset; `name` is for the message. */
int sg_write_all_at(int fd, uint64_t offset, const void *data, size_t size, const char *name, scadyg_error *error);

/* A file mapped for reading. An empty file has data NULL and size 0. */
typedef struct sg_mapping {
    const unsigned char *data;
    size_t size;
} sg_mapping;

int sg_map(sg_mapping *mapping, const char *path, scadyg_error *error);
int sg_map_descriptor(sg_mapping *mapping, int fd, const char *name, scadyg_error *error);
void sg_unmap(sg_mapping *mapping);

#endif
