/* What a run costs, and how its score rises: seconds, memory, parameters. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Of one run ---- */

static double number(const json_t *record, const study_cost *cost)
{
    return cli_json_number_of(record, cost->member) / cost->by;
}

static double mean_of_epochs(const json_t *record, const study_cost *cost)
{
    const json_t *epochs = json_object_get(record, "epochs");
    const size_t count = json_array_size(epochs);
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += cli_json_number_of(json_array_get(epochs, i), cost->member);
    return count ? sum / (double)count : NAN;
}

/* Seconds from the beginning to the end of an epoch, from 1. */
static double seconds_until(const json_t *record, size_t epoch)
{
    const json_t *epochs = json_object_get(record, "epochs");
    double sum = cli_json_number_of(record, "prepare_seconds");
    if (!isfinite(sum)) sum = 0;
    for (size_t i = 0; i < epoch && i < json_array_size(epochs); i++)
        sum += cli_json_number_of(json_array_get(epochs, i), "seconds") +
               cli_json_number_of(json_array_get(epochs, i), "evaluation_seconds");
    return sum;
}

static double epoch_count(const json_t *record, const study_cost *cost)
{
    (void)cost;
    return json_object_get(record, "epochs") ? (double)json_array_size(json_object_get(record, "epochs")) : NAN;
}

static double all_seconds(const json_t *record, const study_cost *cost)
{
    (void)cost;
    return json_object_get(record, "epochs") ? seconds_until(record, SIZE_MAX) : NAN;
}

/* Until an epoch's validation score is a share of what the best one has. */
static double seconds_to_share(const json_t *record, const study_cost *cost)
{
    const json_t *epochs = json_object_get(record, "epochs");
    const double goal = cost->by * cli_json_number_of(record, "validation");
    for (size_t i = 0; i < json_array_size(epochs); i++)
        if (cli_json_number_of(json_array_get(epochs, i), "validation") >= goal)
            return seconds_until(record, i + 1);
    return NAN;
}

const study_cost study_efficiency_costs[] = {{"prepare_seconds", number, "prepare_seconds", 1},
                                             {"train_seconds", mean_of_epochs, "seconds", 1},
                                             {"evaluation_seconds", mean_of_epochs, "evaluation_seconds", 1},
                                             {"peak_memory_mib", number, "peak_memory_bytes", 1024 * 1024},
                                             {"parameters", number, "parameters", 1},
                                             {.key = NULL}};

const study_cost study_convergence_costs[] = {{.key = "epochs", .of = epoch_count},
                                              {.key = "seconds_to_95", .of = seconds_to_share, .by = 0.95},
                                              {.key = "seconds_to_best", .of = seconds_to_share, .by = 1},
                                              {.key = "seconds", .of = all_seconds},
                                              {.key = NULL}};

/* ---- Of all runs ---- */

static json_t *values_of(const json_t *runs, const study_cost *cost)
{
    json_t *values = json_array();
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const double value = cost->of(json_array_get(runs, i), cost);
        if (isfinite(value)) json_array_append_new(values, json_real(value));
    }
    return values;
}

static void add_costs(const study *s, json_t *results)
{
    for (size_t v = 0; v < s->variant_count; v++) {
        json_t *cell = json_object();
        for (const study_cost *cost = s->kind->costs; cost->key; cost++) {
            json_t *values = values_of(json_array_get(s->runs, v), cost);
            if (json_array_size(values))
                json_object_set_new(cell, cost->key, study_summary(values));
            else
                json_decref(values);
        }
        json_object_set_new(
            json_object_get(
                study_row(json_object_get(results, "rows"), s->variants[v].series, s->variants[v].label), "cells"),
            "cost", cell);
    }
}

/* The slope of a straight line through log y over log x, by least squares. NAN for fewer than two points. */
static double slope_of(const json_t *results, const char *series, const char *key)
{
    double n = 0, x_sum = 0, y_sum = 0, xx = 0, xy = 0;
    json_t *row;
    for (size_t i = 0; (row = json_array_get(json_object_get(results, "rows"), i)); i++) {
        const double x = cli_json_number_of(row, "x"), y = study_cell(row, "cost", key, "mean");
        if (strcmp(cli_json_text_of(row, "series"), series) != 0 || !(x > 0) || !(y > 0)) continue;
        n++;
        x_sum += log(x);
        y_sum += log(y);
        xx += log(x) * log(x);
        xy += log(x) * log(y);
    }
    const double spread = n * xx - x_sum * x_sum;
    return n >= 2 && spread > 0 ? (n * xy - x_sum * y_sum) / spread : NAN;
}

static void add_slopes(const study *s, json_t *results)
{
    json_t *slopes = json_object();
    for (size_t p = 0; p < s->model_count; p++) {
        json_t *of_series = json_object();
        for (const study_cost *cost = s->kind->costs; cost->key; cost++) {
            const double slope = slope_of(results, s->models[p], cost->key);
            json_object_set_new(of_series, cost->key, cli_json_number(slope));
        }
        json_object_set_new(slopes, s->models[p], of_series);
    }
    json_object_set_new(results, "slopes", slopes);
}

/* [seconds, validation score] after every epoch, for every run. */
static void add_curves(const study *s, json_t *results)
{
    json_t *curves = json_array();
    for (size_t v = 0; v < s->variant_count; v++)
        for (size_t i = 0; i < json_array_size(json_array_get(s->runs, v)); i++) {
            const json_t *record = json_array_get(json_array_get(s->runs, v), i);
            json_t *points = json_array();
            for (size_t e = 0; e < json_array_size(json_object_get(record, "epochs")); e++) {
                const json_t *epoch = json_array_get(json_object_get(record, "epochs"), e);
                const double score = cli_json_number_of(epoch, "validation");
                if (isfinite(score))
                    json_array_append_new(points, json_pack("[f, f]", seconds_until(record, e + 1), score));
            }
            json_array_append_new(curves, json_pack("{s:s, s:O*, s:O*, s:o}", "series", s->variants[v].series,
                                                    "seed", json_object_get(record, "seed"), "score",
                                                    json_object_get(record, "score"), "points", points));
        }
    json_object_set_new(results, "curves", curves);
}

void study_add_costs(const study *s, json_t *results)
{
    add_costs(s, results);
    if (s->kind->apart)
        add_slopes(s, results);
    else
        add_curves(s, results);
}
