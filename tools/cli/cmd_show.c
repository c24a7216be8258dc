/* scadyg show: what is in a model file. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/config.h"
#include "cli/describe.h"
#include "cli/open_events.h"
#include "cli/result.h"

typedef struct show_arguments {
    cli_common common;
    const char *weights;
    const char *at;
    int role; /* a scadyg_role */
} show_arguments;

static const sg_option options[] = {
    CLI_ROW_TEXT(show_arguments, weights, "weights", 0, "ID",
                 "show the matrix W_x of this node instead; needs the events too", 0),
    CLI_ROW_AT(show_arguments),
    CLI_ROW_ROLE(show_arguments),
    CLI_ROW_JSON("print everything as JSON"),
    CLI_ROW_THREADS,
    CLI_ROW_ANSWER_MEMORY,
};

static const cli_example examples[] = {
    {"scadyg show log.scadyg", "task, options, data, scores and parameters"},
    {"scadyg show log.scadyg --json", "the same for a program"},
    {"scadyg show log.scadyg log.events --weights alice", "how alice's messages are mixed, now"},
    {NULL, NULL}};

/* ---- As JSON ---- */

static json_t *groups_json(const scadyg_model *model)
{
    json_t *list = json_array();
    const char *name;
    const float *values;
    size_t rows = 0, columns = 0;
    int failed = 0;
    for (size_t i = 0; (name = scadyg_model_group(model, i, &rows, &columns, &values)); i++)
        failed |= json_array_append_new(list, json_pack("{s:s, s:I, s:I}", "name", name, "rows", (json_int_t)rows,
                                                        "columns", (json_int_t)columns));
    return cli_json_whole(list, failed);
}

static json_t *data_json(const scadyg_model_info *info)
{
    json_t *data = json_pack("{s:o, s:s}", "name", cli_json_text(info->data ? info->data : ""), "checksum",
                             cli_text("%08x", (unsigned)info->checksum));
    return cli_json_whole(data, cli_json_add(data, cli_shape_json(info->shape)));
}

static json_t *labels_json(const scadyg_model_info *info)
{
    if (!info->label_lines) return json_null();
    return json_pack("{s:I, s:s}", "lines", (json_int_t)info->label_lines, "checksum",
                     cli_text("%08x", (unsigned)info->label_checksum));
}

/* What the probability of a pair is compared with: docs/default.md, "one answer". */
static json_t *compared_json(const scadyg_model *model)
{
    if (!scadyg_model_look(model)->probabilities || !isfinite(scadyg_model_figure(model, "share_random")))
        return json_null();
    return json_pack("{s:f, s:f, s:f}", "random", scadyg_model_figure(model, "share_random"), "met",
                     scadyg_model_figure(model, "share_met"), "met_lately",
                     scadyg_model_figure(model, "share_late"));
}

static json_t *model_json(const char *path, uint64_t bytes, const scadyg_model *model)
{
    const scadyg_model_info *info = scadyg_model_look(model);
    json_t *results = cli_results_of(model);
    return json_pack("{s:o, s:I, s:s, s:s, s:s?, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:b, s:b, s:b, "
                     "s:o, s:o, s:s?, s:o, s:o, s:o}",
                     "file", cli_json_text(path), "bytes", (json_int_t)bytes, "task", info->task, "model",
                     info->kind, "answers_as", info->answers_as, "options", cli_config_json(info->options), "data",
                     data_json(info), "labels", labels_json(info), "width", (json_int_t)info->width, "hidden",
                     (json_int_t)info->hidden, "classes", (json_int_t)info->classes, "parameters",
                     (json_int_t)info->parameters, "groups", groups_json(model), "epochs", (json_int_t)info->epochs,
                     "best_epoch", (json_int_t)info->best_epoch, "refit", info->refit, "went_on", info->from != 0,
                     "unfinished", info->unfinished, "learned_until", cli_json_number(info->train_end),
                     "validation", cli_json_number(info->validation), "score", info->score, "results",
                     results ? results : json_null(), "inputs",
                     cli_json_number(scadyg_model_figure(model, "inputs")), "compared_with", compared_json(model));
}

