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
 *   9. Models: options, presets, training, the model file
 *  10. Predictions: scores, ranks, embeddings, affinities
 *  11. Evaluation: protocols, negatives, heuristics
 *  12. Tuning: a search over the options of training
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
    const char *choices; /* CHOICE: the words, separated by '|'. INT, REAL, SIZE: one word for 0 ("all"), or NULL */
    double least, most;  /* the range of INT, REAL and SIZE, inclusive; least > most: no range */
    const char *help;    /* one line */
} scadyg_option;

/* Sets one field of *parameters from text. Fails with SCADYG_E_USAGE and a sentence that says what would be right. */
SCADYG_API int scadyg_option_set(const scadyg_option *option, void *parameters, const char *text,
                                 scadyg_error *error);

/* The value of a field as text that scadyg_option_set takes back ("auto", "0.0034", "equal-time"). Writes at most size
 * bytes with the terminator and returns the full length without it. A TEXT that is NULL gives "". */
SCADYG_API size_t scadyg_option_text(const scadyg_option *option, const void *parameters, char *buffer,
                                     size_t size);

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

/* Of the header, which holds the checksums of all sections: equal for equal data. Known without reading the file. */
SCADYG_API uint32_t scadyg_events_checksum(const scadyg_events *events);

/*
 * A column, straight from the mapped file. On the first use of a column its checksum and its bounds (node numbers
 * below nodes, times finite and in order, offsets ascending) are verified. *data is NULL if the file has none.
 */
SCADYG_API int scadyg_events_column(scadyg_events *events, scadyg_column column, const void **data,
                                    scadyg_error *error);

/* Verifies every section now. */
SCADYG_API int scadyg_events_verify(scadyg_events *events, scadyg_error *error);

/* Writes the first `count` events, and the nodes that they have, to an events file of their own. */
SCADYG_API int scadyg_events_first(scadyg_events *events, uint64_t count, const char *output, scadyg_error *error);

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
    double again;          /* 0 to 1: how strong answers, sequences and meetings of the same pair are */
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

/* ---- 9. Models: options, presets, training, the model file --------------------------------------------------- */

typedef enum scadyg_task {
    SCADYG_TASK_LINK = 0,    /* who will interact with whom next */
    SCADYG_TASK_AFFINITY = 1 /* what each node will turn to: a distribution over classes */
} scadyg_task;

/* What a model is. All but the first are rules without training (heuristics), kept and judged like models. */
typedef enum scadyg_model_kind {
    SCADYG_MODEL_SCADYG = 0,
    SCADYG_MODEL_POPULARITY = 1,      /* link: decayed number of events a destination received */
    SCADYG_MODEL_EDGEBANK = 2,        /* link: 1 if the pair has met, else 0 */
    SCADYG_MODEL_EDGEBANK_WINDOW = 3, /* link: the same within the last 15 % of the training time */
    SCADYG_MODEL_PAIR_RECENCY = 4,    /* link: last contact of the pair, else last activity of the destination */
    SCADYG_MODEL_PAIR_THEN_POPULARITY = 5, /* link: number of contacts of the pair, else popularity */
    SCADYG_MODEL_PERSISTENCE = 6,          /* affinity: the last label of the node */
    SCADYG_MODEL_MOVING_AVERAGE = 7,       /* affinity: m <- (6 m + y) / 7 */
    SCADYG_MODEL_MARKOV = 8 /* link: how often sources went from the source's last destination to this one */
} scadyg_model_kind;

typedef enum scadyg_freshness {
    SCADYG_FRESHNESS_STEP = 0, /* a prediction sees the events of earlier steps (the paper's) */
    SCADYG_FRESHNESS_EVENT = 1 /* a prediction sees all events strictly before its time */
} scadyg_freshness;

typedef enum scadyg_normalise {
    SCADYG_NORMALISE_NONE = 0,
    SCADYG_NORMALISE_LOG = 1,         /* sign(x) log(1 + |x|) */
    SCADYG_NORMALISE_STANDARD = 2,    /* mean 0, deviation 1 per column over the training part */
    SCADYG_NORMALISE_LOG_STANDARD = 3 /* the first, then the second */
} scadyg_normalise;

