/* The import pipeline: one file's blocks are read, parsed and taken, at the same time on the workers of a context. */
#include "events/import/import.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum slot_state { EMPTY, FILLED, PARSING, PARSED };

struct slot {
    sg_text_block block;
    enum slot_state state;
};

struct pipeline_state {
    const sg_pipeline *pipeline;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct slot *slots;
    size_t slot_count;
    /* Blocks are numbered in the order of the file; block n lives in slot n % slot_count. */
    uint64_t filled, parsed, taken; /* the next block to fill, to hand to a parser, to take */
    int filling, taking;            /* somebody is at it */
    int input_ended, stopped;
    int status;
    scadyg_error error;
    int fill_status; /* a failure to read comes after the blocks before it */
    scadyg_error fill_error;

    /* Used by whoever is filling. */
    int caller_fills;    /* it is the calling thread */
    uint64_t skip_lines; /* header and comments still to come */
};

enum job { TAKE, PARSE, FILL, WAIT, QUIT };

/* What can be done now; with the lock held. Taking first: it frees slots. */
static enum job choose_job(struct pipeline_state *state, uint64_t *number)
{
    if (state->stopped) return QUIT;
    if (!state->taking && state->taken < state->filled &&
        state->slots[state->taken % state->slot_count].state == PARSED) {
        *number = state->taken;
        return TAKE;
    }
    if (state->parsed < state->filled) {
        *number = state->parsed;
        return PARSE;
    }
    if (!state->filling && !state->input_ended && state->slots[state->filled % state->slot_count].state == EMPTY) {
        *number = state->filled;
        return FILL;
    }
    if (state->input_ended && state->taken == state->filled) return QUIT;
    return WAIT;
}

static uint64_t count_lines(const char *text, size_t size)
{
    uint64_t lines = 0;
    for (const char *p = text, *end = text + size; p < end; lines++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        p = newline ? newline + 1 : end;
    }
    return lines;
}

/* Fills a block with whole rows. *ended is set at the end of the input, where there are none. */
static int fill_block(struct pipeline_state *state, sg_text_block *block, int *ended, scadyg_error *error)
{
    const char *text;
    size_t size;
    int status =
        sg_reader_next(state->pipeline->reader, state->pipeline->block_size, &text, &size, &block->too_long, error);
    if (status) return status;
    *ended = !size && !block->too_long;
    if (*ended) return SCADYG_OK;
    block->skip_lines = state->skip_lines;
    if (state->skip_lines) {
        const uint64_t lines = block->too_long ? 1 : count_lines(text, size);
        state->skip_lines -= lines < state->skip_lines ? lines : state->skip_lines;
    }
    return sg_text_block_fill(block, size ? text : "", size, error);
}

static void stop_with(struct pipeline_state *state, int status, const scadyg_error *error)
{
    if (!state->status) {
        state->status = status;
        state->error = *error;
    }
    state->stopped = 1;
}

/* Does one job without the lock, then notes it with the lock. */
static void do_job(struct pipeline_state *state, enum job job, uint64_t number, int is_caller)
{
    struct slot *slot = &state->slots[number % state->slot_count];
    scadyg_error error = {0};
    int status = SCADYG_OK, ended = 0;
    if (job == FILL) state->filling = 1;
    if (job == TAKE) state->taking = 1;
    if (job == PARSE) {
        state->parsed++;
        slot->state = PARSING;
    }
    pthread_mutex_unlock(&state->lock);
    if (job == FILL) {
        state->caller_fills = is_caller;
        status = fill_block(state, &slot->block, &ended, &error);
    }
    if (job == PARSE) sg_text_block_parse(&slot->block, state->pipeline->layout, state->pipeline->rules);
    if (job == TAKE) status = state->pipeline->take(state->pipeline->data, &slot->block, &error);
    pthread_mutex_lock(&state->lock);
    if (job == FILL) {
        state->filling = 0;
        state->input_ended = ended || status;
    }
    if (job == FILL && status) {
        state->fill_status = status;
        state->fill_error = error;
    } else if (job == FILL && !ended) {
        state->filled++;
        slot->state = FILLED;
    }
    if (job == PARSE) slot->state = PARSED;
    if (job == TAKE) {
        state->taking = 0;
        state->taken++;
        slot->state = EMPTY;
    }
    if (status && (job != FILL || status == SCADYG_E_CANCELLED)) stop_with(state, status, &error);
    pthread_cond_broadcast(&state->changed);
}

