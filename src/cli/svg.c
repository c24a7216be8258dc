/* A small chart writer: charts with two axes. */
#include "svg.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 360, HEIGHT = 214, LEFT = 46, RIGHT = 12, TOP = 10, BOTTOM = 40 };

void svg_text(FILE *out, const char *text)
{
    for (; *text; text++) switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default:
            /* Control characters have no place in a page. */
            if ((unsigned char)*text >= 32 && *text != 127)
                putc(*text, out);
            else
                putc(' ', out);
        }
}

/* ---- Axes ---- */

void svg_tick_add(svg_axis *axis, double at, const char *text)
{
    if (axis->count == SVG_TICKS) return;
    svg_tick *tick = &axis->ticks[axis->count++];
    tick->at = at;
    snprintf(tick->text, sizeof tick->text, "%s", text);
}

svg_axis svg_axis_bare(const char *title, double low, double high)
{
    if (!(low < high)) high = low + 1;
    return (svg_axis){.low = low, .high = high, .title = title};
}

void svg_number(double value, char text[CLI_TEXT])
{
    static const struct {
        double size;
        const char *letter;
    } units[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    for (size_t i = 0; i < CLI_COUNT(units); i++)
        if (fabs(value) >= units[i].size * 0.9999) {
            snprintf(text, CLI_TEXT, "%.3g%s", value / units[i].size, units[i].letter);
            return;
        }
    snprintf(text, CLI_TEXT, "%.4g", fabs(value) < 1e-12 ? 0 : value);
}

/* A round step that cuts a range into about `parts`. */
static double round_step(double range, double parts)
{
    const double rough = range / parts, power = pow(10, floor(log10(rough))), times = rough / power;
    return power * (times < 1.5 ? 1 : times < 3 ? 2 : times < 7 ? 5 : 10);
}

svg_axis svg_axis_of(const char *title, double low, double high)
{
    if (!isfinite(low) || !isfinite(high)) low = 0, high = 1;
    if (!(low < high)) high = low + (low != 0 ? fabs(low) * 0.1 : 1);
    const double step = round_step(high - low, 4);
    svg_axis axis = svg_axis_bare(title, step * floor(low / step + 1e-9), step * ceil(high / step - 1e-9));
    for (double at = axis.low; at <= axis.high + step / 2 && axis.count < SVG_TICKS; at += step) {
        char text[CLI_TEXT];
        svg_number(fabs(at) < step * 1e-6 ? 0 : at, text);
        svg_tick_add(&axis, at, text);
    }
    return axis;
}

svg_axis svg_axis_log(const char *title, double low, double high)
{
    if (!(low > 0) || !(high > low)) low = 0.1, high = 10;
    svg_axis axis = {.low = low, .high = high, .title = title, .logarithm = 1};
    const int first = (int)ceil(log10(low) - 1e-9), last = (int)floor(log10(high) + 1e-9);
    const int step = 1 + (last - first) / 5;
    for (int power = first; power <= last; power += step) {
        char text[CLI_TEXT];
        svg_number(pow(10, power), text);
        svg_tick_add(&axis, pow(10, power), text);
    }
    return axis;
}

static double share(const svg_axis *axis, double at)
{
    const double part = axis->logarithm ? log(at / axis->low) / log(axis->high / axis->low)
                                        : (at - axis->low) / (axis->high - axis->low);
    return part < 0 ? 0 : part > 1 ? 1 : part;
}

static double place_x(const svg_chart *chart, double x)
{
    return chart->left + share(&chart->x, x) * (chart->right - chart->left);
}

static double place_y(const svg_chart *chart, double y)
{
    return chart->bottom - share(&chart->y, y) * (chart->bottom - chart->top);
}

/* ---- The frame ---- */

/* Words at the ends of the axis stay within the picture. */
static const char *anchor_of(const svg_chart *chart, double x, const char *text)
{
    const double half = 3 * (double)strlen(text);
    return x + half > WIDTH ? "end" : x - half < 0 || (x <= chart->left + 1 && half > 24) ? "start" : "middle";
}

static void draw_ticks(const svg_chart *chart)
{
    for (size_t i = 0; i < chart->y.count; i++) {
        const double y = place_y(chart, chart->y.ticks[i].at);
        fprintf(chart->out,
                "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/><text x=\"%.1f\" y=\"%.1f\" class=\"end\">",
                chart->left, y, chart->right, chart->left - 5, y + 3.5);
        svg_text(chart->out, chart->y.ticks[i].text);
        fputs("</text>", chart->out);
    }
    for (size_t i = 0; i < chart->x.count; i++) {
        const svg_tick *tick = &chart->x.ticks[i];
        const double x = place_x(chart, tick->at);
        fprintf(chart->out, "<path class=\"axis\" d=\"M%.1f %.1fv4\"/><text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x,
                chart->bottom, x, chart->bottom + 15, anchor_of(chart, x, tick->text));
        svg_text(chart->out, tick->text);
        fputs("</text>", chart->out);
    }
}

void svg_begin(svg_chart *chart)
{
    chart->left = LEFT, chart->right = WIDTH - RIGHT;
    chart->top = TOP + (chart->y.title ? 12 : 0), chart->bottom = HEIGHT - BOTTOM;
    fprintf(chart->out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
    svg_text(chart->out, chart->name);
    fputs("\">", chart->out);
    draw_ticks(chart);
    if (chart->y.title) {
        fputs("<text x=\"0\" y=\"10\" class=\"title start\">", chart->out);
        svg_text(chart->out, chart->y.title);
        fputs("</text>", chart->out);
    }
    if (chart->x.title) {
        fprintf(chart->out, "<text x=\"%.1f\" y=\"%d\" class=\"title end\">", chart->right, HEIGHT - 6);
        svg_text(chart->out, chart->x.title);
        fputs("</text>", chart->out);
    }
    fprintf(chart->out, "<path class=\"axis\" d=\"M%.1f %.1fH%.1f\"/>\n", chart->left, chart->bottom, chart->right);
}

void svg_end(svg_chart *chart)
{
    fputs("</svg>\n", chart->out);
}

/* ---- What is drawn into it ---- */

static void put_tip(FILE *out, const char *tip)
{
    if (!tip) return;
    fputs("<title>", out);
    svg_text(out, tip);
    fputs("</title>", out);
}

void svg_line(const svg_chart *chart, const double *x, const double *y, size_t count, int colour, int dots)
{
    int begun = 0;
    fprintf(chart->out, "<path class=\"line c%d\" d=\"", colour);
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(y[i])) continue;
        fprintf(chart->out, "%c%.1f %.1f", begun ? 'L' : 'M', place_x(chart, x[i]), place_y(chart, y[i]));
        begun = 1;
    }
    fputs("\"/>\n", chart->out);
    for (size_t i = 0; i < count && dots; i++) {
        char tip[CLI_TEXT];
        snprintf(tip, sizeof tip, "%.4g", y[i]);
        if (isfinite(y[i])) svg_dot(chart, x[i], y[i], 2.5, colour, tip);
    }
}

