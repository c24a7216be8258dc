/* Runs a fuzz target over files: those named, and all in the directories named. */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

static unsigned long ran;

static void run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    PROMISE(file);
    PROMISE(fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    PROMISE(size >= 0);
    rewind(file);
    /* Exactly as large as the file, so that reading one byte further is seen. */
    unsigned char *data = malloc(size ? (size_t)size : 1);
    PROMISE(data);
    PROMISE(fread(data, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    ran++;
}

static void run_path(const char *path)
{
    struct stat status;
    PROMISE(stat(path, &status) == 0);
    if (!S_ISDIR(status.st_mode)) {
        run_file(path);
        return;
    }
    DIR *listing = opendir(path);
    PROMISE(listing);
    for (struct dirent *entry; (entry = readdir(listing));) {
        char inner[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        run_path(inner);
    }
    closedir(listing);
}

int main(int count, char **arguments)
{
    for (int i = 1; i < count; i++) run_path(arguments[i]);
    printf("%lu files\n", ran);
    return ran ? 0 : 1; /* an empty corpus proves nothing */
}
