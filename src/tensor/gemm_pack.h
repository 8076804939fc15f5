/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TENSOR_GEMM_PACK_H
#define DUSK_TENSOR_GEMM_PACK_H

/* Copies of pieces of matrices in the order in which tiles read them: to[p * step + i] = cell p of line i, for i < lines and
 * p < k; cells of lines <= i < step become anything. `step` is a multiple of eight, at least `lines`. Nothing is computed. */

#include <stddef.h>
#include <stdint.h>

/* Lines of a left matrix are its rows, of a right one its columns. */
typedef struct tensor_lines {
    const char *at;
    size_t across, along; /* bytes from line to line, and from number to number within one */
} tensor_lines;

void tensor_pack_floats(int level, uint32_t *to, size_t step, tensor_lines from, size_t lines, size_t k);
/* Numbers 2 p and 2 p + 1 of a line, of 16 bits each, as one cell, the first below; a number beyond `numbers` is zero. k =
 * ceil(numbers / 2). */
void tensor_pack_pairs(int level, uint32_t *to, size_t step, tensor_lines from, size_t lines, size_t numbers);

#endif
