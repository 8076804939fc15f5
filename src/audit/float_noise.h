/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_FLOAT_NOISE_H
#define DUSK_AUDIT_FLOAT_NOISE_H

/* Noise as people write it: right for real numbers, and made of doubles. Subjects of
 * audits only. */

#include <stdbool.h>

#include "audit/coins.h"
#include "dusk/audit_mechanisms.h"

typedef struct audit_float_noise audit_float_noise;

/* An output: the value with noise of the scale around it. */
typedef double audit_float_method(audit_float_noise *noise, double value);

enum { AUDIT_STRIPS = 128 };
struct audit_float_noise {
    audit_float_method *method;
    double scale; /* b, sigma, or half the width */
    audit_coins coins;
    bool has_other; /* of a pair */
    double other;
    double strip[AUDIT_STRIPS + 1]; /* edges of the ziggurat */
};
void audit_float_noise_init(audit_float_noise *noise, audit_float_method *method, double scale,
                            uint64_t seed);

/* Laplace noise of scale b: by the inverse of its distribution function from 53 and 32 random bits;
 * as numpy's legacy generator; the difference of two exponential numbers; an exponential
 * number with a random sign; in single precision; rounded to a grid that follows the value. */
audit_float_method audit_float_laplace, audit_float_laplace_32, audit_float_laplace_numpy,
    audit_float_laplace_difference, audit_float_laplace_sign, audit_float_laplace_single,
    audit_float_laplace_data_grid;
/* Gaussian noise of deviation sigma: Box & Muller's, the polar method, the ziggurat. */
audit_float_method audit_float_box_muller, audit_float_polar, audit_float_ziggurat;
/* Uniform noise on (-scale, scale). */
audit_float_method audit_float_uniform;
/* Mironov's snapping mechanism: Laplace noise of scale b, private for
 * epsilon = (1 + 2^-29) / b and sensitivity 1. Values are clamped to 2^20. */
audit_float_method audit_float_snapping;

/* A sampler of one output from one value. */
dusk_sampler audit_float_sampler(audit_float_noise *noise);

#endif
