/* Figures of labels that say how to look at them: how often they come, how fast to forget, how much they vary. */
#ifndef SG_MESSAGES_PAIRS_LABEL_FIGURES_H
#define SG_MESSAGES_PAIRS_LABEL_FIGURES_H

#include "messages/pairs/label_past.h"

#define SG_LABEL_NOISE_LEAST 1e-3

/*
 * Rates for labels that come every `gap` within `span`: infinity (the last label), then half-lives from half a gap to
 * half the span, evenly spaced in their logarithm.
 */
void sg_label_rates(double gap, double span, double rate[SG_LABEL_RATES]);

/* The median distance between neighbouring label times among the first `groups`; 1 if there is none. */
int sg_label_gap(const sg_labels *labels, size_t groups, double *gap, scadyg_error *error);

/*
 * How much the logarithm of a share usually changes from one label of a node to its next: the median of |log(y / y')|
 * over the ten largest shares of each label of the first `groups`, as far as the label before has them, kept between
 * SG_LABEL_NOISE_LEAST and 1; 1 if there are none.
 */
int sg_label_noise(const sg_labels *labels, size_t groups, size_t nodes, double *noise, scadyg_error *error);

#endif
