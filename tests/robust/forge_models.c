/* Forged models and checkpoints. */
#include "robust/forge.h"

#include "models/sample_model.h"

#include "models/container.h"
#include "robust/scratch.h"

enum { MODELS_MOST = SAMPLES + 8, CHECKPOINTS = 5, LOG_EVENTS = 3000, LOG_NODES = 3000 };

/* A container in parts. */
typedef struct parts {
    const char *magic;
    struct part {
        size_t size;
        unsigned char *bytes; /* NULL: there is no such section */
    } of[SG_PART_LAST + 1];
} parts;

static parts good[MODELS_MOST];
static size_t good_count;

static void take_apart(const char *path, const char *magic, parts *out)
{
    sg_unpack unpack;
    PROMISE(sg_unpack_open(&unpack, magic, "a good file", path, NULL) == SCADYG_OK);
    *out = (parts){.magic = magic};
    for (int i = 1; i <= SG_PART_LAST; i++) {
        const sg_slice *slice = &unpack.parts[i];
        if (!slice->data) continue;
        out->of[i] = (struct part){slice->size, malloc(slice->size + 1)};
        PROMISE(out->of[i].bytes);
        memcpy(out->of[i].bytes, slice->data, slice->size);
    }
    PROMISE(sg_unpack_close(&unpack, SCADYG_OK, NULL) == SCADYG_OK);
}

/* ---- Good models: every kind, and some that ask for as much as options allow ---- */

static const sample large[] = {
    {"wide rows", "scadyg", "link", "hidden=400 vectors=on stepwise=0", 0, 0, 0, 0, 0},
    {"long messages", "scadyg-paper", "link", "without=hypernetwork hidden=1 hops=3 node-features=random:65536", 0,
     0, 0, 0, 0},
    {"long window", "scadyg-paper", "link", "hidden=1 repeat=64 steps=10000000 window=1000000 stepwise=0", 0, 0, 0,
     0, 0},
    {"many hidden", "scadyg-paper", "link", "without=hypernetwork repeat=1 hidden=65536", 0, 0, 0, 0, 0},
    {"many repeats", "scadyg", "affinity", "without=hypernetwork,nodes hidden=1 repeat=4096", 0, 0, 1, 3, 0},
    {"many steps", "popularity", "link", "steps=10000000", 0, 0, 0, 0, 0},
};

static scadyg_model *large_model(const sample *s)
{
    scadyg_options *options = train_options(s->model, s->task, s->settings);
    scadyg_events *events = sample_events(s);
    scadyg_model *model;
    scadyg_error error;
    static char *const names[] = {"a", "b", "c"};
    if (sg_model_new(options, events, &model, &error) ||
        (s->classes && sg_model_set_classes(model, names, s->classes, &error)))
        fail_msg("%s: %s", s->name, error.message);
    if (model->kind->shown.learns) sample_training(model, events, 0);
    sg_model_settle(model);
    scadyg_events_close(events);
    scadyg_options_close(options);
    return model;
}

static void prepare_models(const char *directory)
{
    const char *path = scratch_path(directory, "good.scadyg");
    for (size_t i = 0; i < SAMPLES + sizeof large / sizeof *large; i++) {
        scadyg_model *model = i < SAMPLES ? sample_model(&samples[i]) : large_model(&large[i - SAMPLES]);
        scadyg_error error;
        if (scadyg_model_save(model, path, &error)) fail_msg("%s", error.message);
        take_apart(path, SG_MODEL_MAGIC, &good[good_count++]);
        scadyg_model_close(model);
    }
}

/* ---- Ways to forge ---- */

static struct part *draw_part(sg_rng *rng, parts *p)
{
    for (;;) {
        struct part *part = &p->of[1 + sg_rng_below(rng, SG_PART_LAST)];
        if (part->bytes) return part;
    }
}

static void forge_figure(sg_rng *rng, parts *p, char *what, size_t size)
{
    char more[128] = "";
    struct part *part = draw_part(rng, p);
    if (sg_rng_below(rng, 2)) part = &p->of[SG_PART_TRAINED_ON + sg_rng_below(rng, 2)]; /* most figures are there */
    if (!part->bytes) return;
    forge_number(rng, part->bytes, part->size, sg_rng_below(rng, 4) ? 8 : 4, more, sizeof more);
    snprintf(what, size, "section %d: %s", (int)(part - p->of), more);
}

static void set_bytes(struct part *part, const void *bytes, size_t size)
{
    unsigned char *copy = malloc(size + 1);
    PROMISE(copy);
    memcpy(copy, bytes, size);
    free(part->bytes);
    *part = (struct part){size, copy};
}

