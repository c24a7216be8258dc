/* Any bytes as a list of studies: it is read or refused, and what is read can become files and folders safely. */
#include "fuzz/fuzz.h"

#include "study/study.h"

#include <string.h>

static void check_entry(const study_entry *entry, size_t size)
{
    PROMISE(*entry->name && !strpbrk(entry->name, "/ \t\n") && entry->name[0] != '.' && entry->name[0] != '-');
    PROMISE(*entry->file && entry->file[0] != '/' && strcmp(entry->file, "..") != 0 &&
            !strstr(entry->file, "/../"));
    PROMISE(strcmp(entry->when, "always") == 0 || strcmp(entry->when, "named") == 0);
    PROMISE(*entry->words && strlen(entry->title) <= size && strlen(entry->words) <= size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 65536) return 0;
    study_list list;
    scadyg_error error = {0};
    int status = study_list_parse("fuzz", (const char *)data, size, &list, &error);
    if (status) {
        PROMISE(status == SCADYG_E_INPUT && strncmp(error.message, "fuzz", 4) == 0 && !list.text && !list.entries);
        return 0;
    }
    PROMISE(list.count > 0);
    for (size_t i = 0; i < list.count; i++) check_entry(&list.entries[i], size);
    study_list_free(&list);
    return 0;
}
