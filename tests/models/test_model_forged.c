/*
 * Model files that somebody has forged: checksums are right and contents are not. Every kind refuses what it cannot have
 * written, with a sentence; what it takes can be used.
 */
#include "models/sample_model.h"

#include "models/baselines/rules.h"
#include "models/model.h"
#include "predict/predictor.h"

/* ---- Forging ---- */

typedef struct section {
    unsigned char *data;
    size_t size;
} section;

typedef struct forged {
    char path[64];
    const char *name;
    int checkpoint;
    section parts[SG_PART_LAST + 1]; /* data NULL: absent */
} forged;

static forged forge(const sample *s)
{
    forged f = {.name = s->name};
    sg_unpack unpack;
    scadyg_error error;
    scadyg_model *model = sample_model(s);
    make_path(f.path);
    if (scadyg_model_save(model, f.path, &error)) fail_msg("%s", error.message);
    scadyg_model_close(model);
    assert_int_equal(sg_unpack_open(&unpack, SG_MODEL_MAGIC, "a model file", f.path, &error), SCADYG_OK);
    for (int i = 1; i <= SG_PART_LAST; i++) {
        const sg_slice *slice = &unpack.parts[i];
        if (!slice->data) continue;
        f.parts[i] = (section){malloc(slice->size + 64), slice->size};
        assert_non_null(f.parts[i].data);
        memcpy(f.parts[i].data, slice->data, slice->size);
    }
    assert_int_equal(sg_unpack_close(&unpack, SCADYG_OK, &error), SCADYG_OK);
    return f;
}

static void drop(forged *f)
{
    for (int i = 1; i <= SG_PART_LAST; i++) free(f->parts[i].data);
    unlink(f->path);
}

static int open_forged(const forged *f, scadyg_model **model, scadyg_error *error)
{
    sg_pack pack = {0};
    for (int i = 1; i <= SG_PART_LAST; i++) {
        if (!f->parts[i].data) continue;
        sg_pack_begin(&pack, (uint32_t)i);
        sg_pack_put(&pack, f->parts[i].data, f->parts[i].size);
    }
    if (sg_pack_finish(&pack, SG_MODEL_MAGIC, f->path, error)) fail_msg("%s", error->message);
    *model = NULL;
    *error = (scadyg_error){0};
    return scadyg_model_open(f->path, model, error);
}

static void refused(const forged *f, int status, const char *says, const char *what)
{
    scadyg_model *model;
    scadyg_error error;
    if (open_forged(f, &model, &error) != status)
        fail_msg("%s, %s: status %d, %s", f->name, what, error.status, error.message);
    assert_null(model);
    if (!strstr(error.message, f->path)) fail_msg("%s", error.message);
    if (!strstr(error.message, says))
        fail_msg("%s, %s: '%s' does not say '%s'", f->name, what, error.message, says);
}

/* ---- Figures ---- */

enum { U32, U64, F64 };

typedef struct forgery {
    const char *sample;
    int part;
    size_t at;
    int type;
    double number; /* F64 */
    uint64_t whole;
    const char *says;
} forgery;

#define RATE(k) (8 * (k))
#define NO_RATES "its rates make no sense"
#define SHARE(k) (80 + 8 * (k))
#define NO_SHARES "what its chances are compared with makes no sense"
#define NO_ANSWER "how it answers makes no sense"
#define NO_SHAPE "the shape of its net makes no sense"
#define NO_LENGTH "its net has the wrong length"
#define NO_LABELS "the figures of its labels make no sense"
#define REAL(sample_, part_, at_, value_, says_)                                                                   \
    {                                                                                                              \
        sample_, SG_PART_##part_, at_, F64, value_, 0, says_                                                       \
    }
#define WORD(sample_, part_, at_, value_, says_)                                                                   \
    {                                                                                                              \
        sample_, SG_PART_##part_, at_, U64, 0, value_, says_                                                       \
    }
#define HALF(sample_, part_, at_, value_, says_)                                                                   \
    {                                                                                                              \
        sample_, SG_PART_##part_, at_, U32, 0, value_, says_                                                       \
    }

