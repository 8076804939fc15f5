/* SPDX-License-Identifier: Apache-2.0 */
/* The law of a sparse vector that shows the noisy value it compared (SVT3 of Lyu, Su & Li
 * 2017, from Roth's lecture notes 2011). With rho the noise of the threshold T, nu that of
 * the queries, the density of "k below, then the value v" is
 *     f_nu(v - q_k) A_k(v - T),  A_k(x) = integral to x of f_rho(r) prod_{j<k} F_nu(T + r - q_j) dr,
 * since v shows that T + rho <= v. For x below all kinks A_k is one exponential; from there on
 * it is summed up cell by cell. Proof: oracle_shown.proof.md. */
#include <math.h>
#include <string.h>

#include "audit/oracle.h"
#include "base/platform.h"

/* Scales of the queries between the ends of the cells, at most: exponentials stay in range,
 * and their arguments are right to 150 2^-53. */
#define FARTHEST 150

/* The threshold's noise r at the nodes of a cell: what it has there, e^(r/nu) and its inverse. */
typedef struct nodes {
    double mass[AUDIT_RULE], up[AUDIT_RULE], down[AUDIT_RULE];
} nodes;

/* Nodes lie in pairs of equal distance from the two ends, which have their exponential together. */
static void nodes_of(nodes *out, const audit_svt *svt, double from, double to)
{
    double at[AUDIT_RULE], rho = svt->threshold_scale, nu = svt->query_scale;
    double first = exp(from / nu), last = exp(to / nu);
    audit_rule(at, out->mass, from, to);
    for (int i = 0, j = AUDIT_RULE - 1; i < j; i++, j--) {
        double away = exp((at[i] - from) / nu);
        out->up[i] = first * away;
        out->up[j] = last / away;
    }
    for (int i = 0; i < AUDIT_RULE; i++) {
        out->down[i] = 1 / out->up[i];
        double tail = rho != nu ? exp(-fabs(at[i]) / rho) : at[i] < 0 ? out->up[i] : out->down[i];
        out->mass[i] *= tail / (2 * rho);
    }
}

/* Adds the integral over (from, to], a cell or its beginning, to A_first ... A_last. With x = r - (q - T)
 * F_nu(x) is e^(x/nu)/2 below 0 and 1 - e^(-x/nu)/2 above: products of what is known, as q - T is no
 * inner point of a cell. */
static void add_cell(double *mass, const audit_shown *law, double from, double to, size_t first, size_t last)
{
    nodes n;
    nodes_of(&n, &law->svt, from, to);
    for (size_t k = 0;; k++) {
        if (k >= first)
            for (int i = 0; i < AUDIT_RULE; i++) mass[k] += n.mass[i];
        if (k == last) return;
        double down = 0.5 * law->down[k], up = 0.5 * law->up[k];
        if (from < law->queries[k] - law->svt.threshold)
            for (int i = 0; i < AUDIT_RULE; i++) n.mass[i] *= down * n.up[i];
        else
            for (int i = 0; i < AUDIT_RULE; i++) n.mass[i] *= 1 - up * n.down[i];
    }
}

/* A_k(x) for x at or below all kinks, where its rate is 1/rho + k/nu. */
static double left_end(const audit_shown *law, double x, size_t k)
{
    const audit_svt *svt = &law->svt;
    double product = exp(audit_laplace_log_density(x, svt->threshold_scale));
    for (size_t j = 0; j < k; j++)
        product *= audit_laplace_tail(law->queries[j] - svt->threshold - x, svt->query_scale);
    return product / (1 / svt->threshold_scale + (double)k / svt->query_scale);
}

/* Cells of equal length between two edges, as long as the rule is good for. */
static bool divide(audit_shown *law, double from, double to, double longest)
{
    double parts = ceil((to - from) / longest);
    if (!(parts <= (double)(AUDIT_CELLS_MAX - law->cells))) return false;
    for (double i = 1; i <= parts; i++)
        law->edge[++law->cells] = i < parts ? from + (to - from) * (i / parts) : to;
    return true;
}

