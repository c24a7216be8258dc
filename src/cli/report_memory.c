/* Memory curves of typical nodes: what they remember, and for how long. */
#include "report.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 80, NODES = 4 };

typedef struct active {
    uint32_t node;
    uint64_t events;
} active;

static int busier_first(const void *left, const void *right)
{
    const active *a = left, *b = right;
    if (a->events != b->events) return a->events < b->events ? 1 : -1;
    return (a->node > b->node) - (a->node < b->node);
}

/* The busiest source, and those at a tenth, at half and at nine tenths of all of them. Returns how many; 0: no memory. */
static size_t choose(const report *r, active chosen[NODES])
{
    static const double places[NODES] = {0, 0.1, 0.5, 0.9};
    const size_t nodes = r->shape->nodes;
    active *all = malloc((nodes ? nodes : 1) * sizeof *all);
    size_t sources = 0, count = 0, last = SIZE_MAX;
    if (!all) return 0;
    for (size_t i = 0; i < nodes; i++) all[i] = (active){(uint32_t)i, 0};
    for (uint64_t i = 0; i < r->shape->events; i++) all[r->src[i]].events++;
    qsort(all, nodes, sizeof *all, busier_first);
    while (sources < nodes && all[sources].events) sources++;
    for (size_t i = 0; i < NODES && sources; i++) {
        const size_t place = (size_t)(places[i] * (double)sources);
        if (place != last) chosen[count++] = all[place];
        last = place;
    }
    free(all);
    return count;
}

/* The age by which a curve has fallen to half; the last age if it has not. */
static double half_life(const double *ages, const double *curve)
{
    for (size_t i = 0; i < POINTS; i++)
        if (curve[i] < 0.5) return ages[i];
    return ages[POINTS - 1];
}

static svg_axis age_axis(const report *r, double low, double high)
{
    svg_axis axis = svg_axis_log("time since the contact", low, high);
    axis.count = 0;
    for (int i = 0; i < 4; i++) {
        char text[CLI_TEXT];
        const double at = low * pow(high / low, (i + 0.5) / 4);
        report_span(r, at, text);
        svg_tick_add(&axis, at, text);
    }
    return axis;
}

typedef struct curves {
    double ages[POINTS], y[NODES][POINTS];
    active nodes[NODES];
    char *names[NODES];
    size_t count;
} curves;

static void draw(const report *r, const curves *c)
{
    static const int colours[NODES] = {0, 1, 2, 3};
    char key_text[NODES][128];
    page_key keys[NODES];
    double shortest = INFINITY, longest = 0;
    svg_chart chart = {.out = r->page,
                       .name = "What typical nodes remember",
                       .x = age_axis(r, c->ages[0], c->ages[POINTS - 1]),
                       .y = svg_axis_of("what is left of a contact", 0, 1)};
    page_figure(r->page, "memory", "What typical nodes remember, and for how long");
    svg_begin(&chart);
    for (size_t i = 0; i < c->count; i++) {
        const double half = half_life(c->ages, c->y[i]);
        char span[CLI_TEXT], events[CLI_TEXT];
        svg_line(&chart, c->ages, c->y[i], POINTS, colours[i], 0);
        report_span(r, half, span);
        snprintf(key_text[i], sizeof key_text[i], "%.40s, %s events: half after %s", c->names[i],
                 cli_count(c->nodes[i].events, events), span);
        keys[i] = (page_key){key_text[i], colours[i]};
        shortest = fmin(shortest, half), longest = fmax(longest, half);
    }
    svg_end(&chart);
    page_figure_end(
        r->page, keys, c->count,
        "How much one contact still moves the model when it is so long ago, against one that has just happened. "
        "Contacts fade at several rates at once, and the model weighs the rates for each node by its own past: "
        "a curve that falls late belongs to a node for which old contacts still count. Shown are the busiest "
        "source, and those with more events than 9, 5 and 1 of 10 sources, just after the last event. %s",
        longest > 1.5 * shortest ? "These nodes remember for clearly different times."
                                 : "These nodes remember for much the same time.");
}

static int make_curves(const report *r, scadyg_predictor *predictor, curves *c, scadyg_error *error)
{
    double slowest, fastest;
    int status = scadyg_memory_rates(predictor, &slowest, &fastest, error);
    if (status) return status;
    const double low = fastest > 0 ? 0.02 / fastest : 1e-3, high = slowest > 0 ? 5 / slowest : 1e3 * low;
    for (size_t i = 0; i < POINTS; i++) c->ages[i] = low * pow(high / low, (double)i / (POINTS - 1));
    const double at = nextafter(r->shape->last_time, INFINITY);
    for (size_t i = 0; i < c->count && !status; i++) {
        status = scadyg_memory_curve(predictor, c->nodes[i].node, at, c->ages, POINTS, c->y[i], error);
        /* A curve may rise before it falls. */
        for (size_t k = 0; k < POINTS && !status; k++) c->y[i][k] = fmin(c->y[i][k], 1);
        if (!status && !(c->names[i] = cli_node_id(r->events, c->nodes[i].node, error))) status = error->status;
    }
    return status;
}

int report_memory(report *r)
{
    const cli_common *common = r->call->arguments;
    scadyg_error error = {0};
    scadyg_predictor *predictor = NULL;
    if (r->info->options->model != SCADYG_MODEL_SCADYG) return CLI_OK; /* a rule weighs nothing */
    curves c = {0};
    c.count = choose(r, c.nodes);
    if (!c.count) return cli_fail(r->call->command, "not enough memory for the nodes");
    int status = scadyg_predictor_open(r->model, r->events, (int)common->threads, &predictor, &error);
    if (!status) status = make_curves(r, predictor, &c, &error);
    page_section(r->page, "memory", "What nodes remember", NULL);
    if (!status) {
        fputs("<div class=\"figures\">\n", r->page);
        draw(r, &c);
        fputs("</div>\n", r->page);
    } else if (status == SCADYG_E_USAGE) {
        page_words(r->page, "There is no curve to show: %s.", error.message);
        status = SCADYG_OK;
    }
    page_section_end(r->page);
    scadyg_predictor_close(predictor);
    for (size_t i = 0; i < c.count; i++) free(c.names[i]);
    return status ? cli_fail_error(r->call->command, &error, NULL) : CLI_OK;
}
