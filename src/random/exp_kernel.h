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
 * where exp(-x) < 2^-1009. Branch-free, so that loops over it become vector
 * code. */

#include <stdint.h>
#include <string.h>

#define DUSK_EXP_ERROR 0x1p-49

static inline double dusk_exp_kernel(double x)
{
    static const double coefficient[] = { 0x1.6124613a86d09p-33,
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
                                          1.0 }; /* 1/13!, ..., 1/1!, 1/0! */
    double cut = x < 700 ? x : 700, shifted = cut * 0x1.71547652b82fep+0 + 0x1.8p52, n = shifted - 0x1.8p52;
    double r = (n * 0x1.62e42fefa38p-1 - cut) + n * 0x1.ef35793c768p-45;
    double p = coefficient[0];
    for (int i = 1; i < 14; i++) p = p * r + coefficient[i];
    int64_t exponent;
    memcpy(&exponent, &shifted, sizeof exponent);
    exponent = (1023 - (exponent & 0xfffff)) * ((int64_t)1 << 52);
    double power;
    memcpy(&power, &exponent, sizeof power);
    return p * power;
}

#endif
