/* The pair net against its twin; and the same bytes whatever the processor, the threads or the way of asking. */
#include "models/pair_twin.h"

#include "contexts.h"
#include "models/scadyg/pair_net.h"

static scadyg_error failure;
#define MUST(call)                                                                                                 \
    do {                                                                                                           \
        if ((call) != SCADYG_OK) fail_msg("%s", failure.message);                                                  \
    } while (0)

/* ---- Random batches ---- */

typedef struct sample {
    sg_pair_net net;
    sg_pair_rows rows;
    twin_pairs twin;
    float *values, *nodes, *between;
    double *values_double, *nodes_double, *between_double;
    uint32_t *left, *right;
    unsigned char *in;
} sample;

static void *random_floats(sg_rng *rng, size_t count, double **doubles)
{
    float *x = zeros(count, sizeof *x);
    *doubles = zeros(count, sizeof **doubles);
    for (size_t i = 0; i < count; i++) (*doubles)[i] = (double)(x[i] = (float)sg_rng_normal(rng));
    return x;
}

/* Negatives are part of any losses, of none too. Sources are shared within a case by what is ranked; the others are any of
 * `nodes` rows. */
static sample sample_make(const sg_pair_net *net, size_t nodes, size_t cases, size_t group, double binary,
                          uint64_t seed)
{
    sample s = {.net = *net};
    const size_t count = cases * group, row = net->between;
    sg_rng rng;
    sg_rng_seed(&rng, seed, 3);
    s.values = zeros(net->count, sizeof *s.values);
    s.values_double = zeros(net->count, sizeof *s.values_double);
    sg_pair_net_init(net, seed, s.values);
    for (size_t i = net->direct; i < net->count; i++) s.values[i] = 0.1f * (float)sg_rng_normal(&rng);
    for (size_t i = 0; i < net->count; i++) s.values_double[i] = (double)s.values[i];
    s.nodes = random_floats(&rng, nodes * net->node, &s.nodes_double);
    s.between = random_floats(&rng, count * row, &s.between_double);
    s.left = zeros(count, sizeof *s.left);
    s.right = zeros(count, sizeof *s.right);
    s.in = zeros(count, 1);
    for (size_t k = 0; k < count; k++) {
        s.in[k] = (unsigned char)(k % group ? sg_rng_below(&rng, 1u << SG_OUTPUTS) : 0xFF);
        s.left[k] = k % group && s.in[k] & 1 ? s.left[k / group * group] : (uint32_t)sg_rng_below(&rng, nodes);
        s.right[k] = (uint32_t)sg_rng_below(&rng, nodes);
    }
    s.rows = (sg_pair_rows){.nodes = s.nodes,
                            .node_count = nodes,
                            .left = s.left,
                            .right = s.right,
                            .between = s.between,
                            .count = count};
    s.twin = (twin_pairs){s.nodes_double, s.between_double, s.left, s.right, s.in, count, group, binary};
    return s;
}

static void sample_free(sample *s)
{
    free(s->values), free(s->nodes), free(s->between), free(s->values_double), free(s->nodes_double);
    free(s->between_double), free(s->left), free(s->right), free(s->in);
}

static double fast(sg_pair_workspace *workspace, const sample *s, float *gradient)
{
    return sg_pair_gradient(workspace, s->values, &s->rows, s->twin.group, s->in, s->twin.binary, gradient);
}

static sg_pair_net random_net(sg_rng *rng, size_t most)
{
    sg_pair_net net;
    sg_pair_net_make(&net, 1 + sg_rng_below(rng, most / 2), sg_rng_below(rng, 2 * most),
                     1 + sg_rng_below(rng, most), 1 + sg_rng_below(rng, most));
    return net;
}

/* ---- Shape ---- */

static void groups(void **state)
{
    (void)state;
    static const char *const names[] = {"fc1.weight", "fc1.bias", "fc2.weight",   "fc2.bias",
                                        "fc3.weight", "fc3.bias", "direct.weight"};
    sg_pair_net net;
    size_t begin, rows, columns, seen = 0, g = 0;
    const char *name;
    sg_pair_net_make(&net, 5, 11, 13, 17);
    assert_int_equal(net.inputs, 10 + 11);
    for (; (name = sg_pair_net_group(&net, g, &begin, &rows, &columns)); g++) {
        assert_string_equal(name, names[g]);
        assert_int_equal(begin, seen);
        seen += rows * columns;
    }
    assert_int_equal(g, 7);
    assert_int_equal(seen, net.count);
}

