/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_NUMERIC_ROUNDING_H
#define DUSK_NUMERIC_ROUNDING_H

#include "base/error.h"

/* Directed rounding without touching the processor's rounding mode: each
 * operation is done to nearest, its exact residual found by an error-free
 * transformation, and the result moved one step when it lies on the wrong
 * side. f_up(x) >= the real value, f_down(x) <= it, both at most one step
 * away from the nearest double (two near underflow). Infinities and NaN pass
 * through as in IEEE arithmetic. */

/* For error bounds that are derived by hand: the relative error of one operation, and
 * what is allowed to a function of the C library, 4 ulp (tests/enclosure/libm.c). */
#define DUSK_UNIT 0x1p-53
#define DUSK_ULP (2 * DUSK_UNIT)
#define DUSK_LIBM (8 * DUSK_UNIT)

double dusk_add_up(double a, double b);
double dusk_add_down(double a, double b);
double dusk_sub_up(double a, double b);
double dusk_sub_down(double a, double b);
double dusk_mul_up(double a, double b);
double dusk_mul_down(double a, double b);
double dusk_div_up(double a, double b);
double dusk_div_down(double a, double b);
double dusk_sqrt_up(double x);
double dusk_sqrt_down(double x);

/* Elementary functions, correctly rounded in the direction named (MPFR; about
 * a microsecond each). */
double dusk_exp_up(double x);
double dusk_exp_down(double x);
double dusk_expm1_up(double x);
double dusk_expm1_down(double x);
double dusk_log_up(double x);
double dusk_log_down(double x);
double dusk_log1p_up(double x);
double dusk_log1p_down(double x);

/* All bounds rely on arithmetic that rounds to nearest and has subnormal numbers, which a program can switch off for its
 * threads: DUSK_ERR_UNSUPPORTED then. For those who begin something. */
DUSK_MUST_USE dusk_status dusk_check_arithmetic(dusk_error *err);

#endif
