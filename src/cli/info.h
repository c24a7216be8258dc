/* What info shows, in its two forms. */
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include "shape.h"

/* Everything info found out about a file. */
typedef struct info_facts {
    const char *path;
    scadyg_events *events;
    scadyg_info info;
    int verified; /* --verify was asked for and all is well */
} info_facts;

json_t *info_json(const info_facts *facts, scadyg_error *error);

/* Prints for people; fails if a node's id cannot be read. */
int info_print(const info_facts *facts, int verbose, scadyg_error *error);

/* The chart of events over time, at most 80 columns wide. */
void info_chart(const scadyg_info *info);

/* The time range for people: "193.7 days", "144 years", "2572086 (29.8 days if seconds)". */
void info_range_text(const scadyg_shape *shape, double range, char buffer[CLI_TEXT]);

#endif
