/* Reading the results of a study, as results.json has them. */
#ifndef CLI_STUDY_READ_H
#define CLI_STUDY_READ_H

#include <jansson.h>

#include "cli/describe.h"

/* The text of a member, "" if it is none. */
const char *study_text(const json_t *object, const char *key);

/* The number of a member; NAN if it is none. */
double study_number(const json_t *object, const char *key);

/* The mean (or another part) of a cell of a row; NAN if there is none. */
double study_cell(const json_t *row, const char *column, const char *score, const char *part);

/* "scadyg, without time": a row's whole name. */
void study_row_name(const json_t *row, char *text, size_t size);

/* "MRR" for "mrr": a score or a cost as tables and axes have it. */
const char *study_score_title(const char *key);

#endif
