/* Words of the command line into the arguments of a command, in the manner of GNU getopt_long. */
#include "cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

static void *values_of(const cli_call *call, cli_home home)
{
    size_t offset = home == CLI_HOME_LIBRARY ? call->command->library_offset
                    : home == CLI_HOME_MORE  ? call->command->more_offset
                                             : 0;
    return (char *)call->arguments + offset;
}

static const scadyg_option *find_long(const cli_call *call, const char *name, size_t length, cli_home *home)
{
    const scadyg_option *option;
    for (size_t i = 0; (option = cli_option_at(call->command, i, home)); i++)
        if (strlen(option->name) == length && memcmp(option->name, name, length) == 0) return option;
    return NULL;
}

static const scadyg_option *find_letter(const cli_call *call, char letter, cli_home *home)
{
    const scadyg_option *option;
    for (size_t i = 0; (option = cli_option_at(call->command, i, home)); i++)
        if (option->letter && option->letter == letter) return option;
    return NULL;
}

static int unknown_option(const cli_call *call, const char *name, size_t length)
{
    const char *names[128];
    size_t count = 0;
    const scadyg_option *option;
    for (size_t i = 0; (option = cli_option_at(call->command, i, NULL)) && count < CLI_COUNT(names); i++)
        if (!cli_option_hidden(option)) names[count++] = option->name;
    char typed[80];
    size_t kept = length < sizeof typed - 1 ? length : sizeof typed - 1;
    memcpy(typed, name, kept);
    typed[kept] = 0;
    const char *nearest = cli_nearest(typed, names, count);
    if (nearest) return cli_usage(call->command, "unknown option '--%s'; did you mean '--%s'?", typed, nearest);
    return cli_usage(call->command, "unknown option '--%s'; 'scadyg %s --help' lists them all", typed,
                     call->command->name);
}

static int add_word(const cli_call *call, cli_list *list, const cli_words *words, const char *word)
{
    if (!list->words) list->words = malloc(words->count * sizeof *list->words);
    if (!list->words) return cli_fail(call->command, "not enough memory for the command line");
    list->words[list->count++] = word;
    return CLI_OK;
}

/* --node a b c, or --node=a for one word alone. */
static int take_list(const cli_call *call, const scadyg_option *option, const char *value, cli_words *words)
{
    cli_list *list = (cli_list *)(void *)((char *)call->arguments + option->offset);
    if (value) return add_word(call, list, words, value);
    size_t before = list->count;
    while (words->next < words->count && !looks_like_option(words->words[words->next])) {
        int code = add_word(call, list, words, words->words[words->next++]);
        if (code) return code;
    }
    if (list->count > before) return CLI_OK;
    return cli_usage(call->command, "--%s needs at least one %s", option->name, option->argument);
}

static void remember(cli_call *call, const scadyg_option *option, cli_home home, const char *text)
{
    if (home == CLI_HOME_LIBRARY) call->given[call->given_count++] = (cli_given){option, text};
}

/* Sets one option from its value, the rest of its word (may be NULL), or the next word. */
static int take(cli_call *call, const scadyg_option *option, cli_home home, const char *value, cli_words *words)
{
    if (option->kind == CLI_OPTION_LIST) return take_list(call, option, value, words);
    if (option->kind == SCADYG_OPTION_FLAG) {
        if (value) return cli_usage(call->command, "--%s takes no argument, not '%s'", option->name, value);
    } else if (!value) {
        if (words->next >= words->count)
            return cli_usage(call->command, "--%s needs an argument: --%s %s", option->name, option->name,
                             option->argument);
        value = words->words[words->next++];
    }
    if (option->kind == CLI_OPTION_EACH)
        return add_word(call, (cli_list *)(void *)((char *)call->arguments + option->offset), words, value);
    scadyg_error error = {0};
    if (scadyg_option_set(option, values_of(call, home), value, &error))
        return cli_usage(call->command, "%s", error.message);
    remember(call, option, home, value);
    return CLI_OK;
}