/* Asked by whoever is filling while the input has nothing to read: whether to go on waiting. */
static int ask_while_waiting(void *data, scadyg_error *error)
{
    struct pipeline_state *state = data;
    const sg_pipeline *pipeline = state->pipeline;
    if (state->caller_fills) return pipeline->report ? pipeline->report(pipeline->data, error) : SCADYG_OK;
    pthread_mutex_lock(&state->lock);
    int stopped = state->stopped;
    pthread_mutex_unlock(&state->lock);
    return stopped ? sg_fail(error, SCADYG_E_CANCELLED, "stopped while reading") : SCADYG_OK;
}

/* The caller wakes up now and then, so that it hears of a wish to stop even when nothing moves. */
static void wait_for_change(struct pipeline_state *state, int is_caller)
{
    struct timespec until;
    if (!is_caller || !state->pipeline->report || clock_gettime(CLOCK_REALTIME, &until) != 0) {
        pthread_cond_wait(&state->changed, &state->lock);
        return;
    }
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    (void)pthread_cond_timedwait(&state->changed, &state->lock, &until);
}

/* With the lock held. */
static void report_progress(struct pipeline_state *state)
{
    const sg_pipeline *pipeline = state->pipeline;
    scadyg_error error = {0};
    if (!pipeline->report) return;
    pthread_mutex_unlock(&state->lock);
    int status = pipeline->report(pipeline->data, &error);
    pthread_mutex_lock(&state->lock);
    if (status) stop_with(state, status, &error);
}

/* One of as many pieces as there are threads: does what can be done until the input has ended. */
static void do_jobs(void *data, size_t worker, size_t index)
{
    (void)index;
    struct pipeline_state *state = data;
    const int is_caller = worker == 0;
    pthread_mutex_lock(&state->lock);
    for (;;) {
        uint64_t number = 0;
        enum job job = choose_job(state, &number);
        if (job == QUIT) break;
        if (job == WAIT)
            wait_for_change(state, is_caller);
        else
            do_job(state, job, number, is_caller);
        if (is_caller) report_progress(state);
    }
    pthread_cond_broadcast(&state->changed);
    pthread_mutex_unlock(&state->lock);
}

static int open_slots(struct pipeline_state *state, scadyg_error *error)
{
    const sg_pipeline *pipeline = state->pipeline;
    state->slot_count = pipeline->blocks;
    state->slots = sg_alloc_zero(state->slot_count, sizeof *state->slots);
    int status = state->slots ? SCADYG_OK : sg_fail_memory(error, "reading");
    for (size_t i = 0; i < state->slot_count && !status; i++)
        status = sg_text_block_open(&state->slots[i].block, pipeline->layout, pipeline->block_size, error);
    return status;
}

static void close_slots(struct pipeline_state *state)
{
    for (size_t i = 0; state->slots && i < state->slot_count; i++) sg_text_block_close(&state->slots[i].block);
    free(state->slots);
}

static int open_lock(struct pipeline_state *state, scadyg_error *error)
{
    if (pthread_mutex_init(&state->lock, NULL)) return sg_fail_memory(error, "reading");
    if (!pthread_cond_init(&state->changed, NULL)) return SCADYG_OK;
    pthread_mutex_destroy(&state->lock);
    return sg_fail_memory(error, "reading");
}

int sg_pipeline_run(scadyg_context *context, const sg_pipeline *pipeline, scadyg_error *error)
{
    struct pipeline_state state = {.pipeline = pipeline, .skip_lines = pipeline->layout->skipped_lines};
    state.status = open_slots(&state, &state.error);
    if (!state.status) state.status = open_lock(&state, &state.error);
    if (!state.status) {
        sg_input_watch(pipeline->reader->input, ask_while_waiting, &state);
        sg_parallel_for(context, sg_context_threads(context), do_jobs, &state);
        sg_input_watch(pipeline->reader->input, NULL, NULL);
        if (state.fill_status) stop_with(&state, state.fill_status, &state.fill_error);
        pthread_cond_destroy(&state.changed);
        pthread_mutex_destroy(&state.lock);
    }
    close_slots(&state);
    if (state.status && error) *error = state.error;
    return state.status;
}
