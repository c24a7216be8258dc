/* Results: means and deviations over the seeds, in one piece of memory, and their JSON. */
#include "base/memory.h"
#include "evaluate/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Made from what a protocol filled ---- */

/* Of one of those evaluated: all that its row of the result points to. */
typedef struct row {
    scadyg_evaluated shown;
    double mean[SG_SCORES], spread[SG_SCORES], error[SG_SCORES], difference_error[SG_SCORES];
} row;

static void summarise_seeds(const sg_scores *scores, size_t seeds, row *summary)
{
    for (size_t i = 0; i < SG_SCORES; i++) {
        double sum = 0, square = 0;
        for (size_t s = 0; s < seeds; s++) sum += scores[s].of[i];
        const double mean = sum / (double)seeds;
        for (size_t s = 0; s < seeds; s++) {
            const double difference = scores[s].of[i] - mean;
            square += difference * difference;
        }
        summary->mean[i] = mean;
        summary->spread[i] = seeds > 1 ? sqrt(square / (double)(seeds - 1)) : mean - mean; /* NaN stays NaN */
    }
}

/* The best baseline by a score; 0: there is none. */
static size_t find_best(const scadyg_result *result, size_t number)
{
    const int better = scadyg_score_at(number)->better;
    size_t best = 0;
    for (size_t i = 1; i < result->count; i++) {
        const double mean = result->evaluated[i]->mean[number];
        if (isfinite(mean) && (!best || better * (mean - result->evaluated[best]->mean[number]) > 0)) best = i;
    }
    return best;
}

static void compare_best(scadyg_result *result, const sg_evaluation_scores *scores)
{
    const int number = result->main_score;
    const size_t best = find_best(result, (size_t)number);
    if (!best) return;
    result->best_baseline = best;
    result->difference = result->evaluated[0]->mean[number] - result->evaluated[best]->mean[number];
    if (scores->errors) result->difference_error = scores->errors[best];
}

/* One allocation: the result, its rows, the pointers to them, the names. */
int sg_result_make(const sg_eval_options *options, const sg_evaluation_scores *scores, const char *const *names,
                   size_t count, scadyg_result **result, scadyg_error *error)
{
    static const char *const parts[] = {"test", "validation"}, *const reveals[] = {"event", "batch"},
                             *const answers[] = {"one", "pool"};
    const sg_protocol *protocol = &sg_protocols[options->protocol];
    const size_t seeds = (size_t)options->seeds;
    size_t size = sizeof(scadyg_result) + count * (sizeof(scadyg_evaluated *) + sizeof(row));
    for (size_t i = 0; i < count; i++) size += strlen(names[i]) + 1;
    scadyg_result *made = sg_alloc_zero(1, size);
    if (!made) return sg_fail_memory(error, "the result");
    row *rows = (row *)(made + 1);
    const scadyg_evaluated **evaluated = (const scadyg_evaluated **)(rows + count);
    char *text = (char *)(evaluated + count);
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(names[i]) + 1;
        rows[i].shown = (scadyg_evaluated){.name = memcpy(text, names[i], length),
                                           .mean = rows[i].mean,
                                           .spread = rows[i].spread,
                                           .seconds = scores->seconds ? scores->seconds[i] : NAN};
        rows[i].shown.error = rows[i].error;
        rows[i].shown.difference_error = rows[i].difference_error;
        for (size_t k = 0; k < SG_SCORES; k++) {
            rows[i].error[k] = scores->own_errors ? scores->own_errors[i * SG_SCORES + k] : NAN;
            rows[i].difference_error[k] = scores->score_errors ? scores->score_errors[i * SG_SCORES + k] : NAN;
        }
        summarise_seeds(scores->scores + i * seeds, seeds, &rows[i]);
        evaluated[i] = &rows[i].shown;
        text += length;
    }
    *made = (scadyg_result){.protocol = protocol->name,
                            .pool = scores->pool,
                            .part = parts[options->part],
                            .reveal = reveals[options->reveal],
                            .answer = answers[options->answer],
                            .main_score = protocol->main_score,
                            .seeds = options->seeds,
                            .first_seed = options->seed,
                            .negatives = scores->negatives,
                            .queries = scores->queries,
                            .one_in = scores->one_in ? scores->one_in : 1,
                            .sources_one_in = scores->sources_one_in ? scores->sources_one_in : 1,
                            .unranked = scores->unranked,
                            .left_out = scores->left_out,
                            .parts = {scores->parts[0], scores->parts[1], scores->parts[2]},
                            .count = count,
                            .difference = NAN,
                            .difference_error = NAN,
                            .clusters = scores->clusters,
                            .cluster_of = protocol->cluster,
                            .evaluated = evaluated,
                            .of = scores->of};
    compare_best(made, scores);
    *result = made;
    return SCADYG_OK;
}
_Static_assert(sizeof(scadyg_result) % _Alignof(row) == 0 && sizeof(row) % _Alignof(scadyg_evaluated *) == 0,
               "what lies behind a result is aligned");

