/* The test part, query by query: the model and the rules evaluated once more, with someone listening; and the oracle. */
#include "report/report.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- The file of the oracle, line by line, so that it may be larger than memory ---- */

enum { LONGEST_LINE = 100 }; /* bytes of a line; what generate writes is shorter */

typedef struct reader {
    FILE *file;
    const char *name;
    uint64_t line;           /* of the text, from 1 */
    char text[LONGEST_LINE]; /* without the end of the line */
    size_t length;
} reader;

static int fail_at(const reader *r, size_t column, scadyg_error *error, const char *reason)
{
    return sg_fail(error, SCADYG_E_INPUT, "%.400s:%llu:%zu: %.500s", r->name, (unsigned long long)r->line, column,
                   reason);
}

/* The next line. *ended: there is none. */
static int read_line(reader *r, int *ended, scadyg_error *error)
{
    int c = getc(r->file);
    r->line++;
    r->length = 0;
    *ended = c == EOF;
    for (; c != EOF && c != '\n'; c = getc(r->file)) {
        if (r->length + 1 == LONGEST_LINE) return fail_at(r, LONGEST_LINE, error, "the line is too long");
        if (c == 0) return fail_at(r, r->length + 1, error, "there is a zero byte");
        r->text[r->length++] = (char)c;
    }
    if (r->length && r->text[r->length - 1] == '\r') r->length--;
    r->text[r->length] = 0;
    return ferror(r->file) ? sg_fail_system(error, errno, "cannot read %.400s", r->name) : SCADYG_OK;
}

/* "12,3.5" with the number of the event. */
static int read_rank(const reader *r, uint64_t event, double *rank, scadyg_error *error)
{
    char expected[32];
    const int width = snprintf(expected, sizeof expected, "%llu,", (unsigned long long)event);
    if (strncmp(r->text, expected, (size_t)width) != 0)
        return fail_at(r, 1, error,
                       cli_text("the line of event %llu was expected, its number and a comma first",
                                (unsigned long long)event));
    const char *text = r->text + width;
    char *end = NULL;
    /* Nothing that only strtod takes for a number: blanks, signs, hexadecimal, names. */
    const int plain = isdigit((unsigned char)*text) && strspn(text, "0123456789.eE+-") == strlen(text);
    *rank = plain ? strtod(text, &end) : 0;
    if (plain && !*end && isfinite(*rank) && *rank >= 1) return SCADYG_OK;
    return fail_at(r, (size_t)width + 1, error,
                   cli_text("'%.40s' is not a rank, a number that is at least 1", text));
}

int report_oracle_read(FILE *file, const char *name, uint64_t events, double *out, scadyg_error *error)
{
    reader r = {.file = file, .name = name};
    int ended, status = read_line(&r, &ended, error);
    if (!status && strcmp(r.text, "event,rank") != 0)
        status = fail_at(&r, 1, error, "it does not begin with 'event,rank' as generate --oracle writes it");
    for (uint64_t i = 0; i < events && !status; i++) {
        double rank = 1;
        status = read_line(&r, &ended, error);
        if (!status && ended)
            status = fail_at(&r, 1, error,
                             cli_text("the file ends after %llu of %llu events: it is of another graph",
                                      (unsigned long long)i, (unsigned long long)events));
        if (!status) status = read_rank(&r, i, &rank, error);
        out[i] = 1 / rank;
    }
    if (!status) status = read_line(&r, &ended, error);
    if (!status && !ended)
        status = fail_at(
            &r, 1, error,
            cli_text("a line after the last of %llu events: it is of another graph", (unsigned long long)events));
    return status;
}

/* ---- Listening ---- */

typedef struct listener {
    report *r;
    report_history *history;
    size_t heard[REPORT_MOST]; /* queries of each of those evaluated */
    int failed;                /* no memory */
} listener;

/* What lay behind a query when it was asked: the youngest contact with any of those it met. */
static void look_back(const listener *l, const scadyg_query *query, report_query *q)
{
    const report *r = l->r;
    q->activity = l->history->activity[query->node];
    q->newcomer = !l->history->known[query->node];
    q->age = q->oracle = NAN;
    int known = 0;
    for (size_t i = 0; i < query->event_count; i++) {
        const uint64_t event = query->events[i];
        const double age = r->time[event] - report_history_met(l->history, query->node, r->dst[event]);
        if (!(q->age <= age) && !isnan(age)) q->age = fmin(age, DBL_MAX);
        if (r->oracle && !(q->oracle >= r->oracle[event])) q->oracle = r->oracle[event];
        known |= l->history->known[r->dst[event]];
    }
    if (query->event_count && !known) q->newcomer = 1;
}

