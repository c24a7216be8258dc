/*
 * A cache of an import: an events file that says in its header what it was made from. That is a digest of all files import
 * would read now, of its options and of this version; a cache with another one is not of these files as they are.
 */
#include "base/crc32c.h"
#include "base/memory.h"
#include "base/rng.h"
#include "events/file.h"
#include "events/import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EDGE ((size_t)64 << 10) /* bytes of each end of a file that are looked at */

/* ---- What import reads ---- */

/* Takes one input: `path` is NULL where a file would be read if it were there. */
typedef int take_input(void *data, const char *role, const char *path, scadyg_error *error);

/* A file beside the log: one that was asked for, else the one import would find, else none. */
static int tell_beside(const char *given, const char *log, const char *ending, take_input *take, void *data,
                       scadyg_error *error)
{
    char *found = NULL;
    if (given) return take(data, ending, given, error);
    int status = sg_find_beside(log, ending, &found, error);
    if (!status) status = take(data, ending, found, error);
    free(found);
    return status;
}

/* Whether a log has the columns that go with the .npy files is not known before it is read: they count in any case. */
static int tell_inputs(const char *const *files, size_t count, const sg_import_options *options, take_input *take,
                       void *data, scadyg_error *error)
{
    int status = SCADYG_OK;
    for (size_t i = 0; i < count && !status; i++) {
        status = take(data, "log", files[i], error);
        if (strcmp(files[i], "-") == 0) continue; /* nothing lies beside standard input */
        if (!status) status = tell_beside(options->edge_features, files[i], ".npy", take, data, error);
        if (!status) status = tell_beside(options->node_features, files[i], "_node.npy", take, data, error);
        if (!status) status = tell_beside(options->node_features, files[i], ".nodes.csv", take, data, error);
    }
    return status;
}

typedef struct listener {
    void (*input)(void *data, const char *path);
    void *data;
} listener;

static int tell_path(void *data, const char *role, const char *path, scadyg_error *error)
{
    const listener *to = data;
    (void)role, (void)error;
    if (path) to->input(to->data, path);
    return SCADYG_OK;
}

int scadyg_import_inputs(const char *const *files, size_t file_count, const scadyg_options *options,
                         void (*input)(void *data, const char *path), void *data, scadyg_error *error)
{
    sg_import_options values;
    listener to = {input, data};
    int status = sg_options_values(options, &sg_import_set, &values, error);
    return status ? status : tell_inputs(files, file_count, &values, tell_path, &to, error);
}

/* ---- The digest ---- */

typedef struct digest {
    uint64_t lanes[2];
} digest;

static void mix(digest *d, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, size - at < sizeof word ? size - at : sizeof word);
        d->lanes[0] = sg_hash64(d->lanes[0] ^ word);
        d->lanes[1] = sg_hash64(d->lanes[1] + word);
    }
    d->lanes[0] = sg_hash64(d->lanes[0] ^ size);
    d->lanes[1] = sg_hash64(d->lanes[1] + size);
}

static void mix_text(digest *d, const char *text)
{
    mix(d, text, strlen(text));
}

/* The checksum of a part of a file; one that has become shorter meanwhile is found out by its size. */
static int sum_part(int fd, off_t offset, size_t size, uint32_t *crc)
{
    unsigned char *buffer = sg_alloc(EDGE, 1);
    if (!buffer) return ENOMEM;
    size_t done = 0;
    ssize_t got = 1;
    while (done < size && got > 0) {
        got = pread(fd, buffer + done, size - done, offset + (off_t)done);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            done += (size_t)got;
    }
    const int reason = got < 0 ? errno : 0;
    *crc = sg_crc32c(0, buffer, done);
    free(buffer);
    return reason;
}

/*
 * What tells a file from what it was: its length, its times of change in nanoseconds (the second, of the inode, cannot be
 * set back), its inode, and checksums of its ends.
 */
static int mix_file(digest *d, int fd, const char *path, scadyg_error *error)
{
    struct stat facts;
    uint32_t ends[2] = {0, 0};
    if (fstat(fd, &facts) != 0) return sg_fail_system(error, errno, "cannot read %s", path);
    if (S_ISDIR(facts.st_mode)) return sg_fail(error, SCADYG_E_IO, "%s is a directory, not a file", path);
    if (!S_ISREG(facts.st_mode)) return sg_fail(error, SCADYG_E_IO, "cannot read %s: not a regular file", path);
    const uint64_t size = (uint64_t)facts.st_size, edge = size < EDGE ? size : EDGE;
    int reason = sum_part(fd, 0, (size_t)edge, &ends[0]);
    if (!reason) reason = sum_part(fd, (off_t)(size - edge), (size_t)edge, &ends[1]);
    if (reason) return sg_fail_system(error, reason, "cannot read %s", path);
    const int64_t numbers[] = {(int64_t)size,
                               facts.st_mtim.tv_sec,
                               facts.st_mtim.tv_nsec,
                               facts.st_ctim.tv_sec,
                               facts.st_ctim.tv_nsec,
                               (int64_t)facts.st_ino,
                               ends[0],
                               ends[1]};
    mix(d, numbers, sizeof numbers);
    return SCADYG_OK;
}

