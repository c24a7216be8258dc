/* A cache of an import: believed as long as everything it was made from is the same, and not a moment longer. */
#include "cmocka_all.h"

#include "events/file.h"
#include "robust/scratch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct place {
    char *directory;
    char log[256], cache[256], nodes[256];
} place;

static void write_text(const char *path, const char *text)
{
    scratch_write(path, text, strlen(text));
}

static void open_place(place *p)
{
    p->directory = scratch_make();
    snprintf(p->log, sizeof p->log, "%s/log.csv", p->directory);
    snprintf(p->cache, sizeof p->cache, "%s/cache.events", p->directory);
    snprintf(p->nodes, sizeof p->nodes, "%s/log.nodes.csv", p->directory);
    write_text(p->log, "src,dst,time\n1,2,10\n2,3,20\n3,1,30\n");
}

/* Whether the cache is believed. */
static int is_fresh(const place *p, const scadyg_options *options)
{
    const char *log = p->log;
    scadyg_events *events = NULL;
    scadyg_error error = {0};
    assert_int_equal(scadyg_cache_open(NULL, &log, 1, options, p->cache, &events, &error), SCADYG_OK);
    const int fresh = events != NULL;
    scadyg_events_close(events);
    return fresh;
}

static void make(const place *p, const scadyg_options *options)
{
    const char *log = p->log;
    scadyg_error error = {0};
    if (scadyg_cache_make(NULL, &log, 1, options, p->cache, NULL, &error)) fail_msg("%s", error.message);
    assert_true(is_fresh(p, options));
}

