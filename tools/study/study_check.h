/*
 * The files of a study, read as if an enemy had written them: what passes here has the types and the sizes that a study
 * writes, so that everything that is made of it takes time in proportion to its size. What is not there stays out.
 */
#ifndef CLI_STUDY_CHECK_H
#define CLI_STUDY_CHECK_H

#include <jansson.h>

#include "base/folder.h"

enum {
    STUDY_MOST_BYTES = 128 << 20, /* of a file; the matrices of eight nodes at eight times have some tens of MB */
    STUDY_MOST_EVALUATIONS = 16,
    STUDY_MOST_MODELS = 16,
    STUDY_MOST_SEEDS = 1000,
    STUDY_MOST_NODES = 8, /* to look at, and when */
    STUDY_MOST_TIMES = 8,
    STUDY_MOST_ROWS = 2048, /* models in all their variants */
    STUDY_MOST_COLUMNS = 32,
    STUDY_MOST_SCORES = 32,
    STUDY_MOST_CELLS = 512, /* on a side of a matrix */
    STUDY_MOST_SETS = 1024  /* of a list of studies */
};

/* From bytes; `name` is what errors call them. Give them to json_decref. */
int study_results_parse(const char *name, const char *data, size_t size, json_t **results, scadyg_error *error);
int study_record_parse(const char *name, const char *data, size_t size, json_t **record, scadyg_error *error);
int study_settings_parse(const char *name, const char *data, size_t size, json_t **settings, scadyg_error *error);

/* One of these from a file in a folder; *value is NULL if it is not there. */
typedef int study_parse(const char *name, const char *data, size_t size, json_t **value, scadyg_error *error);
int study_read(const sg_folder *folder, const char *name, study_parse *parse, json_t **value, scadyg_error *error);

#endif
