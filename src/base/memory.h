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
 * Not cleared, in huge pages where the system grants them, and given back to the system as soon as it is freed: for what is
 * large, goes soon and is counted in a bound of memory, as malloc keeps such blocks for each thread. Small ones are malloc's.
 * Freed with their size; NULL is fine.
 */
void *sg_alloc_pages(size_t count, size_t size);
void sg_free_pages(void *block, size_t count, size_t size);

/* Such a block with room for more; what is new is not cleared. Large ones are not copied, their pages move. NULL without
 * memory, and the old one is as it was. */
void *sg_regrow_pages(void *block, size_t count, size_t more, size_t size);

/*
 * Grows *array so that it holds at least `needed` elements, by half as much again; *capacity is updated.
 * Returns 0, or -1 with everything as it was.
 */
int sg_grow(void *array, size_t *capacity, size_t needed, size_t size);

/* The same where nothing has to stay of what was there, by a sixteenth at least: never two of them, and little that is not
 * needed. Returns 0, or -1 with no array. */
int sg_renew(void *array, size_t *capacity, size_t needed, size_t size);

/* Arrays that are made or grown together. SG_ARRAY_IF leaves one out unless it is needed. */
typedef struct sg_array {
    void *at; /* the address of the pointer; NULL: left out */
    size_t count, size;
} sg_array;
#define SG_ARRAY(pointer, count) SG_ARRAY_IF(1, pointer, count)
#define SG_ARRAY_IF(needed, pointer, count) ((sg_array){(needed) ? &(pointer) : NULL, count, sizeof *(pointer)})
#define SG_ARRAYS(...) (const sg_array[]){__VA_ARGS__}, sizeof((const sg_array[]){__VA_ARGS__}) / sizeof(sg_array)

/* SG_ALLOC(SG_ARRAY(a, n), SG_ARRAY(b, m)): a[n] and b[m], not cleared. -1 if one could not be made: it is NULL. */
#define SG_ALLOC(...) sg_alloc_all(SG_ARRAYS(__VA_ARGS__))
int sg_alloc_all(const sg_array *arrays, size_t count);

/*
 * SG_GROW(&capacity, needed, SG_ARRAY(a, 1), SG_ARRAY(b, width)): sg_grow for arrays of one capacity; the count of each is
 * that of numbers for one more in the capacity.
 */
#define SG_GROW(capacity, needed, ...)                                                                             \
    ((needed) <= *(capacity) ? 0 : sg_grow_all(capacity, needed, SG_ARRAYS(__VA_ARGS__)))
int sg_grow_all(size_t *capacity, size_t needed, const sg_array *arrays, size_t count);

/* Frees all of these: SG_FREE(a, b, c). What the pointers are is read before the first is freed; NULL is fine. */
#define SG_FREE(...) sg_free_all((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
void sg_free_all(void *const *blocks, size_t count);

/* Bytes of memory the machine has. */
uint64_t sg_physical_memory(void);

#endif
