/* The kinds of models, a row each. */
#include "models/kind.h"

extern const sg_kind sg_kind_scadyg, sg_kind_scadyg_affinity;
extern const sg_kind sg_kind_paper, sg_kind_paper_affinity;
extern const sg_kind sg_kind_popularity, sg_kind_edgebank, sg_kind_edgebank_window, sg_kind_pair_recency,
    sg_kind_pair_then_popularity, sg_kind_markov, sg_kind_item_knn, sg_kind_repeat_then_neighbours;
extern const sg_kind sg_kind_edgebank_recent, sg_kind_edgebank_interval, sg_kind_edgebank_repeated;
extern const sg_kind sg_kind_persistence, sg_kind_moving_average;

const sg_kind *const sg_kinds[] = {
    &sg_kind_scadyg,          &sg_kind_scadyg_affinity,   &sg_kind_paper,
    &sg_kind_paper_affinity,  &sg_kind_popularity,        &sg_kind_edgebank,
    &sg_kind_edgebank_window, &sg_kind_pair_recency,      &sg_kind_pair_then_popularity,
    &sg_kind_markov,          &sg_kind_item_knn,          &sg_kind_repeat_then_neighbours,
    &sg_kind_edgebank_recent, &sg_kind_edgebank_interval, &sg_kind_edgebank_repeated,
    &sg_kind_persistence,     &sg_kind_moving_average,    NULL,
};
