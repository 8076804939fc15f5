/* SPDX-License-Identifier: Apache-2.0 */
/* Changes behind the ledger's back: each is found, and by what it says. */
#include "ledger/balance.h"
#include "ledgers.h"

/* A ledger with every kind of entry. */
static void make_rich(const char *path, dusk_filter_kind kind)
{
    uint64_t id = 0;
    ledger_make(path, kind, 3, 1e-6);
    dusk_ledger *ledger = ledger_of(path);
    OK(dusk_ledger_declare(ledger, "visits.age", "bounds", "0:120", &err));
    OK(dusk_ledger_declare(ledger, "visits.fee", "bounds", "0:9", &err));
    OK(dusk_ledger_declare(ledger, "visits.age", "bounds", "0:99", &err));
    OK(dusk_ledger_declare(ledger, "visits.fee", "bounds", NULL, &err));
    (void)charge_of(ledger, "alice", "pure(0.01)");
    OK(dusk_ledger_grant(ledger, "alice", (dusk_budget){ 1, 1e-7 }, &err));
    OK(dusk_ledger_grant(ledger, "bob", (dusk_budget){ 2, 1e-7 }, &err));
    dusk_event event = event_of("pure(0.02)");
    dusk_charge charge = { .analyst = "alice",
                           .event = &event,
                           .purpose = "why",
                           .fingerprint = "q",
                           .epsilon = 0.02,
                           .version = 4 };
    OK(dusk_ledger_reserve(ledger, &id, &charge, &err));
    OK(dusk_ledger_commit(ledger, id, "42", 2, &err));
    charge.analyst = "bob";
    char *answer;
    size_t length;
    OK(dusk_ledger_recall(ledger, &answer, &length, NULL, &charge, &err));
    dusk_ledger_free_text(answer);
    charge.analyst = "eve";
    OK(dusk_ledger_recall(ledger, &answer, &length, NULL, &charge, &err));
    dusk_ledger_free_text(answer);
    (void)charge_of(ledger, "bob", "pure(0.03)");
    OK(dusk_ledger_set_total(ledger, (dusk_budget){ 4, 1e-6 }, &err));
    (void)charge_of(ledger, "eve", "pure(0.04)");
    OK(dusk_ledger_verify(ledger, &err));
    dusk_ledger_close(ledger);
}

static const char *const changes[] = {
    "UPDATE entry SET time = time + 1 WHERE number = 4",
    "UPDATE entry SET kind = 3 WHERE number = 2",
    "UPDATE entry SET kind = 9 WHERE number = 2",
    "UPDATE entry SET format = 1 WHERE number = 6",
    "UPDATE entry SET subject = 'bob' WHERE number = 6",
    "UPDATE entry SET value = '0:1' WHERE number = 4",
    "UPDATE entry SET value = NULL WHERE number = 4",
    "UPDATE entry SET value = '' WHERE number = 5",
    "UPDATE entry SET value = 'pure(0.001)' WHERE number = 6",
    "UPDATE entry SET purpose = 'because' WHERE number = 9",
    "UPDATE entry SET charge = 6 WHERE number = 10",
    "UPDATE entry SET epsilon = epsilon / 2 WHERE number = 9",
    "UPDATE entry SET delta = 1e-9 WHERE number = 9",
    "UPDATE entry SET at = 1e-9 WHERE number = 9",
    "UPDATE entry SET fingerprint = NULL WHERE number = 9",
    "UPDATE entry SET asked = 0.03 WHERE number = 9",
    "UPDATE entry SET version = 5 WHERE number = 9",
    "UPDATE entry SET price = replace(price, '3', '2') WHERE number = 9",
    "UPDATE entry SET hash = zeroblob(32) WHERE number = 5",
    "UPDATE entry SET hash = zeroblob(31) WHERE number = 15",
    "UPDATE entry SET epsilon = 9.0 WHERE number = 1",
    "UPDATE entry SET epsilon = 9.0 WHERE number = 14",
    "DELETE FROM entry WHERE number = 1",
    "DELETE FROM entry WHERE number = 6",
    "DELETE FROM entry WHERE number = 15",
    "DELETE FROM entry WHERE number > 12",
    "DELETE FROM entry",
    "UPDATE entry SET number = 16 WHERE number = 15",
    "UPDATE entry SET number = 100 WHERE number = 6; UPDATE entry SET number = 6 WHERE number = 7; "
    "UPDATE entry SET number = 7 WHERE number = 100",
    "INSERT INTO entry SELECT 16, format, kind, time, subject, value, purpose, charge, epsilon, delta, at, "
    "fingerprint, asked, version, price, hash FROM entry WHERE number = 15",
    "DELETE FROM balance WHERE analyst = ''",
    "DELETE FROM balance WHERE analyst = 'alice'",
    "UPDATE balance SET epsilon = 100.0 WHERE analyst = ''",
    "UPDATE balance SET delta = 0.5 WHERE analyst = 'alice'",
    "UPDATE balance SET charges = 0 WHERE analyst = 'bob'",
    "UPDATE balance SET entry = 15 WHERE analyst = 'alice'",
    "UPDATE balance SET entry = 400 WHERE analyst = 'alice'",
    "UPDATE balance SET state = replace(state, '3', '2') WHERE analyst = ''",
    "UPDATE balance SET state = '' WHERE analyst = ''",
    "UPDATE balance SET digest = zeroblob(32) WHERE analyst = 'bob'",
    "UPDATE balance SET analyst = 'mia' WHERE analyst = 'bob'",
    "INSERT INTO balance SELECT 'mia', epsilon, delta, charges, state, entry, digest FROM balance LIMIT 1",
    "DELETE FROM fact WHERE subject = 'visits.age'",
    "UPDATE fact SET entry = 2 WHERE subject = 'visits.age'",
    "UPDATE fact SET entry = 5 WHERE subject = 'visits.age'",
    "UPDATE fact SET place = 9 WHERE subject = 'visits.age'",
    "UPDATE fact SET property = 'domain' WHERE subject = 'visits.age'",
    "INSERT INTO fact VALUES (99, 'visits.zip', 'bounds', 4)",
    "DELETE FROM answer",
    "UPDATE answer SET text = zeroblob(2)",
    "INSERT INTO answer SELECT 6, entry, fingerprint, asked, version, text FROM answer",
    "DELETE FROM recall WHERE analyst = 'bob'",
    "UPDATE recall SET analyst = 'zoe' WHERE analyst = 'eve'",
    "INSERT INTO recall VALUES (6, 'zoe', 11)",
    "CREATE TABLE more (x)",
    "DROP INDEX answer_request",
    "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
    "CREATE VIEW v AS SELECT 1",
    "ALTER TABLE entry ADD COLUMN more TEXT",
};

