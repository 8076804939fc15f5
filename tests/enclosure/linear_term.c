/* SPDX-License-Identifier: Apache-2.0 */
/* The price of a random linear term against the truth: for one weight the density of the minimiser is known in closed form, and the
 * divergence of neighbours is an integral. */
#include "learn/linear_term.h"

#include <math.h>

#include "support.h"

enum { ROWS_MAX = 4, POINTS = 6000 };

typedef struct world {
    size_t rows;
    double x[ROWS_MAX], y[ROWS_MAX]; /* y: 1 or -1, or a target */
} world;

static double at_of(const learn_loss *loss, const world *d, size_t i, double w)
{
    return loss->margin ? d->y[i] * d->x[i] * w : d->x[i] * w - d->y[i];
}

/* ln of the density of the minimiser at w, up to a constant; scale below 0: exp(-|b| / -scale), else Gaussian. */
static double log_density(const learn_loss *loss, const world *d, double w, double strength, double scale)
{
    double b = -strength * w, curved = strength;
    for (size_t i = 0; i < d->rows; i++) {
        double sign = loss->margin ? d->y[i] : 1, at = at_of(loss, d, i, w);
        b -= sign * d->x[i] * learn_loss_slope(loss, at);
        curved += d->x[i] * d->x[i] * learn_loss_curvature(loss, at);
    }
    return log(curved) +
           (scale < 0 ? -fabs(b) / -scale : -b * b / (2 * scale * scale) - log(scale * sqrt(2 * M_PI)));
}

/* The integral of (p - e^epsilon p')_+. */
static double divergence(const learn_loss *loss, const world *d, const world *other, double strength,
                         double sigma, double epsilon)
{
    double reach = 9 * sigma + 8, step = 2 * reach / strength / POINTS, sum = 0;
    for (int i = 0; i <= POINTS; i++) {
        double w = -reach / strength + i * step;
        double p = exp(log_density(loss, d, w, strength, sigma));
        sum += fmax(p - exp(epsilon + log_density(loss, other, w, strength, sigma)), 0);
    }
    return sum * step;
}

static learn_budget budget_of(dusk_neighbours neighbours, uint32_t rows)
{
    learn_budget budget;
    assert_int_equal(learn_budget_init(&budget, neighbours, 1, 0, rows, NULL), DUSK_OK);
    return budget;
}

/* The largest divergence of the two orders over what is allowed. */
static double worst(const learn_loss *loss, dusk_neighbours neighbours, uint32_t unit, const world *d,
                    const world *other, double epsilon, double delta, double strength)
{
    learn_budget budget = budget_of(neighbours, unit);
    learn_row_facts facts = learn_row_facts_of(loss, 1, 1, &budget);
    double sigma = learn_linear_multiplier_up(&facts, epsilon, delta, strength) * loss->lipschitz;
    if (!(sigma < INFINITY)) return 0;
    return fmax(divergence(loss, d, other, strength, sigma, epsilon),
                divergence(loss, other, d, strength, sigma, epsilon)) /
           delta;
}

static const world nobody = { 0, { 0 }, { 0 } }, one = { 1, { 1 }, { 1 } }, against = { 1, { 1 }, { -1 } };
static const world two = { 2, { 1, 1 }, { 1, 1 } }, some = { 3, { 1, -0.5, 0.7 }, { 1, 1, -1 } };
static const world more = { 4, { 1, -0.5, 0.7, -1 }, { 1, 1, -1, 1 } };

static const double epsilons[] = { 0.2, 1, 3 }, deltas[] = { 1e-2, 1e-5 };
static const double strengths[] = { 0.02, 0.3, 2, 500 }; /* norm^2 over it: from 50 to nearly nothing */

/* Never above delta; where Gaussian noise is all it costs, delta itself. */
static void check_loss(learn_loss_kind kind, double knee, double tight)
{
    learn_loss loss = learn_loss_of(kind, knee);
    double most = 0;
    for (int e = 0; e < 3; e++)
        for (int d = 0; d < 2; d++)
            for (int s = 0; s < 4; s++) {
                double found =
                    worst(&loss, DUSK_ADD_REMOVE, 1, &nobody, &one, epsilons[e], deltas[d], strengths[s]);
                found = fmax(found, worst(&loss, DUSK_ADD_REMOVE, 1, &some, &more, epsilons[e], deltas[d],
                                          strengths[s]));
                if (found > 1.001)
                    fail_msg("loss %d: %g of delta at epsilon %g, strength %g", kind, found, epsilons[e],
                             strengths[s]);
                most = fmax(most, found);
            }
    assert_true(most > tight);
}

static void logistic_is_never_above(void **state)
{
    (void)state;
    check_loss(LEARN_LOGISTIC, 1, 0.5);
}

static void svm_is_never_above(void **state)
{
    (void)state;
    check_loss(LEARN_HUBER_SVM, 0.1, 0.5);
    check_loss(LEARN_HUBER_SVM, 2, 0.5);
}

static void huber_is_never_above(void **state)
{
    (void)state;
    check_loss(LEARN_HUBER, 0.25, 0.2);
}

