/* SPDX-License-Identifier: Apache-2.0 */
/* Staircase mechanism for one number [Geng & Viswanath 2014]: of all additive
 * noise that is epsilon-private the one of least expected error. The density has
 * stairs of the width of the sensitivity, falls by exp(-epsilon) from stair to stair, and
 * takes that fall after the part gamma of each: a stair is a high part and a low part.
 * Both widths are whole half steps of the grid, so that rounding to the grid is exact with
 * integers (random/staircase.c). How it is released: noise_release.c. Proof:
 * staircase.proof.md. */
#include <math.h>

#include "base/error.h"
#include "base/mutant.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"

/* 1 / epsilon of the law that is drawn: less noise than `scale` says, by an ulp. */
double dusk_staircase_ratio(const dusk_noise *noise)
{
    return dusk_div_down(noise->scale, noise->grid_sensitivity);
}

double dusk_staircase_inner(const dusk_noise *noise) { return ldexp(noise->shape, 1 - noise->grid); }

DUSK_PROVEN(dusk_staircase_is_made)
bool dusk_staircase_is_made(const dusk_noise *noise)
{
    double steps = dusk_noise_sensitivity_in_steps(noise), inner = dusk_staircase_inner(noise);
    double ratio = dusk_staircase_ratio(noise);
    return noise->dimension == 1 && steps >= 1 && steps <= 0x1p100 && steps == floor(steps) && inner >= 1 &&
           inner == floor(inner) && inner < 2 * steps && ratio >= 0x1p-40 && ratio <= 0x1p60;
}

double dusk_staircase_epsilon_up(const dusk_noise *noise)
{
    return dusk_div_up(1, dusk_staircase_ratio(noise));
}

/* gamma, rounded toward 1/2, where it costs more. */
DUSK_PROVEN(dusk_staircase_event)
dusk_status dusk_staircase_event(const dusk_noise *noise, dusk_event *out, dusk_error *err)
{
    double whole = noise->grid_sensitivity, high = noise->shape;
    double gamma = high < whole / 2 ? dusk_div_up(high, whole) : dusk_div_down(high, whole);
    return dusk_event_staircase(out, dusk_staircase_epsilon_up(noise), gamma, err);
}

/* With the stairs up to g - 1 within t nothing beyond exp(-g epsilon) is left; stair g is then
 * cut at half step x, what lies behind being `left` of the stair at most. */
DUSK_PROVEN(dusk_staircase_tail)
double dusk_staircase_tail(const dusk_noise *noise, double p)
{
    double ratio = dusk_staircase_ratio(noise), inner = dusk_staircase_inner(noise);
    double twice = 2 * dusk_noise_sensitivity_in_steps(noise);
    double g = ceil(dusk_mul_up(ratio, -dusk_log_down(p))) - 1; /* exp(-(g + 1)/ratio) <= p */
    double fall = dusk_exp_up(dusk_div_up(-1, ratio)), drop = -dusk_expm1_down(dusk_div_down(-1, ratio));
    double left = dusk_mul_down(p, dusk_exp_down(dusk_div_down(g, ratio)));
    left = fmax(dusk_div_down(dusk_sub_down(left, fall), drop), 0);
    double fall_down = dusk_exp_down(dusk_div_down(-1, ratio));
    double weight =
        dusk_mul_down(left, dusk_add_down(inner, dusk_mul_down(dusk_sub_down(twice, inner), fall_down)));
    double x = dusk_sub_up(twice, dusk_div_down(weight, fall));
    if (x < inner)
        x = fmin(dusk_sub_up(dusk_add_up(inner, dusk_mul_up(dusk_sub_up(twice, inner), fall)), weight),
                 inner);
    double half_steps = dusk_add_up(dusk_mul_up(g, twice), fmin(fmax(ceil(x), 0), twice));
    return fmax(ceil(dusk_sub_up(half_steps, 1) / 2), 0);
}

/* The gamma of least expected absolute or squared error [Geng & Viswanath 2014, Theorems 6 and 7],
 * the second written with b (1 - b)^3 (1 + b) = b - 2 b^2 + 2 b^4 - b^5. */
static double best_gamma(double wanted, double epsilon)
{
    double b = exp(-epsilon), root = cbrt(b * (1 + b) / 2);
    if (wanted == DUSK_GAMMA_ABSOLUTE) return 1 / (1 + exp(epsilon / 2));
    return epsilon < 1e-5 ? 0.5 : (root - b) / (1 - b);
}

/* Whole half steps, with no more digits than a double has. */
static double high_part(const dusk_noise *noise, double gamma)
{
    double twice = 2 * dusk_noise_sensitivity_in_steps(noise);
    double inner = fmin(fmax(rint(gamma * twice), 1), fmax(twice - 1, 1));
    while (!(inner < twice)) inner = nextafter(inner, 0); /* beyond 2^53 the double below is whole too */
    return ldexp(inner, noise->grid - 1);
}

DUSK_PROVEN(dusk_staircase_init)
dusk_status dusk_staircase_init(dusk_noise *out, double sensitivity, double epsilon, double gamma, int grid,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool best = gamma == DUSK_GAMMA_ABSOLUTE || gamma == DUSK_GAMMA_SQUARED;
    dusk_noise noise;

    DUSK_TRY(dusk_noise_start(&noise, DUSK_STAIRCASE, 1, sensitivity, epsilon, 0, err));
    if (!best && !(gamma > 0 && gamma < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "DUSK_GAMMA_ABSOLUTE gives the least expected error",
                         "gamma must be above 0 and below 1");
    if (!(epsilon >= 0x1p-60 && epsilon <= 0x1p40))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "common choices lie between 0.1 and 10",
                         "staircase noise is made for epsilon from 2^-60 to 2^40 only");
    DUSK_TRY(dusk_noise_place(&noise, 1 / epsilon, grid, err));
    noise.shape = high_part(&noise, best ? best_gamma(gamma, epsilon) : gamma);
    DUSK_TRY(dusk_noise_settle(&noise, dusk_div_up(noise.grid_sensitivity, epsilon), err));
    noise.scale = DUSK_MUTATE(STAIRCASE_SCALE_HALVED, noise.scale, noise.scale / 2);
    *out = noise;
done:
    return status;
}
