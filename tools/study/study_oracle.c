/* Beside the models: how well the process that made a generated graph would rank, by what generate --oracle wrote. */
#include "study/study.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

/* It ranks an event among 100 random destinations, knowing all before it, and so must they. */
static int is_same_question(const study_evaluation *evaluation)
{
    return cli_option_is(evaluation->options, "protocol", "tgb-link") &&
           (cli_option_is(evaluation->options, "pool", "destination") ||
            cli_option_is(evaluation->options, "pool", "random")) &&
           cli_option_is(evaluation->options, "negatives", "100") &&
           cli_option_is(evaluation->options, "reveal", "event") &&
           cli_option_is(evaluation->options, "queries", "auto");
}

int study_check_oracle(const study *s)
{
    if (!s->arguments->oracle) return CLI_OK;
    for (size_t i = 0; i < s->evaluation_count; i++)
        if (is_same_question(&s->evaluations[i])) return CLI_OK;
    return cli_usage(s->call->command,
                     "--oracle goes with --protocols tgb-link:destination:negatives=100: it ranks "
                     "among 100 random destinations");
}

int study_read_oracle(study *s)
{
    const char *path = s->arguments->oracle;
    int code = CLI_OK;
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!path) return CLI_OK;
    if (!file) return cli_fail(s->call->command, "cannot read %s: %s", path, strerror(errno));
    s->oracle = malloc((s->log_events ? s->log_events : 1) * sizeof *s->oracle);
    if (!s->oracle) code = cli_fail(s->call->command, "not enough memory for %s", path);
    if (!code && report_oracle_read(file, path, s->log_events, s->oracle, s->call->error))
        code = cli_failed(s->call, NULL);
    fclose(file);
    return code;
}

/* The mean over the events of the test part, which are the last. */
static double mean_of_test(const study *s, const json_t *result)
{
    const json_t *test = json_object_get(json_object_get(result, "parts"), "test");
    const uint64_t events = scadyg_events_shape(s->events)->events;
    const uint64_t count = (uint64_t)json_integer_value(json_object_get(test, "events"));
    double sum = 0;
    for (uint64_t i = count < events ? events - count : 0; i < events; i++) sum += s->oracle[i];
    return sum / (double)count;
}

void study_add_oracle(const study *s, json_t *rows)
{
    json_t *cells = json_object();
    for (size_t i = 0; i < s->evaluation_count; i++) {
        const json_t *result = study_find_scores(s, s->evaluations[i].id);
        const double mean = result && is_same_question(&s->evaluations[i]) ? mean_of_test(s, result) : NAN;
        if (!isfinite(mean)) continue;
        json_t *values = json_pack("[f]", mean);
        json_object_set_new(cells, s->evaluations[i].id, json_pack("{s:o}", "mrr", study_summary(values)));
    }
    json_array_append_new(rows, json_pack("{s:s, s:s, s:b, s:b, s:o}", "series", "oracle", "label", "", "rule", 0,
                                          "oracle", 1, "cells", cells));
}
