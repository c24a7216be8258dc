/*
 * Events files that are written to, truncated or replaced while they are read, at many moments of everything that takes
 * long. The report of progress does it, so the moments are the same each time: on one thread, where the library looks at
 * the file before it reads on, not even a file of which nothing is left is a bus error.
 */
#include "cmocka_all.h"

#include "base/file.h"
#include "models/container.h"
#include "robust/scratch.h"
#include "scadyg_lab.h"
#include "train_options.h"
#include "under_sanitizer.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOMENTS = UNDER_SANITIZER ? 3 : 7 };

enum change { NOTHING, WRITTEN, APPENDED, TRUNCATED, EMPTIED, REPLACED, REMOVED, CHANGES };
static const char *const words[CHANGES] = {NULL, "changed", "appended to", "truncated", "truncated", NULL, NULL};

static char *folder, *outputs; /* of the input; of what is written */
static char input[256], original[256];
static scadyg_model *link_model, *paper_model, *affinity_model;

/* ---- The file ---- */

/* A copy under the name of the input, by a rename, and older than anything that is done to it later. */
static void put_input(const char *to)
{
    size_t size;
    char name[300];
    unsigned char *data = scratch_read(original, &size);
    snprintf(name, sizeof name, "%s.new", input);
    scratch_write(name, data, size);
    const struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
    assert_int_equal(rename(name, to), 0);
    free(data);
}

static void write_byte(off_t offset)
{
    int fd = open(input, O_WRONLY);
    unsigned char byte = 7;
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, &byte, 1, offset), 1);
    close(fd);
}

static void change_input(enum change change)
{
    struct stat facts;
    assert_int_equal(stat(input, &facts), 0);
    if (change == WRITTEN) write_byte(facts.st_size / 2);
    if (change == APPENDED) write_byte(facts.st_size);
    if (change == TRUNCATED) assert_int_equal(truncate(input, facts.st_size / 2), 0);
    if (change == EMPTIED) assert_int_equal(truncate(input, 0), 0);
    if (change == REPLACED) put_input(input);
    if (change == REMOVED) assert_int_equal(unlink(input), 0);
}

/* ---- Work on it ---- */

typedef struct work_call {
    scadyg_context *context;
    scadyg_events *events;
    char output[256];
    scadyg_error *error;
} work_call;

static int verify(work_call *c)
{
    return scadyg_events_verify(c->context, c->events, c->error);
}

static int compute_info(work_call *c)
{
    scadyg_info *info = NULL;
    int status = scadyg_info_compute(c->context, c->events, &info, c->error);
    scadyg_info_free(info);
    return status;
}

static int export_rows(work_call *c)
{
    return scadyg_export(c->context, c->events, c->output, c->error);
}

static int take_first(work_call *c)
{
    return scadyg_events_first(c->context, c->events, 1000, c->output, c->error);
}

static int train(work_call *c, const char *kind, const char *task, const char *settings)
{
    scadyg_model *model = NULL;
    char checkpoint[300];
    scadyg_options *options = train_options(kind, task, settings);
    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint", folder);
    unlink(checkpoint);
    int status = scadyg_train(c->context, c->events, options, checkpoint, 0, NULL, &model, c->error);
    if (!status) status = scadyg_model_save(model, c->output, c->error);
    if (!status) assert_int_equal(access(checkpoint, F_OK), 0);
    scadyg_model_close(model);
    scadyg_options_close(options);
    return status;
}

static int train_links(work_call *c)
{
    return train(c, "scadyg", "link", "epochs=2 steps=20 fallback=0");
}

static int train_paper(work_call *c)
{
    return train(c, "scadyg-paper", "link", "epochs=2 steps=20");
}

static int train_affinity(work_call *c)
{
    return train(c, NULL, "affinity", "epochs=2 steps=20");
}

static int tune(work_call *c)
{
    scadyg_tuning *tuning = NULL;
    scadyg_options *base = train_options("scadyg-paper", "link", "epochs=2 steps=20");
    scadyg_options *options = set_options("tune", "trials=2");
    static const char *const vary[] = {"lr=0.001..0.1"};
    int status = scadyg_tuning_open(base, vary, 1, options, &tuning, c->error);
    if (!status) status = scadyg_tuning_run(c->context, tuning, c->events, NULL, 0, NULL, c->error);
    scadyg_tuning_close(tuning);
    scadyg_options_close(options);
    scadyg_options_close(base);
    return status;
}

