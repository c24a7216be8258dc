/* Options as JSON. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MOST_BYTES = 1 << 20, LONGEST_TEXT = 4096 };

static int fail(scadyg_error *error, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

static int fail(scadyg_error *error, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

/* How a calculation is done, not what comes out. */
static int is_means(const scadyg_option *option)
{
    return strcmp(option->name, "threads") == 0 || strcmp(option->name, "memory") == 0;
}

static size_t size_of(int kind)
{
    switch (kind) {
    case SCADYG_OPTION_FLAG:
    case SCADYG_OPTION_CHOICE: return sizeof(int);
    case SCADYG_OPTION_TEXT: return sizeof(const char *);
    default: return sizeof(int64_t);
    }
}

/* null: the default, and without one what stands for "not set" in a fresh struct. */
static int unset(const scadyg_option *option, void *parameters, scadyg_error *error)
{
    if (option->fallback) return scadyg_option_set(option, parameters, option->fallback, error);
    memset((char *)parameters + option->offset, 0, size_of(option->kind));
    return SCADYG_OK;
}

static int set_flag(const scadyg_option *option, const json_t *value, void *parameters, scadyg_error *error)
{
    if (!json_is_boolean(value)) return fail(error, SCADYG_E_USAGE, "--%s takes true or false here", option->name);
    return scadyg_option_set(option, parameters, json_is_true(value) ? "1" : "0", error);
}

static int set_value(const scadyg_option *option, const json_t *value, void *parameters, scadyg_error *error)
{
    char text[64];
    if (json_is_null(value)) return unset(option, parameters, error);
    if (option->kind == SCADYG_OPTION_FLAG) return set_flag(option, value, parameters, error);
    if (json_is_string(value)) return scadyg_option_set(option, parameters, json_string_value(value), error);
    if (option->kind == SCADYG_OPTION_TEXT || option->kind == SCADYG_OPTION_CHOICE)
        return fail(error, SCADYG_E_USAGE, "--%s takes a text in quotes", option->name);
    if (json_is_integer(value))
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, sizeof text, "%.17g", json_real_value(value));
    else
        return fail(error, SCADYG_E_USAGE, "--%s takes a number or a text in quotes", option->name);
    return scadyg_option_set(option, parameters, text, error);
}

static int unknown(const char *name, const char *key, cli_table table, scadyg_error *error)
{
    const char *names[128];
    size_t count = 0;
    for (; count < table.count && count < CLI_COUNT(names); count++) names[count] = table.options[count].name;
    const char *nearest = cli_nearest(key, names, count);
    if (nearest)
        return fail(error, SCADYG_E_USAGE, "%.500s: unknown option '%.80s'; did you mean '%s'?", name, key,
                    nearest);
    return fail(error, SCADYG_E_USAGE, "%.500s: unknown option '%.80s'; 'scadyg train --help' lists them all", name,
                key);
}

static int set_all(const char *name, const json_t *root, cli_table table, void *parameters, scadyg_error *error)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)root, key, value)
    {
        size_t i = 0;
        while (i < table.count && strcmp(table.options[i].name, key) != 0) i++;
        if (i == table.count) return unknown(name, key, table, error);
        scadyg_error reason = {0};
        if (set_value(&table.options[i], value, parameters, &reason))
            return fail(error, reason.status, "%.400s: %.600s", name, reason.message);
    }
    return SCADYG_OK;
}

int cli_config_parse(const char *name, const char *data, size_t size, cli_table table, void *parameters,
                     size_t parameters_size, json_t **kept, scadyg_error *error)
{
    json_error_t where;
    json_t *root = json_loadb(data, size, JSON_REJECT_DUPLICATES, &where);
    if (!root) return fail(error, SCADYG_E_INPUT, "%.500s:%d:%d: %s", name, where.line, where.column, where.text);
    int status = SCADYG_OK;
    void *copy = malloc(parameters_size);
    if (!copy)
        status = fail(error, SCADYG_E_MEMORY, "not enough memory for %.500s", name);
    else if (!json_is_object(root))
        status = fail(error, SCADYG_E_INPUT, "%.500s: expected an object {\"option\": value, ...}", name);
    if (!status) {
        memcpy(copy, parameters, parameters_size);
        status = set_all(name, root, table, copy, error);
    }
    if (!status) memcpy(parameters, copy, parameters_size);
    free(copy);
    if (status)
        json_decref(root);
    else
        *kept = root;
    return status;
}

