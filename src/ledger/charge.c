/* SPDX-License-Identifier: Apache-2.0 */
/* Charges: priced first, then checked and added to every limit in one transaction that has locked
 * the file, from what the file says then. The proof is in charge.proof.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "ledger/balance.h"
#include "ledger/digest.h"
#include "ledger/names.h"
#include "ledger/request.h"

dusk_status ledger_request_check(const dusk_charge *charge, dusk_error *err)
{
    dusk_status status = ledger_check_analyst(charge->analyst, err);
    if (status == DUSK_OK)
        status = ledger_check_text(charge->purpose ? charge->purpose : "", "purpose", LEDGER_TEXT_MAX, err);
    if (status == DUSK_OK && charge->fingerprint)
        status = ledger_check_text(charge->fingerprint, "fingerprint", LEDGER_TEXT_MAX, err);
    if (status != DUSK_OK) return status;
    if (!(charge->epsilon >= 0 && isfinite(charge->epsilon)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give the epsilon that was asked for",
                         "the epsilon of a charge must be at least 0 and finite");
    if (charge->version > INT64_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "count from 1",
                         "the version of the data must be below 2^63");
    return DUSK_OK;
}

static dusk_status check_charge(const dusk_ledger *ledger, const dusk_charge *charge, dusk_error *err)
{
    if (!(charge->delta >= 0 && charge->delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a small probability such as 1e-9",
                         "the delta of a charge must be at least 0 and below 1");
    if (charge->delta > 0 && ledger->made_with.filter != DUSK_FILTER_BASIC)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give 0",
                         "only a ledger with a basic filter takes the delta of a charge");
    return ledger_request_check(charge, err);
}

/* ---- Prices, before anything is locked ------------------------------------------------------ */

static dusk_status read_limits(dusk_ledger *ledger, void *context, dusk_error *err)
{
    ledger_request *r = context;
    ledger_balance row;
    dusk_status status = DUSK_OK;
    r->own = NULL;
    r->refused_by = NULL;
    DUSK_TRY(ledger_balance_read(ledger, &row, "", err));
    DUSK_TRY(ledger_filter_get(ledger, &r->total, "", row.limit, err));
    DUSK_TRY(ledger_balance_read(ledger, &row, r->analyst, err));
    if (row.is_there) DUSK_TRY(ledger_filter_get(ledger, &r->own, r->analyst, row.limit, err));
done:
    return status;
}

/* What it costs at the total's delta, for history; +inf when no accountant says. */
static dusk_status epsilon_of(double *out, const dusk_ledger *ledger, const dusk_event *event, double delta,
                              dusk_error *err)
{
    dusk_composition *composition = NULL;
    dusk_account account;
    dusk_error said;
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_composition_new(&composition, ledger->made_with.neighbours, err));
    DUSK_TRY(dusk_composition_add(composition, event, 1, err));
    status = dusk_account_epsilon(&account, composition, delta, DUSK_BEST, &said);
    if (status == DUSK_OK)
        *out = account.approximation ? INFINITY : account.bound.upper;
    else if (status == DUSK_ERR_UNSUPPORTED) {
        *out = INFINITY;
        status = DUSK_OK;
    } else if (err)
        *err = said;
done:
    dusk_composition_free(composition);
    return status;
}

static bool is_same(const dusk_event *a, const dusk_event *b)
{
    return a->opaque[0] == b->opaque[0] && memcmp(a, b, (1 + 6 * a->opaque[0]) * sizeof *a->opaque) == 0;
}

/* The handle remembers the last one. */
static dusk_status cost_of(dusk_budget *out, dusk_ledger *ledger, const ledger_request *r, dusk_error *err)
{
    double delta = r->total->limit.delta;
    if (ledger->made_with.filter == DUSK_FILTER_BASIC) {
        *out = (dusk_budget){ r->price.slot[0], r->price.slot[1] };
        return DUSK_OK;
    }
    if (!ledger->cost_known || ledger->cost.delta != delta || !is_same(&ledger->cost_event, r->event)) {
        double epsilon;
        dusk_status status = epsilon_of(&epsilon, ledger, r->event, delta, err);
        if (status != DUSK_OK) return status;
        ledger->cost_known = true;
        ledger->cost_event = *r->event;
        ledger->cost = (dusk_budget){ epsilon, delta };
    }
    *out = ledger->cost;
    return DUSK_OK;
}

