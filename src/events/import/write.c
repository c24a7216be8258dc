/* Import, the last part: rows in the order of time and nodes in the order of appearance become an events file. */
#include "events/import/import.h"

#include "base/memory.h"
#include "events/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BATCH_ROWS ((size_t)1 << 17) /* rows written at a time, at most */
#define ID_BATCH ((size_t)64 << 10)  /* bytes of ids written at a time */

/* Columns of a batch, each contiguous, as the file wants them. */
struct batch {
    size_t count, capacity;
    uint32_t *src, *dst;
    double *time;
    float *weight, *label, *features;
};

/* Provisional numbers follow the input, final ones the time. Of an input in order they are the same. */
struct order {
    int same;
    uint32_t *final; /* [provisional number]: final number + 1, 0: not met yet */
    uint32_t *first; /* [final number]: provisional number */
    uint32_t count;
};

static void free_batch(struct batch *batch)
{
    SG_FREE(batch->src, batch->dst, batch->time, batch->weight, batch->label, batch->features);
}

static int make_batch(struct batch *batch, const scadyg_shape *shape, size_t bytes, scadyg_error *error)
{
    const uint64_t row = 24 + 4 * (uint64_t)shape->edge_features;
    const uint64_t fit = bytes / row ? bytes / row : 1;
    *batch = (struct batch){.capacity = fit < BATCH_ROWS ? (size_t)fit : BATCH_ROWS};
    if (batch->capacity > shape->events) batch->capacity = (size_t)shape->events;
    const size_t rows = batch->capacity;
    const int missing = SG_ALLOC(SG_ARRAY(batch->src, rows), SG_ARRAY(batch->dst, rows),
                                 SG_ARRAY(batch->time, rows), SG_ARRAY_IF(shape->has_weight, batch->weight, rows),
                                 SG_ARRAY_IF(shape->has_label, batch->label, rows),
                                 SG_ARRAY_IF(shape->edge_features, batch->features, rows * shape->edge_features));
    return missing ? sg_fail_memory(error, "writing") : SCADYG_OK;
}

/* A batch being written, each column on whatever thread is free. */
struct writing {
    sg_writer *writer;
    const struct {
        scadyg_column column;
        const void *data;
        uint64_t size;
    } columns[6];
    int status[6];
    scadyg_error errors[6];
};

static void write_column(void *data, size_t worker, size_t i)
{
    (void)worker;
    struct writing *writing = data;
    if (writing->columns[i].data)
        writing->status[i] = sg_writer_append(writing->writer, writing->columns[i].column, writing->columns[i].data,
                                              writing->columns[i].size, &writing->errors[i]);
}

static int write_batch(scadyg_context *context, sg_writer *writer, struct batch *batch, const scadyg_shape *shape,
                       scadyg_error *error)
{
    struct writing writing = {
        .writer = writer,
        .columns = {{SCADYG_COLUMN_EDGE_FEATURES, batch->features, 4 * batch->count * shape->edge_features},
                    {SCADYG_COLUMN_TIME, batch->time, 8 * batch->count},
                    {SCADYG_COLUMN_SRC, batch->src, 4 * batch->count},
                    {SCADYG_COLUMN_DST, batch->dst, 4 * batch->count},
                    {SCADYG_COLUMN_WEIGHT, batch->weight, 4 * batch->count},
                    {SCADYG_COLUMN_LABEL, batch->label, 4 * batch->count}},
    };
    sg_parallel_for(context, 6, write_column, &writing);
    batch->count = 0;
    for (int i = 0; i < 6; i++)
        if (writing.status[i]) {
            if (error) *error = writing.errors[i];
            return writing.status[i];
        }
    return SCADYG_OK;
}

/* Nodes are numbered as they appear in time, source before destination. */
static uint32_t get_final_number(struct order *order, uint32_t provisional)
{
    if (order->same) return provisional;
    if (!order->final[provisional]) {
        order->first[order->count] = provisional;
        order->final[provisional] = ++order->count;
    }
    return order->final[provisional] - 1;
}

/* A number that is missing is its column's mean, 0 if none is there. */
static void fill_missing(const sg_importer *importer, size_t column, float *value)
{
    const double *sum = importer->sums, *count = sum + 2 + importer->form.features;
    if (isnan(*value)) *value = count[column] > 0 ? (float)(sum[column] / count[column]) : 0;
}

