/* Options: one field of a parameter struct from one word of text, checked against its table entry. */
#include "base/status.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *field_of(const scadyg_option *option, void *parameters)
{
    return (char *)parameters + option->offset;
}

static int wrong(const scadyg_option *option, const char *text, const char *expected, scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_USAGE, "--%s takes %s, not '%s'", option->name, expected, text);
}

static int out_of_range(const scadyg_option *option, const char *text, scadyg_error *error)
{
    if (option->most >= 1e15)
        return sg_fail(error, SCADYG_E_USAGE, "--%s must be at least %.15g, not %s", option->name, option->least,
                       text);
    return sg_fail(error, SCADYG_E_USAGE, "--%s must be between %.15g and %.15g, not %s", option->name,
                   option->least, option->most, text);
}

static int in_range(const scadyg_option *option, double value)
{
    return option->least > option->most || (value >= option->least && value <= option->most);
}

static int set_int(const scadyg_option *option, void *field, const char *text, scadyg_error *error)
{
    int64_t value = 0;
    if (!option->choices || strcmp(text, option->choices) != 0) {
        char *end;
        errno = 0;
        long long parsed = strtoll(text, &end, 10);
        if (end == text || *end || errno) {
            if (!option->choices) return wrong(option, text, "a whole number", error);
            return sg_fail(error, SCADYG_E_USAGE, "--%s takes a whole number or '%s', not '%s'", option->name,
                           option->choices, text);
        }
        if (!in_range(option, (double)parsed)) return out_of_range(option, text, error);
        value = parsed;
    }
    memcpy(field, &value, sizeof value);
    return SCADYG_OK;
}

static int set_real(const scadyg_option *option, void *field, const char *text, scadyg_error *error)
{
    double value = 0;
    if (!option->choices || strcmp(text, option->choices) != 0) {
        char *end;
        value = strtod(text, &end);
        if (end == text || *end || !isfinite(value)) {
            if (!option->choices) return wrong(option, text, "a number", error);
            return sg_fail(error, SCADYG_E_USAGE, "--%s takes a number or '%s', not '%s'", option->name,
                           option->choices, text);
        }
        if (!in_range(option, value)) return out_of_range(option, text, error);
    }
    memcpy(field, &value, sizeof value);
    return SCADYG_OK;
}

static int set_size(const scadyg_option *option, void *field, const char *text, scadyg_error *error)
{
    static const char units[] = "KMGT";
    char *end;
    if (option->choices && strcmp(text, option->choices) == 0) {
        memset(field, 0, sizeof(uint64_t));
        return SCADYG_OK;
    }
    double value = strtod(text, &end);
    if (end == text || !isfinite(value) || value < 0)
        return wrong(option, text, "a size such as 512M or 2G", error);
    const char *unit = *end ? strchr(units, *end >= 'a' ? *end - 32 : *end) : NULL;
    if (unit) {
        value = ldexp(value, 10 * (int)(unit - units + 1));
        end++;
        if (*end == 'i') end++;
    }
    if (*end == 'B') end++;
    if (*end || value > 9e18) return wrong(option, text, "a size such as 512M or 2G", error);
    if (!in_range(option, value)) return out_of_range(option, text, error);
    uint64_t bytes = (uint64_t)value;
    memcpy(field, &bytes, sizeof bytes);
    return SCADYG_OK;
}

static int set_choice(const scadyg_option *option, void *field, const char *text, scadyg_error *error)
{
    size_t length = strlen(text);
    int index = 0;
    for (const char *word = option->choices; word; index++) {
        const char *bar = strchr(word, '|');
        size_t size = bar ? (size_t)(bar - word) : strlen(word);
        if (size == length && memcmp(word, text, size) == 0) {
            memcpy(field, &index, sizeof index);
            return SCADYG_OK;
        }
        word = bar ? bar + 1 : NULL;
    }
    return sg_fail(error, SCADYG_E_USAGE, "--%s takes one of %s, not '%s'", option->name, option->choices, text);
}

int scadyg_option_set(const scadyg_option *option, void *parameters, const char *text, scadyg_error *error)
{
    void *field = field_of(option, parameters);
    if (!text && option->kind != SCADYG_OPTION_FLAG)
        return sg_fail(error, SCADYG_E_USAGE, "--%s takes an argument", option->name);
    switch (option->kind) {
    case SCADYG_OPTION_FLAG: {
        int on = !text || strcmp(text, "0") != 0;
        memcpy(field, &on, sizeof on);
        return SCADYG_OK;
    }
    case SCADYG_OPTION_INT: return set_int(option, field, text, error);
    case SCADYG_OPTION_REAL: return set_real(option, field, text, error);
    case SCADYG_OPTION_SIZE: return set_size(option, field, text, error);
    case SCADYG_OPTION_CHOICE: return set_choice(option, field, text, error);
    case SCADYG_OPTION_TEXT: memcpy(field, &text, sizeof text); return SCADYG_OK;
    default: return sg_fail(error, SCADYG_E_USAGE, "--%s has an unknown kind", option->name);
    }
}

/* The other way: what a field holds, as text that reads back to it. */

#define NUMBER_SIZE 32
#define READ(type, name)                                                                                           \
    type name;                                                                                                     \
    memcpy(&name, field, sizeof name)

static void real_text(double value, char text[NUMBER_SIZE])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value) return;
    }
}

/* Sizes up to 2^53 are exact in a double; set_size cannot give others that are not whole units. */
static void size_text(uint64_t value, char text[NUMBER_SIZE])
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
static const char *choice_text(const char *choices, int index, size_t *length)
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

size_t scadyg_option_text(const scadyg_option *option, const void *parameters, char *buffer, size_t size)
{
    const char *field = (const char *)parameters + option->offset;
    char number[NUMBER_SIZE] = "";
    const char *text = number;
    switch (option->kind) {
    case SCADYG_OPTION_FLAG: {
        READ(int, on);
        text = on ? "1" : "0";
        break;
    }
    case SCADYG_OPTION_INT: {
        READ(int64_t, value);
        if (!value && option->choices) text = option->choices;
        snprintf(number, sizeof number, "%lld", (long long)value);
        break;
    }
    case SCADYG_OPTION_REAL: {
        READ(double, value);
        if (value == 0 && option->choices) text = option->choices;
        real_text(value, number);
        break;
    }
    case SCADYG_OPTION_SIZE: {
        READ(uint64_t, value);
        if (!value && option->choices) text = option->choices;
        size_text(value, number);
        break;
    }
    case SCADYG_OPTION_CHOICE: {
        READ(int, index);
        size_t length;
        text = choice_text(option->choices, index, &length);
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

void scadyg_options_default(const scadyg_option *table, size_t count, void *parameters)
{
    for (size_t i = 0; i < count; i++)
        if (table[i].fallback) (void)scadyg_option_set(&table[i], parameters, table[i].fallback, NULL);
}
