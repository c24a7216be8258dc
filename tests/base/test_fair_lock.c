/* The lock for one who writes and many who read: threads that wait for a writer read before the next one writes. */
#include "cmocka_all.h"

#include "base/fair_lock.h"

#include <stdatomic.h>
#include <unistd.h>

typedef struct scene {
    sg_fair_lock lock;
    atomic_int order, read_at, wrote_at;
} scene;

static void *read_once(void *data)
{
    scene *s = data;
    sg_fair_lock_read(&s->lock);
    s->read_at = ++s->order;
    usleep(2000);
    sg_fair_lock_read_end(&s->lock);
    return NULL;
}

static void *write_once(void *data)
{
    scene *s = data;
    sg_fair_lock_write(&s->lock);
    s->wrote_at = ++s->order;
    sg_fair_lock_write_end(&s->lock);
    return NULL;
}

static void wait_until(scene *s, const size_t *what)
{
    for (int there = 0; !there; usleep(200)) {
        pthread_mutex_lock(&s->lock.mutex);
        there = *what > 0;
        pthread_mutex_unlock(&s->lock.mutex);
    }
}

/* A writer is at work, a reader comes, then another writer. */
static void waiting_readers_come_first(void **state)
{
    (void)state;
    for (int writer_first = 0; writer_first < 2; writer_first++) {
        scene s = {.order = 0};
        pthread_t reader, writer;
        assert_int_equal(sg_fair_lock_open(&s.lock, writer_first ? 0 : 1000), 0);
        sg_fair_lock_write(&s.lock);
        if (writer_first) {
            assert_int_equal(pthread_create(&writer, NULL, write_once, &s), 0);
            wait_until(&s, &s.lock.writers);
        }
        assert_int_equal(pthread_create(&reader, NULL, read_once, &s), 0);
        wait_until(&s, &s.lock.waiting);
        if (!writer_first) {
            assert_int_equal(pthread_create(&writer, NULL, write_once, &s), 0);
            wait_until(&s, &s.lock.writers);
        }
        sg_fair_lock_write_end(&s.lock);
        pthread_join(reader, NULL);
        pthread_join(writer, NULL);
        assert_int_equal(s.read_at, 1);
        assert_int_equal(s.wrote_at, 2);
        sg_fair_lock_close(&s.lock);
    }
}

/* A reader is at work, a writer waits, another reader comes: it passes while the writer has patience. */
static void readers_pass(void **state)
{
    (void)state;
    scene s = {.order = 0};
    pthread_t reader, writer;
    assert_int_equal(sg_fair_lock_open(&s.lock, 1000), 0);
    sg_fair_lock_read(&s.lock);
    assert_int_equal(pthread_create(&writer, NULL, write_once, &s), 0);
    wait_until(&s, &s.lock.writers);
    assert_int_equal(pthread_create(&reader, NULL, read_once, &s), 0);
    pthread_join(reader, NULL);
    assert_int_equal(s.read_at, 1);
    sg_fair_lock_read_end(&s.lock);
    pthread_join(writer, NULL);
    assert_int_equal(s.wrote_at, 2);
    sg_fair_lock_close(&s.lock);
}

/* Without patience the writer is not passed over. */
static void writers_are_not_passed_over(void **state)
{
    (void)state;
    scene s = {.order = 0};
    pthread_t reader, writer;
    assert_int_equal(sg_fair_lock_open(&s.lock, 0), 0);
    sg_fair_lock_read(&s.lock);
    assert_int_equal(pthread_create(&writer, NULL, write_once, &s), 0);
    wait_until(&s, &s.lock.writers);
    assert_int_equal(pthread_create(&reader, NULL, read_once, &s), 0);
    wait_until(&s, &s.lock.waiting);
    sg_fair_lock_read_end(&s.lock);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    assert_int_equal(s.wrote_at, 1);
    assert_int_equal(s.read_at, 2);
    sg_fair_lock_close(&s.lock);
}

typedef struct shared {
    sg_fair_lock lock;
    long first, second; /* always equal outside of a writer's turn */
    atomic_int stop;
} shared;

static void *keep_reading(void *data)
{
    shared *s = data;
    for (int bad = 0; !s->stop;) {
        sg_fair_lock_read(&s->lock);
        bad |= s->first != s->second;
        sg_fair_lock_read_end(&s->lock);
        if (bad) return data;
    }
    return NULL;
}

static void many_at_once(void **state)
{
    (void)state;
    enum { READERS = 8 };
    shared s = {.stop = 0};
    pthread_t readers[READERS];
    assert_int_equal(sg_fair_lock_open(&s.lock, 0), 0);
    for (int i = 0; i < READERS; i++) assert_int_equal(pthread_create(&readers[i], NULL, keep_reading, &s), 0);
    for (int i = 0; i < 300; i++) {
        sg_fair_lock_write(&s.lock);
        s.first++;
        s.second++;
        sg_fair_lock_write_end(&s.lock);
    }
    s.stop = 1;
    for (int i = 0; i < READERS; i++) {
        void *bad;
        pthread_join(readers[i], &bad);
        assert_null(bad);
    }
    sg_fair_lock_close(&s.lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waiting_readers_come_first), cmocka_unit_test(readers_pass),
                                       cmocka_unit_test(writers_are_not_passed_over),
                                       cmocka_unit_test(many_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
