/* The first events of a file as a file of their own. */
#include "events/file.h"
#include "events/writer.h"

#include "base/status.h"

/* Nodes are numbered as they appear, so those of the first events are the first nodes. */
static uint64_t nodes_of(const uint32_t *src, const uint32_t *dst, uint64_t count)
{
    uint32_t most = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (src[i] > most) most = src[i];
        if (dst[i] > most) most = dst[i];
    }
    return (uint64_t)most + 1;
}

static int copy_events(scadyg_events *events, sg_writer *writer, const scadyg_shape *shape, scadyg_error *error)
{
    int status = SCADYG_OK;
    for (int column = SCADYG_COLUMN_SRC; column <= SCADYG_COLUMN_EDGE_FEATURES && !status; column++) {
        const void *data = NULL;
        status = scadyg_events_column(events, (scadyg_column)column, &data, error);
        if (!status && data)
            status = sg_writer_append(writer, (scadyg_column)column, data,
                                      shape->events * sg_column_size(shape, (scadyg_column)column), error);
    }
    return status;
}

static int copy_nodes(scadyg_events *events, sg_writer *writer, const scadyg_shape *shape, scadyg_error *error)
{
    int status = SCADYG_OK;
    uint64_t text = 0;
    for (int i = SCADYG_COLUMN_NODE_FEATURES; i <= SCADYG_COLUMN_ID_SIDES && !status; i++) {
        const scadyg_column column = (scadyg_column)i;
        const void *data = NULL;
        status = scadyg_events_column(events, column, &data, error);
        if (status || !data) continue;
        uint64_t size = shape->nodes * sg_column_size(shape, column);
        if (column == SCADYG_COLUMN_ID_OFFSETS) {
            text = ((const uint64_t *)data)[shape->nodes];
            size += sizeof(uint64_t);
        }
        if (column == SCADYG_COLUMN_ID_TEXT) size = text;
        status = sg_writer_begin(writer, column, size, error);
        if (!status) status = sg_writer_append(writer, column, data, size, error);
    }
    return status;
}

int scadyg_events_first(scadyg_events *events, uint64_t count, const char *output, scadyg_error *error)
{
    scadyg_shape shape = *scadyg_events_shape(events);
    const void *src = NULL, *dst = NULL, *time = NULL;
    if (count == 0 || count > shape.events)
        return sg_fail(error, SCADYG_E_USAGE, "there are %llu events; the first %llu of them cannot be taken",
                       (unsigned long long)shape.events, (unsigned long long)count);
    int status = scadyg_events_column(events, SCADYG_COLUMN_SRC, &src, error);
    if (!status) status = scadyg_events_column(events, SCADYG_COLUMN_DST, &dst, error);
    if (!status) status = scadyg_events_column(events, SCADYG_COLUMN_TIME, &time, error);
    if (status) return status;
    shape.events = count;
    shape.nodes = nodes_of(src, dst, count);
    shape.last_time = ((const double *)time)[count - 1];
    sg_writer writer;
    status = sg_writer_open(&writer, output, &shape, error);
    if (status) return status;
    status = copy_events(events, &writer, &shape, error);
    if (!status) status = copy_nodes(events, &writer, &shape, error);
    if (!status) status = sg_writer_commit(&writer, &shape, error);
    if (status) sg_writer_abandon(&writer);
    return status;
}