static void first_values(void **state)
{
    (void)state;
    sg_pair_net net;
    size_t begin, rows, columns;
    const double bound[] = {
        1 / sqrt(105), 1 / sqrt(105), 1 / sqrt(64), 1 / sqrt(64), 1 / sqrt(32), 1 / sqrt(32), 0};
    sg_pair_net_make(&net, 20, 65, 64, 32);
    float *one = zeros(net.count, 4), *two = zeros(net.count, 4);
    sg_pair_net_init(&net, 7, one), sg_pair_net_init(&net, 7, two);
    assert_memory_equal(one, two, net.count * sizeof *one);
    sg_pair_net_init(&net, 8, two);
    assert_memory_not_equal(one, two, net.count * sizeof *one);
    for (size_t g = 0; sg_pair_net_group(&net, g, &begin, &rows, &columns); g++) {
        const double most = bound[g];
        double largest = 0;
        for (size_t i = begin; i < begin + rows * columns; i++) largest = fmax(largest, fabs((double)one[i]));
        assert_true(largest <= most && (rows * columns < 16 || largest >= most / 2));
    }
    free(one), free(two);
}

/* ---- The twin itself: central differences of the loss for every learned number ---- */

static void differences(size_t group, double binary, uint64_t seed)
{
    sg_pair_net net;
    sg_pair_net_make(&net, 3, 5, 4, 3);
    sample s = sample_make(&net, 6, 4, group, binary, seed);
    double *gradient = zeros(net.count, 8), *v = s.values_double;
    double(*score)[SG_OUTPUTS] = zeros(s.rows.count, sizeof *score);
    twin_pair_gradient(&net, v, &s.twin, score, gradient);
    for (size_t i = 0; i < net.count; i++) {
        const double value = v[i], step = 1e-6;
        v[i] = value + step;
        const double up = twin_pair_gradient(&net, v, &s.twin, score, NULL);
        v[i] = value - step;
        const double down = twin_pair_gradient(&net, v, &s.twin, score, NULL);
        v[i] = value;
        near((up - down) / (2 * step), gradient[i], 1e-8);
    }
    free(gradient), free(score);
    sample_free(&s);
}

static void finite_differences(void **state)
{
    (void)state;
    for (size_t group = 2; group <= 8; group++)
        for (int binary = 0; binary <= 2; binary++) differences(group, binary / 2.0, group);
}

/* ---- Fast against slow ---- */

/* Gradients are compared in each group, relative to its largest number: terms of both signs nearly cancel in some. */
static void compare_groups(const sg_pair_net *net, const float *quick, const double *slow)
{
    size_t begin, rows, columns;
    const char *name;
    for (size_t g = 0; (name = sg_pair_net_group(net, g, &begin, &rows, &columns)); g++) {
        double most = 1e-2;
        for (size_t i = begin; i < begin + rows * columns; i++) most = fmax(most, fabs(slow[i]));
        for (size_t i = begin; i < begin + rows * columns; i++)
            if (!(fabs((double)quick[i] - slow[i]) <= 1e-5 * most))
                fail_msg("%s[%zu]: %.9g where %.9g was expected, largest %g; %zu %zu %zu %zu", name, i - begin,
                         (double)quick[i], slow[i], most, net->node, net->between, net->hidden, net->hidden2);
    }
}

