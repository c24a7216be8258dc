/* What the build installs: man pages and completion for bash, made from the same tables as the help. */
#include "cli/help.h"

#include <ctype.h>
#include <string.h>

/* Text as roff wants it: '\' and '-' are special everywhere, '.' and ''' at the start of a line. */
static void put_roff(const char *text)
{
    int line_start = 1;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
        line_start = *text == '\n';
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\n' && text[1] == '\n') {
            fputs("\n.PP\n", stdout);
            text++;
        } else
            putchar(*text);
    }
}

static void put_between(const char *before, const char *text, const char *after)
{
    fputs(before, stdout);
    put_roff(text);
    fputs(after, stdout);
}

static void put_upper(const char *text)
{
    for (; *text; text++) putchar(toupper((unsigned char)*text));
}

static void put_heading(const char *command, const char *summary)
{
    printf(".TH SCADYG%s", command ? "\\-" : "");
    if (command) put_upper(command);
    printf(" 1 \"\" \"scadyg %s\" \"User Commands\"\n.SH NAME\nscadyg%s%s \\- ", scadyg_version(),
           command ? "\\-" : "", command ? command : "");
    put_roff(summary);
    putchar('\n');
}

static void put_exit_status(void)
{
    printf(
        ".SH EXIT STATUS\n"
        ".TP\n.B 0\nsuccess\n"
        ".TP\n.B 1\nfailure; one line on standard error says why, and no output file was written\n"
        ".TP\n.B 2\nwrong usage; one line says what is wrong and what would be right\n"
        ".TP\n.B 130, 143\nstopped by Ctrl\\-C or SIGTERM; no output file was written (train, tune and study keep "
        "what they have to go on from)\n");
}

static void put_see_also(const cli_command *self)
{
    printf(".SH SEE ALSO\n");
    if (self) printf(".BR scadyg (1)");
    for (size_t i = 0; i < cli_command_count; i++) {
        if (cli_commands[i] == self) continue;
        printf("%s.BR scadyg\\-%s (1)", i == 0 && !self ? "" : ",\n", cli_commands[i]->name);
    }
    putchar('\n');
}

void cli_manual_overview(void)
{
    put_heading(NULL, "predictions from timestamped event logs: who interacted with whom, and when");
    printf(".SH SYNOPSIS\n.B scadyg\n.I COMMAND\n.RI [ options ]\n.br\n.B scadyg help\n.RI [ COMMAND ]\n.br\n"
           ".B scadyg \\-\\-version\n"
           ".SH DESCRIPTION\n"
           "Reads a log of events, each saying which node met which other node and when, into one compact "
           "events\n"
           "file, trains a model that says who will interact with whom next or what each node will choose next,\n"
           "evaluates it beside simple baselines, and predicts with it for any node and time.\n"
           ".SH COMMANDS\n");
    for (size_t i = 0; i < cli_command_count; i++) {
        printf(".TP\n.B %s\n", cli_commands[i]->name);
        put_between("", cli_commands[i]->summary, "\n");
    }
    printf(".SH OPTIONS\nEach command has its own, shown by\n.BR \"scadyg \" \\fICOMMAND\\fR \" \\-\\-help\" .\n"
           ".TP\n.B \\-h, \\-\\-help\nshow the commands\n.TP\n.B \\-\\-version\nshow the version\n"
           ".SH EXAMPLES\n.nf\nscadyg train log.csv\n"
           "scadyg rank log.scadyg log.csv \\-\\-source alice\n"
           "scadyg import log.csv \\-o log.events\nscadyg info log.events\n.fi\n");
    put_exit_status();
    put_see_also(NULL);
}

/* A line may break behind every |, since all of them together can be longer than a line. */
static void put_choices(const char *text)
{
    for (; *text; text++) {
        char letter[] = {*text, 0};
        put_roff(letter);
        if (*text == '|') fputs("\\:", stdout);
    }
}

