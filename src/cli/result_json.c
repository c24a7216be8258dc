/* The result of an evaluation as JSON. */
#include "result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out_file.h"
#include "shape.h"

/* A number for one seed, mean and deviation for several; null where the protocol does not define the score. */
static json_t *score_json(double mean, double spread, int64_t seeds)
{
    if (!isfinite(mean)) return json_null();
    if (seeds <= 1) return json_real(mean);
    json_t *pair = json_object();
    int failed = json_object_set_new(pair, "mean", json_real(mean));
    failed |= json_object_set_new(pair, "std", isfinite(spread) ? json_real(spread) : json_null());
    if (!failed) return pair;
    json_decref(pair);
    return NULL;
}

static int set_scores(json_t *object, const scadyg_judged *judged, int64_t seeds)
{
    const scadyg_scores *m = &judged->mean, *s = &judged->spread;
    const struct {
        const char *name;
        double mean, spread;
    } scores[] = {{"mrr", m->mrr, s->mrr},           {"hits@1", m->hits1, s->hits1}, {"hits@3", m->hits3, s->hits3},
                  {"hits@10", m->hits10, s->hits10}, {"ap", m->ap, s->ap},           {"auc", m->auc, s->auc},
                  {"ndcg@10", m->ndcg10, s->ndcg10}};
    int failed = 0;
    for (size_t i = 0; i < CLI_COUNT(scores); i++)
        failed |= json_object_set_new(object, scores[i].name, score_json(scores[i].mean, scores[i].spread, seeds));
    return failed;
}

json_t *cli_result_json(const scadyg_result *result)
{
    json_t *object = json_object(), *heuristics = json_object();
    int failed = !object || !heuristics;
    failed |= json_object_set_new(object, "protocol", json_string(result->protocol));
    failed |= json_object_set_new(object, "pool", result->pool ? json_string(result->pool) : json_null());
    failed |= json_object_set_new(object, "part", json_string(result->part));
    if (strcmp(result->reveal, "event") != 0) /* as it is unless said */
        failed |= json_object_set_new(object, "reveal", json_string(result->reveal));
    failed |= json_object_set_new(object, "seeds", json_integer(result->seeds));
    failed |= json_object_set_new(object, "first_seed", json_integer(result->first_seed));
    json_t *negatives = result->negatives ? json_integer(result->negatives) : json_string("all");
    if (strcmp(result->protocol, "tgb-node") == 0) { /* ranks classes, not pairs */
        json_decref(negatives);
        negatives = json_null();
    }
    failed |= json_object_set_new(object, "negatives", negatives);
    failed |= json_object_set_new(object, "queries", json_integer((json_int_t)result->queries));
    if (result->one_in > 1)
        failed |= json_object_set_new(object, "one_in", json_integer((json_int_t)result->one_in));
    failed |= json_object_set_new(object, "overlap", json_real(result->overlap));
    if (result->count > 0) {
        failed |= json_object_set_new(object, "model", json_string(result->judged[0].name));
        failed |= set_scores(object, &result->judged[0], result->seeds);
    }
    for (size_t i = 1; i < result->count && !failed; i++) {
        json_t *row = json_object();
        failed |= set_scores(row, &result->judged[i], result->seeds);
        failed |= json_object_set_new(heuristics, result->judged[i].name, row);
    }
    failed |= json_object_set_new(object, "heuristics", heuristics);
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

int cli_json_write(const char *path, const json_t *value, scadyg_error *error)
{
    char *text = value ? json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
    size_t length = text ? strlen(text) : 0;
    if (!text) {
        *error = (scadyg_error){.status = SCADYG_E_MEMORY, .message = "not enough memory for the JSON output"};
        return error->status;
    }
    text[length] = '\n'; /* in place of the terminator */
    int status = SCADYG_OK;
    if (strcmp(path, "-") == 0)
        fwrite(text, 1, length + 1, stdout); /* a failed write is told by cli_finish */
    else
        status = cli_file_write(path, text, length + 1, error);
    free(text);
    return status;
}
