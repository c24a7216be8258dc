/* Affinity labels: what is asked of them, and their making from events. */
#include "events/labels.h"

#include "base/memory.h"
#include "events/labels_build.h"

#include <stdlib.h>
#include <string.h>

#define NO_CLASS UINT32_MAX

void sg_labels_free(sg_labels *labels)
{
    for (size_t i = 0; labels->names && i < labels->classes; i++) free(labels->names[i]);
    free(labels->names);
    free(labels->time);
    free(labels->first_row);
    free(labels->node);
    free(labels->first);
    free(labels->class_of);
    free(labels->weight);
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
    size_t low = labels->first_row[group], high = labels->first_row[group + 1], end = high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (labels->node[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && labels->node[low] == node ? low : SIZE_MAX;
}

/* ---- Derived from events ---- */

static int name_of_node(scadyg_events *events, uint32_t node, char **name, scadyg_error *error)
{
    size_t length = 0;
    int status = scadyg_node_name(events, node, NULL, 0, &length, error);
    if (status) return status;
    *name = sg_alloc(length + 1, 1);
    if (!*name) return sg_fail_memory(error, "the names of the classes");
    return scadyg_node_name(events, node, *name, length + 1, NULL, error);
}

/* Every destination is a class, in the order of node numbers. */
static int classes_of_file(sg_labels *labels, scadyg_events *events, const sg_columns *columns, uint32_t *class_of,
                           scadyg_error *error)
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
        int status = name_of_node(events, node, &labels->names[class_of[node]], error);
        if (status) return status;
    }
    return SCADYG_OK;
}

/*
 * The node a class name means in this file. A name that was plain where the model was trained may need its side
 * in a newer file, where a source of the same id has come: classes are destinations.
 */
static int find_class_node(scadyg_events *events, const char *name, uint32_t *node, scadyg_error *error)
{
    int status = scadyg_node_find(events, name, node, error);
    if (status != SCADYG_E_NOT_FOUND || !events->shape.two_id_spaces) return status;
    size_t length = strlen(name);
    char *sided = sg_alloc(length + 5, 1);
    if (!sided) return sg_fail_memory(error, "the names of the classes");
    memcpy(sided, "dst:", 4);
    memcpy(sided + 4, name, length + 1);
    status = scadyg_node_find(events, sided, node, error);
    free(sided);
    return status;
}

int sg_labels_class_nodes(scadyg_events *events, char *const *names, size_t classes, uint32_t *node,
                          scadyg_error *error)
{
    for (size_t i = 0; i < classes; i++) {
        int status = find_class_node(events, names[i], &node[i], error);
        if (status && status != SCADYG_E_NOT_FOUND) return status;
        if (status) node[i] = UINT32_MAX;
    }
    return SCADYG_OK;
}

/* The classes of a model, in its order. Those the file does not know stay, unused. */
static int classes_of_model(sg_labels *labels, scadyg_events *events, char *const *names, size_t classes,
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
    if (!status) status = sg_events_columns(events, 0, 0, &columns, error);
    uint32_t *class_of = status ? NULL : sg_alloc((size_t)events->shape.nodes, sizeof *class_of);
    if (!status && !class_of) status = sg_fail_memory(error, "the classes");
    if (!status) {
        memset(class_of, 0xFF, (size_t)events->shape.nodes * sizeof *class_of); /* NO_CLASS */
        status = names ? classes_of_model(labels, events, names, classes, class_of, error)
                       : classes_of_file(labels, events, &columns, class_of, error);
    }
    if (!status) status = add_steps(&builder, &columns, steps, class_of, error);
    free(class_of);
    if (status) sg_labels_free(labels);
    return status;
}
