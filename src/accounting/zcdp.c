/* SPDX-License-Identifier: Apache-2.0 */
/* Zero-concentrated privacy [Bun & Steinke 2016] and mean-concentrated privacy
 * [Dwork & Rothblum 2016]: parameters add up, and the line D_alpha <= xi + rho
 * alpha is converted at its best order. See zcdp.proof.md. */
#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "accounting/concentrated.h"
#include "accounting/line.h"
#include "accounting/order_search.h"
#include "accounting/rdp_conversion.h"
#include "base/mutant.h"

/* D_alpha <= start + slope (alpha - 1) for alpha < omega. */
typedef struct question {
    dusk_line line;
    double at;
    bool of_delta;
} question;

static double price(double s, const void *context)
{
    const question *q = context;
    double most = q->line.most;
    if (s > most) s = most; /* the best that is left */
    double d = dusk_add_up(q->line.start, dusk_mul_up(q->line.slope, s));
    double k = dusk_mul_up(s, d), least = dusk_divergence_to_delta_up(d);
    if (q->of_delta) return fmin(least, dusk_moment_to_delta_up(s, k, q->at));
    return least <= q->at ? 0 : dusk_moment_to_epsilon_up(s, k, q->at);
}

DUSK_PROVEN(dusk_line_epsilon_up)
double dusk_line_epsilon_up(dusk_line line, double delta)
{
    question q = { line, delta, false };
    double best = line.slope > 0 || isfinite(line.most) ? INFINITY : line.start;
    return delta > 0 ? fmin(best, dusk_order_search(price, &q, 60)) : best;
}

DUSK_PROVEN(dusk_line_delta_up)
double dusk_line_delta_up(dusk_line line, double epsilon)
{
    question q = { line, epsilon, true };
    if (!(line.slope > 0) && isinf(line.most) && line.start <= epsilon) return 0;
    return fmin(1, dusk_order_search(price, &q, 60));
}

static dusk_line zcdp_line(dusk_concentrated c)
{
    return (dusk_line){ dusk_add_up(c.xi, c.rho), c.rho, INFINITY };
}

static dusk_line mcdp_line(dusk_concentrated c)
{
    return (dusk_line){ c.mu, dusk_mul_up(c.tau_squared, DUSK_MUTATE(MCDP_QUARTER_SLOPE, 0.5, 0.25)),
                        INFINITY };
}

DUSK_PROVEN(dusk_zcdp_epsilon)
dusk_status dusk_zcdp_epsilon(dusk_bound *out, const dusk_composition *composition, double delta,
                              dusk_error *err)
{
    dusk_concentrated c;
    dusk_status status = dusk_concentrated_of(&c, composition, DUSK_WANT_RHO, "zcdp", err);
    if (status == DUSK_OK) *out = (dusk_bound){ 0, dusk_line_epsilon_up(zcdp_line(c), delta) };
    return status;
}

dusk_status dusk_zcdp_delta(dusk_bound *out, const dusk_composition *composition, double epsilon,
                            dusk_error *err)
{
    dusk_concentrated c;
    dusk_status status = dusk_concentrated_of(&c, composition, DUSK_WANT_RHO, "zcdp", err);
    if (status == DUSK_OK) *out = (dusk_bound){ 0, dusk_line_delta_up(zcdp_line(c), epsilon) };
    return status;
}

DUSK_PROVEN(dusk_mcdp_epsilon)
dusk_status dusk_mcdp_epsilon(dusk_bound *out, const dusk_composition *composition, double delta,
                              dusk_error *err)
{
    dusk_concentrated c;
    dusk_status status = dusk_concentrated_of(&c, composition, DUSK_WANT_MU, "mcdp", err);
    if (status == DUSK_OK) *out = (dusk_bound){ 0, dusk_line_epsilon_up(mcdp_line(c), delta) };
    return status;
}

dusk_status dusk_mcdp_delta(dusk_bound *out, const dusk_composition *composition, double epsilon,
                            dusk_error *err)
{
    dusk_concentrated c;
    dusk_status status = dusk_concentrated_of(&c, composition, DUSK_WANT_MU, "mcdp", err);
    if (status == DUSK_OK) *out = (dusk_bound){ 0, dusk_line_delta_up(mcdp_line(c), epsilon) };
    return status;
}

dusk_status dusk_zcdp_of_tree(double *xi_up, double *rho_up, const dusk_event_node *tree,
                              dusk_neighbours neighbours, dusk_error *err)
{
    dusk_renyi renyi;
    const dusk_event_node *blame;
    dusk_status status = dusk_renyi_of_tree(&renyi, tree, neighbours, "zcdp", err);
    if (status != DUSK_OK) return status;
    dusk_concentrated c = dusk_concentrated_sum(&renyi, DUSK_WANT_RHO, &blame);
    dusk_renyi_free(&renyi);
    *xi_up = c.xi;
    *rho_up = c.rho;
    return DUSK_OK;
}
