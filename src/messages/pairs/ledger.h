/*
 * The ledger: everything that passes between nodes, as of a point of the log. It follows a file of events in the order of
 * time and says of any pair, strictly before its time, what the default model reads.
 *
 *   node messages      per node: decayed counts of its events as source and as destination (tallies), how long ago the
 *                      latest was, decayed sums of edge features, its own stored features
 *   pair messages      per ordered pair: decayed counts, and weights if there are any; time since the last contact by the
 *                      clock and by the events of either node since (pair_store.h)
 *   transitions        per ordered pair of destinations: how often a source that had met the one last met the other next;
 *                      the same after the latest two (successors.h)
 *   latest partners    per node: which place each has with the other, and whom both have (recent.h)
 *   together           which destinations sources choose shortly after each other, and which sources come to a destination
 *                      shortly after each other (links.h)
 *   vectors            of destinations, learned as events come (vectors.h); where they are asked for
 *
 * One code path for training, evaluating and predicting: a read plan lists groups of pairs, each with the events it may
 * see; the ledger follows the log and reads each group at its place. State advances in time order, but its parts (the
 * exact counts, and the vectors) do not depend on each other, so a thread takes one part through the whole read plan. The
 * same bytes for any number of threads, and for any cut of the same pairs into read plans.
 */
#ifndef SG_MESSAGES_PAIRS_LEDGER_H
#define SG_MESSAGES_PAIRS_LEDGER_H

#include "base/context.h"
#include "base/state_file.h"
#include "events/file.h"
#include "messages/pairs/pair_store.h"

/* Parts that can be left out: their numbers are 0. */
enum {
    SG_LEDGER_NO_NODES = 1,
    SG_LEDGER_NO_PAIRS = 2,
    SG_LEDGER_NO_TRANSITIONS = 4,
    SG_LEDGER_NO_PARTNERS = 8,
    SG_LEDGER_NO_TOGETHER = 16,
    SG_LEDGER_ONE_RATE = 32 /* all rates are the slowest but one */
};

#define SG_LEDGER_FEATURES 16 /* edge (node) features kept per node; more are projected on so many */

/* What a model keeps of a ledger: with the events it gives the same numbers again. */
typedef struct sg_ledger_plan {
    sg_rates rates;      /* of tallies and pairs, the slowest first */
    uint64_t pair_bytes; /* bound of all stores of pairs together */
    uint64_t vectors;    /* destinations that have vectors, at most; 0 where there are none */
} sg_ledger_plan;

typedef struct sg_ledger_options {
    sg_ledger_plan plan;
    int weighted;         /* use the events' weights */
    size_t edge_features; /* of the events, used if not 0 */
    size_t node_features; /* stored, used if not 0 */
    unsigned without;
    int vectors; /* of destinations are learned; plan.vectors is then at least 1 */
} sg_ledger_options;

/*
 * Rates without tuning: SG_RATES of them, log-spaced, from one over the time of the training part to one over the
 * shortest tenth of the gaps between events of a source in it.
 */
int sg_ledger_rates(const sg_columns *columns, uint64_t nodes, uint64_t train_end, sg_rates *rates,
                    scadyg_error *error);

typedef struct sg_ledger sg_ledger;

/* context, columns and keys[nodes] (sg_events_keys) are the caller's and must stay. */
int sg_ledger_open(scadyg_context *context, const sg_ledger_options *options, const sg_columns *columns,
                   const uint64_t *keys, size_t nodes, sg_ledger **ledger, scadyg_error *error);
void sg_ledger_close(sg_ledger *ledger); /* NULL is fine */
void sg_ledger_rewind(sg_ledger *ledger);

/* How long the rows are. */
typedef struct sg_ledger_widths {
    size_t node;    /* a node's row */
    size_t between; /* a pair's row */
    size_t rates;   /* its first numbers: counts at all rates, both directions */
} sg_ledger_widths;
sg_ledger_widths sg_ledger_widths_of(const sg_ledger_options *options);

/* Bytes it takes for so many nodes, so many of them sources, without the pairs and the vectors; for the vectors of so many
 * destinations, within their bound; and those it takes now, with all. */
uint64_t sg_ledger_bytes(const sg_ledger_options *options, uint64_t nodes, uint64_t sources);
uint64_t sg_ledger_vector_bytes(const sg_ledger_options *options, uint64_t destinations);
uint64_t sg_ledger_used(const sg_ledger *ledger);

/* Bytes of what its parts say of so many pairs that are read at a time, before that is put together into rows. */
uint64_t sg_ledger_read_bytes(const sg_ledger_options *options, uint64_t pairs);
uint64_t sg_ledger_pairs(const sg_ledger_options *options); /* ordered pairs that fit */

