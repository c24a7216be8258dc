/* scadyg embed: what a model makes of nodes, as numbers for other programs. */
#include <stdlib.h>

#include "cli/describe.h"
#include "cli/open_events.h"
#include "cli/output.h"

typedef struct embed_arguments {
    cli_common common;
    const char *at;
    cli_list nodes;
    int role; /* a scadyg_role */
    const char *output;
} embed_arguments;

static const sg_option options[] = {
    CLI_ROW_AT(embed_arguments),
    CLI_ROW_LIST(embed_arguments, nodes, "node", CLI_OPTION_LIST, "ID",
                 "whose embeddings; takes every word up to the next option", 0),
    CLI_ROW_ROLE(embed_arguments),
    CLI_ROW_OUTPUT(embed_arguments, output, "FILE",
                   "F.npy: float32 numbers [nodes][width] for numpy; F.csv: the id, then the numbers"),
    CLI_ROW_NO_STATE,
    CLI_ROW_THREADS,
    CLI_ROW_ANSWER_MEMORY,
};

static const cli_example examples[] = {
    {"scadyg embed log.scadyg log.events -o nodes.npy", "every node, in the order of first appearance"},
    {"scadyg embed log.scadyg log.events --node alice bob -o two.csv", "two nodes, with their ids"},
    {"scadyg embed shop.scadyg shop.csv --role destination -o items.csv", "of users and items, the items"},
    {NULL, NULL}};

typedef struct embeddings {
    const cli_session *session;
    uint32_t *nodes; /* NULL: all */
    size_t count;
    float *values; /* [count][width] */
} embeddings;

static int check_files(const cli_call *call)
{
    const embed_arguments *arguments = call->arguments;
    if (!arguments->output) return cli_usage(call->command, "no output file given; add -o F.npy or -o F.csv");
    if (!cli_ends_with(arguments->output, ".csv") && !cli_ends_with(arguments->output, ".npy"))
        return cli_usage(call->command, "--output writes a .npy or a .csv file, not %s", arguments->output);
    return CLI_OK;
}

static int choose_nodes(const cli_call *call, embeddings *e)
{
    const embed_arguments *arguments = call->arguments;
    if (cli_nodes_choose(e->session->events, arguments->role, &arguments->nodes, &e->nodes, &e->count, call->error))
        return cli_failed(call, NULL);
    return CLI_OK;
}

static int compute_embeddings(const cli_call *call, embeddings *e)
{
    const embed_arguments *arguments = call->arguments;
    size_t width = e->session->info->width, values, size;
    if (width == 0)
        return cli_fail(call->command, "%s is a rule without training; it has no embeddings",
                        e->session->model_path);
    if (__builtin_mul_overflow(e->count, width, &values) || __builtin_mul_overflow(values, sizeof(float), &size) ||
        !(e->values = malloc(size + 1)))
        return cli_fail(call->command, "not enough memory for the embeddings of so many nodes");
    if (scadyg_embed(e->session->predictor, e->session->at, e->nodes, e->count, e->values, call->error))
        return cli_failed(call, arguments->output);
    cli_progress_erase();
    return CLI_OK;
}

/* Where sources and destinations are separate, an id is known by its role. */
static int put_node(const embeddings *e, cli_csv *csv, size_t i, scadyg_error *error)
{
    const uint32_t node = e->nodes ? e->nodes[i] : (uint32_t)i;
    const char *role = cli_node_role(e->session->events, node, error);
    char *id = role ? cli_node_id(e->session->events, node, error) : NULL;
    if (!id) return error->status;
    if (*role) cli_csv_field(csv, role);
    cli_csv_field(csv, id);
    free(id);
    return SCADYG_OK;
}

static int write_csv(const embeddings *e, const char *path, scadyg_error *error)
{
    size_t width = e->session->info->width;
    cli_csv csv = {0};
    cli_csv_text(&csv, e->session->shape->two_id_spaces ? "role,id" : "id");
    for (size_t c = 0; c < width; c++) cli_csv_text(&csv, cli_text(",h%zu", c));
    cli_csv_text(&csv, "\n");
    for (size_t i = 0; i < e->count; i++) {
        if (put_node(e, &csv, i, error)) break;
        for (size_t c = 0; c < width; c++) cli_csv_number(&csv, e->values[i * width + c], 9);
        cli_csv_line(&csv);
    }
    if (!error->status && !scadyg_events_check(e->session->events, error)) return cli_csv_write(&csv, path, error);
    free(csv.text);
    return error->status;
}

static int save_embeddings(const cli_call *call, const embeddings *e)
{
    const embed_arguments *arguments = call->arguments;
    size_t width = e->session->info->width;
    const int csv = cli_ends_with(arguments->output, ".csv");
    if (csv ? write_csv(e, arguments->output, call->error)
            : cli_npy_write(arguments->output, e->values, e->count, width, call->error))
        return cli_failed(call, arguments->output);
    if (!arguments->common.quiet && csv)
        printf("wrote   %s, %zu node%s with %zu number%s each\n", cli_safe(arguments->output), e->count,
               sg_plural(e->count), width, sg_plural(width));
    else if (!arguments->common.quiet)
        printf("wrote   %s, float32 [%zu][%zu]\n", cli_safe(arguments->output), e->count, width);
    if (!arguments->common.quiet) printf("        %s\n", cli_session_sees(e->session, e->session->at));
    return CLI_OK;
}

static int run(cli_call *call)
{
    const embed_arguments *arguments = call->arguments;
    int code = check_files(call);
    if (code) return code;
    cli_session session;
    embeddings e = {.session = &session};
    code = cli_session_prepare(call, NULL, arguments->at, &session);
    if (!code) code = choose_nodes(call, &e);
    if (!code) code = cli_session_ask(call, session.at, &session);
    if (!code) code = compute_embeddings(call, &e);
    if (!code) code = save_embeddings(call, &e);
    if (!code) cli_session_keep(call, &session);
    free(e.values);
    free(e.nodes);
    cli_session_close(&session);
    return code;
}

const cli_command cli_embed = {
    .name = "embed",
    .summary = "embeddings of nodes at a time, for other programs",
    .operands = "M.scadyg X.events -o F.npy [--node ID...]",
    .description = "Writes for each node the numbers a model makes of its past: the messages at a time after\n"
                   "the hypernetwork. Without --node, all nodes in the order of first appearance, which is\n"
                   "the order of 'scadyg messages' too. Where sources and destinations are separate, a .csv has\n"
                   "the role of each in a first column, and --role takes those of one role.",
    .examples = examples,
    CLI_OPTIONS(options),
    .reads_log = 1,
    CLI_DEFAULTS({"at", "after the last event"}, {"node", "all"}, {"output", "required"}),
    .size = sizeof(embed_arguments),
    .run = run,
};
