/* A small chart writer. */
#include "report/svg.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 360, HEIGHT = 214, LEFT = 46, RIGHT = 12, TOP = 10, BOTTOM = 40 };

/* Colours are named once for each scheme; paper is always light. c0 is the model, c1 the best rule, c2 the oracle. */
const char svg_style[] =
    ":root{--ink:#1c2128;--soft:#57606a;--paper:#fff;--card:#f6f8fa;--line:#d5dae0;"
    "--c0:#1f6feb;--c1:#d4761c;--c2:#2b9348;--c3:#8250df;--c4:#9aa4af;--c5:#0f8b99;--c6:#c2408c;--c7:#8f7000;"
    "color-scheme:light dark}\n"
    "@media screen and (prefers-color-scheme:dark){"
    ":root{--ink:#e6edf3;--soft:#9aa5b1;--paper:#0d1117;--card:#161b22;--line:#30363d;"
    "--c0:#58a6ff;--c1:#f0a04b;--c2:#56d364;--c3:#bc8cff;--c4:#6e7681;--c5:#39c5cf;--c6:#f778ba;--c7:#d6bb45}}\n"
    "svg{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\n"
    "svg text{font-size:11px;fill:var(--soft)}\n"
    "svg .small{font-size:9px}svg .head{font-size:12px;font-weight:600;fill:var(--ink)}\n"
    ".end{text-anchor:end}.middle{text-anchor:middle}.start{text-anchor:start}\n"
    ".paper{fill:var(--paper)}.edge{fill:none;stroke:var(--line);stroke-width:.7}\n"
    ".grid{stroke:var(--line);stroke-width:.7}.axis{stroke:var(--soft);stroke-width:1}\n"
    ".band{fill:var(--soft);opacity:.12}.rule{stroke:var(--soft);stroke-dasharray:4 3;fill:none}\n"
    ".c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}.c4{--c:var(--c4)}.c5{--c:var(--c5)}"
    ".c6{--c:var(--c6)}.c7{--c:var(--c7)}\n"
    ".line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}.dot,.bar{fill:var(--c)}\n"
    ".d1{stroke-dasharray:6 3}.d2{stroke-dasharray:2 3}.d3{stroke-dasharray:8 3 2 3}\n"
    /* Beyond as many series as there are colours: dashed lines, hollow dots and bars. */
    ".bar.d1,.bar.d2,.bar.d3{fill-opacity:.3;stroke:var(--c);stroke-width:1.5}"
    ".dot.d1,.dot.d2,.dot.d3{fill:var(--paper);stroke:var(--c);stroke-width:1.2;stroke-dasharray:none}\n"
    ".spread{fill:none;stroke:var(--c);stroke-width:1.2}.bar+.spread{stroke:var(--ink)}\n"
    ".cell{fill:none;stroke:var(--c);stroke-width:1;shape-rendering:crispEdges}\n";

int svg_look(size_t i)
{
    static const int colours[] = {0, 1, 2, 3, 5, 6, 7}; /* all but SVG_OTHER */
    const int dashes = (int)(i / CLI_COUNT(colours) % 4);
    return dashes * SVG_COLOURS + colours[i % CLI_COUNT(colours)];
}

static void put_class(FILE *out, const char *element, const char *class, int look)
{
    fprintf(out, "<%s class=\"%s c%d", element, class, look % SVG_COLOURS);
    if (look >= SVG_COLOURS) fprintf(out, " d%d", look / SVG_COLOURS);
    fputs("\" ", out);
}

static void put_words(FILE *out, double x, double y, const char *class, const char *text, double room)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    svg_text_cut(out, text, room);
    fputs("</text>", out);
}

/* ---- The picture ---- */

static void open_picture(const svg_chart *chart, double width, double height)
{
    enum { HEAD = 30, MARGIN = 10 };
    FILE *out = chart->out;
    if (chart->title)
        fprintf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                "viewBox=\"%d %d %.0f %.0f\" role=\"img\" aria-label=\"",
                2 * (width + 2 * MARGIN), 2 * (height + HEAD + MARGIN), -MARGIN, -HEAD, width + 2 * MARGIN,
                height + HEAD + MARGIN);
    else
        fprintf(out, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", width, height);
    svg_text(out, chart->name);
    fputs("\">", out);
    if (!chart->title) return;
    fprintf(out,
            "\n<style>\n%s</style>\n<rect class=\"paper\" x=\"%d\" y=\"%d\" width=\"100%%\" height=\"100%%\"/>",
            svg_style, -MARGIN, -HEAD);
    put_words(out, 0, -12, "head start", chart->title, width);
    putc('\n', out);
}

