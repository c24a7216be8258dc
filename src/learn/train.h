/* Training, as a search calls it. */
#ifndef SG_LEARN_TRAIN_H
#define SG_LEARN_TRAIN_H

#include "scadyg.h"

/* How far a training got. */
typedef struct sg_reached {
    int64_t epochs;
    int64_t best_epoch; /* 0: none was better than the start, or had a score */
    double validation;  /* the score of the best epoch, or of a start that counts; NaN: there is none */
} sg_reached;

/* scadyg_train that also says, if it is stopped too, how far it got. reached may be NULL. */
int sg_train(scadyg_context *context, scadyg_events *events, const scadyg_options *options, const char *checkpoint,
             int resume, const scadyg_watch *watch, sg_reached *reached, scadyg_model **model, scadyg_error *error);

#endif
