/* Memory: allocation that checks its sizes. NULL on failure, as ever; free with free(). */
#ifndef SG_BASE_MEMORY_H
#define SG_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* count * size bytes, not cleared; NULL if that overflows. A count of 0 gives a pointer that can be freed. */
void *sg_alloc(size_t count, size_t size);

/* The same, cleared. Large blocks cost nothing until touched. */
void *sg_alloc_zero(size_t count, size_t size);

/* Aligned to 64 bytes (a cache line), cleared, in huge pages where the system grants them. */
void *sg_alloc_aligned(size_t count, size_t size);

/* The same, costing nothing until touched. *block is what to free. */
void *sg_alloc_lazy(size_t count, size_t size, void **block);

/* Aligned like that, not cleared. */
void *sg_alloc_huge(size_t count, size_t size);

/*
 * Grows *array so that it holds at least `needed` elements, by half as much again; *capacity is updated.
 * Returns 0, or -1 with everything as it was.
 */
int sg_grow(void *array, size_t *capacity, size_t needed, size_t size);

/* Bytes of memory the machine has. */
uint64_t sg_physical_memory(void);

#endif
