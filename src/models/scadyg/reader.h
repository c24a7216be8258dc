/*
 * A reader: the ledger of a file, followed for a model. Everything that learns from pairs, evaluates or predicts them reads
 * them here, so what a prediction sees is what training saw at that point of the log, bit for bit.
 */
#ifndef SG_MODELS_SCADYG_READER_H
#define SG_MODELS_SCADYG_READER_H

#include "models/scadyg/scadyg.h"

/* Where pairs stand in the log: they see the first `seen` events, as of `at`. */
typedef struct sg_place {
    uint64_t seen;
    double at;
} sg_place;

typedef struct sg_pair_reader {
    sg_view *view;
    sg_ledger *ledger;
    sg_place reached;
    sg_read_plan read_plan; /* being read */
    /* Out, of the latest read: normalised rows. */
    float *nodes, *between;
    size_t node_room, between_room;
    /* The rows of the read begun, or of the one before the latest. */
    float *other_nodes, *other_between;
    size_t other_node_room, other_between_room;
} sg_pair_reader;

int sg_pair_reader_open(sg_pair_reader *reader, sg_view *view, scadyg_error *error);
void sg_pair_reader_close(sg_pair_reader *reader); /* also of a zeroed one */
void sg_pair_reader_rewind(sg_pair_reader *reader);

/*
 * What the model sees there. Live: as given. Stepwise: the events of the steps before `step` (-1: before the one
 * that `at` falls in), as of right after the latest of them; never more than `seen`.
 */
sg_place sg_reader_place(const sg_view *view, int64_t step, double at, uint64_t seen);

/* Reads as planned (without outputs of the plan's own) into the reader's rows. Going back in time rewinds. */
int sg_pair_reader_run_raw(sg_pair_reader *reader, const sg_read_plan *read_plan,
                           scadyg_error *error); /* not normalised */
int sg_pair_reader_run(sg_pair_reader *reader, const sg_read_plan *read_plan, scadyg_error *error);

/* Normalises the row of a pair, as reading does. */
void sg_pair_reader_normalise(const sg_pair_reader *reader, float *between);

/*
 * The same in two: the workers read while the caller works with the rows of the latest read, which stay until
 * sg_pair_reader_finish. What the plan points to must stay until then too.
 */
int sg_pair_reader_start(sg_pair_reader *reader, const sg_read_plan *read_plan, scadyg_error *error);
int sg_pair_reader_finish(sg_pair_reader *reader, scadyg_error *error);
void sg_pair_reader_drop(sg_pair_reader *reader); /* instead of finishing: what was begun is forgotten */

/* Follows all events of the file; the newest time stays open, so that the state can be kept and go on. */
int sg_pair_reader_follow(sg_pair_reader *reader, scadyg_error *error);

/* Pairs and nodes that are read at a time. */
typedef struct sg_read_size {
    uint64_t pairs, nodes;
} sg_read_size;

/* Bytes of what is read of so many: that of the ledger, the rows, and what the first layer makes of nodes. */
uint64_t sg_pair_reader_bytes(const scadyg_model *model, sg_read_size size);

/* What of the memory is not for the ledger. */
typedef struct sg_beside {
    uint64_t pages;       /* of the events file */
    uint64_t batches;     /* rows of chunks that are learned from or asked about, and what learning makes of them */
    uint64_t evaluations; /* what negatives are drawn from */
} sg_beside;

/* evaluations: that much, which does not follow from the memory. */
sg_beside sg_scadyg_beside(const sg_view *view, uint64_t memory, uint64_t evaluations);

/* Sets the model's plan of the ledger for training on events 0 .. train_end-1: rates from the events, room for pairs
 * from the memory. An error if the memory granted is not enough. */
int sg_scadyg_plan(scadyg_model *model, const sg_view *view, uint64_t train_end, uint64_t memory,
                   uint64_t evaluations, scadyg_error *error);

/* ---- The default model for links as a scorer, with a reader of the caller's ---- */

/* The caller does not use the reader at the same time: there is one ledger in memory, and it goes on from where the
 * caller left it. NULL: one of its own. */
struct sg_retriever;
void sg_scadyg_scorer_retriever(const sg_scorer *scorer, struct sg_retriever *retriever); /* who asks shares it */
int sg_scadyg_scorer_share(sg_view *view, sg_pair_reader *reader, sg_scorer *scorer, scadyg_error *error);

/* Bytes of its ledger. */
uint64_t sg_scadyg_scorer_used(const sg_scorer *scorer);

/* Where such a scorer puts the parts of chances; nowhere at first. */
sg_pair_parts *sg_scadyg_scorer_parts(const sg_scorer *scorer);

#endif
