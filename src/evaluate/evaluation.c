/* The table of protocols, the options, and what the protocols have in common: an evaluation in progress. */
#include "evaluate/evaluation.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/search.h"
#include "evaluate/negatives.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { REPORT = 1024 }; /* events between two reports of the progress */

/* ---- The table of protocols ---- */

#define ALL_POOLS                                                                                                  \
    (1u << SG_POOL_ANY | 1u << SG_POOL_DESTINATION | 1u << SG_POOL_HISTORICAL | 1u << SG_POOL_INDUCTIVE |          \
     1u << SG_POOL_RANDOM)

const sg_protocol sg_protocols[SG_PROTOCOLS] = {
    [SG_PROTOCOL_AUTO] = {.name = "auto", .task = -1},
    [SG_PROTOCOL_LIVE] = {.name = "live",
                          .cluster = "source",
                          .task = SG_TASK_LINK,
                          .main_score = SCADYG_MRR,
                          .cut = SG_CUT_TRAINED,
                          .pool = SG_POOL_SEEN,
                          .no_batches = "shows every event before the next",
                          .stream = 4,
                          .run = sg_evaluate_live},
    [SG_PROTOCOL_PAPER] = {.name = "paper",
                           .cluster = "source",
                           .task = SG_TASK_LINK,
                           .main_score = SCADYG_MRR,
                           .cut = SG_CUT_STEPS,
                           .pool = SG_POOL_ANY,
                           .pools = ALL_POOLS,
                           .no_batches = "reveals events a step at a time",
                           .stream = 0,
                           .run = sg_evaluate_paper},
    [SG_PROTOCOL_TGB_LINK] = {.name = "tgb-link",
                              .cluster = "source",
                              .task = SG_TASK_LINK,
                              .main_score = SCADYG_MRR,
                              .cut = SG_CUT_TIME,
                              .pool = SG_POOL_MIX,
                              .pools = ALL_POOLS,
                              .stream = 1,
                              .run = sg_evaluate_tgb_link},
    [SG_PROTOCOL_DYGLIB] = {.name = "dyglib",
                            .cluster = "batch",
                            .task = SG_TASK_LINK,
                            .main_score = SCADYG_AP,
                            .cut = SG_CUT_TIME,
                            .pool = SG_POOL_DESTINATION,
                            .pools = ALL_POOLS,
                            .most_negatives = 1,
                            .stream = 2,
                            .run = sg_evaluate_dyglib},
    [SG_PROTOCOL_TGB_NODE] = {.name = "tgb-node",
                              .cluster = "node",
                              .task = SG_TASK_AFFINITY,
                              .main_score = SCADYG_NDCG10,
                              .cut = SG_CUT_TIME,
                              .pool = SG_POOL_NONE,
                              .no_batches = "has label times, not batches",
                              .stream = 3,
                              .run = sg_evaluate_tgb_node},
};

int sg_protocol_find(const char *name)
{
    for (int i = 0; i < SG_PROTOCOLS; i++)
        if (strcmp(sg_protocols[i].name, name) == 0) return i;
    return -1;
}

/* ---- Options ---- */

#define MOST_SEEDS 1000
#define ROW(field, ...) SG_OPTION(sg_eval_options, field, __VA_ARGS__)