/* An event on its way into a batch. */
struct event {
    sg_row head;
    float weight, label;
    const float *features; /* NULL: none, or in the matrix */
    uint64_t index;        /* ... in this row */
};

static struct event read_record(const sg_row_places *places, const unsigned char *record)
{
    struct event event = {.index = SG_NO_MATRIX_ROW};
    memcpy(&event.head, record, sizeof event.head);
    if (places->weight) memcpy(&event.weight, record + places->weight, 4);
    if (places->label) memcpy(&event.label, record + places->label, 4);
    if (places->index) memcpy(&event.index, record + places->index, 8);
    if (places->features) event.features = (const float *)(const void *)(record + places->features);
    return event;
}

static struct event read_base(const sg_stored *base, uint64_t i)
{
    return (struct event){.head = {base->time[i], base->src[i], base->dst[i]},
                          .weight = base->weight ? base->weight[i] : 0,
                          .label = base->label ? base->label[i] : 0,
                          .features = base->features ? base->features + i * base->shape->edge_features : NULL,
                          .index = SG_NO_MATRIX_ROW};
}

/* Features as they are, with means for those that are missing; or a row of the matrix. */
static int add_features(sg_importer *importer, const struct event *event, float *out, scadyg_error *error)
{
    const size_t width = importer->form.features;
    if (importer->have_edge_matrix && event->index != SG_NO_MATRIX_ROW)
        return sg_edge_matrix_row(&importer->edge_matrix, event->index, out, error);
    if (event->features) memcpy(out, event->features, 4 * width);
    for (size_t k = 0; importer->sums && k < width; k++) fill_missing(importer, 2 + k, &out[k]);
    return SCADYG_OK;
}

static void count_event(sg_importer *importer, const struct batch *batch, size_t i, const struct event *event,
                        uint64_t events)
{
    sg_checks *checks = &importer->checks;
    const size_t weight = importer->form.has_weight != 0, width = importer->form.features;
    importer->outcome->report.self_loops += event->head.src == event->head.dst;
    sg_checks_count(checks, event->head.src, event->head.dst, event->head.time, events);
    if (weight) sg_checks_count_value(checks, 0, batch->weight[i]);
    for (size_t k = 0; checks->columns > weight && k < width; k++)
        sg_checks_count_value(checks, weight + k, batch->features[i * width + k]);
}

static int add_event(sg_importer *importer, struct batch *batch, const scadyg_shape *shape, struct order *order,
                     const struct event *event, scadyg_error *error)
{
    const size_t i = batch->count++;
    batch->src[i] = get_final_number(order, event->head.src);
    batch->dst[i] = get_final_number(order, event->head.dst);
    batch->time[i] = event->head.time;
    if (shape->has_weight) {
        batch->weight[i] = event->weight;
        if (importer->sums) fill_missing(importer, 0, &batch->weight[i]);
    }
    if (shape->has_label) {
        batch->label[i] = event->label;
        if (importer->sums) fill_missing(importer, 1, &batch->label[i]);
    }
    int status = shape->edge_features
                     ? add_features(importer, event, batch->features + i * shape->edge_features, error)
                     : SCADYG_OK;
    if (!status) count_event(importer, batch, i, event, shape->events);
    return status;
}

/* Progress, and whether what is mapped is still as it was. */
static int report_writing(sg_importer *importer, const char *what, uint64_t done, uint64_t total,
                          scadyg_error *error)
{
    int status = sg_report(importer->context, what, done, total, error);
    if (!status && importer->have_edge_matrix) status = sg_edge_matrix_check(&importer->edge_matrix, error);
    return importer->base.events ? sg_events_finish(status, importer->base.events, error) : status;
}

/* The events of the base and the rows, merged: of equal times those of the base come first, as they did in the input. */
struct merge {
    sg_importer *importer;
    uint64_t at, count; /* of the base */
    int has_record;     /* the next row is known: */
    const void *record; /* NULL: none is left */
};

static int next_record(struct merge *merge, scadyg_error *error)
{
    merge->record = NULL;
    return merge->importer->rows ? sg_row_store_next(merge->importer->rows, &merge->record, error) : SCADYG_OK;
}

