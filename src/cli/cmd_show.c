/* scadyg show: what is in a model file. */
#include "show.h"

#include <stdio.h>

#include "shape.h"

typedef struct show_arguments {
    cli_common common;
    const char *weights;
    const char *at;
} show_arguments;

static const scadyg_option options[] = {
    {.name = "weights",
     .kind = SCADYG_OPTION_TEXT,
     .offset = offsetof(show_arguments, weights),
     .argument = "ID",
     .least = 1,
     .help = "show the matrix W_x of this node instead; needs the events too"},
    CLI_OPTION_AT(show_arguments),
    CLI_OPTION_JSON("print everything as JSON"),
    CLI_OPTION_THREADS,
};

static const cli_default defaults[] = {{"at", "after the last event"}, {NULL, NULL}};

static const char *const examples[] = {"scadyg show log.scadyg",
                                       "task, options, data, scores and parameters",
                                       "scadyg show log.scadyg --json",
                                       "the same for a program",
                                       "scadyg show log.scadyg log.events --weights alice",
                                       "how alice's messages are mixed, now",
                                       NULL};

static int print_weights(const cli_call *call)
{
    const show_arguments *arguments = call->arguments;
    cli_session session;
    int code = cli_session_open(call, CLI_ANY_TASK, arguments->at, &session);
    if (!code) code = show_weights(call, &session, arguments->weights);
    cli_session_close(&session);
    return code;
}

static int run(cli_call *call)
{
    const show_arguments *arguments = call->arguments;
    if (arguments->weights) return print_weights(call);
    if (arguments->at) return cli_usage(call->command, "--at goes with --weights ID");
    cli_session session = {0};
    int code = cli_one_operand(call, "model file", &session.model_path);
    if (code) return code;
    scadyg_error error = {0};
    if (scadyg_model_open(session.model_path, &session.model, &error))
        return cli_fail_error(call->command, &error, NULL);
    session.info = scadyg_model_look(session.model);
    if (arguments->common.json)
        code = cli_json_print(call->command, show_json(&session));
    else if (!arguments->common.quiet)
        show_print(&session, arguments->common.verbose);
    cli_session_close(&session);
    return code;
}

const cli_command cli_show = {
    .name = "show",
    .summary = "show what is in a model file",
    .operands = "M.scadyg [X.events --weights ID]",
    .description = "Shows what a model was made for, with which options, from which data (its name and\n"
                   "checksum), how it scored, and what was learned. Options are shown where they differ from\n"
                   "the defaults; with --verbose all of them.\n"
                   "\n"
                   "With --weights and an events file: the matrix W_x with which the hypernetwork mixes the\n"
                   "messages of one node at a time.",
    .examples = examples,
    .options = options,
    .option_count = CLI_COUNT(options),
    .defaults = defaults,
    .size = sizeof(show_arguments),
    .run = run,
};
