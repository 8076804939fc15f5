/* SPDX-License-Identifier: Apache-2.0 */
/* Reading all of a ledger: the file as SQLite sees it, the chain from its first entry, and every
 * other table against what the entries say. Totals are added up anew from the prices in the
 * chain, so that the answer does not depend on the machine or on the version that verifies. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "ledger/balance.h"
#include "ledger/request.h"
#include "numeric/rounding.h"

/* A row of `balance`, and what the entries so far add up to. */
typedef struct tally {
    ledger_balance row;
    bool granted; /* has a limit by now */
    dusk_budget limit;
    dusk_slots sums;
    uint64_t charges, entry;
} tally;

typedef struct verification {
    dusk_ledger *ledger;
    bool is_rdp;             /* sums depend on the limit: there are none before it is set */
    uint64_t number, format; /* of the entry before */
    tally *tally;            /* by name; "" is the first */
    size_t count, room;
    uint64_t facts, current, answers, recalls;
} verification;

static dusk_status wrong(const verification *v, const ledger_entry *e, const char *what, dusk_error *err)
{
    return ledger_fail_corrupt(v->ledger, err, "entry %llu %s", (unsigned long long)e->number, what);
}

/* ---- The file ------------------------------------------------------------------------------------ */

static dusk_status check_file(dusk_ledger *ledger, dusk_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool good = false;
    int rc = sqlite3_prepare_v2(ledger->db, "PRAGMA integrity_check(1)", -1, &statement, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        good = text && strcmp(text, "ok") == 0;
    }
    (void)sqlite3_finalize(statement);
    if (rc != SQLITE_ROW) return ledger_fail(ledger, rc, err);
    return good ? DUSK_OK : ledger_fail_corrupt(ledger, err, "its pages do not fit together");
}

static dusk_status count_is(dusk_ledger *ledger, ledger_sql which, uint64_t right, const char *what,
                            dusk_error *err)
{
    ledger_cursor cursor;
    uint64_t count = 0;
    bool row;
    ledger_cursor_open(&cursor, ledger, which);
    dusk_status status = ledger_cursor_step(&cursor, &row, err);
    if (status == DUSK_OK && (!row || !ledger_column_whole(&cursor, 0, &count) || count != right))
        status = ledger_fail_corrupt(ledger, err, "there are %s that no entry speaks of", what);
    ledger_cursor_close(&cursor);
    return status;
}

/* ---- Totals -------------------------------------------------------------------------------------- */

static dusk_status read_tallies(verification *v, dusk_error *err)
{
    ledger_cursor cursor;
    bool row;
    dusk_status status = DUSK_OK;
    ledger_cursor_open(&cursor, v->ledger, LEDGER_BALANCE_ALL);
    DUSK_TRY(ledger_cursor_step(&cursor, &row, err));
    while (row) {
        DUSK_GROW(v->tally, v->room, v->count);
        DUSK_TRY(ledger_balance_row(&cursor, &v->tally[v->count].row, err));
        v->count++;
        DUSK_TRY(ledger_cursor_step(&cursor, &row, err));
    }
    if (v->count == 0 || *v->tally[0].row.analyst)
        status = ledger_fail_corrupt(v->ledger, err, "its total is missing");
done:
    ledger_cursor_close(&cursor);
    return status;
}

static int by_name(const void *name, const void *element)
{
    return strcmp(name, ((const tally *)element)->row.analyst);
}

static tally *tally_of(const verification *v, const char *analyst)
{
    return bsearch(analyst, v->tally, v->count, sizeof *v->tally, by_name);
}

static bool is_same(const dusk_slots *a, const dusk_slots *b)
{
    return a->count == b->count && memcmp(&a->order, &b->order, sizeof a->order) == 0 &&
           memcmp(&a->value, &b->value, sizeof a->value) == 0;
}

/* A limit from now on, with the sums that the entry says. Where sums do not depend on limits they
 * must be those that the entries before add up to. */
