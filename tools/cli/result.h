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

/* A heading, a row for the model and each of the others, and the difference to the best baseline. Prints nothing of what
 * is not a result. shape: how times are written. */
void cli_result_print(const json_t *result, const scadyg_shape *shape);

/* Prints an array of results, with an empty line before each. */
void cli_results_print(const json_t *results, const scadyg_shape *shape);

/* The results that are kept in a model, and those in such a text; NULL if there are none. Whoever wrote the file may have
 * put any JSON there: what is no result is not shown. */
json_t *cli_results_of(const scadyg_model *model);
json_t *cli_results_parse(const char *text);

/* What is said of baselines that are left out (scadyg_baselines_left_out), and room for their names. */
#define CLI_LEFT_OUT 256
#define CLI_LEFT_OUT_WORDS "left out, for what they keep does not fit into --memory beside the model: %s"

/* Evaluates and adds the result to an array. */
int cli_result_add(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                   const scadyg_options *options, json_t *results, scadyg_error *error);

#endif
