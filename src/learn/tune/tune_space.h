/*
 * The space of a search: which options are varied, and over which values. docs/tuning.md says how it is written.
 */
#ifndef SG_LEARN_TUNE_TUNE_SPACE_H
#define SG_LEARN_TUNE_TUNE_SPACE_H

#include "base/options.h"
#include "scadyg_lab.h"

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

#endif
