/* The help on the screen. */
#include "help.h"

#include <stdio.h>
#include <string.h>

void cli_option_left(const scadyg_option *option, char *buffer, size_t size) {
    char letter[8] = "    ";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(buffer, size, "%s--%s%s%s%s", letter, option->name, option->argument ? " " : "",
             option->argument ? option->argument : "", option->kind == CLI_OPTION_LIST ? "..." : "");
}

void cli_help_overview(void) {
    printf("usage: scadyg COMMAND ...\n\n"
           "Predictions from who met whom, and when.\n\ncommands:\n");
    for (size_t i = 0; i < cli_command_count; i++)
        printf("  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    printf("\n'scadyg COMMAND --help' has the options of a command. 'scadyg --version' shows the version.\n"
           "To begin: scadyg import LOG.csv -o LOG.events, then scadyg info LOG.events\n");
}

static void print_option(const cli_command *command, const scadyg_option *option, int width) {
    char left[128];
    cli_option_left(option, left, sizeof left);
    printf("  %-*s  %s", width, left, option->help);
    if (option->kind == SCADYG_OPTION_CHOICE) printf(": %s", option->choices);
    const char *shown = cli_option_default(command, option);
    if (shown) printf(" [%s]", shown);
    putchar('\n');
}

void cli_help_command(const cli_command *command) {
    printf("usage: scadyg %s %s [options]\n\n%s\n\noptions, defaults in brackets:\n", command->name,
           command->operands, command->description);
    const scadyg_option *option;
    size_t width = 0;
    for (size_t i = 0; (option = cli_option_at(command, i, NULL)); i++) {
        char left[128];
        cli_option_left(option, left, sizeof left);
        if (!cli_option_hidden(option) && strlen(left) > width) width = strlen(left);
    }
    for (size_t i = 0; (option = cli_option_at(command, i, NULL)); i++)
        if (!cli_option_hidden(option)) print_option(command, option, (int)width);
    if (!command->examples) return;
    printf("\nexamples:\n");
    for (const char *const *example = command->examples; *example; example += 2)
        printf("  %s\n      %s\n", example[0], example[1]);
}
