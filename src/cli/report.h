/*
 * What the files of report share. The command opens a run and collects what single queries say; each section then writes
 * its part of the page from that.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <jansson.h>

#include "page.h"

/* Colours. */
enum { REPORT_MODEL = 0, REPORT_RULE = 1, REPORT_ORACLE = 2, REPORT_OTHER = 4 };

/* One query of the test part. */
typedef struct report_query {
    double time;                      /* of the first event to be found, or of the label */
    double at;                        /* asked about this time: the same for all of a step */
    size_t events;                    /* to be found */
    double score[SCADYG_JUDGED_MOST]; /* of all who were judged, the model first */
    double oracle;                    /* NaN: not known */
    uint64_t activity;                /* events the node had been the source of */
    double age;                       /* of its last contact with whom it met; NaN: they had never met */
    int newcomer;                     /* one of the two had never been seen */
} report_query;

typedef struct report_arguments {
    cli_common common;
    const char *output;
    const char *oracle;
} report_arguments;

typedef struct report {
    const cli_call *call;
    const char *model_path, *events_path;
    scadyg_model *model;
    const scadyg_model_info *info;
    scadyg_events *events;
    const scadyg_shape *shape;
    const uint32_t *src, *dst;
    const double *time;
    double *oracle; /* [events]: 1 / rank, or NULL */

    /* The test part, query by query. */
    scadyg_result result;
    int step_means; /* means are made in each step first, as the protocol paper does */
    const char *score;
    report_query *queries;
    size_t query_count, query_room;
    size_t best_rule;  /* its place among those judged; 0: there is none */
    char trouble[256]; /* why there are no queries; "" if there are */

    FILE *page;
} report;

/* ---- report_past.c: who has met whom, up to a point of the log ---- */

typedef struct report_past report_past;

report_past *report_past_open(const report *r); /* NULL without memory */
void report_past_close(report_past *past);
int report_past_follow(report_past *past, uint64_t seen); /* sees the first so many events; -1 without memory */

double report_past_met(const report_past *past, uint32_t src, uint32_t dst); /* the last time, NaN if never */
uint64_t report_past_activity(const report_past *past, uint32_t node);       /* events as a source */
int report_past_knows(const report_past *past, uint32_t node);               /* was in any event */

/* ---- report_queries.c ---- */

/* Judges the model and collects the queries. Returns an exit code; too little data is no failure but r->trouble. */
int report_collect(report *r);

/* The mean over all queries, as the protocol makes it, of one of those judged. */
double report_mean(const report *r, size_t judged);
double report_oracle_mean(const report *r); /* NaN without an oracle */

/* What a group of queries has: who is in it is for `chosen` to say (NULL: all). */
typedef struct report_group {
    size_t count;
    double model, rule, oracle; /* plain means; NaN without any */
} report_group;
report_group report_group_of(const report *r, int (*chosen)(const report_query *query, const void *context),
                             const void *context);

/* ---- report_words.c ---- */

/* A time span in the words of the data's times, and an axis of times. */
void report_span(const report *r, double span, char text[CLI_TEXT]);
svg_axis report_time_axis(const report *r, const char *title, double low, double high);

/* ---- report_calibration.c ---- */

/* The figure, for models that give probabilities. Returns an exit code. */
int report_calibration(report *r);

/* ---- The sections, in the order of the page. Each returns an exit code. ---- */

int report_data(report *r);
int report_result(report *r);
int report_learning(report *r);
int report_test_part(report *r);
int report_wins(report *r);
int report_memory(report *r);
int report_repeat(report *r);

#endif
