/*
 * The rounds of a search: who is trained next, for how long, and who is out. Knows only scores, so that it can be
 * played through again from a journal.
 */
#ifndef SG_LEARN_TUNE_TUNE_ROUNDS_H
#define SG_LEARN_TUNE_TUNE_ROUNDS_H

#include "base/status.h"
#include "scadyg_lab.h"

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

#endif
