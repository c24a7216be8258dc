/* What tune says: the search before it begins, a line per trial, the best of them, the command that repeats it; as JSON. */
#include "cli/tune.h"

#include <stdlib.h>
#include <string.h>

#include "cli/config.h"

enum { SHOWN = 10 }; /* trials in the table at the end */

/* ---- Before ---- */

void tune_tell_plan(const cli_call *call, const scadyg_tuning_info *info)
{
    const scadyg_options *tune = call->tables.set;
    char method[CLI_TEXT];
    if (train_is_silent(call->arguments)) return;
    scadyg_options_get(tune, "method", method, sizeof method);
    size_t width = 0;
    for (size_t i = 0; i < info->varied; i++)
        if (strlen(info->names[i]) > width) width = strlen(info->names[i]);
    for (size_t i = 0; i < info->varied; i++)
        printf("%-11s %-*s  %s\n", i ? "" : "vary", (int)width, info->names[i], info->specs[i]);
    printf("%-11s %s, ", "search", method);
    for (size_t i = 0; i < info->round_count; i++)
        printf("%s%lld trial%s of up to %lld epoch%s", i ? ", then " : "", (long long)info->rounds[i].trials,
               sg_plural(info->rounds[i].trials), (long long)info->rounds[i].epochs,
               sg_plural(info->rounds[i].epochs));
    printf("%s\n", (double)info->trial_count < cli_option_number(tune, "trials")
                       ? "; there are no more different settings"
                       : "");
}

/* ---- A line per trial ---- */

static void tell_resumed(tune_watch *watch)
{
    const scadyg_trial *best = watch->info->best;
    if (!watch->resumed || watch->told_resumed || train_is_silent(watch->arguments)) return;
    watch->told_resumed = 1;
    printf("resumed     after %lld trial%s", (long long)watch->resumed, sg_plural(watch->resumed));
    if (best)
        printf("; so far the best is number %lld with %s %.4f", (long long)best->number, watch->info->score,
               best->validation);
    putchar('\n');
}

static void begin_trial(void *data, const scadyg_trial *trial, int64_t round, int64_t until)
{
    tune_watch *watch = data;
    (void)trial;
    (void)round;
    (void)until;
    tell_resumed(watch);
    watch->began = sg_seconds();
}

static void tell_trial(tune_watch *watch, const scadyg_trial *trial)
{
    const scadyg_tuning_info *info = watch->info;
    if (!watch->told_heading) printf("\ntrial  round  epochs  %8s    seconds  settings\n", info->score);
    watch->told_heading = 1;
    printf("%5lld  %5lld  %6lld  ", (long long)trial->number, (long long)trial->round, (long long)trial->epochs);
    if (trial->failure)
        printf("%8s   ", "failed");
    else
        printf("%8.5f %c ", trial->validation, trial == info->best ? '*' : ' ');
    printf("%8.2f  ", sg_seconds() - watch->began);
    for (size_t i = 0; i < info->varied; i++)
        printf("%s%s=%s", i ? " " : "", info->names[i], cli_safe(trial->values[i]));
    if (trial->failure) printf(": %s", cli_safe(trial->failure));
    putchar('\n');
    fflush(stdout);
}

static void end_trial(void *data, const scadyg_trial *trial, int resumed)
{
    tune_watch *watch = data;
    watch->resumed += resumed;
    if (resumed || train_is_silent(watch->arguments)) return;
    cli_progress_erase();
    tell_trial(watch, trial);
}

scadyg_tune_watch tune_watch_begin(tune_watch *watch, const train_arguments *arguments,
                                   const scadyg_tuning_info *info)
{
    *watch = (tune_watch){.arguments = arguments, .info = info};
    return (scadyg_tune_watch){
        .size = sizeof(scadyg_tune_watch), .data = watch, .begin = begin_trial, .end = end_trial};
}

void tune_watch_end(tune_watch *watch)
{
    tell_resumed(watch); /* if all trials were in the journal */
}

/* ---- The best of them ---- */

static int better_first(const void *a, const void *b)
{
    const scadyg_trial *one = *(const scadyg_trial *const *)a, *other = *(const scadyg_trial *const *)b;
    if (!one->failure != !other->failure) return one->failure ? 1 : -1;
    if (!one->failure && one->validation != other->validation) return one->validation > other->validation ? -1 : 1;
    return one->number < other->number ? -1 : 1;
}

/* Trials, best first; those that failed are left out. *count is how many there are. */
static const scadyg_trial **rank_trials(const scadyg_tuning_info *info, size_t *count)
{
    const scadyg_trial **order = malloc((info->trial_count + 1) * sizeof *order);
    *count = 0;
    for (size_t i = 0; order && i < info->trial_count; i++)
        if (!info->trials[i].failure) order[(*count)++] = &info->trials[i];
    if (order) qsort(order, *count, sizeof *order, better_first);
    return order;
}

static size_t column_width(const scadyg_tuning_info *info, const scadyg_trial **order, size_t count, size_t column)
{
    size_t width = strlen(info->names[column]);
    for (size_t i = 0; i < count; i++) {
        const size_t used = cli_display_width(order[i]->values[column]);
        if (used > width) width = used;
    }
    return width;
}

