/* The loops over walk sketches, for any processor. */
#define LOOPS_TARGET
#define LOOPS_TABLE sg_sketch_any
#include "messages/pairs/sketch_loops.inc"
