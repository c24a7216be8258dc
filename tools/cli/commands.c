/* The commands, and one way to walk through all options of each. */
#include "cli/cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"

const cli_command *const cli_commands[] = {&cli_train,    &cli_tune,    &cli_eval,   &cli_backtest, &cli_study,
                                           &cli_report,   &cli_predict, &cli_rank,   &cli_embed,    &cli_affinity,
                                           &cli_show,     &cli_import,  &cli_append, &cli_info,     &cli_messages,
                                           &cli_generate, &cli_export,  &cli_help};
const size_t cli_command_count = CLI_COUNT(cli_commands);

static const sg_option common_options[] = {
    CLI_ROW_FLAG(cli_common, quiet, "quiet", 'q', "no summary and no progress line", 0),
    CLI_ROW_FLAG(cli_common, verbose, "verbose", 'v', "print more", 0),
    CLI_ROW_FLAG(cli_common, help, "help", 'h', "show this help", 0),
    CLI_ROW_FLAG(cli_common, help_all, "help-all", 0, "show all options and details", 1),
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
    const char *nearest = sg_nearest(word, names, sizeof *names, count);
    if (nearest) return cli_usage(command, "unknown %s '%s'; did you mean '%s'?", kind, word, nearest);
    return cli_usage(command, "unknown %s '%s'; 'scadyg help' lists the commands", kind, word);
}

/* ---- All options of a command ---- */

static void add_own(cli_tables *tables, const sg_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tables->rows[tables->count++] = (cli_row){.shown = &options[i].shown, .own = &options[i]};
}

static void add_library(cli_tables *tables, const scadyg_options *options, int of_kind)
{
    const scadyg_option *option;
    for (size_t i = 0; options && (option = scadyg_options_at(options, i)); i++) {
        size_t k = 0;
        while (k < tables->count && strcmp(tables->rows[k].shown->name, option->name) != 0) k++;
        if (!of_kind || k == tables->count)
            tables->rows[tables->count++] = (cli_row){.shown = option, .of_kind = of_kind};
    }
}

/* What import can be told in words. Files beside a log are found by their names: whoever has others imports it. */
static void add_of_log(cli_tables *tables)
{
    const scadyg_option *option;
    for (size_t i = 0; tables->log && (option = scadyg_options_at(tables->log, i)); i++)
        if (!option->file) tables->rows[tables->count++] = (cli_row){.shown = option, .of_log = 1};
}

static size_t count_options(const scadyg_options *options)
{
    size_t count = 0;
    while (options && scadyg_options_at(options, count)) count++;
    return count;
}

static int open_kinds(cli_tables *tables, scadyg_error *error)
{
    const scadyg_kind *kind;
    size_t count = 0;
    while (scadyg_kind_at(count)) count++;
    tables->kinds = sg_alloc_zero(count, sizeof *tables->kinds);
    if (!tables->kinds) return sg_fail_memory(error, "the options");
    for (; (kind = scadyg_kind_at(tables->kind_count)); tables->kind_count++) {
        int status = scadyg_options_open_train(kind->name, kind->task, &tables->kinds[tables->kind_count], error);
        if (status) return status;
    }
    return SCADYG_OK;
}

int cli_tables_open(cli_tables *tables, const cli_command *command)
{
    scadyg_error error = {0};
    *tables = (cli_tables){.command = command};
    int status = command->set ? scadyg_options_open(command->set, &tables->set, &error) : SCADYG_OK;
    if (!status && command->reads_log) status = scadyg_options_open("import", &tables->log, &error);
    if (!status && command->trains) status = open_kinds(tables, &error);
    if (status) return cli_fail_error(command, &error, NULL);
    size_t most =
        command->option_count + count_options(tables->set) + count_options(tables->log) + CLI_COUNT(common_options);
    for (size_t i = 0; i < tables->kind_count; i++) most += count_options(tables->kinds[i]);
    tables->rows = sg_alloc(most, sizeof *tables->rows);
    if (!tables->rows) return cli_fail(command, "not enough memory for the options");
    add_own(tables, command->options, command->option_count);
    add_library(tables, tables->set, 0);
    add_of_log(tables);
    for (size_t i = 0; i < tables->kind_count; i++) add_library(tables, tables->kinds[i], 1);
    add_own(tables, common_options, CLI_COUNT(common_options));
    return CLI_OK;
}

