/*
 * scadyg.h - predictions from "who met whom, and when".
 *
 * The whole public interface, readable from top to bottom:
 *
 *   1. Concepts and caveats
 *   2. Status and errors
 *   3. Options: the tables behind the command line
 *   4. The events file: open, look, close
 *   5. Import and export
 *   6. Info: what is in an events file
 *   7. Generate: a graph with a known process
 *   8. Messages: decayed sums of the past
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
#define SCADYG_VERSION_MINOR 1
#define SCADYG_VERSION_PATCH 0

/* "0.1.0": the version of the library in use, which may differ from the header's. */
SCADYG_API const char *scadyg_version(void);

/* ---- 1. Concepts and caveats ------------------------------------------------------------------------------
 *
 * event     (u, v, t, x): node u met node v at time t, with optional features x, weight and label. Repeats,
 *           self-loops and equal times are normal.
 * node      numbered from 0 in the order of first appearance in time (source before destination). The id it had
 *           in the input, any integer or any UTF-8 string, is kept and comes back unchanged.
 * step      the time range cut into L parts; see scadyg_messages_options.
 * message   a decayed sum over past events: sum of x * exp(-rate * (t - t_event)), strictly before t.
 *
 * - The library never prints, never exits, and keeps no global state. Handles are opened and closed in pairs.
 *   A handle may be read by many threads at once; it may be changed or closed by one thread only.
 * - Every call that can fail returns an int status, SCADYG_OK (0) on success, and fills *error if error is not
 *   NULL. On failure, outputs are left as they were and nothing is half-written.
 * - Pointers into an events file are valid until it is closed. The file is mapped: changing it on disk meanwhile
 *   is as wrong as changing any other memory in use. (Files written by scadyg are replaced, never changed.)
 * - Times are double, features float, node numbers 32 bits: at most 4,294,967,294 nodes.
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
    SCADYG_E_CANCELLED = 9  /* the progress callback asked to stop */
} scadyg_status;

typedef struct scadyg_error {
    int status;         /* a scadyg_status */
    char message[1024]; /* one line, no newline, for a person */
} scadyg_error;

/* The name of a status in a word or two ("bad input"). Never NULL. */
SCADYG_API const char *scadyg_status_name(int status);

/*
 * Called from time to time during long work, from the calling thread. `what` says what is going on ("reading"),
 * `done` of `total` units are behind (total 0: not known). Return non-zero to stop the work cleanly; the call then
 * returns SCADYG_E_CANCELLED. A NULL report is never called.
 */
typedef struct scadyg_progress {
    int (*report)(void *context, const char *what, uint64_t done, uint64_t total);
    void *context;
} scadyg_progress;

/* ---- 3. Options: the tables behind the command line ---------------------------------------------------------
 *
 * Each parameter struct below has a table of its options: name, kind, default, range, help. The command line, its
 * help, the man pages and the completion are made from these tables.
 */

typedef enum scadyg_option_kind {
    SCADYG_OPTION_FLAG,   /* int, 0 or 1; takes no argument */
    SCADYG_OPTION_INT,    /* int64_t */
    SCADYG_OPTION_REAL,   /* double */
    SCADYG_OPTION_SIZE,   /* uint64_t, with K, M, G, T for powers of 1024 */
    SCADYG_OPTION_CHOICE, /* int, the index in `choices` ("a|b|c") */
    SCADYG_OPTION_TEXT    /* const char *, borrowed from the caller */
} scadyg_option_kind;

typedef struct scadyg_option {
    const char *name;     /* "step-rule", written --step-rule */
    char letter;          /* 'o' for -o, or 0 */
    int kind;             /* a scadyg_option_kind */
    size_t offset;        /* of the field in its parameter struct */
    const char *argument; /* what the help calls the argument ("N"), NULL for a flag */
    const char *fallback; /* the default as text; NULL: none */
    const char *choices;  /* CHOICE: the words, separated by '|'. INT: one word standing for 0 ("all"), or NULL */
    double least, most;   /* the range of INT, REAL and SIZE, inclusive; least > most: no range */
    const char *help;     /* one line */
} scadyg_option;

/* Sets one field of *parameters from text. Fails with SCADYG_E_USAGE and a sentence that says what would be right. */
SCADYG_API int scadyg_option_set(const scadyg_option *option, void *parameters, const char *text,
                                 scadyg_error *error);

