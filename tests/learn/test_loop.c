/* The loop of epochs by itself, with a learner whose scores are written down. */
#include "learn/sample.h"

#include "learn/train.h"
#include "models/scadyg_paper/paper.h"

/* ---- A pupil: a learner with a scorer that gives the truth the rank it is told ---- */

/* Everybody always meets the next one, so that the scorer knows the truth. */
enum { NODES = 12, EVENTS = 120, NO_SCORE = 0 };

static scadyg_events *round_dance(void)
{
    static uint32_t src[EVENTS], dst[EVENTS];
    static double time[EVENTS];
    static float features[EVENTS];
    for (uint32_t i = 0; i < EVENTS; i++) {
        src[i] = i % NODES;
        dst[i] = (i + 1) % NODES;
        time[i] = i;
        features[i] = (float)(i % 7);
    }
    const made_events made = {.count = EVENTS,
                              .nodes = NODES,
                              .src = src,
                              .dst = dst,
                              .time = time,
                              .edge_features = 1,
                              .features = features};
    return make_events(&made);
}

typedef struct pupil {
    sg_training training;
    sg_kind kind;     /* the paper's, with a validation of the pupil's */
    const int *ranks; /* by epoch, from 0: the validation score is 1 / rank; NO_SCORE: there is none */
    int64_t now;      /* the epoch learned last */
    int64_t stop_in;  /* cancels within this epoch; 0: never */
    int64_t explode_in;
    int learned; /* epochs in this run */
} pupil;

/* A gradient that depends on the epoch and on the values, so that every step of the way matters. */
static int pupil_learn(sg_training *training, void *state, int64_t epoch, sg_optimiser *optimiser, double *loss,
                       uint64_t *cases, scadyg_error *error)
{
    pupil *p = state;
    scadyg_model *model = training->model;
    float *gradient = malloc(model->count * sizeof *gradient);
    assert_non_null(gradient);
    for (int batch = 0; batch < 3; batch++) {
        if (epoch == p->stop_in && batch == 1) {
            free(gradient);
            return sg_fail(error, SCADYG_E_CANCELLED, "stopped");
        }
        for (size_t i = 0; i < model->count; i++)
            gradient[i] = model->values[i] - (float)(epoch * (int64_t)(i % 5)) / 7;
        sg_optimiser_step(optimiser, model->count, model->values, gradient);
    }
    free(gradient);
    p->now = epoch;
    p->learned++;
    *loss = epoch == p->explode_in ? INFINITY : 1 / (double)epoch;
    *cases = 1000;
    return SCADYG_OK;
}

static const sg_learning pupil_learning = {.learn = pupil_learn};

/* The validation asks for what the protocol does not measure when there is to be no score. */
static const pupil *asked;

static size_t pupil_validation(const scadyg_model *model, size_t i, sg_eval_options *options, int *score)
{
    (void)model, (void)i;
    options->protocol = SG_PROTOCOL_PAPER;
    *score = asked && asked->now && asked->ranks[asked->now - 1] == NO_SCORE ? SCADYG_NDCG10 : SCADYG_MRR;
    return 1;
}

/* Of the others of a source, rank - 1 are better than the truth. */
static int pupil_score(void *state, const sg_question *question, scadyg_error *error)
{
    const pupil *p = state;
    int better[NODES] = {0};
    (void)error;
    for (size_t i = 0; i < question->count; i++) {
        const uint32_t u = question->src[i];
        const int truth = question->dst[i] == (u + 1) % NODES;
        question->score[i] = truth ? 1 : better[u]++ < p->ranks[p->now - 1] - 1 ? 2 : 0;
    }
    return SCADYG_OK;
}

static int pupil_rewind(void *state, scadyg_error *error)
{
    (void)state, (void)error;
    return SCADYG_OK;
}

/* ---- One run ---- */

