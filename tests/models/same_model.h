/* Whether two models are the same in all that a file keeps. */
#ifndef TESTS_MODELS_SAME_MODEL_H
#define TESTS_MODELS_SAME_MODEL_H

#include "models/sample_model.h"

static inline unsigned char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static inline void assert_same_file(const char *a, const char *b)
{
    size_t n, m;
    unsigned char *x = read_whole(a, &n), *y = read_whole(b, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

static inline void assert_same_options(const scadyg_options *a, const scadyg_options *b)
{
    assert_ptr_equal(a->owner, b->owner);
    for (size_t i = 0; i < a->set->count; i++) {
        char x[256], y[256];
        sg_option_text(&a->set->table[i], a->values, x, sizeof x);
        sg_option_text(&b->set->table[i], b->values, y, sizeof y);
        assert_string_equal(x, y);
    }
    const sg_train_options *x = a->values, *y = b->values;
    assert_true(!sg_given(x->labels) && !sg_given(y->labels));
    assert_true((x->messages.rates == NULL) == (y->messages.rates == NULL));
}

static inline void assert_same_trained_on(const sg_trained_on *a, const sg_trained_on *b)
{
    assert_true(a->origin == b->origin && a->range == b->range);
    assert_int_equal(a->events, b->events);
    assert_int_equal(a->steps, b->steps);
    assert_int_equal(a->step_rule, b->step_rule);
    assert_int_equal(a->edge_features, b->edge_features);
    assert_int_equal(a->node_features, b->node_features);
    assert_int_equal(a->has_weight, b->has_weight);
    assert_int_equal(a->features_zero, b->features_zero);
    assert_int_equal(a->column_count, b->column_count);
    if (a->columns) assert_memory_equal(a->columns, b->columns, a->column_count * sizeof *a->columns);
}

static inline void assert_same_parameters(const scadyg_model *a, const scadyg_model *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->width, b->width);
    assert_true((a->values == NULL) == (b->values == NULL));
    if (a->values) assert_memory_equal(a->values, b->values, a->count * sizeof(float));
    assert_true((a->mean == NULL) == (b->mean == NULL));
    if (a->mean) assert_memory_equal(a->mean, b->mean, a->width * sizeof(float));
    if (a->mean) assert_memory_equal(a->scale, b->scale, a->width * sizeof(float));
    if (!a->kind->pack) return;
    /* What the kind keeps, as it writes it. */
    sg_pack x = {0}, y = {0};
    sg_pack_begin(&x, SG_PART_NET), sg_pack_begin(&y, SG_PART_NET);
    a->kind->pack(a, &x), b->kind->pack(b, &y);
    assert_true(x.size && x.size == y.size);
    assert_memory_equal(x.data, y.data, x.size);
    free(x.data), free(y.data);
}

static inline void assert_same_info(const scadyg_model_info *x, const scadyg_model_info *y)
{
    assert_string_equal(x->kind, y->kind);
    assert_string_equal(x->task, y->task);
    assert_int_equal(x->learns, y->learns);
    assert_int_equal(x->parameters, y->parameters);
    assert_int_equal(x->width, y->width);
    assert_int_equal(x->hidden, y->hidden);
    assert_string_equal(x->score, y->score);
    assert_int_equal(x->shape->events, y->shape->events);
    assert_int_equal(x->shape->nodes, y->shape->nodes);
    assert_true(x->shape->last_time == y->shape->last_time);
    assert_true(x->train_end == y->train_end && x->validation_end == y->validation_end);
}

static inline void assert_same_model(const scadyg_model *a, const scadyg_model *b)
{
    assert_ptr_equal(a->kind, b->kind);
    assert_same_options(a->options, b->options);
    assert_same_parameters(a, b);
    assert_same_trained_on(&a->trained_on, &b->trained_on);
    assert_int_equal(a->classes, b->classes);
    for (size_t i = 0; i < a->classes; i++) assert_string_equal(scadyg_model_class(a, i), scadyg_model_class(b, i));
    assert_null(scadyg_model_class(b, b->classes));
    assert_int_equal(a->label_file.lines, b->label_file.lines);
    assert_int_equal(a->label_file.checksum, b->label_file.checksum);
    assert_string_equal(a->data, b->data);
    assert_int_equal(a->checksum, b->checksum);
    assert_true(a->train_end == b->train_end && a->validation_end == b->validation_end);
    assert_true(a->validation == b->validation || (isnan(a->validation) && isnan(b->validation)));
    assert_int_equal(a->epochs, b->epochs);
    assert_int_equal(a->best_epoch, b->best_epoch);
    assert_string_equal(scadyg_model_result(a), scadyg_model_result(b));
    assert_same_info(scadyg_model_look(a), scadyg_model_look(b));
    assert_ptr_equal(scadyg_model_look(b)->options, b->options);
}

#endif