static void check(const sg_pair_net *net, size_t nodes, size_t cases, size_t group, double binary, uint64_t seed)
{
    sample s = sample_make(net, nodes, cases, group, binary, seed);
    /* Among many pairs there may be a hidden unit so near 0 that rounding decides: then other numbers. */
    while (twin_nearest(net, s.values_double, &s.twin) < 2e-7) {
        sample_free(&s);
        s = sample_make(net, nodes, cases, group, binary, seed += 1000);
    }
    double *slow = zeros(net->count, 8), *other = zeros(s.rows.count, 8);
    double(*score)[SG_OUTPUTS] = zeros(s.rows.count, sizeof *score);
    float *gradient = zeros(net->count, 4);
    sg_pair_workspace *workspace;
    const double loss = twin_pair_gradient(net, s.values_double, &s.twin, score, slow);
    MUST(sg_pair_workspace_open(context_of(1), net, s.rows.count + seed % 9, &workspace, &failure));
    for (int twice = 0; twice < 2; twice++) {
        memset(gradient, 0xFF, net->count * sizeof *gradient);
        near(fast(workspace, &s, gradient), loss, 1e-6 * fmax(1, loss));
        compare_groups(net, gradient, slow);
    }
    /* Scores are those of the gradient, to the byte. */
    for (int o = 0; o < SG_OUTPUTS; o++) {
        MUST(sg_pair_scores(context_of(1), net, s.values, &s.rows, o, other, &failure));
        assert_memory_equal(other, workspace->score[o], s.rows.count * sizeof *other);
        for (size_t k = 0; k < s.rows.count; k++) near(other[k], score[k][o], 5e-6 * fmax(1, fabs(score[k][o])));
    }
    sg_pair_workspace_close(workspace);
    free(slow), free(score), free(other), free(gradient);
    sample_free(&s);
}

static void gradients(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 1, 0);
    for (size_t round = 0; round < rounds(200); round++) {
        const sg_pair_net net = random_net(&rng, 50);
        const size_t group = 2 + round % 5, nodes = 1 + sg_rng_below(&rng, 200);
        check(&net, nodes, 1 + sg_rng_below(&rng, 60), group, (double)(round % 3) / 2, round);
    }
}

/* The usual shape, the narrowest, a wide one, nothing between; groups larger than a piece. */
static void usual_shapes(void **state)
{
    (void)state;
    static const size_t shapes[][6] = {
        {38, 81, 64, 64, 200, 8}, {38, 81, 64, 32, 33, 6}, {1, 0, 1, 1, 1, 2},   {136, 8, 40, 9, 40, 2},
        {4, 0, 8, 8, 10, 3},      {4, 8, 8, 8, 3, 100},    {4, 8, 8, 8, 2, 301}, {4, 8, 8, 8, 1, 7},
        {3, 9, 6, 7, 500, 2},     {3, 9, 6, 7, 2000, 4},   {3, 9, 6, 7, 9, 1},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const size_t *n = shapes[i];
        sg_pair_net net;
        sg_pair_net_make(&net, n[0], n[1], n[2], n[3]);
        check(&net, 90, n[4], n[5], .5, i);
        check(&net, 2000, n[4], n[5], 0, i);
    }
}

/* Large numbers: scores are far out, and nothing overflows. */
static void large_messages(void **state)
{
    (void)state;
    sg_pair_net net;
    sg_pair_net_make(&net, 6, 9, 20, 12);
    for (int binary = 0; binary <= 2; binary++) {
        sample s = sample_make(&net, 50, 30, 5, binary / 2.0, 3);
        double(*score)[SG_OUTPUTS] = zeros(s.rows.count, sizeof *score);
        float *gradient = zeros(net.count, 4);
        sg_pair_workspace *workspace;
        for (size_t i = 0; i < 50 * net.node; i++) s.nodes_double[i] = (double)(s.nodes[i] *= 5000);
        for (size_t i = 0; i < s.rows.count * net.between; i++)
            s.between_double[i] = (double)(s.between[i] *= 5000);
        MUST(sg_pair_workspace_open(context_of(1), &net, s.rows.count, &workspace, &failure));
        const double loss = twin_pair_gradient(&net, s.values_double, &s.twin, score, NULL);
        near(fast(workspace, &s, gradient), loss, 1e-3 * loss);
        for (size_t i = 0; i < net.count; i++) assert_true(isfinite(gradient[i]));
        sg_pair_workspace_close(workspace);
        free(score), free(gradient);
        sample_free(&s);
    }
}

/* What is not a number is not hidden. */
static void not_a_number(void **state)
{
    (void)state;
    sg_pair_net net;
    sg_pair_net_make(&net, 6, 9, 20, 12);
    for (int form = 0; form < 6; form++) {
        sample s = sample_make(&net, 50, 30, 5, form / 2 / 2.0, 3);
        float *gradient = zeros(net.count, 4);
        sg_pair_workspace *workspace;
        if (form % 2)
            s.between[7] = NAN;
        else
            s.nodes[s.right[9] * net.node] = NAN;
        s.in[s.twin.group] = s.in[9] = 0xFF;
        MUST(sg_pair_workspace_open(context_of(1), &net, s.rows.count, &workspace, &failure));
        assert_true(isnan(fast(workspace, &s, gradient)));
        sg_pair_workspace_close(workspace);
        free(gradient);
        sample_free(&s);
    }
}

