/* SPDX-License-Identifier: Apache-2.0 */
/* Renyi divergences that are known by a theorem about one kind of event:
 * concentrated privacy by definition, given tables, bounded range, discrete
 * Gaussian noise, and the sparse vector technique with Gaussian noise. See
 * renyi_leaf.proof.md. */
#include <float.h>
#include <mpfr.h>

#include "accounting/bound.h"
#include "accounting/renyi.h"
#include "base/mutant.h"
#include "numeric/real.h"

#define BITS 256

/* k with the error of its conversion on the large side */
static double units(const dusk_renyi_part *part) { return dusk_bound_of_whole(part->group).upper; }

static double square_up(double x) { return dusk_mul_up(x, x); }

/* a k^2 alpha: 0 or inf times something is what the limit says */
static double linear_up(double a, double k, double alpha)
{
    return a > 0 ? dusk_mul_up(dusk_mul_up(a, square_up(k)), alpha) : 0;
}

/* (xi, rho) for k units: (xi k (1 + 1/2 + ... + 1/k), rho k^2) [Bun & Steinke 2016, Prop. 27]. */
static double zcdp(double rho, double xi, double k, double alpha)
{
    double harmonic = k > 1 ? dusk_add_up(1, dusk_log_up(k)) : 1;
    return dusk_add_up(dusk_mul_up(xi, dusk_mul_up(k, harmonic)), linear_up(rho, k, alpha));
}

/* The loss has mean mu at most and is tau-subgaussian around it: the moment is at
 * most exp(s mu + s^2 tau^2 / 2). */
static double mcdp(double mu, double tau, double k, double alpha)
{
    double half = dusk_mul_up(square_up(tau), 0.5);
    if (!(tau > 0)) return dusk_mul_up(mu, k); /* the loss is constant */
    if (k > 1) return zcdp(half, fmax(0, dusk_sub_up(mu, square_up(tau) * (0.5 - 0x1p-50))), k, alpha);
    return dusk_add_up(mu, dusk_mul_up(half, dusk_sub_up(alpha, 1)));
}

static double tcdp(const dusk_renyi_part *part, double alpha)
{
    const dusk_event_node *e = part->tree;
    if (!(e->real[0] > 0)) return 0; /* the laws are equal, by the order 1 < omega */
    return alpha < e->real[1] ? dusk_mul_up(e->real[0], alpha) : INFINITY;
}

/* The point above a table: orders increase, (alpha - 1) D is convex with the value
 * 0 at 1, and D increases. */
static double table(const dusk_renyi_part *part, double alpha)
{
    const dusk_event_node *t = part->tree, *end = t + t->span;
    double best = INFINITY;
    for (const dusk_event_node *p = end; p-- > t + 1;) {
        double least = p->real[1];
        if (p->real[0] >= alpha) { /* D of a larger order */
            best = fmin(best, least);
            continue;
        }
        /* between p and each point beyond, the chord */
        for (const dusk_event_node *r = p + 1; r < end; r++) {
            double gap = dusk_sub_down(r->real[0], p->real[0]);
            double left = dusk_div_up(dusk_sub_up(r->real[0], alpha), gap);
            double right = dusk_div_up(dusk_sub_up(alpha, p->real[0]), gap);
            if (!(r->real[0] >= alpha) || !(gap > 0)) continue;
            double k = dusk_mul_up(left, dusk_mul_up(dusk_sub_up(p->real[0], 1), least));
            k = dusk_add_up(k, dusk_mul_up(right, dusk_mul_up(dusk_sub_up(r->real[0], 1), r->real[1])));
            best = fmin(best, dusk_div_up(k, dusk_sub_down(alpha, 1)));
        }
        break;
    }
    return best;
}

/* Losses in an interval of length e: the worst law has two of them, and at its
 * worst place the moment is B^(s+1) s^s / ((s+1)^(s+1) C^s (exp(e) - 1)), where
 * B = exp(e) - exp(-s e), C = 1 - exp(-s e). */