static int evaluate(work_call *c, const scadyg_model *model, const char *settings)
{
    scadyg_result *result = NULL;
    scadyg_options *options = set_options("evaluate", settings);
    int status = scadyg_evaluate(c->context, model, c->events, options, &result, c->error);
    scadyg_result_free(result);
    scadyg_options_close(options);
    return status;
}

static int evaluate_paper(work_call *c)
{
    return evaluate(c, link_model, "protocol=paper");
}

static int evaluate_tgb(work_call *c)
{
    return evaluate(c, paper_model, "protocol=tgb-link queries=100");
}

static int evaluate_dyglib(work_call *c)
{
    return evaluate(c, link_model, "protocol=dyglib");
}

static int evaluate_affinity(work_call *c)
{
    return evaluate(c, affinity_model, "protocol=tgb-node");
}

/* A predictor, and one question to it. */
static int ask(work_call *c, const scadyg_model *model, int (*question)(work_call *c, scadyg_predictor *p))
{
    scadyg_predictor *p = NULL;
    int status = scadyg_predictor_open(c->context, model, c->events, &p, c->error);
    if (!status) status = question(c, p);
    scadyg_predictor_close(p);
    return status;
}

static double now(const work_call *c)
{
    return scadyg_events_shape(c->events)->last_time;
}

static int ask_rank(work_call *c, scadyg_predictor *p)
{
    uint32_t nodes[5];
    double scores[5], probabilities[5];
    size_t count;
    return scadyg_rank(p, 0, now(c), 0, 5, nodes, scores, probabilities, &count, c->error);
}

static int ask_pairs(work_call *c, scadyg_predictor *p)
{
    const uint32_t src[] = {0, 1, 2}, dst[] = {3, 4, 5};
    const double last = now(c), time[] = {last, last / 2 + scadyg_events_shape(c->events)->first_time / 2, last};
    double score[3];
    return scadyg_predict(p, src, dst, time, 3, score, c->error);
}

static int ask_embeddings(work_call *c, scadyg_predictor *p)
{
    const size_t nodes = (size_t)scadyg_events_shape(c->events)->nodes;
    float *out = malloc(nodes * scadyg_model_look(paper_model)->width * sizeof *out);
    assert_non_null(out);
    int status = scadyg_embed(p, now(c), NULL, nodes, out, c->error);
    free(out);
    return status;
}

static int ask_affinity(work_call *c, scadyg_predictor *p)
{
    double *out = malloc(scadyg_model_look(affinity_model)->classes * sizeof *out);
    assert_non_null(out);
    int status = scadyg_affinity(p, 0, now(c), out, c->error);
    free(out);
    return status;
}

static int rank(work_call *c)
{
    return ask(c, link_model, ask_rank);
}

static int predict(work_call *c)
{
    return ask(c, link_model, ask_pairs);
}

static int embed(work_call *c)
{
    return ask(c, paper_model, ask_embeddings);
}

static int affinity(work_call *c)
{
    return ask(c, affinity_model, ask_affinity);
}

static int read_messages(work_call *c)
{
    scadyg_messages *messages = NULL;
    const size_t nodes = (size_t)scadyg_events_shape(c->events)->nodes;
    int status = scadyg_messages_open(c->context, c->events, NULL, &messages, c->error);
    if (status) return status;
    double *out = malloc(nodes * scadyg_messages_width(messages) * sizeof *out);
    assert_non_null(out);
    status = scadyg_messages_at(messages, now(c), NULL, nodes, out, c->error);
    scadyg_messages_close(messages);
    free(out);
    return status;
}

typedef struct long_work {
    const char *name;
    int (*run)(work_call *call);
} long_work;

static const long_work works[] = {
    {"verify", verify},
    {"info", compute_info},
    {"export", export_rows},
    {"first", take_first},
    {"train", train_links},
    {"train of the paper's", train_paper},
    {"train for affinity", train_affinity},
    {"tune", tune},
    {"eval by paper", evaluate_paper},
    {"eval by tgb-link", evaluate_tgb},
    {"eval by dyglib", evaluate_dyglib},
    {"eval by tgb-node", evaluate_affinity},
    {"rank", rank},
    {"predict", predict},
    {"embed", embed},
    {"affinity", affinity},
    {"messages", read_messages},
};

