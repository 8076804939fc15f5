/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ATTACK_DOT_H
#define DUSK_ATTACK_DOT_H

/* The inner product of two vectors, four sums abreast. */

#include <stddef.h>

static inline double attack_dot(const double *a, const double *b, size_t n)
{
    double sum[4] = { 0 };
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++) sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++) sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

#endif
