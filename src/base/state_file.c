/* State files. */
#include "base/state_file.h"

#include "base/crc32c.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "state files are written as numbers lie in memory, so the machine must be little-endian"
#endif

#define MAGIC "SCADYGST"

/* ---- Listing ---- */

void sg_state_begin(sg_state_writer *w, uint32_t kind)
{
    if (w->sections == SG_STATE_SECTIONS) {
        w->failed = 1;
        return;
    }
    w->first[w->sections] = w->count;
    w->table[w->sections++] = (sg_state_section){.kind = kind};
    w->first[w->sections] = w->count;
}

void sg_state_put(sg_state_writer *w, const void *data, uint64_t size)
{
    if (w->failed || !size) return;
    if (sg_grow(&w->pieces, &w->room, w->count + 1, sizeof *w->pieces)) {
        w->failed = 1;
        return;
    }
    w->pieces[w->count++] = (sg_state_piece){data, size};
    w->first[w->sections] = w->count;
    w->table[w->sections - 1].size += size;
}

void sg_state_copy(sg_state_writer *w, const void *data, size_t size)
{
    void *copy = size ? sg_alloc(size, 1) : NULL;
    if (!size) return;
    if (!copy || sg_grow(&w->copies, &w->copy_room, w->copied + 1, sizeof *w->copies)) {
        free(copy);
        w->failed = 1;
        return;
    }
    memcpy(copy, data, size);
    w->copies[w->copied++] = copy;
    sg_state_put(w, copy, size);
}

void sg_state_writer_close(sg_state_writer *w)
{
    for (size_t i = 0; i < w->copied; i++) free(w->copies[i]);
    SG_FREE(w->copies, w->pieces);
    *w = (sg_state_writer){0};
}

int sg_state_listed(const sg_state_writer *w, scadyg_error *error)
{
    return w->failed ? sg_fail_memory(error, "a snapshot") : SCADYG_OK;
}

static uint64_t round_up(uint64_t size)
{
    return (size + SG_STATE_PAGE - 1) / SG_STATE_PAGE * SG_STATE_PAGE;
}

static uint64_t table_end(uint32_t sections)
{
    return sizeof(sg_state_header) + sections * sizeof(sg_state_section);
}

uint64_t sg_state_size(const sg_state_writer *w)
{
    uint64_t at = table_end(w->sections);
    for (uint32_t i = 0; i < w->sections; i++) at = round_up(at) + w->table[i].size;
    return at;
}

/* ---- Writing ---- */

