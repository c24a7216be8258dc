/* A search over the options of training, as its two files know it. */
#ifndef SG_TASKS_TUNE_H
#define SG_TASKS_TUNE_H

#include "tasks/tune_rounds.h"
#include "tasks/tune_space.h"

struct scadyg_tuning {
    scadyg_tune_options options;
    scadyg_train_options base;
    sg_space space;
    const char **names, **specs; /* [space.count] */
    size_t count;                /* trials */
    scadyg_trial *trials;        /* [count] */
    scadyg_train_options *train; /* [count]: their options */
    char **values;               /* [count][space.count] */
    char **failures;             /* [count]: owned, NULL where there is none */
    sg_standing *standings;      /* [count] */
    sg_contest contest;
    int ran;
    scadyg_tuning_info info;
};

#endif
