/* Files that are no text: known by their first bytes, and named with the way out. */
#ifndef SG_EVENTS_IMPORT_FOREIGN_H
#define SG_EVENTS_IMPORT_FOREIGN_H

#include "base/status.h"

/* By the first few bytes as they are in the file; then by the beginning of the text:
 * SCADYG_E_LAYOUT with a sentence if the beginning of a file is not of a text log; `file` is for the message. */
int sg_foreign_check_first(const char *file, const unsigned char *data, size_t size, scadyg_error *error);
int sg_foreign_check(const char *file, const unsigned char *data, size_t size, scadyg_error *error);

#endif