static const forgery forgeries[] = {
    /* What a label file is known by: lines, checksum. */
    WORD("persistence", LABELS, 0, 0, "what it says of its labels makes no sense"),
    /* The default for links: eight rates, the bounds of pairs and of vectors, three shares, the baseline, the count. */
    REAL("scadyg", NET, RATE(0), NAN, NO_RATES),
    REAL("scadyg", NET, RATE(3), NAN, NO_RATES),
    REAL("scadyg", NET, RATE(7), NAN, NO_RATES),
    REAL("scadyg", NET, RATE(0), 0, NO_RATES),
    REAL("scadyg", NET, RATE(0), -1, NO_RATES),
    REAL("scadyg", NET, RATE(7), INFINITY, NO_RATES),
    REAL("scadyg", NET, RATE(5), 1e-9, NO_RATES),
    WORD("scadyg", NET, 64, 0, "its memory makes no sense"),
    WORD("scadyg", NET, 72, 1, "its memory makes no sense"),
    WORD("scadyg-stored", NET, 72, 0, "its memory makes no sense"),
    REAL("scadyg", NET, SHARE(0), NAN, NO_SHARES),
    REAL("scadyg", NET, SHARE(0), 0, NO_ANSWER),
    REAL("scadyg", NET, SHARE(0), -1, NO_SHARES),
    REAL("scadyg", NET, SHARE(1), NAN, NO_SHARES),
    REAL("scadyg", NET, SHARE(1), -1e-9, NO_SHARES),
    REAL("scadyg", NET, SHARE(2), 1.5, NO_SHARES),
    REAL("scadyg-stored", NET, SHARE(2), INFINITY, NO_SHARES),
    WORD("scadyg", NET, 104, SG_LINK_RULES + 1, NO_ANSWER),
    WORD("scadyg", NET, 104, UINT64_MAX, NO_ANSWER),
    WORD("scadyg", NET, 112, 0, NO_LENGTH),
    WORD("scadyg", NET, 112, 1, NO_LENGTH),
    WORD("scadyg", NET, 112, UINT64_MAX, NO_LENGTH),
    WORD("scadyg", NET, 112, (uint64_t)1 << 62, NO_LENGTH),
    /* The default for affinity: the width of messages, gap, span and noise of labels, the count. */
    WORD("scadyg-affinity", NET, 0, 0, NO_SHAPE),
    WORD("scadyg-affinity", NET, 0, SG_WIDTH_MOST + 1, NO_SHAPE),
    WORD("scadyg-affinity", NET, 0, UINT64_MAX, NO_SHAPE),
    WORD("scadyg-affinity", NET, 0, 3, NO_LENGTH),
    REAL("scadyg-affinity", NET, 8, NAN, NO_LABELS),
    REAL("scadyg-affinity", NET, 8, 0, NO_LABELS),
    REAL("scadyg-affinity", NET, 8, -2.5, NO_LABELS),
    REAL("scadyg-affinity", NET, 8, INFINITY, NO_LABELS),
    REAL("scadyg-affinity", NET, 16, NAN, NO_LABELS),
    REAL("scadyg-affinity", NET, 16, -1, NO_LABELS),
    REAL("scadyg-affinity", NET, 16, INFINITY, NO_LABELS),
    REAL("scadyg-affinity", NET, 24, NAN, NO_LABELS),
    REAL("scadyg-affinity", NET, 24, 0, NO_LABELS),
    REAL("scadyg-affinity", NET, 24, 1.5, NO_LABELS),
    WORD("scadyg-affinity", NET, 32, SG_MIX_STARTS, NO_LABELS),
    WORD("scadyg-affinity", NET, 32, UINT64_MAX, NO_LABELS),
    WORD("scadyg-affinity", NET, 40, 5, NO_LENGTH),
    WORD("scadyg-affinity", NET, 40, UINT64_MAX, NO_LENGTH),
    /* The paper's: task, hypernetwork, width, hidden units, outputs, the count. */
    HALF("paper", NET, 0, 2, NO_SHAPE),
    HALF("paper", NET, 0, 1, NO_LENGTH),
    HALF("paper", NET, 4, 7, NO_SHAPE),
    HALF("paper", NET, 4, 0, NO_LENGTH),
    WORD("paper", NET, 8, 0, NO_SHAPE),
    WORD("paper", NET, 8, SG_WIDTH_MOST + 1, NO_SHAPE),
    WORD("paper", NET, 8, 5, NO_LENGTH),
    WORD("paper", NET, 16, 0, NO_SHAPE),
    WORD("paper", NET, 16, SG_HIDDEN_MOST + 1, NO_SHAPE),
    WORD("paper", NET, 16, UINT64_MAX, NO_SHAPE),
    WORD("paper", NET, 24, 0, NO_SHAPE),
    WORD("paper", NET, 24, SG_CLASSES_MOST + 1, NO_SHAPE),
    WORD("paper", NET, 24, 2, NO_LENGTH),
    WORD("paper", NET, 32, 7, NO_LENGTH),
    WORD("paper-affinity", NET, 24, 4, NO_LENGTH),
    WORD("paper-affinity", NET, 8, UINT64_MAX, NO_SHAPE),
    /* Of all kinds: what is kept of the file trained on, */
    REAL("scadyg", TRAINED_ON, 0, NAN, "its time range makes no sense"),
    REAL("popularity", TRAINED_ON, 0, INFINITY, "its time range makes no sense"),
    REAL("paper", TRAINED_ON, 8, -1, "its time range makes no sense"),
    REAL("markov", TRAINED_ON, 8, NAN, "its time range makes no sense"),
    WORD("scadyg-affinity", TRAINED_ON, 16, 0, "its steps make no sense"),
    WORD("scadyg", TRAINED_ON, 16, UINT64_MAX, "its steps make no sense"),
    WORD("paper", TRAINED_ON, 48, 0, "its steps make no sense"),
    WORD("scadyg", TRAINED_ON, 48, SG_STEPS_MOST + 1, "its steps make no sense"),
    WORD("edgebank", TRAINED_ON, 48, UINT64_MAX, "its steps make no sense"),
    HALF("popularity", TRAINED_ON, 56, 2, "its steps make no sense"),
    HALF("paper", TRAINED_ON, 24, 5, "its net does not fit its options"),
    HALF("scadyg", TRAINED_ON, 24, 3, NO_LENGTH),
    HALF("paper", TRAINED_ON, 24, UINT32_MAX, "its options and its columns do not fit"),
    HALF("scadyg", TRAINED_ON, 24, UINT32_MAX, NO_LENGTH),
    HALF("paper", TRAINED_ON, 28, 2, "its options and its columns do not fit"),
    HALF("scadyg-stored", TRAINED_ON, 28, 0, NO_LENGTH),
    HALF("edgebank", TRAINED_ON, 28, 2, "it has columns that nothing reads"),
    HALF("persistence", TRAINED_ON, 32, 2, "the figures of its training data make no sense"),
    HALF("paper-onehot", TRAINED_ON, 36, 9, "the figures of its training data make no sense"),
    WORD("paper-onehot", TRAINED_ON, 40, 6, "the figures of its training data make no sense"),
    WORD("paper-onehot", TRAINED_ON, 40, ((uint64_t)1 << 61) + 5, "the figures of its training data make no sense"),
    WORD("popularity", TRAINED_ON, 40, 1, "the figures of its training data make no sense"),
    /* the classes, */
    WORD("paper-affinity", CLASSES, 0, 0, "the names of its classes make no sense"),
    WORD("moving-average", CLASSES, 0, 4, "the names of its classes make no sense"),
    WORD("persistence", CLASSES, 0, UINT64_MAX, "the names of its classes make no sense"),
    /* where it comes from, */
    HALF("markov", PROVENANCE, 4, 7, "the figures of its data make no sense"),
    HALF("markov", PROVENANCE, 104, 2, "the figures of its data make no sense"),
    WORD("scadyg", PROVENANCE, 8, 0, "the figures of its data make no sense"),
    WORD("scadyg", PROVENANCE, 16, 0, "the figures of its data make no sense"),
    WORD("scadyg", PROVENANCE, 16, (uint64_t)1 << 40, "the figures of its data make no sense"),
    HALF("paper", PROVENANCE, 32, 2, "the figures of its data make no sense"),
    REAL("paper", PROVENANCE, 48, NAN, "the figures of its data make no sense"),
    REAL("paper", PROVENANCE, 56, -1e9, "the figures of its data make no sense"),
    REAL("popularity", PROVENANCE, 64, NAN, "the figures of its training make no sense"),
    REAL("popularity", PROVENANCE, 72, INFINITY, "the figures of its training make no sense"),
    WORD("paper-standard", PROVENANCE, 80, UINT64_MAX, "the figures of its training make no sense"),
    WORD("paper-standard", PROVENANCE, 88, 4, "the figures of its training make no sense"),
    REAL("paper-standard", PROVENANCE, 96, NAN, "its score is not a finite number"),
    WORD("paper", PROVENANCE, 80, 4, "its learning curve has the wrong length"),
    /* how it learned, */
    REAL("paper", CURVE, 0, NAN, "its learning curve has numbers that are not finite"),
    REAL("paper", CURVE, 16, INFINITY, "its learning curve has numbers that are not finite"),
    REAL("paper", CURVE, 40, -INFINITY, "its learning curve has numbers that are not finite"),
    /* and its numbers. */
    HALF("scadyg", VALUES, 4, 0x7fc00000, "it has numbers that are not finite"),
    HALF("paper", VALUES, 0, 0x7f800000, "it has numbers that are not finite"),
    HALF("scadyg", NORMALISATION, 0, 0x7fc00000, "its normalisation has numbers that are not finite"),
    HALF("paper-standard", NORMALISATION, 8, 0xff800000, "its normalisation has numbers that are not finite"),
};

