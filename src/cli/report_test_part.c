/* The test part, looked at closely: the score through its time (does it fade?), and calibration. */
#include "report.h"

#include <math.h>

enum { PARTS = 15 };

typedef struct window {
    double from, to;
} window;

static int within(const report_query *query, const void *context)
{
    const window *w = context;
    return query->time >= w->from && query->time < w->to;
}

static void say_trend(const report *r, double first, double last, const svg_key *keys, size_t count)
{
    const window halves[] = {{first, first + (last - first) / 2}, {first + (last - first) / 2, INFINITY}};
    const report_group early = report_group_of(r, within, &halves[0]),
                       late = report_group_of(r, within, &halves[1]);
    const int fades = late.model < 0.95 * early.model, rule_fades = late.rule < 0.95 * early.rule;
    const char *verdict =
        !early.count || !late.count ? "One half has no queries."
        : fades && rule_fades
            ? "The score falls, but so does that of the rule: later events are harder to foretell."
        : fades                           ? "The score fades: train again on newer events now and then."
        : late.model > 1.05 * early.model ? "The score does not fade; it even rises."
                                          : "The score holds.";
    page_figure_end(
        r->page, keys, count,
        "Mean %s of the queries in each of %d equal parts of the test time. Nothing is learned during it, but "
        "the model sees the events as they come. First half %.3f, second half %.3f. %s",
        r->score, PARTS, early.model, late.model, verdict);
}

static void draw_time(const report *r)
{
    double model[PARTS], rule[PARTS], oracle[PARTS], middle[PARTS];
    const double first = r->queries[0].time;
    double last = first, least = INFINITY, most = 0;
    for (size_t i = 0; i < r->query_count; i++) last = fmax(last, r->queries[i].time);
    for (size_t i = 0; i < PARTS; i++) {
        const window w = {first + (last - first) * (double)i / PARTS,
                          i + 1 < PARTS ? first + (last - first) * (double)(i + 1) / PARTS : INFINITY};
        const report_group group = report_group_of(r, within, &w);
        model[i] = group.model, rule[i] = group.rule, oracle[i] = group.oracle;
        middle[i] = first + (last - first) * ((double)i + 0.5) / PARTS;
        most = fmax(most, fmax(model[i], fmax(rule[i], oracle[i])));
        least = fmin(least, fmin(model[i], fmin(rule[i], oracle[i])));
    }
    svg_chart chart = {.out = r->page,
                       .name = "Score through the test part",
                       .x = report_time_axis(r, "time", first, last),
                       .y = svg_axis_of(r->score, least > 0.4 ? least - 0.05 : 0, most)};
    page_figure(r->page, "time", "Score by time");
    svg_begin(&chart);
    if (r->oracle) svg_line(&chart, middle, oracle, PARTS, REPORT_ORACLE, 1);
    if (r->best_rule) svg_line(&chart, middle, rule, PARTS, REPORT_RULE, 1);
    svg_line(&chart, middle, model, PARTS, REPORT_MODEL, 1);
    svg_end(&chart);
    svg_key keys[3] = {{"the model", REPORT_MODEL}};
    size_t count = 1;
    if (r->best_rule) keys[count++] = (svg_key){r->result.judged[r->best_rule].name, REPORT_RULE};
    if (r->oracle) keys[count++] = (svg_key){"oracle", REPORT_ORACLE};
    say_trend(r, first, last, keys, count);
}

int report_test_part(report *r)
{
    page_section(r->page, "test", "The test part, looked at closely", NULL);
    fputs("<div class=\"figures\">\n", r->page);
    if (r->query_count) draw_time(r);
    const int code = report_calibration(r);
    fputs("</div>\n", r->page);
    page_section_end(r->page);
    return code;
}
