/* A search over the options of training, as its files know it. */
#ifndef SG_LEARN_TUNE_TUNE_H
#define SG_LEARN_TUNE_TUNE_H

#include "learn/tune/tune_rounds.h"
#include "learn/tune/tune_space.h"

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

#endif
