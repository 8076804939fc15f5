/* SPDX-License-Identifier: Apache-2.0 */
/* Statements as charges: what may be charged at all, and as what. */
#include "accounting/account.h"
#include "base/error.h"
#include "base/mutant.h"
#include "dusk/ledger.h"

/* Or what is wrong with it; `event` has to last as long as the charge. */
static dusk_status as_charge(dusk_charge *out, dusk_event *event, const dusk_ledger *ledger,
                             const dusk_statement *statement, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_ledger_options made;

    dusk_ledger_made_with(ledger, &made);
    if (statement->numerics == DUSK_NUMERICS_IDEALISED)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "choose one whose promise is exact",
                         "the promise holds in ideal arithmetic only, and cannot be charged to a ledger");
    if (DUSK_MUTATE(STATEMENT_OF_LABELS_CHARGED, dusk_statement_is_for_labels(statement), false))
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "choose a learner that takes all columns for private",
                         "the promise is for labels alone, and a ledger's is for all of a unit's data");
    if (DUSK_MUTATE(STATEMENT_ANY_RELATION, made.neighbours != statement->neighbours, false))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "prepare it for the relation of the ledger",
                         "what is to be charged is for %s, and the ledger for %s",
                         dusk_neighbours_name(statement->neighbours), dusk_neighbours_name(made.neighbours));
    DUSK_TRY(dusk_statement_as_charged(statement, event, err));
    *out = (dusk_charge){ .event = event,
                          .delta = made.filter == DUSK_FILTER_BASIC ? statement->delta : 0,
                          .epsilon = statement->epsilon };
done:
    return status;
}

dusk_status dusk_ledger_reserve_statement(dusk_ledger *ledger, uint64_t *id, const dusk_statement *statement,
                                          const char *analyst, const char *purpose, uint64_t version,
                                          dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_charge charge;
    dusk_event event;
    DUSK_TRY(as_charge(&charge, &event, ledger, statement, err));
    charge.analyst = analyst;
    charge.purpose = purpose;
    charge.version = version;
    DUSK_TRY(dusk_ledger_reserve(ledger, id, &charge, err));
done:
    return status;
}

dusk_status dusk_ledger_quote_statement(dusk_ledger *ledger, dusk_budget *cost,
                                        const dusk_statement *statement, const char *analyst, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_charge charge;
    dusk_event event;
    DUSK_TRY(as_charge(&charge, &event, ledger, statement, err));
    charge.analyst = analyst;
    DUSK_TRY(dusk_ledger_quote(ledger, cost, &charge, err));
done:
    return status;
}
