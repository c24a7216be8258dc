/* A whole search: it finds what is planted, on the validation part only, with the same bytes however it is run. */
#include "learn/sample.h"

#include "learn/tune/tune.h"

#include <dirent.h>
#include <sys/stat.h>

/* ---- Files of a test, in a directory of their own ---- */

static char directory[64], journal_path[96];

static scadyg_events *shared; /* a graph for most tests */

static int make_directory(void **state)
{
    (void)state;
    shared = generated("events=800 nodes=40 edge-features=8 again=0", NULL);
    snprintf(directory, sizeof directory, "%s/scadyg-tune-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(directory)) return -1;
    snprintf(journal_path, sizeof journal_path, "%s/journal", directory);
    return 0;
}

/* Empties the directory. Returns how many files there were. */
static int sweep(void)
{
    int count = 0;
    DIR *listing = opendir(directory);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (entry->d_name[0] == '.') continue;
        unlink(path);
        count++;
    }
    closedir(listing);
    return count;
}

static int remove_directory(void **state)
{
    (void)state;
    sweep();
    scadyg_events_close(shared);
    return rmdir(directory);
}

static char *file_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* ---- Searches ---- */

/* The smallest model there is, since what is tested is the search. */
#define PLAIN "normalise=log steps=20 epochs=6 hidden=8 batch=200 "

typedef struct run {
    char base[256]; /* settings of the paper's model, or of `kind` */
    const char *kind, *task;
    const char *vary[4];
    char tune[128];
    const char *journal;
    int threads;
    int resume;
    int stop_after; /* reports of progress; 0: never */
    int fresh, resumed, begun, epochs;
} run;

static run new_run(const char *tune, const char *base)
{
    run r = {.kind = "scadyg-paper", .task = "link", .journal = journal_path, .threads = 1};
    snprintf(r.base, sizeof r.base, PLAIN "%s", base ? base : "");
    snprintf(r.tune, sizeof r.tune, "%s", tune);
    return r;
}

/* Adds settings: later ones win. */
static void add(char *settings, size_t size, const char *more)
{
    snprintf(settings + strlen(settings), size - strlen(settings), " %s", more);
}

static int report(void *data, const char *what, uint64_t done, uint64_t total)
{
    run *r = data;
    (void)what, (void)done, (void)total;
    return r->stop_after && --r->stop_after == 0;
}

static void begins(void *data, const scadyg_trial *trial, int64_t round, int64_t until)
{
    run *r = data;
    assert_true(trial->number >= 1 && round > trial->round && until >= 1);
    r->begun++;
}

static void epoch_seen(void *data, const scadyg_trial *trial, const scadyg_epoch *epoch, int resumed)
{
    run *r = data;
    (void)trial, (void)epoch;
    r->epochs += !resumed;
}

static void ends(void *data, const scadyg_trial *trial, int resumed)
{
    run *r = data;
    assert_true((trial->failure != NULL) == isnan(trial->validation));
    if (resumed)
        r->resumed++;
    else
        r->fresh++;
}

static int search(run *r, scadyg_events *events, scadyg_tuning **tuning, scadyg_error *error)
{
    size_t count = 0;
    while (count < 4 && r->vary[count]) count++;
    const scadyg_tune_watch watch = {sizeof watch, r, begins, epoch_seen, ends};
    scadyg_options *base = train_options(r->kind, r->task, r->base), *tune = set_options("tune", r->tune);
    *tuning = NULL;
    int status = scadyg_tuning_open(base, r->vary, count, tune, tuning, error);
    scadyg_options_close(base); /* they are copied */
    scadyg_options_close(tune);
    if (!status)
        status = scadyg_tuning_run(context_with(r->threads, 0, report, r), *tuning, events, r->journal, r->resume,
                                   &watch, error);
    return status;
}

static scadyg_tuning *found(run *r, scadyg_events *events)
{
    scadyg_tuning *tuning;
    scadyg_error error = {0};
    if (search(r, events, &tuning, &error)) fail_msg("%s", error.message);
    return tuning;
}

static scadyg_model *model_of(scadyg_events *events, const scadyg_options *options, const char *checkpoint)
{
    scadyg_model *model = NULL;
    scadyg_error error = {0};
    if (scadyg_train(NULL, events, options, checkpoint, 1, NULL, &model, &error)) fail_msg("%s", error.message);
    return model;
}