/* ---- At every moment ---- */

typedef struct moment {
    size_t reports, at; /* seen so far; the one at which it happens, from 1, 0: before the first */
    enum change change;
} moment;

static int see_report(void *data, const char *what, uint64_t done, uint64_t total)
{
    moment *m = data;
    (void)what, (void)done, (void)total;
    if (++m->reports == m->at) change_input(m->change);
    return 0;
}

static int run_work(const long_work *work, moment *m, scadyg_error *error)
{
    put_input(input);
    *error = (scadyg_error){0};
    work_call call = {.error = error};
    snprintf(call.output, sizeof call.output, "%s/out.csv", outputs);
    unlink(call.output);
    assert_int_equal(scadyg_context_open(&call.context, error), SCADYG_OK);
    scadyg_context_set_threads(call.context, 1);
    scadyg_context_set_progress(call.context, see_report, m);
    assert_int_equal(scadyg_events_open(input, &call.events, error), SCADYG_OK);
    if (m->at == 0) change_input(m->change);
    int status = work->run(&call);
    scadyg_events_close(call.events);
    scadyg_context_close(call.context);
    return status;
}

static void check_moment(const long_work *work, size_t at, enum change change)
{
    scadyg_error error;
    moment m = {.at = at, .change = change};
    int status = run_work(work, &m, &error);
    if (!words[change]) {
        if (status) fail_msg("%s, %d at report %zu: %s", work->name, change, at, error.message);
        return;
    }
    if (status != SCADYG_E_CHANGED) fail_msg("%s, %s at report %zu: %d", work->name, words[change], at, status);
    char expected[512];
    snprintf(expected, sizeof expected, "%s was %s while it was being read", input, words[change]);
    assert_string_equal(error.message, expected);
    assert_int_equal(scratch_count(outputs), 0);
}

/* The first report, the last, and some between them. */
static void at_every_moment(void **state)
{
    const long_work *work = *state;
    scadyg_error error;
    moment m = {.change = NOTHING};
    if (run_work(work, &m, &error)) fail_msg("%s: %s", work->name, error.message);
    assert_true(m.reports > 0);
    const size_t before = scratch_descriptors();
    for (size_t i = 0; i < MOMENTS; i++) {
        const size_t at = i * m.reports / (MOMENTS - 1);
        check_moment(work, at, EMPTIED);
        check_moment(work, at, i % 2 ? WRITTEN : TRUNCATED);
        check_moment(work, at, i % 2 ? APPENDED : REPLACED);
    }
    check_moment(work, m.reports / 2, REMOVED);
    assert_int_equal(scratch_descriptors(), before);
}

/* ---- The input of an import: text, and matrices of features ---- */

enum { ROWS = UNDER_SANITIZER ? 100000 : 200000 };

static void write_log(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "src,dst,time\n");
    for (int i = 0; i < ROWS; i++) fprintf(file, "%d,%d,%d\n", i % 97, i % 89 + 100, i);
    assert_int_equal(fclose(file), 0);
}

/* float32[rows][1], zeros. */
static void write_matrix(const char *path, int rows)
{
    char header[128];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\0\x76\0", 10);
    int length = snprintf(header + 10, sizeof header - 10,
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 1), }", rows);
    header[10 + length] = ' ';
    header[127] = '\n';
    unsigned char *data = calloc(1, sizeof header + 4 * (size_t)rows);
    assert_non_null(data);
    memcpy(data, header, sizeof header);
    scratch_write(path, data, sizeof header + 4 * (size_t)rows);
    free(data);
}

static int import_log(const char *log, const char *settings, moment *m, scadyg_error *error)
{
    scadyg_context *context;
    char output[256];
    scadyg_options *options = set_options("import", settings);
    snprintf(output, sizeof output, "%s/log.events", outputs);
    unlink(output);
    *error = (scadyg_error){0};
    assert_int_equal(scadyg_context_open(&context, error), SCADYG_OK);
    scadyg_context_set_threads(context, 1);
    scadyg_context_set_progress(context, see_report, m);
    int status = scadyg_import(context, &log, 1, output, options, NULL, error);
    scadyg_context_close(context);
    scadyg_options_close(options);
    return status;
}

