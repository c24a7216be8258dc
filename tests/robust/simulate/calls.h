/* What the files of wrapped calls share. */
#ifndef SIMULATE_CALLS_H
#define SIMULATE_CALLS_H

#include "robust/simulate/simulate.h"

#include <sys/types.h>

#define WRAP(type, name, ...)                                                                                      \
    type __real_##name(__VA_ARGS__);                                                                               \
    type __wrap_##name(__VA_ARGS__);                                                                               \
    type __wrap_##name(__VA_ARGS__)

/* Those that this side makes itself are no calls of the command. */
struct stat;
int __real_stat(const char *path, struct stat *status);
int __real_lstat(const char *path, struct stat *status);
int __real_fstat(int fd, struct stat *status);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_close(int fd);
int __wrap_close(int fd);

/* Whether this thread is the one that began. */
extern _Thread_local int sim_is_first;

/* Counts a call; `size` is what tells it from others of its class. The errno it must fail with, or 0. */
int sim_strike(int class, uint64_t size);

/* After a call: a process that was to be killed with it goes. */
void sim_pass_away(void);

/* -1, with errno. */
int sim_refuse(int reason);

/* What is shared is changed under a lock. */
void sim_lock(void);
void sim_unlock(void);

void sim_count_descriptor(int change);

#endif
