/* SPDX-License-Identifier: Apache-2.0 */
/* Counts that agree: the two passes against a dense least squares solver on random
 * trees with random shares, variances and weights included; intervals against the
 * weights; whole numbers that add up exactly and are the nearest ones. */
#include "mechanisms/hierarchy.h"
#include "unit/mechanisms/aggregate_help.h"

enum { MOST = 12 };

static uint64_t random_state = 7;
static uint64_t next(uint64_t below) { return splitmix64(&random_state) % below; }
static double uniform(void) { return (double)next(1u << 30) * 0x1p-30; }

static dusk_hierarchy *random_tree(bool gaussian)
{
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 0.1 + uniform());
    uint32_t parents[MOST] = { 0 };
    double shares[DUSK_HIERARCHY_LEVELS_MAX];
    size_t nodes = 1 + next(MOST), levels;
    dusk_hierarchy *h;
    how.delta = gaussian ? 0.01 : 0;
    if (gaussian) how.epsilon = 1;
    for (uint32_t i = 1; i < nodes; i++) parents[i] = (uint32_t)next(i);
    assert_int_equal(dusk_hierarchy_optimal_shares(shares, &levels, parents, nodes, 0, NULL), DUSK_OK);
    for (size_t l = 0; l < levels; l++) shares[l] = next(4) ? 0.1 + uniform() : 0;
    if (dusk_hierarchy_new(&h, &how, parents, nodes, shares, levels, NULL) == DUSK_OK) return h;
    for (size_t l = 0; l < levels; l++) shares[l] = 0.1 + uniform(); /* a leaf had none */
    assert_int_equal(dusk_hierarchy_new(&h, &how, parents, nodes, shares, levels, NULL), DUSK_OK);
    return h;
}

/* weights[i][j]: of noisy count j in fitted count i, and the covariances of the fitted
 * counts, by Gauss-Jordan elimination of the normal equations over the leaves. */
typedef struct dense {
    double weights[MOST][MOST], covariance[MOST][MOST];
} dense;

static void invert(double a[MOST][MOST], size_t n)
{
    double inverse[MOST][MOST] = { { 0 } };
    for (size_t i = 0; i < n; i++) inverse[i][i] = 1;
    for (size_t i = 0; i < n; i++) { /* positive definite: no pivots needed */
        double pivot = a[i][i];
        for (size_t k = 0; k < n; k++) {
            a[i][k] /= pivot;
            inverse[i][k] /= pivot;
        }
        for (size_t j = 0; j < n; j++) {
            double factor = a[j][i];
            if (j == i) continue;
            for (size_t k = 0; k < n; k++) {
                a[j][k] -= factor * a[i][k];
                inverse[j][k] -= factor * inverse[i][k];
            }
        }
    }
    memcpy(a, inverse, sizeof inverse);
}

static dense solve(const dusk_hierarchy *h)
{
    dense d = { .weights = { { 0 } } };
    double holds[MOST][MOST] = { { 0 } }, normal[MOST][MOST] = { { 0 } }, precision[MOST];
    size_t leaves = 0;
    for (size_t i = 0; i < h->nodes; i++) {
        precision[i] = 1 / dusk_hierarchy_variance(h, h->level[i]);
        if (h->children[i]) continue;
        for (size_t up = i;; up = h->parents[up]) {
            holds[up][leaves] = 1;
            if (up == 0) break;
        }
        leaves++;
    }
    for (size_t i = 0; i < h->nodes; i++)
        for (size_t a = 0; a < leaves; a++)
            for (size_t b = 0; b < leaves; b++) normal[a][b] += holds[i][a] * holds[i][b] * precision[i];
    invert(normal, leaves);
    for (size_t i = 0; i < h->nodes; i++)
        for (size_t j = 0; j < h->nodes; j++) {
            for (size_t a = 0; a < leaves; a++)
                for (size_t b = 0; b < leaves; b++)
                    d.covariance[i][j] += holds[i][a] * normal[a][b] * holds[j][b];
            d.weights[i][j] = d.covariance[i][j] * precision[j];
        }
    return d;
}

