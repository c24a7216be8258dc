/*
 * A text file on its way out: plain, gzip or zstd by the end of its name, or standard output for "-".
 *
 * A named file appears only when it is committed.
 */
#ifndef SG_EVENTS_EXPORT_SINK_H
#define SG_EVENTS_EXPORT_SINK_H

#include "base/file.h"

#include <zlib.h>
#include <zstd.h>

typedef struct sg_sink {
    sg_output output; /* unused for standard output */
    int to_stdout;
    uint64_t size; /* bytes written so far */
    int gzip;
    z_stream deflate;
    ZSTD_CCtx *zstd;
    unsigned char *packed; /* compressed bytes on their way */
} sg_sink;

int sg_sink_open(sg_sink *sink, const char *path, scadyg_error *error);
int sg_sink_write(sg_sink *sink, const void *text, size_t length, scadyg_error *error);

/* Writes what compression held back. Nothing can be written afterwards. */
int sg_sink_finish(sg_sink *sink, scadyg_error *error);

/* Gives the file its name. */
int sg_sink_commit(sg_sink *sink, scadyg_error *error);

/* Frees everything; a file not committed is forgotten. */
void sg_sink_close(sg_sink *sink);

#endif
