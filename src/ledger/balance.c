/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of `balance` and the filters made from them. */
#include "ledger/balance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "ledger/digest.h"

/* Ties a row to the entry that changed it: the row cannot be changed alone. */
static void digest_row(uint8_t out[LEDGER_HASH], const ledger_balance *row, const uint8_t hash[LEDGER_HASH])
{
    ledger_digest digest;
    ledger_digest_begin(&digest, "dusk ledger balance");
    ledger_digest_text(&digest, row->analyst);
    ledger_digest_real(&digest, row->limit.epsilon);
    ledger_digest_real(&digest, row->limit.delta);
    ledger_digest_whole(&digest, row->charges);
    ledger_digest_text(&digest, row->state);
    ledger_digest_whole(&digest, row->entry);
    ledger_digest_bytes(&digest, hash, LEDGER_HASH);
    ledger_digest_end(&digest, out);
}

/* A text that fits into room for it. */
static bool column_into(const ledger_cursor *cursor, int column, char *out, size_t room)
{
    const char *text;
    if (!ledger_column_text(cursor, column, &text) || strlen(text) >= room) return false;
    memcpy(out, text, strlen(text) + 1);
    return true;
}

dusk_status ledger_balance_row(const ledger_cursor *cursor, ledger_balance *out, dusk_error *err)
{
    uint8_t digest[LEDGER_HASH], hash[LEDGER_HASH], right[LEDGER_HASH];
    ledger_balance row = { .is_there = true };
    if (!column_into(cursor, 0, row.analyst, sizeof row.analyst) ||
        !ledger_column_real(cursor, 1, &row.limit.epsilon) ||
        !ledger_column_real(cursor, 2, &row.limit.delta) || !ledger_column_whole(cursor, 3, &row.charges) ||
        !column_into(cursor, 4, row.state, sizeof row.state) || !ledger_column_whole(cursor, 5, &row.entry) ||
        !ledger_column_hash(cursor, 6, digest) || !ledger_column_hash(cursor, 7, hash))
        return ledger_fail_corrupt(cursor->ledger, err, "a total is not one that a ledger has");
    digest_row(right, &row, hash);
    if (memcmp(digest, right, LEDGER_HASH) != 0)
        return ledger_fail_corrupt(cursor->ledger, err, "the total of %s was changed",
                                   *row.analyst ? row.analyst : "the file");
    *out = row;
    return DUSK_OK;
}

dusk_status ledger_balance_read(dusk_ledger *ledger, ledger_balance *out, const char *analyst,
                                dusk_error *err)
{
    ledger_cursor cursor;
    bool row;
    out->is_there = false;
    ledger_cursor_open(&cursor, ledger, LEDGER_BALANCE_ONE);
    ledger_bind_text(&cursor, analyst);
    dusk_status status = ledger_cursor_step(&cursor, &row, err);
    if (status == DUSK_OK && row) status = ledger_balance_row(&cursor, out, err);
    if (status == DUSK_OK && !row && !*analyst)
        status = ledger_fail_corrupt(ledger, err, "its total is missing");
    ledger_cursor_close(&cursor);
    return status;
}

dusk_status ledger_balance_put(dusk_ledger *ledger, const ledger_filter *filter, uint64_t charges,
                               const ledger_entry *entry, dusk_error *err)
{
    uint8_t digest[LEDGER_HASH];
    ledger_cursor cursor;
    dusk_text state;
    ledger_balance row = { .limit = filter->limit, .charges = charges, .entry = entry->number };
    memcpy(row.analyst, filter->analyst, sizeof row.analyst);
    dusk_text_init(&state, row.state, sizeof row.state);
    dusk_filter_write(filter->filter, &state);
    digest_row(digest, &row, entry->hash);
    ledger_cursor_open(&cursor, ledger, LEDGER_BALANCE_PUT);
    ledger_bind_text(&cursor, row.analyst);
    ledger_bind_real(&cursor, row.limit.epsilon);
    ledger_bind_real(&cursor, row.limit.delta);
    ledger_bind_whole(&cursor, row.charges);
    ledger_bind_text(&cursor, row.state);
    ledger_bind_whole(&cursor, row.entry);
    ledger_bind_bytes(&cursor, digest, sizeof digest);
    return ledger_cursor_run(&cursor, err);
}

/* ---- Filters -------------------------------------------------------------------------------- */

static bool is_same(dusk_budget a, dusk_budget b) { return a.epsilon == b.epsilon && a.delta == b.delta; }

bool ledger_filter_is_for(const ledger_filter *filter, const ledger_balance *row)
{
    return row->is_there && strcmp(filter->analyst, row->analyst) == 0 && is_same(filter->limit, row->limit);
}

static ledger_filter *place_for(dusk_ledger *ledger, const char *analyst)
{
    if (!*analyst) return &ledger->total;
    for (size_t i = 0; i < LEDGER_FILTERS; i++)
        if (strcmp(ledger->own[i].analyst, analyst) == 0) return &ledger->own[i];
    return &ledger->own[ledger->next_own++ % LEDGER_FILTERS];
}

