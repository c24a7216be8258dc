/*
 * scadyg.h - predictions from a log of who interacted with whom, and when.
 *
 * The stable interface, readable from top to bottom:
 *
 *   1. Concepts and caveats
 *   2. Status and errors
 *   3. The context: threads, memory, progress, cancelling
 *   4. Options, by name
 *   5. The events file: open, look, close
 *   6. Import and export
 *   7. Models: kinds, presets, training, the model file
 *   8. Predictions: scores, ranks, embeddings, affinities
 *   9. Evaluation: protocols, negatives, baselines
 *
 * scadyg_lab.h has the rest, for research: it may change from version to version.
 */
#ifndef SCADYG_H
#define SCADYG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define SCADYG_API
#else
#define SCADYG_API __attribute__((visibility("default")))
#endif

#define SCADYG_VERSION_MAJOR 0
#define SCADYG_VERSION_MINOR 2
#define SCADYG_VERSION_PATCH 0

/* "0.2.0": the version of the library in use, which may differ from the header's. */
SCADYG_API const char *scadyg_version(void);

/* ---- 1. Concepts and caveats ------------------------------------------------------------------------------
 *
 * event     (u, v, t, x): node u met node v at time t, with optional features x, weight and label. Repeats,
 *           self-loops and equal times are normal.
 * node      numbered from 0 in the order of first appearance in time (source before destination). The id it had
 *           in the input, any integer or any UTF-8 string, is kept and comes back unchanged.
 * step      the time range cut into L parts, of equal length or of equal numbers of events.
 * message   a decayed sum over past events: sum of x * exp(-rate * (t - t_event)), strictly before t.
 * model     of a kind ("scadyg", "scadyg-paper", "popularity", ...) and for a task ("link": who will interact with whom
 *           next; "affinity": what each node will choose next, a distribution over classes).
 *
 * Threads. The library never prints, never exits, and keeps no global state. Handles are opened and closed in pairs.
 *   - An events file and a model may be read by any number of threads at once; one thread may change or close them.
 *   - A predictor is for one thread at a time, since it follows the log as it answers. For several threads open several
 *     over the same model and events: that is cheap, and they share what does not change. The first question that a
 *     predictor is asked follows the log up to its time; later ones go on from there.
 *   - A context may be shared by threads. Its workers serve one call at a time; other calls meanwhile run on their own
 *     thread alone.
 *   - Options, tunings and streams are for one thread at a time.
 *   - Where the system gives fewer threads than asked for, or none, the work is done by those there are. Workers have
 *     signals blocked, so handlers run in threads of the program. A process that forks has the workers in the parent only:
 *     the child opens a context of its own.
 *
 * Errors. Every call that can fail returns an int status, SCADYG_OK (0) on success, and fills *error if error is not
 *   NULL. On failure, outputs are left as they were and nothing is half-written.
 *
 * Memory. Pointers into an events file are valid until it is closed. The file is mapped, and its descriptor stays open.
 *
 * Files that change. To replace a file by another of its name is fine at any time: what is open stays as it was, and files
 *   written by scadyg are always replaced. A file must not be written to or truncated while it is in use. Long calls look
 *   for that at each of their pieces and at their end, and then return SCADYG_E_CHANGED instead of a result from a
 *   mixture. Between two looks there is no protection: to read a page that was cut off raises SIGBUS, which ends a process
 *   that does not handle it. The library installs no handler, since signals belong to the program.
 *
 * Growth. Structs that the library hands out through pointers may get more fields at their ends. Those that the caller
 *   makes begin with their size, except scadyg_error, which never grows.
 *
 * Times are double, features float, node numbers 32 bits: at most 4,294,967,294 nodes. The library is made for Linux.
 */

/* ---- 2. Status and errors --------------------------------------------------------------------------------- */

/* The numbers are pinned: they never change their meaning. */
typedef enum scadyg_status {
    SCADYG_OK = 0,
    SCADYG_E_USAGE = 1,     /* an argument or option is wrong or out of range */
    SCADYG_E_MEMORY = 2,    /* no memory, or the given bound is too small */
    SCADYG_E_IO = 3,        /* the system failed to open, read or write; the message says why */
    SCADYG_E_INPUT = 4,     /* the input has a bad row; the message has file, line, column and reason */
    SCADYG_E_LAYOUT = 5,    /* the input's layout cannot be told; the message says which option settles it */
    SCADYG_E_FORMAT = 6,    /* not a file of this kind, or a damaged one */
    SCADYG_E_VERSION = 7,   /* written by a newer version */
    SCADYG_E_NOT_FOUND = 8, /* no such node */
    SCADYG_E_CANCELLED = 9, /* the context was cancelled, or its progress report asked to stop */
    SCADYG_E_CHANGED = 10   /* a file was changed in place while it was being read */
} scadyg_status;

typedef struct scadyg_error {
    int status;         /* a scadyg_status */
    char message[1024]; /* one line, no newline, for a person */
} scadyg_error;

