/* How a log was read, as text. Files are not a part of it: a model or an events file may be anywhere, and opens nothing. */
#include "base/memory.h"
#include "events/import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMES "times"

static int is_line(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7F) return 0;
    return sg_utf8_valid(text, length);
}

/* The value of an option, NULL where it is as it always is; *failed without memory. */
static char *take_value(const sg_option *option, const sg_import_options *values, const sg_import_options *usual,
                        int *failed)
{
    const size_t size = sg_option_text(option, values, NULL, 0) + 1,
                 usual_size = sg_option_text(option, usual, NULL, 0) + 1;
    char *value = sg_alloc(size, 1), *other = sg_alloc(usual_size, 1);
    *failed |= !value || !other;
    if (value) sg_option_text(option, values, value, size);
    if (other) sg_option_text(option, usual, other, usual_size);
    const int same = !value || !other || strcmp(value, other) == 0;
    free(other);
    if (!same) return value;
    free(value);
    return NULL;
}

/* Appends name=value and the end of the line. */
static int add_value(char **lines, const char *name, const char *value, scadyg_error *error)
{
    const size_t used = *lines ? strlen(*lines) : 0, size = strlen(name) + strlen(value) + 3;
    char *grown = realloc(*lines, used + size);
    if (!grown) return sg_fail_memory(error, "the options");
    snprintf(grown + used, size, "%s=%s\n", name, value);
    *lines = grown;
    return SCADYG_OK;
}

/* A pattern as it could be told: what reads a time of day behind it is not a part of it. */
static int add_times(char **lines, const sg_time_format *times, scadyg_error *error)
{
    char pattern[SG_PATTERN_LONGEST + 1];
    snprintf(pattern, sizeof pattern, "%s", times->pattern);
    const size_t length = strlen(pattern);
    if (length > 2 && strcmp(pattern + length - 2, "%+") == 0) pattern[length - 2] = 0;
    return add_value(lines, TIMES, pattern, error);
}

/* Whether sources and destinations are separate an events file says by itself. Of a cache it is kept all the same: it is
 * known again by all options that it was made with. */
static int is_kept(const sg_option *option, int is_cache)
{
    const char *name = option->shown.name;
    if (option->shown.file) return 0;
    return is_cache || (strcmp(name, "bipartite") != 0 && strcmp(name, "one-kind") != 0);
}

int sg_import_reading(const sg_import_options *options, const sg_time_format *times, const char *before,
                      char **reading, scadyg_error *error)
{
    sg_import_options usual;
    char *lines = NULL;
    int status = SCADYG_OK, failed = 0, odd = 0;
    sg_options_defaults(&sg_import_set, &usual);
    for (size_t i = 0; i < sg_import_set.count && !status; i++) {
        const sg_option *option = &sg_import_set.table[i];
        char *value =
            is_kept(option, options->origin[0] != 0) ? take_value(option, options, &usual, &failed) : NULL;
        if (!value && !failed) value = sg_reading_value(before, option->shown.name, &failed);
        if (failed) status = sg_fail_memory(error, "the options");
        odd |= value && !is_line(value, strlen(value));
        if (!status && value && !odd) status = add_value(&lines, option->shown.name, value, error);
        free(value);
    }
    char *earlier = sg_reading_value(before, TIMES, &failed);
    if (!status && failed) status = sg_fail_memory(error, "the options");
    if (!status && earlier)
        status = add_value(&lines, TIMES, earlier, error);
    else if (!status && times && times->kind == SG_TIMES_PATTERN && !options->told.time_format)
        status = add_times(&lines, times, error);
    free(earlier);
    /* What is no line is not worth a way to write it: such a log needs to be told of each time. */
    if (status || odd || (lines && strlen(lines) > SG_READING_LONGEST)) {
        free(lines);
        lines = NULL;
    }
    *reading = lines;
    return status;
}

static int check_line(scadyg_options *options, char *line, unsigned char *seen, scadyg_error *error)
{
    char *equals = strchr(line, '=');
    if (!equals || !is_line(line, strlen(line))) return sg_fail(error, SCADYG_E_FORMAT, "a line of it is none");
    *equals = 0;
    if (strcmp(line, TIMES) == 0) {
        sg_time_format format;
        if (!seen[sg_import_set.count]++ && !sg_time_format_recall(equals + 1, &format)) return SCADYG_OK;
        return sg_fail(error, SCADYG_E_FORMAT, "a format of it is unknown or there twice");
    }
    const sg_option *option = sg_option_find(&sg_import_set, line);
    if (!option || option->shown.file || seen[option - sg_import_set.table]++)
        return sg_fail(error, SCADYG_E_FORMAT, "an option of it is unknown or there twice");
    return sg_options_set(options, option, equals + 1, error);
}

int sg_reading_check(const char *reading, scadyg_error *error)
{
    const size_t size = strlen(reading);
    scadyg_options *options = NULL;
    if (!size || size > SG_READING_LONGEST || reading[size - 1] != '\n')
        return sg_fail(error, SCADYG_E_FORMAT, "it is no lines of text");
    char *lines = strdup(reading);
    unsigned char *seen = sg_alloc_zero(sg_import_set.count + 1, 1);
    int status =
        lines && seen ? sg_options_open(&sg_import_set, &options, error) : sg_fail_memory(error, "the options");
    for (char *line = lines, *end; !status && *line; line = end + 1) {
        end = strchr(line, '\n');
        *end = 0;
        status = check_line(options, line, seen, error);
    }
    scadyg_options_close(options);
    SG_FREE(lines, seen);
    return status;
}

char *sg_reading_value(const char *reading, const char *name, int *failed)
{
    const size_t length = strlen(name);
    for (const char *line = reading; line && *line;) {
        const size_t size = strcspn(line, "\n");
        if (size > length && line[length] == '=' && memcmp(line, name, length) == 0) {
            char *value = strndup(line + length + 1, size - length - 1);
            *failed |= !value;
            return value;
        }
        line += size + (line[size] == '\n');
    }
    return NULL;
}
