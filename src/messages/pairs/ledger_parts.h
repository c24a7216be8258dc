/* The parts of the ledger, for its own files. */
#ifndef SG_MESSAGES_PAIRS_LEDGER_PARTS_H
#define SG_MESSAGES_PAIRS_LEDGER_PARTS_H

#include "base/state_file.h"
#include "messages/pairs/ledger.h"
#include "messages/pairs/links.h"
#include "messages/pairs/recent.h"
#include "messages/pairs/successors.h"
#include "messages/pairs/vectors.h"

#define SG_LEDGER_NOBODY UINT32_MAX

/* Parts that do not depend on each other: a thread takes one of them through a whole read plan. */
enum { SG_PART_COUNTS, SG_PART_LISTS, SG_PART_VECTORS, SG_LEDGER_PARTS };

/*
 * A node in one role, a cache line. tally.clock[0]: partners it has met; clock[1]: events at its latest time.
 */
typedef struct sg_node_role {
    sg_tally tally;
    float fresh[2]; /* of tally.count at SLOW and MIDDLE, the part that were first contacts */
} sg_node_role;

/* What the counts keep of a node. */
typedef struct sg_node_record {
    sg_node_role out, in;       /* its events as source and as destination */
    sg_tally from;              /* transitions from it, as a destination, to the next one */
    uint32_t previous, earlier; /* the destinations it met last, and before that; SG_LEDGER_NOBODY: none */
} sg_node_record;

/* What the lists keep of a node in one role: two cache lines. */
typedef struct sg_role_lists {
    sg_recent recent; /* its latest partners */
    sg_link_place
        links;       /* as source: who had come before it to where it went (peers); as destination: which ones its
                                 sources had chosen before it (items) */
    uint32_t events; /* in this role */
    uint32_t unused[5];
} sg_role_lists;

typedef struct sg_node_lists {
    sg_role_lists out, in;
} sg_node_lists;

struct sg_open_time;

/* The arrays of nodes. */
enum { SG_ROOM_RECORDS, SG_ROOM_LISTS, SG_ROOM_EDGE_SUMS, SG_ROOM_EDGE_TIME, SG_NODE_ARRAYS };

struct sg_ledger {
    sg_ledger_options options;
    sg_ledger_widths widths;
    scadyg_context *context;
    const sg_columns *columns;
    const uint64_t *keys;
    size_t nodes;
    size_t room[SG_NODE_ARRAYS]; /* nodes that each has room for: they grow one by one, and one may fail */
    sg_state_range mapped;       /* what lies there is of a file */
    struct sg_open_time *open;   /* the newest time, which may go on (ledger_grow.c); NULL: all times are whole */

    /* The counts. */
    sg_node_record *record; /* [nodes] */
    sg_tally all;           /* every event */
    sg_pair_store *pairs, *transitions;
    sg_successors *successors;
    size_t edge_kept, node_kept; /* features per node after projection */
    float *edge_sums;            /* [nodes][2][edge_kept], as of edge_time */
    double *edge_time;           /* [nodes] */
    float *edge_signs;           /* [edge_features][edge_kept]: the projection; NULL: none needed */
    float *node_signs;

    /* The lists. */
    sg_node_lists *lists; /* [nodes] */
    sg_links *items, *peers;

    sg_vectors *vectors;
    size_t vector_width;

    /* Of the read plan at work: each part has taken in so many events, and reads into a row of its own. */
    sg_read_plan read_plan;
    sg_background job;
    size_t length; /* pairs of the whole read plan */
    struct {
        uint64_t taken;
        float *rows; /* [length][width] */
        size_t width, room;
        int status;
        scadyg_error error;
    } part[SG_LEDGER_PARTS];
};

