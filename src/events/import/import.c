/* Import: text files to an events file. Finds each file's layout, numbers the nodes, orders the rows, writes. */
#include "events/import/import.h"

#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AHEAD 24                 /* rows between asking for an id's memory and using it */
#define BUDGET_ROWS 1024         /* rows between looks at the memory bound */
#define GROUP 32                 /* rows whose nodes are looked up before any of them is kept */
#define STEP ((size_t)128 << 10) /* bytes read at a time */

#define TEXT_ROW(field, name, argument, help, further)                                                             \
    SG_OPTION(sg_import_options, field, name, 0, SCADYG_OPTION_TEXT, argument, NULL, NULL, 1, 0, help, further)

static const sg_option IMPORT_TABLE[] = {
    TEXT_ROW(told.src, "src", "COLUMN", "the column of the source, by its name or number [auto-detected]", 0),
    TEXT_ROW(told.dst, "dst", "COLUMN", "the column of the destination [auto-detected]", 0),
    TEXT_ROW(told.time, "time", "COLUMN",
             "the column of the time, or DATE,CLOCK: the day and the time of day [auto-detected]", 0),
    TEXT_ROW(told.weight, "weight", "COLUMN", "the column of a weight [auto-detected]", 0),
    TEXT_ROW(told.features, "features", "COLUMNS", "columns of numbers to learn from: a,b,c [auto-detected]", 0),
    TEXT_ROW(told.label, "label", "COLUMN", "the column of a label, kept beside the events [auto-detected]", 0),
    TEXT_ROW(told.columns, "columns", "ROLES",
             "what each column is, in order: src dst time weight label feature -, and feature... for the rest", 0),
    TEXT_ROW(told.where, "where", "CONDITION", "only rows for which it holds: 'event_type == purchase'", 0),
    TEXT_ROW(told.time_format, "time-format", "FORMAT", "how times are written, as of strptime: '%d/%m/%Y %H:%M'",
             0),
    TEXT_ROW(timezone, "timezone", "ZONE", "of times written without one: UTC, +02:00, Europe/Berlin [UTC]", 0),
    SG_OPTION(sg_import_options, told.decimal, "decimal", 0, SCADYG_OPTION_CHOICE, "SIGN", "auto",
              "auto|point|comma", 1, 0, "how decimals are written: 1,234.5 (point) or 1.234,5 (comma)", 1),
    SG_OPTION(
        sg_import_options, missing, "missing", 0, SCADYG_OPTION_CHOICE, "HOW", "stop", "stop|zero|mean|skip", 1, 0,
        "where a weight, label or feature is missing: stop, put zero or the column's mean, or skip the row", 0),
    SG_OPTION(sg_import_options, bipartite, "bipartite", 0, SCADYG_OPTION_FLAG, NULL, NULL, NULL, 1, 0,
              "sources and destinations are separate: user 7 is not item 7 [by names of columns, or ids]", 0),
    SG_OPTION(sg_import_options, one_kind, "one-kind", 0, SCADYG_OPTION_FLAG, NULL, NULL, NULL, 1, 0,
              "sources and destinations are of one kind: 7 is the same node on both sides", 0),
    SG_OPTION(sg_import_options, skip_bad, "skip-bad", 0, SCADYG_OPTION_INT, "N", "none", "none|all", 0, 1e18,
              "tolerate N bad rows, or all, and report them", 0),
    SG_OPTION(sg_import_options, encoding, "encoding", 0, SCADYG_OPTION_CHOICE, "NAME", "auto",
              "auto|utf-8|utf-16le|utf-16be|windows-1252", 1, 0,
              "how letters are written [UTF-8, or UTF-16 where the file begins with its mark]", 1),
    SG_OPTION(sg_import_options, told.plain_quotes, "plain-quotes", 0, SCADYG_OPTION_FLAG, NULL, NULL, NULL, 1, 0,
              "a quote is a letter like others, as in text of mysql or psql's \\copy", 1),
    SG_OPTION(sg_import_options, keep_nulls, "keep-nulls", 0, SCADYG_OPTION_FLAG, NULL, NULL, NULL, 1, 0,
              "NULL, NA, None and the like are ids, not missing ones", 1),
    SG_FILE_OPTION(sg_import_options, edge_features, "edge-features", 0, SCADYG_OPTION_TEXT, "F.npy", NULL, NULL, 1,
                   0, "a matrix with one row of features per event [none, or ml_X.npy beside ml_X.csv]", 1,
                   SCADYG_FILE_READ),
    SG_FILE_OPTION(
        sg_import_options, node_features, "node-features", 0, SCADYG_OPTION_TEXT, "F", NULL, NULL, 1, 0,
        "a .npy with a row per id or a .csv with an id column [none, or ml_X_node.npy, X.nodes.csv beside]", 1,
        SCADYG_FILE_READ),
    /* The last is of append only. */
    SG_OPTION(sg_import_options, late, "late", 0, SCADYG_OPTION_CHOICE, "HOW", "refuse", "refuse|sort", 1, 0,
              "events before the newest of the file: refuse all, or sort them in", 0),
};

