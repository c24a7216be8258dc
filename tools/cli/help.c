/* scadyg help: the overview, the help of one command, the models; and the options of all kinds of models in groups. */
#include "cli/help.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/describe.h"

enum { WIDEST = 80, WIDEST_LEFT = 26 };

/* ---- Kinds of models and their options ---- */

static int same_text(const char *one, const char *other)
{
    return one == other || (one && other && strcmp(one, other) == 0);
}

static int is_choice_of_kind(const scadyg_option *option)
{
    return strcmp(option->name, "model") == 0 || strcmp(option->name, "task") == 0;
}

static int same_option(const scadyg_option *one, const scadyg_option *other)
{
    return one && other && same_text(one->name, other->name) && same_text(one->fallback, other->fallback) &&
           same_text(one->help, other->help) && same_text(one->choices, other->choices);
}

int cli_kinds_share(const cli_tables *tables, const scadyg_option *option)
{
    if (is_choice_of_kind(option)) return 1;
    for (size_t i = 0; i < tables->kind_count; i++)
        if (!same_option(cli_option_find(tables->kinds[i], option->name), option)) return 0;
    return 1;
}

static int has_same_options(const scadyg_options *one, const scadyg_options *other)
{
    const scadyg_option *option;
    for (size_t i = 0; (option = scadyg_options_at(one, i)); i++)
        if (!is_choice_of_kind(option) && !same_option(option, scadyg_options_at(other, i))) return 0;
    return 1;
}

size_t cli_kinds_alike(const cli_tables *tables, size_t first, char *title, size_t size)
{
    const char *task = scadyg_kind_at(first)->task;
    size_t next = first, used = 0;
    for (; next < tables->kind_count && used < size; next++) {
        if (strcmp(scadyg_kind_at(next)->task, task) != 0 ||
            !has_same_options(tables->kinds[first], tables->kinds[next]) ||
            !has_same_options(tables->kinds[next], tables->kinds[first]))
            break;
        used += (size_t)snprintf(title + used, size - used, "%s%s", used ? ", " : "", scadyg_kind_at(next)->name);
    }
    if (used < size) snprintf(title + used, size - used, " (%s):", task);
    return next;
}

/* ---- Lines ---- */

static size_t room_on_screen(void)
{
    const size_t width = cli_terminal_width(STDOUT_FILENO);
    return width < WIDEST ? width : WIDEST;
}

/* The words of a paragraph, broken before `right` and continued at `left`; behind a | a line may break as well. Returns
 * what follows it. */
static const char *print_wrapped(const char *text, size_t left, size_t right)
{
    size_t column = left;
    int glued = 0; /* no blank before this piece */
    while (*text && *text != '\n') {
        size_t length = strcspn(text, " |\n");
        if (text[length] == '|') length++;
        if (column > left && column + !glued + length > right) {
            printf("\n%*s", (int)left, "");
            column = left;
        } else if (column > left && !glued) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)length, text);
        column += length;
        text += length;
        glued = length && text[-1] == '|' && *text != ' ';
        if (*text == ' ' || (*text == '\n' && text[1] != '\n')) text++;
    }
    putchar('\n');
    return text;
}

static void print_paragraphs(const char *text)
{
    while (text && *text) {
        putchar('\n');
        text = print_wrapped(text, 0, room_on_screen());
        text += strspn(text, "\n");
    }
}

void cli_option_left(const scadyg_option *option, char *buffer, size_t size)
{
    char letter[8] = "    ";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(buffer, size, "%s--%s%s%s%s%s", letter, cli_option_is_on(option) ? "[no-]" : "", option->name,
             option->argument ? " " : "", option->argument ? option->argument : "",
             option->type == CLI_OPTION_LIST ? "..." : "");
}

static void print_left(const char *left, size_t width)
{
    if (strlen(left) > width)
        printf("  %s\n%*s", left, (int)width + 4, "");
    else
        printf("  %-*s  ", (int)width, left);
}

