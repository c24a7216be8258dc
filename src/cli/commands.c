/* The commands, and one way to walk through all options of each. */
#include "cli.h"

#include <string.h>

const cli_command *const cli_commands[] = {
    &cli_train,    &cli_tune, &cli_eval,   &cli_study, &cli_report,   &cli_predict,  &cli_rank,   &cli_embed,
    &cli_affinity, &cli_show, &cli_import, &cli_info,  &cli_messages, &cli_generate, &cli_export, &cli_help};
const size_t cli_command_count = CLI_COUNT(cli_commands);

#define COMMON(field) .offset = offsetof(cli_common, field), .least = 1, .most = 0

static const scadyg_option common_options[] = {
    {.name = "quiet",
     .letter = 'q',
     .kind = SCADYG_OPTION_FLAG,
     COMMON(quiet),
     .help = "no summary and no progress line"},
    {.name = "verbose", .letter = 'v', .kind = SCADYG_OPTION_FLAG, COMMON(verbose), .help = "print more"},
    {.name = "help", .letter = 'h', .kind = SCADYG_OPTION_FLAG, COMMON(help), .help = "show this help"},
};

const cli_command *cli_command_find(const char *name)
{
    for (size_t i = 0; i < cli_command_count; i++)
        if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
    return NULL;
}

int cli_unknown_command(const cli_command *command, const char *word)
{
    const char *names[CLI_COUNT(cli_commands) + 2];
    size_t count = 0;
    for (size_t i = 0; i < cli_command_count; i++) names[count++] = cli_commands[i]->name;
    names[count++] = "--help";
    names[count++] = "--version";
    const char *kind = word[0] == '-' ? "option" : "command";
    const char *nearest = cli_nearest(word, names, count);
    if (nearest) return cli_usage(command, "unknown %s '%s'; did you mean '%s'?", kind, word, nearest);
    return cli_usage(command, "unknown %s '%s'; 'scadyg help' lists the commands", kind, word);
}

const scadyg_option *cli_option_at(const cli_command *command, size_t index, cli_home *home)
{
    if (home) *home = CLI_HOME_OWN;
    if (index < command->option_count) return &command->options[index];
    index -= command->option_count;
    size_t count = 0;
    const scadyg_option *more = command->more_options ? command->more_options(&count) : NULL;
    if (index < count) {
        if (home) *home = CLI_HOME_MORE;
        return &more[index];
    }
    index -= count;
    count = 0;
    const scadyg_option *library = command->library_options ? command->library_options(&count) : NULL;
    if (index < count) {
        if (home) *home = CLI_HOME_LIBRARY;
        return &library[index];
    }
    index -= count;
    return index < CLI_COUNT(common_options) ? &common_options[index] : NULL;
}

const char *cli_option_default(const cli_command *command, const scadyg_option *option)
{
    for (const cli_default *entry = command->defaults; entry && entry->name; entry++)
        if (strcmp(entry->name, option->name) == 0) return entry->shown;
    size_t length = option->help ? strlen(option->help) : 0;
    if (length && option->help[length - 1] == ']') return NULL; /* the help says it already */
    if (option->kind != SCADYG_OPTION_FLAG) return option->fallback ? option->fallback : "none";
    if (strcmp(option->name, "help") == 0) return NULL;
    return option->fallback && *option->fallback != '0' ? "on" : "off";
}

int cli_option_is_list(const scadyg_option *option)
{
    return option->kind == CLI_OPTION_LIST || option->kind == CLI_OPTION_EACH;
}

int cli_option_hidden(const scadyg_option *option)
{
    return option->help == NULL;
}

int cli_option_takes_file(const scadyg_option *option)
{
    return option->kind == SCADYG_OPTION_TEXT && option->argument &&
           (strstr(option->argument, "FILE") || strstr(option->argument, "F.") ||
            strcmp(option->argument, "F") == 0);
}
