/* SPDX-License-Identifier: Apache-2.0 */
/* Smooth sensitivity [Nissim, Raskhodnikova & Smith 2007]: noise S(x)/r Z where S
 * bounds how far f moves between x and its neighbours, and itself changes by a
 * factor of at most e^beta. How large r may be is in smooth_noise.c.
 *
 * The scale is private. So the answer is floor((f + S/r Z)/g + 1/2) on a grid g that
 * does not know S, for the ideal Z and exact reals: a function of the ideal answer.
 * S is never taken below 2^-20 steps: the larger of a beta-smooth function and a
 * constant is beta-smooth, so S = 0 needs no law of its own. Proof:
 * smooth_sensitivity.proof.md. */
#include "mechanisms/smooth_sensitivity.h"

#include <math.h>

#include "base/error.h"
#include "base/mutant.h"
#include "base/taint.h"
#include "mechanisms/noise.h"
#include "mechanisms/request.h"
#include "numeric/fixed_sum.h"
#include "numeric/real.h"
#include "numeric/rounding.h"
#include "numeric/special.h"
#include "random/noise_scaled.h"
#include "random/record.h"
#include "random/rounded.h"

#define LEAST_STEPS 0x1p-20 /* of S */
#define MOST_STEPS 0x1p100  /* of S; values end at half of it on either side */

double dusk_smooth_inner_beta(double beta)
{
    return DUSK_MUTATE(SMOOTH_ROUNDED_UP_ONLY, dusk_sub_down(beta, dusk_log1p_up(DUSK_SMOOTH_ETA)), beta);
}

/* --- calibration ----------------------------------------------------------------- */

static bool is_pure(dusk_smooth_law law) { return law == DUSK_SMOOTH_CAUCHY || law == DUSK_SMOOTH_STUDENT_T; }

static dusk_status check_promise(dusk_smooth_law law, uint32_t degrees, double epsilon, double delta,
                                 dusk_error *err)
{
    if (law < DUSK_SMOOTH_CAUCHY || law > DUSK_SMOOTH_GAUSSIAN)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose DUSK_SMOOTH_STUDENT_T or another of its kin",
                         "there is no such noise for smooth sensitivity");
    if (degrees < 1 || degrees > DUSK_STUDENT_T_DEGREES_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "2 or 3 is a good choice",
                         "Student's t needs 1 to %d degrees of freedom", DUSK_STUDENT_T_DEGREES_MAX);
    if (!(epsilon > 0 && epsilon <= 500))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "common choices lie between 0.1 and 10",
                         "epsilon must be above 0 and at most 500");
    if (is_pure(law) && delta != 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave delta away, or use Laplace or Gaussian noise",
                         "this noise keeps epsilon alone and takes no delta");
    if (!is_pure(law) && !(delta > 0 && delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a small probability such as 1e-6, or use Student's t",
                         "delta must be above 0 and below 1 for Laplace and Gaussian noise");
    return DUSK_OK;
}

/* The usual beta makes beta r nearly as large as can be: where rows lie evenly S grows
 * like 1 / beta, and that is the least noise then. Any beta is sound, so these need not
 * be exact. Student's t: by trying. */
static double student_t_beta(uint32_t degrees, double epsilon)
{
    double best = 0, most = 0;
    for (int i = 1; i < 20; i++) {
        double beta = epsilon / degrees * i / 20;
        double product = beta * dusk_smooth_student_t_ratio(degrees, beta, epsilon);
        if (product > most) {
            most = product;
            best = beta;
        }
    }
    return best;
}

/* delta is about beta/2 exp(-(epsilon - r) / beta). */
static double laplace_beta(double epsilon, double delta)
{
    double beta = epsilon / 20;
    for (int i = 0; i < 30; i++) beta = epsilon / (2 * fmax(log(beta / (2 * delta)), 0.5) + 1);
    return beta;
}

/* The loss u deviations out, u being that of delta, is about r^2/2 + r u + beta u^2. */
static double gaussian_beta(double epsilon, double delta)
{
    double u = fmax(dusk_normal_upper_quantile(delta), 1);
    double r = (sqrt(4 * u * u + 6 * epsilon) - 2 * u) / 3;
    return fmin((epsilon - r * u - r * r / 2) / (u * u), epsilon / 2);
}

