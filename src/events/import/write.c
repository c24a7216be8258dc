/* Import, the last part: rows in the order of time and nodes in the order of appearance become an events file. */
#include "events/import/import.h"

#include "base/memory.h"
#include "events/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH ((size_t)1 << 17) /* rows written at a time */

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

static int make_batch(struct batch *batch, const scadyg_shape *shape, scadyg_error *error)
{
    *batch = (struct batch){.capacity = BATCH};
    while (batch->capacity > 64 && batch->capacity * shape->edge_features > ((size_t)1 << 21)) batch->capacity /= 2;
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
    if (places->weight) memcpy(&batch->weight[i], record + places->weight, 4);
    if (places->label) memcpy(&batch->label[i], record + places->label, 4);
    if (importer->have_edge_matrix) {
        uint64_t row;
        memcpy(&row, record + places->index, sizeof row);
        return sg_edge_matrix_row(&importer->edge_matrix, row, batch->features + i * shape->edge_features, error);
    }
    if (places->features)
        memcpy(batch->features + i * importer->layout.features, record + places->features,
               4 * (size_t)importer->layout.features);
    return SCADYG_OK;
}

static int write_events(sg_importer *importer, sg_writer *writer, scadyg_shape *shape, struct order *order,
                        scadyg_error *error)
{
    struct batch batch;
    int status = make_batch(&batch, shape, error);
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
            if (!status) status = sg_report(importer->context, "writing", done, shape->events, error);
        }
    }
    shape->last_time = last;
    if (!status && batch.count) status = write_batch(importer->context, writer, &batch, shape, error);
    free_batch(&batch);
    return status;
}

/* ---- Nodes ---- */

static int write_integer_ids(sg_importer *importer, sg_writer *writer, const struct order *order,
                             scadyg_error *error)
{
    int64_t *ids = sg_alloc(order->count, sizeof *ids);
    if (!ids) return sg_fail_memory(error, "the ids");
    for (uint32_t i = 0; i < order->count; i++) ids[i] = importer->ids.keys[order->first[i]];
    uint64_t size = (uint64_t)order->count * sizeof *ids;
    int status = sg_writer_begin(writer, SCADYG_COLUMN_ID_INTEGERS, size, error);
    if (!status) status = sg_writer_append(writer, SCADYG_COLUMN_ID_INTEGERS, ids, size, error);
    free(ids);
    return status;
}

static int write_text_ids(sg_importer *importer, sg_writer *writer, const struct order *order, scadyg_error *error)
{
    uint64_t *offsets = sg_alloc((size_t)order->count + 1, sizeof *offsets), total = 0;
    char buffer[24];
    size_t length;
    if (!offsets) return sg_fail_memory(error, "the ids");
    for (uint32_t i = 0; i < order->count; i++) {
        offsets[i] = total;
        sg_ids_text(&importer->ids, order->first[i], buffer, &length);
        total += length;
    }
    offsets[order->count] = total;
    uint64_t size = ((uint64_t)order->count + 1) * sizeof *offsets;
    int status = sg_writer_begin(writer, SCADYG_COLUMN_ID_OFFSETS, size, error);
    if (!status) status = sg_writer_append(writer, SCADYG_COLUMN_ID_OFFSETS, offsets, size, error);
    char *text = status ? NULL : sg_alloc((size_t)total, 1);
    if (!status && !text) status = sg_fail_memory(error, "the ids");
    for (uint32_t i = 0; i < order->count && !status; i++) {
        const char *id = sg_ids_text(&importer->ids, order->first[i], buffer, &length);
        memcpy(text + offsets[i], id, length);
    }
    if (!status) status = sg_writer_begin(writer, SCADYG_COLUMN_ID_TEXT, total, error);
    if (!status) status = sg_writer_append(writer, SCADYG_COLUMN_ID_TEXT, text, total, error);
    SG_FREE(text, offsets);
    return status;
}

static int write_sides(sg_importer *importer, sg_writer *writer, const struct order *order, scadyg_error *error)
{
    uint8_t *sides = sg_alloc(order->count, 1);
    if (!sides) return sg_fail_memory(error, "the ids");
    for (uint32_t i = 0; i < order->count; i++)
        sides[i] = (importer->ids.kinds[order->first[i]] & SG_ID_DESTINATION) != 0;
    int status = sg_writer_begin(writer, SCADYG_COLUMN_ID_SIDES, order->count, error);
    if (!status) status = sg_writer_append(writer, SCADYG_COLUMN_ID_SIDES, sides, order->count, error);
    free(sides);
    return status;
}

static int write_node_features(sg_importer *importer, sg_writer *writer, scadyg_shape *shape,
                               const struct order *order, scadyg_error *error)
{
    sg_node_features features;
    int status = sg_node_features_open(&features, importer->node_path, &importer->ids, importer->output, error);
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
    if (importer->node_path) status = write_node_features(importer, writer, shape, order, error);
    if (!status) {
        if (shape->integer_ids)
            status = write_integer_ids(importer, writer, order, error);
        else
            status = write_text_ids(importer, writer, order, error);
    }
    if (!status && shape->two_id_spaces) status = write_sides(importer, writer, order, error);
    return status;
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
    int status = SCADYG_OK;
    /* With an index column each row says which of the matrix is its own. */
    if (importer->have_edge_matrix && importer->layout.index < 0)
        status = sg_edge_matrix_match(&importer->edge_matrix, importer->outcome->report.rows, error);
    if (!status) status = sg_report(importer->context, "sorting", 0, 0, error);
    if (!status) status = sg_row_store_finish(importer->rows, importer->memory / 2, error);
    if (status) return status;
    struct order order = {.same = sg_row_store_out_of_order(importer->rows) == 0,
                          .final = sg_alloc_zero(importer->ids.count, 4),
                          .first = sg_alloc(importer->ids.count, 4)};
    sg_writer writer = {.output = {.fd = -1}};
    if (!order.final || !order.first) status = sg_fail_memory(error, "numbering the nodes");
    if (!status && order.same)
        while (order.count < importer->ids.count) {
            order.first[order.count] = order.count;
            order.count++;
        }
    if (!status) status = sg_writer_open(&writer, importer->output, &shape, error);
    if (!status) status = write_events(importer, &writer, &shape, &order, error);
    if (!status) status = write_nodes(importer, &writer, &shape, &order, error);
    shape.time_kind = importer->layout.dates
                          ? importer->any_clock ? SCADYG_TIME_DATETIME : SCADYG_TIME_DATE
                          : sg_time_kind_of(shape.first_time, shape.last_time, importer->all_whole);
    if (!status) status = sg_report(importer->context, "writing", shape.events, shape.events, error);
    if (!status) status = sg_writer_commit(&writer, &shape, error);
    sg_writer_abandon(&writer);
    SG_FREE(order.final, order.first);
    importer->outcome->report.out_of_order = sg_row_store_out_of_order(importer->rows);
    importer->outcome->report.spilled_runs = sg_row_store_runs(importer->rows);
    importer->outcome->shape = shape;
    return status;
}
