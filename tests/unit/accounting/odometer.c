/* SPDX-License-Identifier: Apache-2.0 */
/* Odometers against analysts who also choose when to stop: what they reach above
 * the bound of that moment must not be more than delta. */
#include <math.h>
#include <stdio.h>

#include "accounting/filter.h"
#include "base/memory.h"
#include "support.h"

static dusk_event event_of(const char *text)
{
    dusk_event event;
    assert_int_equal(dusk_event_parse(&event, text, NULL), DUSK_OK);
    return event;
}

static dusk_odometer *odometer_of(dusk_filter_kind kind, double delta)
{
    dusk_odometer *odometer = NULL;
    assert_int_equal(dusk_odometer_new(&odometer, kind, delta, DUSK_REPLACE_ONE, NULL), DUSK_OK);
    return odometer;
}

static double epsilon_of(const dusk_odometer *odometer)
{
    double epsilon = NAN;
    assert_int_equal(dusk_odometer_epsilon(odometer, &epsilon, NULL), DUSK_OK);
    assert_true(epsilon >= 0);
    return epsilon;
}

/* Binary randomized response; the truth comes out with probability `leak`. */
typedef struct toy {
    dusk_event event;
    double epsilon, leak;
} toy;

static toy response(double epsilon, double leak)
{
    toy t = { .epsilon = epsilon, .leak = leak };
    char text[80];
    if (leak > 0)
        snprintf(text, sizeof text, "approx(%.17g, %.17g)", epsilon, leak);
    else
        snprintf(text, sizeof text, "randomized_response(%.17g, 2)", epsilon);
    t.event = event_of(text);
    return t;
}

/* The most that E_P[(1 - exp(E - L))+] can be, E being the bound at the stop;
 * stops at which it is infinite are no promise and count 0. */
static double worst(const dusk_odometer *odometer, const toy *toys, size_t n, double loss, int steps)
{
    double bound = epsilon_of(odometer), best = loss > bound ? -expm1(bound - loss) : 0;
    for (size_t i = 0; i < n && steps > 0 && !isinf(bound) && !isinf(loss); i++) {
        dusk_odometer after = *odometer;
        assert_int_equal(dusk_odometer_charge(&after, &toys[i].event, NULL), DUSK_OK);
        double e = toys[i].epsilon, p = 1 / (1 + exp(-e)), leak = toys[i].leak;
        double value = (1 - leak) * p * worst(&after, toys, n, loss + e, steps - 1) +
                       (1 - leak) * (1 - p) * worst(&after, toys, n, loss - e, steps - 1);
        if (leak > 0) value += leak * worst(&after, toys, n, INFINITY, 0);
        if (value > best) best = value;
    }
    return best;
}

static void adversaries_that_stop(void **state)
{
    (void)state;
    toy pure[] = { response(0.25, 0), response(0.5, 0), response(1, 0) };
    toy some[] = { response(0.25, 0), response(0.25, 0.01), response(0, 0.02) };
    for (double delta = 0.01; delta < 0.3; delta *= 2)
        for (dusk_filter_kind kind = DUSK_FILTER_BASIC; kind <= DUSK_FILTER_RDP; kind++) {
            dusk_odometer *odometer = odometer_of(kind, delta);
            toy *toys = kind == DUSK_FILTER_BASIC ? some : pure;
            dusk_price price; /* known before the search copies the odometer */
            for (size_t i = 0; i < 3; i++)
                assert_int_equal(dusk_meter_price(&price, &odometer->meter, &toys[i].event, 0, NULL),
                                 DUSK_OK);
            double reached = worst(odometer, toys, 3, 0, 5);
            if (!(reached <= delta * (1 + 1e-9))) fail_msg("kind %d, %g: %.17g", (int)kind, delta, reached);
            dusk_odometer_free(odometer);
        }
}

static void delta_runs_out(void **state)
{
    (void)state;
    dusk_odometer *odometer = odometer_of(DUSK_FILTER_BASIC, 2e-6);
    dusk_event event = event_of("approx(0.5, 1e-6)");
    assert_true(epsilon_of(odometer) == 0);
    assert_int_equal(dusk_odometer_charge(odometer, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_odometer_charge(odometer, &event, NULL), DUSK_OK);
    assert_true(epsilon_of(odometer) == 1);
    assert_int_equal(dusk_odometer_charge(odometer, &event, NULL), DUSK_OK);
    assert_true(isinf(epsilon_of(odometer)));
    dusk_odometer_free(odometer);
}

/* mu-GDP counts as mu^2/2-zCDP. */
static void gaussian_as_zcdp(void **state)
{
    (void)state;
    dusk_odometer *gdp = odometer_of(DUSK_FILTER_GDP, 1e-6), *zcdp = odometer_of(DUSK_FILTER_ZCDP, 1e-6);
    dusk_event a = event_of("gdp(0.25)"), b = event_of("zcdp(0.03125)");
    for (int i = 0; i < 20; i++) {
        assert_int_equal(dusk_odometer_charge(gdp, &a, NULL), DUSK_OK);
        assert_int_equal(dusk_odometer_charge(zcdp, &b, NULL), DUSK_OK);
        double x = epsilon_of(gdp), y = epsilon_of(zcdp);
        assert_true(fabs(x - y) <= 1e-12 * y);
        /* no better than one Gaussian known beforehand, and not much worse */
        double rho = 0.03125 * (i + 1), plain = rho + 2 * sqrt(rho * log(1e6));
        assert_true(y > 0.7 * plain && y < 1.35 * plain);
    }
    dusk_odometer_free(gdp);
    dusk_odometer_free(zcdp);
}

/* It only grows, and what is free does not move it. */
static void grows(void **state)
{
    (void)state;
    for (dusk_filter_kind kind = DUSK_FILTER_BASIC; kind <= DUSK_FILTER_GDP; kind++) {
        dusk_odometer *odometer = odometer_of(kind, 1e-6);
        dusk_event event = event_of(kind == DUSK_FILTER_GDP ? "gdp(0.01)" : "pure(0.01)");
        double before = epsilon_of(odometer);
        assert_true(before == 0);
        assert_int_equal(dusk_odometer_charge(odometer, &event, NULL), DUSK_OK);
        dusk_memory_fail_at(1); /* equal charges ask for no memory */
        for (int i = 0; i < 20000; i++) {
            if (dusk_odometer_charge(odometer, &event, NULL) != DUSK_OK) fail();
            if (i & (i - 1)) continue;
            double now = epsilon_of(odometer);
            assert_true(now > before);
            before = now;
        }
        dusk_memory_fail_at(0);
        assert_int_equal(odometer->meter.pricings, 1);
        dusk_odometer_free(odometer);
    }
}

static void bad_arguments(void **state)
{
    static const double deltas[] = { -1, 1, NAN, INFINITY };
    (void)state;
    dusk_odometer *odometer;
    dusk_error err;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(dusk_odometer_new(&odometer, DUSK_FILTER_BASIC, deltas[i], DUSK_ADD_REMOVE, &err),
                         DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_odometer_new(&odometer, DUSK_FILTER_RDP, 0, DUSK_ADD_REMOVE, &err),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_odometer_new(&odometer, 9, 1e-6, DUSK_ADD_REMOVE, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_odometer_new(&odometer, DUSK_FILTER_RDP, 1e-6, 9, &err), DUSK_ERR_ARGUMENT);
    assert_null(odometer);
    dusk_odometer_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adversaries_that_stop), cmocka_unit_test(delta_runs_out),
        cmocka_unit_test(gaussian_as_zcdp),      cmocka_unit_test(grows),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