/* No cases, no gradient. */
static void nothing(void **state)
{
    (void)state;
    sg_pair_net net;
    sg_pair_net_make(&net, 6, 9, 20, 12);
    sample s = sample_make(&net, 5, 2, 3, .5, 3);
    float *gradient = zeros(net.count, 4), *none = zeros(net.count, 4);
    double score = 7;
    sg_pair_workspace *workspace;
    memset(gradient, 0xFF, net.count * sizeof *gradient);
    s.rows.count = 0;
    MUST(sg_pair_workspace_open(context_of(1), &net, 0, &workspace, &failure));
    assert_true(fast(workspace, &s, gradient) == 0);
    assert_memory_equal(gradient, none, net.count * sizeof *none);
    MUST(sg_pair_scores(context_of(1), &net, s.values, &s.rows, SG_ORDER, &score, &failure));
    assert_true(score == 7);
    MUST(sg_pair_embed(context_of(1), &net, s.values, s.nodes, 0, gradient, &failure));
    sg_pair_workspace_close(workspace);
    sg_pair_workspace_close(NULL);
    free(gradient), free(none);
    sample_free(&s);
}

/* ---- The same bytes ---- */

/* All kinds of inner loops, any number of threads, and a workspace that has seen other batches. */
static void same_bytes(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 2, 0);
    for (size_t round = 0; round < rounds(30); round++) {
        sg_pair_net net = random_net(&rng, 60);
        const size_t group = 2 + round % 5, cases = round % 4 ? 1 + sg_rng_below(&rng, 100) : 3000;
        if (cases == 3000) sg_pair_net_make(&net, 20, 81, 37, 23);
        sample s = sample_make(&net, 300, cases, group, .5, round), earlier = sample_make(&net, 9, 1, 2, .5, 1);
        float *first = zeros(net.count, 4), *other = zeros(net.count, 4);
        double loss = 0;
        for (int form = 0; form < 8; form++) {
            sg_pair_workspace *workspace;
            MUST(sg_pair_workspace_open(context_of(form % 3 + 1), &net, s.rows.count, &workspace, &failure));
            if (form >= 3 && form < 6) workspace->weights.kernels = &sg_kernels_any;
#if defined(__x86_64__)
            if (form >= 6 && SG_HAS_AVX2()) workspace->weights.kernels = &sg_kernels_avx2;
#endif
            if (form % 2) fast(workspace, &earlier, other);
            const double value = fast(workspace, &s, form ? other : first);
            if (form) assert_memory_equal(&value, &loss, sizeof loss);
            if (form) assert_memory_equal(first, other, net.count * sizeof *first);
            loss = value;
            sg_pair_workspace_close(workspace);
        }
        free(first), free(other);
        sample_free(&s), sample_free(&earlier);
    }
}

/* Pairs that ask for different outputs side by side get what each would get alone. */
static void same_outputs(const sg_pair_net *net, const sample *s, size_t round, double *mixed, double *pure)
{
    const size_t count = s->rows.count;
    unsigned char *outputs = zeros(count, 1);
    sg_pair_rows rows = s->rows;
    for (size_t k = 0; k < count; k++)
        outputs[k] = (unsigned char)(round % 2 ? k / 7 % (SG_OUTPUTS + 1) : k * k % (SG_OUTPUTS + 1));
    rows.output = outputs;
    MUST(sg_pair_scores(context_of(2), net, s->values, &rows, SG_ORDER, mixed, &failure));
    for (int output = 0; output <= SG_CHANCE; output++) {
        MUST(sg_pair_scores(context_of(1), net, s->values, &s->rows, output, pure, &failure));
        for (size_t k = 0; k < count; k++)
            if (outputs[k] == output) assert_memory_equal(&mixed[k], &pure[k], sizeof *pure);
    }
    free(outputs);
}

