/* SPDX-License-Identifier: Apache-2.0 */
/* The noise of smooth sensitivity against the definition: for every shift and
 * stretch that two neighbours allow, the privacy loss of Student's t (its logarithm
 * taken in Arb) and the hockey-stick divergence of Laplace and Gaussian noise (in
 * closed form, in Arb) are within the promise, and close to it at the worst. */
#include <arb.h>
#include <arb_hypgeom.h>
#include <math.h>

#include "mechanisms/smooth_sensitivity.h"
#include "support.h"

#define BITS 200

/* Neighbours: S'/S = e^-stretch, |f - f'| = shift S with shift <= min(1, e^-stretch).
 * In units of S / ratio: P = Z, Q = (Z e^-stretch) - shift ratio. */
typedef struct pair {
    double ratio, stretch, shift;
} pair;

static double middle(const arb_t x) { return arf_get_d(arb_midref(x), ARF_RND_NEAR); }

/* ln p(z) / q(z), Student's t: -l + (d+1)/2 ln((1 + w^2/d) / (1 + z^2/d)), w = e^l (z + s r). */
static double student_t_loss(const pair *p, unsigned degrees, double z)
{
    arb_t l, w, x;
    arb_init(l);
    arb_init(w);
    arb_init(x);
    arb_set_d(l, p->stretch);
    arb_exp(w, l, BITS);
    arb_set_d(x, p->shift);
    arb_set_d(l, p->ratio);
    arb_mul(x, x, l, BITS);
    arb_set_d(l, z);
    arb_add(x, x, l, BITS);
    arb_mul(w, w, x, BITS);
    arb_sqr(w, w, BITS);
    arb_add_ui(w, w, degrees, BITS);
    arb_sqr(x, l, BITS);
    arb_add_ui(x, x, degrees, BITS);
    arb_div(w, w, x, BITS);
    arb_log(w, w, BITS);
    arb_set_d(x, (degrees + 1) / 2.0);
    arb_mul(w, w, x, BITS);
    arb_set_d(l, p->stretch);
    arb_sub(w, w, l, BITS);
    double loss = middle(w);
    arb_clear(l);
    arb_clear(w);
    arb_clear(x);
    return loss;
}

/* The largest loss over z: a coarse walk, then a finer one about its best point. */
static double largest_student_t_loss(const pair *p, unsigned degrees)
{
    double most = -INFINITY, best = 0;
    for (double u = -6; u <= 6; u += 0.05)
        for (int side = -1; side <= 1; side += 2) {
            double z = side * exp(u), loss = student_t_loss(p, degrees, z);
            if (loss > most) {
                most = loss;
                best = z;
            }
        }
    for (double step = 0.05; step > 1e-6; step /= 3)
        for (int i = -3; i <= 3; i++) {
            double z = best * exp(i * step), loss = student_t_loss(p, degrees, z);
            if (loss > most) {
                most = loss;
                best = z;
            }
        }
    return most;
}

/* Over the stretches -beta .. beta, and the shifts that they allow. */
static double worst_student_t(double ratio, double beta, unsigned degrees)
{
    double most = 0;
    for (int i = -4; i <= 4; i++)
        for (int j = 0; j <= 2; j++) {
            pair p = { ratio, beta * i / 4, 0 };
            p.shift = fmin(1, exp(-p.stretch)) * j / 2;
            most = fmax(most, largest_student_t_loss(&p, degrees));
        }
    return most;
}

static void student_t_keeps_epsilon(void **state)
{
    (void)state;
    const unsigned degrees[] = { 1, 2, 3, 10 };
    const double epsilon[] = { 0.1, 1, 4 }, share[] = { 0.1, 0.5, 0.9 };
    for (size_t d = 0; d < 4; d++)
        for (size_t e = 0; e < 3; e++)
            for (size_t b = 0; b < 3; b++) {
                double beta = share[b] * epsilon[e] / degrees[d];
                double ratio = dusk_smooth_student_t_ratio(degrees[d], beta, epsilon[e]);
                double loss = worst_student_t(ratio, beta, degrees[d]);
                if (!(loss <= epsilon[e] * (1 + 1e-12) && loss >= epsilon[e] * (1 - 1e-4)))
                    fail_msg("degrees %u, epsilon %g, beta %g: the loss is %.12g", degrees[d], epsilon[e],
                             beta, loss);
            }
}

/* The calibration of Nissim, Raskhodnikova & Smith (the full version: alpha = beta =
 * epsilon / 6 for Cauchy noise) is sound, and wastes more than half of epsilon. */
