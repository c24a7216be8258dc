/* The golden files: numbers that an independent implementation computed. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include "cmocka_all.h"

#include <jansson.h>
#include <stdio.h>

static inline json_t *golden_load(const char *name)
{
    char path[512];
    json_error_t error;
    snprintf(path, sizeof path, "%s/golden/%s", TESTS_DIR, name);
    json_t *json = json_load_file(path, 0, &error);
    if (!json) fail_msg("%s: %s", path, error.text);
    return json;
}

#endif