static int take_long(cli_call *call, const char *word, cli_words *words)
{
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    cli_home home;
    const scadyg_option *option = find_long(call, word, length, &home);
    if (!option) return unknown_option(call, word, length);
    return take(call, option, home, equals ? equals + 1 : NULL, words);
}

/* -q, -qv, -o FILE, -oFILE. */
static int take_letters(cli_call *call, const char *letters, cli_words *words)
{
    for (; *letters; letters++) {
        cli_home home;
        const scadyg_option *option = find_letter(call, *letters, &home);
        if (!option)
            return cli_usage(call->command, "unknown option '-%c'; 'scadyg %s --help' lists them all", *letters,
                             call->command->name);
        int flag = option->kind == SCADYG_OPTION_FLAG;
        int code = take(call, option, home, flag || !letters[1] ? NULL : letters + 1, words);
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

static void set_defaults(const cli_call *call)
{
    cli_home home;
    const scadyg_option *option;
    for (size_t i = 0; (option = cli_option_at(call->command, i, &home)); i++)
        if (!cli_option_is_list(option)) scadyg_options_default(option, 1, values_of(call, home));
}

int cli_parse(cli_call *call, const cli_command *command, char **words, size_t count)
{
    *call = (cli_call){.command = command};
    call->arguments = calloc(1, command->size);
    call->operands = calloc(count + 1, sizeof *call->operands);
    /* A word may hold several letters, each an option. */
    size_t letters = 1;
    for (size_t i = 0; i < count; i++) letters += strlen(words[i]) + 1;
    call->given = malloc(letters * sizeof *call->given);
    if (!call->arguments || !call->operands || !call->given)
        return cli_fail(command, "not enough memory for the command line");
    set_defaults(call);
    cli_words left = {words, count, 0, 0};
    const cli_common *common = call->arguments;
    int code = CLI_OK;
    while (code == CLI_OK && !common->help && left.next < left.count) code = take_word(call, &left);
    return code;
}

void cli_call_free(cli_call *call)
{
    const scadyg_option *option;
    for (size_t i = 0; call->arguments && (option = cli_option_at(call->command, i, NULL)); i++)
        if (cli_option_is_list(option))
            free(((cli_list *)(void *)((char *)call->arguments + option->offset))->words);
    free(call->arguments);
    free(call->operands);
    free(call->given);
    *call = (cli_call){0};
}

/* A list option takes every word after it, the operand too; that is worth saying when the operand is missing.
 */
static const char *swallowing_option(const cli_call *call)
{
    const scadyg_option *option;
    for (size_t i = 0; (option = cli_option_at(call->command, i, NULL)); i++)
        if (option->kind == CLI_OPTION_LIST &&
            ((const cli_list *)(const void *)((const char *)call->arguments + option->offset))->count > 0)
            return option->name;
    return NULL;
}

static int missing_operand(const cli_call *call, const char *what)
{
    const char *option = swallowing_option(call);
    if (option)
        return cli_usage(call->command, "no %s given; put it before --%s, which takes every word after it", what,
                         option);
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
        return cli_usage(call->command, "'%s' is one too many; give one %s", call->operands[1], what[0]);
    if (call->operand_count > count)
        return cli_usage(call->command, "'%s' is one too many; the usage is: scadyg %s %s", call->operands[count],
                         call->command->name, call->command->operands);
    for (size_t i = 0; i < count; i++) operands[i] = call->operands[i];
    return CLI_OK;
}

int cli_was_given(const cli_call *call, const char *name)
{
    for (size_t i = 0; i < call->given_count; i++)
        if (strcmp(call->given[i].option->name, name) == 0) return 1;
    return 0;
}

int cli_set_given(const cli_call *call)
{
    for (size_t i = 0; i < call->given_count; i++) {
        scadyg_error error = {0};
        const cli_given *given = &call->given[i];
        if (scadyg_option_set(given->option, values_of(call, CLI_HOME_LIBRARY), given->text, &error))
            return cli_usage(call->command, "%s", error.message);
    }
    return CLI_OK;
}
