/* The import pipeline: one file's blocks are read, parsed and taken, at the same time on the workers of a context. */
#include "events/import/import.h"

#include "base/memory.h"

#include <pthread.h>
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
    int caller_fills; /* it is the calling thread */
    char *carry;      /* the beginning of a line whose end was not read yet */
    size_t carry_size;
    size_t head_at;
    int first_block;
    int dropping; /* inside a line that is too long */
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

/* More bytes of the input: first the head, then the file. */
static int read_more(struct pipeline_state *state, char *to, size_t size, size_t *got, scadyg_error *error)
{
    const sg_pipeline *pipeline = state->pipeline;
    size_t head_left = pipeline->head_size - state->head_at;
    *got = 0;
    if (head_left) {
        *got = head_left < size ? head_left : size;
        memcpy(to, pipeline->head + state->head_at, *got);
        state->head_at += *got;
    }
    if (*got == size) return SCADYG_OK;
    size_t more;
    int status = sg_input_read(pipeline->input, to + *got, size - *got, &more, error);
    *got += more;
    return status;
}

static char *last_newline(char *text, size_t size)
{
    while (size > 0)
        if (text[--size] == '\n') return text + size;
    return NULL;
}

/*
 * Fills a block with whole lines: what was carried over, then fresh bytes; the beginning of the last line is
 * carried on. *ended is set at the end of the input. A line that fills a whole block is handed on as overlong and
 * its rest dropped.
 */
static int fill_block(struct pipeline_state *state, sg_text_block *block, int *ended, scadyg_error *error)
{
    block->overlong = 0;
    block->skip_lines = state->first_block ? state->pipeline->layout->skipped_lines : 0;
    memcpy(block->text, state->carry, state->carry_size);
    size_t have = state->carry_size, got;
    state->carry_size = 0;
    int status = read_more(state, block->text + have, SG_TEXT_BLOCK_SIZE - have, &got, error);
    if (status) return status;
    *ended = got < SG_TEXT_BLOCK_SIZE - have;
    have += got;
    state->first_block = 0;
    block->size = have;
    if (state->dropping) {
        /* The tail of an overlong line: drop it up to its newline. */
        char *newline = memchr(block->text, '\n', have);
        size_t drop = newline ? (size_t)(newline - block->text) + 1 : have;
        memmove(block->text, block->text + drop, have - drop);
        block->size = have -= drop;
        state->dropping = !newline;
    }
    if (*ended || have == 0) return SCADYG_OK;
    char *newline = last_newline(block->text, have);
    if (!newline) {
        block->overlong = have == SG_TEXT_BLOCK_SIZE;
        state->dropping = block->overlong;
        if (block->overlong) return SCADYG_OK;
    }
    size_t whole = newline ? (size_t)(newline - block->text) + 1 : 0;
    state->carry_size = have - whole;
    memcpy(state->carry, block->text + whole, state->carry_size);
    block->size = whole;
    return SCADYG_OK;
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
    if (job == PARSE) status = sg_text_block_parse(&slot->block, state->pipeline->layout, &error);
    if (job == TAKE) status = state->pipeline->take(state->pipeline->data, &slot->block, &error);
    pthread_mutex_lock(&state->lock);
    if (job == FILL) {
        state->filling = 0;
        state->input_ended = ended || status;
    }
    if (job == FILL && status) {
        state->fill_status = status;
        state->fill_error = error;
    } else if (job == FILL) {
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

static int open_slots(struct pipeline_state *state, size_t threads, scadyg_error *error)
{
    const size_t most = state->pipeline->blocks;
    state->slot_count = threads > 1 ? 2 * threads + 2 : 1;
    if (most && state->slot_count > most) state->slot_count = most;
    state->slots = sg_alloc_zero(state->slot_count, sizeof *state->slots);
    state->carry = sg_alloc(SG_TEXT_BLOCK_SIZE, 1);
    if (!state->slots || !state->carry) return sg_fail_memory(error, "reading");
    int status = SCADYG_OK;
    for (size_t i = 0; i < state->slot_count && !status; i++)
        status = sg_text_block_open(&state->slots[i].block, error);
    return status;
}

static void close_slots(struct pipeline_state *state)
{
    for (size_t i = 0; state->slots && i < state->slot_count; i++) sg_text_block_close(&state->slots[i].block);
    SG_FREE(state->slots, state->carry);
}

int sg_pipeline_run(scadyg_context *context, const sg_pipeline *pipeline, scadyg_error *error)
{
    struct pipeline_state state = {.pipeline = pipeline, .first_block = 1};
    const size_t threads = sg_context_threads(context);
    state.status = open_slots(&state, threads, &state.error);
    if (!state.status) {
        pthread_mutex_init(&state.lock, NULL);
        pthread_cond_init(&state.changed, NULL);
        sg_input_watch(pipeline->input, ask_while_waiting, &state);
        sg_parallel_for(context, threads, do_jobs, &state);
        sg_input_watch(pipeline->input, NULL, NULL);
        if (state.fill_status) stop_with(&state, state.fill_status, &state.fill_error);
        pthread_cond_destroy(&state.changed);
        pthread_mutex_destroy(&state.lock);
    }
    close_slots(&state);
    if (state.status && error) *error = state.error;
    return state.status;
}
