/* Training: from an events file and options to a model; once more on all events; on from another model. */
#include "learn/train.h"

#include "base/clock.h"
#include "base/memory.h"
#include "evaluate/negatives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void close_learner(const sg_learning *learning, sg_learner *learner)
{
    if (learner->scorer.close) learner->scorer.close(learner->scorer.context);
    if (learner->label_scorer.close) learner->label_scorer.close(learner->label_scorer.context);
    if (learning->close && learner->state) learning->close(learner->state);
    free(learner->state);
}

static int run_learner(sg_training *training, const char *checkpoint, int resume, scadyg_error *error)
{
    const scadyg_watch *watch = training->watch;
    const sg_learning *learning = training->model->kind->learning;
    const double began = sg_seconds();
    sg_learner learner = {.state = sg_alloc_zero(1, learning->size + 1)};
    int status = learner.state ? learning->open(training, &learner, error) : sg_fail_memory(error, "the training");
    if (!status && watch && watch->prepared)
        watch->prepared(watch->data, sg_seconds() - began, learner.width, learner.bytes, learner.kept);
    if (!status) status = sg_training_run(training, &learner, checkpoint, resume, error);
    close_learner(learning, &learner);
    return status;
}

/* Beside events and options: what a training goes on from and what it repeats; each may be NULL. */
typedef struct beginning {
    const scadyg_model *from, *chosen;
    const char *checkpoint;
    int resume, is_trial;
} beginning;

/* A kind that learns nothing only has to know where the parts end. */
static int train_model(scadyg_context *context, scadyg_model *model, scadyg_events *events, const beginning *begin,
                       const scadyg_watch *watch, scadyg_error *error)
{
    sg_first_contacts contacts = {0};
    sg_training training = {.context = context,
                            .model = model,
                            .watch = watch,
                            .from = begin->from,
                            .chosen = begin->chosen,
                            .is_trial = begin->is_trial,
                            .contacts = &contacts};
    int status = sg_events_report(context, events, "opening", 0, 1, error);
    if (!status) status = sg_training_choose_steps(&training, events, error);
    if (!status) status = sg_view_open(context, model, events, &training.view, error);
    if (!status) status = sg_training_cut(&training, error);
    if (!status && model->kind->learning) status = run_learner(&training, begin->checkpoint, begin->resume, error);
    status = sg_events_finish(status, events, error);
    if (model->kind->task == SG_TASK_AFFINITY) sg_labels_free(&training.labels);
    sg_first_contacts_free(&contacts);
    sg_view_close(&training.view);
    return status;
}

/*
 * Where all events have the same time nothing lies before anything, and there is nothing to learn from. A baseline then
 * says more than a net at its first values.
 */
static int choose_instead(scadyg_events *events, const scadyg_options *options, const scadyg_watch *watch,
                          scadyg_options **instead, scadyg_error *error)
{
    static const char name[] = "pair-then-popularity";
    const scadyg_shape *shape = scadyg_events_shape(events);
    const sg_kind *kind = options ? options->owner : sg_kinds[0];
    if (shape->first_time < shape->last_time || !kind || !kind->learning || kind->task != SG_TASK_LINK ||
        (options && ((const sg_train_options *)options->values)->stepwise))
        return SCADYG_OK;
    if (watch->note)
        watch->note(watch->data,
                    "all events have the same time, so there is nothing to learn from: the model is the "
                    "baseline pair-then-popularity");
    return scadyg_options_open_train(name, "link", instead, error);
}

/* A new model, trained. How far it got is known even if that fails. */
static int make_model(scadyg_context *context, scadyg_events *events, const scadyg_options *options,
                      const beginning *begin, const scadyg_watch *watch, sg_reached *reached, scadyg_model **out,
                      scadyg_error *error)
{
    scadyg_model *model = NULL;
    sg_events_hold(context, events);
    int status = sg_model_new(options, events, &model, error);
    if (!status && begin->from) status = sg_model_keep_data(model, begin->from, error);
    if (!status) model->refit = begin->chosen != NULL;
    if (!status) status = train_model(context, model, events, begin, watch, error);
    if (reached)
        *reached = model && model->epochs ? (sg_reached){model->epochs, model->best_epoch, model->validation}
                                          : (sg_reached){.validation = NAN};
    return sg_model_finish(model, status, out);
}

int sg_train_trial(scadyg_context *context, scadyg_events *events, const scadyg_options *options,
                   double *validation, scadyg_error *error)
{
    const beginning begin = {.is_trial = 1};
    scadyg_model *model = NULL;
    int status = make_model(context, events, options, &begin, NULL, NULL, &model, error);
    if (!status) *validation = model->validation;
    scadyg_model_close(model);
    return status;
}

/* A caller of an older version has fewer of them. */
static scadyg_watch known_watch(const scadyg_watch *watch)
{
    scadyg_watch known = {0};
    if (watch) memcpy(&known, watch, watch->size < sizeof known ? watch->size : sizeof known);
    return known;
}