static int check_options(const void *values, scadyg_error *error)
{
    const sg_import_options *options = values;
    if (!options->bipartite || !options->one_kind) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_USAGE, "--bipartite and --one-kind exclude each other");
}

const sg_option_set sg_import_set = {"import", IMPORT_TABLE, sizeof IMPORT_TABLE / sizeof *IMPORT_TABLE - 1,
                                     sizeof(sg_import_options), check_options};
const sg_option_set sg_append_set = SG_OPTION_SET("append", IMPORT_TABLE, sg_import_options, check_options);

/* ---- Taking blocks ---- */

static void vote_row(sg_importer *importer, const sg_text_block *block, size_t i, uint32_t src, uint32_t dst)
{
    const size_t width = block->features ? importer->layout.features : 0, weight = importer->places.weight != 0;
    const int counted = importer->checks.columns > weight;
    sg_checks_vote(&importer->checks, src, dst, weight ? &block->weight[i] : NULL, 0, weight);
    if (width && counted) sg_checks_vote(&importer->checks, src, dst, block->features + i * width, weight, width);
}

void sg_import_sum(sg_importer *importer, size_t column, float value)
{
    if (isnan(value)) return;
    importer->sums[column] += (double)value;
    importer->sums[2 + importer->form.features + column]++;
}

/* For the means that take the place of missing numbers. */
static void sum_row(sg_importer *importer, const sg_text_block *block, size_t i)
{
    const size_t width = importer->layout.features;
    if (block->weight) sg_import_sum(importer, 0, block->weight[i]);
    if (block->label) sg_import_sum(importer, 1, block->label[i]);
    for (size_t k = 0; block->features && k < width; k++)
        sg_import_sum(importer, 2 + k, block->features[i * width + k]);
}

static int take_row(sg_importer *importer, const sg_text_block *block, size_t i, uint32_t src, uint32_t dst,
                    uint64_t budget, scadyg_error *error)
{
    void *record;
    int status = sg_row_store_add(importer->rows, block->time[i], budget, &record, error);
    if (status) return status;
    if (sg_row_store_count(importer->rows) == 1) importer->first_row = block->time[i];
    sg_span_add(&importer->file_span, block->time[i]);
    sg_row head = {block->time[i], src, dst};
    vote_row(importer, block, i, src, dst);
    sg_checks_order(&importer->checks, block->time[i]);
    const sg_row_places *places = &importer->places;
    unsigned char *bytes = record;
    if (importer->sums) sum_row(importer, block, i);
    memcpy(bytes, &head, sizeof head);
    if (places->weight) memcpy(bytes + places->weight, &block->weight[i], 4);
    if (places->label) memcpy(bytes + places->label, &block->label[i], 4);
    if (places->index) {
        uint64_t index = block->index[i] + (importer->file_layout->index < 0 ? importer->row_base : 0);
        memcpy(bytes + places->index, &index, 8);
    }
    if (places->features && block->features) {
        size_t width = importer->layout.features;
        memcpy(bytes + places->features, block->features + i * width, width * 4);
    }
    return SCADYG_OK;
}

