/* The options of a model as text: a line name=value for each, through the table of options. */
#include "base/memory.h"
#include "model/model_file.h"
#include "model/options.h"

#include <stdlib.h>
#include <string.h>

#define OPTIONS_MOST 64

/* A line break in a value (of a file name, say) is written as \n, a backslash as \\. */
static size_t escape(const char *text, size_t length, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n' || text[i] == '\\') out[n++] = '\\';
        out[n++] = text[i] == '\n' ? 'n' : text[i];
    }
    return n;
}

/* In place; -1 if a backslash stands before anything else. */
static int unescape(char *text)
{
    char *out = text;
    for (; *text; text++) {
        if (*text != '\\') {
            *out++ = *text;
            continue;
        }
        text++;
        if (*text != 'n' && *text != '\\') return -1;
        *out++ = *text == 'n' ? '\n' : '\\';
    }
    *out = 0;
    return 0;
}

char *sg_options_write(const scadyg_train_options *options)
{
    size_t count, size = 1;
    const scadyg_option *table = scadyg_train_option_table(&count);
    for (size_t i = 0; i < count; i++)
        size += strlen(table[i].name) + 2 * scadyg_option_text(&table[i], options, NULL, 0) + 4;
    char *lines = sg_alloc(size, 1), *value = sg_alloc(size, 1), *at = lines;
    for (size_t i = 0; lines && value && i < count; i++) {
        if (!sg_option_is_part_of_model(table[i].name)) continue;
        size_t length = strlen(table[i].name);
        memcpy(at, table[i].name, length);
        at += length;
        *at++ = '=';
        length = scadyg_option_text(&table[i], options, value, size);
        at += escape(value, length, at);
        *at++ = '\n';
    }
    if (!lines || !value) {
        free(lines);
        free(value);
        return NULL;
    }
    *at = 0;
    free(value);
    return lines;
}

/* One line, terminated: sets one option. */
static int read_line(char *line, scadyg_train_options *options, unsigned char *seen, const char *path,
                     scadyg_error *error)
{
    char *value = strchr(line, '=');
    if (!value) return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: '%s' is no option", path, line);
    *value++ = 0;
    size_t count;
    const scadyg_option *table = scadyg_train_option_table(&count);
    const scadyg_option *option = sg_train_option(line, strlen(line));
    if (!option || !sg_option_is_part_of_model(line))
        return sg_fail(error, SCADYG_E_VERSION,
                       "%s was written by a newer version of scadyg: it has the option '%s'", path, line);
    unsigned char *mark = &seen[option - table];
    if (*mark) return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: it has the option '%s' twice", path, line);
    *mark = 1;
    if (unescape(value)) return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: '%s' is no value", path, value);
    scadyg_error reason = {0};
    if (scadyg_option_set(option, options, value, &reason))
        return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: %s", path, reason.message);
    return SCADYG_OK;
}

int sg_options_read(scadyg_model *model, const char *text, size_t size, const char *path, scadyg_error *error)
{
    if (!size || text[size - 1] != '\n' || memchr(text, 0, size))
        return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: its options are no lines of text", path);
    char *lines = sg_alloc(size + 1, 1);
    if (!lines) return sg_fail_memory(error, "the options");
    memcpy(lines, text, size);
    lines[size] = 0;
    size_t count;
    const scadyg_option *table = scadyg_train_option_table(&count);
    unsigned char seen[OPTIONS_MOST] = {0};
    scadyg_train_options options = {0};
    /* What an older version did not write has its default. */
    scadyg_options_default(table, count, &options);
    options.head = SCADYG_HEAD_PAPER; /* which did not say so before there was another */
    options.train_pool = 0;
    int status = count > OPTIONS_MOST ? sg_fail(error, SCADYG_E_USAGE, "too many options") : SCADYG_OK;
    for (char *line = lines; !status && *line;) {
        char *end = strchr(line, '\n');
        *end = 0;
        status = read_line(line, &options, seen, path, error);
        line = end + 1;
    }
    scadyg_error reason = {0};
    if (!status && scadyg_train_check(&options, &reason))
        status = sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: %s", path, reason.message);
    if (!status) status = sg_model_keep_options(model, &options, error);
    free(lines);
    return status;
}
