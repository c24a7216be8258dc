/* Words in charts and pages: what is special in XML, and how much room they take. */
#include "base/letters.h"
#include "report/svg.h"

#include <math.h>

enum { LETTER = 6, WIDE_LETTER = 11 }; /* about how much room one takes */

/* The same as sg_letter; 0 bytes also for what XML cannot have, and for what turns the direction of words around it. */
static size_t letter_of(const char *text, uint32_t *letter)
{
    const size_t size = sg_letter(text, letter);
    return (*letter & 0xFFFE) == 0xFFFE || (*letter >= 0x80 && sg_letter_steers(*letter)) ? 0 : size;
}

static double width_of(uint32_t letter)
{
    return letter < 0x1100 ? LETTER : WIDE_LETTER;
}

double svg_text_width(const char *text)
{
    double width = 0;
    for (uint32_t letter; *text;) {
        const size_t size = letter_of(text, &letter);
        width += width_of(size ? letter : ' ');
        text += size ? size : 1;
    }
    return width;
}

static void put_letter(FILE *out, const char *text, size_t size, uint32_t letter)
{
    switch (letter) {
    case '&': fputs("&amp;", out); break;
    case '<': fputs("&lt;", out); break;
    case '>': fputs("&gt;", out); break;
    case '"': fputs("&quot;", out); break;
    default:
        /* Control characters have no place in a page. */
        if (letter < 32 || letter == 127)
            putc(' ', out);
        else
            fwrite(text, 1, size, out);
    }
}

void svg_text_cut(FILE *out, const char *text, double room)
{
    int cut = svg_text_width(text) > room;
    if (cut) room -= LETTER;
    while (*text) {
        uint32_t letter;
        const size_t size = letter_of(text, &letter);
        room -= width_of(size ? letter : ' ');
        if (cut && room < 0) break;
        if (size)
            put_letter(out, text, size, letter);
        else
            fputs("\xEF\xBF\xBD", out);
        text += size ? size : 1;
    }
    if (cut) fputs("…", out);
}

void svg_text(FILE *out, const char *text)
{
    svg_text_cut(out, text, INFINITY);
}

const char *svg_number_in(double value, char text[CLI_TEXT])
{
    static const struct {
        double size;
        const char *letter;
    } units[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    size_t i = fabs(value) < 1e13 ? 0 : CLI_COUNT(units);
    while (i < CLI_COUNT(units) && fabs(value) < units[i].size * 0.9999) i++;
    if (i < CLI_COUNT(units))
        snprintf(text, CLI_TEXT, "%.3g%s", value / units[i].size, units[i].letter);
    else
        snprintf(text, CLI_TEXT, "%.4g", fabs(value) < 1e-12 ? 0 : value);
    return text;
}