static void published_constants_are_loose(void **state)
{
    (void)state;
    double epsilon = 1, loss = worst_student_t(epsilon / 6, epsilon / 6, 1);
    assert_true(loss < 0.3 * epsilon);
    assert_true(dusk_smooth_student_t_ratio(1, epsilon / 6, epsilon) > 5.5 * epsilon / 6);
}

/* --- hockey-stick divergences ----------------------------------------------------- */

/* max(0, P - e^eps Q) integrated: the curve is cut where the loss crosses epsilon. */
static double normal_cdf(double x)
{
    arb_t t;
    arb_init(t);
    arb_set_d(t, 2);
    arb_sqrt(t, t, BITS);
    arb_t y;
    arb_init(y);
    arb_set_d(y, -x);
    arb_div(t, y, t, BITS);
    arb_hypgeom_erfc(t, t, BITS);
    double p = middle(t) / 2;
    arb_clear(t);
    arb_clear(y);
    return p;
}

static double laplace_cdf(double x) { return x < 0 ? exp(x) / 2 : 1 - exp(-x) / 2; }

typedef double law_cdf(double x);

/* ln p/q at z for the two laws. */
static double loss_at(const pair *p, bool gaussian, double z)
{
    double w = exp(p->stretch) * (z + p->shift * p->ratio);
    return -p->stretch + (gaussian ? (w * w - z * z) / 2 : fabs(w) - fabs(z));
}

/* The divergence as a sum over the cells of a fine grid, each cell counted as a whole
 * when the loss at its middle is above epsilon: a lower bound of the truth, close. */
static double divergence(const pair *p, bool gaussian, double epsilon)
{
    law_cdf *cdf = gaussian ? normal_cdf : laplace_cdf;
    double far = gaussian ? 12 : 40, step = far / 2000, delta = 0, start = NAN;
    for (double z = -far; z <= far + step; z += step) {
        bool above = z <= far && loss_at(p, gaussian, z + step / 2) > epsilon;
        if (above && isnan(start)) start = z;
        if (!above && !isnan(start)) { /* the run start .. z */
            double grow = exp(p->stretch), shift = p->shift * p->ratio;
            double low = start <= -far ? 0 : 1, from = low * cdf(start), to = z > far ? 1 : cdf(z);
            double q_from = low * cdf(grow * (start + shift)), q_to = z > far ? 1 : cdf(grow * (z + shift));
            delta += (to - from) - exp(epsilon) * (q_to - q_from);
            start = NAN;
        }
    }
    return delta;
}

static double worst_divergence(double ratio, double beta, bool gaussian, double epsilon)
{
    double most = 0;
    for (int i = -4; i <= 4; i++)
        for (int j = 0; j <= 2; j++) {
            pair p = { ratio, beta * i / 4, 0 };
            p.shift = fmin(1, exp(-p.stretch)) * j / 2;
            most = fmax(most, divergence(&p, gaussian, epsilon));
        }
    return most;
}

static void check_divergence(bool gaussian, double epsilon, double delta, double beta)
{
    double ratio = gaussian ? dusk_smooth_gaussian_ratio(beta, epsilon, delta)
                            : dusk_smooth_laplace_ratio(beta, epsilon, delta);
    assert_true(ratio > 0);
    double worst = worst_divergence(ratio, beta, gaussian, epsilon);
    if (!(worst <= delta * (1 + 1e-9)))
        fail_msg("%s, epsilon %g, beta %g: delta is %.9g, not %g", gaussian ? "gaussian" : "laplace", epsilon,
                 beta, worst, delta);
    bool bound_by_delta = gaussian || ratio < fmin(epsilon, (epsilon - beta) * exp(beta)) * (1 - 1e-9);
    if (bound_by_delta && !(worst >= delta * 0.9))
        fail_msg("%s, epsilon %g, beta %g: delta is only %.9g of %g", gaussian ? "gaussian" : "laplace",
                 epsilon, beta, worst, delta);
}

static void laplace_keeps_delta(void **state)
{
    (void)state;
    check_divergence(false, 1, 1e-3, 0.05);
    check_divergence(false, 1, 1e-6, 0.03);
    check_divergence(false, 0.2, 1e-4, 0.01);
    check_divergence(false, 4, 1e-5, 0.2);
    check_divergence(false, 1, 0.1, 0.4);
}

static void gaussian_keeps_delta(void **state)
{
    (void)state;
    check_divergence(true, 1, 1e-3, 0.05);
    check_divergence(true, 1, 1e-6, 0.02);
    check_divergence(true, 0.2, 1e-4, 0.005);
    check_divergence(true, 4, 1e-5, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(student_t_keeps_epsilon),
        cmocka_unit_test(published_constants_are_loose),
        cmocka_unit_test(laplace_keeps_delta),
        cmocka_unit_test(gaussian_keeps_delta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
