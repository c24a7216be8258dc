/* Rates of the time encoding T(dt)_j = exp(-g_j * dt). */
#ifndef SG_MESSAGES_NODES_RATES_H
#define SG_MESSAGES_NODES_RATES_H

#include "base/status.h"

/* The paper's choice: count rates evenly spaced from gamma0 down to 0.1 * gamma0; one rate is gamma0 itself.
 */
void sg_rates_even(double gamma0, size_t count, double *rates);

/* How many numbers "g1,g2,..." has: one more than its commas. */
size_t sg_rates_count(const char *text);

/* Reads exactly count rates, each finite and not negative. */
int sg_rates_parse(const char *text, size_t count, double *rates, scadyg_error *error);

/*
 * The difference g_j - g_{j+1} if the rates descend in equal steps, so that powers of one number can stand
 * for most exponentials; -1 if they do not.
 */
double sg_rates_difference(const double *rates, size_t count);

#endif