dusk_status ledger_request_price(dusk_ledger *ledger, ledger_request *r, double delta, dusk_error *err)
{
    double same;
    dusk_status status = ledger_read(ledger, read_limits, r, err);
    if (status == DUSK_OK) status = ledger_price(&r->price, &r->at, r->total->filter, r->event, delta, err);
    if (status == DUSK_OK && r->own)
        status = ledger_price(&r->own_price, &same, r->own->filter, r->event, delta, err);
    return status == DUSK_OK ? cost_of(&r->cost, ledger, r, err) : status;
}

/* ---- What fits, by the file -------------------------------------------------------------------- */

/* The sums of the file, into the filters that priced it; `again` when a limit is no longer the
 * one that it was priced for. */
DUSK_PROVEN(ledger_request_load)
dusk_status ledger_request_load(dusk_ledger *ledger, ledger_request *r, dusk_error *err)
{
    ledger_balance total, own;
    dusk_status status = DUSK_OK;
    DUSK_TRY(ledger_balance_read(ledger, &total, "", err));
    DUSK_TRY(ledger_balance_read(ledger, &own, r->analyst, err));
    r->again = !ledger_filter_is_for(r->total, &total) || (r->own != NULL) != own.is_there ||
               (r->own && !ledger_filter_is_for(r->own, &own));
    if (r->again) {
        status = dusk_fail(err, DUSK_ERR_BUSY, "try again", "the limits of the ledger %s keep changing",
                           ledger_shown(ledger->path));
        goto done;
    }
    if (DUSK_MUTATE(LEDGER_MEMORY_TRUSTED, true, total.charges == 0))
        DUSK_TRY(ledger_filter_load(ledger, r->total, &total, err));
    r->charges = total.charges;
    if (r->own) {
        DUSK_TRY(ledger_filter_load(ledger, r->own, &own, err));
        r->own_charges = own.charges;
    }
done:
    return status;
}

dusk_status ledger_request_refuse(ledger_request *r, const ledger_filter *by, dusk_error *err)
{
    r->refused_by = by;
    return dusk_fail(err, DUSK_ERR_BUDGET, "", "the charge does not fit");
}

dusk_status ledger_request_explain(const ledger_request *r, dusk_status status, dusk_error *err)
{
    char limit[64], left[128];
    dusk_text text;
    dusk_budget room;
    const ledger_filter *by = r->refused_by;
    if (status != DUSK_ERR_BUDGET || !by) return status;
    bool whole = by == r->total;
    status = ledger_left(&room, by, NULL, err);
    if (status != DUSK_OK) return status;
    dusk_text_init(&text, limit, sizeof limit);
    dusk_text_number(&text, by->limit.epsilon);
    dusk_text_init(&text, left, sizeof left);
    dusk_text_add(&text, "epsilon ");
    dusk_text_number(&text, room.epsilon);
    if (by->limit.delta > 0) {
        dusk_text_add(&text, ", delta ");
        dusk_text_number(&text, room.delta);
    }
    return dusk_fail(err, DUSK_ERR_BUDGET, "ask for less, or have the limit raised; nothing was spent",
                     "the charge does not fit into %s%s (epsilon %s): at most %s is left",
                     whole ? "the total" : "the limit of ", whole ? "" : by->analyst, limit, left);
}

/* ---- Reserve ---------------------------------------------------------------------------------- */

typedef struct reservation {
    ledger_request request;
    const dusk_charge *charge;
    char event[DUSK_EVENT_TEXT_MAX];
    uint64_t id;
} reservation;

static void write_prices(dusk_text *text, const ledger_request *r)
{
    dusk_price_write(r->total->filter, &r->price, text);
    /* Of the other kinds the prices are the same. */
    if (!r->own || r->own->filter->meter.kind != DUSK_FILTER_RDP) return;
    dusk_text_add(text, ";");
    dusk_price_write(r->own->filter, &r->own_price, text);
}