/* *more is 0 behind the last. The event stays until the next call. */
static int next_event(struct merge *merge, struct event *event, int *more, scadyg_error *error)
{
    sg_stored *base = &merge->importer->base;
    int status = merge->has_record ? SCADYG_OK : next_record(merge, error);
    merge->has_record = 1;
    if (status) return status;
    if (merge->record) *event = read_record(&merge->importer->places, merge->record);
    *more = merge->record || merge->at < merge->count;
    if (merge->at == merge->count || (merge->record && event->head.time < base->time[merge->at])) {
        merge->has_record = 0; /* it is taken now */
        return SCADYG_OK;
    }
    if (merge->at % base->stretch == 0) sg_stored_at(base, base->stretch, 0);
    *event = read_base(base, merge->at++);
    return SCADYG_OK;
}

/* Numbers are those of the input, of the base and of the rows alike. */
static int note_again(sg_importer *importer, const struct event *event, int is_new, scadyg_error *error)
{
    const int is_newest = event->head.time == importer->rules.newest;
    if (!importer->job->append) return SCADYG_OK;
    if (is_new)
        sg_again_ask(&importer->again, event->head.src, event->head.dst, is_newest);
    else if (is_newest && sg_again_keep(&importer->again, event->head.src, event->head.dst))
        return sg_fail_memory(error, "the newest events");
    return SCADYG_OK;
}

static int write_events(sg_importer *importer, sg_writer *writer, scadyg_shape *shape, struct order *order,
                        scadyg_error *error)
{
    struct batch batch;
    struct merge merge = {.importer = importer, .count = importer->base.events ? importer->base.shape->events : 0};
    struct event event;
    int status = make_batch(&batch, shape, importer->plan.batch_size, error), more = 1;
    double last = NAN;
    for (uint64_t done = 0; !status; done++) {
        status = next_event(&merge, &event, &more, error);
        if (status || !more) break;
        status = note_again(importer, &event, !merge.has_record, error);
        if (!status) status = add_event(importer, &batch, shape, order, &event, error);
        if (status) break;
        if (done == 0) shape->first_time = event.head.time;
        importer->outcome->report.ties += event.head.time == last;
        last = event.head.time;
        if (batch.count == batch.capacity) {
            status = write_batch(importer->context, writer, &batch, shape, error);
            if (!status) status = report_writing(importer, "writing", done, shape->events, error);
        }
    }
    shape->last_time = last;
    if (!status && batch.count) status = write_batch(importer->context, writer, &batch, shape, error);
    free_batch(&batch);
    return status;
}

/* ---- Nodes ---- */

/* A section of the nodes on its way out, in pieces that are small beside the table of ids. */
struct pieces {
    sg_writer *writer;
    scadyg_column column;
    size_t used;
    unsigned char *bytes; /* ID_BATCH */
};

static int write_piece(struct pieces *pieces, scadyg_error *error)
{
    const size_t size = pieces->used;
    pieces->used = 0;
    return sg_writer_append(pieces->writer, pieces->column, pieces->bytes, size, error);
}

static int begin_pieces(struct pieces *pieces, scadyg_column column, uint64_t size, scadyg_error *error)
{
    pieces->column = column;
    return sg_writer_begin(pieces->writer, column, size, error);
}

/* At most ID_BATCH bytes. */
static int add_piece(struct pieces *pieces, const void *data, size_t size, scadyg_error *error)
{
    int status = pieces->used + size > ID_BATCH ? write_piece(pieces, error) : SCADYG_OK;
    memcpy(pieces->bytes + pieces->used, data, size);
    pieces->used += size;
    return status;
}

static int write_integer_ids(sg_importer *importer, struct pieces *pieces, const struct order *order,
                             scadyg_error *error)
{
    const int64_t *keys = importer->ids.keys;
    int status = begin_pieces(pieces, SCADYG_COLUMN_ID_INTEGERS, (uint64_t)order->count * sizeof *keys, error);
    for (uint32_t i = 0; i < order->count && !status; i++)
        status = add_piece(pieces, &keys[order->first[i]], sizeof *keys, error);
    return status ? status : write_piece(pieces, error);
}

