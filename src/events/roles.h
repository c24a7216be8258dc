/*
 * Roles: whether sources and destinations are of one kind (7 is the same node on both sides) or separate (user 7 is not
 * item 7). Import decides; a model keeps the decision of its training, and events that were decided otherwise are made to
 * fit when they are opened with it.
 */
#ifndef SG_EVENTS_ROLES_H
#define SG_EVENTS_ROLES_H

#include "events/file.h"

/* Why it was decided so. */
typedef enum sg_roles_reason {
    SG_ROLES_TOLD,  /* by an option */
    SG_ROLES_NAMES, /* by the names of the columns */
    SG_ROLES_ABOVE, /* by KONECT's word in the first line of the file, which is `src` */
    SG_ROLES_IDS,   /* by whether an id occurs on both sides */
    SG_ROLES_FOUND, /* likewise, when the events file was made */
    SG_ROLES_FILE,  /* somehow, when it was made */
    SG_ROLES_INPUT  /* as in an events file among the inputs, which has the name `src` */
} sg_roles_reason;

#define SG_ROLES_TEXT 384

/*
 * The decision in a sentence for a person. src and dst are the names of the columns or NULL, both is how many ids occur on
 * both sides.
 */
void sg_roles_describe(int separate, sg_roles_reason reason, const char *src, const char *dst, uint64_t both,
                       char *buffer, size_t size);

#endif