static void print_option(const cli_command *command, const scadyg_option *option, size_t width)
{
    char left[128], text[1024];
    cli_option_left(option, left, sizeof left);
    const char *shown = cli_option_default(command, option);
    const int choice = option->type == SCADYG_OPTION_CHOICE;
    snprintf(text, sizeof text, "%s%s%s%s%s%s", option->help, choice ? ": " : "", choice ? option->choices : "",
             shown ? " [" : "", shown ? shown : "", shown ? "]" : "");
    print_left(left, width);
    print_wrapped(text, width + 4, room_on_screen());
}

static void print_entry(const char *name, const char *summary, size_t width)
{
    if (!summary) {
        printf("  %s\n", name);
        return;
    }
    print_left(name, width);
    print_wrapped(summary, width + 4, room_on_screen());
}

/* ---- The parts of a command's help ---- */

/* Among the options that matter most are those of the models that are used by themselves: the first of each task. */
static int is_of_default_kind(const cli_tables *tables, const char *name)
{
    for (size_t i = 0; i < tables->kind_count; i++) {
        size_t before = 0;
        while (before < i && strcmp(scadyg_kind_at(before)->task, scadyg_kind_at(i)->task) != 0) before++;
        if (before == i && cli_option_find(tables->kinds[i], name)) return 1;
    }
    return 0;
}

static int is_shown(const cli_tables *tables, const cli_row *row, int all)
{
    if (row->of_log || cli_option_hidden(tables->command, row->shown)) return 0;
    if (all) return !row->of_kind || cli_kinds_share(tables, row->shown);
    return row->shown->level == 0 && (!row->of_kind || is_of_default_kind(tables, row->shown->name));
}

static void print_of_log(const cli_tables *tables, size_t width)
{
    if (tables->log) printf("\n%s:\n", CLI_LOG_HEADING);
    for (size_t i = 0; i < tables->count; i++)
        if (tables->rows[i].of_log) print_option(tables->command, tables->rows[i].shown, width);
}

static void print_kinds(const cli_tables *tables, size_t width)
{
    const scadyg_option *option;
    char title[512];
    for (size_t first = 0, next; first < tables->kind_count; first = next) {
        int heading = 0;
        next = cli_kinds_alike(tables, first, title, sizeof title);
        for (size_t i = 0; (option = scadyg_options_at(tables->kinds[first], i)); i++) {
            if (cli_kinds_share(tables, option) || cli_option_hidden(tables->command, option)) continue;
            if (!heading++) {
                printf("\noptions of ");
                print_wrapped(title, 11, room_on_screen());
            }
            print_option(tables->command, option, width);
        }
    }
}

static void print_presets(const cli_tables *tables, size_t width)
{
    const char *name, *summary = NULL;
    for (size_t k = 0; k < tables->kind_count; k++)
        for (size_t i = 0; (name = scadyg_preset_at(tables->kinds[k], i, &summary)); i++) {
            if (!i) printf("\npresets of %s (%s):\n", scadyg_kind_at(k)->name, scadyg_kind_at(k)->task);
            print_entry(name, summary, width);
        }
}

static void print_entries(const cli_tables *tables, const cli_entries *entries)
{
    const char *name, *summary = NULL;
    size_t width = 0;
    for (size_t i = 0; (name = entries->at(tables, i, &summary)); i++)
        if (strlen(name) > width) width = strlen(name);
    printf("\n%s:\n", entries->heading);
    for (size_t i = 0; (name = entries->at(tables, i, &summary)); i++) print_entry(name, summary, width);
}

void cli_help_command(const cli_tables *tables, int all)
{
    const cli_command *command = tables->command;
    size_t width = 0;
    int left_out = command->details || tables->log;
    printf("usage: scadyg %s %s [options]\n", command->name, command->operands);
    print_paragraphs(command->description);
    if (all) print_paragraphs(command->details);
    for (size_t i = 0; i < tables->count; i++) {
        char left[128];
        cli_option_left(tables->rows[i].shown, left, sizeof left);
        if ((all ? !cli_option_hidden(command, tables->rows[i].shown) : is_shown(tables, &tables->rows[i], 0)) &&
            strlen(left) > width && strlen(left) <= WIDEST_LEFT)
            width = strlen(left);
        left_out |= tables->rows[i].shown->level && strcmp(tables->rows[i].shown->name, "help-all") != 0;
    }
    printf("\noptions, defaults in brackets:\n");
    for (size_t i = 0; i < tables->count; i++)
        if (is_shown(tables, &tables->rows[i], all)) print_option(command, tables->rows[i].shown, width);
    if (all) print_of_log(tables, width);
    if (all) print_kinds(tables, width);
    if (all) print_presets(tables, width);
    if (command->entries) print_entries(tables, command->entries);
    if (!all && command->trains)
        printf("\nscadyg %s --help-all has the rest, by kind of model, and the presets.\n", command->name);
    else if (!all && left_out)
        printf("\nscadyg %s --help-all has the rest.\n", command->name);
    if (command->examples) printf("\nexamples:\n");
    for (const cli_example *example = command->examples; example && example->line; example++)
        printf("  %s\n      %s\n", example->line, example->what);
}

