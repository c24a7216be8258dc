/* The result beside the rules and the oracle. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result.h"

static const struct {
    const char *key, *title;
} scores[] = {{"mrr", "MRR"}, {"hits@1", "hits@1"}, {"hits@3", "hits@3"},  {"hits@10", "hits@10"},
              {"ap", "AP"},   {"auc", "AUC"},       {"ndcg@10", "NDCG@10"}};

static double number(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);
    if (json_is_object(value)) value = json_object_get(value, "mean");
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* ---- The chart ---- */

static int better_first(const void *left, const void *right)
{
    const svg_bar *a = left, *b = right;
    return (a->value < b->value) - (a->value > b->value);
}

static const char *how_asked(const report *r)
{
    if (strcmp(r->result.protocol, "tgb-node") == 0)
        return "NDCG@10 says how well the ten classes a node turned to most were put in order: 1 is perfect.";
    if (strcmp(r->result.protocol, "paper") == 0)
        return "For every source of a step, the partner it really met is hidden among 100 random destinations. MRR "
               "is "
               "the mean of 1 / place: 1 if it always comes first, 0.5 if it comes second.";
    return "For every event the partner that was really met is hidden among 100 random destinations. MRR is the "
           "mean of "
           "1 / place: 1 if it always comes first, 0.5 if it comes second.";
}

static void draw_result(const report *r)
{
    svg_bar bars[SCADYG_JUDGED_MOST + 1];
    size_t count = 0;
    for (size_t i = 0; i < r->result.count; i++, count++) {
        bars[count] = (svg_bar){.value = report_mean(r, i), .look = i == 0 ? REPORT_MODEL : REPORT_OTHER};
        if (i == r->best_rule && i) bars[count].look = REPORT_RULE;
        snprintf(bars[count].text, sizeof bars[count].text, "%s", r->result.judged[i].name);
    }
    const double oracle = report_oracle_mean(r);
    if (isfinite(oracle)) bars[count++] = (svg_bar){.text = "oracle", .value = oracle, .look = REPORT_ORACLE};
    qsort(bars, count, sizeof *bars, better_first);
    page_figure(r->page, "result", "The model beside rules that need no training");
    svg_bars(&(svg_chart){.out = r->page, .name = "The model beside rules that need no training"}, bars, count, 1);
    const svg_key keys[] = {{"the model", REPORT_MODEL}, {"best rule", REPORT_RULE}, {"oracle", REPORT_ORACLE}};
    char queries[CLI_TEXT];
    page_figure_end(
        r->page, keys,
        isfinite(oracle) ? 3
        : r->best_rule   ? 2
                         : 1,
        "%s on the test part, %s queries. %s%s", r->score, cli_count(r->query_count, queries), how_asked(r),
        !isfinite(oracle) ? ""
        : r->info->options->freshness == SCADYG_FRESHNESS_STEP
            ? " The oracle is the process that made this graph, asked itself: on average nothing can be "
              "better. It sees everything up to the moment, the model only earlier steps."
            : " The oracle is the process that made this graph, asked itself: on average nothing can be "
              "better.");
}

static void say_result(const report *r)
{
    const double model = report_mean(r, 0), oracle = report_oracle_mean(r);
    if (!r->best_rule) {
        page_words(r->page, "%s has %s %.3f on the test part.", r->result.judged[0].name, r->score, model);
    } else {
        const double rule = report_mean(r, r->best_rule);
        const char *name = r->result.judged[r->best_rule].name;
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

static void put_row(FILE *page, const char *name, const json_t *row, const double *best, int own)
{
    fprintf(page, "<tr%s>", own ? " class=\"own\"" : "");
    page_cell(page, "td", NULL, name);
    for (size_t i = 0; i < CLI_COUNT(scores); i++) {
        char text[CLI_TEXT];
        const double value = number(row, scores[i].key);
        if (isnan(best[i])) continue;
        snprintf(text, sizeof text, isnan(value) ? "-" : "%.4f", value);
        page_cell(page, "td", value >= best[i] - 5e-5 ? "number best" : "number", text);
    }
    fputs("</tr>\n", page);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void put_table(FILE *page, const json_t *result)
{
    const json_t *rules = json_object_get(result, "heuristics");
    const char *name;
    json_t *row;
    double best[CLI_COUNT(scores)];
    for (size_t i = 0; i < CLI_COUNT(scores); i++) {
        best[i] = number(result, scores[i].key);
        json_object_foreach((json_t *)(uintptr_t)rules, name, row) best[i] =
            fmax(best[i], number(row, scores[i].key));
    }
    const int labels = strcmp(text_of(result, "protocol"), "tgb-node") == 0;
    char queries[CLI_TEXT];
    cli_count((uint64_t)json_integer_value(json_object_get(result, "queries")), queries);
    if (labels)
        page_words(page, "Protocol %s, %s queries:", text_of(result, "protocol"), queries);
    else
        page_words(page, "Protocol %s, negatives from the pool %s, %s queries:", text_of(result, "protocol"),
                   text_of(result, "pool"), queries);
    fputs("<div class=\"wide\"><table>\n<tr><th></th>", page);
    for (size_t i = 0; i < CLI_COUNT(scores); i++)
        if (!isnan(best[i])) page_cell(page, "th", "number", scores[i].title);
    fputs("</tr>\n", page);
    put_row(page, text_of(result, "model"), result, best, 1);
    json_object_foreach((json_t *)(uintptr_t)rules, name, row) put_row(page, name, row, best, 0);
    fputs("</table></div>\n", page);
}

/* Whether two results differ in nothing but the pool: on some data two pools are the same nodes. */
static int is_same(const json_t *one, const json_t *other)
{
    json_t *copy = one ? json_copy((json_t *)(uintptr_t)one) : NULL;
    json_t *pool = json_object_get(other, "pool");
    const int same = copy && pool && !json_object_set(copy, "pool", pool) && json_equal(copy, other);
    json_decref(copy);
    return same;
}

/* What train kept in the model. */
static void put_tables(const report *r)
{
    const char *text = scadyg_model_result(r->model);
    json_t *results = *text ? json_loads(text, 0, NULL) : NULL, *result, *before = NULL;
    size_t i;
    if (json_array_size(results) > 0)
        page_words(r->page,
                   "As train judged it, on the test part of %s; the best of each column is bold. "
                   "docs/protocols.md says how each protocol asks.",
                   r->info->data ? r->info->data : "its data");
    json_array_foreach(results, i, result)
    {
        if (is_same(before, result))
            page_words(r->page, "The same with negatives from the pool %s.", text_of(result, "pool"));
        else
            put_table(r->page, result);
        before = result;
    }
    json_decref(results);
}

int report_result(report *r)
{
    page_section(r->page, "result", "How good it is", NULL);
    if (r->trouble[0]) {
        page_words(r->page, "These events could not be judged: %s", r->trouble);
    } else {
        say_result(r);
        fputs("<div class=\"figures\">\n", r->page);
        draw_result(r);
        fputs("</div>\n", r->page);
        if (r->result.overlap > 0)
            page_words(r->page, "Mind: %.1f %% of these queries lie in the part the model was trained on.",
                       100 * r->result.overlap);
    }
    put_tables(r);
    page_section_end(r->page);
    return CLI_OK;
}
