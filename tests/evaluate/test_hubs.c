/* Negatives of a source that has met nearly all of very many destinations: still what the pools say, each as likely. */
#include "cmocka_all.h"

#include "evaluate/negatives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 3000, WANTED = 20 };

/* Source 0 has met destinations 1 .. met before event `met`; source `nodes - 1` meets all of them later. */
typedef struct hub {
    uint64_t destinations, met, events;
    uint32_t *src, *dst;
    double *time;
    sg_columns columns;
} hub;

static void make(hub *h, uint64_t destinations, uint64_t met)
{
    *h = (hub){.destinations = destinations, .met = met, .events = met + destinations + 1};
    h->src = calloc(h->events, sizeof *h->src);
    h->dst = calloc(h->events, sizeof *h->dst);
    h->time = calloc(h->events, sizeof *h->time);
    assert_true(h->src && h->dst && h->time);
    for (uint64_t e = 0; e < h->events; e++) {
        h->src[e] = e < met || e == h->events - 1 ? 0 : (uint32_t)destinations + 1;
        h->dst[e] = 1 + (uint32_t)(e < met ? e : e == h->events - 1 ? 3 : e - met);
        h->time[e] = (double)e;
    }
    h->columns = (sg_columns){.count = h->events, .src = h->src, .dst = h->dst, .time = h->time};
}

static void end(hub *h)
{
    free(h->src);
    free(h->dst);
    free(h->time);
}

/* The last event is the positive, destination 4. */
static void check_pool(const hub *h, int pool, int again, size_t from_met)
{
    const uint64_t positive = h->events - 1;
    size_t *times = calloc(h->destinations + 1, sizeof *times);
    sg_negatives negatives;
    sg_rng rng;
    assert_non_null(times);
    sg_rng_seed(&rng, 71, h->met);
    assert_int_equal(
        sg_negatives_open(&negatives, &h->columns, h->destinations + 2, pool, again, h->met, NULL, NULL),
        SCADYG_OK);
    for (int i = 0; i < DRAWS; i++) {
        uint32_t out[WANTED];
        assert_int_equal(sg_negatives_of(&negatives, 0, &positive, 1, positive, NULL), SCADYG_OK);
        assert_int_equal(sg_negatives_draw(&negatives, &rng, WANTED, out), WANTED);
        for (size_t k = 0; k < WANTED; k++) {
            assert_true(out[k] >= 1 && out[k] <= h->destinations && out[k] != 4);
            assert_int_equal(out[k] <= h->met, k < from_met);
            for (size_t j = 0; j < k && !again; j++) assert_int_not_equal(out[j], out[k]);
            times[out[k]]++;
        }
    }
    /* Each of those not met within six deviations of the mean. */
    const double mean = (double)DRAWS * (double)(WANTED - from_met) / (double)(h->destinations - h->met);
    for (uint64_t node = h->met + 1; node <= h->destinations && from_met < WANTED; node++)
        assert_true(fabs((double)times[node] - mean) < 6 * sqrt(mean) + 1);
    sg_negatives_close(&negatives);
    free(times);
}

static void nearly_all_met(void **state)
{
    (void)state;
    static const uint64_t sizes[][2] = {{6000, 5960}, {6000, 5700}, {200000, 195000}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        hub h;
        make(&h, sizes[i][0], sizes[i][1]);
        check_pool(&h, SG_POOL_MIX, 0, WANTED / 2);
        check_pool(&h, SG_POOL_MIX, 1, WANTED / 2);
        check_pool(&h, SG_POOL_HISTORICAL, 0, WANTED);
        end(&h);
    }
}

/* What the source meets meanwhile is no longer drawn, although it was listed as not met. */
static void met_meanwhile(void **state)
{
    (void)state;
    enum { ALL = 6000, MET = 5900, LATER = 90 };
    hub h;
    make(&h, ALL, MET);
    for (uint64_t i = 0; i < LATER; i++) h.src[MET + 10 + i] = 0, h.dst[MET + 10 + i] = (uint32_t)(MET + 1 + i);
    sg_negatives negatives;
    sg_rng rng;
    sg_rng_seed(&rng, 72, 0);
    assert_int_equal(sg_negatives_open(&negatives, &h.columns, ALL + 2, SG_POOL_INDUCTIVE, 1, 5, NULL, NULL),
                     SCADYG_OK);
    const uint64_t positive = h.events - 1;
    for (uint64_t seen = MET; seen <= MET + 10 + LATER; seen += 5) {
        uint32_t out[ALL + 20];
        /* All that it has met since training, then others. */
        assert_int_equal(sg_negatives_of(&negatives, 0, &positive, 1, seen, NULL), SCADYG_OK);
        const uint64_t known = seen < MET + 10 ? MET : seen - 10;
        assert_int_equal(sg_negatives_draw(&negatives, &rng, (size_t)known + 20, out), known + 20);
        for (size_t k = 0; k < known + 20; k++) assert_int_equal(out[k] > 5 && out[k] <= known, k < known - 5);
    }
    sg_negatives_close(&negatives);
    end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nearly_all_met), cmocka_unit_test(met_meanwhile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