static const sg_option table[] = {
    ROW(protocol, "protocol", 0, SCADYG_OPTION_CHOICE, "P", "auto", "auto|live|paper|tgb-link|dyglib|tgb-node", 1,
        0, "how to split, draw negatives, rank and average (auto: as fits the model)", 0),
    ROW(pool, "pool", 0, SCADYG_OPTION_CHOICE, "POOL", "auto", "auto|any|destination|historical|inductive|random",
        1, 0, "where negatives come from (auto: as the protocol says; random is destination)", 0),
    ROW(negatives, "negatives", 0, SCADYG_OPTION_INT, "K", "auto", "auto", 1, 1e6,
        "negatives per query (auto: as the protocol says)", 1),
    ROW(queries, "queries", 0, SCADYG_OPTION_INT, "N", "auto", "auto|all", 1, 1e12,
        "links: evaluate N queries, spread over the part (auto: live has a bound on large logs)", 0),
    ROW(part, "part", 0, SCADYG_OPTION_CHOICE, "PART", "test", "test|validation", 1, 0,
        "the part of the events to evaluate on", 0),
    ROW(reveal, "reveal", 0, SCADYG_OPTION_CHOICE, "RULE", "event", "event|batch", 1, 0,
        "tgb-link, dyglib: show every event before the next, or 200 at a time", 1),
    ROW(answer, "answer", 0, SCADYG_OPTION_CHOICE, "A", "one", "one|pool", 1, 0,
        "dyglib: a pair has one score in all pools, or the model is asked for the score that is for this pool", 0),
    ROW(seeds, "seeds", 0, SCADYG_OPTION_INT, "N", "1", NULL, 1, MOST_SEEDS,
        "draw the negatives N times and give mean and standard deviation", 0),
    ROW(seed, "seed", 0, SCADYG_OPTION_INT, "S", "1", NULL, 1, 0, "the first seed of the negatives", 1),
    ROW(baselines, "baselines", 0, SCADYG_OPTION_FLAG, NULL, "1", NULL, 1, 0,
        "evaluate the baselines of the task beside the model", 1),
};

/* The protocols that have a property, in words: "paper, tgb-link or dyglib". */
static void list_protocols(int (*has)(const sg_protocol *), const char *last_word, char text[128])
{
    const char *names[SG_PROTOCOLS];
    size_t count = 0, length = 0;
    for (int i = SG_PROTOCOL_AUTO + 1; i < SG_PROTOCOLS; i++)
        if (has(&sg_protocols[i])) names[count++] = sg_protocols[i].name;
    for (size_t i = 0; i < count; i++) {
        const char *before = i == 0 ? "" : i + 1 < count ? ", " : last_word;
        length += (size_t)snprintf(text + length, 128 - length, "%s%s", before, names[i]);
    }
}

static int is_for_links(const sg_protocol *protocol)
{
    return protocol->task == SG_TASK_LINK;
}

static int is_for_affinity(const sg_protocol *protocol)
{
    return protocol->task == SG_TASK_AFFINITY;
}

static int has_batches(const sg_protocol *protocol)
{
    return !protocol->no_batches;
}

static int check_reveal(const sg_eval_options *options, const sg_protocol *protocol, scadyg_error *error)
{
    char list[128] = "";
    if (options->reveal == SG_REVEAL_EVENT || (options->reveal == SG_REVEAL_BATCH && has_batches(protocol)))
        return SCADYG_OK;
    if (options->reveal != SG_REVEAL_BATCH)
        return sg_fail(error, SCADYG_E_USAGE, "there is no rule %d of revealing", options->reveal);
    list_protocols(has_batches, " and ", list);
    return sg_fail(error, SCADYG_E_USAGE, "--reveal batch is for the protocols %s; %s %s", list, protocol->name,
                   protocol->no_batches);
}

static int check_negatives(const sg_eval_options *options, const sg_protocol *protocol, scadyg_error *error)
{
    if (protocol->pool == SG_POOL_NONE && (options->pool != SG_POOL_DEFAULT || options->negatives))
        return sg_fail(error, SCADYG_E_USAGE, "--%s is for links; %s has no negatives",
                       options->negatives ? "negatives" : "pool", protocol->name);
    if (protocol->pool == SG_POOL_SEEN && options->pool != SG_POOL_DEFAULT)
        return sg_fail(error, SCADYG_E_USAGE,
                       "the protocol %s ranks among destinations seen before: leave out --pool", protocol->name);
    if (options->pool != SG_POOL_DEFAULT && (options->pool < 0 || !(protocol->pools >> options->pool & 1)))
        return sg_fail(error, SCADYG_E_USAGE, "the protocol %s has no pool %d", protocol->name, options->pool);
    if (options->negatives < 0) return sg_fail(error, SCADYG_E_USAGE, "--negatives must be at least 1");
    if (protocol->most_negatives == 1 && options->negatives > 1)
        return sg_fail(error, SCADYG_E_USAGE,
                       "the protocol %s has one negative per positive: leave out --negatives", protocol->name);
    if (protocol->most_negatives && options->negatives > protocol->most_negatives)
        return sg_fail(error, SCADYG_E_USAGE, "the protocol %s has at most %lld negatives", protocol->name,
                       (long long)protocol->most_negatives);
    return SCADYG_OK;
}

