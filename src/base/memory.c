/* Memory: allocation that checks its sizes. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *sg_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
    return malloc(bytes ? bytes : 1);
}

void *sg_alloc_zero(size_t count, size_t size)
{
    return calloc(count ? count : 1, size ? size : 1);
}

#define HUGE_PAGE ((size_t)2 << 20)

static size_t choose_alignment(size_t bytes)
{
    return bytes >= HUGE_PAGE ? HUGE_PAGE : 64;
}

/* Random access to node states is bound by address translation; a refusal changes nothing but speed. */
static void ask_for_huge_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    if (bytes >= HUGE_PAGE) (void)madvise(block, bytes, MADV_HUGEPAGE);
#else
    (void)block;
    (void)bytes;
#endif
}

void *sg_alloc_huge(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - 4096) return NULL;
    const size_t alignment = choose_alignment(bytes);
    bytes = (bytes + 63) / 64 * 64;
    void *block = NULL;
    if (posix_memalign(&block, alignment, bytes ? bytes : 64)) return NULL;
    ask_for_huge_pages(block, bytes);
    return block;
}

#define PAGED ((size_t)64 << 10) /* below it malloc is as good */

void *sg_alloc_pages(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - HUGE_PAGE) return NULL;
    if (bytes < PAGED) return sg_alloc(count, size);
    /* Where huge pages fit, a piece more is mapped, so that they lie in it as they must, and what is over goes back. */
    const size_t more = bytes >= HUGE_PAGE ? HUGE_PAGE : 0;
    char *map = mmap(NULL, bytes + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) return NULL;
    const size_t before = more ? (HUGE_PAGE - (uintptr_t)map % HUGE_PAGE) % HUGE_PAGE : 0;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), end = (before + bytes + page - 1) / page * page;
    if (before) (void)munmap(map, before);
    if (end < bytes + more) (void)munmap(map + end, bytes + more - end);
    ask_for_huge_pages(map + before, bytes);
    return map + before;
}

void sg_free_pages(void *block, size_t count, size_t size)
{
    if (block && count * size >= PAGED)
        (void)munmap(block, count * size);
    else
        free(block);
}

void *sg_regrow_pages(void *block, size_t count, size_t more, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(more, size, &bytes) || bytes > SIZE_MAX - HUGE_PAGE) return NULL;
#ifdef MREMAP_MAYMOVE
    if (block && count * size >= PAGED) {
        void *moved = mremap(block, count * size, bytes, MREMAP_MAYMOVE);
        if (moved == MAP_FAILED) return NULL;
        ask_for_huge_pages(moved, bytes);
        return moved;
    }
#endif
    void *made = sg_alloc_pages(more, size);
    if (made && block) memcpy(made, block, count * size);
    if (made) sg_free_pages(block, count, size);
    return made;
}

void *sg_alloc_lazy(size_t count, size_t size, void **block)
{
    size_t bytes;
    *block = NULL;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - HUGE_PAGE) return NULL;
    const size_t alignment = choose_alignment(bytes);
    *block = calloc(bytes + alignment, 1); /* a large block is fresh from the system, so nothing is written */
    if (!*block) return NULL;
    char *aligned = (char *)*block + (alignment - (uintptr_t)*block % alignment) % alignment;
    ask_for_huge_pages(aligned, bytes / alignment * alignment);
    return aligned;
}

void *sg_alloc_aligned(size_t count, size_t size)
{
    void *block = sg_alloc_huge(count, size);
    if (block) memset(block, 0, count * size);
    return block;
}

int sg_grow(void *array, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity) return 0;
    size_t target = *capacity + *capacity / 2;
    if (target < needed) target = needed;
    if (target < 16) target = 16;
    size_t bytes;
    if (__builtin_mul_overflow(target, size, &bytes)) return -1;
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = realloc(old, bytes ? bytes : 1);
    if (!grown) return -1;
    memcpy(array, &grown, sizeof grown);
    *capacity = target;
    return 0;
}

int sg_renew(void *array, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity) return 0;
    const size_t target = *capacity + *capacity / 16 > needed ? *capacity + *capacity / 16 : needed;
    void *block;
    memcpy(&block, array, sizeof block);
    free(block);
    block = sg_alloc(target, size);
    memcpy(array, &block, sizeof block);
    *capacity = block ? target : 0;
    return block ? 0 : -1;
}

int sg_alloc_all(const sg_array *arrays, size_t count)
{
    int missing = 0;
    for (size_t i = 0; i < count; i++) {
        if (!arrays[i].at) continue;
        void *made = sg_alloc(arrays[i].count, arrays[i].size);
        memcpy(arrays[i].at, &made, sizeof made);
        missing |= !made;
    }
    return missing ? -1 : 0;
}

int sg_grow_all(size_t *capacity, size_t needed, const sg_array *arrays, size_t count)
{
    size_t grown = *capacity;
    for (size_t i = 0; i < count; i++) {
        size_t own = *capacity;
        if (!arrays[i].at) continue;
        size_t size;
        if (__builtin_mul_overflow(arrays[i].count, arrays[i].size, &size)) return -1;
        if (sg_grow(arrays[i].at, &own, needed, size)) return -1;
        grown = own;
    }
    *capacity = grown; /* all grow by the same rule */
    return 0;
}

void sg_free_all(void *const *blocks, size_t count)
{
    for (size_t i = 0; i < count; i++) free(blocks[i]);
}

uint64_t sg_physical_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || size <= 0) return (uint64_t)1 << 30;
    return (uint64_t)pages * (uint64_t)size;
}