int sg_import_row_budget(const sg_importer *importer, uint64_t *budget, scadyg_error *error)
{
    const sg_import_plan *plan = &importer->plan;
    /* While the table of ids grows, the old and the new one are held, the new one twice as large. */
    const uint64_t ids = 3 * sg_ids_bytes(&importer->ids),
                   unpacking = importer->input ? sg_input_bytes(importer->input) : 0;
    *budget = plan->row_budget;
    if (*budget) return SCADYG_OK;
    const uint64_t needed = plan->fixed + unpacking + ids + importer->held + plan->least_rows;
    *budget = importer->memory > needed ? importer->memory - needed + plan->least_rows : 0;
    if (*budget) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_MEMORY,
                   "the ids of %zu nodes so far do not fit in --memory %lluM; allow at least %lluM",
                   importer->ids.count, (unsigned long long)(importer->memory >> 20),
                   (unsigned long long)((needed + ids) >> 20) + 1);
}

static int note_late(sg_importer *importer, const sg_text_block *block, scadyg_error *error)
{
    if (!block->late) return SCADYG_OK;
    return sg_import_note_late(importer, block->late, importer->line_base + block->late_line + 1, block->late_time,
                               error);
}

/* The end will be a failure: rows are only counted from here on. */
static int is_too_late(const sg_importer *importer)
{
    return importer->outcome->report.late && importer->options->late == SG_LATE_REFUSE;
}

/*
 * The nodes of some rows, numbered if they are new. Of many nodes, what is known of one is as far away in memory as its id: so
 * first all are found and asked for, then marked.
 */
static int find_nodes(sg_importer *importer, const sg_text_block *block, size_t first, size_t count,
                      uint32_t nodes[][2], scadyg_error *error)
{
    sg_ids *ids = &importer->ids;
    const int marked = importer->kinds == SG_KINDS_UNSAID;
    int status = SCADYG_OK;
    for (size_t k = 0; k < count && !status; k++) {
        const size_t i = first + k;
        if (i + AHEAD < block->rows) {
            sg_ids_prefetch(ids, &block->src[i + AHEAD], 0);
            sg_ids_prefetch(ids, &block->dst[i + AHEAD], 1);
        }
        status = sg_ids_node(ids, &block->src[i], 0, &nodes[k][0], error);
        if (!status) status = sg_ids_node(ids, &block->dst[i], 1, &nodes[k][1], error);
        if (status || !marked) continue;
        __builtin_prefetch(&ids->sides[nodes[k][0] / SG_SIDES_A_BYTE], 1);
        __builtin_prefetch(&ids->sides[nodes[k][1] / SG_SIDES_A_BYTE], 1);
    }
    for (size_t k = 0; k < count && marked && !status; k++) sg_ids_mark(ids, nodes[k][0], nodes[k][1]);
    return status;
}

static int take_rows(sg_importer *importer, const sg_text_block *block, scadyg_error *error)
{
    uint64_t budget = 0;
    uint32_t nodes[GROUP][2];
    int status = SCADYG_OK;
    for (size_t i = 0; i < block->rows && !status; i += GROUP) {
        const size_t left = block->rows - i, count = left < GROUP ? left : GROUP;
        if (i % BUDGET_ROWS == 0) status = sg_import_row_budget(importer, &budget, error);
        if (!status) status = find_nodes(importer, block, i, count, nodes, error);
        for (size_t k = 0; k < count && !status; k++)
            status = take_row(importer, block, i + k, nodes[k][0], nodes[k][1], budget, error);
    }
    return status;
}

static int take_block(void *data, sg_text_block *block, scadyg_error *error)
{
    sg_importer *importer = data;
    int status = block->bad_count ? sg_import_note_bad(importer, block, error) : SCADYG_OK;
    if (!status && block->other_columns)
        status =
            sg_fail(error, SCADYG_E_INPUT,
                    "%s:%llu: the columns are others from here on: put the rows from this line on into a file of "
                    "their own, and give both",
                    importer->file, (unsigned long long)(importer->line_base + block->other_columns));
    if (!status) status = note_late(importer, block, error);
    if (!status) status = sg_import_show_first(importer, block, error);
    const int futile =
        importer->is_too_bad || (is_too_late(importer) && !sg_import_is_dry(importer)) || importer->job->look;
    if (!status && !futile) status = take_rows(importer, block, error);
    importer->file_span.all_whole &= block->all_whole;
    importer->any_clock |= block->any_clock;
    importer->any_unzoned |= block->any_unzoned;
    importer->outcome->report.incomplete += block->skipped;
    importer->outcome->report.filtered += block->filtered;
    importer->outcome->report.filled += block->filled;
    importer->checks.currencies |= block->currencies;
    importer->checks.skipped_clocks += block->skipped_clocks;
    importer->checks.headers += block->headers;
    importer->line_base += block->lines;
    importer->row_base += block->data_rows;
    importer->outcome->report.rows += block->data_rows;
    return status;
}

