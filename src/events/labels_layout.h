/* Which column of a label file is what. */
#ifndef SG_EVENTS_LABELS_LAYOUT_H
#define SG_EVENTS_LABELS_LAYOUT_H

#include "base/status.h"
#include "events/import/fields.h"

#define SG_LABEL_FIELDS 256

typedef struct sg_label_layout {
    char separator;
    int columns; /* fields per row */
    int time, node, class_of;
    int weight; /* -1: every row weighs 1 */
} sg_label_layout;

/*
 * From the fields of the first row: by name where it is a header (*is_header), else in the order time, node, class,
 * weight. `place` is "file:line" for messages.
 */
int sg_label_layout_find(sg_label_layout *layout, const sg_field *fields, int count, const char *place,
                         int *is_header, scadyg_error *error);

#endif
