/* The files of a study, read as if an enemy had written them. */
#include "study/study_check.h"

#include <stdlib.h>
#include <string.h>

#include "cli/describe.h"

/* ---- Types and sizes ---- */

enum { NUMBER = 1, TEXT = 2, FLAG = 4, LIST = 8, OBJECT = 16, ANY = 31 };

typedef struct member {
    const char *key;
    int type;
    size_t most; /* of a list or an object */
} member;

typedef struct checker {
    const char *name; /* of the file */
    scadyg_error *error;
} checker;

static int type_of(const json_t *value)
{
    if (json_is_number(value)) return NUMBER;
    if (json_is_string(value)) return TEXT;
    if (json_is_boolean(value)) return FLAG;
    return json_is_array(value) ? LIST : OBJECT;
}

static const char *type_name(int type)
{
    return type == NUMBER ? "a number"
           : type == TEXT ? "a text"
           : type == FLAG ? "true or false"
           : type == LIST ? "a list"
                          : "an object";
}

static size_t size_of(const json_t *value)
{
    return json_is_array(value) ? json_array_size(value) : json_object_size(value);
}

/* What is null or missing is not there, which is fine. */
static int check_value(const checker *c, const char *what, const json_t *value, int type, size_t most)
{
    if (!value || json_is_null(value)) return SCADYG_OK;
    if (!(type & type_of(value)))
        return sg_fail(c->error, SCADYG_E_INPUT, "%.400s: '%.80s' is not %s", c->name, what, type_name(type));
    if (size_of(value) > most)
        return sg_fail(c->error, SCADYG_E_INPUT, "%.400s: '%.80s' has %zu entries, more than the %zu a study has",
                       c->name, what, size_of(value), most);
    return SCADYG_OK;
}

static int check_members(const checker *c, const json_t *object, const member *members, size_t count)
{
    int status = SCADYG_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = check_value(c, members[i].key, json_object_get(object, members[i].key), members[i].type,
                             members[i].most);
    return status;
}

#define CHECK_MEMBERS(c, object, ...)                                                                              \
    check_members(c, object, (const member[]){__VA_ARGS__}, CLI_COUNT(((const member[]){__VA_ARGS__})))

/* All entries of a list, or all values of an object, which have to be there. */
static int check_all(const checker *c, const char *what, const json_t *parts, int type, size_t most,
                     int (*check)(const checker *c, const json_t *part))
{
    const char *key;
    json_t *part;
    size_t i;
    int status = SCADYG_OK;
    json_array_foreach (parts, i, part) {
        if (!status) status = check_value(c, cli_text("%s[%zu]", what, i), part, type, most);
        if (!status && check) status = check(c, part);
    }
    json_object_foreach ((json_t *)(uintptr_t)parts, key, part) {
        if (!status) status = check_value(c, cli_text("%s.%.60s", what, key), part, type, most);
        if (!status && check) status = check(c, part);
    }
    return status;
}

static int check_some(const checker *c, const json_t *object, const char *key, int type, size_t most,
                      int (*check)(const checker *c, const json_t *part))
{
    return check_all(c, key, json_object_get(object, key), type, most, check);
}

/* ---- What single nodes have ---- */

static int check_point(const checker *c, const json_t *point)
{
    return check_all(c, "point", point, NUMBER, 0, NULL);
}

static int check_matrix(const checker *c, const json_t *matrix)
{
    const size_t side = json_array_size(matrix);
    const json_t *row;
    size_t y;
    int status = SCADYG_OK;
    json_array_foreach (matrix, y, row) {
        if (!status && (!json_is_array(row) || json_array_size(row) != side))
            status = sg_fail(c->error, SCADYG_E_INPUT, "%.400s: a matrix is not square", c->name);
        if (!status) status = check_all(c, "matrix", row, NUMBER, 0, NULL);
    }
    return status;
}

static int check_node(const checker *c, const json_t *node)
{
    static const char *const curves[] = {"drift", "decay", "memory"};
    int status = CHECK_MEMBERS(c, node, {"id", TEXT, 0}, {"matrices", LIST, STUDY_MOST_TIMES},
                               {"drift", LIST, SIZE_MAX}, {"decay", LIST, SIZE_MAX}, {"memory", LIST, SIZE_MAX},
                               {"half_life", NUMBER, 0}, {"most", NUMBER, 0}, {"drift_at_most", NUMBER, 0});
    if (!status) status = check_some(c, node, "matrices", LIST, STUDY_MOST_CELLS, check_matrix);
    for (size_t i = 0; i < CLI_COUNT(curves) && !status; i++)
        status = check_some(c, node, curves[i], LIST, 2, check_point);
    return status;
}

static int check_weights(const checker *c, const json_t *weights)
{
    int status = CHECK_MEMBERS(c, weights, {"width", NUMBER, 0}, {"times", LIST, STUDY_MOST_TIMES},
                               {"nodes", LIST, STUDY_MOST_NODES});
    if (!status) status = check_some(c, weights, "times", TEXT, 0, NULL);
    if (!status) status = check_some(c, weights, "nodes", OBJECT, SIZE_MAX, check_node);
    return status;
}

