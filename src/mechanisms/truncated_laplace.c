/* SPDX-License-Identifier: Apache-2.0 */
/* Truncated Laplace mechanism for one number: (epsilon, delta)-private noise that is
 * never larger than a public bound [Geng, Ding, Guo & Kumar 2020]. On the grid it is
 * the discrete law P(k) ~ exp(-|k|/b) on |k| <= A steps; the published A is for
 * densities, so that delta is derived anew for this law. How it is released:
 * noise_release.c. Proof: truncated_laplace.proof.md. */
#include <math.h>

#include "base/error.h"
#include "base/mutant.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"

double dusk_truncated_laplace_most(const dusk_noise *noise) { return ldexp(noise->shape, -noise->grid); }

DUSK_PROVEN(dusk_truncated_laplace_is_made)
bool dusk_truncated_laplace_is_made(const dusk_noise *noise)
{
    double steps = dusk_noise_sensitivity_in_steps(noise), most = dusk_truncated_laplace_most(noise);
    return noise->dimension == 1 && steps >= 1 && steps <= 0x1p100 && steps == floor(steps) && most >= 1 &&
           most <= 0x1p100 && most == floor(most);
}

/* 1 + q - 2 q^(A + 1), q = exp(-1/scale), as a sum of two positive numbers; rounded down. */
static double total_down(double most, double scale)
{
    double right = -dusk_expm1_up(dusk_div_up(-dusk_add_down(most, 1), scale));
    double left = -dusk_expm1_up(dusk_div_up(-most, scale));
    return dusk_add_down(right, dusk_mul_down(left, dusk_exp_down(dusk_div_down(-1, scale))));
}

/* q^(A - T + 1) (1 - q^T) over the total: the T outermost steps on one side. */
DUSK_PROVEN(delta_up)
static double delta_up(const dusk_noise *noise)
{
    double scale = dusk_noise_scale_in_steps(noise), steps = dusk_noise_sensitivity_in_steps(noise);
    double most = dusk_truncated_laplace_most(noise);
    double inside = dusk_sub_down(dusk_add_down(most, 1), steps); /* steps from 0 to the outermost T */
    double first = dusk_exp_up(dusk_div_up(-inside, scale));
    double sum = dusk_mul_up(first, -dusk_expm1_down(dusk_div_down(-steps, scale)));
    return dusk_div_up(sum, total_down(most, scale));
}

DUSK_PROVEN(dusk_truncated_laplace_event)
dusk_status dusk_truncated_laplace_event(const dusk_noise *noise, dusk_event *out, dusk_error *err)
{
    double delta = delta_up(noise);
    if (!(delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "make it with dusk_truncated_laplace_init",
                         "noise of at most %.3g is not private at sensitivity %.3g", noise->shape,
                         noise->grid_sensitivity);
    return dusk_event_approx(out, dusk_div_up(noise->grid_sensitivity, noise->scale), delta, err);
}

/* P(|K| > t) = 2 (q^(t+1) - q^(A+1)) over the total, and 0 from t = A on. */
DUSK_PROVEN(dusk_truncated_laplace_tail)
double dusk_truncated_laplace_tail(const dusk_noise *noise, double p)
{
    double scale = dusk_noise_scale_in_steps(noise), most = dusk_truncated_laplace_most(noise);
    double x = dusk_mul_down(p / 2, dusk_add_down(1, dusk_exp_down(dusk_div_down(-1, scale))));
    double end = dusk_exp_down(dusk_div_down(-dusk_add_up(most, 1), scale));
    x = dusk_add_down(x, dusk_mul_down(dusk_sub_down(1, p), end));
    x = dusk_mul_up(scale, -dusk_log_down(x)) - 1;
    return fmin(fmax(ceil(x * (1 + 0x1p-52)), 0), most); /* the subtraction was to nearest */
}

/* About the least A: q^(A + 1) <= delta (1 + q)/(exp(T/scale) - 1 + 2 delta). */
static double least_most(const dusk_noise *noise, double scale, double delta)
{
    double loss = dusk_noise_sensitivity_in_steps(noise) / scale;
    double spread = loss + log(-expm1(-loss) + 2 * delta * exp(-loss));
    return fmax(ceil(scale * (spread - log(delta) - log1p(exp(-1 / scale)))) - 1, 1);
}

DUSK_PROVEN(dusk_truncated_laplace_init)
dusk_status dusk_truncated_laplace_init(dusk_noise *out, double sensitivity, double epsilon, double delta,
                                        int grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_noise noise;
    double most;

    DUSK_TRY(dusk_noise_start(&noise, DUSK_TRUNCATED_LAPLACE, 1, sensitivity, epsilon, delta, err));
    DUSK_TRY(dusk_noise_place(&noise, 1 / epsilon, grid, err));
    noise.scale = dusk_div_up(noise.grid_sensitivity, epsilon);
    if (dusk_div_up(noise.grid_sensitivity, noise.scale) > epsilon) noise.scale *= 1 + 0x1p-50;
    DUSK_TRY(dusk_noise_check_scale(&noise, err));
    most = least_most(&noise, dusk_noise_scale_in_steps(&noise), delta);
    noise.shape = ldexp(most, noise.grid);
    for (double more = fmax(1, most * 0x1p-50); delta_up(&noise) > delta && more <= 16 + most; more *= 2)
        noise.shape = ldexp(ceil(most + more), noise.grid);
    DUSK_TRY(dusk_noise_settle(&noise, noise.scale, err));
    noise.shape = DUSK_MUTATE(TRUNCATED_TOO_EARLY, noise.shape, ldexp(ceil(most / 2), noise.grid));
    *out = noise;
done:
    return status;
}
