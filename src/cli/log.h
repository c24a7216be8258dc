/*
 * The events a command works on: an events file as it is, or a text log, which is imported once into a cache beside it
 * (LOG.csv.scadyg-cache.events). The cache carries the log's time of change and is used as long as that is the same.
 */
#ifndef CLI_LOG_H
#define CLI_LOG_H

#include <stdio.h>

#include "cli.h"

/*
 * Opens `path`. If it is a text log whose folder cannot be written to, the cache goes to the folder of `beside` (a
 * model file). That a log was imported is told on `told`, unless it is NULL; on standard output also how its columns
 * were understood, or that a cache is used. Returns an exit code, after having said what went wrong.
 */
int cli_log_open(const cli_call *call, const char *path, const char *beside, FILE *told, scadyg_events **events);

#endif
