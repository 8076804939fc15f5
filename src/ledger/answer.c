/* SPDX-License-Identifier: Apache-2.0 */
/* Stored answers: kept beside their charge, and given again. Whoever has not paid for an answer
 * pays what it cost, to his own limit; the total has it already: looking at an answer twice tells
 * nothing more. The proof is in answer.proof.md. */
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "ledger/digest.h"
#include "ledger/request.h"

void ledger_answer_hash(char out[65], const void *answer, size_t length)
{
    uint8_t hash[LEDGER_HASH];
    ledger_digest digest;
    ledger_digest_begin(&digest, "dusk ledger answer");
    ledger_digest_bytes(&digest, answer, length);
    ledger_digest_end(&digest, hash);
    ledger_digest_hex(out, hash);
}

/* ---- Commit ------------------------------------------------------------------------------------ */

typedef struct commitment {
    uint64_t id;
    const char *answer;
    size_t length;
    char hash[65];
} commitment;

static dusk_status fail_id(dusk_error *err, const char *what)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "give the id that dusk_ledger_reserve gave", "the charge %s",
                     what);
}

/* The charge, which must be one and have no answer. */
static dusk_status find_open(ledger_cursor *cursor, dusk_ledger *ledger, ledger_entry *out, uint64_t id,
                             dusk_error *err)
{
    ledger_cursor answer;
    uint64_t last;
    uint8_t hash[LEDGER_HASH];
    bool row;
    dusk_status status = DUSK_OK;
    DUSK_TRY(ledger_chain_last(ledger, &last, hash, err));
    if (id == 0 || id > last) return fail_id(err, "is not there");
    DUSK_TRY(ledger_chain_find(cursor, ledger, out, id, 0, err));
    if (out->kind != DUSK_ENTRY_CHARGED) return fail_id(err, "is an entry of another kind");
    ledger_cursor_open(&answer, ledger, LEDGER_ANSWER_ONE);
    ledger_bind_whole(&answer, id);
    status = ledger_cursor_step(&answer, &row, err);
    ledger_cursor_close(&answer);
    if (status == DUSK_OK && row) return fail_id(err, "has an answer already");
done:
    return status;
}

static dusk_status commit(dusk_ledger *ledger, void *context, dusk_error *err)
{
    const commitment *c = context;
    ledger_cursor cursor = { 0 }, answer;
    ledger_entry charge;
    dusk_status status = DUSK_OK;
    DUSK_TRY(find_open(&cursor, ledger, &charge, c->id, err));
    ledger_entry entry = { .kind = DUSK_ENTRY_ANSWERED, .value = c->hash, .charge = c->id };
    DUSK_TRY(ledger_chain_append(ledger, &entry, err));
    ledger_cursor_open(&answer, ledger, LEDGER_ANSWER_PUT);
    ledger_bind_whole(&answer, c->id);
    ledger_bind_whole(&answer, entry.number);
    ledger_bind_text(&answer, charge.fingerprint);
    ledger_bind_real(&answer, charge.asked);
    ledger_bind_whole(&answer, charge.version);
    ledger_bind_bytes(&answer, c->answer, c->length);
    status = ledger_cursor_run(&answer, err);
done:
    ledger_cursor_close(&cursor);
    return status;
}

dusk_status dusk_ledger_commit(dusk_ledger *ledger, uint64_t id, const char *answer, size_t length,
                               dusk_error *err)
{
    commitment c = { .id = id, .answer = answer, .length = length };
    if (length > LEDGER_ANSWER_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for less at once",
                         "the answer has more than 2^29 bytes");
    ledger_answer_hash(c.hash, answer, length);
    return ledger_write(ledger, commit, &c, err);
}

/* ---- Recall ------------------------------------------------------------------------------------ */

typedef struct recollection {
    ledger_request request;
    const dusk_charge *wanted;
    uint64_t charge;  /* whose answer it is; 0: there is none */
    bool paid;        /* before */
    bool charged;     /* to his own limit, now */
    dusk_event event; /* of that charge */
    double at;
    dusk_budget cost;
    char *text; /* owned */
    size_t length;
} recollection;

void dusk_ledger_free_text(char *text) { dusk_deallocate(text); }

