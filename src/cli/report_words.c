/* Times and spans in the words of the data. */
#include "report.h"

#include <math.h>
#include <string.h>

void report_span(const report *r, double span, char text[CLI_TEXT])
{
    switch (r->shape->time_kind) {
    case SCADYG_TIME_NUMBER:
        if (span < 999.5)
            snprintf(text, CLI_TEXT, "%.3g", span);
        else
            svg_number(span, text);
        break;
    case SCADYG_TIME_YEAR: snprintf(text, CLI_TEXT, "%.3g year%s", span, span == 1 ? "" : "s"); break;
    case SCADYG_TIME_UNIX_MILLI: cli_duration(span / 1000, text); break;
    default: cli_duration(span, text);
    }
}

static double seconds_of(const report *r, double span)
{
    return r->shape->time_kind == SCADYG_TIME_UNIX_MILLI ? span / 1000 : span;
}

/* A date, or for a few days the time of day with it. */
static void tick_text(const report *r, double at, double range, char text[64])
{
    const int kind = r->shape->time_kind;
    scadyg_time_human(kind, at, text);
    if (kind == SCADYG_TIME_NUMBER) {
        svg_number(at, text);
    } else if (kind != SCADYG_TIME_YEAR && strlen(text) > 16 && text[4] == '-') {
        text[seconds_of(r, range) > 3 * 86400 ? 10 : 16] = 0;
        if (text[10]) memmove(text, text + 5, strlen(text + 5) + 1);
    }
}

svg_axis report_time_axis(const report *r, const char *title, double low, double high)
{
    svg_axis axis = svg_axis_bare(title, low, high);
    for (int i = 0; i < 3; i++) {
        char text[CLI_TEXT];
        double at = axis.low + (axis.high - axis.low) * i / 2;
        if (r->shape->time_kind == SCADYG_TIME_YEAR) at = floor(at);
        if (axis.count && axis.ticks[axis.count - 1].at >= at) continue;
        tick_text(r, at, axis.high - axis.low, text);
        svg_tick_add(&axis, at, text);
    }
    return axis;
}