int sg_import_report_reading(void *data, scadyg_error *error)
{
    sg_importer *importer = data;
    return sg_report(importer->context, "reading", importer->bytes_before + sg_input_position(importer->input),
                     importer->bytes_total, error);
}

/* ---- One file ---- */

int sg_import_is_dry(const sg_importer *importer)
{
    return !importer->job->output && !importer->job->image;
}

/* A row of the matrix is the least that can be written at a time. */
static int open_edge_matrix(sg_importer *importer, scadyg_error *error)
{
    const uint64_t resident = importer->memory / 16;
    int status = sg_edge_matrix_open(&importer->edge_matrix, &importer->edge, resident, importer->beside, error);
    if (status) return status;
    importer->have_edge_matrix = 1;
    const uint64_t row = sizeof(float) * importer->edge_matrix.npy.columns;
    if (row <= importer->memory / 8) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_MEMORY, "%s cannot be used with --memory %lluM: its rows need at least %lluM",
                   importer->edge.path, (unsigned long long)(importer->memory >> 20),
                   (unsigned long long)((8 * row - 1) >> 20) + 1);
}

/* Numbers that are checked for being always the same: not those of a matrix, nor of very many. */
static size_t count_checked(const sg_importer *importer)
{
    const size_t columns = importer->form.features + (size_t)(importer->form.has_weight != 0);
    if (columns > SG_CHECKED_MOST || importer->have_edge_matrix) return (size_t)(importer->form.has_weight != 0);
    return columns;
}

/* Told, or found beside a text; once. */
static int begin_matrix(sg_importer *importer, scadyg_error *error)
{
    if (!importer->edge.path || importer->have_edge_matrix) return SCADYG_OK;
    int status = open_edge_matrix(importer, error);
    return status ? status
                  : sg_import_agree_features(importer, importer->edge.path,
                                             (uint32_t)importer->edge_matrix.npy.columns, error);
}

int sg_import_begin(sg_importer *importer, scadyg_error *error)
{
    if (importer->begun) return SCADYG_OK;
    importer->begun = 1;
    int status = begin_matrix(importer, error);
    if (status) return status;
    if (importer->options->missing == SG_MISSING_MEAN) {
        importer->sums = sg_alloc_zero(2 * (2 + (size_t)importer->form.features), sizeof *importer->sums);
        if (!importer->sums) return sg_fail_memory(error, "the means of columns");
    }
    sg_ids_init(&importer->ids, importer->kinds == SG_KINDS_TWO ? 2 : 1);
    return sg_checks_open(&importer->checks, count_checked(importer), error);
}

int sg_import_begin_rows(sg_importer *importer, scadyg_error *error)
{
    int status = begin_matrix(importer, error);
    if (status || importer->rows) return status;
    /* The rows of a small file that is the only one need no large chunk. */
    const size_t small = 8 * importer->plan.block_size, others = importer->base.events ? 1 : 0;
    size_t chunk_size = importer->plan.chunk_size;
    if (importer->job->count - others == 1 && !importer->job->plan && small && small < chunk_size)
        chunk_size = small;
    return sg_row_store_open(&importer->rows, &importer->places, chunk_size, importer->beside, error);
}

/* Divides the memory bound for one file, now that it is known what a row is. */
static int make_plan(sg_importer *importer, const sg_reader *reader, const sg_layout *layout, scadyg_error *error)
{
    if (!importer->job->plan)
        return sg_import_plan_make(&importer->plan, importer->memory, sg_context_threads(importer->context),
                                   reader->step, reader->input, layout, &importer->places, error);
    importer->plan = *importer->job->plan;
    return SCADYG_OK;
}

