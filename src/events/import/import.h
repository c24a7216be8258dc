/* Import, inside: its options, and what the parts of it share. */
#ifndef SG_EVENTS_IMPORT_IMPORT_H
#define SG_EVENTS_IMPORT_IMPORT_H

#include "base/context.h"
#include "base/options.h"
#include "events/format.h"
#include "events/import/checks.h"
#include "events/import/features.h"
#include "events/import/ids.h"
#include "events/import/input.h"
#include "events/import/layout.h"
#include "events/import/parse.h"
#include "events/import/reader.h"
#include "events/import/rows.h"
#include "events/writer.h"

typedef struct sg_import_options {
    sg_told told;                     /* about the columns */
    const char *timezone;             /* of dates without one; NULL: UTC */
    int missing;                      /* SG_MISSING_... */
    int keep_nulls;                   /* NULL, NA and the like are ids */
    const char *edge_features;        /* an .npy file, or NULL */
    const char *node_features;        /* an .npy or .csv file, or NULL */
    int bipartite;                    /* sources and destinations are two id spaces */
    int64_t skip_bad;                 /* how many bad rows to tolerate; SG_SKIP_ALL */
    uint64_t origin[SG_ORIGIN_WORDS]; /* no option: what a cache was made from, see cache.c; zero: it is none */
} sg_import_options;

enum { SG_SKIP_ALL = -1 };

extern const sg_option_set sg_import_set;

/*
 * How the bound of memory is divided. What has no say in the result: tests give plans of their own, with blocks of a few
 * bytes and rows that are spilled after a few.
 */
typedef struct sg_import_plan {
    size_t blocks, block_size; /* text and its rows in work */
    size_t chunk_size;         /* of the rows that are kept */
    size_t batch_size;         /* of the rows being written */
    uint64_t merge_size;       /* of what is read when runs on disk are merged */
    uint64_t fixed;            /* bytes that reading and parsing hold at most, but for what unpacking takes */
    uint64_t least_rows;       /* bytes without which rows cannot be kept and sorted */
    uint64_t row_budget;       /* bytes of rows kept before they are spilled; 0: all that is left of the bound */
} sg_import_plan;

/*
 * The plan for one file, which is read by so many bytes at a time and whose beginning has been read. Fails with the least
 * bound that would do where this one is too small.
 */
int sg_import_plan_make(sg_import_plan *plan, uint64_t memory, size_t threads, size_t step, const sg_input *input,
                        const sg_layout *layout, const sg_row_places *places, scadyg_error *error);

/* What to import, and where to. */
typedef struct sg_import_job {
    const sg_input_source *sources;
    size_t count;
    sg_input_source edge_features, node_features; /* path NULL: as the options say, or found beside the first */
    const char *output;                           /* NULL without an image either: a dry run */
    sg_image *image;            /* the events file in memory instead; scratch files go beside `output` */
    const sg_import_plan *plan; /* NULL: one that keeps to the bound of the context */
} sg_import_job;

int sg_import_run(scadyg_context *context, const sg_import_job *job, const sg_import_options *options,
                  scadyg_import_report **report, scadyg_error *error);

/* scadyg_import with options as a struct. */
int sg_import(scadyg_context *context, const char *const *files, size_t file_count, const char *output,
              const sg_import_options *options, scadyg_import_report **report, scadyg_error *error);

#define SG_FIRST_EVENTS 5

/* A report that owns its texts. */
typedef struct sg_import_outcome {
    scadyg_import_report report; /* first: it is what the caller sees */
    char *layout, *first_events, *bad_rows, *checks;
    scadyg_shape shape;
} sg_import_outcome;

typedef struct sg_importer {
    scadyg_context *context;
    const sg_import_options *options;
    const sg_import_job *job;
    sg_import_outcome *outcome;
    uint64_t memory;
    sg_import_plan plan; /* for the file being read */

    sg_layout layout; /* of the first file */
    int have_layout;
    int two_id_spaces;
    sg_input_source edge, node;    /* feature files, told or found; path NULL: none */
    char *found_edge, *found_node; /* paths of those found */
    sg_edge_matrix edge_matrix;
    int have_edge_matrix;
    sg_ids ids;
    sg_row_store *rows;
    sg_row_places places;
    int all_whole, any_clock, any_unzoned;
    sg_row_rules rules;
    sg_checks checks;
    sg_zone *zone;
    double *
        sums; /* [2][2 + features]: of weights, labels and features that are there, and how many; NULL: not needed */
    int is_too_bad; /* there are more bad rows than are tolerated: they are only counted from here on */

    const char *file; /* being read */
    const sg_layout *file_layout;
    uint64_t line_base;                 /* lines of the file before the block */
    uint64_t row_base;                  /* data rows of all files before the block */
    uint64_t bytes_before, bytes_total; /* of the files, for progress; total 0: unknown */
    const struct sg_input *input;
    int shown_events;
} sg_importer;

/* Of a cache: SCADYG_E_IO if what it is made from is no longer what it was at the beginning. */
int sg_import_unchanged(const sg_importer *importer, scadyg_error *error);

/* Writes the rows, in the order of time, and the nodes as an events file. */
int sg_import_write(sg_importer *importer, scadyg_error *error);

/* ---- report.c: what is told to a person ---- */

int sg_import_open_outcome(sg_import_outcome **outcome, scadyg_error *error);
int sg_import_describe_file(sg_importer *importer, const sg_layout *layout, const sg_input *input, int first,
                            scadyg_error *error);
int sg_import_show_first(sg_importer *importer, const sg_text_block *block, scadyg_error *error);

/* The first bad rows of all files; and whether those of one more block can be tolerated: if not, the rest is only counted,
 * and the end is a failure. */
int sg_import_describe_bad(sg_importer *importer, const sg_text_block *block, scadyg_error *error);
int sg_import_note_bad(sg_importer *importer, const sg_text_block *block, scadyg_error *error);
int sg_import_fail_bad(const sg_importer *importer, scadyg_error *error);

/*
 * The import pipeline: one file's blocks are read, parsed and taken, at the same time on the workers of a context.
 *
 * Reading and taking each happen in the order of the file, one block at a time; parsing any block on any thread.
 * Whatever thread is free does the next thing that can be done, so the work balances itself whether unpacking,
 * parsing or taking is the slow part. The caller alone can do all of it.
 */

typedef struct sg_pipeline {
    sg_reader *reader;
    const sg_layout *layout;
    const sg_row_rules *rules;
    size_t blocks, block_size; /* held, and the bytes of text in each */
    /* Takes a parsed block; called in order, by one thread at a time. Non-zero stops with that status. */
    int (*take)(void *data, sg_text_block *block, scadyg_error *error);
    /* Called now and then from the calling thread only. */
    int (*report)(void *data, scadyg_error *error);
    void *data;
} sg_pipeline;

int sg_pipeline_run(scadyg_context *context, const sg_pipeline *pipeline, scadyg_error *error);

#endif