static void figures(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        const forgery *y = &forgeries[i];
        forged f = forge(find_sample(y->sample));
        char what[64];
        snprintf(what, sizeof what, "section %d at %zu, case %zu", y->part, y->at, i);
        unsigned char *at = f.parts[y->part].data + y->at;
        assert_true(f.parts[y->part].data && y->at + (y->type == U32 ? 4 : 8) <= f.parts[y->part].size);
        if (y->type == F64) memcpy(at, &y->number, 8);
        if (y->type != F64) memcpy(at, &y->whole, y->type == U32 ? 4 : 8);
        refused(&f, SCADYG_E_FORMAT, y->says, what);
        drop(&f);
    }
}

/* ---- Sections ---- */

/* Cut off, or with something behind: no kind reads on. */
static void lengths(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        forged f = forge(&samples[i]);
        for (int part = SG_PART_OPTIONS; part <= SG_PART_LAST; part++) {
            section *s = &f.parts[part];
            const size_t size = s->size;
            if (!s->data || part == SG_PART_RESULT) continue;
            memset(s->data + size, 0, 64);
            static const int changes[] = {-1, -4, -8, 1, 4, 8};
            for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
                char what[64];
                /* The name of the events file stands at the end of its section and may be shorter. */
                if (part == SG_PART_PROVENANCE && changes[k] < 0 && changes[k] > -8) continue;
                s->size = size + (size_t)changes[k];
                snprintf(what, sizeof what, "section %d, %+d bytes", part, changes[k]);
                refused(&f, SCADYG_E_FORMAT, "is damaged", what);
            }
            s->size = 0;
            refused(&f, SCADYG_E_FORMAT, "is damaged", "an empty section");
            s->size = size;
        }
        drop(&f);
    }
}