static dusk_status check_limit(verification *v, const ledger_entry *e, dusk_error *err)
{
    tally *t = tally_of(v, e->subject);
    dusk_slots sums;
    if (!t) return wrong(v, e, "gives a limit that is not there", err);
    if (!dusk_slots_read(&sums, e->price, v->is_rdp)) return wrong(v, e, "has no sums", err);
    if (t->sums.count == 0) t->sums.count = sums.count; /* nothing before it */
    if (!v->is_rdp && !is_same(&sums, &t->sums))
        return wrong(v, e, "has other sums than the charges before it", err);
    t->sums = sums;
    t->granted = true;
    t->limit = e->cost;
    t->entry = e->number;
    return DUSK_OK;
}

/* Add the price of an entry, its first part or its last. */
static dusk_status add(verification *v, tally *t, const ledger_entry *e, bool own, dusk_error *err)
{
    dusk_slots price;
    t->charges++;
    if (t->granted) t->entry = e->number;
    if (!t->granted && v->is_rdp) return DUSK_OK;
    if (!ledger_entry_slots(&price, e, own)) return wrong(v, e, "has no price", err);
    if (t->sums.count == 0) t->sums.count = price.count;
    if (t->sums.count != price.count) return wrong(v, e, "has a price of another kind", err);
    for (size_t i = 0; i < price.count; i++)
        t->sums.value.slot[i] = dusk_add_up(t->sums.value.slot[i], price.value.slot[i]);
    return DUSK_OK;
}

static dusk_status check_tally(const verification *v, const tally *t, dusk_error *err)
{
    dusk_slots sums;
    const char *whom = *t->row.analyst ? t->row.analyst : "the file";
    if (!t->granted) return ledger_fail_corrupt(v->ledger, err, "no entry gives %s a limit", whom);
    if (t->limit.epsilon != t->row.limit.epsilon || t->limit.delta != t->row.limit.delta)
        return ledger_fail_corrupt(v->ledger, err, "the limit of %s is not what entry %llu says", whom,
                                   (unsigned long long)t->entry);
    bool right = dusk_slots_read(&sums, t->row.state, v->is_rdp) && is_same(&sums, &t->sums) &&
                 t->charges == t->row.charges && t->entry == t->row.entry;
    if (DUSK_MUTATE(LEDGER_TOTAL_TRUSTED, right, true)) return DUSK_OK;
    return ledger_fail_corrupt(v->ledger, err, "the total of %s is not what its charges add up to", whom);
}

/* ---- Entries ------------------------------------------------------------------------------------- */

/* The row of a fact knows its first and its last declaration. */
static dusk_status check_fact(verification *v, const ledger_entry *e, dusk_error *err)
{
    char subject[LEDGER_SUBJECT_MAX + 1];
    const char *blank = strrchr(e->subject, ' ');
    ledger_cursor cursor;
    uint64_t place = 0, entry = 0;
    bool row;
    if (!blank || (size_t)(blank - e->subject) >= sizeof subject) return wrong(v, e, "declares nothing", err);
    memcpy(subject, e->subject, (size_t)(blank - e->subject));
    subject[blank - e->subject] = '\0';
    ledger_cursor_open(&cursor, v->ledger, LEDGER_FACT_ONE);
    ledger_bind_text(&cursor, subject);
    ledger_bind_text(&cursor, blank + 1);
    dusk_status status = ledger_cursor_step(&cursor, &row, err);
    bool right = status == DUSK_OK && row && ledger_column_whole(&cursor, 0, &place) &&
                 ledger_column_whole(&cursor, 1, &entry) && place <= e->number && entry >= e->number;
    ledger_cursor_close(&cursor);
    if (status != DUSK_OK) return status;
    if (!right) return wrong(v, e, "declares a fact that is not there", err);
    if (place == e->number) v->facts++;
    if (entry == e->number) v->current++;
    return DUSK_OK;
}

static dusk_status check_answered(verification *v, const ledger_entry *e, dusk_error *err)
{
    ledger_cursor cursor = { 0 };
    ledger_entry charge;
    dusk_status status = DUSK_OK;
    if (e->charge == 0 || e->charge >= e->number) return wrong(v, e, "answers no charge", err);
    DUSK_TRY(ledger_chain_find(&cursor, v->ledger, &charge, e->charge, DUSK_ENTRY_CHARGED, err));
    DUSK_TRY(ledger_answer_check(v->ledger, &charge, NULL, NULL, err));
    v->answers++;
done:
    ledger_cursor_close(&cursor);
    return status;
}

