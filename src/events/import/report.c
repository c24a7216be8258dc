/* Import, what it tells: the layout of each file, the first events, the bad rows. */
#include "events/import/import.h"

#include "base/memory.h"
#include "events/number_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void scadyg_import_report_free(scadyg_import_report *report)
{
    if (!report) return;
    sg_import_outcome *outcome = (sg_import_outcome *)report;
    SG_FREE(outcome->layout, outcome->first_events, outcome->bad_rows, outcome->checks, outcome->first_late,
            outcome);
}

int sg_import_open_outcome(sg_import_outcome **out, scadyg_error *error)
{
    sg_import_outcome *outcome = sg_alloc_zero(1, sizeof *outcome);
    if (!outcome) return sg_fail_memory(error, "the report");
    outcome->layout = strdup("");
    outcome->first_events = strdup("");
    outcome->bad_rows = strdup("");
    outcome->checks = strdup("");
    outcome->first_late = strdup("");
    outcome->report.shape = &outcome->shape;
    *out = outcome;
    return outcome->layout && outcome->first_events && outcome->bad_rows && outcome->checks && outcome->first_late
               ? SCADYG_OK
               : sg_fail_memory(error, "the report");
}

/* ---- Bad rows ---- */

int sg_import_describe_bad(sg_importer *importer, const sg_text_block *block, scadyg_error *error)
{
    sg_import_outcome *outcome = importer->outcome;
    int status = SCADYG_OK;
    for (size_t i = 0; i < block->bad_count && outcome->report.bad + i < SG_BAD_KEPT && !status; i++) {
        const sg_bad_row *bad = &block->bad[i];
        status = sg_add_line(error, &outcome->bad_rows, "%s:%llu:%u: %s", importer->file,
                             (unsigned long long)(importer->line_base + bad->line + 1), bad->column, bad->reason);
    }
    return status;
}

int sg_import_note_bad(sg_importer *importer, const sg_text_block *block, scadyg_error *error)
{
    const int64_t tolerated = importer->options->skip_bad;
    int status = sg_import_describe_bad(importer, block, error);
    uint64_t *bad = &importer->outcome->report.bad;
    *bad += block->bad_count;
    /* A dry run goes on, so that all that it sees can be put right at once; who asked for it decides. */
    if (tolerated != SG_SKIP_ALL && *bad > (uint64_t)tolerated && !sg_import_is_dry(importer))
        importer->is_too_bad = 1;
    return status;
}

int sg_import_fail_bad(const sg_importer *importer, scadyg_error *error)
{
    const uint64_t bad = importer->outcome->report.bad, tolerated = (uint64_t)importer->options->skip_bad;
    const char *rows = importer->outcome->bad_rows;
    const int first = (int)strcspn(rows, "\n");
    char number[32], other[32];
    /* Where the reason names the way out, leaving rows out is none. */
    const char *say = strstr(rows, ": say --");
    if (say && say < rows + first && !tolerated && bad > 1)
        return sg_fail(error, SCADYG_E_INPUT, "%.*s (and %s more bad row%s)", first, rows,
                       sg_count_text(bad - 1, number), sg_plural(bad - 1));
    if (say && say < rows + first && !tolerated) return sg_fail(error, SCADYG_E_INPUT, "%.*s", first, rows);
    if (bad == 1) return sg_fail(error, SCADYG_E_INPUT, "%.*s (--skip-bad 1 leaves it out)", first, rows);
    if (!tolerated)
        return sg_fail(error, SCADYG_E_INPUT, "%.*s (and %s more bad row%s; --skip-bad all leaves them out)", first,
                       rows, sg_count_text(bad - 1, number), sg_plural(bad - 1));
    return sg_fail(error, SCADYG_E_INPUT, "%s bad rows, more than %s; the first: %.*s", sg_count_text(bad, number),
                   sg_count_text(tolerated, other), first, rows);
}

/* ---- Layouts ---- */

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