/* Both, or none: the limit that does not allow it. */
DUSK_PROVEN(first_refusal)
static const ledger_filter *first_refusal(const ledger_request *r)
{
    if (!dusk_filter_fits(r->total->filter, &r->price)) return r->total;
    bool own = r->own && !dusk_filter_fits(r->own->filter, &r->own_price);
    return DUSK_MUTATE(LEDGER_ANALYST_UNLIMITED, own, false) ? r->own : NULL;
}

DUSK_PROVEN(reserve)
static dusk_status reserve(dusk_ledger *ledger, void *context, dusk_error *err)
{
    reservation *v = context;
    ledger_request *r = &v->request;
    char prices[2 * DUSK_FILTER_TEXT_MAX];
    dusk_text text;
    dusk_status status = DUSK_OK;
    DUSK_TRY(ledger_request_load(ledger, r, err));
    const ledger_filter *refusal = first_refusal(r);
    if (refusal) {
        status = ledger_request_refuse(r, refusal, err);
        goto done;
    }
    dusk_text_init(&text, prices, sizeof prices);
    write_prices(&text, r);
    ledger_entry entry = { .kind = DUSK_ENTRY_CHARGED,
                           .subject = r->analyst,
                           .value = v->event,
                           .purpose = v->charge->purpose,
                           .cost = r->cost,
                           .at = r->at,
                           .fingerprint = v->charge->fingerprint,
                           .asked = fabs(v->charge->epsilon),
                           .version = v->charge->version,
                           .price = prices };
    DUSK_TRY(ledger_chain_append(ledger, &entry, err));
    dusk_filter_add(r->total->filter, &r->price);
    DUSK_TRY(ledger_balance_put(ledger, r->total, r->charges + 1, &entry, err));
    if (r->own) {
        dusk_filter_add(r->own->filter, &r->own_price);
        DUSK_TRY(ledger_balance_put(ledger, r->own, r->own_charges + 1, &entry, err));
    }
    v->id = entry.number;
done:
    return status;
}

dusk_status dusk_ledger_reserve(dusk_ledger *ledger, uint64_t *id, const dusk_charge *charge, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    reservation *v = NULL;
    DUSK_NEW(v, 1);
    DUSK_TRY(check_charge(ledger, charge, err));
    DUSK_TRY(dusk_event_format(charge->event, v->event, sizeof v->event, err));
    v->charge = charge;
    v->request = (ledger_request){ .analyst = charge->analyst, .event = charge->event };
    for (int attempt = 0; attempt < LEDGER_ATTEMPTS; attempt++) {
        DUSK_TRY(ledger_request_price(ledger, &v->request, charge->delta, err));
        status = ledger_write(ledger, reserve, v, err);
        if (!v->request.again) break;
    }
    status = ledger_request_explain(&v->request, status, err);
    if (status == DUSK_OK) *id = v->id;
done:
    dusk_deallocate(v);
    return status;
}

static dusk_status quote(dusk_ledger *ledger, void *context, dusk_error *err)
{
    ledger_request *r = context;
    dusk_status status = ledger_request_load(ledger, r, err);
    if (status != DUSK_OK) return status;
    const ledger_filter *refusal = first_refusal(r);
    return refusal ? ledger_request_refuse(r, refusal, err) : DUSK_OK;
}

dusk_status dusk_ledger_quote(dusk_ledger *ledger, dusk_budget *cost, const dusk_charge *charge,
                              dusk_error *err)
{
    dusk_status status = check_charge(ledger, charge, err);
    if (status != DUSK_OK) return status;
    ledger_request r = { .analyst = charge->analyst, .event = charge->event };
    for (int attempt = 0; attempt < LEDGER_ATTEMPTS; attempt++) {
        status = ledger_request_price(ledger, &r, charge->delta, err);
        if (status != DUSK_OK) return status;
        status = ledger_read(ledger, quote, &r, err);
        if (!r.again) break;
    }
    status = ledger_request_explain(&r, status, err);
    if (status == DUSK_OK && cost) *cost = r.cost;
    return status;
}
