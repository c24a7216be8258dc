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

/* Tries such names until nobody has one. make: makes a file of that name; -1 with errno, or what is returned. */
static int make_temporary(const char *path, int (*make)(const char *name, int fd), int fd, char **temporary)
{
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        char *name = make_temporary_name(path, attempt);
        if (!name) {
            errno = ENOMEM;
            return -1;
        }
        const int made = make(name, fd);
        if (made >= 0) {
            *temporary = name;
            return made;
        }
        int reason = errno;
        free(name);
        errno = reason;
        if (reason != EEXIST) return -1;
    }
    return -1;
}

static int create_file(const char *name, int fd)
{
    (void)fd;
    return open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* A name for a file that is open and has none. */
static int link_file(const char *name, int fd)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
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

/*
 * Who may read the old file may read the new one, and nobody else. Owner and group are kept where the system lets us;
 * where the group is another one, it gets no more than everybody.
 */
static void keep_permissions(int fd, const struct stat *replaced)
{
    mode_t mode = replaced->st_mode & 0777;
    if (fchown(fd, replaced->st_uid, replaced->st_gid) != 0 && fchown(fd, (uid_t)-1, replaced->st_gid) != 0)
        mode &= ~(mode_t)070 | (mode & 07) << 3;
    (void)fchmod(fd, mode); /* of a file of our own; file systems without permissions have none to keep */
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
    const int replaces = lstat(path, &existing) == 0 && S_ISREG(existing.st_mode);
    output->path = strdup(path);
    if (!output->path) return sg_fail_memory(error, "a file name");
    output->fd = open_unnamed(path);
    if (output->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
        output->fd = make_temporary(path, create_file, -1, &output->temporary);
    if (output->fd < 0) {
        int reason = errno;
        sg_output_abandon(output);
        return sg_fail_system(error, reason, "cannot write %s", path);
    }
    if (replaces) keep_permissions(output->fd, &existing);
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
    if (link_file(output->path, output->fd) == 0) return 0;
    return errno == EEXIST ? make_temporary(output->path, link_file, output->fd, &output->temporary) : -1;
}

/*
 * A new name is durable only when its directory is. A directory that may be written to but not read cannot be synced, and
 * some file systems refuse it: that is no failure. *fd is -1 then.
 */
static int open_directory_of(const char *path, int *fd)
{
    char *directory = copy_directory(path);
    *fd = -1;
    if (!directory) {
        errno = ENOMEM;
        return -1;
    }
    *fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int reason = errno;
    free(directory);
    errno = reason;
    return *fd < 0 && reason != EACCES ? -1 : 0;
}

static int sync_directory(int fd)
{
    if (fd < 0 || fsync(fd) == 0) return 0;
    return errno == EINVAL || errno == EOPNOTSUPP ? 0 : -1;
}

int sg_exists(const char *path)
{
    return access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

int sg_sync_name(const char *path, scadyg_error *error)
{
    int fd, status = SCADYG_OK;
    if (open_directory_of(path, &fd) || sync_directory(fd))
        status = sg_fail_system(error, errno, "cannot make the name of %s durable", path);
    if (fd >= 0) close(fd);
    return status;
}

/* The file gets its name. *directory is its directory, to be synced. */
static int name_output(sg_output *output, int *directory)
{
    if (open_directory_of(output->path, directory) || fsync(output->fd)) return -1;
    if (!output->temporary && link_unnamed(output)) return -1;
    if (output->temporary && rename(output->temporary, output->path)) return -1;
    SG_FREE(output->temporary);
    output->temporary = NULL;
    return 0;
}

int sg_output_commit(sg_output *output, scadyg_error *error)
{
    int directory = -1, status = SCADYG_OK;
    if (name_output(output, &directory))
        status = sg_fail_system(error, errno, "cannot write %s", output->path);
    else if (sync_directory(directory))
        status = sg_fail_system(error, errno, "%s is written, but may be lost if the power fails", output->path);
    if (directory >= 0) close(directory);
    sg_output_abandon(output);
    return status;
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
        fd = make_temporary(beside, create_file, -1, &name);
        if (fd >= 0) unlink(name);
        free(name);
    }
    *descriptor = fd;
    if (fd < 0) return sg_fail_system(error, errno, "cannot make a scratch file beside %s", beside);
    return SCADYG_OK;
}

/* ---- Reading ---- */

sg_file_state sg_file_state_of(const struct stat *facts)
{
    return (sg_file_state){(uint64_t)facts->st_size, facts->st_mtim.tv_sec, facts->st_mtim.tv_nsec};
}

int sg_file_check(int fd, const sg_file_state *before, const char *name, scadyg_error *error)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0) return sg_fail_system(error, errno, "cannot read %s", name);
    const sg_file_state now = sg_file_state_of(&facts);
    if (now.size == before->size && now.seconds == before->seconds && now.nanoseconds == before->nanoseconds)
        return SCADYG_OK;
    return sg_fail(error, SCADYG_E_CHANGED, "%s was %s while it was being read", name,
                   now.size < before->size   ? "truncated"
                   : now.size > before->size ? "appended to"
                                             : "changed");
}

int sg_map_descriptor(sg_mapping *mapping, int fd, const char *name, scadyg_error *error)
{
    struct stat facts;
    *mapping = (sg_mapping){.fd = -1};
    if (fstat(fd, &facts) != 0) return sg_fail_system(error, errno, "cannot read %s", name);
    if (S_ISDIR(facts.st_mode)) return sg_fail_system(error, EISDIR, "cannot read %s", name);
    if (!S_ISREG(facts.st_mode)) return sg_fail(error, SCADYG_E_IO, "cannot read %s: not a regular file", name);
    if (facts.st_size == 0) return SCADYG_OK;
    void *data = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED) return sg_fail_system(error, errno, "cannot map %s", name);
    *mapping = (sg_mapping){data, (size_t)facts.st_size, -1, sg_file_state_of(&facts)};
    return SCADYG_OK;
}

int sg_map(sg_mapping *mapping, const char *path, scadyg_error *error)
{
    *mapping = (sg_mapping){.fd = -1};
    /* Only regular files pass below, and waiting for the other end of a pipe to find that out helps nobody. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return sg_fail_system(error, errno, "cannot open %s", path);
    int status = sg_map_descriptor(mapping, fd, path, error);
    if (mapping->data)
        mapping->fd = fd;
    else
        close(fd);
    return status;
}

int sg_mapping_check(const sg_mapping *mapping, const char *name, scadyg_error *error)
{
    if (!mapping->data || mapping->fd < 0) return SCADYG_OK;
    return sg_file_check(mapping->fd, &mapping->state, name, error);
}

void sg_unmap(sg_mapping *mapping)
{
    if (mapping->data) {
        munmap((void *)(uintptr_t)mapping->data, mapping->size);
        if (mapping->fd >= 0) close(mapping->fd);
    }
    *mapping = (sg_mapping){.fd = -1};
}

void sg_mapping_drop(const sg_mapping *mapping)
{
    /* A failure costs memory, nothing else. */
    if (mapping->data) (void)madvise((void *)(uintptr_t)mapping->data, mapping->size, MADV_DONTNEED);
}
