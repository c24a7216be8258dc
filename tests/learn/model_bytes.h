/* Models compared as the files they make. */
#ifndef TESTS_LEARN_MODEL_BYTES_H
#define TESTS_LEARN_MODEL_BYTES_H

#include "make_events.h"

static inline char *model_bytes(const scadyg_model *model, size_t *size)
{
    char path[64];
    scadyg_error error = {0};
    make_path(path);
    if (scadyg_model_save(model, path, &error)) fail_msg("%s", error.message);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    unlink(path);
    return bytes;
}

static inline void assert_same_model(const scadyg_model *a, const scadyg_model *b)
{
    size_t of_a, of_b;
    char *one = model_bytes(a, &of_a), *other = model_bytes(b, &of_b);
    assert_int_equal(of_a, of_b);
    assert_memory_equal(one, other, of_a);
    free(one);
    free(other);
}

#endif