/* Sets every field that has a default. */
SCADYG_API void scadyg_options_default(const scadyg_option *table, size_t count, void *parameters);

/* ---- 4. The events file: open, look, close ------------------------------------------------------------------ */

typedef struct scadyg_events scadyg_events;

/* How times were written and what they mean; they are always kept as double. */
typedef enum scadyg_time_kind {
    SCADYG_TIME_NUMBER = 0,     /* plain numbers of an unknown unit, shown as they are */
    SCADYG_TIME_YEAR = 1,       /* whole numbers from 1000 to 2999 */
    SCADYG_TIME_UNIX = 2,       /* seconds since 1970-01-01 UTC */
    SCADYG_TIME_UNIX_MILLI = 3, /* milliseconds since then */
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
    int two_id_spaces; /* sources and destinations are different nodes even where their ids are equal */
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
    SCADYG_COLUMN_ID_SIDES = 11      /* uint8_t[nodes], for two id spaces: 0 source, 1 destination */
} scadyg_column;

/* Opens in constant time: checks header, sizes and the section table, not yet the sections. */
SCADYG_API int scadyg_events_open(const char *path, scadyg_events **events, scadyg_error *error);
SCADYG_API void scadyg_events_close(scadyg_events *events); /* NULL is fine */

SCADYG_API const scadyg_shape *scadyg_events_shape(const scadyg_events *events);

/*
 * A column, straight from the mapped file. On the first use of a column its checksum and its bounds (node numbers
 * below nodes, times finite and in order, offsets ascending) are verified. *data is NULL if the file has none.
 */
SCADYG_API int scadyg_events_column(scadyg_events *events, scadyg_column column, const void **data,
                                    scadyg_error *error);

/* Verifies every section now. */
SCADYG_API int scadyg_events_verify(scadyg_events *events, scadyg_error *error);

/*
 * The node with this id. In a file with two id spaces, "src:ID" and "dst:ID" choose the side; a plain ID is taken
 * if it is on one side only. SCADYG_E_NOT_FOUND if there is none or two.
 */
SCADYG_API int scadyg_node_find(scadyg_events *events, const char *id, uint32_t *node, scadyg_error *error);

/*
 * A node's id as text, unchanged from the input; in a file with two id spaces "src:ID" or "dst:ID" where the
 * plain ID would be ambiguous. Writes at most size bytes with the terminator and sets *length (may be NULL) to
 * the full length without it, so that a longer buffer can be given.
 */
SCADYG_API int scadyg_node_name(scadyg_events *events, uint32_t node, char *buffer, size_t size, size_t *length,
                                scadyg_error *error);

/* A time of this kind as text that reads back to the same double ("1870", "2014-01-01 09:30:00"). */
SCADYG_API void scadyg_time_text(int time_kind, double time, char buffer[64]);

/* The same for people: unix times become dates. */
SCADYG_API void scadyg_time_human(int time_kind, double time, char buffer[64]);

/* Reads a number or a date, as import does. With kind DATE or DATETIME, and for UNIX, a date is understood. */
SCADYG_API int scadyg_time_parse(int time_kind, const char *text, double *time, scadyg_error *error);

/* ---- 5. Import and export ----------------------------------------------------------------------------------- */

typedef struct scadyg_import_options {
    const char *columns;       /* "src,dst,time,feature..." or NULL: find out */
    const char *edge_features; /* an .npy file, or NULL */
    const char *node_features; /* an .npy or .csv file, or NULL */
    int bipartite;             /* sources and destinations are two id spaces */
    int64_t skip_bad;          /* how many bad rows to tolerate */
    uint64_t memory;           /* bytes; 0: half of what the machine has */
    int64_t threads;           /* 0: all */
} scadyg_import_options;

SCADYG_API const scadyg_option *scadyg_import_option_table(size_t *count);

/* What an import understood and did. Free with scadyg_import_report_free. */
typedef struct scadyg_import_report {
    char *layout;          /* how each column was understood, one line each, ending in newlines */
    char *first_events;    /* the first five events as understood, one line each */
    char *bad_rows;        /* the first ten tolerated bad rows, one line each; "" if none */
    uint64_t rows;         /* data rows read, bad ones included */
    uint64_t bad;          /* bad rows skipped */
    uint64_t out_of_order; /* rows that stepped back in time */
    uint64_t self_loops;
    uint64_t ties;                 /* events with the same time as the one before */
    uint64_t spilled_runs;         /* sorted runs kept on disk because of the memory bound; 0: sorted in memory */
    uint64_t unused_node_features; /* rows of node features that belong to no node with events */
    scadyg_shape shape;
} scadyg_import_report;