static void changes_are_found(void **state)
{
    (void)state;
    for (dusk_filter_kind kind = DUSK_FILTER_BASIC; kind <= DUSK_FILTER_RDP; kind += 2)
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
            folder f = folder_make();
            dusk_ledger *ledger = NULL;
            dusk_error err = { .message = "" };
            make_rich(f.file, kind);
            tamper(f.file, changes[i]);
            dusk_status status = dusk_ledger_open(&ledger, f.file, &err);
            if (status == DUSK_OK) status = dusk_ledger_verify(ledger, &err);
            if (status != DUSK_ERR_CORRUPT || err.status != status || !strstr(err.message, "damaged"))
                fail_msg("%s: %d %s", changes[i], status, err.message);
            dusk_ledger_close(ledger);
            folder_remove(&f);
        }
}

/* A total that was written as the ledger would, but too low. */
static dusk_status put_lower(dusk_ledger *ledger, void *context, dusk_error *err)
{
    ledger_balance row;
    ledger_filter *filter;
    ledger_cursor cursor = { 0 };
    ledger_entry entry;
    (void)context;
    dusk_status status = ledger_balance_read(ledger, &row, "", err);
    if (status == DUSK_OK) status = ledger_filter_get(ledger, &filter, "", row.limit, err);
    if (status == DUSK_OK) status = ledger_chain_find(&cursor, ledger, &entry, row.entry, 0, err);
    if (status == DUSK_OK) {
        dusk_filter_clear(filter->filter);
        status = ledger_balance_put(ledger, filter, row.charges, &entry, err);
    }
    ledger_cursor_close(&cursor);
    return status;
}

static void totals_are_added_up(void **state)
{
    (void)state;
    for (dusk_filter_kind kind = DUSK_FILTER_BASIC; kind <= DUSK_FILTER_GDP; kind++) {
        folder f = folder_make();
        make_rich(f.file, kind);
        dusk_ledger *ledger = ledger_of(f.file);
        OK(ledger_write(ledger, put_lower, NULL, &err));
        dusk_ledger_close(ledger);
        ledger = ledger_of(f.file);
        FAILS(DUSK_ERR_CORRUPT, dusk_ledger_verify(ledger, &err));
        dusk_ledger_close(ledger);
        folder_remove(&f);
    }
}

/* A chain that was cut and goes on consistently has another head. */
static void heads_differ(void **state)
{
    (void)state;
    folder f = folder_make();
    uint64_t number;
    uint8_t heads[3][32];
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
    for (int i = 0; i < 3; i++) {
        dusk_ledger *ledger = ledger_of(f.file);
        (void)charge_of(ledger, "alice", i == 1 ? "pure(0.1)" : "pure(0.2)");
        OK(dusk_ledger_head(ledger, &number, heads[i], &err));
        assert_int_equal(number, i + 2);
        for (int j = 0; j < i; j++) assert_memory_not_equal(heads[i], heads[j], 32);
        dusk_ledger_close(ledger);
    }
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(changes_are_found),
                                        cmocka_unit_test(totals_are_added_up),
                                        cmocka_unit_test(heads_differ) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
