/* Output files appear whole or not at all, and replace what was there in one stroke. */
#include "cmocka_all.h"

#include "base/file.h"
#include "robust/scratch.h"

#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_text(const char *path, const char *text, scadyg_error *error)
{
    sg_output output;
    int status = sg_output_open(&output, path, error);
    if (!status) status = sg_output_write_at(&output, 0, text, strlen(text), error);
    if (!status) status = sg_output_commit(&output, error);
    sg_output_abandon(&output);
    return status;
}

static void assert_content(const char *path, const char *text)
{
    size_t size;
    unsigned char *data = scratch_read(path, &size);
    assert_non_null(data);
    assert_int_equal(size, strlen(text));
    assert_memory_equal(data, text, size);
    free(data);
}

static void appears_at_commit_only(void **state)
{
    (void)state;
    char *directory = scratch_make();
    const char *path = scratch_path(directory, "out");
    sg_output output;
    assert_int_equal(sg_output_open(&output, path, NULL), SCADYG_OK);
    assert_int_equal(sg_output_write_at(&output, 3, "def", 3, NULL), SCADYG_OK);
    assert_int_equal(sg_output_write_at(&output, 0, "abc", 3, NULL), SCADYG_OK);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(sg_output_commit(&output, NULL), SCADYG_OK);
    assert_content(path, "abcdef");
    assert_int_equal(scratch_count(directory), 1);
    assert_int_equal(output.fd, -1);
    sg_output_abandon(&output);
    assert_content(path, "abcdef");
    scratch_remove(directory);
}

static void abandon_leaves_nothing(void **state)
{
    (void)state;
    char *directory = scratch_make();
    const char *path = scratch_path(directory, "out");
    size_t descriptors = scratch_descriptors();
    sg_output output;
    assert_int_equal(sg_output_open(&output, path, NULL), SCADYG_OK);
    assert_int_equal(sg_output_write_at(&output, 0, "abc", 3, NULL), SCADYG_OK);
    sg_output_abandon(&output);
    sg_output_abandon(&output);
    assert_int_equal(scratch_count(directory), 0);
    assert_int_equal(scratch_descriptors(), descriptors);
    scratch_remove(directory);
}

static void commit_replaces(void **state)
{
    (void)state;
    char *directory = scratch_make();
    const char *path = scratch_path(directory, "out");
    assert_int_equal(write_text(path, "a much longer older text", NULL), SCADYG_OK);
    FILE *reader = fopen(path, "r"); /* who has the old file open keeps it */
    assert_non_null(reader);
    assert_int_equal(write_text(path, "new", NULL), SCADYG_OK);
    assert_content(path, "new");
    char old[64] = "";
    assert_non_null(fgets(old, sizeof old, reader));
    assert_string_equal(old, "a much longer older text");
    fclose(reader);
    assert_int_equal(scratch_count(directory), 1);
    scratch_remove(directory);
}

static void mode_follows_umask(void **state)
{
    (void)state;
    char *directory = scratch_make();
    const char *path = scratch_path(directory, "out");
    mode_t before = umask(027);
    assert_int_equal(write_text(path, "x", NULL), SCADYG_OK);
    umask(before);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    scratch_remove(directory);
}

static struct stat look(const char *path)
{
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    return status;
}

static void permissions_stay(void **state)
{
    (void)state;
    char *directory = scratch_make();
    const char *path = scratch_path(directory, "out");
    static const mode_t modes[] = {0600, 0640, 0666, 0400, 0755};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        scratch_write(path, "older", 5);
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_int_equal(write_text(path, "new", NULL), SCADYG_OK);
        assert_content(path, "new");
        assert_int_equal(look(path).st_mode & 07777, modes[i]);
        assert_int_equal(chmod(path, 0600), 0);
    }
    scratch_remove(directory);
}

