/* Small events files for tests, written with the real writer into a scratch directory. */
#ifndef TESTS_EVENTS_SAMPLE_H
#define TESTS_EVENTS_SAMPLE_H

#include "events/writer.h"
#include "scadyg.h"

#include <sys/stat.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A scratch directory of this process, made on first use and removed by sample_clean. */
static char sample_directory[64];

static inline const char *sample_path(const char *name, char path[128])
{
    if (!sample_directory[0]) {
        strcpy(sample_directory, "/tmp/scadyg-test-XXXXXX");
        assert_non_null(mkdtemp(sample_directory));
    }
    snprintf(path, 128, "%s/%s", sample_directory, name);
    return path;
}

static inline void sample_clean(void)
{
    char command[128];
    if (!sample_directory[0]) return;
    snprintf(command, sizeof command, "rm -rf %s", sample_directory);
    if (system(command) != 0) fprintf(stderr, "%s stays\n", sample_directory);
    sample_directory[0] = 0;
}

/* What goes into a file; NULL columns are left out. String ids: `names`, else `integers`. */
typedef struct sample {
    scadyg_shape shape;
    const uint32_t *src, *dst;
    const double *time;
    const float *weight, *label, *edge_features, *node_features;
    const int64_t *integers;
    const char *const *names;
    const uint8_t *sides;
} sample;

static inline void sample_section(sg_writer *writer, scadyg_column column, const void *data, uint64_t size)
{
    assert_int_equal(sg_writer_begin(writer, column, size, NULL), SCADYG_OK);
    assert_int_equal(sg_writer_append(writer, column, data, size, NULL), SCADYG_OK);
}

static inline void sample_names(sg_writer *writer, const sample *s)
{
    uint64_t nodes = s->shape.nodes, *offsets = malloc((nodes + 1) * 8);
    assert_non_null(offsets);
    offsets[0] = 0;
    for (uint64_t i = 0; i < nodes; i++) offsets[i + 1] = offsets[i] + strlen(s->names[i]);
    char *text = malloc(offsets[nodes] + 1);
    assert_non_null(text);
    for (uint64_t i = 0; i < nodes; i++) memcpy(text + offsets[i], s->names[i], offsets[i + 1] - offsets[i]);
    sample_section(writer, SCADYG_COLUMN_ID_OFFSETS, offsets, (nodes + 1) * 8);
    sample_section(writer, SCADYG_COLUMN_ID_TEXT, text, offsets[nodes]);
    free(text);
    free(offsets);
}

static inline void sample_write(const char *path, const sample *s)
{
    scadyg_shape shape = s->shape;
    uint64_t n = shape.events;
    shape.has_weight = s->weight != NULL;
    shape.has_label = s->label != NULL;
    shape.two_id_spaces = s->sides != NULL;
    shape.integer_ids = s->names == NULL;
    shape.first_time = s->time[0];
    shape.last_time = s->time[n - 1];
    sg_writer writer;
    scadyg_error error = {0};
    if (sg_writer_open(&writer, path, &shape, &error)) fail_msg("%s", error.message);
    const void *columns[] = {NULL, s->src, s->dst, s->time, s->weight, s->label, s->edge_features};
    for (int c = SCADYG_COLUMN_SRC; c <= SCADYG_COLUMN_EDGE_FEATURES; c++)
        if (columns[c])
            assert_int_equal(sg_writer_append(&writer, (scadyg_column)c, columns[c],
                                              n * sg_column_size(&shape, (scadyg_column)c), &error),
                             SCADYG_OK);
    if (s->node_features)
        sample_section(&writer, SCADYG_COLUMN_NODE_FEATURES, s->node_features,
                       shape.nodes * shape.node_features * 4);
    if (s->names)
        sample_names(&writer, s);
    else
        sample_section(&writer, SCADYG_COLUMN_ID_INTEGERS, s->integers, shape.nodes * 8);
    if (s->sides) sample_section(&writer, SCADYG_COLUMN_ID_SIDES, s->sides, shape.nodes);
    if (sg_writer_commit(&writer, &shape, &error)) fail_msg("%s", error.message);
}

static inline scadyg_events *sample_open(const char *path)
{
    scadyg_events *events = NULL;
    scadyg_error error = {0};
    if (scadyg_events_open(path, &events, &error)) fail_msg("%s", error.message);
    return events;
}

/* A file's bytes, with a terminator behind them. */
static inline char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("no file %s", path);
    struct stat status;
    assert_int_equal(fstat(fileno(file), &status), 0);
    *size = (size_t)status.st_size;
    char *data = malloc(*size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, file), *size);
    data[*size] = 0;
    fclose(file);
    return data;
}

/* The files in the directory of the samples. */
static inline int files_in_directory(void)
{
    DIR *directory = opendir(sample_directory);
    assert_non_null(directory);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(directory));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return count;
}

#endif
