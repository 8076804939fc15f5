/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_NUMERIC_SPECIAL_H
#define DUSK_NUMERIC_SPECIAL_H

/* Special functions in double. Plain names are close (the relative error is
 * stated); names in _up and _down are bounds that hold. */

#include <stddef.h>

/* ln(1 - exp(-x)) for x > 0, relative error below 1e-14. */
double dusk_log1mexp(double x);
/* ln(exp(x_1) + ... + exp(x_n)); -inf for n = 0. The sum has relative error
 * below n * 1e-15, and its logarithm is then rounded once. */
double dusk_log_sum_exp(const double *x, size_t n);

/* Standard normal: lower tail, upper tail, and their inverses; relative error
 * below 1e-14 wherever the tail is at least 1e-300. */
double dusk_normal_cdf(double x);
double dusk_normal_sf(double x);             /* P(Z > x) */
double dusk_normal_log_sf(double x);         /* ln P(Z > x), any x */
double dusk_normal_quantile(double p);       /* x with P(Z <= x) = p */
double dusk_normal_upper_quantile(double p); /* x with P(Z > x) = p */
double dusk_normal_cdf_up(double x);
double dusk_normal_cdf_down(double x);

/* Regularised incomplete gamma P(a,x), Q(a,x) and beta I_x(a,b); relative
 * error below 1e-12 for a, b in [1e-3, 1e9] (1e-10 beyond 1e6), tails down to
 * 1e-300. Time grows like sqrt(max(a,b)). */
double dusk_gamma_p(double a, double x);
double dusk_gamma_q(double a, double x);
double dusk_beta_inc(double a, double b, double x);
/* The x with I_x(a,b) = p: at a point within 4e-16 x of it the smaller of
 * I_x and 1 - I_x is right to those errors. 0 or 1 where x rounds to it. */
double dusk_beta_inc_inv(double a, double b, double p);

#endif
