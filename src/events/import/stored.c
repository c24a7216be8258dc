/* An events file among the inputs of an import. */
#include "events/import/stored.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STRETCH_MOST 1024

/* The first bytes of a file; fewer at its end. -1 and errno on failure. */
static ssize_t read_first(int fd, char *out, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t got = pread(fd, out + done, size - done, (off_t)done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

int sg_stored_is(const sg_input_source *source, int *stored, scadyg_error *error)
{
    char first[8];
    struct stat facts;
    *stored = 0;
    if (source->data) {
        *stored = source->size >= sizeof first && memcmp(source->data, SG_EVENTS_MAGIC, sizeof first) == 0;
        return SCADYG_OK;
    }
    /* A pipe is not even opened: what is taken from it is gone. */
    if (strcmp(source->path, "-") == 0 || stat(source->path, &facts) != 0 || !S_ISREG(facts.st_mode))
        return SCADYG_OK;
    const int fd = open(source->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return sg_fail_system(error, errno, "cannot open %s", source->path);
    const ssize_t got = read_first(fd, first, sizeof first);
    const int reason = errno;
    close(fd);
    if (got < 0) return sg_fail_system(error, reason, "cannot read %s", source->path);
    *stored = got == sizeof first && memcmp(first, SG_EVENTS_MAGIC, sizeof first) == 0;
    return SCADYG_OK;
}

int sg_stored_open(sg_stored *stored, const sg_input_source *source, uint64_t resident, scadyg_error *error)
{
    *stored = (sg_stored){0};
    int status = source->data
                     ? sg_events_open_memory(source->path, source->data, source->size, &stored->events, error)
                     : scadyg_events_open(source->path, &stored->events, error);
    if (status) return status;
    stored->shape = scadyg_events_shape(stored->events);
    if (!source->data) { /* memory that was handed in is not ours to forget */
        stored->resident = (sg_resident){.mapping = stored->events->mapping, .bound = resident};
        stored->events->resident = resident;
    }
    const uint64_t row = 24 + 4 * (uint64_t)stored->shape->edge_features, fit = resident / 4 / row;
    stored->stretch = fit > STRETCH_MOST || !resident ? STRETCH_MOST : fit ? fit : 1;
    return SCADYG_OK;
}

void sg_stored_close(sg_stored *stored)
{
    scadyg_events_close(stored->events);
    *stored = (sg_stored){0};
}

int sg_stored_columns(scadyg_context *context, sg_stored *stored, scadyg_error *error)
{
    const void *data[SCADYG_COLUMN_ID_SIDES + 1] = {NULL};
    for (int column = SCADYG_COLUMN_SRC; column <= SCADYG_COLUMN_ID_SIDES; column++) {
        int status =
            sg_events_report(context, stored->events, "verifying", (uint64_t)column, SCADYG_COLUMN_ID_SIDES, error);
        if (!status)
            status = sg_events_column_alone(context, stored->events, (scadyg_column)column, &data[column], error);
        if (status) return status;
    }
    stored->src = data[SCADYG_COLUMN_SRC];
    stored->dst = data[SCADYG_COLUMN_DST];
    stored->time = data[SCADYG_COLUMN_TIME];
    stored->weight = data[SCADYG_COLUMN_WEIGHT];
    stored->label = data[SCADYG_COLUMN_LABEL];
    stored->features = data[SCADYG_COLUMN_EDGE_FEATURES];
    stored->node_features = data[SCADYG_COLUMN_NODE_FEATURES];
    stored->ids = (sg_id_columns){.count = stored->shape->nodes,
                                  .integers = data[SCADYG_COLUMN_ID_INTEGERS],
                                  .offsets = data[SCADYG_COLUMN_ID_OFFSETS],
                                  .text = data[SCADYG_COLUMN_ID_TEXT],
                                  .sides = data[SCADYG_COLUMN_ID_SIDES]};
    return SCADYG_OK;
}

void sg_stored_at(sg_stored *stored, uint64_t events, uint64_t nodes)
{
    const scadyg_shape *shape = stored->shape;
    sg_resident_touch(&stored->resident, 5, events * 8);
    sg_resident_touch(&stored->resident, 1, events * 4 * shape->edge_features);
    if (nodes) sg_resident_touch(&stored->resident, 3, nodes * (8 + 4 * (uint64_t)shape->node_features));
}

int sg_stored_id(const sg_stored *stored, const sg_hash_key *key, uint32_t node, sg_id *id, scadyg_error *error)
{
    const char *fault = NULL;
    if (stored->ids.integers) {
        *id = sg_id_integer(key, stored->ids.integers[node]);
    } else {
        const char *text;
        const size_t length = sg_id_text(&stored->ids, node, NULL, &text);
        fault = sg_id_fault(text, length);
        if (!fault) sg_id_parse(id, key, text, length);
    }
    if (stored->ids.sides && stored->ids.sides[node] > 1) fault = "is of neither side";
    if (!fault) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: the id of node %u %s", stored->events->path, node,
                   fault);
}

void sg_stored_rest(sg_stored *stored)
{
    if (!stored->resident.mapping.data) return;
    sg_mapping_drop(&stored->resident.mapping);
    stored->resident.touched = 0;
}
