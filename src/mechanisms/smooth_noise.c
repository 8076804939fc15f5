/* SPDX-License-Identifier: Apache-2.0 */
/* How much noise a beta-smooth sensitivity needs. Between neighbours the answer
 * f + S/r Z moves by at most min(S, S') and is stretched by at most e^beta; both at
 * once cost less than one after the other [Nissim, Raskhodnikova & Smith 2007,
 * Definition 2.4, charge them apart]. For Student's t (Cauchy with one degree) the
 * largest privacy loss is the larger eigenvalue of a 2 x 2 matrix; for Laplace and
 * Gaussian noise the hockey-stick divergence is largest at the ends. The constants
 * are re-derived in smooth_noise.proof.md; published ones are up to six times
 * larger. */
#include <math.h>
#include <stdbool.h>

#include "accounting/gaussian.h"
#include "base/mutant.h"
#include "mechanisms/smooth_sensitivity.h"
#include "numeric/rounding.h"
#include "numeric/special.h"

/* sinh(y) for y >= 0, rounded down. */
static double sinh_down(double y)
{
    return fmax(dusk_sub_down(dusk_expm1_down(y), dusk_expm1_up(-y)) / 2, 0);
}

/* cosh(x) - cosh(y) for 0 <= y, rounded down; 0 unless x > y. */
static double cosh_gap_down(double x_down, double y_up)
{
    double half_sum = dusk_add_down(x_down, y_up) / 2, half_gap = dusk_sub_down(x_down, y_up) / 2;
    if (!(half_gap > 0)) return 0;
    return dusk_mul_down(2, dusk_mul_down(sinh_down(half_sum), sinh_down(half_gap)));
}

/* With K = (d+1)/2, k = (d-1)/2 and A = r^2 / (2d) the largest loss is
 *     max(K arccosh(1 + A), k beta + K arccosh(cosh beta + A e^-beta)). */
DUSK_PROVEN(dusk_smooth_student_t_ratio)
double dusk_smooth_student_t_ratio(uint32_t degrees, double beta, double epsilon)
{
    double d = degrees, large = (d + 1) / 2, small = (d - 1) / 2;
    double left = dusk_sub_down(epsilon, dusk_mul_up(small, beta));
    double stretched = dusk_mul_down(dusk_exp_down(beta), cosh_gap_down(dusk_div_down(left, large), beta));
    double shifted = cosh_gap_down(dusk_div_down(epsilon, large), 0);
    double most = DUSK_MUTATE(SMOOTH_STRETCH_FREE, fmin(stretched, shifted), shifted);
    return dusk_sqrt_down(dusk_mul_down(2 * d, most));
}

typedef bool ratio_check(double ratio, double beta, double epsilon, double delta);