SCADYG_API void scadyg_import_report_free(scadyg_import_report *report);

/*
 * Reads text files (plain, gzip or zstd; "-" is standard input) as one log and writes `output`. With output NULL:
 * a dry run, which reads the beginning of each file only and fills report->layout and report->first_events.
 * report may be NULL.
 */
SCADYG_API int scadyg_import(const char *const *files, size_t file_count, const char *output,
                             const scadyg_import_options *options, const scadyg_progress *progress,
                             scadyg_import_report *report, scadyg_error *error);

/*
 * Writes a CSV (compressed if the name ends in .gz or .zst; "-" is standard output) that imports back to the same
 * bytes. Node features go to a second file, F.nodes.csv beside F.csv, which import finds by itself. threads 0: all.
 */
SCADYG_API int scadyg_export(scadyg_events *events, const char *output, int threads,
                             const scadyg_progress *progress, scadyg_error *error);

/* ---- 6. Info: what is in an events file --------------------------------------------------------------------- */

#define SCADYG_INFO_TOP 10
#define SCADYG_INFO_BINS 60

typedef struct scadyg_info {
    scadyg_shape shape;
    uint64_t sources;      /* nodes that are a source at least once */
    uint64_t destinations; /* nodes that are a destination at least once */
    int bipartite;         /* no node is both */
    uint64_t distinct_times;
    double average_degree; /* 2 * events / nodes */
    uint64_t self_loops;
    uint64_t repeated_events; /* events equal to an earlier one in source, destination and time */
    uint64_t repeated_pairs;  /* events whose ordered pair occurred in an earlier event */
    uint64_t distinct_pairs;  /* ordered pairs */
    int edge_features_zero;   /* there are edge features and all are 0 */
    int node_features_zero;
    double new_nodes[10]; /* per tenth of the time range: share of its active nodes never seen before */
    uint64_t events_in_tenth[10];
    uint32_t top_nodes[SCADYG_INFO_TOP];   /* the most active, busiest first */
    uint64_t top_degrees[SCADYG_INFO_TOP]; /* events they take part in; a self-loop is one */
    size_t top_count;
    uint64_t histogram[SCADYG_INFO_BINS]; /* events per equal part of the time range */
} scadyg_info;

/* One pass for most; the pair counts take memory up to `memory` bytes (0: 1 GiB) and more passes beyond it. */
SCADYG_API int scadyg_info_compute(scadyg_events *events, uint64_t memory, int threads,
                                   const scadyg_progress *progress, scadyg_info *info, scadyg_error *error);

/* ---- 7. Generate: a graph with a known process -------------------------------------------------------------- */

typedef struct scadyg_generate_options {
    int kind; /* 0 messages (one kind of node), 1 items (users and items) */
    int64_t events;
    int64_t nodes; /* messages: nodes; items: users */
    int64_t items; /* items only: number of items */
    int64_t communities;
    int64_t edge_features; /* 0: none */
    int64_t seed;
    int64_t threads;
} scadyg_generate_options;

SCADYG_API const scadyg_option *scadyg_generate_option_table(size_t *count);

/*
 * Streams a generated graph to `output`. If `oracle` is not NULL, also writes there a CSV with, for every event,
 * the rank that the true intensities give the real destination among 100 random ones. docs/generator.md has the
 * process.
 */
SCADYG_API int scadyg_generate(const char *output, const char *oracle, const scadyg_generate_options *options,
                               const scadyg_progress *progress, scadyg_error *error);

/* ---- 8. Messages: decayed sums of the past ------------------------------------------------------------------ */

typedef enum scadyg_step_rule { SCADYG_STEPS_EQUAL_TIME = 0, SCADYG_STEPS_EQUAL_COUNT = 1 } scadyg_step_rule;

