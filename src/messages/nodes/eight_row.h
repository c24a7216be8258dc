/* Rows of eight floats: the arithmetic that the serial and the parallel form of eight.h share. */
#ifndef SG_MESSAGES_NODES_EIGHT_ROW_H
#define SG_MESSAGES_NODES_EIGHT_ROW_H

#include "messages/nodes/kernel.h"
#include "base/simd.h"

typedef float sg_eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t sg_eight_bits __attribute__((vector_size(32)));

/* How many additions ahead a row is asked for, so that it is there when its turn comes. */
#define SG_EIGHT_AHEAD 32

/* *powers = value * {ratio^7, ..., ratio, 1}: powers 4, 2 and 1 are put where the exponent has that bit. */
SG_INLINE void sg_eight_powers(sg_eight *powers, float value, float ratio)
{
    const sg_eight_bits one = {0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000,
                               0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000};
    const sg_eight_bits bit4 = {-1, -1, -1, -1, 0, 0, 0, 0}, bit2 = {-1, -1, 0, 0, -1, -1, 0, 0},
                        bit1 = {-1, 0, -1, 0, -1, 0, -1, 0};
    const float square = ratio * ratio, fourth = square * square;
    const sg_eight q1 = {ratio, ratio, ratio, ratio, ratio, ratio, ratio, ratio};
    const sg_eight q2 = {square, square, square, square, square, square, square, square};
    const sg_eight q4 = {fourth, fourth, fourth, fourth, fourth, fourth, fourth, fourth};
    const sg_eight p1 = (sg_eight)(((sg_eight_bits)q1 & bit1) | (one & ~bit1));
    const sg_eight p2 = (sg_eight)(((sg_eight_bits)q2 & bit2) | (one & ~bit2));
    const sg_eight p4 = (sg_eight)(((sg_eight_bits)q4 & bit4) | (one & ~bit4));
    *powers = p4 * p2 * p1 * value;
}

/* With `plain`, every end has a row and all rows are in the current frame. */
SG_INLINE void sg_eight_add_to(sg_sums *sums, float *rows, size_t width, uint32_t row, const sg_eight *powers,
                               int plain)
{
    if (!plain) {
        if (row == SG_NO_ROW) return;
        if (sums->frames && sums->frames[row] != sums->frame) sg_carry_float(sums, row);
    }
    *(sg_eight *)(rows + row * width) += *powers;
}

/* The two numbers of each of up to SG_TILE events: value at the slowest rate, and ratio of neighbours. */
void sg_eight_encode(const sg_sums *sums, const sg_source *source, uint64_t first, size_t count, float *value,
                     float *ratio);

#endif
