/*
 * What walk sketches estimate, against exact counts by brute force: the mean of the estimates over many sets of random
 * vectors is the count, and their mean square error is the one of the theory, so it falls like 1 / width.
 */
#include "messages/sketch_log.h"

enum { NODES = 12, SETS = 2000, WIDTHS = 3, KINDS = 3 };

static const size_t widths[WIDTHS] = {16, 64, 256};
static const double rate = 0.05;
static const float factors[SG_ORDERS] = {0, 0.5f, 0.9f};

/* Every event is two first_contacts, one of each end. */
typedef struct meeting {
    uint32_t who, whom;
    double time;
} meeting;

typedef struct exact {
    double first[NODES][NODES], second[NODES][NODES]; /* weights of partners, and of walks of two steps */
} exact;

/* The weight of each partner of u before a time: factor^(first_contacts of u that came later, but before that time). */
static void partners(const meeting *first_contacts, size_t count, uint32_t u, double factor, double before,
                     double *weight)
{
    for (int x = 0; x < NODES; x++) weight[x] = 0;
    for (size_t i = 0; i < count; i++) {
        if (first_contacts[i].who != u || first_contacts[i].time >= before) continue;
        int later = 0;
        for (size_t j = i + 1; j < count; j++)
            later += first_contacts[j].who == u && first_contacts[j].time < before;
        weight[first_contacts[i].whom] += pow(factor, later);
    }
}

static void count_walks(const sketch_log *log, double factor, exact *e)
{
    meeting first_contacts[2 * LOG_EVENTS];
    for (size_t i = 0; i < LOG_EVENTS; i++) {
        first_contacts[2 * i] = (meeting){log->src[i], log->dst[i], log->time[i]};
        first_contacts[2 * i + 1] = (meeting){log->dst[i], log->src[i], log->time[i]};
    }
    memset(e, 0, sizeof *e);
    for (uint32_t u = 0; u < NODES; u++) partners(first_contacts, 2 * LOG_EVENTS, u, factor, log->end, e->first[u]);
    for (size_t i = 0; i < 2 * LOG_EVENTS; i++) {
        double weight[NODES], mass = 0;
        partners(first_contacts, 2 * LOG_EVENTS, first_contacts[i].whom, factor, first_contacts[i].time, weight);
        for (int x = 0; x < NODES; x++) mass += weight[x];
        for (int x = 0; x < NODES && mass > 0; x++)
            e->second[first_contacts[i].who][x] +=
                exp(-rate * (log->end - first_contacts[i].time)) * weight[x] / mass;
    }
}

/* The exact number and the variance of its estimate times the width. */
typedef struct truth {
    double value, variance;
} truth;

/* w . z_x for a sum of z: all others' shares are noise. */
static truth single(const double *w, size_t x)
{
    truth t = {w[x], 0};
    for (size_t y = 0; y < NODES; y++) t.variance += y == x ? 0 : w[y] * w[y];
    return t;
}

/* Of two sums of z: pairs of different nodes are noise. */
static truth both(const double *a, const double *b)
{
    double aa = 0, bb = 0, ab = 0, squares = 0;
    for (size_t y = 0; y < NODES; y++) {
        aa += a[y] * a[y];
        bb += b[y] * b[y];
        ab += a[y] * b[y];
        squares += a[y] * a[y] * b[y] * b[y];
    }
    return (truth){ab, aa * bb + ab * ab - 2 * squares};
}

static truth truth_of(const exact *e, int kind, size_t u, size_t v)
{
    if (kind == SG_DOT_1U_ZV) return single(e->first[u], v);
    if (kind == SG_DOT_2U_ZV) return single(e->second[u], v);
    return both(e->first[u], e->first[v]);
}

/* Errors of one kind of estimate in units of what theory expects. Only sets of vectors are independent of each other. */
typedef struct errors {
    double mean, square;     /* sums over sets of what one set has */
    double means2, squares2; /* sums of their squares */
    double raw;              /* sum of squared errors as they are */
} errors;

static void judge(const exact *e, int kind, int k, size_t width, const float *dots, errors *sums)
{
    double mean = 0, square = 0;
    int count = 0;
    for (size_t u = 0; u < NODES; u++)
        for (size_t v = 0; v < NODES; v++) {
            const truth t = truth_of(e, kind, u, v);
            const float *row = dots + (u * NODES + v) * ROW + (size_t)k * SG_DOTS;
            const double error = (double)row[kind] / (double)width - t.value;
            sums->raw += error * error;
            if (t.variance < 1e-9) {
                assert_true(fabs(error) < 1e-4); /* nothing to mistake it for */
                continue;
            }
            const double unit = error / sqrt(t.variance / (double)width);
            mean += unit;
            square += unit * unit;
            count++;
        }
    mean /= count;
    square /= count;
    sums->mean += mean;
    sums->means2 += mean * mean;
    sums->square += square;
    sums->squares2 += square * square;
}

/* Whether a mean over all sets is the expected one, within five of its standard errors, and these are small. */
static int is_mean(double sum, double sum2, double expected)
{
    const double mean = sum / SETS, error = sqrt((sum2 / SETS - mean * mean) / (SETS - 1));
    return error < 0.03 && fabs(mean - expected) < 5 * error;
}

static void estimates_are_as_good_as_theory_says(void **state)
{
    (void)state;
    static const int kinds[KINDS] = {SG_DOT_1U_ZV, SG_DOT_2U_ZV, SG_DOT_1U_1V};
    static errors all[SG_ORDERS][KINDS][WIDTHS];
    for (uint64_t set = 0; set < SETS; set++) {
        const sketch_log log = make_log(set % 4, NODES);
        uint64_t keys[NODES];
        exact e[SG_ORDERS];
        make_keys(set, NODES, keys);
        for (int k = 0; k < SG_ORDERS; k++) count_walks(&log, (double)factors[k], &e[k]);
        for (int w = 0; w < WIDTHS; w++) {
            const sg_sketch_options options = {widths[w], {factors[0], factors[1], factors[2]}, rate};
            sg_sketch *sketch = must_sketch(&options, keys, NODES);
            add_log(sketch, &log);
            float *dots = read_all(sketch, NODES, log.end);
            for (int k = 0; k < SG_ORDERS; k++)
                for (int i = 0; i < KINDS; i++) judge(&e[k], kinds[i], k, widths[w], dots, &all[k][i][w]);
            free(dots);
            sg_sketch_close(sketch);
        }
    }
    for (int k = 0; k < SG_ORDERS; k++)
        for (int i = 0; i < KINDS; i++)
            for (int w = 0; w < WIDTHS; w++) {
                const errors *x = &all[k][i][w];
                const double fall = w ? sqrt(x[-1].raw / x->raw) : 2; /* four times the width: half the error */
                if (!is_mean(x->mean, x->means2, 0) || !is_mean(x->square, x->squares2, 1) || fabs(fall - 2) > 0.1)
                    fail_msg("order %d, product %d, width %zu: mean error %.4f, square %.4f, fall %.4f", k,
                             kinds[i], widths[w], x->mean / SETS, x->square / SETS, fall);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_are_as_good_as_theory_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
