/*
 * A system that gives no threads, or only some, and no locks: work goes on with those there are and ends in the same bytes,
 * or says that there is no memory. The calls are refused on their way, by the linker's --wrap.
 */
#include "cmocka_all.h"

#include "base/context.h"
#include "robust/scratch.h"
#include "scadyg_lab.h"
#include "train_options.h"
#include "under_sanitizer.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 5, ROWS = 60000 };
enum call { CREATE, MUTEX, COND, CALLS };

static atomic_int seen[CALLS];                /* since it was armed */
static atomic_int first[CALLS], until[CALLS]; /* which of them are refused: from 1, not the last */

static int is_refused(enum call call)
{
    const int number = atomic_fetch_add(&seen[call], 1) + 1;
    return number >= atomic_load(&first[call]) && number < atomic_load(&until[call]);
}

static void refuse(enum call call, int from, int to)
{
    for (int i = 0; i < CALLS; i++) {
        atomic_store(&seen[i], 0);
        atomic_store(&first[i], i == (int)call ? from : 0);
        atomic_store(&until[i], i == (int)call ? to : 0);
    }
}

#define WRAP(name, ...)                                                                                            \
    int __real_##name(__VA_ARGS__);                                                                                \
    int __wrap_##name(__VA_ARGS__);                                                                                \
    int __wrap_##name(__VA_ARGS__)

WRAP(pthread_create, pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *data)
{
    return is_refused(CREATE) ? EAGAIN : __real_pthread_create(thread, attributes, body, data);
}

WRAP(pthread_mutex_init, pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    return is_refused(MUTEX) ? ENOMEM : __real_pthread_mutex_init(mutex, attributes);
}

WRAP(pthread_cond_init, pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
    return is_refused(COND) ? ENOMEM : __real_pthread_cond_init(cond, attributes);
}

/* ---- Work, each with an output ---- */

static char *folder;
static char log_path[256], events_path[256], model_path[256], output[256];

static int import_log(scadyg_context *context, scadyg_error *error)
{
    const char *files[] = {log_path};
    return scadyg_import(context, files, 1, output, NULL, NULL, error);
}

/* Opens events and model, and hands them on. */
static int with_model(scadyg_context *context, scadyg_error *error,
                      int (*work)(scadyg_context *context, scadyg_events *events, scadyg_model *model, FILE *out,
                                  scadyg_error *error))
{
    scadyg_events *events = NULL;
    scadyg_model *model = NULL;
    FILE *out = fopen(output, "w");
    assert_non_null(out);
    int status = scadyg_events_open(events_path, &events, error);
    if (!status) status = scadyg_model_open(model_path, &model, error);
    if (!status) status = work(context, events, model, out, error);
    scadyg_model_close(model);
    scadyg_events_close(events);
    assert_int_equal(fclose(out), 0);
    return status;
}

static int train(scadyg_context *context, scadyg_error *error)
{
    scadyg_events *events = NULL;
    scadyg_model *model = NULL;
    scadyg_options *options =
        train_options("scadyg", "link", "epochs=1 steps=20 fallback=0 hidden=8 negatives=1 cases=500");
    int status = scadyg_events_open(events_path, &events, error);
    if (!status) status = scadyg_train(context, events, options, NULL, 0, NULL, &model, error);
    if (!status) status = scadyg_model_save(model, output, error);
    scadyg_model_close(model);
    scadyg_events_close(events);
    scadyg_options_close(options);
    return status;
}

static int write_scores(scadyg_context *context, scadyg_events *events, scadyg_model *model, FILE *out,
                        scadyg_error *error)
{
    scadyg_result *result = NULL;
    int status = scadyg_evaluate(context, model, events, NULL, &result, error);
    for (size_t i = 0; !status && i < result->count; i++)
        fprintf(out, "%s %a\n", result->evaluated[i]->name, result->evaluated[i]->mean[result->main_score]);
    scadyg_result_free(result);
    return status;
}

static int write_ranks(scadyg_context *context, scadyg_events *events, scadyg_model *model, FILE *out,
                       scadyg_error *error)
{
    scadyg_predictor *p = NULL;
    uint32_t nodes[10];
    double scores[10];
    size_t count = 0;
    int status = scadyg_predictor_open(context, model, events, &p, error);
    const double last = scadyg_events_shape(events)->last_time;
    if (!status) status = scadyg_rank(p, 1, last, 0, 10, nodes, scores, NULL, &count, error);
    for (size_t i = 0; !status && i < count; i++) fprintf(out, "%u %a\n", nodes[i], scores[i]);
    scadyg_predictor_close(p);
    return status;
}

