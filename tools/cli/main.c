/* scadyg COMMAND ...: finds the command, takes its words apart, runs it. */
#include "cli/describe.h"
#include "cli/help.h"

#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/*
 * Large blocks go back to the system when they are freed. Left to itself malloc keeps those of up to 32 MiB once such a block
 * was freed, and in pieces: a training of 3 M events with --memory 400M then took 433 MiB, and takes 307.
 */
static void give_large_blocks_back(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

static int run_command(const cli_command *command, char **words, size_t count)
{
    scadyg_context *context = NULL;
    scadyg_error error = {0};
    if (scadyg_context_open(&context, &error)) return cli_fail_error(command, &error, NULL);
    cli_signals_install(command, context);
    cli_call call;
    int code = cli_parse(&call, command, words, count);
    const cli_common *common = call.arguments;
    if (code == CLI_OK && (common->help || common->help_all)) {
        cli_help_command(&call.tables, common->help_all);
    } else if (code == CLI_OK) {
        call.context = context;
        call.error = &error;
        scadyg_context_set_threads(context, common->threads);
        scadyg_context_set_memory(context, common->memory);
        cli_progress_begin(context, common);
        code = command->run(&call);
    }
    cli_call_free(&call);
    code = cli_finish(command, code);
    cli_signals_remove();
    scadyg_context_close(context);
    return code;
}

static int is(const char *word, const char *name, const char *letter)
{
    return strcmp(word, name) == 0 || strcmp(word, letter) == 0;
}

/* Options common to all commands may stand before the command, as in git: they are moved behind it. */
static void move_common_options(int argc, char **argv)
{
    int at = 1;
    while (at < argc && (is(argv[at], "--quiet", "-q") || is(argv[at], "--verbose", "-v") ||
                         strncmp(argv[at], "--threads", 9) == 0))
        at += strcmp(argv[at], "--threads") == 0 ? 2 : 1;
    if (at >= argc || argv[at][0] == '-') return;
    char *command = argv[at];
    for (; at > 1; at--) argv[at] = argv[at - 1];
    argv[1] = command;
}

int main(int argc, char **argv)
{
    give_large_blocks_back();
    json_set_alloc_funcs(cli_json_alloc, free);
    move_common_options(argc, argv);
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
