/* Status and message: how every failing call explains itself. */
#include "base/status.h"

#include "base/letters.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *scadyg_version(void)
{
    return VERSION_TEXT(SCADYG_VERSION_MAJOR, SCADYG_VERSION_MINOR, SCADYG_VERSION_PATCH);
}

const char *scadyg_status_name(int status)
{
    switch (status) {
    case SCADYG_OK: return "success";
    case SCADYG_E_USAGE: return "wrong usage";
    case SCADYG_E_MEMORY: return "out of memory";
    case SCADYG_E_IO: return "input/output error";
    case SCADYG_E_INPUT: return "bad input";
    case SCADYG_E_LAYOUT: return "unclear layout";
    case SCADYG_E_FORMAT: return "damaged or foreign file";
    case SCADYG_E_VERSION: return "newer format version";
    case SCADYG_E_NOT_FOUND: return "not found";
    case SCADYG_E_CANCELLED: return "cancelled";
    case SCADYG_E_CHANGED: return "file changed meanwhile";
    default: return "unknown status";
    }
}

/* A message is one line whatever file names and fields it quotes. */
__attribute__((format(printf, 3, 0))) static void fill_error(scadyg_error *error, int status, const char *format,
                                                             va_list arguments)
{
    error->status = status;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    sg_text_calm(error->message);
}

int sg_fail(scadyg_error *error, int status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        fill_error(error, status, format, arguments);
        va_end(arguments);
    }
    return status;
}

int sg_fail_system(scadyg_error *error, int code, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        fill_error(error, SCADYG_E_IO, format, arguments);
        va_end(arguments);
        char buffer[128];
        const char *reason = strerror_r(code, buffer, sizeof buffer); /* GNU's, safe with threads */
        size_t used = strlen(error->message);
        snprintf(error->message + used, sizeof error->message - used, ": %s", reason);
    }
    return SCADYG_E_IO;
}

int sg_fail_memory(scadyg_error *error, const char *what)
{
    return sg_fail(error, SCADYG_E_MEMORY, "not enough memory for %s", what);
}

const char *sg_count_text(uint64_t count, char text[32])
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    char *out = text;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) *out++ = ',';
        *out++ = digits[i];
    }
    *out = 0;
    return text;
}

const char *sg_count_noun(uint64_t count, const char *noun, char text[48])
{
    char number[32];
    snprintf(text, 48, "%s %s%s", sg_count_text(count, number), noun, sg_plural(count));
    return text;
}

int sg_add_line(scadyg_error *error, char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    size_t used = *text ? strlen(*text) : 0;
    char *grown = realloc(*text, used + (size_t)length + 2);
    if (!grown) return sg_fail_memory(error, "the report");
    va_start(arguments, format);
    vsnprintf(grown + used, (size_t)length + 1, format, arguments);
    va_end(arguments);
    sg_text_calm(grown + used);
    memcpy(grown + strlen(grown), "\n", 2);
    *text = grown;
    return SCADYG_OK;
}
