/* Status and message: how every failing call explains itself. */
#ifndef SG_BASE_STATUS_H
#define SG_BASE_STATUS_H

#include "scadyg.h"

/* Fills *error (may be NULL) and returns status, so that a caller can write `return sg_fail(...)`. */
int sg_fail(scadyg_error *error, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same for a failed system call: adds ": " and the reason of `code` (an errno). */
int sg_fail_system(scadyg_error *error, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* SCADYG_E_MEMORY with what could not be held ("the node table"). */
int sg_fail_memory(scadyg_error *error, const char *what);

/* SCADYG_E_CANCELLED if the caller wants to stop, else SCADYG_OK. */
int sg_report(const scadyg_progress *progress, const char *what, uint64_t done, uint64_t total,
              scadyg_error *error);

#endif
