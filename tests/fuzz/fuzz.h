/*
 * Fuzz targets: one file each, a function that takes any bytes and must neither crash nor break a promise.
 *
 * With libFuzzer (clang, -DSCADYG_FUZZ=ON and -DSCADYG_SANITIZE=address,undefined) a target searches for bytes; with replay.c it runs over
 * the files of its corpus, which ./test does in every build.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise of the library; breaking it is a finding like a crash. */
#define PROMISE(condition)                                                                                         \
    do {                                                                                                           \
        if (!(condition)) {                                                                                        \
            fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                                               \
        }                                                                                                          \
    } while (0)

/* Writes bytes as a file of this name in a directory of the process's own, in memory where there is such; its
 * path. */
const char *fuzz_file(const char *name, const void *data, size_t size);

/* The path such a file would have. */
const char *fuzz_path(const char *name);

/* Imports `files`, and if that succeeds opens, verifies and reads what came out; if it fails nothing may be
 * there. */
struct scadyg_context;
struct sg_import_options;
void fuzz_import(struct scadyg_context *context, const char *const *files, size_t count,
                 const struct sg_import_options *options);

/* A context with so many threads and this bound of memory, kept for the life of the process. */
struct scadyg_context *fuzz_context(int threads, uint64_t memory);

#endif
