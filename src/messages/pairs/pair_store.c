/*
 * Pair messages. Records lie in the order in which their pairs first met, in chunks that never move. A table of 32-bit
 * slots, open addressing, at most half full, leads to them: the low bits of a slot are the number of the record + 1, the
 * bits above are those of the pair's hash. So a pair that never met is nearly always known as such without a look at
 * any record.
 */
#include "messages/pairs/pair_store.h"

#include "base/memory.h"
#include "base/pair_map.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 1 << 16,    /* records: 4 MiB, so that huge pages can hold them */
    LEAST_PAIRS = 4096, /* always fit */
    FIRST_SLOTS = 2 * LEAST_PAIRS,
    LINE = 64,
    BINS = 4096, /* of times, when the oldest are looked for */
    AHEAD = 16,  /* how many pairs ahead of its use a slot is asked for */
};

#define MOST_PAIRS ((uint64_t)1 << 31) /* their numbers + 1 and an empty slot fit 32 bits */

/* A cache line with what follows it: nothing, or the weights half a line long. */
typedef struct record {
    uint64_t key;
    sg_tally tally;
} record;

_Static_assert(sizeof(record) <= LINE, "a record fits a cache line");

struct sg_pair_store {
    sg_rates rates;
    sg_hash_key key;
    int weighted;
    size_t stride;             /* bytes from record to record */
    uint64_t limit;            /* pairs that fit */
    uint64_t count, forgotten; /* pairs */
    uint64_t earliest, latest; /* all times of latest contacts lie between, by their order */
    unsigned char **chunks;    /* as many as the limit needs; NULL from chunk_count on */
    uint64_t chunk_count;
    uint32_t *slots; /* [slot_count] */
    uint64_t slot_count;
    sg_state_range mapped; /* what lies there is of a file */
};

/* ---- Sizes ------------------------------------------------------------------------------------------------ */

static size_t stride_of(int weighted)
{
    return weighted ? LINE + SG_RATES * sizeof(float) : LINE;
}

static uint64_t chunks_for(uint64_t pairs)
{
    return (pairs + CHUNK - 1) / CHUNK;
}

/* Records in that many chunks: the last one ends with the limit. */
static uint64_t records_in(uint64_t chunks, uint64_t limit)
{
    return chunks * CHUNK < limit ? chunks * CHUNK : limit;
}

/* What a store with this limit takes at most, be it when it is full or when it makes its last table. */
static uint64_t bytes_of_limit(uint64_t limit, int weighted)
{
    const uint64_t fixed = sizeof(sg_pair_store) + chunks_for(limit) * sizeof(unsigned char *);
    uint64_t slots = FIRST_SLOTS;
    while (slots < 2 * limit) slots *= 2;
    const uint64_t full = limit * stride_of(weighted) + slots * sizeof(uint32_t);
    if (slots == FIRST_SLOTS) return fixed + full;
    const uint64_t records = records_in(chunks_for(slots / 4), limit);
    const uint64_t growing = records * stride_of(weighted) + (slots + slots / 2) * sizeof(uint32_t);
    return fixed + (growing > full ? growing : full);
}

uint64_t sg_pair_store_bytes_for(uint64_t pairs, int weighted)
{
    if (pairs < LEAST_PAIRS) pairs = LEAST_PAIRS;
    if (pairs > MOST_PAIRS) pairs = MOST_PAIRS;
    return bytes_of_limit(pairs, weighted);
}

typedef struct bound {
    uint64_t bytes;
    int weighted;
} bound;

static int is_one_more_within(const void *data, size_t more)
{
    const bound *b = data;
    return bytes_of_limit(LEAST_PAIRS + more + 1, b->weighted) <= b->bytes;
}

/* The largest limit that keeps within the bytes. */
static uint64_t limit_for(uint64_t most, int weighted)
{
    const bound b = {most, weighted};
    return LEAST_PAIRS + sg_first((size_t)MOST_PAIRS - LEAST_PAIRS, is_one_more_within, &b);
}

uint64_t sg_pair_store_bytes(const sg_pair_store *store)
{
    return sizeof *store + chunks_for(store->limit) * sizeof *store->chunks +
           records_in(store->chunk_count, store->limit) * store->stride + store->slot_count * sizeof *store->slots;
}

uint64_t sg_pair_store_count(const sg_pair_store *store)
{
    return store->count;
}

