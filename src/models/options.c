/* The options of models: set by name, checked, written and read as lines of text. */
#include "models/options.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "messages/nodes/plan.h"
#include "models/kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Set by name ---- */

/* "scadyg, scadyg-paper": the kinds that have an option, each name once. */
static void list_kinds_with(const char *option, char *out, size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; sg_kinds[i] && used < size; i++) {
        size_t first = 0;
        while (strcmp(sg_kinds[first]->shown.name, sg_kinds[i]->shown.name) != 0 ||
               !sg_option_find(sg_kinds[first]->options, option))
            if (first++ == i) break;
        if (first == i)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", sg_kinds[i]->shown.name);
    }
}

static int fail_unknown(const scadyg_options *options, const char *name, scadyg_error *error)
{
    const sg_kind *kind = options->owner;
    char kinds[256] = "";
    if (kind) list_kinds_with(name, kinds, sizeof kinds);
    if (*kinds && sg_kind_find(kind->shown.name, !kind->task) &&
        sg_option_find(sg_kind_find(kind->shown.name, !kind->task)->options, name))
        return sg_fail(error, SCADYG_E_USAGE, "--%s is not an option of %s for --task %s", name, kind->shown.name,
                       kind->shown.task);
    if (*kinds)
        return sg_fail(error, SCADYG_E_USAGE, "--%s is not an option of %s; it is of %s", name, kind->shown.name,
                       kinds);
    const char *words[128];
    size_t count = 0;
    for (; count < options->set->count && count < sizeof words / sizeof *words; count++)
        words[count] = options->set->table[count].shown.name;
    const char *near = sg_nearest(name, words, sizeof *words, count);
    return sg_fail(error, SCADYG_E_USAGE, "there is no option '%s'%s%s%s", name, near ? "; did you mean " : "",
                   near ? near : "", near ? "?" : "");
}

int scadyg_options_set(scadyg_options *options, const char *name, const char *text, scadyg_error *error)
{
    const sg_kind *kind = options->owner;
    const sg_option *option = sg_option_find(options->set, name);
    if (!option) return fail_unknown(options, name, error);
    /* The options of another kind are others. */
    const char *own = !kind                        ? NULL
                      : strcmp(name, "model") == 0 ? kind->shown.name
                      : strcmp(name, "task") == 0  ? kind->shown.task
                                                   : NULL;
    if (own && (!text || strcmp(own, text) != 0))
        return sg_fail(error, SCADYG_E_USAGE,
                       "these are the options of %s for --task %s; --%s cannot be changed to '%s'",
                       kind->shown.name, kind->shown.task, name, text ? text : "");
    return sg_options_set(options, option, text, error);
}

int scadyg_options_check(const scadyg_options *options, scadyg_error *error)
{
    int status = sg_options_check_each(options->set, options->values, error);
    if (!status && options->set->check) status = options->set->check(options->values, error);
    return status;
}

/* ---- Parts that can be left out: in the order of the bits SG_WITHOUT_... ---- */

static const char *const parts[] = {"time",     "hypernetwork", "multirate", "nodes",      "pairs",  "transitions",
                                    "partners", "together",     "ranking",   "popularity", "reverse"};
#define PARTS (sizeof parts / sizeof *parts)

const char *sg_part_word(size_t bit)
{
    return bit < PARTS ? parts[bit] : NULL;
}

static int fail_without(unsigned has, const char *text, scadyg_error *error)
{
    char list[160] = "";
    size_t used = 0;
    for (size_t i = 0; i < PARTS; i++)
        if (has >> i & 1)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? "," : "", parts[i]);
    if (!has) return sg_fail(error, SCADYG_E_USAGE, "--without takes parts out of a model; this kind has none");
    return sg_fail(error, SCADYG_E_USAGE, "--without takes none, or some of %s, not '%s'", list, text);
}

