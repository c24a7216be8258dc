/* Calls of the command: how they are struck; memory, reading and writing. */
#include "robust/simulate/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

sim_state *sim_here;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
_Thread_local int sim_is_first;
static int first_process;       /* what it starts may be ended by a signal, with files open */
static _Thread_local int dying; /* when this call is through */

/* ---- Striking ---- */

void sim_lock(void)
{
    pthread_mutex_lock(&lock);
}

void sim_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void sim_count_descriptor(int change)
{
    if (!first_process) return;
    sim_lock();
    sim_here->descriptors += change;
    sim_unlock();
}

/* The whole group goes: a run of a study has a process of its own. */
static void die(void)
{
    sim_here->killed = 1;
    kill(0, SIGKILL);
    for (;;) pause();
}

static int act(const sim_fault *fault)
{
    switch (fault->action) {
    case SIM_KILL: die(); break;
    case SIM_KILL_AFTER: dying = 1; break;
    case SIM_INTERRUPT: kill(0, SIGINT); break;
    case SIM_TERMINATE: kill(0, SIGTERM); break;
    default: return fault->reason;
    }
    return 0;
}

static int is_hit(const sim_fault *fault, int class, uint64_t call)
{
    return fault->class == class && (call == fault->at || (call > fault->at && fault->action == SIM_FAIL_ON));
}

int sim_strike(int class, uint64_t size)
{
    sim_state *s = sim_here;
    int reason = 0;
    if (!s) return 0;
    sim_lock();
    const uint64_t call = ++s->calls[class], any = class == SIM_MEMORY ? 0 : ++s->calls[SIM_ANY];
    s->trace = sim_mix(s->trace ^ ((uint64_t) class << 56) ^ size);
    sim_unlock();
    for (size_t i = 0; i < s->stage.count; i++) {
        const sim_fault *fault = &s->stage.faults[i];
        const int general = fault->class == SIM_ANY;
        if (!is_hit(fault, general && any ? SIM_ANY : class, general ? any : call)) continue;
        sim_lock();
        s->struck[fault->class][fault->action]++;
        sim_unlock();
        const int failed = act(fault);
        if (failed) reason = failed;
    }
    return reason;
}

void sim_pass_away(void)
{
    if (dying) die();
}

int sim_refuse(int reason)
{
    errno = reason;
    return -1;
}

/* ---- Memory ---- */

static int out_of_memory(size_t size)
{
    if (!sim_strike(SIM_MEMORY, size)) return 0;
    errno = ENOMEM;
    return 1;
}

WRAP(void *, malloc, size_t size)
{
    return out_of_memory(size) ? NULL : __real_malloc(size);
}

WRAP(void *, calloc, size_t count, size_t size)
{
    return out_of_memory(count * size) ? NULL : __real_calloc(count, size);
}

WRAP(void *, realloc, void *block, size_t size)
{
    return out_of_memory(size) ? NULL : __real_realloc(block, size);
}

WRAP(int, posix_memalign, void **block, size_t alignment, size_t size)
{
    return out_of_memory(size) ? ENOMEM : __real_posix_memalign(block, alignment, size);
}

WRAP(char *, strdup, const char *text)
{
    return out_of_memory(1) ? NULL : __real_strdup(text);
}

WRAP(char *, strndup, const char *text, size_t size)
{
    return out_of_memory(1) ? NULL : __real_strndup(text, size);
}

WRAP(int, vasprintf, char **text, const char *format, va_list arguments)
{
    return out_of_memory(1) ? -1 : __real_vasprintf(text, format, arguments);
}

