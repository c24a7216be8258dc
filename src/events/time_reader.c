/* Times that a person gives for a log, read as the log's own were. */
#include "base/memory.h"
#include "events/file.h"
#include "events/reading.h"
#include "events/time_text.h"

#include <stdlib.h>
#include <string.h>

struct scadyg_time_reader {
    int kind;              /* a scadyg_time_kind */
    sg_time_format format; /* of the log; SG_TIMES_NUMBERS: nothing is known beyond the kind */
    sg_zone *zone;         /* of times without one; NULL: UTC */
    char *zone_name;
};

int scadyg_time_reader_open(const scadyg_events *events, scadyg_time_reader **out, scadyg_error *error)
{
    int failed = 0;
    *out = NULL;
    scadyg_time_reader *reader = sg_alloc_zero(1, sizeof *reader);
    if (!reader) return sg_fail_memory(error, "reading times");
    reader->kind = events->shape.time_kind;
    reader->zone_name = sg_reading_value(events->reading, "timezone", &failed);
    char *told = sg_reading_value(events->reading, "time-format", &failed),
         *found = sg_reading_value(events->reading, "times", &failed);
    int status = failed ? sg_fail_memory(error, "reading times") : SCADYG_OK;
    if (!status && told)
        status = sg_time_format_tell(told, &reader->format, error);
    else if (!status && found)
        (void)sg_time_format_recall(found, &reader->format); /* the file was verified */
    if (!status && reader->zone_name) status = sg_zone_open(reader->zone_name, &reader->zone, error);
    SG_FREE(told, found);
    if (status)
        scadyg_time_reader_close(reader);
    else
        *out = reader;
    return status;
}

void scadyg_time_reader_close(scadyg_time_reader *reader)
{
    if (!reader) return;
    sg_zone_close(reader->zone);
    SG_FREE(reader->zone_name, reader);
}

const char *scadyg_time_reader_zone(const scadyg_time_reader *reader)
{
    return reader->zone_name;
}

void scadyg_time_reader_text(const scadyg_time_reader *reader, double time, char buffer[64])
{
    (reader->zone ? sg_time_text_utc : scadyg_time_text)(reader->kind, time, buffer);
}

/* A date in whatever form it is, if that is one only. */
static int read_date(const scadyg_time_reader *reader, const char *text, double *time, scadyg_error *error)
{
    const sg_time_sample sample = {text, strlen(text)};
    sg_time_format format;
    sg_time_read read;
    const char *other = NULL;
    const size_t found = sg_time_format_find(&sample, 1, &format, &other);
    if (found && other)
        return sg_fail(error, SCADYG_E_USAGE,
                       "'%.100s' may begin with the day or with the %s; write it as 2014-01-31", text,
                       strncmp(other, "%y", 2) == 0 ? "year" : "month");
    if (!found || sg_time_format_read(&format, reader->zone, text, sample.length, &read))
        return scadyg_time_parse(reader->kind, text, time, error);
    *time = sg_seconds_to_kind(reader->kind, read.seconds);
    return SCADYG_OK;
}

int scadyg_time_reader_read(const scadyg_time_reader *reader, const char *text, double *time, scadyg_error *error)
{
    sg_time_read read;
    double number;
    const size_t length = strlen(text);
    if (reader->format.kind == SG_TIMES_PATTERN && sg_kind_has_dates(reader->kind) &&
        sg_time_format_read(&reader->format, reader->zone, text, length, &read) == 0) {
        *time = sg_seconds_to_kind(reader->kind, read.seconds);
        return SCADYG_OK;
    }
    if (sg_parse_double(text, length, &number) >= 0 || !sg_kind_has_dates(reader->kind))
        return scadyg_time_parse(reader->kind, text, time, error);
    return read_date(reader, text, time, error);
}
