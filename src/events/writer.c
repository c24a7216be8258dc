/* The .events file, written. */
#include "events/writer.h"

#include "base/crc32c.h"
#include "base/memory.h"
#include "events/file.h"
#include "scadyg_lab.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t align_up(uint64_t offset)
{
    return (offset + SG_SECTION_ALIGNMENT - 1) / SG_SECTION_ALIGNMENT * SG_SECTION_ALIGNMENT;
}

int sg_time_kind_of(double first, double last, int all_whole)
{
    if (all_whole && first >= 1000 && last < 3000) return SCADYG_TIME_YEAR;
    if (first >= 1e8 && last < 1e10) return SCADYG_TIME_UNIX;
    if (first >= 1e11 && last < 1e13) return SCADYG_TIME_UNIX_MILLI;
    if (first >= 1e14 && last < 1e16) return SCADYG_TIME_UNIX_MICRO;
    return SCADYG_TIME_NUMBER;
}

/* ---- Where the bytes go ---- */

void sg_image_free(sg_image *image)
{
    free(image->data);
    *image = (sg_image){0};
}

/* Makes the image at least so large; what is new is zeros, as in a file. */
static int extend_image(sg_image *image, uint64_t size, scadyg_error *error)
{
    if (size > image->capacity) {
        const uint64_t capacity = size > 2 * (uint64_t)image->capacity ? size : 2 * (uint64_t)image->capacity;
        unsigned char *data = sg_alloc_aligned((size_t)capacity, 1);
        if (!data) return sg_fail_memory(error, "the events file");
        if (image->size) memcpy(data, image->data, image->size);
        free(image->data);
        image->data = data;
        image->capacity = (size_t)capacity;
    }
    if (size > image->size) image->size = (size_t)size;
    return SCADYG_OK;
}

static const char *get_name(const sg_writer *writer)
{
    return writer->image ? "the events file" : writer->output.path;
}

static int write_at(sg_writer *writer, uint64_t offset, const void *data, size_t size, scadyg_error *error)
{
    if (writer->nowhere) return SCADYG_OK;
    if (!writer->image) return sg_output_write_at(&writer->output, offset, data, size, error);
    int status = extend_image(writer->image, offset + size, error);
    if (!status && size) memcpy(writer->image->data + offset, data, size);
    return status;
}

/* A last section of no bytes (the text of one empty id) is still a place in the file. */
static int end_at(sg_writer *writer, uint64_t size, scadyg_error *error)
{
    if (writer->image) {
        int status = extend_image(writer->image, size, error);
        if (!status) writer->image->size = (size_t)size;
        return status;
    }
    if (ftruncate(writer->output.fd, (off_t)size) == 0) return SCADYG_OK;
    return sg_fail_system(error, errno, "cannot write %s", writer->output.path);
}

/* ---- Sections ---- */

/* Sections keep the place they are given here; `size` counts up to the room given, kept in `reserved` meanwhile. */
static int add_section(sg_writer *writer, uint32_t column, uint64_t size, scadyg_error *error)
{
    if (writer->section_count == SG_SECTION_LIMIT)
        return sg_fail(error, SCADYG_E_FORMAT, "too many sections for one events file");
    writer->sections[writer->section_count++] =
        (sg_section){.column = column, .offset = writer->end, .reserved = size};
    writer->end = align_up(writer->end + size);
    return SCADYG_OK;
}

static int add_event_sections(sg_writer *writer, const scadyg_shape *shape, scadyg_error *error)
{
    const int wanted[] = {
        [SCADYG_COLUMN_SRC] = 1,
        [SCADYG_COLUMN_DST] = 1,
        [SCADYG_COLUMN_TIME] = 1,
        [SCADYG_COLUMN_WEIGHT] = shape->has_weight,
        [SCADYG_COLUMN_LABEL] = shape->has_label,
        [SCADYG_COLUMN_EDGE_FEATURES] = shape->edge_features != 0,
    };
    int status = SCADYG_OK;
    for (int column = SCADYG_COLUMN_SRC; column <= SCADYG_COLUMN_EDGE_FEATURES && !status; column++)
        if (wanted[column])
            status = add_section(writer, (uint32_t)column,
                                 shape->events * sg_column_size(shape, (scadyg_column)column), error);
    return status;
}

static sg_writer make_writer(const scadyg_shape *shape, sg_image *image)
{
    return (sg_writer){.output = {.fd = -1},
                       .image = image,
                       .shape = *shape,
                       .end = align_up(sizeof(sg_events_header) + SG_SECTION_LIMIT * sizeof(sg_section))};
}

int sg_writer_open(sg_writer *writer, const char *path, const scadyg_shape *shape, scadyg_error *error)
{
    *writer = make_writer(shape, NULL);
    int status = sg_output_open(&writer->output, path, error);
    if (!status) status = add_event_sections(writer, shape, error);
    if (status) sg_writer_abandon(writer);
    return status;
}

int sg_writer_open_nowhere(sg_writer *writer, const scadyg_shape *shape, scadyg_error *error)
{
    *writer = make_writer(shape, NULL);
    writer->nowhere = 1;
    return add_event_sections(writer, shape, error);
}

int sg_writer_open_image(sg_writer *writer, sg_image *image, const scadyg_shape *shape, scadyg_error *error)
{
    sg_image_free(image);
    *writer = make_writer(shape, image);
    int status = add_event_sections(writer, shape, error);
    /* All that several threads write: afterwards none of them has to extend it. */
    if (!status) status = extend_image(image, writer->end, error);
    if (status) sg_writer_abandon(writer);
    return status;
}