/* The time of change of a file as it was before: what `touch -r` and careless tools do. */
static void set_back(const char *path, const struct stat *before)
{
    const struct timespec times[2] = {before->st_atim, before->st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void made_and_believed(void **state)
{
    (void)state;
    place p;
    open_place(&p);
    assert_false(is_fresh(&p, NULL));
    make(&p, NULL);
    assert_true(is_fresh(&p, NULL));
    /* The data in it is that of any other import, and so is its checksum. */
    const char *log = p.log, *plain = scratch_path(p.directory, "plain.events");
    assert_int_equal(scadyg_import(NULL, &log, 1, plain, NULL, NULL, NULL), SCADYG_OK);
    scadyg_events *one = NULL, *other = NULL;
    assert_int_equal(scadyg_events_open(p.cache, &one, NULL), SCADYG_OK);
    assert_int_equal(scadyg_events_open(plain, &other, NULL), SCADYG_OK);
    assert_int_equal(scadyg_events_checksum(one), scadyg_events_checksum(other));
    assert_int_equal(other->origin[0] | other->origin[1], 0);
    scadyg_events_close(one);
    scadyg_events_close(other);
    /* An import that was planted in its place says nothing of where it is from. */
    assert_int_equal(rename(plain, p.cache), 0);
    assert_false(is_fresh(&p, NULL));
    scratch_remove(p.directory);
}

static void a_changed_log(void **state)
{
    (void)state;
    place p;
    struct stat before;
    open_place(&p);
    make(&p, NULL);
    /* Replaced by one of the same length and time of change. */
    assert_int_equal(stat(p.log, &before), 0);
    const char *other = scratch_path(p.directory, "other.csv");
    write_text(other, "src,dst,time\n1,2,10\n2,3,20\n3,2,30\n");
    set_back(other, &before);
    assert_int_equal(rename(other, p.log), 0);
    assert_false(is_fresh(&p, NULL));
    make(&p, NULL);
    /* Changed in place, to the same length and time of change. */
    assert_int_equal(stat(p.log, &before), 0);
    int fd = open(p.log, O_WRONLY);
    assert_int_equal(pwrite(fd, "9", 1, 13), 1);
    close(fd);
    set_back(p.log, &before);
    assert_false(is_fresh(&p, NULL));
    make(&p, NULL);
    /* Only its time of change is another. */
    set_back(p.log, &(struct stat){.st_mtim = {1000000, 1}});
    assert_false(is_fresh(&p, NULL));
    make(&p, NULL);
    set_back(p.log, &(struct stat){.st_mtim = {1000000, 2}});
    assert_false(is_fresh(&p, NULL));
    scratch_remove(p.directory);
}

/* In the middle of a long file no checksum sees it: the inode's time of change does. */
static void a_change_in_the_middle(void **state)
{
    (void)state;
    place p;
    struct stat before;
    open_place(&p);
    FILE *log = fopen(p.log, "w");
    assert_non_null(log);
    for (int i = 0; i < 40000; i++) fprintf(log, "%05d,%05d,%06d\n", i % 100, i % 70, i);
    fclose(log);
    make(&p, NULL);
    assert_int_equal(stat(p.log, &before), 0);
    assert_true(before.st_size > 4 * 65536);
    struct timespec tick = {.tv_nsec = 20000000}; /* coarser than any clock of a file system in use */
    nanosleep(&tick, NULL);
    int fd = open(p.log, O_WRONLY);
    assert_int_equal(pwrite(fd, "8", 1, before.st_size / 2 / 19 * 19), 1);
    close(fd);
    set_back(p.log, &before);
    assert_false(is_fresh(&p, NULL));
    scratch_remove(p.directory);
}

static void side_files(void **state)
{
    (void)state;
    place p;
    struct stat before;
    open_place(&p);
    make(&p, NULL);
    static const char *const endings[] = {"log.nodes.csv", "log.npy", "log_node.npy", "log.nodes.csv.gz"};
    for (size_t i = 0; i < 4; i++) {
        const char *path = scratch_path(p.directory, endings[i]);
        write_text(path, "id,a\n1,5\n2,6\n3,7\n");
        assert_false(is_fresh(&p, NULL)); /* a new one */
        assert_int_equal(unlink(path), 0);
        assert_true(is_fresh(&p, NULL)); /* as it was */
    }
    write_text(p.nodes, "id,a\n1,5\n2,6\n3,7\n");
    make(&p, NULL);
    assert_int_equal(stat(p.nodes, &before), 0);
    write_text(p.nodes, "id,a\n1,5\n2,6\n3,8\n");
    set_back(p.nodes, &before);
    assert_false(is_fresh(&p, NULL)); /* a changed one */
    make(&p, NULL);
    assert_int_equal(unlink(p.nodes), 0);
    assert_false(is_fresh(&p, NULL)); /* one that is gone */
    scratch_remove(p.directory);
}

static void options_count(void **state)
{
    (void)state;
    place p;
    scadyg_options *options = NULL;
    open_place(&p);
    make(&p, NULL);
    assert_int_equal(scadyg_options_open("import", &options, NULL), SCADYG_OK);
    assert_true(is_fresh(&p, options)); /* the defaults */
    assert_int_equal(scadyg_options_set(options, "columns", "dst,src,time", NULL), SCADYG_OK);
    assert_false(is_fresh(&p, options));
    make(&p, options);
    assert_false(is_fresh(&p, NULL));
    assert_int_equal(scadyg_options_set(options, "bipartite", "1", NULL), SCADYG_OK);
    assert_false(is_fresh(&p, options));
    scadyg_options_close(options);
    scratch_remove(p.directory);
}

/* Any byte of a cache: it is not believed, and made anew. */
static void damage(void **state)
{
    (void)state;
    place p;
    open_place(&p);
    make(&p, NULL);
    size_t size;
    unsigned char *data = scratch_read(p.cache, &size);
    scadyg_events *events = NULL;
    assert_int_equal(scadyg_events_open(p.cache, &events, NULL), SCADYG_OK);
    for (int column = SCADYG_COLUMN_SRC; column <= SCADYG_COLUMN_ID_SIDES; column++) {
        const sg_section *section = &events->sections[column];
        if (!section->offset) continue;
        data[section->offset] ^= 1;
        scratch_write(p.cache, data, size);
        assert_false(is_fresh(&p, NULL));
        data[section->offset] ^= 1;
    }
    scadyg_events_close(events);
    for (size_t at = 0; at < sizeof(sg_events_header); at++) {
        data[at] ^= 0x10;
        scratch_write(p.cache, data, size);
        assert_false(is_fresh(&p, NULL));
        data[at] ^= 0x10;
    }
    scratch_write(p.cache, data, size / 2);
    assert_false(is_fresh(&p, NULL));
    scratch_write(p.cache, "", 0);
    assert_false(is_fresh(&p, NULL));
    make(&p, NULL);
    free(data);
    scratch_remove(p.directory);
}

/* What is in its place and is no file of ours is neither followed nor waited for. */
static void links_and_pipes(void **state)
{
    (void)state;
    place p;
    open_place(&p);
    make(&p, NULL);
    assert_int_equal(rename(p.cache, scratch_path(p.directory, "real.events")), 0);
    assert_int_equal(symlink("real.events", p.cache), 0);
    assert_false(is_fresh(&p, NULL));
    assert_int_equal(unlink(p.cache), 0);
    assert_int_equal(mkfifo(p.cache, 0600), 0);
    assert_false(is_fresh(&p, NULL));
    /* Nor is a pipe beside the log. */
    assert_int_equal(mkfifo(p.nodes, 0600), 0);
    const char *log = p.log;
    scadyg_events *events = NULL;
    scadyg_error error = {0};
    assert_int_equal(scadyg_cache_open(NULL, &log, 1, NULL, p.cache, &events, &error), SCADYG_E_IO);
    assert_non_null(strstr(error.message, "log.nodes.csv: not a regular file"));
    scratch_remove(p.directory);
}

static int append_row(void *data, const char *what, uint64_t done, uint64_t total)
{
    (void)done, (void)total;
    if (strcmp(what, "writing") != 0) return 0;
    FILE *log = fopen(data, "a");
    assert_non_null(log);
    fputs("4,5,40\n", log);
    fclose(log);
    return 0;
}

/* The log grows while it is read: said, and what came of it is not believed. */
static void a_change_meanwhile(void **state)
{
    (void)state;
    place p;
    scadyg_context *context = NULL;
    scadyg_error error = {0};
    open_place(&p);
    const char *log = p.log;
    assert_int_equal(scadyg_context_open(&context, NULL), SCADYG_OK);
    scadyg_context_set_progress(context, append_row, p.log);
    assert_int_equal(scadyg_cache_make(context, &log, 1, NULL, p.cache, NULL, &error), SCADYG_E_IO);
    assert_non_null(strstr(error.message, "changed while it was being read"));
    assert_int_equal(access(p.cache, F_OK), -1);
    assert_false(is_fresh(&p, NULL));
    scadyg_context_close(context);
    make(&p, NULL);
    scratch_remove(p.directory);
}

static void standard_input(void **state)
{
    (void)state;
    const char *log = "-";
    scadyg_events *events = NULL;
    scadyg_error error = {0};
    assert_int_equal(scadyg_cache_open(NULL, &log, 1, NULL, "cache.events", &events, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "standard input"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_and_believed),      cmocka_unit_test(a_changed_log),
        cmocka_unit_test(a_change_in_the_middle), cmocka_unit_test(side_files),
        cmocka_unit_test(options_count),          cmocka_unit_test(damage),
        cmocka_unit_test(links_and_pipes),        cmocka_unit_test(a_change_meanwhile),
        cmocka_unit_test(standard_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
