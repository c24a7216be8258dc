/* Reading the results of a study. */
#include "study_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *study_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

double study_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

double study_cell(const json_t *row, const char *column, const char *score, const char *part)
{
    const json_t *cell = json_object_get(json_object_get(row, "cells"), column);
    return study_number(json_object_get(cell, score), part);
}

void study_row_name(const json_t *row, char *text, size_t size)
{
    const char *label = study_text(row, "label");
    snprintf(text, size, "%s%s%s", study_text(row, "series"), *label ? ", " : "", label);
}

const char *study_score_title(const char *key)
{
    static const char *const titles[][2] = {{"mrr", "MRR"},
                                            {"ap", "AP"},
                                            {"auc", "AUC"},
                                            {"ndcg@10", "NDCG@10"},
                                            {"prepare_seconds", "preparation, s"},
                                            {"train_seconds", "training epoch, s"},
                                            {"evaluation_seconds", "evaluation, s"},
                                            {"peak_memory_mib", "peak memory, MiB"},
                                            {"seconds_to_95", "s to 95 % of best"},
                                            {"seconds_to_best", "s to best"},
                                            {"seconds", "s until it stopped"},
                                            {"half_life", "half-life"},
                                            {"most", "ahead, logits"},
                                            {"drift", "drift of W_x"}};
    for (size_t i = 0; i < CLI_COUNT(titles); i++)
        if (strcmp(titles[i][0], key) == 0) return titles[i][1];
    return key;
}