/* All that is read of a log is what it was when it was opened; what is done to it later does not matter. */
static void log_of_an_import(void **state)
{
    (void)state;
    scadyg_error error;
    moment whole = {.change = NOTHING};
    snprintf(original, sizeof original, "%s/log.csv", folder);
    snprintf(input, sizeof input, "%s/input.csv", folder);
    write_log(original);
    put_input(input);
    assert_int_equal(import_log(input, NULL, &whole, &error), SCADYG_OK);
    assert_true(whole.reports > 4);
    for (enum change change = WRITTEN; change < CHANGES; change++) {
        moment early = {.at = 1, .change = change}, late = {.at = whole.reports, .change = change};
        put_input(input);
        int status = import_log(input, NULL, &early, &error);
        assert_int_equal(status, words[change] ? SCADYG_E_CHANGED : SCADYG_OK);
        assert_true(!words[change] || strstr(error.message, words[change]));
        assert_int_equal(scratch_count(outputs), words[change] ? 0 : 1);
        put_input(input);
        assert_int_equal(import_log(input, NULL, &late, &error), SCADYG_OK);
    }
}

/* The matrix is read when the rows are written. */
static void features_of_an_import(void **state)
{
    (void)state;
    scadyg_error error;
    char log[256], settings[300];
    moment whole = {.change = NOTHING};
    snprintf(log, sizeof log, "%s/log.csv", folder);
    snprintf(original, sizeof original, "%s/features.npy", folder);
    snprintf(input, sizeof input, "%s/input.npy", folder);
    snprintf(settings, sizeof settings, "edge-features=%s", input);
    write_log(log);
    write_matrix(original, ROWS);
    put_input(input);
    assert_int_equal(import_log(log, settings, &whole, &error), SCADYG_OK);
    for (enum change change = WRITTEN; change < CHANGES; change++)
        for (size_t i = 0; i < MOMENTS; i++) {
            moment m = {.at = 1 + i * (whole.reports - 1) / (MOMENTS - 1), .change = change};
            put_input(input);
            int status = import_log(log, settings, &m, &error);
            if (status != (words[change] ? SCADYG_E_CHANGED : SCADYG_OK))
                fail_msg("%d at report %zu of %zu: %s", change, m.at, whole.reports, error.message);
            assert_int_equal(scratch_count(outputs), words[change] ? 0 : 1);
        }
}

/* An events file among the inputs is read when the rows are written, too. */
static void events_of_an_import(void **state)
{
    (void)state;
    scadyg_error error;
    char log[256];
    moment whole = {.change = NOTHING};
    snprintf(log, sizeof log, "%s/log.csv", folder);
    write_log(log);
    assert_int_equal(import_log(log, NULL, &whole, &error), SCADYG_OK);
    snprintf(original, sizeof original, "%s/stored.events", folder);
    snprintf(input, sizeof input, "%s/input.events", folder);
    char made[256];
    snprintf(made, sizeof made, "%s/log.events", outputs);
    assert_int_equal(rename(made, original), 0);
    put_input(input);
    whole = (moment){.change = NOTHING};
    assert_int_equal(import_log(input, NULL, &whole, &error), SCADYG_OK);
    for (enum change change = WRITTEN; change < CHANGES; change++)
        for (size_t i = 0; i < MOMENTS; i++) {
            moment m = {.at = 1 + i * (whole.reports - 1) / (MOMENTS - 1), .change = change};
            put_input(input);
            int status = import_log(input, NULL, &m, &error);
            if (status != (words[change] ? SCADYG_E_CHANGED : SCADYG_OK))
                fail_msg("%d at report %zu of %zu: %s", change, m.at, whole.reports, error.message);
            assert_int_equal(scratch_count(outputs), words[change] ? 0 : 1);
        }
}

/* ---- The mapping itself ---- */

static void mapping(void **state)
{
    (void)state;
    sg_mapping map;
    scadyg_error error;
    for (enum change change = NOTHING; change < CHANGES; change++) {
        put_input(input);
        const size_t before = scratch_descriptors();
        assert_int_equal(sg_map(&map, input, &error), SCADYG_OK);
        assert_int_equal(scratch_descriptors(), before + 1);
        assert_int_equal(sg_mapping_check(&map, input, &error), SCADYG_OK);
        change_input(change);
        assert_int_equal(sg_mapping_check(&map, input, &error), words[change] ? SCADYG_E_CHANGED : SCADYG_OK);
        sg_unmap(&map);
        assert_int_equal(sg_mapping_check(&map, input, &error), SCADYG_OK);
        assert_int_equal(scratch_descriptors(), before);
    }
}

