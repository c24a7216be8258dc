/* The chart of events over time: one column per equal part of the time range, several rows high. */
#include "info.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 8 };

/* How full the row is in a column, in eighths. */
static unsigned fill_of(uint64_t value, uint64_t most, unsigned row)
{
    double height = (double)value / (double)most * ROWS * 8;
    unsigned eighths = (unsigned)(height + 0.5);
    if (value > 0 && eighths == 0) eighths = 1; /* few is not none */
    unsigned below = row * 8;
    return eighths <= below ? 0 : eighths - below >= 8 ? 8 : eighths - below;
}

static void print_row(const scadyg_info *info, uint64_t most, unsigned row, int utf8)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[] = {" ", ".", ".", ".", ":", ":", ":", "#", "#"};
    char text[SCADYG_INFO_BINS * 4 + 1];
    size_t used = 0, end = 0;
    for (size_t i = 0; i < SCADYG_INFO_BINS; i++) {
        unsigned fill = fill_of(info->histogram[i], most, row);
        const char *block = (utf8 ? blocks : ascii)[fill];
        memcpy(text + used, block, strlen(block));
        used += strlen(block);
        if (fill) end = used;
    }
    text[end] = 0; /* no spaces at the end of a line */
    printf("%s\n", text);
}

void info_chart(const scadyg_info *info)
{
    const scadyg_shape *shape = &info->shape;
    int utf8 = cli_utf8();
    uint64_t most = 1;
    for (size_t i = 0; i < SCADYG_INFO_BINS; i++)
        if (info->histogram[i] > most) most = info->histogram[i];
    char label[CLI_TEXT], first[64], last[64];
    cli_count(most, label);
    int width = (int)strlen(label);
    printf("\n  events over time\n");
    for (unsigned row = ROWS; row-- > 0;) {
        printf("  %*s %s", width, row == ROWS - 1 ? label : "", utf8 ? "│" : "|");
        print_row(info, most, row, utf8);
    }
    printf("  %*s %s", width, "0", utf8 ? "└" : "+");
    for (size_t i = 0; i < SCADYG_INFO_BINS; i++) fputs(utf8 ? "─" : "-", stdout);
    scadyg_time_human(shape->time_kind, shape->first_time, first);
    scadyg_time_human(shape->time_kind, shape->last_time, last);
    int gap = SCADYG_INFO_BINS - (int)strlen(first);
    printf("\n  %*s  %s%*s\n", width, "", first, gap > (int)strlen(last) ? gap : (int)strlen(last) + 2, last);
}
