/* Options: fields of a struct from words of text, checked against their rows of a table, and sets of them. */
#include "base/options.h"

#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "a number", or where a word stands for 0 "a number or 'auto'". */
static int refuse_text(const sg_option *option, const char *text, const char *expected, scadyg_error *error)
{
    const char *word = option->shown.type == SCADYG_OPTION_SIZE ? NULL : option->shown.choices;
    const char *second = word ? strchr(word, '|') : NULL;
    if (second)
        return sg_fail(error, SCADYG_E_USAGE, "--%s takes %s, '%.*s' or '%s', not '%s'", option->shown.name,
                       expected, (int)(second - word), word, second + 1, text);
    return sg_fail(error, SCADYG_E_USAGE, "--%s takes %s%s%s%s, not '%s'", option->shown.name, expected,
                   word ? " or '" : "", word ? word : "", word ? "'" : "", text);
}

static int refuse_range(const sg_option *option, const char *text, scadyg_error *error)
{
    if (option->shown.most >= 1e15)
        return sg_fail(error, SCADYG_E_USAGE, "--%s must be at least %.15g, not %s", option->shown.name,
                       option->shown.least, text);
    return sg_fail(error, SCADYG_E_USAGE, "--%s must be between %.15g and %.15g, not %s", option->shown.name,
                   option->shown.least, option->shown.most, text);
}

static int is_in_range(const sg_option *option, double value)
{
    return option->shown.least > option->shown.most ||
           (value >= option->shown.least && value <= option->shown.most);
}

/* Without a text it is on, as on the command line. */
static int set_flag(const sg_option *option, void *field, const char *text, scadyg_error *error)
{
    static const char *const words[] = {"0", "1", "false", "true", "no", "yes", "off", "on"};
    int on = 1;
    if (text) {
        size_t i = 0;
        while (i < sizeof words / sizeof *words && strcmp(text, words[i]) != 0) i++;
        if (i == sizeof words / sizeof *words) return refuse_text(option, text, "0 or 1", error);
        on = i % 2;
    }
    memcpy(field, &on, sizeof on);
    return SCADYG_OK;
}

/* Which of the words "a|b|c" a text is, from 0; -1: none. */
static int find_word(const char *choices, const char *text)
{
    const size_t length = strlen(text);
    int index = 0;
    for (const char *word = choices; word; index++) {
        const size_t size = strcspn(word, "|");
        if (size == length && memcmp(word, text, size) == 0) return index;
        word = word[size] ? word + size + 1 : NULL;
    }
    return -1;
}

static int set_int(const sg_option *option, void *field, const char *text, scadyg_error *error)
{
    const int word = find_word(option->shown.choices, text);
    int64_t value = -(int64_t)word;
    if (word < 0) {
        char *end;
        errno = 0;
        long long parsed = strtoll(text, &end, 10);
        if (end == text || *end || errno) return refuse_text(option, text, "a whole number", error);
        if (!is_in_range(option, (double)parsed)) return refuse_range(option, text, error);
        value = parsed;
    }
    memcpy(field, &value, sizeof value);
    return SCADYG_OK;
}

static int set_real(const sg_option *option, void *field, const char *text, scadyg_error *error)
{
    double value = 0;
    if (!option->shown.choices || strcmp(text, option->shown.choices) != 0) {
        char *end;
        value = strtod(text, &end);
        if (end == text || *end || !isfinite(value)) return refuse_text(option, text, "a number", error);
        if (!is_in_range(option, value)) return refuse_range(option, text, error);
    }
    memcpy(field, &value, sizeof value);
    return SCADYG_OK;
}

static int set_size(const sg_option *option, void *field, const char *text, scadyg_error *error)
{
    static const char units[] = "KMGT";
    char *end;
    if (option->shown.choices && strcmp(text, option->shown.choices) == 0) {
        memset(field, 0, sizeof(uint64_t));
        return SCADYG_OK;
    }
    double value = strtod(text, &end);
    if (end == text || !isfinite(value) || value < 0)
        return refuse_text(option, text, "a size such as 512M or 2G", error);
    const char *unit = *end ? strchr(units, *end >= 'a' ? *end - 32 : *end) : NULL;
    if (unit) {
        value = ldexp(value, 10 * (int)(unit - units + 1));
        end++;
        if (*end == 'i') end++;
    }
    if (*end == 'B') end++;
    if (*end || value > 9e18) return refuse_text(option, text, "a size such as 512M or 2G", error);
    if (!is_in_range(option, value)) return refuse_range(option, text, error);
    uint64_t bytes = (uint64_t)value;
    memcpy(field, &bytes, sizeof bytes);
    return SCADYG_OK;
}

