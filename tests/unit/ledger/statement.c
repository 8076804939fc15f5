/* SPDX-License-Identifier: Apache-2.0 */
/* Statements as charges: a ledger of either relation takes exactly what the statement says, and refuses what it cannot keep. */
#include <math.h>

#include "ledgers.h"

static dusk_ledger *make(const char *file, dusk_filter_kind filter, dusk_neighbours neighbours)
{
    dusk_ledger_options o;
    dusk_ledger *ledger;
    dusk_ledger_options_init(&o);
    o.filter = filter;
    o.neighbours = neighbours;
    o.budget = (dusk_budget){ 50, 1e-3 };
    OK(dusk_ledger_create(file, &o, &err));
    OK(dusk_ledger_open(&ledger, file, &err));
    return ledger;
}

static dusk_statement say(const char *text, double delta, dusk_neighbours neighbours)
{
    dusk_event event;
    dusk_statement statement;
    OK(dusk_event_parse(&event, text, &err));
    OK(dusk_statement_init(&statement, &event, delta, neighbours, "person", &err));
    return statement;
}

static dusk_spending charge(const char *text, double delta, dusk_filter_kind filter,
                            dusk_neighbours neighbours)
{
    folder f = folder_make();
    dusk_ledger *ledger = make(f.file, filter, neighbours);
    dusk_statement statement = say(text, delta, neighbours);
    dusk_spending spending;
    dusk_budget quoted;
    uint64_t id;
    OK(dusk_ledger_quote_statement(ledger, &quoted, &statement, "ann", &err));
    OK(dusk_ledger_spending(ledger, &spending, "ann", &err));
    assert_true(spending.spent.epsilon == 0);
    OK(dusk_ledger_reserve_statement(ledger, &id, &statement, "ann", "a test", 1, &err));
    OK(dusk_ledger_spending(ledger, &spending, "ann", &err));
    if (filter == DUSK_FILTER_BASIC) assert_true(quoted.epsilon == spending.spent.epsilon);
    if (filter == DUSK_FILTER_BASIC) {
        assert_true(spending.spent.epsilon >= statement.epsilon * (1 - 1e-12));
        assert_true(spending.spent.epsilon <= statement.epsilon * (1 + 1e-6));
        assert_true(spending.spent.delta == statement.delta);
    }
    OK(dusk_ledger_spending(ledger, &spending, NULL, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
    return spending;
}

static void costs_what_it_says(void **state)
{
    static const struct {
        const char *text;
        double delta;
    } said[] = {
        { "gaussian(3) * 30 + gaussian(10)", 1e-6 },     { "laplace(2) + exponential(0.25) * 3", 0 },
        { "discrete_laplace(8, 2) * 2 + pure(0.5)", 0 }, { "gaussian(4) + discrete_laplace(20, 4)", 1e-5 },
        { "approx(0.5, 1e-07) + gaussian(50)", 1e-6 },   { "select_best(1, 0.1, gaussian(20))", 1e-6 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        for (dusk_neighbours n = DUSK_ADD_REMOVE; n <= DUSK_REPLACE_ONE; n++)
            charge(said[i].text, said[i].delta, DUSK_FILTER_BASIC, n);
    for (dusk_filter_kind filter = DUSK_FILTER_ZCDP; filter <= DUSK_FILTER_GDP; filter++) {
        double one = charge(said[0].text, 1e-6, filter, DUSK_ADD_REMOVE).share;
        double two = charge(said[0].text, 1e-6, filter, DUSK_REPLACE_ONE).share;
        assert_true(fabs(two / one - 1) < 1e-6); /* the noise is relative to the relation of each */
    }
}

/* What cannot be halved is charged for more, never for less. */
static void odd_distances(void **state)
{
    dusk_statement statement = say("discrete_laplace(9, 3)", 0, DUSK_REPLACE_ONE);
    folder f = folder_make();
    dusk_ledger *ledger = make(f.file, DUSK_FILTER_BASIC, DUSK_REPLACE_ONE);
    dusk_spending spending;
    uint64_t id;
    (void)state;
    OK(dusk_ledger_reserve_statement(ledger, &id, &statement, "ann", "", 1, &err));
    OK(dusk_ledger_spending(ledger, &spending, NULL, &err));
    assert_true(spending.spent.epsilon >= statement.epsilon);
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

static void refusals(void **state)
{
    folder f = folder_make();
    dusk_ledger *ledger = make(f.file, DUSK_FILTER_BASIC, DUSK_ADD_REMOVE);
    dusk_statement other = say("gaussian(3)", 1e-6, DUSK_REPLACE_ONE),
                   ideal = say("gaussian(3)", 1e-6, DUSK_ADD_REMOVE),
                   dear = say("pure(60)", 0, DUSK_ADD_REMOVE), labels = say("pure(1)", 0, DUSK_ADD_REMOVE);
    dusk_spending spending;
    uint64_t id;
    (void)state;
    ideal.numerics = DUSK_NUMERICS_IDEALISED;
    snprintf(labels.unit, sizeof labels.unit, DUSK_LABEL_OF "a person");
    assert_true(dusk_statement_is_for_labels(&labels) && !dusk_statement_is_for_labels(&dear));
    FAILS(DUSK_ERR_UNSUPPORTED, dusk_ledger_quote_statement(ledger, NULL, &labels, "ann", &err));
    FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_quote_statement(ledger, NULL, &other, "ann", &err));
    FAILS(DUSK_ERR_UNSUPPORTED, dusk_ledger_quote_statement(ledger, NULL, &ideal, "ann", &err));
    FAILS(DUSK_ERR_BUDGET, dusk_ledger_quote_statement(ledger, NULL, &dear, "ann", &err));
    FAILS(DUSK_ERR_UNSUPPORTED, dusk_ledger_reserve_statement(ledger, &id, &labels, "ann", "", 1, &err));
    FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_reserve_statement(ledger, &id, &other, "ann", "", 1, &err));
    FAILS(DUSK_ERR_UNSUPPORTED, dusk_ledger_reserve_statement(ledger, &id, &ideal, "ann", "", 1, &err));
    FAILS(DUSK_ERR_BUDGET, dusk_ledger_reserve_statement(ledger, &id, &dear, "ann", "", 1, &err));
    OK(dusk_ledger_spending(ledger, &spending, NULL, &err));
    assert_int_equal(spending.charges, 0);
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_what_it_says),
        cmocka_unit_test(odd_distances),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