/* Needs the rights of root, or there is only one owner a file can have. */
static void owners_stay(void **state)
{
    (void)state;
    if (geteuid() != 0) skip();
    char *directory = scratch_make();
    const char *path = scratch_path(directory, "out");
    scratch_write(path, "older", 5);
    assert_int_equal(chmod(path, 0664), 0);
    assert_int_equal(chown(path, 1234, 2345), 0);
    assert_int_equal(write_text(path, "new", NULL), SCADYG_OK);
    assert_int_equal(look(path).st_uid, 1234);
    assert_int_equal(look(path).st_gid, 2345);
    assert_int_equal(look(path).st_mode & 07777, 0664);
    /* Somebody who may not give files away: what the group was allowed is not for another one. */
    assert_int_equal(chmod(directory, 0777), 0);
    gid_t groups[1];
    const gid_t own = getegid();
    assert_true(getgroups(0, NULL) == 0 || setgroups(0, groups) == 0);
    assert_int_equal(setegid(54321), 0);
    assert_int_equal(seteuid(54321), 0);
    int status = write_text(path, "newer", NULL);
    assert_int_equal(seteuid(0), 0);
    assert_int_equal(setegid(own), 0);
    assert_int_equal(status, SCADYG_OK);
    assert_content(path, "newer");
    assert_int_equal(look(path).st_uid, 54321);
    assert_int_equal(look(path).st_gid, 54321);
    assert_int_equal(look(path).st_mode & 07777, 0644);
    scratch_remove(directory);
}

/* A link is replaced; what it points to stays as it is. */
static void links_are_not_followed(void **state)
{
    (void)state;
    char *directory = scratch_make();
    const char *path = scratch_path(directory, "out"), *victim = scratch_path(directory, "victim");
    scratch_write(victim, "precious", 8);
    assert_int_equal(chmod(victim, 0600), 0);
    assert_int_equal(symlink("victim", path), 0);
    mode_t before = umask(022);
    assert_int_equal(write_text(path, "new", NULL), SCADYG_OK);
    umask(before);
    assert_content(victim, "precious");
    assert_content(path, "new");
    assert_true(S_ISREG(look(path).st_mode));
    assert_int_equal(look(path).st_mode & 07777, 0644);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("absent", path), 0);
    assert_int_equal(write_text(path, "new", NULL), SCADYG_OK);
    assert_content(path, "new");
    assert_int_equal(scratch_count(directory), 2);
    scratch_remove(directory);
}

static void wrong_places(void **state)
{
    (void)state;
    char *directory = scratch_make();
    scadyg_error error = {0};
    assert_int_equal(write_text(directory, "x", &error), SCADYG_E_IO);
    assert_non_null(strstr(error.message, "directory"));
    assert_int_equal(write_text(scratch_path(directory, "absent/out"), "x", &error), SCADYG_E_IO);
    assert_non_null(strstr(error.message, "No such file or directory"));
    assert_int_equal(write_text("/dev/null", "x", &error), SCADYG_E_IO);
    assert_non_null(strstr(error.message, "not a regular file"));
    assert_int_equal(write_text("", "x", &error), SCADYG_E_USAGE);
    scratch_write(scratch_path(directory, "file"), "", 0);
    assert_int_equal(write_text(scratch_path(directory, "file/out"), "x", &error), SCADYG_E_IO);
    if (geteuid() != 0) { /* root writes anywhere */
        assert_int_equal(chmod(directory, 0500), 0);
        assert_int_equal(write_text(scratch_path(directory, "out"), "x", &error), SCADYG_E_IO);
        assert_non_null(strstr(error.message, "Permission denied"));
        assert_int_equal(chmod(directory, 0700), 0);
    }
    assert_int_equal(scratch_count(directory), 1);
    scratch_remove(directory);
}