/* One line per column. */
static int describe_layout(const sg_layout *layout, const char *file, const char *encoding, char **text,
                           scadyg_error *error)
{
    int status = sg_add_line(error, text, "%s: %s, %s-separated, %s%s", file, encoding,
                             name_separator(layout->separator), layout->has_header ? "with a header" : "no header",
                             layout->decimal_comma ? ", decimal commas" : "");
    if (!status && layout->titles)
        status = sg_add_line(error, text, "  %d line%s above the header left out", layout->titles,
                             sg_plural(layout->titles));
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
        status =
            sg_add_line(error, text, "  %u feature%s per event", layout->features, sg_plural(layout->features));
    return status;
}

int sg_import_describe_file(sg_importer *importer, const sg_layout *layout, const sg_input *input, int first,
                            scadyg_error *error)
{
    char **text = &importer->outcome->layout;
    const char *packing = sg_input_encoding(input), *encoding = sg_input_text(input);
    char how[40];
    snprintf(how, sizeof how, "%s%s%s", packing, encoding ? ", " : "", encoding ? encoding : "");
    int status = describe_layout(layout, sg_input_name(input), how, text, error);
    if (!status && layout->doubt)
        status = sg_add_line(error, &importer->outcome->checks, "%s: --src, --dst and --time say which they are",
                             layout->doubt);
    if (!status && layout->same_ends)
        status = sg_add_line(error, &importer->outcome->checks,
                             "every source has one destination and the reverse: two names of the same thing?");
    if (!status && layout->suspect)
        status = sg_add_line(error, &importer->outcome->checks,
                             "the times, such as %s, may be dates: say --time-format %s if they are, else "
                             "--time-format number",
                             layout->suspect_text, layout->suspect);
    if (!status && *layout->rounded_text)
        status = sg_add_line(error, &importer->outcome->checks,
                             "the time '%s' looks like a long number that a spreadsheet has rounded: different "
                             "times may have become one",
                             layout->rounded_text);
    if (!status && first && importer->edge.path)
        status = sg_add_line(error, text, "  edge features from %s", importer->edge.path);
    if (!status && first && importer->node.path)
        status = sg_add_line(error, text, "  node features from %s", importer->node.path);
    return status;
}

int sg_import_describe_stored(sg_importer *importer, const sg_stored *stored, scadyg_error *error)
{
    const scadyg_shape *shape = stored->shape;
    char first[64], last[64], features[64] = "";
    scadyg_time_human(shape->time_kind, shape->first_time, first);
    scadyg_time_human(shape->time_kind, shape->last_time, last);
    if (shape->edge_features)
        snprintf(features, sizeof features, ", %u feature%s per event", shape->edge_features,
                 sg_plural(shape->edge_features));
    char events[32], nodes[32];
    return sg_add_line(
        error, &importer->outcome->layout, "%s: an events file, %s event%s of %s node%s%s%s%s, from %s to %s (%s)",
        stored->events->path, sg_count_text(shape->events, events), sg_plural(shape->events),
        sg_count_text(shape->nodes, nodes), sg_plural(shape->nodes), shape->has_weight ? ", weights" : "",
        shape->has_label ? ", labels" : "", features, first, last, scadyg_time_kind_name(shape->time_kind));
}

/* ---- The first events ---- */

/* An event as a person is shown it. */
typedef struct shown_event {
    int time_kind;
    double time;
    char src[64], dst[64];
    const float *weight, *label; /* NULL: none */
    uint32_t width;              /* of the features */
    const float *features;
} shown_event;

/* What is missing becomes the mean of its column, which is not known before all are read. */
static void print_shown(float value, char text[32])
{
    if (isnan(value))
        snprintf(text, 32, "missing");
    else
        sg_print_float(value, text);
}

/* Its line. */
static int add_shown_event(const shown_event *event, char **text, scadyg_error *error)
{
    char time[64], number[32], rest[160] = "";
    size_t used = 0;
    scadyg_time_text(event->time_kind, event->time, time);
    const struct {
        const char *name;
        const float *value;
    } single[] = {{"weight", event->weight}, {"label", event->label}};
    for (size_t k = 0; k < 2; k++) {
        if (!single[k].value) continue;
        print_shown(*single[k].value, number);
        used += (size_t)snprintf(rest + used, sizeof rest - used, "  %s %s", single[k].name, number);
    }
    for (uint32_t j = 0; j < event->width && j < 4; j++) {
        print_shown(event->features[j], number);
        used += (size_t)snprintf(rest + used, sizeof rest - used, "%s%s", j ? ", " : "  features ", number);
    }
    if (event->width > 4) snprintf(rest + used, sizeof rest - used, ", ...");
    return sg_add_line(error, text, "%s  %s -> %s%s", time, event->src, event->dst, rest);
}

