/* Neighbours of destinations: counted event by event, asked for many destinations at once. */
#include "models/baselines/neighbours.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = SG_NEIGHBOUR_PLACES, FIRST_ROOM = 4, LINE = 64 };

/* Counts are kept relative to a reference time, which moves on after this decay: e^40 leaves room in a float. */
#define MOST_DECAY 40.0

/* In the far future order still counts: nothing decays by more than this. */
#define LEAST_DECAY 1e-60

#define SHRINK 5.0

/* With fewer destinations it is faster to look each of them up. */
enum { LOOKED_UP = 8 };

/* ---- Opening and closing ---- */

void sg_neighbours_rewind(sg_neighbours *neighbours)
{
    const size_t nodes = (size_t)neighbours->nodes;
    if (neighbours->seen) {
        for (size_t i = 0; i < nodes; i++) neighbours->rows[i].count = 0;
        memset(neighbours->filled, 0, nodes * sizeof *neighbours->filled);
        memset(neighbours->stamp, 0, nodes * sizeof *neighbours->stamp);
    }
    neighbours->seen = neighbours->now = neighbours->kept_count = 0;
    neighbours->reference = neighbours->columns->count ? neighbours->columns->time[0] : 0;
    neighbours->weight = 1;
}

int sg_neighbours_open(sg_neighbours *neighbours, const sg_columns *columns, uint64_t nodes, double rate,
                       scadyg_error *error)
{
    const size_t count = (size_t)nodes;
    *neighbours = (sg_neighbours){.columns = columns, .nodes = nodes, .rate = rate, .most = SG_NEIGHBOURS_MOST};
    neighbours->rows = sg_alloc_zero(count, sizeof *neighbours->rows);
    neighbours->places = sg_alloc_zero(count, PLACES * sizeof *neighbours->places);
    neighbours->filled = sg_alloc_zero(count, sizeof *neighbours->filled);
    neighbours->stamp = sg_alloc_zero(count, sizeof *neighbours->stamp);
    neighbours->kept = sg_alloc_zero(count, sizeof *neighbours->kept);
    neighbours->sum = sg_alloc_zero(count, sizeof *neighbours->sum);
    neighbours->touched = sg_alloc(PLACES * SG_NEIGHBOURS_MOST, sizeof *neighbours->touched);
    if (!neighbours->rows || !neighbours->places || !neighbours->filled || !neighbours->stamp ||
        !neighbours->kept || !neighbours->sum || !neighbours->touched)
        return sg_fail_memory(error, "the neighbours of destinations");
    sg_neighbours_rewind(neighbours);
    return SCADYG_OK;
}

void sg_neighbours_close(sg_neighbours *neighbours)
{
    for (uint64_t i = 0; neighbours->rows && i < neighbours->nodes; i++) free(neighbours->rows[i].node);
    SG_FREE(neighbours->rows, neighbours->places, neighbours->filled, neighbours->stamp, neighbours->kept,
            neighbours->before, neighbours->sum, neighbours->touched);
    *neighbours = (sg_neighbours){0};
}

/* ---- A row: the neighbours of one destination ----
 *
 * Nodes, then counts, which are the bits of a float: of numbers that are not negative these are in the same order, and
 * compilers make few instructions of the least of whole numbers. Searches go through all of a row for the same reason.
 */

static uint32_t *counts_of(const sg_neighbour_row *row)
{
    return row->node ? row->node + row->room : NULL; /* nothing is added to no row */
}

