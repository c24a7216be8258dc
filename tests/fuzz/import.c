/* Imports for fuzz targets, with the promises every import keeps. All in memory, but for one input in many. */
#include "fuzz/fuzz.h"

#include "base/crc32c.h"
#include "contexts.h"
#include "events/export/export.h"
#include "events/file.h"
#include "events/import/import.h"

#include <string.h>
#include <unistd.h>

enum { MEMORY = 1 << 28 };

scadyg_context *fuzz_context(int threads, uint64_t memory)
{
    return context_with(threads, memory, NULL, NULL);
}

/* What came of an import. */
struct outcome {
    int status;
    scadyg_error error;
    sg_image image;
    scadyg_import_report *report;
};

static void check_error(const struct outcome *outcome)
{
    const scadyg_error *error = &outcome->error;
    const int status = outcome->status;
    PROMISE(status >= SCADYG_OK && status <= SCADYG_E_CHANGED);
    PROMISE(status == SCADYG_OK || (error->status == status && error->message[0]));
    PROMISE(!strchr(error->message, '\n'));
    PROMISE(!status == !!outcome->report);
    PROMISE(!status || !outcome->image.data);
}

static void close_outcome(struct outcome *outcome)
{
    sg_image_free(&outcome->image);
    scadyg_import_report_free(outcome->report);
}

static struct outcome import(const sg_import_job *job, const sg_import_plan *plan, int threads,
                             const sg_import_options *options)
{
    struct outcome outcome = {0};
    sg_import_job own = *job;
    own.image = &outcome.image;
    own.output = fuzz_path("x"); /* scratch files would go beside it */
    own.plan = plan;
    outcome.status = sg_import_run(fuzz_context(threads, MEMORY), &own, options, &outcome.report, &outcome.error);
    check_error(&outcome);
    return outcome;
}

static void check_same_report(const scadyg_import_report *a, const scadyg_import_report *b)
{
    PROMISE(strcmp(a->layout, b->layout) == 0 && strcmp(a->first_events, b->first_events) == 0);
    PROMISE(strcmp(a->bad_rows, b->bad_rows) == 0);
    PROMISE(a->rows == b->rows && a->bad == b->bad && a->out_of_order == b->out_of_order);
    PROMISE(a->self_loops == b->self_loops && a->ties == b->ties);
    PROMISE(a->unused_node_features == b->unused_node_features);
}

static void check_same_image(const sg_image *a, const sg_image *b)
{
    PROMISE(a->size == b->size && memcmp(a->data, b->data, a->size) == 0);
}

/* The same with blocks of a few bytes, with several threads, with rows that go to disk. */
static void check_plan(const sg_import_job *job, const sg_import_plan *plan, int threads,
                       const sg_import_options *options, const struct outcome *expected)
{
    struct outcome again = import(job, plan, threads, options);
    if (again.status != expected->status || strcmp(again.error.message, expected->error.message) != 0)
        fprintf(stderr, "%s\n%s\n", expected->error.message, again.error.message);
    PROMISE(again.status == expected->status && strcmp(again.error.message, expected->error.message) == 0);
    if (!again.status) {
        check_same_image(&expected->image, &again.image);
        check_same_report(expected->report, again.report);
    }
    close_outcome(&again);
}

static void check_names(scadyg_events *events)
{
    const scadyg_shape *shape = scadyg_events_shape(events);
    static char name[70000];
    for (uint64_t node = 0; node < shape->nodes && node < 20; node++) {
        size_t length;
        uint32_t found;
        int role;
        PROMISE(scadyg_node_name(events, (uint32_t)node, name, sizeof name, &length, NULL) == SCADYG_OK);
        PROMISE(length < sizeof name && strlen(name) == length);
        PROMISE(scadyg_node_role(events, (uint32_t)node, &role, NULL) == SCADYG_OK);
        PROMISE(scadyg_node_find(events, role, name, &found, NULL) == SCADYG_OK && found == node);
    }
}

static void check_same_text(const sg_image *image, const sg_text *table)
{
    scadyg_events *events;
    sg_text again, nodes;
    PROMISE(sg_events_open_memory("again", image->data, image->size, &events, NULL) == SCADYG_OK);
    PROMISE(sg_export_memory(NULL, events, &again, &nodes, NULL) == SCADYG_OK);
    PROMISE(again.size == table->size && memcmp(again.data, table->data, again.size) == 0);
    scadyg_events_close(events);
    free(again.data);
    free(nodes.data);
}

