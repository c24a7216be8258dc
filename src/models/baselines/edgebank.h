/*
 * EdgeBank (Poursafaei et al., 2022): a pair that has met will meet again. What is kept of pairs for it, and the ways of
 * asking that: ever, lately, or often. Other rules go by the same contacts.
 */
#ifndef SG_MODELS_BASELINES_EDGEBANK_H
#define SG_MODELS_BASELINES_EDGEBANK_H

#include "base/pair_map.h"
#include "evaluate/scorer.h"

/* Contacts: for every ordered pair that has met among the first events of a file, how often and when last. */
typedef struct sg_contacts {
    const sg_columns *columns;
    uint64_t seen; /* events taken in */
    uint64_t
        now; /* the first event at the time of the last one taken in: a whole number that stands for its time */
    sg_pair_map pairs;
} sg_contacts;

int sg_contacts_open(sg_contacts *contacts, const sg_columns *columns, scadyg_error *error);
void sg_contacts_close(sg_contacts *contacts);
void sg_contacts_rewind(sg_contacts *contacts);

/* Takes in the first `seen` events, never fewer than before: going back would make a pass over the log of each question. */
int sg_contacts_follow(sg_contacts *contacts, uint64_t seen, scadyg_error *error);

/* In one number: `last` in the lower 40 bits, the count above them, which stops at 2^24 - 1. */
#define SG_CONTACT_BITS 40

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

/* Whether the pairs have met since a time. */
void sg_edgebank_score(const sg_contacts *contacts, double since, const sg_question *question);

/* Whether they have at least as often as pairs that have met do on average. */
void sg_edgebank_score_repeated(const sg_contacts *contacts, const sg_question *question);

/* When the last events began, a share of those seen, whenever they were. */
double sg_edgebank_lately(const sg_contacts *contacts, double share);

/*
 * Intervals: the mean interval between two contacts of a pair, averaged over the pairs that have met among the first events
 * of a file. A pair that has met once counts with 0, as in DyGLib.
 */
typedef struct sg_interval {
    double first, mean; /* the first contact; the mean interval */
    uint64_t count;     /* of contacts */
} sg_interval;

typedef struct sg_intervals {
    const sg_columns *columns;
    uint64_t seen;     /* events taken in */
    sg_pair_map pairs; /* the place in `of` */
    sg_interval *of;
    size_t room;
    double sum; /* of the means */
} sg_intervals;

/* To be closed also if this fails; a zeroed one may be closed, too. */
int sg_intervals_open(sg_intervals *intervals, const sg_columns *columns, scadyg_error *error);
void sg_intervals_close(sg_intervals *intervals);
void sg_intervals_rewind(sg_intervals *intervals);
int sg_intervals_follow(sg_intervals *intervals, uint64_t seen, scadyg_error *error);

/* As long before the last event as pairs pause on average. */
double sg_intervals_since(const sg_intervals *intervals);

#endif
