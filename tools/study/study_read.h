/* Reading the results of a study, as results.json has them. */
#ifndef CLI_STUDY_READ_H
#define CLI_STUDY_READ_H

#include <jansson.h>

#include "cli/describe.h"

/* The mean (or another part) of a cell of a row; NAN if there is none. */
double study_cell(const json_t *row, const char *column, const char *score, const char *part);

/* "scadyg, without time": a row's whole name. */
#define study_row_name(row)                                                                                        \
    cli_text("%s%s%s", cli_json_text_of(row, "series"), *cli_json_text_of(row, "label") ? ", " : "",               \
             cli_json_text_of(row, "label"))

/* A column as people read it: "dyglib:historical, answer per pool". */
const char *study_column_title(const json_t *column);

/* "MRR" for "mrr": a score or a cost as tables and axes have it. */
const char *study_score_title(const char *key);

#endif
