/* Default options, and a plan that must succeed. */
#ifndef MESSAGES_OPENING_H
#define MESSAGES_OPENING_H

#include "cmocka_all.h"

#include "defaults.h"

#include <string.h>

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
