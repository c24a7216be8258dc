/* Import: text files to an events file. Finds each file's layout, numbers the nodes, orders the rows, writes. */
#include "events/import/import.h"

#include "base/memory.h"
#include "events/format.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AHEAD 24                        /* rows between asking for an id's memory and using it */
#define FREE_BLOCKS 6                   /* blocks that do not count in the memory bound */
#define BLOCK_BYTES ((uint64_t)4 << 20) /* what a block takes with its rows, about */

static const sg_option IMPORT_TABLE[] = {
    SG_OPTION(sg_import_options, columns, "columns", 0, SCADYG_OPTION_TEXT, "ROLES", NULL, NULL, 1, 0,
              "what each column is, in order: src dst time weight label feature -, and feature... for the rest "
              "[auto-detected]",
              0),
    SG_OPTION(sg_import_options, edge_features, "edge-features", 0, SCADYG_OPTION_TEXT, "F.npy", NULL, NULL, 1, 0,
              "a matrix with one row of features per event [none, or ml_X.npy beside ml_X.csv]", 1),
    SG_OPTION(sg_import_options, node_features, "node-features", 0, SCADYG_OPTION_TEXT, "F", NULL, NULL, 1, 0,
              "a .npy with a row per id or a .csv with an id column [none, or ml_X_node.npy, X.nodes.csv beside]",
              1),
    SG_OPTION(sg_import_options, bipartite, "bipartite", 0, SCADYG_OPTION_FLAG, NULL, NULL, NULL, 1, 0,
              "sources and destinations are different nodes even where their ids are equal", 0),
    SG_OPTION(sg_import_options, skip_bad, "skip-bad", 0, SCADYG_OPTION_INT, "N", "0", NULL, 0, 1e18,
              "tolerate N bad rows, and report them", 0),
};

const sg_option_set sg_import_set = SG_OPTION_SET("import", IMPORT_TABLE, sg_import_options, NULL);

/* ---- The report ---- */

void scadyg_import_report_free(scadyg_import_report *report)
{
    if (!report) return;
    sg_import_outcome *outcome = (sg_import_outcome *)report;
    SG_FREE(outcome->layout, outcome->first_events, outcome->bad_rows, outcome);
}

static int open_outcome(sg_import_outcome **out, scadyg_error *error)
{
    sg_import_outcome *outcome = sg_alloc_zero(1, sizeof *outcome);
    if (!outcome) return sg_fail_memory(error, "the report");
    outcome->layout = strdup("");
    outcome->first_events = strdup("");
    outcome->bad_rows = strdup("");
    outcome->report.shape = &outcome->shape;
    *out = outcome;
    return outcome->layout && outcome->first_events && outcome->bad_rows ? SCADYG_OK
                                                                         : sg_fail_memory(error, "the report");
}

/* The first bad rows of all files, for a person. */
static int describe_bad_rows(sg_importer *importer, const sg_text_block *block, scadyg_error *error)
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

static int note_bad_rows(sg_importer *importer, const sg_text_block *block, scadyg_error *error)
{
    const uint64_t tolerated = (uint64_t)importer->options->skip_bad;
    const sg_bad_row *first = &block->bad[0];
    if (tolerated == 0)
        return sg_fail(error, SCADYG_E_INPUT, "%s:%llu:%u: %s", importer->file,
                       (unsigned long long)(importer->line_base + first->line + 1), first->column, first->reason);
    int status = describe_bad_rows(importer, block, error);
    if (status) return status;
    uint64_t *bad = &importer->outcome->report.bad;
    *bad += block->bad_count;
    if (*bad <= tolerated) return SCADYG_OK;
    const char *rows = importer->outcome->bad_rows;
    return sg_fail(error, SCADYG_E_INPUT, "more than %llu bad rows; the first: %.*s", (unsigned long long)tolerated,
                   (int)strcspn(rows, "\n"), rows);
}

static int describe_file(sg_importer *importer, const sg_layout *layout, const sg_input *input, int first,
                         scadyg_error *error)
{
    char **text = &importer->outcome->layout;
    int status = sg_layout_describe(layout, sg_input_name(input), sg_input_encoding(input), text, error);
    if (!status && first && importer->two_id_spaces && !layout->two_id_spaces)
        status = sg_add_line(error, text, "  sources and destinations have ids of their own (--bipartite)");
    if (!status && first && importer->edge_path)
        status = sg_add_line(error, text, "  edge features from %s", importer->edge_path);
    if (!status && first && importer->node_path)
        status = sg_add_line(error, text, "  node features from %s", importer->node_path);
    return status;
}