dusk_status ledger_filter_get(dusk_ledger *ledger, ledger_filter **out, const char *analyst,
                              dusk_budget limit, dusk_error *err)
{
    ledger_filter *kept = place_for(ledger, analyst);
    dusk_filter *filter = NULL;
    if (!kept->filter || strcmp(kept->analyst, analyst) != 0 || !is_same(kept->limit, limit)) {
        dusk_status status =
            dusk_filter_new(&filter, ledger->made_with.filter, limit, ledger->made_with.neighbours, err);
        if (status != DUSK_OK) return status;
        dusk_filter_free(kept->filter);
        *kept = (ledger_filter){ .limit = limit, .filter = filter };
        snprintf(kept->analyst, sizeof kept->analyst, "%s", analyst);
    }
    *out = kept;
    return DUSK_OK;
}

dusk_status ledger_filter_load(dusk_ledger *ledger, ledger_filter *filter, const ledger_balance *row,
                               dusk_error *err)
{
    bool other_orders;
    if (!dusk_filter_read(filter->filter, &other_orders, row->state))
        return ledger_fail_corrupt(ledger, err, "the total of %s cannot be read",
                                   *row->analyst ? row->analyst : "the file");
    if (other_orders)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "open it again",
                         "a program with another mathematical library has used the ledger %s meanwhile",
                         ledger_shown(ledger->path));
    return DUSK_OK;
}

/* ---- Prices --------------------------------------------------------------------------------- */

dusk_status ledger_price(dusk_price *out, double *at, dusk_filter *filter, const dusk_event *event,
                         double delta, dusk_error *err)
{
    dusk_error said;
    dusk_status status = dusk_filter_price(filter, out, event, 0, &said);
    *at = 0;
    if (status == DUSK_ERR_UNSUPPORTED && delta > 0) {
        *at = delta;
        return dusk_filter_price(filter, out, event, delta, err);
    }
    if (status != DUSK_OK && err) *err = said;
    return status;
}

bool ledger_entry_slots(dusk_slots *out, const ledger_entry *entry, bool own)
{
    char text[DUSK_FILTER_TEXT_MAX];
    const char *from = entry->price, *end = strchr(from, ';');
    if (end && own) from = end + 1, end = NULL;
    size_t length = end ? (size_t)(end - from) : strlen(from);
    if (length >= sizeof text) return false;
    memcpy(text, from, length);
    text[length] = '\0';
    return dusk_slots_read(out, text, false);
}

/* The price of an earlier entry at the orders of this filter. One that has none there is more
 * than any limit. */
static dusk_status price_again(dusk_ledger *ledger, dusk_price *out, dusk_filter *filter,
                               const ledger_entry *entry, dusk_error *err)
{
    ledger_cursor cursor = { 0 };
    ledger_entry charge = *entry;
    dusk_slots slots;
    dusk_event event;
    dusk_error said;
    dusk_status status = DUSK_OK;
    if (filter->meter.kind != DUSK_FILTER_RDP) {
        if (!ledger_entry_slots(&slots, entry, false) || slots.count != filter->meter.slots)
            return ledger_fail_corrupt(ledger, err, "entry %llu has no price",
                                       (unsigned long long)entry->number);
        *out = slots.value;
        return DUSK_OK;
    }
    if (entry->kind == DUSK_ENTRY_RECALLED)
        DUSK_TRY(ledger_chain_find(&cursor, ledger, &charge, entry->charge, DUSK_ENTRY_CHARGED, err));
    DUSK_TRY(ledger_entry_event(ledger, &event, &charge, err));
    status = dusk_filter_price(filter, out, &event, 0, &said);
    if (status == DUSK_ERR_UNSUPPORTED) {
        for (size_t i = 0; i < DUSK_METER_ORDERS; i++) out->slot[i] = INFINITY;
        status = DUSK_OK;
    }
    if (status != DUSK_OK && err) *err = said;
done:
    ledger_cursor_close(&cursor);
    return status;
}

dusk_status ledger_filter_replay(dusk_ledger *ledger, dusk_filter *filter, const char *analyst,
                                 uint64_t *charges, dusk_error *err)
{
    ledger_cursor cursor;
    ledger_entry entry;
    dusk_price price;
    bool row;
    dusk_filter_clear(filter);
    *charges = 0;
    ledger_cursor_open(&cursor, ledger, LEDGER_ENTRY_SPENT);
    ledger_bind_text(&cursor, analyst);
    dusk_status status = ledger_cursor_step(&cursor, &row, err);
    while (status == DUSK_OK && row) {
        status = ledger_entry_read(&cursor, &entry, err);
        if (status == DUSK_OK) status = price_again(ledger, &price, filter, &entry, err);
        if (status != DUSK_OK) break;
        dusk_filter_add(filter, &price);
        ++*charges;
        status = ledger_cursor_step(&cursor, &row, err);
    }
    ledger_cursor_close(&cursor);
    return status;
}