static int write_text_ids(sg_importer *importer, struct pieces *pieces, const struct order *order,
                          scadyg_error *error)
{
    char buffer[24];
    size_t length;
    uint64_t total = 0;
    int status = begin_pieces(pieces, SCADYG_COLUMN_ID_OFFSETS, ((uint64_t)order->count + 1) * sizeof total, error);
    for (uint32_t i = 0; i < order->count && !status; i++) {
        status = add_piece(pieces, &total, sizeof total, error);
        sg_ids_text(&importer->ids, order->first[i], buffer, &length);
        total += length;
    }
    if (!status) status = add_piece(pieces, &total, sizeof total, error);
    if (!status) status = write_piece(pieces, error);
    if (!status) status = begin_pieces(pieces, SCADYG_COLUMN_ID_TEXT, total, error);
    for (uint32_t i = 0; i < order->count && !status; i++) {
        const char *id = sg_ids_text(&importer->ids, order->first[i], buffer, &length);
        status = add_piece(pieces, id, length, error);
    }
    return status ? status : write_piece(pieces, error);
}

static int write_sides(sg_importer *importer, struct pieces *pieces, const struct order *order, scadyg_error *error)
{
    int status = begin_pieces(pieces, SCADYG_COLUMN_ID_SIDES, order->count, error);
    for (uint32_t i = 0; i < order->count && !status; i++) {
        const uint8_t side = (importer->ids.kinds[order->first[i]] & SG_ID_DESTINATION) != 0;
        status = add_piece(pieces, &side, 1, error);
    }
    return status ? status : write_piece(pieces, error);
}

static int write_ids(sg_importer *importer, sg_writer *writer, const scadyg_shape *shape, const struct order *order,
                     scadyg_error *error)
{
    struct pieces pieces = {.writer = writer, .bytes = sg_alloc(ID_BATCH, 1)};
    if (!pieces.bytes) return sg_fail_memory(error, "the ids");
    int status = shape->integer_ids ? write_integer_ids(importer, &pieces, order, error)
                                    : write_text_ids(importer, &pieces, order, error);
    if (!status && shape->two_id_spaces) status = write_sides(importer, &pieces, order, error);
    free(pieces.bytes);
    return status;
}

/* Of a file of node features first, then of events files. Nobody's are zeros. */
static int get_node_row(sg_importer *importer, sg_node_features *table, uint32_t node, float *row, float *before)
{
    int found = 0;
    const size_t size = importer->form.node_features * sizeof *row;
    sg_import_stored_features(importer, node, row, &found);
    if (!table->path || (table->seen && !table->seen[node])) return found;
    memcpy(before, row, size);
    sg_node_features_row(table, node, row);
    importer->changed_nodes += found && memcmp(before, row, size) != 0;
    return 1;
}

static int write_node_rows(sg_importer *importer, sg_writer *writer, sg_node_features *table,
                           const struct order *order, scadyg_error *error)
{
    const size_t columns = importer->form.node_features;
    const uint64_t row_size = columns * sizeof(float);
    uint64_t missing = 0;
    float *row = sg_alloc(2 * columns, sizeof *row);
    int status = row ? SCADYG_OK : sg_fail_memory(error, "node features");
    if (!status) status = sg_writer_begin(writer, SCADYG_COLUMN_NODE_FEATURES, row_size * order->count, error);
    for (uint32_t i = 0; i < order->count && !status; i++) {
        missing += !get_node_row(importer, table, order->first[i], row, row + columns);
        status = sg_writer_append(writer, SCADYG_COLUMN_NODE_FEATURES, row, row_size, error);
    }
    char number[32];
    if (!status && missing)
        status = sg_add_line(error, &importer->outcome->layout, "  %s node%s no node features: zeros",
                             sg_count_text(missing, number), missing == 1 ? " has" : "s have");
    const uint64_t changed = importer->changed_nodes;
    if (!status && changed)
        status = sg_add_line(error, &importer->outcome->layout,
                             "  %s node%s other node features than in an earlier file: the later ones count",
                             sg_count_text(changed, number), changed == 1 ? " has" : "s have");
    free(row);
    return status;
}