int sg_without(const char *text, unsigned has, unsigned *what, scadyg_error *error)
{
    unsigned found = 0;
    if (sg_given(text) && strcmp(text, "none") != 0)
        for (const char *at = text;; at++) {
            size_t length = strcspn(at, ","), i = 0;
            while (i < PARTS && (strlen(parts[i]) != length || memcmp(parts[i], at, length) != 0)) i++;
            if (i == PARTS || !(has >> i & 1)) return fail_without(has, text, error);
            found |= 1u << i;
            at += length;
            if (!*at) break;
        }
    *what = found;
    return SCADYG_OK;
}

/* ---- Checks that several kinds share ---- */

int sg_node_part_parse(const char *text, sg_node_part *part, scadyg_error *error)
{
    *part = (sg_node_part){SG_NODE_NONE, 0};
    if (!sg_given(text) || strcmp(text, "none") == 0) return SCADYG_OK;
    if (strcmp(text, "onehot") == 0) {
        part->kind = SG_NODE_ONEHOT;
        return SCADYG_OK;
    }
    if (strcmp(text, "stored") == 0) {
        part->kind = SG_NODE_STORED;
        return SCADYG_OK;
    }
    if (strncmp(text, "random:", 7) == 0 && text[7] >= '0' && text[7] <= '9') {
        char *end;
        unsigned long long count = strtoull(text + 7, &end, 10);
        if (!*end && count >= 1 && count <= 65536) {
            *part = (sg_node_part){SG_NODE_RANDOM, (size_t)count};
            return SCADYG_OK;
        }
    }
    return sg_fail(error, SCADYG_E_USAGE,
                   "--node-features takes none, onehot, random:D with D up to 65536, or stored, not '%s'", text);
}

int sg_check_split(const sg_train_options *options, scadyg_error *error)
{
    const double train = options->train_share, validation = sg_validation_share(options);
    if (train == 1 && !options->stepwise) return SCADYG_OK; /* there are no other parts, whatever their share */
    const double steps = (double)options->messages.steps;
    if (options->stepwise && ceil(train * steps) + ceil(validation * steps) >= steps)
        return sg_fail(
            error, SCADYG_E_USAGE,
            "%.0f steps leave no test part after shares of %.15g and %.15g, rounded up; use more --steps", steps,
            train, validation);
    return SCADYG_OK;
}

static int check_rates(const sg_train_options *options, unsigned without, scadyg_error *error)
{
    const char *text = options->messages.rates;
    if (!sg_given(text)) return SCADYG_OK;
    if (options->messages.gamma0 > 0)
        return sg_fail(error, SCADYG_E_USAGE,
                       "--gamma0 and --rates exclude each other; --gamma0 auto takes it back");
    if (without & SG_WITHOUT_TIME)
        return sg_fail(error, SCADYG_E_USAGE, "--without time sets all rates to 0; leave out --rates");
    if (without & SG_WITHOUT_MULTIRATE)
        return sg_fail(error, SCADYG_E_USAGE,
                       "--without multirate gives all columns one rate; use --gamma0 instead of --rates");
    size_t count = sg_rates_count(text);
    double *rates = sg_alloc(count, sizeof *rates);
    if (!rates) return sg_fail_memory(error, "the rates");
    int status = sg_rates_parse(text, count, rates, error);
    free(rates);
    return status;
}

int sg_check_columns(const sg_train_options *options, unsigned without, scadyg_error *error)
{
    sg_node_part part;
    int status = sg_node_part_parse(options->messages.node_features, &part, error);
    if (!status) status = check_rates(options, without, error);
    return status;
}

/* ---- As text: a line name=value for each ---- */

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

char *sg_options_write(const scadyg_options *options)
{
    const sg_option_set *set = options->set;
    size_t size = 1;
    for (size_t i = 0; i < set->count; i++)
        size += strlen(set->table[i].shown.name) + 2 * sg_option_text(&set->table[i], options->values, NULL, 0) + 4;
    char *lines = sg_alloc(size, 1), *value = sg_alloc(size, 1), *at = lines;
    for (size_t i = 0; lines && value && i < set->count; i++) {
        size_t length = strlen(set->table[i].shown.name);
        memcpy(at, set->table[i].shown.name, length);
        at += length;
        *at++ = '=';
        length = set->table[i].shown.file ? 0 : sg_option_text(&set->table[i], options->values, value, size);
        at += escape(value, length, at);
        *at++ = '\n';
    }
    if (!lines || !value) {
        SG_FREE(lines, value);
        return NULL;
    }
    *at = 0;
    free(value);
    return lines;
}

