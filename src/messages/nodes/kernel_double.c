/* The arithmetic of sums in double: the slower twin, for checks and for those who need it. */
#define real double
#define NAME(stem) stem##_double
#include "messages/nodes/kernel.inc"
