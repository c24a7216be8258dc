/*
 * Options as JSON: an object of option name -> string, number or true/false, null for "not set". What is printed reads
 * back to the same options.
 */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include <jansson.h>

#include "scadyg.h"

typedef struct cli_table {
    const scadyg_option *options;
    size_t count;
} cli_table;

/*
 * Sets the options that `data` names; `name` is what errors call it. On failure nothing is set. Texts are borrowed from
 * *kept, which the caller gives to json_decref when the parameters are no longer used.
 */
int cli_config_parse(const char *name, const char *data, size_t size, cli_table table, void *parameters,
                     size_t parameters_size, json_t **kept, scadyg_error *error);

/* The same from a file. */
int cli_config_read(const char *path, cli_table table, void *parameters, size_t parameters_size, json_t **kept,
                    scadyg_error *error);

/* The options that make a model, all of them: those that only say how to compute (threads, memory) are left out. */
json_t *cli_config_json(cli_table table, const void *parameters);

/* Prints that on standard output, numbers with no more digits than they need. 0, or -1 without memory. */
int cli_config_print(cli_table table, const void *parameters);

#endif
