/* Every call that can fail while an events file is written or read is made to fail. */
#include "cmocka_all.h"

#include "robust/faults_run.h"
#include "robust/sample.h"
#include "robust/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_sample(void *context, const char *output, scadyg_error *error)
{
    return sample_write(context, output, error);
}

static void writing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sample_count; i++) {
        sample make = samples[i];
        faults_work work = {make.name, write_sample, &make};
        assert_true(faults_everywhere(&work) > 20);
    }
}

/* Reading writes nothing; the sample is copied so that there is an output to compare. */
static int open_and_copy(void *context, const char *output, scadyg_error *error)
{
    scadyg_events *events;
    int status = scadyg_events_open(context, &events, error);
    if (status) return status;
    status = scadyg_events_verify(NULL, events, error);
    scadyg_events_close(events);
    return status ? status : sample_write(&samples[0], output, error);
}

static void reading(void **state)
{
    (void)state;
    char *directory = scratch_make();
    char *path = strdup(scratch_path(directory, "in.events"));
    assert_int_equal(sample_write(&samples[sample_count - 1], path, NULL), SCADYG_OK);
    faults_work work = {"reading", open_and_copy, path};
    assert_true(faults_everywhere(&work) > 20);
    free(path);
    scratch_remove(directory);
}

/* Users and items with the same names, and features of their own: made one kind and separate again, and exported. */
static int set_roles(void *context, const char *output, scadyg_error *error)
{
    scadyg_events *events = NULL;
    char text[512];
    int status = scadyg_events_open(context, &events, error);
    if (!status) status = scadyg_events_set_roles(NULL, events, 1, error);
    if (!status) status = scadyg_events_roles(NULL, events, text, sizeof text, error);
    if (!status) status = scadyg_events_set_roles(NULL, events, 0, error);
    if (!status) status = scadyg_events_set_roles(NULL, events, 1, error);
    if (!status) status = scadyg_events_roles(NULL, events, text, sizeof text, error);
    if (!status) {
        uint32_t node;
        status = scadyg_node_find(events, SCADYG_DESTINATION, "b", &node, error);
    }
    scadyg_events_close(events);
    return status ? status : sample_write(&samples[0], output, error);
}

static void put_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void roles(void **state)
{
    (void)state;
    char *directory = scratch_make();
    char *log = strdup(scratch_path(directory, "log.csv")),
         *nodes = strdup(scratch_path(directory, "log.nodes.csv")),
         *events = strdup(scratch_path(directory, "log.events"));
    put_text(log, "src,dst,time\na,b,1\nb,a,2\nc,b,3\na,d,4\n");
    put_text(nodes, "id,f0\na,1\nb,2\nc,3\nd,4\n");
    const char *files[] = {log};
    scadyg_error error = {0};
    if (scadyg_import(NULL, files, 1, events, NULL, NULL, &error)) fail_msg("%s", error.message);
    faults_work work = {"roles", set_roles, events};
    assert_true(faults_everywhere(&work) > 40);
    free(log);
    free(nodes);
    free(events);
    scratch_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing),
        cmocka_unit_test(reading),
        cmocka_unit_test(roles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
