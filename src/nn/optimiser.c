/* Adam, with PyTorch's semantics. */
#include "nn/optimiser.h"

#include "nn/kernels.h"

#include <math.h>

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

void sg_optimiser_step(sg_optimiser *optimiser, size_t count, float *values, const float *gradient)
{
    float *moved = optimiser->raw ? optimiser->raw : values;
    sg_adam_step(&optimiser->adam, count, moved, gradient, optimiser->average, optimiser->square,
                 ++optimiser->steps);
    if (!optimiser->raw) return;
    /* At first it is the plain mean of all steps. */
    const double begin = 1 - 1 / (double)(optimiser->steps + 1);
    const float older = (float)(begin < optimiser->averaging ? begin : optimiser->averaging), newer = 1 - older;
    for (size_t i = 0; i < count; i++) values[i] = older * values[i] + newer * moved[i];
}
