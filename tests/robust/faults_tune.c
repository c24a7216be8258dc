/* Every call that can fail in a search, stopped once and resumed, is made to fail: an error, no crash, no leak. */
#include "cmocka_all.h"

#include "robust/faults_run.h"
#include "robust/scratch.h"
#include "train_options.h"

#include "scadyg_lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIALS = 3, REPORTS = 25 };

static scadyg_options *base, *tune;

typedef struct job {
    const char *events, *journal;
    int left; /* reports of progress until it is stopped */
} job;

static int report(void *data, const char *what, uint64_t done, uint64_t total)
{
    (void)what, (void)done, (void)total;
    return --((job *)data)->left == 0;
}

/* One search, and if it is not stopped the model of its best trial. */
static int search(job *j, scadyg_events *events, int resume, const char *output, scadyg_error *error)
{
    static const char *const vary[] = {"lr=1e-3..0.1:log", "node-features=none|random:2"};
    char checkpoint[256];
    scadyg_tuning *tuning = NULL;
    scadyg_model *model = NULL;
    scadyg_context *context = NULL;
    int status = scadyg_context_open(&context, error);
    if (status) return status;
    scadyg_context_set_threads(context, 1);
    scadyg_context_set_progress(context, report, j);
    status = scadyg_tuning_open(base, vary, 2, tune, &tuning, error);
    if (!status) status = scadyg_tuning_run(context, tuning, events, j->journal, resume, NULL, error);
    if (!status) {
        const scadyg_trial *best = scadyg_tuning_look(tuning)->best;
        scadyg_tuning_checkpoint(j->journal, best->number, checkpoint, sizeof checkpoint);
        status = scadyg_train(NULL, events, best->options, checkpoint, 1, NULL, &model, error);
    }
    if (!status) status = scadyg_model_save(model, output, error);
    scadyg_model_close(model);
    scadyg_tuning_close(tuning);
    scadyg_context_close(context);
    return status;
}

static void forget(const char *journal)
{
    char checkpoint[256];
    unlink(journal);
    for (int64_t i = 1; i <= TRIALS; i++) {
        scadyg_tuning_checkpoint(journal, i, checkpoint, sizeof checkpoint);
        unlink(checkpoint);
    }
}

static int work(void *data, const char *output, scadyg_error *error)
{
    job *j = data;
    scadyg_events *events;
    int status = scadyg_events_open(j->events, &events, error);
    if (status) return status;
    j->left = REPORTS;
    forget(j->journal);
    status = search(j, events, 0, output, error);
    if (status == SCADYG_E_CANCELLED) status = search(j, events, 1, output, error);
    scadyg_events_close(events);
    forget(j->journal);
    return status;
}

static void everywhere(void **state)
{
    (void)state;
    char *directory = scratch_make();
    char *path = strdup(scratch_path(directory, "in.events"));
    char journal[64]; /* it is written often, so better not to a disk */
    snprintf(journal, sizeof journal, "%s/scadyg-faults-%ld.journal",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    scadyg_options *generate = set_options("generate", "events=120 nodes=8");
    assert_int_equal(scadyg_generate(NULL, path, NULL, generate, NULL), SCADYG_OK);
    scadyg_options_close(generate);
    base = train_options("scadyg-paper", "link", "steps=10 hidden=4 epochs=3");
    tune = set_options("tune", "trials=3");
    job j = {path, journal, 0};
    const faults_work w = {"a search", work, &j};
    assert_true(faults_everywhere(&w) > 100);
    assert_true(j.left < 0); /* it was stopped, and went on */
    scadyg_options_close(base);
    scadyg_options_close(tune);
    free(path);
    scratch_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
