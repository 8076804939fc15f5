/* SPDX-License-Identifier: Apache-2.0 */
/* Draws with replacement where a unit is replaced: the price is the theorem's, and is above what neighbouring data really show,
 * sum by sum. */
#include <math.h>
#include <stdio.h>

#include "accounting/accountants.h"
#include "support.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define OK(call) assert_int_equal(call, DUSK_OK)

static dusk_error err;

static const double epsilons[] = { 0, 1e-3, 0.1, 0.5, 1, 2, 4, 8 };

static dusk_composition *read(const char *text)
{
    dusk_composition *c;
    OK(dusk_composition_new(&c, DUSK_REPLACE_ONE, &err));
    if (dusk_composition_parse(c, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    return c;
}

/* delta of one run, at most. */
static double delta_of(const char *text, double epsilon)
{
    dusk_composition *c = read(text);
    dusk_pairs pairs;
    dusk_bound delta;
    OK(dusk_pairs_resolve(&pairs, c, DUSK_REPLACE, "test", &err));
    OK(dusk_exact_delta(&delta, &pairs, epsilon, &err));
    dusk_pairs_free(&pairs);
    dusk_composition_free(c);
    return delta.upper;
}

static double epsilon_of(const char *text)
{
    dusk_composition *c = read(text);
    dusk_account account;
    OK(dusk_account_epsilon(&account, c, 1e-6, DUSK_BEST, &err));
    dusk_composition_free(c);
    return account.bound.upper;
}

/* P(Z > x) */
static long double tail(long double x) { return erfcl(x * sqrtl(0.5L)) / 2; }

/* Of Gaussian noise at a distance, by its definition. */
static long double gaussian_delta(long double sigma, long double distance, long double epsilon)
{
    const long double half = distance / (2 * sigma), middle = epsilon * sigma / distance;
    return tail(middle - half) - expl(epsilon) * tail(middle + half);
}

/* [Balle, Barthe & Gaboardi 2018, Theorem 10] */
static long double theorem(unsigned m, unsigned n, long double sigma, long double epsilon)
{
    const long double p = 1 / (long double)n, rate = -expm1l(m * log1pl(-p));
    const long double base = log1pl(expm1l(epsilon) / rate);
    long double chance = powl(1 - p, m), sum = 0;
    for (unsigned k = 1; k <= m; k++) {
        chance *= (long double)(m - k + 1) / k * p / (1 - p);
        sum += chance * gaussian_delta(sigma, 2 * k, base);
    }
    return sum;
}

static void the_price_is_the_theorem(void **state)
{
    static const struct {
        unsigned m, n;
        double sigma;
    } all[] = { { 1, 2, 1 },   { 1, 100, 0.5 }, { 3, 2, 2 },       { 7, 50, 1 },
                { 40, 20, 8 }, { 64, 64, 5 },   { 600, 6000, 1.5 } };
    char text[100];
    (void)state;
    for (size_t i = 0; i < COUNT(all); i++)
        for (size_t e = 0; e < COUNT(epsilons); e++) {
            const long double truth = theorem(all[i].m, all[i].n, all[i].sigma, epsilons[e]);
            (void)snprintf(text, sizeof text, "with_replacement(%u, %u, gaussian(%g))", all[i].m, all[i].n,
                           all[i].sigma);
            const double upper = delta_of(text, epsilons[e]);
            /* long doubles and erfcl are right to 1e-16 or so; where what is left of two tails is little of them, to less */
            if (!(upper >= truth - 1e-15L * (truth + 1e-4L) && upper <= truth * (1 + 5e-3L) + 1e-12L))
                fail_msg("%s at %g: %.17g, the theorem says %.17Lg", text, epsilons[e], upper, truth);
        }
}

/* Sums of m draws of n numbers, with noise: how likely each sum is, and the density. */
typedef struct sums {
    size_t count;
    long double sum[1024];
} sums;

static void all_sums(sums *out, const long double *x, unsigned n, unsigned m)
{
    out->count = 1;
    out->sum[0] = 0;
    for (unsigned draw = 0; draw < m; draw++) {
        const size_t before = out->count;
        for (size_t i = before; i-- > 0;)
            for (unsigned k = 0; k < n; k++) out->sum[i * n + n - 1 - k] = out->sum[i] + x[n - 1 - k];
        out->count = before * n;
    }
}

static long double density(const sums *s, long double z, long double sigma)
{
    long double d = 0;
    for (size_t i = 0; i < s->count; i++) d += expl(-(z - s->sum[i]) * (z - s->sum[i]) / (2 * sigma * sigma));
    return d / ((long double)s->count * sigma * sqrtl(2 * acosl(-1)));
}

/* The integral of (P - e^eps Q)+ by trapezia: of smooth functions but for a few places where the slope jumps, right to about step^2. */
static long double delta_between(const sums *p, const sums *q, long double sigma, long double epsilon)
{
    const long double reach = 6 + 10 * sigma, step = sigma / 100, factor = expl(epsilon);
    long double sum = 0;
    for (long double z = -reach; z <= reach; z += step)
        sum += fmaxl(density(p, z, sigma) - factor * density(q, z, sigma), 0);
    return sum * step;
}

static void neighbours_show_no_more(void **state)
{
    static const long double values[] = { -1, 0, 1 };
    char text[100];
    (void)state;
    for (unsigned n = 2; n <= 3; n++)
        for (unsigned m = 1; m <= 4; m += n - 1) {
            (void)snprintf(text, sizeof text, "with_replacement(%u, %u, gaussian(1.5))", m, n);
            for (size_t e = 0; e < COUNT(epsilons); e += 2) {
                const double upper = delta_of(text, epsilons[e]);
                long double most = 0;
                for (size_t others = 0; others < 3; others++)
                    for (size_t here = 0; here < 3; here++) {
                        const long double x[] = { 1, values[others], -1 };
                        const long double y[] = { values[here], values[others], -1 };
                        static sums p, q;
                        all_sums(&p, x, n, m);
                        all_sums(&q, y, n, m);
                        most = fmaxl(most, delta_between(&p, &q, 1.5L, epsilons[e]));
                        most = fmaxl(most, delta_between(&q, &p, 1.5L, epsilons[e]));
                    }
                if (!(most <= upper + 1e-6L))
                    fail_msg("%s at %g: %.10g, but %.10Lg is there", text, epsilons[e], upper, most);
                if (m == 1 && !(upper <= most + 1e-5L)) /* then it is what one draw shows */
                    fail_msg("%s at %g: %.10g for %.10Lg", text, epsilons[e], upper, most);
            }
        }
}

/* Steps cost what they do without replacement where hardly anybody is drawn twice, and more where some are. */
static void steps_add_up(void **state)
{
    const double one = epsilon_of("with_replacement(1, 100, gaussian(2)) * 500"),
                 without = epsilon_of("without_replacement(1, 100, gaussian(2)) * 500"),
                 many = epsilon_of("with_replacement(100, 1000, gaussian(8)) * 50"),
                 fewer = epsilon_of("without_replacement(100, 1000, gaussian(8)) * 50");
    (void)state;
    assert_true(one >= without * (1 - 1e-6) && one <= without * 1.001);
    assert_true(many > fewer && many < 1.5 * fewer);
}

/* What is drawn too often has no price; nor has what is no noise. */
static void some_have_no_price(void **state)
{
    static const char *const all[] = { "with_replacement(100000, 2, gaussian(9))",
                                       "with_replacement(1, 1, gaussian(9))",
                                       "with_replacement(3, 10, laplace(2))",
                                       "with_replacement(9007199254740992, 9007199254740993, gaussian(2))" };
    (void)state;
    for (size_t i = 0; i < COUNT(all); i++) {
        dusk_composition *c = read(all[i]);
        dusk_pairs pairs;
        assert_int_equal(dusk_pairs_resolve(&pairs, c, DUSK_REPLACE, "test", &err), DUSK_ERR_UNSUPPORTED);
        dusk_composition_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_price_is_the_theorem),
        cmocka_unit_test(neighbours_show_no_more),
        cmocka_unit_test(steps_add_up),
        cmocka_unit_test(some_have_no_price),
    };
    return cmocka_run_group_tests_name("draws", tests, NULL, NULL);
}
