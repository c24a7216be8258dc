/* A small chart writer: bars lying one below the other. */
#include "svg.h"

#include <math.h>

enum { WIDTH = 360, WORDS = 128, NUMBER = 42, THICK = 11, BAR = 13, GAP = 7 };

static void put_bar(FILE *out, const svg_bar *bar, double y, double most)
{
    const double length = isfinite(bar->value) && most > 0 ? bar->value / most * (WIDTH - WORDS - NUMBER) : 0;
    if (bar->text[0]) {
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" class=\"end\">", WORDS - 6, y + 9);
        svg_text(out, bar->text);
        fputs("</text>", out);
    }
    if (bar->below[0]) {
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" class=\"end small\">", WORDS - 6, y + 8);
        svg_text(out, bar->below);
        fputs("</text>", out);
    }
    if (!isfinite(bar->value)) return;
    fprintf(out, "<rect class=\"bar c%d\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>", bar->colour, WORDS,
            y, length < 0.5 ? 0.5 : length, THICK);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"start\">%.3f</text>\n", WORDS + length + 4, y + 9,
            bar->value);
}

void svg_bars(FILE *out, const char *name, const svg_bar *bars, size_t count, double most)
{
    double y = 0;
    for (size_t i = 0; i < count; i++) y += BAR + (i && bars[i].text[0] ? GAP : 0);
    fprintf(out, "<svg viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"", WIDTH, y + 4);
    svg_text(out, name);
    fprintf(out, "\"><path class=\"axis\" d=\"M%d 0V%.0f\"/>\n", WORDS, y + 2);
    y = 1;
    for (size_t i = 0; i < count; i++) {
        if (i && bars[i].text[0]) y += GAP;
        put_bar(out, &bars[i], y, most);
        y += BAR;
    }
    fputs("</svg>\n", out);
}
