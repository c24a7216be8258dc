/* The inner loops: against golden numbers and exact ones, and the same bytes whatever the processor. */
#include "golden.h"

#include "base/rng.h"
#include "nn/kernels.h"
#include "numbers.h"

#include <string.h>

static double exact_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* The gradient of the golden hypernetwork, by the inner loops of both kinds. */
static void golden_gradient(void **state)
{
    (void)state;
    enum { D = 5, N = 3, LANES = 8 };
    json_t *golden = golden_load("hypernetwork.json"), *input = json_object_get(golden, "input");
    json_t *grad = json_object_get(golden, "grad");
    const sg_kernels *both[] = {&sg_kernels_any, sg_kernels_best()};
    double x[N * D], c[N * D], w[D * D], wr[D * D], p[D], expected[D * D];
    float rows[2][N * D], values[3][D * D], m[D * LANES], r[D * LANES], h[D * LANES], dh[D * LANES], dr[D * LANES];
    float s[D * D * LANES], dw[D * D], dwr[D * D], dp[D];
    golden_numbers(json_object_get(input, "x"), x);
    golden_numbers(json_object_get(input, "c"), c);
    golden_numbers(json_object_get(input, "W"), w);
    golden_numbers(json_object_get(input, "Wr"), wr);
    golden_numbers(json_object_get(input, "Wp"), p);
    for (size_t i = 0; i < N * D; i++) rows[0][i] = (float)x[i], rows[1][i] = (float)c[i];
    for (size_t i = 0; i < D * D; i++) values[0][i] = (float)w[i], values[1][i] = (float)wr[i];
    for (size_t i = 0; i < D; i++) values[2][i] = (float)p[i];
    for (size_t kind = 0; kind < 4; kind++) {
        const sg_kernels *kernels = both[kind / 2];
        kernels->gather(D, rows[0], NULL, N, LANES, m);
        kernels->gather(D, rows[1], NULL, N, LANES, dh);
        kernels->mix(D, D, LANES, (sg_weights){values[1], 1, D}, NULL, m, r);
        const sg_grid grid = {.width = D,
                              .lanes = LANES,
                              .w = values[0],
                              .p = values[2],
                              .m = m,
                              .r = r,
                              .h = h,
                              .s = kind % 2 ? s : NULL,
                              .dh = dh,
                              .dr = dr,
                              .dw = dw,
                              .dp = dp};
        kernels->grid_forward(&grid);
        kernels->grid_backward(&grid);
        kernels->outer(D, D, LANES, dr, m, dwr);
        golden_numbers(json_object_get(grad, "W"), expected);
        for (size_t i = 0; i < D * D; i++) near((double)dw[i], expected[i], 1e-6);
        golden_numbers(json_object_get(grad, "Wr"), expected);
        for (size_t i = 0; i < D * D; i++) near((double)dwr[i], expected[i], 1e-6);
        golden_numbers(json_object_get(grad, "Wp"), expected);
        for (size_t i = 0; i < D; i++) near((double)dp[i], expected[i], 1e-6);
    }
    json_decref(golden);
}