/* ---- Results ---- */

static int check_column(const checker *c, const json_t *column)
{
    return CHECK_MEMBERS(c, column, {"id", TEXT, 0}, {"title", TEXT, 0}, {"main", TEXT, 0}, {"protocol", TEXT, 0},
                         {"pool", TEXT, 0});
}

static int check_score(const checker *c, const json_t *score)
{
    return CHECK_MEMBERS(c, score, {"mean", NUMBER, 0}, {"std", NUMBER, 0}, {"values", LIST, STUDY_MOST_SEEDS},
                         {"best_baseline", TEXT, 0}, {"difference", NUMBER, 0}, {"difference_error", NUMBER, 0});
}

static int check_cell(const checker *c, const json_t *cell)
{
    return check_all(c, "cell", cell, OBJECT | TEXT, STUDY_MOST_SCORES, check_score);
}

static int check_row(const checker *c, const json_t *row)
{
    int status = CHECK_MEMBERS(c, row, {"series", TEXT, 0}, {"label", TEXT, 0}, {"rule", FLAG, 0},
                               {"oracle", FLAG, 0}, {"x", NUMBER, 0}, {"cells", OBJECT, STUDY_MOST_COLUMNS},
                               {"failures", LIST, STUDY_MOST_SEEDS});
    return status ? status : check_some(c, row, "cells", OBJECT, STUDY_MOST_SCORES, check_cell);
}

static int check_curve(const checker *c, const json_t *curve)
{
    int status = CHECK_MEMBERS(c, curve, {"series", TEXT, 0}, {"points", LIST, SIZE_MAX});
    return status ? status : check_some(c, curve, "points", LIST, 2, check_point);
}

static int check_slopes(const checker *c, const json_t *slopes)
{
    return check_all(c, "slopes", slopes, NUMBER, 0, NULL);
}

static int check_config(const checker *c, const json_t *config)
{
    return check_all(c, "configs", config, NUMBER | TEXT | FLAG, 0, NULL);
}

/* Names that occur in all rows together, each of which becomes a table or a line of its own. */
static int count_names(const checker *c, const json_t *rows)
{
    json_t *models = json_object(), *columns = json_object(), *scores = json_object(), *row, *cell, *score;
    const char *column, *key;
    size_t i;
    int failed = !models || !columns || !scores;
    json_array_foreach (rows, i, row) {
        if (!json_is_true(json_object_get(row, "rule")))
            failed |= json_object_set_new(models, cli_json_text_of(row, "series"), json_true());
        json_object_foreach (json_object_get(row, "cells"), column, cell) {
            failed |= json_object_set_new(columns, column, json_true());
            json_object_foreach (cell, key, score) failed |= json_object_set_new(scores, key, json_true());
        }
    }
    int status = failed ? sg_fail_memory(c->error, c->name) : SCADYG_OK;
    if (!status) status = check_value(c, "series", models, OBJECT, STUDY_MOST_MODELS);
    if (!status) status = check_value(c, "cells", columns, OBJECT, STUDY_MOST_COLUMNS);
    if (!status) status = check_value(c, "scores", scores, OBJECT, STUDY_MOST_SCORES);
    json_decref(models);
    json_decref(columns);
    json_decref(scores);
    return status;
}

/* Of one study. */
static int check_study(const checker *c, const json_t *results)
{
    int status = CHECK_MEMBERS(c, results, {"study", TEXT, 0}, {"version", TEXT, 0}, {"data", OBJECT, SIZE_MAX},
                               {"seeds", LIST, STUDY_MOST_SEEDS}, {"columns", LIST, STUDY_MOST_EVALUATIONS},
                               {"rows", LIST, STUDY_MOST_ROWS}, {"configs", OBJECT, STUDY_MOST_ROWS},
                               {"curves", LIST, STUDY_MOST_MODELS * STUDY_MOST_SEEDS},
                               {"slopes", OBJECT, STUDY_MOST_MODELS}, {"weights", OBJECT, STUDY_MOST_MODELS},
                               {"time_unit", TEXT, 0}, {"time_unit_size", NUMBER, 0});
    if (!status)
        status = CHECK_MEMBERS(c, json_object_get(results, "data"), {"file", TEXT, 0}, {"checksum", TEXT, 0},
                               {"events", NUMBER, 0}, {"until", NUMBER, 0}, {"log_events", NUMBER, 0});
    if (!status) status = check_some(c, results, "seeds", NUMBER, 0, NULL);
    if (!status) status = check_some(c, results, "columns", OBJECT, SIZE_MAX, check_column);
    if (!status) status = check_some(c, results, "rows", OBJECT, SIZE_MAX, check_row);
    if (!status) status = count_names(c, json_object_get(results, "rows"));
    if (!status) status = check_some(c, results, "configs", OBJECT, SIZE_MAX, check_config);
    if (!status) status = check_some(c, results, "curves", OBJECT, SIZE_MAX, check_curve);
    if (!status) status = count_names(c, json_object_get(results, "curves"));
    if (!status) status = check_some(c, results, "slopes", OBJECT, STUDY_MOST_SCORES, check_slopes);
    if (!status) status = check_some(c, results, "weights", OBJECT, SIZE_MAX, check_weights);
    return status;
}

