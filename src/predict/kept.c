/* The state of a predictor, kept beside its log. */
#include "predict/predictor.h"

#include "base/crc32c.h"
#include "base/memory.h"
#include "events/node_id.h"
#include "scadyg_live.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What it is the state of: checksums of the columns that a state depends on, over its events and nodes. */
typedef struct log_marks {
    uint64_t events, nodes;
    uint32_t whole;         /* of the file; the others need not be looked at where it is the same */
    uint32_t two_id_spaces; /* which a reader may choose, and that numbers the nodes */
    uint32_t columns[8];
    uint32_t ids, unused;
} log_marks;

enum { SECTION = 40 };

static uint32_t mark_model(const scadyg_model *model)
{
    return model->file_checksum ? model->file_checksum : scadyg_model_mark(model);
}

/* Of the first events and nodes of a file. */
static int mark_log(scadyg_context *context, scadyg_events *events, uint64_t count, uint64_t nodes,
                    log_marks *marks, scadyg_error *error)
{
    static const scadyg_column columns[] = {SCADYG_COLUMN_SRC, SCADYG_COLUMN_DST, SCADYG_COLUMN_TIME,
                                            SCADYG_COLUMN_WEIGHT, SCADYG_COLUMN_EDGE_FEATURES};
    const scadyg_shape *shape = scadyg_events_shape(events);
    sg_id_columns ids;
    memset(marks, 0, sizeof *marks);
    marks->events = count;
    marks->nodes = nodes;
    marks->whole = scadyg_events_checksum(events);
    marks->two_id_spaces = (uint32_t)(shape->two_id_spaces != 0);
    int status = sg_id_columns_open(events, &ids, error);
    for (size_t i = 0; i < sizeof columns / sizeof *columns && !status; i++) {
        const void *data = NULL;
        status = sg_events_column(context, events, columns[i], &data, error);
        if (data)
            marks->columns[i] = sg_events_sum(context, events, data, count * sg_column_size(shape, columns[i]));
    }
    if (status) return status;
    if (ids.integers) {
        marks->ids = sg_crc32c_parallel(context, ids.integers, (size_t)nodes * sizeof *ids.integers);
    } else {
        marks->ids = sg_crc32c_parallel(context, ids.offsets, (size_t)(nodes + 1) * sizeof *ids.offsets);
        marks->ids = sg_crc32c(marks->ids, ids.text, (size_t)ids.offsets[nodes]);
    }
    return SCADYG_OK;
}

/* Whether the state is of these events, or of those the file began with. *fits is 0 with a reason if not. */
static int check_marks(const scadyg_predictor *p, const log_marks *kept, int *fits, char *note, size_t size,
                       scadyg_error *error)
{
    scadyg_events *events = p->view.events;
    const scadyg_shape *shape = scadyg_events_shape(events);
    log_marks now;
    *fits = 0;
    snprintf(note, size, "it is of other events");
    if (kept->two_id_spaces != (uint32_t)(shape->two_id_spaces != 0) || kept->events > shape->events ||
        kept->nodes > shape->nodes || !kept->events || !kept->nodes)
        return SCADYG_OK;
    *fits = kept->whole == scadyg_events_checksum(events) && kept->events == shape->events &&
            kept->nodes == shape->nodes;
    if (*fits) return SCADYG_OK;
    int status = mark_log(p->view.context, events, kept->events, kept->nodes, &now, error);
    if (status) return status;
    now.whole = kept->whole;
    *fits = memcmp(&now, kept, sizeof now) == 0;
    return SCADYG_OK;
}

/* What was checked once is used as long as it is mapped: whoever may write to the file could change it in between. Of the owner
 * of the log it is taken, for the log is, too. */
static int is_trusted(const scadyg_predictor *p)
{
    struct stat log;
    const uint32_t owner = p->kept.owner;
    const int log_known = fstat(p->view.events->mapping.fd, &log) == 0;
    return !(p->kept.permissions & 022) &&
           (owner == (uint32_t)geteuid() || owner == 0 || (log_known && owner == (uint32_t)log.st_uid));
}

