/* Words of the command line into the arguments of a command, in the manner of GNU getopt_long. */
#include "cli/cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

typedef struct cli_words {
    char **words;
    size_t count;
    size_t next;
    int options_ended; /* "--" was seen */
} cli_words;

/* "-" is standard input and "-5" is a number; neither is an option. */
static int looks_like_option(const char *word)
{
    return word[0] == '-' && word[1] && !isdigit((unsigned char)word[1]) && word[1] != '.';
}

/* A flag that may be on by itself: the library's may, as each kind of model has a default of its own. */
static int can_be_off(const cli_row *row)
{
    return row->shown->type == SCADYG_OPTION_FLAG && (!row->own || cli_option_is_on(row->shown));
}

/* *off: it is a flag, given as --no-NAME. */
static const cli_row *find_long(const cli_call *call, const char *name, size_t length, int *off)
{
    *off = 0;
    for (size_t i = 0; i < call->tables.count; i++) {
        const scadyg_option *option = call->tables.rows[i].shown;
        const size_t size = strlen(option->name);
        if (size == length && memcmp(option->name, name, length) == 0) return &call->tables.rows[i];
        *off = can_be_off(&call->tables.rows[i]) && length == size + 3 && memcmp(name, "no-", 3) == 0 &&
               memcmp(name + 3, option->name, size) == 0;
        if (*off) return &call->tables.rows[i];
    }
    return NULL;
}

static const cli_row *find_letter(const cli_call *call, char letter)
{
    for (size_t i = 0; i < call->tables.count; i++)
        if (call->tables.rows[i].shown->letter && call->tables.rows[i].shown->letter == letter)
            return &call->tables.rows[i];
    return NULL;
}

/* What took the place of an option of earlier versions; NULL: it never was one. */
static const char *find_successor(const char *name)
{
    static const char *const gone[][2] = {
        {"freshness", "every prediction sees all that is before its time, unless --stepwise is given"},
        {"split", "parts are shares of the events in the order of time; --stepwise cuts by steps"}};
    for (size_t k = 0; k < CLI_COUNT(gone); k++)
        if (strcmp(gone[k][0], name) == 0) return gone[k][1];
    return NULL;
}

static int unknown_option(const cli_call *call, const char *name, size_t length)
{
    const char *names[256];
    size_t count = 0;
    for (size_t i = 0; i < call->tables.count && count < CLI_COUNT(names); i++)
        if (!cli_option_hidden(call->command, call->tables.rows[i].shown))
            names[count++] = call->tables.rows[i].shown->name;
    char typed[80];
    snprintf(typed, sizeof typed, "%.*s", (int)(length < sizeof typed ? length : sizeof typed), name);
    const char *successor = find_successor(typed);
    if (successor) return cli_usage(call->command, "unknown option '--%s'; %s", typed, successor);
    const char *nearest = sg_nearest(typed, names, sizeof *names, count);
    if (nearest) return cli_usage(call->command, "unknown option '--%s'; did you mean '--%s'?", typed, nearest);
    return cli_usage(call->command, "unknown option '--%s'; 'scadyg %s --help-all' lists them all", typed,
                     call->command->name);
}

static cli_list *list_of(const cli_call *call, const sg_option *option)
{
    return (cli_list *)(void *)((char *)call->arguments + option->offset);
}

static int add_word(const cli_call *call, cli_list *list, const cli_words *words, const char *word)
{
    if (!list->words) list->words = malloc(words->count * sizeof *list->words);
    if (!list->words) return cli_fail(call->command, "not enough memory for the command line");
    list->words[list->count++] = word;
    return CLI_OK;
}

/* --node a b c, or --node=a for one word alone. */
static int take_list(const cli_call *call, const sg_option *option, const char *value, cli_words *words)
{
    cli_list *list = list_of(call, option);
    if (value) return add_word(call, list, words, value);
    const size_t before = list->count;
    while (words->next < words->count && !looks_like_option(words->words[words->next])) {
        int code = add_word(call, list, words, words->words[words->next++]);
        if (code) return code;
    }
    if (list->count > before) return CLI_OK;
    return cli_usage(call->command, "--%s needs at least one %s", option->shown.name, option->shown.argument);
}

