/* Default options, and a plan that must succeed. */
#ifndef MESSAGES_OPENING_H
#define MESSAGES_OPENING_H

#include "cmocka_all.h"

#include "contexts.h"
#include "messages/nodes/plan.h"

#include <string.h>

static inline sg_messages_options default_messages(void)
{
    sg_messages_options options;
    sg_options_defaults(&sg_messages_set, &options);
    return options;
}

static inline scadyg_messages *must_open(scadyg_context *context, scadyg_events *events,
                                         const sg_messages_options *options)
{
    scadyg_messages *plan;
    scadyg_error error;
    if (sg_messages_open(context, events, options, &plan, &error)) fail_msg("%s", error.message);
    return plan;
}

/* A call that must succeed; it reports to &failure. */
#define MUST(call)                                                                                                 \
    do {                                                                                                           \
        scadyg_error failure;                                                                                      \
        if (call) fail_msg("%s", failure.message);                                                                 \
    } while (0)

#endif
