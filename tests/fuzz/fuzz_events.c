/* Any bytes as an .events file: opened, verified, and everything that reads from it called. */
#include "fuzz/fuzz.h"

#include "events/node_id.h"
#include "events/repair_events.h"
#include "scadyg_lab.h"

#include <string.h>

static void read_names(scadyg_events *events)
{
    uint64_t nodes = scadyg_events_shape(events)->nodes;
    for (uint64_t node = 0; node < nodes && node < 20; node++) {
        char name[32];
        size_t length = 0;
        uint32_t found;
        if (scadyg_node_name(events, (uint32_t)node, name, sizeof name, &length, NULL)) continue;
        PROMISE(memchr(name, 0, sizeof name));
        if (length < sizeof name) (void)scadyg_node_find(events, (int)(node % 3), name, &found, NULL);
    }
    char name[8];
    size_t length;
    PROMISE(nodes > UINT32_MAX || scadyg_node_name(events, (uint32_t)nodes, name, sizeof name, &length, NULL));
}

static void read_columns(scadyg_events *events)
{
    const scadyg_shape *shape = scadyg_events_shape(events);
    char text[64];
    scadyg_time_text(shape->time_kind, shape->first_time, text);
    scadyg_time_human(shape->time_kind, shape->last_time, text);
    const void *src, *dst, *time;
    if (scadyg_events_column(events, SCADYG_COLUMN_SRC, &src, NULL) ||
        scadyg_events_column(events, SCADYG_COLUMN_DST, &dst, NULL) ||
        scadyg_events_column(events, SCADYG_COLUMN_TIME, &time, NULL))
        return;
    for (uint64_t i = 0; i < shape->events; i++) {
        PROMISE(((const uint32_t *)src)[i] < shape->nodes && ((const uint32_t *)dst)[i] < shape->nodes);
        PROMISE(i == 0 || ((const double *)time)[i - 1] <= ((const double *)time)[i]);
    }
}

/* Made separate or of one kind, back and forth: what is then read is as sound as what a file holds. */
static void change_roles(scadyg_events *events)
{
    for (int i = 0; i < 2; i++) {
        scadyg_error error = {0};
        char text[512];
        int status = scadyg_events_set_roles(NULL, events, !scadyg_events_shape(events)->two_id_spaces, &error);
        if (!status) status = scadyg_events_roles(NULL, events, text, sizeof text, &error);
        PROMISE(status == SCADYG_OK || (error.status == status && error.message[0]));
        if (status) return;
        read_names(events);
        read_columns(events);
    }
}

/* What a damaged file must not upset: the counts, the keys, the messages of all nodes, the table. */
static void use(scadyg_events *events)
{
    const scadyg_shape *shape = scadyg_events_shape(events);
    scadyg_error error = {0};
    scadyg_info *info = NULL;
    int status = scadyg_info_compute(fuzz_context(1, 1 << 20), events, &info, &error);
    PROMISE(status == SCADYG_OK || (error.status == status && error.message[0]));
    if (status == SCADYG_OK) PROMISE(info->distinct_times >= 1 && info->distinct_times <= shape->events);
    scadyg_info_free(info);
    error = (scadyg_error){0};
    const uint64_t *keys = NULL;
    PROMISE(!sg_events_keys(events, &keys, &error) || error.message[0]);
    scadyg_options *options = NULL;
    scadyg_messages *messages;
    PROMISE(scadyg_options_open("messages", &options, &error) == SCADYG_OK);
    PROMISE(scadyg_options_set(options, "steps", "5", &error) == SCADYG_OK);
    if (scadyg_messages_open(NULL, events, options, &messages, &error) == SCADYG_OK) {
        size_t size = (size_t)shape->nodes * scadyg_messages_width(messages);
        double *out = size < 1 << 20 ? malloc((size ? size : 1) * sizeof *out) : NULL;
        if (out) (void)scadyg_messages_at(messages, shape->last_time, NULL, (size_t)shape->nodes, out, &error);
        free(out);
        scadyg_messages_close(messages);
    }
    scadyg_options_close(options);
    (void)scadyg_export(NULL, events, fuzz_path("x.csv"), &error);
}

/* Appended to, and joined behind rows: refused, or sound. */
static void join(const char *path)
{
    static const char rows[] = "src,dst,time\n1,2,1\nx,y,2000000000\n";
    const char *const text = fuzz_file("rows.csv", rows, sizeof rows - 1), *const output =
                                                                               fuzz_path("joined.events");
    const char *const orders[][2] = {{path, text}, {text, path}};
    for (int i = 0; i < 2; i++) {
        scadyg_error error = {0};
        scadyg_events *events;
        const int status = scadyg_import(fuzz_context(1, 1 << 28), orders[i], 2, output, NULL, NULL, &error);
        PROMISE(status == SCADYG_OK || (error.status == status && error.message[0]));
        if (status) continue;
        PROMISE(!scadyg_events_open(output, &events, &error));
        PROMISE(!scadyg_events_verify(NULL, events, &error));
        scadyg_events_close(events);
    }
}

/* The first byte says whether to make the checksums right; most wrong bytes end there. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1 << 16) return 0;
    uint8_t *bytes = malloc(size);
    PROMISE(bytes);
    memcpy(bytes, data + 1, size - 1);
    if (data[0] & 1) repair_events(bytes, size - 1);
    const char *path = fuzz_file("x.events", bytes, size - 1);
    free(bytes);
    scadyg_events *events;
    scadyg_error error = {0};
    int status = scadyg_events_open(path, &events, &error);
    PROMISE(status == SCADYG_OK || (error.status == status && error.message[0]));
    if (status) return 0;
    read_columns(events);
    read_names(events);
    (void)scadyg_events_verify(NULL, events, NULL);
    use(events);
    change_roles(events);
    scadyg_events_close(events);
    join(fuzz_path("x.events"));
    return 0;
}