static int check_answer(const sg_eval_options *options, const sg_protocol *protocol, scadyg_error *error)
{
    if (options->answer == SG_ANSWER_ONE ||
        (options->answer == SG_ANSWER_POOL && protocol->run == sg_evaluate_dyglib))
        return SCADYG_OK;
    return sg_fail(error, SCADYG_E_USAGE, "--answer pool is for the protocol dyglib, which has several pools");
}

/* What does not depend on the model. */
static int check_together(const void *values, scadyg_error *error)
{
    const sg_eval_options *options = values;
    if (options->part != SG_PART_TEST && options->part != SG_PART_VALIDATION)
        return sg_fail(error, SCADYG_E_USAGE, "there is no part %d", options->part);
    if (options->seeds < 1 || options->seeds > MOST_SEEDS)
        return sg_fail(error, SCADYG_E_USAGE, "--seeds must be between 1 and %d", MOST_SEEDS);
    if (options->protocol == SG_PROTOCOL_AUTO) return SCADYG_OK;
    const sg_protocol *protocol = &sg_protocols[options->protocol];
    if (protocol->task == SG_TASK_AFFINITY && options->queries > 0)
        return sg_fail(error, SCADYG_E_USAGE, "--queries is for links; %s evaluates all label times",
                       protocol->name);
    int status = check_negatives(options, protocol, error);
    if (!status) status = check_answer(options, protocol, error);
    return status ? status : check_reveal(options, protocol, error);
}

int sg_eval_check(const sg_eval_options *options, int task, scadyg_error *error)
{
    if (options->protocol <= SG_PROTOCOL_AUTO || options->protocol >= SG_PROTOCOLS)
        return sg_fail(error, SCADYG_E_USAGE, "there is no protocol %d", options->protocol);
    const sg_protocol *protocol = &sg_protocols[options->protocol];
    if (protocol->task == task) return check_together(options, error);
    const int affinity = task == SG_TASK_AFFINITY;
    char list[128] = "";
    list_protocols(affinity ? is_for_affinity : is_for_links, " or ", list);
    return sg_fail(error, SCADYG_E_USAGE, "the protocol %s evaluates %s models; this is %s model: use %s",
                   protocol->name, affinity ? "link" : "affinity", affinity ? "an affinity" : "a link", list);
}

const sg_option_set sg_eval_set = SG_OPTION_SET("evaluate", table, sg_eval_options, check_together);

/* ---- An evaluation in progress ---- */

uint64_t sg_evaluation_one_in(const sg_evaluation *evaluation, uint64_t queries, uint64_t usual)
{
    const int64_t asked = evaluation->options->queries;
    const uint64_t wanted = asked > 0 ? (uint64_t)asked : asked == SG_ALL_QUERIES ? UINT64_MAX : usual;
    evaluation->out->one_in = wanted && wanted < queries ? (queries + wanted - 1) / wanted : 1;
    if (evaluation->out->one_in == 0) evaluation->out->one_in = 1;
    return evaluation->out->one_in;
}

void sg_evaluation_streams(sg_evaluation *evaluation, uint64_t n)
{
    for (size_t i = 0; i < evaluation->seeds; i++)
        sg_rng_seed(&evaluation->rng[i], (uint64_t)evaluation->options->seed + i,
                    sg_hash3(evaluation->protocol->stream, (uint64_t)evaluation->options->part, n));
}

void sg_evaluation_same_seeds(sg_evaluation *evaluation, size_t seeds)
{
    for (size_t i = 0; i < evaluation->count; i++)
        for (size_t s = seeds; s < evaluation->seeds; s++)
            evaluation->sums[i * evaluation->seeds + s] = evaluation->sums[i * evaluation->seeds];
}

void sg_evaluation_same_ranks(sg_evaluation *evaluation, size_t seeds)
{
    for (size_t i = 0; i < evaluation->count; i++)
        for (size_t s = seeds; s < evaluation->seeds; s++)
            sg_score_sums_copy_ranks(&evaluation->sums[i * evaluation->seeds + s],
                                     &evaluation->sums[i * evaluation->seeds]);
}

