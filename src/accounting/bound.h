/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_BOUND_H
#define DUSK_ACCOUNTING_BOUND_H

/* Arithmetic on enclosures with double ends, rounded outward: a real number x
 * is known as lower <= x <= upper. Where signs matter, the name says so. */

#include <math.h>
#include <stdint.h>

#include "dusk/accounting.h"
#include "numeric/rounding.h"

static inline dusk_bound dusk_bound_of(double x) { return (dusk_bound){ x, x }; }

static inline dusk_bound dusk_bound_of_whole(uint64_t n)
{
    double x = (double)n; /* to nearest; 2^64 at most */
    if (n < UINT64_C(1) << 53) return dusk_bound_of(x);
    return (dusk_bound){ nextafter(x, 0), nextafter(x, INFINITY) };
}

static inline dusk_bound dusk_bound_add(dusk_bound a, dusk_bound b)
{
    return (dusk_bound){ dusk_add_down(a.lower, b.lower), dusk_add_up(a.upper, b.upper) };
}

static inline dusk_bound dusk_bound_sub(dusk_bound a, dusk_bound b)
{
    return (dusk_bound){ dusk_sub_down(a.lower, b.upper), dusk_sub_up(a.upper, b.lower) };
}

static inline dusk_bound dusk_bound_neg(dusk_bound a) { return (dusk_bound){ -a.upper, -a.lower }; }

/* Factors that are not negative. */
static inline dusk_bound dusk_bound_mul(dusk_bound a, dusk_bound b)
{
    return (dusk_bound){ dusk_mul_down(a.lower, b.lower), dusk_mul_up(a.upper, b.upper) };
}

/* a >= 0, b > 0. */
static inline dusk_bound dusk_bound_div(dusk_bound a, dusk_bound b)
{
    return (dusk_bound){ dusk_div_down(a.lower, b.upper), dusk_div_up(a.upper, b.lower) };
}

static inline dusk_bound dusk_bound_exp(dusk_bound a)
{
    return (dusk_bound){ dusk_exp_down(a.lower), dusk_exp_up(a.upper) };
}

/* ln(1 + a), a > -1 (lower = -1 gives -inf). */
static inline dusk_bound dusk_bound_log1p(dusk_bound a)
{
    return (dusk_bound){ dusk_log1p_down(a.lower), dusk_log1p_up(a.upper) };
}

/* What is known to be a probability. */
static inline dusk_bound dusk_bound_clamp(dusk_bound a)
{
    return (dusk_bound){ a.lower > 0 ? a.lower : 0, a.upper < 1 ? a.upper : 1 };
}

#endif
