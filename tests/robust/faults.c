/* Failing calls at will: the wrappers behind faults.h. */
#include "robust/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_uint armed_kinds;
static atomic_long calls, failed;
static long fail_at;
static int fail_on;
static const char *_Atomic first_name;

void faults_arm(unsigned kinds, long n, int on)
{
    fail_at = n;
    fail_on = on;
    first_name = "nothing";
    atomic_store(&calls, 0);
    atomic_store(&failed, 0);
    atomic_store(&armed_kinds, kinds);
}

long faults_disarm(void)
{
    atomic_store(&armed_kinds, 0);
    return atomic_load(&failed);
}

const char *faults_name(void)
{
    return first_name;
}

/* Whether this call is the one to fail. */
static int strikes(unsigned kind, const char *name, int reason)
{
    if (!(atomic_load(&armed_kinds) & kind)) return 0;
    long call = atomic_fetch_add(&calls, 1) + 1;
    if (!fail_at || call < fail_at || (call > fail_at && !fail_on)) return 0;
    if (atomic_fetch_add(&failed, 1) == 0) first_name = name;
    errno = reason;
    return 1;
}

#define WRAP(type, name, ...)                                                                                      \
    type __real_##name(__VA_ARGS__);                                                                               \
    type __wrap_##name(__VA_ARGS__);                                                                               \
    type __wrap_##name(__VA_ARGS__)

WRAP(void *, malloc, size_t size)
{
    return strikes(FAULTS_MEMORY, "malloc", ENOMEM) ? NULL : __real_malloc(size);
}

WRAP(void *, calloc, size_t count, size_t size)
{
    return strikes(FAULTS_MEMORY, "calloc", ENOMEM) ? NULL : __real_calloc(count, size);
}

WRAP(void *, realloc, void *block, size_t size)
{
    return strikes(FAULTS_MEMORY, "realloc", ENOMEM) ? NULL : __real_realloc(block, size);
}

WRAP(int, posix_memalign, void **block, size_t alignment, size_t size)
{
    return strikes(FAULTS_MEMORY, "posix_memalign", ENOMEM) ? ENOMEM
                                                            : __real_posix_memalign(block, alignment, size);
}

WRAP(char *, strdup, const char *text)
{
    return strikes(FAULTS_MEMORY, "strdup", ENOMEM) ? NULL : __real_strdup(text);
}

WRAP(char *, strndup, const char *text, size_t size)
{
    return strikes(FAULTS_MEMORY, "strndup", ENOMEM) ? NULL : __real_strndup(text, size);
}

/* A full disk takes a part of the bytes first: every other failing write is cut short, and the next one
 * fails. */
static size_t cut_short(size_t size)
{
    return size > 1 && atomic_load(&armed_kinds) && fail_at % 2 ? size / 2 : size;
}

WRAP(ssize_t, write, int fd, const void *data, size_t size)
{
    return strikes(FAULTS_WRITE, "write", ENOSPC) ? -1 : __real_write(fd, data, cut_short(size));
}

WRAP(ssize_t, pwrite, int fd, const void *data, size_t size, off_t offset)
{
    return strikes(FAULTS_WRITE, "pwrite", ENOSPC) ? -1 : __real_pwrite(fd, data, cut_short(size), offset);
}

WRAP(int, ftruncate, int fd, off_t size)
{
    return strikes(FAULTS_WRITE, "ftruncate", ENOSPC) ? -1 : __real_ftruncate(fd, size);
}

WRAP(int, fsync, int fd)
{
    return strikes(FAULTS_WRITE, "fsync", EIO) ? -1 : __real_fsync(fd);
}

WRAP(int, linkat, int from, const char *old_path, int to, const char *new_path, int flags)
{
    return strikes(FAULTS_WRITE, "linkat", ENOSPC) ? -1 : __real_linkat(from, old_path, to, new_path, flags);
}

WRAP(int, rename, const char *old_path, const char *new_path)
{
    return strikes(FAULTS_WRITE, "rename", EACCES) ? -1 : __real_rename(old_path, new_path);
}

WRAP(int, open, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if ((flags & O_TMPFILE) == O_TMPFILE && atomic_load(&armed_kinds) & FAULTS_NO_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return strikes(FAULTS_OPEN, "open", EMFILE) ? -1 : __real_open(path, flags, mode);
}

WRAP(ssize_t, read, int fd, void *data, size_t size)
{
    return strikes(FAULTS_READ, "read", EIO) ? -1 : __real_read(fd, data, size);
}

WRAP(ssize_t, pread, int fd, void *data, size_t size, off_t offset)
{
    return strikes(FAULTS_READ, "pread", EIO) ? -1 : __real_pread(fd, data, size, offset);
}

WRAP(void *, mmap, void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    return strikes(FAULTS_READ, "mmap", ENOMEM) ? MAP_FAILED
                                                : __real_mmap(address, size, protection, flags, fd, offset);
}

WRAP(int, fstat, int fd, struct stat *status)
{
    return strikes(FAULTS_READ, "fstat", EIO) ? -1 : __real_fstat(fd, status);
}
