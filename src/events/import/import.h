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
#include "events/import/stored.h"
#include "events/reading.h"
#include "events/roles.h"
#include "events/writer.h"

typedef struct sg_import_options {
    sg_told told;                     /* about the columns */
    int encoding;                     /* SG_TEXT_... */
    const char *timezone;             /* of dates without one; NULL: UTC */
    int missing;                      /* SG_MISSING_... */
    int keep_nulls;                   /* NULL, NA and the like are ids */
    const char *edge_features;        /* an .npy file, or NULL */
    const char *node_features;        /* an .npy or .csv file, or NULL */
    int bipartite;                    /* sources and destinations are separate */
    int one_kind;                     /* they are of one kind */
    int late;                         /* of append: SG_LATE_... */
    int64_t skip_bad;                 /* how many bad rows to tolerate; SG_SKIP_ALL */
    uint64_t origin[SG_ORIGIN_WORDS]; /* no option: what a cache was made from, see cache.c; zero: it is none */
} sg_import_options;

enum { SG_SKIP_ALL = -1 };
enum { SG_LATE_REFUSE, SG_LATE_SORT };

extern const sg_option_set sg_import_set, sg_append_set; /* the second has `late` beside all that the first has */

/*
 * How a log was read, as reading.h has it; NULL: as always, or such as lines cannot hold. `times`: as found, NULL: no text.
 * `before`: of an events file with which this is joined, which holds where the options say nothing; may be NULL.
 */
int sg_import_reading(const sg_import_options *options, const sg_time_format *times, const char *before,
                      char **reading, scadyg_error *error);

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

/* The same for events files, of which so many bytes may be in memory. */
int sg_import_plan_stored(sg_import_plan *plan, uint64_t memory, const sg_row_places *places, const char *name,
                          scadyg_error *error);

/* What to import, and where to. */
typedef struct sg_import_job {
    const sg_input_source *sources;
    size_t count;
    int append; /* the first is an events file, to which the others are added */
    int look;   /* a dry run that reads the beginning of each text only: what the columns say */
    sg_input_source edge_features, node_features; /* path NULL: as the options say, or found beside the first */
    const char *output;         /* NULL without an image either: a dry run, which writes nothing */
    sg_image *image;            /* the events file in memory instead; scratch files go beside `output` */
    const sg_import_plan *plan; /* NULL: one that keeps to the bound of the context */
} sg_import_job;

int sg_import_run(scadyg_context *context, const sg_import_job *job, const sg_import_options *options,
                  scadyg_import_report **report, scadyg_error *error);

/* scadyg_import with options as a struct. */
int sg_import(scadyg_context *context, const char *const *files, size_t file_count, const char *output,
              const sg_import_options *options, scadyg_import_report **report, scadyg_error *error);

#define SG_FIRST_EVENTS 5
#define SG_RESIDENT_SHARE 16 /* of the memory: pages of a file that is mapped */

/* What every event of the log has. Said by the first events file among the inputs, without one by the first text. */
typedef struct sg_row_form {
    const char *file; /* who says it; NULL: nobody yet */
    int is_text;
    int has_weight, has_label, dates;
    int kinds; /* SG_KINDS_...: UNSAID: separate, by ids */
    uint32_t features, node_features;
} sg_row_form;

/* The times of a file, or of all so far. */
typedef struct sg_time_span {
    uint64_t count;
    double first, last;
    int all_whole;
} sg_time_span;

#define SG_NO_MATRIX_ROW UINT64_MAX /* in the place of a row's index: the row has its features itself */

/* A report that owns its texts. */
typedef struct sg_import_outcome {
    scadyg_import_report report; /* first: it is what the caller sees */
    char *layout, *first_events, *bad_rows, *checks, *first_late;
    char roles[SG_ROLES_TEXT];
    scadyg_shape shape;
} sg_import_outcome;

/*
 * Whether what is appended was appended before: where times are whole days, the events of the same file once more are of the
 * newest time and not late.
 */
typedef struct sg_again {
    uint64_t *pairs; /* of the newest time, sorted when they are first asked for */
    size_t count, room;
    int is_sorted;
    uint64_t rows, found; /* new events, and those that are among the pairs */
} sg_again;