/*
 * What the counts say of a pair, before logarithms. Numbers before SG_RAW_LOGS are then brought to logarithms;
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
    SG_RAW_LIFE = SG_RAW_LEFT + 2,      /* age of the first contact, contacts, usual gap; uv, vu */
    SG_RAW_AFTER = SG_RAW_LIFE + 2 * 3, /* v after u's latest two, also a hundredfold; anything after them */
    SG_RAW_LOGS = SG_RAW_AFTER + 3,
    SG_RAW_MET = SG_RAW_LOGS,     /* 0 or 1: uv, vu */
    SG_RAW_SAME = SG_RAW_MET + 2, /* v is u's latest */
    SG_RAW_SHARES =
        SG_RAW_SAME + 1, /* of the log, of u's and of v's events; how overdue; once, more often; uv, vu */
    SG_RAW_LAST = SG_RAW_SHARES + 2 * 6, /* who was last */
    SG_RAW_SELF = SG_RAW_LAST + 1,       /* u is v */
    SG_RAW = SG_RAW_SELF + 1
};

/* What the lists say of it. */
enum {
    SG_LIST_COMMON = 0,                 /* partners that both have: four ways to take two lists, then by place */
    SG_LIST_ITEMS = SG_LIST_COMMON + 8, /* v with u's latest destinations */
    SG_LIST_PEERS = SG_LIST_ITEMS + 7,  /* u with v's latest sources */
    SG_LIST_LOGS = SG_LIST_PEERS + 3,   /* up to here brought to logarithms */
    SG_LIST_PLACES = SG_LIST_LOGS,      /* among the latest partners */
    SG_LIST = SG_LIST_PLACES + 6
};

/* Of a node in one role: numbers that become logarithms, and others. */
enum { SG_ROLE_LOGS = 3, SG_ROLE_PLAIN = 7 };

/* Take in events, all events of a time in one call. */
int sg_counts_add(sg_ledger *ledger, uint64_t first, uint64_t end, scadyg_error *error);
int sg_lists_add(sg_ledger *ledger, uint64_t first, uint64_t end, scadyg_error *error);
void sg_lists_clear(sg_node_lists *lists, size_t nodes);

/* A partner more, as the latest. */
void sg_lists_meet(sg_role_lists *role, uint32_t partner);

/* Nodes first .. nodes-1 as if nothing were known of them. */
void sg_ledger_clear_nodes(sg_ledger *ledger, size_t first);

void sg_open_time_close(struct sg_open_time *open); /* NULL is fine */
void sg_open_time_clear(struct sg_open_time *open);

/* Two sections from `kind` on. */
void sg_open_time_save(const struct sg_open_time *open, uint32_t kind, sg_state_writer *writer);
int sg_open_time_load(sg_ledger *ledger, uint32_t kind, const sg_state_reader *reader, scadyg_error *error);

/* Bring what these pairs, at most SG_PAIR_GROUP, will touch into the cache. */
void sg_counts_prefetch(const sg_ledger *ledger, const uint32_t *src, const uint32_t *dst, size_t count);
void sg_lists_prefetch(const sg_ledger *ledger, const uint32_t *dst, size_t count);

void sg_counts_pair(const sg_ledger *ledger, uint32_t src, uint32_t dst, double at, float *raw);
void sg_lists_pair(const sg_ledger *ledger, uint32_t src, uint32_t dst, float *raw);
void sg_counts_node(const sg_ledger *ledger, uint32_t node, double at, float *row); /* with logarithms */

/* The same of a pair with nothing between, into cleared numbers: what is left is of the source. */
void sg_counts_blank(const sg_ledger *ledger, uint32_t src, double at, float *raw);

/*
 * x[i] = sign(x) log(1 + |x|) in place, to about 1e-6 of the value: numbers that span many orders of magnitude, brought to
 * a size a net can learn from. The same bytes on every processor.
 */
void sg_log_rows(float *x, size_t count);

size_t sg_ledger_vector_width(const sg_ledger_options *options);

/* The row of a pair from what the parts say of it, which is used up. */
void sg_ledger_row(const sg_ledger *ledger, float *raw, float *list, const float *identity, float *row);

#endif