/* The name of a status in a word or two ("bad input"). Never NULL. */
SCADYG_API const char *scadyg_status_name(int status);

/* ---- 3. The context: threads, memory, progress, cancelling ----------------------------------------------------
 *
 * Every long call takes one, first of all its arguments. NULL is fine there: the calling thread alone, no bound of memory
 * but a share of the machine's, no progress. A call is stopped where it reports progress, and at its beginning.
 */
typedef struct scadyg_context scadyg_context;

/* With as many threads as the process may use. They are made when the first call needs them. */
SCADYG_API int scadyg_context_open(scadyg_context **context, scadyg_error *error);
SCADYG_API void scadyg_context_close(scadyg_context *context); /* NULL is fine; no call may be using it */

/* Results never depend on the number of threads. 0: as many as the process may use. Not while a call is using it. */
SCADYG_API void scadyg_context_set_threads(scadyg_context *context, int64_t threads);

/* Bytes that import, info and training should stay within; 0: a share of what the machine has. */
SCADYG_API void scadyg_context_set_memory(scadyg_context *context, uint64_t bytes);

/*
 * Called from time to time during long work, from the thread that made the call. `what` says what is going on
 * ("reading"), `done` of `total` units are behind (total 0: not known). Return non-zero to stop the work cleanly; the
 * call then returns SCADYG_E_CANCELLED. NULL: nobody is told.
 */
typedef int scadyg_report(void *data, const char *what, uint64_t done, uint64_t total);
SCADYG_API void scadyg_context_set_progress(scadyg_context *context, scadyg_report *report, void *data);

/* Long calls with this context return SCADYG_E_CANCELLED soon, until it is reset. From any thread or signal handler. */
SCADYG_API void scadyg_context_cancel(scadyg_context *context);
SCADYG_API void scadyg_context_reset(scadyg_context *context);

/* ---- 4. Options, by name --------------------------------------------------------------------------------------
 *
 * Options are set and read as text, by the names that the command line has. The command line, its help, the man pages,
 * the JSON configuration and the model file are made from these tables.
 */
typedef struct scadyg_options scadyg_options;

/* With all defaults. `set` is "import", "append", "evaluate", or one of scadyg_lab.h: "generate", "messages", "tune". */
SCADYG_API int scadyg_options_open(const char *set, scadyg_options **options, scadyg_error *error);

/* The options of training for a kind of model and a task (NULL: "scadyg", "link"), with the defaults of that kind. */
SCADYG_API int scadyg_options_open_train(const char *model, const char *task, scadyg_options **options,
                                         scadyg_error *error);
SCADYG_API int scadyg_options_copy(const scadyg_options *options, scadyg_options **copy, scadyg_error *error);
SCADYG_API void scadyg_options_close(scadyg_options *options); /* NULL is fine */

/* SCADYG_E_USAGE and a sentence that says what would be right, if there is no such option or it does not take this. */
SCADYG_API int scadyg_options_set(scadyg_options *options, const char *name, const char *text, scadyg_error *error);

/*
 * The value as text that scadyg_options_set takes back ("auto", "0.0034", "equal-time"). Writes at most size bytes with
 * the terminator and returns the full length without it. "" if there is no such option, or a text that was not given.
 */
SCADYG_API size_t scadyg_options_get(const scadyg_options *options, const char *name, char *buffer, size_t size);

/* Checks all of them together. SCADYG_E_USAGE and one sentence if something is wrong. Calls that take them do it too. */
SCADYG_API int scadyg_options_check(const scadyg_options *options, scadyg_error *error);

typedef enum scadyg_option_type {
    SCADYG_OPTION_FLAG,   /* 0 or 1; takes no argument on the command line */
    SCADYG_OPTION_INT,    /* 64 bits */
    SCADYG_OPTION_REAL,   /* double */
    SCADYG_OPTION_SIZE,   /* bytes, with K, M, G, T for powers of 1024 */
    SCADYG_OPTION_CHOICE, /* one of `choices` */
    SCADYG_OPTION_TEXT
} scadyg_option_type;

/* Whether a text is the name of a file, and what is done with it. */
typedef enum scadyg_file_use { SCADYG_FILE_NONE, SCADYG_FILE_READ, SCADYG_FILE_WRITTEN } scadyg_file_use;

typedef struct scadyg_option {
    const char *name;     /* "step-rule", written --step-rule */
    char letter;          /* 'o' for -o, or 0 */
    int type;             /* a scadyg_option_type */
    const char *argument; /* what the help calls the argument ("N"), NULL for a flag */
    const char *fallback; /* the default as text; NULL: none */
    const char *choices;  /* CHOICE: the words, separated by '|'. REAL, SIZE: one word for 0 ("auto"), or NULL.
                            INT: words for 0, -1, ..., or NULL */
    double least, most;   /* the range of INT, REAL and SIZE, inclusive; least > most: no range */
    const char *help;     /* one line */
    int level;            /* 0: one of the few that matter; 1: the others */
    int file;             /* TEXT: a scadyg_file_use */
} scadyg_option;