static int set_value(cli_call *call, const cli_row *row, const char *value)
{
    scadyg_error error = {0};
    int status = SCADYG_OK;
    if (row->of_kind) /* which kind is known when all words are */
        call->given[call->given_count++] = (cli_given){row->shown, value};
    else if (row->own)
        status = sg_option_set_text(row->own, call->arguments, value, &error);
    else if (row->of_log)
        status = scadyg_options_set(call->tables.log, row->shown->name, value, &error);
    else
        status = scadyg_options_set(call->tables.set, row->shown->name, value, &error);
    if (!row->of_kind && !row->own) call->log_given[call->log_given_count++] = (cli_given){row->shown, value};
    if (row->of_log && !call->of_log) call->of_log = row->shown;
    return status ? cli_usage(call->command, "%s", error.message) : CLI_OK;
}

/* An option with one value is given once: of two, one would be without effect and nobody would be told. */
static int take_once(cli_call *call, const cli_row *row)
{
    unsigned char *taken = &call->taken[row - call->tables.rows];
    if (*taken && !call->joined) return cli_usage(call->command, "--%s was given twice", row->shown->name);
    *taken = 1;
    return CLI_OK;
}

/* Sets one option from its value, the rest of its word (may be NULL), or the next word. */
static int take_option(cli_call *call, const cli_row *row, int off, const char *value, cli_words *words)
{
    const scadyg_option *option = row->shown;
    if (option->type == CLI_OPTION_LIST) return take_list(call, row->own, value, words);
    if (option->type == SCADYG_OPTION_FLAG) {
        if (value)
            return cli_usage(call->command, "--%s%s takes no argument, not '%s'", off ? "no-" : "", option->name,
                             value);
        return set_value(call, row, off ? "0" : "1");
    }
    if (!value) {
        if (words->next >= words->count)
            return cli_usage(call->command, "--%s needs an argument: --%s %s", option->name, option->name,
                             option->argument);
        value = words->words[words->next++];
    }
    if (option->type == CLI_OPTION_EACH) return add_word(call, list_of(call, row->own), words, value);
    const int code = take_once(call, row);
    return code ? code : set_value(call, row, value);
}

static int take_long(cli_call *call, const char *word, cli_words *words)
{
    const char *equals = strchr(word, '=');
    const size_t length = equals ? (size_t)(equals - word) : strlen(word);
    int off;
    const cli_row *row = find_long(call, word, length, &off);
    if (!row) return unknown_option(call, word, length);
    return take_option(call, row, off, equals ? equals + 1 : NULL, words);
}

/* -q, -qv, -o FILE, -oFILE. */
static int take_letters(cli_call *call, const char *letters, cli_words *words)
{
    for (; *letters; letters++) {
        const cli_row *row = find_letter(call, *letters);
        if (!row)
            return cli_usage(call->command, "unknown option '-%c'; 'scadyg %s --help-all' lists them all", *letters,
                             call->command->name);
        const int flag = row->shown->type == SCADYG_OPTION_FLAG;
        int code = take_option(call, row, 0, flag || !letters[1] ? NULL : letters + 1, words);
        if (code || !flag) return code;
    }
    return CLI_OK;
}

static int take_word(cli_call *call, cli_words *words)
{
    const char *word = words->words[words->next++];
    if (words->options_ended || !looks_like_option(word)) {
        call->operands[call->operand_count++] = word;
        return CLI_OK;
    }
    if (strcmp(word, "--") == 0) {
        words->options_ended = 1;
        return CLI_OK;
    }
    return word[1] == '-' ? take_long(call, word + 2, words) : take_letters(call, word + 1, words);
}

