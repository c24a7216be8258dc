/* Man pages, made from the same tables as the help. */
#include "help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Text as roff wants it: '\' and '-' are special everywhere, '.' and ''' at the start of a line. */
static void roff(const char *text)
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

static void upper(const char *text)
{
    for (; *text; text++) putchar(toupper((unsigned char)*text));
}

static void heading(const char *command, const char *summary)
{
    printf(".TH SCADYG%s", command ? "\\-" : "");
    if (command) upper(command);
    printf(" 1 \"\" \"scadyg %s\" \"User Commands\"\n.SH NAME\nscadyg%s%s \\- ", scadyg_version(),
           command ? "\\-" : "", command ? command : "");
    roff(summary);
    putchar('\n');
}

static void exit_status(void)
{
    printf(".SH EXIT STATUS\n"
           ".TP\n.B 0\nsuccess\n"
           ".TP\n.B 1\nfailure; one line on standard error says why, and no output file was written\n"
           ".TP\n.B 2\nwrong usage; one line says what is wrong and what would be right\n"
           ".TP\n.B 130, 143\nstopped by Ctrl\\-C or SIGTERM; no output file was written (train, tune and study keep "
           "what they have to go on from)\n");
}

static void see_also(const cli_command *self)
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
    heading(NULL, "predictions from who met whom, and when");
    printf(".SH SYNOPSIS\n.B scadyg\n.I COMMAND\n.RI [ options ]\n.br\n.B scadyg help\n.RI [ COMMAND ]\n.br\n"
           ".B scadyg \\-\\-version\n"
           ".SH DESCRIPTION\n"
           "Reads a log of events, each saying which node met which other node and when, into one compact "
           "events\n"
           "file, trains a model that says who will meet whom next or what each node will turn to, judges it by\n"
           "published protocols beside simple rules, and predicts with it for any node and time.\n"
           ".SH COMMANDS\n");
    for (size_t i = 0; i < cli_command_count; i++) {
        printf(".TP\n.B %s\n", cli_commands[i]->name);
        roff(cli_commands[i]->summary);
        putchar('\n');
    }
    printf(".SH OPTIONS\nEach command has its own, shown by\n.BR \"scadyg \" \\fICOMMAND\\fR \" \\-\\-help\" .\n"
           ".TP\n.B \\-h, \\-\\-help\nshow the commands\n.TP\n.B \\-\\-version\nshow the version\n"
           ".SH EXAMPLES\n.nf\nscadyg train log.csv\n"
           "scadyg rank log.scadyg log.csv \\-\\-source alice\n"
           "scadyg import log.csv \\-o log.events\nscadyg info log.events\n.fi\n");
    exit_status();
    see_also(NULL);
}

/* A line may break behind every |, since all of them together can be longer than a line. */
static void choices(const char *text)
{
    for (; *text; text++) {
        char letter[] = {*text, 0};
        roff(letter);
        if (*text == '|') fputs("\\:", stdout);
    }
}

static void manual_option(const cli_command *command, const scadyg_option *option)
{
    printf(".TP\n");
    printf("\\fB");
    if (option->letter) printf("\\-%c\\fR, \\fB", option->letter);
    printf("\\-\\-");
    roff(option->name);
    printf("\\fR");
    if (option->argument) {
        printf(" \\fI");
        roff(option->argument);
        printf("\\fR%s", option->kind == CLI_OPTION_LIST ? "..." : "");
    }
    putchar('\n');
    roff(option->help);
    if (option->kind == SCADYG_OPTION_CHOICE) {
        printf(": ");
        choices(option->choices);
    }
    const char *shown = cli_option_default(command, option);
    if (shown) {
        printf(" [");
        roff(shown);
        putchar(']');
    }
    putchar('\n');
}

static void manual_entries(const cli_entries *entries)
{
    const char *name, *summary;
    printf(".SH ");
    upper(entries->title);
    putchar('\n');
    for (size_t i = 0; (name = entries->at(i, &summary)); i++) {
        printf(".TP\n.B ");
        roff(name);
        putchar('\n');
        roff(summary ? summary : "");
        putchar('\n');
    }
}

void cli_manual_command(const cli_command *command)
{
    heading(command->name, command->summary);
    printf(".SH SYNOPSIS\n.B scadyg %s\n", command->name);
    roff(command->operands);
    printf(" [options]\n.SH DESCRIPTION\n");
    roff(command->description);
    /* Ragged: a line of choices has no spaces that could be widened. */
    printf("\n.SH OPTIONS\n.ad l\nDefaults are in brackets.\n");
    const scadyg_option *option;
    for (size_t i = 0; (option = cli_option_at(command, i, NULL)); i++)
        if (!cli_option_hidden(option)) manual_option(command, option);
    for (const cli_entries *e = command->entries; e && e->at; e++) manual_entries(e);
    if (command->examples) printf(".SH EXAMPLES\n");
    for (const char *const *example = command->examples; example && *example; example += 2) {
        printf(".TP\n.B ");
        roff(example[0]);
        putchar('\n');
        roff(example[1]);
        putchar('\n');
    }
    exit_status();
    see_also(command);
}
