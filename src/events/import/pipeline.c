/* The import pipeline: one file's blocks are read, parsed and taken, at the same time on several threads. */
#include "events/import/pipeline.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum state { EMPTY, FILLED, PARSING, PARSED };

struct slot {
    sg_text_block block;
    enum state state;
};

struct import_pipeline {
    const sg_pipeline *order;
    pthread_t caller;
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
    char *carry; /* the beginning of a line whose end was not read yet */
    size_t carry_size;
    size_t head_at;
    int first_block;
    int dropping; /* inside a line that is too long */
};

enum job { TAKE, PARSE, FILL, WAIT, QUIT };

/* What can be done now; with the lock held. Taking first: it frees slots. */
static enum job choose(struct import_pipeline *pipe, uint64_t *number)
{
    if (pipe->stopped) return QUIT;
    if (!pipe->taking && pipe->taken < pipe->filled &&
        pipe->slots[pipe->taken % pipe->slot_count].state == PARSED) {
        *number = pipe->taken;
        return TAKE;
    }
    if (pipe->parsed < pipe->filled) {
        *number = pipe->parsed;
        return PARSE;
    }
    if (!pipe->filling && !pipe->input_ended && pipe->slots[pipe->filled % pipe->slot_count].state == EMPTY) {
        *number = pipe->filled;
        return FILL;
    }
    if (pipe->input_ended && pipe->taken == pipe->filled) return QUIT;
    return WAIT;
}

