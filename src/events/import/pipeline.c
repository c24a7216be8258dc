/* The import pipeline: one file's blocks are read, parsed and taken, at the same time on several threads. */
#include "events/import/pipeline.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum state { EMPTY, FILLED, PARSING, PARSED };

struct slot {
    sg_block block;
    enum state state;
};

struct shop {
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
static enum job choose(struct shop *shop, uint64_t *number)
{
    if (shop->stopped) return QUIT;
    if (!shop->taking && shop->taken < shop->filled &&
        shop->slots[shop->taken % shop->slot_count].state == PARSED) {
        *number = shop->taken;
        return TAKE;
    }
    if (shop->parsed < shop->filled) {
        *number = shop->parsed;
        return PARSE;
    }
    if (!shop->filling && !shop->input_ended && shop->slots[shop->filled % shop->slot_count].state == EMPTY) {
        *number = shop->filled;
        return FILL;
    }
    if (shop->input_ended && shop->taken == shop->filled) return QUIT;
    return WAIT;
}

/* More bytes of the input: first the head, then the file. */
static int read_more(struct shop *shop, char *to, size_t size, size_t *got, scadyg_error *error)
{
    const sg_pipeline *order = shop->order;
    size_t head_left = order->head_size - shop->head_at;
    *got = 0;
    if (head_left) {
        *got = head_left < size ? head_left : size;
        memcpy(to, order->head + shop->head_at, *got);
        shop->head_at += *got;
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
static int fill_block(struct shop *shop, sg_block *block, int *ended, scadyg_error *error)
{
    block->overlong = 0;
    block->skip_lines = shop->first_block ? shop->order->layout->skipped_lines : 0;
    memcpy(block->text, shop->carry, shop->carry_size);
    size_t have = shop->carry_size, got;
    shop->carry_size = 0;
    int status = read_more(shop, block->text + have, SG_BLOCK_SIZE - have, &got, error);
    if (status) return status;
    *ended = got < SG_BLOCK_SIZE - have;
    have += got;
    shop->first_block = 0;
    block->size = have;
    if (shop->dropping) {
        /* The tail of an overlong line: drop it up to its newline. */
        char *newline = memchr(block->text, '\n', have);
        size_t drop = newline ? (size_t)(newline - block->text) + 1 : have;
        memmove(block->text, block->text + drop, have - drop);
        block->size = have -= drop;
        shop->dropping = !newline;
    }
    if (*ended || have == 0) return SCADYG_OK;
    char *newline = last_newline(block->text, have);
    if (!newline) {
        block->overlong = have == SG_BLOCK_SIZE;
        shop->dropping = block->overlong;
        if (block->overlong) return SCADYG_OK;
    }
    size_t whole = newline ? (size_t)(newline - block->text) + 1 : 0;
    shop->carry_size = have - whole;
    memcpy(shop->carry, block->text + whole, shop->carry_size);
    block->size = whole;
    return SCADYG_OK;
}

static void stop(struct shop *shop, int status, const scadyg_error *error)
{
    if (!shop->status) {
        shop->status = status;
        shop->error = *error;
    }
    shop->stopped = 1;
}

/* Does one job without the lock, then notes it with the lock. */
static void do_job(struct shop *shop, enum job job, uint64_t number)
{
    struct slot *slot = &shop->slots[number % shop->slot_count];
    scadyg_error error = {0};
    int status = SCADYG_OK, ended = 0;
    if (job == FILL) shop->filling = 1;
    if (job == TAKE) shop->taking = 1;
    if (job == PARSE) {
        shop->parsed++;
        slot->state = PARSING;
    }
    pthread_mutex_unlock(&shop->lock);
    if (job == FILL) status = fill_block(shop, &slot->block, &ended, &error);
    if (job == PARSE) {
        sg_block_parse(&slot->block, shop->order->layout);
        if (slot->block.no_memory) status = sg_fail_memory(&error, "parsing");
    }
    if (job == TAKE) status = shop->order->take(shop->order->context, &slot->block, &error);
    pthread_mutex_lock(&shop->lock);
    if (job == FILL) {
        shop->filling = 0;
        shop->input_ended = ended || status;
    }
    if (job == FILL && status) {
        shop->fill_status = status;
        shop->fill_error = error;
    } else if (job == FILL) {
        shop->filled++;
        slot->state = FILLED;
    }
    if (job == PARSE) slot->state = PARSED;
    if (job == TAKE) {
        shop->taking = 0;
        shop->taken++;
        slot->state = EMPTY;
    }
    if (status && (job != FILL || status == SCADYG_E_CANCELLED)) stop(shop, status, &error);
    pthread_cond_broadcast(&shop->changed);
}

/* Asked while the input has nothing to read: whether to go on waiting. */
static int waiting(void *context, scadyg_error *error)
{
    struct shop *shop = context;
    if (pthread_equal(pthread_self(), shop->caller))
        return shop->order->report ? shop->order->report(shop->order->context, error) : SCADYG_OK;
    pthread_mutex_lock(&shop->lock);
    int stopped = shop->stopped;
    pthread_mutex_unlock(&shop->lock);
    return stopped ? sg_fail(error, SCADYG_E_CANCELLED, "stopped while reading") : SCADYG_OK;
}

/* The caller wakes up now and then, so that it hears of a wish to stop even when nothing moves. */
static void wait_for_change(struct shop *shop, int is_caller)
{
    struct timespec until;
    if (!is_caller || !shop->order->report || clock_gettime(CLOCK_REALTIME, &until) != 0) {
        pthread_cond_wait(&shop->changed, &shop->lock);
        return;
    }
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    (void)pthread_cond_timedwait(&shop->changed, &shop->lock, &until);
}

static void work(struct shop *shop, int is_caller)
{
    pthread_mutex_lock(&shop->lock);
    for (;;) {
        uint64_t number = 0;
        enum job job = choose(shop, &number);
        if (job == QUIT) break;
        if (job == WAIT)
            wait_for_change(shop, is_caller);
        else
            do_job(shop, job, number);
        if (is_caller && shop->order->report) {
            scadyg_error error = {0};
            pthread_mutex_unlock(&shop->lock);
            int status = shop->order->report(shop->order->context, &error);
            pthread_mutex_lock(&shop->lock);
            if (status) stop(shop, status, &error);
        }
    }
    pthread_cond_broadcast(&shop->changed);
    pthread_mutex_unlock(&shop->lock);
}

static void *work_thread(void *context)
{
    work(context, 0);
    return NULL;
}

static int set_up(struct shop *shop, scadyg_error *error)
{
    shop->slot_count = shop->order->threads > 1 ? 2 * (size_t)shop->order->threads + 2 : 1;
    if (shop->order->blocks && shop->slot_count > shop->order->blocks) shop->slot_count = shop->order->blocks;
    shop->slots = sg_alloc_zero(shop->slot_count, sizeof *shop->slots);
    shop->carry = sg_alloc(SG_BLOCK_SIZE, 1);
    if (!shop->slots || !shop->carry) return sg_fail_memory(error, "reading");
    for (size_t i = 0; i < shop->slot_count; i++)
        if (sg_block_open(&shop->slots[i].block, shop->order->layout)) return sg_fail_memory(error, "reading");
    return SCADYG_OK;
}

int sg_pipeline_run(const sg_pipeline *pipeline, scadyg_error *error)
{
    struct shop shop = {.order = pipeline, .first_block = 1, .caller = pthread_self()};
    int helpers = pipeline->threads - 1, started = 0;
    pthread_t *threads = sg_alloc((size_t)(helpers > 0 ? helpers : 0), sizeof *threads);
    shop.status = threads ? set_up(&shop, &shop.error) : sg_fail_memory(&shop.error, "threads");
    if (!shop.status) {
        pthread_mutex_init(&shop.lock, NULL);
        pthread_cond_init(&shop.changed, NULL);
        sg_input_watch(pipeline->input, waiting, &shop);
        /* A thread that cannot be had is no error: the others do its work. */
        while (started < helpers && pthread_create(&threads[started], NULL, work_thread, &shop) == 0) started++;
        work(&shop, 1);
        for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
        sg_input_watch(pipeline->input, NULL, NULL);
        if (shop.fill_status) stop(&shop, shop.fill_status, &shop.fill_error);
        pthread_cond_destroy(&shop.changed);
        pthread_mutex_destroy(&shop.lock);
    }
    if (shop.slots)
        for (size_t i = 0; i < shop.slot_count; i++) sg_block_close(&shop.slots[i].block);
    free(shop.slots);
    free(shop.carry);
    free(threads);
    if (shop.status && error) *error = shop.error;
    return shop.status;
}
