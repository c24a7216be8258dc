/* How good a model is, beside the rules and the oracle, and how it learned. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/result.h"

/* ---- The chart ---- */

static int better_first(const void *left, const void *right)
{
    const svg_bar *a = left, *b = right;
    return (a->value < b->value) - (a->value > b->value);
}

static const char *how_asked(const report *r)
{
    if (strcmp(r->result->protocol, "tgb-node") == 0)
        return "NDCG@10 says how well the ten classes a node turned to most were put in order: 1 is perfect.";
    if (strcmp(r->result->protocol, "paper") == 0)
        return "For every source of a step, the partner it really met is hidden among 100 random destinations. MRR "
               "is "
               "the mean of 1 / place: 1 if it always comes first, 0.5 if it comes second.";
    if (strcmp(r->result->protocol, "live") == 0)
        return r->result->negatives ? "For every event, at its time, the destination that was really chosen is "
                                      "ranked among 1,000 of "
                                      "those seen so far, earlier partners of the source among them. MRR is the "
                                      "mean of 1 / place: 1 "
                                      "if it always comes first, 0.5 if it comes second."
                                    : "For every event, at its time, the destination that was really chosen is "
                                      "ranked among all those "
                                      "seen so far. MRR is the mean of 1 / place: 1 if it always comes first, 0.5 "
                                      "if it comes second.";
    return "For every event the partner that was really met is hidden among 100 random destinations. MRR is the "
           "mean of "
           "1 / place: 1 if it always comes first, 0.5 if it comes second.";
}

static void draw_result(const report *r)
{
    svg_bar bars[REPORT_MOST + 1];
    size_t count = 0;
    for (size_t i = 0; i < r->result->count && i < REPORT_MOST; i++, count++) {
        bars[count] = (svg_bar){.value = report_mean(r, i), .look = i == 0 ? REPORT_MODEL : REPORT_OTHER};
        if (i == r->best_rule && i) bars[count].look = REPORT_RULE;
        snprintf(bars[count].text, sizeof bars[count].text, "%s", r->result->evaluated[i]->name);
    }
    const double oracle = report_oracle_mean(r);
    if (isfinite(oracle)) bars[count++] = (svg_bar){.text = "oracle", .value = oracle, .look = REPORT_ORACLE};
    qsort(bars, count, sizeof *bars, better_first);
    page_figure(r->page, "result", "The model beside rules that need no training");
    svg_bars(&(svg_chart){.out = r->page, .name = "The model beside rules that need no training"}, bars, count, 1);
    const svg_key keys[] = {{"the model", REPORT_MODEL}, {"best rule", REPORT_RULE}, {"oracle", REPORT_ORACLE}};
    page_figure_end(
        r->page, keys,
        isfinite(oracle) ? 3
        : r->best_rule   ? 2
                         : 1,
        "%s on the test part, %s. %s%s", r->score, cli_counted(r->query_count, "query", "queries"), how_asked(r),
        !isfinite(oracle) ? ""
        : cli_option_is(r->info->options, "stepwise", "1")
            ? " The oracle is the generator itself (upper bound). It sees everything up to the moment, the "
              "model only earlier steps."
            : " The oracle is the generator itself (upper bound).");
}

static void say_result(const report *r)
{
    const double model = report_mean(r, 0), oracle = report_oracle_mean(r);
    if (!r->best_rule) {
        page_words(r->page, "%s has %s %.3f on the test part.", r->result->evaluated[0]->name, r->score, model);
    } else {
        const double rule = report_mean(r, r->best_rule);
        const char *name = r->result->evaluated[r->best_rule]->name;
        if (model > rule + 5e-4)
            page_words(r->page,
                       "The model is better than every rule: %s %.3f against %.3f of %s, the best of them.",
                       r->score, model, rule, name);
        else
            page_words(
                r->page,
                "No better than a rule: %s has %s %.3f, the model %.3f. --model %s makes that rule the model.",
                name, r->score, rule, model, name);
    }
    if (isfinite(oracle))
        page_words(r->page, "That is %.1f %% of what the process itself would reach (%.3f).", 100 * model / oracle,
                   oracle);
}

/* ---- The tables ---- */

enum { MOST_SCORES = 32 };