/* Rights, names and times of reading may change: the contents do not. */
static void other_facts(void **state)
{
    (void)state;
    sg_mapping map;
    char other[300];
    snprintf(other, sizeof other, "%s.other", input);
    put_input(input);
    assert_int_equal(sg_map(&map, input, NULL), SCADYG_OK);
    assert_int_equal(chmod(input, 0600), 0);
    assert_int_equal(link(input, other), 0);
    assert_int_equal(unlink(other), 0);
    const struct timespec times[2] = {{.tv_sec = 5}, {.tv_nsec = UTIME_OMIT}};
    assert_int_equal(utimensat(AT_FDCWD, input, times, 0), 0);
    assert_int_equal(sg_mapping_check(&map, input, NULL), SCADYG_OK);
    sg_unmap(&map);
}

/* ---- A model, between its opening and its closing ---- */

static void model_file(void **state)
{
    (void)state;
    sg_unpack unpack;
    scadyg_error error;
    snprintf(original, sizeof original, "%s/original.scadyg", folder);
    snprintf(input, sizeof input, "%s/input.scadyg", folder);
    assert_int_equal(scadyg_model_save(link_model, original, NULL), SCADYG_OK);
    for (enum change change = NOTHING; change < CHANGES; change++) {
        put_input(input);
        const size_t before = scratch_descriptors();
        const int expected = words[change] ? SCADYG_E_CHANGED : SCADYG_E_INPUT;
        assert_int_equal(sg_unpack_open(&unpack, SG_MODEL_MAGIC, "a model file", input, &error), SCADYG_OK);
        change_input(change);
        assert_int_equal(sg_unpack_close(&unpack, SCADYG_E_INPUT, &error), expected);
        assert_int_equal(scratch_descriptors(), before);
    }
}

/* ---- All of it ---- */

static scadyg_model *make_model(scadyg_events *events, const char *kind, const char *task)
{
    scadyg_model *model = NULL;
    scadyg_error error;
    scadyg_options *options = train_options(kind, task, "epochs=1 steps=20");
    if (scadyg_train(NULL, events, options, NULL, 0, NULL, &model, &error)) fail_msg("%s", error.message);
    scadyg_options_close(options);
    return model;
}

static int set_up(void **state)
{
    (void)state;
    scadyg_events *events;
    scadyg_error error;
    folder = scratch_make();
    outputs = scratch_make();
    snprintf(original, sizeof original, "%s/original.events", folder);
    snprintf(input, sizeof input, "%s/input.events", folder);
    scadyg_options *options = set_options("generate", "events=3000 nodes=60 edge-features=2");
    if (scadyg_generate(NULL, original, NULL, options, &error)) fail_msg("%s", error.message);
    scadyg_options_close(options);
    if (scadyg_events_open(original, &events, &error)) fail_msg("%s", error.message);
    link_model = make_model(events, "scadyg", "link");
    paper_model = make_model(events, "scadyg-paper", "link");
    affinity_model = make_model(events, NULL, "affinity");
    scadyg_events_close(events);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    scadyg_model_close(link_model);
    scadyg_model_close(paper_model);
    scadyg_model_close(affinity_model);
    scratch_remove(outputs);
    scratch_remove(folder);
    return 0;
}

int main(void)
{
    enum { WORKS = sizeof works / sizeof *works };
    struct CMUnitTest tests[WORKS + 6];
    for (size_t i = 0; i < WORKS; i++)
        tests[i] = (struct CMUnitTest){works[i].name, at_every_moment, NULL, NULL, (void *)(uintptr_t)&works[i]};
    const struct CMUnitTest others[6] = {
        cmocka_unit_test(mapping),
        cmocka_unit_test(other_facts),
        cmocka_unit_test(model_file),
        cmocka_unit_test(log_of_an_import),
        cmocka_unit_test(features_of_an_import),
        cmocka_unit_test(events_of_an_import),
    };
    memcpy(tests + WORKS, others, sizeof others);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
