/* A search over the options of training, as its files know it. */
#ifndef SG_LEARN_TUNE_TUNE_H
#define SG_LEARN_TUNE_TUNE_H

#include "base/options.h"
#include "base/status.h"
#include "scadyg_lab.h"

/*
 * The rounds of a search: who is trained next, for how long, and who is out. Knows only scores, so that it can be
 * played through again from a journal.
 */

#define SG_ROUNDS_MOST 40

/* All settings for a few epochs, the best of them for more, and so on; or every setting to its end. */
enum { SG_TUNE_HALVING, SG_TUNE_RANDOM };

typedef struct sg_tune_options {
    int method;     /* SG_TUNE_... */
    int64_t trials; /* how many settings */
    int keep;       /* halving: how many go on to the next round, 0 a third, 1 half */
    int64_t seed;   /* of the draw of settings; that of training is an option of training */
} sg_tune_options;

typedef struct sg_standing {
    int64_t admitted; /* to this round, from 1 */
    int64_t done;     /* the last round it was in; 0: none */
    int failed;
    double score; /* once done > 0 and not failed */
} sg_standing;

typedef struct sg_contest {
    scadyg_round rounds[SG_ROUNDS_MOST];
    size_t round_count;
    int64_t now; /* the round that is played */
    sg_standing *trials;
    size_t count;
} sg_contest;

/*
 * Plans the rounds. Halving: the last round is of `epochs` epochs, each one before it of a part of that (a third, a
 * half), and the first is of all trials; as many rounds as there are trials and epochs for. Random: one round.
 */
void sg_contest_plan(sg_contest *contest, const sg_tune_options *options, size_t trials, int64_t epochs);

/* Before the first trial; trials[count] are the caller's. */
void sg_contest_begin(sg_contest *contest, sg_standing *trials, size_t count);

/*
 * The trial to train next and its round. A round goes in the order of the trials; after it the best go on, of equal ones
 * the first. Where all trials of the last round failed, the best of those left behind takes their place. 0: it is over.
 */
int sg_contest_next(sg_contest *contest, size_t *trial, int64_t *round);

/* What became of it. */
void sg_contest_note(sg_contest *contest, size_t trial, int64_t round, double score);
void sg_contest_note_failure(sg_contest *contest, size_t trial, int64_t round);

/* The best so far, or `count` if none has a score. */
size_t sg_contest_best(const sg_contest *contest);

/* Whether a trial is to be trained, or may be later. */
int sg_contest_alive(const sg_contest *contest, size_t trial);

/*
 * The space of a search: which options are varied, and over which values. docs/tuning.md says how it is written.
 */

/* One option that is varied: over a list of values, or over a range of numbers. */
typedef struct sg_dimension {
    const sg_option *option;
    char *spec;       /* as it was written */
    char **values;    /* of the list, each as sg_option_text gives it; NULL: a range */
    size_t count;     /* of values */
    double low, high; /* of the range */
    int logarithmic;
} sg_dimension;

typedef struct sg_space {
    const sg_option_set *set; /* of the kind that is tuned */
    void *scratch;            /* [set->size]: to try values in */
    sg_dimension *dimensions;
    size_t count;
} sg_space;

/* From texts "NAME=SPEC" over the options of a set. Values of text options are not checked here: only a whole set of options can tell. */
int sg_space_open(sg_space *space, const sg_option_set *set, const char *const *vary, size_t count,
                  scadyg_error *error);
void sg_space_close(sg_space *space); /* also of a zeroed one */

/* How many settings there are; infinity if real numbers are drawn. */
double sg_space_size(const sg_space *space);

/* One value, u from 0 to below 1 says which: newly allocated text that the option takes. NULL without memory. */
char *sg_dimension_value(const sg_space *space, const sg_dimension *dimension, double u);

/* Whether the value that these options have lies in the dimension. */
int sg_dimension_holds(const sg_dimension *dimension, const scadyg_options *options);

extern const sg_option_set sg_tune_set; /* "tune" */

struct scadyg_tuning {
    sg_tune_options options;
    scadyg_options *base; /* owned */
    sg_space space;
    const char **names, **specs; /* [space.count] */
    size_t count;                /* trials */
    scadyg_trial *trials;        /* [count] */
    scadyg_options **train;      /* [count]: their options, owned */
    char **values;               /* [count][space.count] */
    char **failures;             /* [count]: owned, NULL where there is none */
    sg_standing *standings;      /* [count] */
    sg_contest contest;
    int ran;
    scadyg_tuning_info info;
};

/*
 * The journal of a search, a text file: a head that says which search it is, a table with a row for every trial of every
 * round, and a checksum. It is written whole after every row. docs/tuning.md shows one.
 */

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
