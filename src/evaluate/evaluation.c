/* The evaluation: what the protocols for links have in common. */
#include "evaluate/evaluation.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static int find_part(sg_evaluation *evaluation, scadyg_error *error)
{
    const sg_evaluated_data *trial = evaluation->trial;
    const int paper = evaluation->options->protocol == SCADYG_PROTOCOL_PAPER;
    const int test = evaluation->options->part == SCADYG_PART_TEST;
    if (paper && !trial->steps) return sg_fail(error, SCADYG_E_USAGE, "the paper's protocol needs steps");
    evaluation->split = paper ? trial->split : sg_split_time(trial->columns.time, trial->columns.count, 0.70, 0.15);
    evaluation->begin = test ? evaluation->split.validation_end : evaluation->split.train_end;
    evaluation->end = test ? trial->columns.count : evaluation->split.validation_end;
    if (evaluation->end > trial->columns.count) evaluation->end = trial->columns.count;
    if (evaluation->begin < evaluation->end) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_USAGE, "there is nothing to judge: the %s part has no events",
                   test ? "test" : "validation");
}

int sg_evaluation_open(sg_evaluation *evaluation, scadyg_error *error)
{
    const scadyg_eval_options *options = evaluation->options;
    if (options->seeds < 1) return sg_fail(error, SCADYG_E_USAGE, "--seeds must be at least 1");
    if (options->negatives < 0) return sg_fail(error, SCADYG_E_USAGE, "--negatives must be at least 1");
    evaluation->seeds = (size_t)options->seeds;
    int status = find_part(evaluation, error);
    if (status) return status;
    evaluation->rng = sg_alloc(evaluation->seeds, sizeof *evaluation->rng);
    evaluation->tally =
        sg_alloc_zero((evaluation->count ? evaluation->count : 1) * evaluation->seeds, sizeof *evaluation->tally);
    if (!evaluation->rng || !evaluation->tally) return sg_fail_memory(error, "the tallies");
    for (size_t i = 0; i < evaluation->count && !status; i++) {
        status = evaluation->scorers[i].rewind(evaluation->scorers[i].context, error);
        if (evaluation->scores_out->seconds) evaluation->scores_out->seconds[i] = 0;
    }
    return status;
}

void sg_evaluation_close(sg_evaluation *evaluation)
{
    free(evaluation->src);
    free(evaluation->dst);
    free(evaluation->score);
    free(evaluation->blocks);
    free(evaluation->rng);
    free(evaluation->tally);
}

uint64_t sg_evaluation_one_in(const sg_evaluation *evaluation, uint64_t queries)
{
    const uint64_t wanted = (uint64_t)evaluation->options->queries;
    evaluation->scores_out->one_in = wanted ? (queries + wanted - 1) / wanted : 1;
    if (evaluation->scores_out->one_in == 0) evaluation->scores_out->one_in = 1;
    return evaluation->scores_out->one_in;
}