/* Scores do not depend on threads, on the pairs beside them, or on whether rows of nodes are shared by all. */
static void same_scores(void **state)
{
    (void)state;
    sg_rng rng;
    const double shares[] = {1, .02, .3};
    sg_rng_seed(&rng, 5, 0);
    for (size_t round = 0; round < rounds(30); round++) {
        const sg_pair_net net = random_net(&rng, 60);
        sample s = sample_make(&net, 60, (round % 4 ? 40 : 3000) + round, 5, 0, round);
        s.rows.compared = shares;
        const int output = (int)(round % (SG_OUTPUTS + 1));
        const size_t count = s.rows.count, row = net.between;
        double *one = zeros(count, 8), *other = zeros(count, 8);
        MUST(sg_pair_scores(context_of(1), &net, s.values, &s.rows, output, one, &failure));
        MUST(sg_pair_scores(context_of(2 + (int)(round % 2)), &net, s.values, &s.rows, output, other, &failure));
        assert_memory_equal(one, other, count * sizeof *one);
        sg_pair_rows apart = s.rows;
        apart.count = 100; /* below twice the nodes */
        MUST(sg_pair_scores(context_of(1), &net, s.values, &apart, output, other, &failure));
        assert_memory_equal(one, other, 100 * sizeof *one);
        for (size_t k = 0; k < 20; k++) {
            sg_pair_rows single = s.rows;
            single.left += k, single.right += k, single.between += k * row, single.count = 1;
            MUST(sg_pair_scores(context_of(1), &net, s.values, &single, output, other, &failure));
            assert_memory_equal(one + k, other, sizeof *one);
        }
        same_outputs(&net, &s, round, one, other);
        free(one), free(other);
        sample_free(&s);
    }
}

static void embeddings(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 6, 0);
    for (size_t round = 0; round < rounds(20); round++) {
        const sg_pair_net net = random_net(&rng, 60);
        const size_t nodes = round == 3 ? 50000 : 1 + sg_rng_below(&rng, 400);
        sample s = sample_make(&net, nodes, 1, 2, 0, round);
        const size_t width = 2 * net.hidden;
        float *h = zeros(nodes * width, 4), *other = zeros(nodes * width, 4);
        double *slow = zeros(width, 8);
        MUST(sg_pair_embed(context_of(1), &net, s.values, s.nodes, nodes, h, &failure));
        MUST(sg_pair_embed(context_of(3), &net, s.values, s.nodes, nodes, other, &failure));
        assert_memory_equal(h, other, nodes * width * sizeof *h);
        for (size_t n = 0; n < nodes; n += 1 + nodes / 100) {
            twin_pair_embed(&net, s.values_double, s.nodes_double + n * net.node, slow);
            for (size_t j = 0; j < width; j++) near((double)h[n * width + j], slow[j], 1e-5);
        }
        free(h), free(other), free(slow);
        sample_free(&s);
    }
}

/* ---- One chance of several ---- */

/* By its definition; with one share alone it is that output; and no output is so far out that nothing is left of it. */
static void combined(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 7, 0);
    for (int round = 0; round < 1000; round++) {
        double score[SG_OUTPUTS], shares[SG_OUTPUTS - 1];
        for (int k = 0; k < SG_OUTPUTS; k++) score[k] = 5 * sg_rng_normal(&rng);
        for (int k = 0; k < SG_OUTPUTS - 1; k++) shares[k] = sg_rng_below(&rng, 4) ? sg_rng_unit(&rng) : 0;
        shares[0] = fmax(shares[0], 1e-3);
        near(sg_pair_combine(score + SG_CHANCE_RANDOM, shares), twin_combine(score, shares), 1e-12);
        const double alone[] = {1, 0, 0};
        assert_true(sg_pair_combine(score + SG_CHANCE_RANDOM, alone) == score[SG_CHANCE_RANDOM]);
    }
    const double half[] = {1, .5, .5}, far[] = {-2000, 3, 2000}, high[] = {1e30, 1e30, 1e30}, low[] = {-1e30, 0, 1};
    near(sg_pair_combine(far, half), -2000, 1e-9);
    near(sg_pair_combine(high, half), 1e30, 1e20);
    near(sg_pair_combine(low, half), -1e30, 1e20);
}

