/* Every call that can fail in a search, stopped once and resumed, is made to fail: an error, no crash, no leak. */
#include "cmocka_all.h"

#include "scadyg.h"

#include "robust/faults_run.h"
#include "robust/scratch.h"
#include "defaults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIALS = 3, REPORTS = 25 };

typedef struct job {
    const char *events, *journal;
    int left; /* reports of progress until it is stopped */
} job;

static int report(void *context, const char *what, uint64_t done, uint64_t total)
{
    (void)what;
    (void)done;
    (void)total;
    return --((job *)context)->left == 0;
}

static scadyg_train_options options(void)
{
    scadyg_train_options train = default_train();
    train.head = SCADYG_HEAD_PAPER;
    train.train_pool = 0;
    train.messages.steps = 10;
    train.hidden = 4;
    train.epochs = 3;
    train.threads = 1;
    return train;
}

/* One search, and if it is not stopped the model of its best trial. */
static int search(job *j, scadyg_events *events, int resume, const char *output, scadyg_error *error)
{
    static const char *const vary[] = {"lr=1e-3..0.1:log", "node-features=none|random:2"};
    const scadyg_train_options base = options();
    const scadyg_tune_options tune = {.trials = TRIALS, .seed = 1};
    const scadyg_progress progress = {report, j};
    char checkpoint[256];
    scadyg_tuning *tuning = NULL;
    scadyg_model *model = NULL;
    int status = scadyg_tuning_open(&base, vary, 2, &tune, &tuning, error);
    if (!status) status = scadyg_tuning_run(tuning, events, j->journal, resume, NULL, &progress, error);
    if (!status) {
        const scadyg_trial *best = scadyg_tuning_look(tuning)->best;
        scadyg_tuning_checkpoint(j->journal, best->number, checkpoint, sizeof checkpoint);
        status = scadyg_train(events, best->options, checkpoint, 1, NULL, NULL, &model, error);
    }
    if (!status) status = scadyg_model_save(model, output, error);
    scadyg_model_close(model);
    scadyg_tuning_close(tuning);
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

static int work(void *context, const char *output, scadyg_error *error)
{
    job *j = context;
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
    scadyg_generate_options generate = default_generate();
    generate.events = 120;
    generate.nodes = 8;
    assert_int_equal(scadyg_generate(path, NULL, &generate, NULL, NULL), SCADYG_OK);
    job j = {path, journal, 0};
    const faults_work w = {"a search", work, &j};
    assert_true(faults_everywhere(&w) > 100);
    assert_true(j.left < 0); /* it was stopped, and went on */
    free(path);
    scratch_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
