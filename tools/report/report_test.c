/* The test part, looked at closely: the score through its time (does it fade?), and calibration. */
#include "report/report.h"

#include <math.h>
#include <string.h>

enum { PARTS = 15 };

typedef struct window {
    double from, to;
} window;

static int within(const report_query *query, const void *context)
{
    const window *w = context;
    return query->time >= w->from && query->time < w->to;
}

static void say_trend(const report *r, double first, double last, const svg_key *keys, size_t count)
{
    const double middle = svg_between(first, last, 0.5);
    const window halves[] = {{first, middle}, {middle, INFINITY}};
    const report_group early = report_group_of(r, within, &halves[0]),
                       late = report_group_of(r, within, &halves[1]);
    const int fades = late.model < 0.95 * early.model, rule_fades = late.rule < 0.95 * early.rule;
    const char *verdict =
        !early.count || !late.count ? "One half has no queries."
        : fades && rule_fades
            ? "The score falls, but so does that of the rule: later events are harder to foretell."
        : fades                           ? "The score fades: train again on newer events now and then."
        : late.model > 1.05 * early.model ? "The score does not fade; it even rises."
                                          : "The score holds.";
    page_figure_end(
        r->page, keys, count,
        "Mean %s of the queries in each of %d equal parts of the test time. Nothing is learned during it, but "
        "the model sees the events as they come. First half %.3f, second half %.3f. %s",
        r->score, PARTS, early.model, late.model, verdict);
}

static void draw_time(const report *r)
{
    double model[PARTS], rule[PARTS], oracle[PARTS], middle[PARTS];
    const double first = r->queries[0].time;
    double last = first, least = INFINITY, most = 0;
    for (size_t i = 0; i < r->query_count; i++) last = fmax(last, r->queries[i].time);
    for (size_t i = 0; i < PARTS; i++) {
        const window w = {svg_between(first, last, (double)i / PARTS),
                          i + 1 < PARTS ? svg_between(first, last, (double)(i + 1) / PARTS) : INFINITY};
        const report_group group = report_group_of(r, within, &w);
        model[i] = group.model, rule[i] = group.rule, oracle[i] = group.oracle;
        middle[i] = svg_between(first, last, ((double)i + 0.5) / PARTS);
        most = fmax(most, fmax(model[i], fmax(rule[i], oracle[i])));
        least = fmin(least, fmin(model[i], fmin(rule[i], oracle[i])));
    }
    svg_chart chart = report_chart(r, "time", "Score by time", "Score through the test part",
                                   report_time_axis(r, "time", first, last),
                                   svg_axis_of(r->score, least > 0.4 ? least - 0.05 : 0, most));
    if (r->oracle) svg_line(&chart, middle, oracle, PARTS, REPORT_ORACLE, 1);
    if (r->best_rule) svg_line(&chart, middle, rule, PARTS, REPORT_RULE, 1);
    svg_line(&chart, middle, model, PARTS, REPORT_MODEL, 1);
    svg_end(&chart);
    svg_key keys[3] = {{"the model", REPORT_MODEL}};
    size_t count = 1;
    if (r->best_rule) keys[count++] = (svg_key){r->result->evaluated[r->best_rule]->name, REPORT_RULE};
    if (r->oracle) keys[count++] = (svg_key){"oracle", REPORT_ORACLE};
    say_trend(r, first, last, keys, count);
}

/* ---- Calibration: of the pairs to which the model gives a probability of 70 %, are 70 % events? ---- */

enum { BINS = 10 };

/* Pairs by the probability they were given. Weights make the negatives what the model compares a pair with. */
typedef struct bins {
    const report *r;
    double event, share; /* weights of the event and of the negative of a query of this pool */
    double weight[BINS], probability[BINS], events[BINS];
    double total;
    uint64_t pairs;
} bins;

static void add_pair(bins *b, double score, int is_event, double weight)
{
    const double probability = scadyg_probability(b->r->model, score);
    if (!isfinite(probability)) return;
    size_t bin = (size_t)(probability * BINS);
    if (bin >= BINS) bin = BINS - 1;
    if (!(weight > 0)) return;
    b->weight[bin] += weight;
    b->probability[bin] += weight * probability;
    b->events[bin] += weight * is_event;
    b->total += weight;
    b->pairs++;
}

/* Only what lies in the model's own test part: the protocol cuts the log by itself. */
static void hear_pair(void *data, const scadyg_query *query)
{
    bins *b = data;
    if (b->r->info->checksum == scadyg_events_checksum(b->r->events) && !(query->at > b->r->info->validation_end))
        return;
    add_pair(b, query->positive, 1, b->event);
    add_pair(b, query->negative, 0, b->share);
}

static int ask_pool(report *r, bins *b, const char *pool, double share, scadyg_error *error)
{
    scadyg_options *options = NULL;
    scadyg_result *result = NULL;
    if (!(share > 0)) return SCADYG_OK;
    b->share = share;
    b->event = b->total > 0 ? 0 : 1; /* once */
    int status =
        cli_options_with(&options, error, "evaluate", "protocol", "dyglib", "pool", pool, "baselines", "0", NULL);
    if (!status)
        status =
            scadyg_evaluate_queries(r->call->context, r->model, r->events, options, hear_pair, b, &result, error);
    cli_progress_erase();
    scadyg_result_free(result);
    scadyg_options_close(options);
    return status;
}