static void put_row(FILE *page, const char *name, const json_t *row, const double *best, int own)
{
    const scadyg_score *score;
    fprintf(page, "<tr%s>", own ? " class=\"own\"" : "");
    page_cell(page, "td", NULL, name);
    for (size_t i = 0; i < MOST_SCORES && (score = scadyg_score_at(i)); i++) {
        const double value = cli_result_score(row, score->key, "mean");
        if (isnan(best[i])) continue;
        page_cell(page, "td", score->better * (value - best[i]) >= -5e-5 ? "number best" : "number",
                  isnan(value) ? "-" : cli_text("%.4f", value));
    }
    fputs("</tr>\n", page);
}

static double best_of(const scadyg_score *score, const json_t *result)
{
    double best = cli_result_score(result, score->key, "mean");
    const char *name;
    json_t *row;
    json_object_foreach (json_object_get(result, "baselines"), name, row) {
        const double value = cli_result_score(row, score->key, "mean");
        if (isnan(best) || score->better * (value - best) > 0) best = value;
    }
    return best;
}

static void say_difference(FILE *page, const json_t *result)
{
    const double difference = cli_json_number_of(result, "difference"),
                 error = cli_json_number_of(result, "difference_error");
    const uint64_t unranked = (uint64_t)json_integer_value(json_object_get(result, "unranked"));
    const uint64_t queries = (uint64_t)json_integer_value(json_object_get(result, "queries"));
    const uint64_t clusters = (uint64_t)json_integer_value(json_object_get(result, "clusters"));
    const char *unit = cli_json_text_of(result, "cluster_of");
    const scadyg_score *score;
    size_t i = 0;
    while ((score = scadyg_score_at(i)) && strcmp(score->key, cli_json_text_of(result, "main_score")) != 0) i++;
    if (score && isfinite(difference) && isfinite(error))
        page_words(page, "%s is %+.4f ± %.4f against %s, the best baseline, with a standard error over %s %s.",
                   score->title, difference, error, cli_json_text_of(result, "best_baseline"), cli_count(clusters),
                   cli_text(strcmp(unit, "batch") == 0 ? "%ses" : "%ss", unit));
    if (unranked)
        page_words(page, "%s of the events are left out: their destination was never seen before.",
                   cli_share(unranked, unranked + queries));
}

static void put_table(FILE *page, const json_t *result)
{
    const scadyg_score *score;
    const char *name;
    json_t *row;
    double best[MOST_SCORES];
    const uint64_t query_count = (uint64_t)json_integer_value(json_object_get(result, "queries"));
    const char *queries = cli_counted(query_count, "query", "queries");
    const char *protocol = cli_json_text_of(result, "protocol");
    const json_t *negatives = json_object_get(result, "negatives");
    if (json_is_null(negatives))
        page_words(page, "Protocol %s, %s:", protocol, queries);
    else if (strcmp(protocol, "live") == 0)
        page_words(page,
                   "Protocol live, %s, each ranked among %s destinations seen so far; AP and AUC are against "
                   "random ones of them and, where it says (met), against earlier partners of the source:",
                   queries,
                   json_is_integer(negatives)
                       ? cli_text("%s of the", cli_count(1 + (uint64_t)json_integer_value(negatives)))
                       : "all");
    else
        page_words(page, "Protocol %s, negatives from the pool %s, %s:", protocol, cli_json_text_of(result, "pool"),
                   queries);
    fputs("<div class=\"wide\"><table>\n<tr><th></th>", page);
    for (size_t i = 0; i < MOST_SCORES && (score = scadyg_score_at(i)); i++) {
        best[i] = best_of(score, result);
        if (!isnan(best[i])) page_cell(page, "th", "number", score->title);
    }
    fputs("</tr>\n", page);
    put_row(page, cli_json_text_of(result, "model"), result, best, 1);
    json_object_foreach (json_object_get(result, "baselines"), name, row) put_row(page, name, row, best, 0);
    fputs("</table></div>\n", page);
    say_difference(page, result);
}

void report_stored_results(FILE *page, const json_t *results, const char *data)
{
    const json_t *result, *before = NULL;
    if (json_array_size(results) > 0)
        page_words(page,
                   "As train evaluated it, on the test part of %s; the best of each column is bold. "
                   "docs/protocols.md says how each protocol asks.",
                   data);
    for (size_t i = 0; (result = json_array_get(results, i)); i++) {
        if (before && cli_result_same(before, result))
            page_words(page, "The same with negatives from the pool %s.", cli_json_text_of(result, "pool"));
        else
            put_table(page, result);
        before = result;
    }
}

