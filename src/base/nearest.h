/* The known word nearest to one that was mistyped. */
#ifndef SG_BASE_NEAREST_H
#define SG_BASE_NEAREST_H

#include <stddef.h>

/*
 * The nearest of `count` names by letters inserted, dropped, changed or swapped with their neighbour; NULL if none is
 * near enough to have been meant. Names lie `stride` bytes apart: sizeof(char *) in an array of names, or the size of the
 * struct in a table whose rows have one.
 */
const char *sg_nearest(const char *word, const char *const *names, size_t stride, size_t count);

#endif