uint64_t sg_pair_store_forgotten(const sg_pair_store *store)
{
    return store->forgotten;
}

/* ---- Opening and closing ---------------------------------------------------------------------------------- */

int sg_pair_store_open(const sg_rates *rates, int weighted, uint64_t most, sg_pair_store **store,
                       scadyg_error *error)
{
    sg_pair_store *made = sg_alloc_zero(1, sizeof *made);
    *store = NULL;
    if (!made) return sg_fail_memory(error, "pair messages");
    made->rates = *rates;
    made->key = sg_hash_key_draw();
    made->weighted = weighted;
    made->stride = stride_of(weighted);
    made->limit = limit_for(most, weighted);
    made->chunks = sg_alloc_zero((size_t)chunks_for(made->limit), sizeof *made->chunks);
    made->slots = sg_alloc_aligned(FIRST_SLOTS, sizeof *made->slots);
    made->slot_count = FIRST_SLOTS;
    made->earliest = UINT64_MAX;
    if (!made->chunks || !made->slots) {
        sg_pair_store_close(made);
        return sg_fail_memory(error, "pair messages");
    }
    *store = made;
    return SCADYG_OK;
}

void sg_pair_store_close(sg_pair_store *store)
{
    if (!store) return;
    for (uint64_t i = 0; i < store->chunk_count; i++) sg_state_free(&store->mapped, store->chunks[i]);
    sg_state_free(&store->mapped, store->slots);
    SG_FREE(store->chunks, store);
}

void sg_pair_store_clear(sg_pair_store *store)
{
    memset(store->slots, 0, store->slot_count * sizeof *store->slots);
    store->count = store->forgotten = 0;
    store->earliest = UINT64_MAX;
    store->latest = 0;
}

/* ---- Slots ------------------------------------------------------------------------------------------------ */

static inline record *record_at(const sg_pair_store *store, uint64_t number)
{
    return (record *)(void *)(store->chunks[number / CHUNK] + number % CHUNK * store->stride);
}

static inline float *weights_of(const sg_pair_store *store, record *r)
{
    return store->weighted ? (float *)(void *)((unsigned char *)r + LINE) : NULL;
}

/* Low bits say where a pair's slot is, those of the upper half that a slot has room for what stands in it. */
static inline uint32_t tag_of(uint64_t hash, uint32_t mask)
{
    return (uint32_t)(hash >> 32) & ~mask;
}

/* The next record whose slot looks like the pair's, beginning at slot *i, which moves on; NULL if there is none. */
static inline record *next_record_like(const sg_pair_store *store, uint64_t hash, uint32_t *i)
{
    const uint32_t mask = (uint32_t)(store->slot_count - 1), tag = tag_of(hash, mask);
    for (;;) {
        const uint32_t slot = store->slots[*i & mask];
        if (!slot) return NULL;
        ++*i;
        if ((slot & ~mask) == tag) return record_at(store, (slot & mask) - 1);
    }
}

static inline record *find_record(const sg_pair_store *store, uint64_t key, uint64_t hash)
{
    uint32_t i = (uint32_t)hash;
    record *r;
    do r = next_record_like(store, hash, &i);
    while (r && r->key != key);
    return r;
}

/* Puts a record that has no slot yet into the first free one. */
static inline void place_record(uint32_t *slots, uint32_t mask, uint64_t hash, uint64_t number)
{
    uint32_t i = (uint32_t)hash & mask;
    while (slots[i]) i = (i + 1) & mask;
    slots[i] = tag_of(hash, mask) | (uint32_t)(number + 1);
}

static int grow_slots(sg_pair_store *store, scadyg_error *error)
{
    const uint64_t slot_count = 2 * store->slot_count;
    const uint32_t mask = (uint32_t)(slot_count - 1);
    uint32_t *slots = sg_alloc_aligned((size_t)slot_count, sizeof *slots);
    if (!slots) return sg_fail_memory(error, "pair messages");
    for (uint64_t i = 0; i < store->count; i++) {
        if (i + AHEAD < store->count)
            __builtin_prefetch(
                &slots[(uint32_t)sg_hash_number(&store->key, record_at(store, i + AHEAD)->key) & mask], 1);
        place_record(slots, mask, sg_hash_number(&store->key, record_at(store, i)->key), i);
    }
    sg_state_free(&store->mapped, store->slots);
    store->slots = slots;
    store->slot_count = slot_count;
    return SCADYG_OK;
}