void scadyg_result_free(scadyg_result *result)
{
    free(result);
}

/* ---- JSON ---- */

/* Text that is written as far as there is room, and counted to its end. */
typedef struct text {
    char *buffer;
    size_t size, length;
    int first; /* the next member is the first of its object */
} text;

static void add_char(text *t, char c)
{
    if (t->length + 1 < t->size) t->buffer[t->length] = c;
    t->length++;
}

static void add_text(text *t, const char *words)
{
    while (*words) add_char(t, *words++);
}

static void add_string(text *t, const char *string)
{
    add_char(t, '"');
    for (const char *c = string; *c; c++) {
        char escape[8];
        if (*c == '"' || *c == '\\') add_char(t, '\\');
        if ((unsigned char)*c >= 0x20) {
            add_char(t, *c);
        } else {
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*c);
            add_text(t, escape);
        }
    }
    add_char(t, '"');
}

static void begin_object(text *t)
{
    add_char(t, '{');
    t->first = 1;
}

static void end_object(text *t)
{
    add_char(t, '}');
    t->first = 0;
}

static void add_key(text *t, const char *key)
{
    if (!t->first) add_text(t, ", ");
    t->first = 0;
    add_string(t, key);
    add_text(t, ": ");
}

/* 17 digits say which double it is. Whatever the locale has for a point, JSON has a point. */
static void add_real(text *t, const char *key, double value)
{
    char digits[40], *exponent;
    add_key(t, key);
    if (!isfinite(value)) {
        add_text(t, "null");
        return;
    }
    snprintf(digits, sizeof digits, "%.17g", value);
    const size_t whole = strspn(digits, "-0123456789");
    if ((exponent = strchr(digits, 'e'))) *exponent++ = 0;
    for (size_t i = 0; i < whole; i++) add_char(t, digits[i]);
    const char *fraction = digits + whole + strcspn(digits + whole, "0123456789");
    if (*fraction || !exponent) add_char(t, '.');
    add_text(t, *fraction ? fraction : exponent ? "" : "0");
    if (!exponent) return;
    add_char(t, 'e');
    if (*exponent++ == '-') add_char(t, '-');
    add_text(t, exponent + strspn(exponent, "0"));
}

static void add_whole(text *t, const char *key, int64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)value);
    add_key(t, key);
    add_text(t, digits);
}

static void add_word(text *t, const char *key, const char *word)
{
    add_key(t, key);
    add_string(t, word);
}

/* A number for one seed, mean and deviation for several; nothing where the protocol does not have the score. */
static void add_scores(text *t, const scadyg_evaluated *evaluated, int64_t seeds)
{
    const scadyg_score *score;
    for (size_t i = 0; (score = scadyg_score_at(i)); i++) {
        if (!isfinite(evaluated->mean[i])) continue;
        if (seeds <= 1) {
            add_real(t, score->key, evaluated->mean[i]);
            continue;
        }
        add_key(t, score->key);
        begin_object(t);
        add_real(t, "mean", evaluated->mean[i]);
        add_real(t, "std", evaluated->spread[i]);
        end_object(t);
    }
}

/* Standard errors of the scores that have one. */
static void add_errors(text *t, const scadyg_evaluated *evaluated)
{
    const scadyg_score *score;
    int some = 0;
    for (size_t i = 0; scadyg_score_at(i); i++) some |= isfinite(evaluated->error[i]);
    if (!some) return;
    add_key(t, "errors");
    begin_object(t);
    for (size_t i = 0; (score = scadyg_score_at(i)); i++)
        if (isfinite(evaluated->error[i])) add_real(t, score->key, evaluated->error[i]);
    end_object(t);
}

