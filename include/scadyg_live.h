/*
 * scadyg_live.h - events as they come.
 *
 *   1. Concepts and caveats
 *   2. Opening and closing
 *   3. Observing events
 *   4. Nodes
 *   5. Questions
 *   6. Snapshots
 *   7. The state of a predictor, kept beside its log
 *
 * ---- 1. Concepts and caveats -------------------------------------------------------------------------------
 *
 * A live state joins a model with a log that grows. It is told of events, by the ids of their nodes, and answers as of the
 * newest of them. After the same events it gives the same bytes as a predictor over a file of them.
 *
 * Order. Time never goes back. A late event, one whose time is before the newest, is kept and counted, and taken in as of the
 *   newest time, in the order of arrival: scadyg_live_observe says at which time each was taken in, and a file of the events
 *   with these times gives the same answers. With a window (scadyg_live_set_window) events are held back so long and sorted.
 *   Events of one time are blind to each other, as everywhere; it makes no difference what is asked between them.
 *
 * Time of a question. Any time after the newest event; NaN: just after it. What lies further back is not kept: open a
 *   predictor over the log for that.
 *
 * Threads. One thread observes, any number ask. Whoever asks waits for the observer for no longer than a group of 256 events
 *   takes, and sees the state between two events. A group may have to grow tables or to forget pairs, and then takes longer the
 *   larger the state is (docs/live.md). The observer waits for questions that are being answered; when it has waited for 20 ms,
 *   new ones wait behind it, so that it has its turn. Questions to models that keep their log (below) are answered one at a
 *   time, and one of them may have to follow all of the log while the others and the observer wait.
 *
 * Memory. Nodes and pairs appear as they come. Of the model "scadyg" (not stepwise) the log is not kept: an event is needed
 *   until it is taken in. The bounds of the pairs and vectors are the model's (docs/default.md, "Memory"): beyond them the quarter
 *   of the pairs whose last contact is longest ago is forgotten, as if they had never met. Bounds that do not fit into the
 *   context's memory (half of the machine's, if none was set) refuse opening and restoring (SCADYG_E_MEMORY). A node takes a
 *   fixed number of bytes and is never forgotten: when what the bounds leave is used up, scadyg_live_observe returns
 *   SCADYG_E_MEMORY, and the state is as it was. All other models keep the log, 16 bytes and more for an event, and refuse
 *   events when it would take more than that memory.
 *
 * Errors. As everywhere: a status and a sentence. Where memory ran out in the middle of an event the state is lost, and every
 *   later call says so; the latest snapshot is as it was.
 */
#ifndef SCADYG_LIVE_H
#define SCADYG_LIVE_H

#include "scadyg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 2. Opening and closing ------------------------------------------------------------------------------- */

typedef struct scadyg_live scadyg_live;

/* Of the events of a file, or of none yet (events NULL). The context and the model must stay; the events need not. */
SCADYG_API int scadyg_live_open(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                                scadyg_live **live, scadyg_error *error);
SCADYG_API void scadyg_live_close(scadyg_live *live); /* NULL is fine; no call may be using it */

typedef struct scadyg_live_info {
    size_t size;     /* sizeof(scadyg_live_info), set by the caller */
    uint64_t events; /* taken in */
    uint64_t nodes;
    uint64_t late;      /* of the events, taken in as of a later time than their own */
    uint64_t held;      /* by the window, beside the events */
    double first_time;  /* NaN: there is no event yet */
    double newest_time; /* of the events taken in */
    uint64_t bytes;     /* that the state takes */
    int keeps_log;      /* the log is kept, see above */
} scadyg_live_info;
SCADYG_API void scadyg_live_look(scadyg_live *live, scadyg_live_info *info);

/* ---- 3. Observing events ---------------------------------------------------------------------------------- */

typedef struct scadyg_live_events {
    size_t size; /* sizeof(scadyg_live_events) */
    size_t count;
    const char *const *src, *const *dst; /* [count]: ids as in a log */
    const double *time;                  /* [count] */
    const float *weight;                 /* [count]; NULL where the model knows none */
    const float *features;               /* [count][edge features that the model knows]; NULL without */
} scadyg_live_events;

/*
 * Events in the order of arrival. All of them are looked at before the first is taken: one that is no event (an empty id, a
 * time that is not finite) refuses all. taken[count] (may be NULL): the time at which each is taken in, its own or, for late
 * ones, that of the newest event before it.
 */
