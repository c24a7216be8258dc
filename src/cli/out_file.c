/* A file written whole or not at all. */
#include "out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

int cli_file_open(cli_file *file, const char *path, scadyg_error *error)
{
    *file = (cli_file){.fd = -1, .path = path};
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

int cli_file_put(cli_file *file, const void *data, size_t size, scadyg_error *error)
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
int cli_file_commit(cli_file *file, scadyg_error *error)
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

void cli_file_close(cli_file *file)
{
    if (file->fd >= 0) close(file->fd);
    if (file->named) unlink(file->temporary);
    free(file->temporary);
}

int cli_file_write(const char *path, const void *data, size_t size, scadyg_error *error)
{
    cli_file file;
    int status = cli_file_open(&file, path, error);
    if (!status) status = cli_file_put(&file, data, size, error);
    if (!status) status = cli_file_commit(&file, error);
    cli_file_close(&file);
    return status;
}
