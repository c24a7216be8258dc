/*
 * Contacts: for every ordered pair that has met among the first events of a file, how often and when last. The
 * heuristics that are judged together share one.
 */
#ifndef SG_EVALUATE_CONTACTS_H
#define SG_EVALUATE_CONTACTS_H

#include "base/pair_map.h"
#include "events/file.h"

typedef struct sg_contacts {
    const sg_columns *columns;
    uint64_t seen; /* events taken in */
    uint64_t
        now; /* the first event at the time of the last one taken in: a whole number that stands for its time */
    sg_pair_map pairs;
} sg_contacts;

/* In one number: `last` in the lower 40 bits, the count above them, which stops at 2^24 - 1. */
#define SG_CONTACT_BITS 40

/* -1 without memory. */
int sg_contacts_open(sg_contacts *contacts, const sg_columns *columns);
void sg_contacts_close(sg_contacts *contacts);
void sg_contacts_rewind(sg_contacts *contacts);

/* Takes in the first `seen` events; fewer than before begins again. -1 without memory. */
int sg_contacts_follow(sg_contacts *contacts, uint64_t seen);

static inline uint64_t sg_contacts_of(const sg_contacts *contacts, uint32_t src, uint32_t dst)
{
    const uint64_t *value = sg_pair_map_find(&contacts->pairs, sg_pair_key(src, dst));
    return value ? *value : 0;
}

/* When a pair last met: 1 + the number of the first event at that time; 0: never. */
static inline uint64_t sg_contacts_last(const sg_contacts *contacts, uint32_t src, uint32_t dst)
{
    return sg_contacts_of(contacts, src, dst) & (((uint64_t)1 << SG_CONTACT_BITS) - 1);
}

static inline uint64_t sg_contacts_count(const sg_contacts *contacts, uint32_t src, uint32_t dst)
{
    return sg_contacts_of(contacts, src, dst) >> SG_CONTACT_BITS;
}

#endif
