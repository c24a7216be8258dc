/* A sheet: the sums of one step, for the nodes that took part in it. */
#ifndef SG_MESSAGES_SHEET_H
#define SG_MESSAGES_SHEET_H

#include "messages/node_map.h"
#include "messages/sums.h"

typedef struct sg_sheet {
    int64_t step;
    sg_node_map map; /* node to row of sums */
    sg_sums sums;
} sg_sheet;

void sg_sheet_init(sg_sheet *sheet, const scadyg_messages *plan, int64_t step);
void sg_sheet_free(sg_sheet *sheet);

/* Adds events of the step to its sums. With one hop only: more of them need all events of the step together.
 */
int sg_sheet_add(sg_sheet *sheet, const sg_source *source, uint64_t first, uint64_t count, scadyg_error *error);

/*
 * Makes the sheet anew from all events of a step, for any number of hops, as of the time `frame`, not before
 * any of them. Takes 8 bytes per event meanwhile.
 */
int sg_sheet_make(sg_sheet *sheet, const sg_source *source, uint64_t first, uint64_t count, double frame,
                  int threads, scadyg_error *error);

/* Adds the sheet to sums whose rows are node numbers, all of them reserved. */
void sg_sheet_fold(const sg_sheet *sheet, sg_sums *sums, int threads);

/* Adds the message of a node, carried to time `at`, to out[width]; nothing if it has none. */
void sg_sheet_read(const sg_sheet *sheet, uint32_t node, double at, double *out);

#endif
