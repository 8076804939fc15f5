/* SPDX-License-Identifier: Apache-2.0 */
/* Subjects that are looked at bit by bit: noise of doubles, which is right on paper; what to
 * do instead (the snapping mechanism); and every additive noise of Dusk. Sensitivity 1, on the
 * values 0 and 1, where the holes are; noise that follows the data on 1 and 2. */
#include <math.h>

#include "audit/float_noise.h"
#include "audit/subject.h"
#include "base/error.h"
#include "dusk/audit_floats.h"
#include "dusk/mechanisms_numbers.h"
#include "numeric/rounding.h"

#define DELTA 1e-5
/* Draws a side where the options leave it open: what shows a set of a hundredth that is impossible on
 * the other side, as dusk_audit_bits wants it for a pass, for claims up to 10. */
static uint64_t draws_for(double epsilon)
{
    double wanted = 2000 * exp(epsilon);
    return (uint64_t)fmin(fmax(wanted, 0x1p20), 0x1p26);
}

static dusk_status audit_pair(dusk_suite_result *out, const dusk_sampler *sampler, double value, double scale,
                              double epsilon, double delta, const dusk_audit_options *options,
                              dusk_error *err)
{
    double values[2] = { value, value + 1 };
    dusk_input_pair pair = { .input = { &values[0], &values[1] }, .name = "one apart" };
    dusk_audit_options claim = *options;
    claim.event = NULL;
    claim.epsilon = epsilon;
    claim.delta = delta;
    if (claim.draws == 0) claim.draws = draws_for(epsilon);
    return dusk_audit_bits(&out->report, sampler, &pair, scale, &claim, err);
}

/* --- noise of doubles -------------------------------------------------------------------- */

/* What is claimed of it, and its scale. */
typedef enum noise_family { LAPLACE, GAUSSIAN, UNIFORM, SNAPPING } noise_family;

static dusk_status calibrate(double *scale, double *delta, noise_family family, double epsilon,
                             dusk_error *err)
{
    dusk_noise gaussian;
    dusk_status status = DUSK_OK;
    *scale = 1 / epsilon;
    *delta = 0;
    switch (family) {
    case LAPLACE: break;
    case SNAPPING: *scale = dusk_div_up(1 + 0x1p-29, epsilon); break;
    case GAUSSIAN:
        *delta = DELTA;
        status = dusk_gaussian_init(&gaussian, 1, 1, epsilon, DELTA, DUSK_GRID_DEFAULT, err);
        if (status == DUSK_OK) *scale = gaussian.scale;
        break;
    case UNIFORM: /* differs from its neighbour on 1/(2 scale) of it */
        *scale = 100;
        *delta = 1.0 / 200;
        break;
    }
    return status;
}

static dusk_status audit_noise(dusk_suite_result *out, audit_float_method *method, noise_family family,
                               double value, double epsilon, const dusk_audit_options *options,
                               dusk_error *err)
{
    audit_float_noise noise;
    uint64_t seed;
    double scale, delta;
    dusk_suite_result result = { .exact = family == SNAPPING ? NAN : INFINITY,
                                 .expected = family == SNAPPING ? DUSK_PASS : DUSK_VIOLATION };
    dusk_status status = DUSK_OK;
    DUSK_TRY(audit_seed(&seed, options->seed, err));
    DUSK_TRY(calibrate(&scale, &delta, family, epsilon, err));
    audit_float_noise_init(&noise, method, scale, seed);
    dusk_sampler sampler = audit_float_sampler(&noise);
    DUSK_TRY(audit_pair(&result, &sampler, value, scale, epsilon, delta, options, err));
    *out = result;
done:
    return status;
}

#define NOISE(function, method, family, value)                                                               \
    static dusk_status function(dusk_suite_result *out, double epsilon, const dusk_audit_options *options,   \
                                dusk_generator *gen, dusk_error *err)                                        \
    {                                                                                                        \
        (void)gen;                                                                                           \
        return audit_noise(out, method, family, value, epsilon, options, err);                               \
    }
NOISE(laplace, audit_float_laplace, LAPLACE, 0)
NOISE(laplace_32, audit_float_laplace_32, LAPLACE, 0)
NOISE(laplace_numpy, audit_float_laplace_numpy, LAPLACE, 0)
NOISE(laplace_difference, audit_float_laplace_difference, LAPLACE, 0)
NOISE(laplace_sign, audit_float_laplace_sign, LAPLACE, 0)
NOISE(laplace_single, audit_float_laplace_single, LAPLACE, 0)
NOISE(laplace_data_grid, audit_float_laplace_data_grid, LAPLACE, 1)
NOISE(box_muller, audit_float_box_muller, GAUSSIAN, 0)
NOISE(polar, audit_float_polar, GAUSSIAN, 0)
NOISE(ziggurat, audit_float_ziggurat, GAUSSIAN, 0)
NOISE(uniform, audit_float_uniform, UNIFORM, 0)
NOISE(snapping, audit_float_snapping, SNAPPING, 0)

/* --- noise of Dusk ------------------------------------------------------------------------ */

typedef struct release {
    dusk_noise noise;
    dusk_bounded_laplace bounded;
    bool is_bounded;
    dusk_generator *gen;
} release;

static dusk_status draw_release(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    release *r = context;
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < n && status == DUSK_OK; i++)
        status = r->is_bounded ? dusk_bounded_laplace_release(&r->bounded, &out[i], *input, r->gen, err)
                               : dusk_noise_release(&r->noise, &out[i], *input, r->gen, err);
    return status;
}

