/* The parts of a training: steps that fit the events, and which events or labels are for what. */
#include "learn/train.h"

#include "base/search.h"
#include "models/label_rows.h"

#include <math.h>

/* What the model goes by must leave each part something; a label file has times of its own, and a model that goes on
 * keeps the steps that it has. */
int sg_training_choose_steps(sg_training *training, scadyg_events *events, scadyg_error *error)
{
    scadyg_model *model = training->model;
    const sg_train_options *options = sg_train_of(model);
    const int affinity = model->kind->task == SG_TASK_AFFINITY;
    const sg_step_needs needs =
        affinity ? (sg_step_needs){SG_NEEDS_LABELS, 0.70, 0.15}
                 : (sg_step_needs){SG_NEEDS_STEP_PARTS, options->train_share, sg_validation_share(options)};
    sg_trained_on *trained_on = &model->trained_on;
    const int64_t asked = trained_on->steps;
    const int rule = trained_on->step_rule;
    sg_columns columns;
    if (training->from || (affinity ? sg_given(options->labels) : !sg_model_reads_steps(model))) return SCADYG_OK;
    int status = sg_events_columns(training->context, events, 0, 0, &columns, error);
    if (!status)
        status =
            sg_steps_choose(columns.time, columns.count, &needs, &trained_on->steps, &trained_on->step_rule, error);
    if (!status && (trained_on->steps != asked || trained_on->step_rule != rule))
        sg_training_say(training,
                        "%lld step%s of equal %s leave%s a part with no or hardly any events: %lld steps of equal "
                        "counts are used",
                        (long long)asked, sg_plural(asked), rule == SG_STEPS_EQUAL_TIME ? "length" : "counts",
                        asked == 1 ? "s" : "", (long long)trained_on->steps);
    return status;
}

#define LEAST 10 /* events of a part */

/* What a few events say is chance: a test part of them is for validation, and a validation part for training. */
static void join_small_parts(sg_training *training)
{
    sg_split *split = &training->split;
    const uint64_t count = training->view.columns->count, test = count - split->validation_end,
                   validation = split->validation_end - split->train_end;
    if (test && test < LEAST) {
        sg_training_say(training,
                        "a test part would have %llu event%s, which is too few to evaluate by: there is none",
                        (unsigned long long)test, sg_plural(test));
        split->validation_end = count;
    }
    if (split->validation_end > split->train_end && split->validation_end - split->train_end < LEAST) {
        if (validation)
            sg_training_say(training,
                            "a validation part would have %llu event%s, too few to choose by: there is none",
                            (unsigned long long)validation, sg_plural(validation));
        split->train_end = split->validation_end;
    }
}

/* Says what the parts are, and where they are not quite where they were asked for, or missing, which is no reason to stop. */
static void tell_parts(const sg_training *training)
{
    const sg_train_options *options = sg_train_of(training->model);
    const sg_steps *steps = &training->view.messages->steps;
    sg_split split;
    const scadyg_watch *watch = training->watch;
    const uint64_t train = training->split.train_end, validation = training->split.validation_end;
    if (watch && watch->parts)
        watch->parts(watch->data, train, validation - train, training->view.columns->count - validation);
    if (options->stepwise && sg_split_serving(steps, options->train_share, sg_validation_share(options), &split) ==
                                 SG_SPLIT_STEPS_WITH_EVENTS)
        sg_training_say(
            training,
            "the shares of all %lld steps leave a part with no or hardly any events: they are of those steps that "
            "have events",
            (long long)steps->count);
    if (sg_validation_share(options) < options->validation_share && options->train_share < 1)
        sg_training_say(training, "--train-share %.6g leaves %.6g: half of it is for validation, half for the test",
                        options->train_share, 1 - options->train_share);
    if (!training->validates && training->model->kind->learning)
        sg_training_say_blind(training, "there is no validation part");
    if (training->split.validation_end >= training->view.columns->count)
        sg_training_say(training, "there is no test part: the model is not evaluated");
}

static int fail_nothing_new(const sg_training *training, const char *what, scadyg_error *error)
{
    char until[64];
    scadyg_time_human(training->model->shape.time_kind, training->from->train_end, until);
    return sg_fail(error, SCADYG_E_USAGE,
                   "there is too little to go on with: after %s, up to which the model was trained, the log has %s",
                   until, what);
}