int sg_train(scadyg_context *context, scadyg_events *events, const scadyg_options *options, const char *checkpoint,
             int resume, const scadyg_watch *watch, sg_reached *reached, scadyg_model **out, scadyg_error *error)
{
    const scadyg_watch known = known_watch(watch);
    const beginning begin = {.checkpoint = checkpoint, .resume = resume};
    scadyg_options *usual = NULL, *instead = NULL, *settled = NULL;
    int status = options ? SCADYG_OK : scadyg_options_open_train(NULL, NULL, &usual, error);
    if (!options) options = usual;
    if (!status) status = choose_instead(events, options, &known, &instead, error);
    if (instead) options = instead;
    if (!status)
        status = sg_trial_settle(context, events, options, resume ? checkpoint : NULL, &known, &settled, error);
    if (!status)
        status = make_model(context, events, settled ? settled : options, &begin, &known, reached, out, error);
    scadyg_options_close(settled);
    scadyg_options_close(instead);
    scadyg_options_close(usual);
    return status;
}

int scadyg_train(scadyg_context *context, scadyg_events *events, const scadyg_options *options,
                 const char *checkpoint, int resume, const scadyg_watch *watch, scadyg_model **out,
                 scadyg_error *error)
{
    return sg_train(context, events, options, checkpoint, resume, watch, NULL, out, error);
}

/* ---- Once more on all events, and on from where another training ended ---- */

/* What the first training said stays said. */
static int keep_first(scadyg_model *model, const scadyg_model *first, scadyg_error *error)
{
    const size_t size = 2 * (size_t)first->epochs * sizeof *first->curve;
    double *curve = first->curve ? sg_alloc(size, 1) : NULL;
    if (first->curve && !curve) return sg_fail_memory(error, "the learning curve");
    if (curve) memcpy(curve, first->curve, size);
    free(model->curve);
    model->curve = curve;
    model->epochs = first->epochs;
    model->best_epoch = first->best_epoch;
    model->validation = first->validation;
    sg_model_settle(model);
    return scadyg_model_set_result(model, first->result, error);
}

static int check_learns(const scadyg_model *model, const char *what, scadyg_error *error)
{
    if (model->kind->learning) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_USAGE, "%s is a rule without training: there is nothing to %s",
                   model->kind->shown.name, what);
}

int scadyg_refit(scadyg_context *context, scadyg_events *events, const scadyg_model *first,
                 const scadyg_model *from, const char *checkpoint, int resume, const scadyg_watch *watch,
                 scadyg_model **out, scadyg_error *error)
{
    const scadyg_watch known = known_watch(watch);
    const beginning begin = {.from = from, .chosen = first, .checkpoint = checkpoint, .resume = resume};
    scadyg_model *model = NULL;
    int status = check_learns(first, "refit", error);
    if (!status && first->checksum != scadyg_events_checksum(events))
        status = sg_fail(error, SCADYG_E_USAGE, "a model is refit on the events that it was trained on (%s)",
                         first->data);
    if (!status && first->from != (from ? scadyg_model_mark(from) : 0))
        status = sg_fail(error, SCADYG_E_USAGE, "the model went on from another one than this");
    if (!status) status = make_model(context, events, first->options, &begin, &known, NULL, &model, error);
    if (!status) status = keep_first(model, first, error);
    if (status) {
        scadyg_model_close(model);
        return status;
    }
    *out = model;
    return SCADYG_OK;
}

/* Options that may differ from those of the model that a training goes on from. */
static int may_differ(const char *name)
{
    static const char *const names[] = {"epochs", "patience", "train-share", "validation-share", "labels"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return 1;
    return 0;
}

static int check_same_options(const scadyg_options *options, const scadyg_model *from, scadyg_error *error)
{
    const sg_option_set *set = from->options->set;
    const sg_kind *kind = options->owner;
    if (kind != from->kind)
        return sg_fail(error, SCADYG_E_USAGE, "the model to go on from is %s for --task %s, not %s for --task %s",
                       from->kind->shown.name, from->kind->shown.task, kind ? kind->shown.name : "?",
                       kind ? kind->shown.task : "?");
    for (size_t i = 0; i < set->count; i++) {
        char ours[128], theirs[128];
        const char *name = set->table[i].shown.name;
        const size_t n = scadyg_options_get(options, name, ours, sizeof ours),
                     m = scadyg_options_get(from->options, name, theirs, sizeof theirs);
        if (may_differ(name) || (n == m && strcmp(ours, theirs) == 0)) continue;
        if (kind->trial && strcmp(name, kind->trial->option) == 0 && strcmp(ours, "auto") == 0) continue;
        return sg_fail(error, SCADYG_E_USAGE,
                       "the model to go on from was trained with --%s '%s', not '%s'; only a training from the "
                       "beginning can have another",
                       name, theirs, ours);
    }
    return SCADYG_OK;
}

int scadyg_train_from(scadyg_context *context, scadyg_events *events, const scadyg_model *from,
                      const scadyg_options *options, const char *checkpoint, int resume, const scadyg_watch *watch,
                      scadyg_model **out, scadyg_error *error)
{
    const scadyg_watch known = known_watch(watch);
    const beginning begin = {.from = from, .checkpoint = checkpoint, .resume = resume};
    scadyg_options *settled = NULL;
    int status = check_learns(from, "go on from", error);
    if (!status && options) status = check_same_options(options, from, error);
    if (!status) status = sg_view_check_roles(from, events, error);
    if (!status && options) status = sg_trial_keep(options, from->options, &settled, error);
    if (!options) options = from->options;
    if (!status)
        status = make_model(context, events, settled ? settled : options, &begin, &known, NULL, out, error);
    scadyg_options_close(settled);
    return status;
}
