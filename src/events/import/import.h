/* Import, inside: its options, and what the parts of it share. */
#ifndef SG_EVENTS_IMPORT_IMPORT_H
#define SG_EVENTS_IMPORT_IMPORT_H

#include "base/context.h"
#include "base/options.h"
#include "events/import/features.h"
#include "events/import/ids.h"
#include "events/import/input.h"
#include "events/import/layout.h"
#include "events/import/parse.h"
#include "events/import/rows.h"

typedef struct sg_import_options {
    const char *columns;       /* "src,dst,time,feature..." or NULL: find out */
    const char *edge_features; /* an .npy file, or NULL */
    const char *node_features; /* an .npy or .csv file, or NULL */
    int bipartite;             /* sources and destinations are two id spaces */
    int64_t skip_bad;          /* how many bad rows to tolerate */
} sg_import_options;

extern const sg_option_set sg_import_set;

/* scadyg_import with options as a struct. */
int sg_import(scadyg_context *context, const char *const *files, size_t file_count, const char *output,
              const sg_import_options *options, scadyg_import_report **report, scadyg_error *error);

#define SG_FIRST_EVENTS 5

/* A report that owns its texts. */
typedef struct sg_import_outcome {
    scadyg_import_report report; /* first: it is what the caller sees */
    char *layout, *first_events, *bad_rows;
    scadyg_shape shape;
} sg_import_outcome;

typedef struct sg_importer {
    scadyg_context *context;
    const sg_import_options *options;
    const char *output; /* NULL: dry run */
    sg_import_outcome *outcome;
    uint64_t memory;

    sg_layout layout; /* of the first file */
    int have_layout;
    int two_id_spaces;
    char *edge_path, *node_path; /* feature files, told or found; NULL: none */
    sg_edge_matrix edge_matrix;
    int have_edge_matrix;
    sg_ids ids;
    sg_row_store *rows;
    sg_row_places places;
    int all_whole, any_clock;

    const char *file; /* being read */
    const sg_layout *file_layout;
    uint64_t line_base;                 /* lines of the file before the block */
    uint64_t row_base;                  /* data rows of all files before the block */
    uint64_t bytes_before, bytes_total; /* of the files, for progress; total 0: unknown */
    const struct sg_input *input;
    int shown_events;
} sg_importer;

/* Writes the rows, in the order of time, and the nodes as an events file. */
int sg_import_write(sg_importer *importer, scadyg_error *error);

/*
 * The import pipeline: one file's blocks are read, parsed and taken, at the same time on the workers of a context.
 *
 * Reading and taking each happen in the order of the file, one block at a time; parsing any block on any thread.
 * Whatever thread is free does the next thing that can be done, so the work balances itself whether unpacking,
 * parsing or taking is the slow part. The caller alone can do all of it.
 */

typedef struct sg_pipeline {
    sg_input *input;
    const sg_layout *layout;
    size_t blocks;    /* held at most; 0: what the threads can use */
    const char *head; /* bytes already read from the input, to come first */
    size_t head_size;
    /* Takes a parsed block; called in order, by one thread at a time. Non-zero stops with that status. */
    int (*take)(void *data, sg_text_block *block, scadyg_error *error);
    /* Called now and then from the calling thread only. */
    int (*report)(void *data, scadyg_error *error);
    void *data;
} sg_pipeline;

int sg_pipeline_run(scadyg_context *context, const sg_pipeline *pipeline, scadyg_error *error);

#endif
