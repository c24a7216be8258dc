/*
 * Input: the bytes of a plain, gzip or zstd file, of standard input or of memory, told apart by how they begin, with text in
 * UTF-16 made into UTF-8; small tables line by line; and the files that lie beside a log.
 */
#ifndef SG_EVENTS_IMPORT_INPUT_H
#define SG_EVENTS_IMPORT_INPUT_H

#include "base/status.h"
#include "events/import/decode.h"

typedef struct sg_input sg_input;

/* Where bytes come from: a file by its path ("-" is standard input), or memory, which then has the path as its name. */
typedef struct sg_input_source {
    const char *path;
    const void *data; /* NULL: the file */
    size_t size;
} sg_input_source;

/* Of memory nothing is copied: it stays as it is until the input is closed. */
int sg_input_open_source(sg_input **input, const sg_input_source *source, scadyg_error *error);
int sg_input_open(sg_input **input, const char *path, scadyg_error *error);
void sg_input_close(sg_input *input); /* NULL is fine */

/*
 * Unpacking may hold so many bytes: a zstd file that was packed with a larger window is refused. Before the first read;
 * untold it is 128 MiB.
 */
int sg_input_bound(sg_input *input, uint64_t bytes, scadyg_error *error);

/* How the text is encoded (SG_TEXT_...), before the first read; untold it is SG_TEXT_AUTO. */
void sg_input_tell_encoding(sg_input *input, int encoding);

/* Bytes held, for the memory bound. */
uint64_t sg_input_bytes(const sg_input *input);

/*
 * While a pipe or a terminal has nothing to read, `waiting` is called ten times a second by the thread that reads;
 * a status other than SCADYG_OK ends the read with it. NULL: nobody is asked.
 */
typedef int sg_waiting(void *data, scadyg_error *error);
void sg_input_watch(sg_input *input, sg_waiting *waiting, void *data);

/* Fills the buffer as far as the input goes: *got < size only at its end. SCADYG_E_CHANGED if a file is no longer as it was
 * when it was opened. */
int sg_input_read(sg_input *input, void *buffer, size_t size, size_t *got, scadyg_error *error);

/* Bytes taken from the file so far (compressed ones) and its size; 0 if that is not known. For progress. */
uint64_t sg_input_position(const sg_input *input);
uint64_t sg_input_size(const sg_input *input);

/* "gzip", "zstd" or "plain". */
const char *sg_input_encoding(const sg_input *input);

/* After the first read: "UTF-16", "Windows-1252", from which the text was converted; NULL: it is as it was. */
const char *sg_input_text(const sg_input *input);

/* What messages call it: the path, or "standard input". */
const char *sg_input_name(const sg_input *input);

/* ---- Lines, for small tables read in one go ---- */

#define SG_LINE_LONGEST ((size_t)4 << 20)

/*
 * Takes a line without its end; `number` counts from 1. The line may be changed, the byte behind it too. A status
 * other than SCADYG_OK ends the reading.
 */
typedef int sg_take_line(void *data, char *line, size_t length, uint64_t number, scadyg_error *error);

/* All lines, blank ones included, without the byte order mark some files begin with. */
int sg_lines_read(sg_input *input, sg_take_line *take, void *data, scadyg_error *error);

/* ---- Files beside a log, which belong to it by their names ---- */

/*
 * For "DIR/ml_X.csv.gz" and ending ".npy": the first of "DIR/ml_X.npy", "DIR/ml_X.npy.gz", "DIR/ml_X.npy.zst" that
 * exists. *found is NULL if none does; free it.
 */
int sg_find_beside(const char *path, const char *ending, char **found, scadyg_error *error);

#endif
