/* The table of protocols, the options, and what the protocols have in common: an evaluation in progress. */
#include "evaluate/evaluation.h"

#include "base/clock.h"
#include "base/memory.h"
#include "evaluate/negatives.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The table of protocols ---- */

#define ALL_POOLS                                                                                                  \
    (1u << SG_POOL_ANY | 1u << SG_POOL_DESTINATION | 1u << SG_POOL_HISTORICAL | 1u << SG_POOL_INDUCTIVE)

const sg_protocol sg_protocols[SG_PROTOCOLS] = {
    [SG_PROTOCOL_AUTO] = {.name = "auto", .task = -1},
    [SG_PROTOCOL_PAPER] = {.name = "paper",
                           .task = SG_TASK_LINK,
                           .main_score = SCADYG_MRR,
                           .pool = SG_POOL_ANY,
                           .pools = ALL_POOLS,
                           .no_batches = "reveals events a step at a time",
                           .stream = 0,
                           .run = sg_evaluate_paper},
    [SG_PROTOCOL_TGB_LINK] = {.name = "tgb-link",
                              .task = SG_TASK_LINK,
                              .main_score = SCADYG_MRR,
                              .cut_by_time = 1,
                              .pool = SG_POOL_MIX,
                              .pools = ALL_POOLS,
                              .stream = 1,
                              .run = sg_evaluate_tgb_link},
    [SG_PROTOCOL_DYGLIB] = {.name = "dyglib",
                            .task = SG_TASK_LINK,
                            .main_score = SCADYG_AP,
                            .cut_by_time = 1,
                            .pool = SG_POOL_DESTINATION,
                            .pools = ALL_POOLS,
                            .most_negatives = 1,
                            .stream = 2,
                            .run = sg_evaluate_dyglib},
    [SG_PROTOCOL_TGB_NODE] = {.name = "tgb-node",
                              .task = SG_TASK_AFFINITY,
                              .main_score = SCADYG_NDCG10,
                              .cut_by_time = 1,
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
    ROW(protocol, "protocol", 0, SCADYG_OPTION_CHOICE, "P", "auto", "auto|paper|tgb-link|dyglib|tgb-node", 1, 0,
        "how to split, draw negatives, rank and average (auto: as fits the model)", 0),
    ROW(pool, "pool", 0, SCADYG_OPTION_CHOICE, "POOL", "auto", "auto|any|destination|historical|inductive", 1, 0,
        "where negatives come from (auto: as the protocol says)", 0),
    ROW(negatives, "negatives", 0, SCADYG_OPTION_INT, "K", "auto", "auto", 1, 1e6,
        "negatives per query (auto: as the protocol says)", 1),
    ROW(queries, "queries", 0, SCADYG_OPTION_INT, "N", "all", "all", 1, 1e12,
        "links: evaluate about N queries, spread over the part", 1),
    ROW(part, "part", 0, SCADYG_OPTION_CHOICE, "PART", "test", "test|validation", 1, 0,
        "the part of the events to evaluate on", 0),
    ROW(reveal, "reveal", 0, SCADYG_OPTION_CHOICE, "RULE", "event", "event|batch", 1, 0,
        "tgb-link, dyglib: show every event before the next, or 200 at a time", 1),
    ROW(seeds, "seeds", 0, SCADYG_OPTION_INT, "N", "1", NULL, 1, MOST_SEEDS,
        "draw the negatives N times and give mean and standard deviation", 0),
    ROW(seed, "seed", 0, SCADYG_OPTION_INT, "S", "1", NULL, 1, 0, "the first seed of the negatives", 1),
    ROW(baselines, "baselines", 0, SCADYG_OPTION_FLAG, NULL, "1", NULL, 1, 0,
        "evaluate the baselines of the task beside the model", 1),
    ROW(labels, "labels", 0, SCADYG_OPTION_TEXT, "FILE", NULL, NULL, 1, 0,
        "tgb-node: take the labels from this file [where the model had them from]", 1),
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
    if (options->pool != SG_POOL_DEFAULT && (options->pool < 0 || !(protocol->pools >> options->pool & 1)))
        return sg_fail(error, SCADYG_E_USAGE, "the protocol %s has no pool %d", protocol->name, options->pool);
    if (options->negatives < 0) return sg_fail(error, SCADYG_E_USAGE, "--negatives must be at least 1");
    if (protocol->most_negatives == 1 && options->negatives > 1)
        return sg_fail(error, SCADYG_E_USAGE, "the protocol %s has one negative per positive: leave --negatives",
                       protocol->name);
    if (protocol->most_negatives && options->negatives > protocol->most_negatives)
        return sg_fail(error, SCADYG_E_USAGE, "the protocol %s has at most %lld negatives", protocol->name,
                       (long long)protocol->most_negatives);
    return SCADYG_OK;
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
    if (protocol->task == SG_TASK_AFFINITY && options->queries)
        return sg_fail(error, SCADYG_E_USAGE, "--queries is for links; %s evaluates all label times",
                       protocol->name);
    int status = check_negatives(options, protocol, error);
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

uint64_t sg_evaluation_one_in(const sg_evaluation *evaluation, uint64_t queries)
{
    const uint64_t wanted = (uint64_t)evaluation->options->queries;
    evaluation->out->one_in = wanted ? (queries + wanted - 1) / wanted : 1;
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

int sg_evaluation_progress(const sg_evaluation *evaluation, uint64_t done, uint64_t total, scadyg_error *error)
{
    return sg_report(evaluation->context, "evaluating", done, total, error);
}

int sg_evaluation_room(sg_evaluation *evaluation, size_t count, scadyg_error *error)
{
    if (SG_GROW(&evaluation->room, evaluation->pairs + count, SG_ARRAY(evaluation->src, 1),
                SG_ARRAY(evaluation->dst, 1), SG_ARRAY(evaluation->score, 1)))
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

/* From where they begin to how many they are. Before all scorers, once: the pairs do not move any more. */
static void settle_questions(sg_evaluation *evaluation)
{
    if (!evaluation->question_count || evaluation->questions[0].src) return;
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

/* With score_many only where questions were put together: a scorer may go another way there. */
static int ask_timed(const sg_evaluation *evaluation, size_t number, const sg_question *questions, size_t count,
                     int together, scadyg_error *error)
{
    const sg_scorer *scorer = &evaluation->scorers[number];
    double *seconds = evaluation->out->seconds;
    const double begun = seconds ? sg_seconds() : 0;
    int status = SCADYG_OK;
    if (together && scorer->score_many)
        status = scorer->score_many(scorer->context, questions, count, error);
    else
        for (size_t i = 0; i < count && !status; i++) status = scorer->score(scorer->context, &questions[i], error);
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
                                  .score = evaluation->score,
                                  .ask = evaluation->ask};
    return ask_timed(evaluation, scorer, &question, 1, 0, error);
}

int sg_evaluation_ask_all(sg_evaluation *evaluation, size_t scorer, scadyg_error *error)
{
    settle_questions(evaluation);
    return ask_timed(evaluation, scorer, evaluation->questions, evaluation->question_count, 1, error);
}

/* ---- Evaluating ---- */

static sg_split cut_parts(const sg_evaluated_data *data, const sg_protocol *protocol)
{
    if (!protocol->cut_by_time) return data->split;
    return sg_split_time(data->columns.time, data->columns.count, 0.70, 0.15);
}

/* The events of the part: *begin .. *end-1. */
static void find_part(const sg_evaluated_data *data, sg_split split, int part, uint64_t *begin, uint64_t *end)
{
    *begin = part == SG_PART_TEST ? split.validation_end : split.train_end;
    *end = part == SG_PART_TEST ? data->columns.count : split.validation_end;
    if (*end > data->columns.count) *end = data->columns.count;
}

double sg_evaluation_overlap(const sg_evaluated_data *data, const sg_eval_options *options, double train_end)
{
    const sg_columns *columns = &data->columns;
    const uint64_t known = sg_events_before(columns->time, columns->count, nextafter(train_end, INFINITY));
    uint64_t begin, end;
    find_part(data, cut_parts(data, &sg_protocols[options->protocol]), options->part, &begin, &end);
    if (end <= begin || known <= begin) return 0;
    return (double)((known < end ? known : end) - begin) / (double)(end - begin);
}

static int open_links(sg_evaluation *evaluation, scadyg_error *error)
{
    const sg_evaluated_data *data = evaluation->data;
    const int part = evaluation->options->part;
    if (!evaluation->protocol->cut_by_time && !data->steps)
        return sg_fail(error, SCADYG_E_USAGE, "the protocol %s needs steps", evaluation->protocol->name);
    evaluation->split = cut_parts(data, evaluation->protocol);
    find_part(data, evaluation->split, part, &evaluation->begin, &evaluation->end);
    if (evaluation->begin < evaluation->end) return SCADYG_OK;
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
    evaluation->pool = options->pool == SG_POOL_DEFAULT ? evaluation->protocol->pool : options->pool;
    evaluation->seeds = (size_t)options->seeds;
    evaluation->out->queries = 0;
    evaluation->out->one_in = 1;
    evaluation->out->negatives = 0;
    evaluation->out->pool = sg_pool_text(evaluation->pool);
    if (task == SG_TASK_LINK) status = open_links(evaluation, error);
    if (status) return status;
    const size_t count = evaluation->count ? evaluation->count : 1;
    evaluation->rng = sg_alloc(evaluation->seeds, sizeof *evaluation->rng);
    evaluation->sums = sg_alloc_zero(count * evaluation->seeds, sizeof *evaluation->sums);
    if (!evaluation->rng || !evaluation->sums) return sg_fail_memory(error, "the sums of the scores");
    return rewind_scorers(evaluation, error);
}

static void close_evaluation(sg_evaluation *evaluation)
{
    SG_FREE(evaluation->src, evaluation->dst, evaluation->score, evaluation->questions, evaluation->rng,
            evaluation->sums);
}

static int evaluate(sg_evaluation *evaluation, int task, scadyg_error *error)
{
    int status = open_evaluation(evaluation, task, error);
    if (!status) status = evaluation->protocol->run(evaluation, error);
    for (size_t i = 0; i < evaluation->count * evaluation->seeds && !status; i++)
        evaluation->out->scores[i] = sg_score_sums_means(&evaluation->sums[i]);
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