int cli_config_read(const char *path, cli_table table, void *parameters, size_t parameters_size, json_t **kept,
                    scadyg_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file) return fail(error, SCADYG_E_IO, "cannot open %.500s: %s", path, strerror(errno));
    char *data = malloc(MOST_BYTES);
    errno = 0;
    size_t size = data ? fread(data, 1, MOST_BYTES, file) : 0;
    int status = SCADYG_OK;
    if (!data)
        status = fail(error, SCADYG_E_MEMORY, "not enough memory for %.500s", path);
    else if (ferror(file))
        status = fail(error, SCADYG_E_IO, "cannot read %.500s: %s", path, strerror(errno));
    else if (size == MOST_BYTES)
        status = fail(error, SCADYG_E_INPUT, "%.500s is too large for a file of options", path);
    fclose(file);
    if (!status) status = cli_config_parse(path, data, size, table, parameters, parameters_size, kept, error);
    free(data);
    return status;
}

/* A number if the text is one ("all" stands for 0 in some), else the text. */
static json_t *number_or_text(const scadyg_option *option, const char *text)
{
    char *end;
    if (option->kind == SCADYG_OPTION_INT) {
        long long whole = strtoll(text, &end, 10);
        if (*text && !*end) return json_integer(whole);
    }
    double value = strtod(text, &end);
    if (!*text || *end || !isfinite(value)) return *text ? json_string(text) : json_null();
    return json_real(value);
}

static json_t *value_json(const scadyg_option *option, const void *parameters)
{
    const void *field = (const char *)parameters + option->offset;
    char text[LONGEST_TEXT];
    scadyg_option_text(option, parameters, text, sizeof text);
    if (option->kind == SCADYG_OPTION_FLAG) {
        int on;
        memcpy(&on, field, sizeof on);
        return json_boolean(on);
    }
    if (option->kind == SCADYG_OPTION_TEXT) {
        const char *value;
        memcpy(&value, field, sizeof value);
        return value ? json_string(value) : json_null();
    }
    if (option->kind == SCADYG_OPTION_CHOICE) return json_string(text);
    /* A number outside its range stands for "not set". */
    double value = strtod(text, NULL);
    int named = option->choices && strcmp(text, option->choices) == 0;
    if (!named && option->least <= option->most && !(value >= option->least && value <= option->most))
        return json_null();
    return number_or_text(option, text);
}

json_t *cli_config_json(cli_table table, const void *parameters)
{
    json_t *object = json_object();
    for (size_t i = 0; object && i < table.count; i++) {
        if (is_means(&table.options[i])) continue;
        if (!json_object_set_new(object, table.options[i].name, value_json(&table.options[i], parameters)))
            continue;
        json_decref(object);
        return NULL;
    }
    return object;
}

/* 0.003 rather than 0.0030000000000000001. */
static int print_value(const json_t *value)
{
    if (!json_is_real(value)) return json_dumpf(value, stdout, JSON_ENCODE_ANY) && !ferror(stdout);
    char text[64];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, json_real_value(value));
        if (strtod(text, NULL) == json_real_value(value)) break;
    }
    fputs(text, stdout);
    return 0;
}

int cli_config_print(cli_table table, const void *parameters)
{
    json_t *object = cli_config_json(table, parameters), *value;
    const char *name, *before = "{";
    int failed = !object;
    json_object_foreach(object, name, value)
    {
        printf("%s\n  \"%s\": ", before, name);
        failed |= print_value(value);
        before = ",";
    }
    if (object) printf("\n}\n");
    json_decref(object);
    return failed ? -1 : 0;
}
