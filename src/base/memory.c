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

void *sg_alloc_huge(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - 4096) return NULL;
    const size_t huge_page = (size_t)2 << 20;
    const size_t alignment = bytes >= huge_page ? huge_page : 64;
    bytes = (bytes + 63) / 64 * 64;
    void *block = NULL;
    if (posix_memalign(&block, alignment, bytes ? bytes : 64)) return NULL;
#ifdef MADV_HUGEPAGE
    /* Random access to node states is bound by address translation; a refusal changes nothing but speed. */
    if (bytes >= huge_page) (void)madvise(block, bytes, MADV_HUGEPAGE);
#endif
    return block;
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
    void *grown = realloc(old, bytes);
    if (!grown) return -1;
    memcpy(array, &grown, sizeof grown);
    *capacity = target;
    return 0;
}

uint64_t sg_physical_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || size <= 0) return (uint64_t)1 << 30;
    return (uint64_t)pages * (uint64_t)size;
}
