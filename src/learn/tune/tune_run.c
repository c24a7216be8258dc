/*
 * The search itself: trial after trial, as the rounds say. A trial is a training with a checkpoint that is stopped where
 * its round ends; the next round goes on from the checkpoint. So nothing is trained twice, and the winner is the very
 * model that a training with its options would have made.
 */
#include "learn/tune/tune.h"

#include "base/context.h"
#include "base/file.h"
#include "base/memory.h"
#include "learn/train.h"
#include "models/kind.h"
#include "models/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct search {
    scadyg_tuning *tuning;
    scadyg_events *events;
    const char *path; /* of the journal, or NULL */
    int resume;
    const scadyg_tune_watch *watch;
    scadyg_context *context; /* the caller's */
    scadyg_context *inner;   /* of the trainings: the same, with a report that ends them */
    sg_journal journal;
    char *checkpoint;        /* room for a path */
    size_t room;             /* of it */
    unsigned char *has_file; /* [trials]: a checkpoint of theirs may be there */
} search;

/* ---- Checkpoints ---- */

size_t scadyg_tuning_checkpoint(const char *journal, int64_t trial, char *buffer, size_t size)
{
    return (size_t)snprintf(buffer, size, "%s.trial-%lld", journal, (long long)trial);
}

/* NULL without a journal. */
static const char *checkpoint_of(search *s, size_t trial)
{
    if (!s->path) return NULL;
    scadyg_tuning_checkpoint(s->path, (int64_t)trial + 1, s->checkpoint, s->room);
    return s->checkpoint;
}

/* Removes the checkpoints that nobody needs any more: only the best is kept of those that are not trained further. */
static void sweep_checkpoints(search *s)
{
    const sg_contest *contest = &s->tuning->contest;
    const size_t best = sg_contest_best(contest);
    for (size_t i = 0; s->path && i < contest->count; i++) {
        if (!s->has_file[i] || i == best || sg_contest_alive(contest, i)) continue;
        unlink(checkpoint_of(s, i));
        s->has_file[i] = 0;
    }
}

/* ---- One trial in one round ---- */

typedef struct attempt {
    search *s;
    const scadyg_trial *trial;
    int64_t until;
    int64_t epochs; /* seen so far */
    sg_reached reached;
    int asked_to_stop; /* by the caller's progress */
} attempt;

static void see_epoch(void *data, const scadyg_epoch *epoch, int resumed)
{
    attempt *a = data;
    const scadyg_tune_watch *watch = a->s->watch;
    a->epochs = epoch->epoch;
    if (watch && watch->epoch) watch->epoch(watch->data, a->trial, epoch, resumed);
}

/* Ends the training where the round ends. The checkpoint of the last epoch has been written by then. */
static int watch_report(void *data, const char *what, uint64_t done, uint64_t total)
{
    attempt *a = data;
    if (sg_context_tell(a->s->context, what, done, total)) {
        a->asked_to_stop = 1;
        return 1;
    }
    return a->epochs >= a->until;
}

static int train_once(attempt *a, const char *checkpoint, int resume, scadyg_error *error)
{
    const scadyg_watch watch = {.size = sizeof watch, .data = a, .epoch = see_epoch};
    scadyg_model *model = NULL;
    a->epochs = 0;
    scadyg_context_set_progress(a->s->inner, watch_report, a);
    int status = sg_train(a->s->inner, a->s->events, a->trial->options, checkpoint, resume, &watch, &a->reached,
                          &model, error);
    scadyg_model_close(model);
    if (status == SCADYG_E_CANCELLED && !a->asked_to_stop) status = SCADYG_OK;
    return status;
}

/* The same, from the checkpoint if there is one. One that is damaged, or was left by another search, is no help. */
static int train_from_checkpoint(attempt *a, const char *checkpoint, int resume, scadyg_error *error)
{
    const int known = resume && checkpoint && sg_exists(checkpoint);
    int status = train_once(a, checkpoint, known, error);
    const int useless = status == SCADYG_E_USAGE || status == SCADYG_E_FORMAT || status == SCADYG_E_VERSION;
    if (!known || !useless || a->epochs) return status;
    unlink(checkpoint);
    return train_once(a, checkpoint, 0, error);
}

/* Whether a training ended before its round did, so that more rounds bring nothing. */
static int has_ended(const search *s, const scadyg_trial *trial)
{
    return trial->round > 0 && (trial->epochs < s->tuning->contest.rounds[trial->round - 1].epochs ||
                                trial->epochs >= ((const sg_train_options *)trial->options->values)->epochs);
}

/* ---- What comes of it ---- */

static int set_failure(scadyg_tuning *tuning, size_t trial, const char *text, scadyg_error *error)
{
    tuning->failures[trial] = strdup(text);
    if (!tuning->failures[trial]) return sg_fail_memory(error, "the trials");
    tuning->trials[trial].failure = tuning->failures[trial];
    return SCADYG_OK;
}

