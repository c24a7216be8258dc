/* Rates of the time encoding. */
#include "messages/nodes/rates.h"

#include <math.h>
#include <stdlib.h>

void sg_rates_even(double gamma0, size_t count, double *rates)
{
    const double last = 0.1 * gamma0;
    for (size_t j = 0; j < count; j++)
        rates[j] = count == 1 ? gamma0 : gamma0 + (double)j * ((last - gamma0) / (double)(count - 1));
}

size_t sg_rates_count(const char *text)
{
    size_t count = 1;
    for (; *text; text++) count += *text == ',';
    return count;
}

int sg_rates_parse(const char *text, size_t count, double *rates, scadyg_error *error)
{
    const char *at = text;
    for (size_t j = 0; j < count; j++) {
        char *end;
        rates[j] = strtod(at, &end);
        if (end == at || *end != (j + 1 < count ? ',' : '\0'))
            return sg_fail(error, SCADYG_E_USAGE, "--rates takes numbers separated by commas, not '%s'", text);
        if (!isfinite(rates[j]) || rates[j] < 0)
            return sg_fail(error, SCADYG_E_USAGE, "--rates must be finite and not negative, not %.*s",
                           (int)(end - at), at);
        at = end + 1;
    }
    return SCADYG_OK;
}

double sg_rates_difference(const double *rates, size_t count)
{
    if (count < 2) return 0;
    const double difference = (rates[0] - rates[count - 1]) / (double)(count - 1);
    if (difference < 0) return -1;
    for (size_t j = 0; j < count; j++) {
        double even = rates[count - 1] + (double)(count - 1 - j) * difference;
        if (fabs(rates[j] - even) > 1e-14 * rates[0]) return -1;
    }
    return difference;
}
