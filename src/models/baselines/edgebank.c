/* EdgeBank: contacts of pairs, their intervals, and what is asked of them. */
#include "models/baselines/edgebank.h"

#include "base/memory.h"
#include "events/steps.h"

enum { AHEAD = 16 }; /* events whose slots are asked for before they are needed */

/* ---- Contacts ---- */

#define MOST_CONTACTS (((uint64_t)1 << (64 - SG_CONTACT_BITS)) - 1)

int sg_contacts_open(sg_contacts *contacts, const sg_columns *columns, scadyg_error *error)
{
    *contacts = (sg_contacts){.columns = columns};
    return sg_pair_map_open(&contacts->pairs) ? sg_fail_memory(error, "the pairs that have met") : SCADYG_OK;
}

void sg_contacts_close(sg_contacts *contacts)
{
    sg_pair_map_close(&contacts->pairs);
    *contacts = (sg_contacts){0};
}

void sg_contacts_rewind(sg_contacts *contacts)
{
    if (contacts->seen) sg_pair_map_clear(&contacts->pairs);
    contacts->seen = contacts->now = 0;
}

int sg_contacts_follow(sg_contacts *contacts, uint64_t seen, scadyg_error *error)
{
    const sg_columns *columns = contacts->columns;
    if (seen < contacts->seen) return sg_fail(error, SCADYG_E_USAGE, "contacts were asked about the past");
    for (uint64_t e = contacts->seen; e < seen; e++) {
        if (e + AHEAD < columns->count)
            sg_pair_map_prefetch(&contacts->pairs, sg_pair_key(columns->src[e + AHEAD], columns->dst[e + AHEAD]));
        sg_columns_pass(columns, e, sizeof *columns->src + sizeof *columns->dst + sizeof *columns->time);
        if (e == 0 || columns->time[e] != columns->time[e - 1]) contacts->now = e;
        int is_new;
        uint64_t *value = sg_pair_map_put(&contacts->pairs, sg_pair_key(columns->src[e], columns->dst[e]), &is_new);
        if (!value) return sg_fail_memory(error, "the pairs that have met");
        uint64_t count = *value >> SG_CONTACT_BITS;
        if (count < MOST_CONTACTS) count++;
        *value = count << SG_CONTACT_BITS | (contacts->now + 1);
        contacts->seen = e + 1;
    }
    return SCADYG_OK;
}

/* ---- Whether they have met ---- */

void sg_edgebank_score(const sg_contacts *contacts, double since, const sg_question *question)
{
    for (size_t i = 0; i < question->count; i++) {
        const uint64_t contact = sg_contacts_last(contacts, question->src[i], question->dst[i]);
        question->score[i] = contact && contacts->columns->time[contact - 1] >= since;
    }
}

void sg_edgebank_score_repeated(const sg_contacts *contacts, const sg_question *question)
{
    for (size_t i = 0; i < question->count; i++) {
        const uint64_t count = sg_contacts_count(contacts, question->src[i], question->dst[i]);
        question->score[i] = count && (double)count >= (double)contacts->seen / (double)contacts->pairs.count;
    }
}

double sg_edgebank_lately(const sg_contacts *contacts, double share)
{
    return contacts->seen ? sg_quantile(contacts->columns->time, contacts->seen, 1 - share) : 0;
}

/* ---- Intervals ---- */

void sg_intervals_rewind(sg_intervals *intervals)
{
    if (intervals->seen) sg_pair_map_clear(&intervals->pairs);
    intervals->seen = 0;
    intervals->sum = 0;
}

int sg_intervals_open(sg_intervals *intervals, const sg_columns *columns, scadyg_error *error)
{
    *intervals = (sg_intervals){.columns = columns};
    return sg_pair_map_open(&intervals->pairs) ? sg_fail_memory(error, "the intervals of pairs") : SCADYG_OK;
}

void sg_intervals_close(sg_intervals *intervals)
{
    sg_pair_map_close(&intervals->pairs);
    SG_FREE(intervals->of);
    *intervals = (sg_intervals){0};
}

static int add_interval(sg_intervals *intervals, uint64_t e)
{
    const sg_columns *columns = intervals->columns;
    sg_columns_pass(columns, e, sizeof *columns->src + sizeof *columns->dst + sizeof *columns->time);
    int is_new;
    uint64_t *place = sg_pair_map_put(&intervals->pairs, sg_pair_key(columns->src[e], columns->dst[e]), &is_new);
    if (!place) return -1;
    if (is_new) {
        *place = intervals->pairs.count - 1;
        if (sg_grow(&intervals->of, &intervals->room, (size_t)*place + 1, sizeof *intervals->of)) return -1;
        intervals->of[*place] = (sg_interval){columns->time[e], 0, 1};
        return 0;
    }
    sg_interval *pair = &intervals->of[*place];
    const double mean = (columns->time[e] - pair->first) / (double)pair->count++;
    intervals->sum += mean - pair->mean;
    pair->mean = mean;
    return 0;
}

int sg_intervals_follow(sg_intervals *intervals, uint64_t seen, scadyg_error *error)
{
    for (; intervals->seen < seen; intervals->seen++)
        if (add_interval(intervals, intervals->seen)) return sg_fail_memory(error, "the intervals of pairs");
    return SCADYG_OK;
}

double sg_intervals_since(const sg_intervals *intervals)
{
    if (!intervals->seen) return 0;
    return intervals->columns->time[intervals->seen - 1] - intervals->sum / (double)intervals->pairs.count;
}