static int mix_input(void *data, const char *role, const char *path, scadyg_error *error)
{
    digest *d = data;
    mix_text(d, role);
    if (!path) {
        mix_text(d, "none");
        return SCADYG_OK;
    }
    if (strcmp(path, "-") == 0)
        return sg_fail(error, SCADYG_E_USAGE, "standard input cannot be read twice, so there is no cache of it");
    const char *slash = strrchr(path, '/'); /* ./log.csv is log.csv */
    mix_text(d, slash ? slash + 1 : path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* of a pipe too, which is refused below */
    if (fd < 0) return sg_fail_system(error, errno, "cannot open %s", path);
    int status = mix_file(d, fd, path, error);
    close(fd);
    return status;
}

static int mix_options(digest *d, const sg_import_options *options, scadyg_error *error)
{
    for (size_t i = 0; i < sg_import_set.count; i++) {
        const sg_option *option = &sg_import_set.table[i];
        const size_t size = sg_option_text(option, options, NULL, 0) + 1;
        char *text = sg_alloc(size, 1);
        if (!text) return sg_fail_memory(error, "the options");
        sg_option_text(option, options, text, size);
        mix_text(d, option->shown.name);
        mix_text(d, text);
        free(text);
    }
    return SCADYG_OK;
}

/* What an import of these would be made from now; never zeros, which say that nothing is known. */
static int find_origin(const char *const *files, size_t count, const sg_import_options *options,
                       uint64_t origin[SG_ORIGIN_WORDS], scadyg_error *error)
{
    digest d = {{1, 2}};
    const uint32_t format = SG_EVENTS_VERSION;
    mix_text(&d, scadyg_version());
    mix(&d, &format, sizeof format);
    int status = mix_options(&d, options, error);
    if (!status) status = tell_inputs(files, count, options, mix_input, &d, error);
    if (status) return status;
    origin[0] = d.lanes[0] ? d.lanes[0] : 1;
    origin[1] = d.lanes[1];
    return SCADYG_OK;
}

/* ---- The cache ---- */

static int is_of(const scadyg_events *events, const uint64_t origin[SG_ORIGIN_WORDS])
{
    return memcmp(events->origin, origin, sizeof events->origin) == 0;
}

/* A link or a pipe in its place was not made here. */
static int is_plain_file(const char *path)
{
    struct stat facts;
    return lstat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

int scadyg_cache_open(scadyg_context *context, const char *const *files, size_t file_count,
                      const scadyg_options *options, const char *cache, scadyg_events **out, scadyg_error *error)
{
    sg_import_options values;
    uint64_t origin[SG_ORIGIN_WORDS];
    scadyg_events *events = NULL;
    *out = NULL;
    int status = sg_options_values(options, &sg_import_set, &values, error);
    if (!status) status = find_origin(files, file_count, &values, origin, error);
    if (status) return status;
    if (!is_plain_file(cache) || scadyg_events_open(cache, &events, NULL)) return SCADYG_OK;
    /* All of it is verified, which it is on first use at the latest: a damaged cache is none. */
    scadyg_error reason = {0};
    const int good = is_of(events, origin) && !scadyg_events_verify(context, events, &reason);
    /* Messages name what the user has given. */
    char *name = good ? strdup(files[0]) : NULL;
    if (name) {
        free(events->path);
        events->path = name;
    }
    if (good)
        *out = events;
    else
        scadyg_events_close(events);
    return reason.status == SCADYG_E_CANCELLED ? sg_fail(error, reason.status, "%s", reason.message) : SCADYG_OK;
}

uint64_t scadyg_cache_bad_rows(const scadyg_events *events)
{
    return events->bad_rows;
}

/* Called when all is read, before the file gets its name. */
int sg_import_unchanged(const sg_importer *importer, scadyg_error *error)
{
    uint64_t origin[SG_ORIGIN_WORDS];
    const sg_import_options *options = importer->options;
    const sg_import_job *job = importer->job;
    const char **files = sg_alloc(job->count, sizeof *files);
    if (!files) return sg_fail_memory(error, "file names");
    for (size_t i = 0; i < job->count; i++) files[i] = job->sources[i].path;
    int status = find_origin(files, job->count, options, origin, error);
    free(files);
    if (status || memcmp(origin, options->origin, sizeof origin) == 0) return status;
    return sg_fail(
        error, SCADYG_E_IO,
        "%s, or a file that belongs to it, changed while it was being read; run this again, on a copy if it "
        "is still being written",
        job->sources[0].path);
}

int scadyg_cache_make(scadyg_context *context, const char *const *files, size_t file_count,
                      const scadyg_options *options, const char *cache, scadyg_import_report **report,
                      scadyg_error *error)
{
    sg_import_options values;
    int status = sg_options_values(options, &sg_import_set, &values, error);
    if (!status) status = find_origin(files, file_count, &values, values.origin, error);
    if (!status) status = sg_import(context, files, file_count, cache, &values, report, error);
    return status;
}
