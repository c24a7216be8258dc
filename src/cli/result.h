/*
 * The result of an evaluation as JSON and as a table. The table is made from the JSON, so that a result stored in a
 * model file looks the same as a fresh one. Times of computing are not in it: the same seed gives the same bytes.
 */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include <jansson.h>

#include "cli.h"

/* NULL without memory. */
json_t *cli_result_json(const scadyg_result *result);

/* A heading, and a row for the model and each heuristic. Prints nothing of what is not a result. */
void cli_result_print(const json_t *result);

/* Prints an array of results, with an empty line before each. */
void cli_results_print(const json_t *results);

/* Writes JSON to a file, whole or not at all, or to standard output for "-". */
int cli_json_write(const char *path, const json_t *value, scadyg_error *error);

#endif