static void two_passes_are_least_squares(void **state)
{
    (void)state;
    for (int round = 0; round < 1500; round++) {
        dusk_hierarchy *h = random_tree(round % 16 == 0);
        dense d = solve(h);
        double noisy[MOST], fitted[MOST];
        for (size_t i = 0; i < h->nodes; i++)
            noisy[i] = h->share[h->level[i]] > 0 ? 40 * uniform() - 25 : NAN; /* many are negative */
        assert_int_equal(dusk_hierarchy_fit(h, fitted, noisy, NULL), DUSK_OK);
        for (size_t i = 0; i < h->nodes; i++) {
            double expected = 0, sum = 0;
            for (size_t j = 0; j < h->nodes; j++)
                if (d.weights[i][j] != 0) expected += d.weights[i][j] * noisy[j];
            for (size_t j = 1; j < h->nodes; j++)
                if (h->parents[j] == i) sum += fitted[j];
            if (fabs(fitted[i] - expected) > 1e-9)
                fail_msg("node %zu: %.12g, not %.12g", i, fitted[i], expected);
            if (h->children[i]) assert_true(fabs(fitted[i] - sum) < 1e-9);
            assert_true(fabs(h->fitted[i] - d.covariance[i][i]) <= 1e-9 * d.covariance[i][i]);
        }
        dusk_hierarchy_free(h);
    }
}

/* P(|S| > x) for a weighted sum of Laplace noise, from its characteristic function:
 * 1 - (2/pi) times the integral of sin(t x)/t over the product of 1/(1 + m^2 t^2). */
static double laplace_tail(const dusk_hierarchy *h, const double *weights, double x)
{
    enum { STEPS = 8000 };
    double scale[MOST], most = 0, sum = 0, step = 100.0 / STEPS;
    for (size_t j = 0; j < h->nodes; j++) {
        scale[j] = weights[j] == 0 ? 0 : fabs(weights[j]) * h->noise[h->level[j]].scale;
        most = fmax(most, scale[j]);
    }
    for (int k = 0; k <= STEPS; k++) { /* Simpson's rule */
        double t = k * step, value = k ? sin(t * x / most) / t : x / most;
        for (size_t j = 0; j < h->nodes; j++) value /= 1 + scale[j] * scale[j] * t * t / (most * most);
        sum += value * (k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2);
    }
    return 1 - sum * step / 3 / (2 * atan(1));
}

/* Not below the exact quantile of the noise, and not far above it. */
static void check_width(const dusk_hierarchy *h, const double *weights, double width, double p, double far)
{
    double tail = laplace_tail(h, weights, width), near = laplace_tail(h, weights, width / far);
    if (tail > p * (1 + 1e-3) + 1e-6)
        fail_msg("width %g is exceeded with probability %g, not %g", width, tail, p);
    if (near < p) fail_msg("width %g is more than %g times what is needed", width, far);
}

/* The bound on the tails uses nothing but what is true of the weights. */
static void widths_cover_the_weights(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        dusk_hierarchy *h = random_tree(round % 6 == 0);
        dense d = solve(h);
        double widths[MOST];
        assert_int_equal(dusk_hierarchy_interval(h, widths, true, NULL), DUSK_OK);
        for (size_t i = 0; i < h->nodes; i++) {
            double sum = 0, p = 0.05 / (double)(h->levels * h->size[h->level[i]]);
            for (size_t j = 0; j < h->nodes; j++)
                if (d.weights[i][j] != 0) sum += fabs(d.weights[i][j]);
            if (h->how.delta == 0) {
                check_width(h, d.weights[i], widths[i], p, 2);
                continue;
            } /* normal part and half a step for each weight */
            assert_true(widths[i] >= sqrt(d.covariance[i][i]) * 1.9599 + sum / 2);
            assert_true(widths[i] <= sqrt(d.covariance[i][i]) * 3.54 + sum + MOST);
        }
        dusk_hierarchy_free(h);
    }
}