/* What the looks mean, in as many lines as it takes. Returns their height; nothing is written without `write`. */
static double put_keys(const svg_chart *chart, double y, int bars, int write)
{
    enum { SAMPLE = 16, GAP = 12, LINE = 15 };
    double x = 0, height = 0;
    for (size_t i = 0; i < chart->key_count; i++) {
        const svg_key *key = &chart->keys[i];
        const double room = fmin(svg_text_width(key->text), WIDTH - SAMPLE - 4);
        if (i == 0 || x + SAMPLE + 4 + room > WIDTH) x = 0, height += LINE;
        if (write) {
            put_class(chart->out, "path", bars ? "bar" : "line", key->look);
            fprintf(chart->out, bars ? "d=\"M%.1f %.1fh10v9h-10z\"/>" : "d=\"M%.1f %.1fh16\"/>", x + (bars ? 3 : 0),
                    y + height - (bars ? 8 : 4));
            put_words(chart->out, x + SAMPLE + 4, y + height, "start", key->text, room);
        }
        x += SAMPLE + 4 + room + GAP;
    }
    return height;
}

/* ---- Axes ---- */

void svg_tick_add(svg_axis *axis, double at, const char *text)
{
    if (axis->count == SVG_TICKS) return;
    svg_tick *tick = &axis->ticks[axis->count++];
    tick->at = at;
    snprintf(tick->text, sizeof tick->text, "%s", text);
}

double svg_between(double low, double high, double part)
{
    return low * (1 - part) + high * part;
}

/* An axis between two numbers that are apart from each other, and whose difference is a number too. */
svg_axis svg_axis_bare(const char *title, double low, double high)
{
    const double most = DBL_MAX / 2, least = 1e-290;
    if (!(low <= high)) low = 0, high = 1; /* there are none */
    low = fmax(-most, fmin(most, low)), high = fmax(-most, fmin(most, high));
    if (!(high - low > fmax(least, 1e-12 * fabs(low)))) high = low + fmax(fabs(low) * 0.1, fabs(low) < least);
    return (svg_axis){.low = low, .high = high, .title = title};
}

/* A round step that cuts a range into about `parts`. */
static double round_step(double range, double parts)
{
    const double rough = range / parts, power = pow(10, floor(log10(rough))), times = rough / power;
    return power * (times < 1.5 ? 1 : times < 3 ? 2 : times < 7 ? 5 : 10);
}

/* Ticks at the multiples of a step, with as many digits as tell them apart. */
static void add_ticks(svg_axis *axis, double step)
{
    const double first = step * ceil(axis->low / step - 1e-9);
    const double digits = fmax(0, -floor(log10(step) + 1e-9));
    for (size_t i = 0; i < SVG_TICKS; i++) {
        const double at = first + step * (double)i;
        const double shown = fabs(at) < step * 1e-6 ? 0 : at;
        if (at > axis->high + step * 1e-6) break;
        svg_tick_add(axis, at,
                     digits <= 5 && fabs(at) < 9999.5 ? cli_text("%.*f", (int)digits, shown) : svg_number(shown));
    }
}

svg_axis svg_axis_of(const char *title, double low, double high)
{
    svg_axis axis = svg_axis_bare(title, low, high);
    const double step = round_step(axis.high - axis.low, 4);
    const double from = step * floor(axis.low / step + 1e-9), to = step * ceil(axis.high / step - 1e-9);
    if (isfinite(to - from)) axis.low = from, axis.high = to;
    add_ticks(&axis, step);
    return axis;
}

