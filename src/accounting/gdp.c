/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian privacy [Dong, Roth & Su 2022]: mu^2 adds up, and the Gaussian curve is
 * read where they end. The central limit theorem gives such a mu for long
 * compositions of anything: an approximation. See gdp.proof.md. */
#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "accounting/concentrated.h"
#include "accounting/gaussian.h"
#include "accounting/pair_moment.h"
#include "base/mutant.h"

/* sigma of the Gaussian mechanism with this mu^2, rounded down */
static double sigma_of(double mu_squared)
{
    double mu = DUSK_MUTATE(GDP_SQUARE_FORGOTTEN, dusk_sqrt_up(mu_squared), mu_squared / 2);
    return dusk_div_down(1, mu);
}

DUSK_PROVEN(epsilon_of)
static double epsilon_of(double mu_squared, double delta)
{
    if (!(mu_squared > 0)) return 0;
    return dusk_gaussian_epsilon_up(sigma_of(mu_squared), delta);
}

static double delta_of(double mu_squared, double epsilon)
{
    if (!(mu_squared > 0)) return 0;
    return dusk_gaussian_delta_up(sigma_of(mu_squared), epsilon);
}

dusk_status dusk_gdp_epsilon(dusk_bound *out, const dusk_composition *composition, double delta,
                             dusk_error *err)
{
    dusk_concentrated c;
    dusk_status status = dusk_concentrated_of(&c, composition, DUSK_WANT_GDP, "gdp", err);
    if (status == DUSK_OK) *out = (dusk_bound){ 0, epsilon_of(c.gdp, delta) };
    return status;
}

dusk_status dusk_gdp_delta(dusk_bound *out, const dusk_composition *composition, double epsilon,
                           dusk_error *err)
{
    dusk_concentrated c;
    dusk_status status = dusk_concentrated_of(&c, composition, DUSK_WANT_GDP, "gdp", err);
    if (status == DUSK_OK) *out = (dusk_bound){ 0, delta_of(c.gdp, epsilon) };
    return status;
}

dusk_status dusk_gdp_of_tree(double *mu_squared_up, const dusk_event_node *tree, dusk_neighbours neighbours,
                             dusk_error *err)
{
    dusk_renyi renyi;
    const dusk_event_node *blame;
    dusk_status status = dusk_renyi_of_tree(&renyi, tree, neighbours, "gdp", err);
    if (status != DUSK_OK) return status;
    *mu_squared_up = dusk_concentrated_sum(&renyi, DUSK_WANT_GDP, &blame).gdp;
    dusk_renyi_free(&renyi);
    return DUSK_OK;
}

/* Mean and variance of the loss, nearly. Sampled Gaussians: q^2 (exp(1/sigma^2) - 1)
 * [Bu, Dong, Long & Su 2020, Corollary 4]; the others from the moments at two
 * small orders. */
static bool mean_and_variance(double *mean, double *variance, const dusk_pair *pair)
{
    const double h = 0x1p-8;
    dusk_bound one, two;
    if (pair->infinite.upper > 1e-300) return false;
    if (pair->kind == DUSK_PAIR_GAUSSIAN ||
        (pair->kind == DUSK_PAIR_MIXTURE && pair->shifts == 1 && pair->direction != DUSK_REPLACE)) {
        double q = pair->weight[1], v = pair->mu_squared.upper;
        if (pair->kind == DUSK_PAIR_MIXTURE) v = q * q * expm1(1 / (pair->sigma * pair->sigma));
        *mean = v / 2;
        *variance = v;
        return isfinite(v);
    }
    if (dusk_pair_finite_moment(&one, pair, h, NULL) != DUSK_OK ||
        dusk_pair_finite_moment(&two, pair, 2 * h, NULL) != DUSK_OK)
        return false;
    *variance = (two.upper - 2 * one.upper) / (h * h);
    *mean = one.upper / h - h * *variance / 2;
    return isfinite(*mean) && *variance > 0;
}

/* mu = 2 sum of means / sqrt(sum of variances) [Dong, Roth & Su 2022, Theorem 3.4] */
static dusk_status limit(double *mu_squared, const dusk_composition *composition, dusk_error *err)
{
    dusk_direction direction = composition->neighbours == DUSK_REPLACE_ONE ? DUSK_REPLACE : DUSK_REMOVE;
    dusk_pairs pairs;
    double means = 0, variances = 0;
    dusk_status status = dusk_pairs_resolve(&pairs, composition, direction, "clt", err);
    if (status != DUSK_OK) return status;
    for (size_t i = 0; i < pairs.count && status == DUSK_OK; i++) {
        double mean = 0, variance = 0, times = (double)pairs.pair[i].times;
        if (!mean_and_variance(&mean, &variance, &pairs.pair[i]))
            status = dusk_fail_unsupported(err, "clt", pairs.pair[i].tree);
        means += times * mean;
        variances += times * variance;
    }
    *mu_squared = variances > 0 ? 4 * means * means / variances : 0;
    dusk_pairs_free(&pairs);
    return status;
}

dusk_status dusk_clt_epsilon(dusk_bound *out, const dusk_composition *composition, double delta,
                             dusk_error *err)
{
    double mu_squared;
    dusk_status status = limit(&mu_squared, composition, err);
    if (status == DUSK_OK) *out = dusk_bound_of(epsilon_of(mu_squared, delta));
    return status;
}

dusk_status dusk_clt_delta(dusk_bound *out, const dusk_composition *composition, double epsilon,
                           dusk_error *err)
{
    double mu_squared;
    dusk_status status = limit(&mu_squared, composition, err);
    if (status == DUSK_OK) *out = dusk_bound_of(delta_of(mu_squared, epsilon));
    return status;
}
