/*
 * The one chance that answers whatever a pair is compared with: how much of that has met before, and how much lately.
 *
 * Against random pairs the best share of others is none, against pairs that have met it is many. Of the shares that keep the
 * error against random pairs, 1 - AP, within a tenth (SG_SCADYG_ALLOWED) and a thousandth of its least those are taken that
 * make the product of the errors against pairs that have met and that met lately least (docs/accuracy.md, "One answer"). The
 * errors are those that DyGLib's protocol gives with the model's seed on a sample of the validation part, all three pools in
 * one pass over the log. Of a long log, where that pass would cost much, it is a sample of what is left of the part behind the
 * events that epochs were compared by.
 */
#include "base/memory.h"
#include "base/search.h"
#include "evaluate/evaluation.h"
#include "evaluate/negatives.h"
#include "models/scadyg/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = SG_OUTPUTS - SG_CHANCE_RANDOM, BATCH = SG_BATCH, SETS = KINDS + 1, EVENTS = 6000 };

static const double tried[] = {0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
enum { TRIED = sizeof tried / sizeof *tried, VARIANTS = TRIED * TRIED };

typedef struct shares {
    const sg_training *training;
    const sg_scorer *scorer;
    sg_pair_parts *kept; /* where the scorer is told to put what it says against each kind */
    sg_columns columns;
    sg_dyglib_negatives draw[KINDS];
    size_t draws; /* that are open */
    /* Of a batch: the positives and one negative of each kind, by event; where their parts lie among those asked for. */
    uint32_t pair_src[SETS][BATCH], pair_dst[SETS][BATCH];
    size_t drawn[SETS], place[SETS][BATCH];
    uint32_t src[SETS * BATCH], dst[SETS * BATCH];
    double score[SETS * BATCH], parts[SETS * BATCH][KINDS];
    sg_question questions[BATCH];
    double errors[KINDS][VARIANTS]; /* sums over batches */
    size_t batches[KINDS];
} shares;

static void shares_of(size_t variant, double *out)
{
    out[0] = 1;
    out[1] = tried[variant / TRIED];
    out[2] = tried[variant % TRIED];
}

static int open_draws(shares *s, scadyg_error *error)
{
    static const int pools[KINDS] = {SG_POOL_DESTINATION, SG_POOL_HISTORICAL, SG_POOL_INDUCTIVE};
    for (; s->draws < KINDS; s->draws++) {
        const int status =
            sg_dyglib_negatives_open(&s->draw[s->draws], &s->columns, s->training->view.nodes, pools[s->draws],
                                     s->training->split.train_end, BATCH, s->training->contacts, error);
        if (status) return status;
    }
    return SCADYG_OK;
}

static void draw_batch(shares *s, uint64_t begin, uint64_t end)
{
    s->drawn[0] = (size_t)(end - begin);
    memcpy(s->pair_src[0], s->columns.src + begin, s->drawn[0] * sizeof *s->src);
    memcpy(s->pair_dst[0], s->columns.dst + begin, s->drawn[0] * sizeof *s->dst);
    for (size_t k = 0; k < KINDS; k++) {
        sg_rng rng;
        sg_rng_seed(&rng, (uint64_t)sg_train_of(s->training->model)->seed,
                    sg_hash3(sg_protocols[SG_PROTOCOL_DYGLIB].stream, SG_PART_VALIDATION,
                             begin - s->training->split.train_end));
        sg_dyglib_negatives_batch(&s->draw[k], begin, end);
        s->drawn[k + 1] = sg_dyglib_negatives_next(&s->draw[k], &rng, s->pair_src[k + 1], s->pair_dst[k + 1]);
    }
}

/* A negative is asked for at the time of its event. Returns how many questions there are. */
static size_t list_questions(shares *s, uint64_t begin, uint64_t end)
{
    const double *time = s->columns.time;
    size_t pairs = 0, count = 0;
    for (uint64_t e = begin, next; e < end; e = next) {
        const size_t first = pairs;
        for (next = e + 1; next < end && time[next] == time[e];) next++;
        for (size_t k = 0; k < SETS; k++)
            for (size_t i = (size_t)(e - begin); i < (size_t)(next - begin) && i < s->drawn[k]; i++, pairs++) {
                s->src[pairs] = s->pair_src[k][i];
                s->dst[pairs] = s->pair_dst[k][i];
                s->place[k][i] = pairs;
            }
        s->questions[count++] = (sg_question){.at = time[e],
                                              .seen = sg_events_before(time, e + 1, time[e]),
                                              .step = -1,
                                              .src = s->src + first,
                                              .dst = s->dst + first,
                                              .count = pairs - first,
                                              .score = s->score + first,
                                              .ask = SG_ASK_CHANCE};
    }
    return count;
}

static void combine(const shares *s, size_t set, const double *compared, double *out)
{
    for (size_t i = 0; i < s->drawn[set]; i++) out[i] = sg_pair_combine(s->parts[s->place[set][i]], compared);
}

static void add_errors(shares *s)
{
    double positive[BATCH], negative[BATCH], compared[KINDS], ap, auc;
    for (size_t v = 0; v < VARIANTS; v++) {
        shares_of(v, compared);
        combine(s, 0, compared, positive); /* sg_ap_auc sorts them, which is as good for the next */
        for (size_t k = 0; k < KINDS; k++) {
            if (s->drawn[k + 1] == 0) continue;
            combine(s, k + 1, compared, negative);
            sg_ap_auc(positive, s->drawn[0], negative, s->drawn[k + 1], &ap, &auc);
            s->errors[k][v] += 1 - ap;
        }
    }
    for (size_t k = 0; k < KINDS; k++) s->batches[k] += s->drawn[k + 1] > 0;
}

static int measure_errors(shares *s, scadyg_error *error)
{
    const uint64_t compared = sg_training_compared_end(s->training),
                   first = compared < s->columns.count ? compared : s->training->split.train_end,
                   events = s->columns.count - first;
    const uint64_t batches = (events + BATCH - 1) / BATCH;
    uint64_t every = (events + EVENTS - 1) / EVENTS;
    if (every > batches) every = batches;
    int status = s->scorer->rewind(s->scorer->context, error);
    for (uint64_t number = every / 2; number < batches && !status; number += every) {
        const uint64_t begin = first + number * BATCH,
                       end = s->columns.count - begin > BATCH ? begin + BATCH : s->columns.count;
        draw_batch(s, begin, end);
        const size_t count = list_questions(s, begin, end);
        *s->kept = (sg_pair_parts){s->parts[0], 0};
        status = s->scorer->score_many(s->scorer->context, s->questions, count, error);
        if (!status) add_errors(s);
        if (!status) status = sg_training_report(s->training, "evaluating", number, batches, error);
    }
    *s->kept = (sg_pair_parts){0};
    for (size_t k = 0; k < KINDS; k++)
        for (size_t v = 0; v < VARIANTS; v++) s->errors[k][v] /= s->batches[k] ? (double)s->batches[k] : 1;
    return status;
}

/* The best of the variants that are allowed. */
static size_t choose_variant(double (*errors)[VARIANTS])
{
    size_t best = 0;
    double least = INFINITY, least_sum = INFINITY, least_random = INFINITY;
    for (size_t i = 0; i < VARIANTS; i++) least_random = fmin(least_random, errors[0][i]);
    for (size_t i = 0; i < VARIANTS; i++) {
        const double product = errors[1][i] * errors[2][i], sum = errors[1][i] + errors[2][i];
        if (errors[0][i] > SG_SCADYG_ALLOWED * least_random + 0.001) continue;
        if (product > least || (product == least && sum >= least_sum)) continue; /* one of them may be 0 for many */
        least = product;
        least_sum = sum;
        best = i;
    }
    return best;
}

int sg_scadyg_choose_shares(const sg_training *training, const sg_learner *learner, double *compared,
                            scadyg_error *error)
{
    shares *s = sg_alloc_zero(1, sizeof *s);
    if (!s) return sg_fail_memory(error, "the scores of pairs");
    s->training = training;
    s->scorer = &learner->scorer;
    s->kept = sg_scadyg_scorer_parts(&learner->scorer);
    s->columns = sg_training_known(training);
    int status = SCADYG_OK;
    if (s->columns.count > training->split.train_end) {
        status = open_draws(s, error);
        if (!status) status = measure_errors(s, error);
        if (!status) shares_of(choose_variant(s->errors), compared);
        while (s->draws) sg_dyglib_negatives_close(&s->draw[--s->draws]);
    }
    free(s);
    return status;
}
