/* SPDX-License-Identifier: Apache-2.0 */
/* Sinh-normal mechanism for one number [Bun, Dwork, Rothblum & Steinke 2018]: Gaussian
 * noise of deviation sigma whose tails are bent, A arsinh(N(0, sigma^2)/A), is (rho,
 * omega)-truncated concentrated. The paper has rho = 16 D^2/(2 sigma^2) and omega = A/(8 D);
 * sinh_normal.proof.md has a proof of its own and a smaller factor, from 1.2 to
 * 7.7 at that omega, which is what the scale is calibrated to. How it is
 * released: noise_release.c. */
#include <math.h>

#include "accounting/account.h"
#include "base/error.h"
#include "base/mutant.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"

#define BEND 8.0   /* A = 8 omega D, as in the paper */
#define SLOPE 0.77 /* above 4/(3 sqrt(3)), the steepest slope of 1/cosh^2 */
#define SETTLED (1 - 0x1p-40)

double dusk_sinh_normal_bend(const dusk_noise *noise) { return ldexp(noise->shape, -noise->grid); }

DUSK_PROVEN(dusk_sinh_normal_is_made)
bool dusk_sinh_normal_is_made(const dusk_noise *noise)
{
    double steps = dusk_noise_sensitivity_in_steps(noise), bend = dusk_sinh_normal_bend(noise);
    return noise->dimension == 1 && steps >= 1 && steps <= 0x1p100 && steps == floor(steps) &&
           bend <= 0x1p120 && noise->shape > BEND * noise->grid_sensitivity &&
           noise->shape >= 2 * noise->scale;
}

static double sinh_up(double x) { return dusk_sub_up(dusk_expm1_up(x), dusk_expm1_down(-x)) / 2; }
static double cosh_up(double x) { return dusk_add_up(dusk_exp_up(x), dusk_exp_up(-x)) / 2; }

/* The factors of rho that bending costs, for orders up to 1 + t; +inf where nothing is known. In the words
 * of the proof: d, t d, S, 1/R, the shift w, 1/(c R). */
DUSK_PROVEN(dusk_sinh_normal_rho_up)
double dusk_sinh_normal_rho_up(double scale, double bend, double steps, double t)
{
    double d = dusk_div_up(steps, bend), td = dusk_mul_up(t, d), s = sinh_up(d);
    double taken = dusk_mul_up(4, dusk_mul_up(dusk_mul_up(t, s), dusk_mul_up(dusk_add_up(1, t), s)));
    double r = dusk_sqrt_down(dusk_sub_down(1, taken));
    if (!(taken < 1 && r > 0)) return INFINITY;
    double twice_theta = dusk_div_up(dusk_mul_up(t, sinh_up(2 * d)), r), w = dusk_add_up(twice_theta, d);
    double sigma = dusk_div_up(scale, bend); /* 1/c = 2 sigma^2 */
    double thin = dusk_div_up(2 * dusk_mul_up(sigma, sigma), r);
    double curved = dusk_sub_down(1, dusk_mul_up(dusk_add_up(1, dusk_mul_up(SLOPE, td)), thin) / 2);
    if (!(curved > 0)) return INFINITY;
    double even = dusk_add_up(1, dusk_mul_up(dusk_add_up(dusk_add_up(1, twice_theta / 2), td), thin));
    double odd = dusk_mul_up(dusk_add_up(1, td), thin);
    double mean = dusk_add_up(dusk_mul_up(cosh_up(2 * w), even), dusk_mul_up(sinh_up(2 * w), odd));
    double root = dusk_div_up(s, dusk_div_down(scale, bend)); /* c S^2 = root^2 / 2 */
    double rho = dusk_mul_up(root, root) / 2;
    return DUSK_MUTATE(SINH_NORMAL_LIKE_GAUSSIAN,
                       dusk_div_up(dusk_mul_up(rho, mean), dusk_mul_down(r, curved)), rho * 0.9);
}

/* rho and omega of the noise. */
static void curve(const dusk_noise *noise, double *rho, double *omega)
{
    *omega = dusk_div_down(noise->shape, BEND * noise->grid_sensitivity);
    *rho = dusk_sinh_normal_rho_up(dusk_noise_scale_in_steps(noise), dusk_sinh_normal_bend(noise),
                                   dusk_noise_sensitivity_in_steps(noise), fmax(dusk_sub_up(*omega, 1), 0.5));
}