static int write_node_features(sg_importer *importer, sg_writer *writer, scadyg_shape *shape,
                               const struct order *order, scadyg_error *error)
{
    sg_node_features table = {0};
    int status = SCADYG_OK;
    if (importer->node.path)
        status = sg_node_features_open(&table, &importer->node, &importer->ids,
                                       importer->memory / SG_RESIDENT_SHARE, importer->beside, error);
    if (status) return status;
    if (importer->node.path && importer->form.node_features && table.columns != importer->form.node_features)
        status =
            sg_fail(error, SCADYG_E_LAYOUT, "%s has %u feature%s per node, %s has %u", importer->node.path,
                    table.columns, sg_plural(table.columns), importer->form.file, importer->form.node_features);
    if (importer->node.path) importer->form.node_features = table.columns;
    shape->node_features = importer->form.node_features;
    if (!status) status = write_node_rows(importer, writer, &table, order, error);
    importer->outcome->report.unused_node_features = table.unused;
    if (!status && importer->node.path) status = sg_node_features_check(&table, error);
    for (size_t i = 0; i < importer->further_count && !status; i++)
        status = scadyg_events_check(importer->further[i].events, error);
    if (!status && importer->base.events) status = scadyg_events_check(importer->base.events, error);
    sg_node_features_close(&table);
    return status;
}

static int write_nodes(sg_importer *importer, sg_writer *writer, scadyg_shape *shape, const struct order *order,
                       scadyg_error *error)
{
    int status = SCADYG_OK;
    shape->nodes = order->count;
    shape->integer_ids = importer->ids.text_count == 0;
    if (importer->node.path || importer->form.node_features)
        status = write_node_features(importer, writer, shape, order, error);
    return status ? status : write_ids(importer, writer, shape, order, error);
}

static int is_input_in_order(const sg_importer *importer)
{
    if (importer->any_strange_order) return 0;
    if (!importer->rows || sg_row_store_count(importer->rows) == 0) return 1;
    const sg_stored *base = &importer->base;
    return sg_row_store_out_of_order(importer->rows) == 0 &&
           (!base->events || base->shape->last_time <= importer->first_row);
}

/* The order of the nodes; of an input in the order of time it is that of the input. */
static int open_order(struct order *order, const sg_importer *importer, scadyg_error *error)
{
    const size_t count = importer->ids.count;
    order->same = is_input_in_order(importer);
    order->first = sg_alloc(count, sizeof *order->first);
    order->final = order->same ? NULL : sg_alloc_zero(count, sizeof *order->final);
    if (!order->first || (!order->same && !order->final)) return sg_fail_memory(error, "numbering the nodes");
    for (; order->same && order->count < count; order->count++) order->first[order->count] = order->count;
    return SCADYG_OK;
}

/* What the rows told of themselves, before they go: what is written then needs their room. */
static void close_rows(sg_importer *importer)
{
    if (!importer->rows) return;
    importer->outcome->report.out_of_order = sg_row_store_out_of_order(importer->rows);
    importer->outcome->report.spilled_runs = sg_row_store_runs(importer->rows);
    sg_row_store_close(importer->rows);
    importer->rows = NULL;
}

/* A cache holds what its logs hold: nobody may read it who may not read all of them. */
static void keep_private(const sg_importer *importer, int fd)
{
    struct stat facts;
    mode_t mode = 0777;
    for (size_t i = 0; i < importer->job->count; i++)
        if (stat(importer->job->sources[i].path, &facts) == 0) mode &= facts.st_mode;
    if (fstat(fd, &facts) == 0) (void)fchmod(fd, facts.st_mode & (mode | 0600) & 0777);
}

/* ---- The whole file ---- */

/* One odd file that is appended says nothing of those to come. */
static int find_reading(const sg_importer *importer, char **reading, scadyg_error *error)
{
    const char *before = importer->base.events ? importer->base.events->reading : NULL;
    *reading = NULL;
    if (!importer->job->append)
        return sg_import_reading(importer->options, importer->have_layout ? &importer->layout.time_format : NULL,
                                 before, reading, error);
    if (before && !(*reading = strdup(before))) return sg_fail_memory(error, "writing");
    return SCADYG_OK;
}

