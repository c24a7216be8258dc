/*
 * Status and message: how every failing call explains itself. Inside as at the border a call that can fail returns a
 * status and fills a scadyg_error. The exceptions are the innermost helpers of this room, which know nothing to say:
 * allocation (memory.h) and maps (pair_map.h) give NULL or -1 without memory, and their callers say for what.
 */
#ifndef SG_BASE_STATUS_H
#define SG_BASE_STATUS_H

#include "scadyg.h"

/* Fills *error (may be NULL) and returns status, so that a caller can write `return sg_fail(...)`. */
int sg_fail(scadyg_error *error, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same for a failed system call: adds ": " and the reason of `code` (an errno). */
int sg_fail_system(scadyg_error *error, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* SCADYG_E_MEMORY with what could not be held ("the node table"). */
int sg_fail_memory(scadyg_error *error, const char *what);

/* "1,313", for a person. Returns text. */
const char *sg_count_text(uint64_t count, char text[32]);

/* "1 event", "1,313 events": with a short noun. Returns text. */
const char *sg_count_noun(uint64_t count, const char *noun, char text[48]);

/* What stands behind a noun that is counted, by any type of number: "row%s". */
#define sg_plural(count) ((count) == 1 ? "" : "s")

/* For reports to a person: appends a formatted line and a newline to *text (NULL: begins it). */
int sg_add_line(scadyg_error *error, char **text, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
