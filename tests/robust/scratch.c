/* A directory for a test's files, gone afterwards. */
#include "robust/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void give_up(const char *what)
{
    perror(what);
    abort();
}

char *scratch_make(void)
{
    const char *base = getenv("TMPDIR");
    char *directory = malloc(4096);
    if (!directory) give_up("malloc");
    /* In memory where the system has such a place: thousands of files that are flushed to a disk take minutes. */
    if (!base || !*base) base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(directory, 4096, "%s/scadyg-test-XXXXXX", base);
    if (!mkdtemp(directory)) give_up(directory);
    return directory;
}

const char *scratch_path(const char *directory, const char *name)
{
    static char paths[4][8192];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

void scratch_remove(char *directory)
{
    DIR *listing = opendir(directory);
    if (!listing) give_up(directory);
    for (struct dirent *entry; (entry = readdir(listing));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        const char *path = scratch_path(directory, entry->d_name);
        struct stat status;
        if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
            scratch_remove(strdup(path));
            continue;
        }
        unlink(path);
    }
    closedir(listing);
    if (rmdir(directory) != 0) give_up(directory);
    free(directory);
}

size_t scratch_count(const char *directory)
{
    size_t count = 0;
    DIR *listing = opendir(directory);
    if (!listing) give_up(directory);
    for (struct dirent *entry; (entry = readdir(listing));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(listing);
    return count;
}

unsigned char *scratch_read(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0) return NULL;
    if (fstat(fd, &status) != 0) give_up(path);
    unsigned char *data = malloc((size_t)status.st_size + 1);
    if (!data) give_up("malloc");
    for (*size = 0; *size < (size_t)status.st_size;) {
        ssize_t got = read(fd, data + *size, (size_t)status.st_size - *size);
        if (got <= 0) give_up(path);
        *size += (size_t)got;
    }
    close(fd);
    return data;
}

void scratch_write(const char *path, const void *data, size_t size)
{
    /* Cut afterwards, not before: ext4 flushes a file that was emptied and rewritten, which thousands of
     * times is slow. */
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) give_up(path);
    const char *p = data;
    for (size_t left = size; left > 0;) {
        ssize_t done = write(fd, p, left);
        if (done <= 0) give_up(path);
        p += done;
        left -= (size_t)done;
    }
    if (ftruncate(fd, (off_t)size) != 0) give_up(path);
    if (close(fd) != 0) give_up(path);
}

size_t scratch_descriptors(void)
{
    return scratch_count("/proc/self/fd");
}