static int import_text(sg_importer *importer, const sg_input_source *source, sg_reader *reader, sg_layout *layout,
                       scadyg_error *error)
{
    int status = sg_import_find_layout(importer, source, reader, layout, error);
    if (!status) status = make_plan(importer, reader, layout, error);
    if (!status && importer->job->look)
        sg_reader_stop(reader);
    else if (!status)
        status = sg_import_begin(importer, error);
    if (!status && !importer->job->look) status = sg_import_begin_rows(importer, error);
    if (status) return status;
    importer->file_layout = layout;
    layout->id_key = importer->ids.key;
    const sg_pipeline pipeline = {.reader = reader,
                                  .layout = layout,
                                  .rules = &importer->rules,
                                  .blocks = importer->plan.blocks,
                                  .block_size = importer->plan.block_size,
                                  .take = take_block,
                                  .report = sg_import_report_reading,
                                  .data = importer};
    return sg_pipeline_run(importer->context, &pipeline, error);
}

/* Bytes read at a time: a small file needs no large buffer. */
static size_t choose_step(const sg_input *input)
{
    const uint64_t size = strcmp(sg_input_encoding(input), "plain") == 0 ? sg_input_size(input) : 0;
    return size && size < STEP ? (size_t)size + 1 : STEP;
}

static int import_file(sg_importer *importer, const sg_input_source *source, scadyg_error *error)
{
    sg_input *input;
    sg_reader reader;
    sg_layout layout = {0};
    int stored = 0, status = sg_stored_is(source, &stored, error);
    importer->file_span = (sg_time_span){.all_whole = 1};
    if (!status && stored) return sg_import_stored(importer, source, error);
    if (!status) status = sg_input_open_source(&input, source, error);
    if (status) return status;
    importer->file = sg_input_name(input);
    importer->input = input;
    importer->line_base = 0;
    sg_input_tell_encoding(input, importer->options->encoding);
    sg_input_watch(input, sg_import_report_reading, importer);
    sg_reader_open(&reader, input, importer->job->plan ? importer->job->plan->block_size : choose_step(input));
    status = sg_input_bound(input, importer->memory / 2, error);
    if (!status) status = import_text(importer, source, &reader, &layout, error);
    if (!status) status = sg_import_join_times(importer, error);
    importer->bytes_before += sg_input_size(input);
    importer->input = NULL;
    sg_layout_free(&layout);
    sg_reader_close(&reader);
    sg_input_close(input);
    return status;
}

/*
 * The total size for progress, if every file has one. Missing files are found out before any work. Nothing is read
 * here: what is taken from a pipe is gone.
 */
static int measure_files(sg_importer *importer, scadyg_error *error)
{
    int known = 1;
    for (size_t i = 0; i < importer->job->count; i++) {
        const sg_input_source *source = &importer->job->sources[i];
        struct stat facts = {.st_mode = S_IFREG, .st_size = (off_t)source->size};
        if (!source->data && strcmp(source->path, "-") == 0)
            facts.st_mode = S_IFIFO;
        else if (!source->data && (stat(source->path, &facts) != 0 || access(source->path, R_OK) != 0))
            return sg_fail_system(error, errno, "cannot open %s", source->path);
        known &= S_ISREG(facts.st_mode);
        importer->bytes_total += (uint64_t)facts.st_size;
    }
    if (!known) importer->bytes_total = 0;
    return SCADYG_OK;
}

/* A matrix of edge features is for rows of text. */
static int check_used(const sg_importer *importer, scadyg_error *error)
{
    if (!importer->edge.path || importer->have_layout) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_USAGE, "%s is for rows of text, and there are only events files",
                   importer->edge.path);
}

/* Whatever came behind too many bad rows, these are what is wrong. */
static int find_failure(const sg_importer *importer, int status, scadyg_error *error)
{
    if (status == SCADYG_E_CANCELLED) return status;
    if (importer->is_too_bad) return sg_import_fail_bad(importer, error);
    if (!status && is_too_late(importer) && !sg_import_is_dry(importer))
        return sg_import_fail_late(importer, error);
    return status ? status : check_used(importer, error);
}

