/* Input: the bytes of a plain, gzip or zstd file or of standard input, their lines, and files beside a log. */
#include "events/import/input.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define RAW_SIZE ((size_t)256 << 10)
#define CODED_SIZE ((size_t)32 << 10)
#define DECODED_SIZE (3 * CODED_SIZE) /* no byte becomes more than three */
#define LINES_SIZE ((size_t)64 << 10) /* SG_LINE_LONGEST is this doubled a few times */

enum encoding { PLAIN, GZIP, ZSTD };

struct sg_input {
    int fd;
    char *name;
    enum encoding encoding;
    sg_file_state state;      /* of a regular file, as it was opened; of memory its size */
    atomic_ullong position;   /* read by the thread that shows progress */
    unsigned char *buffer;    /* of a file */
    const unsigned char *raw; /* bytes not yet handed on: the buffer, or the memory itself */
    size_t begin, end;
    int file_ended;
    int may_wait; /* not a regular file */
    int detected; /* the encoding is known */
    sg_waiting *waiting;
    void *waiting_data;
    int in_member; /* inside a gzip member or a zstd frame */
    z_stream zlib;
    int zlib_open;
    ZSTD_DStream *zstd;
    uint64_t bound;                    /* of what unpacking holds */
    atomic_ullong holds;               /* bytes, told to other threads than the one that reads */
    int told_text, text;               /* SG_TEXT_...; AUTO: not known yet */
    unsigned char first[SG_TEXT_MARK]; /* the first bytes of the text: looked at, and not yet handed on */
    size_t first_begin, first_end;
    unsigned char *coded, *decoded; /* NULL: the text is as it is */
    size_t coded_end, decoded_begin, decoded_end;
    int coded_ended;
};

void sg_input_watch(sg_input *input, sg_waiting *waiting, void *data)
{
    input->waiting = waiting;
    input->waiting_data = data;
}

/* Until there is something to read, or its end. */
static int wait_for_bytes(sg_input *input, scadyg_error *error)
{
    struct pollfd ready = {.fd = input->fd, .events = POLLIN};
    while (input->may_wait && input->waiting && poll(&ready, 1, 100) <= 0) {
        int status = input->waiting(input->waiting_data, error);
        if (status) return status;
    }
    return SCADYG_OK;
}

/* The file's next bytes, at least one except at its end, where *got is 0. */
static int read_some(sg_input *input, void *buffer, size_t size, size_t *got, scadyg_error *error)
{
    if (!input->buffer) { /* of memory all was there from the beginning */
        *got = 0;
        input->file_ended = 1;
        return SCADYG_OK;
    }
    for (;;) {
        int status = wait_for_bytes(input, error);
        if (status) return status;
        ssize_t bytes = read(input->fd, buffer, size);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes < 0) return sg_fail_system(error, errno, "cannot read %s", input->name);
        *got = (size_t)bytes;
        input->file_ended = bytes == 0;
        atomic_fetch_add(&input->position, (unsigned long long)bytes);
        return SCADYG_OK;
    }
}

static int fill_raw(sg_input *input, scadyg_error *error)
{
    if (input->begin < input->end || input->file_ended) return SCADYG_OK;
    input->begin = input->end = 0;
    return read_some(input, input->buffer, RAW_SIZE, &input->end, error);
}

/* The first bytes decide; a short file is filled up so that a pipe's small pieces do not mislead. */
static int detect_encoding(sg_input *input, scadyg_error *error)
{
    while (input->buffer && input->end < 4 && !input->file_ended) {
        size_t got = 0;
        int status = read_some(input, input->buffer + input->end, RAW_SIZE - input->end, &got, error);
        if (status) return status;
        input->end += got;
    }
    input->detected = 1;
    static const unsigned char gzip[] = {0x1f, 0x8b}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    if (input->end >= 2 && memcmp(input->raw, gzip, 2) == 0) {
        input->encoding = GZIP;
        input->in_member = 1;
        if (inflateInit2(&input->zlib, 15 + 16) != Z_OK) return sg_fail_memory(error, "gzip");
        input->zlib_open = 1;
    } else if (input->end >= 4 && memcmp(input->raw, zstd, 4) == 0) {
        input->encoding = ZSTD;
        input->in_member = 1;
        input->zstd = ZSTD_createDStream();
        if (!input->zstd) return sg_fail_memory(error, "zstd");
        return sg_input_bound(input, input->bound, error);
    }
    return SCADYG_OK;
}

