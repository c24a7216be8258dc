/* Imports for fuzz targets, with the promises every import keeps. */
#include "fuzz/fuzz.h"

#include "contexts.h"
#include "events/import/import.h"

#include <string.h>
#include <unistd.h>

scadyg_context *fuzz_context(int threads, uint64_t memory)
{
    return context_with(threads, memory, NULL, NULL);
}

static void check_error(int status, const scadyg_error *error)
{
    PROMISE(status >= SCADYG_OK && status <= SCADYG_E_CANCELLED);
    PROMISE(status == SCADYG_OK || (error->status == status && error->message[0]));
    PROMISE(!strchr(error->message, '\n'));
}

static int same_bytes(const char *one, const char *other)
{
    FILE *a = fopen(one, "rb"), *b = fopen(other, "rb");
    PROMISE(a && b);
    int left, right;
    do {
        left = getc(a);
        right = getc(b);
    } while (left == right && left != EOF);
    fclose(a);
    fclose(b);
    return left == right;
}

/* What is exported imports back to the same bytes. */
static void check_round_trip(scadyg_events *events, const char *output)
{
    const char *table = fuzz_path("table.csv"), *again = fuzz_path("again.events");
    scadyg_error error = {0};
    unlink(table);
    unlink(fuzz_path("table.nodes.csv"));
    PROMISE(scadyg_export(NULL, events, table, &error) == SCADYG_OK);
    int status = scadyg_import(fuzz_context(1, 1 << 28), &table, 1, again, NULL, NULL, &error);
    if (status) fprintf(stderr, "%s\n", error.message);
    PROMISE(status == SCADYG_OK);
    PROMISE(same_bytes(output, again));
}

static void check_output(const char *output, const scadyg_import_report *report)
{
    scadyg_events *events;
    PROMISE(scadyg_events_open(output, &events, NULL) == SCADYG_OK);
    PROMISE(scadyg_events_verify(NULL, events, NULL) == SCADYG_OK);
    const scadyg_shape *shape = scadyg_events_shape(events);
    PROMISE(shape->events == report->rows - report->bad);
    PROMISE(shape->nodes == report->shape->nodes && shape->nodes <= 2 * shape->events);
    PROMISE(shape->edge_features == report->shape->edge_features);
    for (uint64_t node = 0; node < shape->nodes && node < 20; node++) {
        char name[70000];
        size_t length;
        uint32_t found;
        PROMISE(scadyg_node_name(events, (uint32_t)node, name, sizeof name, &length, NULL) == SCADYG_OK);
        PROMISE(length < sizeof name && strlen(name) == length);
        PROMISE(scadyg_node_find(events, name, &found, NULL) == SCADYG_OK && found == node);
    }
    check_round_trip(events, output);
    scadyg_events_close(events);
}

void fuzz_import(scadyg_context *context, const char *const *files, size_t count, const sg_import_options *options)
{
    const char *output = fuzz_path("out.events");
    scadyg_error error = {0};
    scadyg_import_report *report = NULL;
    unlink(output);
    int dry = sg_import(context, files, count, NULL, options, &report, &error);
    check_error(dry, &error);
    PROMISE(dry ? !report : report->layout && report->first_events);
    PROMISE(access(output, F_OK) != 0);
    scadyg_import_report_free(report);
    error = (scadyg_error){0};
    report = NULL;
    int status = sg_import(context, files, count, output, options, &report, &error);
    check_error(status, &error);
    if (status == SCADYG_OK)
        check_output(output, report);
    else
        PROMISE(access(output, F_OK) != 0);
    scadyg_import_report_free(report);
}
