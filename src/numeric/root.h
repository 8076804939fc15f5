/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_NUMERIC_ROOT_H
#define DUSK_NUMERIC_ROOT_H

/* Root finding with a bracket (ITP: Oliveira & Takahashi 2020, never worse
 * than bisection). f must be monotone in sign over [a, b]: f(a) and f(b) of
 * opposite signs, or zero. On return [*a, *b] is the final bracket, adjacent
 * doubles or at most `tolerance` apart (0: adjacent), with f(*a) and f(*b)
 * still of opposite signs: the caller takes the end that is safe for it.
 * Returns 0, or -1 when the bracket was none (f is NaN, same signs). */
typedef double dusk_function(double x, const void *context);
int dusk_root_bracket(double *a, double *b, double tolerance, dusk_function *f, const void *context);

#endif
