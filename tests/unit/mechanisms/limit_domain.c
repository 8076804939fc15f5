/* SPDX-License-Identifier: Apache-2.0 */
/* The limited domain as shipped: what is refused, the threshold, counts of every
 * kind, and the shortfall. Its law: tests/exhaustive/limit_domain.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "dusk/mechanisms.h"
#include "seeded.h"
#include "support.h"

static dusk_limit_domain make(size_t k, size_t limit, uint32_t keys, double epsilon, double delta)
{
    dusk_limit_domain domain;
    assert_int_equal(dusk_limit_domain_init(&domain, k, limit, keys, 1, epsilon, delta, NULL), DUSK_OK);
    return domain;
}

static int open_generator(void **state) { return open_seeded(state, 31337); }

static size_t release(const dusk_limit_domain *domain, size_t *indices, const uint64_t *counts, size_t n,
                      void **state)
{
    size_t shown = SIZE_MAX;
    assert_int_equal(dusk_limit_domain_release(domain, indices, &shown, counts, n, *state, NULL), DUSK_OK);
    assert_true(shown <= domain->k);
    for (size_t i = 0; i < shown; i++) assert_true(indices[i] < n && counts[indices[i]] > 0);
    return shown;
}

/* --- parameters -------------------------------------------------------------------- */

static void refused(size_t k, size_t limit, uint32_t step, double epsilon, double delta)
{
    dusk_limit_domain domain, before;
    dusk_error err = { .status = DUSK_OK };
    memset(&domain, 0x5a, sizeof domain);
    before = domain;
    assert_int_equal(dusk_limit_domain_init(&domain, k, limit, 1, step, epsilon, delta, &err),
                     DUSK_ERR_ARGUMENT);
    assert_true(strlen(err.message) > 10 && strlen(err.hint) > 5);
    assert_memory_equal(&domain, &before, sizeof domain);
}

static void bad_parameters_are_refused(void **state)
{
    (void)state;
    const double bad[] = { 0, -1, NAN, INFINITY, -INFINITY };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        refused(1, 2, 1, bad[i], 1e-6);
        refused(1, 2, 1, 1, bad[i]);
    }
    refused(1, 2, 1, 1, 1);
    refused(0, 2, 1, 1, 1e-6);
    refused(3, 2, 1, 1, 1e-6);
    refused(1, (size_t)1 << 40, 1, 1, 1e-6);
    refused(1, 2, 0, 1, 1e-6);
    refused(1, 2, 1, 1e-20, 1e-6); /* nothing would ever be shown */
}

/* t = 1 + ln(m (1 - delta) / delta) / epsilon, and not more. */
static void the_threshold_is_that_of_the_theorem(void **state)
{
    (void)state;
    const double epsilons[] = { 0.01, 0.1, 1, 10 }, deltas[] = { 1e-12, 1e-6, 0.3 };
    for (size_t e = 0; e < 4; e++)
        for (size_t d = 0; d < 3; d++)
            for (uint32_t keys = 0; keys < 60; keys += 7) {
                dusk_limit_domain domain = make(3, 40, keys, epsilons[e], deltas[d]);
                double m = keys == 0 || keys > 40 ? 40 : keys;
                double t = 1 + log(m * (1 - deltas[d]) / deltas[d]) / epsilons[e];
                assert_true(fabs(domain.threshold - t) <= 1e-9 * t);
                assert_true(domain.delta <= deltas[d] && domain.delta >= deltas[d] * (1 - 1e-6));
            }
}