/* The options as text with one line changed, left out or there twice. */
static void forge_option(sg_rng *rng, parts *p, char *what, size_t size)
{
    static const char *const values[] = {"0",
                                         "1",
                                         "-1",
                                         "2",
                                         "64",
                                         "4096",
                                         "65536",
                                         "10000000",
                                         "1e15",
                                         "1e308",
                                         "1e-300",
                                         "nan",
                                         "auto",
                                         "all",
                                         "none",
                                         "",
                                         "random:65536",
                                         "onehot",
                                         "stored",
                                         "step",
                                         "event",
                                         "time",
                                         "equal-count",
                                         "affinity",
                                         "link",
                                         "scadyg",
                                         "markov",
                                         "hypernetwork,nodes",
                                         "1,0.5,0.25"};
    struct part *part = &p->of[SG_PART_OPTIONS];
    if (!part->bytes) return; /* left out before */
    char *text = strndup((const char *)part->bytes, part->size), *lines[256], *next = text;
    size_t count = 0;
    PROMISE(text);
    for (char *line; count < 256 && (line = strsep(&next, "\n")) && next;) lines[count++] = line;
    const size_t chosen = count ? sg_rng_below(rng, count) : 0;
    const char *value = values[sg_rng_below(rng, sizeof values / sizeof *values)];
    const uint64_t how = sg_rng_below(rng, 10);
    char *all = calloc(1, 2 * part->size + 64);
    PROMISE(all);
    for (size_t i = 0; i < count; i++) {
        char *end = strchr(lines[i], '=');
        if (i != chosen || !end || how == 9)
            strcat(strcat(all, lines[i]), "\n");
        else if (how < 8)
            sprintf(all + strlen(all), "%.*s%s\n", (int)(end + 1 - lines[i]), lines[i], value);
        if (i == chosen && how == 9) strcat(strcat(all, lines[i]), "\n");
    }
    if (count) snprintf(what, size, "option %.40s, way %d, '%s'", lines[chosen], (int)how, value);
    set_bytes(part, all, strlen(all));
    free(all);
    free(text);
}

/* Sections cut, made longer, left out, taken from another model, or put in another's place. */
static void forge_section(sg_rng *rng, parts *p, char *what, size_t size)
{
    struct part *one = draw_part(rng, p), *other = draw_part(rng, p);
    const parts *stranger = &good[sg_rng_below(rng, good_count)];
    const int how = (int)sg_rng_below(rng, 5), kind = (int)(one - p->of);
    if (how == 0) one->size = sg_rng_below(rng, one->size + 1);
    if (how == 1) {
        const size_t most = one->size < 1 << 20 ? one->size : 1 << 20, more = sg_rng_below(rng, 64 + most);
        unsigned char *longer = calloc(1, one->size + more + 1);
        PROMISE(longer);
        memcpy(longer, one->bytes, one->size);
        set_bytes(one, longer, one->size + more);
        free(longer);
    }
    if (how == 2) free(one->bytes), *one = (struct part){0, NULL};
    if (how == 3 && stranger->of[kind].bytes) set_bytes(one, stranger->of[kind].bytes, stranger->of[kind].size);
    if (how == 4 && one != other) {
        const struct part kept = *one;
        *one = *other, *other = kept;
    }
    snprintf(what, size, "section %d (and %d), way %d", kind, (int)(other - p->of), how);
}

/* All weights huge, or one; names that are none. */
static void forge_bytes(sg_rng *rng, parts *p, char *what, size_t size)
{
    struct part *values = &p->of[SG_PART_VALUES], *names = &p->of[SG_PART_CLASSES];
    const float weight = (float)forge_real(rng);
    if (names->bytes && names->size > 9 && sg_rng_below(rng, 2))
        names->bytes[8 + sg_rng_below(rng, names->size - 8)] = (unsigned char)sg_rng_next(rng);
    else if (values->bytes)
        for (size_t i = 0; i + 4 <= values->size; i += 4) memcpy(values->bytes + i, &weight, 4);
    snprintf(what, size, "weights %g or a name", (double)weight);
}

static void put_together(const parts *p, const char *path)
{
    sg_pack pack = {0};
    for (uint32_t i = 1; i <= SG_PART_LAST; i++) {
        if (!p->of[i].bytes) continue;
        sg_pack_begin(&pack, i);
        sg_pack_put(&pack, p->of[i].bytes, p->of[i].size);
    }
    PROMISE(sg_pack_finish(&pack, p->magic, path, NULL) == SCADYG_OK);
}

