/* A folder whose contents may be anybody's work. */
#include "base/folder.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Opening ---- */

/* Takes over a descriptor that was opened, or the failure to do so. */
static int hold_folder(sg_folder *folder, int fd, const char *path, scadyg_error *error)
{
    *folder = (sg_folder)SG_FOLDER_NONE;
    if (fd < 0) {
        (void)sg_fail_system(error, errno, "cannot open the folder %.400s", path);
        return SCADYG_E_IO;
    }
    *folder = (sg_folder){.fd = fd, .path = strdup(path)};
    if (folder->path) return SCADYG_OK;
    sg_folder_close(folder);
    (void)sg_fail_memory(error, "a file name");
    return SCADYG_E_MEMORY;
}

int sg_folder_open(sg_folder *folder, const char *path, scadyg_error *error)
{
    return hold_folder(folder, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path, error);
}

/*
 * What cannot be written to is found out now, and not after hours of work. What is in a folder is on the disk only if the
 * folder is; one that was there may be of a process that was killed before it came to this.
 */
static int check_folder(sg_folder *folder, scadyg_error *error)
{
    int status = SCADYG_OK;
    if (faccessat(folder->fd, ".", W_OK | X_OK, 0) != 0)
        status = sg_fail_system(error, errno, "cannot write to the folder %.400s", folder->path);
    else
        status = sg_sync_name(folder->path, error);
    if (status) sg_folder_close(folder);
    return status;
}

int sg_folder_make(sg_folder *folder, const char *path, scadyg_error *error)
{
    *folder = (sg_folder)SG_FOLDER_NONE;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return sg_fail_system(error, errno, "cannot make the folder %.400s", path);
    int status = sg_folder_open(folder, path, error);
    return status ? status : check_folder(folder, error);
}

int sg_folder_make_in(sg_folder *folder, const sg_folder *outer, const char *name, scadyg_error *error)
{
    *folder = (sg_folder)SG_FOLDER_NONE;
    struct stat found;
    char *path = sg_folder_path(outer, name);
    if (!path) return sg_fail_memory(error, "a file name");
    int status = SCADYG_OK;
    if (mkdirat(outer->fd, name, 0777) != 0 && errno != EEXIST)
        status = sg_fail_system(error, errno, "cannot make the folder %.400s", path);
    else if (fstatat(outer->fd, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(found.st_mode))
        status = sg_fail(error, SCADYG_E_IO, "%.400s is not a folder but a %s; remove it", path,
                         S_ISLNK(found.st_mode) ? "link" : "file");
    if (!status) {
        const int fd = openat(outer->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        status = hold_folder(folder, fd, path, error);
    }
    free(path);
    return status ? status : check_folder(folder, error);
}

void sg_folder_close(sg_folder *folder)
{
    if (folder->fd >= 0) close(folder->fd);
    free(folder->path);
    *folder = (sg_folder)SG_FOLDER_NONE;
}

char *sg_folder_path(const sg_folder *folder, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", folder->path, name) < 0 ? NULL : path;
}

/* ---- What is in it ---- */

static int refuse_kind(mode_t mode, const char *path, scadyg_error *error)
{
    const char *what = S_ISLNK(mode)    ? "a link"
                       : S_ISDIR(mode)  ? "a folder"
                       : S_ISFIFO(mode) ? "a pipe"
                                        : "a device";
    return sg_fail(error, SCADYG_E_IO, "%.400s is %s, not a regular file; remove it", path, what);
}

static int find_file(const sg_folder *folder, const char *name, const char *path, int *found, scadyg_error *error)
{
    struct stat entry;
    *found = fstatat(folder->fd, name, &entry, AT_SYMLINK_NOFOLLOW) == 0;
    if (*found) return S_ISREG(entry.st_mode) ? SCADYG_OK : refuse_kind(entry.st_mode, path, error);
    return errno == ENOENT ? SCADYG_OK : sg_fail_system(error, errno, "cannot look at %.400s", path);
}

int sg_folder_find(const sg_folder *folder, const char *name, int *found, scadyg_error *error)
{
    char *path = sg_folder_path(folder, name);
    int status = path ? find_file(folder, name, path, found, error) : sg_fail_memory(error, "a file name");
    free(path);
    return status;
}

/* ---- Reading ---- */

static int read_all(int fd, const char *path, size_t size, char *data, size_t *got, scadyg_error *error)
{
    for (*got = 0; *got < size;) {
        const ssize_t some = read(fd, data + *got, size - *got);
        if (some < 0 && errno == EINTR) continue;
        if (some < 0) return sg_fail_system(error, errno, "cannot read %.400s", path);
        if (some == 0) break; /* it has become shorter */
        *got += (size_t)some;
    }
    data[*got] = 0;
    return SCADYG_OK;
}

/* A descriptor says what was really opened, whatever has become of the name. Closes it. */
static int read_regular(int fd, const char *path, size_t most, char **data, size_t *size, scadyg_error *error)
{
    struct stat file;
    int status = SCADYG_OK;
    if (fstat(fd, &file) != 0)
        status = sg_fail_system(error, errno, "cannot read %.400s", path);
    else if (!S_ISREG(file.st_mode))
        status = refuse_kind(file.st_mode, path, error);
    else if ((uintmax_t)file.st_size > most)
        status = sg_fail(error, SCADYG_E_INPUT, "%.400s has %lld bytes, more than the %zu that it may have", path,
                         (long long)file.st_size, most);
    if (!status) *data = sg_alloc((size_t)file.st_size + 1, 1);
    if (!status && !*data) status = sg_fail_memory(error, path);
    if (!status) status = read_all(fd, path, (size_t)file.st_size, *data, size, error);
    if (status) {
        free(*data);
        *data = NULL;
    }
    close(fd);
    return status;
}

int sg_folder_read(const sg_folder *folder, const char *name, size_t most, char **data, size_t *size,
                   scadyg_error *error)
{
    int found = 0;
    *data = NULL;
    *size = 0;
    char *path = sg_folder_path(folder, name);
    if (!path) return sg_fail_memory(error, "a file name");
    int status = find_file(folder, name, path, &found, error);
    if (!status && found) {
        const int fd = openat(folder->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        status = fd < 0 ? sg_fail_system(error, errno, "cannot read %.400s", path)
                        : read_regular(fd, path, most, data, size, error);
    }
    free(path);
    return status;
}

int sg_file_read(const char *path, size_t most, char **data, size_t *size, scadyg_error *error)
{
    *data = NULL;
    *size = 0;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return sg_fail_system(error, errno, "cannot read %.400s", path);
    return read_regular(fd, path, most, data, size, error);
}

/* ---- Locks, and removing ---- */

int sg_folder_open_lock(const sg_folder *folder, const char *name, int *lock, scadyg_error *error)
{
    int found = 0;
    struct stat file;
    *lock = -1;
    char *path = sg_folder_path(folder, name);
    if (!path) return sg_fail_memory(error, "a file name");
    int status = find_file(folder, name, path, &found, error);
    if (!status) {
        *lock = openat(folder->fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (*lock < 0)
            status = sg_fail_system(error, errno, "cannot write %.400s", path);
        else if (fstat(*lock, &file) != 0 || !S_ISREG(file.st_mode))
            status = sg_fail(error, SCADYG_E_IO, "%.400s is not a regular file; remove it", path);
    }
    if (status && *lock >= 0) {
        close(*lock);
        *lock = -1;
    }
    free(path);
    return status;
}

void sg_folder_remove(const sg_folder *folder, const char *name)
{
    (void)unlinkat(folder->fd, name, 0);
}
