/* Numbers, ids and events files: in words for people, and as JSON; the same words in every command. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include <jansson.h>

#include "cli/cli.h"

/* ---- Numbers and words ---- */

#define CLI_TEXT 64

const char *cli_count(uint64_t value, char buffer[CLI_TEXT]);                /* 1,234,567 */
const char *cli_rate(double per_second, char buffer[CLI_TEXT]);              /* 12.3 M */
const char *cli_bytes(uint64_t bytes, char buffer[CLI_TEXT]);                /* 12.3 MiB */
const char *cli_duration(double seconds, char buffer[CLI_TEXT]);             /* 29.8 days */
const char *cli_share(uint64_t part, uint64_t whole, char buffer[CLI_TEXT]); /* 12.3 % */
size_t cli_display_width(const char *text);                                  /* columns on a terminal, roughly */
size_t cli_terminal_width(int descriptor);                                   /* 80 if it is no terminal */
int cli_utf8(void);                                                          /* the locale wants UTF-8 */
void cli_print_padded(const char *text, size_t width, int right);

/* Any text for a terminal: control characters written out. Newly allocated; NULL without memory. */
char *cli_safe_text(const char *raw);

/* ---- Ids ---- */

/* A node's id as it is, and for a terminal: control characters written out. Newly allocated; NULL without memory. */
char *cli_node_id(scadyg_events *events, uint32_t node, scadyg_error *error);
char *cli_node_text(scadyg_events *events, uint32_t node, scadyg_error *error);

/* The nodes with these ids, as many as there are words. */
int cli_nodes_find(scadyg_events *events, const cli_list *ids, uint32_t *nodes, scadyg_error *error);

/* ---- Events files ---- */

/* "59,835 events, 1,899 nodes, 4 edge features" */
void cli_shape_text(const scadyg_shape *shape, char *buffer, size_t size);

/* "1 (weight)", "4", "33 (32 and weight)", "0" */
void cli_edge_features_text(const scadyg_shape *shape, char buffer[CLI_TEXT]);

/* "2004-04-15 14:56:01 to 2004-10-26 07:52:22" */
void cli_times_text(const scadyg_shape *shape, char *buffer, size_t size);

/* The numbers of an event that are features: a weight is one of them. */
uint32_t cli_edge_features(const scadyg_shape *shape);

uint64_t cli_file_size(const char *path); /* in bytes; 0 if it cannot be told */
int cli_exists(const char *path);
const char *cli_file_name(const char *path); /* without folders */
int cli_ends_with(const char *text, const char *end);

/* ---- JSON. Those that make something return NULL without memory. ---- */

/* Nodes, events, feature counts and times. */
json_t *cli_shape_json(const scadyg_shape *shape);

/* A whole number as such, any other with all its digits; null if it is not finite. */
json_t *cli_json_number(double value);

/* null for no text, and for one that is not UTF-8: the name of a file need not be. */
json_t *cli_json_text(const char *text);

/* Text of several lines as an array of them. */
json_t *cli_json_lines(const char *text);

/* Adds all members of another object, which is taken over. 0, or -1 without memory. */
int cli_json_add(json_t *object, json_t *more);

/* The value, or NULL if something did not fit into it. */
json_t *cli_json_whole(json_t *value, int failed);

/* Prints the object on standard output and forgets it. NULL counts as out of memory. */
int cli_json_print(const cli_command *command, json_t *object);

#endif