/* The answer row must say what the charge says, which is hashed. */
static bool is_answer_to(const ledger_cursor *row, const ledger_entry *charge)
{
    const char *fingerprint;
    double asked;
    uint64_t version;
    return ledger_column_text_or_null(row, 1, &fingerprint) && ledger_column_real(row, 2, &asked) &&
           ledger_column_whole(row, 3, &version) && asked == charge->asked && version == charge->version &&
           (fingerprint && charge->fingerprint ? strcmp(fingerprint, charge->fingerprint) == 0
                                               : fingerprint == charge->fingerprint);
}

/* The bytes of an answer row, which must have the hash that its entry says. */
static dusk_status check_answer(const ledger_cursor *row, const ledger_entry *charge, const void **text,
                                size_t *length, dusk_error *err)
{
    dusk_ledger *ledger = row->ledger;
    ledger_cursor cursor = { 0 };
    ledger_entry entry;
    char hash[65];
    uint64_t number;
    dusk_status status = DUSK_OK;
    bool right = ledger_column_whole(row, 0, &number) && is_answer_to(row, charge) &&
                 sqlite3_column_type(row->statement, 4) == SQLITE_BLOB;
    if (right) {
        DUSK_TRY(ledger_chain_find(&cursor, ledger, &entry, number, DUSK_ENTRY_ANSWERED, err));
        *text = sqlite3_column_blob(row->statement, 4);
        *length = (size_t)sqlite3_column_bytes(row->statement, 4);
        ledger_answer_hash(hash, *text, *length);
        right = entry.charge == charge->number && entry.value &&
                DUSK_MUTATE(LEDGER_ANSWER_TRUSTED, strcmp(entry.value, hash) == 0, true);
    }
    if (!right)
        status = ledger_fail_corrupt(ledger, err, "the answer to charge %llu was changed",
                                     (unsigned long long)charge->number);
done:
    ledger_cursor_close(&cursor);
    return status;
}

dusk_status ledger_answer_check(dusk_ledger *ledger, const ledger_entry *charge, char **copy, size_t *length,
                                dusk_error *err)
{
    ledger_cursor cursor;
    const void *text = NULL;
    size_t n = 0;
    bool row;
    dusk_status status = DUSK_OK;
    ledger_cursor_open(&cursor, ledger, LEDGER_ANSWER_ONE);
    ledger_bind_whole(&cursor, charge->number);
    DUSK_TRY(ledger_cursor_step(&cursor, &row, err));
    if (!row) {
        status = ledger_fail_corrupt(ledger, err, "the answer to charge %llu is missing",
                                     (unsigned long long)charge->number);
        goto done;
    }
    DUSK_TRY(check_answer(&cursor, charge, &text, &n, err));
    if (!copy) goto done;
    DUSK_NEW(*copy, n + 1);
    if (n > 0) memcpy(*copy, text, n);
    *length = n;
done:
    ledger_cursor_close(&cursor);
    return status;
}

static dusk_status find_answer(dusk_ledger *ledger, recollection *v, dusk_error *err)
{
    ledger_cursor cursor;
    uint64_t paid = 0;
    bool row;
    v->charge = 0;
    ledger_cursor_open(&cursor, ledger, LEDGER_ANSWER_FIND);
    ledger_bind_text(&cursor, v->wanted->fingerprint);
    ledger_bind_whole(&cursor, v->wanted->version);
    ledger_bind_real(&cursor, v->wanted->epsilon);
    ledger_bind_text(&cursor, v->wanted->analyst);
    dusk_status status = ledger_cursor_step(&cursor, &row, err);
    if (status == DUSK_OK && row &&
        (!ledger_column_whole(&cursor, 0, &v->charge) || !ledger_column_whole(&cursor, 1, &paid)))
        status = ledger_fail_corrupt(ledger, err, "an answer has no charge");
    v->paid = DUSK_MUTATE(LEDGER_RECALL_FREE, paid == 1, true);
    ledger_cursor_close(&cursor);
    return status;
}

