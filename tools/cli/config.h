/*
 * Options of a kind of model as JSON: an object of option name -> string, number or true/false, null for "not set", with
 * "model" and "task" among them. What is printed reads back to the same options.
 */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include <jansson.h>

#include "cli/cli.h"

/* An object from bytes, or from a file; `name` is what errors call it. Give it to json_decref. */
int cli_config_parse(const char *name, const char *data, size_t size, json_t **config, scadyg_error *error);
int cli_config_read(const char *path, json_t **config, scadyg_error *error);

/* The text of "model" or "task" in it; NULL if it has none. */
int cli_config_word(const char *name, const json_t *config, const char *key, const char **word,
                    scadyg_error *error);

/* Sets the options it names but "model" and "task", which the options were opened for. */
int cli_config_set(const cli_tables *tables, const char *name, const json_t *config, scadyg_options *options,
                   scadyg_error *error);

/* One option, and all of them. NULL without memory. */
json_t *cli_option_json(const scadyg_options *options, const char *name);
json_t *cli_config_json(const scadyg_options *options);

/* Whether a model that was made with some options is what others ask for on the same data. */
int cli_config_equal(const scadyg_options *made, const scadyg_options *asked);

/* Prints them on standard output, numbers with no more digits than they need. 0, or -1 without memory. */
int cli_config_print(const scadyg_options *options);

#endif
