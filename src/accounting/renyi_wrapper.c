/* SPDX-License-Identifier: Apache-2.0 */
/* What wrappers make of a Renyi curve that is all that is known of what they
 * wrap: sampling [Zhu & Wang 2019; Wang, Balle & Kasiviswanathan 2019], the best
 * of several runs [Papernot & Steinke 2022], groups [Mironov 2017], parts of the
 * data. Sampling bounds are for whole orders; between them the convexity of
 * (alpha - 1) D helps. See renyi_wrapper.proof.md. */
#include <float.h>

#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "accounting/renyi.h"
#include "base/mutant.h"

#define ORDERS_MAX DUSK_RENYI_ORDERS /* beyond, sampling is not counted */
#define SEARCH 48                    /* auxiliary orders that are tried */

/* 3^c D(2^c alpha) for 2^c >= k units, alpha >= 2. */
DUSK_PROVEN(dusk_renyi_group_up)
double dusk_renyi_group_up(dusk_renyi_single *single, const dusk_renyi_part *part, double alpha)
{
    double order = fmax(alpha, 2), factor = 1;
    if (part->group == 1) return single(part, alpha);
    if (isinf(alpha)) return dusk_mul_up(dusk_bound_of_whole(part->group).upper, single(part, alpha));
    for (uint64_t size = 1; size < part->group && size < UINT64_C(1) << 63; size *= 2) {
        factor = dusk_mul_up(factor, DUSK_MUTATE(GROUP_FACTOR_FORGOTTEN, 3, 1));
        order *= 2;
    }
    double d = single(part, order);
    return d > 0 ? dusk_mul_up(factor, d) : 0;
}

/* A sum of exponentials by their logarithms. */
typedef struct log_sum {
    double top, sum;
} log_sum;

static void log_sum_add(log_sum *s, double l)
{
    if (!(l > -INFINITY)) return;
    if (l > s->top) {
        s->sum = s->top > -INFINITY ? s->sum * exp(s->top - l) + 1 : 1;
        s->top = l;
    } else {
        s->sum += exp(l - s->top);
    }
}

/* ln(exp(l) - 1), rounded up */
static double log_expm1_up(double l)
{
    if (l > 700) return l;
    if (!(l > 0)) return -INFINITY;
    double log_x = log(expm1(l)); /* both right to 4 ulp */
    return log_x + 16 * DUSK_ULP * (1 + fabs(log_x));
}

/* ln(1 + exp(l)), rounded up */
static double log1p_exp_up(double l)
{
    return l > 40 ? dusk_add_up(l, 1e-17) : dusk_log1p_up(dusk_exp_up(l));
}

/* ln of the sum over k = 2 .. n of C(n,k) p^(n-k) q^k exp(x[k]), given ln p and ln q. */
static double binomial_sum(unsigned n, double log_p, double log_q, const double *x)
{
    log_sum sum = { -INFINITY, 0 };
    double weight = n * log_p, largest = 0;
    for (unsigned k = 1; k <= n; k++) {
        weight += log((double)(n - k + 1) / k) + (log_q - log_p);
        if (k < 2) continue;
        if (x[k] == INFINITY) return INFINITY;
        log_sum_add(&sum, weight + x[k]);
        if (x[k] > largest) largest = x[k];
    }
    if (!(sum.top > -INFINITY)) return -INFINITY;
    /* n + 1 steps, each of which is off by some ulp of what was added up */
    double size = (n + 1) * (fabs(log_p) + fabs(log_q) + log(n + 1.0) + 1) + largest;
    return dusk_add_up(sum.top, dusk_log_up(sum.sum * (1 + n * 8 * DUSK_ULP))) +
           16 * (n + 1) * DUSK_ULP * size;
}

/* Adding a unit: s (s+1)/2 q^2 (1-q)^-(s+2) (exp(D_2) - 1) is above the moment minus 1. */
static double added(double q, double s, double second)
{
    double log_rest = dusk_log1p_down(-q);
    double l = dusk_add_up(dusk_log_up(dusk_mul_up(dusk_mul_up(s, dusk_add_up(s, 1)), 0.5)),
                           dusk_mul_up(2, dusk_log_up(q)));
    l = dusk_add_up(l, dusk_mul_up(dusk_add_up(s, 2), -log_rest));
    return log1p_exp_up(dusk_add_up(l, log_expm1_up(second)));
}

/* What is below, remembered at whole orders. */
static double below_at(const dusk_renyi_part *part, double alpha)
{
    unsigned k = alpha <= ORDERS_MAX ? (unsigned)alpha : 0;
    if (k != alpha || k < 2) return dusk_renyi_below_up(part, alpha);
    if (isnan(part->memo[k])) part->memo[k] = dusk_renyi_below_up(part, k);
    return part->memo[k];
}

