/* What the files that show a study share: its results.json, as `scadyg study` writes it. */
#ifndef CLI_REPORT_STUDY_H
#define CLI_REPORT_STUDY_H

#include <jansson.h>

#include "page.h"
#include "study_charts.h"

/* Whether an operand is a study: a folder, or a file that begins as JSON does. */
int report_is_study(const char *path);

/* Writes the page of a study. Returns an exit code. */
int report_study(const cli_call *call, const char *path, FILE *page);

/* ---- report_study_table.c ---- */

/* All scores of a column, and what it took to repeat the study. */
void report_study_table(FILE *page, const json_t *results, const char *column);
void report_study_repeat(FILE *page, const json_t *results);

#endif
