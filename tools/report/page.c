/* An HTML page in one file, and how a report names times. */
#include "report/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

/* What a page has beside its charts, whose style sheet has the colours of both. */
static const char style[] =
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:60rem;padding:1rem;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\n"
    "h1{font-size:1.6rem;line-height:1.2;margin:.5rem 0;overflow-wrap:anywhere}\n"
    "h2{font-size:1.25rem;margin:2.2rem 0 .4rem;padding-top:.6rem;border-top:1px solid var(--line)}\n"
    "h3{font-size:1rem;margin:0 0 .5rem}\n"
    "p{margin:.4rem 0 .8rem;overflow-wrap:anywhere}\n"
    ".lead{font-size:1.05rem}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr));gap:1rem}\n"
    "figure{margin:0;padding:.9rem;background:var(--card);border:1px solid "
    "var(--line);border-radius:8px;min-width:0}\n"
    "figcaption,.soft{color:var(--soft);font-size:.9rem}\n"
    "figcaption{margin-top:.5rem}\n"
    "svg{display:block;width:100%;height:auto;overflow:visible}\n"
    ".keys{display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin-top:.4rem;font-size:.85rem}\n"
    ".keys "
    "i{display:inline-block;width:.8rem;height:.8rem;border-radius:3px;background:var(--c);margin-right:.35rem;"
    "vertical-align:-.08rem}\n"
    ".facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.6rem;margin:.8rem 0 1rem}\n"
    ".facts div{padding:.6rem .8rem;border:1px solid var(--line);border-radius:8px;background:var(--card)}\n"
    ".facts b{display:block;font-size:1.15rem;overflow-wrap:anywhere}.facts "
    "span{color:var(--soft);font-size:.85rem}\n"
    ".wide{overflow-x:auto;margin:.6rem 0}\n"
    "table{border-collapse:collapse;font-size:.83rem}\n"
    "th,td{padding:.2rem .7rem .2rem 0;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}\n"
    "td:first-child{white-space:nowrap}td.number,th.number{text-align:right;font-variant-numeric:tabular-nums;"
    "padding:.2rem 0 .2rem .9rem;white-space:nowrap}\n"
    "td.best{font-weight:700}tr.own td{color:var(--c0)}\n"
    "pre{overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;padding:.7rem;background:var(--card);"
    "border:1px solid var(--line);border-radius:8px;font-size:.85rem}\n"
    ".whole{white-space:nowrap}\n"
    ".columns{columns:18rem;column-gap:2rem}.columns div{display:flex;justify-content:space-between;gap:1rem;"
    "border-bottom:1px solid var(--line);font-size:.85rem;break-inside:avoid}\n"
    ".columns span:last-child{color:var(--soft);text-align:right;overflow-wrap:anywhere}\n"
    "@media "
    "print{body{max-width:none;font-size:10pt;padding:0}.facts{grid-template-columns:repeat(6,1fr)}figure,.facts "
    "div,tr{break-inside:avoid}"
    "h2,h3{break-after:avoid}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}"
    ".figures{grid-template-columns:1fr 1fr}.wide{overflow:visible}}\n";

void page_begin(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          out);
    svg_text(out, title);
    fprintf(out, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n", svg_style, style);
}

void page_end(FILE *out)
{
    fputs("</body>\n</html>\n", out);
}

void page_section(FILE *out, const char *id, const char *title, const char *words)
{
    fprintf(out, "<section id=\"%s\">\n<h2>", id);
    svg_text(out, title);
    fputs("</h2>\n", out);
    if (words) page_words(out, "%s", words);
}

void page_section_end(FILE *out)
{
    fputs("</section>\n", out);
}

void page_figure(FILE *out, const char *id, const char *title)
{
    fprintf(out, "<figure id=\"chart-%s\">\n<h3>", id);
    svg_text(out, title);
    fputs("</h3>\n", out);
}

/* Words as printf makes them, fit for HTML. */
__attribute__((format(printf, 2, 0))) static void put_words(FILE *out, const char *format, va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0) cli_out_of_memory();
    svg_text(out, text);
    free(text);
}

void page_figure_end(FILE *out, const svg_key *keys, size_t count, const char *format, ...)
{
    va_list arguments;
    if (count) fputs("<div class=\"keys\">", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "<span><i class=\"c%d\"></i>", keys[i].look % SVG_COLOURS);
        svg_text(out, keys[i].text);
        fputs("</span>", out);
    }
    if (count) fputs("</div>\n", out);
    fputs("<figcaption>", out);
    va_start(arguments, format);
    put_words(out, format, arguments);
    va_end(arguments);
    fputs("</figcaption>\n</figure>\n", out);
}

void page_words(FILE *out, const char *format, ...)
{
    va_list arguments;
    fputs("<p>", out);
    va_start(arguments, format);
    put_words(out, format, arguments);
    va_end(arguments);
    fputs("</p>\n", out);
}

void page_fact(FILE *out, const char *value, const char *what)
{
    fputs("<div>", out);
    page_cell(out, "b", NULL, value);
    page_cell(out, "span", NULL, what);
    fputs("</div>\n", out);
}

void page_cell(FILE *out, const char *tag, const char *class, const char *text)
{
    if (class)
        fprintf(out, "<%s class=\"%s\">", tag, class);
    else
        fprintf(out, "<%s>", tag);
    svg_text(out, text);
    fprintf(out, "</%s>", tag);
}

/* ---- Times and spans in the words of the data ---- */

static double seconds_of(const report *r, double span)
{
    return r->shape->time_kind == SCADYG_TIME_UNIX_MILLI   ? span / 1000
           : r->shape->time_kind == SCADYG_TIME_UNIX_MICRO ? span / 1e6
                                                           : span;
}

const char *report_span_in(const report *r, double span, char text[CLI_TEXT])
{
    const int kind = r->shape->time_kind;
    if (kind == SCADYG_TIME_NUMBER && span >= 999.5) return svg_number_in(span, text);
    if (kind != SCADYG_TIME_NUMBER && kind != SCADYG_TIME_YEAR) return cli_duration_in(seconds_of(r, span), text);
    snprintf(text, CLI_TEXT, "%.3g%s", span, kind == SCADYG_TIME_NUMBER ? "" : span == 1 ? " year" : " years");
    return text;
}

/* A date, or for a few days the time of day with it. */
static void tick_text(const report *r, double at, double range, char text[64])
{
    const int kind = r->shape->time_kind;
    scadyg_time_human(kind, at, text);
    if (kind == SCADYG_TIME_NUMBER) {
        svg_number_in(at, text);
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
        double at = svg_between(axis.low, axis.high, i / 2.0);
        if (r->shape->time_kind == SCADYG_TIME_YEAR) at = floor(at);
        if (axis.count && axis.ticks[axis.count - 1].at >= at) continue;
        tick_text(r, at, axis.high - axis.low, text);
        svg_tick_add(&axis, at, text);
    }
    return axis;
}

svg_chart report_chart(const report *r, const char *id, const char *title, const char *name, svg_axis x, svg_axis y)
{
    svg_chart chart = {.out = r->page, .name = name ? name : title, .x = x, .y = y};
    page_figure(r->page, id, title);
    svg_begin(&chart);
    return chart;
}
