/* Options as they are when nothing is typed. */
#ifndef TESTS_DEFAULTS_H
#define TESTS_DEFAULTS_H

#include "scadyg.h"

#include <string.h>

#define DEFAULTS(kind)                                                                                             \
    static inline scadyg_##kind##_options default_##kind(void)                                                     \
    {                                                                                                              \
        size_t count;                                                                                              \
        const scadyg_option *table = scadyg_##kind##_option_table(&count);                                         \
        scadyg_##kind##_options options;                                                                           \
        memset(&options, 0, sizeof options);                                                                       \
        scadyg_options_default(table, count, &options);                                                            \
        return options;                                                                                            \
    }

DEFAULTS(import)
DEFAULTS(generate)
DEFAULTS(messages)
DEFAULTS(train)

#endif