int sg_evaluation_progress(const sg_evaluation *evaluation, uint64_t done, uint64_t total, scadyg_error *error)
{
    return sg_events_report(evaluation->context, evaluation->data->columns.events, "evaluating", done, total,
                            error);
}

int sg_evaluation_times(const sg_evaluation *evaluation, sg_evaluate_time *evaluate_time, void *protocol,
                        scadyg_error *error)
{
    const double *time = evaluation->data->columns.time;
    uint64_t reported = evaluation->begin;
    int status = SCADYG_OK;
    for (uint64_t begin = evaluation->begin, end; begin < evaluation->end && !status; begin = end) {
        end = sg_after_double(time, (size_t)evaluation->end, time[begin]);
        status = evaluate_time(protocol, begin, end, error);
        if (status || (end - reported < REPORT && end < evaluation->end)) continue;
        reported = end;
        status =
            sg_evaluation_progress(evaluation, end - evaluation->begin, evaluation->end - evaluation->begin, error);
    }
    return status;
}

int sg_evaluation_room(sg_evaluation *evaluation, size_t count, scadyg_error *error)
{
    const size_t scorers = evaluation->count ? evaluation->count : 1;
    if (SG_GROW(&evaluation->room, evaluation->pairs + count, SG_ARRAY(evaluation->src, 1),
                SG_ARRAY(evaluation->dst, 1), SG_ARRAY(evaluation->score, scorers)))
        return sg_fail_memory(error, "the pairs to score");
    return SCADYG_OK;
}

int sg_evaluation_question(sg_evaluation *evaluation, double at, uint64_t seen, scadyg_error *error)
{
    if (sg_grow(&evaluation->questions, &evaluation->question_room, evaluation->question_count + 1,
                sizeof *evaluation->questions))
        return sg_fail_memory(error, "the pairs to score");
    evaluation->questions[evaluation->question_count++] =
        (sg_question){.at = at, .seen = seen, .step = -1, .count = evaluation->pairs, .ask = evaluation->ask};
    return SCADYG_OK;
}

/* From where they begin to how many they are: the pairs do not move any more. Scores are for the first scorer. */
static void settle_questions(sg_evaluation *evaluation)
{
    for (size_t i = 0; i < evaluation->question_count; i++) {
        sg_question *question = &evaluation->questions[i];
        const int last = i + 1 == evaluation->question_count;
        const size_t first = question->count, end = last ? evaluation->pairs : question[1].count;
        question->src = evaluation->src + first;
        question->dst = evaluation->dst + first;
        question->score = evaluation->score + first;
        question->count = end - first;
    }
}

static int ask_one(const sg_evaluation *evaluation, size_t number, const sg_question *question, scadyg_error *error)
{
    const sg_scorer *scorer = &evaluation->scorers[number];
    double *seconds = evaluation->out->seconds;
    const double begun = seconds ? sg_seconds() : 0;
    const int status = scorer->score(scorer->context, question, error);
    if (seconds) seconds[number] += sg_seconds() - begun;
    return status;
}

int sg_evaluation_ask(sg_evaluation *evaluation, size_t scorer, double at, uint64_t seen, int64_t step,
                      scadyg_error *error)
{
    const sg_question question = {.at = at,
                                  .seen = seen,
                                  .step = step,
                                  .src = evaluation->src,
                                  .dst = evaluation->dst,
                                  .count = evaluation->pairs,
                                  .score = evaluation->score + scorer * evaluation->room,
                                  .ask = evaluation->ask};
    return ask_one(evaluation, scorer, &question, error);
}

/* All questions at once, for a scorer that takes them so. */
static int ask_many(sg_evaluation *evaluation, size_t number, scadyg_error *error)
{
    const sg_scorer *scorer = &evaluation->scorers[number];
    const size_t offset = number * evaluation->room, count = evaluation->question_count;
    double *seconds = evaluation->out->seconds;
    for (size_t i = 0; i < count; i++) evaluation->questions[i].score += offset;
    const double begun = seconds ? sg_seconds() : 0;
    const int status = scorer->score_many(scorer->context, evaluation->questions, count, error);
    if (seconds) seconds[number] += sg_seconds() - begun;
    for (size_t i = 0; i < count; i++) evaluation->questions[i].score -= offset;
    return status;
}

/* Those that are asked one by one answer a question before the next is asked: what several of them share of the past is
 * then followed once, and never has to go back. */