/* No rows, or none that is taken. */
static int fail_empty(const sg_importer *importer, scadyg_error *error)
{
    const scadyg_import_report *report = &importer->outcome->report;
    char number[32];
    if (report->bad && report->bad + report->filtered == report->rows) {
        const char *rows = importer->outcome->bad_rows;
        return sg_fail(error, SCADYG_E_INPUT,
                       "there are no events in the input: all rows that were read are bad (%s); the first: %.*s",
                       sg_count_text(report->bad, number), (int)strcspn(rows, "\n"), rows);
    }
    if (!report->filtered || report->filtered + report->bad < report->rows)
        return sg_fail(error, SCADYG_E_INPUT, "there are no events in the input");
    return sg_fail(error, SCADYG_E_INPUT, "--where '%.100s' holds for none of %s row%s; that column has %s",
                   importer->options->told.where, sg_count_text(report->rows, number), sg_plural(report->rows),
                   importer->layout.where_values);
}

int sg_import_write(sg_importer *importer, scadyg_error *error)
{
    scadyg_shape shape = {
        .events = (importer->rows ? sg_row_store_count(importer->rows) : 0) +
                  (importer->base.events ? importer->base.shape->events : 0),
        .edge_features = importer->form.features,
        .has_weight = importer->form.has_weight,
        .has_label = importer->form.has_label,
    };
    if (shape.events == 0) return fail_empty(importer, error);
    int status = sg_import_settle_roles(importer, &shape.two_id_spaces, error);
    if (!status) status = report_writing(importer, "sorting", 0, 0, error);
    /* With an index column each row says which of the matrix is its own. */
    if (!status && importer->have_edge_matrix && importer->layout.index < 0)
        status = sg_edge_matrix_match(&importer->edge_matrix, importer->row_base, error);
    if (!status && importer->rows) status = sg_row_store_finish(importer->rows, importer->plan.merge_size, error);
    struct order order = {0};
    sg_writer writer = {.output = {.fd = -1}};
    char *reading = NULL;
    if (!status) status = find_reading(importer, &reading, error);
    if (!status) status = open_order(&order, importer, error);
    if (!status)
        status = importer->job->image         ? sg_writer_open_image(&writer, importer->job->image, &shape, error)
                 : sg_import_is_dry(importer) ? sg_writer_open_nowhere(&writer, &shape, error)
                                              : sg_writer_open(&writer, importer->job->output, &shape, error);
    memcpy(writer.origin, importer->options->origin, sizeof writer.origin);
    writer.by_ids = importer->by_ids;
    writer.reading = reading;
    if (!status && importer->options->origin[0]) keep_private(importer, writer.output.fd);
    sg_checks_find_nulls(&importer->checks, &importer->ids);
    importer->checks.zone = importer->options->timezone;
    const sg_told *told = &importer->options->told;
    importer->checks.time_told = told->columns || told->time || told->time_format;
    importer->checks.by_ids = importer->by_ids;
    if (!status) status = write_events(importer, &writer, &shape, &order, error);
    close_rows(importer);
    if (!status) status = write_nodes(importer, &writer, &shape, &order, error);
    shape.time_kind = importer->form.dates
                          ? importer->any_clock ? SCADYG_TIME_DATETIME : SCADYG_TIME_DATE
                          : sg_time_kind_of(shape.first_time, shape.last_time, importer->span.all_whole);
    if (!status)
        status = sg_checks_describe(&importer->checks, &importer->ids, &shape, shape.has_weight,
                                    &importer->outcome->checks, error);
    if (!status && importer->again.rows && importer->again.found == importer->again.rows)
        status = sg_add_line(error, &importer->outcome->checks,
                             "all new events are of the newest time and there already, source and destination: was "
                             "this appended before?");
    if (!status && importer->form.dates && importer->any_unzoned)
        status = sg_add_line(error, &importer->outcome->layout, "  times without a zone are of %s (--timezone)",
                             importer->options->timezone ? importer->options->timezone : "UTC");
    if (!status) status = report_writing(importer, "writing", shape.events, shape.events, error);
    if (!status && importer->options->origin[0]) status = sg_import_unchanged(importer, error);
    if (!status && importer->job->append) status = sg_append_check(importer, error);
    writer.bad_rows = importer->outcome->report.bad;
    if (!status && !sg_import_is_dry(importer)) status = sg_writer_commit(&writer, &shape, error);
    sg_writer_abandon(&writer);
    SG_FREE(order.final, order.first, reading);
    importer->outcome->shape = shape;
    return status;
}