static void pupil_open(pupil *p, scadyg_events *events, int64_t epochs, int64_t patience, const int *ranks)
{
    char settings[128];
    scadyg_error error = {0};
    snprintf(settings, sizeof settings, "steps=10 hidden=4 epochs=%d patience=%d", (int)epochs, (int)patience);
    scadyg_options *options = train_options("scadyg-paper", "link", settings);
    *p = (pupil){.ranks = ranks, .kind = *sg_kind_find("scadyg-paper", SG_TASK_LINK)};
    p->kind.validation = pupil_validation;
    p->kind.learning = &pupil_learning;
    scadyg_model *model = NULL;
    if (sg_model_new(options, events, &model, &error)) fail_msg("%s", error.message);
    scadyg_options_close(options);
    p->training.model = model;
    p->training.validates = 1;
    if (sg_view_open(NULL, model, events, &p->training.view, &error) ||
        sg_view_split(&p->training.view, &p->training.split, &error) ||
        sg_paper_shape(model, p->training.view.width, 1, &error))
        fail_msg("%s", error.message);
    model->kind = &p->kind;
    for (size_t i = 0; i < model->count; i++) model->values[i] = (float)(i % 32) / 10;
}

static void pupil_close(pupil *p)
{
    p->training.model->kind = sg_kind_find("scadyg-paper", SG_TASK_LINK);
    sg_view_close(&p->training.view);
    scadyg_model_close(p->training.model);
}

typedef struct seen {
    int epochs, resumed, notes;
    scadyg_epoch last;
    const char *expected; /* note */
    char ended[256];
} seen;

static void see(void *data, const scadyg_epoch *epoch, int resumed)
{
    seen *s = data;
    s->epochs++;
    s->resumed += resumed;
    assert_int_equal(epoch->epoch, s->epochs);
    assert_string_equal(epoch->score, "MRR");
    assert_string_equal(epoch->chosen_by, "MRR"); /* of the protocol paper it is the score itself */
    assert_true(epoch->choice == epoch->validation || (isnan(epoch->choice) && isnan(epoch->validation)));
    s->last = *epoch;
}

static void see_end(void *data, const char *sentence)
{
    seen *s = data;
    assert_string_equal(s->ended, ""); /* told once */
    snprintf(s->ended, sizeof s->ended, "%s", sentence);
}

static void see_note(void *data, const char *sentence)
{
    seen *s = data;
    s->notes++;
    assert_non_null(
        strstr(sentence, s->expected ? s->expected
                                     : "it trains for 5 epochs (--epochs says another number) and keeps the last"));
}

static int run(pupil *p, const char *checkpoint, int resume, seen *s, scadyg_error *error)
{
    const sg_learner learner = {.state = p, .scorer = {"pupil", p, pupil_rewind, pupil_score, NULL, NULL}};
    const scadyg_watch watch = {.size = sizeof watch, .epoch = see, .note = see_note, .ended = see_end, .data = s};
    *s = (seen){.expected = s->expected};
    asked = NULL; /* what the score is called does not depend on the epoch */
    p->training.watch = &watch;
    assert_string_equal(sg_validation_score(p->training.model), "MRR");
    asked = p;
    int status = sg_training_run(&p->training, &learner, checkpoint, resume, error);
    asked = NULL;
    p->training.watch = NULL;
    return status;
}

static void stops_and_restores(void **state)
{
    (void)state;
    static const int ranks[] = {4, 2, 2, 3, NO_SCORE, 3, 1};
    scadyg_events *events = round_dance();
    seen s = {0};
    /* Patience 4: epoch 2 stays the best (an equal score and none are not better), and epoch 6 is the last. */
    pupil p, two;
    pupil_open(&p, events, 100, 4, ranks);
    assert_int_equal(run(&p, NULL, 0, &s, NULL), SCADYG_OK);
    const scadyg_model *model = p.training.model;
    assert_int_equal(model->epochs, 6);
    assert_int_equal(model->best_epoch, 2);
    assert_true(model->validation == .5);
    assert_int_equal(s.epochs, 6);
    assert_string_equal(s.ended, "stopped after epoch 6: no gain in 4 epochs; epoch 2 is kept, with the best MRR");
    assert_true(!s.last.best && s.last.validation == 1. / 3 && s.last.loss == 1. / 6);
    /* The learning curve has all of them. */
    for (int i = 0; i < 6; i++) assert_true(model->curve[i] == 1. / (i + 1));
    assert_true(model->curve[6] == 1. / 4 && isnan(model->curve[10]));
    /* The values are those after two epochs. */
    pupil_open(&two, events, 2, 4, ranks);
    assert_int_equal(run(&two, NULL, 0, &s, NULL), SCADYG_OK);
    assert_memory_equal(model->values, two.training.model->values, model->count * sizeof(float));
    assert_int_equal(two.training.model->epochs, 2);
    assert_string_equal(s.ended, "all 2 epochs; epoch 2 is kept, with the best MRR");
    pupil_close(&p);
    pupil_close(&two);
    scadyg_events_close(events);
}

