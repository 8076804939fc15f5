/* SPDX-License-Identifier: Apache-2.0 */
/* The theorems about wrappers, tried on random laws with few outcomes: what a
 * wrapper makes of a mechanism is computed outright, and must not be above the bound
 * that is made from the mechanism's Renyi curve alone. */
#include <math.h>
#include <stdio.h>

#include "accounting/accountants.h"
#include "support.h"

#define OUTCOMES 5
#define TRIALS 60

typedef struct law {
    double p[OUTCOMES + 1]; /* the last one: no run */
} law;

static double uniform(uint64_t *seed) { return (double)(splitmix64(seed) >> 11) * 0x1p-53; }

/* Weights exp(spread u): the larger the spread, the less alike two laws are. */
static law random_law(uint64_t *seed, double spread)
{
    law l = { { 0 } };
    double sum = 0;
    for (int i = 0; i < OUTCOMES; i++) sum += l.p[i] = exp(spread * uniform(seed));
    for (int i = 0; i < OUTCOMES; i++) l.p[i] /= sum;
    return l;
}

static law mix(law a, law b, double share)
{
    for (int i = 0; i <= OUTCOMES; i++) a.p[i] = (1 - share) * a.p[i] + share * b.p[i];
    return a;
}

static double divergence(law p, law q, double alpha)
{
    double sum = 0;
    for (int i = 0; i <= OUTCOMES; i++)
        if (p.p[i] > 0) sum += p.p[i] * pow(p.p[i] / q.p[i], alpha - 1);
    return log(sum) / (alpha - 1);
}

static double both(law p, law q, double alpha)
{
    return fmax(divergence(p, q, alpha), divergence(q, p, alpha));
}

/* "rdp(order: eps, ...)" of the worst pair among some laws, slightly rounded up */
static size_t write_curve(char *text, size_t size, const law *laws, int n)
{
    size_t used = (size_t)snprintf(text, size, "rdp(");
    double order = 1.0625;
    for (int i = 0; i < 60; i++) {
        double worst = 0;
        for (int a = 0; a < n; a++)
            for (int b = 0; b < a; b++) worst = fmax(worst, both(laws[a], laws[b], order));
        used += (size_t)snprintf(text + used, size - used, "%s%.17g: %.17g", i ? ", " : "", order,
                                 worst * (1 + 1e-12) + 1e-15);
        order = order < 2 ? order + 0.0625 : order + 1;
    }
    used += (size_t)snprintf(text + used, size - used, ")");
    assert_true(used < size);
    return used;
}

