/* Files for fuzz targets. */
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[64];

static void remove_directory(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    if (system(command) != 0) fprintf(stderr, "cannot remove %s\n", directory);
}

static void make_directory(void)
{
    const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(directory, sizeof directory, "%s/scadyg-fuzz-XXXXXX", base);
    PROMISE(mkdtemp(directory));
    atexit(remove_directory);
}

const char *fuzz_path(const char *name)
{
    static char paths[8][128];
    static int next;
    char *path = paths[next++ % 8];
    if (!directory[0]) make_directory();
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

const char *fuzz_file(const char *name, const void *data, size_t size)
{
    const char *path = fuzz_path(name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    PROMISE(fd >= 0);
    for (size_t done = 0; done < size;) {
        ssize_t written = write(fd, (const char *)data + done, size - done);
        PROMISE(written > 0);
        done += (size_t)written;
    }
    close(fd);
    return path;
}