static dusk_status check_recalled(verification *v, const ledger_entry *e, dusk_error *err)
{
    ledger_cursor cursor = { 0 };
    ledger_entry charge;
    uint64_t entry = 0;
    bool row;
    dusk_status status = DUSK_OK;
    if (e->charge == 0 || e->charge >= e->number) return wrong(v, e, "repeats no charge", err);
    DUSK_TRY(ledger_chain_find(&cursor, v->ledger, &charge, e->charge, DUSK_ENTRY_CHARGED, err));
    bool other = strcmp(charge.subject, e->subject) != 0;
    ledger_cursor_close(&cursor);
    ledger_cursor_open(&cursor, v->ledger, LEDGER_RECALL_ONE);
    ledger_bind_whole(&cursor, e->charge);
    ledger_bind_text(&cursor, e->subject);
    DUSK_TRY(ledger_cursor_step(&cursor, &row, err));
    if (!other || !row || !ledger_column_whole(&cursor, 0, &entry) || entry != e->number) {
        status = wrong(v, e, "repeats what was paid already", err);
        goto done;
    }
    v->recalls++;
    tally *t = tally_of(v, e->subject);
    if (t) status = add(v, t, e, true, err);
done:
    ledger_cursor_close(&cursor);
    return status;
}

static dusk_status check_charged(verification *v, const ledger_entry *e, dusk_error *err)
{
    dusk_event event;
    dusk_status status = ledger_entry_event(v->ledger, &event, e, err);
    if (status == DUSK_OK) status = add(v, &v->tally[0], e, false, err);
    tally *own = *e->subject ? tally_of(v, e->subject) : NULL;
    return status == DUSK_OK && own ? add(v, own, e, true, err) : status;
}

static dusk_status check_entry(void *context, const ledger_entry *e, dusk_error *err)
{
    verification *v = context;
    if (e->number != v->number + 1)
        return ledger_fail_corrupt(v->ledger, err, "entry %llu is missing",
                                   (unsigned long long)v->number + 1);
    if (e->format < v->format || (e->kind == DUSK_ENTRY_CREATED) != (e->number == 1))
        return wrong(v, e, "cannot be where it is", err);
    v->number = e->number;
    v->format = e->format;
    switch (e->kind) {
    case DUSK_ENTRY_CREATED:
    case DUSK_ENTRY_GRANTED: return check_limit(v, e, err);
    case DUSK_ENTRY_DECLARED: return check_fact(v, e, err);
    case DUSK_ENTRY_CHARGED: return check_charged(v, e, err);
    case DUSK_ENTRY_ANSWERED: return check_answered(v, e, err);
    default: return check_recalled(v, e, err);
    }
}

static dusk_status verify(dusk_ledger *ledger, void *context, dusk_error *err)
{
    verification *v = context;
    dusk_status status = DUSK_OK;
    DUSK_TRY(check_file(ledger, err));
    DUSK_TRY(read_tallies(v, err));
    DUSK_TRY(ledger_chain_walk(ledger, 0, check_entry, v, err));
    for (size_t i = 0; i < v->count; i++) DUSK_TRY(check_tally(v, &v->tally[i], err));
    DUSK_TRY(count_is(ledger, LEDGER_FACT_COUNT, v->facts, "facts", err));
    DUSK_TRY(count_is(ledger, LEDGER_FACT_COUNT, v->current, "facts", err));
    DUSK_TRY(count_is(ledger, LEDGER_ANSWER_COUNT, v->answers, "answers", err));
    DUSK_TRY(count_is(ledger, LEDGER_RECALL_COUNT, v->recalls, "repeats", err));
done:
    return status;
}

dusk_status dusk_ledger_verify(dusk_ledger *ledger, dusk_error *err)
{
    verification v = { .ledger = ledger, .is_rdp = ledger->made_with.filter == DUSK_FILTER_RDP };
    dusk_status status = ledger_read(ledger, verify, &v, err);
    dusk_deallocate(v.tally);
    return status;
}
