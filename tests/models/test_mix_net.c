/* The mix net against a slow twin in double precision: scores, and the gradient by finite differences. */
#include "base/rng.h"
#include "models/label_mix/mix_net.h"
#include "numbers.h"

#include <string.h>

enum { CLASSES = 30, OWN = 14, RATES = 4, PAIR = 9, SUMMARY = 5, HIDDEN = 6, LABELS = 8 };

typedef struct problem {
    sg_mix_net net;
    float values[2000], popularity[CLASSES * RATES], average[OWN * RATES], x[OWN * PAIR], summary[SUMMARY];
    uint32_t class_of[OWN], labelled[LABELS];
    float weight[LABELS];
    sg_mix_node node;
    sg_mix_label label;
} problem;

static float unit(sg_rng *rng)
{
    return (float)sg_rng_unit(rng);
}

static void make_problem(problem *p, sg_rng *rng, int hypernetwork, int popularity)
{
    memset(p, 0, sizeof *p);
    p->net = (sg_mix_net){.hypernetwork = hypernetwork,
                          .popularity = popularity,
                          .rates = RATES,
                          .pair = PAIR,
                          .summary = SUMMARY,
                          .hidden = HIDDEN};
    sg_mix_net_make(&p->net);
    assert_true(p->net.count < 2000);
    for (size_t i = 0; i < p->net.count; i++) p->values[i] = 1.5f * unit(rng) - 0.75f;
    for (size_t i = 0; i < CLASSES * RATES; i++) p->popularity[i] = unit(rng) / CLASSES;
    for (size_t i = 0; i < OWN * RATES; i++) p->average[i] = unit(rng) / OWN;
    for (size_t i = 0; i < OWN * PAIR; i++) p->x[i] = 2 * unit(rng) - 1;
    for (size_t i = 0; i < SUMMARY; i++) p->summary[i] = 2 * unit(rng) - 1;
    float sum = 0;
    for (uint32_t i = 0; i < OWN; i++) p->class_of[i] = 2 * i + (uint32_t)sg_rng_below(rng, 2);
    for (uint32_t i = 0; i < LABELS; i++) {
        p->labelled[i] = 3 * i + (uint32_t)sg_rng_below(rng, 3);
        sum += p->weight[i] = 0.1f + unit(rng);
    }
    for (size_t i = 0; i < LABELS; i++) p->weight[i] /= sum;
    p->node = (sg_mix_node){OWN, p->class_of, p->average, p->x, p->summary};
    p->label = (sg_mix_label){LABELS, p->labelled, p->weight};
}

/* ---- The twin ---- */

static void twin_softmax(const double *x, size_t count, double *out)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += exp(x[i]);
    for (size_t i = 0; i < count; i++) out[i] = exp(x[i]) / sum;
}

static double twin_delta(const problem *p, const double *values, const float *x, double noise)
{
    const sg_mix_net *net = &p->net;
    double z[PAIR + SG_MIX_MIXES], delta = 0;
    for (size_t j = 0; j < PAIR; j++) z[j] = (double)x[j];
    for (size_t i = 0; net->hypernetwork && i < SG_MIX_MIXES; i++) {
        double r = 0;
        for (size_t j = 0; j < SUMMARY; j++) r += values[net->vr + i * SUMMARY + j] * (double)p->summary[j];
        z[PAIR + i] = 0;
        for (size_t j = 0; j < PAIR; j++)
            z[PAIR + i] += values[net->v + i * PAIR + j] * z[j] / (1 + exp(-r * values[net->vp + j]));
    }
    for (size_t h = 0; h < HIDDEN; h++) {
        double sum = values[net->fc1_bias + h];
        for (size_t j = 0; j < (net->hypernetwork ? PAIR + SG_MIX_MIXES : PAIR); j++)
            sum += z[j] * values[net->fc1 + j * HIDDEN + h];
        delta += fmax(sum, 0) * values[net->fc2 + h];
    }
    return noise * delta;
}

