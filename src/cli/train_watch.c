/* Training as it goes: a line per epoch. */
#include "train.h"

#include <math.h>
#include <stdio.h>

#include "shape.h"

/* A rate as the time it takes to forget, in the words of the data's times. */
static void memory_text(double rate, int time_kind, char *text, size_t size)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{365.25 * 86400, "years"}, {86400, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "seconds"}};
    const double span = 1 / rate;
    if (time_kind == SCADYG_TIME_NUMBER) {
        snprintf(text, size, "%.3g", span);
        return;
    }
    size_t i = 0;
    while (i < 4 && span < units[i].seconds) i++;
    snprintf(text, size, "%.3g %s", span / units[i].seconds, units[i].name);
}

static void planned(void *context, const scadyg_plan *plan)
{
    train_watch *watch = context;
    char memory[CLI_TEXT], nodes[CLI_TEXT], pairs[CLI_TEXT], events[CLI_TEXT], count[CLI_TEXT];
    char fast[CLI_TEXT], slow[CLI_TEXT];
    watch->plan = *plan;
    if (watch->common->quiet) return;
    cli_progress_erase();
    memory_text(plan->fastest, watch->time_kind, fast, sizeof fast);
    memory_text(plan->slowest, watch->time_kind, slow, sizeof slow);
    printf("plan        %s for nodes, walk sketches of %zu numbers; at most %s for pairs (%s of them), of %s\n",
           cli_bytes(plan->node_bytes, nodes), plan->walk_width, cli_bytes(plan->pair_bytes, pairs),
           cli_count(plan->pairs, count), cli_bytes(plan->memory, memory));
    printf("            %zu numbers per pair, memories from %s to %s\n", plan->inputs, fast, slow);
    printf("            %s events with %lld negatives each in about %.2g s, at most %lld times\n",
           cli_count(plan->events, events), (long long)plan->negatives,
           (double)plan->events / plan->events_per_second, (long long)plan->epochs);
    fflush(stdout);
}

static void prepared(void *context, double seconds, size_t width, uint64_t bytes, int kept)
{
    train_watch *watch = context;
    char size[CLI_TEXT];
    watch->prepare = seconds;
    if (watch->common->quiet) return;
    cli_progress_erase();
    if (watch->plan.epochs)
        printf("prepared    in %.2f s, %s so far\n", seconds, cli_bytes(bytes, size));
    else
        printf("messages    of %zu numbers, prepared in %.2f s, %s%s\n", width, seconds, cli_bytes(bytes, size),
               kept ? "" : "; too many to keep in --memory, made again in every epoch");
    fflush(stdout);
}

static json_t *epoch_json(const scadyg_epoch *epoch, int resumed)
{
    json_t *object = json_object();
    json_object_set_new(object, "epoch", json_integer(epoch->epoch));
    json_object_set_new(object, "loss", cli_json_number(epoch->loss));
    json_object_set_new(object, "validation", cli_json_number(epoch->validation));
    json_object_set_new(object, "score", json_string(epoch->score ? epoch->score : ""));
    json_object_set_new(object, "best", json_boolean(epoch->best));
    json_object_set_new(object, "events_per_second", cli_json_number(epoch->events_per_second));
    json_object_set_new(object, "seconds", cli_json_number(epoch->seconds));
    json_object_set_new(object, "evaluation_seconds", cli_json_number(epoch->evaluation_seconds));
    json_object_set_new(object, "resumed", json_boolean(resumed));
    return object;
}

static void tell_resumed(train_watch *watch)
{
    if (!watch->resumed || watch->told_resumed || watch->common->quiet) return;
    watch->told_resumed = 1;
    printf("resumed     after epoch %lld; so far the best is number %lld with %s %.4f\n", (long long)watch->resumed,
           (long long)watch->best_epoch, watch->score, watch->best);
}

static void tell_epoch(train_watch *watch, const scadyg_epoch *epoch)
{
    char rate[CLI_TEXT];
    if (!watch->told_heading) printf("\nepoch      loss  %8s  events/s  seconds  judging\n", watch->score);
    watch->told_heading = 1;
    printf("%5lld  %8.5f  %8.5f  %8s  %7.2f  %7.2f%s\n", (long long)epoch->epoch, epoch->loss, epoch->validation,
           cli_rate(epoch->events_per_second, rate), epoch->seconds, epoch->evaluation_seconds,
           epoch->best ? "  *" : "");
}

static void epoch_done(void *context, const scadyg_epoch *epoch, int resumed)
{
    train_watch *watch = context;
    if (!resumed) {
        cli_progress_erase();
        tell_resumed(watch); /* before this epoch counts among those that were there already */
    }
    watch->last = epoch->epoch;
    watch->score = epoch->score ? epoch->score : "score";
    if (epoch->best) {
        watch->best = epoch->validation;
        watch->best_epoch = epoch->epoch;
    }
    json_array_append_new(watch->epochs, epoch_json(epoch, resumed));
    if (resumed) watch->resumed = epoch->epoch;
    if (resumed || watch->common->quiet) return;
    tell_epoch(watch, epoch);
    fflush(stdout);
}

scadyg_watch train_watch_begin(train_watch *watch, const cli_common *common, const scadyg_events *events)
{
    *watch = (train_watch){.common = common,
                           .time_kind = scadyg_events_shape(events)->time_kind,
                           .epochs = json_array(),
                           .prepare = NAN,
                           .score = "score",
                           .best = NAN};
    return (scadyg_watch){planned, prepared, epoch_done, watch};
}

void train_watch_end(train_watch *watch)
{
    tell_resumed(watch); /* if the checkpoint was of the last epoch */
}