/* What train kept in the model. */
static void put_tables(const report *r)
{
    json_t *results = cli_results_of(r->model);
    report_stored_results(r->page, results, r->info->data ? r->info->data : "its data");
    json_decref(results);
}

int report_result(report *r)
{
    page_section(r->page, "result", "How good it is", NULL);
    if (r->trouble[0]) {
        page_words(r->page, "These events could not be evaluated: %s", r->trouble);
    } else {
        say_result(r);
        fputs("<div class=\"figures\">\n", r->page);
        draw_result(r);
        fputs("</div>\n", r->page);
        if (r->result->left_out)
            page_words(r->page, "%s of this part %s left out, which the model was trained on.",
                       cli_counted(r->result->left_out, "event", "events"),
                       r->result->left_out == 1 ? "is" : "are");
    }
    put_tables(r);
    page_section_end(r->page);
    return CLI_OK;
}

/* ---- The learning curves ---- */

static void draw_curve(const report *r, const char *id, const char *title, const char *axis, const double *values,
                       const double *epochs, int64_t marked)
{
    const size_t count = (size_t)r->info->epochs;
    double least = NAN, most = NAN;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i])) least = fmin(least, values[i]), most = fmax(most, values[i]);
    svg_axis x = count > 1 ? svg_axis_bare("epoch", 1, (double)count) : svg_axis_bare("epoch", 0, 2);
    const size_t every = 1 + (count - 1) / (SVG_TICKS - 1);
    for (size_t i = 1; i <= count; i += every) svg_tick_add(&x, (double)i, cli_text("%zu", i));
    svg_chart chart = report_chart(r, id, title, NULL, x, svg_axis_of(axis, least, most));
    svg_line(&chart, epochs, values, count, REPORT_MODEL, count <= 60);
    if (marked > 0 && isfinite(values[marked - 1]))
        svg_dot(&chart, (double)marked, values[marked - 1], 5, REPORT_RULE, "the epoch that was kept");
    svg_end(&chart);
}

static void draw_both(const report *r, const double *epochs)
{
    const scadyg_model_info *info = r->info;
    fputs("<div class=\"figures\">\n", r->page);
    draw_curve(r, "validation", "Validation score by epoch", info->score, info->validations, epochs,
               info->best_epoch);
    const svg_key keys[] = {{"validation score", REPORT_MODEL}, {"the epoch that was kept", REPORT_RULE}};
    if (info->best_epoch)
        page_figure_end(
            r->page, keys, 2,
            "%s on the validation part, which lies between the training part and the test part, after each "
            "pass over the training part. Of %lld epoch%s number %lld was the best and is the model.",
            info->score, (long long)info->epochs, sg_plural(info->epochs), (long long)info->best_epoch);
    else
        page_figure_end(
            r->page, keys, 1,
            "%s on the validation part after each pass over the training part. No epoch was better than the "
            "start, so the model is as it began.",
            info->score);
    draw_curve(r, "loss", "Loss by epoch", "mean loss", info->losses, epochs, 0);
    page_figure_end(
        r->page, NULL, 0,
        "Training loss, lower is better: how far the model's answers on the training part are from what happened. "
        "Where it still falls while the validation score does not rise, the model overfits.");
    fputs("</div>\n", r->page);
}

int report_learning(report *r)
{
    const scadyg_model_info *info = r->info;
    if (!info->learns) return CLI_OK; /* a rule learns nothing */
    page_section(r->page, "learning", "How it learned", NULL);
    double *epochs = info->losses ? malloc((size_t)info->epochs * sizeof *epochs) : NULL;
    for (int64_t i = 0; epochs && i < info->epochs; i++) epochs[i] = (double)(i + 1);
    if (epochs)
        draw_both(r, epochs);
    else if (info->losses)
        return cli_fail(r->call->command, "not enough memory for the learning curve");
    else
        page_words(r->page, "This model file has no learning curve: it was written by an earlier version.");
    free(epochs);
    page_section_end(r->page);
    return CLI_OK;
}