/* The i-th option, from 0; NULL after the last. */
SCADYG_API const scadyg_option *scadyg_options_at(const scadyg_options *options, size_t i);

/* ---- 5. The events file: open, look, close ------------------------------------------------------------------ */

typedef struct scadyg_events scadyg_events;

/* How times were written and what they mean; they are always kept as double. */
typedef enum scadyg_time_kind {
    SCADYG_TIME_NUMBER = 0,     /* plain numbers of an unknown unit, shown as they are */
    SCADYG_TIME_YEAR = 1,       /* whole numbers from 1000 to 2999 */
    SCADYG_TIME_UNIX = 2,       /* seconds since 1970-01-01 UTC */
    SCADYG_TIME_UNIX_MILLI = 3, /* milliseconds since then */
    SCADYG_TIME_UNIX_MICRO = 6, /* microseconds since then */
    SCADYG_TIME_DATE = 4,       /* written as YYYY-MM-DD; kept as seconds since 1970-01-01 */
    SCADYG_TIME_DATETIME = 5    /* written as YYYY-MM-DD HH:MM:SS[.fff]; kept as seconds since 1970-01-01 UTC */
} scadyg_time_kind;

/* "unix seconds": the kind in words. */
SCADYG_API const char *scadyg_time_kind_name(int time_kind);

typedef struct scadyg_shape {
    uint64_t events;
    uint64_t nodes;
    uint32_t edge_features; /* numbers per event, not counting weight and label */
    uint32_t node_features; /* numbers per node */
    int has_weight;
    int has_label;
    int two_id_spaces; /* sources and destinations are separate: different nodes even where their ids are equal */
    int integer_ids;   /* ids are integers (else strings) */
    int time_kind;     /* a scadyg_time_kind */
    double first_time;
    double last_time;
} scadyg_shape;

typedef enum scadyg_column {
    SCADYG_COLUMN_SRC = 1,           /* uint32_t[events] */
    SCADYG_COLUMN_DST = 2,           /* uint32_t[events] */
    SCADYG_COLUMN_TIME = 3,          /* double[events], never decreasing */
    SCADYG_COLUMN_WEIGHT = 4,        /* float[events] */
    SCADYG_COLUMN_LABEL = 5,         /* float[events] */
    SCADYG_COLUMN_EDGE_FEATURES = 6, /* float[events][edge_features] */
    SCADYG_COLUMN_NODE_FEATURES = 7, /* float[nodes][node_features] */
    SCADYG_COLUMN_ID_INTEGERS = 8,   /* int64_t[nodes], for integer ids */
    SCADYG_COLUMN_ID_OFFSETS = 9,    /* uint64_t[nodes + 1], for string ids: where each begins in the text */
    SCADYG_COLUMN_ID_TEXT = 10,      /* char[], UTF-8, no terminators */
    SCADYG_COLUMN_ID_SIDES = 11      /* uint8_t[nodes], where they are separate: 0 source, 1 destination */
} scadyg_column;

/* Opens in constant time: checks header, sizes and the section table, not yet the sections. */
SCADYG_API int scadyg_events_open(const char *path, scadyg_events **events, scadyg_error *error);
SCADYG_API void scadyg_events_close(scadyg_events *events); /* NULL is fine */

SCADYG_API const scadyg_shape *scadyg_events_shape(const scadyg_events *events);

/* Of the header, which holds the checksums of all sections: equal for equal data. Known without reading the file. */
SCADYG_API uint32_t scadyg_events_checksum(const scadyg_events *events);

/* SCADYG_E_CHANGED if the file was written to or truncated since it was opened: for programs that read columns. */
SCADYG_API int scadyg_events_check(const scadyg_events *events, scadyg_error *error);

/*
 * A column, straight from the mapped file. On the first use of a column its checksum and its bounds (node numbers
 * below nodes, times finite and in order, offsets ascending) are verified. *data is NULL if the file has none.
 */
SCADYG_API int scadyg_events_column(scadyg_events *events, scadyg_column column, const void **data,
                                    scadyg_error *error);

/* Verifies every section now. */
SCADYG_API int scadyg_events_verify(scadyg_context *context, scadyg_events *events, scadyg_error *error);

/*
 * Sources and destinations are of one kind (people who write to people: 7 is the same node on both sides), or separate
 * (user 7 is not item 7). Import decides by options, the names of the columns, or by whether an id occurs on both sides
 * (docs/import.md). Where they are separate, the role says which node an id means.
 */
typedef enum scadyg_role { SCADYG_ANY_ROLE = 0, SCADYG_SOURCE = 1, SCADYG_DESTINATION = 2 } scadyg_role;

