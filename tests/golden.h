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

/* All numbers of nested arrays, in order; returns how many. */
static inline size_t golden_numbers(const json_t *json, double *out)
{
    size_t count = 0;
    if (json_is_number(json)) {
        *out = json_number_value(json);
        return 1;
    }
    assert_true(json_is_array(json));
    for (size_t i = 0; i < json_array_size(json); i++)
        count += golden_numbers(json_array_get(json, i), out + count);
    return count;
}

#endif
