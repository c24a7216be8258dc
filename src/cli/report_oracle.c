/* What `generate --oracle` wrote: for every event, in the order of the file, the rank that the true process gives it. */
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "12,3.5" with the number of the event. */
static int parse_line(const char *line, uint64_t event, double *rank)
{
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(line, &end, 10);
    if (errno || end == line || *end != ',' || number != event) return -1;
    const char *text = end + 1;
    *rank = strtod(text, &end);
    while (*end == '\r' || *end == '\n') end++;
    return end == text || *end || !isfinite(*rank) || *rank < 1 ? -1 : 0;
}

static int read_lines(report *r, const char *path, FILE *file)
{
    char line[128];
    const uint64_t events = r->shape->events;
    if (!fgets(line, sizeof line, file) || strncmp(line, "event,rank", 10) != 0)
        return cli_fail(r->call->command,
                        "%s:1: it does not begin with 'event,rank' as generate --oracle writes it", path);
    for (uint64_t i = 0; i < events; i++) {
        double rank;
        if (!fgets(line, sizeof line, file))
            return cli_fail(r->call->command, "%s has %llu events, but %s has %llu: it is of another graph", path,
                            (unsigned long long)i, r->events_path, (unsigned long long)events);
        if (parse_line(line, i, &rank))
            return cli_fail(r->call->command, "%s:%llu: not the number of an event and its rank", path,
                            (unsigned long long)i + 2);
        r->oracle[i] = 1 / rank;
    }
    if (fgets(line, sizeof line, file))
        return cli_fail(r->call->command, "%s has more than the %llu events of %s: it is of another graph", path,
                        (unsigned long long)events, r->events_path);
    return CLI_OK;
}

int report_read_oracle(report *r, const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) return cli_fail(r->call->command, "cannot read %s: %s", path, strerror(errno));
    r->oracle = malloc((r->shape->events ? r->shape->events : 1) * sizeof *r->oracle);
    int code = r->oracle ? read_lines(r, path, file) : cli_fail(r->call->command, "not enough memory for %s", path);
    fclose(file);
    return code;
}
