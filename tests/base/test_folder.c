/* A folder whose contents may be anybody's work: links, pipes, folders and giants in the place of files. */
#include "cmocka_all.h"

#include "base/folder.h"
#include "robust/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char *directory;

static int open_directory(void **state)
{
    (void)state;
    directory = scratch_make();
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    scratch_remove(directory);
    return 0;
}

static const char *inside(const char *name)
{
    return scratch_path(directory, name);
}

/* What is refused says what it is, and leaves nothing open. */
static void assert_refused(const sg_folder *folder, const char *name, const char *words)
{
    scadyg_error error = {0};
    char *data = NULL;
    size_t size;
    int found, lock;
    assert_int_not_equal(sg_folder_read(folder, name, 100, &data, &size, &error), SCADYG_OK);
    assert_null(data);
    assert_non_null(strstr(error.message, words));
    assert_non_null(strstr(error.message, name));
    assert_int_not_equal(sg_folder_find(folder, name, &found, &error), SCADYG_OK);
    assert_int_not_equal(sg_folder_open_lock(folder, name, &lock, &error), SCADYG_OK);
    assert_int_equal(lock, -1);
}

static void nothing_but_files_is_opened(void **state)
{
    (void)state;
    sg_folder folder;
    scadyg_error error = {0};
    scratch_write(inside("victim"), "secret", 6);
    assert_int_equal(sg_folder_make(&folder, inside("f"), &error), SCADYG_OK);
    assert_int_equal(symlinkat("../victim", folder.fd, "link"), 0);
    assert_int_equal(symlinkat("nowhere", folder.fd, "dangling"), 0);
    assert_int_equal(symlinkat("/dev/zero", folder.fd, "zero"), 0);
    assert_int_equal(mkfifoat(folder.fd, "pipe", 0666), 0);
    assert_int_equal(mkdirat(folder.fd, "inner", 0777), 0);
    const size_t before = scratch_descriptors();
    assert_refused(&folder, "link", "is a link");
    assert_refused(&folder, "dangling", "is a link");
    assert_refused(&folder, "zero", "is a link");
    assert_refused(&folder, "pipe", "is a pipe");
    assert_refused(&folder, "inner", "is a folder");
    assert_int_equal(scratch_descriptors(), before);
    assert_int_equal(faccessat(folder.fd, "nowhere", F_OK, 0), -1); /* not made through the link */
    sg_folder_remove(&folder, "link");
    sg_folder_remove(&folder, "not there");
    size_t size = 0;
    unsigned char *victim = scratch_read(inside("victim"), &size);
    assert_int_equal(size, 6);
    assert_memory_equal(victim, "secret", 6);
    free(victim);
    sg_folder_close(&folder);
    sg_folder_close(&folder);
}

static void files_are_read_within_bounds(void **state)
{
    (void)state;
    sg_folder folder;
    scadyg_error error = {0};
    char *data = NULL;
    size_t size = 0;
    int found = 1;
    assert_int_equal(sg_folder_make(&folder, inside("g"), &error), SCADYG_OK);
    scratch_write(inside("g/plain"), "a\0b", 3);
    scratch_write(inside("g/empty"), "", 0);
    assert_int_equal(sg_folder_read(&folder, "plain", 3, &data, &size, &error), SCADYG_OK);
    assert_int_equal(size, 3);
    assert_memory_equal(data, "a\0b", 4);
    free(data);
    assert_int_equal(sg_folder_read(&folder, "empty", 3, &data, &size, &error), SCADYG_OK);
    assert_int_equal(size, 0);
    assert_string_equal(data, "");
    free(data);
    assert_int_equal(sg_folder_read(&folder, "none", 3, &data, &size, &error), SCADYG_OK);
    assert_null(data);
    assert_int_equal(sg_folder_find(&folder, "none", &found, &error), SCADYG_OK);
    assert_false(found);
    assert_int_equal(sg_folder_find(&folder, "plain", &found, &error), SCADYG_OK);
    assert_true(found);
    assert_int_equal(sg_folder_read(&folder, "plain", 2, &data, &size, &error), SCADYG_E_INPUT);
    assert_null(data);
    const int giant = openat(folder.fd, "giant", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    assert_int_equal(ftruncate(giant, (off_t)10 << 30), 0);
    close(giant);
    assert_int_equal(sg_folder_read(&folder, "giant", 1 << 20, &data, &size, &error), SCADYG_E_INPUT);
    assert_non_null(strstr(error.message, "10737418240 bytes"));
    assert_int_equal(sg_file_read(inside("g/plain"), 3, &data, &size, &error), SCADYG_OK);
    free(data);
    assert_int_equal(sg_file_read(inside("g/none"), 3, &data, &size, &error), SCADYG_E_IO);
    assert_int_equal(sg_file_read(inside("g"), 3, &data, &size, &error), SCADYG_E_IO);
    sg_folder_close(&folder);
}

static void folders_within_are_no_links(void **state)
{
    (void)state;
    sg_folder folder, inner;
    scadyg_error error = {0};
    assert_int_equal(mkdir(inside("elsewhere"), 0777), 0);
    assert_int_equal(sg_folder_make(&folder, inside("h"), &error), SCADYG_OK);
    assert_int_equal(symlinkat("../elsewhere", folder.fd, "runs"), 0);
    assert_int_not_equal(sg_folder_make_in(&inner, &folder, "runs", &error), SCADYG_OK);
    assert_non_null(strstr(error.message, "link"));
    assert_int_equal(inner.fd, -1);
    scratch_write(inside("h/file"), "", 0);
    assert_int_not_equal(sg_folder_make_in(&inner, &folder, "file", &error), SCADYG_OK);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(sg_folder_make_in(&inner, &folder, "charts", &error), SCADYG_OK);
        char *path = sg_folder_path(&inner, "x.svg");
        assert_non_null(strstr(path, "/h/charts/x.svg"));
        free(path);
        sg_folder_close(&inner);
    }
    assert_int_not_equal(sg_folder_open(&inner, inside("h/file"), &error), SCADYG_OK);
    assert_int_not_equal(sg_folder_make(&inner, inside("none/below"), &error), SCADYG_OK);
    assert_int_equal(inner.fd, -1);
    sg_folder_close(&folder);
}

static void a_lock_keeps_others_out(void **state)
{
    (void)state;
    sg_folder folder;
    scadyg_error error = {0};
    int lock = -1, other = -1;
    assert_int_equal(sg_folder_make(&folder, inside("l"), &error), SCADYG_OK);
    scratch_write(inside("l/lock"), "kept", 4); /* what is in it stays */
    assert_int_equal(sg_folder_open_lock(&folder, "lock", &lock, &error), SCADYG_OK);
    assert_int_equal(sg_folder_open_lock(&folder, "lock", &other, &error), SCADYG_OK);
    assert_int_equal(flock(lock, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    close(lock);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
    close(other);
    size_t size = 0;
    free(scratch_read(inside("l/lock"), &size));
    assert_int_equal(size, 4);
    sg_folder_close(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_but_files_is_opened),
        cmocka_unit_test(files_are_read_within_bounds),
        cmocka_unit_test(folders_within_are_no_links),
        cmocka_unit_test(a_lock_keeps_others_out),
    };
    return cmocka_run_group_tests(tests, open_directory, remove_directory);
}
