/* What predict, rank, embed, affinity and show --weights have in common: a model joined with events, and a time. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "cli.h"

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

enum { CLI_ANY_TASK = -1 };

/*
 * Opens all: the operands, which must be a model file of the task and events, and the time. Returns an exit code, after
 * having said what went wrong. Close in any case.
 */
int cli_session_open(const cli_call *call, int task, const char *at, cli_session *session);
void cli_session_close(cli_session *session);

/* "link" and "affinity"; "scadyg", "popularity", ...: the words of the option table. */
const char *cli_task_name(int task);
void cli_kind_name(const scadyg_model_info *info, char buffer[CLI_TEXT]);

/* A time as the data has it, checked against the first event. The name is the option's, for errors. */
int cli_session_time(const cli_call *call, cli_session *session, const char *text);

/* The node an option names. */
int cli_session_node(const cli_call *call, const cli_session *session, const char *id, uint32_t *node);

/* "alice at 2014-01-01 09:30:00", "alice just after the last event, at ..." */
void cli_session_heading(const cli_session *session, const char *what);

/* The options that these commands share. */
#define CLI_OPTION_AT(type)                                                                                        \
    {                                                                                                              \
        .name = "at", .kind = SCADYG_OPTION_TEXT, .offset = offsetof(type, at), .argument = "TIME", .least = 1,    \
        .most = 0, .help = "a number or a date; only events strictly before it count"                              \
    }

#define CLI_OPTION_TOP(type)                                                                                       \
    {                                                                                                              \
        .name = "top", .kind = SCADYG_OPTION_INT, .offset = offsetof(type, top), .argument = "N",                  \
        .fallback = "10", .least = 1, .most = 1e9, .help = "how many to show"                                      \
    }

#define CLI_OPTION_THREADS                                                                                         \
    {                                                                                                              \
        .name = "threads", .kind = SCADYG_OPTION_INT, .offset = offsetof(cli_common, threads), .argument = "N",    \
        .fallback = "all", .choices = "all", .least = 0, .most = 1024,                                             \
        .help = "threads to use; the result does not depend on it"                                                 \
    }

#define CLI_OPTION_JSON(text)                                                                                      \
    {                                                                                                              \
        .name = "json", .kind = SCADYG_OPTION_FLAG, .offset = offsetof(cli_common, json), .least = 1, .help = text \
    }

#endif
