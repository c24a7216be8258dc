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

/* What is printed from now on goes nowhere. */
void fuzz_hush(void);

/* A page or a table made of data: whole, and none of it an element of its own or a number that is none. */
void fuzz_check_page(const char *page);

/* Whether a file has just these bytes. */
int fuzz_has(const char *path, const void *data, size_t size);

/*
 * Imports sources in memory: dry, whole, in blocks of a few bytes, and one in many with threads, on disk and through files,
 * always with the same result; what comes out is verified, read, exported and imported again.
 */
struct sg_import_job;
struct sg_import_options;
void fuzz_import(const struct sg_import_job *job, const struct sg_import_options *options);

/* A context with so many threads and this bound of memory, kept for the life of the process. */
struct scadyg_context;
struct scadyg_context *fuzz_context(int threads, uint64_t memory);

#endif