static void fields_filled_by_hand_are_checked(void **state)
{
    dusk_limit_domain domain = make(1, 2, 1, 1, 1e-6);
    const uint64_t counts[] = { 100, 2, 1 };
    size_t index = 77, shown = 77;
    dusk_event event;
    domain.threshold -= 1;
    assert_int_equal(dusk_limit_domain_release(&domain, &index, &shown, counts, 3, *state, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_limit_domain_event(&domain, &event, NULL), DUSK_ERR_ARGUMENT);
    domain.threshold = NAN;
    assert_int_equal(dusk_limit_domain_release(&domain, &index, &shown, counts, 3, *state, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_true(index == 77 && shown == 77);
}

static void the_event_names_choices_and_delta(void **state)
{
    (void)state;
    char text[256], wanted[256];
    dusk_event event, other;
    dusk_limit_domain domain = make(5, 20, 2, 0.25, 1e-6);
    assert_int_equal(dusk_limit_domain_event(&domain, &event, NULL), DUSK_OK);
    snprintf(wanted, sizeof wanted, "exponential(0.25) * 5 + approx(0, %.17g)", domain.delta);
    assert_int_equal(dusk_event_parse(&other, wanted, NULL), DUSK_OK);
    assert_int_equal(dusk_event_format(&other, wanted, sizeof wanted, NULL), DUSK_OK);
    assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
    assert_string_equal(text, wanted);
}

/* --- releases ------------------------------------------------------------------------ */

static void large_counts_are_shown_in_order(void **state)
{
    const uint64_t counts[] = { 3, 1000, 0, 5000, 2, 3000, 1 };
    dusk_limit_domain domain = make(3, 5, 1, 1, 1e-6);
    size_t indices[3];
    for (int i = 0; i < 50; i++) {
        assert_int_equal(release(&domain, indices, counts, 7, state), 3);
        assert_int_equal(indices[0], 3);
        assert_int_equal(indices[1], 5);
        assert_int_equal(indices[2], 1);
    }
}

/* Two keys are large and the rest is not: two are shown. */
static void the_threshold_ends_the_list(void **state)
{
    const uint64_t counts[] = { 1, 1, 900, 2, 1, 800, 2, 1 };
    dusk_limit_domain domain = make(4, 6, 1, 1, 1e-9);
    size_t indices[4];
    for (int i = 0; i < 200; i++) assert_int_equal(release(&domain, indices, counts, 8, state), 2);
}

/* Fewer keys than places, no keys at all, and counts beyond every bound. */
static void lists_of_every_length_work(void **state)
{
    const uint64_t few[] = { 500, 0, 700 }, huge[] = { UINT64_MAX, UINT64_MAX, 1 };
    dusk_limit_domain domain = make(3, 100, 0, 1, 1e-6);
    size_t indices[3];
    assert_int_equal(release(&domain, indices, few, 3, state), 2);
    assert_int_equal(indices[0], 2);
    assert_int_equal(release(&domain, indices, few, 0, state), 0);
    assert_int_equal(release(&domain, indices, huge, 3, state), 2);
}

/* All equal, none above the next: no key stands out, none is shown. */
static void equal_counts_show_nothing(void **state)
{
    uint64_t counts[50];
    dusk_limit_domain domain = make(2, 10, 1, 1, 1e-9);
    size_t indices[2];
    for (int i = 0; i < 50; i++) counts[i] = 1000000;
    for (int i = 0; i < 100; i++) assert_int_equal(release(&domain, indices, counts, 50, state), 0);
}

static void failing_memory_releases_nothing(void **state)
{
    const uint64_t counts[] = { 100, 90, 80, 70, 1 };
    dusk_limit_domain domain = make(2, 3, 1, 1, 1e-6);
    size_t indices[2] = { 77, 77 }, shown = 77;
    dusk_status status = DUSK_ERR_MEMORY;
    for (long nth = 1; status == DUSK_ERR_MEMORY && nth < 30; nth++) {
        assert_true(indices[0] == 77 && shown == 77);
        dusk_memory_fail_at(nth);
        status = dusk_limit_domain_release(&domain, indices, &shown, counts, 5, *state, NULL);
        dusk_memory_fail_at(0);
    }
    assert_int_equal(status, DUSK_OK);
}

/* Ranks and what is left out, 400 times at confidence 1/2 on counts with small gaps. */
static void the_shortfall_holds(void **state)
{
    enum { N = 30 };
    uint64_t counts[N];
    dusk_limit_domain domain = make(5, 20, 1, 0.5, 1e-3);
    double shortfall;
    int bad = 0;
    for (uint64_t i = 0; i < N; i++) counts[i] = 100 - 3 * i; /* largest first; the 21st is 40 */
    assert_int_equal(dusk_limit_domain_interval(&domain, &shortfall, 0.5, NULL), DUSK_OK);
    assert_true(fabs(shortfall - log(2 * 5 * 20) / 0.5) < 1e-9);
    for (int run = 0; run < 400; run++) {
        size_t indices[5], shown = release(&domain, indices, counts, N, state);
        bool wrong = false, seen[N] = { false };
        for (size_t j = 0; j < shown; j++) {
            wrong |= (double)counts[indices[j]] < (double)counts[j] - shortfall;
            seen[indices[j]] = true;
        }
        for (size_t i = 0; i < N && shown < 5; i++)
            wrong |= !seen[i] && (double)counts[i] > 40 + domain.threshold + shortfall;
        bad += wrong;
    }
    assert_true(bad < 200);
    assert_int_equal(dusk_limit_domain_interval(&domain, &shortfall, 1, NULL), DUSK_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(the_threshold_is_that_of_the_theorem),
        cmocka_unit_test(fields_filled_by_hand_are_checked),
        cmocka_unit_test(the_event_names_choices_and_delta),
        cmocka_unit_test(large_counts_are_shown_in_order),
        cmocka_unit_test(the_threshold_ends_the_list),
        cmocka_unit_test(lists_of_every_length_work),
        cmocka_unit_test(equal_counts_show_nothing),
        cmocka_unit_test(failing_memory_releases_nothing),
        cmocka_unit_test(the_shortfall_holds),
    };
    return cmocka_run_group_tests(tests, open_generator, close_generator);
}
