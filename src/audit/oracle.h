/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_ORACLE_H
#define DUSK_AUDIT_ORACLE_H

/* Exact oracles: the true laws of standard subjects, and the true epsilon of two laws, so
 * that an audit can print its bound beside the truth. Probabilities are sums of positive
 * terms with relative errors below 1e-12 (oracle_*.proof.md; tests/enclosure/audit_oracles.c),
 * an epsilon is right to 1e-9. Nothing is drawn here. */

#include <stdbool.h>
#include <stddef.h>

enum { AUDIT_QUERIES_MAX = 20 };

/* --- integrals over the line (oracle_quadrature.c) ------------------------------- */

/* The rule of 32 nodes on one piece: exact for polynomials of degree 63, and to 1e-15 for
 * exponentials e^(c x) with |c| (to - from) <= AUDIT_REACH. */
enum { AUDIT_RULE = 32, AUDIT_REACH = 8, AUDIT_NODES_MAX = 4096 };
void audit_rule(double at[AUDIT_RULE], double measure[AUDIT_RULE], double from, double to);

typedef struct audit_nodes {
    size_t count;
    double at[AUDIT_NODES_MAX], weight[AUDIT_NODES_MAX];
} audit_nodes;

/* Nodes for integrals of functions that are sums of exponentials e^(k x / step), k whole
 * and |k| <= `degree` <= 64, on each piece between the `count` >= 1 `kinks`, and that fall
 * (k >= 1) beyond the last kink on either side: sum of weight f(at) is the integral. The
 * kinks are sorted in place. False where they are so far apart that the nodes do not
 * suffice. */
bool audit_nodes_make(audit_nodes *out, double *kinks, size_t count, double step, unsigned degree);

/* Ascending. */
void audit_sort(double *numbers, size_t n);

/* Laplace noise of `scale`: P(X >= x), where scale 0 is no noise, and ln of the density. */
double audit_laplace_tail(double x, double scale);
double audit_laplace_log_density(double x, double scale);

/* --- sparse vector (oracle_sparse_vector.c) --------------------------------------- */

/* Above when query + Laplace(query_scale) >= threshold + Laplace(threshold_scale), the
 * latter drawn once. One scale is a whole multiple of the other; query_scale may be 0. */
typedef struct audit_svt {
    size_t queries; /* at most 20, 12 where it does not stop */
    double threshold, threshold_scale, query_scale;
    bool stops; /* after the first one above */
} audit_svt;

/* How many patterns of answers there are: with a stop queries + 1, pattern k being k answers
 * below and then one above (the last: none above); else 2^queries, answer i being bit i. */
size_t audit_svt_patterns(const audit_svt *svt);
/* The probability of each. */
bool audit_svt_law(double *out, const audit_svt *svt, const double *queries);

/* A sparse vector that stops and shows the value, query + noise, that was above, with the
 * noise of the comparison: the law of (answers below before it, value). */
enum { AUDIT_CELLS_MAX = 1024 };
typedef struct audit_shown {
    audit_svt svt;
    double queries[AUDIT_QUERIES_MAX];
    double up[AUDIT_QUERIES_MAX], down[AUDIT_QUERIES_MAX]; /* e^((query - threshold)/scale), its inverse */
    double log_none;                                       /* ln P(none above) */
    size_t cells;                                          /* of the threshold's noise */
    double edge[AUDIT_CELLS_MAX + 1];
    /* P(noise of the threshold <= edge, the first k queries below it). */
    double mass[AUDIT_QUERIES_MAX][AUDIT_CELLS_MAX + 1];
} audit_shown;
bool audit_shown_make(audit_shown *out, const audit_svt *svt, const double *queries);
/* ln of the density at (below, value); with below = queries, of the point "none above". */
double audit_shown_log_density(const audit_shown *law, size_t below, double value);
/* The largest of ln(p / q) over a mesh of values: the places where queries or threshold lie,
 * the limits on both sides, and 16 steps between neighbours (on standard pairs it is attained
 * at a place or as a limit, and a finer mesh changes no digit). */
double audit_shown_epsilon(const audit_shown *p, const audit_shown *q);

/* --- noisy maximum (oracle_noisy_max.c) -------------------------------------------- */

/* P(i is the largest of scores + noise) for each i: Laplace noise, or exponential noise. */
bool audit_argmax_law(double *out, const double *scores, size_t n, double scale, bool one_sided);
/* ln of the density of the value of the maximum. */
double audit_max_log_density(double value, const double *scores, size_t n, double scale, bool one_sided);

/* --- epsilon of two laws (oracle_epsilon.c) ------------------------------------------ */

/* The least epsilon >= 0 with sum of max(p - e^epsilon q, 0) <= delta, for two laws on n
 * points; infinite where points of mass above delta in all are impossible under q. */
double audit_table_epsilon(const double *p, const double *q, size_t n, double delta);
/* The mass under p of what is impossible under q. */
double audit_impossible_mass(const double *p, const double *q, size_t n);
/* The same epsilon for a Gaussian of standard deviation `sigma` whose mean moves by 1
 * (Balle & Wang 2018, theorem 5); and the sigma for an epsilon. */
double audit_gaussian_epsilon(double sigma, double delta);
double audit_gaussian_sigma(double epsilon, double delta);

#endif