static void missing_sections(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        forged f = forge(&samples[i]);
        for (int part = SG_PART_OPTIONS; part <= SG_PART_PROVENANCE; part++) {
            const section kept = f.parts[part];
            if (!kept.data) continue;
            f.parts[part] = (section){0};
            refused(&f, SCADYG_E_FORMAT, "is damaged", "without a section");
            f.parts[part] = kept;
        }
        drop(&f);
    }
}

/* How its log was read: options of import, each once, none of them a file. */
static void readings(void **state)
{
    (void)state;
    static const char *const bad[] = {"src",
                                      "src=a",
                                      "=a\n",
                                      "src=a\nsrc=b\n",
                                      "nothing=1\n",
                                      "edge-features=/etc/passwd\n",
                                      "node-features=x\n",
                                      "missing=never\n",
                                      "src=a\x1b[2J\n",
                                      "src=\xff\n",
                                      "src=a\n\n",
                                      "skip-bad=-5\n",
                                      "src=a\tb\n"};
    forged f = forge(&samples[0]);
    assert_null(f.parts[SG_PART_READING].data);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        f.parts[SG_PART_READING] = (section){(unsigned char *)strdup(bad[i]), strlen(bad[i])};
        refused(&f, SCADYG_E_FORMAT, "is damaged: what it says of how its log was read makes no sense", bad[i]);
        free(f.parts[SG_PART_READING].data);
    }
    const char *good = "src=a\ntime-format=%d/%m\nwhere=x == 'y'\nbipartite=1\nskip-bad=all\n";
    f.parts[SG_PART_READING] = (section){(unsigned char *)strdup(good), strlen(good)};
    scadyg_model *model;
    scadyg_error error;
    assert_int_equal(open_forged(&f, &model, &error), SCADYG_OK);
    assert_string_equal(scadyg_model_look(model)->reading, good);
    scadyg_model_close(model);
    f.parts[SG_PART_READING].size = strlen(good) - 1;
    refused(&f, SCADYG_E_FORMAT, "is damaged", "without the end of its last line");
    drop(&f);
}

