/* The option table of eval. `heuristics` is not in it: a caller sets it. */
#include "scadyg.h"

#define FIELD(name) offsetof(scadyg_eval_options, name)

static const scadyg_option table[] = {
    {"protocol", 0, SCADYG_OPTION_CHOICE, FIELD(protocol), "P", "paper", "paper|tgb-link|dyglib|tgb-node", 1, 0,
     "how to split, draw negatives, rank and average"},
    {"pool", 0, SCADYG_OPTION_CHOICE, FIELD(pool), "POOL", "auto", "auto|any|destination|historical|inductive", 1,
     0, "where negatives come from (auto: as the protocol says)"},
    {"negatives", 0, SCADYG_OPTION_INT, FIELD(negatives), "K", "auto", "auto", 1, 1e6,
     "negatives per query (auto: as the protocol says)"},
    {"queries", 0, SCADYG_OPTION_INT, FIELD(queries), "N", "all", "all", 1, 1e12,
     "links: judge about N queries, spread over the part"},
    {"part", 0, SCADYG_OPTION_CHOICE, FIELD(part), "PART", "test", "test|validation", 1, 0,
     "the part of the events to judge on"},
    {"reveal", 0, SCADYG_OPTION_CHOICE, FIELD(reveal), "RULE", "event", "event|batch", 1, 0,
     "tgb-link, dyglib: show every event before the next, or 200 at a time"},
    {"seeds", 0, SCADYG_OPTION_INT, FIELD(seeds), "N", "1", NULL, 1, 1000,
     "draw the negatives N times and give mean and standard deviation"},
    {"seed", 0, SCADYG_OPTION_INT, FIELD(seed), "S", "1", NULL, 1, 0, "the first seed of the negatives"},
    {"labels", 0, SCADYG_OPTION_TEXT, FIELD(labels), "FILE", NULL, NULL, 1, 0,
     "tgb-node: take the labels from this file [where the model had them from]"},
    {"threads", 0, SCADYG_OPTION_INT, FIELD(threads), "N", "all", "all", 0, 1024,
     "threads to use; the result does not depend on it"},
};

const scadyg_option *scadyg_eval_option_table(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}
