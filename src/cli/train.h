/* What the files of train share. */
#ifndef CLI_TRAIN_H
#define CLI_TRAIN_H

#include <jansson.h>

#include "cli.h"
#include "config.h"

typedef struct train_arguments {
    cli_common common;
    const char *output;
    const char *preset;
    const char *config;
    int print_config;
    int resume;
    const char *json;
    scadyg_train_options train;
} train_arguments;

/* ---- train_options.c ---- */

cli_table train_table(void);

/* Defaults, then the preset, then the configuration, then what was typed. Texts may be borrowed from *kept. */
int train_settle(const cli_call *call, json_t **kept);

/* Whether two sets of options make the same model of the same data. */
int train_same_options(const scadyg_train_options *one, const scadyg_train_options *other);

/* ---- train_tell.c: what train and tune say, and the checks of their files ---- */

/* The operand, which is put into *path, and the outputs. Returns an exit code. */
int train_check(const cli_call *call, const char **path);

/* Whether a file can be made there: better known before an hour of training than after it. Returns an exit code. */
int train_check_folder(const cli_call *call, const char *output);
int train_exists(const char *path);

/* --json - leaves standard output to the JSON. */
int train_is_silent(const train_arguments *arguments);
void train_tell(const train_arguments *arguments, const char *label, const char *text);
void train_tell_plan(const train_arguments *arguments, const scadyg_events *events);

/* The test results and where the model was saved; `remark` ends that line. */
void train_tell_results(const train_arguments *arguments, const scadyg_model *model, const json_t *results,
                        const char *remark);

/* The model in a file if it was made of these events with these options, and its results; else NULL. */
scadyg_model *train_find_model(const char *path, scadyg_events *events, const scadyg_train_options *options,
                               json_t **results);

/* ---- train_watch.c: a line per epoch ---- */

typedef struct train_watch {
    const cli_common *common;
    json_t *epochs;   /* all of them, for the JSON */
    int64_t resumed;  /* how many came from the checkpoint */
    int64_t last;     /* the last epoch seen */
    double prepare;   /* seconds; NAN if nothing was prepared */
    int time_kind;    /* of the data */
    scadyg_plan plan; /* epochs 0: none was told */
    int told_resumed, told_heading;
    double best;
    const char *score;
    int64_t best_epoch;
} train_watch;

scadyg_watch train_watch_begin(train_watch *watch, const cli_common *common, const scadyg_events *events);
void train_watch_end(train_watch *watch);

/* ---- train_result.c ---- */

/* Judges the model by its own protocol, beside the heuristics, and keeps the result in it. Returns an exit code. */
int train_judge(const cli_call *call, scadyg_model *model, scadyg_events *events, json_t **results);

/* Everything about a run, for --json. */
json_t *train_json(const train_arguments *arguments, const char *events_path, const scadyg_model *model,
                   const train_watch *watch, json_t *results, double seconds);

#endif