/* ---- Taking blocks ---- */

/* Blocks of text and rows in work: a few are beside the memory bound, more of them for many threads count in it. */
static size_t count_blocks(const sg_importer *importer)
{
    size_t wanted = 2 * sg_context_threads(importer->context) + 2;
    uint64_t most = FREE_BLOCKS + importer->memory / 8 / BLOCK_BYTES;
    return wanted < most ? wanted : (size_t)most;
}

static uint64_t compute_row_budget(const sg_importer *importer)
{
    /* While the id table grows, the old and the new one are held, the new one twice as large. */
    uint64_t taken = 3 * sg_ids_bytes(&importer->ids);
    size_t blocks = count_blocks(importer);
    if (blocks > FREE_BLOCKS) taken += (blocks - FREE_BLOCKS) * BLOCK_BYTES;
    return taken < importer->memory ? importer->memory - taken : 0;
}

static int take_row(sg_importer *importer, const sg_text_block *block, size_t i, uint64_t budget,
                    scadyg_error *error)
{
    uint32_t src, dst;
    void *record;
    int status = sg_ids_node(&importer->ids, &block->src[i], 0, &src, error);
    if (!status) status = sg_ids_node(&importer->ids, &block->dst[i], 1, &dst, error);
    if (!status) status = sg_row_store_add(importer->rows, block->time[i], budget, &record, error);
    if (status) return status;
    sg_row head = {block->time[i], src, dst};
    const sg_row_places *places = &importer->places;
    unsigned char *bytes = record;
    memcpy(bytes, &head, sizeof head);
    if (places->weight) memcpy(bytes + places->weight, &block->weight[i], 4);
    if (places->label) memcpy(bytes + places->label, &block->label[i], 4);
    if (places->index) {
        uint64_t index = block->index[i] + (importer->file_layout->index < 0 ? importer->row_base : 0);
        memcpy(bytes + places->index, &index, 8);
    }
    if (places->features) {
        size_t width = importer->layout.features;
        memcpy(bytes + places->features, block->features + i * width, width * 4);
    }
    return SCADYG_OK;
}

static int show_first_events(sg_importer *importer, const sg_text_block *block, scadyg_error *error)
{
    return sg_text_block_show(block, &importer->layout, SG_FIRST_EVENTS, &importer->shown_events,
                              &importer->outcome->first_events, error);
}

static int take_block(void *data, sg_text_block *block, scadyg_error *error)
{
    sg_importer *importer = data;
    int status = block->bad_count ? note_bad_rows(importer, block, error) : SCADYG_OK;
    if (!status) status = show_first_events(importer, block, error);
    uint64_t budget = compute_row_budget(importer);
    if (!status && budget == 0)
        status = sg_fail(error, SCADYG_E_MEMORY,
                         "the ids of %zu nodes so far do not fit in --memory %lluM; allow at least twice as much",
                         importer->ids.count, (unsigned long long)(importer->memory >> 20));
    for (size_t i = 0; i < block->rows && !status; i++) {
        if (i + AHEAD < block->rows) {
            sg_ids_prefetch(&importer->ids, &block->src[i + AHEAD], 0);
            sg_ids_prefetch(&importer->ids, &block->dst[i + AHEAD], 1);
        }
        status = take_row(importer, block, i, budget, error);
    }
    importer->all_whole &= block->all_whole;
    importer->any_clock |= block->any_clock;
    importer->line_base += block->lines;
    importer->row_base += block->data_rows;
    importer->outcome->report.rows += block->data_rows;
    return status;
}

static int report_reading(void *data, scadyg_error *error)
{
    sg_importer *importer = data;
    return sg_report(importer->context, "reading", importer->bytes_before + sg_input_position(importer->input),
                     importer->bytes_total, error);
}

/* ---- One file ---- */

/*
 * The beginning of a file, enough to tell its layout. A byte order mark is no part of it. *whole: the bytes of
 * whole lines.
 */
static int read_head(sg_input *input, char *head, size_t *size, size_t *whole, scadyg_error *error)
{
    int status = sg_input_read(input, head, SG_TEXT_BLOCK_SIZE, size, error);
    int goes_on = *size == SG_TEXT_BLOCK_SIZE;
    if (!status && *size >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0) {
        memmove(head, head + 3, *size - 3);
        *size -= 3;
    }
    if (!status && *size >= 8 && memcmp(head, SG_EVENTS_MAGIC, 8) == 0)
        return sg_fail(error, SCADYG_E_LAYOUT, "%s is an events file already; look at it with 'scadyg info'",
                       sg_input_name(input));
    const char *newline = !status && goes_on ? memrchr(head, '\n', *size) : NULL;
    *whole = newline ? (size_t)(newline - head) + 1 : *size;
    if (!status && goes_on && !newline)
        return sg_fail(error, SCADYG_E_INPUT, "%s:1:1: the line is longer than %zu bytes", sg_input_name(input),
                       SG_TEXT_BLOCK_SIZE - 1);
    return status;
}

