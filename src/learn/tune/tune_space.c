/* The space of a search: which options are varied, and over which values. */
#include "learn/tune/tune.h"

#include "base/memory.h"
#include "base/nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE_MOST 9e15 /* whole numbers up to here are exact in a double */
#define SHOWN 60        /* of a text, in messages */

/* ---- What is varied unless said otherwise ---- */

/*
 * Small, so that some twenty trials cover it, and all of it costs nothing but the training. Each list has the default of
 * the kinds it is for, so that the first trial is the default.
 */
static const struct {
    const char *text;
    const char *fallback; /* for kinds with this default; NULL: for all */
} usual[] = {
    {"lr=1e-4..0.1:log", NULL},         {"weight-decay=1e-6..0.01:log", NULL}, {"batch=50|100|200|400|800", "200"},
    {"batch=32|64|128|256|512", "128"}, {"batch=auto|32|128|512", "auto"},     {"hidden=auto|32|128|256", NULL},
};

const char *scadyg_tune_default(const scadyg_options *train, size_t i)
{
    for (size_t at = 0; at < sizeof usual / sizeof *usual; at++) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(usual[at].text, "="), usual[at].text);
        const sg_option *option = sg_option_find(train->set, name);
        if (!option || (usual[at].fallback && strcmp(option->shown.fallback, usual[at].fallback) != 0)) continue;
        if (i-- == 0) return usual[at].text;
    }
    return NULL;
}

