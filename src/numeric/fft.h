/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_NUMERIC_FFT_H
#define DUSK_NUMERIC_FFT_H

/* Discrete Fourier transform of 2^k complex doubles, in place, with a proven
 * bound of its rounding error. Real and imaginary parts lie in arrays of their
 * own. The result of the forward transform is in bit-reversed order: position p
 * holds
 *     X_p = sum_k x_k exp(2 pi i k rev(p) / size),
 * rev(p) being the k bits of p backwards; the inverse reads that order and
 * divides by the size. Products need no other order. */

#include <stddef.h>

#include "base/error.h"
#include "base/platform.h"

#define DUSK_FFT_LOG_MAX 24

typedef struct dusk_fft {
    unsigned log_size;
    size_t size;
    double *re, *im; /* exp(i angle(b)), b < size/2, see fft.c */
} dusk_fft;

/* Make the roots of 2^log_size, 1 <= log_size <= DUSK_FFT_LOG_MAX. */
DUSK_MUST_USE dusk_status dusk_fft_new(dusk_fft *out, unsigned log_size, dusk_error *err);
void dusk_fft_free(dusk_fft *fft);

void dusk_fft_forward(const dusk_fft *fft, double *re, double *im);
void dusk_fft_inverse(const dusk_fft *fft, double *re, double *im);

/* With x the input, every output of the forward transform is within
 * dusk_fft_error_up * sum_k |x_k| of the truth, and every output of the inverse
 * within that over the size (barring underflow, which adds less than 2^-1000). */
double dusk_fft_error_up(unsigned log_size);

/* Where the frequency -f lies when f lies at p: the conjugate value, for real
 * input. Positions 0 and 1 are their own. */
static inline size_t dusk_fft_partner(size_t p)
{
    size_t below = p; /* all bits below the highest set one */
    below |= below >> 1;
    below |= below >> 2;
    below |= below >> 4;
    below |= below >> 8;
    below |= below >> 16;
    return p ^ (below >> 1);
}

#endif