static int copy_text(const char *text, char **copy, scadyg_error *error)
{
    if (text && !(*copy = strdup(text))) return sg_fail_memory(error, "file names");
    return SCADYG_OK;
}

static int find_features(sg_importer *importer, const char *file, const sg_layout *layout, scadyg_error *error)
{
    const int in_file = strcmp(file, "-") != 0;
    int status = copy_text(importer->options->edge_features, &importer->edge_path, error);
    if (!status) status = copy_text(importer->options->node_features, &importer->node_path, error);
    if (!status && in_file && layout->index >= 0 && !importer->edge_path)
        status = sg_find_beside(file, ".npy", &importer->edge_path, error);
    if (!status && in_file && layout->index >= 0 && !importer->node_path)
        status = sg_find_beside(file, "_node.npy", &importer->node_path, error);
    if (!status && in_file && !importer->node_path)
        status = sg_find_beside(file, ".nodes.csv", &importer->node_path, error);
    return status;
}

/* A feature file that cannot be read is found out before any work, also in a dry run. */
static int check_readable(const char *path, scadyg_error *error)
{
    sg_input *input;
    int status = path ? sg_input_open(&input, path, error) : SCADYG_OK;
    if (path && !status) sg_input_close(input);
    return status;
}

/* The first file's layout decides what a row holds. */
static int begin_rows(sg_importer *importer, const char *file, const sg_layout *layout, scadyg_error *error)
{
    int status = find_features(importer, file, layout, error);
    if (!status) status = check_readable(importer->edge_path, error);
    if (!status) status = check_readable(importer->node_path, error);
    if (status) return status;
    importer->two_id_spaces = layout->two_id_spaces || importer->options->bipartite;
    if (importer->edge_path) {
        if (layout->features)
            return sg_fail(error, SCADYG_E_USAGE, "%s has features in its rows already, so %s cannot be used", file,
                           importer->edge_path);
        if (!importer->output) return SCADYG_OK;
        status = sg_edge_matrix_open(&importer->edge_matrix, importer->edge_path, importer->output, error);
        if (status) return status;
        importer->have_edge_matrix = 1;
    }
    if (!importer->output) return SCADYG_OK;
    sg_ids_init(&importer->ids, importer->two_id_spaces ? 2 : 1);
    importer->places =
        sg_row_places_make(layout->weight >= 0, layout->label >= 0, importer->have_edge_matrix, layout->features);
    return sg_row_store_open(&importer->rows, &importer->places, importer->output, error);
}

/* A dry run parses the whole lines of the head only. */
static int look_at_head(sg_importer *importer, const sg_layout *layout, const char *head, size_t size,
                        scadyg_error *error)
{
    sg_text_block block;
    int status = sg_text_block_open(&block, error);
    if (status) return status;
    memcpy(block.text, head, size);
    block.size = size;
    block.skip_lines = layout->skipped_lines;
    status = sg_text_block_parse(&block, layout, error);
    if (!status) status = show_first_events(importer, &block, error);
    if (!status) status = describe_bad_rows(importer, &block, error);
    importer->outcome->report.bad += block.bad_count;
    importer->outcome->report.rows += block.data_rows;
    sg_text_block_close(&block);
    return status;
}

/* A further file must go with the first, and features found beside the first are not for both. */
static int check_further(const sg_importer *importer, const sg_layout *layout, scadyg_error *error)
{
    const sg_import_options *options = importer->options;
    if (importer->edge_path && !options->edge_features)
        return sg_fail(error, SCADYG_E_USAGE,
                       "%s belongs to the first of several files: say --edge-features if it is for all, or import "
                       "them apart",
                       importer->edge_path);
    if (importer->node_path && !options->node_features)
        return sg_fail(error, SCADYG_E_USAGE,
                       "%s belongs to the first of several files: say --node-features if it is for all, or import "
                       "them apart",
                       importer->node_path);
    return sg_layout_agree(&importer->layout, layout, importer->file, error);
}

