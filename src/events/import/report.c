/* Import, what it tells: the layout of each file, the first events, the bad rows. */
#include "events/import/import.h"

#include "base/memory.h"

#include <string.h>

void scadyg_import_report_free(scadyg_import_report *report)
{
    if (!report) return;
    sg_import_outcome *outcome = (sg_import_outcome *)report;
    SG_FREE(outcome->layout, outcome->first_events, outcome->bad_rows, outcome->checks, outcome);
}

int sg_import_open_outcome(sg_import_outcome **out, scadyg_error *error)
{
    sg_import_outcome *outcome = sg_alloc_zero(1, sizeof *outcome);
    if (!outcome) return sg_fail_memory(error, "the report");
    outcome->layout = strdup("");
    outcome->first_events = strdup("");
    outcome->bad_rows = strdup("");
    outcome->checks = strdup("");
    outcome->report.shape = &outcome->shape;
    *out = outcome;
    return outcome->layout && outcome->first_events && outcome->bad_rows && outcome->checks
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
    if (tolerated != SG_SKIP_ALL && *bad > (uint64_t)tolerated) importer->is_too_bad = 1;
    return status;
}

int sg_import_fail_bad(const sg_importer *importer, scadyg_error *error)
{
    const uint64_t bad = importer->outcome->report.bad, tolerated = (uint64_t)importer->options->skip_bad;
    const char *rows = importer->outcome->bad_rows;
    const int first = (int)strcspn(rows, "\n");
    if (bad == 1) return sg_fail(error, SCADYG_E_INPUT, "%.*s (--skip-bad 1 leaves it out)", first, rows);
    if (!tolerated)
        return sg_fail(error, SCADYG_E_INPUT, "%.*s (and %llu more bad row%s; --skip-bad all leaves them out)",
                       first, rows, (unsigned long long)bad - 1, bad == 2 ? "" : "s");
    return sg_fail(error, SCADYG_E_INPUT, "%llu bad rows, more than %llu; the first: %.*s", (unsigned long long)bad,
                   (unsigned long long)tolerated, first, rows);
}

int sg_import_describe_file(sg_importer *importer, const sg_layout *layout, const sg_input *input, int first,
                            scadyg_error *error)
{
    char **text = &importer->outcome->layout;
    int status = sg_layout_describe(layout, sg_input_name(input), sg_input_encoding(input), text, error);
    if (!status && first && importer->two_id_spaces && !layout->two_id_spaces)
        status = sg_add_line(error, text, "  sources and destinations have ids of their own (--bipartite)");
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