/* The answer with its charge, copied; nothing is paid yet. */
static dusk_status look_up(dusk_ledger *ledger, void *context, dusk_error *err)
{
    recollection *v = context;
    ledger_cursor cursor = { 0 };
    ledger_entry charge;
    dusk_status status = DUSK_OK;
    DUSK_TRY(find_answer(ledger, v, err));
    if (v->charge == 0) goto done;
    DUSK_TRY(ledger_chain_find(&cursor, ledger, &charge, v->charge, DUSK_ENTRY_CHARGED, err));
    DUSK_TRY(ledger_entry_event(ledger, &v->event, &charge, err));
    v->at = charge.at;
    v->cost = charge.cost;
    DUSK_TRY(ledger_answer_check(ledger, &charge, &v->text, &v->length, err));
done:
    ledger_cursor_close(&cursor);
    return status;
}

/* By another process of the same analyst, meanwhile. */
static dusk_status is_recalled(dusk_ledger *ledger, const recollection *v, bool *out, dusk_error *err)
{
    ledger_cursor cursor;
    ledger_cursor_open(&cursor, ledger, LEDGER_RECALL_ONE);
    ledger_bind_whole(&cursor, v->charge);
    ledger_bind_text(&cursor, v->wanted->analyst);
    dusk_status status = ledger_cursor_step(&cursor, out, err);
    ledger_cursor_close(&cursor);
    return status;
}

DUSK_PROVEN(pay)
static dusk_status pay(dusk_ledger *ledger, void *context, dusk_error *err)
{
    recollection *v = context;
    ledger_request *r = &v->request;
    char price[DUSK_FILTER_TEXT_MAX];
    dusk_text text;
    ledger_cursor cursor;
    bool recalled;
    dusk_status status = DUSK_OK;
    DUSK_TRY(ledger_request_load(ledger, r, err));
    DUSK_TRY(is_recalled(ledger, v, &recalled, err));
    if (recalled) goto done;
    if (r->own && !dusk_filter_fits(r->own->filter, &r->own_price)) {
        status = ledger_request_refuse(r, r->own, err);
        goto done;
    }
    dusk_text_init(&text, price, sizeof price);
    dusk_price_write(r->own ? r->own->filter : r->total->filter, r->own ? &r->own_price : &r->price, &text);
    ledger_entry entry = { .kind = DUSK_ENTRY_RECALLED,
                           .subject = r->analyst,
                           .value = "",
                           .purpose = v->wanted->purpose,
                           .charge = v->charge,
                           .cost = v->cost,
                           .price = price };
    DUSK_TRY(ledger_chain_append(ledger, &entry, err));
    ledger_cursor_open(&cursor, ledger, LEDGER_RECALL_PUT);
    ledger_bind_whole(&cursor, v->charge);
    ledger_bind_text(&cursor, r->analyst);
    ledger_bind_whole(&cursor, entry.number);
    DUSK_TRY(ledger_cursor_run(&cursor, err));
    if (!r->own) goto done;
    if (DUSK_MUTATE(LEDGER_RECALL_NOT_ADDED, true, false)) dusk_filter_add(r->own->filter, &r->own_price);
    DUSK_TRY(ledger_balance_put(ledger, r->own, r->own_charges + 1, &entry, err));
    v->charged = true;
done:
    return status;
}

dusk_status dusk_ledger_recall(dusk_ledger *ledger, char **answer, size_t *length, bool *charged,
                               const dusk_charge *wanted, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    recollection *v = NULL;
    *answer = NULL;
    if (!wanted->fingerprint) return DUSK_OK; /* is never repeated */
    DUSK_NEW(v, 1);
    DUSK_TRY(ledger_request_check(wanted, err));
    v->wanted = wanted;
    DUSK_TRY(ledger_read(ledger, look_up, v, err));
    v->request = (ledger_request){ .analyst = wanted->analyst, .event = &v->event };
    for (int attempt = 0; attempt < LEDGER_ATTEMPTS && v->charge != 0 && !v->paid; attempt++) {
        DUSK_TRY(ledger_request_price(ledger, &v->request, v->at, err));
        status = ledger_write(ledger, pay, v, err);
        if (!v->request.again) break;
    }
    DUSK_TRY(ledger_request_explain(&v->request, status, err));
    if (v->charge == 0) goto done;
    *answer = v->text;
    *length = v->length;
    if (charged) *charged = v->charged;
    v->text = NULL;
done:
    if (v) dusk_deallocate(v->text);
    dusk_deallocate(v);
    return status;
}
