/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_NUMERIC_ROOT_H
#define DUSK_NUMERIC_ROOT_H

/* Root finding with a bracket (after ITP: Oliveira & Takahashi 2020), in at
 * most 86 evaluations for any two doubles, usually 15 to 30. f must be
 * monotone in sign over [a, b]: f(a) and f(b) of opposite signs, or zero. On
 * return [*a, *b] is the final bracket, adjacent doubles or at most
 * `tolerance` apart (0: adjacent), with f(*a) and f(*b) still of opposite
 * signs: the caller takes the end that is safe for it. An x with f(x) = 0 ends
 * the search: then *a = *b = x. Returns 0, or -1 with *a and *b untouched when
 * the bracket was none (f is NaN, same signs, a > b). */
typedef double dusk_function(double x, const void *context);
int dusk_root_bracket(double *a, double *b, double tolerance, dusk_function *f, const void *context);

#endif