/* Bytes that its stores of pairs take at most over so many nodes and events, within their bounds. */
uint64_t sg_ledger_store_bytes(const sg_ledger_options *options, uint64_t nodes, uint64_t events);

/* Bytes that the pairs and the vectors take at most over any log. */
uint64_t sg_ledger_bound(const sg_ledger_options *options);

/*
 * Pairs first .. end-1 see the first `seen` events, none of which is at or after `at`. Where `seen` parts events of one
 * time, none of that time is seen.
 */
typedef struct sg_ledger_group {
    uint64_t seen;
    double at;
    size_t first, end;
} sg_ledger_group;

/*
 * Groups with `seen` and `at` never decreasing, nor from one read plan to the next (else rewind first). nodes may be NULL;
 * else node rows are read too: node_first[g] .. node_first[g + 1] - 1 are those of group g.
 */
typedef struct sg_read_plan {
    const sg_ledger_group *groups;
    size_t count;
    const uint32_t *src, *dst; /* pairs */
    float *between;            /* out [pairs][between], not normalised */
    const uint32_t *nodes;     /* NULL: none */
    const size_t *node_first;  /* [count + 1] */
    float *node_rows;          /* out [node_first[count]][node] */
} sg_read_plan;

/* Reads all of it. Without memory it fails, and only rewinding or closing may follow. */
int sg_ledger_run(sg_ledger *ledger, const sg_read_plan *read_plan, scadyg_error *error);

/*
 * The same in two: the workers of the context begin, and the caller has other things to do meanwhile. What the read plan
 * points to must stay.
 */
int sg_ledger_start(sg_ledger *ledger, const sg_read_plan *read_plan, scadyg_error *error);
int sg_ledger_finish(sg_ledger *ledger, scadyg_error *error);
void sg_ledger_drop(sg_ledger *ledger); /* instead of finishing: only rewinding or closing may follow */

/*
 * ---- A log that grows (ledger_grow.c) ----
 *
 * Events are handed over as they come and are not needed again: columns has the new ones, in any place but 0, which has the
 * first event of the log. Read plans then have groups that see 0 events more.
 */

/* The next events, first .. end-1 of the columns, of which `first` has this number in the log. The newest time may go on with
 * the next call: whatever is asked in between, the state is that of all events together. After a failure only closing may
 * follow. */
int sg_ledger_observe(sg_ledger *ledger, uint64_t first, uint64_t end, uint64_t number, scadyg_error *error);

/* More nodes, of which nothing is known. keys[nodes] takes the place of the keys given before. */
int sg_ledger_grow(sg_ledger *ledger, const uint64_t *keys, size_t nodes, scadyg_error *error);

/* A copy [sg_ledger_size()] that a thread reads from while others read from theirs and nobody observes: its read plans see no
 * more events. It shares the state, and is not to be closed. */
size_t sg_ledger_size(void);
void sg_ledger_share(const sg_ledger *shared, sg_ledger *copy);

/* Which of these a source has met, as far as it is remembered. 0: the ledger keeps no pairs. */
int sg_ledger_met(const sg_ledger *ledger, uint32_t src, const uint32_t *dst, size_t count, unsigned char *met);

/* ---- Snapshots (ledger_snapshot.c) ---- */

enum { SG_STATE_LEDGER = 1 }; /* sections from this kind on, below 40 */

/* Lists all of the state of the first `nodes`, which must stay until it is written. */
void sg_ledger_save(const sg_ledger *ledger, size_t nodes, sg_state_writer *writer);

/*
 * Takes the place of what a ledger just opened knows, which has as many nodes as were saved; the reader must stay. The log it
 * was made of had `taken` events, the newest of which has this time: nothing in the file is later. Whatever is in the file, the ledger is safe to use; after a failure only closing may follow.
 */
int sg_ledger_load(sg_ledger *ledger, const sg_state_reader *reader, uint64_t taken, double newest,
                   scadyg_error *error);

/* The same in one: a ledger of a snapshot, to which more nodes may be added. */
int sg_ledger_open_state(scadyg_context *context, const sg_ledger_options *options, const sg_columns *columns,
                         const uint64_t *keys, size_t nodes, const sg_state_reader *reader, uint64_t taken,
                         double newest, sg_ledger **ledger, scadyg_error *error);

/* How many events read plans may count on as taken in: after sg_ledger_observe over the columns of a file. */
void sg_ledger_set_taken(sg_ledger *ledger, uint64_t taken);
uint64_t sg_ledger_taken(const sg_ledger *ledger);

/* The newest time, if more of it may come, and what it has taken in goes on from there. NaN: there is none. */
double sg_ledger_open_time(const sg_ledger *ledger);

#endif
