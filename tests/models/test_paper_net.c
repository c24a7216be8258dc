/* The fast net of the paper against its twin, over random shapes; and the same bytes whatever the processor or the threads. */
#include "models/paper_twin.h"

#include "contexts.h"
#include "golden.h"
#include "models/scadyg_paper/net.h"
#include "nn/kernels.h"

static scadyg_error failure;
#define MUST(call)                                                                                                 \
    do {                                                                                                           \
        if ((call) != SCADYG_OK) fail_msg("%s", failure.message);                                                  \
    } while (0)

/* Gradients are compared in each group, relative to its largest number: terms of both signs nearly cancel in some. */
static void compare_groups(const sg_net *net, const float *fast, const double *slow)
{
    size_t begin, rows, columns;
    const char *name;
    for (size_t g = 0; (name = sg_net_group(net, g, &begin, &rows, &columns)); g++) {
        double most = 1e-2; /* below, it is the rounding of labels and slopes that counts */
        for (size_t i = begin; i < begin + rows * columns; i++) most = fmax(most, fabs(slow[i]));
        for (size_t i = begin; i < begin + rows * columns; i++)
            if (!(fabs((double)fast[i] - slow[i]) <= 1e-5 * most))
                fail_msg("%s[%zu]: %.9g where %.9g was expected, largest %g; d %zu, hidden %zu, task %d", name,
                         i - begin, (double)fast[i], slow[i], most, net->width, net->hidden, net->task);
    }
}

static void check(const sg_net *net, size_t nodes, size_t count, uint64_t seed)
{
    random_batch batch = random_make(net, nodes, count, seed);
    double *slow = twin_zeros(net->count);
    float *fast = calloc(net->count, sizeof *fast);
    sg_workspace *workspace;
    assert_non_null(fast);
    const double loss = twin_gradient(net, batch.values_double, &batch.twin, slow);
    MUST(sg_workspace_open(NULL, net, count + seed % 9, &workspace, &failure));
    for (int twice = 0; twice < 2; twice++) {
        memset(fast, 0xFF, net->count * sizeof *fast);
        near(fast_gradient(workspace, &batch, fast), loss, 1e-6 * fmax(1, loss));
        compare_groups(net, fast, slow);
    }
    sg_workspace_close(workspace);
    free(slow), free(fast);
    random_free(&batch);
}

static sg_net random_net(sg_rng *rng, int task)
{
    sg_net net;
    const size_t d = 1 + sg_rng_below(rng, 40), hidden = 1 + sg_rng_below(rng, 70);
    sg_net_make(&net, task, sg_rng_below(rng, 4) != 0, d, hidden,
                task == SG_TASK_LINK ? 1 : 1 + sg_rng_below(rng, 30));
    return net;
}

static void gradients(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 1, 0);
    for (size_t round = 0; round < rounds(200); round++) {
        const sg_net net = random_net(&rng, (int)(round % 2));
        const size_t nodes = 1 + sg_rng_below(&rng, 200), count = 1 + sg_rng_below(&rng, 200);
        check(&net, nodes, count, round);
    }
}

/* The shapes of the presets, and the narrowest ones. */
static void usual_shapes(void **state)
{
    (void)state;
    static const size_t shapes[][3] = {{4, 64, 128}, {8, 64, 128}, {1, 1, 1},     {2, 64, 33},
                                       {5, 7, 40},   {16, 64, 64}, {17, 64, 100}, {136, 128, 128}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int task = 0; task < 2; task++) {
            sg_net net;
            sg_net_make(&net, task, 1, shapes[i][0], shapes[i][1], task ? 25 : 1);
            check(&net, 90, shapes[i][2], i);
        }
}

/*
 * Raw messages reach the thousands: sigmoids and the loss are far out, and nothing overflows. Sums of terms that large
 * are only good to about 1e-3, so only the loss and the size of the gradient can be compared.
 */
