/* What the files of tune share. */
#ifndef CLI_TUNE_H
#define CLI_TUNE_H

#include "cli/train.h"

typedef struct tune_arguments {
    train_arguments train; /* first, so that what works for train works for tune */
    cli_list vary;
    const char *journal;
} tune_arguments;

/* ---- tune_report.c: a line per trial ---- */

typedef struct tune_watch {
    const train_arguments *arguments;
    const scadyg_tuning_info *info;
    int64_t resumed; /* trials that came from the journal, every round counted */
    int told_resumed, told_heading;
    double began; /* of the trial */
} tune_watch;

scadyg_tune_watch tune_watch_begin(tune_watch *watch, const train_arguments *arguments,
                                   const scadyg_tuning_info *info);
void tune_watch_end(tune_watch *watch);

void tune_tell_plan(const cli_call *call, const scadyg_tuning_info *info);
void tune_tell_best(const train_arguments *arguments, const scadyg_tuning_info *info, const char *command);

/* The command line that trains the best trial again, newly allocated; NULL without memory. */
char *tune_command(const cli_call *call, const scadyg_tuning_info *info);

/* Everything about the search, for --json. NULL without memory. */
json_t *tune_json(const cli_call *call, const scadyg_tuning_info *info, const char *journal, const char *command);

#endif