/* Where the scores are combined, what they are made of can be kept, pair by pair. */
static void parts(void **state)
{
    (void)state;
    enum { KINDS = SG_OUTPUTS - 1 };
    sg_pair_net net;
    const double shares[KINDS] = {1, .05, .2};
    sg_pair_net_make(&net, 5, 18, 13, 17);
    for (size_t nodes = 20; nodes <= 2000; nodes *= 100) { /* sides that are shared, and not */
        sample s = sample_make(&net, nodes, 70, 4, 0, 8);
        const size_t count = s.rows.count;
        double *kept = zeros(count * KINDS, 8), *score = zeros(count, 8), *part = zeros(count, 8);
        s.rows.compared = shares;
        s.rows.parts = kept;
        MUST(sg_pair_scores(context_of(2), &net, s.values, &s.rows, SG_CHANCE, score, &failure));
        for (size_t k = 0; k < count; k++) {
            const double one = sg_pair_combine(kept + k * KINDS, shares);
            assert_memory_equal(&one, &score[k], sizeof one);
        }
        for (int o = 0; o < KINDS; o++) {
            MUST(sg_pair_scores(context_of(1), &net, s.values, &s.rows, SG_CHANCE_RANDOM + o, part, &failure));
            for (size_t k = 0; k < count; k++)
                assert_memory_equal(&part[k], &kept[k * KINDS + (size_t)o], sizeof *part);
        }
        free(kept), free(score), free(part);
        sample_free(&s);
    }
}

/* ---- Offsets ---- */

/*
 * The same offset of all pairs is another bias, of the outputs that are asked about random pairs: others never see it. An
 * offset of one that is never learned from changes nothing.
 */
static void offsets(void **state)
{
    (void)state;
    enum { CASES = 50, GROUP = 4 };
    sg_pair_net net;
    sg_pair_workspace *workspace;
    float offset[CASES * GROUP];
    sg_pair_net_make(&net, 5, 18, 13, 17);
    sample s = sample_make(&net, 30, CASES, GROUP, 0.5, 21);
    float *plain = zeros(net.count, sizeof *plain), *shifted = zeros(net.count, sizeof *shifted);
    MUST(sg_pair_workspace_open(context_of(1), &net, CASES * GROUP, &workspace, &failure));
    for (size_t k = 0; k < CASES * GROUP; k++) offset[k] = 0.75f;
    s.rows.offset = offset;
    const double loss = fast(workspace, &s, shifted);
    s.rows.offset = NULL;
    assert_true(fabs(loss - fast(workspace, &s, plain)) > 1e-3);
    for (size_t o = SG_ORDER; o <= SG_CHANCE_RANDOM; o++) s.values[net.fc3_bias + o] += 0.75f;
    near(fast(workspace, &s, plain), loss, 1e-5);
    for (size_t i = 0; i < net.count; i++) near((double)plain[i], (double)shifted[i], 1e-5);

    /* Ranking alone does not look at pairs that are no part of it. */
    const double ranking = sg_pair_gradient(workspace, s.values, &s.rows, GROUP, s.in, 0, plain);
    for (size_t k = 0; k < CASES * GROUP; k++) offset[k] = s.in[k] & 1 ? 0 : 3;
    s.rows.offset = offset;
    near(sg_pair_gradient(workspace, s.values, &s.rows, GROUP, s.in, 0, shifted), ranking, 1e-12);
    for (size_t k = 0; k < CASES * GROUP; k += GROUP) offset[k] = 3; /* the events themselves: as if likelier */
    assert_true(sg_pair_gradient(workspace, s.values, &s.rows, GROUP, s.in, 0, shifted) < ranking);
    sg_pair_workspace_close(workspace);
    sample_free(&s);
    free(plain), free(shifted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups),       cmocka_unit_test(first_values), cmocka_unit_test(finite_differences),
        cmocka_unit_test(gradients),    cmocka_unit_test(usual_shapes), cmocka_unit_test(large_messages),
        cmocka_unit_test(not_a_number), cmocka_unit_test(nothing),      cmocka_unit_test(same_bytes),
        cmocka_unit_test(same_scores),  cmocka_unit_test(embeddings),   cmocka_unit_test(offsets),
        cmocka_unit_test(combined),     cmocka_unit_test(parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