static float from_bits(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static uint32_t to_bits(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* 1 + the place of a number that is there at most once; 0: it is not. */
static uint32_t find_number(const uint32_t *numbers, uint32_t count, uint32_t number)
{
    uint32_t place = 0;
    for (uint32_t i = 0; i < count; i++) place |= numbers[i] == number ? i + 1 : 0;
    return place;
}

/* The count of a neighbour, at the reference time of the row; 0: it is none. */
static double count_of(const sg_neighbour_row *row, uint32_t node)
{
    const uint32_t found = find_number(row->node, row->count, node);
    return found ? (double)from_bits(counts_of(row)[found - 1]) : 0;
}

static uint32_t find_least(const uint32_t *numbers, uint32_t count)
{
    int32_t least = INT32_MAX;
    for (uint32_t i = 0; i < count; i++) least = (int32_t)numbers[i] < least ? (int32_t)numbers[i] : least;
    uint32_t place = 0;
    while (numbers[place] != (uint32_t)least) place++;
    return place;
}

static int double_room(sg_neighbour_row *row, uint32_t most)
{
    uint32_t room = row->room ? 2 * row->room : FIRST_ROOM;
    if (room > most) room = most;
    uint32_t *node = sg_alloc(room, 2 * sizeof *node);
    if (!node) return -1;
    if (row->count) {
        memcpy(node, row->node, row->count * sizeof *node);
        memcpy(node + room, counts_of(row), row->count * sizeof *node);
    }
    free(row->node);
    row->node = node;
    row->room = room;
    return 0;
}

/* One more, behind the others or in the place of the least. */
static int add_neighbour(sg_neighbour_row *row, uint32_t most, uint32_t node, float weight)
{
    uint32_t place = row->count;
    if (place == most)
        place = find_least(counts_of(row), row->count);
    else if (place == row->room && double_room(row, most))
        return -1;
    if (place == row->count) row->count++;
    row->node[place] = node;
    counts_of(row)[place] = to_bits(weight);
    return 0;
}

static void move_reference(const sg_neighbours *neighbours, sg_neighbour_row *row)
{
    const double factor = exp(-neighbours->rate * (neighbours->reference - row->reference));
    uint32_t *counts = counts_of(row);
    for (uint32_t i = 0; i < row->count; i++) counts[i] = to_bits(from_bits(counts[i]) * (float)factor);
    row->reference = neighbours->reference;
}

static int add_to_row(const sg_neighbours *neighbours, sg_neighbour_row *row, uint32_t node, float weight)
{
    if (row->reference != neighbours->reference) move_reference(neighbours, row);
    const uint32_t found = find_number(row->node, row->count, node);
    if (!found) return add_neighbour(row, neighbours->most, node, weight);
    uint32_t *count = &counts_of(row)[found - 1];
    *count = to_bits(from_bits(*count) + weight);
    return 0;
}

/* ---- Events ---- */

static void begin_time(sg_neighbours *neighbours, uint64_t e)
{
    const double time = neighbours->columns->time[e];
    if (neighbours->rate * (time - neighbours->reference) > MOST_DECAY) neighbours->reference = time;
    neighbours->weight = (float)exp(neighbours->rate * (time - neighbours->reference));
    neighbours->now = e;
    neighbours->kept_count = 0;
}

/* The places of a source strictly before now: how many, then they. NULL without memory. */
static const uint32_t *places_before(sg_neighbours *neighbours, uint32_t source)
{
    if (neighbours->stamp[source] != neighbours->now + 1) {
        const size_t next = neighbours->kept_count;
        if (SG_GROW(&neighbours->kept_room, next + 1, SG_ARRAY(neighbours->before, 1 + PLACES))) return NULL;
        uint32_t *before = neighbours->before + next * (1 + PLACES);
        before[0] = neighbours->filled[source];
        memcpy(before + 1, neighbours->places + (size_t)source * PLACES, PLACES * sizeof *before);
        neighbours->kept[source] = (uint32_t)next;
        neighbours->kept_count++;
        neighbours->stamp[source] = neighbours->now + 1;
    }
    return neighbours->before + (size_t)neighbours->kept[source] * (1 + PLACES);
}

/* The destination becomes the source's latest place; the last one goes if there are too many. */
static void move_source(sg_neighbours *neighbours, uint32_t source, uint32_t destination)
{
    uint32_t *place = neighbours->places + (size_t)source * PLACES;
    uint32_t at = 0;
    while (at < neighbours->filled[source] && place[at] != destination) at++;
    if (at == neighbours->filled[source]) {
        if (at < PLACES)
            neighbours->filled[source]++;
        else
            at--;
    }
    memmove(place + 1, place, at * sizeof *place);
    place[0] = destination;
}

/* Memory is asked for what an event needs while those before it are counted: the source's own numbers first, then the rows
 * of its places, then what these lead to. */
enum { AHEAD_SOURCE = 24, AHEAD_ROWS = 12, AHEAD_COUNTS = 6 };

#define ALWAYS static inline __attribute__((always_inline)) /* compilers drop calls that do nothing else */

ALWAYS void fetch_source(const sg_neighbours *neighbours, uint32_t source)
{
    const uint32_t *place = neighbours->places + (size_t)source * PLACES;
    __builtin_prefetch(&neighbours->filled[source], 1);
    __builtin_prefetch(&neighbours->stamp[source], 1);
    __builtin_prefetch(place, 1);
    __builtin_prefetch(place + PLACES - 1, 1);
}

ALWAYS void fetch_rows(const sg_neighbours *neighbours, uint32_t source)
{
    const uint32_t *place = neighbours->places + (size_t)source * PLACES;
    for (uint32_t j = 0; j < neighbours->filled[source]; j++) __builtin_prefetch(&neighbours->rows[place[j]]);
}

ALWAYS void fetch_counts(const sg_neighbours *neighbours, uint32_t source)
{
    const uint32_t *place = neighbours->places + (size_t)source * PLACES;
    for (uint32_t j = 0; j < neighbours->filled[source]; j++) {
        const sg_neighbour_row *row = &neighbours->rows[place[j]];
        for (uint32_t i = 0; i < 2 * row->room; i += LINE / sizeof *row->node) __builtin_prefetch(row->node + i, 1);
    }
}

ALWAYS void fetch_ahead(const sg_neighbours *neighbours, uint64_t e)
{
    const sg_columns *columns = neighbours->columns;
    if (e + AHEAD_SOURCE >= columns->count) return;
    fetch_source(neighbours, columns->src[e + AHEAD_SOURCE]);
    fetch_rows(neighbours, columns->src[e + AHEAD_ROWS]);
    fetch_counts(neighbours, columns->src[e + AHEAD_COUNTS]);
}

static int add_event(sg_neighbours *neighbours, uint64_t e)
{
    const sg_columns *columns = neighbours->columns;
    const uint32_t source = columns->src[e], destination = columns->dst[e];
    sg_columns_pass(columns, e, sizeof *columns->src + sizeof *columns->dst + sizeof *columns->time);
    if (e == 0 || columns->time[e] != columns->time[e - 1]) begin_time(neighbours, e);
    const uint32_t *before = places_before(neighbours, source);
    if (!before) return -1;
    fetch_ahead(neighbours, e);
    for (uint32_t j = 0; j < before[0]; j++) {
        sg_neighbour_row *row = &neighbours->rows[before[1 + j]];
        if (before[1 + j] == destination) continue;
        if (add_to_row(neighbours, row, destination, neighbours->weight / (float)(1 + j))) return -1;
    }
    move_source(neighbours, source, destination);
    return 0;
}

int sg_neighbours_follow(sg_neighbours *neighbours, uint64_t seen, scadyg_error *error)
{
    for (; neighbours->seen < seen; neighbours->seen++)
        if (add_event(neighbours, neighbours->seen)) return sg_fail_memory(error, "the neighbours of destinations");
    return SCADYG_OK;
}

/* ---- Questions ---- */

/* What a row is worth at a place of the source, at the time of a question: counts times this. */
static double worth_of_row(const sg_neighbours *neighbours, const sg_neighbour_row *row, double at, uint32_t place)
{
    const double decay = exp(-neighbours->rate * (at - row->reference));
    return (decay > LEAST_DECAY ? decay : LEAST_DECAY) / (1 + place);
}

static double cosine_of(double count, double popularity, double other, double factor)
{
    return count / (sqrt(popularity * other) * factor + SHRINK);
}

/* A few destinations: each is looked up in the rows of the source's places. */
static void look_up(const sg_neighbours *neighbours, double at, sg_popularities popularities, uint32_t source,
                    const uint32_t *destination, size_t count, double *score)
{
    const uint32_t *place = neighbours->places + (size_t)source * PLACES;
    memset(score, 0, count * sizeof *score);
    for (uint32_t j = 0; j < neighbours->filled[source]; j++) {
        const sg_neighbour_row *row = &neighbours->rows[place[j]];
        const double worth = worth_of_row(neighbours, row, at, j), popularity = popularities.of[place[j]];
        for (size_t i = 0; i < count; i++) {
            const double times = count_of(row, destination[i]);
            if (times > 0)
                score[i] +=
                    cosine_of(times * worth, popularity, popularities.of[destination[i]], popularities.factor);
        }
    }
}

/* Many: the rows are added up, whoever is asked about. The terms and their order are the same. */
static void add_up(sg_neighbours *neighbours, double at, sg_popularities popularities, uint32_t source,
                   const uint32_t *destination, size_t count, double *score)
{
    const uint32_t *place = neighbours->places + (size_t)source * PLACES;
    double *sum = neighbours->sum;
    size_t touched = 0;
    for (uint32_t j = 0; j < neighbours->filled[source]; j++) {
        const sg_neighbour_row *row = &neighbours->rows[place[j]];
        const double worth = worth_of_row(neighbours, row, at, j), popularity = popularities.of[place[j]];
        for (uint32_t k = 0; k < row->count; k++) {
            const uint32_t node = row->node[k];
            sum[node] += cosine_of((double)from_bits(counts_of(row)[k]) * worth, popularity, popularities.of[node],
                                   popularities.factor);
            neighbours->touched[touched++] = node;
        }
    }
    for (size_t i = 0; i < count; i++) score[i] = sum[destination[i]];
    for (size_t i = 0; i < touched; i++) sum[neighbours->touched[i]] = 0;
}

void sg_neighbours_score(sg_neighbours *neighbours, double at, sg_popularities popularities, uint32_t source,
                         const uint32_t *destination, size_t count, double *score)
{
    if (count < LOOKED_UP)
        look_up(neighbours, at, popularities, source, destination, count, score);
    else
        add_up(neighbours, at, popularities, source, destination, count, score);
}
