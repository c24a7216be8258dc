/* Who comes before whom. */
#include "messages/pairs/links.h"

#include "base/memory.h"
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Buckets of a chunk, and chunks that are made together as soon as there are as many: a huge page. */
enum { CHUNK = 4096, SLAB = 8 };
#define NOBODY UINT32_MAX
#define NO_CHUNK UINT32_MAX

/* Chunks that were made, or will be, with this one, the first of them: by where it stands and by the bound alone. */
static size_t slab_of(const sg_links *links, size_t chunk)
{
    return chunk >= SLAB && chunk % SLAB == 0 && links->most - chunk >= SLAB ? SLAB : 1;
}

int sg_links_open(uint64_t bytes, sg_links **links, scadyg_error *error)
{
    sg_links *made = sg_alloc_zero(1, sizeof *made);
    *links = NULL;
    if (made) {
        const uint64_t chunks = bytes / (CHUNK * sizeof(sg_link_bucket));
        made->most = chunks > SG_LINK_SIZES ? chunks : SG_LINK_SIZES;
    }
    if (!made) return sg_fail_memory(error, "who comes before whom");
    sg_links_clear(made);
    *links = made;
    return SCADYG_OK;
}

void sg_links_close(sg_links *links)
{
    if (!links) return;
    /* What was read from a file was made in no slab. */
    for (size_t i = 0; i < links->chunks;) {
        const size_t next = i + (sg_state_holds(&links->mapped, links->chunk[i]) ? 1 : slab_of(links, i));
        sg_state_free(&links->mapped, links->chunk[i]);
        i = next;
    }
    SG_FREE(links->chunk, links);
}

void sg_links_clear(sg_links *links)
{
    links->used = 0;
    for (size_t i = 0; i < SG_LINK_SIZES; i++)
        links->size[i] = (sg_link_size){{.chunk = NO_CHUNK}, {.chunk = NO_CHUNK}};
}

uint64_t sg_links_bytes(const sg_links *links)
{
    return links->chunks * CHUNK * sizeof(sg_link_bucket);
}

/* Of its way to the full length a list leaves one bucket less than it has; the first addition takes one, and nine may take
 * all of it. */
uint64_t sg_links_bytes_for(uint64_t nodes, uint64_t additions)
{
    const uint64_t all = UINT64_MAX / (32 * sizeof(sg_link_bucket));
    const uint64_t by_nodes = (2 * SG_LINK_BUCKETS - 1) * (nodes < all ? nodes : all);
    const uint64_t by_additions = 2 * (additions < all ? additions : all);
    return ((by_nodes < by_additions ? by_nodes : by_additions) + SG_LINK_SIZES * CHUNK) * sizeof(sg_link_bucket);
}

/* ---- Room for lists ---- */

static sg_link_bucket *bucket_at(const sg_links *links, sg_link_place at)
{
    return links->chunk[at.chunk] + at.first;
}

static void clear_list(sg_link_bucket *list, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        memset(list[i].who, 0xFF, sizeof list[i].who);
        memset(list[i].weight, 0, sizeof list[i].weight);
    }
}

/* The next chunk, one that is there already or a new one. -1: the machine has no memory. */
static int add_chunk(sg_links *links)
{
    if (links->used == links->chunks) {
        const size_t slab = slab_of(links, links->chunks);
        if (sg_grow(&links->chunk, &links->chunk_room, links->chunks + slab, sizeof *links->chunk)) return -1;
        sg_link_bucket *made = sg_alloc_huge(slab * CHUNK, sizeof *made);
        if (!made) return -1;
        for (size_t i = 0; i < slab; i++) links->chunk[links->chunks++] = made + i * CHUNK;
    }
    links->used++;
    return 0;
}

/* A list of 1 << size buckets, cleared. length 0: the memory granted is used up. -1: there is none. */
static int take_list(sg_links *links, size_t size, sg_link_place *list)
{
    sg_link_size *own = &links->size[size];
    const uint16_t length = (uint16_t)(1u << size);
    *list = (sg_link_place){0};
    if (own->given_back.chunk != NO_CHUNK) {
        *list = own->given_back;
        memcpy(&own->given_back, bucket_at(links, *list), sizeof own->given_back);
    } else {
        if (own->next.chunk == NO_CHUNK) {
            if (links->used >= links->most) return 0;
            if (add_chunk(links)) return -1;
            own->next = (sg_link_place){.chunk = (uint32_t)(links->used - 1)};
        }
        *list = own->next;
        own->next.first = (uint16_t)(own->next.first + length);
        if (own->next.first == CHUNK) own->next.chunk = NO_CHUNK;
    }
    list->length = length;
    clear_list(bucket_at(links, *list), length);
    return 0;
}

static void give_back(sg_links *links, size_t size, sg_link_place list)
{
    memcpy(bucket_at(links, list), &links->size[size].given_back, sizeof list);
    links->size[size].given_back = list;
}

/* ---- Adding ---- */