void cli_help_overview(void)
{
    printf("usage: scadyg COMMAND ...\n\n"
           "Predictions from timestamped event logs: who interacted with whom, and when.\n\ncommands:\n");
    for (size_t i = 0; i < cli_command_count; i++)
        printf("  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    printf("\n'scadyg COMMAND --help' shows the options of a command, 'scadyg help models' the\nmodels.\n"
           "To begin: scadyg train LOG.csv, then scadyg rank LOG.scadyg LOG.csv --source ID\n");
}

/* ---- scadyg help ---- */

typedef struct help_arguments {
    cli_common common;
    int manual;
    int completion;
} help_arguments;

/* Hidden: what the build installs. */
static const sg_option options[] = {
    CLI_ROW_FLAG(help_arguments, manual, "man", 0, NULL, 1),
    CLI_ROW_FLAG(help_arguments, completion, "completion", 0, NULL, 1),
};

static const cli_example examples[] = {{"scadyg help import", "the options of import"},
                                       {"scadyg help models", "the kinds of models and their presets"},
                                       {NULL, NULL}};

static int print_models(void)
{
    cli_tables tables;
    int code = cli_tables_open(&tables, &cli_train);
    size_t width = 0;
    for (size_t i = 0; i < tables.kind_count; i++)
        if (strlen(scadyg_kind_at(i)->name) > width) width = strlen(scadyg_kind_at(i)->name);
    static const char *const tasks[][2] = {{"link", "who will interact with whom next"},
                                           {"affinity", "what each node will choose next"}};
    for (size_t t = 0; t < CLI_COUNT(tasks) && !code; t++) {
        printf("%smodels for --task %s (%s), the default first:\n", t ? "\n" : "", tasks[t][0], tasks[t][1]);
        for (size_t i = 0; i < tables.kind_count; i++)
            if (strcmp(scadyg_kind_at(i)->task, tasks[t][0]) == 0)
                print_entry(scadyg_kind_at(i)->name, scadyg_kind_at(i)->summary, width);
    }
    if (!code) print_presets(&tables, width);
    cli_tables_close(&tables);
    return code;
}

static int print_command(const cli_command *command, int manual)
{
    cli_tables tables;
    int code = cli_tables_open(&tables, command);
    if (!code && manual)
        cli_manual_command(&tables);
    else if (!code)
        cli_help_command(&tables, 0);
    cli_tables_close(&tables);
    return code;
}

static int run(cli_call *call)
{
    const help_arguments *arguments = call->arguments;
    if (call->operand_count > 1)
        return cli_usage(&cli_help, "unexpected argument '%s'; give one command", call->operands[1]);
    if (arguments->completion) return cli_completion();
    if (call->operand_count == 0) {
        if (arguments->manual)
            cli_manual_overview();
        else
            cli_help_overview();
        return CLI_OK;
    }
    if (strcmp(call->operands[0], "models") == 0) return print_models();
    const cli_command *command = cli_command_find(call->operands[0]);
    return command ? print_command(command, arguments->manual) : cli_unknown_command(&cli_help, call->operands[0]);
}

const cli_command cli_help = {
    .name = "help",
    .summary = "show the commands, the options of one, or the models",
    .operands = "[COMMAND | models]",
    .description = "Shows all commands, or how one is used: the same as 'scadyg COMMAND --help'. 'scadyg\n"
                   "help models' lists the kinds of models.",
    .examples = examples,
    CLI_OPTIONS(options),
    .size = sizeof(help_arguments),
    .run = run,
};