static void forge_one(sg_rng *rng, const parts *from, const char *path, char *what, size_t size)
{
    static void (*const ways[])(sg_rng *, parts *, char *, size_t) = {forge_figure, forge_figure, forge_option,
                                                                      forge_section, forge_bytes};
    parts copy = {.magic = from->magic};
    for (int i = 1; i <= SG_PART_LAST; i++)
        if (from->of[i].bytes) set_bytes(&copy.of[i], from->of[i].bytes, from->of[i].size);
    for (uint64_t changes = sg_rng_below(rng, 4); changes && strlen(what) + 2 < size; changes--) {
        const size_t used = strlen(what);
        ways[sg_rng_below(rng, sizeof ways / sizeof *ways)](rng, &copy, what + used, size - used - 2);
        strcat(what, "; ");
    }
    put_together(&copy, path);
    for (int i = 1; i <= SG_PART_LAST; i++) free(copy.of[i].bytes);
}

static void forge_model(sg_rng *rng, const char *path, char *what, size_t size)
{
    const size_t i = sg_rng_below(rng, good_count);
    snprintf(what, size, "%s: ", i < SAMPLES ? samples[i].name : large[i - SAMPLES].name);
    forge_one(rng, &good[i], path, what, size);
}

/* ---- A model used: all that can be asked of it, over a log that has what it asks for ---- */

static scadyg_events *make_log(const scadyg_model *model)
{
    static uint32_t src[LOG_EVENTS], dst[LOG_EVENTS];
    static double time[LOG_EVENTS];
    static float numbers[LOG_EVENTS * 4], weights[LOG_EVENTS];
    const sg_trained_on *on = &model->trained_on;
    for (uint32_t i = 0; i < LOG_EVENTS; i++) {
        src[i] = i * 7 % LOG_NODES;
        dst[i] = (i * 11 + 1) % LOG_NODES;
        time[i] = 10 + i * 0.0125;
        weights[i] = 1;
    }
    for (int i = 0; i < LOG_EVENTS * 4; i++) numbers[i] = (float)(i % 13) - 6;
    const made_events made = {.count = LOG_EVENTS,
                              .nodes = LOG_NODES,
                              .src = src,
                              .dst = dst,
                              .time = time,
                              .weight = on->has_weight ? weights : NULL,
                              .edge_features = on->edge_features < 4 ? on->edge_features : 4,
                              .features = numbers,
                              .node_features = on->node_features < 4 ? on->node_features : 4,
                              .node_values = numbers};
    return make_events(&made);
}

static void ask(const scadyg_model *model, scadyg_predictor *predictor)
{
    const scadyg_model_info *info = scadyg_model_look(model);
    const uint32_t src[] = {0, 1, 2999}, dst[] = {3, 2998, 0};
    const double time[] = {47, 20, 11}, ages[] = {0, 1, 1e9};
    double score[8], slowest, fastest, *shares = calloc(info->classes + 1, sizeof *shares);
    float *rows = calloc(3 * (info->width + 1), sizeof *rows);
    uint32_t best[8];
    size_t count = 0;
    scadyg_error error;
    PROMISE(shares && rows);
    (void)forge_told(scadyg_predict(predictor, src, dst, time, 3, score, &error), &error);
    if (!forge_told(scadyg_rank(predictor, 0, 30, 0, 8, best, score, NULL, &count, &error), &error))
        for (size_t i = 0; i < count; i++) PROMISE(best[i] < LOG_NODES);
    (void)forge_told(scadyg_embed(predictor, 100, src, 3, rows, &error), &error);
    (void)forge_told(scadyg_affinity(predictor, 1, 35, shares, &error), &error);
    (void)forge_told(scadyg_memory_curve(predictor, 1, 35, ages, 3, score, &error), &error);
    (void)forge_told(scadyg_memory_rates(predictor, &slowest, &fastest, &error), &error);
    free(shares);
    free(rows);
}

static void evaluate(const scadyg_model *model, scadyg_events *events)
{
    const int link = strcmp(scadyg_model_look(model)->task, "link") == 0;
    scadyg_options *options = set_options("evaluate", link ? "queries=20" : "baselines=0");
    scadyg_result *result = NULL;
    scadyg_error error;
    if (!forge_told(scadyg_evaluate(forge_context(), model, events, options, &result, &error), &error))
        scadyg_result_free(result);
    scadyg_options_close(options);
}

static void look(const scadyg_model *model)
{
    const scadyg_model_info *info = scadyg_model_look(model);
    size_t rows, columns, sum = 0, classes = 0;
    const float *values;
    for (size_t i = 0; scadyg_model_group(model, i, &rows, &columns, &values); i++) sum += rows * columns;
    while (scadyg_model_class(model, classes)) classes++;
    PROMISE(sum == info->parameters && classes == info->classes && info->data[0] && info->score[0]);
    PROMISE(scadyg_model_result(model) && scadyg_options_check(info->options, NULL) == SCADYG_OK);
}