static void put_option(const cli_command *command, const scadyg_option *option)
{
    printf(".TP\n\\fB");
    if (option->letter) printf("\\-%c\\fR, \\fB", option->letter);
    printf("\\-\\-%s", cli_option_is_on(option) ? "[no\\-]" : "");
    put_between("", option->name, "\\fR");
    if (option->argument)
        put_between(" \\fI", option->argument, option->type == CLI_OPTION_LIST ? "\\fR..." : "\\fR");
    put_between("\n", option->help, "");
    if (option->type == SCADYG_OPTION_CHOICE) {
        printf(": ");
        put_choices(option->choices);
    }
    const char *shown = cli_option_default(command, option);
    if (shown) put_between(" [", shown, "]");
    putchar('\n');
}

static void put_entry(const char *name, const char *summary)
{
    put_between(".TP\n.B ", name, "\n");
    put_between("", summary ? summary : "", "\n");
}

static void put_of_log(const cli_tables *tables)
{
    if (tables->log) put_between(".SS ", CLI_LOG_HEADING, "\n");
    for (size_t i = 0; i < tables->count; i++)
        if (tables->rows[i].of_log) put_option(tables->command, tables->rows[i].shown);
}

static void put_kinds(const cli_tables *tables)
{
    const scadyg_option *option;
    char title[512];
    for (size_t first = 0, next; first < tables->kind_count; first = next) {
        next = cli_kinds_alike(tables, first, title, sizeof title);
        put_between(".SS Options of ", title, "\n");
        for (size_t i = 0; (option = scadyg_options_at(tables->kinds[first], i)); i++)
            if (!cli_kinds_share(tables, option) && !cli_option_hidden(tables->command, option))
                put_option(tables->command, option);
    }
}

static void put_presets(const cli_tables *tables)
{
    const char *name, *summary = NULL;
    if (tables->kind_count) printf(".SH PRESETS\n");
    for (size_t k = 0; k < tables->kind_count; k++)
        for (size_t i = 0; (name = scadyg_preset_at(tables->kinds[k], i, &summary)); i++) {
            if (!i) put_between(".SS Of ", scadyg_kind_at(k)->name, " (");
            if (!i) printf("%s)\n", scadyg_kind_at(k)->task);
            put_entry(name, summary);
        }
}

void cli_manual_command(const cli_tables *tables)
{
    const cli_command *command = tables->command;
    const char *name, *summary = NULL;
    put_heading(command->name, command->summary);
    printf(".SH SYNOPSIS\n.B scadyg %s\n", command->name);
    put_between("", command->operands, " [options]\n.SH DESCRIPTION\n");
    put_roff(command->description);
    if (command->details) put_between("\n.PP\n", command->details, "");
    /* Ragged: a line of choices has no spaces that could be widened. */
    printf("\n.SH OPTIONS\n.ad l\nDefaults are in brackets.\n");
    for (size_t i = 0; i < tables->count; i++) {
        const cli_row *row = &tables->rows[i];
        if (!cli_option_hidden(command, row->shown) && !row->of_log &&
            (!row->of_kind || cli_kinds_share(tables, row->shown)))
            put_option(command, row->shown);
    }
    put_of_log(tables);
    put_kinds(tables);
    put_presets(tables);
    if (command->entries) printf(".SH ");
    if (command->entries) put_upper(command->entries->heading);
    if (command->entries) putchar('\n');
    for (size_t i = 0; command->entries && (name = command->entries->at(tables, i, &summary)); i++)
        put_entry(name, summary);
    if (command->examples) printf(".SH EXAMPLES\n");
    for (const cli_example *example = command->examples; example && example->line; example++)
        put_entry(example->line, example->what);
    put_exit_status();
    put_see_also(command);
}

/* ---- Completion: commands, options, choices and file names ---- */

static void put_command_words(void)
{
    for (size_t i = 0; i < cli_command_count; i++) printf(" %s", cli_commands[i]->name);
}

static void put_option_words(const cli_tables *tables)
{
    for (size_t i = 0; i < tables->count; i++) {
        const scadyg_option *option = tables->rows[i].shown;
        if (cli_option_hidden(tables->command, option)) continue;
        /* The kinds of models may differ in whether a flag is on by itself. */
        const int both = tables->rows[i].of_kind && option->type == SCADYG_OPTION_FLAG;
        if (both) printf(" --%s", option->name);
        printf(" --%s%s", both || cli_option_is_on(option) ? "no-" : "", option->name);
        if (option->letter) printf(" -%c", option->letter);
    }
}

