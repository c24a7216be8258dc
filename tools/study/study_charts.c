/* The charts of a study, by what its results have. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/study_check.h"
#include "study/study_plot.h"

static double pair_number(const json_t *pair, size_t i)
{
    const json_t *value = json_array_get(pair, i);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* ---- Scores: bars, or lines where numbers are varied ---- */

/* A label says what sets a row apart within its series; without one the series is all there is to say. */
static svg_bar bar_of(const json_t *row, double mean, double spread, int look)
{
    const char *label = cli_json_text_of(row, "label");
    svg_bar bar = {.value = mean, .spread = isfinite(spread) ? spread : 0, .look = look};
    snprintf(bar.text, sizeof bar.text, "%s", *label ? label : cli_json_text_of(row, "series"));
    return bar;
}

static int draw_bars(const study_easel *easel, const json_t *rows, const char *column, const char *score,
                     caption *words)
{
    const size_t most_bars = json_array_size(rows);
    size_t model_count, count = 0, key_count = 0;
    const char **models = plot_models(rows, &model_count);
    svg_bar *bars = calloc(most_bars + 1, sizeof *bars);
    svg_key *keys = calloc(most_bars + 1, sizeof *keys);
    double most = 1;
    for (size_t i = 0; models && bars && keys && i < most_bars; i++) {
        const json_t *row = json_array_get(rows, i);
        const double mean = study_cell(row, column, score, "mean");
        const size_t place = plot_place(models, model_count, cli_json_text_of(row, "series"));
        const int look = plot_is_rule(row) ? SVG_OTHER : svg_look(place);
        size_t k = 0;
        if (!isfinite(mean)) continue;
        most = fmax(most, mean);
        bars[count++] = bar_of(row, mean, study_cell(row, column, score, "std"), look);
        while (k < key_count && keys[k].look != look) k++;
        if (k == key_count)
            keys[key_count++] = (svg_key){plot_is_rule(row) ? "rules that need no training" : models[place], look};
    }
    FILE *out = count ? plot_begin(easel, words) : NULL;
    if (out) {
        const svg_chart chart = plot_chart(easel, out, words, keys, key_count);
        svg_bars(&chart, bars, count, most);
        easel->end(easel->data, words->words);
    }
    const int failed = !models || !bars || !keys || (count && !out);
    free(models);
    free(bars);
    free(keys);
    return failed ? -1 : 0;
}

/* What a study varies, if that is a number. */
static const struct {
    const char *study, *title;
    int logarithm;
} varied[] = {{"steps", "historical steps", 1},
              {"hops", "hops", 0},
              {"interval", "interval between steps, % of the time range", 1},
              {"", "value", 0}};

static int draw_score(const study_easel *easel, const json_t *results, const json_t *column, const char *score)
{
    const json_t *rows = json_object_get(results, "rows");
    const char *id = cli_json_text_of(column, "id"), *pool = cli_json_text_of(column, "pool"),
               *title = study_score_title(score);
    size_t numbers = 0, v = 0;
    caption words;
    for (size_t i = 0; i < json_array_size(rows); i++)
        numbers += isfinite(cli_json_number_of(json_array_get(rows, i), "x")) &&
                   isfinite(study_cell(json_array_get(rows, i), id, score, "mean"));
    snprintf(words.name, sizeof words.name, "%.40s-%.80s", score, id);
    snprintf(words.title, sizeof words.title, "%.40s in the test part, %.60s", title, study_column_title(column));
    snprintf(words.words, sizeof words.words, "%.40s on the test part by the protocol %.70s%s%.60s. %s", title,
             study_column_title(column), *pool ? ", negatives from the pool " : "", pool,
             numbers > 1 ? "Each dot is the mean over the seeds at one value of what is varied, with its deviation."
                         : "Means over the seeds, with their deviations.");
    if (numbers < 2) return draw_bars(easel, rows, id, score, &words);
    while (*varied[v].study && strcmp(varied[v].study, cli_json_text_of(results, "study")) != 0) v++;
    plot p = {.x_title = varied[v].title,
              .y_title = title,
              .log_x = varied[v].logarithm,
              .dots = SVG_DOTS,
              .at_values = 1};
    return plot_rows(easel, rows, id, score, NULL, &p, &words);
}

/* The score a protocol is known by; where models are compared and nothing else, the others without a cut-off too. */
static int draw_scores(const study_easel *easel, const json_t *results)
{
    const json_t *columns = json_object_get(results, "columns");
    const int compared = strcmp(cli_json_text_of(results, "study"), "compare") == 0;
    const scadyg_score *score;
    int failed = 0;
    for (size_t i = 0; i < json_array_size(columns) && !failed; i++) {
        const json_t *column = json_array_get(columns, i);
        const char *main = cli_json_text_of(column, "main");
        failed = draw_score(easel, results, column, main);
        for (size_t k = 0; compared && !failed && (score = scadyg_score_at(k)); k++)
            if (!strchr(score->key, '@') && strcmp(score->key, main) != 0)
                failed = draw_score(easel, results, column, score->key);
    }
    return failed;
}

