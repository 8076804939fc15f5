/* SPDX-License-Identifier: Apache-2.0 */
/* Charges against a filter that is charged the same in memory: the same are accepted, the same
 * bits are spent, after every reopening. */
#include <math.h>

#include "accounting/filter.h"
#include "ledger/chain.h"
#include "ledgers.h"
#include "numeric/rounding.h"

static const char *const events[][4] = {
    [DUSK_FILTER_BASIC] = { "pure(0.011)", "approx(0.02, 1e-9)", "discrete_laplace(37) * 2", "laplace(41)" },
    [DUSK_FILTER_ZCDP] = { "gaussian(50)", "zcdp(0.0001)", "pure(0.01)", "discrete_gaussian(71)" },
    [DUSK_FILTER_RDP] = { "gaussian(60)", "pure(0.01)", "poisson(0.1, gaussian(10))", "laplace(90)" },
    [DUSK_FILTER_GDP] = { "gaussian(50)", "gdp(0.01)", "pure(0.01)", "gaussian(70)" },
};

static void like_a_filter(void **state)
{
    (void)state;
    for (dusk_filter_kind kind = DUSK_FILTER_BASIC; kind <= DUSK_FILTER_GDP; kind++) {
        folder f = folder_make();
        dusk_filter *filter = NULL;
        uint64_t seed = 7;
        int accepted = 0, refused = 0;
        ledger_make(f.file, kind, 0.3, 1e-6);
        OK(dusk_filter_new(&filter, kind, (dusk_budget){ 0.3, 1e-6 }, DUSK_ADD_REMOVE, &err));
        dusk_ledger *ledger = ledger_of(f.file);
        for (int i = 0; i < 60; i++) {
            const char *text = events[kind][splitmix64(&seed) % 4];
            dusk_event event = event_of(text);
            dusk_error err = { .message = "" };
            dusk_status right = dusk_filter_charge(filter, &event, NULL);
            assert_int_equal(try_charge(ledger, NULL, "alice", text, &err), right);
            right == DUSK_OK ? accepted++ : refused++;
            assert_true(spending_of(ledger, NULL).share == dusk_filter_spent(filter));
            if (i % 7 == 0) {
                dusk_ledger_close(ledger);
                ledger = ledger_of(f.file);
            }
        }
        assert_true(accepted > 5 && refused > 5);
        assert_int_equal(spending_of(ledger, NULL).charges, accepted);
        OK(dusk_ledger_verify(ledger, &err));
        dusk_ledger_close(ledger);
        dusk_filter_free(filter);
        folder_remove(&f);
    }
}