static void large_messages(void **state)
{
    (void)state;
    for (int task = 0; task < 2; task++)
        for (size_t d = 4; d < 40; d += 17) {
            sg_net net;
            sg_net_make(&net, task, 1, d, 64, task ? 10 : 1);
            random_batch batch = random_make(&net, 60, 100, d);
            double *rows = batch.memory[3], *slow = twin_zeros(net.count), error = 0, size = 0;
            float *fast = calloc(net.count, sizeof *fast);
            sg_workspace *workspace;
            for (size_t i = 0; i < 60 * d; i++) rows[i] = (double)(batch.rows[i] *= 5000);
            MUST(sg_workspace_open(NULL, &net, 100, &workspace, &failure));
            const double loss = twin_gradient(&net, batch.values_double, &batch.twin, slow);
            near(fast_gradient(workspace, &batch, fast), loss, 1e-3 * loss);
            for (size_t i = 0; i < net.count; i++) {
                assert_true(isfinite(fast[i]));
                error += ((double)fast[i] - slow[i]) * ((double)fast[i] - slow[i]), size += slow[i] * slow[i];
            }
            assert_true(sqrt(error) <= 1e-2 * sqrt(size));
            sg_workspace_close(workspace);
            free(slow), free(fast);
            random_free(&batch);
        }
}

/* A message that is not a number shows in the loss: training can stop and say so. */
static void not_a_number(void **state)
{
    (void)state;
    for (int task = 0; task < 2; task++) {
        sg_net net;
        sg_net_make(&net, task, 1, 4, 8, task ? 3 : 1);
        random_batch batch = random_make(&net, 20, 13, 1);
        float gradient[256];
        sg_workspace *workspace;
        batch.rows[batch.twin.left[5] * 4 + 1] = NAN;
        MUST(sg_workspace_open(NULL, &net, 13, &workspace, &failure));
        assert_true(isnan(fast_gradient(workspace, &batch, gradient)));
        sg_workspace_close(workspace);
        random_free(&batch);
    }
}

/* Both sets of inner loops, and any number of threads: not a bit of difference. */
static void same_bytes(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 2, 0);
    for (size_t round = 0; round < rounds(40); round++) {
        const sg_net net = random_net(&rng, (int)(round % 2));
        const size_t count = 1 + sg_rng_below(&rng, 100);
        random_batch batch = random_make(&net, 150, count, round);
        float *first = calloc(net.count, sizeof *first), *other = calloc(net.count, sizeof *other);
        sg_workspace *workspace;
        MUST(sg_workspace_open(NULL, &net, count, &workspace, &failure));
        double loss = fast_gradient(workspace, &batch, first);
        workspace->kernels = &sg_kernels_any;
        double again = fast_gradient(workspace, &batch, other);
        assert_memory_equal(&loss, &again, sizeof loss);
        assert_memory_equal(first, other, net.count * sizeof *first);
        sg_workspace_close(workspace);
        free(first), free(other);
        random_free(&batch);
    }
}

static void same_threads(void **state)
{
    (void)state;
    for (int task = 0; task < 2; task++) {
        sg_net net;
        sg_net_make(&net, task, 1, 72, 96, task ? 100 : 1);
        random_batch batch = random_make(&net, 300, 150, 3);
        float *first = calloc(net.count, sizeof *first), *other = calloc(net.count, sizeof *other);
        for (int threads = 1; threads <= 4; threads *= 2) {
            sg_workspace *workspace;
            MUST(sg_workspace_open(context_of(threads), &net, 150, &workspace, &failure));
            fast_gradient(workspace, &batch, threads == 1 ? first : other);
            if (threads > 1) assert_memory_equal(first, other, net.count * sizeof *first);
            sg_workspace_close(workspace);
        }
        free(first), free(other);
        random_free(&batch);
    }
}

/* ---- Inference ---- */

typedef struct tables {
    float *h, *left, *right, *logits;
    double *score;
} tables;

