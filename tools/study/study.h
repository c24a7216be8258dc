/*
 * What the files of study share.
 *
 * A study is a list of variants (sets of training options), each trained with several seeds. A training and its results
 * are one run, kept in a file of its own (FOLDER/runs/NAME.json) as soon as it is there, so that a study which was
 * killed goes on where it was. Everything that is shown is made from these files.
 */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "cli/output.h"
#include "cli/train.h"
#include "study/study_check.h"
#include "study/study_read.h"

typedef struct study_arguments {
    cli_common common;
    const char *output; /* the folder */
    const char *models;
    const char *protocols;
    const char *values;
    const char *data;   /* run: where the files of the list are */
    const char *oracle; /* what generate --oracle wrote; or NULL */
    int64_t seeds;
    double until;            /* only this share of the events, from the first on */
    cli_list node, at;       /* weights: whose, and when */
    int role;                /* a scadyg_role */
    const char *only;        /* hidden: the one run that a process of its own makes */
    const sg_folder *within; /* no option: the folder of study run, in which that of this study is */
} study_arguments;

/* How a trained model is evaluated. */
typedef struct study_evaluation {
    char id[CLI_TEXT];    /* as it was typed: "dyglib:historical:answer=pool" */
    char place[CLI_TEXT]; /* the protocol and, where it was given, the pool: "dyglib:historical" */
    char words[CLI_TEXT]; /* what else sets it apart, for people: "answer per pool"; or "" */
    scadyg_options *options;
    int live; /* it is of models that see everything before a time, and so has to be trained for */
} study_evaluation;

typedef struct study_variant {
    char name[128];        /* of its files, without seed: "scadyg-paper-window-5" */
    const char *series;    /* the model it comes from, KIND or KIND:PRESET; borrowed from the study */
    char label[CLI_TEXT];  /* what sets it apart within its series: "without time"; "" if nothing does */
    double x;              /* the varied value as a number; NAN if it is none */
    int live;              /* trained to see everything before a time, not whole steps */
    int rules;             /* the baselines are evaluated beside its first seed */
    double share;          /* of the events that is used, from the first on; 1: all */
    scadyg_options *train; /* its own */
} study_variant;

typedef struct study study;

/* A number of a run that is no score. */
typedef struct study_cost {
    const char *key; /* in files; study_score_title says it in words */
    double (*of)(const json_t *record, const struct study_cost *cost);
    const char *member; /* of the record, or of its epochs, if it is one */
    double by;          /* what it is divided by; of a time until then: the share of the best score */
} study_cost;

typedef struct study_kind {
    const char *name, *summary;
    const char *models; /* without --models */
    const char *varied; /* the option of train whose values are compared; NULL: none */
    int paper;          /* an experiment of the paper, which is about its steps or its model */
    int rules;          /* the baselines belong into its tables */
    int apart;          /* each run in a process of its own, whose memory is its own */
    int parts;          /* values that are evaluated by what is missing then: chosen is not the word for the best */
    int (*expand)(study *s, const study_variant *base); /* adds the variants of one model */
    const study_cost *costs;                            /* ends with a NULL key; or NULL */
    /* Takes more from a trained model into its record than scores. A status of the library. */
    int (*look)(const study *s, const scadyg_model *model, scadyg_events *events, json_t *record,
                scadyg_error *error);
} study_kind;

struct study {
    const cli_call *call;
    const study_arguments *arguments;
    const study_kind *kind;
    const char *folder, *path;
    scadyg_events *events;
    double *oracle;      /* [log_events] 1 / rank, or NULL */
    uint64_t log_events; /* so many has the log, of which --until may take fewer */
    char *words;         /* the lists, cut into texts */
    const char *models[STUDY_MOST_MODELS];
    size_t model_count;
    int64_t first_seed;
    const char **values; /* of --values; NULL: the kind's own */
    size_t value_count;
    study_evaluation evaluations[STUDY_MOST_EVALUATIONS];
    size_t evaluation_count;
    study_variant *variants;
    size_t variant_count, variant_room;
    sg_folder home, run_files, chart_files; /* FOLDER, FOLDER/runs, FOLDER/charts */
    int lock;                               /* keeps other processes out of the folder; -1: none */
    json_t *runs;                           /* an array for each variant, with a record for each seed */
};

/* ---- study_kinds.c ---- */

extern const study_kind study_kinds[];
extern const size_t study_kind_count;

const char *study_kind_name(const cli_tables *tables, size_t i, const char **summary);

/* ---- study_plan.c: what is to be run. All return an exit code, after having said what is wrong. ---- */