/* What a model reads before it answers. */
typedef enum scadyg_head {
    SCADYG_HEAD_PAPER = 0, /* the messages of the nodes, side by side */
    SCADYG_HEAD_PAIR = 1   /* also messages between two nodes: pair messages and walk sketches */
} scadyg_head;

typedef struct scadyg_train_options {
    int task;                         /* a scadyg_task */
    int model;                        /* a scadyg_model_kind */
    scadyg_messages_options messages; /* seed and threads come from below; double_precision is not used */
    int freshness;                    /* a scadyg_freshness */
    int normalise;                    /* a scadyg_normalise */
    int head;                         /* a scadyg_head */
    const char *without;              /* "none", or some of the parts that the table lists */
    int64_t hidden;                   /* hidden units of the head; 0: 64, or 128 with node features */
    int64_t walk_width;               /* pair: numbers per walk sketch; 0: as memory allows, at most 64 */
    double learning_rate;
    double learning_rate_decay; /* pair: factor for each epoch after the second */
    double weight_decay;
    double averaging; /* pair: share of the older values in the running average that is judged */
    int64_t batch;
    int64_t negatives; /* pair, link: training negatives for each event */
    double historical; /* pair, link: with event freshness: share of negatives that are pairs which have met */
    double binary;     /* pair, link: share of the binary loss beside the ranking loss */
    int64_t epochs;
    int64_t patience; /* epochs without a better validation score before it stops */
    int select;       /* link: the validation score is 0 MRR, 1 AP. affinity: NDCG@10 */
    int train_pool;   /* training negatives: 0 any node, 1 destinations seen so far, 2 nodes seen so far, 3 mixed */
    int split;        /* how the parts are cut: 0 by steps (the paper), 1 by quantiles of the event times */
    double train_share;      /* of the steps or events */
    double validation_share; /* the rest is the test part */
    const char *labels;      /* affinity: a file "time,node,class,weight", or NULL: derived from the events */
    int label_every;         /* affinity, derived: 0 step */
    int64_t seed;
    uint64_t memory; /* pair: for pairs and sketches; paper: to keep messages; 0: a quarter of the machine's */
    int64_t threads;
} scadyg_train_options;

/* The table also feeds the JSON configuration and the model file. */
SCADYG_API const scadyg_option *scadyg_train_option_table(size_t *count);

/* Presets are sets of option values. i counts from 0; returns NULL after the last. *summary says where they are from. */
SCADYG_API const char *scadyg_preset_name(size_t i, const char **summary);

/* Sets the options a preset says, and leaves the others. SCADYG_E_USAGE names the nearest preset. */
SCADYG_API int scadyg_preset_apply(const char *name, scadyg_train_options *options, scadyg_error *error);

/* Checks a whole set of options. SCADYG_E_USAGE and one sentence if something is wrong. */
SCADYG_API int scadyg_train_check(const scadyg_train_options *options, scadyg_error *error);

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
} scadyg_epoch;

/* What training will hold and do, known before it starts. Head pair only. */
typedef struct scadyg_plan {
    uint64_t memory;          /* granted */
    uint64_t node_bytes;      /* for what is kept of nodes, walk sketches included */
    uint64_t pair_bytes;      /* at most for pairs; when that is full, those that met longest ago are forgotten */
    uint64_t pairs;           /* that fit into it */
    size_t walk_width;        /* numbers per walk sketch */
    size_t inputs;            /* numbers read of a pair and its nodes */
    double slowest, fastest;  /* rates of decay, per unit of time */
    uint64_t events;          /* learned from in an epoch */
    int64_t negatives;        /* for each of them */
    int64_t epochs;           /* at most */
    double events_per_second; /* as measured on a few of them */
} scadyg_plan;

typedef struct scadyg_watch {
    void (*plan)(void *context, const scadyg_plan *plan);
    /* The messages are made: how long each is, how much memory they take, and whether they are kept for all epochs. */
    void (*prepared)(void *context, double seconds, size_t width, uint64_t bytes, int kept);
    void (*epoch)(void *context, const scadyg_epoch *epoch, int resumed); /* resumed: from the checkpoint */
    void *context;
} scadyg_watch;

