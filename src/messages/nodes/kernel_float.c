/* The arithmetic of sums in float. */
#define real float
#define NAME(stem) stem##_float
#include "messages/nodes/kernel.inc"