int __wrap_asprintf(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_asprintf(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = __wrap_vasprintf(text, format, arguments);
    va_end(arguments);
    return length;
}

WRAP(FILE *, open_memstream, char **text, size_t *size)
{
    return out_of_memory(1) ? NULL : __real_open_memstream(text, size);
}

/* ---- Reading and writing ---- */

ssize_t __real_read(int fd, void *data, size_t size);
ssize_t __real_pread(int fd, void *data, size_t size, off_t offset);
ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __real_pwrite(int fd, const void *data, size_t size, off_t offset);

/* What the system may always do: fewer bytes than asked for, or none because of a signal. *size is cut; -1: interrupted. */
static int disturb(int class, size_t *size)
{
    sim_state *s = sim_here;
    if (!s->stage.noise) return 0;
    const uint64_t draw = sim_mix(s->seed ^ sim_mix(s->calls[class] * SIM_CLASSES + (uint64_t) class));
    if (draw % 1000 >= s->stage.noise) return 0;
    if (draw >> 20 & 1) {
        s->interrupted++;
        return sim_refuse(EINTR);
    }
    if (*size > 1) {
        s->cut_short++;
        *size = 1 + (size_t)(draw >> 24) % (*size - 1);
    }
    return 0;
}

static ssize_t read_some(int fd, void *data, size_t size, off_t offset)
{
    if (sim_here) {
        const int reason = sim_strike(SIM_READ, size);
        if (reason) return sim_refuse(reason);
        if (disturb(SIM_READ, &size)) return -1;
    }
    const ssize_t got = offset < 0 ? __real_read(fd, data, size) : __real_pread(fd, data, size, offset);
    sim_pass_away();
    return got;
}

/* A disk that is full takes what still fits first. */
static int take_space(size_t *size)
{
    sim_state *s = sim_here;
    sim_lock();
    int64_t *space = &s->stage.space;
    const int full = *space == 0 && *size > 0;
    if (full) s->no_space++;
    if (*space > 0 && (uint64_t)*space < *size) *size = (size_t)*space;
    if (*space > 0) *space -= (int64_t)*size;
    s->written += *size;
    sim_unlock();
    return full ? sim_refuse(ENOSPC) : 0;
}

static void note_written(int fd, uint64_t offset, ssize_t done)
{
    struct stat status;
    if (done <= 0 || __real_fstat(fd, &status) || !S_ISREG(status.st_mode)) return;
    sim_lock();
    sim_disk_written(&sim_here->disk, status.st_ino, offset, offset + (uint64_t)done);
    sim_unlock();
}

static ssize_t write_some(int fd, const void *data, size_t size, off_t offset)
{
    if (sim_here && fd != STDERR_FILENO) {
        const int reason = sim_strike(SIM_WRITE, size);
        if (reason) return sim_refuse(reason);
        if (disturb(SIM_WRITE, &size) || take_space(&size)) return -1;
    }
    const ssize_t done = offset < 0 ? __real_write(fd, data, size) : __real_pwrite(fd, data, size, offset);
    if (sim_here && offset >= 0) note_written(fd, (uint64_t)offset, done);
    sim_pass_away();
    return done;
}

WRAP(ssize_t, read, int fd, void *data, size_t size)
{
    return read_some(fd, data, size, -1);
}

WRAP(ssize_t, pread, int fd, void *data, size_t size, off_t offset)
{
    if (sim_here) sim_here->scratch_reads++;
    return read_some(fd, data, size, offset);
}

WRAP(ssize_t, write, int fd, const void *data, size_t size)
{
    return write_some(fd, data, size, -1);
}

WRAP(ssize_t, pwrite, int fd, const void *data, size_t size, off_t offset)
{
    return write_some(fd, data, size, offset);
}

WRAP(int, ftruncate, int fd, off_t size)
{
    struct stat status;
    const int reason = sim_strike(SIM_WRITE, (uint64_t)size);
    if (reason) return sim_refuse(reason);
    if (sim_here && __real_fstat(fd, &status) == 0) {
        const uint64_t old = (uint64_t)status.st_size, new = (uint64_t)size;
        sim_lock();
        sim_disk_written(&sim_here->disk, status.st_ino, old < new ? old : new, old < new ? new : old);
        sim_unlock();
    }
    const int failed = __real_ftruncate(fd, size);
    sim_pass_away();
    return failed;
}

/* ---- Streams: what is printed, and files that are read through them ---- */

static ssize_t print_some(void *cookie, const char *data, size_t size)
{
    size_t done = 0;
    (void)cookie;
    while (done < size) { /* as the stream of a file does */
        const ssize_t more = write_some(STDOUT_FILENO, data + done, size - done, -1);
        if (more < 0 && errno != EINTR) return 0;
        if (more > 0) done += (size_t)more;
    }
    return (ssize_t)done;
}

static ssize_t read_stream(void *cookie, char *data, size_t size)
{
    ssize_t got; /* regular files are never interrupted, and streams do not expect it */
    while ((got = read_some((int)(intptr_t)cookie, data, size, -1)) < 0 && errno == EINTR) continue;
    return got;
}

static int close_stream(void *cookie)
{
    return __wrap_close((int)(intptr_t)cookie);
}

WRAP(FILE *, fopen, const char *path, const char *mode)
{
    if (!sim_here) return __real_fopen(path, mode);
    if (strcmp(path, "/proc/self/status") == 0) return NULL; /* figures that differ from run to run */
    if (mode[0] != 'r' || strchr(mode, '+'))
        snprintf(sim_here->outside, SIM_PATH, "fopen of %.200s to write", path);
    const int fd = __wrap_open(path, O_RDONLY);
    if (fd < 0) return NULL;
    FILE *stream =
        fopencookie((void *)(intptr_t)fd, "r", (cookie_io_functions_t){.read = read_stream, .close = close_stream});
    if (!stream) __wrap_close(fd);
    return stream;
}

/* The library's own would open the file where no call is seen. */
WRAP(json_t *, json_load_file, const char *path, size_t flags, json_error_t *error)
{
    FILE *file = __wrap_fopen(path, "rb");
    if (!file) {
        *error = (json_error_t){.line = -1, .column = -1};
        snprintf(error->text, sizeof error->text - 1, "unable to open %.100s: %.40s", path, strerror(errno));
        return NULL;
    }
    json_t *value = json_loadf(file, flags, error);
    fclose(file);
    return value;
}

/* ---- Beginning and end ---- */

/* What is printed goes through the calls above as well. */
void sim_begin(sim_state *state, int started)
{
    first_process = !started;
    if (started) state->started = 1;
    FILE *printed = fopencookie(NULL, "w", (cookie_io_functions_t){.write = print_some});
    if (!printed) abort();
    stdout = printed;
    sim_is_first = 1;
    sim_here = state;
}

void sim_end(void)
{
    sim_here = NULL;
}