/*
 * Trains a model. With `checkpoint` (a path, may be NULL) the state is written there after every epoch; with
 * `resume` an existing checkpoint of the same data and options is continued, which ends in the same bytes as if never
 * interrupted. The file stays; the caller removes it once the model is saved. Same seed, same bytes for any number of
 * threads.
 */
SCADYG_API int scadyg_train(scadyg_events *events, const scadyg_train_options *options, const char *checkpoint,
                            int resume, const scadyg_watch *watch, const scadyg_progress *progress,
                            scadyg_model **model, scadyg_error *error);

/* What is in a model. Strings and arrays live as long as the model. */
typedef struct scadyg_model_info {
    const scadyg_train_options *options;
    size_t width;           /* d, the length of a message; 0 for heuristics */
    size_t hidden;          /* of the head */
    size_t classes;         /* affinity */
    size_t parameters;      /* learned numbers */
    const char *data;       /* the name of the events file it was trained on, without folders */
    uint32_t checksum;      /* of that file: scadyg_events_checksum */
    uint32_t file_checksum; /* of the model file it was opened from, equal for equal models; 0: from none */
    scadyg_shape shape;     /* of that file */
    int64_t epochs;         /* trained */
    int64_t best_epoch;     /* whose weights these are, from 1; 0: none was better than the start, or had a score */
    double validation;      /* its validation score */
    const char *score;      /* what that is */
    size_t walk_width;    /* head pair, links: numbers per walk sketch, which may follow from the memory granted */
    uint64_t pair_bytes;  /* ... and the bound of what is kept of pairs; else both 0 */
    const double *losses; /* [epochs]: the mean loss of each; NULL if the file does not have them */
    const double *validations; /* [epochs]: likewise the validation scores */
    double train_end;          /* the latest time of an event it was trained on */
    double validation_end;     /* ... or chosen by: what is later is the test part */
} scadyg_model_info;

SCADYG_API int scadyg_model_open(const char *path, scadyg_model **model, scadyg_error *error);
SCADYG_API void scadyg_model_close(scadyg_model *model); /* NULL is fine */
SCADYG_API int scadyg_model_save(const scadyg_model *model, const char *path, scadyg_error *error);
SCADYG_API const scadyg_model_info *scadyg_model_look(const scadyg_model *model);

/* The test result is kept in the model as text (JSON, as eval prints it); "" if there is none. */
SCADYG_API int scadyg_model_set_result(scadyg_model *model, const char *json, scadyg_error *error);
SCADYG_API const char *scadyg_model_result(const scadyg_model *model);

/* The name of a class of an affinity model: a node's id, or what the label file calls it. NULL after the last. */
SCADYG_API const char *scadyg_model_class(const scadyg_model *model, size_t i);

/* A learned group of numbers ("W", "fc1.weight"), for the curious. NULL after the last. */
SCADYG_API const char *scadyg_model_group(const scadyg_model *model, size_t i, size_t *rows, size_t *columns,
                                          const float **values);

/* ---- 10. Predictions: scores, ranks, embeddings, affinities ---------------------------------------------------
 *
 * A predictor joins a model with an events file, which may be newer than the one it was trained on or another one of
 * the same kind. A prediction for a time sees only what lies strictly before it. Times before the first event are
 * refused (SCADYG_E_USAGE); times after the last are fine.
 */
typedef struct scadyg_predictor scadyg_predictor;

SCADYG_API int scadyg_predictor_open(const scadyg_model *model, scadyg_events *events, int threads,
                                     scadyg_predictor **predictor, scadyg_error *error);
SCADYG_API void scadyg_predictor_close(scadyg_predictor *predictor); /* NULL is fine */

/* Scores of pairs, each at its time, in any order; higher is likelier. For scadyg models these are logits. */
SCADYG_API int scadyg_predict(scadyg_predictor *predictor, const uint32_t *src, const uint32_t *dst,
                              const double *time, size_t count, double *score, const scadyg_progress *progress,
                              scadyg_error *error);

