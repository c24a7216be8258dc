/* Import, the layout of one text: found from its beginning, with files of features beside it, and agreeing with those before. */
#include "events/import/import.h"

#include "base/memory.h"
#include "events/import/foreign.h"
#include "events/import/layout_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK ((size_t)512 << 10) /* bytes of text from which the layout is told */

/* ---- The beginning of a text ---- */

static int fail_too_long(const sg_importer *importer, const sg_reader *reader, scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_INPUT, "%s:%llu:1: the row is longer than 1 MiB", importer->file,
                   (unsigned long long)sg_reader_first_gap(reader));
}

/* The beginning of a file, enough to tell its layout. A row too long among it is a bad row like others. */
static int look_at_beginning(sg_importer *importer, sg_reader *reader, scadyg_error *error)
{
    const int64_t skipped = importer->options->skip_bad;
    const uint64_t tolerated = sg_import_is_dry(importer) ? SG_BAD_KEPT
                               : skipped == SG_SKIP_ALL   ? UINT64_MAX
                                                          : (uint64_t)skipped;
    int status = sg_reader_look(reader, LOOK, 2, tolerated, error);
    if (!status) status = sg_foreign_check_first(importer->file, reader->first, reader->first_size, error);
    if (!status)
        status = sg_foreign_check(importer->file, (const unsigned char *)reader->text, reader->seen, error);
    return !status && reader->gap_count > tolerated ? fail_too_long(importer, reader, error) : status;
}

/* ---- What a row holds ---- */

/* Feature files that were not told: those that belong to the first text by their names. */
static int find_features(sg_importer *importer, const sg_input_source *first, const sg_layout *layout,
                         scadyg_error *error)
{
    const int in_file = !first->data && strcmp(first->path, "-") != 0;
    int status = SCADYG_OK;
    if (in_file && layout->index >= 0 && !importer->edge.path)
        status = sg_find_beside(first->path, ".npy", &importer->found_edge, error);
    if (!status && in_file && layout->index >= 0 && !importer->node.path)
        status = sg_find_beside(first->path, "_node.npy", &importer->found_node, error);
    if (!status && in_file && !importer->node.path && !importer->found_node)
        status = sg_find_beside(first->path, ".nodes.csv", &importer->found_node, error);
    if (importer->found_edge) importer->edge.path = importer->found_edge;
    if (importer->found_node) importer->node.path = importer->found_node;
    return status;
}

/* A feature file that cannot be read is found out before any work, also in a dry run. */
static int check_readable(const sg_input_source *source, scadyg_error *error)
{
    sg_input *input;
    int status = source->path ? sg_input_open_source(&input, source, error) : SCADYG_OK;
    if (source->path && !status) sg_input_close(input);
    return status;
}

/* Found beside a text they are for its events and nodes, and there may be others. */
static int check_found(const sg_importer *importer, const char *file, scadyg_error *error)
{
    if (importer->found_edge && importer->rows)
        return sg_fail(error, SCADYG_E_USAGE, "%s belongs to %s: say --edge-features if it is for all texts",
                       importer->found_edge, file);
    if (!importer->node.path || !importer->form.file || importer->form.is_text || importer->form.node_features)
        return SCADYG_OK;
    if (!importer->found_node && !importer->job->append) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s has node features, %s has none: import the log anew, with the features of all nodes",
                   importer->node.path, importer->form.file);
}

/* What a row holds, as the first text has it; what the log has is its say if there is no events file. */
static int find_row(sg_importer *importer, const sg_input_source *first, const sg_layout *layout,
                    scadyg_error *error)
{
    int status = find_features(importer, first, layout, error);
    if (!status) status = check_readable(&importer->edge, error);
    if (!status) status = check_readable(&importer->node, error);
    if (!status) status = check_found(importer, first->path, error);
    if (status) return status;
    sg_import_begin_roles(importer, layout);
    if (importer->edge.path && layout->features)
        return sg_fail(error, SCADYG_E_USAGE, "%s has features in its rows already, so %s cannot be used",
                       first->path, importer->edge.path);
    status = sg_import_agree_text(importer, layout, error);
    if (status || importer->rows) return status;
    const uint32_t features = importer->edge.path && !importer->further_stored ? 0 : importer->form.features;
    importer->places = sg_row_places_make(importer->form.has_weight, importer->form.has_label,
                                          importer->edge.path != NULL, features);
    return SCADYG_OK;
}

/* A further file must go with the first, and features found beside the first are not for both. */
static int check_further(const sg_importer *importer, const sg_layout *layout, scadyg_error *error)
{
    if (importer->found_edge)
        return sg_fail(error, SCADYG_E_USAGE,
                       "%s belongs to the first of several files: say --edge-features if it is for all, or import "
                       "them apart",
                       importer->found_edge);
    if (importer->found_node)
        return sg_fail(error, SCADYG_E_USAGE,
                       "%s belongs to the first of several files: say --node-features if it is for all, or import "
                       "them apart",
                       importer->found_node);
    int status = sg_import_further_roles(importer, layout, error);
    return status ? status : sg_layout_agree(&importer->layout, layout, importer->file, error);
}

/* ---- The columns ---- */

typedef struct order_lines {
    sg_importer *importer;
    sg_order_search search;
    uint64_t lines;
} order_lines;

