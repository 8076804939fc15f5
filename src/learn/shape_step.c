/* SPDX-License-Identifier: Apache-2.0 */
/* The step of boosting as the posterior mean of a part of the model. In bin v are about n_v rows; the sum of residuals S_v is about
 * H_v (f*_v - f_v), H_v = curvature * n_v, with noise of known deviation. So A_v = S_v + H_v f_v measures H_v f*_v, round after
 * round; the rounds are averaged with the gain of a Kalman filter, since what the other columns learn makes f* drift.
 * The prior is f*_v ~ N(0, spread^2), and for numbers f*_v - f*_{v+1} ~ N(0, roughness^2), a random walk; then the mean solves
 *     (W + Q) f = H A / (P + H),   W = H^2 / (P + H),   Q = 1/spread^2 + L/roughness^2,
 * P being the variance of A by noise, H that by the rows themselves, and L the Laplacian of a path: three diagonals, no
 * pivots needed as all is positive. Spread and roughness are those of a short list under which A is likeliest (empirical
 * Bayes), so that columns that tell nothing stay at 0 however much noise there is: nothing to tune by hand. */
#include "learn/shape_step.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const double spreads[] = { 0.02, 0.1, 0.25, 0.6, 1.5 };
static const double roughnesses[] = { 0.05, 0.15, 0.45 };
enum { SPREADS = sizeof spreads / sizeof *spreads, ROUGHNESSES = sizeof roughnesses / sizeof *roughnesses };

dusk_status shape_step_open(shape_step *out, size_t widest, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_NEW(out->answer, widest);
    DUSK_NEW(out->upper, widest);
    DUSK_NEW(out->diagonal, widest);
    DUSK_NEW(out->value, widest);
    DUSK_NEW(out->best, widest);
done:
    return status;
}

void shape_step_close(shape_step *step)
{
    dusk_deallocate(step->answer);
    dusk_deallocate(step->upper);
    dusk_deallocate(step->diagonal);
    dusk_deallocate(step->value);
    dusk_deallocate(step->best);
}

/* Average what was measured anew into the evidence, and set up W and the right side. */
static void take_in(const shape_step *step, const shape_known *known, const double *sums, const double *shape)
{
    const double fresh = step->noise * step->noise;
    for (size_t v = 0; v < known->n; v++) {
        const double h = step->curvature * fmax(known->counts[v], 1), measured = sums[v] + h * shape[v];
        const double old = known->variance[v], moved = old + h * h * step->drift * step->drift;
        const double gain = old < 0 ? 1 : moved / (moved + fresh);
        known->evidence[v] += gain * (measured - known->evidence[v]);
        known->variance[v] = gain * fresh;
        step->diagonal[v] = h * h / (known->variance[v] + h);
        step->value[v] = h * known->evidence[v] / (known->variance[v] + h);
    }
}

/* The mean under one prior in step->answer, and twice the log likelihood of the evidence, but for a constant: ln det Q -
 * ln det (W + Q) + value (W + Q)^-1 value. */
static double solve(const shape_step *step, size_t n, double prior, double link)
{
    double likelihood = 0, before = 0; /* before: the last pivot of Q */
    for (size_t v = 0; v < n; v++) {
        const double left = v > 0 ? link : 0, right = v + 1 < n ? link : 0;
        double alone = prior + left + right, both = step->diagonal[v] + alone, value = step->value[v];
        if (v > 0) {
            alone -= left * left / before;
            both -= left * step->upper[v - 1];
            value += left * step->answer[v - 1];
        }
        step->upper[v] = right / both;
        step->answer[v] = value / both;
        likelihood += log(alone / both) + value * value / both;
        before = alone;
    }
    for (size_t v = n; v-- > 1;) step->answer[v - 1] += step->upper[v - 1] * step->answer[v];
    return likelihood;
}

void shape_step_solve(shape_step *step, const shape_known *known, const double *sums, const double *shape)
{
    const size_t links = known->ordered ? ROUGHNESSES : 1, n = known->n;
    double most = -INFINITY;
    take_in(step, known, sums, shape);
    for (size_t i = 0; i < SPREADS * links; i++) {
        const double spread = spreads[i / links], roughness = spread * roughnesses[i % links];
        const double likelihood =
            solve(step, n, 1 / (spread * spread), known->ordered ? 1 / (roughness * roughness) : 0);
        if (likelihood > most) {
            most = likelihood;
            memcpy(step->best, step->answer, n * sizeof *step->best);
        }
    }
    memcpy(step->answer, step->best, n * sizeof *step->best);
}