/*
 * What the numbers say: how far what was said is from what happened, on average; in which direction, too sure (too far from
 * one half) or too high, whichever is more of it; and where most of it comes from.
 */
static void calibration_words(const bins *b, char *text, size_t size)
{
    double off = 0, high = 0, sure = 0;
    size_t worst = 0;
    for (size_t i = 0; i < BINS; i++) {
        const double more = b->probability[i] - b->events[i];
        off += fabs(more) / b->total;
        high += more / b->total;
        sure += (2 * i < BINS ? -more : more) / b->total;
        if (fabs(more) > fabs(b->probability[worst] - b->events[worst])) worst = i;
    }
    const int used = snprintf(text, size, "On average it is off by %.1f points of 100", 100 * off);
    if (off < 0.02) {
        snprintf(text + used, size - (size_t)used, ": the probabilities are well calibrated.");
        return;
    }
    const char *direction = sure > 0 ? "it is too sure of itself" : "it is not sure enough of itself";
    if (fabs(high) > fabs(sure))
        direction = high > 0 ? "its probabilities are too high" : "its probabilities are too low";
    if (fmax(fabs(high), fabs(sure)) < off / 2) direction = "now too high, now too low";
    snprintf(text + used, size - (size_t)used,
             "; %s: of the pairs to which it gave about %.0f %%, %.0f %% were events.%s", direction,
             100 * b->probability[worst] / b->weight[worst], 100 * b->events[worst] / b->weight[worst],
             off < 0.05 ? "" : " Use them for ranking, not as probabilities.");
}

static void draw_calibration(const report *r, const bins *b, double met)
{
    double x[BINS], y[BINS], most = 0;
    for (size_t i = 0; i < BINS; i++) {
        x[i] = b->weight[i] > 0 ? b->probability[i] / b->weight[i] : NAN;
        y[i] = b->weight[i] > 0 ? b->events[i] / b->weight[i] : NAN;
        most = fmax(most, b->weight[i]);
    }
    svg_chart chart = report_chart(
        r, "calibration", "What the model said, and what happened", "What the model said against what happened",
        svg_axis_of("probability the model gave", 0, 1), svg_axis_of("share that were events", 0, 1));
    svg_rule(&chart, 0, 0, 1, 1);
    svg_line(&chart, x, y, BINS, REPORT_MODEL, 0);
    for (size_t i = 0; i < BINS; i++)
        if (b->weight[i] > 0)
            svg_dot(&chart, x[i], y[i], 2 + 5 * sqrt(b->weight[i] / most), REPORT_MODEL,
                    cli_text("said %.1f %%, were %.1f %%: %.1f %% of the pairs", 100 * x[i], 100 * y[i],
                             100 * b->weight[i] / b->total));
    svg_end(&chart);
    char words[320];
    calibration_words(b, words, sizeof words);
    page_figure_end(
        r->page, NULL, 0,
        "Every event of the test part beside a pair with a random destination%s: %s pairs. Each dot is the pairs "
        "that "
        "were given about the same probability, larger where there are more; on the dashed line what was said is "
        "what happened, above it more of them were events, below it fewer. %s",
        met > 0 ? cli_text(" and, each counting %.3g of one, pairs that had met before", met) : "",
        cli_count(b->pairs), words);
}

/* The figure, for models that give probabilities. */
static int put_calibration(report *r)
{
    if (strcmp(r->info->task, "link") != 0 || !r->info->learns) return CLI_OK;
    if (r->info->answers_as) {
        page_words(r->page, "The model answers as the baseline %s, whose scores are no probabilities.",
                   r->info->answers_as);
        return CLI_OK;
    }
    if (!r->info->probabilities) {
        page_words(r->page, "The model was trained with --binary 0: its scores are no probabilities.");
        return CLI_OK;
    }
    const double met = scadyg_model_figure(r->model, "share_met"),
                 late = scadyg_model_figure(r->model, "share_late");
    bins b = {.r = r};
    int status = ask_pool(r, &b, "destination", 1, r->call->error);
    if (!status) status = ask_pool(r, &b, "historical", met, r->call->error);
    if (!status) status = ask_pool(r, &b, "inductive", late, r->call->error);
    if (status && status != SCADYG_E_USAGE) return cli_failed(r->call, NULL);
    if (b.total > 0)
        draw_calibration(r, &b, status ? 0 : met);
    else
        page_words(r->page, "There are no pairs to look at for calibration%s%s.", status ? ": " : "",
                   status ? r->call->error->message : "");
    return CLI_OK;
}

/* ---- Both ---- */

int report_test_part(report *r)
{
    page_section(r->page, "test", "The test part, looked at closely", NULL);
    fputs("<div class=\"figures\">\n", r->page);
    if (r->query_count) draw_time(r);
    const int code = put_calibration(r);
    fputs("</div>\n", r->page);
    page_section_end(r->page);
    return code;
}
