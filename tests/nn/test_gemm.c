/*
 * Products of matrices: gemm.c as the library has it, with a BLAS where the build found one, and compiled here without,
 * against sums in double precision. What is too small for BLAS is the same bytes in both.
 */
#include "cmocka_all.h"

#include "base/rng.h"
#include "numbers.h"

/* Without a BLAS, under names of its own. */
#undef SCADYG_HAVE_BLAS
#define sg_gemm_ready plain_ready
#define sg_gemm_lanes plain_lanes
#define sg_gemm_outer plain_outer
#define sg_gemm_rows plain_rows
#include "nn/gemm.c"
#undef sg_gemm_ready
#undef sg_gemm_lanes
#undef sg_gemm_outer
#undef sg_gemm_rows

int sg_gemm_ready(size_t a, size_t b, size_t c, scadyg_error *error);
void sg_gemm_lanes(const sg_kernels *kernels, size_t outputs, size_t inputs, size_t lanes, sg_weights weights,
                   const float *bias, const float *x, float *out);
void sg_gemm_outer(const sg_kernels *kernels, size_t rows, size_t columns, size_t lanes, const float *x,
                   const float *y, float *out);
void sg_gemm_rows(const sg_kernels *kernels, size_t outputs, size_t inputs, size_t count, const float *a,
                  const float *bias, const float *x, float *out);

static float *random_floats(sg_rng *rng, size_t count)
{
    float *x = malloc(count * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < count; i++) x[i] = (float)sg_rng_normal(rng);
    return x;
}

/* Numbers of size 1: a sum of `terms` products is off by some last places of the size of the sum. */
static void close_to(float value, double expected, size_t terms)
{
    near((double)value, expected, 2e-6 * sqrt((double)terms) + 1e-6 * fabs(expected));
}

typedef struct product {
    size_t a, b, c; /* outputs, inputs and lanes; rows, columns and lanes; outputs, inputs and count */
    int large;      /* enough for BLAS, if there is one */
} product;

static const product products[] = {
    {128, 272, 128, 1}, {64, 64, 256, 1},  {25, 144, 304, 1}, {128, 8, 1024, 1}, {8, 130, 1032, 1},
    {513, 257, 8, 1},   {5, 1000, 512, 0}, {64, 8, 128, 0},   {7, 3, 16, 0},     {1, 1, 8, 0},
};
enum { PRODUCTS = sizeof products / sizeof *products };

/* Both results of one product; weights lie by inputs or by outputs, with a bias or without. */
static void check_lanes(const product *p, int by_inputs, int biased, uint64_t seed)
{
    const size_t outputs = p->a, inputs = p->b, lanes = p->c;
    const sg_kernels *kernels = sg_kernels_best();
    sg_rng rng;
    sg_rng_seed(&rng, seed, 0);
    float *w = random_floats(&rng, outputs * inputs), *x = random_floats(&rng, inputs * lanes);
    float *bias = random_floats(&rng, outputs), *one = random_floats(&rng, outputs * lanes);
    float *two = random_floats(&rng, outputs * lanes);
    const sg_weights weights = {w, by_inputs ? outputs : 1, by_inputs ? 1 : inputs};
    sg_gemm_lanes(kernels, outputs, inputs, lanes, weights, biased ? bias : NULL, x, one);
    plain_lanes(kernels, outputs, inputs, lanes, weights, biased ? bias : NULL, x, two);
    if (!p->large) assert_memory_equal(one, two, outputs * lanes * sizeof *one);
    for (size_t o = 0; o < outputs; o++)
        for (size_t i = 0; i < lanes; i += 1 + lanes / 20) {
            double sum = biased ? (double)bias[o] : 0;
            for (size_t k = 0; k < inputs; k++)
                sum += (double)w[k * weights.inner + o * weights.outer] * (double)x[k * lanes + i];
            close_to(one[o * lanes + i], sum, inputs);
            close_to(two[o * lanes + i], sum, inputs);
        }
    free(w), free(x), free(bias), free(one), free(two);
}

static void lanes(void **state)
{
    (void)state;
    for (size_t i = 0; i < PRODUCTS; i++)
        for (int form = 0; form < 4; form++) check_lanes(&products[i], form / 2, form % 2, i);
}

