/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th allocation fails, for every n until the call succeeds, while filters
 * and odometers are made and charged and compositions priced: DUSK_ERR_MEMORY,
 * nothing spent, nothing leaked (the sanitizer build looks). */
#include "accounting/filter.h"

#include "accounting/accountants.h"
#include "base/memory.h"
#include "support.h"

static dusk_event event_of(const char *text)
{
    dusk_event event;
    assert_int_equal(dusk_event_parse(&event, text, NULL), DUSK_OK);
    return event;
}

static void making(void **state)
{
    (void)state;
    dusk_filter *filter = NULL;
    dusk_odometer *odometer = NULL;
    dusk_error err;
    dusk_memory_fail_at(1);
    assert_int_equal(
        dusk_filter_new(&filter, DUSK_FILTER_RDP, (dusk_budget){ 1, 1e-6 }, DUSK_ADD_REMOVE, &err),
        DUSK_ERR_MEMORY);
    dusk_memory_fail_at(1);
    assert_int_equal(dusk_odometer_new(&odometer, DUSK_FILTER_RDP, 1e-6, DUSK_ADD_REMOVE, &err),
                     DUSK_ERR_MEMORY);
    dusk_memory_fail_at(0);
    assert_null(filter);
    assert_null(odometer);
}

static const char *const texts[] = {
    [DUSK_FILTER_BASIC] = "pure(0.01) + discrete_laplace(100) * 2 + approx(0.01, 1e-9)",
    [DUSK_FILTER_ZCDP] = "gaussian(50) + zcdp(0.001) + pure(0.01)",
    [DUSK_FILTER_RDP] = "gaussian(50) + pure(0.01) + poisson(0.1, pure(0.1)) + rdp(2: 0.001, 8: 0.01)",
    [DUSK_FILTER_GDP] = "gaussian(50) + gdp(0.01) * 3",
};

static void charging(void **state)
{
    (void)state;
    for (dusk_filter_kind kind = DUSK_FILTER_BASIC; kind <= DUSK_FILTER_GDP; kind++) {
        dusk_filter *filter = NULL;
        assert_int_equal(dusk_filter_new(&filter, kind, (dusk_budget){ 9, 1e-3 }, DUSK_ADD_REMOVE, NULL),
                         DUSK_OK);
        dusk_event event = event_of(texts[kind]);
        dusk_status status = DUSK_ERR_MEMORY;
        for (long n = 1; status != DUSK_OK && n < 10000; n++) {
            dusk_error err = { .message = "" };
            assert_true(dusk_filter_spent(filter) == 0);
            dusk_memory_fail_at(n);
            status = dusk_filter_charge(filter, &event, &err);
            dusk_memory_fail_at(0);
            if (status != DUSK_OK) assert_int_equal(status, DUSK_ERR_MEMORY);
        }
        assert_int_equal(status, DUSK_OK);
        assert_true(dusk_filter_spent(filter) > 0);
        dusk_filter_free(filter);
    }
}

typedef dusk_status question(dusk_bound *, const dusk_composition *, double, dusk_error *);

static void ask(question *price, double x)
{
    dusk_composition *c;
    dusk_status status = DUSK_ERR_MEMORY;
    assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_parse(c,
                                            "pure(0.1) * 3 + gaussian(2) * 2 + gaussian(3) + zcdp(0.01) + "
                                            "discrete_laplace(3) + poisson(0.5, laplace(1)) + rdp(2: 1)",
                                            NULL),
                     DUSK_OK);
    for (long n = 1; status != DUSK_OK && n < 100000; n++) {
        dusk_bound out = { -1, -1 };
        dusk_error err = { .message = "" };
        dusk_memory_fail_at(n);
        status = price(&out, c, x, &err);
        dusk_memory_fail_at(0);
        if (status == DUSK_OK) break;
        assert_int_equal(status, DUSK_ERR_MEMORY);
        assert_true(out.upper == -1);
    }
    assert_int_equal(status, DUSK_OK);
    dusk_composition_free(c);
}

static void pricing(void **state)
{
    (void)state;
    ask(dusk_basic_epsilon, 1e-6);
    ask(dusk_advanced_epsilon, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(making), cmocka_unit_test(charging),
                                        cmocka_unit_test(pricing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
