/* A reader: the ledger of a file, followed for a model. */
#include "tasks/pair_reader.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

int sg_pair_reader_open(sg_pair_reader *reader, sg_inputs *inputs, scadyg_error *error)
{
    sg_ledger_options options;
    *reader = (sg_pair_reader){.inputs = inputs, .reached = {0, -INFINITY}};
    int status = sg_model_ledger(inputs->model, &options, error);
    if (status) return status;
    reader->keys = sg_alloc(inputs->nodes, sizeof *reader->keys);
    if (!reader->keys) return sg_fail_memory(error, "the keys of the nodes");
    status = sg_node_keys(inputs->events, reader->keys, error);
    if (!status)
        status = sg_ledger_open(&options, &inputs->messages->columns, reader->keys, inputs->nodes, inputs->workers,
                                &reader->ledger, error);
    if (status) sg_pair_reader_close(reader);
    return status;
}

void sg_pair_reader_close(sg_pair_reader *reader)
{
    sg_ledger_close(reader->ledger);
    free(reader->keys);
    free(reader->nodes);
    free(reader->between);
    free(reader->other_nodes);
    free(reader->other_between);
    *reader = (sg_pair_reader){0};
}

void sg_pair_reader_rewind(sg_pair_reader *reader)
{
    if (reader->reached.seen) sg_ledger_rewind(reader->ledger);
    reader->reached = (sg_place){0, -INFINITY};
}

sg_place sg_reader_place(const sg_inputs *inputs, int64_t step, double at, uint64_t seen)
{
    if (inputs->model->options.freshness == SCADYG_FRESHNESS_EVENT) return (sg_place){seen, at};
    const sg_steps *steps = &inputs->messages->steps;
    int64_t over = sg_past_reader_step(inputs, step, at, seen);
    if (over > steps->count) over = steps->count;
    /* Not the origin of the steps: the file may begin long after it, and nothing is read before its first time. */
    if (over <= 0 || steps->first[over] == 0) return (sg_place){0, inputs->messages->columns.time[0]};
    return (sg_place){steps->first[over], nextafter(steps->end[over - 1], INFINITY)};
}

/* Makes `read_plan` one of the rows at hand, and the place it will reach. */
static int prepare(sg_pair_reader *reader, const sg_read_plan *asked, scadyg_error *error)
{
    const scadyg_model *model = reader->inputs->model;
    const sg_ledger_group *first = &asked->groups[0], *last = &asked->groups[asked->count - 1];
    const size_t node = model->pair.node, between = model->pair.rates + model->pair.rest;
    const size_t rows = asked->nodes ? asked->node_first[asked->count] : 0;
    if (first->seen < reader->reached.seen || first->at < reader->reached.at) sg_pair_reader_rewind(reader);
    if (sg_grow(&reader->nodes, &reader->node_room, rows * node + 1, sizeof *reader->nodes) ||
        sg_grow(&reader->between, &reader->between_room, last->end * between + 1, sizeof *reader->between))
        return sg_fail_memory(error, "the pairs to read");
    reader->read_plan = *asked;
    reader->read_plan.between = reader->between;
    reader->read_plan.node_rows = reader->nodes;
    reader->reached = (sg_place){last->seen, last->at};
    return SCADYG_OK;
}

/* After a failure the ledger has taken in nobody knows what. */
static int settle(sg_pair_reader *reader, int status)
{
    if (!status) return status;
    reader->reached.seen = 1;
    sg_pair_reader_rewind(reader);
    return status;
}

static void normalise(sg_pair_reader *reader)
{
    const sg_read_plan *read_plan = &reader->read_plan;
    sg_model_normalise_pairs(reader->inputs->model, reader->nodes,
                             read_plan->nodes ? read_plan->node_first[read_plan->count] : 0, reader->between,
                             read_plan->groups[read_plan->count - 1].end, reader->inputs->workers);
}

int sg_pair_reader_run_raw(sg_pair_reader *reader, const sg_read_plan *asked, scadyg_error *error)
{
    if (asked->count == 0) return SCADYG_OK;
    int status = prepare(reader, asked, error);
    if (status) return status;
    return settle(reader, sg_ledger_run(reader->ledger, &reader->read_plan, error));
}

int sg_pair_reader_run(sg_pair_reader *reader, const sg_read_plan *asked, scadyg_error *error)
{
    int status = sg_pair_reader_run_raw(reader, asked, error);
    if (!status && asked->count) normalise(reader);
    return status;
}

static void swap_rows(sg_pair_reader *r)
{
    float *const nodes = r->nodes, *const between = r->between;
    const size_t node_room = r->node_room, between_room = r->between_room;
    r->nodes = r->other_nodes, r->between = r->other_between;
    r->node_room = r->other_node_room, r->between_room = r->other_between_room;
    r->other_nodes = nodes, r->other_between = between;
    r->other_node_room = node_room, r->other_between_room = between_room;
}

int sg_pair_reader_start(sg_pair_reader *reader, const sg_read_plan *asked, scadyg_error *error)
{
    reader->read_plan = (sg_read_plan){0};
    if (asked->count == 0) return SCADYG_OK;
    swap_rows(reader);
    int status = prepare(reader, asked, error);
    if (!status) status = settle(reader, sg_ledger_start(reader->ledger, &reader->read_plan, error));
    swap_rows(reader);
    if (status) reader->read_plan = (sg_read_plan){0};
    return status;
}

int sg_pair_reader_finish(sg_pair_reader *reader, scadyg_error *error)
{
    if (reader->read_plan.count == 0) return SCADYG_OK;
    swap_rows(reader);
    int status = settle(reader, sg_ledger_finish(reader->ledger, error));
    if (!status) normalise(reader);
    reader->read_plan = (sg_read_plan){0}; /* once more would be over other rows */
    return status;
}
