/*
 * Time zones, for times that are written without one: an offset, or a place whose clocks are put forward and back
 * ("Europe/Berlin", from the machine's time zone database). A clock that is put back shows an hour twice: then the first
 * of the two times is meant; of times that a clock skips, what it would have shown had it not been put forward.
 */
#ifndef SG_EVENTS_TIME_ZONE_H
#define SG_EVENTS_TIME_ZONE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct sg_zone sg_zone;

/* "UTC", "+02:00", "-0330", "+02" or a name of the database. SCADYG_E_USAGE if there is none such. */
int sg_zone_open(const char *name, sg_zone **zone, scadyg_error *error);
void sg_zone_close(sg_zone *zone); /* NULL is fine */

/* UTC seconds of what a clock shows in the zone, both since 1970-01-01 00:00; NULL is UTC. */
int64_t sg_zone_to_utc(const sg_zone *zone, int64_t local);

/* The same, and whether the clocks of the zone skip that time. */
int64_t sg_zone_to_utc_or_skip(const sg_zone *zone, int64_t local, int *skipped);

/* Reads "Z", "UTC", "GMT" or an offset at p, in any case; returns its length, 0 if there is none. *offset in seconds. */
size_t sg_zone_read_offset(const char *p, size_t length, int64_t *offset);

/* The same, or one of the short names that mean one offset alone: EST, PDT, CET, CEST. */
size_t sg_zone_read(const char *p, size_t length, int64_t *offset);

/* The rules of a TZif file of the database, for tests and sg_zone_open; `name` is for messages. */
int sg_zone_parse(const unsigned char *data, size_t size, const char *name, sg_zone **zone, scadyg_error *error);

#endif
