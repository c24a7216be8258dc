/* Small .events files of every make, and their whole content as one block of bytes to compare. */
#ifndef TESTS_ROBUST_SAMPLE_H
#define TESTS_ROBUST_SAMPLE_H

#include "scadyg.h"

typedef struct sample {
    const char *name;
    int integer_ids, two_id_spaces, has_weight, has_label;
    uint32_t edge_features, node_features;
} sample;

/* Every make that differs in which sections it has. */
extern const sample samples[];
extern const size_t sample_count;

/* Writes the file through the library's writer. */
int sample_write(const sample *make, const char *path, scadyg_error *error);

/* The shape and every column of an events file in one block; the caller frees *content. Nothing on failure.
 */
int sample_content(const char *path, unsigned char **content, size_t *size, scadyg_error *error);

#endif
