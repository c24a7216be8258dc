/* Layout, in words; and whether two of them go together. */
#include "events/import/layout.h"

#include <stdio.h>

const char *sg_role_name(sg_role role)
{
    static const char *const names[] = {"-",       "src",     "dst",   "time",  "weight", "label",
                                        "feature", "feature", "index", "clock", "zone"};
    return names[role];
}

int sg_layout_agree(const sg_layout *a, const sg_layout *b, const char *file_b, scadyg_error *error)
{
    const char *difference = NULL;
    if (a->features != b->features) difference = "another number of features than the first file";
    if ((a->weight < 0) != (b->weight < 0))
        difference = "weights and the first file has none, or the other way round";
    if ((a->label < 0) != (b->label < 0)) difference = "labels and the first file has none, or the other way round";
    if (a->dates != b->dates) difference = "another way to write times than the first file";
    if (difference)
        return sg_fail(error, SCADYG_E_LAYOUT, "%s has %s: import them apart, or say what the columns are", file_b,
                       difference);
    return SCADYG_OK;
}

/* What a person is told of a column's role. */
static void describe_role(const sg_layout *layout, int column, char *out, size_t size)
{
    static const char *const words[] = {[SG_ROLE_SRC] = "source",
                                        [SG_ROLE_DST] = "destination",
                                        [SG_ROLE_WEIGHT] = "weight",
                                        [SG_ROLE_LABEL] = "label",
                                        [SG_ROLE_FEATURE] = "feature",
                                        [SG_ROLE_FEATURE_LIST] = "features, several numbers in one field",
                                        [SG_ROLE_INDEX] = "row of the edge-feature file",
                                        [SG_ROLE_CLOCK] = "more of the time",
                                        [SG_ROLE_ZONE] = "zone of the time",
                                        [SG_ROLE_IGNORE] = "ignored"};
    const sg_role role = layout->roles[column];
    if (layout->unfit[column])
        snprintf(out, size, "ignored, for it holds no numbers");
    else if (role != SG_ROLE_TIME)
        snprintf(out, size, "%s", words[role]);
    else if (!layout->dates)
        snprintf(out, size, "time (%s)", sg_time_number_name(layout->time_format.kind));
    else
        snprintf(out, size, "time (dates like %s)", sg_time_format_example(&layout->time_format));
}

static const char *name_separator(char separator)
{
    switch (separator) {
    case ' ': return "blank";
    case '\t': return "tab";
    case ',': return "comma";
    case ';': return "semicolon";
    case SG_SEPARATOR_COLONS: return "double-colon";
    default: return "bar";
    }
}

/* A name in its column: letters may have several bytes, and are never cut apart. */
static void pad_name(const char *name, char out[96])
{
    size_t used = 0, width = 0;
    for (; name[used] && used < 60; used++) {
        out[used] = name[used];
        width += ((unsigned char)name[used] & 0xC0) != 0x80;
    }
    while (used && name[used] && ((unsigned char)name[used] & 0xC0) == 0x80) used--;
    for (; width < 22 && used < 90; width++) out[used++] = ' ';
    out[used] = 0;
}

int sg_layout_describe(const sg_layout *layout, const char *file, const char *encoding, char **text,
                       scadyg_error *error)
{
    int status = sg_add_line(error, text, "%s: %s, %s-separated, %s%s", file, encoding,
                             name_separator(layout->separator), layout->has_header ? "with a header" : "no header",
                             layout->decimal_comma ? ", decimal commas" : "");
    if (!status && layout->titles)
        status = sg_add_line(error, text, "  %d line%s above the header left out", layout->titles,
                             layout->titles == 1 ? "" : "s");
    for (int i = 0; i < layout->columns && !status; i++) {
        const char *name = layout->names[i] ? layout->names[i] : "";
        char role[160], padded[96];
        int last = i;
        /* A run of feature columns takes one line. */
        while (layout->roles[i] == SG_ROLE_FEATURE && last + 1 < layout->columns &&
               layout->roles[last + 1] == SG_ROLE_FEATURE)
            last++;
        const char *further = last == layout->columns - 1 && layout->rest ? ", and all further fields" : "";
        describe_role(layout, i, role, sizeof role);
        pad_name(name, padded);
        if (last > i)
            status = sg_add_line(error, text, "  columns %d-%d  %s features%s", i + 1, last + 1, padded, further);
        else
            status = sg_add_line(error, text, "  column %-6d %s %s%s", i + 1, padded, role, further);
        i = last;
    }
    if (layout->features && !status)
        status = sg_add_line(error, text, "  %u feature%s per event", layout->features,
                             layout->features == 1 ? "" : "s");
    return status;
}
