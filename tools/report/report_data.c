/* The data at a glance; and who has met whom, up to a point of the log. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEGREES = 40, PARTS = 20 }; /* powers of two; parts of the time range */

/* ---- Who has met whom ---- */

report_history *report_history_open(const report *r)
{
    report_history *history = calloc(1, sizeof *history);
    if (!history) return NULL;
    history->r = r;
    history->activity = calloc(r->shape->nodes + 1, sizeof *history->activity);
    history->known = calloc(r->shape->nodes + 1, 1);
    if (history->activity && history->known && sg_pair_map_open(&history->last) == 0) return history;
    report_history_close(history);
    return NULL;
}

void report_history_close(report_history *history)
{
    if (!history) return;
    if (history->last.slots) sg_pair_map_close(&history->last);
    free(history->activity);
    free(history->known);
    free(history);
}

int report_history_follow(report_history *history, uint64_t seen)
{
    const report *r = history->r;
    for (; history->seen < seen; history->seen++) {
        const uint32_t src = r->src[history->seen], dst = r->dst[history->seen];
        int is_new;
        uint64_t *bits = sg_pair_map_put(&history->last, sg_pair_key(src, dst), &is_new);
        if (!bits) return -1;
        memcpy(bits, &r->time[history->seen], sizeof *bits);
        history->activity[src]++;
        history->known[src] = history->known[dst] = 1;
    }
    return 0;
}

double report_history_met(const report_history *history, uint32_t src, uint32_t dst)
{
    const uint64_t *bits = sg_pair_map_find(&history->last, sg_pair_key(src, dst));
    double time = NAN;
    if (bits) memcpy(&time, bits, sizeof time);
    return time;
}

/* ---- The section ---- */

static void put_facts(const report *r, const scadyg_info *info)
{
    FILE *page = r->page;
    fputs("<div class=\"facts\">\n", page);
    page_fact(page, cli_count(r->shape->events), "events");
    page_fact(page, cli_count(r->shape->nodes), "nodes");
    page_fact(page, cli_count(info->sources), "of them sources");
    page_fact(page, cli_count(info->destinations), "of them destinations");
    page_fact(page, report_span(r, r->shape->last_time - r->shape->first_time), "from first to last");
    page_fact(page, cli_share(info->repeated_pairs, r->shape->events), "of events are between a pair that had met");
    fputs("</div>\n", page);
}

/* The bins of info have equal width. */
static void draw_events(const report *r, const scadyg_info *info)
{
    const double first = r->shape->first_time, last = r->shape->last_time;
    uint64_t most = 1;
    for (size_t i = 0; i < SCADYG_INFO_BINS; i++)
        if (info->histogram[i] > most) most = info->histogram[i];
    svg_chart chart = report_chart(r, "events", "Events over time", NULL, report_time_axis(r, "time", first, last),
                                   svg_axis_of("events", 0, (double)most));
    if (r->info->validation_end < last && r->info->validation_end > first)
        svg_band(&chart, r->info->validation_end, last, "test");
    for (size_t i = 0; i < SCADYG_INFO_BINS && last > first; i++)
        if (info->histogram[i])
            svg_column(&chart, svg_between(first, last, (double)i / SCADYG_INFO_BINS),
                       svg_between(first, last, (double)(i + 1) / SCADYG_INFO_BINS), (double)info->histogram[i], 0,
                       cli_counted(info->histogram[i], "event", "events"));
    svg_end(&chart);
    page_figure_end(
        r->page, NULL, 0,
        "How many events each of %d equal parts of the time has. The model learned from the first part of "
        "the log and was chosen by the next; the shaded rest is the test part, which it is evaluated on.",
        SCADYG_INFO_BINS);
}

/* How many nodes have 1, 2-3, 4-7, ... events; returns how many of these groups there are. */
static size_t count_degrees(const report *r, uint64_t groups[DEGREES], uint64_t *median)
{
    const uint64_t nodes = r->shape->nodes;
    uint64_t *degree = calloc(nodes ? nodes : 1, sizeof *degree);
    size_t most = 0;
    if (!degree) return 0;
    for (uint64_t i = 0; i < r->shape->events; i++) {
        degree[r->src[i]]++;
        if (r->src[i] != r->dst[i]) degree[r->dst[i]]++;
    }
    for (uint64_t i = 0; i < nodes; i++) {
        size_t group = 0;
        while (group + 1 < DEGREES && degree[i] >> (group + 1)) group++;
        groups[group]++;
        if (group + 1 > most) most = group + 1;
    }
    uint64_t below = 0;
    size_t group = 0;
    while (group < most && 2 * (below + groups[group]) < nodes) below += groups[group++];
    *median = (uint64_t)1 << group;
    free(degree);
    return most;
}

