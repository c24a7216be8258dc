/* Export, inside: the same text in memory. */
#ifndef SG_EVENTS_EXPORT_EXPORT_H
#define SG_EVENTS_EXPORT_EXPORT_H

#include "base/status.h"

typedef struct sg_text {
    char *data; /* to be freed; not terminated */
    size_t size, capacity;
} sg_text;

/* scadyg_export into memory: the events, and the features of the nodes, empty where there are none. */
int sg_export_memory(scadyg_context *context, scadyg_events *events, sg_text *text, sg_text *nodes,
                     scadyg_error *error);

#endif
