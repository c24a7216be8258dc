/* Lines: an input cut into lines, for small tables read in one go. */
#ifndef SG_EVENTS_IMPORT_LINES_H
#define SG_EVENTS_IMPORT_LINES_H

#include "events/import/input.h"

#define SG_LINE_LONGEST ((size_t)4 << 20)

/*
 * Takes a line without its end; `number` counts from 1. The line may be changed, the byte behind it too. A status
 * other than SCADYG_OK ends the reading.
 */
typedef int sg_take_line(void *context, char *line, size_t length, uint64_t number, scadyg_error *error);

/* All lines, blank ones included, without the byte order mark some files begin with. */
int sg_lines_read(sg_input *input, sg_take_line *take, void *context, scadyg_error *error);

#endif