static tables infer(const random_batch *batch, int threads)
{
    scadyg_context *context = context_of(threads);
    const sg_net *net = &batch->net;
    const size_t nodes = batch->nodes, count = batch->twin.count;
    tables t = {calloc(nodes * net->width, 4), calloc(nodes * net->hidden, 4), calloc(nodes * net->hidden, 4),
                calloc(nodes * net->outputs, 4), calloc(count, 8)};
    MUST(sg_embed(context, net, batch->values, batch->rows, nodes, t.h, &failure));
    if (net->task == SG_TASK_LINK) {
        MUST(sg_link_sides(context, net, batch->values, t.h, nodes, t.left, NULL, &failure));
        MUST(sg_link_sides(context, net, batch->values, t.h, nodes, NULL, t.right, &failure));
        sg_link_scores(context, net, batch->values, t.left, batch->twin.left, t.right, batch->twin.right, count,
                       t.score);
    } else {
        MUST(sg_affinity_logits(context, net, batch->values, t.h, nodes, t.logits, &failure));
    }
    return t;
}

static void tables_free(tables *t)
{
    free(t->h), free(t->left), free(t->right), free(t->logits), free(t->score);
}

static void compare_inference(const random_batch *batch, const tables *t)
{
    const sg_net *net = &batch->net;
    const size_t d = net->width, inputs = twin_inputs(net);
    double *z = twin_zeros(inputs), *x = twin_zeros(net->hidden), *logits = twin_zeros(net->outputs);
    const int links = net->task == SG_TASK_LINK;
    for (size_t k = 0; k < (links ? batch->twin.count : batch->nodes); k++) {
        const size_t left = links ? batch->twin.left[k] : k;
        twin_embed(net, batch->values_double, batch->twin.rows + left * d, z);
        for (size_t j = 0; j < d; j++) near((double)t->h[left * d + j], z[j], 2e-6 * sqrt((double)d));
        if (links) twin_embed(net, batch->values_double, batch->twin.rows + batch->twin.right[k] * d, z + d);
        twin_head(net, batch->values_double, z, x, logits);
        for (size_t o = 0; o < net->outputs; o++)
            near(links ? t->score[k] : (double)t->logits[k * net->outputs + o], logits[o], 5e-6);
    }
    free(z), free(x), free(logits);
}

static void inference(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 3, 0);
    for (size_t round = 0; round < rounds(40); round++) {
        sg_net net = random_net(&rng, (int)(round % 2));
        if (round == 4 || round == 5) sg_net_make(&net, net.task, 1, 136, 128, net.task ? 60 : 1);
        /* Mostly few nodes, which one thread takes alone; sometimes enough for all. */
        const size_t nodes = round == 6 || round == 7 ? 100000 : 1 + sg_rng_below(&rng, 600);
        if (nodes == 100000) sg_net_make(&net, net.task, 1, 5, 24, net.task ? 3 : 1);
        random_batch batch = random_make(&net, nodes, (round % 8 ? 1 : 5000) + round, round);
        tables one = infer(&batch, 1), two = infer(&batch, 1 + (int)(round % 4));
        compare_inference(&batch, &one);
        assert_memory_equal(one.h, two.h, batch.nodes * net.width * 4);
        assert_memory_equal(one.left, two.left, batch.nodes * net.hidden * 4);
        assert_memory_equal(one.right, two.right, batch.nodes * net.hidden * 4);
        assert_memory_equal(one.logits, two.logits, batch.nodes * net.outputs * 4);
        assert_memory_equal(one.score, two.score, batch.twin.count * 8);
        tables_free(&one), tables_free(&two);
        random_free(&batch);
    }
}

