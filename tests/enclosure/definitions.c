/* SPDX-License-Identifier: Apache-2.0 */
/* Prices against the definition of each mechanism on real neighbouring data: the
 * law of every output is written down from what the mechanism does with the
 * data (which units are sampled, who is in the group, how often it runs), never
 * from dominating pairs, and delta(eps) is summed over all outputs. What an
 * accountant says must be above that, and a lower bound must be below the
 * largest one where the worst data is among the data that are tried. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "dusk/accounting.h"
#include "support.h"

#define SLACK 1e-15
#define COUNT(a) (sizeof(a) / sizeof *(a))
#define WIDE 400 /* outputs of one run */

/* The laws of the output on two neighbouring data sets. */
typedef struct law {
    size_t n;
    long double p[WIDE], q[WIDE];
} law;

/* Integrals of (dP - a dQ)+ and of (dQ - a dP)+ for T independent runs, the larger. */
static long double excess(const law *l, unsigned runs, long double p, long double q, long double a)
{
    if (runs == 0) return p > a * q ? p - a * q : 0;
    long double sum = 0;
    for (size_t i = 0; i < l->n; i++) sum += excess(l, runs - 1, p * l->p[i], q * l->q[i], a);
    return sum;
}

static law turned(const law *l)
{
    law t = { .n = l->n };
    for (size_t i = 0; i < l->n; i++) {
        t.p[i] = l->q[i];
        t.q[i] = l->p[i];
    }
    return t;
}

static long double delta_of(const law *l, unsigned runs, double epsilon)
{
    long double a = expl((long double)epsilon);
    law t = turned(l);
    return fmaxl(excess(l, runs, 1, 1, a), excess(&t, runs, 1, 1, a));
}

/* --- what the accountants say -------------------------------------------------- */

typedef enum known { ABOVE, BELOW_TOO, EQUAL } known; /* worst data: unknown; among them; and met */

static void check_one(const dusk_composition *c, const char *text, double epsilon, long double truth,
                      known worst, dusk_accountant who, bool both)
{
    dusk_account a;
    dusk_error err;
    double t = (double)truth;
    if (dusk_account_delta(&a, c, epsilon, who, &err) == DUSK_OK) {
        bool right = a.bound.upper >= t - SLACK && (worst == ABOVE || a.bound.lower <= t + SLACK);
        if (worst == EQUAL && who == DUSK_BEST) right = right && a.bound.upper <= t + 1e-9;
        if (!right)
            fail_msg("%s, %s: delta(%.17g) in [%.17g, %.17g], but it is %.17g", text,
                     dusk_accountant_name(who), epsilon, a.bound.lower, a.bound.upper, t);
    }
    if (!both) return;
    double less = t * (1 - 1e-12) - SLACK, more = t * (1 + 1e-12) + SLACK;
    if (less > 0 && dusk_account_epsilon(&a, c, less, who, &err) == DUSK_OK && a.bound.upper < epsilon)
        fail_msg("%s, %s: epsilon(%.17g) <= %.17g, but it is %.17g", text, dusk_accountant_name(who), less,
                 a.bound.upper, epsilon);
    if (worst != ABOVE && more < 1 && dusk_account_epsilon(&a, c, more, who, &err) == DUSK_OK &&
        a.bound.lower > epsilon)
        fail_msg("%s, %s: epsilon(%.17g) >= %.17g, but it is %.17g", text, dusk_accountant_name(who), more,
                 a.bound.lower, epsilon);
}