static double usual_beta(dusk_smooth_law law, uint32_t degrees, double epsilon, double delta)
{
    if (law == DUSK_SMOOTH_LAPLACE) return laplace_beta(epsilon, delta);
    if (law == DUSK_SMOOTH_GAUSSIAN) return gaussian_beta(epsilon, delta);
    return student_t_beta(degrees, epsilon);
}

static dusk_status place(dusk_smooth *smooth, int grid, dusk_error *err)
{
    if (grid < DUSK_GRID_MIN || grid > DUSK_GRID_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "measure the value in another unit",
                         "the grid 2^%d lies outside 2^%d .. 2^%d", grid, DUSK_GRID_MIN, DUSK_GRID_MAX);
    smooth->grid = grid;
    smooth->least = ldexp(LEAST_STEPS, grid);
    return DUSK_OK;
}

dusk_status dusk_smooth_init(dusk_smooth *out, dusk_smooth_law law, uint32_t degrees, double beta,
                             double epsilon, double delta, int grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_smooth smooth = { .law = law,
                           .degrees = law == DUSK_SMOOTH_STUDENT_T ? degrees : 1,
                           .promise = { epsilon, delta } };

    DUSK_TRY(check_promise(law, smooth.degrees, epsilon, delta, err));
    DUSK_TRY(place(&smooth, grid, err));
    if (!(beta == 0 || (dusk_smooth_inner_beta(beta) > 0 && isfinite(beta))))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "0 stands for the usual choice",
                         "beta must be 0, or finite and above 1e-9: rounding changes a sensitivity as much");
    smooth.beta = beta > 0 ? beta : usual_beta(law, smooth.degrees, epsilon, delta);
    smooth.ratio = dusk_smooth_ratio(law, smooth.degrees, smooth.beta, epsilon, delta);
    for (int i = 0; i < 10 && beta == 0 && smooth.ratio == 0; i++) { /* a guess that went too far */
        smooth.beta /= 1.5;
        smooth.ratio = dusk_smooth_ratio(law, smooth.degrees, smooth.beta, epsilon, delta);
    }
    if (!(smooth.ratio >= 0x1p-60 && dusk_smooth_inner_beta(smooth.beta) > 0))
        return dusk_fail(
            err, DUSK_ERR_ARGUMENT,
            beta > 0 ? "take a smaller beta, or 0 for the usual choice" : "take a larger epsilon",
            "no noise keeps epsilon %.6g when the sensitivity changes by exp(%.6g)", epsilon, smooth.beta);
    *out = smooth;
done:
    return status;
}

/* The fields are public, so somebody may have filled them by hand. */
static dusk_status check_smooth(const dusk_smooth *smooth, dusk_error *err)
{
    dusk_status status =
        check_promise(smooth->law, smooth->degrees, smooth->promise.epsilon, smooth->promise.delta, err);
    if (status != DUSK_OK) return status;
    if (smooth->beta > 0 && smooth->ratio > 0 && smooth->grid >= DUSK_GRID_MIN &&
        smooth->grid <= DUSK_GRID_MAX && smooth->least == ldexp(LEAST_STEPS, smooth->grid) &&
        dusk_smooth_is_enough(smooth))
        return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "make it with dusk_smooth_init", "the mechanism was never made");
}

/* --- the sensitivity --------------------------------------------------------------- */

/* NaN counts as the largest. */
static double limit_sensitivity(const dusk_smooth *smooth, double sensitivity)
{
    double most = ldexp(MOST_STEPS, smooth->grid);
    if (isnan(sensitivity)) return most;
    return fmin(fmax(sensitivity, DUSK_MUTATE(SMOOTH_NO_FLOOR, smooth->least, 0x1p-1060)), most);
}

DUSK_PROVEN(dusk_smooth_sensitivity)
double dusk_smooth_sensitivity(const dusk_smooth *smooth, const double *local, size_t n)
{
    double beta = dusk_smooth_inner_beta(smooth->beta), most = 0;
    for (size_t k = 0; k < n && (double)k * beta < 700; k++)
        most = fmax(most, limit_sensitivity(smooth, local[k]) * exp(-beta * (double)k));
    return fmax(most * (1 + DUSK_SMOOTH_ETA / 2), smooth->least);
}

/* --- release ------------------------------------------------------------------------- */

static double limit_value(const dusk_smooth *smooth, double value)
{
    double most = ldexp(MOST_STEPS / 2, smooth->grid);
    return isnan(value) ? 0 : fmin(fmax(value, -most), most);
}

