/* SPDX-License-Identifier: Apache-2.0 */
/* Making and opening ledgers, their first entries, head and history. */
#include "ledgers.h"

static void made_and_opened(void **state)
{
    (void)state;
    folder f = folder_make();
    struct stat what;
    dusk_ledger_options options;
    for (dusk_filter_kind kind = DUSK_FILTER_BASIC; kind <= DUSK_FILTER_GDP; kind++) {
        ledger_make(f.file, kind, 1.5, 1e-6);
        assert_int_equal(stat(f.file, &what), 0);
        assert_int_equal(what.st_mode & 07777, 0600);
        dusk_ledger *ledger = ledger_of(f.file);
        dusk_ledger_made_with(ledger, &options);
        assert_int_equal(options.size, sizeof options);
        assert_int_equal(options.filter, kind);
        assert_int_equal(options.neighbours, DUSK_ADD_REMOVE);
        assert_true(options.budget.epsilon == 1.5 && options.budget.delta == 1e-6);
        dusk_ledger_close(ledger);
        assert_int_equal(unlink(f.file), 0);
    }
    folder_remove(&f);
}

static void charges_and_facts(void **state)
{
    (void)state;
    folder f = folder_make();
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 1e-6);
    dusk_ledger *ledger = ledger_of(f.file);
    OK(dusk_ledger_declare(ledger, "visits.age", "bounds", "0:120", &err));
    assert_int_equal(charge_of(ledger, "alice", "pure(0.25)"), 3);
    dusk_spending s = spending_of(ledger, NULL);
    assert_true(s.spent.epsilon == 0.25 && s.left.epsilon == 0.75 && s.left.delta == 1e-6);
    OK(dusk_ledger_commit(ledger, 3, "42", 2, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(made_and_opened),
                                        cmocka_unit_test(charges_and_facts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
