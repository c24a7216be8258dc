/* Contacts: how often pairs have met, and when last. */
#include "evaluate/contacts.h"

#define MOST_CONTACTS (((uint64_t)1 << (64 - SG_CONTACT_BITS)) - 1)

int sg_contacts_open(sg_contacts *contacts, const sg_columns *columns)
{
    *contacts = (sg_contacts){.columns = columns};
    return sg_pair_map_open(&contacts->pairs);
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

int sg_contacts_follow(sg_contacts *contacts, uint64_t seen)
{
    const sg_columns *columns = contacts->columns;
    if (seen < contacts->seen) sg_contacts_rewind(contacts);
    for (uint64_t e = contacts->seen; e < seen; e++) {
        if (e == 0 || columns->time[e] != columns->time[e - 1]) contacts->now = e;
        int is_new;
        uint64_t *value = sg_pair_map_put(&contacts->pairs, sg_pair_key(columns->src[e], columns->dst[e]), &is_new);
        if (!value) return -1;
        uint64_t count = *value >> SG_CONTACT_BITS;
        if (count < MOST_CONTACTS) count++;
        *value = count << SG_CONTACT_BITS | (contacts->now + 1);
        contacts->seen = e + 1;
    }
    return 0;
}