static int write_all(int fd, uint64_t offset, const void *data, uint64_t size)
{
    const unsigned char *p = data;
    while (size) {
        const ssize_t done = pwrite(fd, p, size < (1u << 30) ? size : 1u << 30, (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return done < 0 ? errno : ENOSPC;
        p += done;
        offset += (uint64_t)done;
        size -= (uint64_t)done;
    }
    return 0;
}

/* In turns, so that what is summed is still in the cache when it is written. */
static int write_summed(int fd, uint64_t offset, const sg_state_piece *piece, uint32_t *crc)
{
    const uint64_t turn = (uint64_t)1 << 18;
    const unsigned char *data = piece->data;
    for (uint64_t at = 0; at < piece->size; at += turn) {
        const uint64_t size = piece->size - at < turn ? piece->size - at : turn;
        *crc = sg_crc32c(*crc, data + at, (size_t)size);
        const int reason = write_all(fd, offset + at, data + at, size);
        if (reason) return reason;
    }
    return 0;
}

int sg_state_write(sg_state_writer *w, uint32_t model, int fd)
{
    sg_state_header header = {
        .version = SG_STATE_VERSION, .sections = w->sections, .file_size = sg_state_size(w), .model = model};
    uint64_t at = table_end(w->sections);
    memcpy(header.magic, MAGIC, sizeof header.magic);
    for (uint32_t i = 0; i < w->sections; i++) {
        sg_state_section *section = &w->table[i];
        section->offset = at = round_up(at);
        section->crc = 0;
        for (size_t k = w->first[i]; k < w->first[i + 1]; k++) {
            const int reason = write_summed(fd, at, &w->pieces[k], &section->crc);
            if (reason) return reason;
            at += w->pieces[k].size;
        }
    }
    const size_t table = w->sections * sizeof *w->table;
    header.crc = sg_crc32c(sg_crc32c(0, &header, sizeof header), w->table, table);
    int reason = write_all(fd, sizeof header, w->table, table);
    if (!reason && ftruncate(fd, (off_t)header.file_size)) reason = errno; /* an empty section at the end */
    if (!reason) reason = write_all(fd, 0, &header, sizeof header);
    return reason;
}

int sg_state_is_written(int fd)
{
    sg_state_header header;
    struct stat facts;
    return pread(fd, &header, sizeof header, 0) == sizeof header && memcmp(header.magic, MAGIC, 8) == 0 &&
           fstat(fd, &facts) == 0 && (uint64_t)facts.st_size == header.file_size;
}

/*
 * Owner and group are those of the other file where the system lets us. Where the group is another one, it and everybody may do
 * what both might. A failure is one of a file system without permissions, or the file is not ours, which then nobody made so.
 */
static void hide_like(int fd, int like)
{
    struct stat own, other;
    if (like < 0 || fstat(fd, &own) != 0 || fstat(like, &other) != 0) return;
    mode_t mode = own.st_mode & (other.st_mode | 0200) & 0755;
    const mode_t both = mode & mode >> 3 & 07;
    if (fchown(fd, other.st_uid, other.st_gid) != 0 && own.st_gid != other.st_gid &&
        fchown(fd, (uid_t)-1, other.st_gid) != 0)
        mode = (mode & 0700) | both << 3 | both;
    (void)fchmod(fd, mode);
}

int sg_state_save(sg_state_writer *w, uint32_t model, const char *path, int like, scadyg_error *error)
{
    sg_output output;
    int status = sg_state_listed(w, error);
    if (!status) status = sg_output_open(&output, path, error);
    if (status) return status;
    hide_like(output.fd, like);
    const int reason = sg_state_write(w, model, output.fd);
    status = reason ? sg_fail_system(error, reason, "cannot write %s", path) : sg_output_commit(&output, error);
    sg_output_abandon(&output);
    return status;
}

/* ---- Reading ---- */

int sg_state_bad(const sg_state_reader *r, const char *reason, scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: %s", r->path, reason);
}

static int check_sections(const sg_state_reader *r, scadyg_error *error)
{
    uint64_t before = table_end(r->sections);
    for (uint32_t i = 0; i < r->sections; i++) {
        const sg_state_section *section = &r->table[i];
        uint64_t end;
        for (uint32_t k = 0; k < i; k++)
            if (r->table[k].kind == section->kind) return sg_state_bad(r, "a section occurs twice", error);
        if (section->offset % SG_STATE_PAGE || section->offset < before ||
            __builtin_add_overflow(section->offset, section->size, &end) || end > r->size)
            return sg_state_bad(r, "a section lies outside the file", error);
        before = end;
    }
    return SCADYG_OK;
}

static int check_header(sg_state_reader *r, scadyg_error *error)
{
    sg_state_header header;
    if (r->size < 8 || memcmp(r->data, MAGIC, 8) != 0)
        return sg_fail(error, SCADYG_E_FORMAT, "%s is not a state file", r->path);
    if (r->size < sizeof header) return sg_state_bad(r, "the header is cut off", error);
    memcpy(&header, r->data, sizeof header);
    if (header.version > SG_STATE_VERSION)
        return sg_fail(error, SCADYG_E_VERSION, "%s has format version %u; this program reads up to version %u",
                       r->path, header.version, SG_STATE_VERSION);
    if (header.version == 0) return sg_state_bad(r, "format version 0", error);
    if (header.sections > SG_STATE_SECTIONS) return sg_state_bad(r, "too many sections", error);
    if (table_end(header.sections) > r->size) return sg_state_bad(r, "the section table is cut off", error);
    const uint32_t crc = header.crc;
    header.crc = 0;
    r->sections = header.sections;
    r->table = (const sg_state_section *)(const void *)(r->data + sizeof header);
    if (sg_crc32c(sg_crc32c(0, &header, sizeof header), r->table, r->sections * sizeof *r->table) != crc)
        return sg_state_bad(r, "the header's checksum is wrong", error);
    if (header.file_size != r->size)
        return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: it has %zu bytes where %llu were written", r->path,
                       r->size, (unsigned long long)header.file_size);
    r->model = header.model;
    return check_sections(r, error);
}

static int map_privately(sg_state_reader *r, scadyg_error *error)
{
    struct stat facts;
    const int fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return sg_fail_system(error, errno, "cannot open %s", r->path);
    int status = SCADYG_OK;
    if (fstat(fd, &facts) != 0)
        status = sg_fail_system(error, errno, "cannot read %s", r->path);
    else if (!S_ISREG(facts.st_mode))
        status = sg_fail(error, SCADYG_E_IO, "cannot read %s: not a regular file", r->path);
    else if (facts.st_size == 0)
        status = sg_fail(error, SCADYG_E_FORMAT, "%s is not a state file", r->path);
    if (!status) {
        r->owner = (uint32_t)facts.st_uid;
        r->permissions = (uint32_t)facts.st_mode & 0777;
        void *data = mmap(NULL, (size_t)facts.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED)
            status = sg_fail_system(error, errno, "cannot map %s", r->path);
        else
            r->data = data, r->size = (size_t)facts.st_size;
    }
    close(fd);
    return status;
}

int sg_state_look(sg_state_reader *r, const char *path, scadyg_error *error)
{
    *r = (sg_state_reader){.path = strdup(path)};
    int status = r->path ? SCADYG_OK : sg_fail_memory(error, "a file name");
    if (!status) status = map_privately(r, error);
    return status ? status : check_header(r, error);
}

/* By its first bytes: 1 as ours, also where they end early; 0 not; -1 with errno: they cannot be read. */
static int begins_as_ours(const char *path)
{
    char begin[8];
    struct stat facts;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return -1;
    ssize_t length = fstat(fd, &facts);
    if (length == 0 && !S_ISREG(facts.st_mode)) {
        close(fd);
        return 0;
    }
    if (length == 0) length = pread(fd, begin, sizeof begin, 0);
    const int reason = errno;
    close(fd);
    errno = reason;
    return length < 0 ? -1 : memcmp(begin, MAGIC, (size_t)length) == 0;
}

int sg_state_may_replace(const char *path, scadyg_error *error)
{
    struct stat facts;
    if (lstat(path, &facts) != 0 && errno == ENOENT) return SCADYG_OK;
    const int ours = begins_as_ours(path);
    if (ours > 0) return SCADYG_OK;
    if (ours == 0)
        return sg_fail(error, SCADYG_E_USAGE, "%s is there and is not a state file; it is left as it is", path);
    return sg_fail_system(error, errno, "%s is left as it is, for it cannot be read", path);
}

int sg_state_verify(const sg_state_reader *r, scadyg_context *context, scadyg_error *error)
{
    for (uint32_t i = 0; i < r->sections; i++)
        if (sg_crc32c_parallel(context, r->data + r->table[i].offset, (size_t)r->table[i].size) != r->table[i].crc)
            return sg_state_bad(r, "the checksum of a section is wrong", error);
    return SCADYG_OK;
}

int sg_state_open(sg_state_reader *r, scadyg_context *context, const char *path, scadyg_error *error)
{
    int status = sg_state_look(r, path, error);
    return status ? status : sg_state_verify(r, context, error);
}

int sg_state_open_memory(sg_state_reader *r, void *data, size_t size, scadyg_error *error)
{
    *r = (sg_state_reader){.path = strdup("memory"), .data = data, .size = size, .borrowed = 1};
    int status = r->path ? SCADYG_OK : sg_fail_memory(error, "a file name");
    if (!status) status = check_header(r, error);
    return status ? status : sg_state_verify(r, NULL, error);
}

void sg_state_close(sg_state_reader *r)
{
    if (r->data && !r->borrowed) (void)munmap(r->data, r->size);
    SG_FREE(r->path);
    *r = (sg_state_reader){0};
}

void *sg_state_find(const sg_state_reader *r, uint32_t kind, uint64_t *size)
{
    *size = 0;
    for (uint32_t i = 0; i < r->sections; i++) {
        if (r->table[i].kind != kind) continue;
        *size = r->table[i].size;
        return r->data + r->table[i].offset;
    }
    return NULL;
}

int sg_state_take(const sg_state_reader *r, uint32_t kind, uint64_t size, void *data, scadyg_error *error)
{
    uint64_t has;
    void *found = sg_state_find(r, kind, &has);
    if (has != size) return sg_state_bad(r, "a section has the wrong size", error);
    memcpy(data, &found, sizeof found);
    return SCADYG_OK;
}

void sg_state_free(const sg_state_range *range, void *block)
{
    if (!sg_state_holds(range, block)) free(block);
}
