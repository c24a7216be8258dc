/* The court: what the protocols for links have in common. */
#include "evaluate/court.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static int find_part(sg_court *court, scadyg_error *error)
{
    const sg_trial *trial = court->trial;
    const int paper = court->options->protocol == SCADYG_PROTOCOL_PAPER;
    const int test = court->options->part == SCADYG_PART_TEST;
    if (paper && !trial->steps) return sg_fail(error, SCADYG_E_USAGE, "the paper's protocol needs steps");
    court->split = paper ? trial->split : sg_split_time(trial->columns.time, trial->columns.count, 0.70, 0.15);
    court->begin = test ? court->split.validation_end : court->split.train_end;
    court->end = test ? trial->columns.count : court->split.validation_end;
    if (court->end > trial->columns.count) court->end = trial->columns.count;
    if (court->begin < court->end) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_USAGE, "there is nothing to judge: the %s part has no events",
                   test ? "test" : "validation");
}

int sg_court_open(sg_court *court, scadyg_error *error)
{
    const scadyg_eval_options *options = court->options;
    if (options->seeds < 1) return sg_fail(error, SCADYG_E_USAGE, "--seeds must be at least 1");
    if (options->negatives < 0) return sg_fail(error, SCADYG_E_USAGE, "--negatives must be at least 1");
    court->seeds = (size_t)options->seeds;
    int status = find_part(court, error);
    if (status) return status;
    court->rng = sg_alloc(court->seeds, sizeof *court->rng);
    court->tally = sg_alloc_zero((court->count ? court->count : 1) * court->seeds, sizeof *court->tally);
    if (!court->rng || !court->tally) return sg_fail_memory(error, "the tallies");
    for (size_t i = 0; i < court->count && !status; i++) {
        status = court->scorers[i].rewind(court->scorers[i].context, error);
        if (court->verdict->seconds) court->verdict->seconds[i] = 0;
    }
    return status;
}

void sg_court_close(sg_court *court)
{
    free(court->src);
    free(court->dst);
    free(court->score);
    free(court->blocks);
    free(court->rng);
    free(court->tally);
}

uint64_t sg_court_one_in(const sg_court *court, uint64_t queries)
{
    const uint64_t wanted = (uint64_t)court->options->queries;
    court->verdict->one_in = wanted ? (queries + wanted - 1) / wanted : 1;
    if (court->verdict->one_in == 0) court->verdict->one_in = 1;
    return court->verdict->one_in;
}

int sg_court_room(sg_court *court, size_t count, scadyg_error *error)
{
    size_t src = court->room, dst = court->room, score = court->room;
    if (court->pairs + count <= court->room) return SCADYG_OK;
    if (sg_grow(&court->src, &src, court->pairs + count, sizeof *court->src) ||
        sg_grow(&court->dst, &dst, court->pairs + count, sizeof *court->dst) ||
        sg_grow(&court->score, &score, court->pairs + count, sizeof *court->score))
        return sg_fail_memory(error, "the pairs to score");
    court->room = src;
    return SCADYG_OK;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int sg_court_ask(sg_court *court, size_t scorer, double at, uint64_t seen, int64_t step, scadyg_error *error)
{
    const sg_block block = {at, seen, step, court->src, court->dst, court->pairs, court->score, court->question};
    double *seconds = court->verdict->seconds, begun = seconds ? seconds_now() : 0;
    int status = court->scorers[scorer].score(court->scorers[scorer].context, &block, error);
    if (seconds) seconds[scorer] += seconds_now() - begun;
    return status;
}

int sg_court_block(sg_court *court, double at, uint64_t seen, size_t first, scadyg_error *error)
{
    if (sg_grow(&court->blocks, &court->block_room, court->block_count + 1, sizeof *court->blocks))
        return sg_fail_memory(error, "the pairs to score");
    court->blocks[court->block_count++] =
        (sg_block){.at = at, .seen = seen, .step = -1, .count = first, .question = court->question};
    return SCADYG_OK;
}

int sg_court_ask_blocks(sg_court *court, size_t scorer, scadyg_error *error)
{
    const sg_scorer *s = &court->scorers[scorer];
    double *seconds = court->verdict->seconds, begun = seconds ? seconds_now() : 0;
    int status = SCADYG_OK;
    /* Until now a block's count is its first pair. */
    if (court->block_count && !court->blocks[0].src)
        for (size_t i = 0; i < court->block_count; i++) {
            sg_block *block = &court->blocks[i];
            const size_t first = block->count;
            const size_t end = i + 1 < court->block_count ? court->blocks[i + 1].count : court->pairs;
            block->src = court->src + first;
            block->dst = court->dst + first;
            block->score = court->score + first;
            block->count = end - first;
        }
    if (s->score_many) {
        status = s->score_many(s->context, court->blocks, court->block_count, error);
    } else {
        for (size_t i = 0; i < court->block_count && !status; i++)
            status = s->score(s->context, &court->blocks[i], error);
    }
    if (seconds) seconds[scorer] += seconds_now() - begun;
    return status;
}

void sg_court_streams(sg_court *court, uint64_t n)
{
    for (size_t i = 0; i < court->seeds; i++)
        sg_rng_seed(&court->rng[i], (uint64_t)court->options->seed + i,
                    sg_hash3((uint64_t)court->options->protocol, (uint64_t)court->options->part, n));
}

int sg_court_progress(const sg_court *court, uint64_t event, scadyg_error *error)
{
    return sg_report(court->progress, "judging", event - court->begin, court->end - court->begin, error);
}

void sg_tally_rank(sg_tally *tally, double rank)
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

void sg_tally_means(const sg_tally *tally, scadyg_scores *scores)
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

int sg_protocol_links(const sg_trial *trial, const scadyg_eval_options *options, const sg_scorer *scorers,
                      size_t count, const scadyg_progress *progress, sg_verdict *verdict, scadyg_error *error)
{
    sg_court court = {.trial = trial,
                      .options = options,
                      .scorers = scorers,
                      .count = count,
                      .progress = progress,
                      .verdict = verdict};
    verdict->queries = 0;
    int status = sg_court_open(&court, error);
    if (!status) switch (options->protocol) {
        case SCADYG_PROTOCOL_PAPER: status = sg_judge_paper(&court, error); break;
        case SCADYG_PROTOCOL_TGB_LINK: status = sg_judge_tgb(&court, error); break;
        case SCADYG_PROTOCOL_DYGLIB: status = sg_judge_dyglib(&court, error); break;
        default: status = sg_fail(error, SCADYG_E_USAGE, "this protocol does not judge links");
        }
    for (size_t i = 0; i < count * court.seeds && !status; i++)
        sg_tally_means(&court.tally[i], &verdict->scores[i]);
    sg_court_close(&court);
    return status;
}