static void print_table(const scadyg_tuning_info *info, const scadyg_trial **order, size_t count)
{
    printf("\nbest trials by %s on the validation part\ntrial  round  epochs  %8s", info->score, info->score);
    for (size_t c = 0; c < info->varied; c++) {
        printf("  ");
        cli_print_padded(info->names[c], c + 1 < info->varied ? column_width(info, order, count, c) : 0, 0);
    }
    putchar('\n');
    for (size_t i = 0; i < count; i++) {
        const scadyg_trial *trial = order[i];
        printf("%5lld  %5lld  %6lld  %8.5f", (long long)trial->number, (long long)trial->round,
               (long long)trial->epochs, trial->validation);
        for (size_t c = 0; c < info->varied; c++) {
            printf("  ");
            cli_print_padded(trial->values[c], c + 1 < info->varied ? column_width(info, order, count, c) : 0, 0);
        }
        putchar('\n');
    }
}

void tune_tell_best(const train_arguments *arguments, const scadyg_tuning_info *info, const char *command)
{
    if (train_is_silent(arguments)) return;
    size_t count, failed = 0;
    const scadyg_trial **order = rank_trials(info, &count);
    if (order) print_table(info, order, count < SHOWN ? count : SHOWN);
    free(order);
    for (size_t i = 0; i < info->trial_count; i++) failed += info->trials[i].failure != NULL;
    printf("\n%-11s trial %lld of %zu", "best", (long long)info->best->number, info->trial_count);
    if (info->best->best_epoch) printf(", its epoch %lld", (long long)info->best->best_epoch);
    if (failed) printf("; %zu failed", failed);
    printf("\n%-11s %s\n", "again", command);
    fflush(stdout);
}

/* ---- The command line ---- */

static void put_option(FILE *to, const scadyg_option *option, const char *value)
{
    if (option->type == SCADYG_OPTION_FLAG) {
        const int on = strcmp(value, "0") != 0;
        if (on != cli_option_is_on(option)) fprintf(to, " --%s%s", on ? "" : "no-", option->name);
        return;
    }
    fprintf(to, " --%s ", option->name);
    cli_put_word(to, value);
}

static void put_text(FILE *to, const char *option, const char *value)
{
    if (!value) return;
    fprintf(to, " %s ", option);
    cli_put_word(to, value);
}

char *tune_command(const cli_call *call, const scadyg_tuning_info *info)
{
    const train_arguments *arguments = call->arguments;
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    fputs("scadyg train ", to);
    cli_put_word(to, call->operands[0]);
    put_text(to, "--preset", arguments->preset);
    put_text(to, "--config", arguments->config);
    for (size_t i = 0; i < call->given_count; i++) put_option(to, call->given[i].option, call->given[i].text);
    for (size_t i = 0; i < info->varied; i++) {
        const scadyg_option *option = cli_option_find(info->best->options, info->names[i]);
        if (option) put_option(to, option, info->best->values[i]);
    }
    /* Memory says how much a model may keep of pairs; threads say nothing about it. */
    if (arguments->common.memory) fprintf(to, " --memory %llu", (unsigned long long)arguments->common.memory);
    put_text(to, "-o", arguments->output);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

/* ---- As JSON ---- */

static json_t *trial_json(const scadyg_tuning_info *info, const scadyg_trial *trial)
{
    json_t *values = json_object();
    int failed = 0;
    for (size_t i = 0; i < info->varied; i++)
        failed |= json_object_set_new(values, info->names[i], json_string(trial->values[i]));
    return cli_json_whole(json_pack("{s:I, s:o, s:I, s:I, s:I, s:o, s:s?}", "trial", (json_int_t)trial->number,
                                    "settings", values, "round", (json_int_t)trial->round, "epochs",
                                    (json_int_t)trial->epochs, "best_epoch", (json_int_t)trial->best_epoch,
                                    "validation", cli_json_number(trial->validation), "failure", trial->failure),
                          failed);
}

json_t *tune_json(const cli_call *call, const scadyg_tuning_info *info, const char *journal, const char *command)
{
    json_t *vary = json_object(), *rounds = json_array(), *trials = json_array();
    char method[CLI_TEXT];
    int failed = 0;
    scadyg_options_get(call->tables.set, "method", method, sizeof method);
    for (size_t i = 0; i < info->varied; i++)
        failed |= json_object_set_new(vary, info->names[i], json_string(info->specs[i]));
    for (size_t i = 0; i < info->round_count; i++)
        failed |=
            json_array_append_new(rounds, json_pack("{s:I, s:I}", "trials", (json_int_t)info->rounds[i].trials,
                                                    "epochs", (json_int_t)info->rounds[i].epochs));
    for (size_t i = 0; i < info->trial_count; i++)
        failed |= json_array_append_new(trials, trial_json(info, &info->trials[i]));
    return cli_json_whole(json_pack("{s:s, s:o, s:o, s:o, s:s, s:o, s:I, s:o, s:o}", "method", method,
                                    "search_seed", cli_option_json(call->tables.set, "search-seed"), "vary", vary,
                                    "rounds", rounds, "score", info->score, "trials", trials, "best",
                                    (json_int_t)info->best->number, "command", cli_json_text(command), "journal",
                                    cli_json_text(journal)),
                          failed);
}
