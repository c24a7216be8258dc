/* The parts of the ledger, for its own files. */
#ifndef SG_MESSAGES_PAIRS_LEDGER_PARTS_H
#define SG_MESSAGES_PAIRS_LEDGER_PARTS_H

#include "messages/pairs/ledger.h"
#include "messages/pairs/links.h"
#include "messages/pairs/recent.h"
#include "messages/pairs/successors.h"
#include "messages/pairs/vectors.h"

#define SG_LEDGER_NOBODY UINT32_MAX

/*
 * A node in one role, a cache line. tally.clock[0]: partners it has met; clock[1]: events at its latest time.
 */
typedef struct sg_role {
    sg_tally tally;
    float fresh[2]; /* of tally.count at SLOW and MIDDLE, the part that were first contacts */
} sg_role;

/* What the exact counts keep of a node. */
typedef struct sg_node_record {
    sg_role out, in;   /* its events as source and as destination */
    sg_tally from;     /* transitions from it, as a destination, to the next one */
    uint32_t previous; /* the destination it met last; SG_LEDGER_NOBODY: none */
    uint32_t earlier;  /* the one before that */
} sg_node_record;

/* Its latest partners. */
typedef struct sg_node_lists {
    sg_recent out, in;
} sg_node_lists;

struct sg_ledger {
    sg_ledger_options options;
    sg_ledger_widths widths;
    scadyg_context *context;
    const sg_columns *columns;
    const uint64_t *keys;
    size_t nodes;

    /* The exact counts. */
    sg_node_record *record; /* [nodes] */
    sg_node_lists *lists;   /* [nodes] */
    sg_tally all;           /* every event */
    sg_links *items;        /* of a destination: which ones its sources had chosen before it */
    sg_links *peers;        /* of a source: who had come before it to where it went */
    sg_successors *successors;
    sg_pair_store *pairs, *transitions;
    size_t edge_kept, node_kept; /* features per node after projection */
    float *edge_sums;            /* [nodes][2][edge_kept], as of edge_time */
    double *edge_time;           /* [nodes] */
    float *edge_signs;           /* [edge_features][edge_kept]: the projection; NULL: none needed */
    float *node_signs;
    uint64_t counted; /* events taken in */

    sg_vectors *vectors;
    uint64_t learned; /* events that the vectors have learned from */
    size_t vector_width;
    float *identity; /* [length][vector_width] of the read plan at work */
    size_t identity_room;
    int identity_status;
    scadyg_error identity_error;

    /* Of the read plan at work. */
    sg_read_plan read_plan;
    sg_background job;
    size_t length; /* pairs of the whole read plan */
    float *raw;    /* [length][SG_RAW] */
    size_t raw_room;
    int status; /* of the exact counts */
    scadyg_error error;
};

/* Of a pair, numbers that become logarithms: of its life, both directions (age of the first contact, contacts, usual gap);
 * common partners; items and peers; what comes after two. Then those that do not. */
enum {
    SG_LIFE_LOGS = 0,
    SG_COMMON_LOGS = SG_LIFE_LOGS + 2 * 3,
    SG_ITEM_LOGS = SG_COMMON_LOGS + 8,
    SG_PEER_LOGS = SG_ITEM_LOGS + 7,
    SG_AFTER_LOGS = SG_PEER_LOGS + 3,
    SG_MORE_LOGS = SG_AFTER_LOGS + 3,
    SG_MORE = 2 * 6 + 2 + 6
};

/*
 * What the exact counts say of a pair, before logarithms. Numbers before SG_RAW_LOGS are then brought to logarithms;
 * those of weights are always there, and 0 without weights.
 */
enum {
    SG_RAW_UV = 0,                   /* decayed counts of u -> v */
    SG_RAW_VU = SG_RATES,            /* of v -> u */
    SG_RAW_UV_WEIGHT = 2 * SG_RATES, /* decayed weights */
    SG_RAW_VU_WEIGHT = 3 * SG_RATES,
    SG_RAW_AGES = 4 * SG_RATES,         /* time since the last contact, in units of the shortest memory; uv, vu */
    SG_RAW_CLOCKS = SG_RAW_AGES + 2,    /* events since: of u and v after u -> v, of v and u after v -> u */
    SG_RAW_NEXT = SG_RAW_CLOCKS + 4,    /* transitions from u's latest to v: two rates, also a hundredfold */
    SG_RAW_LEFT = SG_RAW_NEXT + 4,      /* transitions from u's latest to anyone: two rates */
    SG_RAW_MORE_LOGS = SG_RAW_LEFT + 2, /* SG_MORE_LOGS of them */
    SG_RAW_LOGS = SG_RAW_MORE_LOGS + SG_MORE_LOGS,
    SG_RAW_MET = SG_RAW_LOGS,      /* 0 or 1: uv, vu */
    SG_RAW_SAME = SG_RAW_MET + 2,  /* v is u's latest */
    SG_RAW_MORE = SG_RAW_SAME + 1, /* SG_MORE of them */
    SG_RAW = SG_RAW_MORE + SG_MORE
};

/* Takes events into the exact counts, all events of a time in one call. */
int sg_exact_add(sg_ledger *ledger, uint64_t first, uint64_t end, scadyg_error *error);

/* Brings what these pairs, at most SG_PAIR_GROUP, will touch into the cache. */
void sg_exact_prefetch(const sg_ledger *ledger, const uint32_t *src, const uint32_t *dst, size_t count);

void sg_exact_pair(const sg_ledger *ledger, uint32_t src, uint32_t dst, double at, float *raw);
void sg_exact_node(const sg_ledger *ledger, uint32_t node, double at, float *row); /* with logarithms */

/*
 * x[i] = sign(x) log(1 + |x|) in place, to about 1e-6 of the value: numbers that span many orders of magnitude, brought to
 * a size a net can learn from. The same bytes on every processor.
 */
void sg_log_rows(float *x, size_t count);

size_t sg_ledger_vector_width(const sg_ledger_options *options);

/* The row of a pair from what the exact counts and the vectors say. raw is used up. */
void sg_ledger_row(const sg_ledger *ledger, float *raw, const float *identity, float *row);

#endif