/* The path that became a directory while we wrote: the commit fails and leaves nothing. */
static void commit_fails_cleanly(void **state)
{
    (void)state;
    char *directory = scratch_make();
    const char *path = scratch_path(directory, "out");
    sg_output output;
    scadyg_error error = {0};
    assert_int_equal(sg_output_open(&output, path, NULL), SCADYG_OK);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(sg_output_commit(&output, &error), SCADYG_E_IO);
    assert_non_null(strstr(error.message, "directory"));
    assert_int_equal(scratch_count(directory), 1);
    scratch_remove(directory);
}

/* A file-size limit is a full disk that needs no rights: writes stop in the middle. */
static void full_disk(void **state)
{
    (void)state;
    char *directory = scratch_make();
    const char *path = scratch_path(directory, "out");
    assert_int_equal(write_text(path, "older", NULL), SCADYG_OK);
    struct rlimit before, tiny;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tiny = before;
    tiny.rlim_cur = 1000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
    char block[1500] = {0};
    sg_output output;
    scadyg_error error = {0};
    int opened = sg_output_open(&output, path, &error);
    int status = sg_output_write_at(&output, 0, block, sizeof block, &error);
    sg_output_abandon(&output);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(opened, SCADYG_OK);
    assert_int_equal(status, SCADYG_E_IO);
    assert_non_null(strstr(error.message, "File too large"));
    assert_content(path, "older");
    assert_int_equal(scratch_count(directory), 1);
    scratch_remove(directory);
}

static void scratch_files_vanish(void **state)
{
    (void)state;
    char *directory = scratch_make();
    int fd = -1;
    assert_int_equal(sg_scratch_open(scratch_path(directory, "out"), &fd, NULL), SCADYG_OK);
    assert_true(fd >= 0);
    assert_int_equal(scratch_count(directory), 0);
    assert_int_equal(sg_write_all_at(fd, 5, "hello", 5, "scratch", NULL), SCADYG_OK);
    sg_mapping mapping;
    assert_int_equal(sg_map_descriptor(&mapping, fd, "scratch", NULL), SCADYG_OK);
    assert_int_equal(mapping.size, 10);
    assert_memory_equal(mapping.data, "\0\0\0\0\0hello", 10);
    sg_unmap(&mapping);
    close(fd);
    scadyg_error error = {0};
    assert_int_equal(sg_scratch_open(scratch_path(directory, "absent/out"), &fd, &error), SCADYG_E_IO);
    assert_int_equal(fd, -1);
    assert_int_equal(error.status, SCADYG_E_IO);
    scratch_remove(directory);
}

static void mapping_odd_files(void **state)
{
    (void)state;
    char *directory = scratch_make();
    sg_mapping mapping;
    scadyg_error error = {0};
    scratch_write(scratch_path(directory, "empty"), "", 0);
    assert_int_equal(sg_map(&mapping, scratch_path(directory, "empty"), &error), SCADYG_OK);
    assert_null(mapping.data);
    assert_int_equal(mapping.size, 0);
    sg_unmap(&mapping);
    assert_int_equal(mkfifo(scratch_path(directory, "pipe"), 0600), 0);
    assert_int_equal(sg_map(&mapping, scratch_path(directory, "pipe"), &error), SCADYG_E_IO);
    assert_non_null(strstr(error.message, "not a regular file"));
    assert_int_equal(sg_map(&mapping, scratch_path(directory, "absent"), &error), SCADYG_E_IO);
    assert_int_equal(sg_map(&mapping, directory, &error), SCADYG_E_IO);
    scratch_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appears_at_commit_only), cmocka_unit_test(abandon_leaves_nothing),
        cmocka_unit_test(commit_replaces),        cmocka_unit_test(mode_follows_umask),
        cmocka_unit_test(permissions_stay),       cmocka_unit_test(owners_stay),
        cmocka_unit_test(links_are_not_followed), cmocka_unit_test(wrong_places),
        cmocka_unit_test(commit_fails_cleanly),   cmocka_unit_test(full_disk),
        cmocka_unit_test(scratch_files_vanish),   cmocka_unit_test(mapping_odd_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
