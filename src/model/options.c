/* The option table of training: one for the command line, the JSON configuration and the model file. */
#include "model/options.h"

#include "messages/nodes/option_list.h"

#include <string.h>

#define FIELD(name) offsetof(scadyg_train_options, name)
#define MESSAGES_OPTION(name, kind, field, ...)                                                                    \
    {                                                                                                              \
        name, 0, SCADYG_OPTION_##kind, FIELD(messages.field), __VA_ARGS__                                          \
    }

static const scadyg_option table[] = {
    {"task", 0, SCADYG_OPTION_CHOICE, FIELD(task), "TASK", "link", "link|affinity", 1, 0,
     "what to predict: whom a node meets next, or its distribution over classes"},
    {"model", 0, SCADYG_OPTION_CHOICE, FIELD(model), "KIND", "scadyg",
     "scadyg|popularity|edgebank|edgebank-window|pair-recency|pair-then-popularity|persistence|moving-average|"
     "markov",
     1, 0, "scadyg, or a rule without training; persistence and moving-average are for affinity"},
    SG_MESSAGES_OPTION_LIST(MESSAGES_OPTION),
    {"freshness", 0, SCADYG_OPTION_CHOICE, FIELD(freshness), "RULE", "step", "step|event", 1, 0,
     "a prediction sees the events of earlier steps, or all events strictly before it"},
    {"normalise", 0, SCADYG_OPTION_CHOICE, FIELD(normalise), "HOW", "log", "none|log|standard|log-standard", 1, 0,
     "head paper, affinity: scale messages: sign(x) log(1 + |x|), mean 0 and deviation 1 per column, or both"},
    {"head", 0, SCADYG_OPTION_CHOICE, FIELD(head), "KIND", "pair", "paper|pair", 1, 0,
     "read the messages of the nodes side by side, or also what passed between the two"},
    {"without", 0, SCADYG_OPTION_TEXT, FIELD(without), "PARTS", "none", NULL, 1, 0,
     "leave parts out: none, or some of time (head paper), hypernetwork, multirate, nodes, pairs, transitions, "
     "walks1, walks2, ranking (head pair), popularity, reverse (affinity), as a list with commas"},
    {"hidden", 0, SCADYG_OPTION_INT, FIELD(hidden), "N", "auto", "auto", 1, SG_HIDDEN_MOST,
     "hidden units of the head; auto is 64; head paper with node features: 128; head pair, affinity: 32"},
    {"walk-width", 0, SCADYG_OPTION_INT, FIELD(walk_width), "N", "auto", "auto", 16, 4096,
     "pair: numbers per walk sketch, rounded up to a multiple of 16; auto is 64, or less if memory is short"},
    {"lr", 0, SCADYG_OPTION_REAL, FIELD(learning_rate), "RATE", "0.002", NULL, 1e-12, 10, "learning rate of Adam"},
    {"lr-decay", 0, SCADYG_OPTION_REAL, FIELD(learning_rate_decay), "FACTOR", "0.8", NULL, 1e-6, 1,
     "pair: the learning rate is multiplied by this for each epoch after the second"},
    {"averaging", 0, SCADYG_OPTION_REAL, FIELD(averaging), "SHARE", "0.99", NULL, 0, 0.999999,
     "pair: keep a running average of the learned numbers, with this share of the older ones; 0 is none"},
    {"weight-decay", 0, SCADYG_OPTION_REAL, FIELD(weight_decay), "RATE", "1e-5", NULL, 0, 10,
     "L2 weight decay, added to the gradient"},
    {"batch", 0, SCADYG_OPTION_INT, FIELD(batch), "N", "200", NULL, 1, 1e6,
     "events (or nodes) with their negatives per step of Adam"},
    {"epochs", 0, SCADYG_OPTION_INT, FIELD(epochs), "N", "20", NULL, 1, 1e6,
     "passes over the training part at most"},
    {"patience", 0, SCADYG_OPTION_INT, FIELD(patience), "N", "4", NULL, 1, 1e6,
     "stop after N epochs without a better validation score"},
    {"select", 0, SCADYG_OPTION_CHOICE, FIELD(select), "SCORE", "mrr", "mrr|ap", 1, 0,
     "head paper, link: the validation score that chooses the epoch; head pair goes by MRR, with --split time by "
     "AP; affinity by NDCG@10"},
    {"train-pool", 0, SCADYG_OPTION_CHOICE, FIELD(train_pool), "POOL", "mixed", "any|destination|seen|mixed", 1, 0,
     "link: random training negatives are any nodes, destinations seen so far, nodes seen so far (head paper), or "
     "destinations and any nodes by halves (head paper: any)"},
    {"negatives", 0, SCADYG_OPTION_INT, FIELD(negatives), "N", "5", NULL, 1, 100,
     "pair, link: training negatives for each event"},
    {"historical", 0, SCADYG_OPTION_REAL, FIELD(historical), "SHARE", "0.1", NULL, 0, 1,
     "pair, link, freshness event: share of the training negatives that are pairs which have met, half of them of "
     "the same source"},
    {"binary", 0, SCADYG_OPTION_REAL, FIELD(binary), "SHARE", "0.5", NULL, 0, 1,
     "pair, link: share of the binary loss, which teaches chances, beside the ranking loss, which teaches order"},
    {"split", 0, SCADYG_OPTION_CHOICE, FIELD(split), "RULE", "steps", "steps|time", 1, 0,
     "cut the parts by numbers of steps, or by quantiles of the event times"},
    {"train-share", 0, SCADYG_OPTION_REAL, FIELD(train_share), "SHARE", "0.7", NULL, 1e-6, 0.999999,
     "share of the training part"},
    {"validation-share", 0, SCADYG_OPTION_REAL, FIELD(validation_share), "SHARE", "0.15", NULL, 1e-6, 0.999999,
     "share of the validation part; the rest is the test part"},
    {"labels", 0, SCADYG_OPTION_TEXT, FIELD(labels), "FILE", NULL, NULL, 1, 0,
     "affinity: labels as time,node,class,weight, instead of labels derived from the events"},
    {"label-every", 0, SCADYG_OPTION_CHOICE, FIELD(label_every), "WHEN", "step", "step", 1, 0,
     "affinity: derived labels are a node's weight over destinations in every"},
    {"seed", 0, SCADYG_OPTION_INT, FIELD(seed), "N", "1", NULL, 1, 0,
     "seed of everything random; the same seed gives the same bytes"},
    {"memory", 0, SCADYG_OPTION_SIZE, FIELD(memory), "SIZE", NULL, "auto", 1, 1e18,
     "stay within this: pair sizes its pairs and sketches by it, head paper keeps the messages of all steps if "
     "they fit [a quarter of the machine's]"},
    {"threads", 0, SCADYG_OPTION_INT, FIELD(threads), "N", "all", "all", 0, 1024,
     "threads to use; the result does not depend on it"},
};

const scadyg_option *scadyg_train_option_table(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

const scadyg_option *sg_train_option(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strlen(table[i].name) == length && memcmp(table[i].name, name, length) == 0) return &table[i];
    return NULL;
}

int sg_option_is_part_of_model(const char *name)
{
    return strcmp(name, "memory") != 0 && strcmp(name, "threads") != 0;
}
