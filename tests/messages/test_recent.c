/* Latest partners against lists made anew from the whole past. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "evaluate/rounds.h"
#include "messages/pairs/recent.h"

enum { MOST = 300 };

typedef struct past {
    uint32_t who[MOST];
    size_t count;
} past;

/* How often a node was met among the events up to `end` since it came to the list: going back, until SG_RECENT others were met
 * after it and before the contact after that. */
static uint32_t count_since(const past *p, uint32_t node)
{
    uint32_t times = 0, others[SG_RECENT];
    size_t count = 0;
    for (size_t e = p->count; e-- > 0;) {
        size_t i = 0;
        if (p->who[e] == node) {
            times++;
            count = 0;
            continue;
        }
        while (i < count && others[i] != p->who[e]) i++;
        if (times == 0 || i < count) continue;
        if (count + 1 == SG_RECENT) break; /* so many others in between: it had left the list */
        others[count++] = p->who[e];
    }
    return times;
}

/* The latest first, each once; returns how many, at most SG_RECENT. */
static size_t list_latest(const past *p, uint32_t *who, uint32_t *times)
{
    size_t count = 0;
    for (size_t e = p->count; e-- > 0 && count < SG_RECENT;) {
        int known = 0;
        for (size_t i = 0; i < count; i++) known |= who[i] == p->who[e];
        if (known) continue;
        who[count] = p->who[e];
        times[count++] = count_since(p, p->who[e]);
    }
    return count;
}

static void meet(past *p, sg_recent *list, uint32_t who)
{
    p->who[p->count++] = who;
    sg_recent_meet(list, who);
}

static void compare(const past *p, const sg_recent *list, uint32_t nodes)
{
    uint32_t who[SG_RECENT], times[SG_RECENT];
    const size_t count = list_latest(p, who, times);
    for (size_t i = 0; i < SG_RECENT; i++) {
        assert_int_equal(list->who[i], i < count ? who[i] : SG_RECENT_NOBODY);
        assert_int_equal(list->times[i], i >= count ? 0 : times[i]);
    }
    for (uint32_t node = 0; node < nodes; node++) {
        size_t place = 0, above = 0;
        while (place < count && who[place] != node) place++;
        assert_int_equal(sg_recent_place(list, node), place < count ? place : SG_RECENT);
        if (place == count) continue;
        for (size_t i = 0; i < count; i++) above += times[i] > times[place];
        assert_int_equal(sg_recent_above(list, place), above);
    }
}

static void compare_common(const past *p, const sg_recent *a, const past *q, const sg_recent *b)
{
    uint32_t one[SG_RECENT], two[SG_RECENT], unused[SG_RECENT];
    const size_t ones = list_latest(p, one, unused), twos = list_latest(q, two, unused);
    double count = 0, near = 0;
    float got_near = -1;
    for (size_t i = 0; i < ones; i++)
        for (size_t j = 0; j < twos; j++)
            if (one[i] == two[j]) {
                count += 1;
                near += 1 / (1 + (double)i);
            }
    assert_true((double)sg_recent_common(a, b, &got_near) == count);
    assert_true(got_near >= 0 && (double)got_near - near < 1e-5 && near - (double)got_near < 1e-5);
}

static void as_listed_anew(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 1, 1);
    for (uint64_t round = 0; round < rounds(200); round++) {
        const uint32_t nodes = 1 + (uint32_t)(round % 40);
        past p[2] = {0};
        sg_recent list[2];
        sg_recent_clear(&list[0]), sg_recent_clear(&list[1]);
        compare(&p[0], &list[0], nodes);
        compare_common(&p[0], &list[0], &p[1], &list[1]);
        for (size_t e = 0; e < MOST; e++) {
            const size_t which = sg_rng_below(&rng, 2);
            if (p[which].count == MOST) continue;
            meet(&p[which], &list[which], (uint32_t)sg_rng_below(&rng, nodes));
            compare(&p[which], &list[which], nodes);
            compare_common(&p[0], &list[0], &p[1], &list[1]);
        }
    }
}

/* More contacts than there are numbers for. */
static void stops_counting(void **state)
{
    (void)state;
    sg_recent list;
    sg_recent_clear(&list);
    for (size_t i = 0; i < 70000; i++) sg_recent_meet(&list, 7);
    assert_int_equal(list.times[0], UINT16_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_listed_anew), cmocka_unit_test(stops_counting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