/* 1, 2, 5, 10, 20 and so on; powers of ten alone over three of them or more; round numbers within one. */
svg_axis svg_axis_log(const char *title, double low, double high)
{
    static const double steps[] = {1, 2, 5};
    svg_axis axis = svg_axis_bare(title, low, high);
    if (!(axis.low > 0)) return svg_axis_of(title, low, high);
    axis.logarithm = 1;
    const double decades = log10(axis.high) - log10(axis.low);
    const int first = (int)floor(log10(axis.low)), last = (int)floor(log10(axis.high) + 1e-9);
    const int every = 1 + (last - first) / 7;
    if (decades < 0.7) add_ticks(&axis, round_step(axis.high - axis.low, 3));
    for (int power = first; power <= last && decades >= 0.7; power += every)
        for (size_t i = 0; i < (decades < 3 ? CLI_COUNT(steps) : 1); i++) {
            const double at = steps[i] * pow(10, power);
            if (at > 0.999 * axis.low && at < 1.001 * axis.high) svg_tick_add(&axis, at, svg_number(at));
        }
    return axis;
}

/* From 0 at the low end to 1 at the high one, whatever the number is. */
static double share(const svg_axis *axis, double at)
{
    const double part = axis->logarithm ? (log(at) - log(axis->low)) / (log(axis->high) - log(axis->low))
                                        : (at - axis->low) / (axis->high - axis->low);
    return part > 0 ? fmin(part, 1) : 0;
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

/* Words below the axis; those at its ends stay within the picture, and those that would touch others are left out. */
static void draw_x_ticks(const svg_chart *chart)
{
    double used = -INFINITY;
    for (size_t i = 0; i < chart->x.count; i++) {
        const svg_tick *tick = &chart->x.ticks[i];
        const double x = place_x(chart, tick->at), width = svg_text_width(tick->text);
        const int end = x + width / 2 > WIDTH, start = x - width / 2 < 0 || (x <= chart->left + 1 && width > 48);
        const double from = end ? x - width : start ? x : x - width / 2;
        fprintf(chart->out, "<path class=\"axis\" d=\"M%.1f %.1fv4\"/>", x, chart->bottom);
        if (from < used + 4) continue;
        put_words(chart->out, x, chart->bottom + 15, end ? "end" : start ? "start" : "middle", tick->text, WIDTH);
        used = from + width;
    }
}

void svg_begin(svg_chart *chart)
{
    const double keys = put_keys(chart, 0, 0, 0);
    chart->left = LEFT, chart->right = WIDTH - RIGHT;
    chart->top = TOP + (chart->y.title ? 12 : 0), chart->bottom = HEIGHT - BOTTOM;
    open_picture(chart, WIDTH, HEIGHT + (keys > 0 ? keys + 4 : 0));
    for (size_t i = 0; i < chart->y.count; i++) {
        const double y = place_y(chart, chart->y.ticks[i].at);
        fprintf(chart->out, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", chart->left, y, chart->right);
        put_words(chart->out, chart->left - 5, y + 3.5, "end", chart->y.ticks[i].text, LEFT);
    }
    draw_x_ticks(chart);
    if (chart->y.title) put_words(chart->out, 0, 10, "title start", chart->y.title, WIDTH);
    if (chart->x.title) put_words(chart->out, chart->right, HEIGHT - 6, "title end", chart->x.title, WIDTH);
    fprintf(chart->out, "<path class=\"axis\" d=\"M%.1f %.1fH%.1f\"/>\n", chart->left, chart->bottom, chart->right);
    put_keys(chart, HEIGHT, 0, 1);
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

void svg_line(const svg_chart *chart, const double *x, const double *y, size_t count, int look, int dots)
{
    int begun = 0;
    put_class(chart->out, "path", "line", look);
    fputs("d=\"", chart->out);
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i])) continue;
        fprintf(chart->out, "%c%.1f %.1f", begun ? 'L' : 'M', place_x(chart, x[i]), place_y(chart, y[i]));
        begun = 1;
    }
    fputs("\"/>\n", chart->out);
    for (size_t i = 0; i < count && dots; i++)
        if (isfinite(x[i]) && isfinite(y[i]))
            svg_dot(chart, x[i], y[i], dots == SVG_SMALL_DOTS ? 1.6 : 2.5, look, cli_text("%.4g", y[i]));
}

void svg_dot(const svg_chart *chart, double x, double y, double radius, int look, const char *tip)
{
    put_class(chart->out, "circle", "dot", look);
    fprintf(chart->out, "cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\">", place_x(chart, x), place_y(chart, y), radius);
    put_tip(chart->out, tip);
    fputs("</circle>\n", chart->out);
}

