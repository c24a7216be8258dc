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
    const double *sum = importer->sums, *count = sum + 2 + importer->layout.features;
    if (isnan(*value)) *value = count[column] > 0 ? (float)(sum[column] / count[column]) : 0;
}

static int add_record(sg_importer *importer, struct batch *batch, const scadyg_shape *shape, struct order *order,
                      const unsigned char *record, scadyg_error *error)
{
    const sg_row_places *places = &importer->places;
    sg_row head;
    memcpy(&head, record, sizeof head);
    size_t i = batch->count++;
    batch->src[i] = get_final_number(order, head.src);
    batch->dst[i] = get_final_number(order, head.dst);
    batch->time[i] = head.time;
    importer->outcome->report.self_loops += head.src == head.dst;
    sg_checks_count(&importer->checks, head.src, head.dst, head.time, shape->events);
    if (places->weight) memcpy(&batch->weight[i], record + places->weight, 4);
    if (places->label) memcpy(&batch->label[i], record + places->label, 4);
    if (importer->sums && places->weight) fill_missing(importer, 0, &batch->weight[i]);
    if (importer->sums && places->label) fill_missing(importer, 1, &batch->label[i]);
    if (importer->have_edge_matrix) {
        uint64_t row;
        memcpy(&row, record + places->index, sizeof row);
        return sg_edge_matrix_row(&importer->edge_matrix, row, batch->features + i * shape->edge_features, error);
    }
    if (places->features)
        memcpy(batch->features + i * importer->layout.features, record + places->features,
               4 * (size_t)importer->layout.features);
    for (size_t k = 0; places->features && importer->sums && k < importer->layout.features; k++)
        fill_missing(importer, 2 + k, &batch->features[i * importer->layout.features + k]);
    if (places->weight) sg_checks_count_value(&importer->checks, 0, batch->weight[i]);
    for (size_t k = 0; places->features && k < importer->layout.features; k++)
        sg_checks_count_value(&importer->checks, (places->weight != 0) + k,
                              batch->features[i * importer->layout.features + k]);
    return SCADYG_OK;
}

/* Progress, and whether the matrix of edge features is still as it was. */
static int report_writing(sg_importer *importer, const char *what, uint64_t done, uint64_t total,
                          scadyg_error *error)
{
    int status = sg_report(importer->context, what, done, total, error);
    if (!status && importer->have_edge_matrix) status = sg_edge_matrix_check(&importer->edge_matrix, error);
    return status;
}

