/* The size and kind of an events file, for people and as JSON; the same words in every command. */
#ifndef CLI_SHAPE_H
#define CLI_SHAPE_H

#include <jansson.h>

#include "cli.h"

/* "59,835 events, 1,899 nodes, 4 edge features" */
void cli_shape_text(const scadyg_shape *shape, char *buffer, size_t size);

/* "1 (weight)", "4", "33 (32 and weight)", "0" */
void cli_edge_features_text(const scadyg_shape *shape, char buffer[CLI_TEXT]);

/* "2004-04-15 14:56:01 to 2004-10-26 07:52:22" */
void cli_times_text(const scadyg_shape *shape, char *buffer, size_t size);

/* The numbers of an event that are features: a weight is one of them. */
uint32_t cli_edge_features(const scadyg_shape *shape);

/* Adds nodes, events, feature counts and times to an object. 0, or -1 without memory. */
int cli_shape_json(json_t *object, const scadyg_shape *shape);

/* A whole number as such, any other with all its digits; null if it is not finite. */
json_t *cli_json_number(double value);

/* Prints the object on standard output and forgets it. NULL counts as out of memory. */
int cli_json_print(const cli_command *command, json_t *object);

/* Text of several lines as an array of them. */
json_t *cli_json_lines(const char *text);

/* The length of a file in bytes; 0 if it cannot be told. */
uint64_t cli_file_size(const char *path);

#endif