/* Sets the state that the scorer begins with, if there is one that fits. */
static int find_state(scadyg_predictor *p, const char *path, scadyg_kept *kept, scadyg_error *error)
{
    scadyg_error reason = {0};
    const log_marks *marks = NULL;
    int fits = 0, status = SCADYG_OK;
    if (!sg_exists(path)) return SCADYG_OK;
    if (sg_state_look(&p->kept, path, &reason)) {
        snprintf(kept->note, sizeof kept->note, "%.250s", reason.message);
    } else if (!is_trusted(p)) {
        snprintf(kept->note, sizeof kept->note, "others than you and the owner of the log may write to it");
    } else if (p->kept.model != mark_model(p->model)) {
        snprintf(kept->note, sizeof kept->note, "it is of another model");
    } else if (sg_state_take(&p->kept, SECTION, sizeof *marks, &marks, &reason) ||
               sg_state_verify(&p->kept, p->view.context, &reason)) {
        snprintf(kept->note, sizeof kept->note, "%.250s", reason.message);
    } else {
        status = check_marks(p, marks, &fits, kept->note, sizeof kept->note, error);
    }
    if (fits && !status) {
        p->view.state =
            (sg_view_state){&p->kept, marks->events, marks->nodes, p->view.columns->time[marks->events - 1]};
        kept->note[0] = 0;
    } else {
        sg_state_close(&p->kept);
    }
    return status;
}

static int open_scorer(scadyg_predictor *p, scadyg_kept *kept, scadyg_error *error)
{
    scadyg_error reason = {0};
    const sg_kind *kind = p->model->kind;
    if (!p->view.state.reader) return kind->scorer_open(kind, &p->view, &p->scorer, error);
    int status = kind->scorer_open(kind, &p->view, &p->scorer, &reason);
    if (!status) {
        kept->known = p->view.state.events;
        return SCADYG_OK;
    }
    /* One that is no good is no failure. */
    snprintf(kept->note, sizeof kept->note, "%.250s", reason.message);
    p->scorer = (sg_scorer){0};
    p->view.state = (sg_view_state){0};
    sg_state_close(&p->kept);
    return status == SCADYG_E_FORMAT ? kind->scorer_open(kind, &p->view, &p->scorer, error)
                                     : sg_fail(error, status, "%s", reason.message);
}

int scadyg_predictor_open_kept(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                               const char *path, scadyg_predictor **predictor, scadyg_kept *kept,
                               scadyg_error *error)
{
    const sg_kind *kind = model->kind;
    scadyg_kept own = {.size = sizeof own, .can = kind->live && kind->live->can(model)};
    scadyg_predictor *p = NULL;
    int status;
    if (!own.can) {
        status = scadyg_predictor_open(context, model, events, predictor, error);
        if (!status && kept) *kept = own;
        return status;
    }
    status = sg_predictor_new(context, model, events, &p, error);
    if (!status) status = find_state(p, path, &own, error);
    if (!status) status = open_scorer(p, &own, error);
    if (!status) status = kind->live->follow(p->scorer.context, error);
    status = sg_events_finish(status, events, error);
    if (status) {
        scadyg_predictor_close(p);
        return status;
    }
    own.followed = p->view.columns->count - own.known;
    p->is_followed = 1;
    *predictor = p;
    if (kept) *kept = own;
    return SCADYG_OK;
}

int scadyg_predictor_keep(scadyg_predictor *p, const char *path, scadyg_error *error)
{
    const sg_live_kind *live = p->model->kind->live;
    if (!p->is_followed)
        return sg_fail(error, SCADYG_E_USAGE, "the predictor was not opened with a state that can be kept");
    log_marks marks;
    sg_state_writer writer = {0};
    int status = sg_state_may_replace(path, error);
    /* It may have been asked about an earlier time meanwhile. */
    if (!status) status = live->follow(p->scorer.context, error);
    if (!status)
        status = mark_log(p->view.context, p->view.events, p->view.columns->count, p->view.nodes, &marks, error);
    if (status) return status;
    sg_state_begin(&writer, SECTION);
    sg_state_copy(&writer, &marks, sizeof marks);
    live->save_scorer(p->scorer.context, &writer);
    status = sg_events_finish(SCADYG_OK, p->view.events, error);
    if (!status) status = sg_state_save(&writer, mark_model(p->model), path, p->view.events->mapping.fd, error);
    sg_state_writer_close(&writer);
    return status;
}
