/* Building labels: entries of one label time at a time, in any order, become its rows. */
#include "events/labels_build.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

int sg_label_builder_open(sg_label_builder *builder, sg_labels *labels, scadyg_error *error)
{
    *labels = (sg_labels){0};
    *builder = (sg_label_builder){.labels = labels};
    if (sg_grow(&labels->first_row, &builder->first_rows_room, 1, sizeof *labels->first_row) ||
        sg_grow(&labels->first, &builder->firsts_room, 1, sizeof *labels->first))
        return sg_fail_memory(error, "the labels");
    labels->first_row[0] = labels->first[0] = 0;
    return SCADYG_OK;
}

int sg_labels_name(sg_labels *labels, char *const *names, size_t classes, scadyg_error *error)
{
    labels->names = sg_alloc_zero(classes, sizeof *labels->names);
    if (!labels->names) return sg_fail_memory(error, "the names of the classes");
    for (; labels->classes < classes; labels->classes++)
        if (!(labels->names[labels->classes] = strdup(names[labels->classes])))
            return sg_fail_memory(error, "the names of the classes");
    return SCADYG_OK;
}

/* By node and class. Entries that are alike go by weight, so that sums do not depend on how the sort works. */
static int compare_entries(const void *left, const void *right)
{
    const sg_label_entry *a = left, *b = right;
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    if (a->class_of != b->class_of) return a->class_of < b->class_of ? -1 : 1;
    return (a->weight > b->weight) - (a->weight < b->weight);
}

static int make_room(sg_label_builder *builder, size_t entries, scadyg_error *error)
{
    sg_labels *labels = builder->labels;
    size_t groups = labels->groups + 1, rows = builder->rows + 1;
    if (sg_grow(&labels->time, &builder->times_room, groups, sizeof *labels->time) ||
        sg_grow(&labels->first_row, &builder->first_rows_room, groups + 1, sizeof *labels->first_row) ||
        sg_grow(&labels->node, &builder->nodes_room, rows, sizeof *labels->node) ||
        sg_grow(&labels->first, &builder->firsts_room, rows + 1, sizeof *labels->first) ||
        sg_grow(&labels->class_of, &builder->classes_room, entries, sizeof *labels->class_of) ||
        sg_grow(&labels->weight, &builder->weights_room, entries, sizeof *labels->weight))
        return sg_fail_memory(error, "the labels");
    return SCADYG_OK;
}

/* The sorted entries of one node. */
static int add_row(sg_label_builder *builder, const sg_label_entry *entries, size_t count, scadyg_error *error)
{
    sg_labels *labels = builder->labels;
    double total = 0;
    for (size_t i = 0; i < count; i++) total += (double)entries[i].weight;
    if (!(total > 0)) return SCADYG_OK;
    int status = make_room(builder, builder->entries + count, error);
    if (status) return status;
    for (size_t i = 0; i < count;) {
        uint32_t class_of = entries[i].class_of;
        double sum = 0;
        for (; i < count && entries[i].class_of == class_of; i++) sum += (double)entries[i].weight;
        float share = (float)(sum / total);
        if (!(share > 0)) continue; /* nothing, or less than a float can hold */
        labels->class_of[builder->entries] = class_of;
        labels->weight[builder->entries++] = share;
    }
    labels->node[builder->rows++] = entries[0].node;
    labels->first[builder->rows] = builder->entries;
    return SCADYG_OK;
}

int sg_label_builder_add(sg_label_builder *builder, double time, sg_label_entry *entries, size_t count,
                         scadyg_error *error)
{
    sg_labels *labels = builder->labels;
    const size_t before = builder->rows;
    if (count) qsort(entries, count, sizeof *entries, compare_entries);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && entries[end].node == entries[i].node;) end++;
        int status = add_row(builder, entries + i, end - i, error);
        if (status) return status;
    }
    if (builder->rows == before) return SCADYG_OK;
    labels->time[labels->groups++] = time;
    labels->first_row[labels->groups] = builder->rows;
    return SCADYG_OK;
}
