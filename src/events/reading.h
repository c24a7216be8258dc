/*
 * How a log was read: lines name=value of the options of import that were not as they always are, without those that name
 * files; and times=PATTERN where the times were found to be dates of another form than the usual one. An events file keeps
 * it, and a model.
 */
#ifndef SG_EVENTS_READING_H
#define SG_EVENTS_READING_H

#include "base/status.h"
#include "events/time_format.h"

#define SG_READING_LONGEST ((size_t)1 << 16)

/* Whether a text from elsewhere is such lines. */
int sg_reading_check(const char *reading, scadyg_error *error);

/* The value of one of them, for the caller to free; NULL: it is not there (reading may be NULL), or *failed without memory. */
char *sg_reading_value(const char *reading, const char *name, int *failed);

#endif
