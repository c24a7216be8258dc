/* The ages at which memory curves are drawn. */
#ifndef CLI_MEMORY_AGES_H
#define CLI_MEMORY_AGES_H

#include <stddef.h>

#include "scadyg.h"

/* `count` ages, evenly on a logarithmic scale: from where the fastest rate has forgotten next to nothing to where the
 * slowest has forgotten nearly all. SCADYG_E_USAGE for a model without memory curves. */
int cli_memory_ages(const scadyg_predictor *predictor, double *ages, size_t count, scadyg_error *error);

#endif
