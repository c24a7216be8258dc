/* Embeddings, and the weights that the hypernetwork gives a node. */
#include "base/memory.h"
#include "tasks/predictor.h"

#include <stdlib.h>
#include <string.h>

static int all_nodes(scadyg_predictor *p, scadyg_error *error)
{
    if (p->all) return SCADYG_OK;
    p->all = sg_alloc(p->inputs.nodes, sizeof *p->all);
    if (!p->all) return sg_fail_memory(error, "the list of nodes");
    for (size_t i = 0; i < p->inputs.nodes; i++) p->all[i] = (uint32_t)i;
    return SCADYG_OK;
}

static int check_nodes(scadyg_predictor *p, const uint32_t *nodes, size_t count, scadyg_error *error)
{
    if (!nodes && count != p->inputs.nodes)
        return sg_fail(error, SCADYG_E_USAGE, "the embeddings of all nodes are %zu, not %zu", p->inputs.nodes,
                       count);
    int status = nodes ? SCADYG_OK : all_nodes(p, error);
    for (size_t i = 0; nodes && i < count && !status; i++) status = sg_predictor_check_node(p, nodes[i], error);
    return status;
}

/* Head pair: rows of nodes from the ledger, normalised. They stay the reader's. */
static int read_nodes(scadyg_predictor *p, double at, const uint32_t *nodes, size_t count, scadyg_error *error)
{
    int status = p->reader.ledger ? SCADYG_OK : sg_pair_reader_open(&p->reader, &p->inputs, error);
    if (status) return status;
    const sg_place place = sg_reader_place(&p->inputs, -1, at, sg_predictor_seen(p, at));
    const sg_ledger_group group = {place.seen, place.at, 0, 0};
    const size_t node_first[2] = {0, count};
    const sg_read_plan read_plan = {.groups = &group, .count = 1, .nodes = nodes, .node_first = node_first};
    return sg_pair_reader_run(&p->reader, &read_plan, error);
}

static int embed_pairs(scadyg_predictor *p, double at, const uint32_t *nodes, size_t count, float *out,
                       scadyg_error *error)
{
    const scadyg_model *model = p->model;
    int status = read_nodes(p, at, nodes ? nodes : p->all, count, error);
    if (!status)
        status = sg_pair_embed(&model->pair, model->values, p->reader.nodes, count, out, p->inputs.workers, error);
    return status;
}

int scadyg_embed(scadyg_predictor *p, double at, const uint32_t *nodes, size_t count, float *out,
                 const scadyg_progress *progress, scadyg_error *error)
{
    int status = sg_predictor_check_learned(p, "embeddings", error);
    if (!status) status = sg_predictor_check_time(p, at, error);
    if (!status) status = check_nodes(p, nodes, count, error);
    if (!status) status = sg_report(progress, "embedding", 0, count, error);
    if (status) return status;
    const scadyg_model *model = p->model;
    if (sg_model_reads_pairs(model)) return embed_pairs(p, at, nodes, count, out, error);
    float *rows = sg_alloc(count * p->inputs.width, sizeof *rows);
    if (!rows) status = sg_fail_memory(error, "the messages");
    if (!status)
        status = sg_past_reader_read(&p->past, -1, at, sg_predictor_seen(p, at), nodes ? nodes : p->all, count,
                                     rows, error);
    /* A mix net takes the message as it is. */
    if (!status && model->mix.count)
        memcpy(out, rows, count * p->inputs.width * sizeof *out);
    else if (!status)
        status = sg_embed(&model->net, model->values, rows, count, out, p->inputs.threads, error);
    free(rows);
    return status;
}

int sg_predictor_message(scadyg_predictor *p, uint32_t node, double at, float *out, scadyg_error *error)
{
    if (!p->model->pair.count)
        return sg_past_reader_read(&p->past, -1, at, sg_predictor_seen(p, at), &node, 1, out, error);
    int status = read_nodes(p, at, &node, 1, error);
    if (!status) memcpy(out, p->reader.nodes, p->model->pair.node * sizeof *out);
    return status;
}

int scadyg_node_weights(scadyg_predictor *p, uint32_t node, double at, float *out, scadyg_error *error)
{
    int status = sg_predictor_check_learned(p, "weights", error);
    if (!status && p->model->mix.count)
        status =
            sg_fail(error, SCADYG_E_USAGE,
                    "an affinity model with --head pair weighs classes, not the numbers of a message; train one "
                    "with --head paper");
    if (!status && !p->model->net.hypernetwork && !p->model->pair.hypernetwork)
        status =
            sg_fail(error, SCADYG_E_USAGE, "the model was trained without the hypernetwork, which makes weights");
    if (!status) status = sg_predictor_check_node(p, node, error);
    if (!status) status = sg_predictor_check_time(p, at, error);
    if (status) return status;
    const sg_pair_net *pair = &p->model->pair;
    const size_t width = pair->count ? pair->node : p->inputs.width;
    const sg_net of_pair = {.hypernetwork = 1, .width = pair->node, .w = pair->w, .wr = pair->wr, .wp = pair->wp};
    float *row = sg_alloc(width, sizeof *row);
    if (!row) return sg_fail_memory(error, "a message");
    status = sg_predictor_message(p, node, at, row, error);
    if (!status) sg_node_matrix(pair->count ? &of_pair : &p->model->net, p->model->values, row, out);
    free(row);
    return status;
}
