/* Affinity labels: what is asked of them, how they are built, and their making from events. */
#include "events/labels.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_CLASS UINT32_MAX

void sg_labels_release(sg_labels *labels)
{
    for (size_t i = 0; labels->names && i < labels->classes; i++) free(labels->names[i]);
    SG_FREE(labels->names, labels->time, labels->first_row, labels->node, labels->first, labels->class_of,
            labels->weight);
    *labels = (sg_labels){0};
}

void sg_labels_dense(const sg_labels *labels, size_t row, float *out)
{
    memset(out, 0, labels->classes * sizeof *out);
    for (size_t e = labels->first[row]; e < labels->first[row + 1]; e++)
        out[labels->class_of[e]] = labels->weight[e];
}

size_t sg_labels_find(const sg_labels *labels, size_t group, uint32_t node)
{
    const size_t begin = labels->first_row[group], end = labels->first_row[group + 1];
    const size_t row = begin + sg_first_uint32(labels->node + begin, end - begin, node);
    return row < end && labels->node[row] == node ? row : SIZE_MAX;
}

/* ---- Building ---- */

/* For a group and a row more, and as many entries. */
static int make_room(sg_label_builder *builder, size_t entries)
{
    sg_labels *labels = builder->labels;
    return SG_GROW(&builder->groups_room, labels->groups + 2, SG_ARRAY(labels->time, 1),
                   SG_ARRAY(labels->first_row, 1)) ||
           SG_GROW(&builder->rows_room, builder->rows + 2, SG_ARRAY(labels->node, 1), SG_ARRAY(labels->first, 1)) ||
           SG_GROW(&builder->entries_room, entries, SG_ARRAY(labels->class_of, 1), SG_ARRAY(labels->weight, 1));
}

int sg_label_builder_open(sg_label_builder *builder, sg_labels *labels, scadyg_error *error)
{
    *labels = (sg_labels){0};
    *builder = (sg_label_builder){.labels = labels};
    if (make_room(builder, 0)) return sg_fail_memory(error, "the labels");
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

/* The sorted entries of one node. */
static int add_row(sg_label_builder *builder, const sg_label_entry *entries, size_t count, scadyg_error *error)
{
    sg_labels *labels = builder->labels;
    double total = 0;
    for (size_t i = 0; i < count; i++) total += (double)entries[i].weight;
    if (!(total > 0)) return SCADYG_OK;
    if (make_room(builder, builder->entries + count)) return sg_fail_memory(error, "the labels");
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

/* ---- Derived from events ---- */

static int make_node_name(scadyg_events *events, uint32_t node, char **name, scadyg_error *error)
{
    size_t length = 0;
    int status = scadyg_node_name(events, node, NULL, 0, &length, error);
    if (status) return status;
    *name = sg_alloc(length + 1, 1);
    if (!*name) return sg_fail_memory(error, "the names of the classes");
    return scadyg_node_name(events, node, *name, length + 1, NULL, error);
}

/* Every destination is a class, in the order of node numbers. */
static int find_file_classes(sg_labels *labels, scadyg_events *events, const sg_columns *columns,
                             uint32_t *class_of, scadyg_error *error)
{
    const uint64_t nodes = events->shape.nodes;
    size_t count = 0;
    for (uint64_t e = 0; e < columns->count; e++) {
        uint32_t *seen = &class_of[columns->dst[e]];
        count += *seen == NO_CLASS;
        *seen = 0;
    }
    labels->names = sg_alloc_zero(count, sizeof *labels->names);
    if (!labels->names) return sg_fail_memory(error, "the names of the classes");
    for (uint32_t node = 0; node < nodes; node++) {
        if (class_of[node] == NO_CLASS) continue;
        class_of[node] = (uint32_t)labels->classes++;
        int status = make_node_name(events, node, &labels->names[class_of[node]], error);
        if (status) return status;
    }
    return SCADYG_OK;
}

int sg_labels_class_nodes(scadyg_events *events, char *const *names, size_t classes, uint32_t *node,
                          scadyg_error *error)
{
    for (size_t i = 0; i < classes; i++) {
        int status = scadyg_node_find(events, SCADYG_DESTINATION, names[i], &node[i], error);
        if (status && status != SCADYG_E_NOT_FOUND) return status;
        if (status) node[i] = UINT32_MAX;
    }
    return SCADYG_OK;
}

/* The classes of a model, in its order. Those the file does not know stay, unused. */
static int find_model_classes(sg_labels *labels, scadyg_events *events, char *const *names, size_t classes,
                              uint32_t *class_of, scadyg_error *error)
{
    int status = sg_labels_name(labels, names, classes, error);
    uint32_t *node = status ? NULL : sg_alloc(classes, sizeof *node);
    if (!status && !node) status = sg_fail_memory(error, "the classes");
    if (!status) status = sg_labels_class_nodes(events, names, classes, node, error);
    for (size_t i = 0; !status && i < classes; i++)
        if (node[i] != UINT32_MAX && class_of[node[i]] == NO_CLASS) class_of[node[i]] = (uint32_t)i;
    free(node);
    return status;
}

static int add_steps(sg_label_builder *builder, const sg_columns *columns, const sg_steps *steps,
                     const uint32_t *class_of, scadyg_error *error)
{
    sg_label_entry *entries = NULL;
    size_t room = 0;
    int status = SCADYG_OK;
    for (int64_t i = 0; !status && i < steps->count; i++) {
        const uint64_t first = steps->first[i], end = steps->first[i + 1];
        if (first == end) continue;
        if (sg_grow(&entries, &room, (size_t)(end - first), sizeof *entries)) {
            status = sg_fail_memory(error, "the labels of a step");
            break;
        }
        size_t count = 0;
        for (uint64_t e = first; e < end; e++) {
            float weight = columns->weight ? columns->weight[e] : 1;
            uint32_t class = class_of[columns->dst[e]];
            if (class != NO_CLASS && weight > 0)
                entries[count++] = (sg_label_entry){columns->src[e], class, weight};
        }
        status = sg_label_builder_add(builder, columns->time[first], entries, count, error);
    }
    free(entries);
    return status;
}

int sg_labels_derive(sg_labels *labels, scadyg_events *events, const sg_steps *steps, char *const *names,
                     size_t classes, scadyg_error *error)
{
    sg_columns columns;
    sg_label_builder builder;
    int status = sg_label_builder_open(&builder, labels, error);
    if (!status) status = sg_events_columns(NULL, events, 0, 0, &columns, error);
    uint32_t *class_of = status ? NULL : sg_alloc((size_t)events->shape.nodes, sizeof *class_of);
    if (!status && !class_of) status = sg_fail_memory(error, "the classes");
    if (!status) {
        memset(class_of, 0xFF, (size_t)events->shape.nodes * sizeof *class_of); /* NO_CLASS */
        status = names ? find_model_classes(labels, events, names, classes, class_of, error)
                       : find_file_classes(labels, events, &columns, class_of, error);
    }
    if (!status) status = add_steps(&builder, &columns, steps, class_of, error);
    free(class_of);
    if (status) sg_labels_free(labels);
    return status;
}
