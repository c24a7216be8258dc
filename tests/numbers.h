/* Numbers of tests: how near they must be, and how many rounds there are of them. */
#ifndef TESTS_NUMBERS_H
#define TESTS_NUMBERS_H

#include "cmocka_all.h"

#include <math.h>
#include <stdlib.h>

static inline void near(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance)) fail_msg("%.17g where %.17g was expected", actual, expected);
}

/* Fewer of them where SCADYG_TEST_ROUNDS says so: under sanitizers. */
static inline size_t rounds(size_t usual)
{
    const char *told = getenv("SCADYG_TEST_ROUNDS");
    const size_t most = told ? strtoull(told, NULL, 10) : usual;
    return most && most < usual ? most : usual;
}

#endif
