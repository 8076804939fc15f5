/* SPDX-License-Identifier: Apache-2.0 */
/* The true laws of sparse vectors (Lyu, Su & Li 2017, figure 1): given the noise of the
 * threshold the answers are independent coins, so that the probability of a pattern is one
 * integral over that noise. Proof: oracle_sparse_vector.proof.md. */
#include <math.h>
#include <string.h>

#include "audit/oracle.h"
#include "base/platform.h"

enum { FREE_QUERIES_MAX = 12 };

size_t audit_svt_patterns(const audit_svt *svt)
{
    return svt->stops ? svt->queries + 1 : (size_t)1 << svt->queries;
}

/* e^(-x / step) is the common base of both noises; the degree is that of the product of all
 * tails and the density. */
static bool svt_nodes(audit_nodes *nodes, const audit_svt *svt, const double *queries)
{
    double kinks[AUDIT_QUERIES_MAX + 1] = { 0 }, a = svt->threshold_scale, b = svt->query_scale;
    double step = fmax(a, b), degree = ceil(step / a - 1e-9) + ceil((double)svt->queries * step / b - 1e-9);
    for (size_t i = 0; i < svt->queries; i++) kinks[i + 1] = queries[i] - svt->threshold;
    return degree <= 64 && audit_nodes_make(nodes, kinks, svt->queries + 1, step, (unsigned)degree);
}

/* Adds what one value of the threshold's noise, of mass `mass`, gives to each pattern. */
static void add_patterns(double *out, const audit_svt *svt, const double *queries, double noise, double mass)
{
    double product[1 << FREE_QUERIES_MAX];
    size_t n = svt->queries, filled = 1;
    product[0] = mass;
    for (size_t i = 0; i < n; i++) {
        double x = svt->threshold + noise - queries[i];
        double above = audit_laplace_tail(x, svt->query_scale);
        double below = audit_laplace_tail(-x, svt->query_scale);
        if (svt->query_scale == 0) below = 1 - above;
        if (svt->stops) {
            out[i] += product[0] * above;
            product[0] *= below;
            continue;
        }
        for (size_t k = 0; k < filled; k++) {
            product[filled + k] = product[k] * above;
            product[k] *= below;
        }
        filled *= 2;
    }
    if (svt->stops)
        out[n] += product[0];
    else
        for (size_t k = 0; k < filled; k++) out[k] += product[k];
}

/* Without noise on the queries the answers change only where the threshold passes one. */
static void law_without_noise(double *out, const audit_svt *svt, const double *queries)
{
    for (size_t i = 0; i <= svt->queries; i++) {
        /* The piece that begins at kink i (or at minus infinity) and ends at the next. */
        double from = i < svt->queries ? queries[i] - svt->threshold : -INFINITY, to = INFINITY;
        bool counted = false;
        for (size_t j = 0; j < svt->queries; j++) {
            double kink = queries[j] - svt->threshold;
            if (kink > from) to = fmin(to, kink);
            if (j < i && i < svt->queries && kink == from) counted = true;
        }
        if (counted) continue;
        double scale = svt->threshold_scale, mass;
        if (from >= 0)
            mass = audit_laplace_tail(from, scale) * (isinf(to) ? 1 : -expm1((from - to) / scale));
        else if (to <= 0)
            mass = audit_laplace_tail(-to, scale) * (isinf(from) ? 1 : -expm1((from - to) / scale));
        else
            mass =
                (isinf(from) ? 0.5 : -expm1(from / scale) / 2) + (isinf(to) ? 0.5 : -expm1(-to / scale) / 2);
        double inside = isinf(to) ? from + 1 : isinf(from) ? to - 1 : from + (to - from) / 2;
        add_patterns(out, svt, queries, inside, mass);
    }
}

DUSK_PROVEN(audit_svt_law)
bool audit_svt_law(double *out, const audit_svt *svt, const double *queries)
{
    audit_nodes nodes;
    if (svt->queries > (svt->stops ? AUDIT_QUERIES_MAX : FREE_QUERIES_MAX)) return false;
    memset(out, 0, audit_svt_patterns(svt) * sizeof *out);
    if (svt->query_scale == 0) {
        law_without_noise(out, svt, queries);
        return true;
    }
    if (!svt_nodes(&nodes, svt, queries)) return false;
    for (size_t k = 0; k < nodes.count; k++) {
        double density = exp(-fabs(nodes.at[k]) / svt->threshold_scale) / (2 * svt->threshold_scale);
        add_patterns(out, svt, queries, nodes.at[k], nodes.weight[k] * density);
    }
    return true;
}