/*
 * The node with this id in a role. The role makes no difference where sources and destinations are of one kind. With
 * SCADYG_ANY_ROLE an id is found if it has one role only. SCADYG_E_NOT_FOUND and a sentence that says why there is none.
 */
SCADYG_API int scadyg_node_find(scadyg_events *events, int role, const char *id, uint32_t *node,
                                scadyg_error *error);

/* The role of a node: SCADYG_ANY_ROLE where sources and destinations are of one kind. */
SCADYG_API int scadyg_node_role(scadyg_events *events, uint32_t node, int *role, scadyg_error *error);

/*
 * Makes sources and destinations separate, or of one kind, for as long as the file is open: nodes are numbered as import
 * would number them with that decision. A model takes events only as those it was trained on (scadyg_model_info.shape).
 * Call it right after opening: columns and node numbers from before are no longer those of the events. Nothing changes if
 * they are so already. SCADYG_E_USAGE if a source and a destination would become one node and have different features.
 */
SCADYG_API int scadyg_events_set_roles(scadyg_context *context, scadyg_events *events, int separate,
                                       scadyg_error *error);

/* What they are, and how many ids occur on both sides, in a sentence for a person. */
SCADYG_API int scadyg_events_roles(scadyg_context *context, scadyg_events *events, char *buffer, size_t size,
                                   scadyg_error *error);

/*
 * A node's id as text, unchanged from the input. Writes at most size bytes with the terminator and sets *length (may be
 * NULL) to the full length without it, so that a longer buffer can be given.
 */
SCADYG_API int scadyg_node_name(scadyg_events *events, uint32_t node, char *buffer, size_t size, size_t *length,
                                scadyg_error *error);

/* A time of this kind as text that reads back to the same double ("1870", "2014-01-01 09:30:00"). */
SCADYG_API void scadyg_time_text(int time_kind, double time, char buffer[64]);

/* The same for people: unix times become dates, without fractions of a second. */
SCADYG_API void scadyg_time_human(int time_kind, double time, char buffer[64]);

/* Reads a number or a date, as import does. With kind DATE or DATETIME, and for UNIX, a date is understood. */
SCADYG_API int scadyg_time_parse(int time_kind, const char *text, double *time, scadyg_error *error);

/*
 * Reads times that a person gives for a log as the log's own were read: in its format and its time zone (the options
 * "time-format" and "timezone" of its import, or the format that was found), else as a number, or as a date of any form that
 * can be read in one way only. For one thread at a time or many; it does not need the events any more.
 */
typedef struct scadyg_time_reader scadyg_time_reader;
SCADYG_API int scadyg_time_reader_open(const scadyg_events *events, scadyg_time_reader **reader,
                                       scadyg_error *error);
SCADYG_API int scadyg_time_reader_read(const scadyg_time_reader *reader, const char *text, double *time,
                                       scadyg_error *error);
/* A time as text that it reads back to the same double; dates of a log in another zone than UTC end in Z. */
SCADYG_API void scadyg_time_reader_text(const scadyg_time_reader *reader, double time, char buffer[64]);
SCADYG_API const char *scadyg_time_reader_zone(const scadyg_time_reader *reader); /* NULL: UTC */
SCADYG_API void scadyg_time_reader_close(scadyg_time_reader *reader);             /* NULL is fine */

/*
 * How the text of an events file was read: lines name=value of the options of "import" that were not as they always are, and
 * times=FORMAT if dates were found in another form than 2014-01-31 09:30:00. "" if there is nothing to say.
 */
SCADYG_API const char *scadyg_events_reading(const scadyg_events *events);

/* ---- 6. Import and export ----------------------------------------------------------------------------------- */

/* What an import understood and did. */
typedef struct scadyg_import_report {
    const char *layout;       /* how each column was understood, one line each, ending in newlines */
    const char *first_events; /* the first five events as understood, one line each */
    const char *bad_rows;     /* the first ten tolerated bad rows, one line each; "" if none */
    const char *checks;       /* what looks odd and should be checked, one line each; "" if nothing */
    const char *first_late;   /* of append: the first event before the newest of the file; "" if none */
    uint64_t rows;            /* data rows read, bad ones included */
    uint64_t bad;             /* bad rows skipped */
    uint64_t incomplete;      /* rows left out because a number is missing */
    uint64_t filtered;        /* rows that the condition leaves out */
    uint64_t filled;          /* missing numbers that became 0 or their column's mean */
    uint64_t out_of_order;    /* rows that stepped back in time */
    uint64_t self_loops;
    uint64_t ties;                 /* events with the same time as the one before */
    uint64_t spilled_runs;         /* sorted runs kept on disk because of the memory bound; 0: sorted in memory */
    uint64_t unused_node_features; /* rows of node features that belong to no node with events */
    uint64_t before;               /* of append: events that the file had */
    uint64_t late;                 /* of append: events before the newest of these */
    const scadyg_shape *shape;     /* of the events written */
    /* Whether sources and destinations are separate or of one kind, and why: one sentence. "" from scadyg_import_look where
     * their ids decide, which it does not see. */
    const char *roles;
} scadyg_import_report;

