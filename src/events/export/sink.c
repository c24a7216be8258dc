/* A text file on its way out. */
#include "events/export/sink.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PACKED ((size_t)1 << 18)
#define GZIP_LEVEL 6
#define ZSTD_LEVEL 3

static int ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), size = strlen(end);
    return length > size && strcmp(path + length - size, end) == 0;
}

int sg_sink_open(sg_sink *sink, const char *path, scadyg_error *error)
{
    *sink = (sg_sink){.output = {.fd = -1}, .to_stdout = strcmp(path, "-") == 0};
    if (sink->to_stdout) return SCADYG_OK;
    int status = sg_output_open(&sink->output, path, error);
    if (status) return status;
    int failed = 0, zstd = ends_in(path, ".zst");
    if (zstd || ends_in(path, ".gz")) {
        sink->packed = sg_alloc(PACKED, 1);
        failed = !sink->packed;
    }
    if (!failed && zstd) {
        sink->zstd = ZSTD_createCCtx();
        failed = !sink->zstd ||
                 ZSTD_isError(ZSTD_CCtx_setParameter(sink->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) ||
                 ZSTD_isError(ZSTD_CCtx_setParameter(sink->zstd, ZSTD_c_checksumFlag, 1));
    } else if (!failed && sink->packed) {
        /* 15 + 16: the largest window, with a gzip header */
        failed = deflateInit2(&sink->deflate, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK;
        sink->gzip = !failed;
    }
    if (!failed) return SCADYG_OK;
    sg_sink_close(sink);
    return sg_fail_memory(error, "compression");
}

static int write_raw(sg_sink *sink, const void *data, size_t length, scadyg_error *error)
{
    if (!sink->to_stdout) {
        int status = sg_output_write_at(&sink->output, sink->size, data, length, error);
        sink->size += length;
        return status;
    }
    const char *p = data;
    while (length > 0) {
        ssize_t done = write(STDOUT_FILENO, p, length);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return sg_fail_system(error, errno, "cannot write standard output");
        p += done;
        length -= (size_t)done;
    }
    return SCADYG_OK;
}

static int write_gzip(sg_sink *sink, const void *text, size_t length, int finish, scadyg_error *error)
{
    z_stream *stream = &sink->deflate;
    const unsigned char *p = text;
    int result = Z_OK;
    do {
        size_t piece = length < ((size_t)1 << 30) ? length : (size_t)1 << 30;
        stream->next_in = (unsigned char *)(uintptr_t)p; /* zlib does not write there */
        stream->avail_in = (uInt)piece;
        p += piece;
        length -= piece;
        do {
            stream->next_out = sink->packed;
            stream->avail_out = PACKED;
            result = deflate(stream, finish && length == 0 ? Z_FINISH : Z_NO_FLUSH);
            if (result == Z_STREAM_ERROR)
                return sg_fail(error, SCADYG_E_IO, "cannot write %s: compression failed", sink->output.path);
            int status = write_raw(sink, sink->packed, PACKED - stream->avail_out, error);
            if (status) return status;
        } while (stream->avail_out == 0);
    } while (length > 0);
    return SCADYG_OK;
}

static int write_zstd(sg_sink *sink, const void *text, size_t length, int finish, scadyg_error *error)
{
    ZSTD_inBuffer in = {text, length, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {sink->packed, PACKED, 0};
        left = ZSTD_compressStream2(sink->zstd, &out, &in, finish ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return sg_fail(error, SCADYG_E_IO, "cannot write %s: %s", sink->output.path, ZSTD_getErrorName(left));
        int status = write_raw(sink, sink->packed, out.pos, error);
        if (status) return status;
    } while (finish ? left > 0 : in.pos < in.size);
    return SCADYG_OK;
}

static int write_any(sg_sink *sink, const void *text, size_t length, int finish, scadyg_error *error)
{
    if (sink->gzip) return write_gzip(sink, text, length, finish, error);
    if (sink->zstd) return write_zstd(sink, text, length, finish, error);
    return length ? write_raw(sink, text, length, error) : SCADYG_OK;
}

int sg_sink_write(sg_sink *sink, const void *text, size_t length, scadyg_error *error)
{
    return length ? write_any(sink, text, length, 0, error) : SCADYG_OK;
}

int sg_sink_finish(sg_sink *sink, scadyg_error *error)
{
    return write_any(sink, "", 0, 1, error);
}

int sg_sink_commit(sg_sink *sink, scadyg_error *error)
{
    return sink->to_stdout ? SCADYG_OK : sg_output_commit(&sink->output, error);
}

void sg_sink_close(sg_sink *sink)
{
    if (sink->gzip) deflateEnd(&sink->deflate);
    ZSTD_freeCCtx(sink->zstd);
    free(sink->packed);
    sg_output_abandon(&sink->output);
    *sink = (sg_sink){.output = {.fd = -1}};
}
