/* The checkpoint: a model in training, and what training needs to go on as if it had never stopped. */
#include "learn/train.h"

#include "base/memory.h"
#include "models/kind.h"
#include "models/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EPOCH_SIZE 64 /* eight numbers of 8 bytes */
#define EPOCH(e, best)                                                                                             \
    SG_NUMBERS(SG_NUMBER((e)->epoch), SG_NUMBER((e)->loss), SG_NUMBER((e)->validation), SG_NUMBER(best),           \
               SG_NUMBER((e)->events_per_second), SG_NUMBER((e)->seconds), SG_NUMBER((e)->evaluation_seconds),     \
               SG_NUMBER((e)->choice))
#define PROGRESS(s) SG_NUMBERS(SG_NUMBER((s)->epoch), SG_NUMBER((s)->since_gain), SG_NUMBER((s)->adam_steps))

/* ---- Writing ---- */

static void pack_floats(sg_pack *pack, uint32_t kind, const float *values, size_t count)
{
    sg_pack_begin(pack, kind);
    sg_pack_put(pack, values, count * sizeof *values);
}

static void pack_state(const scadyg_model *model, const sg_checkpoint *state, sg_pack *pack)
{
    sg_pack_begin(pack, SG_PART_PROGRESS);
    sg_pack_numbers(pack, PROGRESS(state));
    pack_floats(pack, SG_PART_AVERAGE, state->average, model->count);
    pack_floats(pack, SG_PART_SQUARE, state->square, model->count);
    pack_floats(pack, SG_PART_BEST, state->best, model->count);
    sg_pack_begin(pack, SG_PART_EPOCHS);
    for (int64_t i = 0; i < state->epoch; i++) {
        const uint64_t best = state->epochs[i].best != 0;
        sg_pack_numbers(pack, EPOCH(&state->epochs[i], best));
    }
    if (state->raw) pack_floats(pack, SG_PART_RAW, state->raw, model->count);
    sg_pack_begin(pack, SG_PART_VALIDATED);
    sg_pack_put(pack, &state->validated.choice, sizeof state->validated.choice);
    sg_pack_put(pack, state->validated.each, state->validated.count * sizeof *state->validated.each);
}

int sg_checkpoint_save(const char *path, const scadyg_model *model, const sg_checkpoint *state, scadyg_error *error)
{
    sg_pack pack = {0};
    int status = sg_model_pack(model, &pack, error);
    if (status) {
        free(pack.data);
        return status;
    }
    pack_state(model, state, &pack);
    sg_model_pack_last(model, &pack);
    return sg_pack_finish(&pack, SG_CHECKPOINT_MAGIC, path, error);
}

/* ---- Reading ---- */

static int unpack_floats(sg_unpack *unpack, int kind, size_t count, float **values, scadyg_error *error)
{
    const sg_slice *slice = &unpack->parts[kind];
    if (!slice->data || slice->size != count * sizeof **values)
        return sg_unpack_damaged(unpack, "the state of its training has the wrong length", error);
    *values = sg_alloc_aligned(count, sizeof **values);
    if (!*values) return sg_fail_memory(error, "the state of the training");
    memcpy(*values, slice->data, slice->size);
    return SCADYG_OK;
}

static int is_amount(double value)
{
    return isfinite(value) && value >= 0;
}

static int unpack_epochs(sg_unpack *unpack, const char *score, sg_checkpoint *state, scadyg_error *error)
{
    sg_slice *slice = &unpack->parts[SG_PART_EPOCHS];
    if (!slice->data || slice->size % EPOCH_SIZE || slice->size / EPOCH_SIZE != (uint64_t)state->epoch)
        return sg_unpack_damaged(unpack, "its epochs do not count up", error);
    state->epochs = sg_alloc_zero((size_t)state->epoch, sizeof *state->epochs);
    if (!state->epochs) return sg_fail_memory(error, "the epochs");
    for (int64_t i = 0; i < state->epoch; i++) {
        scadyg_epoch *epoch = &state->epochs[i];
        uint64_t best;
        sg_slice_numbers(slice, EPOCH(epoch, best));
        epoch->score = score;
        if (epoch->epoch != i + 1 || best > 1)
            return sg_unpack_damaged(unpack, "its epochs do not count up", error);
        /* NaN stands for a validation score that could not be measured. */
        if (!isfinite(epoch->loss) || isinf(epoch->validation) || isinf(epoch->choice) ||
            !is_amount(epoch->events_per_second) || !is_amount(epoch->seconds) ||
            !is_amount(epoch->evaluation_seconds))
            return sg_unpack_damaged(unpack, "an epoch of it has numbers that are not finite", error);
        epoch->best = (int)best;
    }
    return SCADYG_OK;
}

