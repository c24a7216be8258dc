/* The table of kinds with one more row: this file takes the place of src/models/kinds.c in the test. */
#include "models/kind.h"

extern const sg_kind sg_kind_scadyg, sg_kind_popularity, sg_kind_toy;

const sg_kind *const sg_kinds[] = {&sg_kind_scadyg, &sg_kind_popularity, &sg_kind_toy, NULL};