/* ---- For people ---- */

static void print_data(const scadyg_model_info *info)
{
    char *name = cli_safe_text(info->data ? info->data : "?");
    printf("data        %s (checksum %08x)\n            %s\n            %s\n", name ? name : "?",
           (unsigned)info->checksum, cli_shape_text(info->shape), cli_times_text(info->shape));
    free(name);
    printf("            sources and destinations %s\n",
           info->shape->two_id_spaces ? "are separate" : "are of one kind");
    if (info->label_lines)
        printf("labels      from a file of %s (checksum %08x)\n", cli_counted(info->label_lines, "line", "lines"),
               (unsigned)info->label_checksum);
}

/* As train takes it. */
static void print_option(const scadyg_option *option, const char *value)
{
    if (option->type != SCADYG_OPTION_FLAG)
        printf("--%s %s\n", option->name, *value ? value : "(none)");
    else
        printf("--%s%s\n", strcmp(value, "0") == 0 ? "no-" : "", option->name);
}

/* Those that differ from the defaults of the kind, or all. */
static void print_options(const scadyg_model_info *info, int verbose)
{
    const scadyg_option *option;
    scadyg_options *usual = NULL;
    size_t shown = 0;
    if (scadyg_options_open_train(info->kind, info->task, &usual, NULL)) verbose = 1;
    for (size_t i = 0; (option = scadyg_options_at(info->options, i)); i++) {
        char *value = cli_option_text(info->options, option->name);
        char *safe = cli_safe_text(value ? value : "");
        if (verbose || !cli_option_is(usual, option->name, value ? value : "")) {
            printf("%s", shown++ ? "            " : "options     ");
            print_option(option, safe ? safe : "");
        }
        free(safe);
        free(value);
    }
    if (!shown) printf("options     the defaults\n");
    scadyg_options_close(usual);
}

/* Where its parameters come from, if that is not one training from beginning to end. */
static void print_life(const scadyg_model_info *info)
{
    const int64_t epochs = isfinite(info->validation) ? info->best_epoch : info->epochs;
    if (info->unfinished) printf("unfinished  a checkpoint: the best of %lld so far\n", (long long)info->epochs);
    if (info->from) printf("from        it went on from another model\n");
    if (info->refit)
        printf(
            "refit       trained once more on all events up to %s, for %lld epoch%s; the scores are of the first "
            "training\n",
            cli_time(info->shape, info->train_end), (long long)epochs, sg_plural(epochs));
    else if (info->learns)
        printf("learned     from events up to %s\n", cli_time(info->shape, info->train_end));
}

static void print_training(const scadyg_model_info *info)
{
    print_life(info);
    if (info->epochs <= 0) return;
    printf("training    %lld epoch%s, ", (long long)info->epochs, sg_plural(info->epochs));
    if (info->best_epoch == 0 && isfinite(info->validation))
        printf("none better than the start");
    else if (info->best_epoch == 0)
        printf("none had a score on a validation part");
    else
        printf("the best was number %lld", (long long)info->best_epoch);
    if (isfinite(info->validation))
        printf(" with %s %.4f on the validation part", info->score ? info->score : "a score of", info->validation);
    putchar('\n');
    if (info->answers_as)
        printf("answers     as the baseline %s: no epoch was clearly better than it there\n", info->answers_as);
}

static void print_compared(const scadyg_model *model, const scadyg_model_info *info)
{
    const double met = scadyg_model_figure(model, "share_met"), late = scadyg_model_figure(model, "share_late");
    if (!info->learns || strcmp(info->task, "link") != 0 || info->answers_as) return;
    if (!info->probabilities)
        printf("probability none: --binary 0 learns no chances\n");
    else if (isfinite(met) && met + late == 0)
        printf("probability of a pair against random pairs alone\n");
    else if (isfinite(met))
        printf("probability of a pair against random pairs, and for each of these %.3g that have met and %.3g that "
               "first "
               "met lately\n",
               met, late);
}