static double number(const scadyg_options *options, const char *name)
{
    char text[64];
    scadyg_options_get(options, name, text, sizeof text);
    return atof(text);
}

/* ---- Tests ---- */

/* Everybody always meets the same one of three, and all others only look on: easy to learn. */
static scadyg_events *easy(void)
{
    enum { COUNT = 1000, NODES = 40 };
    static uint32_t src[COUNT], dst[COUNT];
    static double time[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        src[i] = i % 20;
        dst[i] = i % 50 == 0 ? 23 + i / 50 % 17 : 20 + src[i] % 3;
        time[i] = i;
    }
    const made_events made = {.count = COUNT, .nodes = NODES, .src = src, .dst = dst, .time = time};
    return make_events(&made);
}

/* Only one of these rates learns anything in six epochs, whatever the method. */
static void finds_what_is_planted(void **state)
{
    (void)state;
    scadyg_events *events = easy();
    for (int method = 0; method <= 1; method++) {
        run r = new_run(method ? "method=random trials=5" : "trials=5", "node-features=onehot");
        r.vary[0] = "lr=1e-9|1e-8|0.01|1e-10|1e-11";
        scadyg_tuning *tuning = found(&r, events);
        const scadyg_tuning_info *info = scadyg_tuning_look(tuning);
        assert_string_equal(info->best->values[0], "0.01");
        assert_true(number(info->best->options, "lr") == 0.01);
        assert_int_equal(info->trial_count, 5);
        assert_string_equal(info->score, "MRR");
        for (size_t i = 0; i < 5; i++)
            if (&info->trials[i] != info->best) assert_true(info->trials[i].validation < info->best->validation);
        /* One checkpoint is left, and the model in it is the one a training alone would have made. */
        char checkpoint[128];
        scadyg_tuning_checkpoint(journal_path, info->best->number, checkpoint, sizeof checkpoint);
        scadyg_model *kept = model_of(events, info->best->options, checkpoint);
        scadyg_model *alone = model_of(events, info->best->options, NULL);
        assert_same_model(kept, alone);
        assert_true(scadyg_model_look(kept)->validation == info->best->validation);
        assert_int_equal(scadyg_model_look(kept)->best_epoch, info->best->best_epoch);
        scadyg_model_close(kept);
        scadyg_model_close(alone);
        scadyg_tuning_close(tuning);
        assert_int_equal(sweep(), 2); /* journal and checkpoint */
    }
    scadyg_events_close(events);
}

/* Every trial trained to its end, by hand: the same scores as random search, the same winner. */
static void random_is_many_trainings(void **state)
{
    (void)state;
    run r = new_run("method=random trials=6", NULL);
    r.vary[0] = "lr=1e-4..0.1:log";
    r.vary[1] = "hidden=4..16";
    scadyg_tuning *tuning = found(&r, shared);
    const scadyg_tuning_info *info = scadyg_tuning_look(tuning);
    assert_int_equal(r.fresh, 6);
    double best = -1;
    for (size_t i = 0; i < info->trial_count; i++) {
        char settings[256];
        snprintf(settings, sizeof settings, PLAIN "lr=%s hidden=%s", info->trials[i].values[0],
                 info->trials[i].values[1]);
        /* The first one is the base, which lies within. */
        if (i == 0) assert_true(number(info->trials[0].options, "lr") == 0.003);
        if (i == 0) assert_true(number(info->trials[0].options, "hidden") == 8);
        scadyg_model *model = trained(NULL, shared, "scadyg-paper", "link", settings);
        const scadyg_model_info *look = scadyg_model_look(model);
        assert_true(look->validation == info->trials[i].validation);
        assert_int_equal(look->epochs, info->trials[i].epochs);
        if (look->validation > best) best = look->validation;
        scadyg_model_close(model);
        for (size_t j = 0; j < i; j++) /* all different */
            assert_true(strcmp(info->trials[i].values[0], info->trials[j].values[0]) ||
                        strcmp(info->trials[i].values[1], info->trials[j].values[1]));
    }
    assert_true(info->best->validation == best);
    scadyg_tuning_close(tuning);
    sweep();
}