/* The file behind a path. */
static int open_file(sg_input *input, const char *path, int is_stdin, scadyg_error *error)
{
    input->buffer = sg_alloc(RAW_SIZE, 1);
    if (!input->buffer) return sg_fail_memory(error, "an input file");
    input->raw = input->buffer;
    input->fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (input->fd < 0) return sg_fail_system(error, errno, "cannot open %s", input->name);
    struct stat facts;
    if (fstat(input->fd, &facts) != 0) return sg_fail_system(error, errno, "cannot read %s", input->name);
    if (S_ISDIR(facts.st_mode)) return sg_fail(error, SCADYG_E_IO, "%s is a directory, not a file", input->name);
    if (S_ISREG(facts.st_mode)) input->state = sg_file_state_of(&facts);
    input->may_wait = !S_ISREG(facts.st_mode);
    return SCADYG_OK;
}

int sg_input_open_source(sg_input **out, const sg_input_source *source, scadyg_error *error)
{
    const int is_stdin = !source->data && strcmp(source->path, "-") == 0;
    sg_input *input = sg_alloc_zero(1, sizeof *input);
    if (!input) return sg_fail_memory(error, "an input file");
    input->fd = -1;
    input->bound = (uint64_t)1 << 27;
    input->name = strdup(is_stdin ? "standard input" : source->path);
    int status = input->name ? SCADYG_OK : sg_fail_memory(error, "an input file");
    if (!status && source->data) {
        input->raw = source->data;
        input->end = input->state.size = source->size;
        input->file_ended = source->size == 0;
        atomic_store(&input->position, source->size);
    } else if (!status) {
        status = open_file(input, source->path, is_stdin, error);
    }
    /* Standard input may keep us waiting, so it is looked at only when it is read. */
    if (!status && !is_stdin) status = detect_encoding(input, error);
    if (status) {
        sg_input_close(input);
        return status;
    }
    *out = input;
    return SCADYG_OK;
}

int sg_input_open(sg_input **input, const char *path, scadyg_error *error)
{
    return sg_input_open_source(input, &(sg_input_source){.path = path}, error);
}

void sg_input_close(sg_input *input)
{
    if (!input) return;
    if (input->fd >= 0) close(input->fd);
    if (input->zlib_open) inflateEnd(&input->zlib);
    ZSTD_freeDStream(input->zstd);
    SG_FREE(input->buffer, input->coded, input->decoded, input->name, input);
}

int sg_input_bound(sg_input *input, uint64_t bytes, scadyg_error *error)
{
    const ZSTD_bounds logs = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
    int log = logs.lowerBound;
    while (log < logs.upperBound && (uint64_t)2 << log <= bytes) log++;
    input->bound = (uint64_t)1 << log;
    if (input->zstd && ZSTD_isError(ZSTD_DCtx_setParameter(input->zstd, ZSTD_d_windowLogMax, log)))
        return sg_fail_memory(error, "zstd");
    return SCADYG_OK;
}

uint64_t sg_input_bytes(const sg_input *input)
{
    return atomic_load(&input->holds);
}

/* After each read: how much zstd needs turns out with the first. */
static void count_held(sg_input *input)
{
    const uint64_t zlib = input->zlib_open ? (uint64_t)48 << 10 : 0; /* its window of 32 KiB, its tables */
    atomic_store(&input->holds, (input->buffer ? RAW_SIZE : 0) + (input->coded ? CODED_SIZE + DECODED_SIZE : 0) +
                                    zlib + ZSTD_sizeof_DStream(input->zstd));
}

