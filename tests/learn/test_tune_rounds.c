/* The rounds of a search against a slow, obvious twin that plays a whole tournament at once. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "evaluate/rounds.h"
#include "learn/tune/tune.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 40, JOBS = 4000 };

/* What a trial will score in each round, never less than before; or the round in which it fails (0: none). */
typedef struct fate {
    double score[SG_ROUNDS_MOST + 1];
    int64_t fails_in;
} fate;

typedef struct job {
    size_t trial;
    int64_t round;
} job;

typedef struct play {
    job jobs[JOBS];
    size_t count;
    size_t best; /* a trial; `trials` if none */
} play;

static int fails(const fate *f, int64_t round)
{
    return f->fails_in && round >= f->fails_in;
}

/* ---- The twin: whole rounds, sorted ---- */

static const fate *sorting;
static int64_t sorted_round;

static int by_score(const void *a, const void *b)
{
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    const double x = sorting[i].score[sorted_round], y = sorting[j].score[sorted_round];
    return x != y ? (x > y ? -1 : 1) : i < j ? -1 : 1;
}

static int by_number(const void *a, const void *b)
{
    return *(const size_t *)a < *(const size_t *)b ? -1 : 1;
}

/* Trains those in `in` and leaves in it those that did not fail. */
static size_t twin_round(play *p, const fate *fates, int64_t round, size_t *in, size_t count)
{
    size_t left = 0;
    qsort(in, count, sizeof *in, by_number);
    for (size_t i = 0; i < count; i++) {
        p->jobs[p->count++] = (job){in[i], round};
        if (!fails(&fates[in[i]], round)) in[left++] = in[i];
    }
    return left;
}

static void twin(play *p, const fate *fates, size_t trials, const scadyg_round *rounds, size_t round_count)
{
    size_t in[MOST], count = trials;
    double last[MOST];
    int out[MOST] = {0}, through = 0;
    *p = (play){.best = trials};
    for (size_t i = 0; i < trials; i++) in[i] = i;
    for (size_t r = 1; r <= round_count; r++) {
        if (r > 1) {
            sorting = fates;
            sorted_round = (int64_t)r - 1;
            qsort(in, count, sizeof *in, by_score);
            if (count > (size_t)rounds[r - 1].trials) count = (size_t)rounds[r - 1].trials;
        }
        size_t before[MOST], n = count;
        memcpy(before, in, sizeof before);
        count = twin_round(p, fates, (int64_t)r, in, count);
        for (size_t i = 0; i < n; i++) {
            out[before[i]] = fails(&fates[before[i]], (int64_t)r);
            last[before[i]] = fates[before[i]].score[r];
        }
        through = r == round_count && count > 0;
    }
    /* All of the last round failed: the best of the others are tried, one after the other. */
    while (!through) {
        size_t best = trials;
        for (size_t i = 0; i < trials; i++)
            if (!out[i] && (best == trials || last[i] > last[best])) best = i;
        if (best == trials) return;
        p->jobs[p->count++] = (job){best, (int64_t)round_count};
        out[best] = fails(&fates[best], (int64_t)round_count);
        last[best] = fates[best].score[round_count];
        through = !out[best];
    }
    for (size_t i = 0; i < trials; i++)
        if (!out[i] && (p->best == trials || last[i] > last[p->best])) p->best = i;
}

/* ---- The real thing ---- */

static void real(play *p, const fate *fates, size_t trials, sg_contest *contest)
{
    sg_standing standings[MOST];
    *p = (play){0};
    sg_contest_begin(contest, standings, trials);
    assert_int_equal(sg_contest_best(contest), trials);
    job next;
    while (sg_contest_next(contest, &next.trial, &next.round)) {
        assert_true(p->count < JOBS && next.trial < trials);
        /* Asked twice, it says the same. */
        job again;
        assert_true(sg_contest_next(contest, &again.trial, &again.round));
        assert_true(again.trial == next.trial && again.round == next.round);
        assert_true(sg_contest_alive(contest, next.trial));
        p->jobs[p->count++] = next;
        if (fails(&fates[next.trial], next.round)) {
            sg_contest_note_failure(contest, next.trial, next.round);
            assert_false(sg_contest_alive(contest, next.trial));
        } else {
            sg_contest_note(contest, next.trial, next.round, fates[next.trial].score[next.round]);
        }
    }
    for (size_t i = 0; i < trials; i++) assert_false(sg_contest_alive(contest, i));
    p->best = sg_contest_best(contest);
}