/* Enters a row of the journal into the standings. */
static int enter_row(search *s, const sg_journal_row *row, scadyg_error *error)
{
    scadyg_tuning *tuning = s->tuning;
    const size_t i = (size_t)row->trial - 1;
    scadyg_trial *trial = &tuning->trials[i];
    int status = row->failure ? set_failure(tuning, i, row->failure, error) : SCADYG_OK;
    if (status) return status;
    trial->round = row->round;
    trial->epochs = row->epochs;
    trial->best_epoch = row->best_epoch;
    trial->validation = row->failure ? NAN : row->score;
    if (row->failure)
        sg_contest_note_failure(&tuning->contest, i, row->round);
    else
        sg_contest_note(&tuning->contest, i, row->round, row->score);
    const size_t best = sg_contest_best(&tuning->contest);
    tuning->info.best = best < tuning->count ? &tuning->trials[best] : NULL;
    return SCADYG_OK;
}

/* Trains and fills the row; a training that cannot be done is a row too. Other failures end the search. */
static int try_trial(search *s, size_t i, int64_t round, sg_journal_row *row, scadyg_error *failure,
                     scadyg_error *error)
{
    const scadyg_trial *trial = &s->tuning->trials[i];
    *row = (sg_journal_row){.trial = trial->number,
                            .round = round,
                            .epochs = trial->epochs,
                            .best_epoch = trial->best_epoch,
                            .score = trial->validation};
    if (has_ended(s, trial)) return SCADYG_OK;
    attempt a = {.s = s, .trial = trial, .until = s->tuning->contest.rounds[round - 1].epochs};
    s->has_file[i] = 1;
    int status = train_from_checkpoint(&a, checkpoint_of(s, i), s->resume || round > 1, failure);
    if (status && status != SCADYG_E_USAGE && status != SCADYG_E_INPUT) {
        if (error) *error = *failure;
        return status;
    }
    row->epochs = a.epochs;
    row->best_epoch = a.reached.best_epoch;
    row->score = a.reached.validation;
    if (!status && !isfinite(row->score))
        status = sg_fail(failure, SCADYG_E_USAGE, "there is nothing to measure in the validation part");
    if (status) row->failure = failure->message;
    return SCADYG_OK;
}

static int one_trial(search *s, size_t i, int64_t round, scadyg_error *error)
{
    const scadyg_tune_watch *watch = s->watch;
    const scadyg_trial *trial = &s->tuning->trials[i];
    sg_journal_row row;
    scadyg_error failure = {0};
    if (watch && watch->begin) watch->begin(watch->data, trial, round, s->tuning->contest.rounds[round - 1].epochs);
    int status = try_trial(s, i, round, &row, &failure, error);
    if (status) return status;
    row.values = sg_journal_values(trial->values, s->tuning->space.count);
    if (!row.values) return sg_fail_memory(error, "the journal");
    status = sg_journal_add(&s->journal, &row, error);
    if (!status && s->path) status = sg_journal_write(s->path, &s->journal, error);
    if (!status) status = enter_row(s, &row, error);
    free(row.values);
    if (!status && watch && watch->end) watch->end(watch->data, trial, 0);
    return status;
}

/* ---- The journal of before ---- */

/* What the labels are, in the place of where they are; of files that are varied the names tell trials apart. */
static int put_labels(search *s, scadyg_error *error)
{
    const char *path = ((const sg_train_options *)s->tuning->base->values)->labels;
    const sg_label_file none = {0};
    sg_label_file file;
    int match;
    char text[64];
    if (!sg_given(path)) return SCADYG_OK;
    int status = sg_label_file_look(path, &none, &file, &match, error);
    if (status) return status;
    snprintf(text, sizeof text, "%08x %llu", (unsigned)file.checksum, (unsigned long long)file.lines);
    return sg_journal_line(&s->journal.head, "labels", text) ? sg_fail_memory(error, "the journal") : SCADYG_OK;
}

static int make_head(search *s, scadyg_error *error)
{
    const scadyg_tuning *tuning = s->tuning;
    const scadyg_shape *shape = scadyg_events_shape(s->events);
    char **head = &s->journal.head, text[128];
    snprintf(text, sizeof text, "%08x %llu %llu", (unsigned)scadyg_events_checksum(s->events),
             (unsigned long long)shape->events, (unsigned long long)shape->nodes);
    int failed = sg_journal_line(head, "events", text);
    int status = failed ? SCADYG_OK : put_labels(s, error);
    if (status) return status;
    /* Whoever asks for more random trials later goes on with the same search; rounds depend on their number. */
    for (size_t i = 0; i < sg_tune_set.count; i++) {
        const sg_option *option = &sg_tune_set.table[i];
        if (tuning->options.method == SG_TUNE_RANDOM && option->offset != offsetof(sg_tune_options, method) &&
            option->offset != offsetof(sg_tune_options, seed))
            continue;
        sg_option_text(option, &tuning->options, text, sizeof text);
        failed |= sg_journal_line(head, option->shown.name, text);
    }
    char *options = sg_options_write(tuning->base), *line = options;
    failed |= !options;
    while (!failed && *line) {
        char *end = strchr(line, '\n');
        *end = 0;
        failed |= sg_journal_line(head, "option", line);
        line = end + 1;
    }
    free(options);
    for (size_t i = 0; i < tuning->space.count && !failed; i++) {
        char *vary = sg_alloc(strlen(tuning->names[i]) + strlen(tuning->specs[i]) + 2, 1);
        if (vary) sprintf(vary, "%s=%s", tuning->names[i], tuning->specs[i]);
        failed |= !vary || sg_journal_line(head, "vary", vary);
        free(vary);
    }
    failed |= sg_journal_heading(head, tuning->names, tuning->space.count);
    return failed ? sg_fail_memory(error, "the journal") : SCADYG_OK;
}