/* Of one of the studies of a list. */
static int check_set(const checker *c, const json_t *set)
{
    int status = CHECK_MEMBERS(c, set, {"name", TEXT, 0}, {"title", TEXT, 0}, {"results", OBJECT, SIZE_MAX});
    return status ? status : check_study(c, json_object_get(set, "results"));
}

static int check_results(const checker *c, const json_t *results)
{
    if (!*cli_json_text_of(results, "study"))
        return sg_fail(c->error, SCADYG_E_INPUT, "%.400s is not the results.json of a study", c->name);
    int status = check_study(c, results);
    if (!status) status = CHECK_MEMBERS(c, results, {"datasets", LIST, STUDY_MOST_SETS});
    return status ? status : check_some(c, results, "datasets", OBJECT, SIZE_MAX, check_set);
}

/* ---- The record of a run ---- */

static int check_epoch(const checker *c, const json_t *epoch)
{
    return CHECK_MEMBERS(c, epoch, {"seconds", NUMBER, 0}, {"evaluation_seconds", NUMBER, 0},
                         {"validation", NUMBER, 0}, {"loss", NUMBER, 0});
}

static int check_evaluation(const checker *c, const json_t *result)
{
    int status = CHECK_MEMBERS(c, result, {"evaluation", TEXT, 0}, {"main", TEXT, 0}, {"protocol", TEXT, 0},
                               {"pool", TEXT, 0}, {"part", TEXT, 0}, {"queries", NUMBER, 0},
                               {"negatives", NUMBER | TEXT, 0}, {"baselines", OBJECT, STUDY_MOST_SCORES},
                               {"best_baseline", TEXT, 0}, {"difference_error", NUMBER, 0});
    return status ? status : check_some(c, result, "baselines", OBJECT, SIZE_MAX, NULL);
}

static int check_record(const checker *c, const json_t *record)
{
    int status =
        CHECK_MEMBERS(c, record, {"run", TEXT, 0}, {"validation", NUMBER, 0}, {"score", TEXT, 0},
                      {"answers_as", TEXT, 0}, {"failure", TEXT, 0}, {"parameters", NUMBER, 0},
                      {"prepare_seconds", NUMBER, 0}, {"peak_memory_bytes", NUMBER, 0}, {"epochs", LIST, SIZE_MAX},
                      {"results", LIST, STUDY_MOST_EVALUATIONS}, {"weights", OBJECT, SIZE_MAX});
    if (!status) status = check_some(c, record, "epochs", OBJECT, SIZE_MAX, check_epoch);
    if (!status) status = check_some(c, record, "results", OBJECT, SIZE_MAX, check_evaluation);
    return status ? status : check_weights(c, json_object_get(record, "weights"));
}

/* ---- The settings: all of them are compared with those of the study that is asked for ---- */

static int check_settings(const checker *c, const json_t *settings)
{
    int status = CHECK_MEMBERS(c, settings, {"variants", OBJECT, STUDY_MOST_ROWS});
    return status ? status : check_some(c, settings, "variants", OBJECT, SIZE_MAX, NULL);
}

/* ---- From bytes, and from a file ---- */

static int parse_and_check(const char *name, const char *data, size_t size,
                           int (*check)(const checker *c, const json_t *value), json_t **value, scadyg_error *error)
{
    const checker c = {.name = name, .error = error};
    json_error_t where;
    *value = json_loadb(data, size, JSON_REJECT_DUPLICATES, &where);
    if (!*value)
        return sg_fail(error, SCADYG_E_INPUT, "%.400s:%d:%d: %s", name, where.line, where.column, where.text);
    int status = json_is_object(*value) ? check(&c, *value)
                                        : sg_fail(error, SCADYG_E_INPUT, "%.400s is not of a study", name);
    if (!status) return SCADYG_OK;
    json_decref(*value);
    *value = NULL;
    return status;
}

int study_results_parse(const char *name, const char *data, size_t size, json_t **results, scadyg_error *error)
{
    return parse_and_check(name, data, size, check_results, results, error);
}

int study_record_parse(const char *name, const char *data, size_t size, json_t **record, scadyg_error *error)
{
    return parse_and_check(name, data, size, check_record, record, error);
}

int study_settings_parse(const char *name, const char *data, size_t size, json_t **settings, scadyg_error *error)
{
    return parse_and_check(name, data, size, check_settings, settings, error);
}

int study_read(const sg_folder *folder, const char *name, study_parse *parse, json_t **value, scadyg_error *error)
{
    char *data = NULL, *path = sg_folder_path(folder, name);
    size_t size = 0;
    *value = NULL;
    int status = path ? sg_folder_read(folder, name, STUDY_MOST_BYTES, &data, &size, error)
                      : sg_fail_memory(error, "a file name");
    if (!status && data) status = parse(path, data, size, value, error);
    free(data);
    free(path);
    return status;
}
