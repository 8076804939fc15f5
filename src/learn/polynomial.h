/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_POLYNOMIAL_H
#define DUSK_LEARN_POLYNOMIAL_H

/* Polynomials in Bernstein's form on the cube [0, 1]^width, of numbers that were released: post-processing. Of a function f on the lattice
 * {0, 1/k, ..., 1}^width Bernstein's operator makes B f(t) = sum over lattice points p of f(p) times the chance that binomial draws with
 * chances t are k p. B f is near f and smooth, and noise in the values of f mostly averages out. The iterated operator 1 - (1 - B)^h
 * [Micchelli 1973] is nearer, and averages less. Value (p_1, ..., p_width) is the one at p_1 (k+1)^(width-1) + ... + p_width. */

#include <stddef.h>

#include "base/error.h"
#include "base/platform.h"

#define LEARN_DEGREE_MOST 16
#define LEARN_POLYNOMIAL_WIDTH_MOST 16

/* (degree + 1)^width, or 0 when that is more than `most`. */
size_t learn_lattice_points(size_t degree, size_t width, size_t most);
/* The lattice point of a number: `out` has width numbers from 0 to degree. */
void learn_lattice_point(size_t number, size_t degree, size_t width, size_t *out);

/* A value, but for what it borrows. */
typedef struct learn_polynomial {
    size_t degree, width;
    size_t points; /* (degree + 1)^width */
    double *value; /* the coefficients: one a lattice point; borrowed */
} learn_polynomial;

/* Values of a function become the coefficients of the operator iterated `times` >= 1 times. */
DUSK_MUST_USE dusk_status learn_polynomial_iterate(learn_polynomial *polynomial, size_t times,
                                                   dusk_error *err);
/* At t in the cube; scratch: 2 * points numbers. */
double learn_polynomial_at(const learn_polynomial *polynomial, const double *t, double *scratch);
/* out = a t in the cube where the polynomial plus penalty |2 t - 1|^2 is small: the better of two descents, from the middle
 * and from the best point of the lattice. Finite whatever the coefficients are, as long as they are. */
DUSK_MUST_USE dusk_status learn_polynomial_minimum(const learn_polynomial *polynomial, double penalty,
                                                   double *out, dusk_error *err);

#endif
