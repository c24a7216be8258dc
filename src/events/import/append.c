/*
 * Append: an import of an events file and what comes behind it, in the place of the events file.
 *
 * Whoever has the old file open goes on with it: the new one is another file of its name. Two that append at the same time
 * would lose what one of them adds, so the file is locked; a lock vanishes with its process.
 */
#include "events/import/import.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The file, locked ---- */

static int fail_replaced(const char *path, scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_CHANGED, "%s was replaced meanwhile; nothing was added: run this again", path);
}

/* Whether the file of this name is the one that is open. */
static int is_same_file(int fd, const char *path)
{
    struct stat open_one, named;
    return fstat(fd, &open_one) == 0 && stat(path, &named) == 0 && open_one.st_dev == named.st_dev &&
           open_one.st_ino == named.st_ino;
}

/* A system that has no locks goes without. */
static int lock_file(const char *path, int *fd, scadyg_error *error)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0) return sg_fail_system(error, errno, "cannot open %s", path);
    if (flock(*fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return sg_fail(error, SCADYG_E_IO, "another process is appending to %s; run this again when it is done",
                       path);
    return is_same_file(*fd, path) ? SCADYG_OK : fail_replaced(path, error);
}

/* It would have all its events twice. */
static int check_others(int fd, const char *path, const char *const *files, size_t count, scadyg_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (is_same_file(fd, files[i]))
            return sg_fail(error, SCADYG_E_USAGE, "%s cannot be appended to itself", path);
    return SCADYG_OK;
}

int sg_append_check(const sg_importer *importer, scadyg_error *error)
{
    const char *path = importer->job->sources[0].path;
    const int fd = importer->base.events->mapping.fd;
    if (!importer->job->output || fd < 0 || is_same_file(fd, path)) return SCADYG_OK;
    return fail_replaced(path, error);
}

/* ---- Whether what is appended was appended before ---- */

static uint64_t pair_of(uint32_t src, uint32_t dst)
{
    return (uint64_t)src << 32 | dst;
}

static int compare_pairs(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

int sg_again_keep(sg_again *again, uint32_t src, uint32_t dst)
{
    if (sg_grow(&again->pairs, &again->room, again->count + 1, sizeof *again->pairs)) return -1;
    again->pairs[again->count++] = pair_of(src, dst);
    return 0;
}

void sg_again_ask(sg_again *again, uint32_t src, uint32_t dst, int is_newest)
{
    const uint64_t pair = pair_of(src, dst);
    again->rows++;
    if (!is_newest || !again->count) return;
    if (!again->is_sorted) qsort(again->pairs, again->count, sizeof *again->pairs, compare_pairs);
    again->is_sorted = 1;
    again->found += bsearch(&pair, again->pairs, again->count, sizeof pair, compare_pairs) != NULL;
}

/* ---- The whole ---- */

int sg_append(scadyg_context *context, const char *events, const char *const *files, size_t file_count, int dry_run,
              const sg_import_options *options, scadyg_import_report **report, scadyg_error *error)
{
    int fd = -1;
    if (file_count == 0) return sg_fail(error, SCADYG_E_USAGE, "no file to append");
    sg_input_source *sources = sg_alloc_zero(file_count + 1, sizeof *sources);
    if (!sources) return sg_fail_memory(error, "file names");
    sources[0].path = events;
    for (size_t i = 0; i < file_count; i++) sources[i + 1].path = files[i];
    const sg_import_job job = {
        .sources = sources, .count = file_count + 1, .append = 1, .output = dry_run ? NULL : events};
    int status = dry_run ? SCADYG_OK : lock_file(events, &fd, error);
    if (!status && fd >= 0) status = check_others(fd, events, files, file_count, error);
    if (!status) status = sg_import_run(context, &job, options, report, error);
    if (fd >= 0) close(fd);
    free(sources);
    return status;
}

int scadyg_append(scadyg_context *context, const char *events, const char *const *files, size_t file_count,
                  int dry_run, const scadyg_options *options, scadyg_import_report **report, scadyg_error *error)
{
    sg_import_options values;
    int status = sg_options_values(options, &sg_append_set, &values, error);
    return status ? status : sg_append(context, events, files, file_count, dry_run, &values, report, error);
}
