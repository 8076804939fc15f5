/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_NUMERIC_REAL_H
#define DUSK_NUMERIC_REAL_H

/* Certified reals: enclose a number, refine until the question is decided.
 *
 * A real is a function that encloses it in an interval with MPFR ends, at a
 * precision it is asked for; numbers that depend on coins draw further digits
 * each time they are asked. dusk_real_sign and dusk_real_floor ask at ever
 * higher precision until all points of the enclosure give the same answer.
 * This is the only place where that loop is written; noise, selection and
 * thresholds all come here when their fast digits do not decide.
 *
 * Both end with probability one when the number has a continuous law; a number
 * that lies exactly on the boundary never ends, so after DUSK_REAL_STEPS steps
 * (thousands of bits) they answer DUSK_ERR_INTERNAL and the caller releases
 * nothing. */

#include <gmp.h>
#include <mpfr.h>

#include "base/error.h"
#include "base/platform.h"

#define DUSK_REAL_PRECISION 96 /* bits of the first enclosure, and how many more at each step */
#define DUSK_REAL_STEPS 64

/* A closed interval; both ends have the same precision. */
typedef struct dusk_interval {
    mpfr_t lo, hi;
} dusk_interval;

void dusk_interval_init(dusk_interval *x, mpfr_prec_t precision);
void dusk_interval_clear(dusk_interval *x);
/* Every operation rounds outward, so that the result encloses all values on
 * enclosed arguments. `out` may be one of them. */
void dusk_interval_set(dusk_interval *out, double x);
void dusk_interval_set_int(dusk_interval *out, dusk_int128 k);
void dusk_interval_add(dusk_interval *out, const dusk_interval *a, const dusk_interval *b);
void dusk_interval_sub(dusk_interval *out, const dusk_interval *a, const dusk_interval *b);
void dusk_interval_mul(dusk_interval *out, const dusk_interval *a, const dusk_interval *b);
void dusk_interval_div(dusk_interval *out, const dusk_interval *a, const dusk_interval *b); /* 0 not in b */
void dusk_interval_neg(dusk_interval *out, const dusk_interval *a);
void dusk_interval_scale(dusk_interval *out, const dusk_interval *a, long exponent); /* a 2^exponent */
void dusk_interval_exp(dusk_interval *out, const dusk_interval *a);
void dusk_interval_expm1(dusk_interval *out, const dusk_interval *a);
void dusk_interval_log(dusk_interval *out, const dusk_interval *a); /* a > 0; lo = 0 gives -inf */

/* hi - lo, rounded up: who of several numbers is known least. */
double dusk_interval_width(const dusk_interval *x);

/* Write an enclosure of the number into `out`, whose ends have a precision
 * that grows from call to call. Fails only for lack of coins. */
typedef dusk_status dusk_enclose(void *real, dusk_interval *out, dusk_error *err);

/* *sign = -1 or 1: the sign of a number that is not zero. */
DUSK_MUST_USE dusk_status dusk_real_sign(int *sign, dusk_enclose *enclose, void *real, dusk_error *err);
/* The largest integer not above the number, saturated at +-2^126. */
DUSK_MUST_USE dusk_status dusk_real_floor(dusk_int128 *out, dusk_enclose *enclose, void *real,
                                          dusk_error *err);

/* Quantile functions of the ideal laws, as decreasing functions of a tail
 * probability v in (0, 1]: enclose { Q(v) : v in the interval }. */
typedef enum dusk_tail {
    DUSK_TAIL_EXPONENTIAL = 0, /* -ln v: P(E > Q(v)) = v                     */
    DUSK_TAIL_HALF_NORMAL = 1, /* P(|Z| > Q(v)) = v                          */
    DUSK_TAIL_GUMBEL = 2       /* -ln(-ln(1-v)): P(G > Q(v)) = v; needs v < 1 */
} dusk_tail;
void dusk_tail_quantile(dusk_tail tail, dusk_interval *out, const dusk_interval *v);

#endif