/* How likely a pair with such a score is an event rather than one drawn in its stead (docs/default.md); NaN for
 * heuristics. */
SCADYG_API double scadyg_probability(const scadyg_model *model, double score);

/*
 * The best destinations for a source, best first (equal scores: lower node number first). Candidates are the nodes
 * that have been a destination before `at`; with exclude_seen without those the source has met. *count is how many
 * of `top` there are. Scores of one call are comparable with each other and not with those of scadyg_predict or of
 * another source. probabilities (may be NULL): that the source's next partner is this one, if it is one of the
 * candidates; NaN for heuristics.
 */
SCADYG_API int scadyg_rank(scadyg_predictor *predictor, uint32_t source, double at, int exclude_seen, size_t top,
                           uint32_t *nodes, double *scores, double *probabilities, size_t *count,
                           scadyg_error *error);

/* Embeddings h of nodes at a time, out[count][width] (nodes NULL: of all). */
SCADYG_API int scadyg_embed(scadyg_predictor *predictor, double at, const uint32_t *nodes, size_t count, float *out,
                            const scadyg_progress *progress, scadyg_error *error);

/* The predicted distribution of a node over the classes at a time, out[classes]. */
SCADYG_API int scadyg_affinity(scadyg_predictor *predictor, uint32_t node, double at, double *out,
                               scadyg_error *error);

/* The node-specific matrix W_x of the hypernetwork, out[width][width]. */
SCADYG_API int scadyg_node_weights(scadyg_predictor *predictor, uint32_t node, double at, float *out,
                                   scadyg_error *error);

/*
 * What a source remembers, and for how long: how much one contact of each age still moves the model, 1 for one that has
 * just happened, into out[count]. It is a mix of exponentials whose weights the hypernetwork makes for this node at this
 * time. Head pair: a contact with a partner; head paper: an event of the node. Ages are in the unit of the times and not
 * negative. SCADYG_E_USAGE for models that weigh no events: heuristics, and affinity with the head pair.
 */
SCADYG_API int scadyg_memory_curve(scadyg_predictor *predictor, uint32_t node, double at, const double *ages,
                                   size_t count, double *out, scadyg_error *error);

/* The rates of that mix per unit of time, the slowest and the fastest. */
SCADYG_API int scadyg_memory_rates(const scadyg_predictor *predictor, double *slowest, double *fastest,
                                   scadyg_error *error);

/* ---- 11. Evaluation: protocols, negatives, heuristics ---------------------------------------------------------
 *
 * docs/protocols.md says how each protocol splits, draws, ranks and averages.
 */

typedef enum scadyg_protocol {
    SCADYG_PROTOCOL_PAPER = 0,
    SCADYG_PROTOCOL_TGB_LINK = 1,
    SCADYG_PROTOCOL_DYGLIB = 2,
    SCADYG_PROTOCOL_TGB_NODE = 3
} scadyg_protocol;

typedef enum scadyg_pool {
    SCADYG_POOL_DEFAULT = 0, /* paper: any; tgb-link: its own mix; dyglib: destination */
    SCADYG_POOL_ANY = 1,
    SCADYG_POOL_DESTINATION = 2,
    SCADYG_POOL_HISTORICAL = 3,
    SCADYG_POOL_INDUCTIVE = 4
} scadyg_pool;

typedef enum scadyg_part { SCADYG_PART_TEST = 0, SCADYG_PART_VALIDATION = 1 } scadyg_part;

/* tgb-link and dyglib: what a prediction sees of the events strictly before its time. */
typedef enum scadyg_reveal {
    SCADYG_REVEAL_EVENT = 0, /* all of them */
    SCADYG_REVEAL_BATCH = 1  /* those before its batch of 200 events: what a model with a memory sees */
} scadyg_reveal;