static int write_events(sg_importer *importer, sg_writer *writer, scadyg_shape *shape, struct order *order,
                        scadyg_error *error)
{
    struct batch batch;
    int status = make_batch(&batch, shape, importer->plan.batch_size, error);
    double last = NAN;
    for (uint64_t done = 0; !status; done++) {
        const void *record;
        status = sg_row_store_next(importer->rows, &record, error);
        if (status || !record) break;
        status = add_record(importer, &batch, shape, order, record, error);
        if (status) break;
        double time = batch.time[batch.count - 1];
        if (done == 0) shape->first_time = time;
        importer->outcome->report.ties += time == last;
        last = time;
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

static int write_node_features(sg_importer *importer, sg_writer *writer, scadyg_shape *shape,
                               const struct order *order, scadyg_error *error)
{
    sg_node_features features;
    int status = sg_node_features_open(&features, &importer->node, &importer->ids, importer->memory / 16,
                                       importer->job->output, error);
    if (status) return status;
    shape->node_features = features.columns;
    float *row = sg_alloc(features.columns, sizeof *row);
    if (!row) status = sg_fail_memory(error, "node features");
    uint64_t row_size = (uint64_t)features.columns * sizeof *row;
    if (!status) status = sg_writer_begin(writer, SCADYG_COLUMN_NODE_FEATURES, row_size * order->count, error);
    for (uint32_t i = 0; i < order->count && !status; i++) {
        sg_node_features_row(&features, order->first[i], row);
        status = sg_writer_append(writer, SCADYG_COLUMN_NODE_FEATURES, row, row_size, error);
    }
    importer->outcome->report.unused_node_features = features.unused;
    if (!status && features.missing)
        status = sg_add_line(error, &importer->outcome->layout, "  %llu nodes have no node features: zeros",
                             (unsigned long long)features.missing);
    if (!status) status = sg_node_features_check(&features, error);
    free(row);
    sg_node_features_close(&features);
    return status;
}

static int write_nodes(sg_importer *importer, sg_writer *writer, scadyg_shape *shape, const struct order *order,
                       scadyg_error *error)
{
    int status = SCADYG_OK;
    shape->nodes = order->count;
    shape->integer_ids = importer->ids.text_count == 0;
    if (importer->node.path) status = write_node_features(importer, writer, shape, order, error);
    return status ? status : write_ids(importer, writer, shape, order, error);
}

/* The order of the nodes; of an input in the order of time it is that of the input. */
static int open_order(struct order *order, const sg_importer *importer, scadyg_error *error)
{
    const size_t count = importer->ids.count;
    order->same = sg_row_store_out_of_order(importer->rows) == 0;
    order->first = sg_alloc(count, sizeof *order->first);
    order->final = order->same ? NULL : sg_alloc_zero(count, sizeof *order->final);
    if (!order->first || (!order->same && !order->final)) return sg_fail_memory(error, "numbering the nodes");
    for (; order->same && order->count < count; order->count++) order->first[order->count] = order->count;
    return SCADYG_OK;
}

/* What the rows told of themselves, before they go: what is written then needs their room. */
static void close_rows(sg_importer *importer)
{
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

int sg_import_write(sg_importer *importer, scadyg_error *error)
{
    scadyg_shape shape = {
        .events = sg_row_store_count(importer->rows),
        .edge_features =
            importer->have_edge_matrix ? (uint32_t)importer->edge_matrix.npy.columns : importer->layout.features,
        .has_weight = importer->layout.weight >= 0,
        .has_label = importer->layout.label >= 0,
        .two_id_spaces = importer->two_id_spaces,
    };
    if (shape.events == 0) return sg_fail(error, SCADYG_E_INPUT, "there are no events in the input");
    int status = report_writing(importer, "sorting", 0, 0, error);
    /* With an index column each row says which of the matrix is its own. */
    if (!status && importer->have_edge_matrix && importer->layout.index < 0)
        status = sg_edge_matrix_match(&importer->edge_matrix, importer->outcome->report.rows, error);
    if (!status) status = sg_row_store_finish(importer->rows, importer->plan.merge_size, error);
    struct order order = {0};
    sg_writer writer = {.output = {.fd = -1}};
    if (!status) status = open_order(&order, importer, error);
    if (!status)
        status = importer->job->image ? sg_writer_open_image(&writer, importer->job->image, &shape, error)
                                      : sg_writer_open(&writer, importer->job->output, &shape, error);
    memcpy(writer.origin, importer->options->origin, sizeof writer.origin);
    if (!status && importer->options->origin[0]) keep_private(importer, writer.output.fd);
    if (!status) status = write_events(importer, &writer, &shape, &order, error);
    close_rows(importer);
    if (!status) status = write_nodes(importer, &writer, &shape, &order, error);
    shape.time_kind = importer->layout.dates
                          ? importer->any_clock ? SCADYG_TIME_DATETIME : SCADYG_TIME_DATE
                          : sg_time_kind_of(shape.first_time, shape.last_time, importer->all_whole);
    if (!status)
        status = sg_checks_describe(&importer->checks, &importer->ids, &shape, shape.has_weight,
                                    &importer->outcome->checks, error);
    if (!status && importer->layout.dates && importer->any_unzoned)
        status = sg_add_line(error, &importer->outcome->layout, "  times without a zone are of %s (--timezone)",
                             importer->options->timezone ? importer->options->timezone : "UTC");
    if (!status) status = report_writing(importer, "writing", shape.events, shape.events, error);
    if (!status && importer->options->origin[0]) status = sg_import_unchanged(importer, error);
    if (!status) status = sg_writer_commit(&writer, &shape, error);
    sg_writer_abandon(&writer);
    SG_FREE(order.final, order.first);
    importer->outcome->shape = shape;
    return status;
}
