/* The option table of messages. */
#include "scadyg.h"

#define FIELD(name) offsetof(scadyg_messages_options, name)

static const scadyg_option table[] = {
    {"steps", 0, SCADYG_OPTION_INT, FIELD(steps), "L", "100", NULL, 1, 1e7, "cut the time range into L steps"},
    {"step-rule", 0, SCADYG_OPTION_CHOICE, FIELD(step_rule), "RULE", "equal-time", "equal-time|equal-count", 1, 0,
     "what the steps have in common: their length or their number of events"},
    {"window", 0, SCADYG_OPTION_INT, FIELD(window), "N", "all", "all", 1, 1e15,
     "use the events of the last N steps only"},
    {"hops", 0, SCADYG_OPTION_INT, FIELD(hops), "H", "1", NULL, 1, 3,
     "messages of 1 to H hops within a step, side by side"},
    {"gamma0", 0, SCADYG_OPTION_REAL, FIELD(gamma0), "G", NULL, NULL, 1e-300, 1e300,
     "the largest rate; the others descend evenly to a tenth of it [1 / time range]"},
    {"rates", 0, SCADYG_OPTION_TEXT, FIELD(rates), "G1,G2,...", NULL, NULL, 1, 0,
     "the rate of every column, instead of --gamma0"},
    {"node-features", 0, SCADYG_OPTION_TEXT, FIELD(node_features), "KIND", "none", NULL, 1, 0,
     "features of the nodes: none, onehot, random:D (D numbers) or stored (the file's)"},
    {"repeat", 0, SCADYG_OPTION_INT, FIELD(repeat), "K", "8", NULL, 1, 4096,
     "repeat a single edge feature K times, once per rate"},
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