static int read_plain(sg_input *input, unsigned char *buffer, size_t size, size_t *got, scadyg_error *error)
{
    size_t have = input->end - input->begin;
    if (have > size) have = size;
    if (have) memcpy(buffer, input->raw + input->begin, have);
    input->begin += have;
    /* The rest straight into the caller's buffer. */
    while (have < size && !input->file_ended) {
        size_t more = 0;
        int status = read_some(input, buffer + have, size - have, &more, error);
        if (status) return status;
        have += more;
    }
    *got = have;
    return SCADYG_OK;
}

/* Behind a gzip member: another one, padding zeros, or the end. Returns 1 to go on, 0 at the end, -1 for rubbish. */
static int begin_member(sg_input *input)
{
    while (input->begin < input->end && input->raw[input->begin] == 0) input->begin++;
    if (input->begin == input->end) return input->file_ended ? 0 : 1;
    if (input->raw[input->begin] != 0x1f) return -1;
    inflateReset(&input->zlib);
    input->in_member = 1;
    return 1;
}

static int read_gzip(sg_input *input, unsigned char *buffer, size_t size, size_t *got, scadyg_error *error)
{
    z_stream *z = &input->zlib;
    size_t have = 0;
    while (have < size) {
        int status = fill_raw(input, error);
        if (status) return status;
        if (!input->in_member) {
            int next = begin_member(input);
            if (next == 0) break;
            if (next < 0)
                return sg_fail(error, SCADYG_E_IO, "%s: something other than gzip data follows the gzip data",
                               input->name);
            if (!input->in_member) continue;
        }
        if (input->file_ended)
            return sg_fail(error, SCADYG_E_IO, "%s is a truncated gzip file: it ends in the middle of its data",
                           input->name);
        size_t room = size - have < ((size_t)1 << 30) ? size - have : (size_t)1 << 30;
        z->next_in = (unsigned char *)(uintptr_t)(input->raw + input->begin); /* zlib does not write there */
        z->avail_in = (uInt)(input->end - input->begin);
        z->next_out = buffer + have;
        z->avail_out = (uInt)room;
        int result = inflate(z, Z_NO_FLUSH);
        input->begin = input->end - z->avail_in;
        have += room - z->avail_out;
        if (result == Z_STREAM_END)
            input->in_member = 0;
        else if (result == Z_MEM_ERROR)
            return sg_fail_memory(error, "gzip");
        else if (result != Z_OK && result != Z_BUF_ERROR)
            return sg_fail(error, SCADYG_E_IO, "%s has damaged gzip data", input->name);
    }
    *got = have;
    return SCADYG_OK;
}

static int read_zstd(sg_input *input, unsigned char *buffer, size_t size, size_t *got, scadyg_error *error)
{
    size_t have = 0;
    while (have < size) {
        int status = fill_raw(input, error);
        if (status) return status;
        if (input->file_ended && !input->in_member) break;
        ZSTD_inBuffer in = {input->raw, input->end, input->begin};
        ZSTD_outBuffer out = {buffer, size, have};
        size_t result = ZSTD_decompressStream(input->zstd, &out, &in);
        if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge)
            return sg_fail(error, SCADYG_E_MEMORY,
                           "%s was packed with a window of more than %llu KiB, which is all there is memory for: "
                           "allow more, or unpack it before",
                           input->name, (unsigned long long)(input->bound >> 10));
        /* What zstd says of it depends on how much room there was for the result. */
        if (ZSTD_isError(result)) return sg_fail(error, SCADYG_E_IO, "%s has damaged zstd data", input->name);
        int stuck = in.pos == input->begin && out.pos == have;
        input->begin = in.pos;
        have = out.pos;
        input->in_member = result != 0;
        if (input->file_ended && stuck && input->in_member)
            return sg_fail(error, SCADYG_E_IO, "%s is a truncated zstd file: it ends in the middle of its data",
                           input->name);
    }
    *got = have;
    return SCADYG_OK;
}