/* Removing a unit at a whole order: the binomial sum of the moments. */
static double removed(const dusk_renyi_part *part, double q, unsigned n)
{
    double x[ORDERS_MAX + 1] = { 0 };
    for (unsigned k = 2; k <= n; k++) x[k] = log_expm1_up(dusk_mul_up(k - 1, below_at(part, k)));
    return log1p_exp_up(binomial_sum(n, log1p(-q), log(q), x));
}

/* ln(1 - q + q exp(k)), k >= 0: it is seen whether the unit was taken. */
static double revealed(double q, double k)
{
    if (k > 600) return dusk_add_up(k, dusk_log_up(dusk_add_up(q, 1e-200)));
    return dusk_log1p_up(dusk_mul_up(q, dusk_expm1_up(k)));
}

/* [Wang, Balle & Kasiviswanathan 2019, Theorem 9] at a whole order. */
static double subset(const dusk_renyi_part *part, double q, unsigned n)
{
    double x[ORDERS_MAX + 1] = { 0 }, pure = dusk_renyi_below_up(part, INFINITY);
    double log_pure = log_expm1_up(pure), two = dusk_log_up(2);
    for (unsigned k = 2; k <= n; k++) {
        double d = below_at(part, k);
        double least = fmin(two, dusk_mul_up(k, log_pure));
        x[k] = dusk_add_up(dusk_mul_up(k - 1, d), least);
        if (k == 2) x[k] = fmin(x[k], dusk_add_up(dusk_add_up(two, two), log_expm1_up(d)));
    }
    return log1p_exp_up(binomial_sum(n, 0, log(q), x));
}

typedef double whole_order(const dusk_renyi_part *part, double q, unsigned n);

/* K of order alpha from K at the whole orders around it. */
static double between(whole_order *k, const dusk_renyi_part *part, double q, double alpha)
{
    double low = floor(alpha);
    if (!(alpha <= ORDERS_MAX - 1)) return INFINITY;
    double left = low >= 2 ? k(part, q, (unsigned)low) : 0;
    if (low == alpha) return left;
    double right = k(part, q, (unsigned)low + 1), share = alpha - low;
    return dusk_add_up(dusk_mul_up(1 - share, left), dusk_mul_up(share, right));
}

static double poisson(const dusk_renyi_part *part, double alpha)
{
    double q = part->tree->real[0], s = dusk_sub_up(alpha, 1), most = below_at(part, alpha);
    if (!(q > 0)) return 0;
    if (q >= 1 || !(most > 0)) return most;
    if (isinf(alpha)) return part->neighbours == DUSK_REPLACE_ONE ? most : revealed(q, most);
    double k;
    if (part->neighbours == DUSK_REPLACE_ONE) {
        k = revealed(q, dusk_mul_up(s, most));
    } else {
        k = between(removed, part, q, alpha);
        if (DUSK_MUTATE(SAMPLED_ADDING_FORGOTTEN, k < INFINITY, false))
            k = fmax(k, added(q, s, below_at(part, 2)));
    }
    return fmin(most, dusk_div_up(k, dusk_sub_down(alpha, 1)));
}

static double without_replacement(const dusk_renyi_part *part, double alpha)
{
    const dusk_event_node *e = part->tree;
    double most = below_at(part, alpha), s = dusk_sub_up(alpha, 1);
    if (e->whole[0] == 0) return 0;
    if (e->whole[0] >= e->whole[1] || !(most > 0) || isinf(alpha)) return most;
    double q = dusk_bound_div(dusk_bound_of_whole(e->whole[0]), dusk_bound_of_whole(e->whole[1])).upper;
    double k = fmin(between(subset, part, q, alpha), revealed(q, dusk_mul_up(s, most)));
    return fmin(most, dusk_div_up(k, dusk_sub_down(alpha, 1)));
}

/* (1 - 1/a) D_a + ln(1/gamma) / a */
static double select_cost(const dusk_renyi_part *part, double a, double log_gamma)
{
    double d = dusk_renyi_below_up(part, a);
    if (isinf(a)) return d;
    double first = d > 0 ? dusk_mul_up(dusk_sub_up(1, dusk_div_down(1, a)), d) : 0;
    return dusk_add_up(first, dusk_div_up(log_gamma, a));
}

/* (1 + eta) times the least cost of any auxiliary order. */
DUSK_PROVEN(dusk_renyi_select_extra)
double dusk_renyi_select_extra(const dusk_renyi_part *part)
{
    double log_gamma = -dusk_log_down(part->tree->real[1]);
    double least = fmin(log_gamma, select_cost(part, INFINITY, log_gamma)), at = 0;
    for (int i = 0; i < SEARCH; i++) { /* orders on a logarithmic scale */
        double l = -4 + 0.5 * i, cost = select_cost(part, 1 + exp(l), log_gamma);
        if (cost < least) {
            least = cost;
            at = l;
        }
    }
    for (double step = 0.25; step > 1e-5; step /= 2)
        for (int side = -1; side <= 1; side += 2) {
            double cost = select_cost(part, 1 + exp(at + side * step), log_gamma);
            if (cost < least) {
                least = cost;
                at += side * step;
            }
        }
    return dusk_mul_up(DUSK_MUTATE(SELECT_ETA_FORGOTTEN, dusk_add_up(1, part->tree->real[0]), 1), least);
}