int sg_evaluation_room(sg_evaluation *evaluation, size_t count, scadyg_error *error)
{
    size_t src = evaluation->room, dst = evaluation->room, score = evaluation->room;
    if (evaluation->pairs + count <= evaluation->room) return SCADYG_OK;
    if (sg_grow(&evaluation->src, &src, evaluation->pairs + count, sizeof *evaluation->src) ||
        sg_grow(&evaluation->dst, &dst, evaluation->pairs + count, sizeof *evaluation->dst) ||
        sg_grow(&evaluation->score, &score, evaluation->pairs + count, sizeof *evaluation->score))
        return sg_fail_memory(error, "the pairs to score");
    evaluation->room = src;
    return SCADYG_OK;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int sg_evaluation_ask(sg_evaluation *evaluation, size_t scorer, double at, uint64_t seen, int64_t step,
                      scadyg_error *error)
{
    const sg_question block = {at,
                               seen,
                               step,
                               evaluation->src,
                               evaluation->dst,
                               evaluation->pairs,
                               evaluation->score,
                               evaluation->question};
    double *seconds = evaluation->scores_out->seconds, begun = seconds ? seconds_now() : 0;
    int status = evaluation->scorers[scorer].score(evaluation->scorers[scorer].context, &block, error);
    if (seconds) seconds[scorer] += seconds_now() - begun;
    return status;
}

int sg_evaluation_block(sg_evaluation *evaluation, double at, uint64_t seen, size_t first, scadyg_error *error)
{
    if (sg_grow(&evaluation->blocks, &evaluation->block_room, evaluation->block_count + 1,
                sizeof *evaluation->blocks))
        return sg_fail_memory(error, "the pairs to score");
    evaluation->blocks[evaluation->block_count++] =
        (sg_question){.at = at, .seen = seen, .step = -1, .count = first, .question = evaluation->question};
    return SCADYG_OK;
}

int sg_evaluation_ask_blocks(sg_evaluation *evaluation, size_t scorer, scadyg_error *error)
{
    const sg_scorer *s = &evaluation->scorers[scorer];
    double *seconds = evaluation->scores_out->seconds, begun = seconds ? seconds_now() : 0;
    int status = SCADYG_OK;
    /* Until now a block's count is its first pair. */
    if (evaluation->block_count && !evaluation->blocks[0].src)
        for (size_t i = 0; i < evaluation->block_count; i++) {
            sg_question *block = &evaluation->blocks[i];
            const size_t first = block->count;
            const size_t end =
                i + 1 < evaluation->block_count ? evaluation->blocks[i + 1].count : evaluation->pairs;
            block->src = evaluation->src + first;
            block->dst = evaluation->dst + first;
            block->score = evaluation->score + first;
            block->count = end - first;
        }
    if (s->score_many) {
        status = s->score_many(s->context, evaluation->blocks, evaluation->block_count, error);
    } else {
        for (size_t i = 0; i < evaluation->block_count && !status; i++)
            status = s->score(s->context, &evaluation->blocks[i], error);
    }
    if (seconds) seconds[scorer] += seconds_now() - begun;
    return status;
}

void sg_evaluation_streams(sg_evaluation *evaluation, uint64_t n)
{
    for (size_t i = 0; i < evaluation->seeds; i++)
        sg_rng_seed(&evaluation->rng[i], (uint64_t)evaluation->options->seed + i,
                    sg_hash3((uint64_t)evaluation->options->protocol, (uint64_t)evaluation->options->part, n));
}

int sg_evaluation_progress(const sg_evaluation *evaluation, uint64_t event, scadyg_error *error)
{
    return sg_report(evaluation->progress, "judging", event - evaluation->begin,
                     evaluation->end - evaluation->begin, error);
}

void sg_score_sums_rank(sg_score_sums *tally, double rank)
{
    tally->queries++;
    tally->mrr += 1 / rank;
    tally->hits1 += rank <= 1;
    tally->hits3 += rank <= 3;
    tally->hits10 += rank <= 10;
}

scadyg_scores sg_no_scores(void)
{
    return (scadyg_scores){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

void sg_score_sums_means(const sg_score_sums *tally, scadyg_scores *scores)
{
    *scores = sg_no_scores();
    if (tally->queries > 0) {
        scores->mrr = tally->mrr / tally->queries;
        scores->hits1 = tally->hits1 / tally->queries;
        scores->hits3 = tally->hits3 / tally->queries;
        scores->hits10 = tally->hits10 / tally->queries;
    }
    if (tally->sets > 0) {
        scores->ap = tally->ap / tally->sets;
        scores->auc = tally->auc / tally->sets;
    }
}

int sg_protocol_links(const sg_evaluated_data *trial, const scadyg_eval_options *options, const sg_scorer *scorers,
                      size_t count, const scadyg_progress *progress, sg_evaluation_scores *scores_out,
                      scadyg_error *error)
{
    sg_evaluation evaluation = {.trial = trial,
                                .options = options,
                                .scorers = scorers,
                                .count = count,
                                .progress = progress,
                                .scores_out = scores_out};
    scores_out->queries = 0;
    int status = sg_evaluation_open(&evaluation, error);
    if (!status) switch (options->protocol) {
        case SCADYG_PROTOCOL_PAPER: status = sg_evaluate_paper(&evaluation, error); break;
        case SCADYG_PROTOCOL_TGB_LINK: status = sg_evaluate_tgb(&evaluation, error); break;
        case SCADYG_PROTOCOL_DYGLIB: status = sg_evaluate_dyglib(&evaluation, error); break;
        default: status = sg_fail(error, SCADYG_E_USAGE, "this protocol does not judge links");
        }
    for (size_t i = 0; i < count * evaluation.seeds && !status; i++)
        sg_score_sums_means(&evaluation.tally[i], &scores_out->scores[i]);
    sg_evaluation_close(&evaluation);
    return status;
}
