/*
 * Files: written whole or not at all.
 *
 * An output file has no name until sg_output_commit: it lives as an unnamed file in its directory where the
 * system can do that, else under a temporary name. Whatever kills the process, no half-written file appears.
 *
 * A file that takes the place of an older one has its permissions, and its owner and group where the system lets us. A
 * symbolic link is itself replaced: what it points to, which may lie anywhere, is never written to.
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

/* Makes the file durable and gives it its name, replacing an older one in one stroke. Closes. Fails as well, with the
 * new file in its place, if the disk does not take the name. */
int sg_output_commit(sg_output *output, scadyg_error *error);

/* Forgets the file. Fine to call at any time, also after commit. */
void sg_output_abandon(sg_output *output);

/* Whether there is something of this name. Where that cannot be told there may be, and opening it says why. */
int sg_exists(const char *path);

/* Makes the name of a file or folder durable, as sg_output_commit does. */
int sg_sync_name(const char *path, scadyg_error *error);

/* An unnamed scratch file in the directory of `beside` that vanishes when closed: its descriptor, -1 on failure. */
int sg_scratch_open(const char *beside, int *descriptor, scadyg_error *error);

/* Writes all bytes to a descriptor at an offset; `name` is for the message. */
int sg_write_all_at(int fd, uint64_t offset, const void *data, size_t size, const char *name, scadyg_error *error);

/*
 * What a regular file looked like when it was opened. Compared through the descriptor, so that it shows what was done to
 * the very file that is being read: one that was replaced by another of its name, or removed, is as it was for whoever
 * has it open. The time of the inode is left out, since renaming and removing change it too.
 */
typedef struct sg_file_state {
    uint64_t size;
    int64_t seconds, nanoseconds; /* when it was last written to */
} sg_file_state;

struct stat;
sg_file_state sg_file_state_of(const struct stat *facts);

/* SCADYG_E_CHANGED and a sentence if the file is no longer as it was. */
int sg_file_check(int fd, const sg_file_state *before, const char *name, scadyg_error *error);

/*
 * A file mapped for reading. An empty file has data NULL and size 0.
 *
 * To touch a page behind the end of a file that was truncated meanwhile ends the process, unless it handles SIGBUS. So long
 * work asks sg_mapping_check for each of its pieces, and at its end: it may have read a mixture of old and new.
 */
typedef struct sg_mapping {
    const unsigned char *data;
    size_t size;
    int fd; /* of the file, as long as there is data; -1: it is not watched */
    sg_file_state state;
} sg_mapping;

int sg_map(sg_mapping *mapping, const char *path, scadyg_error *error);
int sg_map_descriptor(sg_mapping *mapping, int fd, const char *name,
                      scadyg_error *error); /* a scratch file: not watched */
int sg_mapping_check(const sg_mapping *mapping, const char *name, scadyg_error *error);
void sg_unmap(sg_mapping *mapping);

/* Pages that have been read count as memory of the process: these do so no longer. They come back from the file when they are
 * read again. */
void sg_mapping_drop(const sg_mapping *mapping);

#endif
