/* First first_contacts: every distinct ordered pair of a file at its first event, in order and by source. */
#ifndef SG_EVALUATE_FIRST_CONTACTS_H
#define SG_EVALUATE_FIRST_CONTACTS_H

#include "base/pair_map.h"
#include "events/file.h"

typedef struct sg_first_contacts {
    size_t pairs;
    uint64_t *event;     /* [pairs]: the first event of each, ascending */
    size_t *row;         /* [nodes + 1], into by_source */
    uint64_t *by_source; /* [pairs]: the same events, by source, ascending within one */
    sg_pair_map index;   /* from a pair to its place in event */
} sg_first_contacts;

int sg_first_contacts_make(sg_first_contacts *first_contacts, const sg_columns *columns, uint64_t nodes,
                           scadyg_error *error);
void sg_first_contacts_free(sg_first_contacts *first_contacts);

/* How many of `count` ascending events are before `event`. */
size_t sg_events_until(const uint64_t *events, size_t count, uint64_t event);

#endif
