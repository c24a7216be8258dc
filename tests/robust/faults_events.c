/* Every call that can fail while an events file is written or read is made to fail. */
#include "cmocka_all.h"

#include "robust/faults_run.h"
#include "robust/sample.h"
#include "robust/scratch.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing),
        cmocka_unit_test(reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
