/*
 * A folder whose contents may be anybody's work, held open by its descriptor. Names in it are looked up from there: no
 * link is followed, nothing but regular files is opened, nothing is waited for, and no more is read than was asked for.
 * What is to be written by path (through sg_output) is looked for first: sg_folder_find refuses a name that is taken by
 * anything else than a regular file.
 */
#ifndef SG_BASE_FOLDER_H
#define SG_BASE_FOLDER_H

#include "base/status.h"

#include <stddef.h>

typedef struct sg_folder {
    int fd;     /* -1: not open */
    char *path; /* as people know it */
} sg_folder;

#define SG_FOLDER_NONE                                                                                             \
    {                                                                                                              \
        .fd = -1                                                                                                   \
    }

/* Opens a folder that is there, by a path that the user gave. */
int sg_folder_open(sg_folder *folder, const char *path, scadyg_error *error);

/* The same, and makes it if it is not there; it can be written to. */
int sg_folder_make(sg_folder *folder, const char *path, scadyg_error *error);

/* Makes or opens a folder within one: not a link to one elsewhere. */
int sg_folder_make_in(sg_folder *folder, const sg_folder *outer, const char *name, scadyg_error *error);

/* Fine to call at any time on what was opened or is SG_FOLDER_NONE. */
void sg_folder_close(sg_folder *folder);

/* FOLDER/NAME, newly allocated; NULL without memory. */
char *sg_folder_path(const sg_folder *folder, const char *name);

/* Whether there is a regular file of this name; it is an error if there is anything else. */
int sg_folder_find(const sg_folder *folder, const char *name, int *found, scadyg_error *error);

/* The bytes of a file with a zero after them, newly allocated; *data is NULL if there is none. It is an error if it has
 * more than `most`. */
int sg_folder_read(const sg_folder *folder, const char *name, size_t most, char **data, size_t *size,
                   scadyg_error *error);

/* The same of a file that the user named, which may be a link and must be there. */
int sg_file_read(const char *path, size_t most, char **data, size_t *size, scadyg_error *error);

/* Opens a file for flock, and makes it if it is not there. */
int sg_folder_open_lock(const sg_folder *folder, const char *name, int *lock, scadyg_error *error);

/* Removes a file or a link, never what it leads to. Not being there is fine. */
void sg_folder_remove(const sg_folder *folder, const char *name);

#endif
