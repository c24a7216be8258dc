/*
 * The charts of a study, drawn from its results.json alone. `study` writes each into a file, `report` puts the same
 * drawings into its page.
 */
#ifndef CLI_STUDY_CHARTS_H
#define CLI_STUDY_CHARTS_H

#include <stdio.h>

#include "study/study_read.h"

/* Where charts go. */
typedef struct study_easel {
    /* A chart begins. `name` is one for a file. Returns where to draw it; NULL if it cannot be drawn. */
    FILE *(*begin)(void *data, const char *name, const char *title);
    void (*end)(void *data, const char *words); /* it is drawn; what it shows, in words */
    void *data;
    int alone; /* each chart is a file of its own, and carries its title */
} study_easel;

/* Returns 0, or -1 without memory. */
int study_charts(const json_t *results, const study_easel *easel);

#endif
