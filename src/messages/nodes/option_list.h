/*
 * The options that say what messages are, once for the tables of messages and of models:
 * OPTION(name, kind, field of scadyg_messages_options, argument, default, choices, least, most, help).
 */
#ifndef SG_MESSAGES_NODES_OPTION_LIST_H
#define SG_MESSAGES_NODES_OPTION_LIST_H

#define SG_MESSAGES_OPTION_LIST(OPTION)                                                                            \
    OPTION("steps", INT, steps, "L", "100", NULL, 1, 1e7, "cut the time range into L steps"),                      \
        OPTION("step-rule", CHOICE, step_rule, "RULE", "equal-time", "equal-time|equal-count", 1, 0,               \
               "what the steps have in common: their length or their number of events"),                           \
        OPTION("window", INT, window, "N", "all", "all", 1, 1e15, "use the events of the last N steps only"),      \
        OPTION("hops", INT, hops, "H", "1", NULL, 1, 3, "messages of 1 to H hops within a step, side by side"),    \
        OPTION("gamma0", REAL, gamma0, "G", NULL, "auto", 1e-300, 1e300,                                           \
               "the largest rate; the others descend evenly to a tenth of it [1 / time range]"),                   \
        OPTION("rates", TEXT, rates, "G1,G2,...", NULL, NULL, 1, 0,                                                \
               "the rate of every column, instead of --gamma0"),                                                   \
        OPTION("node-features", TEXT, node_features, "KIND", "none", NULL, 1, 0,                                   \
               "features of the nodes: none, onehot, random:D (D numbers) or stored (the file's)"),                \
        OPTION("repeat", INT, repeat, "K", "8", NULL, 1, 4096,                                                     \
               "repeat a single edge feature K times, once per rate")

#endif