/* A section that the kind does not have. */
static void sections_too_many(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        forged f = forge(&samples[i]);
        for (int part = SG_PART_NET; part <= SG_PART_CURVE; part++) {
            if (f.parts[part].data || part == SG_PART_RESULT) continue;
            f.parts[part] = (section){calloc(1, 64), 64};
            assert_non_null(f.parts[part].data);
            refused(&f, SCADYG_E_FORMAT, "is damaged", "with a section too many");
            free(f.parts[part].data);
            f.parts[part] = (section){0};
        }
        drop(&f);
    }
}

/* ---- Kinds ---- */

static void set_options_text(forged *f, const char *text)
{
    free(f->parts[SG_PART_OPTIONS].data);
    f->parts[SG_PART_OPTIONS] = (section){(unsigned char *)strdup(text), strlen(text)};
}

static void unknown_kinds(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"model=quantum\ntask=link\n", "has a model that this version of scadyg does not know: there is no model"},
        {"model=scadyg\ntask=weather\n", "does not know: --task takes one of link|affinity, not 'weather'"},
        {"model=\ntask=\n", "does not know"},
        {"model=persistence\ntask=link\n", "--model persistence is for --task affinity"},
        {"model=scadyg\ntask=link\nwings=2\n", "newer version of scadyg: it has the option 'wings'"},
    };
    for (int i = 0; i < SAMPLES; i++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            forged f = forge(&samples[i]);
            set_options_text(&f, cases[k][0]);
            refused(&f, SCADYG_E_VERSION, cases[k][1], cases[k][0]);
            drop(&f);
        }
    forged f = forge(find_sample("paper"));
    set_options_text(&f, "task=link\n");
    refused(&f, SCADYG_E_FORMAT, "is damaged: it does not say what kind of model it is", "no kind");
    drop(&f);
}

