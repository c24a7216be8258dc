/* Calibration: of the pairs to which the model gives a probability of 70 %, are 70 % events? */
#include "report.h"

#include <math.h>

enum { BINS = 10 };

/* Pairs by the probability they were given. Weights make the negatives what training drew. */
typedef struct bins {
    const report *r;
    double share; /* weight of a query of this pool */
    double weight[BINS], probability[BINS], events[BINS];
    double total;
    uint64_t pairs;
} bins;

static void add(bins *b, double score, int is_event)
{
    const double probability = scadyg_probability(b->r->model, score);
    if (!isfinite(probability)) return;
    size_t bin = (size_t)(probability * BINS);
    if (bin >= BINS) bin = BINS - 1;
    b->weight[bin] += b->share;
    b->probability[bin] += b->share * probability;
    b->events[bin] += b->share * is_event;
    b->total += b->share;
    b->pairs++;
}

/* Only what lies in the model's own test part: the protocol cuts the log by itself. */
static void hear(void *context, const scadyg_query *query)
{
    bins *b = context;
    if (b->r->info->checksum == scadyg_events_checksum(b->r->events) && !(query->at > b->r->info->validation_end))
        return;
    add(b, query->positive, 1);
    add(b, query->negative, 0);
}

static int ask(report *r, bins *b, int pool, double share, scadyg_error *error)
{
    const cli_common *common = r->call->arguments;
    size_t count = 0;
    const scadyg_option *table = scadyg_eval_option_table(&count);
    scadyg_eval_options options = {0};
    scadyg_result result;
    if (!(share > 0)) return SCADYG_OK;
    scadyg_options_default(table, count, &options);
    options.protocol = SCADYG_PROTOCOL_DYGLIB;
    options.pool = pool;
    options.threads = common->threads;
    options.query = hear;
    options.query_context = b;
    b->share = share;
    int status = scadyg_evaluate(r->model, r->events, &options, cli_progress(common), &result, error);
    cli_progress_erase();
    return status;
}

/*
 * What the numbers say: how far what was said is from what happened, on average; in which direction, too sure (too far from
 * one half) or too high, whichever is more of it; and where most of it comes from.
 */
static void put_words(const bins *b, char *text, size_t size)
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
        snprintf(text + used, size - (size_t)used, ": probabilities can be taken at their word.");
        return;
    }
    const char *direction = sure > 0 ? "it is too sure of itself" : "it is not sure enough of itself";
    if (fabs(high) > fabs(sure))
        direction = high > 0 ? "its probabilities are too high" : "its probabilities are too low";
    if (fmax(fabs(high), fabs(sure)) < off / 2) direction = "now too high, now too low";
    snprintf(text + used, size - (size_t)used,
             "; %s: of the pairs to which it gave about %.0f %%, %.0f %% were events.%s", direction,
             100 * b->probability[worst] / b->weight[worst], 100 * b->events[worst] / b->weight[worst],
             off < 0.05 ? "" : " Read its probabilities as an order of pairs rather than at their word.");
}

static void draw(const report *r, const bins *b, double historical)
{
    svg_chart chart = {.out = r->page,
                       .name = "What the model said against what happened",
                       .x = svg_axis_of("probability the model gave", 0, 1),
                       .y = svg_axis_of("share that were events", 0, 1)};
    double x[BINS], y[BINS], most = 0;
    for (size_t i = 0; i < BINS; i++) {
        x[i] = b->weight[i] > 0 ? b->probability[i] / b->weight[i] : NAN;
        y[i] = b->weight[i] > 0 ? b->events[i] / b->weight[i] : NAN;
        most = fmax(most, b->weight[i]);
    }
    page_figure(r->page, "calibration", "What the model said, and what happened");
    svg_begin(&chart);
    svg_rule(&chart, 0, 0, 1, 1);
    svg_line(&chart, x, y, BINS, REPORT_MODEL, 0);
    for (size_t i = 0; i < BINS; i++) {
        char tip[CLI_TEXT];
        if (!(b->weight[i] > 0)) continue;
        snprintf(tip, sizeof tip, "said %.1f %%, were %.1f %%: %.1f %% of the pairs", 100 * x[i], 100 * y[i],
                 100 * b->weight[i] / b->total);
        svg_dot(&chart, x[i], y[i], 2 + 5 * sqrt(b->weight[i] / most), REPORT_MODEL, tip);
    }
    svg_end(&chart);
    char words[320], pairs[CLI_TEXT], mix[160] = "a pair with a random destination";
    if (historical > 0)
        snprintf(mix, sizeof mix,
                 "another pair, %.0f %% of them pairs that had met before, as in training, the others with a "
                 "random destination",
                 100 * historical);
    put_words(b, words, sizeof words);
    page_figure_end(
        r->page, NULL, 0,
        "Every event of the test part beside %s: %s pairs, half of them events. Each dot is the pairs that were "
        "given about the same probability, larger where there are more; on the dashed line what was said is "
        "what happened, above it more of them were events, below it fewer. %s",
        mix, cli_count(b->pairs, pairs), words);
}

int report_calibration(report *r)
{
    const scadyg_train_options *train = r->info->options;
    if (train->task == SCADYG_TASK_AFFINITY || train->model != SCADYG_MODEL_SCADYG) return CLI_OK;
    const int historical_drawn = train->head == SCADYG_HEAD_PAIR && train->freshness == SCADYG_FRESHNESS_EVENT;
    double historical = historical_drawn ? train->historical : 0;
    bins b = {.r = r};
    scadyg_error error = {0};
    int status = ask(r, &b, SCADYG_POOL_DESTINATION, 1 - historical, &error);
    if (!status) status = ask(r, &b, SCADYG_POOL_HISTORICAL, historical, &error);
    if (status && status != SCADYG_E_USAGE) return cli_fail_error(r->call->command, &error, NULL);
    if (b.total > 0)
        draw(r, &b, status ? 0 : historical);
    else
        page_words(r->page, "There are no pairs to look at for calibration%s%s.", status ? ": " : "",
                   status ? error.message : "");
    return CLI_OK;
}