void svg_spread(const svg_chart *chart, double x, double y, double spread, int look)
{
    if (!isfinite(x) || !isfinite(y) || !(spread > 0)) return;
    const double at = place_x(chart, x), top = place_y(chart, y + spread), bottom = place_y(chart, y - spread);
    put_class(chart->out, "path", "spread", look % SVG_COLOURS);
    fprintf(chart->out, "d=\"M%.1f %.1fh6m-3 0V%.1fm-3 0h6\"/>\n", at - 3, top, bottom);
}

void svg_column(const svg_chart *chart, double from, double to, double height, int look, const char *tip)
{
    const double x = place_x(chart, from), width = place_x(chart, to) - x, y = place_y(chart, height);
    const double gap = width > 4 ? 1 : 0.2;
    put_class(chart->out, "rect", "bar", look);
    fprintf(chart->out, "x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\">", x + gap / 2, y,
            fmax(width - gap, 0.1), chart->bottom - y);
    put_tip(chart->out, tip);
    fputs("</rect>\n", chart->out);
}

void svg_band(const svg_chart *chart, double from, double to, const char *text)
{
    const double x = place_x(chart, from), width = fmax(place_x(chart, to) - x, 0);
    fprintf(chart->out, "<rect class=\"band\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", x,
            chart->top, width, chart->bottom - chart->top);
    if (width > svg_text_width(text)) put_words(chart->out, x + width / 2, chart->top - 3, "middle", text, width);
    putc('\n', chart->out);
}

void svg_rule(const svg_chart *chart, double x0, double y0, double x1, double y1)
{
    fprintf(chart->out, "<path class=\"rule\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", place_x(chart, x0),
            place_y(chart, y0), place_x(chart, x1), place_y(chart, y1));
}

/* ---- Bars ---- */

enum { WORDS = 128, NUMBER = 42, THICK = 11, BAR = 13, BAR_GAP = 7 };

static void put_bar(FILE *out, const svg_bar *bar, double y, double most)
{
    const svg_axis scale = {.low = 0, .high = most > 0 ? most : 1};
    const double room = WIDTH - WORDS - NUMBER, length = room * share(&scale, bar->value);
    double end = WORDS + length;
    if (bar->text[0]) put_words(out, WORDS - 6, y + 9, "end", bar->text, WORDS - 6);
    if (bar->below[0]) put_words(out, WORDS - 6, y + 8, "end small", bar->below, WORDS - 6);
    if (!isfinite(bar->value)) return;
    put_class(out, "rect", "bar", bar->look);
    fprintf(out, "x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>", WORDS, y, fmax(length, 0.5), THICK);
    if (bar->spread > 0) {
        const double from = WORDS + room * share(&scale, bar->value - bar->spread);
        end = WORDS + room * share(&scale, bar->value + bar->spread);
        put_class(out, "path", "spread", bar->look);
        fprintf(out, "d=\"M%.1f %.1fv5m0 -2.5H%.1fm0 -2.5v5\"/>", from, y + 3, end);
    }
    put_words(out, end + 4, y + 9, "start",
              fabs(bar->value) < 1000 ? cli_text("%.3f", bar->value) : svg_number(bar->value), NUMBER);
    putc('\n', out);
}

void svg_bars(const svg_chart *chart, const svg_bar *bars, size_t count, double most)
{
    double height = 0, y = 1;
    for (size_t i = 0; i < count; i++) height += BAR + (i && bars[i].text[0] ? BAR_GAP : 0);
    open_picture(chart, WIDTH, height + 4 + (chart->key_count ? 6 + put_keys(chart, 0, 1, 0) : 0));
    fprintf(chart->out, "<path class=\"axis\" d=\"M%d 0V%.0f\"/>\n", WORDS, height + 2);
    for (size_t i = 0; i < count; i++) {
        if (i && bars[i].text[0]) y += BAR_GAP;
        put_bar(chart->out, &bars[i], y, most);
        y += BAR;
    }
    put_keys(chart, height + 6, 1, 1);
    fputs("</svg>\n", chart->out);
}

/* ---- Maps ---- */

enum { LEVELS = 10, LARGEST_MAP = 160, NARROWEST_MAP = 64, MAP_GAP = 8, ROW_NAME = 16, COLUMN_NAME = 24 };

