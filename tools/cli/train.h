/* What train, tune and study share. */
#ifndef CLI_TRAIN_H
#define CLI_TRAIN_H

#include <jansson.h>

#include "cli/describe.h"

typedef struct train_arguments {
    cli_common common;
    const char *output;
    const char *preset;
    const char *config;
    int print_config;
    int resume;
    const char *from; /* the model file to go on from; NULL: none */
    int refit, no_eval;
    int64_t queries; /* of the evaluation; 0: as the protocol says, -1: all */
    const char *json;
    scadyg_model *from_model;
    scadyg_options *options; /* of the kind and task, once they are settled */
} train_arguments;

#define TRAIN_ROW_QUERIES(type, field)                                                                             \
    SG_OPTION(type, field, "queries", 0, SCADYG_OPTION_INT, "N", "auto", "auto|all", 1, 1e12,                      \
              "test on N queries, spread over the part (auto: a bound on large logs)", 1)

/* ---- cmd_train.c: options from all the places they may come from ---- */

/* Defaults, then the preset, then the configuration, then what was typed, into arguments->options. An exit code. */
int train_settle(const cli_call *call);

/* Whether a kind of model has a preset for a task. */
int train_has_preset(const char *model, const char *task, const char *preset);

/* The operand, which is put into *path, and the outputs. Returns an exit code. */
int train_check(const cli_call *call, const char **path);

/* Whether a file can be made there: better known before an hour of training than after it. Returns an exit code. */
int train_check_folder(const cli_call *call, const char *output);

/* ---- train_report.c: what is said ---- */

/* --json - leaves standard output to the JSON. */
int train_is_silent(const train_arguments *arguments);
void train_tell(const train_arguments *arguments, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void train_tell_plan(const train_arguments *arguments, const scadyg_events *events);

enum { TRAIN_NOTES = 8 };

/* A line per epoch. */
typedef struct train_watch {
    int quiet;
    json_t *epochs;   /* all of them, for the JSON */
    int64_t resumed;  /* how many came from the checkpoint */
    double prepare;   /* seconds; NAN if nothing was prepared */
    int time_kind;    /* of the data */
    scadyg_plan plan; /* epochs 0: none was told */
    int64_t exactly;  /* so many epochs, of a refit; 0: as many as the plan at most */
    int told_resumed, told_heading;
    double best;
    const char *score;
    int64_t best_epoch;
    char notes[TRAIN_NOTES][256]; /* what is done in another way than asked for */
    size_t note_count;
    char ended[256]; /* why the epochs were over; "": there were none, or they were not */
} train_watch;

scadyg_watch train_watch_begin(train_watch *watch, int quiet, const scadyg_events *events);

/* ---- A run: one model, from events to its file. Those that are int return an exit code. ---- */

typedef struct train_run {
    const cli_call *call;
    const train_arguments *arguments;
    const char *path; /* of the events */
    char *checkpoint;
    char *refit_checkpoint; /* NULL: it is not to be refit */
    scadyg_events *events;
    scadyg_model *model;
    json_t *results;
    train_watch watch;
    double began;
} train_run;

/* Opens the events and says so. */
int train_open_events(train_run *run);

/* With --resume and no checkpoint: whether the model was made before, of these events with these options. */
int train_is_saved(train_run *run, const scadyg_options *options);

/* Learns from the events, from the checkpoint on if that is to be resumed. A status of the library. */
int train_learn(train_run *run, const scadyg_options *options, int resume, int quiet, scadyg_error *error);

/* train_save.c: saves the model (unless it is saved), evaluates it by its own protocol beside the baselines and keeps the
 * result in it, and trains it once more on all events, as far as the arguments ask for that and it is not done yet. */
int train_finish(train_run *run, int saved);

/* Whether there is a test part: without one nothing is left to evaluate, which the training has said. */
int train_has_test(const scadyg_model *model);

/* The value of --queries as the evaluation takes it, `usual` where it was not given. */
#define TRAIN_QUERIES 32
const char *train_queries(const train_arguments *arguments, const char *usual, char buffer[TRAIN_QUERIES]);

/* Says what came of it, `remark` last, and writes the record for --json with more members (may be NULL), taken
 * over. The checkpoint goes then. */
int train_report(const train_run *run, const char *remark, json_t *more);
void train_close(train_run *run);

/* The most memory, in bytes, that this program ever held; NAN if it cannot be told. */
double train_peak_memory(void);

#endif
