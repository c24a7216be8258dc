/*
 * Affinity labels: at a label time, a node's distribution over classes.
 *
 * Either read from a file (time, node, class, weight), or derived from events: the label of a source in a step is the
 * distribution of its weight over destinations in that step; its label time is the time of the step's first event, so
 * that "strictly before" means "in earlier steps". Derived classes are the nodes that are a destination, by name.
 */
#ifndef SG_EVENTS_LABELS_H
#define SG_EVENTS_LABELS_H

#include "events/file.h"
#include "events/steps.h"

/* What a label file is known by: how many lines it has, and their checksum. Packed or not makes no difference. */
typedef struct sg_label_file {
    uint64_t lines; /* 0: there is none, labels are derived from the events */
    uint32_t checksum;
} sg_label_file;

typedef struct sg_labels {
    size_t classes;
    char **names; /* [classes], owned */
    size_t groups;
    double *time;       /* [groups], ascending, distinct */
    size_t *first_row;  /* [groups + 1] */
    uint32_t *node;     /* [rows], ascending within a group */
    size_t *first;      /* [rows + 1] */
    uint32_t *class_of; /* [entries], ascending within a row */
    float *weight;      /* [entries], > 0, the weights of a row sum to 1 */
    sg_label_file file; /* they were read from */
} sg_labels;

/* Nothing is entered for labels that were never made. */
void sg_labels_release(sg_labels *labels);
static inline void sg_labels_free(sg_labels *labels)
{
    if (labels->names || labels->time || labels->first_row || labels->node || labels->first || labels->class_of)
        sg_labels_release(labels);
}

/*
 * `names` fixes the classes (those of a model): entries of other classes are left out, and rows that become empty.
 * With names NULL classes are all that occur; for derived labels in the order of node numbers.
 */
int sg_labels_derive(sg_labels *labels, scadyg_events *events, const sg_steps *steps, char *const *names,
                     size_t classes, scadyg_error *error);
int sg_labels_read(sg_labels *labels, scadyg_events *events, const char *path, char *const *names, size_t classes,
                   scadyg_error *error);

/* Looks at a file without reading its labels; *match is a scadyg_labels_match with one that is known. Only regular files
 * are opened. */
int sg_label_file_look(const char *path, const sg_label_file *known, sg_label_file *file, int *match,
                       scadyg_error *error);

/* The node that each class of derived labels is, node[classes]; UINT32_MAX for names the file does not know. */
int sg_labels_class_nodes(scadyg_events *events, char *const *names, size_t classes, uint32_t *node,
                          scadyg_error *error);

/* Row r as a dense vector, out[classes]. */
void sg_labels_dense(const sg_labels *labels, size_t row, float *out);

/* The row of a node in a group, or SIZE_MAX. */
size_t sg_labels_find(const sg_labels *labels, size_t group, uint32_t node);

/* ---- Building: entries of one label time at a time, in any order, become its rows ---- */

typedef struct sg_label_entry {
    uint32_t node;
    uint32_t class_of;
    float weight; /* not negative */
} sg_label_entry;

typedef struct sg_label_builder {
    sg_labels *labels;
    size_t rows, entries;
    size_t groups_room, rows_room, entries_room;
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
