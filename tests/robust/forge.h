/*
 * Forgers: programs that write files as an enemy would, with right checksums and hostile contents, and use them as anybody
 * would. One seed decides all of it. Whatever the file says, it is refused with a sentence or answered, within the memory
 * that was granted and in a time that fits its size.
 */
#ifndef TESTS_ROBUST_FORGE_H
#define TESTS_ROBUST_FORGE_H

#include "base/rng.h"
#include "scadyg.h"
#include "scadyg_lab.h"

#include <stdio.h>
#include <stdlib.h>

#define FORGE_MEMORY ((uint64_t)256 << 20) /* that work with a forged file may take */

typedef struct forger {
    const char *name;
    void (*prepare)(const char *directory); /* good files to start from */
    void (*forge)(sg_rng *rng, const char *path, char *what, size_t size);
    int (*use)(const char *path); /* in a process of its own, with limits; whether it was answered */
} forger;

extern const forger forge_events, forge_models, forge_checkpoints;

/* Ends the program unless it holds. */
#define PROMISE(condition)                                                                                         \
    ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition), abort()))

/* A call has answered or refused: there is a sentence, and no want of memory that was not foreseen. Returns the status. */
int forge_told(int status, const scadyg_error *error);

/* One thread, FORGE_MEMORY. */
scadyg_context *forge_context(void);

/* A number that may hurt: as 8 bytes, 4 of them for a float or a short one. */
uint64_t forge_whole(sg_rng *rng);
double forge_real(sg_rng *rng);

/* Overwrites a number in bytes[size], a multiple of `step` from the beginning, as what the draw makes of it. */
void forge_number(sg_rng *rng, unsigned char *bytes, size_t size, size_t step, char *what, size_t room);

#endif