static size_t size_of(uint16_t length)
{
    size_t size = 0;
    while (1u << size < length) size++;
    return size;
}

/* A bucket parts in two, in the order of its places. */
static void part_bucket(const sg_link_bucket *from, sg_link_bucket *to, uint16_t length)
{
    size_t count[2] = {0};
    for (size_t k = 0; k < SG_LINK_WAYS && from->who[k] != NOBODY; k++) {
        const uint32_t half = sg_links_hash(from->who[k], length) & 1;
        const size_t way = count[half]++;
        to[half].who[way] = from->who[k];
        to[half].weight[way] = from->weight[k];
    }
}

/* To twice the length, or from nothing to one bucket. -1: there is no memory. */
static int lengthen(sg_links *links, sg_link_place *list)
{
    const size_t size = list->length ? size_of(list->length) + 1 : 0;
    sg_link_place longer;
    if (take_list(links, size, &longer)) return -1;
    if (longer.length == 0) return 0;
    for (size_t i = 0; i < list->length; i++)
        part_bucket(bucket_at(links, *list) + i, bucket_at(links, longer) + 2 * i, longer.length);
    if (list->length) give_back(links, size - 1, *list);
    *list = longer;
    return 0;
}

/*
 * To one bucket: to the weight of the node, in a free place, or in that of the lightest, of which a free one, with a weight of 0, is
 * the first. 0: the bucket is full and may not drop any.
 */
static int add_to_bucket(sg_link_bucket *bucket, uint32_t other, float weight, int may_drop)
{
    size_t way = 0, lightest = 0;
    for (; way < SG_LINK_WAYS && bucket->who[way] != other; way++)
        if (bucket->weight[way] < bucket->weight[lightest]) lightest = way;
    if (way == SG_LINK_WAYS) {
        if (!may_drop && bucket->weight[lightest] > 0) return 0;
        way = lightest;
        bucket->weight[way] = 0;
    }
    bucket->who[way] = other;
    bucket->weight[way] += weight;
    return 1;
}

#if defined(__x86_64__)
/*
 * The same without a branch, for whether a node stands in a list is anybody's guess; and all places are written, for a processor
 * waits before it reads what it has just written in part.
 */
SG_AVX2 static inline int add_to_bucket_avx2(sg_link_bucket *bucket, uint32_t other, float weight, int may_drop)
{
    static const uint32_t one_of[2 * SG_LINK_WAYS - 1] = {[SG_LINK_WAYS - 1] = UINT32_MAX};
    const __m256i who = _mm256_loadu_si256((const __m256i *)(const void *)bucket->who);
    const __m256i asked = _mm256_set1_epi32((int)other);
    const __m256 same = _mm256_castsi256_ps(_mm256_cmpeq_epi32(who, asked)), old = _mm256_loadu_ps(bucket->weight);
    __m128 least = _mm_min_ps(_mm256_castps256_ps128(old), _mm256_extractf128_ps(old, 1));
    least = _mm_min_ps(least, _mm_movehl_ps(least, least));
    least = _mm_min_ss(least, _mm_movehdup_ps(least));
    const unsigned found = (unsigned)_mm256_movemask_ps(same);
    if (!may_drop && !found && _mm_cvtss_f32(least) > 0) return 0;
    const __m256 lightest = _mm256_cmp_ps(old, _mm256_broadcastss_ps(least), _CMP_EQ_OQ);
    const unsigned ways = found ? found : (unsigned)_mm256_movemask_ps(lightest);
    const __m256 one =
        _mm256_loadu_ps((const float *)(const void *)(one_of + SG_LINK_WAYS - 1 - __builtin_ctz(ways)));
    const __m256 kept = _mm256_andnot_ps(_mm256_andnot_ps(same, one), old);
    _mm256_storeu_ps((float *)(void *)bucket->who,
                     _mm256_blendv_ps(_mm256_castsi256_ps(who), _mm256_castsi256_ps(asked), one));
    _mm256_storeu_ps(bucket->weight, _mm256_add_ps(kept, _mm256_and_ps(one, _mm256_set1_ps(weight))));
    return 1;
}
#endif

/* A list that has no place for another node becomes longer, or the lightest of a bucket makes way. */
static int add_longer(sg_links *links, sg_link_place *list, uint32_t other, float weight, scadyg_error *error)
{
    for (;;) {
        const uint16_t length = list->length;
        if (length < SG_LINK_BUCKETS && lengthen(links, list))
            return sg_fail_memory(error, "who comes before whom");
        if (list->length == 0) return SCADYG_OK;
        const int may_drop = list->length == length || list->length == SG_LINK_BUCKETS;
        if (add_to_bucket(bucket_at(links, *list) + sg_links_hash(other, list->length), other, weight, may_drop))
            return SCADYG_OK;
    }
}

typedef int add_kernel(sg_link_bucket *bucket, uint32_t other, float weight, int may_drop);

