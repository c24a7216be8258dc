/* Adam, with PyTorch's semantics. */
#include "nn/optimiser.h"

#include "nn/kernels.h"

#include <math.h>
#include <string.h>

void sg_adam_step(const sg_adam *adam, size_t count, float *values, const float *gradient, float *average,
                  float *square, uint64_t t)
{
    const double first = 1 - pow(adam->beta1, (double)t), second = 1 - pow(adam->beta2, (double)t);
    const float constant[8] = {
        (float)adam->weight_decay, (float)adam->beta1,       (float)(1 - adam->beta1),
        (float)adam->beta2,        (float)(1 - adam->beta2), (float)(adam->learning_rate / first),
        (float)(1 / sqrt(second)), (float)adam->epsilon,
    };
    sg_kernels_best()->adam(count, values, gradient, average, square, constant);
}

#define WIDEST 512 /* rows that a few columns are filled up to eight for */

/* to = matrix from, where the matrix is read by columns, which are its rows. */
static void apply_block(const sg_kernels *kernels, const sg_block *b, const float *matrix, const float *from,
                        float *to)
{
    float wide[2][WIDEST * 8];
    const size_t rows = b->rows, columns = b->columns;
    if (columns % 8 == 0) {
        memset(to, 0, rows * columns * sizeof *to);
        kernels->layer_back(rows, columns, rows, matrix, rows, from, columns, to);
    } else if (columns < 8 && rows <= WIDEST) {
        memset(wide[0], 0, rows * 8 * sizeof *to);
        memset(wide[1], 0, rows * 8 * sizeof *to);
        for (size_t k = 0; k < rows; k++) memcpy(wide[0] + 8 * k, from + k * columns, columns * sizeof *to);
        kernels->layer_back(rows, 8, rows, matrix, rows, wide[0], 8, wide[1]);
        for (size_t k = 0; k < rows; k++) memcpy(to + k * columns, wide[1] + 8 * k, columns * sizeof *to);
    } else
        kernels->rows(columns, rows, rows, from, NULL, matrix, to);
}

void sg_blocks_apply(const sg_block *blocks, size_t block_count, int inverse, size_t count, const float *from,
                     float *to)
{
    const sg_kernels *kernels = sg_kernels_best();
    memcpy(to, from, count * sizeof *to);
    for (size_t i = 0; i < block_count; i++) {
        const sg_block *b = &blocks[i];
        apply_block(kernels, b, inverse ? b->inverse : b->matrix, from + b->begin, to + b->begin);
    }
}

/* M is symmetric, so the gradient of V where W = M V is M times that of W. */
static void step_blocks(sg_optimiser *o, size_t count, const float *gradient)
{
    sg_blocks_apply(o->blocks, o->block_count, 0, count, gradient, o->slope);
    sg_adam_step(&o->adam, count, o->raw, o->slope, o->average, o->square, ++o->steps);
    sg_blocks_apply(o->blocks, o->block_count, 0, count, o->raw, o->at);
}

void sg_optimiser_step(sg_optimiser *optimiser, size_t count, float *values, const float *gradient)
{
    const float *moved = optimiser->at ? optimiser->at : optimiser->raw;
    if (optimiser->at)
        step_blocks(optimiser, count, gradient);
    else
        sg_adam_step(&optimiser->adam, count, optimiser->raw ? optimiser->raw : values, gradient,
                     optimiser->average, optimiser->square, ++optimiser->steps);
    if (!moved) return;
    /* At first it is the plain mean of all steps. */
    const double begin = 1 - 1 / (double)(optimiser->steps + 1);
    const float older = (float)(begin < optimiser->averaging ? begin : optimiser->averaging), newer = 1 - older;
    for (size_t i = 0; i < count; i++) values[i] = older * values[i] + newer * moved[i];
}