static int import_file(sg_importer *importer, const char *path, char *head, sg_layout *layout, scadyg_error *error)
{
    sg_input *input;
    size_t size = 0, whole = 0;
    int status = sg_input_open(&input, path, error);
    if (status) return status;
    importer->file = sg_input_name(input);
    importer->input = input;
    importer->line_base = 0;
    sg_input_watch(input, report_reading, importer);
    status = read_head(input, head, &size, &whole, error);
    int found = 0, first = !importer->have_layout;
    if (!status) {
        status = sg_layout_find(layout, importer->file, head, whole, importer->options->columns,
                                first ? NULL : &importer->layout, error);
        found = !status;
    }
    if (!status && first) {
        status = begin_rows(importer, path, layout, error);
        importer->layout = *layout;
        memset(importer->layout.names, 0, sizeof importer->layout.names); /* they stay with the file's own */
        importer->have_layout = 1;
    } else if (!status)
        status = check_further(importer, layout, error);
    if (!status) status = describe_file(importer, layout, input, first, error);
    importer->file_layout = layout;
    if (!status && !importer->output)
        status = look_at_head(importer, layout, head, whole, error);
    else if (!status) {
        sg_pipeline pipeline = {.input = input,
                                .layout = layout,
                                .blocks = count_blocks(importer),
                                .head = head,
                                .head_size = size,
                                .take = take_block,
                                .report = report_reading,
                                .data = importer};
        status = sg_pipeline_run(importer->context, &pipeline, error);
    }
    importer->bytes_before += sg_input_size(input);
    if (found) sg_layout_free(layout);
    sg_input_close(input);
    return status;
}

/*
 * The total size for progress, if every file has one. Missing files are found out before any work. Nothing is read
 * here: what is taken from a pipe is gone.
 */
static int measure_files(sg_importer *importer, const char *const *files, size_t count, scadyg_error *error)
{
    int known = 1;
    for (size_t i = 0; i < count; i++) {
        struct stat facts = {0};
        if (strcmp(files[i], "-") != 0 && (stat(files[i], &facts) != 0 || access(files[i], R_OK) != 0))
            return sg_fail_system(error, errno, "cannot open %s", files[i]);
        known &= S_ISREG(facts.st_mode);
        importer->bytes_total += (uint64_t)facts.st_size;
    }
    if (!known) importer->bytes_total = 0;
    return SCADYG_OK;
}

static int import_files(sg_importer *importer, const char *const *files, size_t count, scadyg_error *error)
{
    char *head = sg_alloc(SG_TEXT_BLOCK_SIZE, 1);
    sg_layout *layout = sg_alloc_zero(1, sizeof *layout);
    int status = head && layout ? measure_files(importer, files, count, error) : sg_fail_memory(error, "reading");
    for (size_t i = 0; i < count && !status; i++) status = import_file(importer, files[i], head, layout, error);
    SG_FREE(head, layout);
    if (!status && importer->output) status = sg_import_write(importer, error);
    return status;
}

static void close_importer(sg_importer *importer)
{
    if (importer->rows) sg_row_store_close(importer->rows);
    sg_ids_free(&importer->ids);
    if (importer->have_edge_matrix) sg_edge_matrix_close(&importer->edge_matrix);
    SG_FREE(importer->edge_path, importer->node_path, importer);
}

int sg_import(scadyg_context *context, const char *const *files, size_t file_count, const char *output,
              const sg_import_options *options, scadyg_import_report **report, scadyg_error *error)
{
    if (file_count == 0) return sg_fail(error, SCADYG_E_USAGE, "no file to import");
    sg_importer *importer = sg_alloc_zero(1, sizeof *importer);
    if (!importer) return sg_fail_memory(error, "importing");
    importer->context = context;
    importer->options = options;
    importer->output = output;
    importer->memory = sg_context_memory(context, 2);
    importer->all_whole = 1;
    int status = open_outcome(&importer->outcome, error);
    if (!status) status = import_files(importer, files, file_count, error);
    sg_import_outcome *outcome = importer->outcome;
    close_importer(importer);
    if (status || !report) {
        scadyg_import_report_free(outcome ? &outcome->report : NULL);
        return status;
    }
    outcome->report.layout = outcome->layout;
    outcome->report.first_events = outcome->first_events;
    outcome->report.bad_rows = outcome->bad_rows;
    *report = &outcome->report;
    return SCADYG_OK;
}

int scadyg_import(scadyg_context *context, const char *const *files, size_t file_count, const char *output,
                  const scadyg_options *options, scadyg_import_report **report, scadyg_error *error)
{
    sg_import_options values;
    int status = sg_options_values(options, &sg_import_set, &values, error);
    return status ? status : sg_import(context, files, file_count, output, &values, report, error);
}
