/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_EXP_KERNEL_H
#define DUSK_RANDOM_EXP_KERNEL_H

/* exp(-x) for x >= 0 with a bound on its error that rests on nothing but IEEE
 * arithmetic: |result - exp(-x)| <= DUSK_EXP_ERROR exp(-x) + 2^-1000, for every
 * x in [0, inf]. Argument: with n = rint(x log2 e) the remainder r = n ln 2 - x
 * is formed with ln 2 in two parts of 42 bits (off by 2^-89), whose products with
 * n <= 2^11 are exact, as is the first difference (the two are within a factor
 * of two, or n = 0): r is off by less than 2^-53; |r| <= 0.3466;
 * the Taylor polynomial of degree 13 is off by r^14 / 14! < 2^-57 and Horner's
 * rule by less than 2^-51; the scaling by 2^-n is exact. x is first cut at 700,
 * where exp(-x) < 2^-1009. quantile_kernel.c
 * has the same operations on vectors. */

#include <stdint.h>
#include <string.h>

#define DUSK_EXP_ERROR 0x1p-49
#define DUSK_EXP_TERMS 14
#define DUSK_EXP_CUT 700.0
#define DUSK_EXP_LOG2E 0x1.71547652b82fep+0
#define DUSK_EXP_LN2_HI 0x1.62e42fefa38p-1
#define DUSK_EXP_LN2_LO 0x1.ef35793c768p-45
#define DUSK_EXP_MAGIC 0x1.8p52 /* adding it rounds to a whole number, left in the low bits */

/* 1/13!, ..., 1/1!, 1/0! */
static const double dusk_exp_coefficient[DUSK_EXP_TERMS] = { 0x1.6124613a86d09p-33,
                                                             0x1.1eed8eff8d898p-29,
                                                             0x1.ae64567f544e4p-26,
                                                             0x1.27e4fb7789f5cp-22,
                                                             0x1.71de3a556c734p-19,
                                                             0x1.a01a01a01a01ap-16,
                                                             0x1.a01a01a01a01ap-13,
                                                             0x1.6c16c16c16c17p-10,
                                                             0x1.1111111111111p-7,
                                                             0x1.5555555555555p-5,
                                                             0x1.5555555555555p-3,
                                                             0.5,
                                                             1.0,
                                                             1.0 };

static inline double dusk_exp_kernel(double x)
{
    double cut = x < DUSK_EXP_CUT ? x : DUSK_EXP_CUT;
    double shifted = cut * DUSK_EXP_LOG2E + DUSK_EXP_MAGIC, n = shifted - DUSK_EXP_MAGIC;
    double r = (n * DUSK_EXP_LN2_HI - cut) + n * DUSK_EXP_LN2_LO, p = dusk_exp_coefficient[0], power;
    int64_t exponent;
    for (int i = 1; i < DUSK_EXP_TERMS; i++) p = p * r + dusk_exp_coefficient[i];
    memcpy(&exponent, &shifted, sizeof exponent);
    exponent = (1023 - (exponent & 0xfffff)) * ((int64_t)1 << 52);
    memcpy(&power, &exponent, sizeof power);
    return p * power;
}

#endif
