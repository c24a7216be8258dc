/*
 * A list of pairs to predict: src, dst and, if there is one, time. Columns are separated by commas, semicolons, tabs,
 * bars or blanks; a header is known by the names that import knows, and without one the columns are src, dst, time in this order.
 */
#ifndef CLI_PAIR_LIST_H
#define CLI_PAIR_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "scadyg.h"

typedef struct cli_field {
    const char *text; /* "" where there is none */
    uint32_t column;  /* where it begins, in bytes from 1 */
} cli_field;

typedef struct cli_pair {
    cli_field src, dst, time;
    uint64_t line; /* from 1 */
} cli_pair;

typedef struct cli_pairs {
    cli_pair *pairs;
    size_t count;
    char *text; /* what the fields point into */
} cli_pairs;

/* Takes `text` of `size` bytes apart; `name` is what errors call it ("pairs.csv:3:1: ..."). */
int cli_pairs_parse(const char *name, const char *text, size_t size, cli_pairs *pairs, scadyg_error *error);

/* The same from a file; "-" is standard input. */
int cli_pairs_read(const char *path, cli_pairs *pairs, scadyg_error *error);

void cli_pairs_free(cli_pairs *pairs);

/* "NAME:LINE:COLUMN: reason", with SCADYG_E_INPUT. */
int cli_pairs_fail(const char *name, const cli_pair *pair, const cli_field *field, const char *reason,
                   scadyg_error *error);

#endif