/* ---- Seconds and memory ---- */

/* Each cost over the number of events, both on logarithmic scales: a straight line, whose slope is the growth. */
static int draw_growth(const study_easel *easel, const json_t *results)
{
    static const struct {
        const char *key, *title, *words;
    } costs[] = {
        {"prepare_seconds", "Preparation, seconds",
         "What comes before the first epoch, against the number of events; both scales are logarithmic."},
        {"train_seconds", "A training epoch, seconds",
         "One pass over the training part, against the number of events; both scales are logarithmic. A line that "
         "rises by a decade in a decade grows as the events do."},
        {"evaluation_seconds", "An evaluation, seconds",
         "Evaluating the validation part after an epoch, against the number of events; of a large one a sample is "
         "evaluated."},
        {"peak_memory_mib", "Peak memory, MiB",
         "The most that a run held, with the pages of the events file that it read, against the number of events."},
        {"parameters", "Learned numbers", "How many numbers a model learns, against the number of events."}};
    const json_t *slopes = json_object_get(results, "slopes");
    int failed = 0;
    for (size_t i = 0; i < CLI_COUNT(costs) && !failed; i++) {
        caption words;
        plot p = {.x_title = "events",
                  .y_title = study_score_title(costs[i].key),
                  .log_x = 1,
                  .log_y = 1,
                  .dots = SVG_DOTS,
                  .at_values = 1};
        snprintf(words.name, sizeof words.name, "%s", costs[i].key);
        snprintf(words.title, sizeof words.title, "%s", costs[i].title);
        snprintf(words.words, sizeof words.words, "%s", costs[i].words);
        failed = plot_rows(easel, json_object_get(results, "rows"), "cost", costs[i].key, slopes, &p, &words);
    }
    return failed;
}

/* A line for every seed, named once for each model. */
static int draw_convergence(const study_easel *easel, const json_t *results)
{
    const json_t *curves = json_object_get(results, "curves");
    size_t count = 0;
    const char **models = plot_models(curves, &count);
    const char *before = NULL;
    caption words = {
        "convergence", "Validation score against seconds",
        "How fast each model learns on the machine of this study: a line for each seed, a dot after each "
        "epoch."};
    plot p = {.x_title = "seconds", .y_title = "validation score", .log_x = 1, .dots = SVG_SMALL_DOTS};
    int failed = !models || plot_open(&p, json_array_size(curves));
    for (size_t i = 0; i < json_array_size(curves) && !failed; i++) {
        const json_t *one = json_array_get(curves, i), *points = json_object_get(one, "points");
        const char *model = cli_json_text_of(one, "series");
        if (!json_array_size(points)) continue;
        curve *c = plot_curve(&p, before && strcmp(before, model) == 0 ? "" : model,
                              svg_look(plot_place(models, count, model)), json_array_size(points));
        failed = !c;
        before = model;
        for (size_t k = 0; c && k < json_array_size(points); k++)
            plot_point(c, pair_number(json_array_get(points, k), 0), pair_number(json_array_get(points, k), 1), 0);
    }
    if (!failed) failed = plot_draw(easel, &p, &words);
    plot_close(&p);
    free(models);
    return failed ? -1 : 0;
}

/* ---- What single nodes have: curves ---- */

typedef struct node_curve {
    const char *key, *title, *y_title, *words;
    int by_age; /* x is the age of a contact; else the share of the time that has passed */
    int from_zero;
} node_curve;

static int draw_node_curves(const study_easel *easel, const json_t *results, const char *model,
                            const json_t *weights, const node_curve *what)
{
    const json_t *nodes = json_object_get(weights, "nodes");
    const double unit = what->by_age ? cli_json_number_of(results, "time_unit_size") : 1;
    const char *x_title = cli_text("time since the contact, in %.30s", cli_json_text_of(results, "time_unit"));
    caption words;
    snprintf(words.name, sizeof words.name, "%s-%.80s", what->key, model);
    snprintf(words.title, sizeof words.title, "%.40s: %s", model, what->title);
    snprintf(words.words, sizeof words.words, "%s", what->words);
    plot p = {.x_title = what->by_age ? x_title : "share of the time range that has passed, %",
              .y_title = what->y_title,
              .log_x = what->by_age,
              .from_zero = what->from_zero};
    int failed = plot_open(&p, json_array_size(nodes));
    for (size_t i = 0; i < json_array_size(nodes) && !failed; i++) {
        const json_t *node = json_array_get(nodes, i), *points = json_object_get(node, what->key);
        if (!json_array_size(points)) continue; /* this model has none */
        curve *c = plot_curve(&p, cli_text("node %.120s", cli_json_text_of(node, "id")), svg_look(i),
                              json_array_size(points));
        failed = !c;
        for (size_t k = 0; c && k < json_array_size(points); k++)
            plot_point(c, pair_number(json_array_get(points, k), 0) / unit,
                       pair_number(json_array_get(points, k), 1), 0);
    }
    if (!failed) failed = plot_draw(easel, &p, &words);
    plot_close(&p);
    return failed ? -1 : 0;
}

