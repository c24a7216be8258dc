/* Sets of options for tests, in one line. What is not taken ends the program with the sentence. */
#ifndef TESTS_TRAIN_OPTIONS_H
#define TESTS_TRAIN_OPTIONS_H

#include "scadyg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets "name=value" for each of the settings, which have spaces between them; NULL: none. */
static inline scadyg_options *apply_settings(scadyg_options *options, const char *settings)
{
    scadyg_error error;
    while (settings && *(settings += strspn(settings, " "))) {
        char name[256], *value;
        size_t length = strcspn(settings, " ");
        if (length >= sizeof name) abort();
        memcpy(name, settings, length);
        name[length] = 0;
        settings += length;
        if ((value = strchr(name, '='))) *value++ = 0;
        if (scadyg_options_set(options, name, value, &error)) {
            fprintf(stderr, "%s\n", error.message);
            abort();
        }
    }
    return options;
}

/* The options of training for a kind and a task, with settings "epochs=2 lr=0.01"; for the caller to close. */
static inline scadyg_options *train_options(const char *model, const char *task, const char *settings)
{
    scadyg_options *options;
    scadyg_error error;
    if (scadyg_options_open_train(model, task, &options, &error)) {
        fprintf(stderr, "%s\n", error.message);
        abort();
    }
    return apply_settings(options, settings);
}

/* The same for another set: "import", "evaluate", "generate", "messages", "tune". */
static inline scadyg_options *set_options(const char *set, const char *settings)
{
    scadyg_options *options;
    scadyg_error error;
    if (scadyg_options_open(set, &options, &error)) {
        fprintf(stderr, "%s\n", error.message);
        abort();
    }
    return apply_settings(options, settings);
}

#endif
