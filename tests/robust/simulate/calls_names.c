/* Calls of the command about names: each change is told to the model of the disk. */
#include "robust/simulate/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int __real_linkat(int from, const char *path, int to, const char *name, int flags);

/* The path in full, of which only the last part need not exist. Changes are allowed in the folder only. */
static int locate(const char *path, char full[PATH_MAX])
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    if (!realpath(folder, full)) return -1;
    const size_t length = strlen(full), base = strlen(sim_here->folder);
    if (strncmp(full, sim_here->folder, base) != 0 || (full[base] && full[base] != '/')) {
        snprintf(sim_here->outside, SIM_PATH, "%.200s", path);
        return -1;
    }
    snprintf(full + length, PATH_MAX - length, "/%s", slash ? slash + 1 : path);
    return 0;
}

/* A file that is about to lose its name is kept, for a loss of power may give it back. */
static uint64_t bury(const char *full)
{
    struct stat status;
    char grave[PATH_MAX];
    if (__real_lstat(full, &status) || !S_ISREG(status.st_mode)) return 0;
    snprintf(grave, sizeof grave, "%s/%llu", sim_here->graves, (unsigned long long)status.st_ino);
    (void)__real_linkat(AT_FDCWD, full, AT_FDCWD, grave, 0); /* it may be there already */
    return status.st_ino;
}

static void note_version(const char *full)
{
    sim_state *s = sim_here;
    if (!s->recording || sim_is_temporary(full) || s->version_count == SIM_VERSIONS) return;
    sim_version *version = &s->versions[s->version_count++];
    snprintf(version->path, SIM_PATH, "%s", full + strlen(s->folder) + 1);
    version->hash = sim_hash_file(full);
}

/* After a change of names that was made. */
static void note_named(int kind, const char *full, const char *from, uint64_t victim)
{
    sim_lock();
    sim_disk_named(&sim_here->disk, kind, full, from, victim);
    if (kind == SIM_MADE || kind == SIM_RENAMED) note_version(full);
    sim_unlock();
}

WRAP(int, linkat, int from, const char *path, int to, const char *name, int flags)
{
    char full[PATH_MAX];
    if (!sim_here) return __real_linkat(from, path, to, name, flags);
    const int reason = sim_strike(SIM_NAME, 1);
    if (reason) return sim_refuse(reason);
    const int known = locate(name, full) == 0, failed = __real_linkat(from, path, to, name, flags);
    if (known && !failed) note_named(SIM_MADE, full, "", 0);
    sim_pass_away();
    return failed;
}

WRAP(int, rename, const char *path, const char *name)
{
    char from[PATH_MAX], full[PATH_MAX];
    if (!sim_here) return __real_rename(path, name);
    const int reason = sim_strike(SIM_NAME, 2);
    if (reason) return sim_refuse(reason);
    const int known = locate(path, from) == 0 && locate(name, full) == 0;
    const uint64_t victim = known ? bury(full) : 0;
    const int failed = __real_rename(path, name);
    if (known && !failed) note_named(SIM_RENAMED, full, from, victim);
    sim_pass_away();
    return failed;
}

WRAP(int, unlink, const char *path)
{
    char full[PATH_MAX];
    if (!sim_here) return __real_unlink(path);
    const int reason = sim_strike(SIM_NAME, 3);
    if (reason) {
        sim_here->removal_failed = 1;
        return sim_refuse(reason);
    }
    const int known = locate(path, full) == 0;
    const uint64_t victim = known ? bury(full) : 0;
    const int failed = __real_unlink(path);
    if (known && !failed) note_named(SIM_REMOVED, full, "", victim);
    sim_pass_away();
    return failed;
}

WRAP(int, mkdir, const char *path, mode_t mode)
{
    char full[PATH_MAX];
    if (!sim_here) return __real_mkdir(path, mode);
    const int reason = sim_strike(SIM_NAME, 4);
    if (reason) return sim_refuse(reason);
    const int known = locate(path, full) == 0, failed = __real_mkdir(path, mode);
    if (known && !failed) note_named(SIM_MADE_FOLDER, full, "", 0);
    sim_pass_away();
    return failed;
}

