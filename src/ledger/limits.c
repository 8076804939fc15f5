/* SPDX-License-Identifier: Apache-2.0 */
/* Limits: set, changed, and how far they are spent. A limit that is set makes a filter from what
 * was charged before, so that nothing is given back; one below that refuses all that comes. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "ledger/balance.h"
#include "ledger/names.h"

static const char *of_whom(const char *analyst) { return *analyst ? analyst : "the file"; }

dusk_status ledger_set_limit(dusk_ledger *ledger, const char *analyst, dusk_budget limit, dusk_error *err)
{
    char value[128], state[DUSK_FILTER_TEXT_MAX];
    uint64_t charges;
    ledger_filter *filter;
    dusk_text text;
    dusk_status status = ledger_filter_get(ledger, &filter, analyst, limit, err);
    if (status == DUSK_OK) status = ledger_filter_replay(ledger, filter->filter, analyst, &charges, err);
    if (status != DUSK_OK) return status;
    if (DUSK_MUTATE(LEDGER_GRANT_FORGIVES, false, true)) dusk_filter_clear(filter->filter);
    dusk_text_init(&text, value, sizeof value);
    dusk_text_add(&text, "epsilon=");
    dusk_text_number(&text, limit.epsilon);
    dusk_text_add(&text, " delta=");
    dusk_text_number(&text, limit.delta);
    dusk_text_init(&text, state, sizeof state);
    dusk_filter_write(filter->filter, &text);
    ledger_entry entry = {
        .kind = DUSK_ENTRY_GRANTED, .subject = analyst, .value = value, .cost = limit, .price = state
    };
    status = ledger_chain_append(ledger, &entry, err);
    return status == DUSK_OK ? ledger_balance_put(ledger, filter, charges, &entry, err) : status;
}

typedef struct grant {
    const char *analyst;
    dusk_budget limit;
} grant;

static dusk_status give(dusk_ledger *ledger, void *context, dusk_error *err)
{
    const grant *g = context;
    return ledger_set_limit(ledger, g->analyst, g->limit, err);
}

/* A filter can be made for it: checked before anything is locked. */
static dusk_status set_limit(dusk_ledger *ledger, const char *analyst, dusk_budget limit, dusk_error *err)
{
    grant g = { analyst, { fabs(limit.epsilon), fabs(limit.delta) } }; /* -0 is 0 */
    dusk_filter *filter = NULL;
    dusk_status status =
        dusk_filter_new(&filter, ledger->made_with.filter, limit, ledger->made_with.neighbours, err);
    dusk_filter_free(filter);
    return status == DUSK_OK ? ledger_write(ledger, give, &g, err) : status;
}

dusk_status dusk_ledger_grant(dusk_ledger *ledger, const char *analyst, dusk_budget limit, dusk_error *err)
{
    dusk_status status = ledger_check_analyst(analyst, err);
    return status == DUSK_OK ? set_limit(ledger, analyst, limit, err) : status;
}

dusk_status dusk_ledger_set_total(dusk_ledger *ledger, dusk_budget total, dusk_error *err)
{
    return set_limit(ledger, "", total, err);
}

/* ---- Other orders ----------------------------------------------------------------------------- */

static dusk_status find_stale(dusk_ledger *ledger, void *context, dusk_error *err)
{
    ledger_cursor cursor;
    ledger_balance row, *stale = context;
    bool is_row;
    stale->is_there = false;
    ledger_cursor_open(&cursor, ledger, LEDGER_BALANCE_ALL);
    dusk_status status = ledger_cursor_step(&cursor, &is_row, err);
    while (status == DUSK_OK && is_row && !stale->is_there) {
        ledger_filter *filter;
        bool other_orders = false;
        DUSK_TRY(ledger_balance_row(&cursor, &row, err));
        DUSK_TRY(ledger_filter_get(ledger, &filter, row.analyst, row.limit, err));
        if (!dusk_filter_read(filter->filter, &other_orders, row.state)) {
            status = ledger_fail_corrupt(ledger, err, "the total of %s cannot be read", of_whom(row.analyst));
            goto done;
        }
        if (other_orders) *stale = row;
        DUSK_TRY(ledger_cursor_step(&cursor, &is_row, err));
    }
done:
    ledger_cursor_close(&cursor);
    return status;
}

static dusk_status refresh_one(dusk_ledger *ledger, void *context, dusk_error *err)
{
    ledger_balance *stale = context;
    dusk_status status = find_stale(ledger, stale, err);
    if (status != DUSK_OK || !stale->is_there) return status;
    return ledger_set_limit(ledger, stale->analyst, stale->limit, err);
}

dusk_status ledger_refresh(dusk_ledger *ledger, dusk_error *err)
{
    ledger_balance stale = { 0 };
    dusk_status status =
        ledger->made_with.filter == DUSK_FILTER_RDP ? ledger_read(ledger, find_stale, &stale, err) : DUSK_OK;
    while (status == DUSK_OK && stale.is_there) status = ledger_write(ledger, refresh_one, &stale, err);
    return status;
}

/* ---- Spending ----------------------------------------------------------------------------------- */