static int read_unpacked(sg_input *input, void *buffer, size_t size, size_t *got, scadyg_error *error)
{
    switch (input->encoding) {
    case GZIP: return read_gzip(input, buffer, size, got, error);
    case ZSTD: return read_zstd(input, buffer, size, got, error);
    default: return read_plain(input, buffer, size, got, error);
    }
}

/* ---- The text ---- */

void sg_input_tell_encoding(sg_input *input, int encoding)
{
    input->told_text = encoding;
}

const char *sg_input_text(const sg_input *input)
{
    return sg_text_encoding_name(input->text);
}

/* The first bytes say how the text is encoded, unless that is told. */
static int detect_text(sg_input *input, scadyg_error *error)
{
    size_t mark;
    int status = read_unpacked(input, input->first, sizeof input->first, &input->first_end, error);
    if (status) return status;
    input->text = sg_text_encoding(input->told_text, input->first, input->first_end, &mark);
    input->first_begin = mark;
    if (!sg_text_encoding_name(input->text)) return SCADYG_OK;
    const int failed = SG_ALLOC(SG_ARRAY(input->coded, CODED_SIZE), SG_ARRAY(input->decoded, DECODED_SIZE));
    return failed ? sg_fail_memory(error, "decoding text") : SCADYG_OK;
}

/* Bytes as they are in the file but for packing: first those that have been looked at. */
static int read_bytes(sg_input *input, unsigned char *buffer, size_t size, size_t *got, scadyg_error *error)
{
    size_t have = input->first_end - input->first_begin;
    if (have > size) have = size;
    if (have) memcpy(buffer, input->first + input->first_begin, have);
    input->first_begin += have;
    int status = read_unpacked(input, buffer + have, size - have, got, error);
    *got += have;
    return status;
}

/* Decodes some more; at the end there is nothing. */
static int decode_some(sg_input *input, scadyg_error *error)
{
    size_t got = 0, used = 0;
    const size_t room = CODED_SIZE - input->coded_end;
    int status =
        input->coded_ended ? SCADYG_OK : read_bytes(input, input->coded + input->coded_end, room, &got, error);
    if (status) return status;
    input->coded_ended = got < room;
    input->coded_end += got;
    input->decoded_begin = 0;
    input->decoded_end =
        sg_text_decode(input->text, input->coded, input->coded_end, &used, input->decoded, DECODED_SIZE);
    input->coded_end -= used;
    memmove(input->coded, input->coded + used, input->coded_end);
    if (input->coded_ended && input->coded_end)
        return sg_fail(error, SCADYG_E_INPUT, "%s ends in the middle of a letter of UTF-16", input->name);
    return SCADYG_OK;
}

static int read_text(sg_input *input, unsigned char *buffer, size_t size, size_t *got, scadyg_error *error)
{
    int status = input->text ? SCADYG_OK : detect_text(input, error);
    if (status || !input->coded) return status ? status : read_bytes(input, buffer, size, got, error);
    while (*got < size) {
        if (input->decoded_begin == input->decoded_end) status = decode_some(input, error);
        size_t have = input->decoded_end - input->decoded_begin;
        if (status || !have) return status;
        if (have > size - *got) have = size - *got;
        memcpy(buffer + *got, input->decoded + input->decoded_begin, have);
        input->decoded_begin += have;
        *got += have;
    }
    return SCADYG_OK;
}

/* A file that changes while it is read may be cut off in the middle of a line, or be a mixture of two. */
int sg_input_read(sg_input *input, void *buffer, size_t size, size_t *got, scadyg_error *error)
{
    *got = 0;
    int status = input->detected ? SCADYG_OK : detect_encoding(input, error);
    if (!status) status = read_text(input, buffer, size, got, error);
    count_held(input);
    if (!input->buffer || input->may_wait || status == SCADYG_E_CANCELLED) return status;
    int changed = sg_file_check(input->fd, &input->state, input->name, error);
    return changed ? changed : status;
}

