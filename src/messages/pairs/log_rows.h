/* Numbers that span many orders of magnitude, brought to a size a net can learn from. */
#ifndef SG_MESSAGES_PAIRS_LOG_ROWS_H
#define SG_MESSAGES_PAIRS_LOG_ROWS_H

#include <stddef.h>

/* x[i] = sign(x) log(1 + |x|) in place, to about 1e-6 of the value. The same bytes on every processor. */
void sg_log_rows(float *x, size_t count);

#endif