/* Names the first line in which two heads differ. */
static int same_search(const search *s, const sg_journal *earlier, scadyg_error *error)
{
    const char *ours = s->journal.head, *theirs = earlier->head;
    const int most = 80;
    while (*ours && *theirs) {
        const size_t n = strcspn(ours, "\n"), m = strcspn(theirs, "\n");
        if (n != m || memcmp(ours, theirs, n) != 0)
            return sg_fail(error, SCADYG_E_USAGE, "the journal %s is of a search with '%.*s', not '%.*s'", s->path,
                           (int)m < most ? (int)m : most, theirs, (int)n < most ? (int)n : most, ours);
        ours += n + 1;
        theirs += m + 1;
    }
    return SCADYG_OK;
}

/* Plays one row through: the rounds must ask for this very trial. */
static int replay_row(search *s, const sg_journal_row *row, scadyg_error *error)
{
    scadyg_tuning *tuning = s->tuning;
    size_t trial;
    int64_t round;
    const int more = sg_contest_next(&tuning->contest, &trial, &round);
    char *values = more ? sg_journal_values(tuning->trials[trial].values, tuning->space.count) : NULL;
    if (more && !values) return sg_fail_memory(error, "the journal");
    const int same =
        more && row->trial == (int64_t)trial + 1 && row->round == round && strcmp(values, row->values) == 0;
    free(values);
    if (!same)
        return sg_fail(error, SCADYG_E_USAGE,
                       "the journal %s has other trials than this search, or more of them; remove it to begin anew",
                       s->path);
    int status = sg_journal_add(&s->journal, row, error);
    if (!status) status = enter_row(s, row, error);
    if (!status && s->watch && s->watch->end) s->watch->end(s->watch->data, &tuning->trials[trial], 1);
    return status;
}

static int go_back(search *s, scadyg_error *error)
{
    sg_journal earlier = {0};
    int status = sg_journal_read(s->path, &earlier, error);
    if (status) return status;
    status = same_search(s, &earlier, error);
    for (size_t i = 0; i < earlier.count && !status; i++) status = replay_row(s, &earlier.rows[i], error);
    sg_journal_free(&earlier);
    return status;
}

/* ---- All of it ---- */

static int prepare_search(search *s, scadyg_error *error)
{
    s->has_file = sg_alloc(s->tuning->count, 1);
    s->room = s->path ? strlen(s->path) + 32 : 1;
    s->checkpoint = sg_alloc(s->room, 1);
    if (!s->has_file || !s->checkpoint) return sg_fail_memory(error, "the search");
    memset(s->has_file, s->resume, s->tuning->count);
    int status = make_head(s, error);
    if (!status && s->path && s->resume && sg_exists(s->path)) status = go_back(s, error);
    return status;
}

static int no_score(const search *s, scadyg_error *error)
{
    const scadyg_trial *first = &s->tuning->trials[0];
    return sg_fail(error, SCADYG_E_USAGE, "none of the %zu trial%s has a validation score; trial 1: %s",
                   s->tuning->count, sg_plural(s->tuning->count), first->failure ? first->failure : "no score");
}

int scadyg_tuning_run(scadyg_context *context, scadyg_tuning *tuning, scadyg_events *events, const char *journal,
                      int resume, const scadyg_tune_watch *watch, scadyg_error *error)
{
    if (tuning->ran) return sg_fail(error, SCADYG_E_USAGE, "a search runs once; open another one");
    tuning->ran = 1;
    scadyg_tune_watch known = {0}; /* a caller of an older version has fewer of them */
    if (watch) memcpy(&known, watch, watch->size < sizeof known ? watch->size : sizeof known);
    search s = {.tuning = tuning,
                .events = events,
                .path = journal,
                .resume = resume && journal,
                .watch = &known,
                .context = context};
    size_t trial;
    int64_t round;
    int status = sg_context_open_like(context, &s.inner, error);
    if (!status) status = prepare_search(&s, error);
    while (!status && sg_contest_next(&tuning->contest, &trial, &round)) {
        sweep_checkpoints(&s);
        status = one_trial(&s, trial, round, error);
    }
    if (!status) sweep_checkpoints(&s);
    if (!status && !tuning->info.best) status = no_score(&s, error);
    sg_journal_free(&s.journal);
    scadyg_context_close(s.inner);
    SG_FREE(s.checkpoint, s.has_file);
    return status;
}
