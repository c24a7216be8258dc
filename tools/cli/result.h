/*
 * The result of an evaluation as JSON and as a table. The table is made from the JSON, so that a result stored in a
 * model file looks the same as a fresh one. Times of computing are not in it: the same seed gives the same bytes.
 */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include <jansson.h>

#include "cli/cli.h"

/* NULL without memory. */
json_t *cli_result_json(const scadyg_result *result);

/* A score of a row (with several seeds "mean" or "std"), NaN if there is none. */
double cli_result_score(const json_t *row, const char *key, const char *part);

/* Whether two results differ in nothing but the pool: on some data two pools are the same nodes. */
int cli_result_same(const json_t *one, const json_t *other);

/* A heading, and a row for the model and each of the others. Prints nothing of what is not a result. */
void cli_result_print(const json_t *result);

/* Prints an array of results, with an empty line before each. */
void cli_results_print(const json_t *results);

/* The results that are kept in a model; NULL if there are none. */
json_t *cli_results_of(const scadyg_model *model);

/* Evaluates and adds the result to an array. */
int cli_result_add(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                   const scadyg_options *options, json_t *results, scadyg_error *error);

#endif
