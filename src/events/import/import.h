/* Import, inside: what the parts of it share. */
#ifndef SG_EVENTS_IMPORT_IMPORT_H
#define SG_EVENTS_IMPORT_IMPORT_H

#include "events/import/ids.h"
#include "events/import/layout.h"
#include "events/import/npy.h"
#include "events/import/parse.h"
#include "events/import/rows.h"

#define SG_FIRST_EVENTS 5

typedef struct sg_importer {
    const scadyg_import_options *options;
    const char *output; /* NULL: dry run */
    const scadyg_progress *progress;
    scadyg_import_report *report; /* never NULL */
    uint64_t memory;
    int threads;

    sg_layout layout; /* of the first file */
    int have_layout;
    int two_id_spaces;
    char *edge_path, *node_path; /* feature files, told or found; NULL: none */
    sg_npy edge_matrix;
    int have_edge_matrix;
    sg_ids ids;
    sg_row_store *rows;
    sg_row_places places;
    int all_whole, any_clock;

    const char *file; /* being read */
    const sg_layout *file_layout;
    uint64_t line_base;                 /* lines of the file before the block */
    uint64_t row_base;                  /* data rows of all files before the block */
    uint64_t bytes_before, bytes_total; /* of the files, for progress; total 0: unknown */
    const struct sg_input *input;
    int shown_events;
} sg_importer;

/* Adds the first events of a block to report->first_events. */
int sg_import_show(sg_importer *importer, const sg_text_block *block);

/* Writes the rows, in the order of time, and the nodes as an events file. */
int sg_import_write(sg_importer *importer, scadyg_error *error);

#endif