/* The value of the line "name=...", copied; NULL if there is none. */
static int find_line(const char *lines, const char *name, char **value, scadyg_error *error)
{
    const size_t length = strlen(name);
    *value = NULL;
    for (const char *line = lines; *line; line += strcspn(line, "\n") + 1) {
        if (strncmp(line, name, length) != 0 || line[length] != '=') continue;
        *value = strndup(line + length + 1, strcspn(line + length + 1, "\n"));
        return *value ? SCADYG_OK : sg_fail_memory(error, "the options");
    }
    return SCADYG_OK;
}

/* What an option would not take, as something wrong with the file; want of memory is not. */
static int fail_damaged(const char *path, const scadyg_error *reason, scadyg_error *error)
{
    if (reason->status == SCADYG_E_MEMORY) return sg_fail(error, reason->status, "%s", reason->message);
    return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: %s", path, reason->message);
}

/* One line, terminated: sets one option. */
static int read_line(char *line, scadyg_options *options, unsigned char *seen, const char *path,
                     scadyg_error *error)
{
    char *value = strchr(line, '=');
    if (!value) return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: '%s' is no option", path, line);
    *value++ = 0;
    const sg_option *option = sg_option_find(options->set, line);
    if (!option)
        return sg_fail(error, SCADYG_E_VERSION,
                       "%s was written by a newer version of scadyg: it has the option '%s'", path, line);
    unsigned char *mark = &seen[option - options->set->table];
    if (*mark) return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: it has the option '%s' twice", path, line);
    *mark = 1;
    if (option->shown.file && *value)
        return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: with '%s' it names a file, which it must not", path,
                       line);
    if (unescape(value)) return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: '%s' is no value", path, value);
    scadyg_error reason = {0};
    if (scadyg_options_set(options, line, value, &reason)) return fail_damaged(path, &reason, error);
    return SCADYG_OK;
}

/* The options that the lines name the kind of, with defaults. */
static int open_named(const char *lines, const char *path, scadyg_options **options, scadyg_error *error)
{
    char *model = NULL, *task = NULL;
    scadyg_error reason = {0};
    int status = find_line(lines, "model", &model, error);
    if (!status) status = find_line(lines, "task", &task, error);
    if (!status && (!model || !task))
        status = sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: it does not say what kind of model it is", path);
    if (!status && scadyg_options_open_train(model, task, options, &reason))
        status =
            reason.status == SCADYG_E_MEMORY
                ? sg_fail(error, reason.status, "%s", reason.message)
                : sg_fail(error, SCADYG_E_VERSION, "%s has a model that this version of scadyg does not know: %s",
                          path, reason.message);
    SG_FREE(model, task);
    return status;
}

int sg_options_read(const char *text, size_t size, const char *path, scadyg_options **out, scadyg_error *error)
{
    if (!size || text[size - 1] != '\n' || memchr(text, 0, size))
        return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: its options are no lines of text", path);
    char *lines = strndup(text, size);
    if (!lines) return sg_fail_memory(error, "the options");
    scadyg_options *options = NULL;
    int status = open_named(lines, path, &options, error);
    unsigned char *seen = status ? NULL : sg_alloc_zero(options->set->count, 1);
    if (!status && !seen) status = sg_fail_memory(error, "the options");
    for (char *line = lines; !status && *line;) {
        char *end = strchr(line, '\n');
        *end = 0;
        status = read_line(line, options, seen, path, error);
        line = end + 1;
    }
    scadyg_error reason = {0};
    if (!status && scadyg_options_check(options, &reason)) status = fail_damaged(path, &reason, error);
    SG_FREE(seen, lines);
    if (status)
        scadyg_options_close(options);
    else
        *out = options;
    return status;
}
