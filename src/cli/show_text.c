/* A model file for people. */
#include "show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result.h"
#include "shape.h"

static void print_data(const scadyg_model_info *info)
{
    char text[256], *name = cli_safe_text(info->data ? info->data : "?");
    cli_shape_text(&info->shape, text, sizeof text);
    printf("data        %s (checksum %08x)\n            %s\n", name ? name : "?", (unsigned)info->checksum, text);
    cli_times_text(&info->shape, text, sizeof text);
    printf("            %s\n", text);
    free(name);
}

/* Threads and memory say nothing about the model. */
static int worth_showing(const scadyg_option *option, const char *value, const char *usual, int verbose)
{
    if (strcmp(option->name, "threads") == 0 || strcmp(option->name, "memory") == 0) return 0;
    if (strcmp(option->name, "task") == 0 || strcmp(option->name, "model") == 0) return verbose;
    return verbose || strcmp(value, usual) != 0;
}

static void print_options(const scadyg_model_info *info, int verbose)
{
    size_t count = 0, shown = 0;
    const scadyg_option *table = scadyg_train_option_table(&count);
    scadyg_train_options usual = {0};
    scadyg_options_default(table, count, &usual);
    for (size_t i = 0; i < count; i++) {
        char value[1024], standard[1024];
        scadyg_option_text(&table[i], info->options, value, sizeof value);
        scadyg_option_text(&table[i], &usual, standard, sizeof standard);
        if (!worth_showing(&table[i], value, standard, verbose)) continue;
        char *safe = cli_safe_text(value);
        printf("%s--%s %s\n", shown++ ? "            " : "options     ", table[i].name,
               safe && *safe ? safe : "(none)");
        free(safe);
    }
    if (!shown) printf("options     the defaults\n");
}

static void print_training(const scadyg_model_info *info)
{
    if (info->epochs <= 0) return;
    printf("training    %lld epoch%s, ", (long long)info->epochs, info->epochs == 1 ? "" : "s");
    if (info->best_epoch == 0 && isfinite(info->validation))
        printf("none better than the start");
    else if (info->best_epoch == 0)
        printf("none had a score on the validation part");
    else
        printf("the best was number %lld", (long long)info->best_epoch);
    if (isfinite(info->validation))
        printf(" with %s %.4f on the validation part", info->score ? info->score : "a score of", info->validation);
    putchar('\n');
}

static void print_groups(const scadyg_model *model, const scadyg_model_info *info)
{
    char text[CLI_TEXT];
    const char *name;
    const float *values;
    size_t rows = 0, columns = 0;
    if (info->parameters == 0) return;
    printf("parameters  %s\n", cli_count(info->parameters, text));
    for (size_t i = 0; (name = scadyg_model_group(model, i, &rows, &columns, &values)); i++)
        printf("            %-16s %zu x %zu\n", name, rows, columns);
}

void show_print(const cli_session *session, int verbose)
{
    const scadyg_model_info *info = session->info;
    char kind[CLI_TEXT], size[CLI_TEXT];
    cli_kind_name(info, kind);
    printf("%s, %s\n\n", session->model_path, cli_bytes(cli_file_size(session->model_path), size));
    printf("task        %s\nmodel       %s", cli_task_name(info->options->task), kind);
    if (info->width) {
        const int pair = info->options->head == SCADYG_HEAD_PAIR;
        printf(", head %s, %smessages of %zu numbers, %zu hidden units", pair ? "pair" : "paper",
               pair ? "node " : "", info->width, info->hidden);
    }
    if (info->classes) printf(", %s classes", cli_count(info->classes, size));
    putchar('\n');
    print_data(info);
    print_options(info, verbose);
    print_training(info);
    print_groups(session->model, info);
    const char *text = scadyg_model_result(session->model);
    json_t *results = text && *text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
    cli_results_print(results);
    json_decref(results);
}
