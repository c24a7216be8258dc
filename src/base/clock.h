/* A clock that only goes forward. */
#ifndef SG_BASE_CLOCK_H
#define SG_BASE_CLOCK_H

double sg_seconds(void);

#endif