static dusk_status audit_release(dusk_suite_result *out, release *r, double value, double epsilon,
                                 const dusk_audit_options *options, dusk_error *err)
{
    dusk_suite_result result = { .exact = NAN, .expected = DUSK_PASS };
    dusk_sampler sampler = { .context = r, .input_length = 1, .output_length = 1, .draw = draw_release };
    double scale = r->is_bounded ? r->bounded.scale : r->noise.scale;
    double delta = r->is_bounded ? 0 : r->noise.promise.delta;
    dusk_status status = audit_pair(&result, &sampler, value, scale, epsilon, delta, options, err);
    if (status == DUSK_OK) *out = result;
    return status;
}

/* `init` makes r.noise or r.bounded. */
#define RELEASE(function, init, value, bounded_)                                                             \
    static dusk_status function(dusk_suite_result *out, double epsilon, const dusk_audit_options *options,   \
                                dusk_generator *gen, dusk_error *err)                                        \
    {                                                                                                        \
        release r = { .gen = gen, .is_bounded = bounded_ };                                                  \
        dusk_status status = init;                                                                           \
        return status == DUSK_OK ? audit_release(out, &r, value, epsilon, options, err) : status;            \
    }
RELEASE(own_laplace, dusk_laplace_init(&r.noise, 1, 1, epsilon, DUSK_GRID_DEFAULT, err), 0, false)
RELEASE(own_laplace_fine, dusk_laplace_init(&r.noise, 1, 1, epsilon, -50, err), 0.1, false)
RELEASE(own_laplace_far, dusk_laplace_init(&r.noise, 1, 1, epsilon, DUSK_GRID_DEFAULT, err), 1e10, false)
RELEASE(own_gaussian, dusk_gaussian_init(&r.noise, 1, 1, epsilon, DELTA, DUSK_GRID_DEFAULT, err), 0, false)
RELEASE(own_discrete_laplace, dusk_discrete_laplace_init(&r.noise, 1, 1, epsilon, 0, err), 0, false)
RELEASE(own_discrete_laplace_fine, dusk_discrete_laplace_init(&r.noise, 1, 1, epsilon, -30, err), 0.1, false)
RELEASE(own_discrete_gaussian, dusk_discrete_gaussian_init(&r.noise, 1, 1, epsilon, DELTA, 0, err), 0, false)
RELEASE(own_staircase, dusk_staircase_init(&r.noise, 1, epsilon, DUSK_GAMMA_ABSOLUTE, DUSK_GRID_DEFAULT, err),
        0, false)
RELEASE(own_truncated_laplace,
        dusk_truncated_laplace_init(&r.noise, 1, epsilon, DELTA, DUSK_GRID_DEFAULT, err), 0, false)
RELEASE(own_sinh_normal, dusk_sinh_normal_init(&r.noise, 1, epsilon, DELTA, DUSK_GRID_DEFAULT, err), 0, false)
RELEASE(own_bounded, dusk_bounded_laplace_init(&r.bounded, 0, 100, 1, epsilon, DUSK_GRID_DEFAULT, err), 0,
        true)

/* --- the table ---------------------------------------------------------------------------- */

#define ROW(name_, summary_, function)                                                                       \
    {                                                                                                        \
        .says = { .name = name_, .summary = summary_, .part = DUSK_SUITE_FLOATS }, .audit = function         \
    }
const audit_subject audit_float_subjects[] = {
    ROW("float.laplace", "Laplace noise by the inverse of its distribution, in doubles", laplace),
    ROW("float.laplace-32", "the same from 32 random bits", laplace_32),
    ROW("float.laplace-numpy", "Laplace noise as in numpy, in doubles", laplace_numpy),
    ROW("float.laplace-difference", "the difference of two exponential numbers, in doubles",
        laplace_difference),
    ROW("float.laplace-sign", "an exponential number with a random sign, in doubles", laplace_sign),
    ROW("float.laplace-single", "Laplace noise in single precision, added in double", laplace_single),
    ROW("float.laplace-data-grid", "rounded to 20 digits of the value: the grid tells it", laplace_data_grid),
    ROW("float.box-muller", "Gaussian noise by Box and Muller, in doubles", box_muller),
    ROW("float.polar", "Gaussian noise by the polar method, in doubles", polar),
    ROW("float.ziggurat", "Gaussian noise by the ziggurat, in doubles", ziggurat),
    ROW("float.uniform", "uniform noise, in doubles", uniform),
    ROW("float.snapping", "the snapping mechanism of Mironov: right", snapping),
    ROW("bits.laplace", "Dusk's Laplace noise, bit by bit", own_laplace),
    ROW("bits.laplace-fine", "the same on a grid of 2^-50, on 0.1 and 1.1", own_laplace_fine),
    ROW("bits.laplace-far", "the same on 1e10 and 1e10 + 1", own_laplace_far),
    ROW("bits.gaussian", "Dusk's Gaussian noise, bit by bit", own_gaussian),
    ROW("bits.discrete-laplace", "Dusk's discrete Laplace noise, bit by bit", own_discrete_laplace),
    ROW("bits.discrete-laplace-fine", "the same on a grid of 2^-30, on 0.1 and 1.1",
        own_discrete_laplace_fine),
    ROW("bits.discrete-gaussian", "Dusk's discrete Gaussian noise, bit by bit", own_discrete_gaussian),
    ROW("bits.staircase", "Dusk's staircase noise, bit by bit", own_staircase),
    ROW("bits.truncated-laplace", "Dusk's truncated Laplace noise, bit by bit", own_truncated_laplace),
    ROW("bits.sinh-normal", "Dusk's sinh-normal noise, bit by bit", own_sinh_normal),
    ROW("bits.bounded-laplace", "Dusk's Laplace noise in a range, bit by bit", own_bounded),
    { .says = { .name = NULL } },
};
