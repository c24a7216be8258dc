/* A model joined with events. */
#include "session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

const char *cli_task_name(int task)
{
    return task == SCADYG_TASK_AFFINITY ? "affinity" : "link";
}

void cli_kind_name(const scadyg_model_info *info, char buffer[CLI_TEXT])
{
    size_t count = 0;
    const scadyg_option *table = scadyg_train_option_table(&count);
    snprintf(buffer, CLI_TEXT, "model");
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, "model") == 0) scadyg_option_text(&table[i], info->options, buffer, CLI_TEXT);
}

static int wrong_task(const cli_call *call, const cli_session *session)
{
    int is_link = session->info->options->task == SCADYG_TASK_LINK;
    const char *others = is_link ? "predict and rank" : "affinity";
    return cli_fail(call->command, "%s is a model of the task %s; what it can do is scadyg %s, embed and eval",
                    session->model_path, cli_task_name(session->info->options->task), others);
}

static int open_model(const cli_call *call, int task, cli_session *session)
{
    scadyg_error error = {0};
    if (scadyg_model_open(session->model_path, &session->model, &error))
        return cli_fail_error(call->command, &error, NULL);
    session->info = scadyg_model_look(session->model);
    if (task != CLI_ANY_TASK && session->info->options->task != task) return wrong_task(call, session);
    return CLI_OK;
}

int cli_session_time(const cli_call *call, cli_session *session, const char *text)
{
    const scadyg_shape *shape = session->shape;
    scadyg_error error = {0};
    session->at_end = !text;
    session->at = nextafter(shape->last_time, INFINITY);
    if (text && scadyg_time_parse(shape->time_kind, text, &session->at, &error))
        return cli_usage(call->command, "--at: %s", error.message);
    if (session->at >= shape->first_time) return CLI_OK;
    char first[64];
    scadyg_time_human(shape->time_kind, shape->first_time, first);
    return cli_fail(call->command, "--at: %s lies before the first event, at %s; nothing is known by then", text,
                    first);
}

int cli_session_open(const cli_call *call, int task, const char *at, cli_session *session)
{
    static const char *const what[] = {"model file", "events file"};
    const cli_common *common = call->arguments;
    const char *operands[2];
    scadyg_error error = {0};
    *session = (cli_session){0};
    int code = cli_operands(call, what, 2, operands);
    if (code) return code;
    session->model_path = operands[0];
    session->events_path = operands[1];
    code = open_model(call, task, session);
    if (!code)
        code = cli_log_open(call, session->events_path, session->model_path, common->quiet ? NULL : stderr,
                            &session->events);
    if (code) return code;
    session->shape = scadyg_events_shape(session->events);
    code = cli_session_time(call, session, at);
    if (!code &&
        scadyg_predictor_open(session->model, session->events, (int)common->threads, &session->predictor, &error))
        code = cli_fail_error(call->command, &error, NULL);
    return code;
}

void cli_session_close(cli_session *session)
{
    scadyg_predictor_close(session->predictor);
    scadyg_events_close(session->events);
    scadyg_model_close(session->model);
}

int cli_session_node(const cli_call *call, const cli_session *session, const char *id, uint32_t *node)
{
    scadyg_error error = {0};
    if (scadyg_node_find(session->events, id, node, &error)) return cli_fail_error(call->command, &error, NULL);
    return CLI_OK;
}

void cli_session_heading(const cli_session *session, const char *what)
{
    char at[64];
    scadyg_time_human(session->shape->time_kind, session->at_end ? session->shape->last_time : session->at, at);
    printf("%s %s %s\n\n", what, session->at_end ? "just after the last event, at" : "at", at);
}
