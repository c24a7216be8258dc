/* Any bytes as the record of a run: they are refused, or become part of results that can be printed, drawn and read. */
#include "fuzz/fuzz.h"

#include "models/sample_model.h"
#include "report/report.h"
#include "study/study.h"
#include "study/study_charts.h"

#include <string.h>

enum { SEEDS = 2, VARIANTS = 2, EVALUATIONS = 3 };

static const study_evaluation *make_evaluations(void)
{
    static study_evaluation evaluations[EVALUATIONS] = {
        {.id = "paper:any", .place = "paper:any"},
        {.id = "dyglib", .place = "dyglib", .words = "one answer"},
        {.id = "tgb-link:destination:negatives=100", .place = "tgb-link:destination", .words = "100 negatives"}};
    static const char *const options[EVALUATIONS][3] = {
        {"paper", "any", "auto"}, {"dyglib", "auto", "auto"}, {"tgb-link", "destination", "100"}};
    for (size_t i = 0; i < EVALUATIONS && !evaluations[i].options; i++)
        PROMISE(cli_options_with(&evaluations[i].options, NULL, "evaluate", "protocol", options[i][0], "pool",
                                 options[i][1], "negatives", options[i][2], NULL) == SCADYG_OK);
    return evaluations;
}

/* A study of some kind whose runs all have this record. */
static study make_study(const study_kind *kind, const json_t *record)
{
    static const study_arguments arguments = {.seeds = SEEDS, .until = 0.5};
    static double *oracle;
    static study_variant variants[VARIANTS] = {
        {.name = "scadyg-whole", .series = "scadyg", .label = "whole", .x = 10, .rules = 1, .share = 1},
        {.name = "scadyg-part", .series = "scadyg", .label = "part", .x = 20, .share = 1}};
    static scadyg_events *events;
    if (!events) events = sample_events(&samples[0]);
    if (!oracle) PROMISE(oracle = calloc(scadyg_events_shape(events)->events, sizeof *oracle));
    for (size_t v = 0; v < VARIANTS && !variants[v].train; v++)
        PROMISE(scadyg_options_open_train("scadyg", "link", &variants[v].train, NULL) == SCADYG_OK);
    study s = {.arguments = &arguments,
               .kind = kind,
               .path = "fuzz.events",
               .events = events,
               .oracle = oracle,
               .log_events = scadyg_events_shape(events)->events,
               .models = {"scadyg"},
               .model_count = 1,
               .evaluation_count = EVALUATIONS,
               .variants = variants,
               .variant_count = VARIANTS,
               .runs = json_array()};
    memcpy(s.evaluations, make_evaluations(), EVALUATIONS * sizeof *s.evaluations);
    for (size_t v = 0; v < VARIANTS; v++) {
        json_t *runs = json_array();
        for (size_t i = 0; i < SEEDS; i++) PROMISE(json_array_append(runs, (json_t *)(uintptr_t)record) == 0);
        PROMISE(json_array_append_new(s.runs, runs) == 0);
    }
    return s;
}

/* What a study makes of records that were checked is what report takes. */
static void check_results(const json_t *results)
{
    scadyg_error error = {0};
    json_t *again = NULL;
    char *text = json_dumps(results, JSON_COMPACT), *drawn = NULL;
    size_t length = 0;
    PROMISE(text && study_results_parse("results", text, strlen(text), &again, &error) == SCADYG_OK);
    FILE *page = open_memstream(&drawn, &length);
    PROMISE(page && report_study_page(page, again) == 0 && fclose(page) == 0);
    fuzz_check_page(drawn);
    free(drawn);
    free(text);
    json_decref(again);
}

/* The first byte says of which kind the study is. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1 << 16) return 0;
    const study_kind *kind = &study_kinds[data[0] % study_kind_count];
    json_t *record = NULL;
    scadyg_error error = {0};
    int status = study_record_parse("fuzz", (const char *)data + 1, size - 1, &record, &error);
    PROMISE(status == SCADYG_OK || (status == SCADYG_E_INPUT && !record && strncmp(error.message, "fuzz", 4) == 0));
    if (status) return 0;
    fuzz_hush();
    study s = make_study(kind, record);
    json_t *results = study_results(&s);
    PROMISE(results);
    if (kind->costs) study_add_costs(&s, results);
    if (kind->look) study_add_weights(&s, results);
    study_print(&s, results);
    check_results(results);
    json_decref(results);
    json_decref(s.runs);
    json_decref(record);
    return 0;
}