static const node_curve node_curves[] = {
    {"drift", "how far W_x is from what it was", "distance, as a share of the first",
     "How far the matrix of each node is from what it was after the first twentieth of the time, as a share of "
     "that. A "
     "line that rises belongs to a node whose past is read in another way as it grows.",
     0, 1},
    {"decay", "what is left of a contact in the weights", "share",
     "One contact, the longer ago the further right, as a share of one that has just happened: a line for each "
     "node, "
     "as its own weights mix the rates. Lines that lie on each other: the model treats these nodes alike.",
     1, 1},
    {"memory", "how far a partner is ahead of strangers", "logits",
     "What the whole model makes of a contact: the score of those a node has met above that of some it has not, in "
     "logits, by the time since they last met. 0 is forgotten, 2 is 7 times the odds.",
     1, 0}};

/* ---- What single nodes have: matrices ---- */

static const json_t *matrix_of(const void *weights, size_t node, size_t time)
{
    const json_t *nodes = json_object_get(weights, "nodes");
    return json_array_get(json_object_get(json_array_get(nodes, node), "matrices"), time);
}

static double cell_of(const void *weights, size_t node, size_t time, size_t y, size_t x)
{
    return pair_number(json_array_get(matrix_of(weights, node, time), y), x);
}

static const char *node_name(const void *weights, size_t node)
{
    return cli_json_text_of(json_array_get(json_object_get(weights, "nodes"), node), "id");
}

static const char *time_name(const void *weights, size_t time)
{
    const char *name = json_string_value(json_array_get(json_object_get(weights, "times"), time));
    return name ? name : "";
}

static double largest_cell(const svg_maps *maps)
{
    double most = 0;
    for (size_t row = 0; row < maps->rows; row++)
        for (size_t column = 0; column < maps->columns; column++)
            for (size_t k = 0; k < maps->size * maps->size; k++) {
                if (k == 0 && isnan(maps->cell(maps->context, row, column, 0, 0))) break;
                most = fmax(most, fabs(maps->cell(maps->context, row, column, k / maps->size, k % maps->size)));
            }
    return most > 0 ? most : 1;
}

/* The matrix of each node at each time, or its top left. */
static int draw_maps(const study_easel *easel, const char *model, const json_t *weights, size_t most_cells,
                     const char *name, const char *which)
{
    caption words;
    svg_maps maps = {.rows = json_array_size(json_object_get(weights, "nodes")),
                     .columns = json_array_size(json_object_get(weights, "times")),
                     .size = json_array_size(matrix_of(weights, 0, 0)),
                     .row_name = node_name,
                     .column_name = time_name,
                     .cell = cell_of,
                     .context = weights};
    if (maps.size > most_cells) maps.size = most_cells;
    if (!maps.rows || !maps.columns || !maps.size) return 0;
    maps.levels = malloc(maps.size * maps.size);
    if (!maps.levels) return -1;
    maps.most = largest_cell(&maps);
    snprintf(words.name, sizeof words.name, "%s-%.80s", name, model);
    snprintf(words.title, sizeof words.title, "%.40s: %s W_x of each node", model, which);
    snprintf(
        words.words, sizeof words.words,
        "Numbers of the matrix that mixes a node's messages: a row for each node, time from left to right. Nodes "
        "whose pictures look alike are treated alike.");
    FILE *out = plot_begin(easel, &words);
    if (out) {
        const svg_chart chart = plot_chart(easel, out, &words, NULL, 0);
        svg_maps_draw(&chart, &maps);
        easel->end(easel->data, words.words);
    }
    free(maps.levels);
    return out ? 0 : -1;
}

static int draw_weights(const study_easel *easel, const json_t *results)
{
    const char *model;
    json_t *weights;
    int failed = 0;
    json_object_foreach (json_object_get(results, "weights"), model, weights) {
        if (!failed && json_array_size(matrix_of(weights, 0, 0)) > 4)
            failed = draw_maps(easel, model, weights, 4, "weights-4x4", "the top left 4 x 4 of");
        if (!failed) failed = draw_maps(easel, model, weights, STUDY_MOST_CELLS, "weights", "all of");
        for (size_t i = 0; i < CLI_COUNT(node_curves) && !failed; i++)
            failed = draw_node_curves(easel, results, model, weights, &node_curves[i]);
    }
    return failed;
}

/* A study of cost or of single nodes is not about scores; its tables have them. */
int study_charts(const json_t *results, const study_easel *easel)
{
    if (json_object_get(results, "slopes")) return draw_growth(easel, results);
    if (json_object_get(results, "weights")) return draw_weights(easel, results);
    const int failed = draw_scores(easel, results);
    return failed ? failed : draw_convergence(easel, results);
}