/* Of scores beside the main one: how far the model is from the best baseline by each. */
static void add_differences(text *t, const scadyg_result *result)
{
    const scadyg_score *score;
    int some = 0;
    for (size_t i = 0; (score = scadyg_score_at(i)); i++) {
        const size_t best = (int)i == result->main_score ? 0 : find_best(result, i);
        if (!best || !isfinite(result->evaluated[best]->difference_error[i])) continue;
        if (!some++) {
            add_key(t, "differences");
            begin_object(t);
        }
        add_key(t, score->key);
        begin_object(t);
        add_word(t, "best_baseline", result->evaluated[best]->name);
        add_real(t, "difference", result->evaluated[0]->mean[i] - result->evaluated[best]->mean[i]);
        add_real(t, "error", result->evaluated[best]->difference_error[i]);
        end_object(t);
    }
    if (some) end_object(t);
}

static void add_negatives(text *t, const scadyg_result *result)
{
    if (result->negatives) {
        add_whole(t, "negatives", result->negatives);
    } else if (strcmp(result->pool, "none") != 0) {
        add_word(t, "negatives", "all");
    } else { /* classes are ranked, not pairs */
        add_key(t, "negatives");
        add_text(t, "null");
    }
}

static void add_parts(text *t, const scadyg_result *result)
{
    static const char *const names[] = {"training", "validation", "test"};
    const char *what = strcmp(result->cluster_of, "node") == 0 ? "labels" : "events";
    if (!result->parts[0].events && !result->parts[1].events && !result->parts[2].events) return;
    add_key(t, "parts");
    begin_object(t);
    for (size_t i = 0; i < 3; i++) {
        add_key(t, names[i]);
        begin_object(t);
        add_whole(t, what, (int64_t)result->parts[i].events);
        add_real(t, "first_time", result->parts[i].first_time);
        add_real(t, "last_time", result->parts[i].last_time);
        end_object(t);
    }
    end_object(t);
}

size_t scadyg_result_json(const scadyg_result *result, char *buffer, size_t size)
{
    text t = {.buffer = buffer, .size = size};
    begin_object(&t);
    add_word(&t, "protocol", result->protocol);
    add_word(&t, "pool", result->pool);
    add_word(&t, "part", result->part);
    if (strcmp(result->reveal, "event") != 0) add_word(&t, "reveal", result->reveal); /* as it is unless said */
    if (strcmp(result->answer, "one") != 0) add_word(&t, "answer", result->answer);
    add_whole(&t, "seeds", result->seeds);
    add_whole(&t, "first_seed", result->first_seed);
    add_negatives(&t, result);
    add_whole(&t, "queries", (int64_t)result->queries);
    if (result->one_in > 1) add_whole(&t, "one_in", (int64_t)result->one_in);
    if (result->sources_one_in > 1) add_whole(&t, "sources_one_in", (int64_t)result->sources_one_in);
    if (result->of) add_whole(&t, "of", (int64_t)result->of);
    if (result->unranked) add_whole(&t, "unranked", (int64_t)result->unranked);
    if (result->left_out) add_whole(&t, "left_out", (int64_t)result->left_out);
    add_parts(&t, result);
    if (result->best_baseline) {
        add_word(&t, "main_score", scadyg_score_at((size_t)result->main_score)->key);
        add_word(&t, "best_baseline", result->evaluated[result->best_baseline]->name);
        add_real(&t, "difference", result->difference);
        add_real(&t, "difference_error", result->difference_error);
        add_whole(&t, "clusters", (int64_t)result->clusters);
        add_word(&t, "cluster_of", result->cluster_of);
        add_differences(&t, result);
    }
    if (result->count) {
        add_word(&t, "model", result->evaluated[0]->name);
        add_scores(&t, result->evaluated[0], result->seeds);
        add_errors(&t, result->evaluated[0]);
    }
    add_key(&t, "baselines");
    begin_object(&t);
    for (size_t i = 1; i < result->count; i++) {
        add_key(&t, result->evaluated[i]->name);
        begin_object(&t);
        add_scores(&t, result->evaluated[i], result->seeds);
        add_errors(&t, result->evaluated[i]);
        end_object(&t);
    }
    end_object(&t);
    end_object(&t);
    if (size) buffer[t.length < size ? t.length : size - 1] = 0;
    return t.length;
}