/* The largest ratio in (0, most] for which `enough` was seen to say yes; 0 if none. */
static double largest_ratio(ratio_check *enough, double most, double beta, double epsilon, double delta)
{
    double low = 0, high = most;
    if (!(most > 0)) return 0;
    if (enough(most, beta, epsilon, delta)) return most;
    while (high - low > ldexp(high, -40) && high > 0x1p-100) {
        double middle = low + (high - low) / 2;
        if (enough(middle, beta, epsilon, delta))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* exp(-(c + beta) / (e^beta - 1)) rounded up, c rounded down by the caller. */
static double laplace_tail_up(double c_down, double beta)
{
    return dusk_exp_up(-dusk_div_down(dusk_add_down(c_down, beta), dusk_expm1_up(beta)));
}

DUSK_PROVEN(laplace_is_enough)
static bool laplace_is_enough(double ratio, double beta, double epsilon, double delta)
{
    if (ratio > epsilon) return false;
    if (dusk_add_up(beta, dusk_mul_up(ratio, dusk_exp_up(-beta))) > epsilon) return false;
    double tails = dusk_add_up(laplace_tail_up(dusk_sub_down(epsilon, ratio), beta),
                               laplace_tail_up(dusk_add_down(epsilon, ratio), beta));
    return dusk_mul_up(-dusk_expm1_down(-beta) / 2, tails) <=
           DUSK_MUTATE(SMOOTH_LAPLACE_DELTA_FREE, delta, 1);
}

double dusk_smooth_laplace_ratio(double beta, double epsilon, double delta)
{
    return largest_ratio(laplace_is_enough, epsilon, beta, epsilon, delta);
}

/* The hockey-stick divergence of N(0, e^(2 beta)) from N(ratio, 1), rounded up. */
DUSK_PROVEN(stretched_delta_up)
static double stretched_delta_up(double ratio, double beta, double epsilon)
{
    double w_up = -dusk_expm1_down(-2 * beta), w_down = -dusk_expm1_up(-2 * beta);
    double rest_up = dusk_sub_up(dusk_mul_up(2, dusk_add_up(epsilon, beta)), dusk_mul_down(ratio, ratio));
    double rest_down =
        dusk_sub_down(dusk_mul_down(2, dusk_add_down(epsilon, beta)), dusk_mul_up(ratio, ratio));
    double root_up = dusk_sqrt_up(dusk_add_up(dusk_mul_up(ratio, ratio), dusk_mul_up(w_up, rest_up)));
    double root_down =
        dusk_sqrt_down(dusk_add_down(dusk_mul_down(ratio, ratio), dusk_mul_down(w_down, rest_down)));
    /* where the loss is epsilon: -near < 0 < far */
    double near_up = dusk_div_up(rest_up, dusk_add_down(ratio, root_down));
    double near_down = dusk_div_down(rest_down, dusk_add_up(ratio, root_up));
    double far_up = dusk_div_up(dusk_add_up(ratio, root_up), w_down);
    double far_down = dusk_div_down(dusk_add_down(ratio, root_down), w_up);
    double sigma = dusk_exp_up(beta);
    double p = dusk_add_up(dusk_normal_cdf_up(-dusk_div_down(near_down, sigma)),
                           dusk_normal_cdf_up(-dusk_div_down(far_down, sigma)));
    double q = dusk_add_down(dusk_normal_cdf_down(-dusk_add_up(near_up, ratio)),
                             dusk_normal_cdf_down(-dusk_sub_up(far_up, ratio)));
    return dusk_sub_up(p, dusk_mul_down(dusk_exp_down(epsilon), q));
}

DUSK_PROVEN(gaussian_is_enough)
static bool gaussian_is_enough(double ratio, double beta, double epsilon, double delta)
{
    if (!(beta < epsilon) || dusk_mul_up(ratio, ratio) > 2 * epsilon) return false;
    if (dusk_gaussian_delta_up(dusk_div_down(1, ratio), dusk_sub_down(epsilon, beta)) > delta) return false;
    return stretched_delta_up(ratio, beta, epsilon) <= DUSK_MUTATE(SMOOTH_GAUSSIAN_DELTA_FREE, delta, 1);
}

double dusk_smooth_gaussian_ratio(double beta, double epsilon, double delta)
{
    return largest_ratio(gaussian_is_enough, dusk_sqrt_down(2 * epsilon), beta, epsilon, delta);
}

double dusk_smooth_ratio(dusk_smooth_law law, uint32_t degrees, double beta, double epsilon, double delta)
{
    if (law == DUSK_SMOOTH_LAPLACE) return dusk_smooth_laplace_ratio(beta, epsilon, delta);
    if (law == DUSK_SMOOTH_GAUSSIAN) return dusk_smooth_gaussian_ratio(beta, epsilon, delta);
    return dusk_smooth_student_t_ratio(degrees, beta, epsilon);
}

bool dusk_smooth_is_enough(const dusk_smooth *smooth)
{
    double beta = smooth->beta, epsilon = smooth->promise.epsilon, delta = smooth->promise.delta;
    if (smooth->law == DUSK_SMOOTH_LAPLACE) return laplace_is_enough(smooth->ratio, beta, epsilon, delta);
    if (smooth->law == DUSK_SMOOTH_GAUSSIAN) return gaussian_is_enough(smooth->ratio, beta, epsilon, delta);
    return smooth->ratio <= dusk_smooth_student_t_ratio(smooth->degrees, beta, epsilon);
}
