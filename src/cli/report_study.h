/* What the files that show a study share: its results.json, as `scadyg study` writes it. */
#ifndef CLI_REPORT_STUDY_H
#define CLI_REPORT_STUDY_H

#include <jansson.h>

#include "page.h"

/* Whether an operand is a study: a folder, or a file that begins as JSON does. */
int report_is_study(const char *path);

/* Writes the page of a study. Returns an exit code. */
int report_study(const cli_call *call, const char *path, FILE *page);

/* The text of a member, "" if it is none. */
const char *report_study_text(const json_t *object, const char *key);

/* "MRR" for "mrr": a score as tables have it. */
const char *report_study_score(const char *key);

/* "default, without pairs": what a row is called. */
void report_study_row(const json_t *row, char text[CLI_TEXT]);

/* The mean of a score in a column of a row, or its deviation ("std"); NaN if there is none. */
double report_study_cell(const json_t *row, const char *column, const char *score, const char *part);

/* ---- report_study_draw.c ---- */

/* A chart of the main score of a column; `id` has to be its own on the page. */
void report_study_column(FILE *page, const json_t *results, const json_t *column, const char *id);

/* Validation score against seconds, where the study has such curves. */
void report_study_curves(FILE *page, const json_t *results, const char *id);

/* ---- report_study_charts.c ---- */

/* The pictures in the folder of a study that has more than scores: efficiency, weights. */
void report_study_charts(FILE *page, const json_t *results, const char *folder);

/* ---- report_study_table.c ---- */

/* All scores of a column, and what it took to repeat the study. */
void report_study_table(FILE *page, const json_t *results, const char *column);
void report_study_repeat(FILE *page, const json_t *results);

#endif