void cli_tables_close(cli_tables *tables)
{
    for (size_t i = 0; i < tables->kind_count; i++) scadyg_options_close(tables->kinds[i]);
    free(tables->kinds);
    scadyg_options_close(tables->set);
    scadyg_options_close(tables->log);
    free(tables->rows);
    *tables = (cli_tables){0};
}

const char *cli_option_default(const cli_command *command, const scadyg_option *option)
{
    for (const cli_default *entry = command->defaults; entry && entry->name; entry++)
        if (strcmp(entry->name, option->name) == 0) return entry->shown;
    const size_t length = option->help ? strlen(option->help) : 0;
    if (length && option->help[length - 1] == ']') return NULL; /* the help says it already */
    if (option->type != SCADYG_OPTION_FLAG) return option->fallback ? option->fallback : "none";
    if (strncmp(option->name, "help", 4) == 0) return NULL;
    return cli_option_is_on(option) ? "on" : "off";
}

int cli_option_is_list(const scadyg_option *option)
{
    return option->type == CLI_OPTION_LIST || option->type == CLI_OPTION_EACH;
}

int cli_option_hidden(const cli_command *command, const scadyg_option *option)
{
    for (const char *const *name = command->fixed; name && *name; name++)
        if (strcmp(*name, option->name) == 0) return 1;
    return option->help == NULL;
}

int cli_option_is_on(const scadyg_option *option)
{
    return option->type == SCADYG_OPTION_FLAG && option->fallback && *option->fallback != '0';
}

/* ---- Options of the library, by name ---- */

const scadyg_option *cli_option_find(const scadyg_options *options, const char *name)
{
    const scadyg_option *option;
    for (size_t i = 0; (option = scadyg_options_at(options, i)); i++)
        if (strcmp(option->name, name) == 0) return option;
    return NULL;
}

int cli_option_is(const scadyg_options *options, const char *name, const char *text)
{
    char value[256];
    return scadyg_options_get(options, name, value, sizeof value) == strlen(text) && strcmp(value, text) == 0;
}

double cli_option_number(const scadyg_options *options, const char *name)
{
    char text[256], *end;
    scadyg_options_get(options, name, text, sizeof text);
    const double value = strtod(text, &end);
    return *text && !*end ? value : NAN;
}

char *cli_option_text(const scadyg_options *options, const char *name)
{
    const size_t size = scadyg_options_get(options, name, NULL, 0) + 1;
    char *text = malloc(size);
    if (!text) cli_out_of_memory();
    scadyg_options_get(options, name, text, size);
    return text;
}

int cli_options_with(scadyg_options **options, scadyg_error *error, const char *set, ...)
{
    va_list pairs;
    int status = scadyg_options_open(set, options, error);
    va_start(pairs, set);
    for (const char *name; !status && (name = va_arg(pairs, const char *));)
        status = scadyg_options_set(*options, name, va_arg(pairs, const char *), error);
    va_end(pairs);
    if (status) {
        scadyg_options_close(*options);
        *options = NULL;
    }
    return status;
}

/* The kinds that have an option: those for a task, or for any (NULL). *other is the task of the last. */
static void list_kinds(const cli_tables *tables, const char *name, const char *task, char *list, size_t size,
                       const char **other)
{
    size_t used = 0;
    list[0] = 0;
    for (size_t i = 0; i < tables->kind_count && used < size; i++) {
        const scadyg_kind *kind = scadyg_kind_at(i);
        if ((task && strcmp(kind->task, task) != 0) || !cli_option_find(tables->kinds[i], name)) continue;
        used += (size_t)snprintf(list + used, size - used, "%s%s", used ? ", " : "", kind->name);
        *other = kind->task;
    }
}

int cli_kind_set(const cli_tables *tables, scadyg_options *options, const char *name, const char *text,
                 scadyg_error *error)
{
    if (cli_option_find(options, name)) return scadyg_options_set(options, name, text, error);
    char model[64], task[64], list[512];
    const char *other = NULL;
    scadyg_options_get(options, "model", model, sizeof model);
    scadyg_options_get(options, "task", task, sizeof task);
    list_kinds(tables, name, task, list, sizeof list, &other);
    if (other) return sg_fail(error, SCADYG_E_USAGE, "--%s is not an option of %s; it is of %s", name, model, list);
    list_kinds(tables, name, NULL, list, sizeof list, &other);
    return sg_fail(error, SCADYG_E_USAGE, "--%s is for --task %s: it is an option of %s", name, other ? other : "?",
                   list);
}
