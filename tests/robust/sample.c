/* Small .events files of every make, and their whole content as one block of bytes. */
#include "robust/sample.h"

#include "events/file.h"
#include "events/writer.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS = 7, NODES = 5 };

const sample samples[] = {
    {"plain", 1, 0, 0, 0, 0, 0},   {"weights", 1, 0, 1, 0, 0, 0},  {"strings", 0, 0, 0, 0, 0, 0},
    {"two-ids", 1, 1, 0, 1, 0, 0}, {"features", 1, 0, 0, 0, 3, 2}, {"everything", 0, 1, 1, 1, 2, 3},
};
const size_t sample_count = sizeof samples / sizeof *samples;

static const uint32_t sources[EVENTS] = {0, 0, 2, 2, 0, 2, 0}, destinations[EVENTS] = {1, 1, 3, 1, 4, 4, 3};
static const double times[EVENTS] = {-1.5, 0, 0, 3.25, 1e6, 1e6, 2e9 + 0.125};
static const int64_t integers[NODES] = {7, -3, 9000000000, 0, INT64_MIN};
static const char text[] = "Zo\xc3\xab"
                           "b c"
                           "d"
                           "e\xe2\x80\x99"
                           "f";
static const uint64_t offsets[NODES + 1] = {0, 4, 7, 8, 12, 13};
static const uint8_t sides[NODES] = {0, 1, 0, 1, 1};

static int write_events(sg_writer *writer, scadyg_error *error)
{
    float numbers[EVENTS * 4];
    for (int i = 0; i < EVENTS * 4; i++) numbers[i] = (float)i - 3.5f;
    const struct {
        scadyg_column column;
        const void *data;
        size_t size;
    } parts[] = {
        {SCADYG_COLUMN_SRC, sources, sizeof sources},
        {SCADYG_COLUMN_DST, destinations, sizeof destinations},
        {SCADYG_COLUMN_TIME, times, sizeof times},
        {SCADYG_COLUMN_WEIGHT, numbers, writer->shape.has_weight ? 4 * EVENTS : 0},
        {SCADYG_COLUMN_LABEL, numbers + 1, writer->shape.has_label ? 4 * EVENTS : 0},
        {SCADYG_COLUMN_EDGE_FEATURES, numbers, 4 * EVENTS * (size_t)writer->shape.edge_features},
    };
    int status = SCADYG_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !status; i++)
        if (parts[i].size) status = sg_writer_append(writer, parts[i].column, parts[i].data, parts[i].size, error);
    return status;
}

static int write_section(sg_writer *writer, scadyg_column column, const void *data, size_t size,
                         scadyg_error *error)
{
    if (size == 0) return SCADYG_OK;
    int status = sg_writer_begin(writer, column, size, error);
    return status ? status : sg_writer_append(writer, column, data, size, error);
}

static int write_nodes(sg_writer *writer, const sample *make, scadyg_error *error)
{
    float numbers[NODES * 4];
    for (int i = 0; i < NODES * 4; i++) numbers[i] = (float)i * 0.25f;
    int status =
        write_section(writer, SCADYG_COLUMN_NODE_FEATURES, numbers, 4 * NODES * (size_t)make->node_features, error);
    if (!status && make->integer_ids)
        status = write_section(writer, SCADYG_COLUMN_ID_INTEGERS, integers, sizeof integers, error);
    if (!status && !make->integer_ids)
        status = write_section(writer, SCADYG_COLUMN_ID_OFFSETS, offsets, sizeof offsets, error);
    if (!status && !make->integer_ids)
        status = write_section(writer, SCADYG_COLUMN_ID_TEXT, text, sizeof text - 1, error);
    if (!status)
        status = write_section(writer, SCADYG_COLUMN_ID_SIDES, sides, make->two_id_spaces ? NODES : 0, error);
    return status;
}

int sample_write(const sample *make, const char *path, scadyg_error *error)
{
    scadyg_shape shape = {
        .events = EVENTS,
        .nodes = NODES,
        .edge_features = make->edge_features,
        .node_features = make->node_features,
        .has_weight = make->has_weight,
        .has_label = make->has_label,
        .two_id_spaces = make->two_id_spaces,
        .integer_ids = make->integer_ids,
        .first_time = times[0],
        .last_time = times[EVENTS - 1],
    };
    sg_writer writer;
    int status = sg_writer_open(&writer, path, &shape, error);
    if (status) return status;
    status = write_events(&writer, error);
    if (!status) status = write_nodes(&writer, make, error);
    if (!status) status = sg_writer_commit(&writer, &shape, error);
    sg_writer_abandon(&writer);
    return status;
}

static int append_column(scadyg_events *events, int column, unsigned char **content, size_t *size,
                         scadyg_error *error)
{
    const void *data;
    int status = scadyg_events_column(events, (scadyg_column)column, &data, error);
    if (status || !data) return status;
    size_t bytes = (size_t)events->sections[column].size;
    unsigned char *grown = realloc(*content, *size + bytes + 1);
    if (!grown) abort();
    memcpy(grown + *size, data, bytes);
    grown[*size + bytes] = (unsigned char)column;
    *content = grown;
    *size += bytes + 1;
    return SCADYG_OK;
}

int sample_content(const char *path, unsigned char **content, size_t *size, scadyg_error *error)
{
    scadyg_events *events;
    int status = scadyg_events_open(path, &events, error);
    if (status) return status;
    unsigned char *whole = malloc(sizeof(scadyg_shape));
    if (!whole) abort();
    memcpy(whole, scadyg_events_shape(events), sizeof(scadyg_shape));
    size_t length = sizeof(scadyg_shape);
    for (int column = SCADYG_COLUMN_SRC; column <= SCADYG_COLUMN_ID_SIDES && !status; column++)
        status = append_column(events, column, &whole, &length, error);
    scadyg_events_close(events);
    if (status) {
        free(whole);
        return status;
    }
    *content = whole;
    *size = length;
    return SCADYG_OK;
}
