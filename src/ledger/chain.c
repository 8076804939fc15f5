/* SPDX-License-Identifier: Apache-2.0 */
/* The chain of entries. An entry is checked against its hash, and that against the hash of the
 * entry before it, whenever it is read. */
#include "ledger/chain.h"

#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "ledger/digest.h"

void ledger_entry_hash(uint8_t out[LEDGER_HASH], const ledger_entry *entry,
                       const uint8_t previous[LEDGER_HASH])
{
    ledger_digest digest;
    ledger_digest_begin(&digest, "dusk ledger entry");
    ledger_digest_whole(&digest, entry->format);
    ledger_digest_bytes(&digest, previous, LEDGER_HASH);
    ledger_digest_whole(&digest, entry->number);
    ledger_digest_whole(&digest, entry->kind);
    ledger_digest_whole(&digest, (uint64_t)entry->time);
    ledger_digest_text(&digest, entry->subject);
    ledger_digest_text(&digest, entry->value);
    ledger_digest_text(&digest, entry->purpose);
    ledger_digest_whole(&digest, entry->charge);
    ledger_digest_real(&digest, DUSK_MUTATE(LEDGER_HASH_SKIPS_COST, entry->cost.epsilon, 0.0));
    ledger_digest_real(&digest, entry->cost.delta);
    ledger_digest_real(&digest, entry->at);
    ledger_digest_text(&digest, entry->fingerprint);
    if (entry->format >= 2) {
        ledger_digest_real(&digest, entry->asked);
        ledger_digest_whole(&digest, entry->version);
    }
    ledger_digest_text(&digest, entry->price);
    ledger_digest_end(&digest, out);
}

static bool read_columns(const ledger_cursor *cursor, ledger_entry *e)
{
    return ledger_column_whole(cursor, 0, &e->number) && ledger_column_whole(cursor, 1, &e->format) &&
           ledger_column_whole(cursor, 2, &e->kind) && ledger_column_time(cursor, 3, &e->time) &&
           ledger_column_text(cursor, 4, &e->subject) && ledger_column_text_or_null(cursor, 5, &e->value) &&
           ledger_column_text(cursor, 6, &e->purpose) && ledger_column_whole(cursor, 7, &e->charge) &&
           ledger_column_real(cursor, 8, &e->cost.epsilon) && ledger_column_real(cursor, 9, &e->cost.delta) &&
           ledger_column_real(cursor, 10, &e->at) &&
           ledger_column_text_or_null(cursor, 11, &e->fingerprint) &&
           ledger_column_real(cursor, 12, &e->asked) && ledger_column_whole(cursor, 13, &e->version) &&
           ledger_column_text(cursor, 14, &e->price) && ledger_column_hash(cursor, 15, e->hash);
}

/* Of the entry before; zeros before the first. */
static bool read_previous(const ledger_cursor *cursor, uint64_t number, uint8_t out[LEDGER_HASH])
{
    memset(out, 0, LEDGER_HASH);
    if (number == 1) return sqlite3_column_type(cursor->statement, 16) == SQLITE_NULL;
    return ledger_column_hash(cursor, 16, out);
}

dusk_status ledger_entry_read(const ledger_cursor *cursor, ledger_entry *out, dusk_error *err)
{
    const dusk_ledger *ledger = cursor->ledger;
    uint8_t previous[LEDGER_HASH], hash[LEDGER_HASH];
    if (sqlite3_column_type(cursor->statement, 0) == SQLITE_NULL)
        return ledger_fail_corrupt(ledger, err, "an entry is missing");
    memset(out, 0, sizeof *out);
    if (!read_columns(cursor, out) || out->format < 1 || out->format > LEDGER_FORMAT ||
        out->kind < DUSK_ENTRY_CREATED || out->kind > DUSK_ENTRY_RECALLED)
        return ledger_fail_corrupt(ledger, err, "entry %llu is not one that a ledger has",
                                   (unsigned long long)out->number);
    if (!read_previous(cursor, out->number, previous))
        return ledger_fail_corrupt(ledger, err, "the entry before %llu is missing",
                                   (unsigned long long)out->number);
    ledger_entry_hash(hash, out, previous);
    if (memcmp(hash, out->hash, LEDGER_HASH) != 0)
        return ledger_fail_corrupt(ledger, err, "entry %llu, or the one before, was changed",
                                   (unsigned long long)out->number);
    return DUSK_OK;
}