SCADYG_API void scadyg_import_report_free(scadyg_import_report *report); /* NULL is fine */

/*
 * Reads text files (plain, gzip or zstd; "-" is standard input) and events files, in any mix, as one log and writes
 * `output`; ids are matched by their text, and the result is that of an import of all the text. With output NULL:
 * a dry run, which reads everything and writes nothing; bad rows are counted then, and do not stop it. Options are those of
 * "import", or NULL for the defaults. *report is for the caller to free; report may be NULL.
 */
SCADYG_API int scadyg_import(scadyg_context *context, const char *const *files, size_t file_count,
                             const char *output, const scadyg_options *options, scadyg_import_report **report,
                             scadyg_error *error);

/* How the columns of a text file are understood, from its beginning alone: report->layout, roles and first_events. */
SCADYG_API int scadyg_import_look(scadyg_context *context, const char *file, const scadyg_options *options,
                                  scadyg_import_report **report, scadyg_error *error);

/*
 * Adds events to an events file: files as for scadyg_import, options are those of "append" or NULL. The result has the bytes
 * that an import of the old and the new text would have, and takes the place of the old file in one stroke; who has that open
 * goes on with it. Events before the newest of the file are refused, all together, unless the option "late" says otherwise.
 * SCADYG_E_IO if another process is appending to it.
 */
SCADYG_API int scadyg_append(scadyg_context *context, const char *events, const char *const *files,
                             size_t file_count, int dry_run, const scadyg_options *options,
                             scadyg_import_report **report, scadyg_error *error);

/* Tells every file that such an import would read: the files, and those beside them that it finds by itself. */
SCADYG_API int scadyg_import_inputs(const char *const *files, size_t file_count, const scadyg_options *options,
                                    void (*input)(void *data, const char *path), void *data, scadyg_error *error);

/*
 * For who reads the same log again and again: an events file as a cache of the import. It says what it was made from
 * (lengths, times of change, inodes and checksums of the ends of all files that import reads, which of those it looks for
 * were not there, the options, the version) and is opened as long as that is the same and nothing in it is damaged; else
 * *events is NULL. Never follows a link.
 */
SCADYG_API int scadyg_cache_open(scadyg_context *context, const char *const *files, size_t file_count,
                                 const scadyg_options *options, const char *cache, scadyg_events **events,
                                 scadyg_error *error);

/* Of a cache: how many rows of its log are not in it since they are bad. */
SCADYG_API uint64_t scadyg_cache_bad_rows(const scadyg_events *events);

/* Makes the cache, or makes it anew. SCADYG_E_IO if the files change meanwhile. report may be NULL. */
SCADYG_API int scadyg_cache_make(scadyg_context *context, const char *const *files, size_t file_count,
                                 const scadyg_options *options, const char *cache, scadyg_import_report **report,
                                 scadyg_error *error);

/*
 * Writes a CSV (compressed if the name ends in .gz or .zst; "-" is standard output) that imports back to the same
 * bytes, but for how the first text was read (scadyg_events_reading). Node features go to a second file, F.nodes.csv beside F.csv, which import finds by itself.
 */
SCADYG_API int scadyg_export(scadyg_context *context, scadyg_events *events, const char *output,
                             scadyg_error *error);

/* ---- 7. Models: kinds, presets, training, the model file -------------------------------------------------------- */

/* A kind of model, for one task. */
typedef struct scadyg_kind {
    const char *name;    /* "scadyg-paper" */
    const char *task;    /* "link" or "affinity" */
    const char *summary; /* one line */
    int learns;          /* 0: a baseline, which needs no training */
} scadyg_kind;

/* The i-th kind, from 0; NULL after the last. The first of a task is its default. */
SCADYG_API const scadyg_kind *scadyg_kind_at(size_t i);

/* Presets are sets of option values that belong to a kind. The i-th, from 0; NULL after the last. */
SCADYG_API const char *scadyg_preset_at(const scadyg_options *options, size_t i, const char **summary);

/* Sets the options a preset says, and leaves the others. SCADYG_E_USAGE names the nearest preset. */
SCADYG_API int scadyg_preset_apply(scadyg_options *options, const char *name, scadyg_error *error);

typedef struct scadyg_model scadyg_model;

/* One epoch of training, for the caller to show. */
typedef struct scadyg_epoch {
    int64_t epoch;            /* from 1 */
    double loss;              /* mean over the pairs (or nodes) of the epoch */
    double validation;        /* score on the validation part */
    const char *score;        /* what that is: "MRR", "AP", "NDCG@10" */
    int best;                 /* the best so far */
    double events_per_second; /* of training, without validation */
    double seconds;           /* of training */
    double evaluation_seconds;
    double choice;         /* what the best is chosen by; NaN: there is nothing to evaluate */
    const char *chosen_by; /* what that is: the score, or "mean of MRR and both APs" */
} scadyg_epoch;

