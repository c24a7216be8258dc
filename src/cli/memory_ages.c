/* The ages at which memory curves are drawn, the same in report and study. */
#include "memory_ages.h"

#include <math.h>

int cli_memory_ages(const scadyg_predictor *predictor, double *ages, size_t count, scadyg_error *error)
{
    double slowest, fastest;
    int status = scadyg_memory_rates(predictor, &slowest, &fastest, error);
    if (status) return status;
    const double low = fastest > 0 ? 0.02 / fastest : 1e-3, high = slowest > 0 ? 5 / slowest : 1e3 * low;
    for (size_t i = 0; i < count; i++) ages[i] = low * pow(high / low, (double)i / (double)(count - 1));
    return SCADYG_OK;
}
