/* The test part, query by query: the model and the rules judged once more, with someone listening. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct listener {
    report *r;
    report_past *past;
    size_t heard[SCADYG_JUDGED_MOST]; /* queries of each of those judged */
    int failed;                       /* no memory */
} listener;

/* What lay behind a query when it was asked: the youngest contact with any of those it met. */
static void look_back(const listener *l, const scadyg_query *query, report_query *q)
{
    const report *r = l->r;
    q->activity = report_past_activity(l->past, query->node);
    q->newcomer = !report_past_knows(l->past, query->node);
    q->age = q->oracle = NAN;
    int known = 0;
    for (size_t i = 0; i < query->event_count; i++) {
        const uint64_t event = query->events[i];
        const double age = r->time[event] - report_past_met(l->past, query->node, r->dst[event]);
        if (!(q->age <= age) && !isnan(age)) q->age = age;
        if (r->oracle && !(q->oracle >= r->oracle[event])) q->oracle = r->oracle[event];
        known |= report_past_knows(l->past, r->dst[event]);
    }
    if (query->event_count && !known) q->newcomer = 1;
}

static void hear(void *context, const scadyg_query *query)
{
    listener *l = context;
    report *r = l->r;
    if (l->failed || query->judged >= SCADYG_JUDGED_MOST) return;
    const size_t number = l->heard[query->judged]++;
    if (query->judged == 0) {
        if (r->query_count == r->query_room) {
            const size_t room = r->query_room ? 2 * r->query_room : 1024;
            report_query *more = realloc(r->queries, room * sizeof *more);
            if (!more) {
                l->failed = 1;
                return;
            }
            r->queries = more;
            r->query_room = room;
        }
        if (report_past_follow(l->past, query->seen)) l->failed = 1;
        report_query *q = &r->queries[r->query_count++];
        *q = (report_query){.time = query->event_count ? r->time[query->events[0]] : query->at,
                            .at = query->at,
                            .events = query->event_count};
        look_back(l, query, q);
    }
    if (number < r->query_count) r->queries[number].score[query->judged] = query->score;
}

/*
 * The protocol that cuts the parts as training did and ranks: for models split by time that is tgb-link, against 100
 * random destinations, as with paper.
 */
static scadyg_eval_options protocol_of(const report *r)
{
    const scadyg_train_options *train = r->info->options;
    size_t count = 0;
    const scadyg_option *table = scadyg_eval_option_table(&count);
    scadyg_eval_options options = {0};
    scadyg_options_default(table, count, &options);
    options.heuristics = 1;
    options.threads = ((const cli_common *)r->call->arguments)->threads;
    if (train->task == SCADYG_TASK_AFFINITY) {
        options.protocol = SCADYG_PROTOCOL_TGB_NODE;
        return options;
    }
    const int by_time = train->split == 1 && train->head == SCADYG_HEAD_PAIR;
    options.protocol = by_time ? SCADYG_PROTOCOL_TGB_LINK : SCADYG_PROTOCOL_PAPER;
    options.pool = SCADYG_POOL_DESTINATION;
    options.negatives = 100;
    return options;
}

static void find_best_rule(report *r)
{
    for (size_t i = 1; i < r->result.count; i++)
        if (!r->best_rule || report_mean(r, i) > report_mean(r, r->best_rule)) r->best_rule = i;
}

int report_collect(report *r)
{
    const cli_common *common = r->call->arguments;
    listener l = {.r = r, .past = report_past_open(r)};
    if (!l.past) return cli_fail(r->call->command, "not enough memory for the pairs that have met");
    scadyg_eval_options options = protocol_of(r);
    options.query = hear;
    options.query_context = &l;
    scadyg_error error = {0};
    r->score = options.protocol == SCADYG_PROTOCOL_TGB_NODE ? "NDCG@10" : "MRR";
    r->step_means = options.protocol != SCADYG_PROTOCOL_TGB_LINK;
    int status = scadyg_evaluate(r->model, r->events, &options, cli_progress(common), &r->result, &error);
    cli_progress_erase();
    report_past_close(l.past);
    if (status == SCADYG_E_USAGE || status == SCADYG_E_INPUT) {
        snprintf(r->trouble, sizeof r->trouble, "%.250s", error.message);
        r->query_count = 0;
        return CLI_OK;
    }
    if (status) return cli_fail_error(r->call->command, &error, NULL);
    if (l.failed) return cli_fail(r->call->command, "not enough memory for the queries");
    find_best_rule(r);
    return CLI_OK;
}

/* ---- Means ---- */

static double score_of(const report_query *query, size_t judged)
{
    return judged < SCADYG_JUDGED_MOST ? query->score[judged] : query->oracle;
}

/* By steps (or label times): the mean of each, weighted by its events (label times: all the same). */
static double mean_of_steps(const report *r, size_t judged)
{
    double total = 0, weight = 0;
    for (size_t i = 0, next; i < r->query_count; i = next) {
        double sum = 0, events = 0;
        for (next = i; next < r->query_count && r->queries[next].at == r->queries[i].at; next++) {
            sum += score_of(&r->queries[next], judged);
            events += (double)r->queries[next].events;
        }
        if (!(events > 0)) events = 1;
        total += events * sum / (double)(next - i);
        weight += events;
    }
    return weight > 0 ? total / weight : NAN;
}

double report_mean(const report *r, size_t judged)
{
    if (r->step_means) return mean_of_steps(r, judged);
    double sum = 0;
    for (size_t i = 0; i < r->query_count; i++) sum += score_of(&r->queries[i], judged);
    return r->query_count ? sum / (double)r->query_count : NAN;
}

double report_oracle_mean(const report *r)
{
    return r->oracle ? report_mean(r, SCADYG_JUDGED_MOST) : NAN;
}

report_group report_group_of(const report *r, int (*chosen)(const report_query *query, const void *context),
                             const void *context)
{
    report_group group = {0};
    for (size_t i = 0; i < r->query_count; i++) {
        const report_query *query = &r->queries[i];
        if (chosen && !chosen(query, context)) continue;
        group.count++;
        group.model += query->score[0];
        group.rule += r->best_rule ? query->score[r->best_rule] : NAN;
        group.oracle += query->oracle;
    }
    const double count = group.count ? (double)group.count : NAN;
    group.model /= count, group.rule /= count, group.oracle /= count;
    return group;
}
