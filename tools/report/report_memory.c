/* Memory curves of typical nodes: what they remember, and for how long. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 80, LOOKED_AT = 200, SHOWN = 4 };

typedef struct curve {
    uint32_t node;
    uint64_t events; /* it is the source of */
    double half;     /* age at which half is left */
    double y[POINTS];
} curve;

typedef struct curves {
    double ages[POINTS];
    curve *all; /* of sources from the busiest to the least busy */
    size_t count;
} curves;

/* ---- Which nodes: sources, evenly from the busiest to the least busy ---- */

static int busier_first(const void *left, const void *right)
{
    const report_activity *a = left, *b = right;
    if (a->events != b->events) return a->events < b->events ? 1 : -1;
    return (a->node > b->node) - (a->node < b->node);
}

report_activity *report_busiest(const uint32_t *src, const uint32_t *dst, const scadyg_shape *shape)
{
    report_activity *all = calloc(shape->nodes + 1, sizeof *all);
    for (size_t i = 0; all && i < shape->nodes; i++) all[i].node = (uint32_t)i;
    for (uint64_t i = 0; all && i < shape->events; i++) {
        all[src[i]].events++;
        if (dst) all[dst[i]].events++;
    }
    if (all) qsort(all, shape->nodes, sizeof *all, busier_first);
    return all;
}

static int choose_sources(const report *r, curves *c)
{
    report_activity *sources = report_busiest(r->src, NULL, r->shape);
    size_t count = 0;
    c->all = calloc(LOOKED_AT, sizeof *c->all);
    while (sources && count < r->shape->nodes && sources[count].events) count++;
    c->count = count < LOOKED_AT ? count : LOOKED_AT;
    for (size_t i = 0; c->all && i < c->count; i++) {
        const report_activity *chosen = &sources[i * count / c->count];
        c->all[i].node = chosen->node;
        c->all[i].events = chosen->events;
    }
    const int failed = !sources || !c->all;
    free(sources);
    return failed ? -1 : 0;
}

/* ---- Their curves ---- */

/* Between two points of the curve, on a logarithmic scale; the last age if it never falls so low. */
static double half_life(const double *ages, const double *y)
{
    size_t i = 0;
    while (i < POINTS && y[i] >= 0.5) i++;
    if (i == 0 || i == POINTS) return ages[i ? POINTS - 1 : 0];
    return ages[i - 1] * pow(ages[i] / ages[i - 1], (y[i - 1] - 0.5) / (y[i - 1] - y[i]));
}

int report_memory_ages(const scadyg_predictor *predictor, double *ages, size_t count, scadyg_error *error)
{
    double slowest, fastest;
    int status = scadyg_memory_rates(predictor, &slowest, &fastest, error);
    if (status) return status;
    const double low = fmax(1e-150, fmin(1e150, fastest > 0 ? 0.02 / fastest : 1e-3));
    const double high = fmin(1e153, slowest > 0 ? 5 / slowest : 1e3 * low);
    for (size_t i = 0; i < count; i++) ages[i] = low * pow(high / low, (double)i / (double)(count - 1));
    return SCADYG_OK;
}

static int make_curves(const report *r, scadyg_predictor *predictor, curves *c, scadyg_error *error)
{
    const double at = nextafter(r->shape->last_time, INFINITY);
    int status = report_memory_ages(predictor, c->ages, POINTS, error);
    for (size_t i = 0; i < c->count && !status; i++) {
        curve *one = &c->all[i];
        status = scadyg_memory_curve(predictor, one->node, at, c->ages, POINTS, one->y, error);
        one->half = half_life(c->ages, one->y);
    }
    return status;
}

/* ---- The chart ---- */

static svg_axis age_axis(const report *r, double low, double high)
{
    svg_axis axis = svg_axis_log("time since the contact", low, high);
    axis.count = 0;
    for (int i = 0; i < 4; i++) {
        const double at = low * pow(high / low, (i + 0.5) / 4);
        svg_tick_add(&axis, at, report_span(r, at));
    }
    return axis;
}

static int shorter_first(const void *left, const void *right)
{
    const curve *const *a = left, *const *b = right;
    if ((*a)->half != (*b)->half) return (*a)->half < (*b)->half ? -1 : 1;
    return ((*a)->node > (*b)->node) - ((*a)->node < (*b)->node);
}

/* "alice, the busiest, 1,091 events: half is left after 3.2 hours" */
static int key_text(const report *r, const curve *one, const char *what, char *text, size_t size,
                    scadyg_error *error)
{
    char *name = cli_node_id(r->events, one->node, error);
    if (!name) return error->status;
    snprintf(text, size, "%.40s (%s, %s): half is left after %s", name, what,
             cli_counted(one->events, "event", "events"), report_span(r, one->half));
    free(name);
    return SCADYG_OK;
}