static int import_files(sg_importer *importer, scadyg_error *error)
{
    importer->edge = importer->job->edge_features;
    importer->node = importer->job->node_features;
    if (!importer->edge.path) importer->edge.path = importer->options->edge_features;
    if (!importer->node.path) importer->node.path = importer->options->node_features;
    int status = measure_files(importer, error);
    if (!status) status = sg_import_look_at_stored(importer, error);
    for (size_t i = 0; i < importer->job->count && !status; i++)
        status = import_file(importer, &importer->job->sources[i], error);
    status = find_failure(importer, status, error);
    if (!status && !importer->job->look) status = sg_import_write(importer, error);
    return status;
}

static void close_importer(sg_importer *importer)
{
    sg_row_store_close(importer->rows);
    sg_ids_free(&importer->ids);
    sg_layout_free(&importer->layout);
    if (importer->have_edge_matrix) sg_edge_matrix_close(&importer->edge_matrix);
    sg_zone_close(importer->zone);
    sg_checks_close(&importer->checks);
    sg_stored_close(&importer->base);
    for (size_t i = 0; i < importer->further_count; i++) sg_stored_close(&importer->further[i]);
    SG_FREE(importer->again.pairs, importer->earlier_times, importer->found_edge, importer->found_node,
            importer->sums, importer->further, importer->homes, importer);
}

static int make_rules(sg_importer *importer, scadyg_error *error)
{
    const sg_import_options *options = importer->options;
    int status = options->timezone ? sg_zone_open(options->timezone, &importer->zone, error) : SCADYG_OK;
    importer->rules =
        (sg_row_rules){.zone = importer->zone, .missing = options->missing, .keep_nulls = options->keep_nulls};
    return status;
}

int sg_import_run(scadyg_context *context, const sg_import_job *job, const sg_import_options *options,
                  scadyg_import_report **report, scadyg_error *error)
{
    if (job->count == 0) return sg_fail(error, SCADYG_E_USAGE, "no file to import");
    sg_importer *importer = sg_alloc_zero(1, sizeof *importer);
    if (!importer) return sg_fail_memory(error, "importing");
    importer->context = context;
    importer->options = options;
    importer->job = job;
    importer->memory = sg_context_memory(context, 2);
    importer->beside = job->output ? job->output : "/tmp/scadyg";
    importer->span.all_whole = 1;
    int status = sg_import_open_outcome(&importer->outcome, error);
    if (!status) status = make_rules(importer, error);
    if (!status) status = import_files(importer, error);
    sg_import_outcome *outcome = importer->outcome;
    close_importer(importer);
    if (status || !report) {
        scadyg_import_report_free(outcome ? &outcome->report : NULL);
        return status;
    }
    outcome->report.layout = outcome->layout;
    outcome->report.first_events = outcome->first_events;
    outcome->report.bad_rows = outcome->bad_rows;
    outcome->report.checks = outcome->checks;
    outcome->report.first_late = outcome->first_late;
    outcome->report.roles = outcome->roles;
    *report = &outcome->report;
    return SCADYG_OK;
}

int sg_import(scadyg_context *context, const char *const *files, size_t file_count, const char *output,
              const sg_import_options *options, scadyg_import_report **report, scadyg_error *error)
{
    sg_input_source *sources = sg_alloc_zero(file_count, sizeof *sources);
    if (!sources) return sg_fail_memory(error, "file names");
    for (size_t i = 0; i < file_count; i++) sources[i].path = files[i];
    const sg_import_job job = {.sources = sources, .count = file_count, .output = output};
    int status = sg_import_run(context, &job, options, report, error);
    free(sources);
    return status;
}

int scadyg_import_look(scadyg_context *context, const char *file, const scadyg_options *options,
                       scadyg_import_report **report, scadyg_error *error)
{
    sg_import_options values;
    const sg_input_source source = {.path = file};
    const sg_import_job job = {.sources = &source, .count = 1, .look = 1};
    int status = sg_options_values(options, &sg_import_set, &values, error);
    return status ? status : sg_import_run(context, &job, &values, report, error);
}

int scadyg_import(scadyg_context *context, const char *const *files, size_t file_count, const char *output,
                  const scadyg_options *options, scadyg_import_report **report, scadyg_error *error)
{
    sg_import_options values;
    int status = sg_options_values(options, &sg_import_set, &values, error);
    return status ? status : sg_import(context, files, file_count, output, &values, report, error);
}