SCADYG_API int scadyg_live_observe(scadyg_live *live, const scadyg_live_events *events, double *taken,
                                   scadyg_error *error);

/* Events are held until one comes that is at least so much newer, and taken in by time; 0 at first: at once. Questions see what
 * has been taken in. */
SCADYG_API int scadyg_live_set_window(scadyg_live *live, double window, scadyg_error *error);

/* Takes in what is held. */
SCADYG_API int scadyg_live_flush(scadyg_live *live, scadyg_error *error);

/* ---- 4. Nodes: numbered from 0 in the order in which they came (source before destination) ------------------ */

SCADYG_API int scadyg_live_find(scadyg_live *live, int role, const char *id, uint32_t *node, scadyg_error *error);

/* As scadyg_node_name. */
SCADYG_API int scadyg_live_name(scadyg_live *live, uint32_t node, char *buffer, size_t size, size_t *length,
                                scadyg_error *error);

/* ---- 5. Questions, as those of section 8 of scadyg.h; at NaN: just after the newest event -------------------- */

SCADYG_API int scadyg_live_score(scadyg_live *live, const uint32_t *src, const uint32_t *dst, size_t count,
                                 double at, double *score, scadyg_error *error);
SCADYG_API int scadyg_live_rank(scadyg_live *live, uint32_t source, double at, int how, size_t top, uint32_t *nodes,
                                double *scores, double *probabilities, size_t *count, scadyg_error *error);
SCADYG_API int scadyg_live_embed(scadyg_live *live, double at, const uint32_t *nodes, size_t count, float *out,
                                 scadyg_error *error);
SCADYG_API int scadyg_live_affinity(scadyg_live *live, uint32_t node, double at, double *out, scadyg_error *error);

/* ---- 6. Snapshots: a file that is mapped when it is read ---------------------------------------------------- */

/* All of the state as it is now, whole or not at all. Nothing is observed meanwhile; questions are answered, but wait where the
 * log is kept. */
SCADYG_API int scadyg_live_snapshot(scadyg_live *live, const char *path, scadyg_error *error);

/*
 * The same in the background: what is observed after the call is not in it. A child process writes (fork), which sees the state
 * as it was; pages that change meanwhile take memory twice. Where there can be no child it is written at once. _finish waits
 * for it, while others observe and ask, and says what came of it; with wait 0 it returns at once, *done 0, if it is not done.
 * One at a time.
 */
SCADYG_API int scadyg_live_snapshot_start(scadyg_live *live, const char *path, scadyg_error *error);
SCADYG_API int scadyg_live_snapshot_finish(scadyg_live *live, int wait, int *done, scadyg_error *error);

/* A live state from a snapshot of the same model. The file must not be written to while it is open; to replace it is fine. */
SCADYG_API int scadyg_live_restore(scadyg_context *context, const scadyg_model *model, const char *path,
                                   scadyg_live **live, scadyg_error *error);

/*
 * ---- 7. The state of a predictor, kept beside its log ---------------------------------------------------------
 *
 * For programs that answer a question and end, as the command line does: the state after all events of a file is written once
 * and read the next time, if it is of the same model and of the same events, or of those that the file began with before it
 * grew. Only what is new is then followed.
 */
typedef struct scadyg_kept {
    size_t size;       /* sizeof(scadyg_kept), set by the caller */
    int can;           /* this model has a state that is worth keeping */
    uint64_t known;    /* events whose state was read */
    uint64_t followed; /* events that were followed beyond them */
    char note[256];    /* why a file that is there was not used; "": it was, or there is none */
} scadyg_kept;

/* As scadyg_predictor_open, with all events followed. A file that is missing, damaged or of something else is no failure. */
SCADYG_API int scadyg_predictor_open_kept(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                                          const char *path, scadyg_predictor **predictor, scadyg_kept *kept,
                                          scadyg_error *error);

/* Writes it. A file of that name that is no state (SCADYG_E_USAGE) or cannot be read is left alone. Only before the predictor was
 * asked about a time before its last event. */
SCADYG_API int scadyg_predictor_keep(scadyg_predictor *predictor, const char *path, scadyg_error *error);

#ifdef __cplusplus
}
#endif

#endif
