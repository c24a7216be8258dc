/* What a search varies, and the command line that repeats its best trial. */
#include "tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is varied ---- */

/* The typed option of the library's table that a text "NAME=SPEC" is about, or NULL. */
static const cli_given *typed(const cli_call *call, const char *text)
{
    const size_t length = strcspn(text, "=");
    for (size_t i = 0; i < call->given_count; i++) {
        const char *name = call->given[i].option->name;
        if (strlen(name) == length && memcmp(name, text, length) == 0) return &call->given[i];
    }
    return NULL;
}

static int take_given(const cli_call *call, const cli_list *vary, const char **words, size_t *count)
{
    for (size_t i = 0; i < vary->count; i++) {
        const cli_given *given = typed(call, vary->words[i]);
        if (given)
            return cli_usage(call->command, "--%s is given and varied; leave out one of the two",
                             given->option->name);
        words[(*count)++] = vary->words[i];
    }
    return CLI_OK;
}

int tune_vary(const cli_call *call, const char ***out, size_t *count)
{
    const tune_arguments *arguments = call->arguments;
    size_t usual = 0;
    while (scadyg_tune_default(usual)) usual++;
    const char **words = malloc((usual + arguments->vary.count + 1) * sizeof *words);
    if (!words) return cli_fail(call->command, "not enough memory for the command line");
    *count = 0;
    int code = CLI_OK;
    if (arguments->vary.count)
        code = take_given(call, &arguments->vary, words, count);
    else
        for (size_t i = 0; i < usual; i++)
            if (!typed(call, scadyg_tune_default(i))) words[(*count)++] = scadyg_tune_default(i);
    if (!code && *count == 0)
        code =
            cli_usage(call->command, "all that is usually varied is given; say what to vary: --vary NAME=VALUES");
    if (code)
        free(words);
    else
        *out = words;
    return code;
}

/* ---- The command line ---- */

/* A word as a shell takes it back. */
static void put_word(FILE *to, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+%@-";
    putc(' ', to);
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

static void put_option(FILE *to, const char *name, const char *value)
{
    fprintf(to, " --%s", name);
    if (value) put_word(to, value);
}

static const scadyg_option *train_option(const char *name)
{
    cli_table table = train_table();
    for (size_t i = 0; i < table.count; i++)
        if (strcmp(table.options[i].name, name) == 0) return &table.options[i];
    return NULL;
}

static void put_command(FILE *to, const cli_call *call, const scadyg_tuning_info *info)
{
    const train_arguments *arguments = call->arguments;
    fputs("scadyg train", to);
    put_word(to, call->operands[0]);
    if (arguments->preset) put_option(to, "preset", arguments->preset);
    if (arguments->config) put_option(to, "config", arguments->config);
    for (size_t i = 0; i < call->given_count; i++) put_option(to, call->given[i].option->name, call->given[i].text);
    for (size_t i = 0; i < info->varied; i++) {
        const scadyg_option *option = train_option(info->names[i]);
        const char *value = info->best->values[i];
        if (option && option->kind == SCADYG_OPTION_FLAG) {
            if (strcmp(value, "0") != 0) put_option(to, info->names[i], NULL);
        } else {
            put_option(to, info->names[i], value);
        }
    }
    fputs(" -o", to);
    put_word(to, arguments->output);
}

char *tune_command(const cli_call *call, const scadyg_tuning_info *info)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    put_command(to, call, info);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}