int scadyg_tune_moves_target(const char *name)
{
    static const char *const names[] = {"steps",       "step-rule",        "select", "stepwise",
                                        "train-share", "validation-share", "labels"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return 1;
    return 0;
}

/* ---- Which option ---- */

static int fail_unknown(const sg_option_set *set, const char *name, scadyg_error *error)
{
    const char *near = sg_nearest(name, (const char *const *)(const void *)&set->table[0].shown.name,
                                  sizeof *set->table, set->count);
    return sg_fail(error, SCADYG_E_USAGE, "--vary: %s has no option '%.*s'%s%s%s", set->name, SHOWN, name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* ---- Its values ---- */

static int is_number(const sg_option *option)
{
    return option->shown.type == SCADYG_OPTION_INT || option->shown.type == SCADYG_OPTION_REAL ||
           option->shown.type == SCADYG_OPTION_SIZE;
}

static double number_of(const sg_option *option, const void *values)
{
    const char *field = (const char *)values + option->offset;
    double real;
    int64_t whole;
    uint64_t size;
    switch (option->shown.type) {
    case SCADYG_OPTION_INT: memcpy(&whole, field, sizeof whole); return (double)whole;
    case SCADYG_OPTION_SIZE: memcpy(&size, field, sizeof size); return (double)size;
    default: memcpy(&real, field, sizeof real); return real;
    }
}

/* Sets the option in a scratch set, with an error that says where the text is from. */
static int try_value(const sg_option *option, const char *text, void *scratch, scadyg_error *error)
{
    scadyg_error reason = {0};
    if (option->shown.type == SCADYG_OPTION_FLAG && strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
        return sg_fail(error, SCADYG_E_USAGE, "--vary %s: takes 0 or 1, not '%.*s'", option->shown.name, SHOWN,
                       text);
    if (sg_option_set_text(option, scratch, text, &reason))
        return sg_fail(error, SCADYG_E_USAGE, "--vary %s: %s", option->shown.name, reason.message);
    return SCADYG_OK;
}

/* The value of an option in a set of options as text, newly allocated. */
static char *text_of(const sg_option *option, const void *values)
{
    const size_t size = sg_option_text(option, values, NULL, 0) + 1;
    char *text = sg_alloc(size, 1);
    if (text) sg_option_text(option, values, text, size);
    return text;
}

static int add_value(const sg_space *space, sg_dimension *dimension, const char *text, scadyg_error *error)
{
    const sg_option *option = dimension->option;
    int status = try_value(option, text, space->scratch, error);
    if (status) return status;
    char *value = text_of(option, space->scratch);
    if (!value) return sg_fail_memory(error, "the values of an option");
    for (size_t i = 0; i < dimension->count; i++)
        if (strcmp(dimension->values[i], value) == 0) {
            free(value);
            return sg_fail(error, SCADYG_E_USAGE, "--vary %s: '%.*s' is there twice", option->shown.name, SHOWN,
                           text);
        }
    dimension->values[dimension->count++] = value;
    return SCADYG_OK;
}

static int read_list(const sg_space *space, sg_dimension *dimension, scadyg_error *error)
{
    size_t bars = 0;
    for (const char *c = dimension->spec; *c; c++) bars += *c == '|';
    dimension->values = sg_alloc(bars + 1, sizeof *dimension->values);
    char *copy = strdup(dimension->spec), *word = copy;
    int status = copy && dimension->values ? SCADYG_OK : sg_fail_memory(error, "the values of an option");
    while (!status && word) {
        char *bar = strchr(word, '|');
        if (bar) *bar++ = 0;
        status = add_value(space, dimension, word, error);
        word = bar;
    }
    free(copy);
    return status;
}

/* One end of a range: a number, not the word that stands for 0. */
static int read_end(const sg_space *space, const sg_option *option, const char *text, double *value,
                    scadyg_error *error)
{
    if (option->shown.choices && strcmp(text, option->shown.choices) == 0)
        return sg_fail(error, SCADYG_E_USAGE, "--vary %s: a range has numbers at its ends, not '%s'",
                       option->shown.name, text);
    int status = try_value(option, text, space->scratch, error);
    if (status) return status;
    *value = number_of(option, space->scratch);
    if (option->shown.type != SCADYG_OPTION_REAL && fabs(*value) > WHOLE_MOST)
        return sg_fail(error, SCADYG_E_USAGE, "--vary %s: a range of whole numbers ends at %.0f",
                       option->shown.name, WHOLE_MOST);
    return SCADYG_OK;
}

static int read_range(const sg_space *space, sg_dimension *dimension, scadyg_error *error)
{
    static const char suffix[] = ":log";
    const char *name = dimension->option->shown.name;
    char *low = strdup(dimension->spec);
    if (!low) return sg_fail_memory(error, "the values of an option");
    char *high = strstr(low, "..");
    *high = 0;
    high += 2;
    const size_t length = strlen(high), tail = sizeof suffix - 1;
    dimension->logarithmic = length > tail && strcmp(high + length - tail, suffix) == 0;
    if (dimension->logarithmic) high[length - tail] = 0;
    int status = read_end(space, dimension->option, low, &dimension->low, error);
    if (!status) status = read_end(space, dimension->option, high, &dimension->high, error);
    if (!status && dimension->low >= dimension->high)
        status = sg_fail(error, SCADYG_E_USAGE, "--vary %s: the range %s must begin below its end", name,
                         dimension->spec);
    if (!status && dimension->logarithmic && dimension->low <= 0)
        status = sg_fail(error, SCADYG_E_USAGE, "--vary %s: with :log the range must begin above 0", name);
    free(low);
    return status;
}

static int read_dimension(const sg_space *space, const char *text, sg_dimension *dimension, scadyg_error *error)
{
    const size_t length = strcspn(text, "=");
    char name[SHOWN + 1];
    if (!text[length])
        return sg_fail(error, SCADYG_E_USAGE,
                       "--vary takes NAME=VALUES, such as lr=1e-4..0.1:log or hidden=32|64, not '%.*s'", SHOWN,
                       text);
    snprintf(name, sizeof name, "%.*s", length < SHOWN ? (int)length : SHOWN, text);
    dimension->option = sg_option_find(space->set, name);
    if (!dimension->option) return fail_unknown(space->set, name, error);
    if (strcmp(name, "model") == 0 || strcmp(name, "task") == 0)
        return sg_fail(
            error, SCADYG_E_USAGE,
            "--vary %s: a search is over the options of one kind of model; 'study compare' compares kinds", name);
    dimension->spec = strdup(text + length + 1);
    if (!dimension->spec) return sg_fail_memory(error, "the values of an option");
    return is_number(dimension->option) && strstr(dimension->spec, "..") ? read_range(space, dimension, error)
                                                                         : read_list(space, dimension, error);
}

int sg_space_open(sg_space *space, const sg_option_set *set, const char *const *vary, size_t count,
                  scadyg_error *error)
{
    *space = (sg_space){.set = set,
                        .scratch = sg_alloc_zero(1, set->size),
                        .dimensions = sg_alloc_zero(count, sizeof *space->dimensions)};
    int status =
        space->scratch && space->dimensions ? SCADYG_OK : sg_fail_memory(error, "the options that are varied");
    for (size_t i = 0; i < count && !status; i++) {
        status = read_dimension(space, vary[i], &space->dimensions[space->count++], error);
        for (size_t j = 0; j < i && !status; j++)
            if (space->dimensions[j].option == space->dimensions[i].option)
                status = sg_fail(error, SCADYG_E_USAGE, "--vary %s is given twice",
                                 space->dimensions[i].option->shown.name);
    }
    if (status) sg_space_close(space);
    return status;
}

void sg_space_close(sg_space *space)
{
    for (size_t i = 0; i < space->count; i++) {
        sg_dimension *dimension = &space->dimensions[i];
        for (size_t j = 0; j < dimension->count; j++) free(dimension->values[j]);
        SG_FREE(dimension->values, dimension->spec);
    }
    SG_FREE(space->dimensions, space->scratch);
    *space = (sg_space){0};
}

/* ---- A draw ---- */

double sg_space_size(const sg_space *space)
{
    double size = 1;
    for (size_t i = 0; i < space->count; i++) {
        const sg_dimension *dimension = &space->dimensions[i];
        if (dimension->values)
            size *= (double)dimension->count;
        else if (dimension->option->shown.type == SCADYG_OPTION_REAL)
            size = INFINITY;
        else
            size *= dimension->high - dimension->low + 1;
    }
    return size;
}

/* A place in the range, u of the way. A range may be so wide that high - low or high / low is infinite. */
static double between(const sg_dimension *dimension, double low, double high, double u)
{
    const double value =
        dimension->logarithmic ? exp((1 - u) * log(low) + u * log(high)) : (1 - u) * low + u * high;
    return value < low ? low : value > high ? high : value;
}

/* No more digits than it takes to say where in the range a number lies, to half a percent: people will read them. */
static void short_text(const sg_dimension *dimension, double value, char text[32])
{
    const double low = dimension->low, high = dimension->high;
    for (int digits = 3; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, value);
        const double read = strtod(text, NULL);
        const double off =
            dimension->logarithmic ? log(read / value) / (log(high) - log(low)) : (read - value) / (high - low);
        if (read >= low && read <= high && fabs(off) <= 0.005) return;
    }
}

char *sg_dimension_value(const sg_space *space, const sg_dimension *dimension, double u)
{
    const sg_option *option = dimension->option;
    char text[32];
    if (dimension->values) return strdup(dimension->values[(size_t)(u * (double)dimension->count)]);
    if (option->shown.type == SCADYG_OPTION_REAL) {
        short_text(dimension, between(dimension, dimension->low, dimension->high, u), text);
    } else {
        /* Every whole number has an interval of its own, up to the next one. */
        double value = floor(between(dimension, dimension->low, dimension->high + 1, u));
        if (value < dimension->low) value = dimension->low;
        if (value > dimension->high) value = dimension->high;
        snprintf(text, sizeof text, "%.0f", value);
    }
    (void)sg_option_set_text(option, space->scratch, text, NULL);
    return text_of(option, space->scratch);
}

int sg_dimension_holds(const sg_dimension *dimension, const scadyg_options *options)
{
    const sg_option *option = dimension->option;
    if (!dimension->values) {
        const double value = number_of(option, options->values);
        return value >= dimension->low && value <= dimension->high;
    }
    /* Texts may be long; numbers and words are not. */
    char text[64];
    const char *value = text;
    if (option->shown.type == SCADYG_OPTION_TEXT) {
        memcpy(&value, (const char *)options->values + option->offset, sizeof value);
        if (!value) value = "";
    } else {
        sg_option_text(option, options->values, text, sizeof text);
    }
    for (size_t i = 0; i < dimension->count; i++)
        if (strcmp(dimension->values[i], value) == 0) return 1;
    return 0;
}
