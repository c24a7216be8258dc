/* The rounds of a search: who is trained next, for how long, and who is out. */
#include "learn/tune/tune.h"

void sg_contest_plan(sg_contest *contest, const sg_tune_options *options, size_t trials, int64_t epochs)
{
    const int64_t part = options->keep ? 2 : 3;
    contest->round_count = 1;
    if (options->method == SG_TUNE_HALVING)
        for (int64_t t = (int64_t)trials / part, e = epochs / part; t > 0 && e > 0; t /= part, e /= part)
            contest->round_count++;
    int64_t left = (int64_t)trials, whole = epochs;
    for (size_t i = 0; i < contest->round_count; i++) {
        contest->rounds[i].trials = left;
        contest->rounds[contest->round_count - 1 - i].epochs = whole;
        left /= part;
        whole /= part;
    }
}

void sg_contest_begin(sg_contest *contest, sg_standing *trials, size_t count)
{
    for (size_t i = 0; i < count; i++) trials[i] = (sg_standing){.admitted = 1};
    contest->trials = trials;
    contest->count = count;
    contest->now = 1;
}

/* The best of those that wait after a round; any round: 0. `count` if there is none. */
static size_t best_waiting(const sg_contest *contest, int64_t round)
{
    size_t best = contest->count;
    for (size_t i = 0; i < contest->count; i++) {
        const sg_standing *trial = &contest->trials[i];
        if (!trial->done || trial->failed || trial->admitted > trial->done) continue;
        if (round && trial->done != round) continue;
        if (best == contest->count || trial->score > contest->trials[best].score) best = i;
    }
    return best;
}

size_t sg_contest_best(const sg_contest *contest)
{
    size_t best = contest->count;
    for (size_t i = 0; i < contest->count; i++) {
        const sg_standing *trial = &contest->trials[i];
        if (!trial->done || trial->failed) continue;
        if (best == contest->count || trial->score > contest->trials[best].score) best = i;
    }
    return best;
}

static int someone_is_through(const sg_contest *contest)
{
    for (size_t i = 0; i < contest->count; i++)
        if (!contest->trials[i].failed && contest->trials[i].done == (int64_t)contest->round_count) return 1;
    return 0;
}

/* The next round, or, after the last, a replacement for those that failed in it. 0: neither. */
static int admit(sg_contest *contest)
{
    const int64_t last = (int64_t)contest->round_count;
    if (contest->now == last) {
        const size_t best = best_waiting(contest, 0);
        if (someone_is_through(contest) || best == contest->count) return 0;
        contest->trials[best].admitted = last;
        return 1;
    }
    for (int64_t n = contest->rounds[contest->now].trials; n > 0; n--) {
        const size_t best = best_waiting(contest, contest->now);
        if (best == contest->count) break;
        contest->trials[best].admitted = contest->now + 1;
    }
    contest->now++;
    return 1;
}

int sg_contest_next(sg_contest *contest, size_t *trial, int64_t *round)
{
    do {
        for (size_t i = 0; i < contest->count; i++) {
            const sg_standing *one = &contest->trials[i];
            if (one->failed || one->admitted <= one->done) continue;
            *trial = i;
            *round = one->admitted;
            return 1;
        }
    } while (admit(contest));
    return 0;
}

void sg_contest_note(sg_contest *contest, size_t trial, int64_t round, double score)
{
    contest->trials[trial].done = round;
    contest->trials[trial].score = score;
}

void sg_contest_note_failure(sg_contest *contest, size_t trial, int64_t round)
{
    contest->trials[trial].done = round;
    contest->trials[trial].failed = 1;
}

int sg_contest_alive(const sg_contest *contest, size_t trial)
{
    const sg_standing *one = &contest->trials[trial];
    if (one->failed) return 0;
    return one->admitted > one->done || (one->done == contest->now && contest->now < (int64_t)contest->round_count);
}
