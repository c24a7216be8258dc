/* Import, what it tells: the layout of each file, the first events, the bad rows. */
#include "events/import/import.h"

#include "base/memory.h"
#include "events/number_text.h"

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
    /* A dry run goes on, so that all that it sees can be put right at once; who asked for it judges. */
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
                       sg_count_text(bad - 1, number), bad == 2 ? "" : "s");
    if (say && say < rows + first && !tolerated) return sg_fail(error, SCADYG_E_INPUT, "%.*s", first, rows);
    if (bad == 1) return sg_fail(error, SCADYG_E_INPUT, "%.*s (--skip-bad 1 leaves it out)", first, rows);
    if (!tolerated)
        return sg_fail(error, SCADYG_E_INPUT, "%.*s (and %s more bad row%s; --skip-bad all leaves them out)", first,
                       rows, sg_count_text(bad - 1, number), bad == 2 ? "" : "s");
    return sg_fail(error, SCADYG_E_INPUT, "%s bad rows, more than %s; the first: %.*s", sg_count_text(bad, number),
                   sg_count_text(tolerated, other), first, rows);
}

int sg_import_describe_file(sg_importer *importer, const sg_layout *layout, const sg_input *input, int first,
                            scadyg_error *error)
{
    char **text = &importer->outcome->layout;
    const char *packing = sg_input_encoding(input), *encoding = sg_input_text(input);
    char how[40];
    snprintf(how, sizeof how, "%s%s%s", packing, encoding ? ", " : "", encoding ? encoding : "");
    int status = sg_layout_describe(layout, sg_input_name(input), how, text, error);
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

int sg_import_show_first(sg_importer *importer, const sg_text_block *block, scadyg_error *error)
{
    return sg_text_block_show(block, &importer->layout, SG_FIRST_EVENTS, &importer->shown_events,
                              &importer->outcome->first_events, error);
}

/* ---- Events files ---- */

int sg_import_describe_stored(sg_importer *importer, const sg_stored *stored, scadyg_error *error)
{
    const scadyg_shape *shape = stored->shape;
    char first[64], last[64], features[64] = "";
    scadyg_time_human(shape->time_kind, shape->first_time, first);
    scadyg_time_human(shape->time_kind, shape->last_time, last);
    if (shape->edge_features)
        snprintf(features, sizeof features, ", %u feature%s per event", shape->edge_features,
                 shape->edge_features == 1 ? "" : "s");
    char events[32], nodes[32];
    return sg_add_line(
        error, &importer->outcome->layout, "%s: an events file, %s event%s of %s node%s%s%s%s, from %s to %s (%s)",
        stored->events->path, sg_count_text(shape->events, events), shape->events == 1 ? "" : "s",
        sg_count_text(shape->nodes, nodes), shape->nodes == 1 ? "" : "s", shape->has_weight ? ", weights" : "",
        shape->has_label ? ", labels" : "", features, first, last, scadyg_time_kind_name(shape->time_kind));
}

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
        sg_shown_event event = {.time_kind = shape->time_kind,
                                .time = stored->time[i],
                                .weight = stored->weight ? &stored->weight[i] : NULL,
                                .label = stored->label ? &stored->label[i] : NULL,
                                .width = shape->edge_features,
                                .features = stored->features ? stored->features + i * shape->edge_features : NULL};
        status = copy_id(stored, stored->src[i], event.src, sizeof event.src, error);
        if (!status) status = copy_id(stored, stored->dst[i], event.dst, sizeof event.dst, error);
        if (!status) status = sg_shown_event_add(&event, &importer->outcome->first_events, error);
        importer->shown_events += !status;
    }
    return status;
}

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