#ifdef DUSK_TESTING
static void record_draw(const dusk_smooth *smooth, double value, double sensitivity, dusk_int128 *steps,
                        dusk_generator *gen)
{
    dusk_record_header header = {
        .what = "smooth",
        .norm = DUSK_RECORD_SMOOTH,
        .sensitivity = smooth->beta,
        .epsilon = smooth->promise.epsilon,
        .delta = smooth->promise.delta,
        .parameter = { { "law", smooth->law },
                       { "degrees", smooth->degrees },
                       { "grid", smooth->grid },
                       { "ratio", smooth->ratio } },
    };
    dusk_record_at at = dusk_record_begin(gen, &header);
    dusk_record_real(at, 0, value, NULL);
    dusk_record_real(at, 1, sensitivity, NULL);
    dusk_record_output(at, steps, sizeof *steps);
}
#endif

DUSK_PROVEN(dusk_smooth_release_steps)
dusk_status dusk_smooth_release_steps(const dusk_smooth *smooth, dusk_int128 *steps, double value,
                                      double sensitivity, unsigned width, dusk_generator *gen,
                                      dusk_error *err)
{
    dusk_scaled draw = {
        .law = smooth->law == DUSK_SMOOTH_LAPLACE    ? DUSK_SCALED_LAPLACE
               : smooth->law == DUSK_SMOOTH_GAUSSIAN ? DUSK_SCALED_GAUSSIAN
                                                     : DUSK_SCALED_STUDENT_T,
        .degrees = smooth->degrees,
        .value = limit_value(smooth, value),
        .scale = limit_sensitivity(smooth, sensitivity),
        .divisor = smooth->ratio,
        .grid = smooth->grid,
    };
    dusk_status status = dusk_scaled_draw(&draw, steps, width, gen, err);
    DUSK_RECORD(if (status == DUSK_OK) record_draw(smooth, draw.value, draw.scale, steps, gen);)
    if (status == DUSK_OK) DUSK_DECLASSIFY(steps, sizeof *steps);
    return status;
}

DUSK_PROVEN(dusk_smooth_release)
dusk_status dusk_smooth_release(const dusk_smooth *smooth, double *out, double value, double sensitivity,
                                dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_int128 steps;

    DUSK_TRY(check_smooth(smooth, err));
    DUSK_TRY(dusk_smooth_release_steps(smooth, &steps, value, sensitivity, DUSK_WIDTH_FULL, gen, err));
    *out = dusk_fixed_value(steps, smooth->grid);
done:
    return status;
}

/* --- what it says about itself ---------------------------------------------------------- */

DUSK_PROVEN(dusk_smooth_event)
dusk_status dusk_smooth_event(const dusk_smooth *smooth, dusk_event *out, dusk_error *err)
{
    dusk_status status = check_smooth(smooth, err);
    if (status != DUSK_OK) return status;
    if (is_pure(smooth->law)) return dusk_event_pure(out, smooth->promise.epsilon, err);
    return dusk_event_approx(out, smooth->promise.epsilon, smooth->promise.delta, err);
}

double dusk_smooth_tail_up(const dusk_smooth *smooth, double p)
{
    dusk_scaled_law law = smooth->law == DUSK_SMOOTH_LAPLACE    ? DUSK_SCALED_LAPLACE
                          : smooth->law == DUSK_SMOOTH_GAUSSIAN ? DUSK_SCALED_GAUSSIAN
                                                                : DUSK_SCALED_STUDENT_T;
    dusk_interval t, v;
    dusk_interval_init(&t, 96);
    dusk_interval_init(&v, 96);
    dusk_interval_set(&v, p);
    dusk_scaled_quantile(law, smooth->degrees, &t, &v);
    double result = mpfr_get_d(t.hi, MPFR_RNDU);
    dusk_interval_clear(&t);
    dusk_interval_clear(&v);
    return result;
}

DUSK_PROVEN(dusk_smooth_interval)
dusk_status dusk_smooth_interval(const dusk_smooth *smooth, double *multiple, double confidence,
                                 dusk_error *err)
{
    dusk_status status = check_smooth(smooth, err);
    if (status != DUSK_OK) return status;
    if ((status = dusk_request_confidence(confidence, err)) != DUSK_OK) return status;
    *multiple = dusk_div_up(dusk_smooth_tail_up(smooth, dusk_sub_down(1, confidence)), smooth->ratio);
    return DUSK_OK;
}