/* Kinds of models, each once, or with `presets` KIND:PRESET behind each. */
static void put_kind_words(const cli_tables *tables, int presets)
{
    for (size_t k = 0; k < tables->kind_count; k++) {
        const char *kind = scadyg_kind_at(k)->name, *name;
        size_t before = 0;
        while (before < k && strcmp(scadyg_kind_at(before)->name, kind) != 0) before++;
        if (before == k) printf(" %s", kind);
        for (size_t i = 0; presets && (name = scadyg_preset_at(tables->kinds[k], i, NULL)); i++)
            printf(" %s:%s", kind, name);
    }
}

static void put_preset_words(const cli_tables *tables)
{
    const char *name;
    for (size_t k = 0; k < tables->kind_count; k++)
        for (size_t i = 0; (name = scadyg_preset_at(tables->kinds[k], i, NULL)); i++) printf(" %s", name);
}

/* The case of one option that takes an argument: its choices, file names, or nothing. */
static void put_argument_case(const cli_tables *tables, const scadyg_option *option)
{
    const char *command = tables->command->name;
    printf("        '%s --%s'", command, option->name);
    if (option->letter) printf(" | '%s -%c'", command, option->letter);
    if (option->file) {
        printf(") return ;;\n");
        return;
    }
    printf(") words='");
    if (tables->command->trains && strcmp(option->name, "preset") == 0) put_preset_words(tables);
    if (tables->command->trains && strcmp(option->name, "model") == 0) put_kind_words(tables, 0);
    if (tables->command->trains && strcmp(option->name, "models") == 0) put_kind_words(tables, 1);
    /* NAME=..., where the names are those of the options. */
    for (size_t i = 0; i < tables->count && strcmp(option->name, "vary") == 0; i++)
        if (tables->rows[i].of_kind) printf(" %s=", tables->rows[i].shown->name);
    for (const char *c = option->choices ? option->choices : ""; *c; c++) putchar(*c == '|' ? ' ' : *c);
    printf("' ;;\n");
}

static void put_argument_cases(const cli_tables *tables)
{
    for (size_t i = 0; i < tables->count; i++) {
        const scadyg_option *option = tables->rows[i].shown;
        if (option->argument && option->type != CLI_OPTION_LIST && !cli_option_hidden(tables->command, option))
            put_argument_case(tables, option);
    }
}

/* Calls `put` with the tables of every command, after a word of its own if there is one. An exit code. */
static int for_each_command(void (*put)(const cli_tables *tables), int named)
{
    int code = CLI_OK;
    for (size_t i = 0; i < cli_command_count && !code; i++) {
        cli_tables tables;
        code = cli_tables_open(&tables, cli_commands[i]);
        if (!code && named) printf("            %s) words='", cli_commands[i]->name);
        if (!code) put(&tables);
        if (!code && named) printf("' ;;\n");
        cli_tables_close(&tables);
    }
    return code;
}

int cli_completion(void)
{
    printf("# bash completion for scadyg. With 'complete -o default', no answer means file names.\n"
           "_scadyg()\n{\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} "
           "command=${COMP_WORDS[1]} words\n"
           "    COMPREPLY=()\n"
           "    # --name=value comes in three words.\n"
           "    if [[ $cur == '=' ]]; then\n"
           "        cur=''\n"
           "    elif [[ $prev == '=' ]]; then\n"
           "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
           "    fi\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        mapfile -t COMPREPLY < <(compgen -W '");
    put_command_words();
    printf(" --help --version' -- \"$cur\")\n"
           "        return\n"
           "    fi\n"
           "    case \"$command $prev\" in\n");
    int code = for_each_command(put_argument_cases, 0);
    printf("        'help '*) words='");
    put_command_words();
    printf(" models' ;;\n"
           "    esac\n"
           "    if [[ -z ${words+set} ]]; then\n"
           "        [[ $cur == -* ]] || return\n"
           "        case $command in\n");
    if (!code) code = for_each_command(put_option_words, 1);
    printf("        esac\n"
           "    fi\n"
           "    compopt +o default 2>/dev/null\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
           "    if [[ ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace 2>/dev/null; fi\n"
           "}\n"
           "complete -o default -o bashdefault -F _scadyg scadyg\n");
    return code;
}
