/*
 * The journal of a search, a text file: a head that says which search it is, a table with a row for every trial of every
 * round, and a checksum. It is written whole after every row. docs/tuning.md shows one.
 */
#ifndef SG_LEARN_TUNE_TUNE_JOURNAL_H
#define SG_LEARN_TUNE_TUNE_JOURNAL_H

#include "base/status.h"

#define SG_JOURNAL_VERSION 1

typedef struct sg_journal_row {
    int64_t trial, round, epochs, best_epoch;
    double score;  /* if failure is NULL */
    char *failure; /* why there is no score */
    char *values;  /* of the varied options, as sg_journal_values writes them */
} sg_journal_row;

typedef struct sg_journal {
    char *head; /* lines, up to the heading of the table */
    sg_journal_row *rows;
    size_t count, room;
} sg_journal;

void sg_journal_free(sg_journal *journal); /* also a zeroed one */

/* Adds a line "WORD TEXT" to a head that is being written (NULL: begins it), the text escaped. -1 without memory. */
int sg_journal_line(char **head, const char *word, const char *text);

/* The last line of a head: the heading of the table, with a column for every varied option. -1 without memory. */
int sg_journal_heading(char **head, const char *const *names, size_t count);

/* Values as the last columns of a row. NULL without memory. */
char *sg_journal_values(const char *const *values, size_t count);

/* Adds a row; the texts are copied. */
int sg_journal_add(sg_journal *journal, const sg_journal_row *row, scadyg_error *error);

/* The whole as text, newly allocated; NULL without memory. */
char *sg_journal_text(const sg_journal *journal);

/* The other way; `name` is what errors call it. What it takes, sg_journal_text gives back byte for byte. */
int sg_journal_parse(const char *name, const char *data, size_t size, sg_journal *journal, scadyg_error *error);

int sg_journal_read(const char *path, sg_journal *journal, scadyg_error *error);
int sg_journal_write(const char *path, const sg_journal *journal, scadyg_error *error);

#endif
