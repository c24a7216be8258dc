/* The inner loops, for any processor. */
#define KERNEL_TARGET
#define KERNEL_TABLE sg_kernels_any
#include "nn/kernels.inc"
