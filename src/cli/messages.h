/* What messages shows, in its forms. */
#ifndef CLI_MESSAGES_H
#define CLI_MESSAGES_H

#include "cli.h"

/* The messages of some nodes at one time. */
typedef struct message_set {
    scadyg_events *events;
    scadyg_messages *messages;
    double at;
    int at_end;      /* `at` was not given: it is just after the last event */
    uint32_t *nodes; /* NULL: all nodes, in their order */
    size_t count;
    uint64_t wanted; /* how many were asked for; text shows only the first of many */
    double *values;  /* [count][width] */
} message_set;

static inline uint32_t message_node(const message_set *set, size_t index)
{
    return set->nodes ? set->nodes[index] : (uint32_t)index;
}

/* Each prints to standard output; fails if a node's id cannot be read. */
int messages_print_json(const message_set *set, scadyg_error *error);
int messages_print_table(const message_set *set, const cli_common *common, scadyg_error *error);

#endif
