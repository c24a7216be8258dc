/* The known word nearest to one that was mistyped. */
#include "base/nearest.h"

#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters to insert, drop, change or swap with their neighbour to make one word of the other. */
static size_t edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][LONGEST + 1]; /* the row being filled and the two before it */
    size_t *older = rows[0], *old = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++) old[j] = j;
    for (size_t i = 1; i <= n; i++) {
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t cost = a[i - 1] != b[j - 1];
            row[j] = least(least(old[j] + 1, row[j - 1] + 1), old[j - 1] + cost);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], older[j - 2] + 1);
        }
        size_t *free_row = older;
        older = old;
        old = row;
        row = free_row;
    }
    return old[m];
}

const char *sg_nearest(const char *word, const char *const *names, size_t stride, size_t count)
{
    const size_t length = strlen(word);
    if (length == 0 || length > LONGEST) return NULL;
    const char *best = NULL;
    size_t best_distance = 0;
    for (size_t i = 0; i < count; i++) {
        const char *name;
        memcpy(&name, (const char *)names + i * stride, sizeof name);
        const size_t size = strlen(name);
        if (size > LONGEST) continue;
        size_t distance = edit_distance(word, length, name, size);
        if (length >= 2 && size > length && memcmp(word, name, length) == 0) distance = 1; /* cut short */
        if (best && distance >= best_distance) continue;
        best = name;
        best_distance = distance;
    }
    /* Half of the letters wrong is another word. */
    return best && 2 * best_distance <= least(length, strlen(best)) + 1 ? best : NULL;
}