typedef struct scadyg_messages_options {
    int64_t steps;             /* L */
    int step_rule;             /* a scadyg_step_rule */
    int64_t window;            /* N, in steps; 0: all */
    int64_t hops;              /* 1 to 3 */
    double gamma0;             /* the largest rate; 0: 1 / time range */
    const char *rates;         /* "g1,g2,..." instead of gamma0, or NULL */
    const char *node_features; /* "none", "onehot", "random:D" or "stored" */
    int64_t repeat;            /* how often a single edge feature is repeated */
    int64_t seed;              /* of random node features */
    int double_precision;      /* sums in double instead of float */
    int64_t threads;           /* 0: all */
} scadyg_messages_options;

SCADYG_API const scadyg_option *scadyg_messages_option_table(size_t *count);

typedef struct scadyg_messages scadyg_messages;

/*
 * Plans messages over the events of a file: rates, columns, steps. Holds no sums yet. The events must stay open.
 */
SCADYG_API int scadyg_messages_open(scadyg_events *events, const scadyg_messages_options *options,
                                    scadyg_messages **messages, scadyg_error *error);
SCADYG_API void scadyg_messages_close(scadyg_messages *messages); /* NULL is fine */

/* The length of a message, the rate of each of its columns, and the name of each ("f0", "hop2.f0"). */
SCADYG_API size_t scadyg_messages_width(const scadyg_messages *messages);
SCADYG_API const double *scadyg_messages_rates(const scadyg_messages *messages);
SCADYG_API const char *scadyg_messages_column_name(const scadyg_messages *messages, size_t column);

/*
 * The messages of `count` nodes at time `at` (nodes NULL: of all nodes, count = nodes) from the events strictly
 * before `at`, into out[count][width]. Uses the batch engine and all threads; the same bytes for any number.
 */
SCADYG_API int scadyg_messages_at(scadyg_messages *messages, double at, const uint32_t *nodes, size_t count,
                                  double *out, const scadyg_progress *progress, scadyg_error *error);

/*
 * Walking through the steps, for training. After scadyg_messages_step(m, i) the messages hold what is known when
 * step i has ended: the events of steps 0..i (the last N of them with a window). Steps are visited in ascending
 * order; going back starts again. scadyg_messages_read then gives messages carried to time `at`, which is at or
 * after the end of step i.
 */
SCADYG_API int64_t scadyg_messages_step_count(const scadyg_messages *messages);
SCADYG_API int scadyg_messages_step_range(const scadyg_messages *messages, int64_t step, uint64_t *first_event,
                                          uint64_t *event_count, double *end_time);
SCADYG_API int scadyg_messages_step(scadyg_messages *messages, int64_t step, scadyg_error *error);
SCADYG_API int scadyg_messages_read(scadyg_messages *messages, double at, const uint32_t *nodes, size_t count,
                                    float *out, scadyg_error *error);

/*
 * The streaming form: the same numbers from one pass, an event at a time, memory O(nodes * width). Nodes beyond
 * those of the plan's file may appear; they start at zero. Times must not decrease. The plan must stay open.
 *
 * With a window, the sums of its last N steps are kept, each for the nodes active in it; with more than one hop,
 * also the events of the current step, whose hops are computed when a message is read. Later events than the
 * file's go on with its steps. After SCADYG_E_MEMORY some events may have been added: close the stream.
 */
typedef struct scadyg_stream scadyg_stream;

SCADYG_API int scadyg_stream_open(const scadyg_messages *plan, scadyg_stream **stream, scadyg_error *error);
SCADYG_API void scadyg_stream_close(scadyg_stream *stream); /* NULL is fine */

/* Adds an event. features: edge_features numbers (NULL if there are none); weight 1 if there are no weights. */
SCADYG_API int scadyg_stream_add(scadyg_stream *stream, uint32_t src, uint32_t dst, double time,
                                 const float *features, float weight, scadyg_error *error);

/* Adds events first .. first+count-1 of an events file: the same as adding them one by one, only faster. */
SCADYG_API int scadyg_stream_add_events(scadyg_stream *stream, scadyg_events *events, uint64_t first,
                                        uint64_t count, scadyg_error *error);

/*
 * The message of a node at a time, from the events strictly before it, into out[width]. The time may not lie before
 * the last event added; events at that very time are held back, so two events with the same time never see each
 * other. Reads and events go forward together: a read at a later time lets them in for good.
 */
SCADYG_API int scadyg_stream_read(scadyg_stream *stream, uint32_t node, double at, double *out,
                                  scadyg_error *error);

#ifdef __cplusplus
}
#endif

#endif
