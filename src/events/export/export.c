/* Export: an events file as CSV that imports back to the same bytes. */
#include "base/context.h"
#include "base/file.h"
#include "base/csv.h"
#include "base/memory.h"
#include "events/export/export.h"
#include "events/node_id.h"
#include "events/reading.h"
#include "events/time_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/*
 * ---- A text file on its way out: plain, gzip or zstd by the end of its name, standard output for "-", or memory ----
 *
 * A named file appears only when it is committed.
 */

#define PACKED ((size_t)1 << 18)
#define GZIP_LEVEL 6
#define ZSTD_LEVEL 3

typedef struct text_file {
    sg_output output; /* unused for standard output */
    int to_stdout;
    sg_text *memory; /* instead of a file; NULL: none */
    uint64_t size;   /* bytes written so far */
    int gzip;
    z_stream deflate;
    ZSTD_CCtx *zstd;
    unsigned char *packed; /* compressed bytes on their way */
} text_file;

static int ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), size = strlen(end);
    return length > size && strcmp(path + length - size, end) == 0;
}

/* Frees everything; a file not committed is forgotten. */
static void close_sink(text_file *sink)
{
    if (sink->gzip) deflateEnd(&sink->deflate);
    ZSTD_freeCCtx(sink->zstd);
    free(sink->packed);
    sg_output_abandon(&sink->output);
    *sink = (text_file){.output = {.fd = -1}};
}

static int open_sink(text_file *sink, const char *path, scadyg_error *error)
{
    *sink = (text_file){.output = {.fd = -1}, .to_stdout = strcmp(path, "-") == 0};
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
    close_sink(sink);
    return sg_fail_memory(error, "compression");
}

static int write_memory(sg_text *text, const void *data, size_t length, scadyg_error *error)
{
    if (sg_grow(&text->data, &text->capacity, text->size + length, 1)) return sg_fail_memory(error, "the text");
    memcpy(text->data + text->size, data, length);
    text->size += length;
    return SCADYG_OK;
}