dusk_status ledger_entry_event(const dusk_ledger *ledger, dusk_event *out, const ledger_entry *entry,
                               dusk_error *err)
{
    dusk_status status = entry->value ? dusk_event_parse(out, entry->value, NULL) : DUSK_ERR_PARSE;
    if (status == DUSK_OK) return DUSK_OK;
    if (status == DUSK_ERR_MEMORY) return dusk_fail_memory(err);
    return ledger_fail_corrupt(ledger, err, "entry %llu has no event", (unsigned long long)entry->number);
}

dusk_status ledger_chain_last(dusk_ledger *ledger, uint64_t *number, uint8_t hash[LEDGER_HASH],
                              dusk_error *err)
{
    ledger_cursor cursor;
    ledger_entry last;
    bool row;
    ledger_cursor_open(&cursor, ledger, LEDGER_ENTRY_LAST);
    dusk_status status = ledger_cursor_step(&cursor, &row, err);
    if (status == DUSK_OK && row) {
        status = ledger_entry_read(&cursor, &last, err);
    } else if (status == DUSK_OK) {
        memset(&last, 0, sizeof last); /* before the first */
    }
    if (status == DUSK_OK) {
        *number = last.number;
        memcpy(hash, last.hash, LEDGER_HASH);
    }
    ledger_cursor_close(&cursor);
    return status;
}

static void bind_entry(ledger_cursor *cursor, const ledger_entry *e)
{
    ledger_bind_whole(cursor, e->number);
    ledger_bind_whole(cursor, e->format);
    ledger_bind_whole(cursor, e->kind);
    ledger_bind_time(cursor, e->time);
    ledger_bind_text(cursor, e->subject);
    ledger_bind_text(cursor, e->value);
    ledger_bind_text(cursor, e->purpose);
    ledger_bind_whole(cursor, e->charge);
    ledger_bind_real(cursor, e->cost.epsilon);
    ledger_bind_real(cursor, e->cost.delta);
    ledger_bind_real(cursor, e->at);
    ledger_bind_text(cursor, e->fingerprint);
    ledger_bind_real(cursor, e->asked);
    ledger_bind_whole(cursor, e->version);
    ledger_bind_text(cursor, e->price);
    ledger_bind_bytes(cursor, e->hash, LEDGER_HASH);
}

dusk_status ledger_chain_append(dusk_ledger *ledger, ledger_entry *entry, dusk_error *err)
{
    uint8_t previous[LEDGER_HASH];
    uint64_t last;
    ledger_cursor cursor;
    dusk_status status = ledger_chain_last(ledger, &last, previous, err);
    if (status != DUSK_OK) return status;
    entry->number = last + 1;
    entry->format = LEDGER_FORMAT;
    entry->time = (int64_t)time(NULL);
    if (!entry->subject) entry->subject = "";
    if (!entry->purpose) entry->purpose = "";
    if (!entry->price) entry->price = "";
    ledger_entry_hash(entry->hash, entry, previous);
    ledger_cursor_open(&cursor, ledger, LEDGER_ENTRY_ADD);
    bind_entry(&cursor, entry);
    return ledger_cursor_run(&cursor, err);
}

dusk_status ledger_chain_find(ledger_cursor *cursor, dusk_ledger *ledger, ledger_entry *out, uint64_t number,
                              dusk_entry_kind kind, dusk_error *err)
{
    bool row;
    ledger_cursor_open(cursor, ledger, LEDGER_ENTRY_ONE);
    ledger_bind_whole(cursor, number);
    dusk_status status = ledger_cursor_step(cursor, &row, err);
    if (status == DUSK_OK && row) status = ledger_entry_read(cursor, out, err);
    if (status == DUSK_OK && (!row || (kind != 0 && out->kind != kind)))
        status = ledger_fail_corrupt(ledger, err, "entry %llu is not what others take it for",
                                     (unsigned long long)number);
    return status;
}

dusk_status ledger_chain_walk(dusk_ledger *ledger, uint64_t first, ledger_entry_visitor *visit, void *context,
                              dusk_error *err)
{
    ledger_cursor cursor;
    bool row;
    ledger_cursor_open(&cursor, ledger, LEDGER_ENTRY_WALK);
    ledger_bind_whole(&cursor, first);
    dusk_status status = ledger_cursor_step(&cursor, &row, err);
    while (status == DUSK_OK && row) {
        ledger_entry entry;
        status = ledger_entry_read(&cursor, &entry, err);
        if (status == DUSK_OK) status = visit(context, &entry, err);
        if (status == DUSK_OK) status = ledger_cursor_step(&cursor, &row, err);
    }
    ledger_cursor_close(&cursor);
    return status;
}