static void print_groups(const scadyg_model *model, const scadyg_model_info *info)
{
    const char *name;
    const float *values;
    size_t rows = 0, columns = 0;
    if (info->parameters == 0) return;
    printf("parameters  %s\n", cli_count(info->parameters));
    for (size_t i = 0; (name = scadyg_model_group(model, i, &rows, &columns, &values)); i++)
        printf("            %-16s %zu x %zu\n", name, rows, columns);
}

static void print_model(const char *path, uint64_t bytes, const scadyg_model *model, int verbose)
{
    const scadyg_model_info *info = scadyg_model_look(model);
    printf("%s, %s\n\n", cli_safe(path), cli_bytes(bytes));
    printf("task        %s\nmodel       %s", info->task, info->kind);
    if (isfinite(scadyg_model_figure(model, "inputs")))
        printf(", %.0f features per pair, embeddings of %zu numbers", scadyg_model_figure(model, "inputs"),
               info->width);
    else if (info->width)
        printf(", messages of %zu number%s", info->width, sg_plural(info->width));
    if (info->width) printf(", %zu hidden unit%s", info->hidden, sg_plural(info->hidden));
    if (info->classes) printf(", %s", cli_counted(info->classes, "class", "classes"));
    putchar('\n');
    print_data(info);
    print_options(info, verbose);
    print_training(info);
    print_compared(model, info);
    print_groups(model, info);
    json_t *results = cli_results_of(model);
    cli_results_print(results, info->shape);
    json_decref(results);
}

/* ---- The matrix W_x of a node ---- */

typedef struct matrix {
    size_t width;
    float *values;             /* [width][width] */
    scadyg_messages *messages; /* for the names of the columns; or NULL */
} matrix;

#define column_name(m, column)                                                                                     \
    ((m)->messages ? scadyg_messages_column_name((m)->messages, column) : cli_text("m%zu", column))

static void print_matrix(const matrix *m)
{
    size_t width = 11; /* of -0.0001234 and a blank */
    for (size_t c = 0; c < m->width; c++) {
        const size_t length = strlen(column_name(m, c)) + 1;
        if (length > width) width = length;
    }
    printf("%*s", (int)width, "");
    for (size_t c = 0; c < m->width; c++) printf("%*s", (int)width, column_name(m, c));
    putchar('\n');
    for (size_t r = 0; r < m->width; r++) {
        printf("%*s", (int)width, column_name(m, r));
        for (size_t c = 0; c < m->width; c++) printf("%*.4g", (int)width, (double)m->values[r * m->width + c]);
        putchar('\n');
    }
}

static json_t *matrix_json(const matrix *m, const cli_session *session, const char *id)
{
    json_t *columns = json_array();
    int failed = 0;
    for (size_t c = 0; c < m->width; c++) failed |= json_array_append_new(columns, json_string(column_name(m, c)));
    json_t *object = json_pack("{s:s, s:o, s:o, s:o}", "node", id, "at", cli_json_number(session->at), "columns",
                               columns, "weights", cli_json_matrix(m->values, m->width, m->width));
    return cli_json_whole(object, cli_session_sees_json(session, object) || failed);
}

/* Names are a courtesy, where the width is that of the messages the options say: else columns are numbered. */
static void name_columns(const cli_call *call, const cli_session *session, matrix *m)
{
    const scadyg_option *option;
    scadyg_options *messages = NULL;
    int status = scadyg_options_open("messages", &messages, NULL);
    for (size_t i = 0; !status && (option = scadyg_options_at(messages, i)); i++) {
        if (!cli_option_find(session->info->options, option->name)) continue;
        char *text = cli_option_text(session->info->options, option->name);
        status = !text || scadyg_options_set(messages, option->name, text, NULL);
        free(text);
    }
    if (!status) status = scadyg_messages_open(call->context, session->events, messages, &m->messages, NULL);
    if (!status && scadyg_messages_width(m->messages) != m->width) {
        scadyg_messages_close(m->messages);
        m->messages = NULL;
    }
    scadyg_options_close(messages);
}