/* One source and rows in a row: the score of a pair does not depend on how it is asked for. */
static void score_forms(void **state)
{
    (void)state;
    sg_net net;
    sg_net_make(&net, SG_TASK_LINK, 1, 4, 37, 1);
    random_batch batch = random_make(&net, 77, 77, 5);
    uint32_t *src = calloc(77, sizeof *src), *dst = calloc(77, sizeof *dst);
    for (uint32_t k = 0; k < 77; k++) dst[k] = k;
    tables t = infer(&batch, 1);
    double plain[77], listed[77], single;
    sg_link_scores(NULL, &net, batch.values, t.left, NULL, t.right, NULL, 77, plain);
    sg_link_scores(NULL, &net, batch.values, t.left, src, t.right, dst, 77, listed);
    assert_memory_equal(plain, listed, sizeof plain);
    for (size_t k = 0; k < 77; k++) {
        sg_link_scores(NULL, &net, batch.values, t.left, NULL, t.right + k * 37, NULL, 1, &single);
        assert_memory_equal(&single, &plain[k], sizeof single);
    }
    tables_free(&t);
    free(src), free(dst);
    random_free(&batch);
}

/* The embedding of the golden file, and the matrix that makes it. */
static void golden_embedding(void **state)
{
    (void)state;
    json_t *golden = golden_load("hypernetwork.json"), *input = json_object_get(golden, "input");
    sg_net net;
    sg_net_make(&net, SG_TASK_LINK, 1, 5, 1, 1);
    double numbers[75], x[15], y[15];
    float values[128] = {0}, rows[15], matrix[25], h[15];
    golden_numbers(json_object_get(input, "W"), numbers);
    golden_numbers(json_object_get(input, "Wr"), numbers + 25);
    golden_numbers(json_object_get(input, "Wp"), numbers + 50);
    for (size_t i = 0; i < 55; i++) values[i] = (float)numbers[i];
    golden_numbers(json_object_get(input, "x"), x);
    golden_numbers(json_object_get(golden, "y"), y);
    golden_numbers(json_object_get(golden, "W_x"), numbers);
    for (size_t i = 0; i < 15; i++) rows[i] = (float)x[i];
    for (size_t n = 0; n < 3; n++) {
        sg_hyper_matrix(5, values + net.w, values + net.wr, values + net.wp, rows + 5 * n, matrix);
        for (size_t i = 0; i < 25; i++) near((double)matrix[i], numbers[25 * n + i], 1e-6);
    }
    MUST(sg_embed(NULL, &net, values, rows, 3, h, &failure));
    for (size_t i = 0; i < 15; i++) near((double)h[i], y[i], 1e-6);
    json_decref(golden);
}

/* A workspace that has seen other batches gives the same bytes as a new one. */
static void used_workspace(void **state)
{
    (void)state;
    static const size_t widths[] = {3, 4, 8, 13, 20}, counts[] = {100, 13, 64, 1, 99};
    for (size_t form = 0; form < 20; form++) {
        sg_net net;
        sg_net_make(&net, (int)(form % 2), form < 10, widths[form % 5], 19, form % 2 ? 6 : 1);
        float *first = calloc(net.count, sizeof *first), *other = calloc(net.count, sizeof *other);
        sg_workspace *used, *fresh;
        MUST(sg_workspace_open(NULL, &net, 100, &used, &failure));
        for (size_t i = 0; i < 5; i++) {
            random_batch batch = random_make(&net, 50, counts[i], i);
            MUST(sg_workspace_open(NULL, &net, counts[i], &fresh, &failure));
            const double a = fast_gradient(used, &batch, first), b = fast_gradient(fresh, &batch, other);
            assert_memory_equal(&a, &b, sizeof a);
            assert_memory_equal(first, other, net.count * sizeof *first);
            sg_workspace_close(fresh);
            random_free(&batch);
        }
        sg_workspace_close(used);
        free(first), free(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients),      cmocka_unit_test(usual_shapes), cmocka_unit_test(large_messages),
        cmocka_unit_test(not_a_number),   cmocka_unit_test(same_bytes),   cmocka_unit_test(same_threads),
        cmocka_unit_test(inference),      cmocka_unit_test(score_forms),  cmocka_unit_test(golden_embedding),
        cmocka_unit_test(used_workspace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