/* ln of the mean number of runs: eta (1-gamma) / (gamma (1 - gamma^eta)) */
static double log_runs(double eta, double gamma)
{
    double l = -dusk_log_down(gamma), log_rest = dusk_log1p_up(-gamma);
    if (eta == 0) return dusk_add_up(dusk_add_up(l, log_rest), -dusk_log_down(-dusk_log_up(gamma)));
    /* |eta| / |1 - gamma^eta| */
    double x = dusk_mul_down(fabs(eta), -dusk_log_up(gamma)), y = dusk_mul_up(fabs(eta), l);
    double log_change = eta > 0   ? dusk_log_down(-dusk_expm1_up(-x))
                        : y < 700 ? dusk_log_down(dusk_expm1_down(x))
                                  : dusk_sub_down(x, 1e-300);
    double sum = dusk_add_up(dusk_add_up(l, log_rest), dusk_log_up(fabs(eta)));
    return dusk_sub_up(sum, log_change);
}

DUSK_PROVEN(dusk_renyi_select_runs)
double dusk_renyi_select_runs(const dusk_renyi_part *part)
{
    return fmax(0, log_runs(part->tree->real[0], part->tree->real[1]));
}

static double select_best(const dusk_renyi_part *part, double alpha)
{
    double d = dusk_add_up(dusk_renyi_below_up(part, alpha), part->extra);
    if (isinf(alpha)) return d;
    return dusk_add_up(d, dusk_div_up(part->runs, dusk_sub_down(alpha, 1)));
}

/* delta of what is below at epsilon, at the best of several orders, which are the
 * same for every epsilon */
static double delta_below(const dusk_renyi_part *part, double epsilon)
{
    double least = dusk_renyi_below_up(part, INFINITY) <= epsilon ? 0 : 1;
    for (int i = 0; i < SEARCH && least > 0; i++) {
        double a = 1 + exp(-3 + 0.25 * i);
        if (isnan(part->memo[i])) part->memo[i] = dusk_renyi_below_up(part, a);
        least = fmin(least, dusk_rdp_to_delta_up(a, part->memo[i], epsilon));
    }
    return least;
}

/* ln(exp(-mu) + mu exp(s (D + mu delta))) / s, where delta is that at epsilon with
 * exp(epsilon) <= alpha / (alpha - 1). */
static double select_poisson(const dusk_renyi_part *part, double alpha)
{
    double mu = part->tree->real[0], d = dusk_renyi_below_up(part, alpha), s = dusk_sub_up(alpha, 1);
    if (!(mu > 0)) return 0;
    if (isinf(alpha)) return d > 0 ? INFINITY : 0;
    double epsilon = dusk_log1p_down(dusk_div_down(1, s));
    double delta = epsilon > 0 ? delta_below(part, epsilon) : 1;
    double k = dusk_add_up(dusk_mul_up(s, dusk_add_up(d, dusk_mul_up(mu, delta))), dusk_log_up(mu));
    double all = dusk_add_up(log1p_exp_up(dusk_add_up(-mu, -k)), k);
    return isnan(all) ? INFINITY : dusk_div_up(fmax(all, 0), dusk_sub_down(alpha, 1));
}

/* A unit is in one part. One that moves is removed from a part and added to
 * another; those prices stand behind the others. */
static double parallel(const dusk_renyi_part *part, double alpha)
{
    double stays = 0, first = 0, second = 0;
    for (const dusk_renyi_part *p = part + 1; p < part + part->span; p += p->span) {
        double d = dusk_renyi_below_up(p, alpha);
        if (p->neighbours == part->neighbours) {
            stays = fmax(stays, d);
        } else if (d > first) {
            second = first;
            first = d;
        } else {
            second = fmax(second, d);
        }
    }
    return fmax(stays, dusk_add_up(first, second));
}

/* One unit. */
static double single(const dusk_renyi_part *part, double alpha)
{
    switch (part->tree->kind) {
    case DUSK_EVENT_POISSON: return poisson(part, alpha);
    case DUSK_EVENT_WITHOUT_REPLACEMENT: return without_replacement(part, alpha);
    case DUSK_EVENT_SELECT_BEST: return select_best(part, alpha);
    case DUSK_EVENT_SELECT_POISSON: return select_poisson(part, alpha);
    case DUSK_EVENT_PARALLEL: return parallel(part, alpha);
    case DUSK_EVENT_BRANCH: return dusk_renyi_below_up(part, alpha);
    default: return INFINITY;
    }
}

DUSK_PROVEN(dusk_renyi_wrapper_up)
double dusk_renyi_wrapper_up(const dusk_renyi_part *part, double alpha)
{
    return dusk_renyi_group_up(single, part, alpha);
}
