/*
 * A live state inside: ids of nodes, events that are held back, and what answers.
 *
 *   live.c          opened, closed
 *   live_observe.c  told of events
 *   live_ids.c      nodes by their ids
 *   live_ask.c      questions
 *   live_log.c      models without a state that goes on: a predictor over the log, which is kept
 *   live_state.c    snapshots
 *
 * What a model of a kind with sg_live_kind keeps is in `state`; columns has the first event of the log in place 0 and the group of
 * events that is being taken in behind it.
 */
#ifndef SG_PREDICT_LIVE_PARTS_H
#define SG_PREDICT_LIVE_PARTS_H

#include "base/fair_lock.h"
#include "base/hash.h"
#include "predict/predictor.h"
#include "scadyg_live.h"

#include <pthread.h>
#include <sys/types.h>

enum { SG_LIVE_GROUP = 256 }; /* events that a reader may have to wait for */

/* ---- Nodes by their ids ---- */

typedef struct sg_live_ids {
    int integers, two_sides;
    size_t count, room;
    int64_t *integer; /* [room], or */
    uint64_t *offset; /* [room + 1] */
    char *text;
    size_t text_room;
    uint8_t *side; /* [room] where sources and destinations are separate; else NULL */
    uint64_t *key; /* [room]: as sg_events_keys has it */
    sg_hash_key hash;
    uint32_t *slots; /* [mask + 1], 1 + node; 0: free */
    size_t mask;
} sg_live_ids;

int sg_live_ids_open(sg_live_ids *ids, int integers, int two_sides, scadyg_error *error);
void sg_live_ids_close(sg_live_ids *ids);

/* Whether a text can be an id here: a sentence if not. */
int sg_live_ids_check(const sg_live_ids *ids, const char *id, scadyg_error *error);

/* The node; UINT32_MAX: there is none. side: 1 for destinations, where they are separate. */
uint32_t sg_live_ids_find(const sg_live_ids *ids, const char *id, size_t length, int side);

/* The same, added if it is new; UINT32_MAX without memory. */
uint32_t sg_live_ids_put(sg_live_ids *ids, const char *id, size_t length, int side);
uint32_t sg_live_ids_put_integer(sg_live_ids *ids, int64_t id, int side);

/* Room for so many, which come next. */
int sg_live_ids_reserve(sg_live_ids *ids, size_t count, scadyg_error *error);
size_t sg_live_ids_text(const sg_live_ids *ids, uint32_t node, char buffer[24], const char **text);

/* ---- Events that are held back ---- */

typedef struct sg_held_event {
    double time;
    uint64_t number; /* of arrival */
    char *ids;       /* source, NUL, destination, NUL; owned */
    float weight;
    float *features; /* owned; NULL: none */
} sg_held_event;

void sg_held_free(sg_held_event *held);

/* ---- Who asks ---- */

typedef struct sg_live_reader {
    struct sg_live_reader *next; /* of those that are free */
    sg_view view;                /* view.nodes: as many as its scorer has room for */
    void *reader;
    sg_scorer scorer;
} sg_live_reader;

struct scadyg_live {
    scadyg_context *context;
    const scadyg_model *model;
    const sg_live_kind *kind; /* NULL: the log is kept */
    pthread_mutex_t writer;   /* one observes at a time */
    sg_fair_lock lock;        /* on all that questions read */

    sg_live_ids ids;
    size_t weights, features;      /* numbers of an event: 0 or 1, and edge features */
    size_t node_limit;             /* nodes that memory is granted for */
    size_t capacity;               /* nodes that the state has room for */
    unsigned char *is_destination; /* [capacity] */
    size_t destinations;           /* of those */
    size_t rank_all;               /* see rank.h */
    uint64_t events, late, arrived;
    double first_time, newest;
    int lost; /* memory ran out in the middle of an event */

    double window, latest; /* latest: of all that have arrived */
    sg_held_event *held;   /* [held_count]: a heap, the earliest first */
    size_t held_count, held_room;

    /* A kind with a state. */
    void *state;
    sg_view view;
    sg_columns columns;
    struct {
        uint32_t src[SG_LIVE_GROUP + 1], dst[SG_LIVE_GROUP + 1];
        double time[SG_LIVE_GROUP + 1];
        float weight[SG_LIVE_GROUP + 1];
        float *features; /* [SG_LIVE_GROUP + 1][features] */
    } group;
    size_t grouped;       /* events in the group */
    float *node_features; /* [capacity][node features] */
    size_t node_width;
    sg_state_reader from; /* the snapshot it began with */
    pthread_mutex_t readers;
    sg_live_reader *free_readers;

    /* Otherwise. */
    struct sg_live_log *log;

    /* A snapshot that is being written. The mutex comes before that of the writer, and nobody waits for the child with it. */
    pthread_mutex_t snapshots;
    pid_t child;
    sg_output output;
    int snapshot_status; /* of one that was written at once */
    scadyg_error snapshot_error;
    int snapshot_done;
};

static inline void sg_live_set_destination(scadyg_live *live, uint32_t node)
{
    live->destinations += !live->is_destination[node];
    live->is_destination[node] = 1;
}

/* Opened but for its events: with the ids and the limits that the model asks for. */
int sg_live_new(scadyg_context *context, const scadyg_model *model, const scadyg_shape *shape, scadyg_live **live,
                scadyg_error *error);

/* Room for so many nodes. */
int sg_live_grow(scadyg_live *live, size_t nodes, scadyg_error *error);

/* Opens the state, whose first event is in place 0 of the columns. */
int sg_live_open_state(scadyg_live *live, scadyg_error *error);

/* Bytes that a node takes beside what a predictor keeps of it; and whether so much fits, of a file (or ""). */
uint64_t sg_live_node_bytes(const scadyg_live *live);
int sg_live_check_size(const scadyg_live *live, const char *path, uint64_t nodes, uint64_t events, double newest,
                       scadyg_error *error);

int sg_live_check(const scadyg_live *live, scadyg_error *error); /* it was lost */

/* ---- The log, kept ---- */

/* Events as they are added to it: with node numbers. The predictor follows when it is asked. */
int sg_live_log_open(scadyg_live *live, scadyg_error *error);
void sg_live_log_close(struct sg_live_log *log); /* NULL is fine */
int sg_live_log_add(scadyg_live *live, uint32_t src, uint32_t dst, double time, const float *weight,
                    const float *features, scadyg_error *error);
int sg_live_log_follow(scadyg_live *live, scadyg_error *error); /* what can be followed before a question comes */

/* The same after new events, for as many nodes as there is room for. It cannot fail: the events are in the log, and what could
 * not follow them is opened anew by the next question, which says why if it fails too. */
void sg_live_log_go_on(scadyg_live *live);

/* After a question that failed: what it may have left half done is opened anew by the next. */
void sg_live_log_drop(scadyg_live *live);
int sg_live_log_check(const scadyg_live *live, uint64_t nodes, uint64_t events,
                      scadyg_error *error); /* of its size */
uint64_t sg_live_log_bytes(const struct sg_live_log *log);

/* Its columns in a snapshot, and back. */
void sg_live_log_save(const struct sg_live_log *log, sg_state_writer *writer);
int sg_live_log_load(scadyg_live *live, const sg_state_reader *reader, scadyg_error *error);

/* A predictor over all events, for scores and rankings; and for what else a kind can do. */
int sg_live_log_predictor(scadyg_live *live, int beyond_scores, scadyg_predictor **predictor, scadyg_error *error);

#endif
