/* SPDX-License-Identifier: Apache-2.0 */
/* Directed rounding from error-free transformations: Fast2Sum (Dekker 1971;
 * free of spurious overflow: Boldo, Graillat, Muller 2017) and the residuals
 * of *, / and sqrt that one fma gives exactly (Muller et al., Handbook of
 * Floating-Point Arithmetic, 2nd ed., section 4.4). Where a residual could
 * underflow the operands are scaled by powers of two first, so the results
 * are the correctly rounded ones everywhere.
 *
 * Elementary functions go through MPFR: its result at 53 bits, rounded again
 * in the same direction to the (coarser) grid of doubles, is the directed
 * rounding of the real value also among subnormals and beyond DBL_MAX. They
 * say nothing about the inexact flag and do not look at the rounding mode. */
#include "numeric/rounding.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/mutant.h"

/* --- neighbours -------------------------------------------------------- */

static double next_up(double x)
{
    if (!(x < INFINITY)) return x;
    if (x == 0) return DBL_TRUE_MIN;
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += x > 0 ? 1 : -1;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double next_down(double x) { return -next_up(-x); }

/* `nearest` lies below the real value by `residual` (any positive multiple
 * of it will do): the smallest double that is not below the real value. */
static double step_up(double nearest, double residual) { return residual > 0 ? next_up(nearest) : nearest; }
static double step_down(double nearest, double residual)
{
    return residual < 0 ? next_down(nearest) : nearest;
}

/* An infinite result of finite operands is an overflow: the real value is
 * finite, so the bound on its near side is the largest finite double. */
static double overflow_up(double x) { return x < 0 ? -DBL_MAX : x; }
static double overflow_down(double x) { return x > 0 ? DBL_MAX : x; }

static bool overflowed(double result, double a, double b)
{
    return isinf(result) && isfinite(a) && isfinite(b);
}

/* --- sums -------------------------------------------------------------- */

/* a + b - fl(a + b), exactly; NaN when the sum is not finite. */
static double sum_residual(double a, double b, double sum)
{
    double large = fabs(a) >= fabs(b) ? a : b;
    double small = fabs(a) >= fabs(b) ? b : a;
    return small - (sum - large);
}

double dusk_add_up(double a, double b)
{
    double sum = a + b;
    if (overflowed(sum, a, b)) return overflow_up(sum);
    return step_up(sum, sum_residual(a, b, sum));
}

double dusk_add_down(double a, double b)
{
    double sum = a + b;
    if (overflowed(sum, a, b)) return overflow_down(sum);
    return step_down(sum, sum_residual(a, b, sum));
}

double dusk_sub_up(double a, double b) { return dusk_add_up(a, -b); }
double dusk_sub_down(double a, double b) { return dusk_add_down(a, -b); }

/* --- products ---------------------------------------------------------- */

/* A number with the sign of a b - fl(a b). The residual is a multiple of the
 * product of the last places of a and b, which is representable when
 * |product| >= 2^-968; below that |a|, |b| < 2^107 (or one of them is zero),
 * so scaling by 2^600 is exact and keeps every bit above underflow. */
static double product_residual(double a, double b, double product)
{
    if (fabs(product) >= 0x1p-968) return fma(a, b, -product);
    return fma(a * 0x1p600, b * 0x1p600, -(product * 0x1p600 * 0x1p600));
}

double dusk_mul_up(double a, double b)
{
    double product = a * b;
    if (overflowed(product, a, b)) return overflow_up(product);
    return step_up(product, product_residual(a, b, product));
}

double dusk_mul_down(double a, double b)
{
    double product = a * b;
    if (overflowed(product, a, b)) return overflow_down(product);
    return step_down(product, product_residual(a, b, product));
}

/* --- quotients --------------------------------------------------------- */

/* A number with the sign of a / b - fl(a / b), for finite a, b with b != 0.
 * With both significands scaled into [1/2, 1) nothing can underflow:
 * quotient * 2^(eb - ea) is 0 or close to [1/2, 2]. */
static double quotient_residual(double a, double b, double quotient)
{
    double size = fabs(a), residual;
    if (size > 0x1p-900 && size < 0x1p900 && fabs(quotient) > 0x1p-1000) {
        residual = fma(-quotient, b, a);
    } else {
        int ea, eb;
        double ma = frexp(a, &ea), mb = frexp(b, &eb);
        residual = fma(-ldexp(quotient, eb - ea), mb, ma);
    }
    return signbit(b) ? -residual : residual;
}

double dusk_div_up(double a, double b)
{
    double quotient = a / b;
    if (!isfinite(a) || !isfinite(b) || b == 0) return quotient;
    if (isinf(quotient)) return overflow_up(quotient);
    return step_up(quotient, quotient_residual(a, b, quotient));
}

double dusk_div_down(double a, double b)
{
    double quotient = a / b;
    if (!isfinite(a) || !isfinite(b) || b == 0) return quotient;
    if (isinf(quotient)) return overflow_down(quotient);
    return step_down(quotient, quotient_residual(a, b, quotient));
}

/* --- square roots ------------------------------------------------------ */

/* A number with the sign of sqrt(x) - fl(sqrt(x)). IEEE makes sqrt correctly
 * rounded; tiny x are scaled by an even power so that root^2 keeps its bits. */
static double root_residual(double x, double root)
{
    if (x >= 0x1p-900) return fma(-root, root, x);
    return fma(-(root * 0x1p100), root * 0x1p100, x * 0x1p200);
}

double dusk_sqrt_up(double x)
{
    double root = sqrt(x);
    return isinf(x) ? root : step_up(root, root_residual(x, root));
}

double dusk_sqrt_down(double x)
{
    double root = sqrt(x);
    return isinf(x) ? root : step_down(root, root_residual(x, root));
}

/* --- elementary functions ---------------------------------------------- */

typedef int wide_function(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t direction);

static double elementary(wide_function *function, double x, mpfr_rnd_t direction)
{
    MPFR_DECL_INIT(wide, DBL_MANT_DIG);
    mpfr_set_d(wide, x, MPFR_RNDN); /* exact */
    function(wide, wide, direction);
    return mpfr_get_d(wide, direction);
}

double dusk_exp_up(double x)
{
    return elementary(mpfr_exp, x, DUSK_MUTATE(ROUNDING_UP_IS_NEAREST, MPFR_RNDU, MPFR_RNDN));
}

double dusk_exp_down(double x) { return elementary(mpfr_exp, x, MPFR_RNDD); }
double dusk_expm1_up(double x) { return elementary(mpfr_expm1, x, MPFR_RNDU); }
double dusk_expm1_down(double x) { return elementary(mpfr_expm1, x, MPFR_RNDD); }
double dusk_log_up(double x) { return elementary(mpfr_log, x, MPFR_RNDU); }

double dusk_log_down(double x)
{
    return elementary(mpfr_log, x, DUSK_MUTATE(ROUNDING_DOWN_IS_TO_ZERO, MPFR_RNDD, MPFR_RNDZ));
}

double dusk_log1p_up(double x) { return elementary(mpfr_log1p, x, MPFR_RNDU); }
double dusk_log1p_down(double x) { return elementary(mpfr_log1p, x, MPFR_RNDD); }

/* --- what all of it relies on -------------------------------------------- */

dusk_status dusk_check_arithmetic(dusk_error *err)
{
    const volatile double one = 1, tiny = 0x1p-60, least = DBL_MIN;
    const bool nearest = one + tiny == 1 && one - tiny == 1 && -one - tiny == -1;
    if (DUSK_MUTATE(ARITHMETIC_IS_NOT_CHECKED, nearest && least / 2 > 0, true)) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED,
                     nearest ? "keep subnormal numbers: no fast-math, in no library that the program loads"
                             : "call fesetround(FE_TONEAREST) first",
                     nearest ? "arithmetic of this thread takes small numbers for zero"
                             : "arithmetic of this thread does not round to nearest");
}