static void no_score_at_all(void **state)
{
    (void)state;
    static const int ranks[] = {NO_SCORE, NO_SCORE, NO_SCORE, NO_SCORE};
    scadyg_events *events = round_dance();
    seen s = {0};
    pupil p;
    s.expected = "it trains for 3 epochs and keeps the last"; /* a number that somebody chose */
    pupil_open(&p, events, 3, 10, ranks);
    scadyg_model *model = p.training.model;
    float *first = malloc(model->count * sizeof *first);
    assert_non_null(first);
    memcpy(first, model->values, model->count * sizeof *first);
    assert_int_equal(run(&p, NULL, 0, &s, NULL), SCADYG_OK);
    assert_int_equal(model->epochs, 3);
    assert_int_equal(model->best_epoch, 0);
    assert_true(isnan(model->validation));
    assert_memory_not_equal(model->values, first, model->count * sizeof *first);
    assert_int_equal(s.notes, 1);
    assert_string_equal(s.ended, "all 3 epochs; the last is kept");
    free(first);
    pupil_close(&p);
    scadyg_events_close(events);
}

/* Without a validation part, or with one that gives no score, five epochs are learned and the last is kept. */
static void without_validation(void **state)
{
    (void)state;
    static const int rising[] = {7, 6, 5, 4, 3, 2}, none[] = {NO_SCORE, 1, 1, 1, 1, 1};
    scadyg_events *events = round_dance();
    seen s = {0};
    char checkpoint[64];
    make_path(checkpoint);
    pupil last, p;
    pupil_open(&last, events, 5, 10, rising);
    assert_int_equal(run(&last, NULL, 0, &s, NULL), SCADYG_OK);
    for (int validates = 0; validates < 2; validates++)
        for (int64_t stop = 0; stop <= 5; stop++) {
            unlink(checkpoint);
            for (int again = 0; again < (stop ? 2 : 1); again++) { /* stopped in an epoch, and gone on with */
                pupil_open(&p, events, 100, 2, validates ? none : rising);
                p.training.validates = validates;
                p.stop_in = again ? 0 : stop;
                assert_int_equal(run(&p, checkpoint, 1, &s, NULL), p.stop_in ? SCADYG_E_CANCELLED : SCADYG_OK);
                assert_string_equal(s.ended, p.stop_in ? "" : "all 5 epochs; the last is kept");
                if (!p.stop_in) {
                    assert_int_equal(p.training.model->epochs, 5);
                    assert_memory_equal(p.training.model->values, last.training.model->values,
                                        last.training.model->count * sizeof(float));
                }
                pupil_close(&p);
            }
        }
    unlink(checkpoint);
    pupil_close(&last);
    scadyg_events_close(events);
}

static void loss_must_be_finite(void **state)
{
    (void)state;
    static const int ranks[] = {3, 2, 1};
    scadyg_events *events = round_dance();
    seen s = {0};
    scadyg_error error = {0};
    pupil p;
    pupil_open(&p, events, 3, 10, ranks);
    p.explode_in = 2;
    assert_int_equal(run(&p, NULL, 0, &s, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "--normalise"));
    assert_non_null(strstr(error.message, "--lr"));
    assert_int_equal(s.epochs, 1);
    pupil_close(&p);
    scadyg_events_close(events);
}

