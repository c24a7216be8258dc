/* Any bytes as a label file for a small log; the first byte chooses ids and whether the classes are given. */
#include "fuzz/fuzz.h"

#include "events/labels.h"

#include <math.h>
#include <string.h>

static scadyg_events *small_log(int words)
{
    static const char numbers[] = "src,dst,time\n1,2,10\n0,1,20\n2,2,5\n";
    static const char text[] = "user_id,item_id,timestamp\na,b,2001-01-01\nb,a,2002-01-01\n";
    const char *log =
        words ? fuzz_file("log.csv", text, sizeof text - 1) : fuzz_file("log.csv", numbers, sizeof numbers - 1);
    const char *path = fuzz_path("log.events");
    scadyg_events *events;
    PROMISE(scadyg_import(fuzz_context(1, 1 << 28), &log, 1, path, NULL, NULL, NULL) == SCADYG_OK);
    PROMISE(scadyg_events_open(path, &events, NULL) == SCADYG_OK);
    return events;
}

static void check_labels(const sg_labels *labels, uint64_t nodes)
{
    for (size_t c = 0; c < labels->classes; c++) PROMISE(labels->names[c][0]);
    for (size_t g = 0; g < labels->groups; g++) {
        PROMISE(isfinite(labels->time[g]) && (g == 0 || labels->time[g - 1] < labels->time[g]));
        PROMISE(labels->first_row[g] < labels->first_row[g + 1]);
        for (size_t r = labels->first_row[g]; r < labels->first_row[g + 1]; r++) {
            double sum = 0;
            PROMISE(labels->node[r] < nodes && sg_labels_find(labels, g, labels->node[r]) == r);
            PROMISE(labels->first[r] < labels->first[r + 1]);
            for (size_t e = labels->first[r]; e < labels->first[r + 1]; e++) {
                PROMISE(labels->class_of[e] < labels->classes && labels->weight[e] > 0);
                sum += (double)labels->weight[e];
            }
            PROMISE(fabs(sum - 1) < 1e-4);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static scadyg_events *logs[2];
    static char *const given[] = {"x", "7", "b"};
    if (size < 1 || size > 1 << 16) return 0;
    for (int i = 0; i < 2; i++)
        if (!logs[i]) logs[i] = small_log(i);
    scadyg_events *events = logs[data[0] & 1];
    const char *path = fuzz_file("labels", data + 1, size - 1);
    scadyg_error error = {0};
    sg_labels labels;
    int fixed = (data[0] & 2) != 0;
    int status = sg_labels_read(&labels, events, path, fixed ? given : NULL, fixed ? 3 : 0, &error);
    PROMISE(status == SCADYG_OK || (error.status == status && error.message[0] && !strchr(error.message, '\n')));
    if (status == SCADYG_OK) check_labels(&labels, scadyg_events_shape(events)->nodes);
    PROMISE(status == SCADYG_OK || !labels.names);
    sg_labels_free(&labels);
    return 0;
}
