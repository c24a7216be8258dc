/* The run of epochs by itself, with a learner whose scores are written down. */
#include "tasks/model_bytes.h"

#include "tasks/training.h"
#include "defaults.h"

#include <math.h>
#include <string.h>

typedef struct pupil {
    scadyg_model *model;
    const double *scores; /* by epoch, from 0 */
    int64_t now;          /* the epoch learned last */
    int64_t stop_in;      /* cancels within this epoch; 0: never */
    int64_t explode_in;
    int learned; /* epochs in this run */
} pupil;

/* A gradient that depends on the epoch and on the values, so that every step of the way matters. */
static int pupil_learn(void *context, int64_t epoch, sg_optimiser *optimiser, double *loss, uint64_t *cases,
                       scadyg_error *error)
{
    pupil *p = context;
    const sg_net *net = &p->model->net;
    float *gradient = malloc(net->count * sizeof *gradient);
    assert_non_null(gradient);
    for (int batch = 0; batch < 3; batch++) {
        if (epoch == p->stop_in && batch == 1) {
            free(gradient);
            return sg_fail(error, SCADYG_E_CANCELLED, "stopped");
        }
        for (size_t i = 0; i < net->count; i++)
            gradient[i] = p->model->values[i] - (float)(epoch * (int64_t)(i % 5)) / 7;
        sg_optimiser_step(optimiser, p->model->count, p->model->values, gradient);
    }
    free(gradient);
    p->now = epoch;
    p->learned++;
    *loss = epoch == p->explode_in ? INFINITY : 1 / (double)epoch;
    *cases = 1000;
    return SCADYG_OK;
}

static int pupil_validate(void *context, double *score, scadyg_error *error)
{
    pupil *p = context;
    (void)error;
    *score = p->scores[p->now - 1];
    return SCADYG_OK;
}

/* ---- One run ---- */