static int parse_words(cli_call *call, const cli_command *command, char **words, size_t count, int joined)
{
    *call = (cli_call){.command = command, .words = words, .word_count = count, .joined = joined};
    int code = cli_tables_open(&call->tables, command);
    if (code) return code;
    call->arguments = calloc(1, command->size);
    call->operands = calloc(count + 1, sizeof *call->operands);
    call->taken = calloc(call->tables.count + 1, 1);
    /* A word may hold several letters, each an option. */
    size_t letters = 1;
    for (size_t i = 0; i < count; i++) letters += strlen(words[i]) + 1;
    call->given = malloc(letters * sizeof *call->given);
    call->log_given = malloc(letters * sizeof *call->log_given);
    if (!call->arguments || !call->operands || !call->taken || !call->given || !call->log_given)
        return cli_fail(command, "not enough memory for the command line");
    for (size_t i = 0; i < call->tables.count; i++) {
        const cli_row *row = &call->tables.rows[i];
        if (row->own && row->shown->fallback)
            (void)sg_option_set_text(row->own, call->arguments, row->shown->fallback, NULL);
    }
    cli_words left = {words, count, 0, 0};
    const cli_common *common = call->arguments;
    while (code == CLI_OK && !common->help && !common->help_all && left.next < left.count)
        code = take_word(call, &left);
    return code || common->help || common->help_all ? code : cli_files_open(call);
}

int cli_parse(cli_call *call, const cli_command *command, char **words, size_t count)
{
    return parse_words(call, command, words, count, 0);
}

int cli_parse_joined(cli_call *call, const cli_command *command, char **words, size_t count)
{
    return parse_words(call, command, words, count, 1);
}

void cli_call_free(cli_call *call)
{
    for (size_t i = 0; call->arguments && i < call->tables.count; i++)
        if (cli_option_is_list(call->tables.rows[i].shown)) free(list_of(call, call->tables.rows[i].own)->words);
    cli_files_close(call);
    cli_tables_close(&call->tables);
    free(call->arguments);
    free(call->operands);
    free(call->taken);
    free(call->given);
    free(call->log_given);
    *call = (cli_call){0};
}

/* ---- Operands and what was typed ---- */

static int missing_operand(const cli_call *call, const char *what)
{
    /* A list option takes every word after it, the operand too; that is worth saying when the operand is missing. */
    for (size_t i = 0; i < call->tables.count; i++) {
        const cli_row *row = &call->tables.rows[i];
        if (row->shown->type == CLI_OPTION_LIST && list_of(call, row->own)->count > 0)
            return cli_usage(call->command, "no %s given; put it before --%s, which takes every word after it",
                             what, row->shown->name);
    }
    return cli_usage(call->command, "no %s given; the usage is: scadyg %s %s", what, call->command->name,
                     call->command->operands);
}

int cli_one_operand(const cli_call *call, const char *what, const char **operand)
{
    return cli_operands(call, &what, 1, operand);
}

int cli_operands(const cli_call *call, const char *const *what, size_t count, const char **operands)
{
    if (call->operand_count < count) return missing_operand(call, what[call->operand_count]);
    if (call->operand_count > count && count == 1)
        return cli_usage(call->command, "unexpected argument '%s'; give one %s", call->operands[1], what[0]);
    if (call->operand_count > count)
        return cli_usage(call->command, "unexpected argument '%s'; the usage is: scadyg %s %s",
                         call->operands[count], call->command->name, call->command->operands);
    for (size_t i = 0; i < count; i++) operands[i] = call->operands[i];
    return CLI_OK;
}

const char *cli_given_text(const cli_call *call, const char *name)
{
    for (size_t i = call->given_count; i-- > 0;)
        if (strcmp(call->given[i].option->name, name) == 0) return call->given[i].text;
    return NULL;
}

void cli_put_word(FILE *to, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+%@-";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, to);
        return;
    }
    putc('\'', to);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", to);
        else
            putc(*word, to);
    putc('\'', to);
}
