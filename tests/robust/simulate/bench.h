/* Where scenarios are run: folders, the memory that is shared, and what undisturbed runs make. */
#ifndef SIMULATE_BENCH_H
#define SIMULATE_BENCH_H

#include "robust/simulate/simulate.h"

enum { SIM_FILES = 128 };

typedef struct sim_listing {
    size_t count;
    struct {
        char path[SIM_PATH]; /* below the folder */
        uint64_t hash;
    } files[SIM_FILES];
} sim_listing;

/* An undisturbed run. */
typedef struct sim_reference {
    sim_extent extent;
    size_t version_count;
    sim_version *versions; /* every content that a file had */
    sim_listing last;      /* the files in the end */
    uint64_t printed;      /* hash of what it printed */
} sim_reference;

struct sim_bench {
    char fixtures[SIM_PATH], work[SIM_PATH], graves[SIM_PATH], out[SIM_PATH], err[SIM_PATH];
    sim_state *state;
    sim_reference *references; /* [work][variant], made when first needed */
};

/* One scenario on its way. */
typedef struct sim_case {
    sim_bench *bench;
    const sim_plan *plan;
    const sim_reference *reference;
    int killed, removal_failed; /* at some time */
    char *problem;
    size_t room;
} sim_case;

/* Says what did not hold; -1. */
int sim_problem(const sim_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- check.c: what must hold ---- */

int sim_list(const char *folder, sim_listing *listing);

/* How the command ended and what it said: code is its exit code, or -1 if it was killed as planned. */
int sim_check_words(const sim_case *c, int code);

/* Whether a word is one of a list with blanks. */
int sim_is_word_of(const char *list, const char *word);

/* Whether the command's output, which is its input too, is already what it makes of it. */
int sim_is_grown(const sim_case *c);

/* Each file is the one from before, or one that an undisturbed run makes; nothing else is there. */
int sim_check_files(const sim_case *c);

/* The files of the undisturbed run; with `more`, others that it made on the way may be there too. */
int sim_check_result(const sim_case *c, int more);

#endif