static int use_model(const char *path)
{
    scadyg_model *model;
    scadyg_predictor *predictor;
    scadyg_error error;
    if (forge_told(scadyg_model_open(path, &model, &error), &error)) return 0;
    look(model);
    scadyg_events *events = make_log(model);
    const int status =
        forge_told(scadyg_predictor_open(forge_context(), model, events, &predictor, &error), &error);
    if (!status) {
        ask(model, predictor);
        scadyg_predictor_close(predictor);
        evaluate(model, events);
    }
    scadyg_events_close(events);
    scadyg_model_close(model);
    return !status;
}

const forger forge_models = {"models", prepare_models, forge_model, use_model};

/* ---- Checkpoints: trainings of two epochs, stopped after the first ---- */

static const sample trainings[CHECKPOINTS] = {
    {"scadyg", "scadyg", "link", "epochs=2 steps=10 hidden=4 fallback=0 batch=50", 0, 0, 1, 0, 0},
    {"scadyg-event", "scadyg", "link", "epochs=2 steps=10 hidden=4 stepwise=0 averaging=0 batch=50", 2, 0, 0, 0, 0},
    {"paper", "scadyg-paper", "link", "epochs=2 steps=10 hidden=4 repeat=2 normalise=log-standard batch=50", 0, 0,
     0, 0, 0},
    {"scadyg-affinity", "scadyg", "affinity", "epochs=2 steps=20 hidden=4 repeat=2", 0, 0, 1, 0, 0},
    {"paper-affinity", "scadyg-paper", "affinity", "epochs=2 steps=20 hidden=4 repeat=2", 0, 0, 1, 0, 0},
};

static scadyg_events *training_log(const sample *s)
{
    enum { COUNT = 240, NODES = 20 };
    static uint32_t src[COUNT], dst[COUNT];
    static double time[COUNT];
    static float numbers[COUNT * 2];
    for (uint32_t i = 0; i < COUNT; i++) {
        src[i] = i * 7 % NODES;
        dst[i] = (i * 7 + i % 3 * 5 + 1) % NODES;
        time[i] = 100 + i;
        numbers[2 * i] = numbers[2 * i + 1] = 1 + (float)(i % 5);
    }
    return make_events(&(made_events){.count = COUNT,
                                      .nodes = NODES,
                                      .src = src,
                                      .dst = dst,
                                      .time = time,
                                      .weight = s->weights ? numbers : NULL,
                                      .edge_features = (uint32_t)s->edge_features,
                                      .features = numbers});
}

static void stop_after_first(void *data, const scadyg_epoch *epoch, int resumed)
{
    (void)epoch, (void)resumed;
    scadyg_context_cancel(data);
}

static int train(const sample *s, const char *checkpoint, int resume, scadyg_error *error)
{
    scadyg_context *context = forge_context();
    const scadyg_watch watch = {.size = sizeof watch, .data = context, .epoch = resume ? NULL : stop_after_first};
    scadyg_options *options = train_options(s->model, s->task, s->settings);
    scadyg_events *events = training_log(s);
    scadyg_model *model = NULL;
    const int status = scadyg_train(context, events, options, checkpoint, resume, &watch, &model, error);
    scadyg_context_reset(context);
    scadyg_model_close(model);
    scadyg_events_close(events);
    scadyg_options_close(options);
    return status;
}

static void prepare_checkpoints(const char *directory)
{
    const char *path = scratch_path(directory, "good.check");
    for (size_t i = 0; i < CHECKPOINTS; i++) {
        scadyg_error error = {0};
        if (train(&trainings[i], path, 0, &error) != SCADYG_E_CANCELLED)
            fail_msg("%s: %s", trainings[i].name, error.message);
        take_apart(path, SG_CHECKPOINT_MAGIC, &good[good_count++]);
    }
}

static size_t forged_training;

static void forge_checkpoint(sg_rng *rng, const char *path, char *what, size_t size)
{
    forged_training = sg_rng_below(rng, CHECKPOINTS);
    snprintf(what, size, "%s: ", trainings[forged_training].name);
    forge_one(rng, &good[forged_training], path, what, size);
}

/* What diverges from forged numbers says so: that is an answer too. */
static int use_checkpoint(const char *path)
{
    scadyg_error error;
    return !forge_told(train(&trainings[forged_training], path, 1, &error), &error);
}

const forger forge_checkpoints = {"checkpoints", prepare_checkpoints, forge_checkpoint, use_checkpoint};
