/*
 * What a command works on. Events: an events file as it is, or a text log, which is imported once into a cache beside it
 * (LOG.csv.scadyg-cache.events). The cache says what it was made from and is used as long as the log, the files that import
 * finds beside it, the options that say how it is read and this version are the same.
 * A session joins a model with events and a time, for predict, rank, embed, affinity, eval, show --weights and report.
 */
#ifndef CLI_OPEN_EVENTS_H
#define CLI_OPEN_EVENTS_H

#include <jansson.h>

#include "cli/cli.h"

/*
 * Opens `path`. If it is a text log whose folder cannot be written to, the cache goes to the folder of `beside` (a
 * model file; "" is the current folder). That a log was imported, or which cache of it is used, is told on `told`, unless it is NULL; on standard
 * output also how its columns were understood and what looks odd, and whether sources and destinations are separate.
 * Returns an exit code, after having said what went wrong.
 */
int cli_events_open(const cli_call *call, const char *path, const char *beside, FILE *told, scadyg_events **events);

/*
 * Events as a model takes them: with sources and destinations separate, or of one kind, as where it was trained, whatever
 * import has decided. An exit code; what was changed is told on standard error, unless quiet.
 */
int cli_events_fit(const cli_call *call, scadyg_events *events, const char *path, const scadyg_model_info *info,
                   const char *model, int quiet);

/* Whether what was typed of them goes with a model, before a log is read. An exit code. */
int cli_roles_check(const cli_call *call, const scadyg_model_info *info, const char *model);

/*
 * As cli_events_open, for events that go with a model: a text log is read as the model's was (`reading`, of its scadyg_model_info), but for the
 * options that were typed. That is said on standard error, unless `told` is NULL.
 */
int cli_events_open_as(const cli_call *call, const char *path, const char *beside, FILE *told, const char *reading,
                       scadyg_events **events);

/*
 * Sets options to what a reading says, but for those that were typed. What was taken is noted behind `what`, as it could be
 * typed; NULL: it is not. An exit code.
 */
int cli_read_as(const cli_call *call, scadyg_options *options, const char *reading, const char *what);

/* The exit code of a command that has printed from the events: a failure, after having said so, if they were changed. */
int cli_events_check(const cli_call *call, const scadyg_events *events, int code);

/* Of an events file, on standard output, whether sources and destinations are separate; of a log it was told. An exit code. */
int cli_roles_tell(const cli_call *call, const char *path, scadyg_events *events);

/* All files that import of these would read are inputs: none of them may be an output. An exit code. */
int cli_reads_import(const cli_call *call, const char *const *files, size_t count, const scadyg_options *options);

#define CLI_ROLES 512
/* Whether sources and destinations of events that were opened from `path` are separate, in a sentence: as the columns of a text
 * log or the events themselves say. And that on standard output, behind a label. */
int cli_roles_of(const cli_call *call, const char *path, scadyg_events *events, char sentence[CLI_ROLES],
                 scadyg_error *error);
void cli_roles_print(const char *sentence, int indent, int width);

/* ---- cmd_import.c: what an import has to say ---- */

/* The rows that it found to be bad, on standard error; `label` says what became of them. */
void cli_bad_rows_tell(const cli_call *call, const scadyg_import_report *report, const char *label);

/* On standard output: how many rows it left out as was asked for; what looks odd. */
void cli_left_out_print(const scadyg_import_report *report, int indent);
void cli_checks_print(const scadyg_import_report *report);

/* ---- A model with events ---- */

typedef struct cli_session {
    const char *model_path, *events_path;
    scadyg_model *model;
    const scadyg_model_info *info;
    scadyg_events *events;
    const scadyg_shape *shape; /* of the events */
    scadyg_predictor *predictor;
    double at;
    int at_end;        /* the time was not given: just after the last event */
    char *state_path;  /* where a state is kept; NULL: nowhere */
    uint64_t followed; /* events that are not in it */
} cli_session;

/* All of these return an exit code, after having said what went wrong. Close in any case. */

/* The operands: a model file and events. */
int cli_session_open(const cli_call *call, cli_session *session);

/* The same with a predictor, for a model of the task (NULL: of any), and the time as the data has it (NULL: now). */
int cli_session_predict(const cli_call *call, const char *task, const char *at, cli_session *session);

/* The same in two, for who finds out what will be asked in between: without the predictor yet; and then that, for questions about
 * times from `earliest` on. */
int cli_session_prepare(const cli_call *call, const char *task, const char *at, cli_session *session);
int cli_session_ask(const cli_call *call, double earliest, cli_session *session);
void cli_session_close(cli_session *session);

/* After the answer: keeps the state beside a large log, X.state, so that the next one need not follow it again. What goes wrong is
 * noted and no failure. */
void cli_session_keep(const cli_call *call, cli_session *session);

/* The node an option names, in a role (a scadyg_role). */
int cli_session_node(const cli_call *call, const cli_session *session, int role, const char *id, uint32_t *node);

/* "alice at 2014-01-01 09:30:00", "alice just after the last event, at ..."; and up to which event that sees. */
void cli_session_heading(const cli_session *session, const char *what);

/* "sees events up to 2014-01-01 09:30:00 (1,234 of them)" */
#define cli_session_sees(session, at) cli_session_sees_in(session, at, (char[CLI_SEES]){0})
#define CLI_SEES 160
const char *cli_session_sees_in(const cli_session *session, double at, char buffer[CLI_SEES]);

/* The same for JSON: sees_until, the time of the latest event that is seen at session->at, and sees_events. Adds them to
 * the object; 0, or -1 without memory. */
int cli_session_sees_json(const cli_session *session, json_t *object);

/* A time as text, written as in the log or as a plain date; NULL: the smallest after the last event, so that every event counts. */
int cli_time_parse(const cli_call *call, const scadyg_events *events, const char *text, double *at);

#endif
