/* Every allocation of a walk sketch is made to fail. */
#include "messages/sketch_log.h"

#include "base/file.h"
#include "robust/faults_run.h"

enum { NODES = 12 };

/* Opened with half of the nodes, grown, filled, read, and written. After a refusal to grow it must still work. */
static int make_sketch(void *context, const char *path, scadyg_error *error)
{
    const sketch_log *log = context;
    const sg_sketch_options options = {48, {0, 0.5f, 0.9f}, 0.3};
    const size_t first = LOG_EVENTS / 2, pairs = 3;
    static const uint32_t src[] = {0, 0, 5}, dst[] = {1, 2, 5};
    float dots[3 * ROW] = {0};
    uint64_t keys[NODES];
    sg_sketch *sketch;
    sg_output output;
    make_keys(1, NODES, keys);
    int status = sg_sketch_open(&options, keys, NODES / 2, &sketch, error);
    if (status) return status;
    for (size_t b = 0; b < 3; b++) sg_sketch_add(sketch, b, log->src, log->dst, log->time, first);
    status = sg_sketch_grow(sketch, keys, NODES, error);
    for (size_t b = 0; b < 3; b++) {
        if (!status)
            sg_sketch_add(sketch, b, log->src + first, log->dst + first, log->time + first, LOG_EVENTS - first);
        sg_sketch_read(sketch, b, src, dst, pairs, log->end, dots);
    }
    sg_sketch_close(sketch);
    if (!status) status = sg_output_open(&output, path, error);
    if (status) return status;
    status = sg_output_write_at(&output, 0, dots, sizeof dots, error);
    if (!status) status = sg_output_commit(&output, error);
    sg_output_abandon(&output);
    return status;
}

static void making(void **state)
{
    (void)state;
    sketch_log log = make_log(1, NODES);
    const faults_work work = {"a walk sketch", make_sketch, &log};
    assert_true(faults_everywhere(&work) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(making)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
