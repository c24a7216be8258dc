/*
 * What a command works on. Events: an events file as it is, or a text log, which is imported once into a cache beside it
 * (LOG.csv.scadyg-cache.events). The cache carries the log's time of change and is used as long as that is the same.
 * A session joins a model with events and a time, for predict, rank, embed, affinity, eval, show --weights and report.
 */
#ifndef CLI_OPEN_EVENTS_H
#define CLI_OPEN_EVENTS_H

#include "cli/cli.h"

/*
 * Opens `path`. If it is a text log whose folder cannot be written to, the cache goes to the folder of `beside` (a
 * model file). That a log was imported is told on `told`, unless it is NULL; on standard output also how its columns
 * were understood, or that a cache is used. Returns an exit code, after having said what went wrong.
 */
int cli_events_open(const cli_call *call, const char *path, const char *beside, FILE *told, scadyg_events **events);

typedef struct cli_session {
    const char *model_path, *events_path;
    scadyg_model *model;
    const scadyg_model_info *info;
    scadyg_events *events;
    const scadyg_shape *shape; /* of the events */
    scadyg_predictor *predictor;
    double at;
    int at_end; /* the time was not given: just after the last event */
} cli_session;

/* All of these return an exit code, after having said what went wrong. Close in any case. */

/* The operands: a model file and events. */
int cli_session_open(const cli_call *call, cli_session *session);

/* The same with a predictor, for a model of the task (NULL: of any), and the time as the data has it (NULL: now). */
int cli_session_predict(const cli_call *call, const char *task, const char *at, cli_session *session);
void cli_session_close(cli_session *session);

/* The node an option names. */
int cli_session_node(const cli_call *call, const cli_session *session, const char *id, uint32_t *node);

/* "alice at 2014-01-01 09:30:00", "alice just after the last event, at ..." */
void cli_session_heading(const cli_session *session, const char *what);

/* A time as text; NULL: the smallest after the last event, so that every event counts. */
int cli_time_parse(const cli_call *call, const scadyg_shape *shape, const char *text, double *at);

#endif
