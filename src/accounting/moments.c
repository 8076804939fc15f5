/* SPDX-License-Identifier: Apache-2.0 */
/* The moments accountant in closed form [Abadi et al. 2016]: ln of the moment of
 * order t is at most A t (t + 1), where Gaussian noise has A = mu^2/2 and its
 * sample A = 2 q^2/sigma^2 under the conditions of Mironov, Talwar & Zhang 2019,
 * Theorem 11; then delta = exp(A t (t + 1) - t epsilon) (Theorem 2 of the former).
 * Where a condition fails there is no answer. See moments.proof.md. */
#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "base/mutant.h"

/* A, and the sampled parts whose conditions an order must meet. */
typedef struct curve {
    double a;
    const dusk_pairs *pairs;
} curve;

/* Theorem 11 at order alpha: 1 < alpha <= sigma^2 L/2 - 2 ln sigma and
 *     alpha (L + ln(q alpha) + 1/(2 sigma^2)) <= sigma^2 L^2/2 - ln 5 - 2 ln sigma,
 * L = ln(1 + 1/(q (alpha - 1))), q <= 1/5, sigma >= 4; all rounded against it. */
DUSK_PROVEN(holds)
static bool holds(double q, double sigma, double alpha)
{
    if (!(q <= 0.2 && sigma >= DUSK_MUTATE(MOMENTS_SMALL_SIGMA, 4, 0.5) && alpha > 1)) return false;
    double l = dusk_log1p_down(dusk_div_down(1, dusk_mul_up(q, dusk_sub_up(alpha, 1))));
    double l_up = dusk_log1p_up(dusk_div_up(1, dusk_mul_down(q, dusk_sub_down(alpha, 1))));
    double square = dusk_mul_down(sigma, sigma), logs = dusk_mul_up(2, dusk_log_up(sigma));
    double half = dusk_mul_down(0.5, dusk_mul_down(square, l));
    if (!(alpha <= dusk_sub_down(half, logs))) return false;
    double left =
        dusk_add_up(dusk_add_up(l_up, dusk_log_up(dusk_mul_up(q, alpha))), dusk_div_up(0.5, square));
    double right = dusk_sub_down(dusk_sub_down(dusk_mul_down(half, l), dusk_log_up(5)), logs);
    return dusk_mul_up(alpha, left) <= right;
}

static bool all_hold(const curve *c, double t)
{
    for (size_t i = 0; i < c->pairs->count; i++) {
        const dusk_pair *p = &c->pairs->pair[i];
        double q = p->weight[1] * (1 + 0x1p-49);
        if (p->kind == DUSK_PAIR_MIXTURE && !holds(q, p->sigma, dusk_add_up(1, t))) return false;
    }
    return true;
}

/* A of the whole; false when a pair is neither Gaussian nor a plain sample of one. */
static bool read(curve *c, const dusk_pairs *pairs)
{
    *c = (curve){ 0, pairs };
    for (size_t i = 0; i < pairs->count; i++) {
        const dusk_pair *p = &pairs->pair[i];
        double times = dusk_bound_of_whole(p->times).upper, a;
        if (p->kind == DUSK_PAIR_GAUSSIAN) {
            a = dusk_mul_up(p->mu_squared.upper, 0.5);
        } else if (p->kind == DUSK_PAIR_MIXTURE && p->shifts == 1 && !p->folded &&
                   p->direction == DUSK_REMOVE) {
            double ratio = dusk_div_up(p->weight[1] * (1 + 0x1p-49), p->sigma);
            a = dusk_mul_up(2, dusk_mul_up(ratio, ratio));
        } else {
            return false;
        }
        c->a = dusk_add_up(c->a, dusk_mul_up(times, a));
    }
    return true;
}

/* The order nearest to `t` for which all conditions hold, as far as it is found. */
static double admissible(const curve *c, double t)
{
    if (all_hold(c, t)) return t;
    double low = 0, high = t;
    for (int i = 0; i < 80; i++) {
        double middle = low > 0 ? sqrt(low * high) : high / 2;
        if (all_hold(c, middle))
            low = middle;
        else
            high = middle;
        if (low > 0 && high < low * 1.000001) break;
    }
    return low;
}

/* A (t + 1) + ln(1/delta)/t at the best t, sqrt(ln(1/delta)/A) */
static double epsilon_of(const curve *c, double delta)
{
    double log_delta = -dusk_log_down(delta);
    if (!(c->a > 0)) return 0;
    double t = admissible(c, sqrt(log_delta / c->a));
    if (!(t > 0)) return NAN;
    return dusk_add_up(dusk_mul_up(c->a, dusk_add_up(t, 1)), dusk_div_up(log_delta, t));
}

/* exp(A t (t + 1) - t epsilon) at the best t, (epsilon/A - 1)/2 */
static double delta_of(const curve *c, double epsilon)
{
    if (!(c->a > 0)) return 0;
    double t = 0.5 * (epsilon / c->a - 1);
    if (!(t > 0)) return 1;
    t = admissible(c, t);
    if (!(t > 0)) return NAN;
    double l = dusk_mul_up(t, dusk_sub_up(dusk_mul_up(c->a, dusk_add_up(t, 1)), epsilon));
    return l < 0 ? dusk_exp_up(l) : 1;
}

DUSK_PROVEN(ask)
static dusk_status ask(dusk_bound *out, const dusk_composition *composition, double at, bool of_delta,
                       dusk_error *err)
{
    /* adding is not worse than removing, at any order */
    dusk_direction direction = composition->neighbours == DUSK_REPLACE_ONE ? DUSK_REPLACE : DUSK_REMOVE;
    dusk_pairs pairs;
    curve c;
    dusk_status status = dusk_pairs_resolve(&pairs, composition, direction, "moments", err);
    if (status != DUSK_OK) return status;
    double answer = NAN;
    if (!read(&c, &pairs))
        status = dusk_fail(err, DUSK_ERR_UNSUPPORTED, "ask another accountant",
                           "the moments accountant knows Gaussian noise and Poisson samples of it only");
    else
        answer = of_delta ? delta_of(&c, at) : at > 0 ? epsilon_of(&c, at) : c.a > 0 ? INFINITY : 0;
    if (status == DUSK_OK && isnan(answer))
        status = dusk_fail(err, DUSK_ERR_UNSUPPORTED, "ask the rdp accountant",
                           "the closed form of the moments accountant needs a rate of at most 1/5 and a "
                           "sigma of at least 4");
    dusk_pairs_free(&pairs);
    if (status == DUSK_OK) *out = (dusk_bound){ 0, answer };
    return status;
}

dusk_status dusk_moments_epsilon(dusk_bound *out, const dusk_composition *composition, double delta,
                                 dusk_error *err)
{
    return ask(out, composition, delta, false, err);
}

dusk_status dusk_moments_delta(dusk_bound *out, const dusk_composition *composition, double epsilon,
                               dusk_error *err)
{
    return ask(out, composition, epsilon, true, err);
}
