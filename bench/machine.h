/* What a benchmark says about the machine and about itself. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static inline double bench_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline double bench_now(void)
{
    return bench_clock(CLOCK_MONOTONIC);
}

/* Processor time of all threads: what counts on a machine that has other work. */
static inline double bench_cpu(void)
{
    return bench_clock(CLOCK_PROCESS_CPUTIME_ID);
}

/* The rest of the first line of `path` that begins with `key`, or "" if there is none. */
static inline void bench_line(const char *path, const char *key, char *value, size_t size)
{
    char line[256];
    FILE *file = fopen(path, "r");
    value[0] = '\0';
    if (!file) return;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0) {
            const char *rest = line + strlen(key);
            rest += strspn(rest, " \t:");
            snprintf(value, size, "%.*s", (int)strcspn(rest, "\n"), rest);
            break;
        }
    fclose(file);
}

/* A line of /proc/self/status in MiB: "RssAnon", "VmHWM". */
static inline double bench_memory(const char *key)
{
    char value[64];
    bench_line("/proc/self/status", key, value, sizeof value);
    return strtod(value, NULL) / 1024;
}

static inline void bench_print_machine(void)
{
    char model[128], memory[64];
    bench_line("/proc/cpuinfo", "model name", model, sizeof model);
    bench_line("/proc/meminfo", "MemTotal", memory, sizeof memory);
    printf("machine: %s, %ld processors, %.1f GiB; %s\n", model, sysconf(_SC_NPROCESSORS_ONLN),
           strtod(memory, NULL) / 1048576,
#if defined(__clang__)
           "clang " __clang_version__
#else
           "gcc " __VERSION__
#endif
    );
}

#endif
