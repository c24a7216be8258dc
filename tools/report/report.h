/*
 * What the files of report share. The command opens a run and collects what single queries say; each section then writes
 * its part of the page from that.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <jansson.h>

#include "base/pair_map.h"
#include "cli/open_events.h"
#include "report/page.h"

/* Colours. */
enum { REPORT_MODEL = 0, REPORT_RULE = 1, REPORT_ORACLE = 2, REPORT_OTHER = 4 };

enum { REPORT_MOST = 32 }; /* evaluated at most: the model and the baselines */

/* One query of the test part. */
typedef struct report_query {
    double time;               /* of the first event to be found, or of the label */
    double at;                 /* asked about this time: the same for all of a step */
    size_t events;             /* to be found */
    double score[REPORT_MOST]; /* of all who were evaluated, the model first */
    double oracle;             /* NaN: not known */
    uint64_t activity;         /* events the node had been the source of */
    double age;                /* of its last contact with whom it met; NaN: they had never met */
    int newcomer;              /* one of the two had never been seen */
} report_query;

typedef struct report_arguments {
    cli_common common;
    const char *output;
    const char *oracle;
} report_arguments;

typedef struct report {
    const cli_call *call;
    cli_session session; /* without a predictor */
    scadyg_model *model;
    const scadyg_model_info *info;
    scadyg_events *events;
    const scadyg_shape *shape;
    const uint32_t *src, *dst;
    const double *time;
    double *oracle; /* [events]: 1 / rank, or NULL */

    /* The test part, query by query. */
    scadyg_result *result; /* NULL: there is none */
    int step_means;        /* means are made in each step first, as the protocol paper does */
    const char *score;
    report_query *queries;
    size_t query_count, query_room;
    size_t best_rule;  /* its place among those evaluated; 0: there is none */
    char trouble[256]; /* why there are no queries; "" if there are */

    FILE *page;
} report;

/* ---- report_data.c: who has met whom, up to a point of the log ---- */

typedef struct report_history {
    const report *r;
    uint64_t seen;
    sg_pair_map last;     /* the bits of the time of each pair's last event */
    uint64_t *activity;   /* [nodes] events as a source */
    unsigned char *known; /* [nodes] was in any event */
} report_history;

report_history *report_history_open(const report *r); /* NULL without memory */
void report_history_close(report_history *history);
int report_history_follow(report_history *history, uint64_t seen); /* the first so many events; -1 without memory */

double report_history_met(const report_history *history, uint32_t src, uint32_t dst); /* last time, NaN if never */
/* ---- report_queries.c ---- */

/*
 * What `generate --oracle` wrote: a header "event,rank", then for every event, in the order of the file, its number from
 * 0 and the rank, at least 1, that the true process gives it. 1 / rank of `events` events goes into out; `name` is what
 * errors call the file ("oracle.csv:3:5: ...").
 */
int report_oracle_read(FILE *file, const char *name, uint64_t events, double *out, scadyg_error *error);

/* Evaluates the model and collects the queries. Returns an exit code; too little data is no failure but r->trouble. */
int report_collect(report *r);

/* The mean over all queries, as the protocol makes it, of one of those evaluated. */
double report_mean(const report *r, size_t evaluated);
double report_oracle_mean(const report *r); /* NaN without an oracle */

/* What a group of queries has: who is in it is for `chosen` to say (NULL: all). */
typedef struct report_group {
    size_t count;
    double model, rule, oracle; /* plain means; NaN without any */
} report_group;
report_group report_group_of(const report *r, int (*chosen)(const report_query *query, const void *context),
                             const void *context);

/* ---- page.c ---- */

/* A time span in the words of the data's times, and an axis of times. */
#define report_span(r, span) report_span_in(r, span, (char[CLI_TEXT]){0})
const char *report_span_in(const report *r, double span, char text[CLI_TEXT]);
svg_axis report_time_axis(const report *r, const char *title, double low, double high);

/* Begins a figure of the page with a chart that has axes. `name` says what it shows, NULL: as the title does. */
svg_chart report_chart(const report *r, const char *id, const char *title, const char *name, svg_axis x,
                       svg_axis y);

/* ---- report_memory.c ---- */

typedef struct report_activity {
    uint64_t events;
    uint32_t node;
} report_activity;

/* All nodes, those in the most events first; dst NULL: as sources only. Free it; NULL without memory. */
report_activity *report_busiest(const uint32_t *src, const uint32_t *dst, const scadyg_shape *shape);

/* `count` ages at which memory curves are drawn, evenly on a logarithmic scale: from where the fastest rate has forgotten
 * next to nothing to where the slowest has forgotten nearly all. SCADYG_E_USAGE for a model without such curves. */
int report_memory_ages(const scadyg_predictor *predictor, double *ages, size_t count, scadyg_error *error);

/* ---- report_study.c: the page of a study, from its results.json ---- */

/* Whether an operand is a study: a folder, or a file that begins as JSON does. */
int report_is_study(const char *path);

/* Writes the page of a study. Returns an exit code. */
int report_study(const cli_call *call, const char *path, FILE *page);

/* The same from results that were read. Returns 0, or -1 without memory. */
int report_study_page(FILE *page, const json_t *results);

/* ---- report_result.c ---- */

/* The tables of what train kept in a model, an array of results or anything else; `data` is the log's name. */
void report_stored_results(FILE *page, const json_t *results, const char *data);

/* ---- The sections, in the order of the page. Each returns an exit code. ---- */

int report_data(report *r);
int report_result(report *r);
int report_learning(report *r);
int report_test_part(report *r);
int report_wins(report *r);
int report_memory(report *r);

#endif