DUSK_PROVEN(dusk_sinh_normal_event)
dusk_status dusk_sinh_normal_event(const dusk_noise *noise, dusk_event *out, dusk_error *err)
{
    double rho, omega;
    curve(noise, &rho, &omega);
    if (!(isfinite(rho) && omega > 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "make it with dusk_sinh_normal_init",
                         "nothing is known of noise that is bent so much");
    return dusk_event_tcdp(out, rho, omega, err);
}

/* P(|K| > t) = P(|N| >= (A/sigma) sinh((t + 1/2)/A)). */
DUSK_PROVEN(dusk_sinh_normal_tail)
double dusk_sinh_normal_tail(const dusk_noise *noise, double deviate)
{
    double scale = dusk_noise_scale_in_steps(noise), bend = dusk_sinh_normal_bend(noise);
    double x = bend * asinh(scale / bend * deviate) * (1 + 1e-14) - 0.5;
    return fmax(ceil(x * (1 + 0x1p-52)), 0);
}

/* --- calibration ----------------------------------------------------------------- */

/* Grid, bend and scale for (rho, omega); noise has been started. */
static dusk_status calibrate(dusk_noise *noise, double rho, double omega, int grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    /* bent more than this and curvature is lost: then omega is larger than what was asked for */
    double bend = fmax(BEND * omega * (1 + 0x1p-50), 3 / sqrt(rho));
    DUSK_TRY(dusk_noise_place(noise, 1 / sqrt(2 * rho), grid, err));
    noise->shape = bend * noise->grid_sensitivity;
    double given, got, low = noise->grid_sensitivity / sqrt(2 * rho) / 2, high = noise->shape / 2.8;
    for (int i = 0; i < 80 && low < high * SETTLED; i++) {
        noise->scale = low + (high - low) / 2;
        curve(noise, &given, &got);
        *(given <= rho ? &high : &low) = noise->scale;
    }
    noise->scale = high;
    DUSK_TRY(dusk_noise_check(noise, err));
    curve(noise, &given, &got);
    if (!(given <= rho && got >= omega))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for a larger rho, or a smaller omega",
                         "no bent noise was found that gives rho %.3g up to omega %.3g", rho, omega);
done:
    return status;
}

DUSK_PROVEN(dusk_sinh_normal_tcdp_init)
dusk_status dusk_sinh_normal_tcdp_init(dusk_noise *out, double sensitivity, double rho, double omega,
                                       int grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_noise noise;

    DUSK_TRY(dusk_noise_start(&noise, DUSK_SINH_NORMAL, 1, sensitivity, 1, 0, err));
    if (!(rho >= 0x1p-80 && rho <= 0x1p20))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "common choices lie between 0.01 and 1",
                         "rho must be from 2^-80 to 2^20");
    if (!(omega > 1 && omega <= 0x1p40))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for a delta take about 1 + sqrt(ln(1/delta)/rho)",
                         "omega must be above 1, and at most 2^40");
    DUSK_TRY(calibrate(&noise, rho, omega, grid, err));
    noise.promise = (dusk_budget){ INFINITY, 0 };
    *out = noise;
done:
    return status;
}

/* The orders that matter for delta at rho, and some more. */
static double enough_orders(double rho, double delta) { return 2 + 1.1 * sqrt(-log(delta) / rho); }

/* About the largest rho that gives (epsilon, delta) with enough orders, by what all orders would give. */
static dusk_status largest_rho(double *out, double epsilon, double delta, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double low = 0x1p-70, high = 0x1p10;
    for (int i = 0; i < 60; i++) {
        double middle = sqrt(low) * sqrt(high), given;
        dusk_event event;
        DUSK_TRY(dusk_event_zcdp(&event, middle, err));
        DUSK_TRY(dusk_event_epsilon_up(&event, &given, delta, err));
        *(given <= epsilon ? &low : &high) = middle;
    }
    *out = low;
done:
    return status;
}

DUSK_PROVEN(dusk_sinh_normal_init)
dusk_status dusk_sinh_normal_init(dusk_noise *out, double sensitivity, double epsilon, double delta, int grid,
                                  dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_noise noise;
    dusk_event event;
    dusk_account account;
    double rho, given;

    DUSK_TRY(dusk_noise_start(&noise, DUSK_SINH_NORMAL, 1, sensitivity, epsilon, 0, err));
    if (!(delta > 0 && delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a small probability such as 1e-6",
                         "delta must be above 0 and below 1");
    DUSK_TRY(largest_rho(&rho, epsilon, delta, err));
    given = INFINITY;
    for (double less = 0x1p-45; !(given <= epsilon) && less < 0x1p-5; less *= 8) {
        DUSK_TRY(calibrate(&noise, rho, enough_orders(rho, delta), grid, err));
        DUSK_TRY(dusk_noise_event(&noise, &event, err));
        DUSK_TRY(dusk_account_event(&account, &event, delta, DUSK_ADD_REMOVE, DUSK_TCDP, err));
        given = account.bound.upper;
        rho *= 1 - less;
    }
    noise.promise = (dusk_budget){ epsilon, delta };
    if (!(given <= epsilon))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use the Gaussian mechanism",
                         "no bent noise was found that gives epsilon %.3g at delta %.3g", epsilon, delta);
    *out = noise;
done:
    return status;
}
