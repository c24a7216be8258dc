/* Layout, the header: its names beside the fields of the rows, of which there may be more or fewer. */
#include "events/import/layout_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNNAMED_MOST 3 /* fields of a row that the header does not name */

int sg_layout_fail_narrow(int columns, const char *file, scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: the rows have %d field%s; a source, a destination and a time are needed%s", file, columns,
                   sg_plural(columns),
                   columns == 1 ? ", separated by commas, semicolons, tabs, bars, :: or blanks" : "");
}

/* R's write.table gives rows a name, and the header none for it. */
static int has_row_names(const sg_layout *layout, const sg_sample *sample)
{
    sg_name last;
    const int columns = layout->columns;
    if (sample->count < 2 || sg_sample_usual_count(sample, 1) != columns + 1) return 0;
    sg_name_read(layout->names[columns - 1], strlen(layout->names[columns - 1]), &last);
    if (last.role == SG_ROLE_FEATURE) return 0; /* JODIE: the last name stands for several fields */
    for (int i = 1; i < sample->count && i <= 3; i++) {
        char number[16];
        const sg_field *field = &sample->rows[i].fields[0];
        const int length = snprintf(number, sizeof number, "%d", i);
        if ((int)field->length != length || memcmp(field->text, number, (size_t)length) != 0) return 0;
    }
    return 1;
}

/* A column without a name at a place. */
static int insert_column(sg_layout *layout, int at, scadyg_error *error)
{
    char *none = strdup("");
    if (!none) return sg_fail_memory(error, "column names");
    memmove(layout->names + at + 1, layout->names + at, (size_t)(layout->columns - at) * sizeof *layout->names);
    layout->names[at] = none;
    layout->columns++;
    return SCADYG_OK;
}

/*
 * Where blanks separate fields, a date with its time of day (and zone) is more of them than the header has names; the rows
 * may have names besides.
 */
static int insert_clocks(sg_layout *layout, const sg_sample *sample, scadyg_error *error)
{
    const int usual = sample->count < 2 ? 0 : sg_sample_usual_count(sample, 1), more = usual - layout->columns;
    int status = SCADYG_OK;
    if (layout->separator != ' ' || more < 1 || more > UNNAMED_MOST) return SCADYG_OK;
    for (int i = 0; i + 1 < usual; i++) {
        if (!sg_sample_facts(sample, 1, i, usual).dates || !sg_sample_facts(sample, 1, i + 1, usual).clocks)
            continue;
        const int fields = i + 2 < usual && sg_sample_facts(sample, 1, i + 2, usual).zones ? 2 : 1,
                  rest = more - fields;
        for (int k = 0; k < fields && rest >= 0 && rest < 2 && i >= rest && !status; k++)
            status = insert_column(layout, i - rest + 1, error);
        break;
    }
    return status;
}

/* Separators at the end of the header make columns without a name, which are none if nothing is in them. */
static void drop_last_columns(sg_layout *layout, const sg_sample *sample)
{
    while (layout->columns > 1 && !*layout->names[layout->columns - 1] &&
           !sg_sample_facts(sample, 1, layout->columns - 1, layout->columns).values) {
        layout->columns--;
        free(layout->names[layout->columns]);
        layout->names[layout->columns] = NULL;
    }
}

static int check_encoding(const sg_layout *layout, const sg_sample *sample, const char *file, scadyg_error *error)
{
    for (int i = 0; i < layout->columns; i++)
        if (!sg_utf8_valid(layout->names[i], strlen(layout->names[i])))
            return sg_fail(
                error, SCADYG_E_LAYOUT,
                "%s is not UTF-8 (line %llu), and its encoding is not known: convert it with iconv, or say "
                "--encoding windows-1252 if an old Windows program of Western Europe wrote it",
                file, (unsigned long long)sample->rows[0].line);
    return SCADYG_OK;
}

/* Most rows have more fields than the header has names: what separates fields stands in the values, too. */
static int check_wide(const sg_layout *layout, const sg_sample *sample, const sg_told *told, const char *file,
                      scadyg_error *error)
{
    sg_name last;
    const sg_sample_row *first = NULL;
    int wide = 0;
    const char *name = layout->names[layout->columns - 1];
    sg_name_read(name, strlen(name), &last);
    if (last.role == SG_ROLE_FEATURE || told->features) return SCADYG_OK; /* the last name may stand for several */
    for (int i = 1; i < sample->count; i++) {
        const sg_sample_row *row = &sample->rows[i];
        int count = row->count;
        while (count > layout->columns && row->fields[count - 1].length == 0) count--;
        if (count <= layout->columns) continue;
        if (!first) first = row;
        wide++;
    }
    if (!first || 2 * wide <= sample->count - 1 || (layout->separator != ' ' && layout->separator != ','))
        return SCADYG_OK;
    return sg_fail(
        error, SCADYG_E_LAYOUT,
        "%s:%llu: the row has %d fields where the header has %d names, and so have most: %s", file,
        (unsigned long long)first->line, first->count, layout->columns,
        layout->separator == ' '
            ? "blanks separate the fields, and stand in values too. Columns of fixed width are not read: "
              "export the table with commas or tabs between them"
            : "a comma within a value, as in 12,50, must stand in quotes: export the table with quotes, "
              "or with semicolons between the fields");
}

int sg_layout_by_header(sg_layout *layout, const sg_sample *sample, const sg_told *told, const char *file,
                        scadyg_error *error)
{
    /* Rows may have a few fields that the header has no names for. */
    int status = sg_layout_make_columns(layout, sample->rows[0].count + UNNAMED_MOST, error);
    if (status) return status;
    layout->columns = sample->rows[0].count;
    status = sg_layout_keep_names(layout, &sample->rows[0], error);
    if (!status) status = check_encoding(layout, sample, file, error);
    if (!status) status = insert_clocks(layout, sample, error);
    if (!status && has_row_names(layout, sample)) {
        layout->row_names = 1;
        status = insert_column(layout, 0, error);
    }
    if (status) return status;
    if (sample->count < 2 && sample->uncut)
        return sg_fail(error, SCADYG_E_INPUT,
                       "%s:%llu:1: a quoted field does not end as it should: a quote within it is written \"\", "
                       "not \\\"; with "
                       "--plain-quotes a quote is a letter",
                       file, (unsigned long long)sample->uncut);
    drop_last_columns(layout, sample);
    if (layout->columns < 3) return sg_layout_fail_narrow(layout->columns, file, error);
    status = check_wide(layout, sample, told, file, error);
    if (!status) status = sg_layout_choose_roles(layout, sample, told, file, error);
    if (!status && sample->count < 2)
        status = sg_fail(error, SCADYG_E_INPUT, "%s has a header but no events", file);
    return status;
}