/* One query of a protocol, as one of those judged answered it. */
typedef struct scadyg_query {
    size_t judged;          /* who: the place in scadyg_result.judged */
    size_t seed;            /* which draw of the negatives, from 0 */
    uint32_t node;          /* the source; tgb-node: the node with a label */
    double at;              /* asked about this time */
    uint64_t seen;          /* the protocol showed the first so many events of the file */
    const uint64_t *events; /* what was to be found, by their numbers in the file; NULL for tgb-node */
    size_t event_count;     /* paper: all events of the source in the step; else one */
    double score;           /* 1 / rank (paper: of the best), NDCG@10, or for dyglib 1 if the event is ahead of its
                               negative, 1/2 if level */
    double positive;        /* dyglib: what scadyg_predict would say of the event; elsewhere a score to rank by */
    double negative;        /* dyglib: ... of its negative; else NaN */
} scadyg_query;

typedef struct scadyg_eval_options {
    int protocol;       /* a scadyg_protocol */
    int pool;           /* a scadyg_pool */
    int64_t negatives;  /* per query; 0: the protocol's own number */
    int64_t queries;    /* links: about so many, spread over the part and the same for any model; 0: all */
    int part;           /* a scadyg_part */
    int reveal;         /* a scadyg_reveal */
    int64_t seeds;      /* how many seeds of the negatives */
    int64_t seed;       /* the first of them */
    int heuristics;     /* also score the heuristics */
    const char *labels; /* tgb-node: another label file than the model's; NULL: as the model was trained */
    int64_t threads;
    /* NULL, or told of every query, from the calling thread. Each of those judged sees the same queries in the same
     * order, in which `seen` never decreases. */
    void (*query)(void *context, const scadyg_query *query);
    void *query_context;
} scadyg_eval_options;

SCADYG_API const scadyg_option *scadyg_eval_option_table(size_t *count);

/* NaN where a protocol does not define the score. */
typedef struct scadyg_scores {
    double mrr, hits1, hits3, hits10, ap, auc, ndcg10;
} scadyg_scores;

typedef struct scadyg_judged {
    const char *name;     /* "scadyg", "popularity", ... */
    scadyg_scores mean;   /* over the seeds */
    scadyg_scores spread; /* standard deviation (n - 1); 0 for one seed */
    double seconds;       /* of one pass */
} scadyg_judged;

#define SCADYG_JUDGED_MOST 9

typedef struct scadyg_result {
    const char *protocol, *pool, *part, *reveal; /* in words */
    int64_t seeds, first_seed;
    int64_t negatives; /* per query; 0: all there are */
    uint64_t queries;  /* ranked or judged, of one seed: sources of steps, events, or nodes of label times */
    uint64_t one_in;   /* they are one in so many of all there are */
    double overlap;    /* share of the queries that lie in the part the model was trained on: 0 is fair */
    size_t count;      /* in judged: the model first, then the heuristics */
    scadyg_judged judged[SCADYG_JUDGED_MOST];
} scadyg_result;

/* The protocol a model is judged by at the end of training: paper for links, tgb-node for affinity. */
SCADYG_API int scadyg_evaluate(const scadyg_model *model, scadyg_events *events, const scadyg_eval_options *options,
                               const scadyg_progress *progress, scadyg_result *result, scadyg_error *error);

/* ---- 12. Tuning: a search over the options of training --------------------------------------------------------
 *
 * Settings of some options are drawn at random, each is trained, and the one with the best score on the validation part
 * wins. The test part is never looked at. docs/tuning.md says more.
 */

typedef enum scadyg_tune_method {
    SCADYG_TUNE_HALVING = 0, /* all settings for a few epochs, the best of them for more, and so on */
    SCADYG_TUNE_RANDOM = 1   /* every setting to its end */
} scadyg_tune_method;

typedef struct scadyg_tune_options {
    int method;     /* a scadyg_tune_method */
    int64_t trials; /* how many settings */
    int keep;       /* halving: how many go on to the next round, 0 a third, 1 half */
    int64_t seed;   /* of the draw of settings; that of training is an option of training */
} scadyg_tune_options;

SCADYG_API const scadyg_option *scadyg_tune_option_table(size_t *count);