/* Stopped in any epoch and continued, once or twice: the same model. */
static void resume(void **state)
{
    (void)state;
    static const int ranks[] = {5, 3, 4, 2, 9, 8, 7, 6};
    scadyg_events *events = round_dance();
    seen s = {0};
    char checkpoint[64];
    make_path(checkpoint);
    pupil whole, p;
    pupil_open(&whole, events, 100, 3, ranks);
    assert_int_equal(run(&whole, NULL, 1, &s, NULL), SCADYG_OK);
    assert_int_equal(whole.training.model->epochs, 7);
    assert_int_equal(whole.training.model->best_epoch, 4);
    for (int64_t stop = 1; stop <= 7; stop++)
        for (int64_t again = stop; again <= 8; again++) {
            unlink(checkpoint);
            const int64_t stops[] = {stop, again, 0};
            for (int i = 0; i < 3; i++) {
                pupil_open(&p, events, 100, 3, ranks);
                p.stop_in = stops[i];
                int status = run(&p, checkpoint, 1, &s, NULL);
                const int finished = stops[i] == 0 || stops[i] > 7;
                assert_int_equal(status, finished ? SCADYG_OK : SCADYG_E_CANCELLED);
                assert_int_equal(s.epochs, finished ? 7 : stops[i] - 1);
                assert_int_equal(s.epochs - s.resumed, p.learned);
                if (finished) assert_same_model(p.training.model, whole.training.model);
                pupil_close(&p);
            }
        }
    /* Without resume it begins anew; a checkpoint of other options is refused. */
    pupil_open(&p, events, 100, 3, ranks);
    assert_int_equal(run(&p, checkpoint, 0, &s, NULL), SCADYG_OK);
    assert_int_equal(p.learned, 7);
    pupil_close(&p);
    scadyg_error error = {0};
    pupil_open(&p, events, 100, 2, ranks);
    assert_int_equal(run(&p, checkpoint, 1, &s, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "--patience 3; when it goes on it may be more, not 2"));
    assert_int_equal(p.learned, 0);
    pupil_close(&p);
    pupil_open(&p, events, 6, 3, ranks);
    assert_int_equal(run(&p, checkpoint, 1, &s, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "has 7 epochs already, more than --epochs 6"));
    pupil_close(&p);
    pupil_close(&whole);
    unlink(checkpoint);
    scadyg_events_close(events);
}

/* Gone on with for longer than was meant it is what the longer training would have been. */
static void resume_for_longer(void **state)
{
    (void)state;
    static const int ranks[] = {5, 3, 4, 2, 9, 8, 7, 6, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    static const int64_t shorter[][2] = {{2, 3}, {4, 3}, {100, 1}, {100, 2}, {9, 4}};
    scadyg_events *events = round_dance();
    seen s = {0};
    char checkpoint[64];
    make_path(checkpoint);
    pupil whole, p;
    pupil_open(&whole, events, 100, 5, ranks);
    assert_int_equal(run(&whole, NULL, 0, &s, NULL), SCADYG_OK);
    for (size_t i = 0; i < sizeof shorter / sizeof *shorter; i++) {
        unlink(checkpoint);
        pupil_open(&p, events, shorter[i][0], shorter[i][1], ranks);
        assert_int_equal(run(&p, checkpoint, 0, &s, NULL), SCADYG_OK);
        const int64_t done = p.training.model->epochs;
        pupil_close(&p);
        pupil_open(&p, events, 100, 5, ranks);
        assert_int_equal(run(&p, checkpoint, 1, &s, NULL), SCADYG_OK);
        assert_int_equal(s.resumed, done);
        assert_same_model(p.training.model, whole.training.model);
        pupil_close(&p);
    }
    pupil_close(&whole);
    unlink(checkpoint);
    scadyg_events_close(events);
}

/* The loop asks before every epoch whether to go on. */
static int stop_third_epoch(void *data, const char *what, uint64_t done, uint64_t total)
{
    (void)done, (void)total;
    return strcmp(what, "training") == 0 && --*(int *)data == 0;
}

static void progress_can_stop(void **state)
{
    (void)state;
    static const int ranks[] = {4, 3, 2, 1};
    scadyg_events *events = round_dance();
    pupil p;
    seen s = {0};
    int left = 3;
    pupil_open(&p, events, 4, 4, ranks);
    p.training.context = context_with(1, 0, stop_third_epoch, &left);
    assert_int_equal(run(&p, NULL, 0, &s, NULL), SCADYG_E_CANCELLED);
    assert_int_equal(p.learned, 2);
    pupil_close(&p);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_and_restores),
        cmocka_unit_test(no_score_at_all),
        cmocka_unit_test(without_validation),
        cmocka_unit_test(loss_must_be_finite),
        cmocka_unit_test(resume),
        cmocka_unit_test(resume_for_longer),
        cmocka_unit_test(progress_can_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