/* Where the usual training part ends before what the model knows already, the rest of the log is cut by the same shares. */
static int cut_new_events(sg_training *training, scadyg_error *error)
{
    const sg_train_options *options = sg_train_of(training->model);
    const sg_columns *columns = training->view.columns;
    const uint64_t known = sg_after_double(columns->time, (size_t)columns->count, training->from->train_end);
    sg_split *split = &training->split;
    training->new_from = known;
    if (known >= columns->count) return fail_nothing_new(training, "no events", error);
    if (split->train_end > known) return SCADYG_OK;
    if (!options->stepwise) {
        const sg_split part = sg_split_events(columns->time + known, columns->count - known, options->train_share,
                                              sg_validation_share(options));
        *split = (sg_split){known + part.train_end, known + part.validation_end};
        return SCADYG_OK;
    }
    const sg_steps *steps = &training->view.messages->steps;
    int64_t first = 0;
    while (first < steps->count && steps->first[first] < known) first++;
    const double left = (double)(steps->count - first);
    const int64_t train = first + (int64_t)ceil(options->train_share * left),
                  validation = train + (int64_t)ceil(sg_validation_share(options) * left);
    if (validation >= steps->count) return fail_nothing_new(training, "too few whole steps", error);
    *split = (sg_split){steps->first[train], steps->first[validation]};
    return SCADYG_OK;
}

/* Refit: all events, and nothing to compare epochs on. */
static int cut_events(sg_training *training, scadyg_error *error)
{
    scadyg_model *model = training->model;
    const uint64_t count = training->view.columns->count;
    const double *time = training->view.columns->time;
    int status = training->chosen ? SCADYG_OK : sg_view_split(&training->view, &training->split, error);
    if (!status && training->from) status = cut_new_events(training, error);
    if (status) return status;
    if (training->chosen)
        training->split = (sg_split){count, count};
    else if (!sg_train_of(model)->stepwise)
        join_small_parts(training);
    model->train_end = time[training->split.train_end - 1];
    model->validation_end = time[training->split.validation_end - 1];
    training->validates = training->split.validation_end > training->split.train_end;
    if (!training->chosen) tell_parts(training);
    return SCADYG_OK;
}

/* The same for label times. */
static int cut_new_labels(sg_training *training, scadyg_error *error)
{
    const sg_labels *labels = &training->labels;
    sg_label_split *split = &training->label_split;
    const size_t known = sg_after_double(labels->time, labels->groups, training->from->train_end);
    training->new_from = labels->first_row[known];
    if (split->train > known || training->chosen) return SCADYG_OK;
    const double left = (double)(labels->groups - known);
    split->train = known + (size_t)ceil(0.7 * left);
    split->validation = split->train + (size_t)ceil(0.15 * left);
    if (split->validation >= labels->groups) return fail_nothing_new(training, "too few times of labels", error);
    return SCADYG_OK;
}

static int cut_labels(sg_training *training, scadyg_error *error)
{
    scadyg_model *model = training->model;
    const sg_labels *labels = &training->labels;
    int by_groups = 0, status = sg_view_labels(&training->view, &training->labels, error);
    if (!status) model->label_file = labels->file;
    if (!status)
        status = sg_label_split_make(labels, training->view.columns, &training->label_split, &by_groups, error);
    if (!status && by_groups && !training->chosen)
        sg_training_say(training,
                        "by the times of the events a part would have no labels: 70 %% of the times that have "
                        "labels are for training, 15 %% for validation");
    if (!status && training->from) status = cut_new_labels(training, error);
    if (status) return status;
    if (training->chosen) training->label_split = (sg_label_split){labels->groups, labels->groups};
    model->train_end = labels->time[training->label_split.train - 1];
    model->validation_end = labels->time[training->label_split.validation - 1];
    if (training->chosen) model->train_end = model->validation_end = fmax(model->train_end, model->shape.last_time);
    training->validates = !training->chosen;
    return sg_model_set_classes(model, labels->names, labels->classes, error);
}

int sg_training_cut(sg_training *training, scadyg_error *error)
{
    return training->model->kind->task == SG_TASK_LINK ? cut_events(training, error) : cut_labels(training, error);
}