/* Halving goes on where it was: with and without files, no epoch is trained twice if there is a checkpoint. */
static void halving_goes_on(void **state)
{
    (void)state;
    run r = new_run("trials=9", "epochs=9 patience=9"), bare;
    r.vary[0] = "lr=1e-4..0.1:log";
    bare = r;
    bare.journal = NULL;
    scadyg_tuning *tuning = found(&r, shared), *other = found(&bare, shared);
    const scadyg_tuning_info *a = scadyg_tuning_look(tuning), *b = scadyg_tuning_look(other);
    assert_int_equal(a->round_count, 3);
    assert_int_equal(r.begun, 9 + 3 + 1);
    assert_int_equal(r.epochs, 9 * 1 + 3 * 2 + 1 * 6);
    assert_int_equal(bare.epochs, 9 * 1 + 3 * 3 + 1 * 9);
    assert_int_equal(a->best->number, b->best->number);
    assert_int_equal(a->best->epochs, 9);
    assert_int_equal(a->best->round, 3);
    for (size_t i = 0; i < 9; i++) {
        assert_true(a->trials[i].validation == b->trials[i].validation);
        assert_int_equal(a->trials[i].round, b->trials[i].round);
        assert_true(a->trials[i].validation <= a->best->validation);
    }
    scadyg_tuning_close(tuning);
    scadyg_tuning_close(other);
    sweep();
}

/* Stopped at any report of progress, again and again, and continued: the same journal and the same best. */
static void stopped_and_resumed(run whole, scadyg_events *events, int step)
{
    run first = whole;
    scadyg_tuning *tuning = found(&first, events), *other;
    const int64_t best = scadyg_tuning_look(tuning)->best->number;
    char *expected = file_text(journal_path);
    scadyg_tuning_close(tuning);
    sweep();
    int stops = 0, resumed = 0;
    for (int patience = 1;; patience += step) {
        scadyg_error error = {0};
        run r = whole;
        r.resume = 1;
        r.stop_after = patience;
        int status = search(&r, events, &other, &error);
        resumed += r.resumed > 0;
        assert_int_equal(r.begun, r.fresh + (status != SCADYG_OK));
        if (!status) {
            assert_int_equal(r.resumed + r.fresh, first.fresh);
            assert_int_equal(scadyg_tuning_look(other)->best->number, best);
            scadyg_tuning_close(other);
            break;
        }
        assert_int_equal(status, SCADYG_E_CANCELLED);
        scadyg_tuning_close(other);
        stops++;
    }
    assert_true(stops > 3 && resumed > 1);
    char *text = file_text(journal_path);
    assert_string_equal(text, expected);
    free(text);
    free(expected);
    assert_int_equal(sweep(), 2);
}

static void resume(void **state)
{
    (void)state;
    const int more = long_tier(); /* finer steps */
    run r = new_run("trials=7", "epochs=4");
    r.vary[0] = "lr=1e-4..0.1:log";
    r.vary[1] = "batch=32|64|128";
    stopped_and_resumed(r, shared, more ? 3 : 16);
    add(r.tune, sizeof r.tune, "keep=half");
    add(r.base, sizeof r.base, "epochs=6");
    stopped_and_resumed(r, shared, more ? 5 : 31);
    add(r.tune, sizeof r.tune, "method=random");
    stopped_and_resumed(r, shared, more ? 5 : 31);
}

static void any_number_of_threads(void **state)
{
    (void)state;
    char *expected = NULL;
    for (int threads = 1; threads <= 4; threads += 3) {
        run r = new_run("trials=6", NULL); /* of what is usually varied */
        r.threads = threads;
        scadyg_tuning_close(found(&r, shared));
        char *text = file_text(journal_path);
        if (expected) assert_string_equal(text, expected);
        free(expected);
        expected = text;
        sweep();
    }
    free(expected);
}

static void more_random_trials(void **state)
{
    (void)state;
    run r = new_run("method=random trials=3", "epochs=3");
    r.vary[0] = "lr=1e-4..0.1:log";
    scadyg_tuning_close(found(&r, shared));
    run more = r;
    more.resume = 1;
    add(more.tune, sizeof more.tune, "trials=5");
    more.fresh = more.resumed = more.begun = 0;
    scadyg_tuning_close(found(&more, shared));
    assert_true(more.resumed == 3 && more.fresh == 2);
    char *text = file_text(journal_path);
    sweep();
    run at_once = r;
    add(at_once.tune, sizeof at_once.tune, "trials=5");
    scadyg_tuning_close(found(&at_once, shared));
    char *other = file_text(journal_path);
    assert_string_equal(text, other);
    free(text);
    free(other);
    /* Fewer than there are is another search. */
    scadyg_tuning *tuning;
    scadyg_error error = {0};
    add(more.tune, sizeof more.tune, "trials=4");
    assert_int_equal(search(&more, shared, &tuning, &error), SCADYG_E_USAGE);
    scadyg_tuning_close(tuning);
    sweep();
}