struct scadyg_plan;

/* Who is told of a training, from the thread that called. Any of them may be NULL. */
typedef struct scadyg_watch {
    size_t size; /* sizeof(scadyg_watch) */
    void *data;
    /* What training will hold and do, of kinds that plan it: see scadyg_lab.h. */
    void (*plan)(void *data, const struct scadyg_plan *plan);
    /* The messages are made: how long each is, how much memory they take, and whether they are kept for all epochs. */
    void (*prepared)(void *data, double seconds, size_t width, uint64_t bytes, int kept);
    void (*epoch)(void *data, const scadyg_epoch *epoch, int resumed); /* resumed: from the checkpoint */
    /* Something is done otherwise than asked for, as the log leaves no choice: one sentence for a person. */
    void (*note)(void *data, const char *sentence);
    /* How a log is cut for links: events to learn from, to choose the epoch by, and left for a test. Not told by a refit. */
    void (*parts)(void *data, uint64_t training, uint64_t validation, uint64_t test);
    /* The epochs are over: why, and which is kept, for a person ("stopped after epoch 8: no gain in 3 epochs; epoch 5 is
     * kept"). Not told of a training that fails or is cancelled. */
    void (*ended)(void *data, const char *sentence);
} scadyg_watch;

/*
 * Trains a model by options of scadyg_options_open_train (NULL: the default model for links). With `checkpoint` (a
 * path, may be NULL) the state is written there after every epoch; with `resume` an existing checkpoint of the same
 * data and options is continued, which ends in the same bytes as if never interrupted; epochs and patience may be more
 * than they were. The file stays; the caller
 * removes it once the model is saved. Same seed, same bytes for any number of threads. watch may be NULL.
 */
SCADYG_API int scadyg_train(scadyg_context *context, scadyg_events *events, const scadyg_options *options,
                            const char *checkpoint, int resume, const scadyg_watch *watch, scadyg_model **model,
                            scadyg_error *error);

/*
 * Trains once more on all events, with the options of a model that was trained on these events and for as many epochs as
 * were best for it: the usual last step before use. *refitted has the parameters of this training; its epochs, scores and
 * result are those of the first. from: the model that the first training went on from, as this one does; NULL: none.
 */
SCADYG_API int scadyg_refit(scadyg_context *context, scadyg_events *events, const scadyg_model *model,
                            const scadyg_model *from, const char *checkpoint, int resume, const scadyg_watch *watch,
                            scadyg_model **refitted, scadyg_error *error);

/*
 * Goes on from a trained model on a log that has grown: from its parameters, which count as epoch 0 when the best epoch is
 * chosen, with its plan, rates and normalisation. It learns from what is new, and from a share of what the model knows
 * already. options NULL: those of the model; others may differ in epochs, patience, train-share, validation-share and
 * labels, and SCADYG_E_USAGE names the first that differs beside them.
 */
SCADYG_API int scadyg_train_from(scadyg_context *context, scadyg_events *events, const scadyg_model *from,
                                 const scadyg_options *options, const char *checkpoint, int resume,
                                 const scadyg_watch *watch, scadyg_model **model, scadyg_error *error);

/* What is in a model. Strings and arrays live as long as the model. */
typedef struct scadyg_model_info {
    const char *kind;              /* "scadyg" */
    const char *task;              /* "link" */
    int learns;                    /* 0: a baseline, which has learned nothing */
    const scadyg_options *options; /* that it was trained with */
    size_t width;                  /* of an embedding (scadyg for links: the net's), else of a message; 0: none */
    size_t hidden;                 /* hidden units; 0: none */
    size_t classes;                /* affinity */
    size_t parameters;
    const char *data;    /* the name of the events file it was trained on, without folders */
    const char *reading; /* of a text log, opened as a cache: how it was read, a line name=value for every option of
                                  "import" that was given and names no file; "": nothing to say */
    uint32_t checksum;   /* of that file: scadyg_events_checksum */
    uint32_t file_checksum;    /* of the model file it was opened from, equal for equal models; 0: from none */
    const scadyg_shape *shape; /* of that events file */
    int64_t epochs;            /* trained */
    int64_t best_epoch; /* whose parameters these are, from 1; 0: none was better than the start, or had a score */
    double validation;  /* its validation score */
    const char *score;  /* what that is */
    const double *losses;      /* [epochs]: the mean loss of each; NULL if the file does not have them */
    const double *validations; /* [epochs]: likewise the validation scores */
    double train_end;          /* the latest time of an event it was trained on */
    double validation_end;     /* ... or chosen by: what is later is the test part */
    uint64_t label_lines;      /* of the label file it was trained with; 0: none, labels were those of the events */
    uint32_t label_checksum;   /* CRC32C of these lines */
    int refit; /* it was trained once more, on all events up to train_end, for as many epochs as were best; epochs,
                       scores and results are of the first training */
    uint32_t from;  /* the mark of the model that it went on from; 0: it began anew */
    int unfinished; /* it was read from a checkpoint: the best parameters so far */
    const char
        *answers_as; /* the baseline that it answers as, because no epoch was clearly better on the validation part
                               ("markov"); NULL: it answers as itself */
    int probabilities; /* links: scores of scadyg_predict are logits, of which there are probabilities; 0: baselines, a model
                          that answers as one, and one that has learned no chances (--binary 0) */
} scadyg_model_info;