void svg_dot(const svg_chart *chart, double x, double y, double radius, int colour, const char *tip)
{
    fprintf(chart->out, "<circle class=\"dot c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\">", colour, place_x(chart, x),
            place_y(chart, y), radius);
    put_tip(chart->out, tip);
    fputs("</circle>\n", chart->out);
}

void svg_column(const svg_chart *chart, double from, double to, double height, int colour, const char *tip)
{
    const double x = place_x(chart, from), width = place_x(chart, to) - x, y = place_y(chart, height);
    const double gap = width > 4 ? 1 : 0.2;
    fprintf(chart->out, "<rect class=\"bar c%d\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\">", colour,
            x + gap / 2, y, width - gap, chart->bottom - y);
    put_tip(chart->out, tip);
    fputs("</rect>\n", chart->out);
}

void svg_band(const svg_chart *chart, double from, double to, const char *text)
{
    const double x = place_x(chart, from), width = place_x(chart, to) - x;
    fprintf(chart->out, "<rect class=\"band\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", x,
            chart->top, width, chart->bottom - chart->top);
    if (width > 6 * (double)strlen(text)) {
        fprintf(chart->out, "<text x=\"%.1f\" y=\"%.1f\" class=\"middle\">", x + width / 2, chart->top - 3);
        svg_text(chart->out, text);
        fputs("</text>", chart->out);
    }
    putc('\n', chart->out);
}

void svg_rule(const svg_chart *chart, double x0, double y0, double x1, double y1)
{
    fprintf(chart->out, "<path class=\"rule\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", place_x(chart, x0),
            place_y(chart, y0), place_x(chart, x1), place_y(chart, y1));
}
