/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_BALL_KERNEL_H
#define DUSK_RANDOM_BALL_KERNEL_H

/* What ball.c computes in plain double, with error bounds. Nothing of the C library
 * enters but sqrt, which IEEE 754 rounds correctly, and frexp, which is exact. The
 * bounds are derived in ball.proof.md, lemmas A to E; u = 2^-53. */

#include <math.h>
#include <stdint.h>

/* A uniform number of which 128 digits are known, hi >= 1: relative error at most
 * 2.01 u, what is not known included. */
static inline double dusk_ball_uniform(uint64_t hi, uint64_t lo)
{
    return (double)hi * 0x1p-64 + (double)lo * 0x1p-128;
}

/* 2 atanh(f) for |f| <= 0.1716: relative error at most 2.2 u, and what f has. Eleven
 * terms; the twelfth is below 2^-60. */
static inline double dusk_ball_log_ratio(double f)
{
    double w = f * f, p = 1.0 / 21;
    p = p * w + 1.0 / 19;
    p = p * w + 1.0 / 17;
    p = p * w + 1.0 / 15;
    p = p * w + 1.0 / 13;
    p = p * w + 1.0 / 11;
    p = p * w + 1.0 / 9;
    p = p * w + 1.0 / 7;
    p = p * w + 1.0 / 5;
    p = p * w + 1.0 / 3;
    p = p * w + 1.0;
    return 2 * f * p;
}

/* -ln(v 2^exponent) >= 0 for a normal double v > 0: relative error at most 9.4 u. */
static inline double dusk_ball_minus_log(double v, int exponent)
{
    int e;
    double m = frexp(v, &e);
    if (m < M_SQRT1_2) {
        m *= 2;
        e--;
    }
    return -(double)(e + exponent) * M_LN2 + dusk_ball_log_ratio((1 - m) / (1 + m));
}

#define DUSK_BALL_ROOT_HALF UINT64_C(0xB504F333F9DE6484) /* 2^64 / sqrt 2 */

/* -ln of a uniform number, 1 <= hi < 2^64 - 1: relative error at most 16 u. Near 1 it
 * is found from 1 - v, whose digits are the complement. */
static inline double dusk_ball_exponential(uint64_t hi, uint64_t lo)
{
    if (hi < DUSK_BALL_ROOT_HALF) return dusk_ball_minus_log(dusk_ball_uniform(hi, lo), 0);
    double w = dusk_ball_uniform(~hi, ~lo);
    return dusk_ball_log_ratio(w / (2 - w));
}

/* cos and sin of 2 pi V for a uniform V that begins with the 64 digits: each is off by
 * at most 5 u, what is not known included. x is the distance from the nearest quarter
 * turn, at most pi/4; Taylor's next terms are below 2^-58. */
static inline void dusk_ball_direction(double *cosine, double *sine, uint64_t digits)
{
    unsigned octant = (unsigned)(digits >> 61), quarter = (octant + 1) / 2 % 4;
    uint64_t rest = digits << 3;
    double x = (double)(octant % 2 ? ~rest : rest) * (2 * M_PI * 0x1p-67), y = x * x;
    double c = 1.0 / 20922789888000, s = 1.0 / 355687428096000; /* 16! and 17! */
    c = 1.0 / 87178291200 - y * c;
    c = 1.0 / 479001600 - y * c;
    c = 1.0 / 3628800 - y * c;
    c = 1.0 / 40320 - y * c;
    c = 1.0 / 720 - y * c;
    c = 1.0 / 24 - y * c;
    c = 1.0 / 2 - y * c;
    c = 1 - y * c;
    s = 1.0 / 1307674368000 - y * s;
    s = 1.0 / 6227020800 - y * s;
    s = 1.0 / 39916800 - y * s;
    s = 1.0 / 362880 - y * s;
    s = 1.0 / 5040 - y * s;
    s = 1.0 / 120 - y * s;
    s = 1.0 / 6 - y * s;
    s = x * (1 - y * s);
    if (octant % 2) s = -s;
    *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
    *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
}

/* A sum that loses one rounding in all [Neumaier 1974]. */
typedef struct dusk_ball_sum {
    double high, low;
} dusk_ball_sum;

static inline void dusk_ball_add(dusk_ball_sum *sum, double x)
{
    double s = sum->high + x, t = s - sum->high;
    sum->low += (sum->high - (s - t)) + (x - t);
    sum->high = s;
}

#endif
