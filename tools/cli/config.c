/* Options of a kind of model as JSON. */
#include "cli/config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/describe.h"

enum { MOST_BYTES = 1 << 20 };

/* ---- Reading ---- */

int cli_config_parse(const char *name, const char *data, size_t size, json_t **config, scadyg_error *error)
{
    json_error_t where;
    json_t *root = json_loadb(data, size, JSON_REJECT_DUPLICATES, &where);
    if (!root)
        return sg_fail(error, SCADYG_E_INPUT, "%.500s:%d:%d: %s", name, where.line, where.column, where.text);
    if (!json_is_object(root)) {
        json_decref(root);
        return sg_fail(error, SCADYG_E_INPUT, "%.500s: expected an object {\"option\": value, ...}", name);
    }
    *config = root;
    return SCADYG_OK;
}

int cli_config_read(const char *path, json_t **config, scadyg_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file) return sg_fail_system(error, errno, "cannot open %.500s", path);
    char *data = malloc(MOST_BYTES);
    errno = 0;
    const size_t size = data ? fread(data, 1, MOST_BYTES, file) : 0;
    int status = SCADYG_OK;
    if (!data)
        status = sg_fail_memory(error, path);
    else if (ferror(file))
        status = sg_fail_system(error, errno, "cannot read %.500s", path);
    else if (size == MOST_BYTES)
        status = sg_fail(error, SCADYG_E_INPUT, "%.500s is too large for a file of options", path);
    fclose(file);
    if (!status) status = cli_config_parse(path, data, size, config, error);
    free(data);
    return status;
}

int cli_config_word(const char *name, const json_t *config, const char *key, const char **word, scadyg_error *error)
{
    const json_t *value = json_object_get(config, key);
    *word = json_string_value(value);
    if (*word || !value || json_is_null(value)) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_USAGE, "%.500s: --%s takes a text in quotes", name, key);
}

/* What an option takes for a value of JSON. The result may lie in `buffer`; NULL: no such value. */
static const char *text_of(const scadyg_option *option, const json_t *value, char buffer[CLI_TEXT],
                           const char **expected)
{
    *expected = option->type == SCADYG_OPTION_FLAG ? "true or false here" : "a number or a text in quotes";
    if (json_is_null(value)) /* the default, and without one what stands for "not set" */
        return option->fallback ? option->fallback : option->choices ? option->choices : "";
    if (option->type == SCADYG_OPTION_FLAG)
        return json_is_boolean(value) ? (json_is_true(value) ? "1" : "0") : NULL;
    if (json_is_string(value)) return json_string_value(value);
    if (option->type == SCADYG_OPTION_TEXT || option->type == SCADYG_OPTION_CHOICE) {
        *expected = "a text in quotes";
        return NULL;
    }
    if (json_is_integer(value))
        snprintf(buffer, CLI_TEXT, "%lld", (long long)json_integer_value(value));
    else
        snprintf(buffer, CLI_TEXT, "%.17g", json_real_value(value));
    return json_is_number(value) ? buffer : NULL;
}

static int refuse_key(const cli_tables *tables, const char *name, const char *key, scadyg_error *error)
{
    const char *names[256];
    size_t count = 0;
    for (size_t i = 0; i < tables->count && count < CLI_COUNT(names); i++)
        if (tables->rows[i].of_kind) names[count++] = tables->rows[i].shown->name;
    const char *nearest = sg_nearest(key, names, sizeof *names, count);
    if (nearest)
        return sg_fail(error, SCADYG_E_USAGE, "%.500s: unknown option '%.80s'; did you mean '%s'?", name, key,
                       nearest);
    return sg_fail(error, SCADYG_E_USAGE,
                   "%.500s: unknown option '%.80s'; 'scadyg train --help-all' lists them all", name, key);
}

/* The option of any kind of this name; NULL: no kind has it. */
static const scadyg_option *find_of_any(const cli_tables *tables, const char *key)
{
    for (size_t i = 0; i < tables->count; i++)
        if (tables->rows[i].of_kind && strcmp(tables->rows[i].shown->name, key) == 0) return tables->rows[i].shown;
    return NULL;
}

