/* SPDX-License-Identifier: Apache-2.0 */
/* The true epsilon of two laws at a delta: the least one at which the hockey-stick divergence
 * is at most delta (Balle & Wang 2018; for delta = 0 the largest ratio). Proof:
 * oracle_epsilon.proof.md. */
#include <math.h>

#include "audit/oracle.h"
#include "base/platform.h"
#include "numeric/root.h"
#include "numeric/special.h"

double audit_impossible_mass(const double *p, const double *q, size_t n)
{
    double mass = 0;
    for (size_t i = 0; i < n; i++)
        if (q[i] == 0) mass += p[i];
    return mass;
}

typedef struct laws {
    const double *p, *q;
    size_t n;
    double delta;
} laws;

static double table_excess(double epsilon, const void *context)
{
    const laws *l = context;
    double sum = 0;
    for (size_t i = 0; i < l->n; i++) sum += fmax(l->p[i] - exp(epsilon) * l->q[i], 0);
    return sum - l->delta;
}

DUSK_PROVEN(audit_table_epsilon)
double audit_table_epsilon(const double *p, const double *q, size_t n, double delta)
{
    const laws l = { p, q, n, delta };
    double low = 0, high = 0;
    if (audit_impossible_mass(p, q, n) > delta) return INFINITY;
    for (size_t i = 0; i < n; i++)
        if (p[i] > 0 && q[i] > 0) high = fmax(high, log(p[i] / q[i]));
    if (delta == 0 || high == 0 || table_excess(0, &l) <= 0) return delta == 0 ? high : 0;
    /* At `high` only what is impossible under q is left, at most delta of it. */
    if (table_excess(high, &l) >= 0 || dusk_root_bracket(&low, &high, 0, table_excess, &l) != 0) return high;
    return high;
}

typedef struct gaussian {
    double sigma, epsilon, delta;
} gaussian;

/* Theorem 5 of Balle & Wang 2018, sensitivity 1. The difference loses at most a few digits
 * where it is as large as a delta worth claiming. */
static double gaussian_excess(double sigma, double epsilon, double delta)
{
    double half = 1 / (2 * sigma), shift = epsilon * sigma;
    return dusk_normal_cdf(half - shift) - exp(epsilon + dusk_normal_log_sf(half + shift)) - delta;
}

static double excess_of_epsilon(double epsilon, const void *context)
{
    const gaussian *g = context;
    return gaussian_excess(g->sigma, epsilon, g->delta);
}

static double excess_of_sigma(double sigma, const void *context)
{
    const gaussian *g = context;
    return gaussian_excess(sigma, g->epsilon, g->delta);
}

double audit_gaussian_epsilon(double sigma, double delta)
{
    const gaussian g = { .sigma = sigma, .delta = delta };
    double low = 0, high = 1;
    if (excess_of_epsilon(0, &g) <= 0) return 0;
    while (excess_of_epsilon(high, &g) > 0 && high < 1e6) high *= 2;
    return dusk_root_bracket(&low, &high, 0, excess_of_epsilon, &g) == 0 ? high : INFINITY;
}

double audit_gaussian_sigma(double epsilon, double delta)
{
    const gaussian g = { .epsilon = epsilon, .delta = delta };
    double low = 1e-3, high = 1;
    while (excess_of_sigma(high, &g) > 0 && high < 1e9) high *= 2;
    return dusk_root_bracket(&low, &high, 0, excess_of_sigma, &g) == 0 ? high : INFINITY;
}