static int write_raw(text_file *sink, const void *data, size_t length, scadyg_error *error)
{
    if (sink->memory) return write_memory(sink->memory, data, length, error);
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

static int write_gzip(text_file *sink, const void *text, size_t length, int finish, scadyg_error *error)
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

static int write_zstd(text_file *sink, const void *text, size_t length, int finish, scadyg_error *error)
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

static int write_any(text_file *sink, const void *text, size_t length, int finish, scadyg_error *error)
{
    if (sink->gzip) return write_gzip(sink, text, length, finish, error);
    if (sink->zstd) return write_zstd(sink, text, length, finish, error);
    return length ? write_raw(sink, text, length, error) : SCADYG_OK;
}

static int write_sink(text_file *sink, const void *text, size_t length, scadyg_error *error)
{
    return length ? write_any(sink, text, length, 0, error) : SCADYG_OK;
}

/* Writes what compression held back. Nothing can be written afterwards. */
static int finish_sink(text_file *sink, scadyg_error *error)
{
    return write_any(sink, "", 0, 1, error);
}

/* Gives the file its name. */
static int commit_sink(text_file *sink, scadyg_error *error)
{
    return sink->to_stdout ? SCADYG_OK : sg_output_commit(&sink->output, error);
}

/* ---- The rows as text ---- */

#define CHUNKS 32          /* composed between two writes, on several threads */
#define CHUNK_VALUES 32768 /* fields in a chunk, about */
#define NUMBER_TEXT 64     /* bytes a number or time takes, at most, with its comma */

/* A piece of text being composed. */
typedef struct chunk {
    char *text;
    size_t length, capacity;
    int failed; /* no memory */
} chunk;

typedef struct export_work {
    const scadyg_shape *shape;
    sg_columns columns;
    sg_id_columns ids;
    int node_file;  /* the rows are nodes, not events */
    int zoned;      /* the log's own times were of a zone: those that are written say that they are of UTC */
    int by_ids;     /* sources and destinations are separate since no id occurs on both sides */
    int has_both;   /* a node of one kind is a source and a destination */
    uint64_t rows;  /* in all */
    uint64_t begin; /* first row of chunk 0 */
    uint64_t rows_per_chunk;
    chunk chunks[CHUNKS];
} export_work;

/* How a file can be packed, by the end of its name, in the order in which import looks for them. */
static const char *const PACKINGS[] = {"", ".gz", ".zst"};

static int find_packing(const char *path)
{
    return ends_in(path, ".gz") ? 1 : ends_in(path, ".zst") ? 2 : 0;
}

/* Where import looks for node features: F.nodes.csv beside F.csv. To be freed. */
static int make_nodes_path(const char *path, int packing, char **result, scadyg_error *error)
{
    static const char *const kinds[] = {".csv", ".tsv", ".txt"};
    size_t length = strlen(path) - strlen(PACKINGS[find_packing(path)]);
    for (int i = 0; i < 3; i++)
        if (length > 4 && memcmp(path + length - 4, kinds[i], 4) == 0) {
            length -= 4;
            break;
        }
    char *made = sg_alloc(length + sizeof ".nodes.csv.zst", 1);
    if (!made) return sg_fail_memory(error, "a file name");
    memcpy(made, path, length);
    strcpy(made + length, ".nodes.csv");
    strcat(made, PACKINGS[packing]);
    *result = made;
    return SCADYG_OK;
}

/* An old file of node features that import would take for those of the new export. */
static int check_beside(const char *output, int node_features, scadyg_error *error)
{
    int end = node_features ? find_packing(output) : 3, status = SCADYG_OK;
    if (strcmp(output, "-") == 0) return SCADYG_OK;
    for (int i = 0; i < end && !status; i++) {
        char *path;
        status = make_nodes_path(output, i, &path, error);
        if (status) return status;
        if (access(path, F_OK) != 0 && errno != ENOENT && errno != ENOTDIR)
            status = sg_fail_system(error, errno, "cannot look for %s", path);
        else if (access(path, F_OK) == 0)
            status = sg_fail(error, SCADYG_E_USAGE,
                             "import would take %s for the node features of %s: remove it, or choose another name",
                             path, output);
        free(path);
    }
    return status;
}

/* The events may have any name, also that of the second file. */
static int check_nodes_path(const char *path, const scadyg_events *events, scadyg_error *error)
{
    struct stat one, other;
    if (stat(path, &one) != 0 || stat(events->path, &other) != 0 || one.st_dev != other.st_dev ||
        one.st_ino != other.st_ino)
        return SCADYG_OK;
    return sg_fail(error, SCADYG_E_USAGE,
                   "the node features would go to %s, which is the input: choose another name", path);
}

/* ---- Fields ---- */

static char *make_room(chunk *c, size_t size)
{
    if (c->failed || sg_grow(&c->text, &c->capacity, c->length + size, 1)) {
        c->failed = 1;
        return NULL;
    }
    return c->text + c->length;
}

static void put_text(chunk *c, const char *text, size_t length)
{
    char *p = make_room(c, length);
    if (!p) return;
    memcpy(p, text, length);
    c->length += length;
}

static void put_float(chunk *c, float value)
{
    char *p = make_room(c, NUMBER_TEXT);
    if (!p) return;
    *p = ',';
    c->length += 1 + sg_print_float(value, p + 1);
}

static void put_time(chunk *c, int kind, int zoned, double time)
{
    char *p = make_room(c, NUMBER_TEXT + 1);
    if (!p) return;
    *p = ',';
    (zoned ? sg_time_text_utc : scadyg_time_text)(kind, time, p + 1);
    c->length += 1 + strlen(p + 1);
}

static int is_zoned(const scadyg_events *events)
{
    int failed = 0;
    char *zone = sg_reading_value(events->reading, "timezone", &failed);
    const int zoned = zone && strcmp(zone, "UTC") != 0;
    free(zone);
    return zoned || failed; /* to say it is never wrong */
}

/* Whether a reader could take the bare id for something else: a separator, a quote, a comment, or nothing. */
static int needs_quotes(const char *text, size_t length)
{
    if (sg_is_null(text, length) || *text == '#' || *text == '%' || *text == ' ' || text[length - 1] == ' ')
        return 1;
    if (length >= 2 && (memcmp(text, "\xC2\xA0", 2) == 0 || memcmp(text + length - 2, "\xC2\xA0", 2) == 0))
        return 1;
    for (size_t i = 0; i < length; i++)
        if (text[i] == ',' || text[i] == '"' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n') return 1;
    return 0;
}

static void put_id(chunk *c, const sg_id_columns *ids, uint32_t node)
{
    char digits[24];
    const char *text;
    size_t length = sg_id_text(ids, node, digits, &text);
    if (ids->integers || !needs_quotes(text, length)) {
        put_text(c, text, length);
        return;
    }
    char *p = make_room(c, 2 * length + 2);
    if (!p) return;
    char *begin = p;
    *p++ = '"';
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"') *p++ = '"';
        *p++ = text[i];
    }
    *p++ = '"';
    c->length += (size_t)(p - begin);
}

/* ---- Rows ---- */

static void put_event(const export_work *work, chunk *c, uint64_t event)
{
    const sg_columns *columns = &work->columns;
    put_id(c, &work->ids, columns->src[event]);
    put_text(c, ",", 1);
    put_id(c, &work->ids, columns->dst[event]);
    put_time(c, work->shape->time_kind, work->zoned, columns->time[event]);
    if (columns->weight) put_float(c, columns->weight[event]);
    if (columns->label) put_float(c, columns->label[event]);
    for (uint32_t k = 0; k < work->shape->edge_features; k++)
        put_float(c, columns->edge_features[event * work->shape->edge_features + k]);
    put_text(c, "\n", 1);
}

static void put_node(const export_work *work, chunk *c, uint64_t node)
{
    const char *role = !work->ids.sides ? "" : work->ids.sides[node] ? "destination," : "source,";
    put_text(c, role, strlen(role));
    put_id(c, &work->ids, (uint32_t)node);
    for (uint32_t k = 0; k < work->shape->node_features; k++)
        put_float(c, work->columns.node_features[node * work->shape->node_features + k]);
    put_text(c, "\n", 1);
}

static void compose_chunk(void *data, size_t worker, size_t index)
{
    (void)worker;
    export_work *work = data;
    chunk *c = &work->chunks[index];
    uint64_t begin = work->begin + index * work->rows_per_chunk, end = begin + work->rows_per_chunk;
    if (end > work->rows) end = work->rows;
    c->length = 0;
    for (uint64_t row = begin; row < end; row++) {
        if (work->node_file)
            put_node(work, c, row);
        else
            put_event(work, c, row);
    }
}

/*
 * Import must decide on roles as these events have it: by names that say it where the ids alone would not, since no id
 * occurs on both sides or some do though they mean different nodes.
 */
static const char *name_ends(const export_work *work)
{
    if (work->shape->two_id_spaces) return work->by_ids ? "src,dst,time" : "user_id,item_id,time";
    return work->has_both ? "src,dst,time" : "src_node,dst_node,time";
}

/* Whether a node of one kind is a source and a destination. */
static int find_both(export_work *work, scadyg_error *error)
{
    const sg_columns *columns = &work->columns;
    if (work->shape->two_id_spaces) return SCADYG_OK;
    uint8_t *is_source = sg_alloc_zero((size_t)work->shape->nodes, 1);
    if (!is_source) return sg_fail_memory(error, "the sources");
    for (uint64_t e = 0; e < columns->count; e++) is_source[columns->src[e]] = 1;
    for (uint64_t e = 0; e < columns->count && !work->has_both; e++) work->has_both = is_source[columns->dst[e]];
    free(is_source);
    return SCADYG_OK;
}

static int write_header(const export_work *work, text_file *sink, scadyg_error *error)
{
    const scadyg_shape *shape = work->shape;
    chunk c = {0};
    const char *ends = name_ends(work);
    if (work->node_file) ends = shape->two_id_spaces ? "role,id" : "id";
    put_text(&c, ends, strlen(ends));
    if (!work->node_file && shape->has_weight) put_text(&c, ",weight", 7);
    if (!work->node_file && shape->has_label) put_text(&c, ",label", 6);
    uint32_t features = work->node_file ? shape->node_features : shape->edge_features;
    for (uint32_t k = 0; k < features; k++) {
        char name[24];
        put_text(&c, ",f", 2);
        put_text(&c, name, sg_print_integer(k, name));
    }
    put_text(&c, "\n", 1);
    int status = c.failed ? sg_fail_memory(error, "the header line") : write_sink(sink, c.text, c.length, error);
    free(c.text);
    return status;
}

/* Chunks are composed on several threads and written in order. */
static int write_rows(scadyg_context *context, export_work *work, text_file *sink, scadyg_error *error)
{
    uint32_t features = work->node_file ? work->shape->node_features : work->shape->edge_features;
    work->rows = work->node_file ? work->shape->nodes : work->shape->events;
    work->rows_per_chunk = CHUNK_VALUES / (4 + (uint64_t)features) + 1;
    int status = write_header(work, sink, error);
    for (work->begin = 0; work->begin < work->rows && !status; work->begin += CHUNKS * work->rows_per_chunk) {
        sg_parallel_for(context, CHUNKS, compose_chunk, work);
        for (int i = 0; i < CHUNKS && !status; i++)
            status = work->chunks[i].failed ? sg_fail_memory(error, "the text of the events")
                                            : write_sink(sink, work->chunks[i].text, work->chunks[i].length, error);
        uint64_t done = work->begin + CHUNKS * work->rows_per_chunk;
        if (!status)
            status = sg_events_report(context, work->columns.events, "exporting",
                                      done < work->rows ? done : work->rows, work->rows, error);
    }
    if (!status) status = finish_sink(sink, error);
    return status;
}

/* ---- Files ---- */

/* Both files are complete before either gets its name. */
static int write_files(scadyg_context *context, export_work *work, const char *output, const char *nodes,
                       scadyg_error *error)
{
    text_file events_sink, nodes_sink;
    int status = open_sink(&events_sink, output, error);
    if (status) return status;
    status = write_rows(context, work, &events_sink, error);
    if (!status && nodes) {
        work->node_file = 1;
        status = open_sink(&nodes_sink, nodes, error);
        if (!status) {
            status = write_rows(context, work, &nodes_sink, error);
            if (!status) status = commit_sink(&nodes_sink, error);
            close_sink(&nodes_sink);
        }
    }
    if (!status) status = commit_sink(&events_sink, error);
    close_sink(&events_sink);
    return status;
}

static int open_work(scadyg_context *context, scadyg_events *events, export_work **out, scadyg_error *error)
{
    export_work *work = sg_alloc_zero(1, sizeof *work);
    if (!work) return sg_fail_memory(error, "the export");
    *out = work;
    work->shape = scadyg_events_shape(events);
    work->by_ids = events->by_ids;
    work->zoned = is_zoned(events);
    int status = sg_events_columns(context, events, 1, 1, &work->columns, error);
    if (!status) status = sg_id_columns_open(events, &work->ids, error);
    return status ? status : find_both(work, error);
}

static void close_work(export_work *work)
{
    for (int i = 0; work && i < CHUNKS; i++) free(work->chunks[i].text);
    free(work);
}

int scadyg_export(scadyg_context *context, scadyg_events *events, const char *output, scadyg_error *error)
{
    const scadyg_shape *shape = scadyg_events_shape(events);
    if (shape->node_features && strcmp(output, "-") == 0)
        return sg_fail(error, SCADYG_E_USAGE,
                       "%s has node features, which go to a second file: give a file name instead of '-'",
                       events->path);
    char *nodes = NULL;
    export_work *work = NULL;
    int status = check_beside(output, shape->node_features != 0, error);
    if (!status && shape->node_features) status = make_nodes_path(output, find_packing(output), &nodes, error);
    if (!status && nodes) status = check_nodes_path(nodes, events, error);
    if (!status) status = open_work(context, events, &work, error);
    if (!status) status = write_files(context, work, output, nodes, error);
    close_work(work);
    free(nodes);
    return status;
}

int sg_export_memory(scadyg_context *context, scadyg_events *events, sg_text *text, sg_text *nodes,
                     scadyg_error *error)
{
    export_work *work = NULL;
    *text = *nodes = (sg_text){0};
    int status = open_work(context, events, &work, error);
    for (int i = 0; i < 2 && !status; i++) {
        text_file sink = {.output = {.fd = -1}, .memory = i ? nodes : text};
        work->node_file = i;
        if (!i || work->shape->node_features) status = write_rows(context, work, &sink, error);
    }
    close_work(work);
    if (status) {
        SG_FREE(text->data, nodes->data);
        *text = *nodes = (sg_text){0};
    }
    return status;
}
