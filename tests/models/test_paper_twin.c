/* The twin itself: against golden numbers, and its gradients against central differences. */
#include "models/paper_twin.h"

#include "golden.h"

static void hypernetwork(void **state)
{
    (void)state;
    enum { D = 5, N = 3 };
    json_t *golden = golden_load("hypernetwork.json"), *input = json_object_get(golden, "input");
    json_t *grad = json_object_get(golden, "grad");
    sg_net net;
    sg_net_make(&net, SG_TASK_LINK, 1, D, 1, 1);
    double *values = twin_zeros(net.count), *gradient = twin_zeros(net.count), loss = 0;
    double x[N * D], c[N * D], y[N * D], dx[N * D], expected[N * D * D];
    assert_int_equal(golden_numbers(json_object_get(input, "W"), values + net.w), D * D);
    assert_int_equal(golden_numbers(json_object_get(input, "Wr"), values + net.wr), D * D);
    assert_int_equal(golden_numbers(json_object_get(input, "Wp"), values + net.wp), D);
    assert_int_equal(golden_numbers(json_object_get(input, "x"), x), N * D);
    assert_int_equal(golden_numbers(json_object_get(input, "c"), c), N * D);
    for (size_t n = 0; n < N; n++) {
        twin_embed(&net, values, x + n * D, y + n * D);
        twin_embed_back(&net, values, x + n * D, c + n * D, gradient, dx + n * D);
        for (size_t i = 0; i < D; i++) loss += c[n * D + i] * y[n * D + i];
    }
    near(loss, json_number_value(json_object_get(golden, "loss")), 1e-12);
    assert_int_equal(golden_numbers(json_object_get(golden, "y"), expected), N * D);
    for (size_t i = 0; i < N * D; i++) near(y[i], expected[i], 1e-12);
    assert_int_equal(golden_numbers(json_object_get(grad, "x"), expected), N * D);
    for (size_t i = 0; i < N * D; i++) near(dx[i], expected[i], 1e-12);
    const struct {
        const char *name;
        size_t begin;
    } groups[] = {{"W", net.w}, {"Wr", net.wr}, {"Wp", net.wp}};
    for (size_t g = 0; g < 3; g++) {
        const size_t count = golden_numbers(json_object_get(grad, groups[g].name), expected);
        for (size_t i = 0; i < count; i++) near(gradient[groups[g].begin + i], expected[i], 1e-12);
    }
    free(values), free(gradient);
    json_decref(golden);
}

/* Weights of the golden file are out x in, those of the net in x out. */
static void transposed(const json_t *json, size_t out, size_t in, double *to)
{
    double *numbers = twin_zeros(out * in);
    assert_int_equal(golden_numbers(json, numbers), out * in);
    for (size_t o = 0; o < out; o++)
        for (size_t i = 0; i < in; i++) to[i * out + o] = numbers[o * in + i];
    free(numbers);
}

static void head_numbers(const sg_net *net, const json_t *json, double *to)
{
    transposed(json_object_get(json, "fc1_weight"), net->hidden, 2 * net->width, to + net->fc1);
    golden_numbers(json_object_get(json, "fc1_bias"), to + net->fc1_bias);
    golden_numbers(json_object_get(json, "fc2_weight"), to + net->fc2);
    golden_numbers(json_object_get(json, "fc2_bias"), to + net->fc2_bias);
}

static void predictor(void **state)
{
    (void)state;
    enum { D = 5, N = 6 };
    json_t *golden = golden_load("predictor.json"), *input = json_object_get(golden, "input");
    json_t *grad = json_object_get(golden, "grad");
    sg_net net;
    sg_net_make(&net, SG_TASK_LINK, 0, D, 6, 1);
    double *values = twin_zeros(net.count), *gradient = twin_zeros(net.count), *expected = twin_zeros(net.count);
    double z[N * 2 * D], label[N], prob[N];
    float label_float[N], gradient_float[128], values_float[128], rows[N * 2 * D];
    uint32_t left[N], right[N];
    head_numbers(&net, input, values);
    head_numbers(&net, grad, expected);
    assert_int_equal(golden_numbers(json_object_get(input, "z"), z), N * 2 * D);
    assert_int_equal(golden_numbers(json_object_get(golden, "label"), label), N);
    assert_int_equal(golden_numbers(json_object_get(golden, "prob"), prob), N);
    for (size_t k = 0; k < N; k++)
        label_float[k] = (float)label[k], left[k] = (uint32_t)(2 * k), right[k] = left[k] + 1;
    twin_batch batch = {.rows = z, .left = left, .right = right, .label = label_float, .count = N};
    const double loss = json_number_value(json_object_get(golden, "loss"));
    near(twin_gradient(&net, values, &batch, gradient), loss, 1e-12);
    for (size_t i = 0; i < net.count; i++) near(gradient[i], expected[i], 1e-12);

    /* And the fast one. */
    sg_workspace *workspace;
    scadyg_error error;
    for (size_t i = 0; i < net.count; i++) values_float[i] = (float)values[i];
    for (size_t i = 0; i < N * 2 * D; i++) rows[i] = (float)z[i];
    assert_int_equal(sg_workspace_open(NULL, &net, N, &workspace, &error), SCADYG_OK);
    near(sg_link_gradient(workspace, values_float, rows, left, right, label_float, N, gradient_float), loss, 1e-6);
    for (size_t i = 0; i < net.count; i++) near((double)gradient_float[i], expected[i], 1e-6);
    sg_workspace_close(workspace);

    float sides[2][2 * N * 6];
    double score[N];
    assert_int_equal(sg_link_sides(NULL, &net, values_float, rows, 2 * N, sides[0], sides[1], &error), SCADYG_OK);
    sg_link_scores(NULL, &net, values_float, sides[0], left, sides[1], right, N, score);
    for (size_t k = 0; k < N; k++) near(twin_sigmoid(score[k]), prob[k], 1e-6);
    free(values), free(gradient), free(expected);
    json_decref(golden);
}

/* Central differences of the loss for every learned number. */
static void differences(int task, int with_hypernetwork, uint64_t seed)
{
    sg_net net;
    sg_net_make(&net, task, with_hypernetwork, 3, 4, task == SG_TASK_LINK ? 1 : 3);
    random_batch batch = random_make(&net, 5, 7, seed);
    double *gradient = twin_zeros(net.count), *v = batch.values_double;
    twin_gradient(&net, v, &batch.twin, gradient);
    size_t begin, rows, columns, seen = 0;
    for (size_t g = 0; sg_net_group(&net, g, &begin, &rows, &columns); g++)
        for (size_t i = begin; i < begin + rows * columns; i++, seen++) {
            const double value = v[i], step = 1e-6;
            v[i] = value + step;
            const double up = twin_gradient(&net, v, &batch.twin, NULL);
            v[i] = value - step;
            const double down = twin_gradient(&net, v, &batch.twin, NULL);
            v[i] = value;
            near((up - down) / (2 * step), gradient[i], 1e-8);
        }
    assert_int_equal(seen, net.count);
    free(gradient);
    random_free(&batch);
}

static void finite_differences(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++)
        for (int task = 0; task < 2; task++)
            for (int with = 0; with < 2; with++) differences(task, with, seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hypernetwork),
        cmocka_unit_test(predictor),
        cmocka_unit_test(finite_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
