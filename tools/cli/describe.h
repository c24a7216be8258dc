/* Numbers, ids and events files: in words for people, and as JSON; the same words in every command. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include <jansson.h>

#include "cli/cli.h"

/* ---- Numbers and words ---- */

#define CLI_TEXT 64
#define CLI_LONG_TEXT 512

/* Texts are made in memory of the block that asks for them: they can be used at once, and go with the block. */
#define cli_count(value) cli_count_in(value, (char[CLI_TEXT]){0}) /* 1,234,567 */
#define cli_counted(value, one, many)                                                                              \
    cli_text("%s %s", cli_count(value), (value) == 1 ? one : many)            /* 1 event, 2 events */
#define cli_rate(per_second) cli_rate_in(per_second, (char[CLI_TEXT]){0})     /* 12.3 M */
#define cli_bytes(bytes) cli_bytes_in(bytes, (char[CLI_TEXT]){0})             /* 12.3 MiB */
#define cli_duration(seconds) cli_duration_in(seconds, (char[CLI_TEXT]){0})   /* 29.8 days */
#define cli_share(part, whole) cli_share_in(part, whole, (char[CLI_TEXT]){0}) /* 12.3 % */
#define cli_mean(mean, std) cli_mean_in(mean, std, (char[CLI_TEXT]){0})       /* 0.1234 +- 0.0012 */
#define cli_time(shape, at) cli_time_in(shape, at, (char[CLI_TEXT]){0})       /* in the words of the data */
#define cli_text(...) cli_text_in((char[CLI_LONG_TEXT]){0}, __VA_ARGS__)      /* as printf makes it */

const char *cli_count_in(uint64_t value, char buffer[CLI_TEXT]);
const char *cli_rate_in(double per_second, char buffer[CLI_TEXT]);
const char *cli_bytes_in(uint64_t bytes, char buffer[CLI_TEXT]);
const char *cli_duration_in(double seconds, char buffer[CLI_TEXT]);
const char *cli_share_in(uint64_t part, uint64_t whole, char buffer[CLI_TEXT]);
const char *cli_mean_in(double mean, double std, char buffer[CLI_TEXT]);
const char *cli_time_in(const scadyg_shape *shape, double at, char buffer[CLI_TEXT]);
const char *cli_text_in(char buffer[CLI_LONG_TEXT], const char *format, ...) __attribute__((format(printf, 2, 3)));

size_t cli_display_width(const char *text); /* columns on a terminal, roughly */
size_t cli_terminal_width(int descriptor);  /* 80 if it is no terminal */
int cli_utf8(void);                         /* the locale wants UTF-8 */

/* Any text for a terminal: what steers one (control characters, turns of the direction) or is no text is written out as
 * \x1B. As much as fits, or all of it newly allocated. */
#define cli_safe(raw) cli_safe_in(raw, (char[CLI_LONG_TEXT]){0})
const char *cli_safe_in(const char *raw, char text[CLI_LONG_TEXT]);
char *cli_safe_text(const char *raw);

void cli_print_padded(const char *raw, size_t width, int right); /* made safe */

/* ---- Ids ---- */

/* A node's id as it is, and made safe for a terminal. Newly allocated; NULL without memory. */
char *cli_node_id(scadyg_events *events, uint32_t node, scadyg_error *error);
char *cli_node_text(scadyg_events *events, uint32_t node, scadyg_error *error);

/*
 * The nodes that --role and --node ask for, newly allocated: those with these ids in this role (a scadyg_role), or without
 * ids all of the role. *nodes is NULL where these are all there are, in their order.
 */
int cli_nodes_choose(scadyg_events *events, int role, const cli_list *ids, uint32_t **nodes, size_t *count,
                     scadyg_error *error);

/* "source" or "destination"; "" where they are of one kind. NULL on failure. */
const char *cli_node_role(scadyg_events *events, uint32_t node, scadyg_error *error);

/* ---- Events files ---- */

/* "59,835 events, 1,899 nodes, 4 edge features" */
#define cli_shape_text(shape) cli_shape_text_in(shape, (char[CLI_LONG_TEXT]){0})
const char *cli_shape_text_in(const scadyg_shape *shape, char buffer[CLI_LONG_TEXT]);

/* "2004-04-15 14:56:01 to 2004-10-26 07:52:22" */
#define cli_times_text(shape)                                                                                      \
    cli_text("%s to %s", cli_time(shape, (shape)->first_time), cli_time(shape, (shape)->last_time))

/* The numbers of an event that are features: a weight is one of them. */
uint32_t cli_edge_features(const scadyg_shape *shape);

/* Sources, destinations and times of all events. */
int cli_events_columns(scadyg_events *events, const uint32_t **src, const uint32_t **dst, const double **time,
                       scadyg_error *error);

uint64_t cli_file_size(const char *path);    /* in bytes; 0 if it cannot be told */
const char *cli_file_name(const char *path); /* without folders */
int cli_ends_with(const char *text, const char *end);

/* ---- JSON. Those that make something return NULL without memory. ---- */

/* Nodes, events, feature counts and times. */
json_t *cli_shape_json(const scadyg_shape *shape);

/* A whole number as such, any other with all its digits; null if it is not finite. */
json_t *cli_json_number(double value);

json_t *cli_json_matrix(const float *values, size_t rows, size_t columns);

/* null for no text, and for one that is not UTF-8: the name of a file need not be. */
json_t *cli_json_text(const char *text);

/* A member as text, "" if it is none; as a number, NaN if it is none. */
const char *cli_json_text_of(const json_t *object, const char *key);
double cli_json_number_of(const json_t *object, const char *key);

/* Text of several lines as an array of them. */
json_t *cli_json_lines(const char *text);

/* The allocation behind all JSON values, which never fails: values from which a piece is missing, and a library that does
 * not always look, would make results of less than there is. */
void *cli_json_alloc(size_t size);

/* Adds all members of another object, which is taken over. 0, or -1 without memory. */
int cli_json_add(json_t *object, json_t *more);

/* The value, or NULL if something did not fit into it. */
json_t *cli_json_whole(json_t *value, int failed);

/* Prints the object on standard output and forgets it. NULL counts as out of memory. */
int cli_json_print(const cli_command *command, json_t *object);

#endif
