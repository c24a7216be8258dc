/* What comes after two. */
#include "messages/pairs/successors.h"

#include "base/memory.h"
#include "messages/pairs/places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_LINES = 1024, AHEAD = 16 /* lines fetched ahead when the table grows */ };
#define MOST_EVENTS ((uint64_t)1 << 40) /* of which anybody asks what they would take */

int sg_successors_open(uint64_t bytes, sg_successors **successors, scadyg_error *error)
{
    sg_successors *made = sg_alloc_zero(1, sizeof *made);
    *successors = NULL;
    if (made) {
        *made = (sg_successors){.mask = FIRST_LINES - 1, .limit = FIRST_LINES, .key = sg_hash_key_draw()};
        /* While it grows, the old lines are there too. */
        while (made->limit <= bytes / (3 * sizeof(sg_successor_line))) made->limit *= 2;
        made->lines = sg_alloc_aligned(FIRST_LINES, sizeof *made->lines);
    }
    if (!made || !made->lines) {
        sg_successors_close(made);
        return sg_fail_memory(error, "what comes after two");
    }
    *successors = made;
    return SCADYG_OK;
}

void sg_successors_close(sg_successors *successors)
{
    if (!successors) return;
    sg_state_free(&successors->mapped, successors->lines);
    free(successors);
}

void sg_successors_clear(sg_successors *successors)
{
    memset(successors->lines, 0, (successors->mask + 1) * sizeof *successors->lines);
    successors->used = 0;
}

uint64_t sg_successors_bytes(const sg_successors *successors)
{
    return (successors->mask + 1) * sizeof *successors->lines;
}

uint64_t sg_successors_bytes_for(uint64_t events)
{
    uint64_t lines = FIRST_LINES;
    while (lines < 2 * (events < MOST_EVENTS ? events : MOST_EVENTS)) lines *= 2;
    return (lines > FIRST_LINES ? lines + lines / 2 : lines) * sizeof(sg_successor_line);
}

static int is_free(const sg_successor_line *line)
{
    return !(line->all > 0);
}

static int grow(sg_successors *s, scadyg_error *error)
{
    sg_successor_line *const old = s->lines;
    const uint64_t count = s->mask + 1;
    sg_successor_line *made = sg_alloc_aligned(2 * count, sizeof *made);
    if (!made) return sg_fail_memory(error, "what comes after two");
    s->lines = made;
    s->mask = 2 * count - 1;
    for (uint64_t i = 0; i < count; i++) {
        const sg_successor_line *next = &old[i + AHEAD < count ? i + AHEAD : i];
        if (!is_free(next)) sg_successors_fetch(s, next->earlier, next->latest);
        if (!is_free(&old[i])) *sg_successors_line(s, old[i].earlier, old[i].latest) = old[i];
    }
    sg_state_free(&s->mapped, old);
    return SCADYG_OK;
}

/*
 * Halves all counts and forgets lines then below `least`, in place. Behind a line that is free, each in turn is taken out and
 * put back: it comes to stand where it was or nearer to where it belongs, and nothing before it moves any more.
 */
static void halve(sg_successors *s, float least)
{
    uint64_t begin = 0;
    while (!is_free(&s->lines[begin])) begin++;
    for (uint64_t i = 1; i <= s->mask; i++) {
        sg_successor_line *at = &s->lines[(begin + i) & s->mask], taken = *at;
        if (is_free(at)) continue;
        at->all = 0;
        taken.all *= 0.5f;
        for (size_t k = 0; k < SG_SUCCESSORS_FIRST; k++) taken.count[k] *= 0.5f;
        for (size_t k = 0; k < SG_SUCCESSORS_MORE; k++) taken.more_count[k] *= 0.5f;
        if (taken.all >= least)
            *sg_successors_line(s, taken.earlier, taken.latest) = taken;
        else
            s->used--;
    }
}

static int make_room(sg_successors *s, scadyg_error *error)
{
    const uint64_t lines = s->mask + 1;
    if (2 * (s->used + 1) <= lines) return SCADYG_OK;
    if (lines < s->limit) return grow(s, error);
    for (float least = 1; 8 * s->used > 3 * lines; least *= 2) halve(s, least);
    return SCADYG_OK;
}

/* That of the rarest, the first of them; it is emptied. */
static float *drop_rarest(sg_successor_line *line, uint32_t **who)
{
    float *rarest = line->count;
    *who = line->who;
    for (size_t i = 1; i < SG_SUCCESSORS; i++) {
        const int first = i < SG_SUCCESSORS_FIRST;
        float *count = first ? &line->count[i] : &line->more_count[i - SG_SUCCESSORS_FIRST];
        if (!(*count < *rarest)) continue;
        rarest = count;
        *who = first ? &line->who[i] : &line->more[i - SG_SUCCESSORS_FIRST];
    }
    *rarest = 0;
    return rarest;
}