/* A line of the whole file, until one decides. */
enum { DECIDED = -1 };
static int search_line(void *data, char *line, size_t length, uint64_t number, scadyg_error *error)
{
    order_lines *o = data;
    o->lines = number;
    sg_order_search_line(&o->search, line, length, number);
    if (o->search.line) return DECIDED;
    return number % 65536 ? SCADYG_OK : sg_import_report_reading(o->importer, error);
}

/* Looks through the whole of a file for a row that tells the day from the month. What else is wrong with it is told later. */
static int search_order(const sg_input_source *source, order_lines *o, scadyg_error *error)
{
    sg_input *input = NULL;
    int status = sg_input_open_source(&input, source, error);
    if (status) return status;
    sg_input_tell_encoding(input, o->importer->options->encoding);
    status = sg_input_bound(input, o->importer->memory / 2, error);
    if (!status && sg_lines_read(input, search_line, o, error) == SCADYG_E_CANCELLED) status = SCADYG_E_CANCELLED;
    sg_input_close(input);
    return status;
}

static int find_columns_so(const sg_importer *importer, const sg_reader *reader, const sg_told *told,
                           sg_layout *layout, scadyg_error *error)
{
    return sg_layout_find(layout, importer->file, reader->text, reader->seen, told,
                          importer->have_layout ? &importer->layout : NULL, error);
}

static int find_columns(sg_importer *importer, const sg_input_source *source, const sg_reader *reader,
                        sg_layout *layout, scadyg_error *error)
{
    const sg_time_format *earlier = importer->have_layout ? &importer->layout.time_format : NULL;
    sg_told told = importer->options->told;
    told.times = earlier && earlier->kind == SG_TIMES_PATTERN ? earlier->pattern : importer->earlier_times;
    const int again = sg_input_size(reader->input) > 0; /* a pipe is read once */
    told.order = again ? SG_ORDER_LATER : SG_ORDER_STOP;
    int status = find_columns_so(importer, reader, &told, layout, error);
    if (status || !layout->other_order) return status;
    order_lines o = {.importer = importer};
    sg_field *scratch = sg_alloc(SG_FIELDS_MOST, sizeof *scratch);
    if (!scratch) return sg_fail_memory(error, "the columns");
    sg_order_search_begin(&o.search, layout, scratch);
    status = search_order(source, &o, error);
    free(scratch);
    if (status) return status;
    sg_layout_free(layout);
    told.order = o.lines > SG_SAMPLE_ROWS ? SG_ORDER_NOWHERE : SG_ORDER_STOP;
    if (o.search.line) told.times = o.search.candidates[0].pattern;
    status = find_columns_so(importer, reader, &told, layout, error);
    if (!status && !layout->order_line) layout->order_line = o.search.line;
    return status;
}

/* A zone as --timezone takes it: of a short name its offset. */
static const char *find_offset_text(const char *zone, char out[48])
{
    int64_t offset;
    snprintf(out, 48, "%s", zone);
    if (sg_zone_read(zone, strlen(zone), &offset) == strlen(zone) && offset)
        snprintf(out, 48, "%c%02d:%02d", offset < 0 ? '-' : '+', (int)llabs(offset / 3600),
                 (int)llabs(offset / 60 % 60));
    return out;
}

/* Local times whose zone stands in a column of its own, which is not read: all must be of one, and that must be said. */
static int check_zone(const sg_importer *importer, const sg_layout *layout, scadyg_error *error)
{
    if (layout->place < 0 || importer->options->timezone) return SCADYG_OK;
    const char *name = layout->names[layout->place], *text = layout->place_text;
    char offset[48];
    sg_zone *zone = NULL;
    const int known = layout->one_place && !sg_zone_open(find_offset_text(text, offset), &zone, NULL);
    sg_zone_close(zone);
    if (known)
        return sg_fail(error, SCADYG_E_LAYOUT,
                       "%s: the times have no zone, and the column '%.60s' says '%s', which is not read: say "
                       "--timezone %s",
                       importer->file, name, text, offset);
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: the times have no zone, and the column '%.60s', which is not read, says '%s'%s: write the "
                   "zone behind each time, or say --timezone (UTC, +02:00, Europe/Berlin) if one does for all",
                   importer->file, name, text, layout->one_place ? "" : " and others");
}

int sg_import_find_layout(sg_importer *importer, const sg_input_source *source, sg_reader *reader,
                          sg_layout *layout, scadyg_error *error)
{
    const int first = !importer->have_layout;
    int status = look_at_beginning(importer, reader, error);
    if (status) return status;
    const sg_told *told = &importer->options->told;
    const sg_sample_start start = sg_sample_begin(reader->text, reader->seen);
    if (!told->plain_quotes) status = sg_reader_split(reader, start.separator, start.lines, error);
    if (status) return status;
    status = find_columns(importer, source, reader, layout, error);
    if (!status) status = check_zone(importer, layout, error);
    /* A header or the only rows may be missing for their length: that is what went wrong. */
    if (status && sg_reader_first_gap(reader)) return fail_too_long(importer, reader, error);
    if (!status && !told->plain_quotes)
        status = sg_reader_split(reader, layout->separator, layout->skipped_lines, error);
    if (status) return status;
    if (first) {
        status = find_row(importer, source, layout, error);
        if (!status) status = sg_layout_copy(&importer->layout, layout, error);
        importer->have_layout = 1;
    } else
        status = check_further(importer, layout, error);
    return status ? status : sg_import_describe_file(importer, layout, reader->input, first, error);
}
