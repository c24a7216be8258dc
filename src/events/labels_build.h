/* Building labels: entries of one label time at a time, in any order, become its rows. */
#ifndef SG_EVENTS_LABELS_BUILD_H
#define SG_EVENTS_LABELS_BUILD_H

#include "events/labels.h"

typedef struct sg_label_entry {
    uint32_t node;
    uint32_t class_of;
    float weight; /* not negative */
} sg_label_entry;

typedef struct sg_label_builder {
    sg_labels *labels;
    size_t rows, entries;
    size_t times_room, first_rows_room, nodes_room, firsts_room, classes_room, weights_room;
} sg_label_builder;

/* Begins labels with no class and no group yet. On any failure the caller frees them with sg_labels_free. */
int sg_label_builder_open(sg_label_builder *builder, sg_labels *labels, scadyg_error *error);

/* Sets the classes and their names, copied. */
int sg_labels_name(sg_labels *labels, char *const *names, size_t classes, scadyg_error *error);

/*
 * Adds a label time, later than the ones before. Sorts the entries; entries of the same node and class add up, a
 * node's weights are scaled to the sum 1, and what has no weight is left out: entries, rows, the group itself.
 */
int sg_label_builder_add(sg_label_builder *builder, double time, sg_label_entry *entries, size_t count,
                         scadyg_error *error);

#endif