/* As the first line becomes full. */
static void clear_more(sg_successor_line *line)
{
    memset(line->more, 0xFF, sizeof line->more);
    memset(line->more_count, 0, sizeof line->more_count);
}

/* The count of a successor: its own, one that is free, or that of the rarest, which makes way. */
static float *find_count(sg_successor_line *line, uint32_t next, uint32_t **who)
{
    unsigned found = 0;
    for (unsigned i = 0; i < SG_SUCCESSORS_FIRST; i++)
        found |= (unsigned)(line->who[i] == next || line->who[i] == UINT32_MAX) << i;
    if (found) {
        const unsigned place = (unsigned)__builtin_ctz(found);
        if (place == SG_SUCCESSORS_FIRST - 1 && line->who[place] == UINT32_MAX) clear_more(line);
        *who = &line->who[place];
        return &line->count[place];
    }
    found = sg_places_match_eight(line->more, next) | sg_places_match_eight(line->more, UINT32_MAX);
    if (!found) return drop_rarest(line, who);
    *who = &line->more[__builtin_ctz(found)];
    return &line->more_count[__builtin_ctz(found)];
}

int sg_successors_add(sg_successors *s, uint32_t earlier, uint32_t latest, uint32_t next, scadyg_error *error)
{
    sg_successor_line *line = sg_successors_line(s, earlier, latest);
    if (is_free(line)) {
        int status = make_room(s, error);
        if (status) return status;
        line = sg_successors_line(s, earlier, latest);
        line->earlier = earlier;
        line->latest = latest;
        memset(line->who, 0xFF, sizeof line->who);
        memset(line->count, 0, sizeof line->count);
        s->used++;
    }
    uint32_t *who;
    *find_count(line, next, &who) += 1;
    *who = next;
    line->all += 1;
    return SCADYG_OK;
}

/* ---- Snapshots ---- */

typedef struct numbers {
    uint64_t lines, used;
    sg_hash_key key;
} numbers;

void sg_successors_save(const sg_successors *s, uint32_t kind, sg_state_writer *w)
{
    const numbers n = {s->mask + 1, s->used, s->key};
    sg_state_begin(w, kind);
    sg_state_copy(w, &n, sizeof n);
    sg_state_begin(w, kind + 1);
    sg_state_put(w, s->lines, n.lines * sizeof *s->lines);
}

enum { CHECKED = 1 << 14 }; /* lines at a time */

typedef struct check {
    const sg_successors *successors;
    _Atomic uint64_t used;
    _Atomic int bad;
} check;

/* Counts that are no numbers would never fade. */
static void check_lines(void *data, size_t worker, size_t piece)
{
    check *c = data;
    const sg_successors *s = c->successors;
    const uint64_t first = (uint64_t)piece * CHECKED;
    uint64_t used = 0;
    int bad = 0;
    (void)worker;
    for (uint64_t i = first; i <= s->mask && i < first + CHECKED; i++) {
        used += !is_free(&s->lines[i]);
        bad |= !isfinite(s->lines[i].all);
    }
    c->used += used;
    if (bad) c->bad = 1;
}

int sg_successors_load(sg_successors *s, scadyg_context *context, uint32_t kind, const sg_state_reader *r,
                       scadyg_error *error)
{
    const numbers *n = NULL;
    sg_successor_line *lines = NULL;
    int status = sg_state_take(r, kind, sizeof *n, &n, error);
    if (status) return status;
    if (n->lines < FIRST_LINES || n->lines > s->limit || n->lines & (n->lines - 1) || 2 * n->used > n->lines)
        return sg_state_bad(r, "what comes after two makes no sense", error);
    status = sg_state_take(r, kind + 1, n->lines * sizeof *lines, &lines, error);
    if (status) return status;
    free(s->lines);
    s->mapped = (sg_state_range){r->data, r->data + r->size};
    s->lines = lines;
    s->mask = n->lines - 1;
    s->used = n->used;
    s->key = n->key;
    check c = {.successors = s};
    sg_parallel_for(context, (size_t)((n->lines + CHECKED - 1) / CHECKED), check_lines, &c);
    return c.bad || c.used != s->used ? sg_state_bad(r, "what comes after two makes no sense", error) : SCADYG_OK;
}