int sg_evaluation_ask_all(sg_evaluation *evaluation, scadyg_error *error)
{
    int status = SCADYG_OK;
    settle_questions(evaluation);
    for (size_t k = 0; k < evaluation->count && !status; k++)
        if (evaluation->scorers[k].score_many) status = ask_many(evaluation, k, error);
    for (size_t i = 0; i < evaluation->question_count && !status; i++)
        for (size_t k = 0; k < evaluation->count && !status; k++) {
            sg_question question = evaluation->questions[i];
            question.score += k * evaluation->room;
            if (!evaluation->scorers[k].score_many) status = ask_one(evaluation, k, &question, error);
        }
    return status;
}

/* ---- Evaluating ---- */

static sg_split cut_parts(const sg_evaluated_data *data, const sg_protocol *protocol)
{
    if (protocol->cut != SG_CUT_TIME || data->is_cut) return data->split;
    return sg_split_time(data->columns.time, data->columns.count, 0.70, 0.15);
}

static scadyg_part describe_part(const sg_columns *columns, uint64_t begin, uint64_t end)
{
    if (end > columns->count) end = columns->count;
    if (end <= begin) return (scadyg_part){0, NAN, NAN};
    return (scadyg_part){end - begin, columns->time[begin], columns->time[end - 1]};
}

/* The events of the part: begin .. end-1. What the model was trained on is no part of it. */
static void find_part(sg_evaluation *evaluation)
{
    const sg_columns *columns = &evaluation->data->columns;
    const sg_split split = evaluation->split;
    const int test = evaluation->options->part == SG_PART_TEST;
    uint64_t begin = test ? split.validation_end : split.train_end;
    uint64_t end = test || split.validation_end > columns->count ? columns->count : split.validation_end;
    const uint64_t trained = evaluation->data->trained < end ? evaluation->data->trained : end;
    evaluation->out->left_out = trained > begin ? trained - begin : 0;
    evaluation->begin = trained > begin ? trained : begin;
    evaluation->end = end;
    /* A protocol may cut elsewhere than the training did: what is told is what was learned from, and what is evaluated. */
    const uint64_t learned = evaluation->data->trained ? evaluation->data->trained : split.train_end;
    const uint64_t validation = learned > split.validation_end ? learned : split.validation_end;
    evaluation->out->parts[0] = describe_part(columns, 0, learned);
    evaluation->out->parts[1] =
        describe_part(columns, learned > split.train_end ? learned : split.train_end, validation);
    evaluation->out->parts[2] = describe_part(columns, validation, columns->count);
}

static int open_links(sg_evaluation *evaluation, scadyg_error *error)
{
    const sg_evaluated_data *data = evaluation->data;
    const int part = evaluation->options->part;
    if (evaluation->protocol->cut == SG_CUT_STEPS && !data->steps)
        return sg_fail(error, SCADYG_E_USAGE, "the protocol %s needs steps", evaluation->protocol->name);
    evaluation->split = cut_parts(data, evaluation->protocol);
    find_part(evaluation);
    if (evaluation->begin < evaluation->end) return SCADYG_OK;
    if (evaluation->out->left_out)
        return sg_fail(error, SCADYG_E_USAGE,
                       "there is nothing to evaluate: the model was trained on all events of the %s part",
                       part == SG_PART_TEST ? "test" : "validation");
    return sg_fail(error, SCADYG_E_USAGE, "there is nothing to evaluate: the %s part has no events",
                   part == SG_PART_TEST ? "test" : "validation");
}

static int rewind_scorers(const sg_evaluation *evaluation, scadyg_error *error)
{
    int status = SCADYG_OK;
    for (size_t i = 0; i < evaluation->count && !status; i++) {
        if (evaluation->out->seconds) evaluation->out->seconds[i] = 0;
        if (evaluation->scorers)
            status = evaluation->scorers[i].rewind(evaluation->scorers[i].context, error);
        else
            status = evaluation->label_scorers[i].rewind(evaluation->label_scorers[i].context, error);
    }
    return status;
}

