/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse vector at its production width and grid: chi-square tests against the
 * law of Algorithm 7 with ideal Laplace noise, alpha 1e-6, fixed seed. */
#include <math.h>

#include "dusk/mechanisms.h"
#include "numeric/special.h"
#include "random/tape.h"
#include "support.h"

enum { QUERIES = 3, OUTCOMES = 1 << QUERIES, RUNS = 400000 };

static int open_generator(void **state)
{
    return dusk_generator_new_seeded((dusk_generator **)state, 141421, NULL) != DUSK_OK;
}

static int close_generator(void **state)
{
    dusk_generator_free(*state);
    return 0;
}

/* Outcomes that expect fewer than 10 are passed over. */
static void assert_law(const uint64_t *seen, const double *p, size_t cells)
{
    double chi2 = 0;
    int used = -1;
    for (size_t i = 0; i < cells; i++) {
        double want = RUNS * p[i], have = (double)seen[i];
        if (want < 10) continue;
        chi2 += (have - want) * (have - want) / want;
        used++;
    }
    assert_true(dusk_gamma_q(used / 2.0, chi2 / 2) > 1e-6);
}

/* P(Laplace(b) >= x). */
static double tail(double x, double b) { return x > 0 ? exp(-x / b) / 2 : 1 - exp(x / b) / 2; }

/* P(bit i: answer i is above), by Simpson's rule over the threshold's noise. */
static double exact(unsigned answers, const double *query, uint32_t hits, double b1, double b2)
{
    double sum = 0, step = b1 / 256;
    for (int k = -30 * 256; k <= 30 * 256; k++) {
        double rho = k * step, p = exp(-fabs(rho) / b1) / (2 * b1);
        uint32_t left = hits;
        for (int i = 0; i < QUERIES; i++) {
            bool above = answers >> i & 1;
            double q = tail(rho - query[i], b2);
            if (left == 0) q = 0;
            p *= above ? q : 1 - q;
            left -= above && left > 0;
        }
        sum += (k % 2 ? 4 : 2) * p;
    }
    return sum * step / 3;
}

static void check(uint32_t hits, bool monotonic, double sensitivity, const double *query, void **state)
{
    dusk_sparse_vector_options o;
    uint64_t seen[OUTCOMES] = { 0 };
    double p[OUTCOMES], scaled[QUERIES];
    dusk_sparse_vector_options_init(&o);
    o.sensitivity = sensitivity;
    o.threshold = 1000 * sensitivity;
    o.hits = hits;
    o.monotonic = monotonic;
    o.epsilon = 1.5;
    o.threshold_share = 1.0 / 3;
    for (int i = 0; i < QUERIES; i++) scaled[i] = (1000 + query[i]) * sensitivity;
    for (unsigned i = 0; i < OUTCOMES; i++) p[i] = exact(i, query, hits, 2, (monotonic ? 1 : 2) * hits);
    for (int run = 0; run < RUNS; run++) {
        dusk_sparse_vector *sv;
        unsigned answers = 0;
        assert_int_equal(dusk_sparse_vector_new(&sv, &o, *state, NULL), DUSK_OK);
        for (int i = 0; i < QUERIES && dusk_sparse_vector_hits_left(sv) > 0; i++) {
            bool above;
            assert_int_equal(dusk_sparse_vector_release(sv, &above, NULL, scaled[i], *state, NULL), DUSK_OK);
            answers |= (unsigned)above << i;
        }
        dusk_sparse_vector_free(sv);
        seen[answers]++;
    }
    assert_law(seen, p, OUTCOMES);
}

static void answers_have_their_law(void **state)
{
    check(1, false, 1, (double[]){ 0, 0, 0 }, state);
    check(1, true, 0.1, (double[]){ -2, 1, 3 }, state);
    check(2, false, 1e6, (double[]){ 1.5, -0.25, 0.75 }, state);
    check(3, true, 1e-9, (double[]){ 0, 1, -1 }, state);
}

/* Numeric answers, cut into cells of equal probability. */
static void values_have_fresh_noise(void **state)
{
    enum { CELLS = 16 };
    dusk_sparse_vector_options o;
    uint64_t seen[CELLS] = { 0 };
    double p[CELLS];
    dusk_sparse_vector_options_init(&o);
    o.sensitivity = 1;
    o.epsilon = 1;
    o.numeric_epsilon = 0.5; /* scale 2 */
    for (int i = 0; i < CELLS; i++) p[i] = 1.0 / CELLS;
    for (int run = 0; run < RUNS; run++) {
        dusk_sparse_vector *sv;
        bool above = false;
        double value = 0;
        assert_int_equal(dusk_sparse_vector_new(&sv, &o, *state, NULL), DUSK_OK);
        for (int tries = 0; !above; tries++) {
            assert_true(tries < 10000000); /* a threshold far out takes many */
            assert_int_equal(dusk_sparse_vector_release(sv, &above, &value, -1, *state, NULL), DUSK_OK);
        }
        dusk_sparse_vector_free(sv);
        int cell = (int)(CELLS * (1 - tail(value + 1, 2)));
        seen[cell < CELLS ? cell : CELLS - 1]++;
    }
    assert_law(seen, p, CELLS);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(answers_have_their_law),
                                        cmocka_unit_test(values_have_fresh_noise) };
    return cmocka_run_group_tests(tests, open_generator, close_generator);
}
