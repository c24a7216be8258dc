/* Any bytes as a model file or a checkpoint: opened, looked at, written again. */
#include "fuzz/fuzz.h"

#include "models/model.h"
#include "models/repair_model.h"
#include "models/sample_model.h"
#include "scadyg_lab.h"

/* What was read is sound: all of it can be looked at, and it is written and read as the same. */
static void use(scadyg_model *model)
{
    PROMISE(!sg_model_fault(model));
    const scadyg_model_info *info = scadyg_model_look(model);
    size_t rows, columns, sum = 0, classes = 0;
    const float *values;
    for (size_t i = 0; scadyg_model_group(model, i, &rows, &columns, &values); i++) {
        PROMISE(values + rows * columns <= model->values + info->parameters);
        sum += rows * columns;
    }
    PROMISE(sum == info->parameters);
    while (scadyg_model_class(model, classes)) classes++;
    PROMISE(classes == info->classes && info->data[0] && info->score[0] && scadyg_model_result(model));
    PROMISE(scadyg_options_check(info->options, NULL) == SCADYG_OK);
    float row[64] = {1, -2, 3e30f};
    if (model->width && model->width <= 64) sg_normalise_rows(NULL, model, row, 1);
}

/* Predictions from a model that says anything, on a small file of the kind it asks for. */
static void predict(const scadyg_model *model)
{
    enum { WIDTH_MOST = 128, CLASSES_MOST = 256, NODES = 5 };
    static float numbers[WIDTH_MOST * WIDTH_MOST];
    const sg_train_options *options = sg_train_of(model);
    const sg_trained_on *trained_on = &model->trained_on;
    const size_t features = model->kind->reads == SG_READS_STEPS ? 0 : trained_on->node_features;
    if (model->width > WIDTH_MOST || model->classes > CLASSES_MOST || trained_on->edge_features > 4 ||
        features > 4 || options->messages.steps > 100000 || options->messages.repeat > WIDTH_MOST)
        return;
    const sample kind = {.edge_features = (int)trained_on->edge_features,
                         .node_features = (int)features,
                         .weights = trained_on->has_weight};
    scadyg_events *events = sample_events(&kind);
    scadyg_predictor *predictor;
    scadyg_error error = {0};
    if (scadyg_predictor_open(NULL, model, events, &predictor, &error) == SCADYG_OK) {
        const uint32_t src[] = {0, 1, 2}, dst[] = {3, 3, 0};
        const double time[] = {40, 20, 11};
        double score[CLASSES_MOST];
        uint32_t best[NODES];
        size_t count;
        (void)scadyg_predict(predictor, src, dst, time, 3, score, &error);
        (void)scadyg_rank(predictor, 0, 30, 0, NODES, best, score, NULL, &count, &error);
        (void)scadyg_embed(predictor, 100, src, 3, numbers, &error);
        (void)scadyg_affinity(predictor, 1, 35, score, &error);
        (void)scadyg_node_weights(predictor, 1, 35, numbers, &error);
        scadyg_predictor_close(predictor);
    } else {
        PROMISE(error.status && error.message[0]);
    }
    scadyg_events_close(events);
}

static void as_model(const char *path)
{
    scadyg_model *model, *back;
    scadyg_error error = {0};
    int status = scadyg_model_open(path, &model, &error);
    PROMISE(status == SCADYG_OK || (error.status == status && error.message[0]));
    if (status) return;
    use(model);
    predict(model);
    const char *again = fuzz_path("again.scadyg");
    PROMISE(scadyg_model_save(model, again, &error) == SCADYG_OK);
    PROMISE(scadyg_model_open(again, &back, &error) == SCADYG_OK);
    scadyg_model_close(back);
    scadyg_model_close(model);
}

/* The checkpoint itself says what training is expected, so that its state is reached. */
static void as_checkpoint(const char *path)
{
    sg_unpack unpack;
    scadyg_model *expected, *model;
    sg_checkpoint state;
    scadyg_error error = {0};
    if (sg_unpack_open(&unpack, SG_CHECKPOINT_MAGIC, "a checkpoint", path, &error)) return;
    int status = sg_model_unpack(&unpack, &expected, &error);
    status = sg_unpack_close(&unpack, status, &error);
    PROMISE(status == SCADYG_OK || (error.status == status && error.message[0]));
    if (status) return;
    use(expected);
    status = sg_checkpoint_open(path, expected, &model, &state, &error);
    PROMISE(status == SCADYG_OK || (error.status == status && error.message[0]));
    if (status == SCADYG_OK) {
        PROMISE(state.epoch == model->epochs && state.since_gain <= state.epoch);
        PROMISE(sg_checkpoint_save(fuzz_path("again.check"), model, &state, &error) == SCADYG_OK);
        sg_checkpoint_free(&state);
        scadyg_model_close(model);
    }
    scadyg_model_close(expected);
}

/* The first byte says whether to make the checksums right; most wrong bytes end there. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1 << 16) return 0;
    uint8_t *bytes = malloc(size);
    PROMISE(bytes);
    memcpy(bytes, data + 1, size - 1);
    if (data[0] & 1) repair_model(bytes, size - 1);
    const char *path = fuzz_file("x.scadyg", bytes, size - 1);
    free(bytes);
    as_model(path);
    as_checkpoint(path);
    return 0;
}