uint64_t sg_input_position(const sg_input *input)
{
    return atomic_load(&input->position);
}

uint64_t sg_input_size(const sg_input *input)
{
    return input->state.size;
}

const char *sg_input_encoding(const sg_input *input)
{
    static const char *const names[] = {"plain", "gzip", "zstd"};
    return names[input->encoding];
}

const char *sg_input_name(const sg_input *input)
{
    return input->name;
}

/* ---- Lines ---- */

/* The buffer grows with the longest line: most tables have short ones. */
static int grow_lines(char **buffer, size_t *capacity, scadyg_error *error)
{
    const size_t wanted = *capacity ? 2 * *capacity : LINES_SIZE;
    char *grown = realloc(*buffer, wanted + 1); /* one more: the byte behind the last line */
    if (!grown) return sg_fail_memory(error, "a table");
    *buffer = grown;
    *capacity = wanted;
    return SCADYG_OK;
}

int sg_lines_read(sg_input *input, sg_take_line *take, void *data, scadyg_error *error)
{
    char *buffer = NULL;
    size_t have = 0, capacity = 0;
    uint64_t number = 0;
    int ended = 0, status = grow_lines(&buffer, &capacity, error);
    while (!status && !ended) {
        size_t got = 0, at = 0;
        status = sg_input_read(input, buffer + have, capacity - have, &got, error);
        ended = got < capacity - have;
        have += got;
        if (number == 0 && have >= 3 && memcmp(buffer, "\xEF\xBB\xBF", 3) == 0) at = 3;
        const size_t begin = at;
        while (!status && at < have) {
            const char *newline = memchr(buffer + at, '\n', have - at);
            if (!newline && !ended) break;
            size_t end = newline ? (size_t)(newline - buffer) : have, length = end - at;
            if (length && buffer[end - 1] == '\r') length--;
            status = take(data, buffer + at, length, ++number, error);
            at = end + (newline != NULL);
        }
        if (at == begin) at = 0; /* the mark stays until a line has been taken */
        if (!status && !ended && at == 0 && capacity == SG_LINE_LONGEST)
            status = sg_fail(error, SCADYG_E_INPUT, "%s:%llu:1: the line is too long", sg_input_name(input),
                             (unsigned long long)number + 1);
        else if (!status && !ended && at == 0)
            status = grow_lines(&buffer, &capacity, error);
        memmove(buffer, buffer + at, have - at);
        have -= at;
    }
    free(buffer);
    return status;
}

/* ---- Files beside a log ---- */

/* The length of a path without an ending it may have. */
static size_t length_without(const char *path, size_t length, const char *ending)
{
    size_t size = strlen(ending);
    return length > size && memcmp(path + length - size, ending, size) == 0 ? length - size : length;
}

int sg_find_beside(const char *path, const char *ending, char **found, scadyg_error *error)
{
    static const char *const packings[] = {"", ".gz", ".zst"};
    static const char *const kinds[] = {".csv", ".tsv", ".txt"};
    *found = NULL;
    size_t stem = strlen(path);
    for (size_t i = 1; i < 3; i++) stem = length_without(path, stem, packings[i]);
    for (size_t i = 0; i < 3; i++) stem = length_without(path, stem, kinds[i]);
    size_t size = stem + strlen(ending) + 8;
    char *name = sg_alloc(size, 1);
    if (!name) return sg_fail_memory(error, "file names");
    for (size_t i = 0; i < 3; i++) {
        snprintf(name, size, "%.*s%s%s", (int)stem, path, ending, packings[i]);
        if (strcmp(name, path) != 0 && sg_exists(name)) {
            *found = name;
            return SCADYG_OK;
        }
    }
    free(name);
    return SCADYG_OK;
}
