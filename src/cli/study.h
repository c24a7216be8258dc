/*
 * What the files of study share.
 *
 * A study is a list of variants (sets of training options), each trained with several seeds. A training and its results
 * are one run, kept in a file of its own (FOLDER/runs/NAME.json) as soon as it is there, so that a study which was
 * killed goes on where it was. Everything that is shown is made from these files.
 */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include <stdio.h>

#include "study_read.h"
#include "train.h"

typedef struct study_arguments {
    cli_common common;
    const char *output; /* the folder */
    const char *presets;
    const char *protocols;
    const char *values;
    const char *data; /* reproduce: where the public files are */
    int64_t seeds;
    cli_list node, at; /* weights: whose, and when */
    const char *only;  /* hidden: the one run that a process of its own makes */
    scadyg_train_options train;
} study_arguments;

/* How a trained model is judged. */
typedef struct study_judge {
    char id[CLI_TEXT]; /* "paper:any": the protocol and, where it was given, the pool */
    int protocol, pool;
    int by_time; /* the protocol cuts the parts by time, and so has to be trained for */
} study_judge;

typedef struct study_variant {
    char name[128];       /* of its files, without seed: "paper-window-5" */
    const char *series;   /* the preset it comes from; borrowed from the study */
    char label[CLI_TEXT]; /* what sets it apart within its series: "without time"; "" if nothing does */
    double x;             /* the varied value as a number; NAN if it is none */
    int rules;            /* the heuristics are judged beside its first seed */
    double share;         /* of the events that is used, from the first on; 1: all */
    scadyg_train_options train;
} study_variant;

typedef struct study study;

/* A number of a run that is no score. */
typedef struct study_cost {
    const char *key; /* in files; study_score_title says it in words */
    double (*of)(const json_t *record);
} study_cost;

typedef struct study_kind {
    const char *name, *summary;
    const char *presets;          /* without --presets */
    const char *affinity_presets; /* the same with --task affinity; NULL: no others */
    const char *varied;           /* the option of train whose values are compared; NULL: none */
    int rules;                    /* the heuristics belong into its tables */
    int apart;                    /* each run in a process of its own, whose memory is its own */
    int parts; /* values that are judged by what is missing then: chosen is not the word for the best */
    int (*expand)(study *s, const study_variant *base); /* adds the variants of one preset */
    const study_cost *costs;                            /* ends with a NULL key; or NULL */
    /* Takes more from a trained model into its record than scores. A status of the library. */
    int (*look)(const study *s, const scadyg_model *model, scadyg_events *events, json_t *record,
                scadyg_error *error);
} study_kind;

enum { STUDY_MOST_JUDGES = 16, STUDY_MOST_PRESETS = 16 };

struct study {
    const cli_call *call;
    const study_arguments *arguments;
    const study_kind *kind;
    const char *folder, *path;
    scadyg_events *events;
    char *words; /* the lists, cut into texts */
    const char *presets[STUDY_MOST_PRESETS];
    size_t preset_count;
    const char **values; /* of --values; NULL: the kind's own */
    size_t value_count;
    study_judge judges[STUDY_MOST_JUDGES];
    size_t judge_count;
    study_variant *variants;
    size_t variant_count;
    int lock;     /* keeps other processes out of the folder; -1: none */
    json_t *runs; /* an array for each variant, with a record for each seed */
};

/* ---- study_kinds.c ---- */

extern const study_kind study_kinds[];
extern const size_t study_kind_count;

const char *study_kind_name(size_t i, const char **summary);

/* ---- study_plan.c: what is to be run. All return an exit code, after having said what is wrong. ---- */

int study_plan(study *s);
void study_plan_free(study *s);

/* For study_kinds.c: a copy of the base with an option set to a text, which must live as long as the study. */
int study_add(study *s, const study_variant *base, const char *option, const char *value);

/* Whether a variant is one that the judge can judge. */
int study_judges(const study_judge *judge, const study_variant *variant);

/* ---- study_folder.c. All that are int return an exit code, after having said what is wrong. ---- */

/* Makes the folder, or checks that it is one of the same study. */
int study_folder(study *s);

int study_make_folder(const cli_call *call, const char *path);

/* Makes a folder and keeps other processes out of it until *lock is closed; -1 in it is none. */
int study_lock(const cli_call *call, const char *folder, int *lock);

/* FOLDER/NAME, newly allocated; NULL without memory, which has been said. */
char *study_path(const study *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- study_run.c ---- */

/* Makes all runs that are not there yet, and reads those that are. */
int study_run_all(study *s);

/* With --only: makes that run and nothing else. */
int study_run_only(study *s);

/* ---- study_apart.c: runs in processes of their own, on the first part of the events ---- */

void study_set_sizes(study *s); /* x of variants becomes the number of their events */
int study_events_open(const study *s, const study_variant *variant, scadyg_events **events);
void study_events_close(const study *s, scadyg_events *events);
void study_remove_parts(const study *s);
double study_peak_memory(void); /* bytes */

/* Makes a run in another process, which puts its record into the folder. */
int study_apart(const study *s, const char *name);

/* That process ends when the one that started it does. */
void study_follow_parent(void);

/* ---- study_result.c ---- */

/* Means and deviations over the seeds, as results.json has them. NULL without memory. */
json_t *study_results(const study *s);

/* {"mean", "std", "values"} of an array of numbers, which is taken over; numbers that are none are left out. */
json_t *study_summary(json_t *values);

/* The score a column is known by: "mrr" of paper and tgb-link, "ap" of dyglib, "ndcg@10" of tgb-node. */
const char *study_main_score(const char *column);

/* ---- study_cost.c ---- */

extern const study_cost study_efficiency_costs[], study_convergence_costs[];

void study_add_costs(const study *s, json_t *results);

/* ---- study_weights.c ---- */

int study_look_at_weights(const study *s, const scadyg_model *model, scadyg_events *events, json_t *record,
                          scadyg_error *error);

/* study_memory.c: adds [age, how far ahead of strangers] to an array. */
int study_ask_memory(const study *s, scadyg_predictor *predictor, scadyg_events *events, uint32_t node,
                     json_t *memory, scadyg_error *error);

void study_add_weights(const study *s, json_t *results);

/* ---- study_reproduce.c ---- */

/* The kind reproduce, which is a list of studies. Returns an exit code. */
int study_reproduce(const cli_call *call);

/* ---- study_table.c ---- */

void study_print(const study *s, const json_t *results);
int study_csv(const study *s, const json_t *results);

#endif