/* `truth` at epsilon against the best answer, for there must be one, or against every answer. */
static void check_at(const char *text, dusk_neighbours how, double epsilon, long double truth, known worst,
                     bool everybody)
{
    dusk_composition *c;
    dusk_account a;
    dusk_error err;
    assert_int_equal(dusk_composition_new(&c, how, &err), DUSK_OK);
    if (dusk_composition_parse(c, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    if (dusk_account_delta(&a, c, epsilon, DUSK_BEST, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    for (int who = 1; who <= (everybody ? DUSK_ACCOUNTANTS : 1); who++)
        if (who != DUSK_CLT && who != DUSK_LATTICE &&
            who != DUSK_CONTOUR) /* no bound; slow, and tested by itself */
            check_one(c, text, epsilon, truth, worst, (dusk_accountant)who, everybody);
    dusk_composition_free(c);
}

/* `runs` of an event at shares of its largest epsilon; the worst of the laws counts. */
static void check(const char *event, dusk_neighbours how, unsigned runs, double largest, const law *l,
                  size_t n, known worst)
{
    static const double share[] = { 0, 0.23, 0.61 };
    char text[300];
    snprintf(text, sizeof text, "(%s) * %u", event, runs);
    for (size_t i = 0; i < COUNT(share); i++) {
        double epsilon = share[i] * largest * runs;
        long double truth = 0;
        for (size_t k = 0; k < n; k++) truth = fmaxl(truth, delta_of(&l[k], runs, epsilon));
        check_at(text, how, epsilon, truth, worst, i == 2 && runs == 1);
    }
}

/* --- laws of a run on a number that is known -------------------------------------- */

/* The law of an output when a mechanism is given the number `data`. */
typedef struct noise {
    bool response; /* randomized response with `answers`, else an integer with noise */
    bool gaussian;
    double size;
    int answers;
} noise;

static size_t outputs(const noise *m) { return m->response ? (size_t)m->answers : WIDE - 1; }

static void output_law(long double *p, const noise *m, int data)
{
    long double sum = 0;
    for (size_t i = 0; i < outputs(m); i++) {
        long double k = m->response ? (long double)((int)i != data) : fabsl((long double)i - WIDE / 2 - data);
        long double s = m->size;
        p[i] = m->response ? expl(-k * s) : m->gaussian ? expl(-k * k / (2 * s * s)) : expl(-k / s);
        sum += p[i];
    }
    for (size_t i = 0; i < outputs(m); i++) p[i] /= sum;
}

static void mix(long double *p, const noise *m, int data, long double weight)
{
    long double x[WIDE];
    output_law(x, m, data);
    for (size_t i = 0; i < outputs(m); i++) p[i] += weight * x[i];
}

static long double choose(unsigned n, unsigned k)
{
    return roundl(expl(lgammal(n + 1.0L) - lgammal(k + 1.0L) - lgammal(n - k + 1.0L)));
}

/* The sum of a sample of units whose numbers are all `each`, every one taken with chance q. */
static void sampled(long double *p, const noise *m, unsigned units, int each, long double q)
{
    for (unsigned j = 0; j <= units; j++)
        mix(p, m, (int)j * each, choose(units, j) * powl(q, j) * powl(1 - q, units - j));
}

static law on_samples(const noise *m, unsigned units, int x, int other, long double q)
{
    law l = { .n = outputs(m) };
    sampled(l.p, m, units, x, q);
    sampled(l.q, m, units, other, q);
    return l;
}

/* The sum over a sample of `size` of n units; unit i is `high` when bit i is set, else `low`. */
static void fixed_size(long double *p, const noise *m, unsigned size, unsigned n, unsigned data, int low,
                       int high)
{
    for (unsigned sample = 0; sample < 1u << n; sample++) {
        int sum = 0;
        unsigned taken = 0;
        for (unsigned i = 0; i < n; i++) {
            if (!(sample >> i & 1)) continue;
            taken++;
            sum += data >> i & 1 ? high : low;
        }
        if (taken == size) mix(p, m, sum, 1 / choose(n, size));
    }
}

/* All pairs of data that differ in unit 0. */
static size_t on_fixed_size(law *l, const noise *m, unsigned size, unsigned n, int low, int high)
{
    size_t count = 0;
    for (unsigned data = 0; data < 1u << n; data += 2) {
        l[count] = (law){ .n = outputs(m) };
        fixed_size(l[count].p, m, size, n, data + 1, low, high);
        fixed_size(l[count].q, m, size, n, data, low, high);
        count++;
    }
    return count;
}

/* --- mechanisms ------------------------------------------------------------------ */

static void responses(void **state)
{
    (void)state;
    char text[200];
    for (int k = 2; k <= 4; k++)
        for (unsigned runs = 1; runs <= 4; runs += k == 2 ? 1 : 3) {
            double e = 0.3 * k;
            noise m = { .response = true, .size = e, .answers = k };
            law l = on_samples(&m, 1, 1, 0, 1);
            snprintf(text, sizeof text, "randomized_response(%.17g, %d)", e, k);
            check(text, DUSK_REPLACE_ONE, runs, e, &l, 1, EQUAL);
            /* who is not there is said to have the answer 0 */
            l = on_samples(&m, 1, 1, 0, 0.3L);
            snprintf(text, sizeof text, "poisson(%.17g, randomized_response(%.17g, %d))", 0.3, e, k);
            if (runs <= 3) check(text, DUSK_ADD_REMOVE, runs, log1p(0.3 * expm1(e)), &l, 1, BELOW_TOO);
            if (k < 3 || runs > 1) continue;
            law other = { .n = l.n };
            sampled(other.p, &m, 1, 1, 0.3L);
            sampled(other.q, &m, 1, 2, 0.3L);
            check(text, DUSK_REPLACE_ONE, runs, e, &other, 1, ABOVE);
        }
}

/* One unit's answer is asked for, of n. */
static void responses_of_one(void **state)
{
    (void)state;
    char text[200];
    static law l[64];
    noise m = { .response = true, .size = 1.2, .answers = 3 };
    for (unsigned n = 2; n <= 5; n += 3) {
        size_t count = on_fixed_size(l, &m, 1, n, 0, 1);
        snprintf(text, sizeof text, "without_replacement(1, %u, randomized_response(1.2, 3))", n);
        check(text, DUSK_REPLACE_ONE, 1, log1p(expm1(1.2) / n), l, count, EQUAL);
        check(text, DUSK_REPLACE_ONE, 3, log1p(expm1(1.2) / n), l, count, ABOVE);
    }
}

/* Integer noise: the sum of units that are -1, 0 or 1 times the sensitivity. */
static void integers_with(noise m, int sensitivity)
{
    char event[100], text[200];
    static law l[64];
    double e = m.gaussian ? (2 * m.size + 1) / (m.size * m.size) * sensitivity : sensitivity / m.size;
    snprintf(event, sizeof event, "discrete_%s(%.17g, %d)", m.gaussian ? "gaussian" : "laplace", m.size,
             sensitivity);
    l[0] = on_samples(&m, 1, sensitivity, 0, 1);
    check(event, DUSK_ADD_REMOVE, 1, e, l, 1, EQUAL);
    l[0] = on_samples(&m, 1, sensitivity, -sensitivity, 1);
    check(event, DUSK_REPLACE_ONE, 1, 2 * e, l, 1, EQUAL);
    snprintf(text, sizeof text, "group(3, %s)", event);
    l[0] = on_samples(&m, 3, sensitivity, 0, 1);
    check(text, DUSK_ADD_REMOVE, 1, 3 * e, l, 1, BELOW_TOO);
    snprintf(text, sizeof text, "poisson(0.25, %s)", event);
    l[0] = on_samples(&m, 1, sensitivity, 0, 0.25L);
    check(text, DUSK_ADD_REMOVE, 1, e, l, 1, EQUAL);
    l[0] = on_samples(&m, 1, sensitivity, -sensitivity, 0.25L);
    check(text, DUSK_REPLACE_ONE, 1, e, l, 1, ABOVE);
    snprintf(text, sizeof text, "group(2, poisson(0.25, %s))", event);
    l[0] = on_samples(&m, 2, sensitivity, 0, 0.25L);
    if (!m.gaussian) check(text, DUSK_ADD_REMOVE, 1, e, l, 1, ABOVE);
    for (unsigned size = 1; size <= 3; size += 2) {
        size_t count = on_fixed_size(l, &m, size, 4, -sensitivity, sensitivity);
        snprintf(text, sizeof text, "without_replacement(%u, 4, %s)", size, event);
        check(text, DUSK_REPLACE_ONE, 1, e, l, count, EQUAL);
    }
}

static void integers(void **state)
{
    (void)state;
    integers_with((noise){ .size = 1.3 }, 2);
    integers_with((noise){ .gaussian = true, .size = 0.9 }, 1);
}

/* The answer and its reverse, or with chance delta the data itself. */
static void promises(void **state)
{
    (void)state;
    char text[100];
    for (unsigned runs = 1; runs <= 3; runs += 2) {
        double e = 0.7, d = 0.01;
        long double t = (1 - (long double)d) / (1 + expl(e));
        law l = { .n = 4, .p = { d, t * expl(e), t, 0 }, .q = { 0, t, t * expl(e), d } };
        snprintf(text, sizeof text, "approx(%.17g, %.17g)", e, d);
        check(text, DUSK_ADD_REMOVE, runs, e, &l, 1, EQUAL);
        check(text, DUSK_REPLACE_ONE, runs, e, &l, 1, EQUAL);
        snprintf(text, sizeof text, "group(2, approx(%.17g, %.17g))", e, d);
        check(text, DUSK_ADD_REMOVE, runs, e, &l, 1, ABOVE);
    }
}

/* A table is a promise for both orders. */
static void tables(void **state)
{
    (void)state;
    char text[100];
    long double m = 0.6L, rest = 0.99L - m - m * expl(-1);
    law l = { .n = 5, .p = { 0.01L, m, rest, m * expl(-1), 0 }, .q = { 0, m * expl(-1), rest, m, 0.01L } };
    snprintf(text, sizeof text, "pld(-1: %.17g, 0: %.17g, 1: 0.6, inf: 0.01)", (double)l.p[3], (double)rest);
    check(text, DUSK_ADD_REMOVE, 1, 1, &l, 1, BELOW_TOO);
    l = (law){ .n = 5, .p = { 0, 0.1L, 0.4L, 0.45L, 0.05L }, .q = { 0.05L, 0.45L, 0.4L, 0.1L, 0 } };
    snprintf(text, sizeof text, "fdp(0: 0.95, 0.1: 0.5, 0.5: 0.1, 0.95: 0, 1: 0)");
    check(text, DUSK_REPLACE_ONE, 1, 1.5, &l, 1, BELOW_TOO);
}

/* Staircase noise added to numbers at distance 1 or less: steps begin at gamma, 1 + gamma, ... */
static long double stair(long double x, long double e, long double gamma)
{
    long double t = expl(-e), height = (1 - t) / (2 * (gamma + t * (1 - gamma)));
    x = fabsl(x);
    return height * expl(-e * (floorl(x) + (x - floorl(x) >= gamma ? 1 : 0)));
}

/* Where the steps of either law begin, multiples of 1/8, nothing changes within a cell. */
static void stairs(void **state)
{
    (void)state;
    char text[100];
    for (int g = 3; g <= 7; g += 4) {
        static law l[8];
        double e = 1.6;
        for (int d = 1; d <= 8; d++) {
            l[d - 1] = (law){ .n = WIDE };
            for (int i = 0; i < WIDE; i++) {
                long double x = (i - WIDE / 2 + 0.5L) / 8;
                l[d - 1].p[i] = stair(x - d / 8.0L, e, g / 8.0L) / 8;
                l[d - 1].q[i] = stair(x, e, g / 8.0L) / 8;
            }
        }
        snprintf(text, sizeof text, "staircase(%.17g, %.17g)", e, g / 8.0);
        check(text, DUSK_ADD_REMOVE, 1, e, l, 8, ABOVE);
        check(text, DUSK_ADD_REMOVE, 2, e, l + 7, 1, ABOVE);
    }
}

/* --- selection ------------------------------------------------------------------- */

/* The best of K runs that each answer 0, .., k-1, more being better: P(best <= i) = E[F(i)^K]. */
static void best_of_runs(long double *p, const noise *m, int data, bool poisson, long double mean)
{
    long double one[WIDE], before = 0, f = 0;
    output_law(one, m, data);
    for (int i = 0; i < m->answers; i++) {
        f += one[i];
        /* Poisson: e^(mean (f - 1)), nothing at all being an output; geometric from 1, gamma = 1/mean */
        long double g = poisson ? expl(mean * (f - 1)) - expl(-mean) : f / (mean - (mean - 1) * f);
        p[i] = g - before;
        before = g;
    }
    p[m->answers] = poisson ? expl(-mean) : 0;
}

static void selections(void **state)
{
    (void)state;
    char text[200];
    for (int x = 1; x < 3; x++) {
        noise m = { .response = true, .size = 0.4, .answers = 3 };
        law l = { .n = 4 };
        best_of_runs(l.p, &m, x, false, 8);
        best_of_runs(l.q, &m, 0, false, 8);
        snprintf(text, sizeof text, "select_best(1, 0.125, randomized_response(0.4, 3))");
        check(text, DUSK_REPLACE_ONE, 1, 1.2, &l, 1, ABOVE);
        best_of_runs(l.p, &m, x, true, 8);
        best_of_runs(l.q, &m, 0, true, 8);
        if (x == 2) /* the prices are slow */
            check_at("select_poisson(8, randomized_response(0.4, 3))", DUSK_REPLACE_ONE, 0.7,
                     delta_of(&l, 1, 0.7), ABOVE, false);
    }
}

/* The exponential mechanism with two candidates whose scores move by 1/2 against each other, and how
 * far they are apart is the choice of whoever has seen earlier answers: the largest excess. */
static long double choose_scores(unsigned runs, long double p, long double q, long double a)
{
    const long double e = 1.1L;
    long double most = 0;
    if (runs == 0) return p > a * q ? p - a * q : 0;
    for (int c = -12; c <= 12; c++)
        for (int side = -1; side <= 1; side += 2) {
            long double x = 1 / (1 + expl(e * (c / 8.0L + side * 0.5L))),
                        y = 1 / (1 + expl(e * c / 8.0L - side * e / 2));
            long double sum = choose_scores(runs - 1, p * x, q * y, a) +
                              choose_scores(runs - 1, p * (1 - x), q * (1 - y), a);
            most = fmaxl(most, sum);
        }
    return most;
}

static void exponentials(void **state)
{
    (void)state;
    for (unsigned runs = 1; runs <= 2; runs++)
        for (int i = 0; i < 4; i += runs == 1 ? 1 : 2) {
            char text[100];
            double epsilon = 0.25 * i;
            snprintf(text, sizeof text, "exponential(1.1) * %u", runs);
            check_at(text, DUSK_ADD_REMOVE, epsilon, choose_scores(runs, 1, 1, expl(epsilon)), ABOVE, i == 2);
        }
}

/* Reports by randomized response, of which only the counts are seen: unit 0 says its own, the others
 * have the answer `rest`. The counts of k = 2 answers are the number of ones. */
static void counts_of(long double *p, unsigned n, unsigned data, long double e)
{
    p[0] = 1;
    for (unsigned i = 0; i < n; i++) {
        long double one = (data >> i & 1 ? expl(e) : 1) / (1 + expl(e));
        for (unsigned j = i + 2; j-- > 0;) p[j] = p[j] * (1 - one) + (j > 0 ? p[j - 1] * one : 0);
    }
}

static void shuffles(void **state)
{
    (void)state;
    static law l[64];
    size_t count = 0;
    for (unsigned data = 0; data < 64; data += 2, count++) {
        l[count] = (law){ .n = 7 };
        counts_of(l[count].p, 6, data, 1.5L);
        counts_of(l[count].q, 6, data + 1, 1.5L);
    }
    check("shuffle_response(6, 2, 1.5)", DUSK_REPLACE_ONE, 1, 1.5, l, count, ABOVE);
    check("shuffle(6, 1.5)", DUSK_REPLACE_ONE, 1, 1.5, l, count, ABOVE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(responses),  cmocka_unit_test(responses_of_one), cmocka_unit_test(integers),
        cmocka_unit_test(promises),   cmocka_unit_test(tables),           cmocka_unit_test(stairs),
        cmocka_unit_test(selections), cmocka_unit_test(exponentials),     cmocka_unit_test(shuffles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