static void outer(void **state)
{
    (void)state;
    for (size_t i = 0; i < PRODUCTS; i++) {
        const size_t rows = products[i].a, columns = products[i].b, count = products[i].c;
        sg_rng rng;
        sg_rng_seed(&rng, i, 1);
        float *x = random_floats(&rng, rows * count), *y = random_floats(&rng, columns * count);
        float *one = random_floats(&rng, rows * columns), *two = random_floats(&rng, rows * columns);
        sg_gemm_outer(sg_kernels_best(), rows, columns, count, x, y, one);
        plain_outer(sg_kernels_best(), rows, columns, count, x, y, two);
        if (!products[i].large) assert_memory_equal(one, two, rows * columns * sizeof *one);
        for (size_t k = 0; k < rows; k++)
            for (size_t h = 0; h < columns; h += 1 + columns / 20) {
                double sum = 0;
                for (size_t n = 0; n < count; n++) sum += (double)x[k * count + n] * (double)y[h * count + n];
                close_to(one[k * columns + h], sum, count);
                close_to(two[k * columns + h], sum, count);
            }
        free(x), free(y), free(one), free(two);
    }
}

static void check_rows(const product *p, int biased, uint64_t seed)
{
    const size_t outputs = p->a, inputs = p->b, count = p->c;
    sg_rng rng;
    sg_rng_seed(&rng, seed, 2);
    float *a = random_floats(&rng, inputs * outputs), *x = random_floats(&rng, count * inputs);
    float *bias = random_floats(&rng, outputs), *one = random_floats(&rng, count * outputs);
    float *two = random_floats(&rng, count * outputs);
    sg_gemm_rows(sg_kernels_best(), outputs, inputs, count, a, biased ? bias : NULL, x, one);
    plain_rows(sg_kernels_best(), outputs, inputs, count, a, biased ? bias : NULL, x, two);
    if (!p->large) assert_memory_equal(one, two, count * outputs * sizeof *one);
    for (size_t n = 0; n < count; n++)
        for (size_t o = 0; o < outputs; o += 1 + outputs / 20) {
            double sum = biased ? (double)bias[o] : 0;
            for (size_t k = 0; k < inputs; k++) sum += (double)x[n * inputs + k] * (double)a[k * outputs + o];
            close_to(one[n * outputs + o], sum, inputs);
            close_to(two[n * outputs + o], sum, inputs);
        }
    free(a), free(x), free(bias), free(one), free(two);
}

static void rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < PRODUCTS; i++)
        for (int biased = 0; biased < 2; biased++) check_rows(&products[i], biased, i);
}

/* Without a BLAS large products, too, are the same bytes on every processor. */
static void same_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < PRODUCTS; i++) {
        const size_t a = products[i].a, b = products[i].b, c = products[i].c;
        sg_rng rng;
        sg_rng_seed(&rng, i, 3);
        float *w = random_floats(&rng, a * b), *x = random_floats(&rng, b * c), *y = random_floats(&rng, a * c);
        float *one = random_floats(&rng, a * c), *two = random_floats(&rng, a * c);
        plain_lanes(sg_kernels_best(), a, b, c, (sg_weights){w, 1, b}, NULL, x, one);
        plain_lanes(&sg_kernels_any, a, b, c, (sg_weights){w, 1, b}, NULL, x, two);
        assert_memory_equal(one, two, a * c * sizeof *one);
        plain_rows(sg_kernels_best(), a, b, c, w, NULL, x, one);
        plain_rows(&sg_kernels_any, a, b, c, w, NULL, x, two);
        assert_memory_equal(one, two, a * c * sizeof *one);
        free(one), free(two);
        one = random_floats(&rng, a * b), two = random_floats(&rng, a * b);
        plain_outer(sg_kernels_best(), a, b, c, y, x, one);
        plain_outer(&sg_kernels_any, a, b, c, y, x, two);
        assert_memory_equal(one, two, a * b * sizeof *one);
        free(w), free(x), free(y), free(one), free(two);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes),
        cmocka_unit_test(outer),
        cmocka_unit_test(rows),
        cmocka_unit_test(same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
