/* SPDX-License-Identifier: Apache-2.0 */
/* Concentrated and Gaussian parameters of events and wrappers. See
 * concentrated.proof.md. */
#include "accounting/concentrated.h"

#include "accounting/bound.h"
#include "accounting/pair_moment.h"
#include "base/mutant.h"
#include "numeric/special.h"

static const dusk_concentrated none = { INFINITY, INFINITY, INFINITY, INFINITY, INFINITY };

static double square_up(double x) { return dusk_mul_up(x, x); }
static double times_up(double n, double x) { return x > 0 ? dusk_mul_up(n, x) : 0; }

static dusk_concentrated add(dusk_concentrated a, double n, dusk_concentrated b)
{
    return (dusk_concentrated){ dusk_add_up(a.xi, times_up(n, b.xi)), dusk_add_up(a.rho, times_up(n, b.rho)),
                                dusk_add_up(a.mu, times_up(n, b.mu)),
                                dusk_add_up(a.tau_squared, times_up(n, b.tau_squared)),
                                dusk_add_up(a.gdp, times_up(n, b.gdp)) };
}

static dusk_concentrated worse(dusk_concentrated a, dusk_concentrated b)
{
    return (dusk_concentrated){ fmax(a.xi, b.xi), fmax(a.rho, b.rho), fmax(a.mu, b.mu),
                                fmax(a.tau_squared, b.tau_squared), fmax(a.gdp, b.gdp) };
}

DUSK_PROVEN(dusk_pure_rho_up)
double dusk_pure_rho_up(double epsilon)
{
    if (!(epsilon < 700)) return epsilon;
    /* tanh(e/2) = (exp(e) - 1) / ((exp(e) - 1) + 2), which increases */
    double x = dusk_expm1_up(epsilon);
    return dusk_mul_up(epsilon, dusk_div_up(x, dusk_add_down(x, 2)));
}

DUSK_PROVEN(dusk_pure_gdp_up)
double dusk_pure_gdp_up(double epsilon)
{
    /* sqrt(pi/2) e, and the next term is below a millionth */
    if (epsilon < 1e-3) return dusk_mul_up(epsilon, 1.2533154);
    if (!(epsilon < 600)) return INFINITY;
    double corner = dusk_div_down(1, dusk_add_up(1, dusk_exp_up(epsilon)));
    double mu = 2 * dusk_normal_upper_quantile(corner);
    for (int i = 0; i < 20; i++, mu *= 1 + 1e-13 * (double)(1 << i))
        if (dusk_normal_cdf_up(-mu / 2) <= corner) return mu;
    return INFINITY;
}

static dusk_concentrated gaussian(double mu_squared)
{
    double half = dusk_mul_up(mu_squared, 0.5);
    return (dusk_concentrated){ 0, half, half, mu_squared, mu_squared };
}

/* All losses are within -e and e. */
static dusk_concentrated pure(double e)
{
    if (!(e < INFINITY)) return none;
    double rho = dusk_pure_rho_up(e);
    return (dusk_concentrated){ 0, rho, rho, square_up(e), square_up(dusk_pure_gdp_up(e)) };
}

/* The largest size of a loss. */
static double loss_size(const dusk_pair *pair)
{
    if (pair->kind == DUSK_PAIR_ATOMS) {
        if (pair->absent.upper > 0) return INFINITY;
        return pair->atoms ? fmax(pair->loss[pair->atoms - 1].upper, -pair->loss[0].lower) : 0;
    }
    return dusk_div_up(pair->direction == DUSK_REPLACE ? 2 : 1, pair->scale.lower);
}

static dusk_concentrated of_pair(const dusk_pair *pair)
{
    if (pair->infinite.upper > 0) return none;
    if (pair->kind == DUSK_PAIR_GAUSSIAN) return gaussian(pair->mu_squared.upper);
    if (pair->kind != DUSK_PAIR_MIXTURE) return pure(loss_size(pair));
    /* as if the largest shift were seen */
    double shift = (double)pair->shifts * (pair->direction == DUSK_REPLACE ? 2 : 1);
    dusk_concentrated c = gaussian(square_up(dusk_div_up(shift, pair->sigma)));
    c.mu = c.tau_squared = INFINITY; /* no such theorem for mixtures */
    return c;
}

static dusk_concentrated of_pairs(const dusk_renyi_part *part)
{
    dusk_concentrated most = { 0 };
    for (size_t d = 0; d < part->directions; d++) {
        dusk_concentrated sum = { 0 };
        for (size_t i = 0; i < part->pairs[d].count; i++) {
            const dusk_pair *pair = &part->pairs[d].pair[i];
            sum = add(sum, dusk_bound_of_whole(pair->times).upper, of_pair(pair));
        }
        most = worse(most, sum);
    }
    return most;
}

/* (xi k (1 + 1/2 + ... + 1/k), rho k^2) [Bun & Steinke 2016, Proposition 27]; k mu of GDP. */
static dusk_concentrated of_group(dusk_concentrated c, uint64_t group)
{
    double k = dusk_bound_of_whole(group).upper;
    if (group == 1) return c;
    c.xi = times_up(dusk_mul_up(k, dusk_add_up(1, dusk_log_up(k))), c.xi);
    c.rho = times_up(square_up(k), c.rho);
    c.gdp = times_up(square_up(k), c.gdp);
    c.mu = c.tau_squared = INFINITY;
    return c;
}