/*
 * What is varied is a list of texts "NAME=SPEC". NAME is an option of scadyg_train_option_table, SPEC says its values:
 *
 *   a|b|c          one of these
 *   LOW..HIGH      any number from LOW to HIGH; a whole number where the option takes one
 *   LOW..HIGH:log  the same, even on a logarithmic scale
 *
 * This is the i-th text of the list for those who have no wish of their own. NULL after the last.
 */
SCADYG_API const char *scadyg_tune_default(size_t i);

/* Whether other values of this option change what the validation score measures, so that scores are hard to compare. */
SCADYG_API int scadyg_tune_moves_target(const char *name);

/* One setting, and how far it got. */
typedef struct scadyg_trial {
    int64_t number;                      /* from 1 */
    const char *const *values;           /* of the varied options, in their order */
    const scadyg_train_options *options; /* all of them */
    int64_t round;                       /* the last it took part in, from 1; 0: none yet */
    int64_t epochs;                      /* trained */
    int64_t best_epoch;                  /* 0: none */
    double validation;                   /* the score of that epoch; NaN if there is none */
    const char *failure;                 /* why there is no score; NULL if it did not fail */
} scadyg_trial;

typedef struct scadyg_round {
    int64_t trials; /* at most so many take part */
    int64_t epochs; /* each is trained up to so many, all rounds together */
} scadyg_round;

typedef struct scadyg_tuning scadyg_tuning;

/* Lives as long as the tuning; what the trials say changes while it runs. */
typedef struct scadyg_tuning_info {
    size_t varied; /* options */
    const char *const *names;
    const char *const *specs;
    size_t round_count;
    const scadyg_round *rounds;
    size_t trial_count; /* fewer than asked for if there are no more different settings */
    const scadyg_trial *trials;
    const scadyg_trial *best; /* NULL: none has a score yet */
    const char *score;        /* what the score is: "MRR" */
} scadyg_tuning_info;

/*
 * Checks what is varied and draws all settings; nothing is trained yet. `base` has the values of the other options, and
 * its texts must live as long as the tuning. Where all its values lie within what is varied, it is the first trial.
 * SCADYG_E_USAGE names what is wrong: the nearest option, or the valid range.
 */
SCADYG_API int scadyg_tuning_open(const scadyg_train_options *base, const char *const *vary, size_t count,
                                  const scadyg_tune_options *options, scadyg_tuning **tuning, scadyg_error *error);
SCADYG_API void scadyg_tuning_close(scadyg_tuning *tuning); /* NULL is fine */
SCADYG_API const scadyg_tuning_info *scadyg_tuning_look(const scadyg_tuning *tuning);

typedef struct scadyg_tune_watch {
    /* A trial begins a round, in which it is trained up to `until` epochs. */
    void (*begin)(void *context, const scadyg_trial *trial, int64_t round, int64_t until);
    void (*epoch)(void *context, const scadyg_trial *trial, const scadyg_epoch *epoch, int resumed);
    void (*end)(void *context, const scadyg_trial *trial, int resumed); /* resumed: from the journal */
    void *context;
} scadyg_tune_watch;

/*
 * Runs the search, once. With `journal` (a path, may be NULL) the outcome of every trial is written there, and its
 * training has a checkpoint beside it (JOURNAL.trial-N), from which a later round goes on. With `resume` an existing
 * journal of the same data, options and search is continued, which ends in the same journal as if never interrupted.
 * Trials that cannot be trained are noted as failed; if no trial has a score, that is SCADYG_E_USAGE.
 *
 * In the end one checkpoint is left, that of the best trial: scadyg_train with best->options and that checkpoint, to be
 * resumed, gives its model at once, with the same bytes as a training from the beginning. The caller removes it.
 */
SCADYG_API int scadyg_tuning_run(scadyg_tuning *tuning, scadyg_events *events, const char *journal, int resume,
                                 const scadyg_tune_watch *watch, const scadyg_progress *progress,
                                 scadyg_error *error);

/* The path of a trial's checkpoint. Writes at most size bytes and returns the full length without terminator. */
SCADYG_API size_t scadyg_tuning_checkpoint(const char *journal, int64_t trial, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