typedef struct standing {
    const char *analyst; /* "": the file */
    ledger_filter total; /* copies, owned */
    ledger_filter own;   /* its own sums; without a limit of his own: made like the total */
    bool limited;
    uint64_t charges;
} standing;

static dusk_status copy_filter(ledger_filter *out, const ledger_filter *from, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (!out->filter) DUSK_NEW(out->filter, 1);
    *out->filter = *from->filter;
    out->limit = from->limit;
done:
    return status;
}

static dusk_status load_copy(dusk_ledger *ledger, ledger_filter *out, const ledger_balance *row,
                             dusk_error *err)
{
    ledger_filter *filter;
    dusk_status status = ledger_filter_get(ledger, &filter, row->analyst, row->limit, err);
    if (status == DUSK_OK) status = ledger_filter_load(ledger, filter, row, err);
    return status == DUSK_OK ? copy_filter(out, filter, err) : status;
}

static dusk_status read_standing(dusk_ledger *ledger, void *context, dusk_error *err)
{
    standing *s = context;
    ledger_balance row;
    dusk_status status = DUSK_OK;
    DUSK_TRY(ledger_balance_read(ledger, &row, "", err));
    DUSK_TRY(load_copy(ledger, &s->total, &row, err));
    s->charges = row.charges;
    s->limited = true;
    if (!*s->analyst) goto done;
    DUSK_TRY(ledger_balance_read(ledger, &row, s->analyst, err));
    s->limited = row.is_there;
    s->charges = row.charges;
    if (row.is_there) {
        DUSK_TRY(load_copy(ledger, &s->own, &row, err));
    } else {
        DUSK_TRY(copy_filter(&s->own, &s->total, err));
        DUSK_TRY(ledger_filter_replay(ledger, s->own.filter, s->analyst, &s->charges, err));
    }
done:
    return status;
}

static dusk_status describe(dusk_spending *out, const standing *s, dusk_error *err)
{
    bool whole = !*s->analyst;
    const ledger_filter *of = whole ? &s->total : &s->own;
    const dusk_filter *filter = of->filter;
    dusk_spending spending = { .limit = of->limit, .charges = s->charges, .limited = s->limited };
    dusk_status status = DUSK_OK;
    spending.share = dusk_filter_share_up(filter);
    if (filter->meter.kind == DUSK_FILTER_BASIC) {
        spending.spent = (dusk_budget){ filter->meter.sum.slot[0], filter->meter.sum.slot[1] };
    } else if (s->charges > 0) {
        spending.spent.delta = of->limit.delta;
        status = dusk_filter_epsilon_up(filter, &spending.spent.epsilon, of->limit.delta, err);
    }
    if (status == DUSK_OK)
        status = ledger_left(&spending.left, &s->total, whole || !s->limited ? NULL : &s->own, err);
    if (status == DUSK_OK) *out = spending;
    return status;
}

dusk_status dusk_ledger_spending(dusk_ledger *ledger, dusk_spending *out, const char *analyst,
                                 dusk_error *err)
{
    standing s = { .analyst = analyst ? analyst : "" };
    dusk_status status = analyst ? ledger_check_analyst(analyst, err) : DUSK_OK;
    if (status == DUSK_OK) status = ledger_read(ledger, read_standing, &s, err);
    if (status == DUSK_OK) status = describe(out, &s, err);
    dusk_deallocate(s.total.filter);
    dusk_deallocate(s.own.filter);
    return status;
}

/* ---- Analysts ---------------------------------------------------------------------------------- */

typedef struct names {
    char (*name)[LEDGER_NAME_MAX + 1];
    size_t count, room;
} names;

static dusk_status read_names(dusk_ledger *ledger, void *context, dusk_error *err)
{
    names *list = context;
    ledger_cursor cursor;
    bool row;
    ledger_cursor_open(&cursor, ledger, LEDGER_ANALYSTS);
    dusk_status status = ledger_cursor_step(&cursor, &row, err);
    while (status == DUSK_OK && row) {
        const char *name;
        if (!ledger_column_text(&cursor, 0, &name) || strlen(name) > LEDGER_NAME_MAX) {
            status = ledger_fail_corrupt(ledger, err, "an analyst has no name");
            goto done;
        }
        DUSK_GROW(list->name, list->room, list->count);
        memcpy(list->name[list->count++], name, strlen(name) + 1);
        DUSK_TRY(ledger_cursor_step(&cursor, &row, err));
    }
done:
    ledger_cursor_close(&cursor);
    return status;
}

dusk_status dusk_ledger_analysts(dusk_ledger *ledger, dusk_analyst_visitor *visit, void *context,
                                 dusk_error *err)
{
    names list = { 0 };
    dusk_status status = ledger_read(ledger, read_names, &list, err);
    for (size_t i = 0; i < list.count && status == DUSK_OK; i++) {
        dusk_spending spending;
        status = dusk_ledger_spending(ledger, &spending, list.name[i], err);
        if (status == DUSK_OK) status = visit(context, list.name[i], &spending, err);
    }
    dusk_deallocate(list.name);
    return status;
}
