/* scadyg help: the overview, or the help of one command. */
#include "help.h"

typedef struct help_arguments {
    cli_common common;
    int manual;
    int completion;
} help_arguments;

/* Hidden: what the build installs. */
static const scadyg_option options[] = {
    {.name = "man", .kind = SCADYG_OPTION_FLAG, .offset = offsetof(help_arguments, manual)},
    {.name = "completion", .kind = SCADYG_OPTION_FLAG, .offset = offsetof(help_arguments, completion)},
};

static const char *const examples[] = {"scadyg help import", "the options of import", NULL};

static int run(cli_call *call)
{
    const help_arguments *arguments = call->arguments;
    if (call->operand_count > 1)
        return cli_usage(&cli_help, "'%s' is one too many; give one command", call->operands[1]);
    if (arguments->completion) {
        cli_completion();
        return CLI_OK;
    }
    if (call->operand_count == 0) {
        if (arguments->manual)
            cli_manual_overview();
        else
            cli_help_overview();
        return CLI_OK;
    }
    const cli_command *command = cli_command_find(call->operands[0]);
    if (!command) return cli_unknown_command(&cli_help, call->operands[0]);
    if (arguments->manual)
        cli_manual_command(command);
    else
        cli_help_command(command);
    return CLI_OK;
}

const cli_command cli_help = {
    .name = "help",
    .summary = "show the commands, or the options of one",
    .operands = "[COMMAND]",
    .description = "Shows all commands, or how one is used: the same as 'scadyg COMMAND --help'.",
    .examples = examples,
    .options = options,
    .option_count = CLI_COUNT(options),
    .size = sizeof(help_arguments),
    .run = run,
};