static scadyg_events *small_log(void)
{
    static const uint32_t src[] = {0, 1, 2, 0}, dst[] = {1, 2, 0, 2};
    static const double time[] = {1, 2, 3, 4};
    static const float features[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const made_events made = {
        .count = 4, .nodes = 3, .src = src, .dst = dst, .time = time, .edge_features = 2, .features = features};
    return make_events(&made);
}

static scadyg_model *new_model(scadyg_events *events, int64_t epochs, int64_t patience)
{
    scadyg_train_options options = default_train();
    options.head = SCADYG_HEAD_PAPER;
    options.train_pool = 0;
    options.epochs = epochs;
    options.patience = patience;
    options.hidden = 4;
    scadyg_model *model;
    scadyg_error error = {0};
    if (sg_model_new(&options, events, &model, &error) || sg_model_shape(model, 2, 1, &error))
        fail_msg("%s", error.message);
    for (size_t i = 0; i < model->count; i++) model->values[i] = (float)i / 10;
    return model;
}

typedef struct seen {
    int epochs, resumed;
    scadyg_epoch last;
} seen;

static void see(void *context, const scadyg_epoch *epoch, int resumed)
{
    seen *s = context;
    s->epochs++;
    s->resumed += resumed;
    assert_int_equal(epoch->epoch, s->epochs);
    assert_string_equal(epoch->score, "MRR");
    s->last = *epoch;
}

static int run(pupil *p, const char *checkpoint, int resume, seen *s, scadyg_error *error)
{
    const sg_learner learner = {p, "MRR", pupil_learn, pupil_validate, 0};
    const scadyg_watch watch = {.epoch = see, .context = s};
    *s = (seen){0};
    return sg_training_run(p->model, &learner, checkpoint, resume, &watch, NULL, error);
}

static void stops_and_restores(void **state)
{
    (void)state;
    static const double scores[] = {.3, .5, .5, .4, NAN, .45, .9};
    scadyg_events *events = small_log();
    seen s;
    /* Patience 4: epoch 2 stays the best (an equal score and NaN are not better), and epoch 6 is the last. */
    pupil p = {.model = new_model(events, 100, 4), .scores = scores};
    assert_int_equal(run(&p, NULL, 0, &s, NULL), SCADYG_OK);
    assert_int_equal(p.model->epochs, 6);
    assert_int_equal(p.model->best_epoch, 2);
    assert_true(p.model->validation == .5);
    assert_int_equal(s.epochs, 6);
    assert_true(!s.last.best && s.last.validation == .45 && s.last.loss == 1. / 6);
    /* The values are those after two epochs. */
    pupil two = {.model = new_model(events, 2, 4), .scores = scores};
    assert_int_equal(run(&two, NULL, 0, &s, NULL), SCADYG_OK);
    assert_memory_equal(p.model->values, two.model->values, p.model->count * sizeof(float));
    assert_int_equal(two.model->epochs, 2);
    scadyg_model_close(p.model);
    scadyg_model_close(two.model);
    scadyg_events_close(events);
}

static void no_score_at_all(void **state)
{
    (void)state;
    static const double scores[] = {NAN, NAN, NAN, NAN};
    scadyg_events *events = small_log();
    seen s;
    pupil p = {.model = new_model(events, 3, 10), .scores = scores};
    float first[64];
    memcpy(first, p.model->values, p.model->count * sizeof *first);
    assert_int_equal(run(&p, NULL, 0, &s, NULL), SCADYG_OK);
    assert_int_equal(p.model->epochs, 3);
    assert_int_equal(p.model->best_epoch, 0);
    assert_true(isnan(p.model->validation));
    assert_memory_not_equal(p.model->values, first, p.model->count * sizeof *first);
    scadyg_model_close(p.model);
    scadyg_events_close(events);
}

static void loss_must_be_finite(void **state)
{
    (void)state;
    static const double scores[] = {.1, .2, .3};
    scadyg_events *events = small_log();
    seen s;
    scadyg_error error = {0};
    pupil p = {.model = new_model(events, 3, 10), .scores = scores, .explode_in = 2};
    assert_int_equal(run(&p, NULL, 0, &s, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "--normalise"));
    assert_non_null(strstr(error.message, "--lr"));
    assert_int_equal(s.epochs, 1);
    scadyg_model_close(p.model);
    scadyg_events_close(events);
}

/* Stopped in any epoch and continued, once or twice: the same model. */
static void resume(void **state)
{
    (void)state;
    static const double scores[] = {.3, .5, .45, .55, .1, .2, .3, .4};
    scadyg_events *events = small_log();
    seen s;
    char checkpoint[64];
    make_path(checkpoint);
    pupil whole = {.model = new_model(events, 100, 3), .scores = scores};
    assert_int_equal(run(&whole, NULL, 1, &s, NULL), SCADYG_OK);
    assert_int_equal(whole.model->epochs, 7);
    for (int64_t stop = 1; stop <= 7; stop++)
        for (int64_t again = stop; again <= 8; again++) {
            unlink(checkpoint);
            const int64_t stops[] = {stop, again, 0};
            for (int i = 0; i < 3; i++) {
                pupil p = {.model = new_model(events, 100, 3), .scores = scores, .stop_in = stops[i]};
                int status = run(&p, checkpoint, 1, &s, NULL);
                const int finished = stops[i] == 0 || stops[i] > 7;
                assert_int_equal(status, finished ? SCADYG_OK : SCADYG_E_CANCELLED);
                assert_int_equal(s.epochs, finished ? 7 : stops[i] - 1);
                assert_int_equal(s.epochs - s.resumed, p.learned);
                if (finished) assert_same_model(p.model, whole.model);
                scadyg_model_close(p.model);
            }
        }
    /* Without resume it begins anew; a checkpoint of other options is refused. */
    pupil p = {.model = new_model(events, 100, 3), .scores = scores};
    assert_int_equal(run(&p, checkpoint, 0, &s, NULL), SCADYG_OK);
    assert_int_equal(p.learned, 7);
    scadyg_model_close(p.model);
    p = (pupil){.model = new_model(events, 100, 4), .scores = scores};
    assert_int_equal(run(&p, checkpoint, 1, &s, NULL), SCADYG_E_USAGE);
    assert_int_equal(p.learned, 0);
    scadyg_model_close(p.model);
    scadyg_model_close(whole.model);
    unlink(checkpoint);
    scadyg_events_close(events);
}

static int say_stop(void *context, const char *what, uint64_t done, uint64_t total)
{
    (void)what;
    (void)done;
    (void)total;
    return --*(int *)context == 0;
}

static void progress_can_stop(void **state)
{
    (void)state;
    static const double scores[] = {.1, .2, .3, .4};
    scadyg_events *events = small_log();
    pupil p = {.model = new_model(events, 4, 4), .scores = scores};
    const sg_learner learner = {&p, "MRR", pupil_learn, pupil_validate, 0};
    int calls = 3;
    const scadyg_progress progress = {say_stop, &calls};
    assert_int_equal(sg_training_run(p.model, &learner, NULL, 0, NULL, &progress, NULL), SCADYG_E_CANCELLED);
    assert_int_equal(p.learned, 2);
    scadyg_model_close(p.model);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_and_restores),  cmocka_unit_test(no_score_at_all),
        cmocka_unit_test(loss_must_be_finite), cmocka_unit_test(resume),
        cmocka_unit_test(progress_can_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