SG_INLINE int add_all(sg_links *links, sg_link_place *list, const uint32_t *others, const float *weights,
                      size_t count, uint32_t skip, scadyg_error *error, add_kernel *add)
{
    sg_link_bucket *first = list->length ? bucket_at(links, *list) : NULL;
    uint16_t length = list->length;
    for (size_t i = 0; i < count; i++) {
        if (others[i] == skip) continue;
        if (length &&
            add(first + sg_links_hash(others[i], length), others[i], weights[i], length == SG_LINK_BUCKETS))
            continue;
        const int status = add_longer(links, list, others[i], weights[i], error);
        if (status) return status;
        length = list->length;
        first = length ? bucket_at(links, *list) : NULL;
    }
    return SCADYG_OK;
}

#if defined(__x86_64__)
SG_AVX2 static int add_all_avx2(sg_links *links, sg_link_place *list, const uint32_t *others, const float *weights,
                                size_t count, uint32_t skip, scadyg_error *error)
{
    return add_all(links, list, others, weights, count, skip, error, add_to_bucket_avx2);
}
#endif

int sg_links_add_all(sg_links *links, sg_link_place *list, const uint32_t *others, const float *weights,
                     size_t count, uint32_t skip, scadyg_error *error)
{
#if defined(__x86_64__)
    if (SG_HAS_AVX2()) return add_all_avx2(links, list, others, weights, count, skip, error);
#endif
    return add_all(links, list, others, weights, count, skip, error, add_to_bucket);
}

int sg_links_add(sg_links *links, sg_link_place *list, uint32_t other, float weight, scadyg_error *error)
{
    return sg_links_add_all(links, list, &other, &weight, 1, NOBODY, error);
}

/* ---- Snapshots ---- */

typedef struct numbers {
    uint64_t used;
    sg_link_size size[SG_LINK_SIZES];
} numbers;

void sg_links_save(const sg_links *links, uint32_t kind, sg_state_writer *w)
{
    numbers n = {.used = links->used};
    memcpy(n.size, links->size, sizeof n.size);
    sg_state_begin(w, kind);
    sg_state_copy(w, &n, sizeof n);
    sg_state_begin(w, kind + 1);
    for (size_t i = 0; i < links->used; i++) sg_state_put(w, links->chunk[i], CHUNK * sizeof(sg_link_bucket));
}

int sg_links_load(sg_links *links, uint32_t kind, const sg_state_reader *r, scadyg_error *error)
{
    const numbers *n = NULL;
    sg_link_bucket *buckets = NULL;
    int status = sg_state_take(r, kind, sizeof *n, &n, error);
    if (!status && (n->used > links->most || n->used >= NO_CHUNK))
        status = sg_state_bad(r, "what came up together makes no sense", error);
    if (!status) status = sg_state_take(r, kind + 1, n->used * CHUNK * sizeof *buckets, &buckets, error);
    if (status) return status;
    if (sg_grow(&links->chunk, &links->chunk_room, (size_t)n->used, sizeof *links->chunk))
        return sg_fail_memory(error, "who comes before whom");
    links->mapped = (sg_state_range){r->data, r->data + r->size};
    for (size_t i = 0; i < n->used; i++) links->chunk[i] = buckets + i * CHUNK;
    links->chunks = links->used = (size_t)n->used;
    memcpy(links->size, n->size, sizeof links->size);
    return SCADYG_OK;
}

uint64_t sg_links_buckets(const sg_links *links)
{
    return (uint64_t)links->used * CHUNK;
}

static int claim(uint64_t *claimed, uint64_t first, uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++) {
        const uint64_t bit = (uint64_t)1 << i % 64;
        if (claimed[i / 64] & bit) return -1;
        claimed[i / 64] |= bit;
    }
    return 0;
}

int sg_links_claim(const sg_links *links, uint64_t *claimed, sg_link_place at)
{
    if (at.length == 0) return 0;
    if (at.length > SG_LINK_BUCKETS || at.length & (at.length - 1) || at.chunk >= links->used ||
        at.first > CHUNK - at.length)
        return -1;
    return claim(claimed, (uint64_t)at.chunk * CHUNK + at.first, at.length);
}

/* Lists given back lead from one to the next; one that comes twice is claimed already. */
int sg_links_claim_free(const sg_links *links, uint64_t *claimed)
{
    for (size_t i = 0; i < SG_LINK_SIZES; i++) {
        const uint16_t length = (uint16_t)(1u << i);
        const sg_link_place next = links->size[i].next;
        if (next.chunk != NO_CHUNK &&
            (next.chunk >= links->used || next.first >= CHUNK || next.first % length ||
             claim(claimed, (uint64_t)next.chunk * CHUNK + next.first, CHUNK - next.first)))
            return -1;
        for (sg_link_place at = links->size[i].given_back; at.chunk != NO_CHUNK;) {
            at.length = length;
            if (sg_links_claim(links, claimed, at)) return -1;
            memcpy(&at, bucket_at(links, at), sizeof at);
        }
    }
    return 0;
}