int cli_config_set(const cli_tables *tables, const char *name, const json_t *config, scadyg_options *options,
                   scadyg_error *error)
{
    const char *key, *expected;
    json_t *value;
    json_object_foreach ((json_t *)(uintptr_t)config, key, value) {
        char buffer[CLI_TEXT];
        scadyg_error reason = {0};
        if (strcmp(key, "model") == 0 || strcmp(key, "task") == 0) continue;
        const scadyg_option *option = cli_option_find(options, key);
        if (!option) option = find_of_any(tables, key);
        if (!option) return refuse_key(tables, name, key, error);
        const char *text = text_of(option, value, buffer, &expected);
        if (!text) return sg_fail(error, SCADYG_E_USAGE, "%.400s: --%s takes %s", name, key, expected);
        if (cli_kind_set(tables, options, key, text, &reason))
            return sg_fail(error, reason.status, "%.400s: %.600s", name, reason.message);
    }
    return SCADYG_OK;
}

/* ---- Writing ---- */

/* A number if the text is one ("all" stands for 0 in some), else the text; null for none. */
static json_t *value_json(const scadyg_option *option, const char *text)
{
    char *end;
    if (!*text) return json_null();
    if (option->type == SCADYG_OPTION_FLAG) return json_boolean(strcmp(text, "0") != 0);
    if (option->type == SCADYG_OPTION_TEXT || option->type == SCADYG_OPTION_CHOICE) return cli_json_text(text);
    if (option->type == SCADYG_OPTION_INT) {
        const long long whole = strtoll(text, &end, 10);
        if (!*end) return json_integer(whole);
    }
    const double value = strtod(text, &end);
    return *end || !isfinite(value) ? json_string(text) : json_real(value);
}

json_t *cli_option_json(const scadyg_options *options, const char *name)
{
    const scadyg_option *option = cli_option_find(options, name);
    char *text = option ? cli_option_text(options, name) : NULL;
    json_t *value = text ? value_json(option, text) : NULL;
    free(text);
    return value;
}

json_t *cli_config_json(const scadyg_options *options)
{
    json_t *object = json_object();
    const scadyg_option *option;
    int failed = !object;
    for (size_t i = 0; !failed && (option = scadyg_options_at(options, i)); i++)
        failed = json_object_set_new(object, option->name, cli_option_json(options, option->name));
    return cli_json_whole(object, failed);
}

/* A copy without the names of files. */
static json_t *without_files(const scadyg_options *options)
{
    json_t *object = cli_config_json(options);
    const scadyg_option *option;
    for (size_t i = 0; object && (option = scadyg_options_at(options, i)); i++)
        if (option->file) json_object_del(object, option->name);
    return object;
}

/* What was left to the data is whatever was made of it. */
static int is_same(const json_t *made, const json_t *asked)
{
    const char *name;
    json_t *value;
    if (json_object_size(made) != json_object_size(asked)) return 0;
    json_object_foreach ((json_t *)asked, name, value) {
        const json_t *other = json_object_get(made, name);
        const int left =
            json_is_string(value) && json_is_string(other) && strcmp(json_string_value(value), "auto") == 0;
        if (!other || (!left && !json_equal(other, value))) return 0;
    }
    return 1;
}

int cli_config_equal(const scadyg_options *made, const scadyg_options *asked)
{
    json_t *a = without_files(made), *b = without_files(asked);
    const int same = a && b && is_same(a, b);
    json_decref(a);
    json_decref(b);
    return same;
}

/* 0.003 rather than 0.0030000000000000001. */
static int print_value(const json_t *value)
{
    if (!json_is_real(value)) return json_dumpf(value, stdout, JSON_ENCODE_ANY) && !ferror(stdout);
    char text[CLI_TEXT];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, json_real_value(value));
        if (strtod(text, NULL) == json_real_value(value)) break;
    }
    fputs(text, stdout);
    return 0;
}

int cli_config_print(const scadyg_options *options)
{
    json_t *object = cli_config_json(options), *value;
    const char *name, *before = "{";
    int failed = !object;
    json_object_foreach (object, name, value) {
        printf("%s\n  \"%s\": ", before, name);
        failed |= print_value(value);
        before = ",";
    }
    if (object) printf("\n}\n");
    json_decref(object);
    return failed ? -1 : 0;
}
