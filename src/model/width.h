/* How long a model's messages are, from its options and its trained_on alone, and the rates its ablations ask for. */
#ifndef SG_MODEL_WIDTH_H
#define SG_MODEL_WIDTH_H

#include "messages/nodes/trained_on.h"

#define SG_WIDTH_MOST ((size_t)1 << 24)

/* The columns of one hop; 0 if options and trained_on do not fit together. The width is hops times that. */
size_t sg_hop_width(const scadyg_messages_options *options, const sg_trained_on *trained_on);

/* "rate,rate,...", count times. Free it. NULL without memory. */
char *sg_equal_rates(double rate, size_t count);

#endif