static int set_choice(const sg_option *option, void *field, const char *text, scadyg_error *error)
{
    const int index = find_word(option->shown.choices, text);
    if (index >= 0) {
        memcpy(field, &index, sizeof index);
        return SCADYG_OK;
    }
    return sg_fail(error, SCADYG_E_USAGE, "--%s takes one of %s, not '%s'", option->shown.name,
                   option->shown.choices, text);
}

int sg_option_set_text(const sg_option *option, void *values, const char *text, scadyg_error *error)
{
    void *field = (char *)values + option->offset;
    if (!text && option->shown.type != SCADYG_OPTION_FLAG)
        return sg_fail(error, SCADYG_E_USAGE, "--%s takes an argument", option->shown.name);
    switch (option->shown.type) {
    case SCADYG_OPTION_FLAG: return set_flag(option, field, text, error);
    case SCADYG_OPTION_INT: return set_int(option, field, text, error);
    case SCADYG_OPTION_REAL: return set_real(option, field, text, error);
    case SCADYG_OPTION_SIZE: return set_size(option, field, text, error);
    case SCADYG_OPTION_CHOICE: return set_choice(option, field, text, error);
    case SCADYG_OPTION_TEXT: memcpy(field, &text, sizeof text); return SCADYG_OK;
    default: return sg_fail(error, SCADYG_E_USAGE, "--%s has an unknown kind", option->shown.name);
    }
}

/* The other way: what a field holds, as text that reads back to it. */

#define NUMBER_SIZE 32
#define READ(type, name)                                                                                           \
    type name;                                                                                                     \
    memcpy(&name, field, sizeof name)

static void print_real(double value, char text[NUMBER_SIZE])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value) return;
    }
}

/* Sizes up to 2^53 are exact in a double; set_size cannot give others that are not whole units. */
static void print_size(uint64_t value, char text[NUMBER_SIZE])
{
    static const char units[] = "KMGT";
    int unit = -1;
    while (unit < 3 && value && value % 1024 == 0) {
        value /= 1024;
        unit++;
    }
    if (unit < 0)
        snprintf(text, NUMBER_SIZE, "%llu", (unsigned long long)value);
    else
        snprintf(text, NUMBER_SIZE, "%llu%c", (unsigned long long)value, units[unit]);
}

/* The index-th of the words "a|b|c"; its length is 0 if there is none. */
static const char *find_choice(const char *choices, int index, size_t *length)
{
    const char *word = index < 0 ? NULL : choices;
    for (; word && index; index--) {
        const char *bar = strchr(word, '|');
        word = bar ? bar + 1 : NULL;
    }
    *length = word ? strcspn(word, "|") : 0;
    return word ? word : "";
}

static size_t copy_text(const char *text, size_t length, char *buffer, size_t size)
{
    if (size) {
        size_t fits = length < size ? length : size - 1;
        memcpy(buffer, text, fits);
        buffer[fits] = 0;
    }
    return length;
}

size_t sg_option_text(const sg_option *option, const void *values, char *buffer, size_t size)
{
    const char *field = (const char *)values + option->offset;
    char number[NUMBER_SIZE] = "";
    const char *text = number;
    switch (option->shown.type) {
    case SCADYG_OPTION_FLAG: {
        READ(int, on);
        text = on ? "1" : "0";
        break;
    }
    case SCADYG_OPTION_INT: {
        READ(int64_t, value);
        size_t length = 0;
        if (value <= 0 && value > -8) text = find_choice(option->shown.choices, (int)-value, &length);
        if (length) return copy_text(text, length, buffer, size);
        text = number;
        snprintf(number, sizeof number, "%lld", (long long)value);
        break;
    }
    case SCADYG_OPTION_REAL: {
        READ(double, value);
        if (value == 0 && option->shown.choices) text = option->shown.choices;
        print_real(value, number);
        break;
    }
    case SCADYG_OPTION_SIZE: {
        READ(uint64_t, value);
        if (!value && option->shown.choices) text = option->shown.choices;
        print_size(value, number);
        break;
    }
    case SCADYG_OPTION_CHOICE: {
        READ(int, index);
        size_t length;
        text = find_choice(option->shown.choices, index, &length);
        return copy_text(text, length, buffer, size);
    }
    case SCADYG_OPTION_TEXT: {
        READ(const char *, value);
        text = value ? value : "";
        break;
    }
    default: break;
    }
    return copy_text(text, strlen(text), buffer, size);
}

/* ---- A set of options and their values ---- */

const sg_option *sg_option_find(const sg_option_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->table[i].shown.name, name) == 0) return &set->table[i];
    return NULL;
}

void sg_options_defaults(const sg_option_set *set, void *values)
{
    memset(values, 0, set->size);
    for (size_t i = 0; i < set->count; i++)
        if (set->table[i].shown.fallback)
            (void)sg_option_set_text(&set->table[i], values, set->table[i].shown.fallback, NULL);
}

