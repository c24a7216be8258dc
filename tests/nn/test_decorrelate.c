/* Inputs taken apart: M is the inverse root it says it is, and Adam moves what stands for the values. */
#include "golden.h"

#include "base/rng.h"
#include "nn/decorrelate.h"
#include "nn/optimiser.h"
#include "numbers.h"

#include <string.h>

enum { WIDTH = 7, ROWS = 500 };

/* Columns of which some are sums of others, one never varies, and one is far from 0. */
static void draw_row(sg_rng *rng, float *row)
{
    for (size_t j = 0; j < WIDTH; j++) row[j] = (float)sg_rng_normal(rng);
    row[2] = row[0] + 0.1F * row[1];
    row[4] = -3 * row[3];
    row[5] = 4;
    row[6] += 1000;
}

/* The correlations by definition, and M and its inverse by the same rows. */
static void decorrelate(double correlation[WIDTH][WIDTH], float *matrix, float *inverse)
{
    static float rows[ROWS][WIDTH];
    double mean[WIDTH] = {0};
    float scale[WIDTH];
    sg_covariance covariance;
    sg_rng rng;
    sg_rng_seed(&rng, 3, 0);
    assert_int_equal(sg_covariance_open(&covariance, WIDTH, NULL), SCADYG_OK);
    for (size_t i = 0; i < ROWS; i++) {
        draw_row(&rng, rows[i]);
        sg_covariance_add(&covariance, rows[i]);
        for (size_t j = 0; j < WIDTH; j++) mean[j] += (double)rows[i][j] / ROWS;
    }
    for (size_t j = 0; j < WIDTH; j++) {
        double square = 0;
        for (size_t i = 0; i < ROWS; i++) square += pow((double)rows[i][j] - mean[j], 2) / ROWS;
        scale[j] = square > 1e-12 ? (float)(1 / sqrt(square)) : 1;
    }
    for (size_t j = 0; j < WIDTH; j++)
        for (size_t k = 0; k < WIDTH; k++) {
            correlation[j][k] = 0;
            for (size_t i = 0; i < ROWS; i++)
                correlation[j][k] += ((double)rows[i][j] - mean[j]) * (double)scale[j] *
                                     ((double)rows[i][k] - mean[k]) * (double)scale[k] / ROWS;
        }
    assert_int_equal(sg_decorrelate(&covariance, scale, matrix, inverse, NULL), SCADYG_OK);
    sg_covariance_close(&covariance);
}

static void inverse_root(void **state)
{
    (void)state;
    double correlation[WIDTH][WIDTH], ridge;
    float matrix[WIDTH * WIDTH], inverse[WIDTH * WIDTH];
    decorrelate(correlation, matrix, inverse);
    /* The column that never varies has no correlations: there M is the root of (1 + r) / r. */
    ridge = 1 / (pow((double)matrix[5 * WIDTH + 5], 2) - 1);
    assert_true(ridge > 0.01 && ridge < 100);
    for (size_t i = 0; i < WIDTH; i++)
        for (size_t j = 0; j < WIDTH; j++) {
            double product = 0, square = 0;
            for (size_t k = 0; k < WIDTH; k++) {
                product += (double)matrix[i * WIDTH + k] * (double)inverse[k * WIDTH + j];
                square += (double)inverse[i * WIDTH + k] * (double)inverse[k * WIDTH + j];
            }
            near(product, i == j, 1e-5);
            near(square, (correlation[i][j] + (i == j) * ridge) / (1 + ridge), 1e-5);
            assert_true(fabsf(matrix[i * WIDTH + j] - matrix[j * WIDTH + i]) < 1e-6F);
        }
}

/* Adam on V by hand, with W = M V and the gradient of W given. */
static void check_block(size_t columns)
{
    enum { BEGIN = 3, MOST = BEGIN + WIDTH * 24 + 2, STEPS = 40 };
    const size_t count = BEGIN + WIDTH * columns + 2;
    double correlation[WIDTH][WIDTH];
    float matrix[WIDTH * WIDTH], inverse[WIDTH * WIDTH];
    float values[MOST], raw[MOST], at[MOST], slope[MOST], gradient[MOST], moved[MOST], own[MOST], back[MOST];
    float mean[2][MOST] = {{0}}, power[2][MOST] = {{0}};
    sg_rng rng;
    decorrelate(correlation, matrix, inverse);
    const sg_block block = {BEGIN, WIDTH, columns, matrix, inverse};
    sg_optimiser optimiser = {.adam = SG_ADAM_DEFAULT(0.01, 0),
                              .average = mean[0],
                              .square = power[0],
                              .raw = raw,
                              .blocks = &block,
                              .block_count = 1,
                              .at = at,
                              .slope = slope};
    sg_rng_seed(&rng, 5, 0);
    for (size_t i = 0; i < count; i++) raw[i] = moved[i] = (float)sg_rng_normal(&rng);
    sg_blocks_apply(&block, 1, 0, count, raw, values);
    sg_blocks_apply(&block, 1, 1, count, values, back);
    for (size_t i = 0; i < count; i++) near((double)back[i], (double)raw[i], 1e-4);
    assert_ptr_equal(sg_optimiser_at(&optimiser, values), at);
    for (uint64_t t = 1; t <= STEPS; t++) {
        for (size_t i = 0; i < count; i++) gradient[i] = (float)sg_rng_normal(&rng);
        memcpy(own, gradient, count * sizeof *own);
        for (size_t i = 0; i < WIDTH; i++)
            for (size_t c = 0; c < columns; c++) {
                double sum = 0;
                for (size_t k = 0; k < WIDTH; k++)
                    sum += (double)matrix[i * WIDTH + k] * (double)gradient[BEGIN + k * columns + c];
                own[BEGIN + i * columns + c] = (float)sum;
            }
        sg_optimiser_step(&optimiser, count, values, gradient);
        sg_adam_step(&optimiser.adam, count, moved, own, mean[1], power[1], t);
        for (size_t i = 0; i < count; i++) near((double)raw[i], (double)moved[i], 1e-4);
        sg_blocks_apply(&block, 1, 0, count, raw, back);
        assert_memory_equal(at, back, count * sizeof *at); /* without an average the values are that */
        assert_memory_equal(values, at, count * sizeof *at);
    }
}

/* Columns that fill vectors of eight, a few, and neither: each has a way of its own. */
static void moves_blocks(void **state)
{
    (void)state;
    static const size_t columns[] = {4, 5, 8, 11, 24};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) check_block(columns[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverse_root),
        cmocka_unit_test(moves_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