/* ---- In a folder that is open: the same, by a path through its descriptor ---- */

static const char *path_in(int at, const char *path, char full[PATH_MAX])
{
    if (at == AT_FDCWD || *path == '/') return path;
    snprintf(full, PATH_MAX, "/proc/self/fd/%d/%s", at, path);
    return full;
}

WRAP(int, mkdirat, int at, const char *path, mode_t mode)
{
    char full[PATH_MAX];
    return sim_here ? __wrap_mkdir(path_in(at, path, full), mode) : __real_mkdirat(at, path, mode);
}

WRAP(int, unlinkat, int at, const char *path, int flags)
{
    char full[PATH_MAX];
    return sim_here && !flags ? __wrap_unlink(path_in(at, path, full)) : __real_unlinkat(at, path, flags);
}

/* ---- Open, close, sync ---- */

/* A folder for an unnamed file, or the path of one that may be made. */
static int open_to_change(const char *path, int flags, mode_t mode)
{
    char full[PATH_MAX];
    struct stat status;
    const int unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    if (unnamed && sim_here->named) return sim_refuse(EOPNOTSUPP);
    const int known = !unnamed && locate(path, full) == 0, made = known && __real_lstat(full, &status) != 0;
    const int reason = made ? sim_strike(SIM_NAME, 5) : 0;
    if (reason) return sim_refuse(reason);
    const int fd = __real_open(path, flags, mode);
    if (fd >= 0 && (made || unnamed) && __real_fstat(fd, &status) == 0) {
        sim_lock();
        sim_disk_new(&sim_here->disk, status.st_ino);
        sim_unlock();
    }
    if (fd >= 0 && made) note_named(SIM_MADE, full, "", 0);
    return fd;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (!sim_here) return __real_open(path, flags, mode);
    const int reason = sim_strike(SIM_OPEN, (uint64_t)flags);
    if (reason == EACCES && flags & O_DIRECTORY) sim_here->folder_unsynced = 1;
    if (reason) return sim_refuse(reason);
    const int changes = (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT;
    const int fd = changes ? open_to_change(path, flags, mode) : __real_open(path, flags);
    if (fd >= 0) sim_count_descriptor(1);
    sim_pass_away();
    return fd;
}

int __wrap_openat(int at, const char *path, int flags, ...);
int __wrap_openat(int at, const char *path, int flags, ...)
{
    char full[PATH_MAX];
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return __wrap_open(path_in(at, path, full), flags, mode);
}

WRAP(int, dup, int fd)
{
    const int reason = sim_strike(SIM_OPEN, 0);
    if (reason) return sim_refuse(reason);
    const int copy = __real_dup(fd);
    if (sim_here && copy >= 0) sim_count_descriptor(1);
    return copy;
}

/* The descriptor is gone also when the call fails. */
int __wrap_close(int fd)
{
    const int reason = sim_strike(SIM_CLOSE, 0);
    const int failed = __real_close(fd);
    if (sim_here && !failed) sim_count_descriptor(-1);
    sim_pass_away();
    return reason ? sim_refuse(reason) : failed;
}

/* Nothing is really synced: the model of the disk is what remembers. */
WRAP(int, fsync, int fd)
{
    struct stat status;
    char self[64], path[PATH_MAX] = "";
    if (!sim_here) return __real_fsync(fd);
    const int reason = sim_strike(SIM_SYNC, 0);
    if (__real_fstat(fd, &status)) return -1;
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(self, path, sizeof path - 1);
    sim_lock();
    if (S_ISREG(status.st_mode))
        sim_disk_synced(&sim_here->disk, status.st_ino, reason);
    else if (S_ISDIR(status.st_mode) && length > 0 && !reason)
        sim_disk_folder_synced(&sim_here->disk, path);
    sim_unlock();
    sim_pass_away();
    return reason ? sim_refuse(reason) : 0;
}
