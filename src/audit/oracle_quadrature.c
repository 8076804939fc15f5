/* SPDX-License-Identifier: Apache-2.0 */
/* Integrals over the line of piecewise sums of exponentials, which is what products of
 * Laplace densities and tails are: Gauss-Legendre nodes on the pieces between the kinks, and
 * in w = e^(-x / step) beyond them, where such a function is a polynomial in w and the rule is
 * exact. All weights are positive, so that integrals of positive functions lose no digits.
 * Proof: oracle_quadrature.proof.md. */
#include <math.h>
#include <stdlib.h>

#include "audit/oracle.h"
#include "base/platform.h"

/* The rule of 32 nodes on (0, 1), exact for polynomials of degree 63: the lower half of the
 * nodes with their weights; the others lie as far below 1. */
enum { HALF = AUDIT_RULE / 2 };
static const double lower[HALF][2] = {
    { 0.0013680690752592182, 0.0035093050047350483 }, { 0.0071942442273658323, 0.0081371973654528353 },
    { 0.017618872206246785, 0.01269603265463103 },    { 0.032546962031130155, 0.017136931456510717 },
    { 0.051839422116973938, 0.02141794901111334 },    { 0.075316193133715015, 0.025499029631188088 },
    { 0.1027581020160288, 0.029342046739267774 },     { 0.13390894062985516, 0.032911111388180923 },
    { 0.1684778665348924, 0.036172897054424253 },     { 0.20614212137961884, 0.039096947893535153 },
    { 0.2465500455338853, 0.041655962113473378 },     { 0.28932436193468233, 0.043826046502201906 },
    { 0.33406569885893618, 0.045586939347881942 },    { 0.38035631887393146, 0.046922199540402283 },
    { 0.42776401920860175, 0.04781936003963743 },     { 0.47584616715613084, 0.0482700442573639 },
};

static double node(int k) { return k < HALF ? lower[k][0] : 1 - lower[AUDIT_RULE - 1 - k][0]; }
static double weight(int k) { return lower[k < HALF ? k : AUDIT_RULE - 1 - k][1]; }

void audit_rule(double at[AUDIT_RULE], double measure[AUDIT_RULE], double from, double to)
{
    for (int k = 0; k < AUDIT_RULE; k++) {
        at[k] = from + (to - from) * node(k);
        measure[k] = (to - from) * weight(k);
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void audit_sort(double *numbers, size_t n) { qsort(numbers, n, sizeof *numbers, ascending); }

DUSK_PROVEN(audit_nodes_make)
bool audit_nodes_make(audit_nodes *out, double *kinks, size_t count, double step, unsigned degree)
{
    double longest = AUDIT_REACH * step / degree;

    audit_sort(kinks, count);
    out->count = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        double length = kinks[i + 1] - kinks[i], parts = ceil(length / longest);
        if (!(parts * AUDIT_RULE <= AUDIT_NODES_MAX - 2 * AUDIT_RULE - (double)out->count)) return false;
        for (double part = 0; part < parts; part++, out->count += AUDIT_RULE)
            audit_rule(out->at + out->count, out->weight + out->count, kinks[i] + length * (part / parts),
                       kinks[i] + length * ((part + 1) / parts));
    }
    for (int k = 0; k < AUDIT_RULE; k++) {
        double away = -step * log(node(k)), measure = step * weight(k) / node(k);
        out->at[out->count] = kinks[0] - away;
        out->weight[out->count++] = measure;
        out->at[out->count] = kinks[count - 1] + away;
        out->weight[out->count++] = measure;
    }
    return true;
}

double audit_laplace_tail(double x, double scale)
{
    if (scale == 0) return x <= 0;
    return x > 0 ? exp(-x / scale) / 2 : 1 - exp(x / scale) / 2;
}

double audit_laplace_log_density(double x, double scale) { return -fabs(x) / scale - log(2 * scale); }
