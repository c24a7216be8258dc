/* Files: written whole or not at all. */
#include "base/file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The directory part of a path, "." if it has none. */
static char *copy_directory(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return strdup(".");
    if (slash == path) return strdup("/");
    return strndup(path, (size_t)(slash - path));
}

/* A name in the same directory that nobody else uses. */
static char *make_temporary_name(const char *path, unsigned attempt)
{
    size_t size = strlen(path) + 48;
    char *name = sg_alloc(size, 1);
    if (name) snprintf(name, size, "%s.%ld.%u.tmp", path, (long)getpid(), attempt);
    return name;
}

static int open_named(const char *path, char **temporary)
{
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        char *name = make_temporary_name(path, attempt);
        if (!name) {
            errno = ENOMEM;
            return -1;
        }
        int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            *temporary = name;
            return fd;
        }
        int reason = errno;
        free(name);
        errno = reason;
        if (reason != EEXIST) return -1;
    }
    return -1;
}

static int open_unnamed(const char *path)
{
#ifdef O_TMPFILE
    /* Its name is given through /proc; without that it could never be kept. */
    if (access("/proc/self/fd", X_OK) != 0) {
        errno = EOPNOTSUPP;
        return -1;
    }
    char *directory = copy_directory(path);
    if (!directory) {
        errno = ENOMEM;
        return -1;
    }
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    int reason = errno;
    free(directory);
    errno = reason;
    return fd;
#else
    (void)path;
    errno = EOPNOTSUPP;
    return -1;
#endif
}

int sg_output_open(sg_output *output, const char *path, scadyg_error *error)
{
    *output = (sg_output){.fd = -1};
    if (!*path) return sg_fail(error, SCADYG_E_USAGE, "the output file has no name");
    struct stat existing;
    if (stat(path, &existing) == 0) {
        if (S_ISDIR(existing.st_mode)) return sg_fail_system(error, EISDIR, "cannot write %s", path);
        /* Renaming over a device or a pipe would replace it; that is never what was meant. */
        if (!S_ISREG(existing.st_mode))
            return sg_fail(error, SCADYG_E_IO, "cannot write %s: not a regular file", path);
    }
    output->path = strdup(path);
    if (!output->path) return sg_fail_memory(error, "a file name");
    output->fd = open_unnamed(path);
    if (output->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
        output->fd = open_named(path, &output->temporary);
    if (output->fd < 0) {
        int reason = errno;
        sg_output_abandon(output);
        return sg_fail_system(error, reason, "cannot write %s", path);
    }
    return SCADYG_OK;
}

int sg_write_all_at(int fd, uint64_t offset, const void *data, size_t size, const char *name, scadyg_error *error)
{
    const unsigned char *p = data;
    while (size > 0) {
        ssize_t done = pwrite(fd, p, size < ((size_t)1 << 30) ? size : (size_t)1 << 30, (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return sg_fail_system(error, done < 0 ? errno : ENOSPC, "cannot write %s", name);
        p += done;
        offset += (uint64_t)done;
        size -= (size_t)done;
    }
    return SCADYG_OK;
}

int sg_output_write_at(sg_output *output, uint64_t offset, const void *data, size_t size, scadyg_error *error)
{
    return sg_write_all_at(output->fd, offset, data, size, output->path, error);
}

/*
 * Gives the unnamed file its name, or, where an older file has that name, a temporary one: a link cannot replace
 * a file but a rename can.
 */
static int link_unnamed(sg_output *output)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", output->fd);
    if (linkat(AT_FDCWD, self, AT_FDCWD, output->path, AT_SYMLINK_FOLLOW) == 0) return 0;
    if (errno != EEXIST) return -1;
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        char *name = make_temporary_name(output->path, attempt);
        if (!name) {
            errno = ENOMEM;
            return -1;
        }
        if (linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) {
            output->temporary = name;
            return 0;
        }
        int reason = errno;
        free(name);
        errno = reason;
        if (reason != EEXIST) return -1;
    }
    return -1;
}

/* A new name is durable only when its directory is. Some file systems refuse this; then there is nothing to do. */
static void sync_directory(const char *path)
{
    char *directory = copy_directory(path);
    if (!directory) return;
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(directory);
}

int sg_output_commit(sg_output *output, scadyg_error *error)
{
    int failed = fsync(output->fd) != 0;
    if (!failed && !output->temporary) failed = link_unnamed(output) != 0;
    if (!failed && output->temporary) failed = rename(output->temporary, output->path) != 0;
    if (failed) {
        int status = sg_fail_system(error, errno, "cannot write %s", output->path);
        sg_output_abandon(output);
        return status;
    }
    free(output->temporary);
    output->temporary = NULL;
    sync_directory(output->path);
    sg_output_abandon(output);
    return SCADYG_OK;
}

void sg_output_abandon(sg_output *output)
{
    if (output->fd >= 0) close(output->fd);
    if (output->temporary) unlink(output->temporary);
    SG_FREE(output->temporary, output->path);
    *output = (sg_output){.fd = -1};
}

int sg_scratch_open(const char *beside, int *descriptor, scadyg_error *error)
{
    int fd = open_unnamed(beside);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        char *name = NULL;
        fd = open_named(beside, &name);
        if (fd >= 0) unlink(name);
        free(name);
    }
    *descriptor = fd;
    if (fd < 0) return sg_fail_system(error, errno, "cannot make a scratch file beside %s", beside);
    return SCADYG_OK;
}

int sg_map_descriptor(sg_mapping *mapping, int fd, const char *name, scadyg_error *error)
{
    struct stat status;
    if (fstat(fd, &status) != 0) return sg_fail_system(error, errno, "cannot read %s", name);
    if (S_ISDIR(status.st_mode)) return sg_fail_system(error, EISDIR, "cannot read %s", name);
    if (!S_ISREG(status.st_mode)) return sg_fail(error, SCADYG_E_IO, "cannot read %s: not a regular file", name);
    *mapping = (sg_mapping){NULL, 0};
    if (status.st_size == 0) return SCADYG_OK;
    void *data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED) return sg_fail_system(error, errno, "cannot map %s", name);
    *mapping = (sg_mapping){data, (size_t)status.st_size};
    return SCADYG_OK;
}

int sg_map(sg_mapping *mapping, const char *path, scadyg_error *error)
{
    *mapping = (sg_mapping){NULL, 0};
    /* Only regular files pass below, and waiting for the other end of a pipe to find that out helps nobody. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return sg_fail_system(error, errno, "cannot open %s", path);
    int status = sg_map_descriptor(mapping, fd, path, error);
    close(fd);
    return status;
}

void sg_unmap(sg_mapping *mapping)
{
    if (mapping->data) munmap((void *)(uintptr_t)mapping->data, mapping->size);
    *mapping = (sg_mapping){NULL, 0};
}