/* A checkpoint is a model, too: of the best epoch so far, unfinished. */
SCADYG_API int scadyg_model_open(const char *path, scadyg_model **model, scadyg_error *error);
SCADYG_API void scadyg_model_close(scadyg_model *model); /* NULL is fine */
SCADYG_API int scadyg_model_save(const scadyg_model *model, const char *path, scadyg_error *error);
SCADYG_API const scadyg_model_info *scadyg_model_look(const scadyg_model *model);

/* Tells the parameters of models apart; never 0. */
SCADYG_API uint32_t scadyg_model_mark(const scadyg_model *model);

/* The test result is kept in the model as text (JSON, as scadyg_result_json makes it); "" if there is none. */
SCADYG_API int scadyg_model_set_result(scadyg_model *model, const char *json, scadyg_error *error);
SCADYG_API const char *scadyg_model_result(const scadyg_model *model);

/*
 * Where the labels of an affinity model are. One that was trained with labels from a file knows that file when it sees it,
 * but keeps neither its rows nor its name: evaluation needs to be told, and so do affinities of kinds that read earlier
 * labels. Any other file of labels will do too, for instance a newer one; *match (may be NULL) says which it is.
 */
typedef enum scadyg_labels_match {
    SCADYG_LABELS_OTHER,  /* not the file it was trained with */
    SCADYG_LABELS_LONGER, /* that file with more lines behind */
    SCADYG_LABELS_SAME
} scadyg_labels_match;
SCADYG_API int scadyg_model_set_labels(scadyg_model *model, const char *path, int *match, scadyg_error *error);

/* The name of a class of an affinity model: a node's id, or what the label file calls it. NULL after the last. */
SCADYG_API const char *scadyg_model_class(const scadyg_model *model, size_t i);

/* A group of parameters ("W", "fc1.weight"), for the curious. NULL after the last. */
SCADYG_API const char *scadyg_model_group(const scadyg_model *model, size_t i, size_t *rows, size_t *columns,
                                          const float **values);

/* ---- 8. Predictions: scores, ranks, embeddings, affinities ------------------------------------------------------
 *
 * A predictor joins a model with an events file, which may be newer than the one it was trained on or another one of
 * the same kind. A prediction for a time sees only what lies strictly before it. Times before the first event are
 * refused (SCADYG_E_USAGE); times after the last are fine. It is for one thread at a time.
 */
typedef struct scadyg_predictor scadyg_predictor;

/* The context, the model and the events must stay. */
SCADYG_API int scadyg_predictor_open(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                                     scadyg_predictor **predictor, scadyg_error *error);
SCADYG_API void scadyg_predictor_close(scadyg_predictor *predictor); /* NULL is fine */

/*
 * How many events a prediction at a time sees, and the time of the latest of them (NaN: there is none; may be NULL): all
 * that lie strictly before, and with a stepwise model those of whole earlier steps.
 */
SCADYG_API uint64_t scadyg_sees(const scadyg_predictor *predictor, double at, double *until);

/* Scores of pairs, each at its time, in any order; higher is likelier. Logits, where there are probabilities. */
SCADYG_API int scadyg_predict(scadyg_predictor *predictor, const uint32_t *src, const uint32_t *dst,
                              const double *time, size_t count, double *score, scadyg_error *error);

/*
 * How likely a pair with such a score is an event rather than a random pair or, by a small share, one that has met
 * (docs/default.md); NaN where the model's info says that there are no probabilities.
 */
SCADYG_API double scadyg_probability(const scadyg_model *model, double score);

/*
 * The best destinations for a source, best first (equal scores: lower node number first). Candidates are the nodes
 * that have been a destination before `at`; with SCADYG_RANK_EXCLUDE_SEEN without those the source has met. *count is how
 * many of `top` there are. Scores of one call are comparable with each other and not with those of scadyg_predict or of
 * another source. probabilities (may be NULL): that the source's next partner is this one, if it is one of the
 * candidates; NaN for baselines, and for a model that answers as one.
 *
 * Of more than 4,096 destinations the default model scores some thousand that are likely, for a `top` of up to 100
 * (docs/default.md, "Rankings"): each has the score that it has among all, probabilities are estimated, and one that is
 * among the best of all is hardly ever missed. SCADYG_RANK_EXACT scores all.
 */
