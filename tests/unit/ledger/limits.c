/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of analysts and of the file: given, reached, lowered, raised. */
#include <math.h>

#include "accounting/filter.h"
#include "ledger/store.h"
#include "ledgers.h"

/* An analyst's limit holds beside the total's; a refused charge is in neither. */
static void own_limits(void **state)
{
    (void)state;
    folder f = folder_make();
    dusk_error said = { .message = "" };
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 1e-6);
    dusk_ledger *ledger = ledger_of(f.file);
    OK(dusk_ledger_grant(ledger, "alice", (dusk_budget){ 0.5, 0 }, &err));
    (void)charge_of(ledger, "alice", "pure(0.375)");
    assert_int_equal(try_charge(ledger, NULL, "alice", "pure(0.25)", &said), DUSK_ERR_BUDGET);
    assert_non_null(strstr(said.message, "the limit of alice (epsilon 0.5): at most epsilon 0.125"));
    assert_int_equal(try_charge(ledger, NULL, "alice", "approx(0.01, 1e-9)", &said), DUSK_ERR_BUDGET);
    dusk_spending alice = spending_of(ledger, "alice"), all = spending_of(ledger, NULL);
    assert_true(alice.limited && alice.limit.epsilon == 0.5 && alice.spent.epsilon == 0.375);
    assert_true(alice.left.epsilon == 0.125 && alice.left.delta == 0 && alice.share == 0.75);
    assert_int_equal(alice.charges, 1);
    assert_true(all.limited && all.spent.epsilon == 0.375 && all.charges == 1 && all.share == 0.375);
    /* The total may be what is short. */
    (void)charge_of(ledger, "bob", "pure(0.5625)");
    alice = spending_of(ledger, "alice");
    assert_true(alice.left.epsilon == 0.0625);
    assert_int_equal(try_charge(ledger, NULL, "alice", "pure(0.125)", &said), DUSK_ERR_BUDGET);
    assert_non_null(strstr(said.message, "the total"));
    dusk_spending bob = spending_of(ledger, "bob"), eve = spending_of(ledger, "eve");
    assert_true(!bob.limited && bob.limit.epsilon == 1 && bob.left.epsilon == 0.0625 && bob.charges == 1);
    assert_true(!eve.limited && eve.charges == 0 && eve.spent.epsilon == 0 && eve.share == 0);
    OK(dusk_ledger_verify(ledger, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

static const char *const events[] = { [DUSK_FILTER_BASIC] = "pure(0.02)",
                                      [DUSK_FILTER_ZCDP] = "gaussian(30)",
                                      [DUSK_FILTER_RDP] = "gaussian(30)",
                                      [DUSK_FILTER_GDP] = "gaussian(30)" };

/* A filter of this limit after n charges. */
static double share_after(dusk_filter_kind kind, double epsilon, int n)
{
    dusk_filter *filter = NULL;
    dusk_event event = event_of(events[kind]);
    dusk_price price;
    OK(dusk_filter_new(&filter, kind, (dusk_budget){ epsilon, 1e-6 }, DUSK_ADD_REMOVE, &err));
    OK(dusk_filter_price(filter, &price, &event, 0, &err));
    for (int i = 0; i < n; i++) dusk_filter_add(filter, &price);
    double share = dusk_filter_share_up(filter);
    dusk_filter_free(filter);
    return share;
}

/* A limit that is changed, or comes late, has everything in it that was charged before. */
static void nothing_is_forgiven(void **state)
{
    (void)state;
    for (dusk_filter_kind kind = DUSK_FILTER_BASIC; kind <= DUSK_FILTER_GDP; kind++) {
        folder f = folder_make();
        dusk_error said;
        ledger_make(f.file, kind, 1, 1e-6);
        dusk_ledger *ledger = ledger_of(f.file);
        for (int i = 0; i < 4; i++) (void)charge_of(ledger, "alice", events[kind]);
        (void)charge_of(ledger, "bob", events[kind]);
        static const double limits[] = { 0.9, 0.001, 3, 0.4 };
        for (size_t i = 0; i < 4; i++) {
            OK(dusk_ledger_grant(ledger, "alice", (dusk_budget){ limits[i], 1e-6 }, &err));
            dusk_spending s = spending_of(ledger, "alice");
            assert_true(s.limited && s.share == share_after(kind, limits[i], 4) && s.charges == 4);
            if (s.share > 1) {
                assert_int_equal(try_charge(ledger, NULL, "alice", "pure(0)", &said), DUSK_ERR_BUDGET);
                assert_true(s.left.epsilon == 0 && s.left.delta == 0);
            }
            OK(dusk_ledger_set_total(ledger, (dusk_budget){ limits[i], 1e-6 }, &err));
            s = spending_of(ledger, NULL);
            assert_true(s.share == share_after(kind, limits[i], 5) && s.charges == 5);
            s = spending_of(ledger, "bob");
            assert_true(!s.limited && s.share == share_after(kind, limits[i], 1) && s.charges == 1);
            OK(dusk_ledger_verify(ledger, &err));
        }
        (void)charge_of(ledger, "alice", events[kind]);
        assert_true(spending_of(ledger, "alice").share == share_after(kind, 0.4, 5));
        assert_true(spending_of(ledger, NULL).share == share_after(kind, 0.4, 6));
        dusk_ledger_options made;
        dusk_ledger_made_with(ledger, &made);
        assert_true(made.budget.epsilon == 1); /* what it was made with stays */
        OK(dusk_ledger_verify(ledger, &err));
        dusk_ledger_close(ledger);
        folder_remove(&f);
    }
}

/* A charge that has no price at the orders of a new limit is more than it. */
static void no_price_there(void **state)
{
    (void)state;
    folder f = folder_make();
    dusk_error said;
    ledger_make(f.file, DUSK_FILTER_RDP, 40, 1e-3);
    dusk_ledger *ledger = ledger_of(f.file);
    (void)charge_of(ledger, "alice", "tcdp(0.0001, 1.5)");
    OK(dusk_ledger_grant(ledger, "alice", (dusk_budget){ 0.1, 1e-12 }, &err));
    dusk_spending s = spending_of(ledger, "alice");
    assert_true(s.share == INFINITY && s.left.epsilon == 0);
    assert_int_equal(try_charge(ledger, NULL, "alice", "pure(0)", &said), DUSK_ERR_BUDGET);
    (void)charge_of(ledger, "bob", "pure(0.1)");
    OK(dusk_ledger_verify(ledger, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

typedef struct seen {
    char names[256];
    int left; /* visits before it fails */
} seen;

static dusk_status see(void *context, const char *analyst, const dusk_spending *spending, dusk_error *err)
{
    seen *s = context;
    (void)err;
    size_t n = strlen(s->names);
    snprintf(s->names + n, sizeof s->names - n, "%s%s%d ", analyst, spending->limited ? "!" : "",
             (int)spending->charges);
    return s->left-- > 0 ? DUSK_OK : DUSK_ERR_CHECK;
}

static void everybody(void **state)
{
    (void)state;
    folder f = folder_make();
    seen s = { .left = 100 };
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
    dusk_ledger *ledger = ledger_of(f.file);
    OK(dusk_ledger_analysts(ledger, see, &s, &err));
    assert_string_equal(s.names, "");
    (void)charge_of(ledger, "zoe", "pure(0.01)");
    OK(dusk_ledger_grant(ledger, "mia", (dusk_budget){ 0.1, 0 }, &err));
    (void)charge_of(ledger, "Bob", "pure(0.01)");
    (void)charge_of(ledger, "zoe", "pure(0.01)");
    OK(dusk_ledger_grant(ledger, "Bob", (dusk_budget){ 0.1, 0 }, &err));
    OK(dusk_ledger_analysts(ledger, see, &s, &err));
    assert_string_equal(s.names, "Bob!1 mia!0 zoe2 ");
    s = (seen){ .left = 1 };
    assert_int_equal(dusk_ledger_analysts(ledger, see, &s, NULL), DUSK_ERR_CHECK);
    assert_string_equal(s.names, "Bob!1 mia!0 ");
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

static void bad_limits(void **state)
{
    (void)state;
    folder f = folder_make();
    uint64_t before, after;
    uint8_t hash[32];
    ledger_make(f.file, DUSK_FILTER_ZCDP, 1, 1e-6);
    dusk_ledger *ledger = ledger_of(f.file);
    OK(dusk_ledger_head(ledger, &before, hash, &err));
    const dusk_budget wrong[] = { { -1, 1e-6 }, { NAN, 1e-6 }, { INFINITY, 1e-6 },
                                  { 1, 0 },     { 1, 1 },      { 1, NAN } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_grant(ledger, "alice", wrong[i], &err));
        FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_set_total(ledger, wrong[i], &err));
    }
    FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_grant(ledger, "", (dusk_budget){ 1, 1e-6 }, &err));
    dusk_spending s;
    FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_spending(ledger, &s, "", &err));
    OK(dusk_ledger_head(ledger, &after, hash, &err));
    assert_int_equal(before, after);
    OK(dusk_ledger_grant(ledger, "alice", (dusk_budget){ -0.0, 1e-6 }, &err));
    OK(dusk_ledger_verify(ledger, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

/* More analysts than a handle keeps filters for. */
static void many_analysts(void **state)
{
    (void)state;
    folder f = folder_make();
    ledger_make(f.file, DUSK_FILTER_BASIC, 100, 0);
    dusk_ledger *ledger = ledger_of(f.file);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 3 * LEDGER_FILTERS; i++) {
            char name[16];
            dusk_error said;
            snprintf(name, sizeof name, "a%d", i);
            if (round == 0) OK(dusk_ledger_grant(ledger, name, (dusk_budget){ 1 + i, 0 }, &err));
            if (round == 1) (void)charge_of(ledger, name, "pure(0.5)");
            if (round == 2) {
                char text[32];
                snprintf(text, sizeof text, "pure(%d.625)", i);
                assert_int_equal(try_charge(ledger, NULL, name, text, &said), DUSK_ERR_BUDGET);
                snprintf(text, sizeof text, "pure(%d.5)", i);
                assert_int_equal(
                    dusk_ledger_quote(ledger, NULL,
                                      &(dusk_charge){ .analyst = name, .event = &(dusk_event){ { 0 } } },
                                      NULL),
                    DUSK_ERR_ARGUMENT);
                dusk_spending s = spending_of(ledger, name);
                assert_true(s.left.epsilon == i + 0.5);
            }
        }
    OK(dusk_ledger_verify(ledger, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_limits), cmocka_unit_test(nothing_is_forgiven), cmocka_unit_test(no_price_there),
        cmocka_unit_test(everybody),  cmocka_unit_test(bad_limits),          cmocka_unit_test(many_analysts)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