/* Another search, other data or a damaged journal: refused, and the journal is left as it is. */
static void refuses_other_journals(void **state)
{
    (void)state;
    run r = new_run("trials=4", "epochs=2");
    r.vary[0] = "lr=1e-4..0.1:log";
    scadyg_tuning_close(found(&r, shared));
    char *expected = file_text(journal_path);
    scadyg_tuning *tuning;
    scadyg_error error = {0};
    run others[] = {r, r, r, r};
    others[0].vary[0] = "lr=1e-4..0.2:log";
    add(others[1].tune, sizeof others[1].tune, "search-seed=2");
    add(others[2].base, sizeof others[2].base, "seed=2");
    add(others[3].tune, sizeof others[3].tune, "trials=5");
    static const char *const said[] = {"'vary lr=1e-4..0.1:log', not 'vary lr=1e-4..0.2:log'",
                                       "'search-seed 1', not 'search-seed 2'",
                                       "'option seed=1', not 'option seed=2'", "'trials 4', not 'trials 5'"};
    for (size_t i = 0; i < 4; i++) {
        others[i].resume = 1;
        assert_int_equal(search(&others[i], shared, &tuning, &error), SCADYG_E_USAGE);
        if (!strstr(error.message, said[i])) fail_msg("%s", error.message);
        scadyg_tuning_close(tuning);
    }
    char *text = file_text(journal_path);
    assert_string_equal(text, expected);
    free(text);
    FILE *file = fopen(journal_path, "wb");
    assert_non_null(file);
    fwrite(expected, 1, strlen(expected) / 2, file);
    fclose(file);
    r.resume = 1;
    assert_int_equal(search(&r, shared, &tuning, &error), SCADYG_E_FORMAT);
    scadyg_tuning_close(tuning);
    scadyg_events *events = generated("events=801 nodes=40 edge-features=8 again=0", NULL);
    file = fopen(journal_path, "wb");
    assert_non_null(file);
    fwrite(expected, 1, strlen(expected), file);
    fclose(file);
    assert_int_equal(search(&r, events, &tuning, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "'events "));
    scadyg_tuning_close(tuning);
    free(expected);
    scadyg_events_close(events);
    sweep();
}

/* A checkpoint of something else, or none at all, only costs time. */
static void useless_checkpoints(void **state)
{
    (void)state;
    run r = new_run("trials=3", "epochs=3");
    scadyg_options *other = train_options("scadyg-paper", "link", PLAIN "epochs=3 seed=77");
    r.vary[0] = "lr=1e-4..0.1:log";
    scadyg_tuning_close(found(&r, shared));
    char *expected = file_text(journal_path);
    char checkpoint[128];
    for (int kind = 0; kind < 3; kind++) {
        sweep();
        for (int64_t trial = 1; trial <= 3; trial++) {
            scadyg_tuning_checkpoint(journal_path, trial, checkpoint, sizeof checkpoint);
            if (kind == 0) scadyg_model_close(model_of(shared, other, checkpoint));
            FILE *file = kind == 1 ? fopen(checkpoint, "wb") : NULL;
            if (file) {
                fputs("no checkpoint", file);
                fclose(file);
            }
        }
        run again = r;
        again.resume = 1;
        again.fresh = 0;
        scadyg_tuning_close(found(&again, shared));
        assert_int_equal(again.fresh, r.fresh);
        char *text = file_text(journal_path);
        assert_string_equal(text, expected);
        free(text);
    }
    free(expected);
    scadyg_options_close(other);
    sweep();
}

/* ---- Failures ---- */

/* Events with features so large that they can only be learned from by their logarithm. */
static scadyg_events *huge(void)
{
    enum { COUNT = 400 };
    static uint32_t src[COUNT], dst[COUNT];
    static double time[COUNT];
    static float features[COUNT];
    for (int i = 0; i < COUNT; i++) {
        src[i] = (uint32_t)i % 7;
        dst[i] = 7 + (uint32_t)(i * i) % 11;
        time[i] = i;
        features[i] = 1e30f;
    }
    const made_events made = {.count = COUNT,
                              .nodes = 18,
                              .src = src,
                              .dst = dst,
                              .time = time,
                              .edge_features = 1,
                              .features = features};
    return make_events(&made);
}

