/* Adam, with PyTorch's semantics. */
#include "model/kernels.h"

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
