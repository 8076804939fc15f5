/* SPDX-License-Identifier: Apache-2.0 */
/* Advanced composition in the closed form of Kairouz, Oh & Viswanath 2017,
 * Theorem 3.5: parts that are (e_i, d_i)-private each are together
 * (e, 1 - (1 - s) prod (1 - d_i))-private for every slack s in (0, 1), where e
 * is the least of
 *     A = sum e_i,
 *     M + sqrt(2 V ln(1/s)),
 *     M + sqrt(2 V ln(exp(1) + sqrt(V)/s)),
 * M = sum e_i tanh(e_i/2) and V = sum e_i^2. For n equal parts this contains
 * Dwork, Rothblum & Vadhan 2010. A part that has no largest loss is priced at
 * a share of half of delta; here every run of a Gaussian is a part. */
#include "accounting/advanced.h"

#include <math.h>

#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "accounting/parts.h"
#include "base/mutant.h"

/* e tanh(e/2) = e x/(x + 2), x = e^e - 1, which grows with x. */
DUSK_PROVEN(mean_loss_up)
static double mean_loss_up(double epsilon)
{
    double x = dusk_expm1_up(epsilon);
    if (!(x < 0x1p900)) return epsilon;
    return dusk_mul_up(epsilon, dusk_div_up(x, dusk_add_down(x, 2)));
}

DUSK_PROVEN(dusk_advanced_add)
void dusk_advanced_add(dusk_advanced *sum, double epsilon, double delta, uint64_t times)
{
    double n = DUSK_MUTATE(ADVANCED_TIMES_IGNORED, dusk_bound_of_whole(times).upper, 1.0);
    if (!(epsilon >= 0 && delta < 1)) {
        sum->total = sum->mean = sum->square = sum->lost = INFINITY;
        return;
    }
    sum->total = dusk_add_up(sum->total, dusk_mul_up(n, epsilon));
    sum->mean = dusk_add_up(sum->mean, dusk_mul_up(n, mean_loss_up(epsilon)));
    sum->square = dusk_add_up(sum->square, dusk_mul_up(n, dusk_mul_up(epsilon, epsilon)));
    sum->lost = dusk_add_up(sum->lost, dusk_mul_up(n, -dusk_log1p_down(-delta)));
}

/* 1 - s = (1 - delta) / prod (1 - d_i); s is negative when the parts need more
 * than delta. */
static double slack_down(const dusk_advanced *sum, double delta)
{
    return -dusk_expm1_up(dusk_add_up(dusk_log1p_up(-delta), sum->lost));
}

/* M + sqrt(2 V x) */
static double deviation_up(const dusk_advanced *sum, double x)
{
    return dusk_add_up(sum->mean, dusk_sqrt_up(dusk_mul_up(2 * sum->square, x)));
}

DUSK_PROVEN(dusk_advanced_bound_up)
double dusk_advanced_bound_up(const dusk_advanced *sum, double delta)
{
    double s = DUSK_MUTATE(ADVANCED_DELTA_NOT_COUNTED, slack_down(sum, delta), delta);
    if (!(s >= 0) || !(sum->total < INFINITY)) return INFINITY;
    double least = sum->total;
    if (s > 0 && s < 1) {
        double first = deviation_up(sum, -dusk_log_down(s));
        double inside = dusk_add_up(dusk_exp_up(1), dusk_div_up(dusk_sqrt_up(sum->square), s));
        double second = deviation_up(sum, dusk_log_up(inside));
        if (first < least) least = first;
        if (second < least) least = second;
    }
    return least;
}

/* What needs no share. */
static dusk_advanced own_total(const dusk_parts *parts)
{
    dusk_advanced sum = { 0 };
    for (size_t i = 0; i < parts->count; i++) {
        const dusk_part *part = &parts->part[i];
        if (!part->claims) dusk_advanced_add(&sum, part->own_epsilon_up, part->own_delta_up, part->times);
    }
    return sum;
}

static dusk_status add_claims(dusk_advanced *sum, const dusk_parts *parts, double share, dusk_error *err)
{
    double guess = 1;
    for (size_t i = 0; i < parts->count; i++) {
        const dusk_part *part = &parts->part[i];
        double epsilon;
        if (!part->claims) continue;
        dusk_status status = dusk_part_share(&epsilon, parts, part, share, &guess, err);
        if (status != DUSK_OK) return status;
        dusk_advanced_add(sum, epsilon, share, part->times);
    }
    if (parts->renyi.count > 0) {
        double epsilon;
        dusk_status status = dusk_parts_renyi_epsilon(&epsilon, parts, share, err);
        if (status != DUSK_OK) return status;
        dusk_advanced_add(sum, epsilon, share, 1);
    }
    return DUSK_OK;
}

DUSK_PROVEN(price)
static dusk_status price(double *epsilon_up, const dusk_parts *parts, double delta, dusk_error *err)
{
    dusk_advanced sum = own_total(parts);
    double claims = dusk_parts_claims_up(parts);
    if (claims > 0) {
        double rest = slack_down(&sum, delta);
        double share = rest > 0 ? dusk_div_down(rest / 2, claims) : 0;
        dusk_status status = share > 0 ? add_claims(&sum, parts, share, err) : DUSK_OK;
        if (status != DUSK_OK) return status;
        if (!(share > 0)) {
            *epsilon_up = INFINITY;
            return DUSK_OK;
        }
    }
    *epsilon_up = dusk_advanced_bound_up(&sum, delta);
    return DUSK_OK;
}

dusk_status dusk_advanced_epsilon(dusk_bound *out, const dusk_composition *composition, double delta,
                                  dusk_error *err)
{
    dusk_parts parts;
    double epsilon;
    dusk_status status = dusk_parts_make(&parts, composition, false, "advanced", err);
    if (status != DUSK_OK) return status;
    status = price(&epsilon, &parts, delta, err);
    dusk_parts_free(&parts);
    if (status == DUSK_OK) *out = (dusk_bound){ 0, epsilon };
    return status;
}

dusk_status dusk_advanced_delta(dusk_bound *out, const dusk_composition *composition, double epsilon,
                                dusk_error *err)
{
    dusk_parts parts;
    double delta = 1;
    dusk_status status = dusk_parts_make(&parts, composition, false, "advanced", err);
    if (status != DUSK_OK) return status;
    /* delta 0 first: then nothing is to be looked for */
    double at_zero;
    status = price(&at_zero, &parts, 0, err);
    if (status == DUSK_OK && at_zero <= epsilon)
        delta = 0;
    else if (status == DUSK_OK)
        status = dusk_parts_delta(&delta, &parts, price, 0, epsilon, err);
    dusk_parts_free(&parts);
    if (status == DUSK_OK) *out = (dusk_bound){ 0, delta };
    return status;
}