static void failed_trials(void **state)
{
    (void)state;
    scadyg_events *events = huge();
    run r = new_run("method=random trials=4", "epochs=3");
    r.vary[0] = "normalise=none|log|standard|log-standard";
    scadyg_tuning *tuning = found(&r, events);
    const scadyg_tuning_info *info = scadyg_tuning_look(tuning);
    int failed = 0;
    for (size_t i = 0; i < info->trial_count; i++) {
        const scadyg_trial *trial = &info->trials[i];
        if (!trial->failure) continue;
        failed++;
        assert_non_null(strstr(trial->failure, "finite"));
        assert_string_equal(trial->values[0], "none");
        assert_true(isnan(trial->validation));
    }
    assert_int_equal(failed, 1);
    assert_null(info->best->failure);
    scadyg_tuning_close(tuning);
    /* They are in the journal, so they are not tried again. */
    run again = r;
    again.resume = 1;
    again.fresh = 0;
    tuning = found(&again, events);
    assert_int_equal(again.fresh, 0);
    scadyg_tuning_close(tuning);
    sweep();
    /* All of them. */
    scadyg_error error = {0};
    r.vary[0] = "lr=1|2|3";
    add(r.base, sizeof r.base, "normalise=none");
    assert_int_equal(search(&r, events, &tuning, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "none of the 3 trials has a validation score; trial 1: the loss"));
    assert_null(scadyg_tuning_look(tuning)->best);
    scadyg_tuning_close(tuning);
    scadyg_events_close(events);
    assert_int_equal(sweep(), 1);
}

static void wrong(const char *model, const char *task, const char *vary, const char *word)
{
    scadyg_tuning *tuning = NULL;
    scadyg_error error = {0};
    scadyg_options *base = train_options(model, task, NULL);
    assert_int_equal(scadyg_tuning_open(base, &vary, 1, NULL, &tuning, &error), SCADYG_E_USAGE);
    if (!strstr(error.message, word)) fail_msg("%s: %s", vary, error.message);
    assert_null(tuning);
    scadyg_options_close(base);
}

/* Before anything runs. */
static void wrong_usage(void **state)
{
    (void)state;
    wrong("scadyg-paper", "link", "without=none|tim", "--vary without: --without takes none");
    wrong("scadyg-paper", "link", "node-features=none|some", "--vary node-features: ");
    wrong("scadyg-paper", "link", "model=scadyg-paper|popularity", "one kind of model");
    wrong("scadyg-paper", "link", "task=link|affinity", "one kind of model");
    wrong("scadyg", "link", "head=pair|paper", "has no option 'head'");
    wrong("popularity", "link", "steps=10|20", "nothing to tune");
    wrong("scadyg-paper", "affinity", "select=ap", "has no option 'select'");
    scadyg_tuning *tuning = NULL;
    scadyg_error error = {0};
    scadyg_options *base = train_options("scadyg-paper", "link", NULL), *tune = set_options("tune", "trials=10");
    assert_int_equal(scadyg_options_set(tune, "trials", "0", &error), SCADYG_E_USAGE);
    assert_string_equal(error.message, "--trials must be between 1 and 10000, not 0");
    /* Options of something else are no base. */
    const char *vary = "lr=1|2";
    assert_int_equal(scadyg_tuning_open(tune, &vary, 1, tune, &tuning, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "not options of training"));
    /* What is wrong with some other value only is fine: such settings fail by themselves. */
    const char *two[] = {"rates=|0.1,0.2", "gamma0=auto|0.5"};
    assert_int_equal(scadyg_tuning_open(base, two, 2, tune, &tuning, &error), SCADYG_OK);
    assert_int_equal(scadyg_tuning_look(tuning)->trial_count, 4); /* there are no more */
    scadyg_tuning_close(tuning);
    scadyg_options_close(base);
    scadyg_options_close(tune);
}

