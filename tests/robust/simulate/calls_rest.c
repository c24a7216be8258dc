/* Calls of the command that look, that start something, and those whose answers would differ from run to run. */
#include "robust/simulate/calls.h"

#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "scadyg.h"

#define LOOK(type, name, parameters, ...) LOOK_AND(type, name, parameters, (void)0, __VA_ARGS__)
#define LOOK_AND(type, name, parameters, then, ...)                                                                \
    type __real_##name parameters;                                                                                 \
    type __wrap_##name parameters;                                                                                 \
    type __wrap_##name parameters                                                                                  \
    {                                                                                                              \
        const int reason = sim_strike(SIM_LOOK, 0);                                                                \
        if (reason) return sim_refuse(reason);                                                                     \
        const type answer = __real_##name(__VA_ARGS__);                                                            \
        then;                                                                                                      \
        sim_pass_away();                                                                                           \
        return answer;                                                                                             \
    }

/* Inputs are links to the same file in every run, and a link changes this time. */
static void level_time(struct stat *status)
{
    if (sim_here) status->st_ctim = (struct timespec){.tv_sec = 1000};
}

LOOK_AND(int, stat, (const char *path, struct stat *status), level_time(status), path, status)
LOOK_AND(int, lstat, (const char *path, struct stat *status), level_time(status), path, status)
LOOK_AND(int, fstat, (int fd, struct stat *status), level_time(status), fd, status)
LOOK(int, fstatat, (int at, const char *path, struct stat *status, int flags), at, path, status, flags)
LOOK(int, fchmod, (int fd, mode_t mode), fd, mode)
LOOK(int, fchown, (int fd, uid_t user, gid_t group), fd, user, group)
LOOK(int, getentropy, (void *data, size_t size), data, size)
LOOK(int, access, (const char *path, int mode), path, mode)
LOOK(int, faccessat, (int at, const char *path, int mode, int flags), at, path, mode, flags)
LOOK(int, flock, (int fd, int operation), fd, operation)
LOOK(int, utimensat, (int at, const char *path, const struct timespec times[2], int flags), at, path, times, flags)
LOOK(ssize_t, getrandom, (void *data, size_t size, unsigned flags), data, size, flags)

WRAP(void *, mmap, void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (sim_here && sim_strike(SIM_LOOK, size)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    void *data = __real_mmap(address, size, protection, flags, fd, offset);
    sim_pass_away();
    return data;
}

WRAP(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes, void *(*begin)(void *), void *data)
{
    return sim_strike(SIM_START, 0) ? EAGAIN : __real_pthread_create(thread, attributes, begin, data);
}

/* A run of a study: this program again, which finds the memory that is shared by its descriptor (main.c). */
WRAP(int, posix_spawn, pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
     const posix_spawnattr_t *attributes, char *const words[], char *const environment[])
{
    if (sim_strike(SIM_START, 1)) return EAGAIN;
    sim_pass_away(); /* afterwards two processes would be at work, each at its own pace */
    return __real_posix_spawn(child, path, actions, attributes, words, environment);
}

/* ---- The same in every run ---- */

WRAP(pid_t, getpid, void)
{
    return sim_here ? 4242 : __real_getpid();
}

/* Seconds that are told or kept are the first thread's; the others look at the clock to wait. */
WRAP(int, clock_gettime, clockid_t clock, struct timespec *now)
{
    if (!sim_here || !sim_is_first || clock != CLOCK_MONOTONIC) return __real_clock_gettime(clock, now);
    *now = (struct timespec){.tv_sec = 1000};
    return 0;
}

WRAP(int, getrusage, int who, struct rusage *usage)
{
    if (!sim_here) return __real_getrusage((__rusage_who_t)who, usage);
    *usage = (struct rusage){.ru_maxrss = 1000};
    return 0;
}

/* The least memory that the command line allows is more than a small log fills. */
WRAP(void, scadyg_context_set_memory, scadyg_context *context, uint64_t bytes)
{
    __real_scadyg_context_set_memory(context, sim_here && sim_here->memory ? sim_here->memory : bytes);
}
