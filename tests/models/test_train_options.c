/* The options of models: their tables, what is refused and how, presets, and all of it as text. */
#include "models/sample_model.h"

/* ---- Tables ---- */

static void tables_are_sound(void **state)
{
    (void)state;
    for (const sg_kind *const *kind = sg_kinds; *kind; kind++) {
        const sg_option_set *set = (*kind)->options;
        scadyg_options *options = train_options((*kind)->shown.name, (*kind)->shown.task, NULL);
        const sg_train_options *train = options->values;
        scadyg_error error;
        assert_ptr_equal(options->owner, *kind);
        assert_ptr_equal(options->set, set);
        assert_string_equal(set->table[0].shown.name, "model");
        assert_string_equal(set->table[1].shown.name, "task");
        assert_string_equal(train->model, (*kind)->shown.name);
        assert_int_equal(train->task, (*kind)->task);
        assert_int_equal(sg_task_find((*kind)->shown.task), (*kind)->task);
        for (size_t i = 0; i < set->count; i++) {
            assert_true(strlen(set->table[i].shown.help) > 5);
            assert_ptr_equal(sg_option_find(set, set->table[i].shown.name), &set->table[i]);
            for (size_t j = 0; j < i; j++) assert_int_not_equal(set->table[i].offset, set->table[j].offset);
        }
        if (scadyg_options_check(options, &error)) fail_msg("%s: %s", (*kind)->shown.name, error.message);
        scadyg_options_close(options);
    }
}

/* What is looked for by somebody who knows only the names. */
static void kinds_are_listed(void **state)
{
    (void)state;
    size_t count = 0, defaults[2] = {0};
    for (const scadyg_kind *kind; (kind = scadyg_kind_at(count)); count++) {
        assert_ptr_equal(kind, &sg_kinds[count]->shown);
        assert_ptr_equal(sg_kind_find(kind->name, sg_task_find(kind->task)), sg_kinds[count]);
        assert_true(strlen(kind->summary) > 10);
        if (defaults[sg_kinds[count]->task]++ == 0) assert_string_equal(kind->name, "scadyg");
        assert_true(kind->learns == (sg_kinds[count]->learning != NULL));
        assert_true((sg_kinds[count]->task == SG_TASK_LINK) == (sg_kinds[count]->scorer_open != NULL));
        assert_true((sg_kinds[count]->task == SG_TASK_AFFINITY) == (sg_kinds[count]->label_scorer_open != NULL));
    }
    assert_null(scadyg_kind_at(SIZE_MAX));
    scadyg_options *options;
    assert_int_equal(scadyg_options_open_train(NULL, NULL, &options, NULL), SCADYG_OK);
    assert_ptr_equal(options->owner, sg_kinds[0]);
    scadyg_options_close(options);
}

static void parts_are_words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned what;
    } cases[] = {{NULL, 0},
                 {"", 0},
                 {"none", 0},
                 {"time", SG_WITHOUT_TIME},
                 {"multirate,hypernetwork", SG_WITHOUT_MULTIRATE | SG_WITHOUT_HYPERNETWORK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned what = 99;
        assert_int_equal(sg_without(cases[i].text, ~0u, &what, NULL), SCADYG_OK);
        assert_int_equal(what, cases[i].what);
    }
    /* Each part of a kind is taken by it, and no other. */
    for (const sg_kind *const *kind = sg_kinds; *kind; kind++)
        for (size_t bit = 0; sg_part_word(bit); bit++) {
            unsigned what = 0;
            const int status = sg_without(sg_part_word(bit), (*kind)->parts, &what, NULL);
            assert_int_equal(status, (*kind)->parts >> bit & 1 ? SCADYG_OK : SCADYG_E_USAGE);
            if (!status) assert_int_equal(what, 1u << bit);
        }
}

/* ---- What is refused ---- */

static void says(const char *message, const char *expected)
{
    if (!strstr(message, expected)) fail_msg("'%s' does not say '%s'", message, expected);
}