/* Any sum over leaves, against the weights of the dense solver. */
static void sums_have_the_weights_of_the_dense_solver(void **state)
{
    (void)state;
    for (int round = 0; round < 600; round++) {
        dusk_hierarchy *h = random_tree(round % 16 == 0);
        dense d = solve(h);
        double queried[MOST], fitted[MOST], weights[MOST], value, width, expected = 0, squares = 0;
        for (size_t i = 0; i < h->nodes; i++) {
            queried[i] = h->children[i] ? NAN : next(3) ? 2 * uniform() - 1 : 0;
            fitted[i] = h->children[i] ? NAN : 100 * uniform();
            if (!h->children[i]) expected += queried[i] * fitted[i];
        }
        assert_int_equal(dusk_hierarchy_weights(h, weights, queried, NULL), DUSK_OK);
        assert_int_equal(dusk_hierarchy_query(h, &value, &width, queried, fitted, NULL), DUSK_OK);
        for (size_t j = 0; j < h->nodes; j++) {
            double weight = 0, term = 0;
            for (size_t i = 0; i < h->nodes; i++)
                if (!h->children[i]) weight += queried[i] * d.weights[i][j];
            if (fabs(weights[j] - weight) > 1e-9) fail_msg("weight %.12g, not %.12g", weights[j], weight);
            if (weight != 0) term = fabs(weight) * h->noise[h->level[j]].scale;
            squares += term * term;
        }
        assert_true(fabs(value - expected) < 1e-9);
        if (h->how.delta > 0) {
            assert_true(width >= 1.9599 * sqrt(squares));
        } else if (round % 8 == 1 && squares > 0) {
            check_width(h, weights, width, 0.05, 1.7);
        }
        dusk_hierarchy_free(h);
    }
}

static void sums_hold(void **state)
{
    enum { BINS = 16, RUNS = 800 };
    uint32_t parents[2 * BINS];
    uint64_t exact[2 * BINS] = { 0 };
    double weights[2 * BINS] = { 0 };
    size_t nodes;
    (void)state;
    assert_int_equal(dusk_hierarchy_balanced(parents, &nodes, BINS, 2, NULL), DUSK_OK);
    for (size_t i = nodes - BINS + 3; i < nodes - 4; i++) weights[i] = 1; /* a range of nine bins */
    for (int kind = 0; kind < 2; kind++) {
        dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 0.5);
        dusk_generator *gen = seeded(6);
        dusk_hierarchy *h;
        double counts[2 * BINS], value, width;
        int held = 0;
        how.delta = kind ? 1e-3 : 0;
        how.confidence = 0.8;
        assert_int_equal(dusk_hierarchy_new(&h, &how, parents, nodes, NULL, 0, NULL), DUSK_OK);
        for (int run = 0; run < RUNS; run++) {
            assert_int_equal(dusk_hierarchy_release(h, counts, exact, gen, NULL), DUSK_OK);
            assert_int_equal(dusk_hierarchy_fit(h, counts, counts, NULL), DUSK_OK);
            assert_int_equal(dusk_hierarchy_query(h, &value, &width, weights, counts, NULL), DUSK_OK);
            held += fabs(value) <= width;
        }
        assert_true(held >= 0.8 * RUNS - 5 * sqrt(0.16 * RUNS));
        if (kind) assert_true(held <= 0.8 * RUNS + 5 * sqrt(0.16 * RUNS) + 0.1 * RUNS); /* nearly exact */
        dusk_generator_free(gen);
        dusk_hierarchy_free(h);
    }
    weights[nodes - 1] = INFINITY;
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 0.5);
    dusk_hierarchy *h;
    double counts[2 * BINS] = { 0 }, value = 7, width = 7;
    assert_int_equal(dusk_hierarchy_new(&h, &how, parents, nodes, NULL, 0, NULL), DUSK_OK);
    assert_int_equal(dusk_hierarchy_query(h, &value, &width, weights, counts, NULL), DUSK_ERR_ARGUMENT);
    assert_true(value == 7 && width == 7);
    dusk_hierarchy_free(h);
}