/* More bytes of the input: first the head, then the file. */
static int read_more(struct import_pipeline *pipe, char *to, size_t size, size_t *got, scadyg_error *error)
{
    const sg_pipeline *order = pipe->order;
    size_t head_left = order->head_size - pipe->head_at;
    *got = 0;
    if (head_left) {
        *got = head_left < size ? head_left : size;
        memcpy(to, order->head + pipe->head_at, *got);
        pipe->head_at += *got;
    }
    if (*got == size) return SCADYG_OK;
    size_t more;
    int status = sg_input_read(order->input, to + *got, size - *got, &more, error);
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
static int fill_block(struct import_pipeline *pipe, sg_text_block *block, int *ended, scadyg_error *error)
{
    block->overlong = 0;
    block->skip_lines = pipe->first_block ? pipe->order->layout->skipped_lines : 0;
    memcpy(block->text, pipe->carry, pipe->carry_size);
    size_t have = pipe->carry_size, got;
    pipe->carry_size = 0;
    int status = read_more(pipe, block->text + have, SG_TEXT_BLOCK_SIZE - have, &got, error);
    if (status) return status;
    *ended = got < SG_TEXT_BLOCK_SIZE - have;
    have += got;
    pipe->first_block = 0;
    block->size = have;
    if (pipe->dropping) {
        /* The tail of an overlong line: drop it up to its newline. */
        char *newline = memchr(block->text, '\n', have);
        size_t drop = newline ? (size_t)(newline - block->text) + 1 : have;
        memmove(block->text, block->text + drop, have - drop);
        block->size = have -= drop;
        pipe->dropping = !newline;
    }
    if (*ended || have == 0) return SCADYG_OK;
    char *newline = last_newline(block->text, have);
    if (!newline) {
        block->overlong = have == SG_TEXT_BLOCK_SIZE;
        pipe->dropping = block->overlong;
        if (block->overlong) return SCADYG_OK;
    }
    size_t whole = newline ? (size_t)(newline - block->text) + 1 : 0;
    pipe->carry_size = have - whole;
    memcpy(pipe->carry, block->text + whole, pipe->carry_size);
    block->size = whole;
    return SCADYG_OK;
}

static void stop(struct import_pipeline *pipe, int status, const scadyg_error *error)
{
    if (!pipe->status) {
        pipe->status = status;
        pipe->error = *error;
    }
    pipe->stopped = 1;
}

/* Does one job without the lock, then notes it with the lock. */
static void do_job(struct import_pipeline *pipe, enum job job, uint64_t number)
{
    struct slot *slot = &pipe->slots[number % pipe->slot_count];
    scadyg_error error = {0};
    int status = SCADYG_OK, ended = 0;
    if (job == FILL) pipe->filling = 1;
    if (job == TAKE) pipe->taking = 1;
    if (job == PARSE) {
        pipe->parsed++;
        slot->state = PARSING;
    }
    pthread_mutex_unlock(&pipe->lock);
    if (job == FILL) status = fill_block(pipe, &slot->block, &ended, &error);
    if (job == PARSE) {
        sg_text_block_parse(&slot->block, pipe->order->layout);
        if (slot->block.no_memory) status = sg_fail_memory(&error, "parsing");
    }
    if (job == TAKE) status = pipe->order->take(pipe->order->context, &slot->block, &error);
    pthread_mutex_lock(&pipe->lock);
    if (job == FILL) {
        pipe->filling = 0;
        pipe->input_ended = ended || status;
    }
    if (job == FILL && status) {
        pipe->fill_status = status;
        pipe->fill_error = error;
    } else if (job == FILL) {
        pipe->filled++;
        slot->state = FILLED;
    }
    if (job == PARSE) slot->state = PARSED;
    if (job == TAKE) {
        pipe->taking = 0;
        pipe->taken++;
        slot->state = EMPTY;
    }
    if (status && (job != FILL || status == SCADYG_E_CANCELLED)) stop(pipe, status, &error);
    pthread_cond_broadcast(&pipe->changed);
}

/* Asked while the input has nothing to read: whether to go on waiting. */
static int waiting(void *context, scadyg_error *error)
{
    struct import_pipeline *pipe = context;
    if (pthread_equal(pthread_self(), pipe->caller))
        return pipe->order->report ? pipe->order->report(pipe->order->context, error) : SCADYG_OK;
    pthread_mutex_lock(&pipe->lock);
    int stopped = pipe->stopped;
    pthread_mutex_unlock(&pipe->lock);
    return stopped ? sg_fail(error, SCADYG_E_CANCELLED, "stopped while reading") : SCADYG_OK;
}

/* The caller wakes up now and then, so that it hears of a wish to stop even when nothing moves. */
static void wait_for_change(struct import_pipeline *pipe, int is_caller)
{
    struct timespec until;
    if (!is_caller || !pipe->order->report || clock_gettime(CLOCK_REALTIME, &until) != 0) {
        pthread_cond_wait(&pipe->changed, &pipe->lock);
        return;
    }
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    (void)pthread_cond_timedwait(&pipe->changed, &pipe->lock, &until);
}

static void work(struct import_pipeline *pipe, int is_caller)
{
    pthread_mutex_lock(&pipe->lock);
    for (;;) {
        uint64_t number = 0;
        enum job job = choose(pipe, &number);
        if (job == QUIT) break;
        if (job == WAIT)
            wait_for_change(pipe, is_caller);
        else
            do_job(pipe, job, number);
        if (is_caller && pipe->order->report) {
            scadyg_error error = {0};
            pthread_mutex_unlock(&pipe->lock);
            int status = pipe->order->report(pipe->order->context, &error);
            pthread_mutex_lock(&pipe->lock);
            if (status) stop(pipe, status, &error);
        }
    }
    pthread_cond_broadcast(&pipe->changed);
    pthread_mutex_unlock(&pipe->lock);
}

static void *work_thread(void *context)
{
    work(context, 0);
    return NULL;
}

static int set_up(struct import_pipeline *pipe, scadyg_error *error)
{
    pipe->slot_count = pipe->order->threads > 1 ? 2 * (size_t)pipe->order->threads + 2 : 1;
    if (pipe->order->blocks && pipe->slot_count > pipe->order->blocks) pipe->slot_count = pipe->order->blocks;
    pipe->slots = sg_alloc_zero(pipe->slot_count, sizeof *pipe->slots);
    pipe->carry = sg_alloc(SG_TEXT_BLOCK_SIZE, 1);
    if (!pipe->slots || !pipe->carry) return sg_fail_memory(error, "reading");
    for (size_t i = 0; i < pipe->slot_count; i++)
        if (sg_text_block_open(&pipe->slots[i].block, pipe->order->layout)) return sg_fail_memory(error, "reading");
    return SCADYG_OK;
}

int sg_pipeline_run(const sg_pipeline *pipeline, scadyg_error *error)
{
    struct import_pipeline pipe = {.order = pipeline, .first_block = 1, .caller = pthread_self()};
    int helpers = pipeline->threads - 1, started = 0;
    pthread_t *threads = sg_alloc((size_t)(helpers > 0 ? helpers : 0), sizeof *threads);
    pipe.status = threads ? set_up(&pipe, &pipe.error) : sg_fail_memory(&pipe.error, "threads");
    if (!pipe.status) {
        pthread_mutex_init(&pipe.lock, NULL);
        pthread_cond_init(&pipe.changed, NULL);
        sg_input_watch(pipeline->input, waiting, &pipe);
        /* A thread that cannot be had is no error: the others do its work. */
        while (started < helpers && pthread_create(&threads[started], NULL, work_thread, &pipe) == 0) started++;
        work(&pipe, 1);
        for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
        sg_input_watch(pipeline->input, NULL, NULL);
        if (pipe.fill_status) stop(&pipe, pipe.fill_status, &pipe.fill_error);
        pthread_cond_destroy(&pipe.changed);
        pthread_mutex_destroy(&pipe.lock);
    }
    if (pipe.slots)
        for (size_t i = 0; i < pipe.slot_count; i++) sg_text_block_close(&pipe.slots[i].block);
    free(pipe.slots);
    free(pipe.carry);
    free(threads);
    if (pipe.status && error) *error = pipe.error;
    return pipe.status;
}
