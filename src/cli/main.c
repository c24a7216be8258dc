/* scadyg COMMAND ...: finds the command, takes its words apart, runs it. */
#include "help.h"

#include <stdio.h>
#include <string.h>

static int run_command(const cli_command *command, char **words, size_t count)
{
    cli_signals_install(command);
    cli_call call;
    int code = cli_parse(&call, command, words, count);
    const cli_common *common = call.arguments;
    if (code == CLI_OK && common->help)
        cli_help_command(command);
    else if (code == CLI_OK)
        code = command->run(&call);
    cli_call_free(&call);
    return cli_finish(command, code);
}

static int is(const char *word, const char *name, const char *letter)
{
    return strcmp(word, name) == 0 || strcmp(word, letter) == 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) return cli_usage(NULL, "no command given; 'scadyg help' lists them");
    const char *word = argv[1];
    if (is(word, "--help", "-h")) {
        cli_help_overview();
        return cli_finish(NULL, CLI_OK);
    }
    if (is(word, "--version", "-V")) {
        printf("scadyg %s\n", scadyg_version());
        return cli_finish(NULL, CLI_OK);
    }
    const cli_command *command = cli_command_find(word);
    if (!command) return cli_unknown_command(NULL, word);
    return run_command(command, argv + 2, (size_t)argc - 2);
}