static void widths_hold(void **state)
{
    const uint32_t parents[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2 };
    const uint64_t exact[9] = { 0, 0, 0, 10, 0, 500, 1, 2, 3 };
    const double truth[9] = { 516, 510, 6, 10, 0, 500, 1, 2, 3 };
    enum { RUNS = 500 };
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 0.5);
        dusk_generator *gen = seeded(5);
        dusk_hierarchy *h;
        double widths[9];
        int held = 0;
        how.delta = kind % 2 ? 1e-3 : 0;
        how.confidence = 0.5;
        assert_int_equal(dusk_hierarchy_new(&h, &how, parents, 9, NULL, 0, NULL), DUSK_OK);
        assert_int_equal(dusk_hierarchy_interval(h, widths, kind / 2, NULL), DUSK_OK);
        for (int run = 0; run < RUNS; run++) {
            double counts[9];
            bool all = true;
            assert_int_equal(dusk_hierarchy_release(h, counts, exact, gen, NULL), DUSK_OK);
            if (kind / 2) assert_int_equal(dusk_hierarchy_fit(h, counts, counts, NULL), DUSK_OK);
            for (int i = 0; i < 9; i++) all = all && fabs(counts[i] - truth[i]) <= widths[i];
            held += all;
        }
        assert_true(held >= RUNS / 2 - 5 * sqrt(RUNS / 4.0));
        if (!kind) assert_true(held <= 0.62 * RUNS + 60); /* nearly exact before the fit */
        dusk_generator_free(gen);
        dusk_hierarchy_free(h);
    }
}

static void whole_numbers_add_up_exactly(void **state)
{
    (void)state;
    for (int round = 0; round < 1500; round++) {
        dusk_hierarchy *h = random_tree(round % 16 == 0);
        double noisy[MOST], fitted[MOST], whole[MOST], size = round % 3 ? 20 : 0x1p54;
        for (size_t i = 0; i < h->nodes; i++)
            noisy[i] = h->share[h->level[i]] > 0 ? size * (uniform() - 0.3) : NAN;
        assert_int_equal(dusk_hierarchy_fit(h, fitted, noisy, NULL), DUSK_OK);
        if (round % 7 == 0) fitted[next(h->nodes)] = round % 2 ? NAN : -INFINITY;
        assert_int_equal(dusk_hierarchy_whole(h, whole, fitted, NULL), DUSK_OK);
        for (size_t i = 0; i < h->nodes; i++) {
            double sum = 0;
            assert_true(whole[i] >= 0 && whole[i] <= 0x1p53 && whole[i] == floor(whole[i]));
            for (size_t j = 1; j < h->nodes; j++)
                if (h->parents[j] == i) sum += whole[j];
            if (h->children[i]) assert_true(sum == whole[i]);
        }
        if (!isnan(fitted[0])) assert_true(whole[0] == fmax(floor(fmin(fitted[0], 0x1p53) + 0.5), 0));
        dusk_hierarchy_free(h);
    }
}

/* A family by hand: fitted counts that are whole and >= 0 stay; negative ones are taken
 * from their sisters. */
static void whole_numbers_are_near(void **state)
{
    const uint32_t parents[] = { 0, 0, 0, 0 };
    const double cases[][2][4] = {
        { { 6, 1, 2, 3 }, { 6, 1, 2, 3 } },       { { 6, -2, 4, 4 }, { 6, 0, 3, 3 } },
        { { 2, -9, 10, 1 }, { 2, 0, 2, 0 } },     { { -3, -1, -1, -1 }, { 0, 0, 0, 0 } },
        { { 5, 1.4, 1.3, 2.3 }, { 5, 2, 1, 2 } }, { { 1, 1.0 / 3, 1.0 / 3, 1.0 / 3 }, { 1, 1, 0, 0 } },
    };
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1);
    dusk_hierarchy *h;
    (void)state;
    assert_int_equal(dusk_hierarchy_new(&h, &how, parents, 4, NULL, 0, NULL), DUSK_OK);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double whole[4];
        assert_int_equal(dusk_hierarchy_whole(h, whole, cases[c][0], NULL), DUSK_OK);
        for (int i = 0; i < 4; i++)
            if (whole[i] != cases[c][1][i]) fail_msg("case %zu node %d: %g", c, i, whole[i]);
    }
    dusk_hierarchy_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_passes_are_least_squares),
        cmocka_unit_test(widths_cover_the_weights),
        cmocka_unit_test(widths_hold),
        cmocka_unit_test(whole_numbers_add_up_exactly),
        cmocka_unit_test(whole_numbers_are_near),
        cmocka_unit_test(sums_have_the_weights_of_the_dense_solver),
        cmocka_unit_test(sums_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