static int append_bytes(sg_writer *writer, uint32_t column, const void *data, uint64_t size, scadyg_error *error)
{
    for (uint32_t i = 0; i < writer->section_count; i++) {
        sg_section *section = &writer->sections[i];
        if (section->column != column) continue;
        if (size > section->reserved - section->size) break;
        int status = write_at(writer, section->offset + section->size, data, (size_t)size, error);
        if (status) return status;
        section->crc = sg_crc32c(section->crc, data, (size_t)size);
        section->size += size;
        return SCADYG_OK;
    }
    return sg_fail(error, SCADYG_E_FORMAT, "%s: no room for more %s values", get_name(writer),
                   sg_column_name((scadyg_column)column));
}

int sg_writer_append(sg_writer *writer, scadyg_column column, const void *data, uint64_t size, scadyg_error *error)
{
    return append_bytes(writer, (uint32_t)column, data, size, error);
}

int sg_writer_begin(sg_writer *writer, scadyg_column column, uint64_t size, scadyg_error *error)
{
    return add_section(writer, (uint32_t)column, size, error);
}

static int write_reading(sg_writer *writer, scadyg_error *error)
{
    const size_t size = writer->reading ? strlen(writer->reading) : 0;
    int status = size ? add_section(writer, SG_SECTION_READING, size, error) : SCADYG_OK;
    return status || !size ? status : append_bytes(writer, SG_SECTION_READING, writer->reading, size, error);
}

int sg_writer_commit(sg_writer *writer, const scadyg_shape *shape, scadyg_error *error)
{
    uint64_t file_size = 0;
    int status = write_reading(writer, error);
    if (status) return status;
    if (!isfinite(shape->last_time - shape->first_time))
        return sg_fail(error, SCADYG_E_INPUT, "the times from %g to %g are further apart than a number can say",
                       shape->first_time, shape->last_time);
    for (uint32_t i = 0; i < writer->section_count; i++) {
        sg_section *section = &writer->sections[i];
        if (section->size != section->reserved)
            return sg_fail(error, SCADYG_E_FORMAT, "%s: the %s section is not complete", get_name(writer),
                           sg_column_name((scadyg_column)section->column));
        section->reserved = 0;
        file_size = section->offset + section->size;
    }
    sg_events_header header = {
        .version = SG_EVENTS_VERSION,
        .section_count = writer->section_count,
        .file_size = file_size,
        .events = shape->events,
        .nodes = shape->nodes,
        .edge_features = shape->edge_features,
        .node_features = shape->node_features,
        .flags = !shape->two_id_spaces ? 0 : SG_FLAG_TWO_ID_SPACES | (writer->by_ids ? SG_FLAG_BY_IDS : 0),
        .time_kind = (uint32_t)shape->time_kind,
        .first_time = shape->first_time,
        .last_time = shape->last_time,
    };
    memcpy(header.magic, SG_EVENTS_MAGIC, 8);
    memcpy(header.origin, writer->origin, sizeof header.origin);
    if (writer->origin[0])
        header.bad_rows = writer->bad_rows < UINT32_MAX ? (uint32_t)writer->bad_rows : UINT32_MAX;
    size_t table_size = writer->section_count * sizeof(sg_section);
    header.crc = sg_crc32c(sg_crc32c(0, &header, sizeof header), writer->sections, table_size);
    status = end_at(writer, file_size, error);
    if (!status) status = write_at(writer, 0, &header, sizeof header, error);
    if (!status) status = write_at(writer, sizeof header, writer->sections, table_size, error);
    if (!status && !writer->image) status = sg_output_commit(&writer->output, error);
    if (!status) writer->image = NULL; /* it is whole: nothing is left to abandon */
    return status;
}

void sg_writer_abandon(sg_writer *writer)
{
    if (writer->image) sg_image_free(writer->image);
    sg_output_abandon(&writer->output);
}

/* ---- The first events of a file as a file of their own ---- */

/* Nodes are numbered as they appear, so those of the first events are the first nodes. */
static uint64_t count_nodes(const uint32_t *src, const uint32_t *dst, uint64_t count)
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

int scadyg_events_first(scadyg_context *context, scadyg_events *events, uint64_t count, const char *output,
                        scadyg_error *error)
{
    scadyg_shape shape = *scadyg_events_shape(events);
    const void *src = NULL, *dst = NULL, *time = NULL;
    if (count == 0 || count > shape.events)
        return sg_fail(error, SCADYG_E_USAGE, "the log has %llu event%s; the first %llu cannot be taken",
                       (unsigned long long)shape.events, sg_plural(shape.events), (unsigned long long)count);
    int status = sg_events_report(context, events, "copying", 0, count, error);
    if (!status) status = sg_events_column(context, events, SCADYG_COLUMN_SRC, &src, error);
    if (!status) status = sg_events_column(context, events, SCADYG_COLUMN_DST, &dst, error);
    if (!status) status = sg_events_column(context, events, SCADYG_COLUMN_TIME, &time, error);
    if (status) return status;
    shape.events = count;
    shape.nodes = count_nodes(src, dst, count);
    shape.last_time = ((const double *)time)[count - 1];
    sg_writer writer;
    status = sg_writer_open(&writer, output, &shape, error);
    if (status) return status;
    writer.by_ids = events->by_ids;
    writer.reading = events->reading;
    status = copy_events(events, &writer, &shape, error);
    if (!status) status = copy_nodes(events, &writer, &shape, error);
    status = sg_events_finish(status, events, error);
    if (!status) status = sg_writer_commit(&writer, &shape, error);
    if (status) sg_writer_abandon(&writer);
    return status;
}
