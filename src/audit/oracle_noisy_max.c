/* SPDX-License-Identifier: Apache-2.0 */
/* The true laws of noisy maxima (Dwork & Roth 2014, section 3.3; Ding et al. 2018): which is
 * the largest, an integral over the winner's value; how large it is, in closed form. Proof:
 * oracle_noisy_max.proof.md. */
#include <math.h>

#include "audit/oracle.h"
#include "base/platform.h"
#include "numeric/special.h"

/* ln P(noise <= x) and ln of its density at x. */
static double log_below(double x, double scale, bool one_sided)
{
    if (one_sided) return x > 0 ? dusk_log1mexp(x / scale) : -INFINITY;
    return x > 0 ? log1p(-exp(-x / scale) / 2) : x / scale - log(2);
}

static double log_density(double x, double scale, bool one_sided)
{
    if (one_sided) return x >= 0 ? -x / scale - log(scale) : -INFINITY;
    return -fabs(x) / scale - log(2 * scale);
}

/* ln of the density of "i is the largest, at `value`". */
static double log_winner(size_t i, double value, const double *scores, size_t n, double scale, bool one_sided)
{
    double sum = log_density(value - scores[i], scale, one_sided);
    for (size_t j = 0; j < n; j++)
        if (j != i) sum += log_below(value - scores[j], scale, one_sided);
    return sum;
}

DUSK_PROVEN(audit_argmax_law)
bool audit_argmax_law(double *out, const double *scores, size_t n, double scale, bool one_sided)
{
    audit_nodes nodes;
    double kinks[AUDIT_QUERIES_MAX];
    if (n == 0 || n > AUDIT_QUERIES_MAX) return false;
    for (size_t i = 0; i < n; i++) kinks[i] = scores[i];
    if (!audit_nodes_make(&nodes, kinks, n, scale, (unsigned)n)) return false;
    for (size_t i = 0; i < n; i++) {
        out[i] = 0;
        for (size_t k = 0; k < nodes.count; k++)
            out[i] += nodes.weight[k] * exp(log_winner(i, nodes.at[k], scores, n, scale, one_sided));
    }
    return true;
}

/* The product of all tails times the sum of density over tail; by logarithms where that
 * product is too small for a double. */
double audit_max_log_density(double value, const double *scores, size_t n, double scale, bool one_sided)
{
    double product = 1, sum = 0, terms[AUDIT_QUERIES_MAX];
    for (size_t i = 0; i < n; i++) {
        double x = (value - scores[i]) / scale, e = exp(-fabs(x));
        if (one_sided && x <= 0) return x < 0 || n > 1 ? -INFINITY : -log(scale);
        double below = one_sided ? -expm1(-x) : x > 0 ? 1 - e / 2 : e / 2;
        product *= below;
        sum += (one_sided ? e : e / 2) / below;
    }
    if (product > 1e-280) return log(product * sum / scale);
    for (size_t i = 0; i < n; i++) terms[i] = log_winner(i, value, scores, n, scale, one_sided);
    return dusk_log_sum_exp(terms, n);
}