static int add_query(const listener *l, const scadyg_query *query)
{
    report *r = l->r;
    if (sg_grow(&r->queries, &r->query_room, r->query_count + 1, sizeof *r->queries) ||
        report_history_follow(l->history, query->seen))
        return -1;
    report_query *q = &r->queries[r->query_count++];
    *q = (report_query){.time = query->event_count ? r->time[query->events[0]] : query->at,
                        .at = query->at,
                        .events = query->event_count};
    look_back(l, query, q);
    return 0;
}

static void hear_query(void *data, const scadyg_query *query)
{
    listener *l = data;
    if (l->failed || query->evaluated >= REPORT_MOST) return;
    const size_t number = l->heard[query->evaluated]++;
    if (query->evaluated == 0 && add_query(l, query))
        l->failed = 1;
    else if (number < l->r->query_count)
        l->r->queries[number].score[query->evaluated] = query->score;
}

/* ---- Evaluating ---- */

/*
 * The protocol that fits the model. The oracle says ranks among 100 random destinations, so beside it a live model is ranked
 * by tgb-link against as many, as with paper.
 */
static int open_protocol(const report *r, const char **protocol, scadyg_options **options, scadyg_error *error)
{
    *protocol = scadyg_model_protocol(r->model);
    const int live = strcmp(*protocol, "live") == 0;
    if (strcmp(r->info->task, "link") != 0 || (live && !r->oracle))
        return cli_options_with(options, error, "evaluate", "protocol", *protocol, NULL);
    if (live) *protocol = "tgb-link";
    return cli_options_with(options, error, "evaluate", "protocol", *protocol, "pool", "destination", "negatives",
                            "100", NULL);
}

int report_collect(report *r)
{
    listener l = {.r = r, .history = report_history_open(r)};
    if (!l.history) return cli_fail(r->call->command, "not enough memory for the pairs that have met");
    const char *protocol = NULL;
    scadyg_options *options = NULL;
    int status = open_protocol(r, &protocol, &options, r->call->error);
    if (!status)
        status = scadyg_evaluate_queries(r->call->context, r->model, r->events, options, hear_query, &l, &r->result,
                                         r->call->error);
    cli_progress_erase();
    scadyg_options_close(options);
    report_history_close(l.history);
    if (status == SCADYG_E_USAGE || status == SCADYG_E_INPUT) {
        snprintf(r->trouble, sizeof r->trouble, "%.250s", r->call->error->message);
        r->query_count = 0;
        return CLI_OK;
    }
    if (status) return cli_failed(r->call, NULL);
    if (l.failed) return cli_fail(r->call->command, "not enough memory for the queries");
    r->score = scadyg_score_at((size_t)r->result->main_score)->title;
    r->step_means = strcmp(protocol, "tgb-link") != 0 && strcmp(protocol, "live") != 0;
    for (size_t i = 1; i < r->result->count && i < REPORT_MOST; i++)
        if (!r->best_rule || report_mean(r, i) > report_mean(r, r->best_rule)) r->best_rule = i;
    return CLI_OK;
}

/* ---- Means ---- */

static double score_of(const report_query *query, size_t evaluated)
{
    return evaluated < REPORT_MOST ? query->score[evaluated] : query->oracle;
}

/* By steps (or label times): the mean of each, weighted by its events (label times: all the same). */
static double mean_of_steps(const report *r, size_t evaluated)
{
    double total = 0, weight = 0;
    for (size_t i = 0, next; i < r->query_count; i = next) {
        double sum = 0, events = 0;
        for (next = i; next < r->query_count && r->queries[next].at == r->queries[i].at; next++) {
            sum += score_of(&r->queries[next], evaluated);
            events += (double)r->queries[next].events;
        }
        if (!(events > 0)) events = 1;
        total += events * sum / (double)(next - i);
        weight += events;
    }
    return weight > 0 ? total / weight : NAN;
}

double report_mean(const report *r, size_t evaluated)
{
    if (r->step_means) return mean_of_steps(r, evaluated);
    double sum = 0;
    for (size_t i = 0; i < r->query_count; i++) sum += score_of(&r->queries[i], evaluated);
    return r->query_count ? sum / (double)r->query_count : NAN;
}

double report_oracle_mean(const report *r)
{
    return r->oracle ? report_mean(r, REPORT_MOST) : NAN;
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