static signed char level_of(double value, double most)
{
    const double level = value / most * LEVELS;
    return isnan(level) ? 0 : (signed char)lround(fmax(-LEVELS, fmin(LEVELS, level)));
}

/* The stroke of a level: nothing at 0, so that any paper shows through. */
static void begin_level(FILE *out, int level)
{
    fprintf(out, "<path class=\"cell c%d\" stroke-opacity=\"%.1f\" d=\"", level < 0 ? 0 : 1,
            fabs((double)level) / LEVELS);
}

/* All cells of a level as one path, neighbours as one stroke: a matrix may have thousands of them. */
static void put_level(FILE *out, const svg_maps *maps, int level)
{
    int begun = 0;
    for (size_t y = 0; y < maps->size; y++)
        for (size_t x = 0; x < maps->size; x++) {
            size_t end = x;
            while (end < maps->size && maps->levels[y * maps->size + end] == level) end++;
            if (end == x) continue;
            if (!begun++) begin_level(out, level);
            fprintf(out, "M%zu %zu.5h%zu", x, y, end - x);
            x = end;
        }
    if (begun) fputs("\"/>", out);
}

static void put_map(FILE *out, const svg_maps *maps, size_t row, size_t column, double x, double y, double side)
{
    const size_t size = maps->size, cells = isnan(maps->cell(maps->context, row, column, 0, 0)) ? 0 : size * size;
    for (size_t i = 0; i < cells; i++)
        maps->levels[i] = level_of(maps->cell(maps->context, row, column, i / size, i % size), maps->most);
    fprintf(out, "<g transform=\"translate(%.1f %.1f) scale(%.4f)\">", x, y, side / (double)size);
    for (int level = -LEVELS; level <= LEVELS && cells; level++)
        if (level) put_level(out, maps, level);
    fprintf(out, "</g><rect class=\"edge\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", x, y, side,
            side);
}

/* A time is written in two lines, the day and the clock. */
static void put_column_name(FILE *out, const char *name, double x, double room)
{
    const char *space = strchr(name, ' ');
    room *= 1.2; /* small letters */
    put_words(out, x, 9, "small start", cli_text("%.*s", (int)strcspn(name, " "), name), room);
    if (space) put_words(out, x, 20, "small start", space + 1, room);
}

static void put_scale(FILE *out, double most, double y)
{
    enum { CELL = 6, LOW_END = 60 };
    put_words(out, LOW_END - 6, y + 8, "end", cli_text("%.2g", -most), LOW_END);
    fprintf(out, "<g transform=\"translate(%d %.1f) scale(%d 9)\">", LOW_END, y, CELL);
    for (int level = -LEVELS; level <= LEVELS; level++) {
        begin_level(out, level);
        fprintf(out, "M%d .5h1\"/>", level + LEVELS);
    }
    fprintf(out, "</g><rect class=\"edge\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"9\"/>", LOW_END, y,
            CELL * (2 * LEVELS + 1));
    put_words(out, LOW_END + CELL * (2 * LEVELS + 1) + 6, y + 8, "start", cli_text("%.2g", most), LOW_END);
}

void svg_maps_draw(const svg_chart *chart, const svg_maps *maps)
{
    const double width = fmax(WIDTH, (double)maps->columns * NARROWEST_MAP);
    const double step = fmin(width / (double)maps->columns, LARGEST_MAP), side = step - MAP_GAP;
    const double row_height = ROW_NAME + side + MAP_GAP, height = COLUMN_NAME + row_height * (double)maps->rows;
    open_picture(chart, width, height + 20);
    for (size_t column = 0; column < maps->columns; column++)
        put_column_name(chart->out, maps->column_name(maps->context, column), step * (double)column, side);
    for (size_t row = 0; row < maps->rows; row++) {
        const double y = COLUMN_NAME + row_height * (double)row + ROW_NAME;
        put_words(chart->out, 0, y - 4, "start", maps->row_name(maps->context, row), width);
        for (size_t column = 0; column < maps->columns; column++)
            put_map(chart->out, maps, row, column, step * (double)column, y, side);
    }
    put_scale(chart->out, maps->most, height + 6);
    fputs("</svg>\n", chart->out);
}
