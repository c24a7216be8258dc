/*
 * A .npy file, written whole or not at all: it has no name until it is complete, where the system can do
 * that, and a temporary one where it cannot.
 */
#include "npy_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct npy_file {
    int fd;
    int named; /* `temporary` exists */
    char *temporary;
    const char *path;
} npy_file;

static int fail(scadyg_error *error, const char *path, int reason)
{
    error->status = SCADYG_E_IO;
    snprintf(error->message, sizeof error->message, "cannot write %.800s: %s", path, strerror(reason));
    return error->status;
}

static int open_unnamed(const char *path)
{
    char *directory = strdup(path);
    if (!directory) return -1;
    char *slash = strrchr(directory, '/');
    if (slash) slash[slash == directory] = 0;
    int fd = open(slash ? directory : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    int reason = errno;
    free(directory);
    errno = reason;
    return fd;
}

static int npy_open(npy_file *file, const char *path, scadyg_error *error)
{
    *file = (npy_file){.fd = -1, .path = path};
    struct stat existing;
    if (stat(path, &existing) == 0 && !S_ISREG(existing.st_mode))
        return fail(error, path, S_ISDIR(existing.st_mode) ? EISDIR : EINVAL);
    size_t size = strlen(path) + 32;
    file->temporary = malloc(size);
    if (!file->temporary) return fail(error, path, ENOMEM);
    snprintf(file->temporary, size, "%s.%ld.tmp", path, (long)getpid());
    file->fd = open_unnamed(path);
    if (file->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        file->named = file->fd >= 0;
    }
    return file->fd < 0 ? fail(error, path, errno) : SCADYG_OK;
}

static int npy_put(npy_file *file, const void *data, size_t size, scadyg_error *error)
{
    const char *p = data;
    while (size > 0) {
        if (cli_signal_seen()) return error->status = SCADYG_E_CANCELLED;
        ssize_t done = write(file->fd, p, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return fail(error, file->path, done < 0 ? errno : ENOSPC);
        p += done;
        size -= (size_t)done;
    }
    return SCADYG_OK;
}

/* A link cannot replace an older file of that name, but a rename can. */
static int npy_commit(npy_file *file, scadyg_error *error)
{
    int failed = fsync(file->fd) != 0;
    if (!failed && !file->named) {
        char self[64];
        snprintf(self, sizeof self, "/proc/self/fd/%d", file->fd);
        failed = linkat(AT_FDCWD, self, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) != 0;
        file->named = !failed;
    }
    if (!failed) failed = rename(file->temporary, file->path) != 0;
    if (failed) return fail(error, file->path, errno);
    file->named = 0;
    return SCADYG_OK;
}

static void npy_close(npy_file *file)
{
    if (file->fd >= 0) close(file->fd);
    if (file->named) unlink(file->temporary);
    free(file->temporary);
}

/* Magic, version, and a Python dictionary padded so that the numbers begin at a multiple of 64. */
static int put_header(npy_file *file, size_t rows, size_t columns, scadyg_error *error)
{
    union {
        uint16_t word;
        unsigned char low;
    } order = {1};
    char header[256] = "\x93NUMPY\x01";
    int length = snprintf(header + 10, sizeof header - 10,
                          "{'descr': '%cf4', 'fortran_order': False, 'shape': (%zu, %zu), }", order.low ? '<' : '>',
                          rows, columns);
    size_t size = ((size_t)length + 10 + 1 + 63) / 64 * 64;
    memset(header + 10 + length, ' ', size - 10 - (size_t)length);
    header[size - 1] = '\n';
    header[8] = (char)((size - 10) & 0xFF);
    header[9] = (char)((size - 10) >> 8);
    return npy_put(file, header, size, error);
}

static int put_values(npy_file *file, const double *values, size_t count, scadyg_error *error)
{
    float piece[16384];
    for (size_t first = 0; first < count; first += CLI_COUNT(piece)) {
        size_t length = count - first < CLI_COUNT(piece) ? count - first : CLI_COUNT(piece);
        for (size_t i = 0; i < length; i++) piece[i] = (float)values[first + i];
        int status = npy_put(file, piece, length * sizeof *piece, error);
        if (status) return status;
    }
    return SCADYG_OK;
}

int cli_npy_write(const char *path, const double *values, size_t rows, size_t columns, scadyg_error *error)
{
    npy_file file;
    int status = npy_open(&file, path, error);
    if (!status) status = put_header(&file, rows, columns, error);
    if (!status) status = put_values(&file, values, rows * columns, error);
    if (!status) status = npy_commit(&file, error);
    npy_close(&file);
    return status;
}