int study_plan(study *s);
void study_plan_free(study *s);

/* For study_kinds.c: a copy of the base with an option set to a text (NULL: as it is). *added may be NULL. */
int study_add(study *s, const study_variant *base, const char *option, const char *value, study_variant **added);

/* Cuts a text at its commas, in place. Returns how many words there are, at most `most`; empty ones are left out. */
size_t study_cut(char *text, const char **words, size_t most);

/* ---- study_folder.c. All that are int return an exit code, after having said what is wrong. ---- */

/* Makes the folder, or checks that it is one of the same study. With --until the events become the first part of them. */
int study_folder(study *s);
void study_folder_close(study *s);

/* Whether the settings of study.json are those of this study; if not, where they differ. */
int study_settings_compare(const char *folder, const json_t *there, const json_t *here, scadyg_error *error);

/* For what is there already: the process that made it may have been killed before the disk had its name. An exit code. */
int study_found(const cli_call *call, const char *path);

/* Keeps other processes out of a folder until *lock is closed; -1 in it is none. */
int study_lock(const cli_call *call, const sg_folder *folder, int *lock);

/* The path of a file in a folder of the study, to be given to what reads or writes by path: there is a regular file of
 * that name or none. Newly allocated; NULL if it cannot be had, which has been said. */
char *study_file(const cli_call *call, const sg_folder *folder, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* For variants that take a share of the events. */
void study_set_sizes(study *s); /* x of variants becomes the number of their events */
int study_events_open(const study *s, const study_variant *variant, scadyg_events **events);
void study_events_close(const study *s, scadyg_events *events);
void study_remove_parts(const study *s);

/* ---- study_run.c ---- */

/* Makes all runs that are not there yet, and reads those that are. */
int study_run_all(study *s);

/* With --only: makes that run and nothing else. */
int study_run_only(study *s);

/* After a signal: says so once, and is the exit code. */
int study_stopped(const study *s);

/* ---- subprocess.c: a run in a process of its own, which puts its record into the folder ---- */

int study_run_apart(const study *s, const char *name);

/* ---- study_result.c ---- */

/* Means and deviations over the seeds, as results.json has them. NULL without memory. */
json_t *study_results(const study *s);

/* {"mean", "std", "values"} of an array of numbers, which is taken over; numbers that are none are left out. */
json_t *study_summary(json_t *values);

/* The scores of an evaluation in the first run that has it; NULL: none has. */
const json_t *study_find_scores(const study *s, const char *evaluation);

/* The row of a variant; NULL: there is none. */
json_t *study_row(const json_t *rows, const char *series, const char *label);

/* A line for each cell: what sets the row apart first, as the caller writes it. */
void study_csv_cells(cli_csv *csv, const json_t *rows, void (*put_row)(cli_csv *csv, const json_t *row, void *data),
                     void *data);

/* ---- study_cost.c ---- */

extern const study_cost study_efficiency_costs[], study_convergence_costs[];

void study_add_costs(const study *s, json_t *results);

/* ---- study_weights.c ---- */

int study_look_at_weights(const study *s, const scadyg_model *model, scadyg_events *events, json_t *record,
                          scadyg_error *error);

/* study_memory.c: adds [age, how far ahead of strangers] to an array. */
int study_ask_memory(scadyg_predictor *predictor, scadyg_events *events, uint32_t node, json_t *memory,
                     scadyg_error *error);

void study_add_weights(const study *s, json_t *results);

/* ---- study_oracle.c ---- */

/* With --oracle: checks that one of the protocols asks the same as it does, reads it before the work begins, and adds a row
 * of what it reaches. */
int study_check_oracle(const study *s);
int study_read_oracle(study *s);
void study_add_oracle(const study *s, json_t *rows);

/* ---- study_list.c ---- */

/* A line of a list of studies. */
typedef struct study_entry {
    uint64_t line;
    char *name, *title;
    char *file;  /* in the folder of the data, with options of import; or "generate" with options */
    char *when;  /* "always", or "named": only if --values names it */
    char *words; /* kind of study and its options */
} study_entry;

typedef struct study_list {
    char *text; /* what the entries point into */
    study_entry *entries;
    size_t count, room;
} study_list;

/* `name` is what errors call it ("published.tsv:3: ..."). */
int study_list_parse(const char *name, const char *data, size_t size, study_list *list, scadyg_error *error);
void study_list_free(study_list *list);

/* study run: a list of studies, from a file. Returns an exit code. */
int study_run_list(const cli_call *call);

/* ---- study_table.c ---- */

void study_print(const study *s, const json_t *results);
int study_csv(const study *s, const json_t *results);

#endif