DUSK_PROVEN(audit_shown_make)
bool audit_shown_make(audit_shown *out, const audit_svt *svt, const double *queries)
{
    size_t n = svt->queries;
    double kinks[AUDIT_QUERIES_MAX + 1] = { 0 }, sums[AUDIT_QUERIES_MAX], law[AUDIT_QUERIES_MAX + 1];
    double longest = AUDIT_REACH / (1 / svt->threshold_scale + (double)n / svt->query_scale);

    if (n == 0 || n > AUDIT_QUERIES_MAX || !svt->stops || !audit_svt_law(law, svt, queries)) return false;
    out->svt = *svt;
    out->log_none = log(law[n]);
    memcpy(out->queries, queries, n * sizeof *queries);
    for (size_t i = 0; i < n; i++) {
        kinks[i + 1] = queries[i] - svt->threshold;
        out->up[i] = exp(kinks[i + 1] / svt->query_scale);
        out->down[i] = 1 / out->up[i];
    }
    audit_sort(kinks, n + 1);
    if (!(kinks[n] + 50 * svt->threshold_scale - kinks[0] < FARTHEST * svt->query_scale)) return false;
    out->cells = 0;
    out->edge[0] = kinks[0];
    for (size_t i = 0; i < n; i++)
        if (!divide(out, kinks[i], kinks[i + 1], longest)) return false;
    /* Beyond 50 scales of the threshold there is nothing that a double could show. */
    if (!divide(out, kinks[n], kinks[n] + 50 * svt->threshold_scale, longest)) return false;
    for (size_t k = 0; k < n; k++) out->mass[k][0] = sums[k] = left_end(out, kinks[0], k);
    for (size_t c = 0; c < out->cells; c++) {
        add_cell(sums, out, out->edge[c], out->edge[c + 1], 0, n - 1);
        for (size_t k = 0; k < n; k++) out->mass[k][c + 1] = sums[k];
    }
    return true;
}

/* The cell that x lies in, x between the first edge and the last. */
static size_t cell_of(const audit_shown *law, double x)
{
    size_t low = 0, high = law->cells;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (law->edge[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double audit_shown_log_density(const audit_shown *law, size_t below, double value)
{
    double x = value - law->svt.threshold, mass[AUDIT_QUERIES_MAX];
    if (below == law->svt.queries) return law->log_none;
    double shown = audit_laplace_log_density(value - law->queries[below], law->svt.query_scale);
    if (x >= law->edge[law->cells]) return shown + log(law->mass[below][law->cells]);
    if (x <= law->edge[0]) {
        double rate = 1 / law->svt.threshold_scale + (double)below / law->svt.query_scale;
        return shown + log(law->mass[below][0]) - (law->edge[0] - x) * rate;
    }
    size_t cell = cell_of(law, x);
    mass[below] = law->mass[below][cell];
    add_cell(mass, law, law->edge[cell], x, below, below);
    return shown + log(mass[below]);
}

/* The largest over one stop: between two neighbouring places in 16 steps. */
static double largest_between(const audit_shown *p, const audit_shown *q, size_t below, double from,
                              double to)
{
    double largest = 0;
    for (int i = 0; i <= 16; i++) {
        double value = from + (to - from) * (i / 16.0);
        largest = fmax(largest,
                       audit_shown_log_density(p, below, value) - audit_shown_log_density(q, below, value));
    }
    return largest;
}

double audit_shown_epsilon(const audit_shown *p, const audit_shown *q)
{
    size_t n = p->svt.queries, count = 0;
    double places[2 * AUDIT_QUERIES_MAX + 3], largest = fmax(0, p->log_none - q->log_none);
    for (size_t i = 0; i < n; i++) {
        places[count++] = p->queries[i];
        places[count++] = q->queries[i];
    }
    places[count++] = p->svt.threshold;
    audit_sort(places, count);
    places[count] = places[count - 1] + 50 * p->svt.threshold_scale;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < count; i++)
            if (places[i] < places[i + 1])
                largest = fmax(largest, largest_between(p, q, k, places[i], places[i + 1]));
    return largest;
}