/* An event without a largest loss needs a delta in a basic ledger, and is charged at it. */
static void at_a_delta(void **state)
{
    (void)state;
    folder f = folder_make();
    uint64_t id = 0;
    dusk_event event = event_of("gaussian(10)"), pure = event_of("pure(0.1)");
    dusk_charge charge = { .analyst = "alice", .event = &event };
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 1e-6);
    dusk_ledger *ledger = ledger_of(f.file);
    FAILS(DUSK_ERR_UNSUPPORTED, dusk_ledger_reserve(ledger, &id, &charge, &err));
    charge.delta = 2e-7;
    OK(dusk_ledger_reserve(ledger, &id, &charge, &err));
    dusk_spending s = spending_of(ledger, NULL);
    assert_true(s.spent.delta == 2e-7 && s.spent.epsilon > 0.2 && s.spent.epsilon < 0.6);
    charge.event = &pure; /* has one: costs no delta */
    OK(dusk_ledger_reserve(ledger, &id, &charge, &err));
    assert_true(spending_of(ledger, NULL).spent.delta == 2e-7);
    charge.event = &event;
    charge.delta = 9e-7;
    FAILS(DUSK_ERR_BUDGET, dusk_ledger_reserve(ledger, &id, &charge, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

static void quotes(void **state)
{
    (void)state;
    folder f = folder_make();
    dusk_budget cost = { -1, -1 };
    dusk_event event = event_of("pure(0.75)");
    dusk_charge charge = { .analyst = "alice", .event = &event };
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
    dusk_ledger *ledger = ledger_of(f.file);
    uint64_t number, id;
    uint8_t before[32], after[32];
    OK(dusk_ledger_head(ledger, &number, before, &err));
    OK(dusk_ledger_quote(ledger, &cost, &charge, &err));
    OK(dusk_ledger_quote(ledger, NULL, &charge, &err));
    assert_true(cost.epsilon == 0.75 && cost.delta == 0);
    OK(dusk_ledger_head(ledger, &number, after, &err));
    assert_memory_equal(before, after, 32);
    OK(dusk_ledger_reserve(ledger, &id, &charge, &err));
    cost.epsilon = -1;
    FAILS(DUSK_ERR_BUDGET, dusk_ledger_quote(ledger, &cost, &charge, &err));
    assert_true(cost.epsilon == -1);
    dusk_ledger_close(ledger);
    folder_remove(&f);
    ledger_make((f = folder_make()).file, DUSK_FILTER_RDP, 1, 1e-6);
    ledger = ledger_of(f.file);
    event = event_of("gaussian(20)");
    OK(dusk_ledger_quote(ledger, &cost, &charge, &err));
    assert_true(cost.epsilon > 0.1 && cost.epsilon < 0.3 && cost.delta == 1e-6);
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

/* What is left is accepted, and a little more is not. */
static void left_is_accepted(void **state)
{
    (void)state;
    for (dusk_filter_kind kind = DUSK_FILTER_BASIC; kind <= DUSK_FILTER_GDP; kind++) {
        folder f = folder_make();
        ledger_make(f.file, kind, 0.9, 1e-6);
        dusk_ledger *ledger = ledger_of(f.file);
        (void)charge_of(ledger, "alice", events[kind][0]);
        (void)charge_of(ledger, "alice", events[kind][2]);
        dusk_spending s = spending_of(ledger, NULL);
        dusk_event event;
        dusk_charge charge = { .analyst = "bob", .event = &event };
        uint64_t id;
        assert_true(s.left.epsilon > 0.01 && s.left.epsilon < 0.9);
        assert_true((s.left.delta == 1e-6) == (kind == DUSK_FILTER_BASIC));
        OK(dusk_event_approx(&event, nextafter(s.left.epsilon, 1), s.left.delta, &err));
        if (kind != DUSK_FILTER_BASIC) OK(dusk_event_pure(&event, nextafter(s.left.epsilon, 1), &err));
        FAILS(DUSK_ERR_BUDGET, dusk_ledger_reserve(ledger, &id, &charge, &err));
        OK(dusk_event_approx(&event, s.left.epsilon, s.left.delta, &err));
        if (kind != DUSK_FILTER_BASIC) OK(dusk_event_pure(&event, s.left.epsilon, &err));
        OK(dusk_ledger_reserve(ledger, &id, &charge, &err));
        assert_true(spending_of(ledger, NULL).left.epsilon < 1e-6);
        dusk_ledger_close(ledger);
        folder_remove(&f);
    }
}

/* 10^9 spends of 10^-12, in large pieces and in small ones: none of them vanishes. */
static void tiny_spends(void **state)
{
    (void)state;
    folder f = folder_make();
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
    dusk_ledger *ledger = ledger_of(f.file);
    (void)charge_of(ledger, "alice", "pure(1e-12) * 999999000");
    for (int i = 0; i < 100; i++) (void)charge_of(ledger, "alice", "pure(1e-12) * 10");
    double spent = spending_of(ledger, NULL).spent.epsilon;
    assert_true(spent >= 1e-3 && spent < 1.000001e-3);
    /* Below half of the last digit, and below the least normal number. */
    for (int i = 0; i < 20; i++) (void)charge_of(ledger, "alice", "pure(1e-300)");
    for (int i = 0; i < 5; i++) (void)charge_of(ledger, "alice", "pure(4.9406564584124654e-324)");
    double later = spending_of(ledger, NULL).spent.epsilon;
    for (int i = 0; i < 25; i++) spent = nextafter(spent, 1);
    assert_true(later >= spent);
    OK(dusk_ledger_verify(ledger, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

static void bad_charges(void **state)
{
    (void)state;
    folder f = folder_make();
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 1e-6);
    dusk_ledger *ledger = ledger_of(f.file);
    dusk_event event = event_of("pure(0.1)"), never = { { 0 } };
    char name[70];
    memset(name, 'a', sizeof name);
    name[64] = '\0';
    const dusk_charge right = { .analyst = "alice", .event = &event };
    const char *const names[] = { NULL, "", "a\nb", "\xff", "a\xc2\x85", "\xed\xa0\x80", "\xc0\xaf", name };
    uint64_t id = 77;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        dusk_charge charge = right;
        charge.analyst = names[i];
        FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_reserve(ledger, &id, &charge, &err));
        FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_quote(ledger, NULL, &charge, &err));
    }
    dusk_charge wrong[8] = { right, right, right, right, right, right, right, right };
    wrong[0].delta = -1;
    wrong[1].delta = 1;
    wrong[2].delta = NAN;
    wrong[3].epsilon = INFINITY;
    wrong[4].purpose = "\x80";
    wrong[5].fingerprint = "\xfe";
    wrong[6].version = UINT64_MAX;
    wrong[7].event = &never;
    for (size_t i = 0; i < 8; i++)
        FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_reserve(ledger, &id, &wrong[i], &err));
    assert_int_equal(id, 77);
    assert_int_equal(spending_of(ledger, NULL).charges, 0);
    name[63] = '\0'; /* the longest name, and one that is not ASCII */
    (void)charge_of(ledger, name, "pure(0.1)");
    (void)charge_of(ledger, "J\xc3\xbcrgen \xf0\x9f\x8c\x86", "pure(0.1)");
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

/* Each handle sees what the other spent, without being told. */
static void two_handles(void **state)
{
    (void)state;
    folder f = folder_make();
    dusk_error said = { .message = "" };
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
    dusk_ledger *one = ledger_of(f.file), *two = ledger_of(f.file);
    (void)charge_of(one, "alice", "pure(0.5)");
    (void)charge_of(two, "bob", "pure(0.25)");
    assert_int_equal(try_charge(one, NULL, "alice", "pure(0.5)", &said), DUSK_ERR_BUDGET);
    assert_non_null(strstr(said.message, "the total (epsilon 1): at most epsilon 0.25"));
    assert_true(spending_of(one, NULL).spent.epsilon == 0.75);
    assert_true(spending_of(two, "alice").spent.epsilon == 0.5);
    /* The total is raised behind the other's back; then lowered. */
    OK(dusk_ledger_set_total(two, (dusk_budget){ 2, 0 }, &err));
    (void)charge_of(one, "alice", "pure(0.5)");
    OK(dusk_ledger_set_total(two, (dusk_budget){ 1.3, 0 }, &err));
    assert_int_equal(try_charge(one, NULL, "alice", "pure(0.1)", &said), DUSK_ERR_BUDGET);
    OK(dusk_ledger_verify(one, &err));
    dusk_ledger_close(one);
    dusk_ledger_close(two);
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(like_a_filter), cmocka_unit_test(at_a_delta),
                                        cmocka_unit_test(quotes),        cmocka_unit_test(left_is_accepted),
                                        cmocka_unit_test(tiny_spends),   cmocka_unit_test(bad_charges),
                                        cmocka_unit_test(two_handles) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