enum { SCADYG_RANK_EXCLUDE_SEEN = 1, SCADYG_RANK_EXACT = 2 }; /* how: 0, or some of them */
SCADYG_API int scadyg_rank(scadyg_predictor *predictor, uint32_t source, double at, int how, size_t top,
                           uint32_t *nodes, double *scores, double *probabilities, size_t *count,
                           scadyg_error *error);

/* Embeddings h of nodes at a time, out[count][width] (nodes NULL: of all). */
SCADYG_API int scadyg_embed(scadyg_predictor *predictor, double at, const uint32_t *nodes, size_t count, float *out,
                            scadyg_error *error);

/* The predicted distribution of a node over the classes at a time, out[classes]. */
SCADYG_API int scadyg_affinity(scadyg_predictor *predictor, uint32_t node, double at, double *out,
                               scadyg_error *error);

/* ---- 9. Evaluation: protocols, negatives, baselines ------------------------------------------------------------
 *
 * docs/protocols.md says how each protocol splits, draws, ranks and averages.
 */

/* A score that evaluation knows. The numbers of the enum are pinned; new ones come at the end. */
typedef enum scadyg_score_number {
    SCADYG_MRR = 0,
    SCADYG_HITS1 = 1,
    SCADYG_HITS3 = 2,
    SCADYG_HITS10 = 3,
    SCADYG_AP = 4,
    SCADYG_AUC = 5,
    SCADYG_NDCG10 = 6,
    SCADYG_AP_PARTNERS = 7, /* AP and AUC against earlier partners of the source */
    SCADYG_AUC_PARTNERS = 8
} scadyg_score_number;

typedef struct scadyg_score {
    const char *key;   /* "mrr": in JSON */
    const char *title; /* "MRR": for people */
    int better;        /* 1: higher is better, -1: lower */
} scadyg_score;

/* The i-th score, from 0; NULL after the last. */
SCADYG_API const scadyg_score *scadyg_score_at(size_t i);

/* One of those evaluated. Scores by their numbers; NaN where the protocol does not have one. */
typedef struct scadyg_evaluated {
    const char *name;     /* "scadyg", "popularity", ... */
    const double *mean;   /* over the seeds */
    const double *spread; /* standard deviation (n - 1); 0 for one seed */
    /* Standard errors, clustered as those of the result: of these scores, and of the model's less these. NaN: not known,
     * which are those of AP and AUC in all protocols but live (main scores aside). */
    const double *error, *difference_error;
    double seconds; /* of one pass */
} scadyg_evaluated;

/* A part of the events, or of the labels (tgb-node). */
typedef struct scadyg_part {
    uint64_t events;              /* or labels */
    double first_time, last_time; /* NaN if it has none */
} scadyg_part;

typedef struct scadyg_result {
    const char *protocol, *pool, *part, *reveal, *answer; /* in words */
    int main_score; /* the one the protocol is known by: a scadyg_score_number */
    int64_t seeds, first_seed;
    int64_t negatives; /* per query; 0: all there are */
    uint64_t queries;  /* ranked or scored, of one seed: sources of steps, events, or nodes of label times */
    uint64_t one_in;   /* they are one in so many of all there are */
    uint64_t
        unranked; /* live: events beside the queries whose destination nobody had chosen before: they have no rank */
    uint64_t left_out;    /* events of the part that the model was trained on, which were not evaluated */
    scadyg_part parts[3]; /* training, validation and test part, as the protocol cuts them */
    size_t count;         /* evaluated: the model first, then the baselines */
    size_t best_baseline; /* the best of those by the main score; 0: there are none */
    /* The main score of the model less that of the best baseline, and its standard error, from the differences of the
     * clusters: what a source does is no independent evidence, what different sources do is. NaN without baselines. */
    double difference, difference_error;
    uint64_t clusters;      /* so many of them */
    const char *cluster_of; /* "source", "node", "batch" */
    const scadyg_evaluated *const *evaluated;
    uint64_t
        of; /* live, with a number of queries: they were chosen of so many that could be asked; 0: none was left */
    uint64_t sources_one_in; /* live: one source in so many was asked about, as the memory allows; 1: all */
} scadyg_result;

/*
 * Evaluates a model, and the baselines of its task beside it, by options of "evaluate" (NULL: the defaults). The option
 * `protocol` is "auto" by default: the one that fits the model. *result is for the caller to free.
 */
SCADYG_API int scadyg_evaluate(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                               const scadyg_options *options, scadyg_result **result, scadyg_error *error);
SCADYG_API void scadyg_result_free(scadyg_result *result); /* NULL is fine */

/* The protocol that "auto" stands for: "paper", "dyglib", "tgb-node". */
SCADYG_API const char *scadyg_model_protocol(const scadyg_model *model);

/* A result as JSON. Writes at most size bytes with the terminator and returns the full length without it. */
SCADYG_API size_t scadyg_result_json(const scadyg_result *result, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
