/* Adam, with PyTorch's semantics, and a running average of what it learns. */
#ifndef SG_NN_OPTIMISER_H
#define SG_NN_OPTIMISER_H

#include <stddef.h>
#include <stdint.h>

/* The weight decay is added to the gradient. */
typedef struct sg_adam {
    double learning_rate, weight_decay, beta1, beta2, epsilon;
} sg_adam;

#define SG_ADAM_DEFAULT(rate, decay) ((sg_adam){rate, decay, 0.9, 0.999, 1e-8})

/* t counts steps from 1. */
void sg_adam_step(const sg_adam *adam, size_t count, float *values, const float *gradient, float *average,
                  float *square, uint64_t t);

/* The values from begin on, [rows][columns], are matrix[rows][rows], which is symmetric as its inverse is, times what Adam moves;
 * see nn/decorrelate.h. */
typedef struct sg_block {
    size_t begin, rows, columns;
    const float *matrix, *inverse;
} sg_block;

typedef struct sg_optimiser {
    sg_adam adam;
    float *average, *square; /* [count] */
    uint64_t steps;          /* made so far */
    double averaging;        /* share of the older values in the running average */
    float *raw;              /* [count]: what Adam moves, where the values are its running average; else NULL */

    /* Where Adam moves something else than the values: with `raw`. */
    const sg_block *blocks;
    size_t block_count;
    float *at, *slope; /* [count]: the values that raw stands for, and the gradient of raw */
} sg_optimiser;

/* Where a gradient is to be taken. */
static inline const float *sg_optimiser_at(const sg_optimiser *optimiser, const float *values)
{
    return optimiser->at ? optimiser->at : optimiser->raw ? optimiser->raw : values;
}

/* to[count] is from[count] with every block multiplied by its matrix, or by the inverse. */
void sg_blocks_apply(const sg_block *blocks, size_t block_count, int inverse, size_t count, const float *from,
                     float *to);

/* One step of Adam down a gradient[count]; values follow. */
void sg_optimiser_step(sg_optimiser *optimiser, size_t count, float *values, const float *gradient);

/* The size of batches of nearly `batch` of `count`, so that no odd one of a few is left. */
static inline size_t sg_even_batch(size_t count, size_t batch)
{
    const size_t batches = count / batch ? count / batch : 1;
    return (count + batches - 1) / batches;
}

#endif
