/* Column names people use, and the roles they mean. */
#ifndef SG_EVENTS_IMPORT_LAYOUT_NAMES_H
#define SG_EVENTS_IMPORT_LAYOUT_NAMES_H

#include "events/import/layout.h"

/* The role of a header name; *known is 0 if the name says nothing. */
sg_role sg_name_role(const char *name, size_t length, int *known);

/* Whether source and destination so named are things of two kinds with ids of their own (user_id, item_id). */
int sg_names_two_kinds(const char *src, const char *dst);

/* Reads --columns into roles; returns the number of roles, or -1 with a message. *rest is set for "role...". */
int sg_told_roles(const char *told, sg_role *roles, int most, int *rest, scadyg_error *error);

#endif
