/* SPDX-License-Identifier: Apache-2.0 */
/* Filters against analysts who choose by looking at answers: the best of all
 * their strategies is found by dynamic programming over small mechanisms, and
 * must not reach more than delta. */
#include "accounting/filter.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "support.h"

static dusk_event event_of(const char *text)
{
    dusk_event event;
    dusk_error err = { .message = "" };
    if (dusk_event_parse(&event, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    return event;
}

static dusk_filter *filter_of(dusk_filter_kind kind, double epsilon, double delta)
{
    dusk_filter *filter = NULL;
    dusk_error err = { .message = "" };
    if (dusk_filter_new(&filter, kind, (dusk_budget){ epsilon, delta }, DUSK_REPLACE_ONE, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    return filter;
}

/* A mechanism with few answers: P(answer) and its privacy loss. */
enum { ANSWERS = 8 };
typedef struct toy {
    dusk_event event;
    size_t answers;
    double p[ANSWERS], loss[ANSWERS];
} toy;

static toy response(double epsilon)
{
    toy t = { .answers = 2 };
    char text[64];
    snprintf(text, sizeof text, "randomized_response(%.17g, 2)", epsilon);
    t.event = event_of(text);
    t.p[0] = 1 / (1 + exp(-epsilon));
    t.p[1] = 1 / (1 + exp(epsilon));
    t.loss[0] = epsilon;
    t.loss[1] = -epsilon;
    return t;
}

/* (epsilon, delta) at its worst: the truth with probability delta. */
static toy leaky(double epsilon, double delta)
{
    toy t = { .answers = 3 };
    char text[64];
    snprintf(text, sizeof text, "approx(%.17g, %.17g)", epsilon, delta);
    t.event = event_of(text);
    t.p[0] = (1 - delta) / (1 + exp(-epsilon)), t.loss[0] = epsilon;
    t.p[1] = (1 - delta) / (1 + exp(epsilon)), t.loss[1] = -epsilon;
    t.p[2] = delta, t.loss[2] = INFINITY;
    return t;
}

static double tail(double x) { return erfc(x / sqrt(2)) / 2; }

/* Which of eight ranges the noisy value is in, mu apart. */
static toy ranges(double mu)
{
    toy t = { .answers = ANSWERS };
    char text[64];
    snprintf(text, sizeof text, "gdp(%.17g)", mu);
    t.event = event_of(text);
    for (size_t i = 0; i < ANSWERS; i++) {
        double low = i == 0 ? -INFINITY : -1.2 + 0.6 * (double)i,
               high = i == 7 ? INFINITY : -0.6 + 0.6 * (double)i;
        t.p[i] = tail(low - mu) - tail(high - mu);
        t.loss[i] = log(t.p[i] / (tail(low) - tail(high)));
    }
    return t;
}

/* Price them now, for the search below copies the filter and takes many turns. */
static void know(dusk_meter *meter, const toy *toys, size_t n)
{
    dusk_price price;
    for (size_t i = 0; i < n; i++)
        assert_int_equal(dusk_meter_price(&price, meter, &toys[i].event, 0, NULL), DUSK_OK);
}

/* The most that E_P[(1 - exp(epsilon - L))+] can be when L is the loss so far. */
static double worst(const dusk_filter *filter, const toy *toys, size_t n, double epsilon, double loss,
                    int steps)
{
    double best = loss > epsilon ? -expm1(epsilon - loss) : 0;
    for (size_t i = 0; i < n && steps > 0 && !isinf(loss); i++) {
        dusk_filter after = *filter;
        dusk_status status = dusk_filter_charge(&after, &toys[i].event, NULL);
        if (status == DUSK_ERR_BUDGET) continue;
        assert_int_equal(status, DUSK_OK);
        double value = 0;
        for (size_t y = 0; y < toys[i].answers; y++)
            value += toys[i].p[y] * worst(&after, toys, n, epsilon, loss + toys[i].loss[y], steps - 1);
        if (value > best) best = value;
    }
    return best;
}

static void assert_safe(dusk_filter_kind kind, toy *toys, size_t n, double epsilon, double delta, int steps)
{
    dusk_filter *filter = filter_of(kind, epsilon, delta);
    know(&filter->meter, toys, n);
    double reached = worst(filter, toys, n, epsilon, 0, steps);
    if (!(reached <= delta * (1 + 1e-9)))
        fail_msg("kind %d (%g, %g): %.17g", (int)kind, epsilon, delta, reached);
    dusk_filter_free(filter);
}

static void adversaries(void **state)
{
    (void)state;
    toy some[] = { response(0.25), response(0.5), leaky(0.25, 0.01), leaky(0, 0.02) };
    toy pure[] = { response(0.25), response(0.5), response(1) };
    toy noise[] = { ranges(0.25), ranges(0.4), ranges(0.6) };
    for (double epsilon = 0.5; epsilon <= 1.5; epsilon += 0.25)
        for (double delta = 0.01; delta <= 0.05; delta += 0.02) {
            assert_safe(DUSK_FILTER_BASIC, some, 4, epsilon, delta, 6);
            assert_safe(DUSK_FILTER_ZCDP, pure, 3, epsilon, delta, 6);
            assert_safe(DUSK_FILTER_RDP, pure, 3, epsilon, delta, 6);
            assert_safe(DUSK_FILTER_GDP, noise, 3, epsilon, 4 * delta, 4);
            assert_safe(DUSK_FILTER_GDP, pure, 3, epsilon, delta, 6);
        }
}

/* The most that E_P[exp(a L)] can be. */
static double worst_moment(const dusk_filter *filter, const toy *toys, size_t n, double a, double loss,
                           int steps)
{
    double best = exp(a * loss);
    for (size_t i = 0; i < n && steps > 0; i++) {
        dusk_filter after = *filter;
        if (dusk_filter_charge(&after, &toys[i].event, NULL) != DUSK_OK) continue;
        double value = 0;
        for (size_t y = 0; y < toys[i].answers; y++)
            value += toys[i].p[y] * worst_moment(&after, toys, n, a, loss + toys[i].loss[y], steps - 1);
        if (value > best) best = value;
    }
    return best;
}

/* What was accepted keeps rdp(alpha: most), and gdp(mu) at every epsilon; and a good part of it is used. */
static void promises_of_one_kind(void **state)
{
    (void)state;
    toy pure[] = { response(0.25), response(0.5), response(1) };
    toy noise[] = { ranges(0.25), ranges(0.4), ranges(0.6) };
    for (double alpha = 1.5; alpha < 20; alpha *= 2) {
        dusk_filter *filter;
        const double most = 0.9;
        assert_int_equal(dusk_filter_new_renyi(&filter, alpha, most, DUSK_REPLACE_ONE, NULL), DUSK_OK);
        know(&filter->meter, pure, 3);
        const double reached = log(worst_moment(filter, pure, 3, alpha - 1, 0, 6)) / (alpha - 1);
        assert_true(reached <= most * (1 + 1e-9) && reached > 0.3 * most);
        assert_true(dusk_filter_left_down(filter) == most);
        assert_int_equal(dusk_filter_charge(filter, &pure[0].event, NULL), DUSK_OK);
        assert_true(dusk_filter_left_down(filter) < most && dusk_filter_left_down(filter) > 0);
        dusk_filter_free(filter);
    }
    dusk_filter *filter;
    assert_int_equal(dusk_filter_new_gdp(&filter, 0.8, DUSK_REPLACE_ONE, NULL), DUSK_OK);
    know(&filter->meter, noise, 3);
    for (double epsilon = 0; epsilon < 2; epsilon += 0.4) {
        const double curve = tail(epsilon / 0.8 - 0.4) - exp(epsilon) * tail(epsilon / 0.8 + 0.4);
        assert_true(worst(filter, noise, 3, epsilon, 0, 4) <= curve * (1 + 1e-9));
    }
    dusk_filter_free(filter);
    assert_int_equal(dusk_filter_new_renyi(&filter, 1, 1, DUSK_ADD_REMOVE, NULL), DUSK_ERR_ARGUMENT);
    assert_null(filter);
    assert_int_equal(dusk_filter_new_renyi(&filter, 2, NAN, DUSK_ADD_REMOVE, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_filter_new_gdp(&filter, -1, DUSK_ADD_REMOVE, NULL), DUSK_ERR_ARGUMENT);
}

/* Showing the truth with probability d and else nothing reaches delta itself. */
static void basic_is_tight(void **state)
{
    (void)state;
    toy all[] = { leaky(0, 0.01), leaky(0, 0.02) };
    dusk_filter *filter = filter_of(DUSK_FILTER_BASIC, 0.5, 0.04);
    know(&filter->meter, all, 2);
    double reached = worst(filter, all, 2, 0.5, 0, 4);
    assert_true(reached > 0.039 && reached <= 0.04);
    dusk_filter_free(filter);
}

/* One answer with a loss of x that comes with probability p. */
static toy gamble(double x, double p)
{
    toy t = { .answers = 2 };
    char text[128];
    double other = log((1 - p) / (1 - p * exp(-x)));
    snprintf(text, sizeof text, "pld(%.17g: %.17g, %.17g: %.17g)", other, 1 - p, x, p);
    t.event = event_of(text);
    t.p[0] = 1 - p, t.p[1] = p;
    t.loss[0] = other, t.loss[1] = x;
    return t;
}

/* The most that one more gamble can reach: the largest p that is accepted, for
 * each x of a grid. */
static double last_gamble(const dusk_filter *filter, double epsilon, double loss)
{
    double best = loss > epsilon ? -expm1(epsilon - loss) : 0;
    for (double x = 0.5; x < 8; x += 0.5) {
        double low = 0, high = 1, reached = 0;
        for (int i = 0; i < 14; i++) {
            double p = (low + high) / 2;
            toy t = gamble(x, p);
            dusk_filter after = *filter;
            if (dusk_filter_charge(&after, &t.event, NULL) != DUSK_OK) {
                high = p;
                continue;
            }
            low = p;
            reached = worst(&after, &t, 0, epsilon, loss + x, 0) * p +
                      worst(&after, &t, 0, epsilon, loss + t.loss[0], 0) * (1 - p);
        }
        if (reached > best) best = reached;
    }
    return best;
}

/* After a first answer with a large loss a large order is good for the analyst,
 * after one with a small loss a small order. When each order may use all of
 * delta he reaches 1.4 delta. */
static void no_order_is_free(void **state)
{
    (void)state;
    const double epsilon = 4, delta = 0.01;
    dusk_filter *filter = filter_of(DUSK_FILTER_RDP, epsilon, delta);
    toy first = gamble(1.5, 0.05);
    assert_int_equal(dusk_filter_charge(filter, &first.event, NULL), DUSK_OK);
    double reached = 0;
    for (size_t y = 0; y < 2; y++) reached += first.p[y] * last_gamble(filter, epsilon, first.loss[y]);
    if (!(reached <= delta)) fail_msg("reached %.17g", reached);
    assert_true(reached > delta / 8); /* the analyst did try */
    dusk_filter_free(filter);
}

static void refused_spends_nothing(void **state)
{
    (void)state;
    for (dusk_filter_kind kind = DUSK_FILTER_BASIC; kind <= DUSK_FILTER_GDP; kind++) {
        dusk_filter *filter = filter_of(kind, 1, 1e-3);
        dusk_event small = event_of(kind == DUSK_FILTER_GDP ? "gdp(0.05)" : "pure(0.125)");
        dusk_event large = event_of(kind == DUSK_FILTER_GDP ? "gdp(1)" : "pure(0.95)");
        dusk_error err = { .message = "" };
        assert_true(dusk_filter_spent(filter) == 0);
        assert_int_equal(dusk_filter_charge(filter, &small, NULL), DUSK_OK);
        double spent = dusk_filter_spent(filter);
        assert_true(spent > 0 && spent < 1);
        dusk_price before = filter->meter.sum;
        for (int i = 0; i < 3; i++) {
            assert_int_equal(dusk_filter_charge(filter, &large, &err), DUSK_ERR_BUDGET);
            assert_int_equal(err.status, DUSK_ERR_BUDGET);
            assert_true(dusk_filter_spent(filter) == spent);
            assert_memory_equal(&before, &filter->meter.sum, sizeof before);
        }
        assert_int_equal(dusk_filter_charge(filter, &small, NULL), DUSK_OK);
        assert_true(dusk_filter_spent(filter) > spent);
        dusk_filter_free(filter);
    }
}

/* Charges far below the last digit of the sum must move it all the same. */
static void tiny_charges_count(void **state)
{
    (void)state;
    dusk_filter *filter = filter_of(DUSK_FILTER_BASIC, 1, 0);
    dusk_event most = event_of("pure(0.9999999999999998)"), tiny = event_of("pure(1e-30)");
    assert_int_equal(dusk_filter_charge(filter, &most, NULL), DUSK_OK);
    assert_int_equal(dusk_filter_charge(filter, &tiny, NULL), DUSK_OK);
    assert_int_equal(dusk_filter_charge(filter, &tiny, NULL), DUSK_OK);
    assert_int_equal(dusk_filter_charge(filter, &tiny, NULL), DUSK_ERR_BUDGET);
    assert_true(dusk_filter_spent(filter) == 1);
    dusk_filter_free(filter);
}

/* What the budgets are worth: no more than is allowed, and not much less. */
static void budgets_are_used(void **state)
{
    (void)state;
    const double epsilon = 1, delta = 1e-6;
    /* Gaussian noise of sigma 4.2246788893268 reaches (1, 1e-6) by itself */
    dusk_filter *gdp = filter_of(DUSK_FILTER_GDP, epsilon, delta);
    double mu_squared = 1 / (4.2246788893268 * 4.2246788893268);
    assert_true(fabs(gdp->budget[0] - mu_squared) < 1e-10 * mu_squared);
    dusk_filter *zcdp = filter_of(DUSK_FILTER_ZCDP, epsilon, delta);
    double rho = zcdp->budget[0] / zcdp->meter.alpha[0];
    assert_true(rho > 0.8 * mu_squared / 2 && rho < mu_squared / 2);
    dusk_filter *rdp = filter_of(DUSK_FILTER_RDP, epsilon, delta);
    double best = 0;
    for (size_t j = 0; j < rdp->meter.orders; j++) best = fmax(best, rdp->budget[j] / rdp->meter.alpha[j]);
    assert_true(best > 0.85 * rho && best < rho);
    dusk_filter_free(gdp);
    dusk_filter_free(zcdp);
    dusk_filter_free(rdp);
}

/* An event that is a sum costs what its parts cost one by one. */
static void sums_of_parts(void **state)
{
    static const char *const parts[] = { "gaussian(30)", "gaussian(50) * 3", "tree(60, 8)" };
    (void)state;
    for (dusk_filter_kind kind = DUSK_FILTER_ZCDP; kind <= DUSK_FILTER_GDP; kind++) {
        dusk_filter *whole = filter_of(kind, 1, 1e-6), *single = filter_of(kind, 1, 1e-6);
        dusk_event sum = event_of("gaussian(30) + gaussian(50) * 3 + tree(60, 8)");
        assert_int_equal(dusk_filter_charge(whole, &sum, NULL), DUSK_OK);
        for (size_t i = 0; i < 3; i++) {
            dusk_event part = event_of(parts[i]);
            assert_int_equal(dusk_filter_charge(single, &part, NULL), DUSK_OK);
        }
        double a = dusk_filter_spent(whole), b = dusk_filter_spent(single);
        assert_true(a > 0 && fabs(a - b) <= 1e-12 * a);
        dusk_filter_free(whole);
        dusk_filter_free(single);
    }
}

static void charge_at_a_delta(void **state)
{
    (void)state;
    dusk_filter *filter = filter_of(DUSK_FILTER_BASIC, 3, 1e-5);
    dusk_event gaussian = event_of("gaussian(10)"); /* 5 where a unit is replaced */
    dusk_error err = { .message = "" };
    assert_int_equal(dusk_filter_charge(filter, &gaussian, &err), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(dusk_filter_charge_at(filter, &gaussian, 0, &err), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(dusk_filter_charge_at(filter, &gaussian, 1, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_filter_charge_at(filter, &gaussian, NAN, &err), DUSK_ERR_ARGUMENT);
    assert_true(dusk_filter_spent(filter) == 0);
    assert_int_equal(dusk_filter_charge_at(filter, &gaussian, 4e-6, &err), DUSK_OK);
    assert_int_equal(dusk_filter_charge_at(filter, &gaussian, 4e-6, &err), DUSK_OK);
    assert_true(fabs(dusk_filter_spent(filter) - 0.8) < 1e-9);
    assert_int_equal(dusk_filter_charge_at(filter, &gaussian, 4e-6, &err), DUSK_ERR_BUDGET);
    assert_int_equal(dusk_filter_charge_at(filter, &gaussian, 1e-6, &err), DUSK_OK);
    dusk_filter_free(filter);
    filter = filter_of(DUSK_FILTER_RDP, 1, 1e-6);
    assert_int_equal(dusk_filter_charge_at(filter, &gaussian, 1e-7, &err), DUSK_ERR_ARGUMENT);
    dusk_filter_free(filter);
}

/* The state has one size and a charge asks for no memory, so that it cannot cost
 * more later; equal events are priced once. */
static void charges_are_linear(void **state)
{
    (void)state;
    for (dusk_filter_kind kind = DUSK_FILTER_BASIC; kind <= DUSK_FILTER_GDP; kind++) {
        dusk_filter *filter = filter_of(kind, 1, 1e-6);
        dusk_event event = event_of(kind == DUSK_FILTER_GDP ? "gdp(1e-6)" : "pure(1e-6)");
        assert_int_equal(dusk_filter_charge(filter, &event, NULL), DUSK_OK);
        dusk_memory_fail_at(1);
        for (int i = 1; i < 100000; i++)
            if (dusk_filter_charge(filter, &event, NULL) != DUSK_OK) fail();
        dusk_memory_fail_at(0);
        assert_int_equal(filter->meter.pricings, 1);
        dusk_event other = event_of(kind == DUSK_FILTER_GDP ? "gdp(2e-6)" : "pure(2e-6)");
        assert_int_equal(dusk_filter_charge(filter, &other, NULL), DUSK_OK);
        assert_int_equal(dusk_filter_charge(filter, &event, NULL), DUSK_OK);
        assert_int_equal(filter->meter.pricings, 2);
        for (int i = 0; i < 9; i++) {
            char text[32];
            snprintf(text, sizeof text, kind == DUSK_FILTER_GDP ? "gdp(%d.5e-6)" : "pure(%d.5e-6)", i);
            other = event_of(text);
            assert_int_equal(dusk_filter_charge(filter, &other, NULL), DUSK_OK);
        }
        assert_int_equal(dusk_filter_charge(filter, &event, NULL), DUSK_OK);
        assert_int_equal(filter->meter.pricings, 12); /* it was forgotten, and priced again */
        dusk_filter_free(filter);
    }
}

static void no_such_price(void **state)
{
    (void)state;
    dusk_error err = { .message = "" };
    dusk_filter *gdp = filter_of(DUSK_FILTER_GDP, 1, 1e-6), *rdp = filter_of(DUSK_FILTER_RDP, 8, 1e-6);
    dusk_filter *zcdp = filter_of(DUSK_FILTER_ZCDP, 1, 1e-6);
    dusk_event laplace = event_of("laplace(10)"), leak = event_of("approx(0.1, 1e-9)");
    dusk_event curve = event_of("rdp(2: 0.001)");
    assert_int_equal(dusk_filter_charge(gdp, &curve, &err), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(dusk_filter_charge(gdp, &leak, &err), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(dusk_filter_charge(rdp, &leak, &err), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(dusk_filter_charge(zcdp, &leak, &err), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(dusk_filter_charge(rdp, &laplace, &err), DUSK_OK);
    /* a divergence that ends at some order leaves the smaller ones */
    dusk_event truncated = event_of("tcdp(0.0001, 8)");
    assert_int_equal(dusk_filter_charge(rdp, &truncated, &err), DUSK_OK);
    dusk_event never = { { 0 } };
    assert_int_equal(dusk_filter_charge(rdp, &never, &err), DUSK_ERR_ARGUMENT);
    dusk_filter_free(gdp);
    dusk_filter_free(rdp);
    dusk_filter_free(zcdp);
}

static void refuse(dusk_filter_kind kind, double epsilon, double delta, dusk_neighbours neighbours)
{
    dusk_filter *filter = (void *)&kind;
    dusk_error err = { .message = "" };
    assert_int_equal(dusk_filter_new(&filter, kind, (dusk_budget){ epsilon, delta }, neighbours, &err),
                     DUSK_ERR_ARGUMENT);
    assert_null(filter);
    assert_true(err.message[0] != 0);
}

static void bad_arguments(void **state)
{
    (void)state;
    refuse(0, 1, 1e-6, DUSK_ADD_REMOVE);
    refuse(5, 1, 1e-6, DUSK_ADD_REMOVE);
    refuse(DUSK_FILTER_RDP, -1, 1e-6, DUSK_ADD_REMOVE);
    refuse(DUSK_FILTER_RDP, NAN, 1e-6, DUSK_ADD_REMOVE);
    refuse(DUSK_FILTER_RDP, INFINITY, 1e-6, DUSK_ADD_REMOVE);
    refuse(DUSK_FILTER_RDP, 1, 0, DUSK_ADD_REMOVE);
    refuse(DUSK_FILTER_ZCDP, 1, 0, DUSK_ADD_REMOVE);
    refuse(DUSK_FILTER_GDP, 1, 0, DUSK_ADD_REMOVE);
    refuse(DUSK_FILTER_BASIC, 1, 1, DUSK_ADD_REMOVE);
    refuse(DUSK_FILTER_BASIC, 1, NAN, DUSK_ADD_REMOVE);
    refuse(DUSK_FILTER_BASIC, 1, 0, 0);
    refuse(DUSK_FILTER_BASIC, 1, 0, 3);
    dusk_filter_free(NULL);
}

/* Whatever the budget: something free is accepted, something endless is not, and
 * the share is a share. */
static void extreme_budgets(void **state)
{
    static const double epsilons[] = { 0, 1e-300, 1e-9, 1, 1e9, 1e300 };
    static const double deltas[] = { 1e-300, 1e-12, 0.5, 1 - 0x1p-53 };
    (void)state;
    dusk_event nothing = event_of("pure(0)"), flat = event_of("gdp(1e-160)"), all = event_of("gdp(1e160)");
    dusk_event pure = event_of("pure(1e307)");
    for (dusk_filter_kind kind = DUSK_FILTER_BASIC; kind <= DUSK_FILTER_GDP; kind++)
        for (size_t i = 0; i < 6; i++)
            for (size_t j = 0; j < 4; j++) {
                dusk_filter *filter = filter_of(kind, epsilons[i], deltas[j]);
                bool gdp = kind == DUSK_FILTER_GDP;
                if (!gdp) assert_int_equal(dusk_filter_charge(filter, &nothing, NULL), DUSK_OK);
                assert_true(dusk_filter_spent(filter) == 0);
                assert_int_not_equal(dusk_filter_charge(filter, gdp ? &all : &pure, NULL), DUSK_OK);
                if (gdp) (void)!dusk_filter_charge(filter, &flat, NULL);
                double spent = dusk_filter_spent(filter);
                assert_true(spent >= 0 && spent <= 1);
                dusk_filter_free(filter);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adversaries),          cmocka_unit_test(basic_is_tight),
        cmocka_unit_test(no_order_is_free),     cmocka_unit_test(refused_spends_nothing),
        cmocka_unit_test(tiny_charges_count),   cmocka_unit_test(budgets_are_used),
        cmocka_unit_test(sums_of_parts),        cmocka_unit_test(charge_at_a_delta),
        cmocka_unit_test(charges_are_linear),   cmocka_unit_test(no_such_price),
        cmocka_unit_test(bad_arguments),        cmocka_unit_test(extreme_budgets),
        cmocka_unit_test(promises_of_one_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