static int draw_degrees(const report *r, const scadyg_info *info)
{
    uint64_t groups[DEGREES] = {0}, median = 0, most = 1;
    const size_t count = count_degrees(r, groups, &median);
    if (!count) return cli_fail(r->call->command, "not enough memory for the degrees");
    for (size_t i = 0; i < count; i++)
        if (groups[i] > most) most = groups[i];
    svg_axis axis = svg_axis_bare("events of a node, from", 0, (double)count);
    const size_t every = 1 + (count - 1) / SVG_TICKS;
    for (size_t i = 0; i < count; i += every) {
        const size_t thousands = i < 10 ? 0 : i < 20 ? 1 : 2;
        const char *unit = thousands > 1 ? "M" : thousands ? "k" : "";
        svg_tick_add(&axis, (double)i + 0.5, cli_text("%llu%s", (1ULL << i) >> 10 * thousands, unit));
    }
    svg_chart chart =
        report_chart(r, "degrees", "How active the nodes are", NULL, axis, svg_axis_of("nodes", 0, (double)most));
    for (size_t i = 0; i < count; i++)
        if (groups[i])
            svg_column(&chart, (double)i, (double)i + 1, (double)groups[i], 0,
                       cli_text("%s with %s", cli_counted(groups[i], "node", "nodes"),
                                i ? cli_text("%llu to %llu events", 1ULL << i, (2ULL << i) - 1) : "1 event"));
    svg_end(&chart);
    page_figure_end(
        r->page, NULL, 0,
        "How many nodes take part in so many events; each bar covers twice the range of the one before. "
        "The median node has %llu to %llu of them, the busiest %s.",
        (unsigned long long)median, (unsigned long long)(2 * median - 1),
        cli_count(info->top_count ? info->top_degrees[0] : 0));
    return CLI_OK;
}

/* The share of repeats in equal parts of the time; NaN where there are no events. */
static int count_repeats(const report *r, double *share)
{
    const double first = r->shape->first_time, last = r->shape->last_time, range = last - first;
    report_history *history = report_history_open(r);
    uint64_t events[PARTS] = {0}, repeats[PARTS] = {0};
    int failed = !history;
    for (uint64_t i = 0; i < r->shape->events && !failed; i++) {
        /* Times may be so far apart that their difference is no number. */
        const double along = range > 0 ? (r->time[i] / 2 - first / 2) / (last / 2 - first / 2) : 0;
        const size_t part = along < 1 ? (size_t)(along * PARTS) : PARTS - 1;
        events[part]++;
        if (!isnan(report_history_met(history, r->src[i], r->dst[i]))) repeats[part]++;
        failed = report_history_follow(history, i + 1);
    }
    for (size_t i = 0; i < PARTS; i++) share[i] = events[i] ? (double)repeats[i] / (double)events[i] : NAN;
    report_history_close(history);
    return failed ? -1 : 0;
}

static int draw_repeats(const report *r, const scadyg_info *info)
{
    const double first = r->shape->first_time, last = r->shape->last_time;
    double share[PARTS], middle[PARTS];
    if (count_repeats(r, share)) return cli_fail(r->call->command, "not enough memory for the pairs that have met");
    for (size_t i = 0; i < PARTS; i++) middle[i] = svg_between(first, last, ((double)i + 0.5) / PARTS);
    svg_chart chart =
        report_chart(r, "repeats", "Pairs that meet again", "Share of events between a pair that had met",
                     report_time_axis(r, "time", first, last), svg_axis_of("share of events", 0, 1));
    svg_line(&chart, middle, share, PARTS, 0, 1);
    svg_end(&chart);
    page_figure_end(
        r->page, NULL, 0,
        "The share of events whose source had met that very destination before. Where it is high, the last "
        "contact says much; where it is low, a model has to guess new pairs. There are %s different pairs.",
        cli_count(info->distinct_pairs));
    return CLI_OK;
}

int report_data(report *r)
{
    scadyg_info *info = NULL;
    if (scadyg_info_compute(r->call->context, r->events, &info, r->call->error)) return cli_failed(r->call, NULL);
    cli_progress_erase();
    page_section(r->page, "data", "The data at a glance", NULL);
    put_facts(r, info);
    fputs("<div class=\"figures\">\n", r->page);
    draw_events(r, info);
    int code = draw_degrees(r, info);
    if (!code) code = draw_repeats(r, info);
    fputs("</div>\n", r->page);
    page_section_end(r->page);
    scadyg_info_free(info);
    return code;
}