int sg_options_open(const sg_option_set *set, scadyg_options **out, scadyg_error *error)
{
    scadyg_options *options = sg_alloc_zero(1, sizeof *options);
    if (options) {
        options->set = set;
        options->values = sg_alloc_zero(1, set->size);
        options->texts = sg_alloc_zero(set->count, sizeof *options->texts);
    }
    if (!options || !options->values || !options->texts) {
        scadyg_options_close(options);
        return sg_fail_memory(error, "the options");
    }
    sg_options_defaults(set, options->values);
    *out = options;
    return SCADYG_OK;
}

void scadyg_options_close(scadyg_options *options)
{
    if (!options) return;
    for (size_t i = 0; options->texts && i < options->set->count; i++) free(options->texts[i]);
    SG_FREE(options->texts, options->values, options);
}

/* Texts are copied, so that nobody else has to keep them. An empty one is none, as if it had not been given. */
static int set_own_text(scadyg_options *options, const sg_option *option, const char *text, scadyg_error *error)
{
    char *copy = *text ? strdup(text) : NULL;
    if (*text && !copy) return sg_fail_memory(error, "an option");
    const char *value = copy ? copy : option->shown.fallback ? "" : NULL;
    memcpy((char *)options->values + option->offset, &value, sizeof value);
    char **own = &options->texts[option - options->set->table];
    free(*own);
    *own = copy;
    return SCADYG_OK;
}

int sg_options_set(scadyg_options *options, const sg_option *option, const char *text, scadyg_error *error)
{
    if (option->shown.type == SCADYG_OPTION_TEXT && text) return set_own_text(options, option, text, error);
    return sg_option_set_text(option, options->values, text, error);
}

int scadyg_options_copy(const scadyg_options *options, scadyg_options **copy, scadyg_error *error)
{
    scadyg_options *made = NULL;
    int status = sg_options_open(options->set, &made, error);
    if (status) return status;
    memcpy(made->values, options->values, options->set->size);
    for (size_t i = 0; i < options->set->count && !status; i++) {
        const sg_option *option = &options->set->table[i];
        const char *text;
        if (option->shown.type != SCADYG_OPTION_TEXT) continue;
        memcpy(&text, (const char *)options->values + option->offset, sizeof text);
        if (text) status = set_own_text(made, option, text, error);
    }
    made->owner = options->owner;
    if (status)
        scadyg_options_close(made);
    else
        *copy = made;
    return status;
}

size_t scadyg_options_get(const scadyg_options *options, const char *name, char *buffer, size_t size)
{
    const sg_option *option = sg_option_find(options->set, name);
    if (option) return sg_option_text(option, options->values, buffer, size);
    return copy_text("", 0, buffer, size);
}

const scadyg_option *scadyg_options_at(const scadyg_options *options, size_t i)
{
    return i < options->set->count ? &options->set->table[i].shown : NULL;
}

/* A field that is 0 because the option has no default was not given. */
static int is_not_given(const sg_option *option, const void *values)
{
    static const char zero[sizeof(uint64_t)];
    const int type = option->shown.type;
    const size_t size = type == SCADYG_OPTION_FLAG || type == SCADYG_OPTION_CHOICE ? sizeof(int) : sizeof zero;
    return !option->shown.fallback && memcmp((const char *)values + option->offset, zero, size) == 0;
}

/* What an option would not take is wrong here too. */
int sg_options_check_each(const sg_option_set *set, const void *values, scadyg_error *error)
{
    void *scratch = sg_alloc_zero(1, set->size);
    int status = scratch ? SCADYG_OK : sg_fail_memory(error, "the options");
    for (size_t i = 0; i < set->count && !status; i++) {
        const sg_option *option = &set->table[i];
        char text[64];
        if (option->shown.type == SCADYG_OPTION_TEXT || is_not_given(option, values)) continue;
        sg_option_text(option, values, text, sizeof text);
        status = sg_option_set_text(option, scratch, text, error);
    }
    free(scratch);
    return status;
}

int sg_options_check_values(const sg_option_set *set, const void *values, scadyg_error *error)
{
    int status = sg_options_check_each(set, values, error);
    return status || !set->check ? status : set->check(values, error);
}

int sg_options_values(const scadyg_options *options, const sg_option_set *set, void *values, scadyg_error *error)
{
    if (options && options->set != set)
        return sg_fail(error, SCADYG_E_USAGE, "these are options of \"%s\"; here those of \"%s\" are needed",
                       options->set->name, set->name);
    if (options)
        memcpy(values, options->values, set->size);
    else
        sg_options_defaults(set, values);
    return sg_options_check_values(set, values, error);
}
