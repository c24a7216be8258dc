/*
 * scadyg_lab.h - what research needs beside scadyg.h. It may change from version to version: compile with the header of
 * the library you run with.
 *
 *   1. Info: what is in an events file
 *   2. Generate: a graph with a known process
 *   3. Messages: decayed sums of the past
 *   4. Looking into models: plans, figures, node weights, memory curves
 *   5. Evaluation, query by query
 *   6. Tuning: a search over the options of training
 */
#ifndef SCADYG_LAB_H
#define SCADYG_LAB_H

#include "scadyg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. Info: what is in an events file --------------------------------------------------------------------- */

/* Writes the first `count` events, and the nodes that they have, to an events file of their own. */
SCADYG_API int scadyg_events_first(scadyg_context *context, scadyg_events *events, uint64_t count,
                                   const char *output, scadyg_error *error);

#define SCADYG_INFO_TOP 10
#define SCADYG_INFO_BINS 60

typedef struct scadyg_info {
    const scadyg_shape *shape; /* as long as the events are open */
    uint64_t sources;          /* nodes that are a source at least once */
    uint64_t destinations;     /* nodes that are a destination at least once */
    int bipartite;             /* no node is both */
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

/* One pass for most; the pair counts take memory up to the context's bound (none: 1 GiB) and more passes beyond it. */
SCADYG_API int scadyg_info_compute(scadyg_context *context, scadyg_events *events, scadyg_info **info,
                                   scadyg_error *error);
SCADYG_API void scadyg_info_free(scadyg_info *info); /* NULL is fine */

/* ---- 2. Generate: a graph with a known process -------------------------------------------------------------- */

/*
 * Streams a generated graph to `output`, by options of "generate". If `oracle` is not NULL, also writes there a CSV
 * with, for every event (or one in "oracle-one-in"), the rank that the true intensities give the real destination among 100 random ones.
 * docs/generator.md has the process.
 */
SCADYG_API int scadyg_generate(scadyg_context *context, const char *output, const char *oracle,
                               const scadyg_options *options, scadyg_error *error);

/* ---- 3. Messages: decayed sums of the past ------------------------------------------------------------------ */

typedef struct scadyg_messages scadyg_messages;

/*
 * Plans messages over the events of a file by options of "messages": rates, columns, steps. Holds no sums yet. Context
 * and events must stay.
 */
SCADYG_API int scadyg_messages_open(scadyg_context *context, scadyg_events *events, const scadyg_options *options,
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
                                  double *out, scadyg_error *error);

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

/* ---- 4. Looking into models: plans, figures, node weights, memory curves ------------------------------------------------------ */

/* What training of the default model for links will hold and do, known before it starts. */
typedef struct scadyg_plan {
    uint64_t memory;          /* granted */
    uint64_t node_bytes;      /* for what is kept of nodes */
    uint64_t pair_bytes;      /* at most for pairs; when that is full, those that met longest ago are forgotten */
    uint64_t pairs;           /* that fit into it */
    size_t inputs;            /* numbers read of a pair and its nodes */
    double slowest, fastest;  /* rates of decay, per unit of time */
    uint64_t events;          /* learned from in an epoch */
    uint64_t one_in;          /* of so many there are */
    int64_t negatives;        /* for each of them */
    int64_t epochs;           /* at most */
    double events_per_second; /* as measured on a few of them */
    uint64_t
        vector_bytes;     /* at most for vectors of destinations; when that is full, the least used are forgotten */
    uint64_t vectors;     /* that fit into it; 0 if there are none */
    uint64_t page_bytes;  /* at most of the events file, which is read in pages */
    uint64_t batch_bytes; /* for what is learned from at a time */
    uint64_t
        evaluation_bytes; /* for evaluations: pairs that have met, of which negatives are drawn, and rows of nodes */
} scadyg_plan;

/*
 * Baselines forget nothing of the log. Those whose past does not fit into the memory of the context, beside the model and what the
 * evaluation by these options of scadyg_options_open ("evaluate"; NULL: the defaults) takes, are left out of scadyg_evaluate:
 * their names go into names[size], with commas between; none: an empty text. Fails where the evaluation would for want of memory.
 */
SCADYG_API int scadyg_baselines_left_out(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                                         const scadyg_options *options, char *names, size_t size,
                                         scadyg_error *error);

/* A figure that a kind keeps, by name; NaN if it has none. scadyg, links: "pair_bytes" (the bound of what is kept of
 * pairs); "vectors" (the bound of destinations that have vectors; 0 without); "inputs" (numbers read of a pair and its
 * nodes); "share_random", "share_met", "share_late" (how much of what a pair's chance is compared with is of each kind). */
SCADYG_API double scadyg_model_figure(const scadyg_model *model, const char *name);

/* The node-specific matrix W_x of the hypernetwork, out[width][width]. */
SCADYG_API int scadyg_node_weights(scadyg_predictor *predictor, uint32_t node, double at, float *out,
                                   scadyg_error *error);

/*
 * What a source remembers, and for how long: how much one contact of each age still moves the model, 1 for one that
 * has just happened, into out[count]. It is a mix of exponentials whose weights the hypernetwork makes for this node
 * at this time. scadyg: a contact with a partner; scadyg-paper: an event of the node. Ages are in the unit of the
 * times and not negative. SCADYG_E_USAGE for models that weigh no events: baselines, and scadyg for affinity.
 */
SCADYG_API int scadyg_memory_curve(scadyg_predictor *predictor, uint32_t node, double at, const double *ages,
                                   size_t count, double *out, scadyg_error *error);

/* The rates of that mix per unit of time, the slowest and the fastest. */
SCADYG_API int scadyg_memory_rates(const scadyg_predictor *predictor, double *slowest, double *fastest,
                                   scadyg_error *error);

/* The i-th part that can be left out of a model of the options' kind (--without), from 0; NULL after the last. */
SCADYG_API const char *scadyg_part_at(const scadyg_options *options, size_t i);

/* ---- 5. Evaluation, query by query ---------------------------------------------------------------------------- */

/* One query of a protocol, as one of those evaluated answered it. */
typedef struct scadyg_query {
    size_t evaluated;       /* who: the place in scadyg_result.evaluated */
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
    const uint32_t *negatives; /* live: the nodes that it was ranked among, in no order; else NULL */
    size_t negative_count;
    int all_negatives; /* live: they are all destinations of the events seen but those that the node meets then */
} scadyg_query;

/* As scadyg_evaluate, and tells of every query, from the calling thread. Each of those evaluated sees the same queries in
 * the same order, in which `seen` never decreases. */
SCADYG_API int scadyg_evaluate_queries(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                                       const scadyg_options *options,
                                       void (*query)(void *data, const scadyg_query *query), void *data,
                                       scadyg_result **result, scadyg_error *error);

/* ---- 6. Tuning: a search over the options of training --------------------------------------------------------
 *
 * Settings of some options are drawn at random, each is trained, and the one with the best score on the validation part
 * wins. The test part is never looked at. docs/tuning.md says more.
 */

/*
 * What is varied is a list of texts "NAME=SPEC". NAME is an option of training, SPEC says its values:
 *
 *   a|b|c          one of these
 *   LOW..HIGH      any number from LOW to HIGH; a whole number where the option takes one
 *   LOW..HIGH:log  the same, even on a logarithmic scale
 *
 * This is the i-th text of the list for those who have no wish of their own, for the kind of these options. NULL after
 * the last.
 */
SCADYG_API const char *scadyg_tune_default(const scadyg_options *train, size_t i);

/* Whether other values of this option change what the validation score measures, so that scores are hard to compare. */
SCADYG_API int scadyg_tune_moves_target(const char *name);

/* One setting, and how far it got. */
typedef struct scadyg_trial {
    int64_t number;                /* from 1 */
    const char *const *values;     /* of the varied options, in their order */
    const scadyg_options *options; /* all of them */
    int64_t round;                 /* the last it took part in, from 1; 0: none yet */
    int64_t epochs;                /* trained */
    int64_t best_epoch;            /* 0: none */
    double validation;             /* the score of that epoch; NaN if there is none */
    const char *failure;           /* why there is no score; NULL if it did not fail */
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
 * Checks what is varied and draws all settings; nothing is trained yet. `base` has the values of the other options of
 * training; `options` are those of "tune". Both are copied. Where all its values lie within what is varied, it is the
 * first trial. SCADYG_E_USAGE names what is wrong: the nearest option, or the valid range.
 */
SCADYG_API int scadyg_tuning_open(const scadyg_options *base, const char *const *vary, size_t count,
                                  const scadyg_options *options, scadyg_tuning **tuning, scadyg_error *error);
SCADYG_API void scadyg_tuning_close(scadyg_tuning *tuning); /* NULL is fine */
SCADYG_API const scadyg_tuning_info *scadyg_tuning_look(const scadyg_tuning *tuning);

typedef struct scadyg_tune_watch {
    size_t size; /* sizeof(scadyg_tune_watch) */
    void *data;
    /* A trial begins a round, in which it is trained up to `until` epochs. */
    void (*begin)(void *data, const scadyg_trial *trial, int64_t round, int64_t until);
    void (*epoch)(void *data, const scadyg_trial *trial, const scadyg_epoch *epoch, int resumed);
    void (*end)(void *data, const scadyg_trial *trial, int resumed); /* resumed: from the journal */
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
SCADYG_API int scadyg_tuning_run(scadyg_context *context, scadyg_tuning *tuning, scadyg_events *events,
                                 const char *journal, int resume, const scadyg_tune_watch *watch,
                                 scadyg_error *error);

/* The path of a trial's checkpoint. Writes at most size bytes and returns the full length without terminator. */
SCADYG_API size_t scadyg_tuning_checkpoint(const char *journal, int64_t trial, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