static void twin_scores(const problem *p, const double *values, double noise, double *score)
{
    const sg_mix_net *net = &p->net;
    double w[RATES + 1] = {0}, v[RATES];
    twin_softmax(values + net->mix, RATES + (size_t)net->popularity, w);
    twin_softmax(values + net->popular, RATES, v);
    for (size_t c = 0, n = 0; c < CLASSES; c++) {
        double mixed = (double)SG_MIX_LEAST;
        for (size_t k = 0; k < RATES; k++) mixed += w[RATES] * v[k] * (double)p->popularity[c * RATES + k];
        const int own = n < OWN && p->class_of[n] == c;
        for (size_t k = 0; own && k < RATES; k++) mixed += w[k] * (double)p->average[n * RATES + k];
        score[c] = exp(values[net->tune]) * log(mixed) +
                   (own ? twin_delta(p, values, p->x + n * PAIR, noise) : values[net->tune + 1]);
        n += (size_t)own;
    }
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The smooth loss over the classes that are among the twenty best of the scores `by`, or have a label. */
static double twin_loss(const problem *p, const double *score, const double *by)
{
    double share[CLASSES] = {0}, sorted[CLASSES], gain = 0, ideal = 0;
    for (size_t i = 0; i < LABELS; i++) share[p->labelled[i]] = (double)p->weight[i];
    memcpy(sorted, by, sizeof sorted);
    qsort(sorted, CLASSES, sizeof *sorted, descending);
    const double least = sorted[19];
    for (size_t i = 0; i < CLASSES; i++) {
        if (!(by[i] >= least || share[i] > 0)) continue;
        double rank = 0.5;
        for (size_t j = 0; j < CLASSES; j++)
            if (by[j] >= least || share[j] > 0) rank += 1 / (1 + exp((score[i] - score[j]) / 0.2));
        gain += share[i] / log2(1 + rank) / (1 + exp(rank - 10.5));
    }
    qsort(share, CLASSES, sizeof *share, descending);
    for (size_t i = 0; i < 10; i++) ideal += share[i] / log2((double)i + 2);
    double sum = 0, cross = 0;
    for (size_t c = 0; c < CLASSES; c++) sum += exp(score[c]);
    for (size_t i = 0; i < LABELS; i++) cross -= (double)p->weight[i] * (score[p->labelled[i]] - log(sum));
    return 1 - gain / ideal + 0.03 * cross;
}

/* ---- Tests ---- */

static void check_problem(const problem *p, float noise)
{
    const sg_mix_net *net = &p->net;
    sg_mix_shared shared = {.noise = noise};
    sg_mix_scratch scratch = {0};
    scadyg_error error = {0};
    static double values[2000], score[CLASSES], moved[CLASSES];
    static float gradient[2000], fast[CLASSES];
    assert_int_equal(sg_mix_share(&shared, net, p->values, p->popularity, CLASSES, &error), SCADYG_OK);
    assert_int_equal(sg_mix_scratch_room(&scratch, net, CLASSES, OWN, &error), SCADYG_OK);
    for (size_t i = 0; i < net->count; i++) values[i] = (double)p->values[i];
    twin_scores(p, values, (double)noise, score);
    sg_mix_scores(&shared, &p->node, &scratch, fast);
    for (size_t c = 0; c < CLASSES; c++) near((double)fast[c], score[c], 2e-5 * (1 + fabs(score[c])));

    memset(gradient, 0, sizeof gradient);
    const double loss = sg_mix_gradient(&shared, &p->node, &p->label, 0.5f, &scratch, gradient);
    near(loss, twin_loss(p, score, score), 1e-4);
    double most = 0;
    for (size_t i = 0; i < net->count; i++) most = fmax(most, fabs((double)gradient[i]));
    for (size_t i = 0; i < net->count; i++) {
        const double kept = values[i], step = 1e-5;
        values[i] = kept + step;
        twin_scores(p, values, (double)noise, moved);
        const double above = twin_loss(p, moved, score);
        values[i] = kept - step;
        twin_scores(p, values, (double)noise, moved);
        const double slope = 0.5 * (above - twin_loss(p, moved, score)) / (2 * step);
        values[i] = kept;
        if (fabs(slope - (double)gradient[i]) > 2e-3 * most + 1e-6)
            fail_msg("value %zu: slope %g, should be %g", i, (double)gradient[i], slope);
    }
    sg_mix_scratch_free(&scratch);
    sg_mix_shared_free(&shared);
}

static void equals_twin(void **state)
{
    (void)state;
    sg_rng rng;
    static problem p;
    sg_rng_seed(&rng, 17, 0);
    for (int round = 0; round < 40; round++) {
        make_problem(&p, &rng, round % 2, round / 2 % 2);
        check_problem(&p, round % 5 ? 0.3f : 1);
    }
}

/* Where learning begins the order is that of a moving average. */
static void begins_with_an_average(void **state)
{
    (void)state;
    sg_rng rng;
    static problem p;
    static float score[CLASSES];
    scadyg_error error = {0};
    sg_rng_seed(&rng, 18, 0);
    make_problem(&p, &rng, 1, 1);
    sg_mix_net_init(&p.net, 1, &(sg_mix_start){2, 2, 1e-6}, p.values);
    memset(p.popularity, 0, sizeof p.popularity);
    sg_mix_shared shared = {.noise = 1};
    sg_mix_scratch scratch = {0};
    assert_int_equal(sg_mix_share(&shared, &p.net, p.values, p.popularity, CLASSES, &error), SCADYG_OK);
    assert_int_equal(sg_mix_scratch_room(&scratch, &p.net, CLASSES, OWN, &error), SCADYG_OK);
    sg_mix_scores(&shared, &p.node, &scratch, score);
    for (size_t n = 1; n < OWN; n++) {
        const float before = p.average[(n - 1) * RATES + 2], now = p.average[n * RATES + 2];
        const float a = score[p.class_of[n - 1]], b = score[p.class_of[n]];
        if (fabsf(before - now) > 1e-4f) assert_true((before < now) == (a < b));
    }
    sg_mix_scratch_free(&scratch);
    sg_mix_shared_free(&shared);
}

/* Equal scores everywhere, and a label that nothing speaks for: numbers, and a way up. */
static void odd_labels(void **state)
{
    (void)state;
    static float score[300];
    const uint32_t class_of[] = {299};
    const float weight[] = {1};
    const sg_mix_label one = {1, class_of, weight};
    const double loss = sg_mix_loss(&one, score, 300, 1);
    assert_true(loss > 0.5 && loss < 1.2 && score[299] < 0);
    for (size_t c = 0; c < 299; c++) assert_true(score[c] >= 0 && isfinite(score[c]));
    for (size_t c = 0; c < 300; c++) score[c] = c == 299 ? 1e4f : -1e4f;
    assert_true(sg_mix_loss(&one, score, 300, 1) < 0.01);
    for (size_t c = 0; c < 300; c++) assert_true(isfinite(score[c]));
    const sg_mix_label none = {0, class_of, weight};
    score[7] = 3;
    near(sg_mix_loss(&none, score, 300, 1), 0, 0);
    for (size_t c = 0; c < 300; c++) near((double)score[c], 0, 0);
}

static void groups_cover_all(void **state)
{
    (void)state;
    static problem p;
    sg_rng rng;
    sg_rng_seed(&rng, 19, 0);
    for (int hypernetwork = 0; hypernetwork < 2; hypernetwork++) {
        make_problem(&p, &rng, hypernetwork, 1);
        size_t at = 0, begin, rows, columns;
        for (size_t i = 0; sg_mix_net_group(&p.net, i, &begin, &rows, &columns); i++) {
            assert_int_equal(begin, at);
            at += rows * columns;
        }
        assert_int_equal(at, p.net.count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_twin),
        cmocka_unit_test(begins_with_an_average),
        cmocka_unit_test(odd_labels),
        cmocka_unit_test(groups_cover_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
