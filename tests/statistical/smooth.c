/* SPDX-License-Identifier: Apache-2.0 */
/* Noise that follows the data at production width, with fixed seeds and alpha 1e-6: the
 * law is that of the ideal noise, the lowest digits tell nothing of value and scale, and
 * what is released about neighbours keeps epsilon as far as can be seen. A third of the draws unless DUSK_DEEP is
 * set, as in make soak. */
#include <math.h>
#include <stdlib.h>

#include "dusk/mechanisms.h"
#include "ideal_laws.h"
#include "numeric/special.h"
#include "seeded.h"
#include "support.h"

enum { MOST = 21000, BINS = 40 };
static int draws(void) { return getenv("DUSK_DEEP") ? MOST : MOST / 3; }

static void assert_chi_square(const unsigned *count, unsigned bins, double each, const char *what)
{
    double chi = 0;
    for (unsigned i = 0; i < bins; i++) chi += (count[i] - each) * (count[i] - each) / each;
    double p = dusk_gamma_q((bins - 1) / 2.0, chi / 2);
    if (p < 1e-6 || p > 1 - 1e-6) fail_msg("%s: chi-square %g in %u bins", what, chi, bins);
}

static double cdf(const dusk_smooth *smooth, double z)
{
    if (smooth->law == DUSK_SMOOTH_GAUSSIAN) return dusk_normal_cdf(z);
    return smooth->law == DUSK_SMOOTH_LAPLACE ? laplace_cdf(z) : student_t_cdf(smooth->degrees, z);
}

static void laws_and_low_digits(void **state)
{
    const int n = draws();
    (void)state;
    for (dusk_smooth_law law = DUSK_SMOOTH_CAUCHY; law <= DUSK_SMOOTH_GAUSSIAN; law++) {
        dusk_smooth smooth;
        dusk_generator *gen = seeded(1000 + (uint64_t)law);
        unsigned bins[BINS] = { 0 }, digits[16] = { 0 };
        double value = 0.1, s = 0.3;
        assert_int_equal(
            dusk_smooth_init(&smooth, law, 3, 0, 1, law >= DUSK_SMOOTH_LAPLACE ? 1e-6 : 0, -40, NULL),
            DUSK_OK);
        for (int i = 0; i < n; i++) {
            double out;
            assert_int_equal(dusk_smooth_release(&smooth, &out, value, s, gen, NULL), DUSK_OK);
            double u = cdf(&smooth, (out - value) * smooth.ratio / s);
            bins[(unsigned)fmin(u * BINS, BINS - 1)]++;
            double steps = fabs(ldexp(out, 40));
            if (steps < 0x1p53) digits[(unsigned)fmod(steps, 16)]++;
        }
        unsigned seen = 0;
        for (int i = 0; i < 16; i++) seen += digits[i];
        assert_chi_square(bins, BINS, (double)n / BINS, "law");
        assert_chi_square(digits, 16, seen / 16.0, "lowest digits");
        dusk_generator_free(gen);
    }
}

/* Events that tell neighbours apart: the answer beyond a place. The share of answers in
 * it must not differ by more than e^epsilon, up to six deviations. */
static void neighbours_are_within_epsilon(void **state)
{
    const int n = draws();
    (void)state;
    const double one[] = { 0, 0, 0, 5, 9, 10, 10, 10 }; /* without and with the last row */
    dusk_aggregate how;
    dusk_smooth_options options;
    dusk_generator *gen = seeded(77);
    static double x[MOST], y[MOST];
    dusk_aggregate_init(&how);
    dusk_smooth_options_init(&options);
    how.neighbours = DUSK_ADD_REMOVE;
    how.lower = 0;
    how.upper = 10;
    how.epsilon = 1;
    for (int i = 0; i < n; i++) {
        dusk_answer a, b;
        assert_int_equal(dusk_smooth_quantile_release(&a, &how, &options, 0.5, one, 7, gen, NULL), DUSK_OK);
        assert_int_equal(dusk_smooth_quantile_release(&b, &how, &options, 0.5, one, 8, gen, NULL), DUSK_OK);
        x[i] = a.value;
        y[i] = b.value;
    }
    for (double at = 0; at <= 10; at += 0.5) {
        double p = 0, q = 0;
        for (int i = 0; i < n; i++) {
            p += x[i] <= at;
            q += y[i] <= at;
        }
        double e = exp(how.epsilon), slack = 6 * sqrt(p + e * e * q + 1);
        assert_true(p <= e * q + slack && q <= e * p + slack);
        p = n - p;
        q = n - q;
        slack = 6 * sqrt(p + e * e * q + 1);
        assert_true(p <= e * q + slack && q <= e * p + slack);
    }
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_and_low_digits),
        cmocka_unit_test(neighbours_are_within_epsilon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
