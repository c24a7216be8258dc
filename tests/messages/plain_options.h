/* The options of messages with their defaults, and a plan that must succeed. */
#ifndef PLAIN_OPTIONS_H
#define PLAIN_OPTIONS_H

#include "cmocka_all.h"

#include "scadyg.h"

#include <string.h>

static inline scadyg_messages_options plain_options(void)
{
    scadyg_messages_options options;
    size_t count;
    const scadyg_option *table = scadyg_messages_option_table(&count);
    memset(&options, 0, sizeof options);
    scadyg_options_default(table, count, &options);
    return options;
}

static inline scadyg_messages *must_open(scadyg_events *events, const scadyg_messages_options *options)
{
    scadyg_messages *plan;
    scadyg_error error;
    if (scadyg_messages_open(events, options, &plan, &error)) fail_msg("%s", error.message);
    return plan;
}

/* A call that must succeed; it reports to &failure. */
#define MUST(call)                                                                                                 \
    do {                                                                                                           \
        scadyg_error failure;                                                                                      \
        if (call) fail_msg("%s", failure.message);                                                                 \
    } while (0)

#endif
