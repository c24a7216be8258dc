/*
 * Every call of a live state that can fail is made to fail: opening, events with new nodes, snapshots, restoring, questions. An
 * error with a sentence and nothing left behind, or the answers as they are without faults.
 */
#include "predict/live_stream.h"
#include "robust/faults_run.h"

typedef struct work {
    scadyg_model *model;
    arrivals *stream;
    char path[80];
} work;

static int write_answers(scadyg_live *live, const char *output, scadyg_error *error)
{
    uint32_t nodes[LIVE_NODES];
    double scores[LIVE_NODES];
    size_t count = 0;
    sg_output file;
    int status = scadyg_live_rank(live, 1, NAN, 0, LIVE_NODES, nodes, scores, NULL, &count, error);
    if (!status) status = sg_output_open(&file, output, error);
    if (status) return status;
    status = sg_output_write_at(&file, 0, scores, count * sizeof *scores, error);
    if (!status) status = sg_output_commit(&file, error);
    sg_output_abandon(&file);
    return status;
}

/* Half of the events, a snapshot, the rest behind it. */
static int run(void *context, const char *output, scadyg_error *error)
{
    work *w = context;
    scadyg_live *live = NULL, *restored = NULL;
    const scadyg_live_events first = arrivals_between(w->stream, 0, 40), rest = arrivals_between(w->stream, 40, 90);
    int status = scadyg_live_open(NULL, w->model, NULL, &live, error);
    if (!status) status = scadyg_live_observe(live, &first, NULL, error);
    if (!status) status = scadyg_live_set_window(live, 20, error);
    if (!status) status = scadyg_live_snapshot(live, w->path, error);
    if (!status) status = scadyg_live_restore(NULL, w->model, w->path, &restored, error);
    if (!status) status = scadyg_live_observe(restored, &rest, NULL, error);
    if (!status) status = scadyg_live_flush(restored, error);
    if (!status) status = write_answers(restored, output, error);
    scadyg_live_close(restored);
    scadyg_live_close(live);
    unlink(w->path);
    return status;
}

static void check(const char *kind, const char *settings)
{
    static arrivals stream;
    scadyg_events *events = sample_events(3);
    work w = {.model = trained(NULL, events, kind, "link", settings), .stream = &stream};
    make_arrivals(&stream, 31, 90, 6);
    snprintf(w.path, sizeof w.path, "/tmp/scadyg-faults-live-%ld", (long)getpid());
    assert_true(faults_everywhere(&(faults_work){"live", run, &w}) > 50);
    scadyg_model_close(w.model);
    scadyg_events_close(events);
}

static void default_model(void **state)
{
    (void)state;
    check("scadyg", SMALL LIVE "epochs=1");
}

static void baseline(void **state)
{
    (void)state;
    check("item-knn", "steps=30");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(default_model), cmocka_unit_test(baseline)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