/* Appends the rows as understood to *text, one line each, until *shown is `most`. */
static int show_block(const sg_text_block *block, const sg_layout *layout, int most, int *shown, char **text,
                      scadyg_error *error)
{
    int status = SCADYG_OK;
    for (size_t i = 0; i < block->rows && *shown < most && !status; i++) {
        shown_event event = {.time = block->time[i],
                             .weight = layout->weight >= 0 ? &block->weight[i] : NULL,
                             .label = layout->label >= 0 ? &block->label[i] : NULL,
                             .width = layout->features,
                             .features = block->features ? block->features + i * layout->features : NULL};
        event.time_kind =
            layout->dates ? block->any_clock ? SCADYG_TIME_DATETIME : SCADYG_TIME_DATE : SCADYG_TIME_NUMBER;
        sg_id_print(&block->src[i], event.src, sizeof event.src);
        sg_id_print(&block->dst[i], event.dst, sizeof event.dst);
        status = add_shown_event(&event, text, error);
        *shown += !status;
    }
    return status;
}

int sg_import_show_first(sg_importer *importer, const sg_text_block *block, scadyg_error *error)
{
    return show_block(block, &importer->layout, SG_FIRST_EVENTS, &importer->shown_events,
                      &importer->outcome->first_events, error);
}

/* ---- Events files ---- */

static int copy_id(const sg_stored *stored, uint32_t node, char *out, size_t size, scadyg_error *error)
{
    const sg_hash_key key = {0};
    sg_id id;
    int status = sg_stored_id(stored, &key, node, &id, error);
    if (!status) sg_id_print(&id, out, size);
    return status;
}

int sg_import_show_stored(sg_importer *importer, const sg_stored *stored, scadyg_error *error)
{
    const scadyg_shape *shape = stored->shape;
    int status = SCADYG_OK;
    for (uint64_t i = 0; i < shape->events && importer->shown_events < SG_FIRST_EVENTS && !status; i++) {
        shown_event event = {.time_kind = shape->time_kind,
                             .time = stored->time[i],
                             .weight = stored->weight ? &stored->weight[i] : NULL,
                             .label = stored->label ? &stored->label[i] : NULL,
                             .width = shape->edge_features,
                             .features = stored->features ? stored->features + i * shape->edge_features : NULL};
        status = copy_id(stored, stored->src[i], event.src, sizeof event.src, error);
        if (!status) status = copy_id(stored, stored->dst[i], event.dst, sizeof event.dst, error);
        if (!status) status = add_shown_event(&event, &importer->outcome->first_events, error);
        importer->shown_events += !status;
    }
    return status;
}

/* ---- Late rows ---- */

int sg_import_note_late(sg_importer *importer, uint64_t count, uint64_t line, double time, scadyg_error *error)
{
    char text[64];
    const int first = importer->outcome->report.late == 0;
    importer->outcome->report.late += count;
    if (!first) return SCADYG_OK;
    scadyg_time_human(importer->base_kind, time, text);
    return sg_add_line(error, &importer->outcome->first_late, "%s:%llu: %s", importer->file,
                       (unsigned long long)line, text);
}

int sg_import_fail_late(const sg_importer *importer, scadyg_error *error)
{
    const uint64_t late = importer->outcome->report.late;
    const char *first = importer->outcome->first_late;
    char newest[64], number[32];
    scadyg_time_human(importer->base_kind, importer->rules.newest, newest);
    return sg_fail(error, SCADYG_E_INPUT,
                   "%s event%s earlier than the newest in %s, %s; %s%.*s; --late sort puts %s in its place",
                   sg_count_text(late, number), late == 1 ? " is" : "s are", importer->job->sources[0].path, newest,
                   late == 1 ? "" : "the first: ", (int)strcspn(first, "\n"), first, late == 1 ? "it" : "each");
}