static int unpack_validated(sg_unpack *unpack, const scadyg_model *model, sg_validated *out, scadyg_error *error)
{
    const sg_slice *slice = &unpack->parts[SG_PART_VALIDATED];
    const size_t number = sizeof *out->each;
    if (!slice->data || slice->size < number || slice->size % number)
        return sg_unpack_damaged(unpack, "what validation said has the wrong length", error);
    out->score = model->validation;
    out->count = out->room = (size_t)slice->size / number - 1;
    memcpy(&out->choice, slice->data, number);
    out->each = sg_alloc(out->count + 1, number);
    if (!out->each) return sg_fail_memory(error, "the scores of queries");
    memcpy(out->each, slice->data + number, out->count * number);
    int good = !isinf(out->choice) && isnan(out->choice) == isnan(out->score);
    for (size_t i = 0; i < out->count; i++) good &= isfinite(out->each[i]) != 0;
    return good ? SCADYG_OK : sg_unpack_damaged(unpack, "what validation said is not finite", error);
}

/* Adam's average of squares may have grown beyond all numbers: that parameter stands still from then on. */
static int are_numbers_sound(const scadyg_model *model, const sg_checkpoint *state)
{
    const size_t count = model->count;
    int good = sg_all_finite(model->values, count) && sg_all_finite(state->average, count) &&
               sg_all_finite(state->best, count) && (!state->raw || sg_all_finite(state->raw, count));
    for (size_t i = 0; i < count; i++) good &= state->square[i] >= 0;
    return good;
}

static int unpack_state(sg_unpack *unpack, const scadyg_model *model, sg_checkpoint *state, scadyg_error *error)
{
    sg_slice *slice = &unpack->parts[SG_PART_PROGRESS];
    sg_slice_numbers(slice, PROGRESS(state));
    const uint64_t epoch = (uint64_t)state->epoch, since_gain = (uint64_t)state->since_gain;
    if (slice->bad || slice->at != slice->size || epoch > (uint64_t)sg_most_epochs(sg_train_of(model)) ||
        since_gain > epoch || (uint64_t)model->epochs != epoch || !model->values)
        return sg_unpack_damaged(unpack, "the state of its training makes no sense", error);
    const size_t count = model->count;
    int status = unpack_floats(unpack, SG_PART_AVERAGE, count, &state->average, error);
    if (!status) status = unpack_floats(unpack, SG_PART_SQUARE, count, &state->square, error);
    if (!status) status = unpack_floats(unpack, SG_PART_BEST, count, &state->best, error);
    if (!status && unpack->parts[SG_PART_RAW].data)
        status = unpack_floats(unpack, SG_PART_RAW, count, &state->raw, error);
    if (!status) status = unpack_epochs(unpack, model->info.score, state, error);
    if (!status) status = unpack_validated(unpack, model, &state->validated, error);
    if (!status && !are_numbers_sound(model, state))
        status = sg_unpack_damaged(unpack, "the state of its training has numbers that are not finite", error);
    return status;
}

/* ---- Whether it is of this training ---- */

static int is_line_of(const char *line, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(line, name, length) == 0 && line[length] == '=';
}

/* A training may go on for longer than was meant: what it has done is what the longer one would have done. With less
 * patience it might have ended before. */
static int may_go_on(const scadyg_model *model, const scadyg_model *expected, const char *path, scadyg_error *error)
{
    const sg_train_options *was = sg_train_of(model), *is = sg_train_of(expected);
    if (sg_most_epochs(is) < model->epochs)
        return sg_fail(error, SCADYG_E_USAGE, "the checkpoint %s has %lld epoch%s already, more than --epochs %lld",
                       path, (long long)model->epochs, sg_plural(model->epochs), (long long)sg_most_epochs(is));
    if (is->patience < was->patience)
        return sg_fail(error, SCADYG_E_USAGE,
                       "the checkpoint %s is of a training with --patience %lld; when it goes on it may be more, "
                       "not %lld",
                       path, (long long)was->patience, (long long)is->patience);
    return SCADYG_OK;
}

