/* Files beside a log: feature matrices that belong to it by their names. */
#include "events/import/beside.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The length of a path without an ending it may have. */
static size_t without(const char *path, size_t length, const char *ending)
{
    size_t size = strlen(ending);
    return length > size && memcmp(path + length - size, ending, size) == 0 ? length - size : length;
}

int sg_find_beside(const char *path, const char *ending, char **found)
{
    static const char *const packings[] = {"", ".gz", ".zst"};
    static const char *const kinds[] = {".csv", ".tsv", ".txt"};
    *found = NULL;
    size_t stem = strlen(path);
    for (size_t i = 1; i < 3; i++) stem = without(path, stem, packings[i]);
    for (size_t i = 0; i < 3; i++) stem = without(path, stem, kinds[i]);
    size_t size = stem + strlen(ending) + 8;
    char *name = sg_alloc(size, 1);
    if (!name) return -1;
    for (size_t i = 0; i < 3; i++) {
        snprintf(name, size, "%.*s%s%s", (int)stem, path, ending, packings[i]);
        if (strcmp(name, path) != 0 && access(name, F_OK) == 0) {
            *found = name;
            return 0;
        }
    }
    free(name);
    return 0;
}