static void against_the_twin(void **state)
{
    (void)state;
    static fate fates[MOST];
    static play one, other;
    for (uint64_t seed = 0; seed < rounds(3000); seed++) {
        sg_rng rng;
        sg_rng_seed(&rng, seed, 1);
        const size_t trials = 1 + sg_rng_below(&rng, MOST);
        const sg_tune_options options = {.method = sg_rng_below(&rng, 5) == 0, .keep = (int)(seed % 2)};
        const int64_t epochs = 1 + (int64_t)sg_rng_below(&rng, 120);
        const uint64_t failing = sg_rng_below(&rng, 3) ? 8 : 1; /* now and then all fail sooner or later */
        sg_contest contest;
        sg_contest_plan(&contest, &options, trials, epochs);
        for (size_t i = 0; i < trials; i++) {
            double score = 0;
            for (size_t r = 1; r <= contest.round_count; r++)
                fates[i].score[r] = score += (double)sg_rng_below(&rng, 4); /* with ties */
            const int bad = sg_rng_below(&rng, failing) == 0;
            fates[i].fails_in = bad ? 1 + (int64_t)sg_rng_below(&rng, contest.round_count + (failing > 1)) : 0;
        }
        real(&one, fates, trials, &contest);
        twin(&other, fates, trials, contest.rounds, contest.round_count);
        assert_int_equal(one.count, other.count);
        for (size_t i = 0; i < one.count; i++) {
            assert_int_equal(one.jobs[i].trial, other.jobs[i].trial);
            assert_int_equal(one.jobs[i].round, other.jobs[i].round);
        }
        assert_int_equal(one.best, other.best);
    }
}

static void check_plan(int keep, size_t trials, int64_t epochs, const scadyg_round *expected, size_t count)
{
    sg_contest contest;
    sg_contest_plan(&contest, &(sg_tune_options){.keep = keep}, trials, epochs);
    assert_int_equal(contest.round_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(contest.rounds[i].trials, expected[i].trials);
        assert_int_equal(contest.rounds[i].epochs, expected[i].epochs);
    }
}

static void plans(void **state)
{
    (void)state;
    check_plan(0, 20, 100, (scadyg_round[]){{20, 11}, {6, 33}, {2, 100}}, 3);
    check_plan(0, 27, 27, (scadyg_round[]){{27, 1}, {9, 3}, {3, 9}, {1, 27}}, 4);
    check_plan(1, 8, 100, (scadyg_round[]){{8, 12}, {4, 25}, {2, 50}, {1, 100}}, 4);
    check_plan(0, 100, 3, (scadyg_round[]){{100, 1}, {33, 3}}, 2); /* few epochs: few rounds */
    check_plan(0, 100, 1, (scadyg_round[]){{100, 1}}, 1);
    check_plan(0, 2, 100, (scadyg_round[]){{2, 100}}, 1);
    check_plan(1, 1, 1, (scadyg_round[]){{1, 1}}, 1);
    sg_contest contest;
    sg_contest_plan(&contest, &(sg_tune_options){.method = SG_TUNE_RANDOM}, 50, 70);
    assert_int_equal(contest.round_count, 1);
    assert_true(contest.rounds[0].trials == 50 && contest.rounds[0].epochs == 70);
    /* The most there can be. */
    sg_contest_plan(&contest, &(sg_tune_options){.keep = 1}, 10000, 1000000);
    assert_true(contest.round_count <= SG_ROUNDS_MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans), cmocka_unit_test(against_the_twin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