/* The inner loops that no gradient uses: scores, layers over tables, Adam. Both kinds, the same bytes. */
static void same_bytes_of_tables(void **state)
{
    (void)state;
    enum { N = 50, MOST = 70 };
    const sg_kernels *one = sg_kernels_best(), *two = &sg_kernels_any;
    static float x[4][N * MOST], out[2][N * MOST], learned[2][3][N];
    const float constant[8] = {1e-4f, 0.9f, 0.1f, 0.999f, 0.001f, 0.01f, 31.6f, 1e-8f};
    double score[2][N];
    sg_rng rng;
    sg_rng_seed(&rng, 4, 0);
    for (size_t i = 0; i < 4 * N * MOST; i++) x[i / (N * MOST)][i % (N * MOST)] = (float)sg_rng_normal(&rng);
    for (size_t hidden = 1; hidden <= MOST; hidden++) {
        const sg_pairs pairs = {.hidden = hidden, .fc2 = x[2], .bias = 0.5, .left = x[0], .right = x[1]};
        one->scores(&pairs, 0, N, score[0]), two->scores(&pairs, 0, N, score[1]);
        assert_memory_equal(score[0], score[1], sizeof score[0]);
        one->rows(hidden, 7, N, x[0], x[1], x[2], out[0]), two->rows(hidden, 7, N, x[0], x[1], x[2], out[1]);
        assert_memory_equal(out[0], out[1], N * hidden * sizeof(float));
    }
    for (size_t kind = 0; kind < 2; kind++) {
        memcpy(learned[kind][0], x[3], sizeof learned[kind][0]);
        for (size_t step = 0; step < 5; step++)
            (kind ? two : one)
                ->adam(N - 1, learned[kind][0], x[step % 3], learned[kind][1], learned[kind][2], constant);
    }
    assert_memory_equal(learned[0], learned[1], sizeof learned[0]);
}

/* ---- The sigmoid: every 997th float from end to end, and steps of 1e-5 in -40 .. 40 ---- */

static void sigmoid_of(const float *x, float *y)
{
    float other[8];
    sg_kernels_best()->sigmoid(8, x, y);
    sg_kernels_any.sigmoid(8, x, other);
    assert_memory_equal(y, other, sizeof other);
}

static void sigmoid(void **state)
{
    (void)state;
    double worst = 0;
    float x[8], y[8];
    for (uint32_t bits = 0; bits < 0x7F800000u; bits += 8 * 997) {
        for (uint32_t k = 0; k < 8; k++) {
            const uint32_t pattern = (bits + k * 997) | (k % 2 ? 0x80000000u : 0);
            memcpy(&x[k], &pattern, 4);
        }
        sigmoid_of(x, y);
        for (size_t k = 0; k < 8; k++) worst = fmax(worst, fabs((double)y[k] - exact_sigmoid((double)x[k])));
    }
    for (int i = -4000000; i < 4000000; i += 8) {
        for (int k = 0; k < 8; k++) x[k] = (float)(i + k) * 1e-5f;
        sigmoid_of(x, y);
        for (size_t k = 0; k < 8; k++) worst = fmax(worst, fabs((double)y[k] - exact_sigmoid((double)x[k])));
    }
    if (!(worst <= 1.5e-7)) fail_msg("the sigmoid is off by %g", worst);
    const float ends[8] = {INFINITY, -INFINITY, NAN, -NAN, 0, -0.0f, 3e38f, -3e38f};
    sigmoid_of(ends, y);
    assert_true(y[0] == 1 && y[1] < 1e-17f && y[1] >= 0 && isnan(y[2]) && isnan(y[3]));
    assert_true(y[4] == 0.5f && y[5] == 0.5f && y[6] == 1 && y[7] < 1e-17f);
}

/* Cross entropies of logits from end to end: the loss and a slope that keeps its digits. */
static void cross_entropy(void **state)
{
    (void)state;
    for (double size = 1e-6; size < 80; size *= 1.07)
        for (int form = 0; form < 4; form++) {
            const float logit[8] = {(float)(form & 1 ? size : -size)}, label[1] = {form & 2 ? 1.0f : 0.0f};
            float slope[8];
            const double x = (double)logit[0], y = (double)label[0];
            const double loss = fmax(x, 0) - x * y + log1p(exp(-fabs(x)));
            const double exact = y > 0 ? -exact_sigmoid(-x) : exact_sigmoid(x);
            near(sg_kernels_best()->cross_entropy(1, logit, label, slope), loss, 1e-5 * loss);
            near((double)slope[0], exact, 1e-5 * fabs(exact));
            for (size_t k = 1; k < 8; k++) assert_true(slope[k] == 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sigmoid),
        cmocka_unit_test(cross_entropy),
        cmocka_unit_test(golden_gradient),
        cmocka_unit_test(same_bytes_of_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