static double bounded_range_exact(double e, double s)
{
    dusk_interval x, b, c, k, t;
    dusk_interval *all[] = { &x, &b, &c, &k, &t };
    for (size_t i = 0; i < 5; i++) dusk_interval_init(all[i], BITS);
    dusk_interval_set(&x, e);
    dusk_interval_set(&t, s);
    dusk_interval_mul(&c, &x, &t);
    dusk_interval_neg(&c, &c);
    dusk_interval_expm1(&c, &c); /* -C */
    dusk_interval_expm1(&x, &x); /* exp(e) - 1 */
    dusk_interval_sub(&b, &x, &c);
    dusk_interval_neg(&c, &c);
    dusk_interval_log(&b, &b);
    dusk_interval_log(&c, &c);
    dusk_interval_sub(&c, &b, &c); /* ln(B/C) */
    dusk_interval_log(&k, &t);
    dusk_interval_add(&c, &c, &k);
    dusk_interval_mul(&c, &c, &t); /* s ln(s B/C) */
    dusk_interval_add(&b, &b, &c);
    dusk_interval_log(&x, &x);
    dusk_interval_sub(&b, &b, &x);
    dusk_interval_set(&k, 1);
    dusk_interval_add(&x, &t, &k); /* s + 1 */
    dusk_interval_log(&k, &x);
    dusk_interval_mul(&k, &k, &x);
    dusk_interval_sub(&b, &b, &k);
    dusk_interval_div(&b, &b, &t);
    double d = mpfr_get_d(b.hi, MPFR_RNDU);
    for (size_t i = 0; i < 5; i++) dusk_interval_clear(all[i]);
    return d;
}

/* [Cesar & Rogers 2021]: alpha e^2/8, and the exact supremum. */
static double bounded_range(double e, double alpha)
{
    if (!(e > 0)) return 0;
    if (isinf(alpha)) return e;
    double d = dusk_mul_up(dusk_mul_up(square_up(e), DUSK_MUTATE(BOUNDED_RANGE_TIGHTER, 0.125, 0.12)), alpha);
    if (d > e) d = e;
    double s = dusk_sub_up(alpha, 1);
    if (s * e > 1e-3 && s < 1e9 && e < 1e6 && e > 1e-12) {
        double exact = bounded_range_exact(e, s);
        if (exact < d) d = exact;
    }
    return d;
}

/* The threshold moves by 1 and a query by 2, all over the deviation; at most n
 * queries, and the answer that none was above. */
static double sparse_vector(const dusk_renyi_part *part, double alpha)
{
    const dusk_event_node *e = part->tree;
    double k = dusk_mul_up(units(part), part->neighbours == DUSK_REPLACE_ONE ? 2 : 1);
    double threshold = square_up(dusk_div_up(k, e->real[0])), query = square_up(dusk_div_up(k, e->real[1]));
    double s = dusk_sub_down(alpha, 1);
    if (e->whole[0] == 0) return 0;
    if (isinf(alpha)) return INFINITY;
    /* ln(n exp(s d) + 1) = s d + ln n + ln(1 + exp(-s d)/n) */
    double n = dusk_bound_of_whole(e->whole[0]).upper,
           d = dusk_mul_up(dusk_mul_up(query, DUSK_MUTATE(SVT_QUERY_MOVES_ONCE, 2, 0.5)), alpha);
    double runs = dusk_add_up(
        dusk_log_up(n), dusk_log1p_up(dusk_div_up(dusk_exp_up(-dusk_mul_down(s, d)), n * (1 - 0x1p-50))));
    return dusk_add_up(dusk_add_up(dusk_mul_up(dusk_mul_up(threshold, 0.5), alpha), d), dusk_div_up(runs, s));
}

static double discrete_gaussian(const dusk_renyi_part *part, double alpha)
{
    const dusk_event_node *e = part->tree;
    double k = dusk_mul_up(units(part), part->neighbours == DUSK_REPLACE_ONE ? 2 : 1);
    double distance = dusk_mul_up(k, dusk_bound_of_whole(e->whole[0]).upper);
    if (!(distance > 0)) return 0;
    return dusk_mul_up(dusk_mul_up(square_up(dusk_div_up(distance, e->real[0])), 0.5), alpha);
}

DUSK_PROVEN(dusk_renyi_leaf_up)
double dusk_renyi_leaf_up(const dusk_renyi_part *part, double alpha)
{
    const dusk_event_node *e = part->tree;
    switch (e->kind) {
    case DUSK_EVENT_ZCDP: return zcdp(e->real[0], e->real[1], units(part), alpha);
    case DUSK_EVENT_MCDP: return mcdp(e->real[0], e->real[1], units(part), alpha);
    case DUSK_EVENT_TCDP: return dusk_renyi_group_up(tcdp, part, alpha);
    case DUSK_EVENT_RDP: return dusk_renyi_group_up(table, part, alpha);
    case DUSK_EVENT_EXPONENTIAL: return bounded_range(dusk_mul_up(e->real[0], units(part)), alpha);
    case DUSK_EVENT_DISCRETE_GAUSSIAN: return discrete_gaussian(part, alpha);
    case DUSK_EVENT_SVT_GAUSSIAN: return sparse_vector(part, alpha);
    default: return INFINITY;
    }
}