/* Of a caller of before, who knows fewer fields; and a search runs once. */
static void older_watch(void **state)
{
    (void)state;
    run r = new_run("trials=2", "epochs=1");
    scadyg_tuning *tuning = NULL;
    scadyg_error error = {0};
    scadyg_options *base = train_options("scadyg-paper", "link", r.base), *tune = set_options("tune", r.tune);
    const scadyg_tune_watch watch = {offsetof(scadyg_tune_watch, epoch), &r, begins, epoch_seen, ends};
    assert_int_equal(scadyg_tuning_open(base, NULL, 0, tune, &tuning, &error), SCADYG_OK);
    assert_int_equal(scadyg_tuning_run(NULL, tuning, shared, NULL, 0, &watch, &error), SCADYG_OK);
    assert_true(r.begun == 2 && r.epochs == 0 && r.fresh == 0);
    assert_int_equal(scadyg_tuning_run(NULL, tuning, shared, NULL, 0, NULL, &error), SCADYG_E_USAGE);
    scadyg_tuning_close(tuning);
    scadyg_options_close(base);
    scadyg_options_close(tune);
}

/* ---- The test part ---- */

/* Another test part: the same scores, the same best. */
static void never_sees_the_test_part(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static uint32_t src[COUNT], dst[COUNT];
    static double time[COUNT];
    char *rows[2];
    for (int other = 0; other <= 1; other++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            src[i] = i * 7 % 13;
            dst[i] = 13 + i * i % 17;
            time[i] = i;
            /* The test part begins after 17 of 20 steps. */
            if (other && i >= COUNT * 17 / 20 + 1 && i + 1 < COUNT) dst[i] = 13 + i * 5 % 17;
        }
        const made_events made = {.count = COUNT, .nodes = 30, .src = src, .dst = dst, .time = time};
        scadyg_events *events = make_events(&made);
        run r = new_run("trials=9", NULL);
        r.vary[0] = "lr=1e-4..0.1:log";
        r.vary[1] = "train-pool=any|destination";
        scadyg_tuning_close(found(&r, events));
        char *text = file_text(journal_path);
        rows[other] = strdup(strstr(text, "\ntrial\t"));
        free(text);
        *strstr(rows[other], "\nchecksum ") = 0;
        scadyg_events_close(events);
        sweep();
    }
    assert_string_equal(rows[0], rows[1]);
    free(rows[0]);
    free(rows[1]);
}

/* The other kinds that learn, each by what is usually varied. */
static void every_kind(void **state)
{
    (void)state;
    const scadyg_kind *kind;
    for (size_t i = 0; (kind = scadyg_kind_at(i)); i++) {
        if (!kind->learns) continue;
        run r = new_run("method=random trials=2", NULL);
        r.kind = kind->name;
        r.task = kind->task;
        snprintf(r.base, sizeof r.base, "steps=10 epochs=2");
        scadyg_tuning *tuning = found(&r, shared);
        const scadyg_tuning_info *info = scadyg_tuning_look(tuning);
        assert_string_equal(info->score, strcmp(kind->task, "link") ? "NDCG@10" : "MRR");
        assert_true(info->best->validation > 0 && info->best->validation <= 1);
        /* The first trial is the base. */
        scadyg_model *model = trained(NULL, shared, kind->name, kind->task, r.base);
        assert_true(model->validation == info->trials[0].validation);
        assert_int_equal(model->best_epoch, info->trials[0].best_epoch);
        scadyg_model_close(model);
        scadyg_tuning_close(tuning);
        sweep();
    }
}

/* Where no epoch is better than the start, which is a model already, the trial has the score of the start. */
static void start_is_best(void **state)
{
    (void)state;
    run r = new_run("trials=3", NULL);
    r.kind = "scadyg";
    r.task = "affinity";
    snprintf(r.base, sizeof r.base, "steps=10 epochs=3");
    r.vary[0] = "lr=5|7|9";
    scadyg_tuning *tuning = found(&r, shared);
    const scadyg_trial *best = scadyg_tuning_look(tuning)->best;
    assert_int_equal(best->best_epoch, 0);
    scadyg_model *model = model_of(shared, best->options, NULL);
    assert_true(scadyg_model_look(model)->validation == best->validation);
    scadyg_model_close(model);
    scadyg_tuning_close(tuning);
    sweep();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_is_planted),
        cmocka_unit_test(random_is_many_trainings),
        cmocka_unit_test(halving_goes_on),
        cmocka_unit_test(resume),
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(more_random_trials),
        cmocka_unit_test(refuses_other_journals),
        cmocka_unit_test(useless_checkpoints),
        cmocka_unit_test(failed_trials),
        cmocka_unit_test(wrong_usage),
        cmocka_unit_test(never_sees_the_test_part),
        cmocka_unit_test(older_watch),
        cmocka_unit_test(every_kind),
        cmocka_unit_test(start_is_best),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