static void unknown_kinds(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"scadig", NULL, "there is no model 'scadig'; did you mean scadyg?"},
        {"popularty", "link", "did you mean popularity?"},
        {"persistence", NULL, "--model persistence is for --task affinity"},
        {"edgebank", "affinity", "--model edgebank is for --task link"},
        {"scadyg", "links", "--task takes one of link|affinity, not 'links'"},
        {"", "", "--task takes one of"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scadyg_options *options = NULL;
        scadyg_error error;
        assert_int_equal(scadyg_options_open_train(cases[i][0], cases[i][1], &options, &error), SCADYG_E_USAGE);
        assert_null(options);
        says(error.message, cases[i][2]);
    }
}

static void unknown_options(void **state)
{
    (void)state;
    static const char *const cases[][5] = {
        /* kind, task, name, value, what is said */
        {"scadyg", "link", "window", "3", "--window is not an option of scadyg; it is of scadyg-paper"},
        {"popularity", "link", "lr", "1", "--lr is not an option of popularity; it is of scadyg, scadyg-paper"},
        {"scadyg-paper", "link", "vectors", "on", "--vectors is not an option of scadyg-paper; it is of scadyg"},
        {"scadyg", "link", "labels", "f.csv", "--labels is not an option of scadyg for --task link"},
        {"scadyg-paper", "affinity", "select", "ap",
         "--select is not an option of scadyg-paper for --task affinity"},
        {"persistence", "affinity", "train-share", "0.5",
         "--train-share is not an option of persistence; it is of scadyg, "},
        {"scadyg", "link", "epoch", "3", "there is no option 'epoch'; did you mean epochs?"},
        {"scadyg", "link", "learning", "3", "there is no option 'learning'"},
        {"scadyg", "link", "head", "pair", "there is no option 'head'"},
        {"scadyg", "link", "threads", "2", "there is no option 'threads'"},
        {"scadyg", "link", "", "2", "there is no option ''"},
        {"scadyg", "link", "model", "scadyg-paper",
         "these are the options of scadyg for --task link; --model cannot be changed to 'scadyg-paper'"},
        {"scadyg-paper", "affinity", "task", "link",
         "these are the options of scadyg-paper for --task affinity; --task cannot be changed to 'link'"},
        {"markov", "link", "task", "wings", "--task cannot be changed to 'wings'"},
        {"scadyg", "link", "model", NULL, "--model cannot be changed to ''"},
        {"scadyg", "link", "lr", "fast", "--lr"},
        {"scadyg", "link", "lr", "nan", "--lr"},
        {"scadyg", "link", "hidden", "0", "between 1 and 65536"},
        {"scadyg", "link", "epochs", NULL, "takes an argument"},
        {"scadyg-paper", "link", "hops", "4", "between 1 and 3"},
        {"scadyg-paper", "link", "train-pool", "mixed", "any|destination|seen"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scadyg_options *options = train_options(cases[i][0], cases[i][1], NULL);
        char *before = sg_options_write(options), *after;
        scadyg_error error;
        assert_int_equal(scadyg_options_set(options, cases[i][2], cases[i][3], &error), SCADYG_E_USAGE);
        says(error.message, cases[i][4]);
        after = sg_options_write(options);
        assert_string_equal(before, after);
        free(before), free(after);
        scadyg_options_close(options);
    }
    /* What they are already may be said. */
    scadyg_options_close(train_options("scadyg-paper", "affinity", "model=scadyg-paper task=affinity"));
    /* A set that is of no kind has neither. */
    scadyg_options *options = set_options("messages", NULL);
    scadyg_error error;
    assert_int_equal(scadyg_options_set(options, "lr", "1", &error), SCADYG_E_USAGE);
    says(error.message, "there is no option 'lr'");
    assert_int_equal(scadyg_preset_apply(options, "mooc", &error), SCADYG_E_USAGE);
    says(error.message, "messages has no presets");
    assert_null(scadyg_preset_at(options, 0, NULL));
    scadyg_options_close(options);
}

static void contradictions(void **state)
{
    (void)state;
    static const char *const cases[][4] = {
        {"scadyg-paper", "link", "gamma0=1 rates=1,2", "exclude each other"},
        {"scadyg-paper", "link", "rates=1,x", "separated by commas"},
        {"scadyg-paper", "affinity", "rates=1,-1", "not negative"},
        {"scadyg-paper", "link", "rates=1,2 without=time", "--without time"},
        {"scadyg-paper", "link", "rates=1,2 without=hypernetwork,multirate", "--without multirate"},
        {"scadyg-paper", "link", "without=wings", "time,hypernetwork,multirate"},
        {"scadyg-paper", "affinity", "without=pairs", "time,hypernetwork,multirate"},
        {"scadyg-paper", "link", "without=time,", "time,hypernetwork,multirate"},
        {"scadyg-paper", "link", "without=none,time", "time,hypernetwork,multirate"},
        {"scadyg", "link", "without=time", "multirate,nodes,pairs,transitions,partners,together,ranking"},
        {"scadyg", "affinity", "without=ranking", "hypernetwork,multirate,nodes,popularity,reverse"},
        {"scadyg", "link", "train-share=0.8 validation-share=0.2 stepwise=1", "no test part"},
        {"scadyg-paper", "link", "train-share=1", "no test part"},
        {"scadyg-paper", "link", "train-share=1 validation-share=0", "no test part"},
        {"scadyg-paper", "link", "steps=3", "more --steps"},
        {"scadyg", "link", "steps=3 stepwise=1", "more --steps"},
        {"scadyg-paper", "link", "node-features=random:0", "--node-features"},
        {"scadyg-paper", "affinity", "node-features=random:70000", "--node-features"},
        {"scadyg-paper", "link", "node-features=random:+3", "--node-features"},
        {"scadyg-paper", "link", "node-features=all", "--node-features"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scadyg_options *options = train_options(cases[i][0], cases[i][1], cases[i][2]);
        scadyg_error error;
        if (scadyg_options_check(options, &error) != SCADYG_E_USAGE) fail_msg("'%s' is accepted", cases[i][2]);
        says(error.message, cases[i][3]);
        scadyg_options_close(options);
    }
    static const char *const good[][3] = {
        {"scadyg", "link", "steps=3"},
        {"edgebank", "link", "steps=3"},
        {"scadyg", "link", "train-share=1"},
        {"scadyg", "link", "train-share=0.8 validation-share=0.2"},
        {"scadyg", "link", "train-share=0.98"}, /* the rest is shared out */
        {"scadyg-paper", "link", "steps=3 stepwise=0 validation-share=0"},
        {"scadyg-paper", "link", "without=time,hypernetwork,multirate gamma0=3"},
        {"persistence", "affinity", "labels=f.csv steps=1"},
        {"scadyg-paper", "affinity", "rates= labels= without="},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        scadyg_options *options = train_options(good[i][0], good[i][1], good[i][2]);
        scadyg_error error;
        if (scadyg_options_check(options, &error)) fail_msg("%s", error.message);
        scadyg_options_close(options);
    }
}

/* ---- Presets ---- */

static void presets_apply(void **state)
{
    (void)state;
    size_t presets = 0;
    for (const sg_kind *const *kind = sg_kinds; *kind; kind++)
        for (size_t i = 0;; i++, presets++) {
            scadyg_options *options = train_options((*kind)->shown.name, (*kind)->shown.task, NULL);
            const sg_train_options *train = options->values;
            const char *summary = NULL, *name = scadyg_preset_at(options, i, &summary);
            scadyg_error error;
            if (!name) {
                scadyg_options_close(options);
                break;
            }
            /* Whatever was set before, a preset overrides what it says and leaves the rest. */
            assert_int_equal(scadyg_options_set(options, "steps", "9999", NULL), SCADYG_OK);
            assert_int_equal(scadyg_options_set(options, "seed", "77", NULL), SCADYG_OK);
            if (scadyg_preset_apply(options, name, &error)) fail_msg("%s: %s", name, error.message);
            if (scadyg_options_check(options, &error)) fail_msg("%s: %s", name, error.message);
            assert_true(train->messages.steps < 9999 && train->seed == 77);
            assert_true(summary && strlen(summary) > 10);
            assert_null(scadyg_preset_at(options, SIZE_MAX, NULL));
            scadyg_options_close(options);
        }
    assert_int_equal(presets, 12);
}

static void figures_of_presets(void **state)
{
    (void)state;
    static const struct {
        const char *name, *task;
        int64_t steps, window;
        double gamma0, rate;
        const char *features, *normalise;
    } published[] = {
        {"mooc", "link", 100, 9, 5.68e-8, 0.00346, "none", "none"},
        {"uci", "link", 273, 10, 9.80e-7, 0.00463, "none", "none"},
        {"bitcoinalpha", "link", 226, 39, 9.77e-7, 0.0337, "none", "none"},
        {"enron", "link", 100, 24, 8.80e-7, 0.0250, "onehot", "log"},
        {"lastfm", "link", 500, 32, 2.27e-7, 0.00276, "none", "none"},
        {"unvote", "link", 72, 10, 0.227, 0.00276, "none", "none"},
        {"reddit-title", "link", 178, 36, 9.06e-6, 0.00055, "random:128", "log"},
        {"stackoverflow", "link", 91, 0, 0, 0.003, "none", "none"},
        {"trade", "affinity", 30, 26, 0.0341, 0.00887, "onehot", "log-standard"},
        {"genre", "affinity", 1580, 0, 0, 0.003, "random:128", "log-standard"},
        {"reddit", "affinity", 1090, 0, 0, 0.003, "random:128", "log-standard"},
        {"token", "affinity", 785, 0, 0, 0.003, "random:128", "log-standard"},
    };
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        scadyg_options *options = train_options("scadyg-paper", published[i].task, NULL);
        const sg_train_options *o = options->values;
        char normalise[32];
        assert_int_equal(scadyg_preset_apply(options, published[i].name, NULL), SCADYG_OK);
        assert_int_equal(o->messages.steps, published[i].steps);
        assert_int_equal(o->messages.window, published[i].window);
        assert_true(o->messages.gamma0 >= published[i].gamma0 * 0.995);
        assert_true(o->messages.gamma0 <= published[i].gamma0 * 1.005);
        assert_true(o->learning_rate >= published[i].rate * 0.995 && o->learning_rate <= published[i].rate * 1.005);
        assert_string_equal(o->messages.node_features, published[i].features);
        assert_int_equal(o->messages.step_rule, strcmp(published[i].name, "mooc") == 0);
        assert_true(scadyg_options_get(options, "normalise", normalise, sizeof normalise) < sizeof normalise);
        assert_string_equal(normalise, published[i].normalise);
        /* The general rules of the paper. */
        assert_true(o->weight_decay == 1e-4 && o->batch == 128 && o->epochs == 100 && o->patience == 10);
        assert_true(o->messages.repeat == 8 && o->hidden == 0 && o->averaging == 0 && o->learning_rate_decay == 0);
        scadyg_options_close(options);
    }
}

static void unknown_presets(void **state)
{
    (void)state;
    static const char *const cases[][4] = {
        {"scadyg-paper", "link", "moc", "scadyg-paper has no preset 'moc' for --task link; did you mean mooc?"},
        {"scadyg-paper", "link", "bitcoin", "did you mean bitcoinalpha?"},
        {"scadyg-paper", "affinity", "mooc", "the preset 'mooc' is of --model scadyg-paper, --task link"},
        {"scadyg-paper", "affinity", "tokens", "did you mean token?"},
        {"scadyg", "link", "mooc", "the preset 'mooc' is of --model scadyg-paper, --task link"},
        {"popularity", "link", "", "popularity has no presets"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scadyg_options *options = train_options(cases[i][0], cases[i][1], NULL);
        char *before = sg_options_write(options), *after;
        scadyg_error error;
        assert_int_equal(scadyg_preset_apply(options, cases[i][2], &error), SCADYG_E_USAGE);
        says(error.message, cases[i][3]);
        after = sg_options_write(options);
        assert_string_equal(before, after);
        free(before), free(after);
        scadyg_options_close(options);
    }
}

/* ---- As text ---- */

static void text_comes_back(const scadyg_options *options)
{
    scadyg_options *back = NULL;
    scadyg_error error;
    char *text = sg_options_write(options), *again;
    assert_non_null(text);
    if (sg_options_read(text, strlen(text), "F", &back, &error)) fail_msg("%s\n%s", error.message, text);
    assert_ptr_equal(back->owner, options->owner);
    for (size_t i = 0; i < options->set->count; i++) {
        const char *name = options->set->table[i].shown.name;
        char x[256], y[256];
        assert_int_equal(scadyg_options_get(options, name, x, sizeof x),
                         scadyg_options_get(back, name, y, sizeof y));
        assert_string_equal(x, y);
    }
    again = sg_options_write(back);
    assert_string_equal(text, again);
    free(text), free(again);
    scadyg_options_close(back);
}

/* Another value for each option that takes one, as far as the table can tell. */
static void set_otherwise(scadyg_options *options, uint64_t seed)
{
    for (size_t i = 2; i < options->set->count; i++) {
        const scadyg_option *o = &options->set->table[i].shown;
        char text[64] = "1";
        sg_rng rng;
        sg_rng_seed(&rng, seed, i);
        const double unit = sg_rng_unit(&rng);
        if (o->type == SCADYG_OPTION_TEXT || strcmp(o->name, "gamma0") == 0) continue;
        if (o->type == SCADYG_OPTION_CHOICE)
            snprintf(text, sizeof text, "%.*s", (int)strcspn(o->choices, "|"), o->choices);
        else if (o->least <= o->most && o->type == SCADYG_OPTION_REAL)
            snprintf(text, sizeof text, "%.17g", o->least + unit * 0.4 * (fmin(o->most, 1) - o->least));
        else if (o->type == SCADYG_OPTION_INT)
            snprintf(text, sizeof text, "%.0f",
                     o->least <= o->most ? fmin(o->most, o->least + 1000 * unit + 8) : 5e17);
        scadyg_error error;
        if (scadyg_options_set(options, o->name, text, &error)) fail_msg("%s", error.message);
    }
}

static void every_kind_and_preset_as_text(void **state)
{
    (void)state;
    for (const sg_kind *const *kind = sg_kinds; *kind; kind++) {
        scadyg_options *options = train_options((*kind)->shown.name, (*kind)->shown.task, NULL), *preset;
        const char *name;
        text_comes_back(options);
        for (size_t i = 0; (name = scadyg_preset_at(options, i, NULL)); i++) {
            assert_int_equal(scadyg_options_copy(options, &preset, NULL), SCADYG_OK);
            assert_int_equal(scadyg_preset_apply(preset, name, NULL), SCADYG_OK);
            text_comes_back(preset);
            scadyg_options_close(preset);
        }
        for (uint64_t seed = 1; seed < 20; seed++) {
            set_otherwise(options, seed);
            text_comes_back(options);
        }
        scadyg_options_close(options);
    }
    for (int i = 0; i < SAMPLES; i++) {
        scadyg_options *options = train_options(samples[i].model, samples[i].task, samples[i].settings);
        if (sg_option_find(options->set, "labels")) /* a file is not named in a text */
            assert_int_equal(scadyg_options_set(options, "labels", "", NULL), SCADYG_OK);
        text_comes_back(options);
        scadyg_options_close(options);
    }
}

static void lines(void **state)
{
    (void)state;
    const sample *s = find_sample("paper-affinity");
    scadyg_options *options = train_options(s->model, s->task, s->settings);
    char *text = sg_options_write(options);
    assert_int_equal(strncmp(text, "model=scadyg-paper\ntask=affinity\n", 33), 0);
    assert_non_null(strstr(text, "labels=\n"));
    assert_null(strstr(text, "f.csv"));
    assert_null(strstr(text, "threads"));
    assert_null(strstr(text, "memory"));
    free(text);
    scadyg_options_close(options);
#define LINK "model=scadyg-paper\ntask=link\n"
    static const struct {
        const char *text;
        int status;
        const char *says;
    } cases[] = {
        {LINK, SCADYG_OK, ""},
        {LINK "steps=17\n", SCADYG_OK, ""},
        {"steps=17\ntask=link\nmodel=scadyg-paper\n", SCADYG_OK, ""},
        {LINK "wings=2\n", SCADYG_E_VERSION, "newer version of scadyg: it has the option 'wings'"},
        {LINK "threads=2\n", SCADYG_E_VERSION, "newer version"},
        {LINK "walk-width=64\n", SCADYG_E_VERSION, "'walk-width'"},
        {LINK "steps=7\nsteps=7\n", SCADYG_E_FORMAT, "twice"},
        {LINK "task=link\n", SCADYG_E_FORMAT, "twice"},
        {LINK "steps=0\n", SCADYG_E_FORMAT, "between 1 and"},
        {LINK "steps\n", SCADYG_E_FORMAT, "no option"},
        {LINK "steps=7", SCADYG_E_FORMAT, "no lines"},
        {LINK "steps=7\n\n", SCADYG_E_FORMAT, "no option"},
        {"", SCADYG_E_FORMAT, "no lines"},
        {"\n", SCADYG_E_FORMAT, "what kind of model"},
        {"model=scadyg-paper\n", SCADYG_E_FORMAT, "what kind of model"},
        {"task=link\n", SCADYG_E_FORMAT, "what kind of model"},
        {"steps=17\n", SCADYG_E_FORMAT, "what kind of model"},
        {"model=dygformer-9\ntask=link\n", SCADYG_E_VERSION,
         "has a model that this version of scadyg does not know"},
        {"model=scadyg\ntask=weather\n", SCADYG_E_VERSION, "not 'weather'"},
        {"model=persistence\ntask=link\n", SCADYG_E_VERSION, "is for --task affinity"},
        {LINK "model=scadyg\n", SCADYG_E_FORMAT, "twice"},
        {LINK "rates=\\x\n", SCADYG_E_FORMAT, "no value"},
        {"model=scadyg-paper\ntask=affinity\nlabels=\n", SCADYG_OK, ""},
        {"model=scadyg-paper\ntask=affinity\nlabels=/etc/passwd\n", SCADYG_E_FORMAT, "it names a file"},
        {LINK "steps=3\n", SCADYG_E_FORMAT, "more --steps"},
        {LINK "labels=x\n", SCADYG_E_VERSION, "'labels'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scadyg_options *back = NULL;
        scadyg_error error = {0};
        const int status = sg_options_read(cases[i].text, strlen(cases[i].text), "F", &back, &error);
        if (status != cases[i].status) fail_msg("'%s': %d, %s", cases[i].text, status, error.message);
        assert_true((status == SCADYG_OK) == (back != NULL));
        if (status) says(error.message, cases[i].says);
        if (!status && strstr(cases[i].text, "17"))
            assert_int_equal(((const sg_train_options *)back->values)->messages.steps, 17);
        scadyg_options_close(back);
    }
    scadyg_options *back = NULL;
    assert_int_equal(sg_options_read(LINK "\0\n", sizeof LINK + 1, "F", &back, NULL), SCADYG_E_FORMAT);
    assert_null(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_sound),
        cmocka_unit_test(kinds_are_listed),
        cmocka_unit_test(parts_are_words),
        cmocka_unit_test(unknown_kinds),
        cmocka_unit_test(unknown_options),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(presets_apply),
        cmocka_unit_test(figures_of_presets),
        cmocka_unit_test(unknown_presets),
        cmocka_unit_test(every_kind_and_preset_as_text),
        cmocka_unit_test(lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