/* Whether it is one curve: the model weighs the rates of all nodes alike. */
static int are_alike(const curves *c)
{
    for (size_t i = 1; i < c->count; i++)
        if (memcmp(c->all[i].y, c->all[0].y, sizeof c->all[0].y) != 0) return 0;
    return 1;
}

static void draw_one(const report *r, const curves *c)
{
    double most = 1;
    for (size_t k = 0; k < POINTS; k++) most = fmax(most, c->all[0].y[k]);
    svg_chart chart = report_chart(r, "memory", "What the model remembers, and for how long",
                                   "What the model remembers", age_axis(r, c->ages[0], c->ages[POINTS - 1]),
                                   svg_axis_of("what is left of a contact", 0, most));
    svg_rule(&chart, c->ages[0], 0.5, c->ages[POINTS - 1], 0.5);
    svg_line(&chart, c->ages, c->all[0].y, POINTS, 0, 0);
    svg_end(&chart);
    page_figure_end(
        r->page, NULL, 0,
        "How much one contact still moves the model when it is so long ago, against one that has just "
        "happened. Contacts fade at several rates at once, and the model weighs the rates, for all nodes "
        "alike: half of a contact is left after %s.",
        report_span(r, c->all[0].half));
}

static int draw_curves(const report *r, const curves *c, const curve **by_half, scadyg_error *error)
{
    static const char *const what[SHOWN] = {"the busiest", "shortest memory", "longest memory", "the median"};
    const curve *some[SHOWN] = {c->all, by_half[0], by_half[c->count - 1], by_half[c->count / 2]};
    const curve *shown[SHOWN];
    char text[SHOWN][256];
    svg_key keys[SHOWN];
    double most = 1;
    size_t count = 0;
    int status = SCADYG_OK;
    for (size_t i = 0; i < SHOWN && !status; i++) {
        size_t k = 0;
        while (k < count && shown[k] != some[i]) k++;
        if (k < count) continue; /* it is there already */
        shown[count] = some[i];
        status = key_text(r, some[i], what[i], text[count], sizeof text[count], error);
        keys[count] = (svg_key){text[count], (int)count};
        for (k = 0; k < POINTS; k++) most = fmax(most, some[i]->y[k]);
        count++;
    }
    if (status) return status;
    svg_chart chart = report_chart(r, "memory", "What nodes remember, and for how long",
                                   "What typical nodes remember", age_axis(r, c->ages[0], c->ages[POINTS - 1]),
                                   svg_axis_of("what is left of a contact", 0, most));
    svg_rule(&chart, c->ages[0], 0.5, c->ages[POINTS - 1], 0.5);
    for (size_t i = count; i-- > 0;) svg_line(&chart, c->ages, shown[i]->y, POINTS, (int)i, 0);
    svg_end(&chart);
    page_figure_end(
        r->page, keys, count,
        "How much one contact still moves the model when it is so long ago, against one that has just happened. "
        "Contacts fade at several rates at once, and the model weighs the rates for each node by its own past: "
        "a curve that falls late belongs to a node for which old contacts still count. Of %zu sources, from the "
        "busiest to the least busy, half of a contact is left after %s to %s%s.",
        c->count, report_span(r, by_half[0]->half), report_span(r, by_half[c->count - 1]->half),
        by_half[c->count - 1]->half > 1.2 * by_half[0]->half ? "" : ": here the model treats all nodes much alike");
    return SCADYG_OK;
}

static int write_curves(const report *r, scadyg_predictor *predictor, curves *c, scadyg_error *error)
{
    int status = make_curves(r, predictor, c, error);
    if (status) return status;
    const curve *by_half[LOOKED_AT];
    for (size_t i = 0; i < c->count; i++) by_half[i] = &c->all[i];
    qsort(by_half, c->count, sizeof *by_half, shorter_first);
    fputs("<div class=\"figures\">\n", r->page);
    if (are_alike(c))
        draw_one(r, c);
    else
        status = draw_curves(r, c, by_half, error);
    fputs("</div>\n", r->page);
    return status;
}

int report_memory(report *r)
{
    scadyg_predictor *predictor = NULL;
    curves c = {0};
    if (!r->info->learns || r->info->answers_as) return CLI_OK; /* a rule weighs nothing */
    if (choose_sources(r, &c)) {
        free(c.all);
        return cli_fail(r->call->command, "not enough memory for the nodes");
    }
    page_section(r->page, "memory", "What nodes remember", NULL);
    int status = scadyg_predictor_open(r->call->context, r->model, r->events, &predictor, r->call->error);
    if (!status && c.count) status = write_curves(r, predictor, &c, r->call->error);
    if (status == SCADYG_E_USAGE) {
        page_words(r->page, "There is no curve to show: %s.", r->call->error->message);
        status = SCADYG_OK;
    }
    page_section_end(r->page);
    scadyg_predictor_close(predictor);
    free(c.all);
    return status ? cli_failed(r->call, NULL) : CLI_OK;
}
