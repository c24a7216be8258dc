/* Runs one piece of work with every call in turn failing, and checks what is left behind each time. */
#ifndef TESTS_ROBUST_FAULTS_RUN_H
#define TESTS_ROBUST_FAULTS_RUN_H

#include "scadyg.h"

typedef struct faults_work {
    const char *name;
    /* Does the work, writing `output` in an own directory. Returns its status and fills *error. */
    int (*run)(void *context, const char *output, scadyg_error *error);
    void *context;
} faults_work;

/*
 * Fails, in each kind of fault and both with one failing call and with all later ones failing too, call 1, 2,
 * 3 and so on, until the work is through without a failure. Each time the work must either report an error
 * with a message and leave the directory as it was, or succeed with the very bytes it gives without faults;
 * no descriptor may stay open. Fails the running cmocka test otherwise. Returns the number of failures tried.
 */
long faults_everywhere(const faults_work *work);

#endif