static int open_evaluation(sg_evaluation *evaluation, int task, scadyg_error *error)
{
    const sg_eval_options *options = evaluation->options;
    int status = sg_eval_check(options, task, error);
    if (status) return status;
    evaluation->protocol = &sg_protocols[options->protocol];
    evaluation->pool = options->pool == SG_POOL_DEFAULT  ? evaluation->protocol->pool
                       : options->pool == SG_POOL_RANDOM ? SG_POOL_DESTINATION
                                                         : options->pool;
    evaluation->seeds = (size_t)options->seeds;
    evaluation->out->queries = evaluation->out->unranked = evaluation->out->left_out = 0;
    evaluation->out->one_in = evaluation->out->sources_one_in = 1;
    evaluation->out->of = 0;
    evaluation->out->negatives = 0;
    evaluation->out->pool = sg_pool_text(evaluation->pool);
    if (task == SG_TASK_LINK) status = open_links(evaluation, error);
    if (status) return status;
    const size_t count = evaluation->count ? evaluation->count : 1;
    evaluation->rng = sg_alloc(evaluation->seeds, sizeof *evaluation->rng);
    evaluation->sums = sg_alloc_zero(count * evaluation->seeds, sizeof *evaluation->sums);
    if (!evaluation->rng || !evaluation->sums) return sg_fail_memory(error, "the sums of the scores");
    status = sg_paired_open(&evaluation->paired, count, error);
    return status ? status : rewind_scorers(evaluation, error);
}

static void close_evaluation(sg_evaluation *evaluation)
{
    sg_paired_close(&evaluation->paired);
    for (size_t k = 0; k < SG_SCORES; k++) sg_paired_close(&evaluation->others[k]);
    SG_FREE(evaluation->src, evaluation->dst, evaluation->score, evaluation->questions, evaluation->rng,
            evaluation->sums);
}

/* The standard errors of every score that has been compared. */
static int fill_errors(const sg_evaluation *evaluation, scadyg_error *error)
{
    sg_evaluation_scores *out = evaluation->out;
    int failed = evaluation->paired.failed;
    for (size_t k = 0; k < SG_SCORES; k++) {
        const int main = (int)k == evaluation->protocol->main_score;
        const sg_paired *paired = main ? &evaluation->paired : &evaluation->others[k];
        failed |= paired->failed;
        for (size_t i = 0; i < evaluation->count; i++) {
            if (main && out->errors) out->errors[i] = sg_paired_error(paired, 0, i);
            if (out->score_errors) out->score_errors[i * SG_SCORES + k] = sg_paired_error(paired, 0, i);
            if (out->own_errors) out->own_errors[i * SG_SCORES + k] = sg_paired_own_error(paired, i);
        }
    }
    return failed ? sg_fail_memory(error, "the sums of the scores") : SCADYG_OK;
}

static int evaluate(sg_evaluation *evaluation, int task, scadyg_error *error)
{
    int status = open_evaluation(evaluation, task, error);
    if (!status) status = evaluation->protocol->run(evaluation, error);
    for (size_t i = 0; i < evaluation->count * evaluation->seeds && !status; i++)
        evaluation->out->scores[i] = sg_score_sums_means(&evaluation->sums[i]);
    if (!status) status = fill_errors(evaluation, error);
    evaluation->out->clusters = evaluation->paired.count;
    close_evaluation(evaluation);
    return status;
}

int sg_evaluate_links(scadyg_context *context, const sg_evaluated_data *data, const sg_eval_options *options,
                      const sg_scorer *scorers, size_t count, const sg_listener *listener,
                      sg_evaluation_scores *out, scadyg_error *error)
{
    sg_evaluation evaluation = {.context = context,
                                .data = data,
                                .options = options,
                                .scorers = scorers,
                                .count = count,
                                .listener = listener,
                                .out = out};
    return evaluate(&evaluation, SG_TASK_LINK, error);
}

int sg_evaluate_labels(scadyg_context *context, const sg_evaluated_data *data, const sg_eval_options *options,
                       const sg_label_scorer *scorers, size_t count, const sg_listener *listener,
                       sg_evaluation_scores *out, scadyg_error *error)
{
    sg_evaluation evaluation = {.context = context,
                                .data = data,
                                .options = options,
                                .label_scorers = scorers,
                                .count = count,
                                .listener = listener,
                                .out = out};
    return evaluate(&evaluation, SG_TASK_AFFINITY, error);
}
