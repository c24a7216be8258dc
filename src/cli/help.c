/* The help on the screen. */
#include "help.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void cli_option_left(const scadyg_option *option, char *buffer, size_t size)
{
    char letter[8] = "    ";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(buffer, size, "%s--%s%s%s%s", letter, option->name, option->argument ? " " : "",
             option->argument ? option->argument : "", option->kind == CLI_OPTION_LIST ? "..." : "");
}

void cli_help_overview(void)
{
    printf("usage: scadyg COMMAND ...\n\n"
           "Predictions from who met whom, and when.\n\ncommands:\n");
    for (size_t i = 0; i < cli_command_count; i++)
        printf("  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    printf("\n'scadyg COMMAND --help' shows the options of a command.\n"
           "To begin: scadyg train LOG.csv, then scadyg rank LOG.scadyg LOG.csv --source ID\n");
}

/* The words of a paragraph, broken before `right` and continued at `left`. Returns what follows it. */
static const char *print_wrapped(const char *text, size_t left, size_t right)
{
    size_t column = left;
    while (*text && *text != '\n') {
        size_t length = strcspn(text, " \n");
        if (column > left && column + 1 + length > right) {
            printf("\n%*s", (int)left, "");
            column = left;
        } else if (column > left) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)length, text);
        column += length;
        text += length;
        if (*text == ' ' || (*text == '\n' && text[1] != '\n')) text++;
    }
    putchar('\n');
    return text;
}

static void print_paragraphs(const char *text)
{
    size_t width = cli_terminal_width(STDOUT_FILENO);
    while (*text) {
        putchar('\n');
        text = print_wrapped(text, 0, width < 80 ? width : 80);
        text += strspn(text, "\n");
    }
}

static void print_option(const cli_command *command, const scadyg_option *option, size_t width)
{
    char left[128], text[1024];
    cli_option_left(option, left, sizeof left);
    const char *shown = cli_option_default(command, option);
    int choice = option->kind == SCADYG_OPTION_CHOICE;
    snprintf(text, sizeof text, "%s%s%s%s%s%s", option->help, choice ? ": " : "", choice ? option->choices : "",
             shown ? " [" : "", shown ? shown : "", shown ? "]" : "");
    printf("  %-*s  ", (int)width, left);
    /* On a pipe every option stays on one line. */
    print_wrapped(text, width + 4, isatty(STDOUT_FILENO) ? cli_terminal_width(STDOUT_FILENO) : SIZE_MAX);
}

static void print_entries(const cli_entries *entries)
{
    const char *name, *summary;
    size_t width = 0;
    for (size_t i = 0; (name = entries->at(i, &summary)); i++)
        if (strlen(name) > width) width = strlen(name);
    printf("\n%s:\n", entries->heading);
    for (size_t i = 0; (name = entries->at(i, &summary)); i++) {
        printf("  %-*s", summary ? (int)width + 2 : 0, name);
        print_wrapped(summary ? summary : "", width + 4,
                      isatty(STDOUT_FILENO) ? cli_terminal_width(STDOUT_FILENO) : SIZE_MAX);
    }
}

void cli_help_command(const cli_command *command)
{
    printf("usage: scadyg %s %s [options]\n", command->name, command->operands);
    print_paragraphs(command->description);
    printf("\noptions, defaults in brackets:\n");
    const scadyg_option *option;
    size_t width = 0;
    for (size_t i = 0; (option = cli_option_at(command, i, NULL)); i++) {
        char left[128];
        cli_option_left(option, left, sizeof left);
        if (!cli_option_hidden(option) && strlen(left) > width) width = strlen(left);
    }
    for (size_t i = 0; (option = cli_option_at(command, i, NULL)); i++)
        if (!cli_option_hidden(option)) print_option(command, option, width);
    for (const cli_entries *e = command->entries; e && e->at; e++) print_entries(e);
    if (!command->examples) return;
    printf("\nexamples:\n");
    for (const char *const *example = command->examples; *example; example += 2)
        printf("  %s\n      %s\n", example[0], example[1]);
}
