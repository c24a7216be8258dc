/* The option table of messages. */
#include "messages/nodes/option_list.h"

#include "scadyg.h"

#define FIELD(name) offsetof(scadyg_messages_options, name)
#define OPTION(name, kind, field, ...)                                                                             \
    {                                                                                                              \
        name, 0, SCADYG_OPTION_##kind, FIELD(field), __VA_ARGS__                                                   \
    }

static const scadyg_option table[] = {
    SG_MESSAGES_OPTION_LIST(OPTION),
    {"seed", 0, SCADYG_OPTION_INT, FIELD(seed), "N", "1", NULL, 1, 0, "seed of random node features"},
    {"double", 0, SCADYG_OPTION_FLAG, FIELD(double_precision), NULL, "0", NULL, 1, 0,
     "sum in double precision (twice the memory, slower)"},
    {"threads", 0, SCADYG_OPTION_INT, FIELD(threads), "N", "all", "all", 0, 1024,
     "threads to use; the result does not depend on it"},
};

const scadyg_option *scadyg_messages_option_table(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}