/* What is exported imports back to the same bytes, but for how the first text was read. */
static void check_round_trip(scadyg_events *events, const sg_image *image)
{
    static const sg_import_options none;
    sg_text table, nodes;
    scadyg_error error = {0};
    PROMISE(sg_export_memory(NULL, events, &table, &nodes, &error) == SCADYG_OK);
    const sg_input_source source = {"table.csv", table.data, table.size};
    sg_import_job job = {.sources = &source, .count = 1};
    if (nodes.size) job.node_features = (sg_input_source){"table.nodes.csv", nodes.data, nodes.size};
    struct outcome again = import(&job, NULL, 1, &none);
    if (again.status) fprintf(stderr, "%s\n", again.error.message);
    PROMISE(again.status == SCADYG_OK);
    if (!*scadyg_events_reading(events)) check_same_image(image, &again.image);
    check_same_text(&again.image, &table);
    close_outcome(&again);
    free(table.data);
    free(nodes.data);
}

static void check_image(const struct outcome *outcome)
{
    scadyg_events *events;
    const scadyg_import_report *report = outcome->report;
    PROMISE(sg_events_open_memory("x", outcome->image.data, outcome->image.size, &events, NULL) == SCADYG_OK);
    PROMISE(scadyg_events_verify(NULL, events, NULL) == SCADYG_OK);
    const scadyg_shape *shape = scadyg_events_shape(events);
    PROMISE(shape->events == report->rows - report->bad);
    PROMISE(shape->nodes == report->shape->nodes && shape->nodes <= 2 * shape->events);
    PROMISE(shape->edge_features == report->shape->edge_features);
    check_names(events);
    check_round_trip(events, &outcome->image);
    scadyg_events_close(events);
}

/* The same through files: what appears has the same bytes, and nothing appears where it fails. */
static void check_files(const sg_import_job *job, const sg_import_options *options, const struct outcome *expected)
{
    sg_input_source sources[2], *features;
    sg_import_job own = *job;
    struct outcome again = {0};
    PROMISE(job->count <= 2);
    for (size_t i = 0; i < job->count; i++) {
        sources[i] = job->sources[i];
        sources[i].path = fuzz_file(sources[i].path, sources[i].data, sources[i].size);
        sources[i].data = NULL;
    }
    own.sources = sources;
    for (int i = 0; i < 2; i++) {
        features = i ? &own.node_features : &own.edge_features;
        if (!features->path) continue;
        features->path = fuzz_file(features->path, features->data, features->size);
        features->data = NULL;
    }
    own.output = fuzz_path("out.events");
    unlink(own.output);
    again.status = sg_import_run(fuzz_context(2, MEMORY), &own, options, &again.report, &again.error);
    check_error(&again);
    PROMISE(again.status == expected->status);
    if (again.status)
        PROMISE(access(own.output, F_OK) != 0);
    else
        PROMISE(fuzz_has(own.output, expected->image.data, expected->image.size));
    close_outcome(&again);
}

void fuzz_import(const sg_import_job *job, const sg_import_options *options)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < job->count; i++) hash = sg_crc32c(hash, job->sources[i].data, job->sources[i].size);
    hash = sg_crc32c(hash, job->edge_features.data, job->edge_features.size);
    hash = sg_crc32c(hash, job->node_features.data, job->node_features.size);
    struct outcome dry = {0}, outcome;
    dry.status = sg_import_run(fuzz_context(1, MEMORY), job, options, &dry.report, &dry.error);
    check_error(&dry);
    close_outcome(&dry);
    outcome = import(job, NULL, 1, options);
    const sg_import_plan small = {.blocks = 1,
                                  .block_size = 1 + hash % 61,
                                  .chunk_size = hash % 97,
                                  .batch_size = hash % 151,
                                  .row_budget = MEMORY};
    check_plan(job, &small, 1, options, &outcome);
    if (!outcome.status) check_image(&outcome);
    /* Threads, scratch files and files take their time: one input in many, the same each time. */
    sg_import_plan on_disk = small;
    on_disk.row_budget = on_disk.merge_size = 1;
    on_disk.blocks = 3;
    if (hash % 128 == 1) check_plan(job, &on_disk, 1 + (int)(hash / 128 % 3), options, &outcome);
    if (hash % 512 == 2) check_files(job, options, &outcome);
    close_outcome(&outcome);
}
