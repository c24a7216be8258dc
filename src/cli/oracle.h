/*
 * What `generate --oracle` wrote: a header "event,rank", then for every event, in the order of the file, its number from 0 and
 * the rank, at least 1, that the true process gives it.
 */
#ifndef CLI_ORACLE_H
#define CLI_ORACLE_H

#include <stdint.h>
#include <stdio.h>

#include "scadyg.h"

/* 1 / rank of `events` events into out; `name` is what errors call the file ("oracle.csv:3:5: ..."). */
int cli_oracle_read(FILE *file, const char *name, uint64_t events, double *out, scadyg_error *error);

#endif