/* ---- Forgetting ------------------------------------------------------------------------------------------- */

/* Whole numbers in the order of times. */
static inline uint64_t order_of(double time)
{
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t bits;
    time += 0.0; /* there are two zeros, and they are equal */
    memcpy(&bits, &time, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

static int compare_orders(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/*
 * The time (by its order) of the rank-th oldest pair, from 1; *rank becomes the rank among pairs of that very time. Times
 * from low to high are counted in bins, then the bin that has the rank is the range, until few enough are left to sort.
 */
static uint64_t time_of_rank(const sg_pair_store *store, uint64_t *rank)
{
    uint64_t low = store->earliest, high = store->latest, inside = store->count;
    while (low < high && inside > BINS) {
        uint32_t bins[BINS] = {0}, bin = 0;
        int shift = 0;
        while ((high - low) >> shift >= BINS) shift++;
        for (uint64_t i = 0; i < store->count; i++) {
            const uint64_t order = order_of(record_at(store, i)->tally.last);
            if (order >= low && order <= high) bins[(order - low) >> shift]++;
        }
        while (*rank > bins[bin]) *rank -= bins[bin++];
        inside = bins[bin];
        low += (uint64_t)bin << shift;
        if ((high - low) >> shift) high = low + ((uint64_t)1 << shift) - 1;
    }
    if (low == high) return low;
    uint64_t orders[BINS];
    size_t count = 0;
    for (uint64_t i = 0; i < store->count; i++) {
        const uint64_t order = order_of(record_at(store, i)->tally.last);
        if (order >= low && order <= high) orders[count++] = order;
    }
    qsort(orders, count, sizeof *orders, compare_orders);
    const uint64_t found = orders[*rank - 1];
    for (size_t i = 0; i < count && orders[i] < found; i++) --*rank;
    return found;
}

/* A quarter of the pairs, the oldest. The others move up in their order. */
static void forget_oldest(sg_pair_store *store)
{
    uint64_t ties = store->count / 4, kept = 0;
    const uint64_t oldest = time_of_rank(store, &ties);
    const uint32_t mask = (uint32_t)(store->slot_count - 1);
    memset(store->slots, 0, store->slot_count * sizeof *store->slots);
    for (uint64_t i = 0; i < store->count; i++) {
        if (i + AHEAD < store->count)
            __builtin_prefetch(
                &store->slots[(uint32_t)sg_hash_number(&store->key, record_at(store, i + AHEAD)->key) & mask], 1);
        record *r = record_at(store, i);
        const uint64_t order = order_of(r->tally.last);
        if (order < oldest || (order == oldest && ties)) {
            ties -= order == oldest;
            continue;
        }
        if (kept < i) memcpy(record_at(store, kept), r, store->stride);
        place_record(store->slots, mask, sg_hash_number(&store->key, record_at(store, kept)->key), kept);
        kept++;
    }
    store->forgotten += store->count - kept;
    store->count = kept;
    store->earliest = oldest;
}

/* ---- Adding and finding ----------------------------------------------------------------------------------- */

/* Room for one more pair. Without memory everything is as it was. */
static int make_room(sg_pair_store *store, scadyg_error *error)
{
    if (store->count == store->limit) forget_oldest(store);
    if (2 * (store->count + 1) > store->slot_count) {
        int status = grow_slots(store, error);
        if (status) return status;
    }
    if (store->count == store->chunk_count * CHUNK) {
        const uint64_t rest = store->limit - store->count;
        unsigned char *chunk = sg_alloc_huge(rest < CHUNK ? (size_t)rest : CHUNK, store->stride);
        if (!chunk) return sg_fail_memory(error, "pair messages");
        store->chunks[store->chunk_count++] = chunk;
    }
    return SCADYG_OK;
}

/* The record of a pair that has none yet; there is room. Its sums of nothing are as of the time, so nothing decays. */
static record *append_record(sg_pair_store *store, uint64_t key, uint64_t hash, double time)
{
    record *r = record_at(store, store->count);
    *r = (record){key, {.last = time}};
    if (store->weighted) memset(weights_of(store, r), 0, SG_RATES * sizeof(float));
    place_record(store->slots, (uint32_t)(store->slot_count - 1), hash, store->count);
    store->count++;
    return r;
}

int sg_pair_store_add(sg_pair_store *store, uint32_t src, uint32_t dst, double time, const sg_pair_event *event,
                      const sg_tally **tally, scadyg_error *error)
{
    const uint64_t key = sg_pair_key(src, dst), hash = sg_hash_number(&store->key, key), order = order_of(time);
    record *r = find_record(store, key, hash);
    if (!r) {
        int status = make_room(store, error);
        if (status) return status;
        r = append_record(store, key, hash, time);
    }
    sg_tally_add_weight(&store->rates, &r->tally, time, 1, weights_of(store, r), event->weight);
    r->tally.clock[0] = event->clock[0];
    r->tally.clock[1] = event->clock[1];
    if (tally) *tally = &r->tally;
    if (order < store->earliest) store->earliest = order;
    if (order > store->latest) store->latest = order;
    return SCADYG_OK;
}

int sg_pair_store_find(const sg_pair_store *store, uint32_t src, uint32_t dst, sg_pair_message *message)
{
    const uint64_t key = sg_pair_key(src, dst);
    record *r = find_record(store, key, sg_hash_number(&store->key, key));
    if (!r) return 0;
    *message = (sg_pair_message){&r->tally, weights_of(store, r)};
    return 1;
}

/* ---- Many at once ----------------------------------------------------------------------------------------- */

/*
 * A find waits for memory twice, for a slot and for the record that the slot leads to. For a group of pairs all slots are
 * asked for before the first is read, and all records before the first of them.
 */
static inline void fetch_slot(const sg_pair_store *store, uint64_t hash)
{
    __builtin_prefetch(&store->slots[hash & (store->slot_count - 1)]);
}

/* Brings the record that is most likely the pair's; NULL if the pair has none. */
static inline record *fetch_record(const sg_pair_store *store, uint64_t hash)
{
    uint32_t i = (uint32_t)hash;
    record *r = next_record_like(store, hash, &i);
    if (!r) return NULL;
    __builtin_prefetch(r);
    if (store->weighted) __builtin_prefetch((unsigned char *)r + LINE);
    return r;
}

void sg_pair_store_prefetch(const sg_pair_store *store, const uint32_t *src, const uint32_t *dst, size_t count)
{
    for (size_t i = 0; i < count; i++) fetch_slot(store, sg_hash_number(&store->key, sg_pair_key(src[i], dst[i])));
    for (size_t i = 0; i < count; i++)
        fetch_record(store, sg_hash_number(&store->key, sg_pair_key(src[i], dst[i])));
}

static void find_group(const sg_pair_store *store, const uint32_t *src, const uint32_t *dst, size_t count,
                       sg_pair_message *messages)
{
    uint64_t hash[SG_PAIR_GROUP];
    record *likely[SG_PAIR_GROUP];
    for (size_t i = 0; i < count; i++) {
        hash[i] = sg_hash_number(&store->key, sg_pair_key(src[i], dst[i]));
        fetch_slot(store, hash[i]);
    }
    for (size_t i = 0; i < count; i++) likely[i] = fetch_record(store, hash[i]);
    for (size_t i = 0; i < count; i++) {
        const uint64_t key = sg_pair_key(src[i], dst[i]);
        record *r = likely[i];
        if (r && r->key != key) r = find_record(store, key, hash[i]);
        messages[i] = (sg_pair_message){r ? &r->tally : NULL, r ? weights_of(store, r) : NULL};
    }
}

void sg_pair_store_find_many(const sg_pair_store *store, const uint32_t *src, const uint32_t *dst, size_t count,
                             sg_pair_message *messages)
{
    for (size_t i = 0; i < count; i += SG_PAIR_GROUP)
        find_group(store, src + i, dst + i, count - i < SG_PAIR_GROUP ? count - i : SG_PAIR_GROUP, messages + i);
}

/* ---- Snapshots -------------------------------------------------------------------------------------------- */

typedef struct store_numbers {
    sg_hash_key key;
    uint64_t count, forgotten, earliest, latest, slot_count;
} store_numbers;

enum { NUMBERS, RECORDS, SLOTS }; /* sections */

void sg_pair_store_save(const sg_pair_store *store, uint32_t kind, sg_state_writer *w)
{
    const store_numbers n = {store->key,      store->count,  store->forgotten,
                             store->earliest, store->latest, store->slot_count};
    sg_state_begin(w, kind + NUMBERS);
    sg_state_copy(w, &n, sizeof n);
    sg_state_begin(w, kind + RECORDS);
    for (uint64_t i = 0; i < store->count; i += CHUNK)
        sg_state_put(w, store->chunks[i / CHUNK],
                     (store->count - i < CHUNK ? store->count - i : CHUNK) * store->stride);
    sg_state_begin(w, kind + SLOTS);
    sg_state_put(w, store->slots, store->slot_count * sizeof *store->slots);
}

/* Full chunks stay where they are in the file; the last one is copied, since records will be added to it. */
static int take_chunks(sg_pair_store *store, unsigned char *records, uint64_t count, scadyg_error *error)
{
    for (uint64_t i = 0; i < count; i += CHUNK) {
        unsigned char *chunk = records + i * store->stride;
        if (count - i < CHUNK) {
            const uint64_t rest = store->limit - i;
            chunk = sg_alloc_huge(rest < CHUNK ? (size_t)rest : CHUNK, store->stride);
            if (!chunk) return sg_fail_memory(error, "pair messages");
            memcpy(chunk, records + i * store->stride, (size_t)((count - i) * store->stride));
        }
        store->chunks[store->chunk_count++] = chunk;
    }
    store->count = count;
    return SCADYG_OK;
}

enum { CHECKED = 1 << 16 }; /* records, or slots, at a time */

typedef struct store_check {
    const sg_pair_store *store;
    _Atomic uint64_t used; /* slots */
    _Atomic int bad;
} store_check;

/* What forgetting relies on. */
static void check_records(void *data, size_t worker, size_t piece)
{
    store_check *c = data;
    const sg_pair_store *store = c->store;
    const uint64_t first = (uint64_t)piece * CHECKED;
    int bad = 0;
    (void)worker;
    for (uint64_t i = first; i < store->count && i < first + CHECKED; i++) {
        const uint64_t order = order_of(record_at(store, i)->tally.last);
        bad |= order < store->earliest || order > store->latest;
    }
    if (bad) c->bad = 1;
}

static void check_slots(void *data, size_t worker, size_t piece)
{
    store_check *c = data;
    const sg_pair_store *store = c->store;
    const uint32_t mask = (uint32_t)(store->slot_count - 1);
    const uint64_t first = (uint64_t)piece * CHECKED;
    uint64_t used = 0;
    int bad = 0;
    (void)worker;
    for (uint64_t i = first; i < store->slot_count && i < first + CHECKED; i++) {
        const uint32_t slot = store->slots[i], number = slot & mask;
        used += slot != 0;
        bad |= slot && (!number || number > store->count);
    }
    c->used += used;
    if (bad) c->bad = 1;
}

int sg_pair_store_load(sg_pair_store *store, scadyg_context *context, uint32_t kind, const sg_state_reader *r,
                       double newest, scadyg_error *error)
{
    const store_numbers *n = NULL;
    unsigned char *records = NULL;
    uint32_t *slots = NULL;
    int status = sg_state_take(r, kind + NUMBERS, sizeof *n, &n, error);
    if (status) return status;
    if (n->count > store->limit || n->slot_count < FIRST_SLOTS || n->slot_count & (n->slot_count - 1) ||
        n->slot_count > 2 * MOST_PAIRS || 2 * n->count > n->slot_count ||
        (n->count && n->latest > order_of(newest)))
        return sg_state_bad(r, "its pairs make no sense", error);
    status = sg_state_take(r, kind + RECORDS, n->count * store->stride, &records, error);
    if (!status) status = sg_state_take(r, kind + SLOTS, n->slot_count * sizeof *slots, &slots, error);
    if (status) return status;
    free(store->slots);
    store->mapped = (sg_state_range){r->data, r->data + r->size};
    store->slots = slots;
    store->slot_count = n->slot_count;
    store->key = n->key;
    store->forgotten = n->forgotten;
    store->earliest = n->earliest;
    store->latest = n->latest;
    status = take_chunks(store, records, n->count, error);
    if (status) return status;
    store_check check = {.store = store};
    sg_parallel_for(context, (size_t)((store->count + CHECKED - 1) / CHECKED), check_records, &check);
    sg_parallel_for(context, (size_t)((store->slot_count + CHECKED - 1) / CHECKED), check_slots, &check);
    if (check.bad || check.used != store->count) return sg_state_bad(r, "its pairs make no sense", error);
    return SCADYG_OK;
}