/* What is left to the data was settled by the training that left the checkpoint. */
static int is_left_open(const char *line, const scadyg_model *expected)
{
    const sg_trial *trial = expected->kind->trial;
    return trial && is_line_of(line, trial->option) && strncmp(line + strlen(trial->option), "=auto\n", 6) == 0;
}

/* Names the first option that differs, beside epochs and patience. Long values are cut. */
static int same_options(const char *path, const scadyg_model *model, const scadyg_model *expected,
                        scadyg_error *error)
{
    char *ours = sg_options_write(expected->options), *theirs = sg_options_write(model->options);
    int status = ours && theirs ? SCADYG_OK : sg_fail_memory(error, "the options");
    const char *a = ours, *b = theirs;
    while (!status && *a) {
        const size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
        if (!is_line_of(a, "epochs") && !is_line_of(a, "patience") && !is_left_open(a, expected) &&
            (n != m || memcmp(a, b, n) != 0)) {
            const int name = (int)strcspn(a, "="), most = 60;
            const int left = (int)n - name - 1, right = (int)m - name - 1;
            status = sg_fail(error, SCADYG_E_USAGE,
                             "the checkpoint %s is of a training with --%.*s '%.*s', not '%.*s'", path, name, a,
                             right < most ? right : most, b + name + 1, left < most ? left : most, a + name + 1);
        }
        a += n + 1;
        b += m + 1;
    }
    SG_FREE(ours, theirs);
    return status;
}

static int same_classes(const scadyg_model *model, const scadyg_model *expected)
{
    if (!expected->classes) return 1; /* not known yet */
    if (model->classes != expected->classes) return 0;
    for (size_t i = 0; i < model->classes; i++)
        if (strcmp(model->class_names[i], expected->class_names[i]) != 0) return 0;
    return 1;
}

static int same_training(const char *path, const scadyg_model *model, const scadyg_model *expected,
                         scadyg_error *error)
{
    if (model->checksum != expected->checksum || model->shape.events != expected->shape.events ||
        model->shape.nodes != expected->shape.nodes)
        return sg_fail(error, SCADYG_E_USAGE, "the checkpoint %s is of a training on other data (%s)", path,
                       model->data);
    int status = same_options(path, model, expected, error);
    if (!status) status = may_go_on(model, expected, path, error);
    if (status) return status;
    if (model->from != expected->from || model->refit != expected->refit)
        return sg_fail(error, SCADYG_E_USAGE, "the checkpoint %s is of a training that began from another model",
                       path);
    if (model->label_file.lines != expected->label_file.lines ||
        model->label_file.checksum != expected->label_file.checksum || !same_classes(model, expected))
        return sg_fail(error, SCADYG_E_USAGE, "the checkpoint %s is of a training with other labels", path);
    if (expected->count && expected->count != model->count)
        return sg_fail(error, SCADYG_E_USAGE, "the checkpoint %s is of a training of another net", path);
    return SCADYG_OK;
}

int sg_checkpoint_open(const char *path, const scadyg_model *expected, scadyg_model **out, sg_checkpoint *state,
                       scadyg_error *error)
{
    sg_unpack unpack;
    scadyg_model *model = NULL;
    sg_checkpoint read = {0};
    int status = sg_unpack_open(&unpack, SG_CHECKPOINT_MAGIC, "a checkpoint", path, error);
    if (status) return status;
    status = sg_model_unpack(&unpack, &model, error);
    if (!status) status = same_training(path, model, expected, error);
    if (!status) status = unpack_state(&unpack, model, &read, error);
    status = sg_unpack_close(&unpack, status, error);
    if (status) {
        sg_checkpoint_free(&read);
        scadyg_model_close(model);
        return status;
    }
    *out = model;
    *state = read;
    return SCADYG_OK;
}

void sg_checkpoint_free(sg_checkpoint *state)
{
    SG_FREE(state->average, state->square, state->best, state->raw, state->epochs, state->validated.each);
    *state = (sg_checkpoint){0};
}