static void units_and_replacements(void **state)
{
    (void)state;
    const learn_loss_kind kinds[] = { LEARN_LOGISTIC, LEARN_HUBER_SVM, LEARN_HUBER };
    for (int k = 0; k < 3; k++)
        for (int s = 0; s < 4; s++) {
            learn_loss loss = learn_loss_of(kinds[k], 0.5);
            assert_true(worst(&loss, DUSK_REPLACE_ONE, 1, &one, &against, 1, 1e-3, strengths[s]) <= 1.001);
            assert_true(worst(&loss, DUSK_ADD_REMOVE, 2, &nobody, &two, 1, 1e-3, strengths[s]) <= 1.001);
        }
}

/* Without delta: the largest ratio of densities. */
static void pure_is_never_above(void **state)
{
    (void)state;
    const learn_loss_kind kinds[] = { LEARN_LOGISTIC, LEARN_HUBER_SVM };
    double most = 0;
    for (int k = 0; k < 2; k++)
        for (int e = 0; e < 3; e++)
            for (int s = 0; s < 4; s++) {
                learn_loss loss = learn_loss_of(kinds[k], 0.5);
                learn_budget budget = budget_of(DUSK_ADD_REMOVE, 1);
                learn_row_facts facts = learn_row_facts_of(&loss, 1, 1, &budget);
                double left = learn_linear_left_down(&facts, epsilons[e], strengths[s]), ratio = 0;
                if (!(left > 0)) continue;
                for (double w = -40; w < 40; w += 0.003)
                    ratio = fmax(ratio, fabs(log_density(&loss, &nobody, w, strengths[s], -1 / left) -
                                             log_density(&loss, &one, w, strengths[s], -1 / left)));
                assert_true(ratio <= epsilons[e] * (1 + 1e-9));
                most = fmax(most, ratio / epsilons[e]);
            }
    assert_true(most > 0.98);
}

/* The determinant costs nothing from norm^2 / epsilon on, and a plan says no where it costs everything. */
static void logistic_is_free(void **state)
{
    (void)state;
    learn_loss loss = learn_loss_of(LEARN_LOGISTIC, 1);
    learn_budget budget = budget_of(DUSK_ADD_REMOVE, 1);
    learn_row_facts facts = learn_row_facts_of(&loss, 1, 2, &budget);
    assert_true(learn_linear_left_down(&facts, 0.5, 8) == 0.5);
    assert_true(learn_linear_left_down(&facts, 0.5, 7.9) < 0.5);
    assert_true(learn_linear_left_down(&facts, 0.5, 7.9) > 0.49);
    assert_true(!(learn_linear_left_down(&facts, 0.01, 1) > 0));
    learn_linear_term term;
    dusk_error err = { .message = "" };
    assert_int_equal(learn_linear_term_init(&term, &facts, 3, 0.01, 1e-5, 1, 1e-5, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "too small"));
    budget = budget_of(DUSK_ADD_REMOVE, 17);
    facts = learn_row_facts_of(&loss, 1, 2, &budget);
    assert_int_equal(learn_linear_term_init(&term, &facts, 3, 1, 1e-5, 1, 1e-5, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "too many"));
}

/* A term that fits the promise, but carries weights beyond what a minimum can be searched for. */
static void steep_is_refused(void **state)
{
    (void)state;
    learn_loss loss = learn_loss_of(LEARN_HUBER_SVM, 0.05);
    learn_budget budget = budget_of(DUSK_ADD_REMOVE, 1);
    learn_row_facts facts = learn_row_facts_of(&loss, 1, 1, &budget);
    learn_linear_term term;
    dusk_error err = { .message = "" };
    assert_true(learn_linear_left_down(&facts, 15, 0x1p-17) > 0.5);
    assert_int_equal(learn_linear_term_init(&term, &facts, 3, 15, 1e-5, 0x1p-17, 1e-5, &err),
                     DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "too small"));
    assert_int_equal(learn_linear_term_init(&term, &facts, 3, 15, 1e-5, 0x1p-10, 1e-5, NULL), DUSK_OK);
}

/* det(1 + q (diag p - p p^T)) = prod (1 + q p_j) (1 - sum q p_j^2 / (1 + q p_j)) <= (1 + q/K)^(K-1). */
static void multinomial_determinant(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 3000; round++) {
        size_t k = 2 + splitmix64(&seed) % 6;
        double p[8], sum = 0, q = exp((double)(splitmix64(&seed) % 1000) / 100 - 4), product = 1, rest = 1;
        for (size_t j = 0; j < k; j++)
            sum += p[j] = round % 10 ? (double)(splitmix64(&seed) % 1000) + 1e-3 : 1;
        for (size_t j = 0; j < k; j++) {
            p[j] /= sum;
            product *= 1 + q * p[j];
            rest -= q * p[j] * p[j] / (1 + q * p[j]);
        }
        learn_loss loss = learn_loss_of(LEARN_LOGISTIC, 1);
        learn_budget budget = budget_of(DUSK_ADD_REMOVE, 1);
        learn_row_facts facts = learn_row_facts_of(&loss, k, 1, &budget);
        double paid = 50 - learn_linear_left_down(&facts, 50, 1 / q);
        assert_true(log(product * rest) <= paid + 1e-12);
        if (round % 10 == 0)
            assert_true(log(product * rest) >= paid - 1e-9); /* all alike: nothing is given away */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logistic_is_never_above), cmocka_unit_test(svm_is_never_above),
        cmocka_unit_test(huber_is_never_above),    cmocka_unit_test(units_and_replacements),
        cmocka_unit_test(pure_is_never_above),     cmocka_unit_test(logistic_is_free),
        cmocka_unit_test(steep_is_refused),        cmocka_unit_test(multinomial_determinant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
