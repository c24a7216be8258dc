/*
 * Sorting rows by time: a natural merge sort. Logs are mostly in order, so runs that are in order already are found
 * and merged pairwise; one run means one pass.
 */
#include "events/import/row_sort.h"

#include <string.h>

/* The end of the run that begins at `at`. */
static size_t run_end(const sg_sort_key *keys, size_t at, size_t count)
{
    at++;
    while (at < count && keys[at - 1].time <= keys[at].time) at++;
    return at;
}

static void merge(const sg_sort_key *a, size_t a_count, const sg_sort_key *b, size_t b_count, sg_sort_key *out)
{
    size_t i = 0, j = 0;
    while (i < a_count && j < b_count) *out++ = b[j].time < a[i].time ? b[j++] : a[i++];
    memcpy(out, a + i, (a_count - i) * sizeof *a);
    memcpy(out + (a_count - i), b + j, (b_count - j) * sizeof *b);
}

/* Short stretches are sorted by insertion, so that random input starts with runs of some length. */
static void presort(sg_sort_key *keys, size_t count)
{
    enum { STRETCH = 16 };
    for (size_t begin = 0; begin < count; begin += STRETCH) {
        size_t end = begin + STRETCH < count ? begin + STRETCH : count;
        for (size_t i = begin + 1; i < end; i++) {
            sg_sort_key key = keys[i];
            size_t j = i;
            for (; j > begin && key.time < keys[j - 1].time; j--) keys[j] = keys[j - 1];
            keys[j] = key;
        }
    }
}

void sg_sort_by_time(sg_sort_key *keys, sg_sort_key *scratch, size_t count)
{
    sg_sort_key *from = keys, *to = scratch;
    presort(keys, count);
    for (;;) {
        size_t merges = 0;
        for (size_t at = 0; at < count;) {
            size_t middle = run_end(from, at, count), end = middle < count ? run_end(from, middle, count) : middle;
            merge(from + at, middle - at, from + middle, end - middle, to + at);
            merges += at > 0 || end < count;
            at = end;
        }
        sg_sort_key *swap = from;
        from = to;
        to = swap;
        if (merges == 0) break;
    }
    if (from != keys && count) memcpy(keys, from, count * sizeof *keys);
}