/* The sections of one kind under the name of each other one. */
static void kinds_in_disguise(void **state)
{
    (void)state;
    size_t taken = 0;
    for (int i = 0; i < SAMPLES; i++)
        for (int k = 0; k < SAMPLES; k++) {
            if (strcmp(samples[i].model, samples[k].model) == 0 && strcmp(samples[i].task, samples[k].task) == 0)
                continue;
            forged f = forge(&samples[i]);
            scadyg_options *options = train_options(samples[k].model, samples[k].task, samples[k].settings);
            char *text = sg_options_write(options);
            scadyg_model *model;
            scadyg_error error;
            set_options_text(&f, text);
            const int status = open_forged(&f, &model, &error);
            /* Baselines of a task keep the same: each of them may pass as another. */
            const int alike = !strstr(samples[i].model, "scadyg") && !strstr(samples[k].model, "scadyg") &&
                              strcmp(samples[i].task, samples[k].task) == 0;
            if (status != (alike ? SCADYG_OK : SCADYG_E_FORMAT))
                fail_msg("%s as %s: %d, %s", samples[i].name, samples[k].name, status, error.message);
            taken += (size_t)alike;
            scadyg_model_close(model);
            free(text);
            scadyg_options_close(options);
            drop(&f);
        }
    assert_true(taken > 0);
}

/* ---- What is taken can be used ---- */

static void use(const scadyg_model *model, const sample *s)
{
    static float numbers[1 << 16];
    const uint32_t src[] = {0, 1, 2}, dst[] = {3, 3, 0};
    const double time[] = {40, 20, 11};
    scadyg_predictor *predictor;
    scadyg_error error = {0};
    uint32_t best[5];
    double score[16];
    size_t count;
    scadyg_events *events = sample_events(s);
    assert_null(sg_model_fault(model));
    assert_true(model->info.width < 200 && model->classes <= 16);
    if (scadyg_predictor_open(NULL, model, events, &predictor, &error) == SCADYG_OK) {
        (void)scadyg_predict(predictor, src, dst, time, 3, score, &error);
        (void)scadyg_rank(predictor, 0, 30, 0, 5, best, score, NULL, &count, &error);
        (void)scadyg_affinity(predictor, 1, 35, score, &error);
        if (model->info.width) (void)scadyg_embed(predictor, 40, src, 3, numbers, &error);
        scadyg_predictor_close(predictor);
    } else {
        assert_true(error.status && error.message[0]);
    }
    scadyg_events_close(events);
}

/* Every word of the kind's own section, and of trained_on, with values that hurt. */
static void hostile_words(void **state)
{
    (void)state;
    static const uint64_t hostile[] = {0,
                                       1,
                                       UINT64_MAX,
                                       (uint64_t)1 << 63,
                                       UINT32_MAX,
                                       (uint64_t)1 << 32,
                                       0x7ff0000000000000u, /* infinite */
                                       0x7ff8000000000000u, /* not a number */
                                       0x7fefffffffffffffu, /* the largest */
                                       0x0000000000000001u, /* the smallest */
                                       0xbff0000000000000u, /* -1 */
                                       0x3ff0000000000000u};
    size_t taken = 0;
    for (int i = 0; i < SAMPLES; i++) {
        const sample *s = &samples[i];
        forged f = forge(s);
        for (int part = SG_PART_TRAINED_ON; part <= SG_PART_NET; part++)
            for (size_t at = 0; f.parts[part].data && at + 8 <= f.parts[part].size; at += 4)
                for (size_t k = 0; k < sizeof hostile / sizeof *hostile; k++) {
                    unsigned char kept[8], *place = f.parts[part].data + at;
                    scadyg_model *model;
                    scadyg_error error;
                    memcpy(kept, place, 8);
                    memcpy(place, &hostile[k], 8);
                    if (open_forged(&f, &model, &error) == SCADYG_OK) {
                        /* A label file that is not there ends it; the rest answers. */
                        use(model, s);
                        taken++;
                    } else {
                        assert_true(error.status == SCADYG_E_FORMAT || error.status == SCADYG_E_VERSION);
                    }
                    scadyg_model_close(model);
                    memcpy(place, kept, 8);
                }
        drop(&f);
    }
    assert_true(taken > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures),           cmocka_unit_test(lengths),       cmocka_unit_test(missing_sections),
        cmocka_unit_test(sections_too_many), cmocka_unit_test(unknown_kinds), cmocka_unit_test(kinds_in_disguise),
        cmocka_unit_test(hostile_words),     cmocka_unit_test(readings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
