/* How often a random test is repeated; $SCADYG_TEST_ROUNDS makes it less where everything is slow. */
#ifndef EVALUATE_ROUNDS_H
#define EVALUATE_ROUNDS_H

#include <stdint.h>
#include <stdlib.h>

static inline uint64_t rounds(uint64_t usual)
{
    const char *told = getenv("SCADYG_TEST_ROUNDS");
    uint64_t most = told ? strtoull(told, NULL, 10) : usual;
    return most < usual ? most : usual;
}

#endif