static dusk_concentrated of_leaf(const dusk_renyi_part *part)
{
    const dusk_event_node *e = part->tree;
    double k = dusk_bound_of_whole(part->group).upper;
    dusk_concentrated c = none;
    switch (e->kind) {
    case DUSK_EVENT_ZCDP:
        c.rho = e->real[0];
        c.xi = e->real[1];
        return of_group(c, part->group);
    case DUSK_EVENT_MCDP: {
        double square = square_up(e->real[1]), half = dusk_mul_up(square, 0.5);
        c.mu = e->real[0];
        c.tau_squared = square;
        c.rho = half;
        c.xi = fmax(0, dusk_sub_up(e->real[0], half * (1 - 0x1p-50)));
        return of_group(c, part->group);
    }
    case DUSK_EVENT_EXPONENTIAL: {
        double range = dusk_mul_up(e->real[0], k), square = square_up(range);
        c = pure(range);
        c.rho = c.mu = fmin(c.rho, dusk_mul_up(square, 0.125));
        c.tau_squared = dusk_mul_up(square, 0.25);
        return c;
    }
    case DUSK_EVENT_DISCRETE_GAUSSIAN: {
        double distance = dusk_mul_up(k, dusk_bound_of_whole(e->whole[0]).upper);
        if (part->neighbours == DUSK_REPLACE_ONE) distance *= 2;
        c = gaussian(square_up(dusk_div_up(distance, e->real[0])));
        c.gdp = INFINITY;
        return c;
    }
    default: return c;
    }
}

static dusk_concentrated below(const dusk_renyi_part *part)
{
    dusk_concentrated sum = { 0 };
    for (const dusk_renyi_part *p = part + 1; p < part + part->span; p += p->span)
        sum = add(sum, dusk_bound_of_whole(p->times).upper, dusk_concentrated_part(p));
    return sum;
}

/* As in renyi_wrapper.c: one part, or two parts between which a unit moves. */
static dusk_concentrated of_parallel(const dusk_renyi_part *part)
{
    dusk_concentrated stays = { 0 }, moves = { 0 };
    for (const dusk_renyi_part *p = part + 1; p < part + part->span; p += p->span) {
        dusk_concentrated c = below(p);
        if (p->neighbours == part->neighbours)
            stays = worse(stays, c);
        else
            moves = worse(moves, c);
    }
    return worse(stays, add(moves, 1, moves));
}

static dusk_concentrated of_wrapper(const dusk_renyi_part *part)
{
    dusk_concentrated c = none;
    switch (part->tree->kind) {
    case DUSK_EVENT_POISSON:
    case DUSK_EVENT_WITHOUT_REPLACEMENT: /* sampling is no loss */
        c = below(part);
        c.mu = c.tau_squared = INFINITY;
        break;
    case DUSK_EVENT_BRANCH: c = below(part); break;
    case DUSK_EVENT_PARALLEL: c = of_parallel(part); break;
    default: break;
    }
    return of_group(c, part->group);
}

DUSK_PROVEN(dusk_concentrated_part)
dusk_concentrated dusk_concentrated_part(const dusk_renyi_part *part)
{
    dusk_concentrated a = none, b = none;
    if (part->by_pairs) a = of_pairs(part);
    if (part->by_theorem) b = part->span > 1 ? of_wrapper(part) : of_leaf(part);
    dusk_concentrated c = a.rho < b.rho ? a : b;
    if (a.mu < INFINITY && !(c.mu < INFINITY)) c.mu = a.mu, c.tau_squared = a.tau_squared;
    c.gdp = fmin(a.gdp, b.gdp);
    return c;
}

dusk_concentrated dusk_concentrated_sum(const dusk_renyi *renyi, dusk_concentrated_kind want,
                                        const dusk_event_node **blame)
{
    dusk_concentrated sum = { 0 };
    *blame = NULL;
    for (size_t i = 0; i < renyi->count; i += renyi->part[i].span) {
        const dusk_renyi_part *part = &renyi->part[i];
        dusk_concentrated c = dusk_concentrated_part(part);
        double wanted = want == DUSK_WANT_RHO ? c.xi + c.rho : want == DUSK_WANT_MU ? c.mu : c.gdp;
        if (isinf(wanted) && !*blame) *blame = part->tree;
        sum = add(sum, dusk_bound_of_whole(part->times).upper, c);
    }
    return sum;
}

dusk_status dusk_concentrated_of(dusk_concentrated *out, const dusk_composition *composition,
                                 dusk_concentrated_kind want, const char *accountant, dusk_error *err)
{
    dusk_renyi renyi;
    const dusk_event_node *blame;
    dusk_status status = dusk_renyi_new(&renyi, composition, accountant, err);
    if (status != DUSK_OK) return status;
    *out = dusk_concentrated_sum(&renyi, want, &blame);
    dusk_renyi_free(&renyi);
    return blame ? dusk_fail_unsupported(err, accountant, blame) : DUSK_OK;
}