static int evaluate(scadyg_context *context, scadyg_error *error)
{
    return with_model(context, error, write_scores);
}

static int rank(scadyg_context *context, scadyg_error *error)
{
    return with_model(context, error, write_ranks);
}

/* ---- With every call refused in turn ---- */

static int run(int (*work)(scadyg_context *context, scadyg_error *error), unsigned char **bytes, size_t *size,
               scadyg_error *error)
{
    scadyg_context *context = NULL;
    *error = (scadyg_error){0};
    unlink(output);
    *bytes = NULL;
    int status = scadyg_context_open(&context, error);
    if (status) return status;
    scadyg_context_set_threads(context, THREADS);
    status = work(context, error);
    scadyg_context_close(context);
    if (!status) *bytes = scratch_read(output, size);
    return status;
}

static void check_refused(int (*work)(scadyg_context *context, scadyg_error *error), enum call call, int from,
                          int to, const unsigned char *expected, size_t expected_size)
{
    unsigned char *bytes;
    size_t size = 0;
    scadyg_error error;
    refuse(call, from, to);
    int status = run(work, &bytes, &size, &error);
    refuse(CREATE, 0, 0);
    if (call == CREATE || !status) { /* without threads there is nothing that cannot be done */
        assert_int_equal(status, SCADYG_OK);
        assert_int_equal(size, expected_size);
        assert_memory_equal(bytes, expected, size);
    } else {
        assert_int_equal(status, SCADYG_E_MEMORY);
        assert_true(error.message[0]);
    }
    free(bytes);
}

static void refused(void **state)
{
    int (*const *work)(scadyg_context * context, scadyg_error * error) = *state;
    unsigned char *expected;
    size_t size = 0;
    scadyg_error error;
    refuse(CREATE, 0, 0);
    if (run(*work, &expected, &size, &error)) fail_msg("%s", error.message);
    int calls[CALLS];
    for (int call = 0; call < CALLS; call++) calls[call] = atomic_load(&seen[call]);
    assert_int_equal(calls[CREATE], THREADS - 1);
    const size_t before = scratch_descriptors();
    for (int call = 0; call < CALLS; call++)
        for (int i = 1; i <= calls[call]; i += UNDER_SANITIZER && i >= THREADS ? 3 : 1) {
            check_refused(*work, (enum call)call, i, i + 1, expected, size);
            check_refused(*work, (enum call)call, i, 1000000, expected, size);
        }
    assert_int_equal(scratch_descriptors(), before);
    free(expected);
}

static int set_up(void **state)
{
    (void)state;
    scadyg_error error;
    folder = scratch_make();
    snprintf(log_path, sizeof log_path, "%s/log.csv", folder);
    snprintf(events_path, sizeof events_path, "%s/log.events", folder);
    snprintf(model_path, sizeof model_path, "%s/log.scadyg", folder);
    snprintf(output, sizeof output, "%s/output", folder);
    FILE *file = fopen(log_path, "w");
    assert_non_null(file);
    for (int i = 0; i < ROWS; i++) fprintf(file, "%d,%d,%d\n", i * 7 % 97, i * 3 % 89 + 100, i);
    assert_int_equal(fclose(file), 0);
    scadyg_options *options = set_options("generate", "events=3000 nodes=100");
    if (scadyg_generate(NULL, events_path, NULL, options, &error)) fail_msg("%s", error.message);
    scadyg_options_close(options);
    scadyg_context *context;
    assert_int_equal(scadyg_context_open(&context, &error), SCADYG_OK);
    if (train(context, &error)) fail_msg("%s", error.message);
    scadyg_context_close(context);
    assert_int_equal(rename(output, model_path), 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    scratch_remove(folder);
    return 0;
}

int main(void)
{
    static int (*const works[])(scadyg_context * context, scadyg_error * error) = {import_log, train, evaluate,
                                                                                   rank};
    const struct CMUnitTest tests[] = {
        {"import", refused, NULL, NULL, (void *)(uintptr_t)&works[0]},
        {"train", refused, NULL, NULL, (void *)(uintptr_t)&works[1]},
        {"eval", refused, NULL, NULL, (void *)(uintptr_t)&works[2]},
        {"rank", refused, NULL, NULL, (void *)(uintptr_t)&works[3]},
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