static int print_node(const cli_call *call, const cli_session *session, const matrix *m, uint32_t node)
{
    const cli_common *common = call->arguments;
    char *id = common->json ? cli_node_id(session->events, node, call->error)
                            : cli_node_text(session->events, node, call->error);
    if (!id) return cli_failed(call, NULL);
    int code = CLI_OK;
    if (common->json) {
        code = cli_json_print(call->command, matrix_json(m, session, id));
    } else {
        if (!common->quiet) {
            printf("W_x of ");
            cli_session_heading(session, id);
        }
        print_matrix(m);
    }
    free(id);
    return code;
}

static int find_weights(const cli_call *call, const cli_session *session, const char *id)
{
    const show_arguments *arguments = call->arguments;
    matrix m = {.width = session->info->width};
    uint32_t node;
    if (m.width == 0)
        return cli_fail(call->command, "%s is a rule without training; it has no weights", session->model_path);
    int code = cli_session_node(call, session, arguments->role, id, &node);
    if (code) return code;
    m.values = malloc(m.width * m.width * sizeof *m.values);
    if (!m.values)
        code = cli_fail(call->command, "not enough memory for the matrix");
    else if (scadyg_node_weights(session->predictor, node, session->at, m.values, call->error))
        code = cli_failed(call, NULL);
    if (!code) name_columns(call, session, &m);
    if (!code) code = print_node(call, session, &m, node);
    scadyg_messages_close(m.messages);
    free(m.values);
    return code;
}

static int show_weights(const cli_call *call, const show_arguments *arguments)
{
    cli_session session;
    int code = cli_session_predict(call, NULL, arguments->at, &session);
    if (!code) code = cli_events_check(call, session.events, find_weights(call, &session, arguments->weights));
    cli_session_close(&session);
    return code;
}

/* ---- The command ---- */

static int run(cli_call *call)
{
    const show_arguments *arguments = call->arguments;
    if (arguments->weights) return show_weights(call, arguments);
    if (arguments->at || arguments->role || call->of_log)
        return cli_usage(call->command, "--%s goes with --weights ID",
                         arguments->at     ? "at"
                         : arguments->role ? "role"
                                           : call->of_log->name);
    const char *path;
    scadyg_model *model = NULL;
    int code = cli_one_operand(call, "model file", &path);
    if (code) return code;
    if (scadyg_model_open(path, &model, call->error)) return cli_failed(call, NULL);
    const uint64_t bytes = cli_file_size(path);
    if (!bytes)
        code = cli_fail(call->command, "cannot look at %s: %s", path, strerror(errno));
    else if (arguments->common.json)
        code = cli_json_print(call->command, model_json(path, bytes, model));
    else if (!arguments->common.quiet)
        print_model(path, bytes, model, arguments->common.verbose);
    scadyg_model_close(model);
    return code;
}

const cli_command cli_show = {
    .name = "show",
    .summary = "show what is in a model file",
    .operands = "M.scadyg [X.events --weights ID]",
    .description = "Shows what a model was made for, with which options, from which data (its name and\n"
                   "checksum), how it scored, and what was learned. Options are shown where they differ from\n"
                   "the defaults; with --verbose all of them.\n"
                   "\n"
                   "With --weights and an events file: the matrix W_x with which the hypernetwork mixes the\n"
                   "messages of one node at a time.",
    .examples = examples,
    CLI_OPTIONS(options),
    .reads_log = 1,
    CLI_DEFAULTS({"at", "after the last event"}),
    .size = sizeof(show_arguments),
    .run = run,
};
