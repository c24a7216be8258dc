/* A directory for a test's files, gone afterwards. */
#ifndef TESTS_ROBUST_SCRATCH_H
#define TESTS_ROBUST_SCRATCH_H

#include <stddef.h>

/* Makes a new directory and returns its path, which the caller frees with scratch_remove. Aborts on failure.
 */
char *scratch_make(void);
void scratch_remove(char *directory);

/* directory/name, valid until the fourth call from now. */
const char *scratch_path(const char *directory, const char *name);

/* How many files a directory holds, hidden ones included. */
size_t scratch_count(const char *directory);

/* A whole file; *size is set. NULL if it cannot be read. */
unsigned char *scratch_read(const char *path, size_t *size);
void scratch_write(const char *path, const void *data, size_t size);

/* Descriptors this process holds. */
size_t scratch_descriptors(void);

#endif
