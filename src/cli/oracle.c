/* The file of the oracle, line by line, so that it may be larger than memory. */
#include "oracle.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100 }; /* bytes of a line; what generate writes is shorter */

typedef struct reader {
    FILE *file;
    const char *name;
    uint64_t line;   /* of the text, from 1 */
    char text[MOST]; /* without the end of the line */
    size_t length;
} reader;

static int fail_at(const reader *r, size_t column, scadyg_error *error, const char *reason)
{
    error->status = SCADYG_E_INPUT;
    snprintf(error->message, sizeof error->message, "%.400s:%llu:%zu: %.500s", r->name, (unsigned long long)r->line,
             column, reason);
    return error->status;
}

/* The next line. *ended: there is none. */
static int next_line(reader *r, int *ended, scadyg_error *error)
{
    int c = getc(r->file);
    r->line++;
    r->length = 0;
    *ended = c == EOF;
    for (; c != EOF && c != '\n'; c = getc(r->file)) {
        if (r->length + 1 == MOST) return fail_at(r, MOST, error, "the line is too long");
        if (c == 0) return fail_at(r, r->length + 1, error, "there is a zero byte");
        r->text[r->length++] = (char)c;
    }
    if (r->length && r->text[r->length - 1] == '\r') r->length--;
    r->text[r->length] = 0;
    if (!ferror(r->file)) return SCADYG_OK;
    error->status = SCADYG_E_IO;
    snprintf(error->message, sizeof error->message, "cannot read %.400s: %s", r->name, strerror(errno));
    return error->status;
}

/* "12,3.5" with the number of the event. */
static int read_rank(const reader *r, uint64_t event, double *rank, scadyg_error *error)
{
    char expected[32], reason[128];
    const int width = snprintf(expected, sizeof expected, "%llu,", (unsigned long long)event);
    if (strncmp(r->text, expected, (size_t)width) != 0) {
        snprintf(reason, sizeof reason, "the line of event %llu was expected, its number and a comma first",
                 (unsigned long long)event);
        return fail_at(r, 1, error, reason);
    }
    const char *text = r->text + width;
    char *end = NULL;
    /* Nothing that only strtod takes for a number: blanks, signs, hexadecimal, names. */
    const int plain = isdigit((unsigned char)*text) && strspn(text, "0123456789.eE+-") == strlen(text);
    *rank = plain ? strtod(text, &end) : 0;
    if (plain && !*end && isfinite(*rank) && *rank >= 1) return SCADYG_OK;
    snprintf(reason, sizeof reason, "'%.40s' is not a rank, a number that is at least 1", text);
    return fail_at(r, (size_t)width + 1, error, reason);
}

int cli_oracle_read(FILE *file, const char *name, uint64_t events, double *out, scadyg_error *error)
{
    reader r = {.file = file, .name = name};
    int ended, status = next_line(&r, &ended, error);
    if (!status && strcmp(r.text, "event,rank") != 0)
        status = fail_at(&r, 1, error, "it does not begin with 'event,rank' as generate --oracle writes it");
    for (uint64_t i = 0; i < events && !status; i++) {
        char reason[128];
        double rank = 1;
        status = next_line(&r, &ended, error);
        if (!status && ended) {
            snprintf(reason, sizeof reason, "the file ends after %llu of %llu events: it is of another graph",
                     (unsigned long long)i, (unsigned long long)events);
            status = fail_at(&r, 1, error, reason);
        }
        if (!status) status = read_rank(&r, i, &rank, error);
        out[i] = 1 / rank;
    }
    if (!status) status = next_line(&r, &ended, error);
    if (!status && !ended) {
        char reason[128];
        snprintf(reason, sizeof reason, "a line after the last of %llu events: it is of another graph",
                 (unsigned long long)events);
        status = fail_at(&r, 1, error, reason);
    }
    return status;
}