static double bound_of(const char *text, dusk_neighbours how, double alpha)
{
    dusk_composition *c;
    dusk_error err = { 0 };
    double d;
    assert_int_equal(dusk_composition_new(&c, how, &err), DUSK_OK);
    if (dusk_composition_parse(c, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    if (dusk_rdp_of_tree(&d, dusk_composition_first(c), how, alpha, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    dusk_composition_free(c);
    return d;
}

static const double alphas[] = { 1.1, 1.5, 2, 2.5, 4, 7.3, 16, 30 };
#define ALPHAS (sizeof alphas / sizeof *alphas)

static void assert_above(const char *what, double bound, double truth, double alpha)
{
    if (!(bound >= truth * (1 - 1e-9) - 1e-13))
        fail_msg("%s at %g: %.17g below %.17g", what, alpha, bound, truth);
}

static void poisson(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        static const double spreads[] = { 0.1, 1, 4 }, rates[] = { 0.01, 0.2, 0.7 };
        double spread = spreads[trial % 3], rate = rates[trial / 3 % 3];
        law l[3];
        char curve[4096], text[4200];
        for (int i = 0; i < 3; i++) l[i] = random_law(&seed, spread);
        write_curve(curve, sizeof curve, l, 2);
        (void)snprintf(text, sizeof text, "poisson(%.17g, %s)", rate, curve);
        law sampled = mix(l[0], l[1], rate);
        for (size_t i = 0; i < ALPHAS; i++)
            assert_above("poisson", bound_of(text, DUSK_ADD_REMOVE, alphas[i]),
                         both(sampled, l[0], alphas[i]), alphas[i]);
        /* replaced: nothing is l[2], the unit x or x' */
        for (size_t i = 0; i < ALPHAS; i++)
            assert_above("poisson, replaced", bound_of(text, DUSK_REPLACE_ONE, alphas[i]),
                         both(mix(l[2], l[0], rate), mix(l[2], l[1], rate), alphas[i]), alphas[i]);
    }
}

/* One of n units is looked at. */
static void without_replacement(void **state)
{
    uint64_t seed = 2;
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        static const double spreads[] = { 0.1, 0.5, 3 };
        enum { UNITS = 4 };
        law l[UNITS + 1], one, other;
        char curve[4096], text[4200];
        for (int i = 0; i <= UNITS; i++) l[i] = random_law(&seed, spreads[trial % 3]);
        write_curve(curve, sizeof curve, l, UNITS + 1);
        (void)snprintf(text, sizeof text, "without_replacement(1, %d, %s)", UNITS, curve);
        one = l[0];
        other = l[UNITS];
        for (int i = 1; i < UNITS; i++) {
            one = mix(one, l[i], 1. / (i + 1));
            other = mix(other, l[i], 1. / (i + 1));
        }
        for (size_t i = 0; i < ALPHAS; i++)
            assert_above("without replacement", bound_of(text, DUSK_REPLACE_ONE, alphas[i]),
                         both(one, other, alphas[i]), alphas[i]);
    }
}

/* The generating function of the number of runs. */
static double runs(double eta, double gamma, double x)
{
    if (eta == 0) return log1p(-(1 - gamma) * x) / log(gamma);
    return (pow(1 - (1 - gamma) * x, -eta) - 1) / (pow(gamma, -eta) - 1);
}

/* The best (last) outcome of the runs; mu > 0: a Poisson number of them. */
static law best_of(law l, double eta, double gamma, double mu)
{
    law best = { { 0 } };
    double below = 0, before = mu > 0 ? exp(-mu) : 0;
    if (mu > 0) best.p[OUTCOMES] = before;
    for (int i = 0; i < OUTCOMES; i++) {
        below = i == OUTCOMES - 1 ? 1 : below + l.p[i];
        double now = mu > 0 ? exp(mu * (below - 1)) : runs(eta, gamma, below);
        best.p[i] = now - before;
        before = now;
    }
    return best;
}

static void selection(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        static const double spreads[] = { 0.1, 1, 3 }, etas[] = { 1, 0, -0.5, 3 },
                            gammas[] = { 0.5, 0.05, 1e-3 };
        static const double means[] = { 0.5, 3, 40 };
        double eta = etas[trial % 4], gamma = gammas[trial / 4 % 3], mu = means[trial / 4 % 3];
        law l[2];
        char curve[4096], text[4200];
        for (int i = 0; i < 2; i++) l[i] = random_law(&seed, spreads[trial / 12 % 3]);
        write_curve(curve, sizeof curve, l, 2);
        for (int poissonian = 0; poissonian < 2; poissonian++) {
            if (poissonian)
                (void)snprintf(text, sizeof text, "select_poisson(%.17g, %s)", mu, curve);
            else
                (void)snprintf(text, sizeof text, "select_best(%.17g, %.17g, %s)", eta, gamma, curve);
            law a = best_of(l[0], eta, gamma, poissonian ? mu : 0),
                b = best_of(l[1], eta, gamma, poissonian ? mu : 0);
            for (size_t i = 0; i < ALPHAS; i++)
                assert_above(text, bound_of(text, DUSK_ADD_REMOVE, alphas[i]), both(a, b, alphas[i]),
                             alphas[i]);
        }
    }
}

/* Sparse vector with Gaussian noise: OUTCOMES - 1 queries, the last outcome is "none". */
static law sparse_vector(const double *query, double sigma1, double sigma2)
{
    law l = { { 0 } };
    const double step = 0.02;
    for (double z = -9; z <= 9; z += step) {
        double weight = exp(-z * z / 2) * step / sqrt(2 * M_PI), none = 1;
        for (int i = 0; i < OUTCOMES - 1; i++) {
            double above = 0.5 * erfc((sigma1 * z - query[i]) / sigma2 / sqrt(2));
            l.p[i] += weight * none * above;
            none *= 1 - above;
        }
        l.p[OUTCOMES - 1] += weight * none;
    }
    return l;
}

static void sparse_vector_gaussian(void **state)
{
    uint64_t seed = 4;
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        static const double sigmas[] = { 0.7, 2, 6 };
        double one[OUTCOMES], other[OUTCOMES], sigma1 = sigmas[trial % 3], sigma2 = sigmas[trial / 3 % 3];
        for (int i = 0; i < OUTCOMES; i++) {
            one[i] = 6 * uniform(&seed) - 3;
            other[i] =
                one[i] + (trial % 2 ? 1 : 2 * uniform(&seed) - 1) * (i == 0 && trial % 4 == 1 ? -1 : 1);
        }
        char text[100];
        (void)snprintf(text, sizeof text, "svt_gaussian(%.17g, %.17g, %d)", sigma1, sigma2, OUTCOMES - 1);
        law a = sparse_vector(one, sigma1, sigma2), b = sparse_vector(other, sigma1, sigma2);
        for (size_t i = 0; i < ALPHAS; i++)
            assert_above(text, bound_of(text, DUSK_ADD_REMOVE, alphas[i]), both(a, b, alphas[i]), alphas[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poisson),
        cmocka_unit_test(without_replacement),
        cmocka_unit_test(selection),
        cmocka_unit_test(sparse_vector_gaussian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