typedef struct sg_importer {
    scadyg_context *context;
    const sg_import_options *options;
    const sg_import_job *job;
    sg_import_outcome *outcome;
    const char *beside; /* where scratch files go */
    uint64_t memory;
    sg_import_plan plan; /* for the file being read */

    sg_layout layout; /* of the first file */
    int have_layout;
    sg_row_form form;
    int kinds;  /* SG_KINDS_...: of sources and destinations; UNSAID: their ids decide in the end */
    int by_ids; /* in the end: they are separate since no id occurs on both sides */
    int begun;
    int further_stored; /* there are events files behind the first input */
    sg_stored base;     /* the first input, if it is one: its events are merged with the rows */
    sg_stored *further; /* others whose node features are still needed */
    size_t further_count, further_capacity;
    uint64_t *homes; /* [home_count] by node: which of them has its features, see join.c; 0: the base, if any */
    size_t home_count;
    uint64_t held;          /* bytes of what belongs to events files, for the memory bound */
    sg_again again;         /* of append */
    uint64_t changed_nodes; /* with other node features in a later file */
    int any_strange_order;  /* an events file whose nodes are not numbered as they appear */
    sg_time_span span, file_span;
    char *earlier_times; /* the form of the dates of an events file, see reading.h; NULL: the usual, or none */
    int base_kind;       /* of append: how the file's times are written */
    double first_row;    /* time of the first row */
    sg_input_source edge, node;    /* feature files, told or found; path NULL: none */
    char *found_edge, *found_node; /* paths of those found */
    sg_edge_matrix edge_matrix;
    int have_edge_matrix;
    sg_ids ids;
    sg_row_store *rows;
    sg_row_places places;
    int any_clock, any_unzoned;
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

/* ---- append.c ---- */

int sg_append(scadyg_context *context, const char *events, const char *const *files, size_t file_count, int dry_run,
              const sg_import_options *options, scadyg_import_report **report, scadyg_error *error);

/* Before the new file takes the place of the old one: that it is still that one. */
int sg_append_check(const sg_importer *importer, scadyg_error *error);

/* An event of the newest time that is there; -1 without memory. All come before the new ones of that time. */
int sg_again_keep(sg_again *again, uint32_t src, uint32_t dst);

/* A new event, and whether it is of that time. */
void sg_again_ask(sg_again *again, uint32_t src, uint32_t dst, int is_newest);

/* ---- join.c: events files among the inputs ---- */

/* Looks at the headers of all events files: they must have the same form, which is the log's. */
int sg_import_look_at_stored(sg_importer *importer, scadyg_error *error);

/* Whether the rows of a text have what all events have; its features are left out where a matrix has them. */
int sg_import_agree_text(sg_importer *importer, const sg_layout *layout, scadyg_error *error);
int sg_import_agree_features(sg_importer *importer, const char *file, uint32_t features, scadyg_error *error);

/* Takes all events of one. */
int sg_import_stored(sg_importer *importer, const sg_input_source *source, scadyg_error *error);

/* The times of the file just read, and those before it, are of one unit; then they are one. */
int sg_import_join_times(sg_importer *importer, scadyg_error *error);

/* The node features that events files have for a node, or zeros. */
void sg_import_stored_features(sg_importer *importer, uint32_t node, float *row, int *found);

int sg_import_fail_late(const sg_importer *importer, scadyg_error *error);

static inline void sg_span_add(sg_time_span *span, double time)
{
    if (!span->count || time < span->first) span->first = time;
    if (!span->count || time > span->last) span->last = time;
    span->count++;
}

/* ---- import_layout.c ---- */

/* What the columns of a text are, and of the first one what a row holds. */
int sg_import_find_layout(sg_importer *importer, const sg_input_source *source, sg_reader *reader,
                          sg_layout *layout, scadyg_error *error);

/* ---- import.c, for the others ---- */

/* What is needed for any input, then what is needed for rows; each once. */
int sg_import_begin(sg_importer *importer, scadyg_error *error);
int sg_import_begin_rows(sg_importer *importer, scadyg_error *error);

/* The bytes that rows may take now, beside all the rest. */
int sg_import_row_budget(const sg_importer *importer, uint64_t *budget, scadyg_error *error);

void sg_import_sum(sg_importer *importer, size_t column, float value);
int sg_import_is_dry(const sg_importer *importer);

/* Progress of reading; data: the importer. */
int sg_import_report_reading(void *data, scadyg_error *error);

/* ---- roles.c: whether sources and destinations are separate ---- */

/* By the events files among the inputs, if there are any, and the options. */
int sg_import_stored_roles(sg_importer *importer, scadyg_error *error);

/* Else by the options and the names of the first file, as far as they say it. */
void sg_import_begin_roles(sg_importer *importer, const sg_layout *layout);

/* Whether a further file, so named, goes with that. */
int sg_import_further_roles(const sg_importer *importer, const sg_layout *layout, scadyg_error *error);

/* In the end, when all ids are known: says it, and what looks odd about it. */
int sg_import_settle_roles(sg_importer *importer, int *separate, scadyg_error *error);

/* Writes the rows, in the order of time, and the nodes as an events file. */
int sg_import_write(sg_importer *importer, scadyg_error *error);

/* ---- report.c: what is told to a person ---- */

int sg_import_open_outcome(sg_import_outcome **outcome, scadyg_error *error);
int sg_import_describe_file(sg_importer *importer, const sg_layout *layout, const sg_input *input, int first,
                            scadyg_error *error);
int sg_import_show_first(sg_importer *importer, const sg_text_block *block, scadyg_error *error);
int sg_import_describe_stored(sg_importer *importer, const sg_stored *stored, scadyg_error *error);
int sg_import_show_stored(sg_importer *importer, const sg_stored *stored, scadyg_error *error);
int sg_import_note_late(sg_importer *importer, uint64_t count, uint64_t line, double time, scadyg_error *error);

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
