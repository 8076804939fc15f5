/* SPDX-License-Identifier: Apache-2.0 */
/* What is taken for a ledger, and files of format 1, made here by hand as docs/ledger-format.md says. */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>

#include "ledger/store.h"
#include "ledgers.h"

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

/* Whatever else is there is not a ledger, stays as it is, and is not made one. */
static void other_files(void **state)
{
    (void)state;
    folder f = folder_make();
    dusk_ledger *ledger = (dusk_ledger *)1;
    dusk_ledger_options options;
    char link[128];
    struct stat what;
    dusk_ledger_options_init(&options);
    options.neighbours = DUSK_ADD_REMOVE;
    options.budget = (dusk_budget){ 1, 0 };
    FAILS(DUSK_ERR_IO, dusk_ledger_open(&ledger, f.file, &err));
    assert_null(ledger);
    assert_int_equal(stat(f.file, &what), -1); /* opening does not make it */
    FAILS(DUSK_ERR_IO, dusk_ledger_open(&ledger, f.path, &err));
    FAILS(DUSK_ERR_IO, dusk_ledger_open(&ledger, "", &err));
    FAILS(DUSK_ERR_IO, dusk_ledger_create("/nowhere/at/all.dusk", &options, &err));
    FAILS(DUSK_ERR_IO, dusk_ledger_create("", &options, &err));
    FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_create(f.path, &options, &err));
    static const char *const contents[] = { "", "a,b\n1,2\n", "SQLite format 3" };
    for (size_t i = 0; i < 3; i++) {
        write_file(f.file, contents[i], strlen(contents[i]) + (i == 2));
        FAILS(DUSK_ERR_IO, dusk_ledger_open(&ledger, f.file, &err));
        FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_create(f.file, &options, &err));
        assert_int_equal(stat(f.file, &what), 0);
        assert_int_equal(what.st_size, strlen(contents[i]) + (i == 2));
    }
    unlink(f.file);
    tamper(f.file, "CREATE TABLE visits (age)"); /* a database of something else */
    FAILS(DUSK_ERR_IO, dusk_ledger_open(&ledger, f.file, &err));
    unlink(f.file);
    /* A link is no place for a new file, wherever it leads; an old one is found through it. */
    snprintf(link, sizeof link, "%s/link", f.path);
    assert_int_equal(symlink(f.file, link), 0);
    FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_create(link, &options, &err));
    assert_int_equal(stat(f.file, &what), -1);
    OK(dusk_ledger_create(f.file, &options, &err));
    FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_create(link, &options, &err));
    ledger = ledger_of(link);
    (void)charge_of(ledger, "alice", "pure(0.25)");
    dusk_ledger_close(ledger);
    ledger = ledger_of(f.file);
    assert_true(spending_of(ledger, NULL).spent.epsilon == 0.25);
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

/* Options that cannot be leave nothing behind. */
static void bad_options(void **state)
{
    (void)state;
    folder f = folder_make();
    dusk_ledger_options right, wrong;
    struct stat what;
    dusk_ledger_options_init(&right);
    assert_int_equal(right.filter, DUSK_FILTER_BASIC);
    right.neighbours = DUSK_REPLACE_ONE;
    right.budget = (dusk_budget){ 1, 1e-6 };
    for (int i = 0; i < 6; i++) {
        wrong = right;
        if (i == 0) wrong.size--;
        if (i == 1) wrong.filter = 9;
        if (i == 2) wrong.neighbours = 0;
        if (i == 3) wrong.budget.epsilon = -1;
        if (i == 4) wrong.budget.delta = 1;
        if (i == 5) wrong.filter = DUSK_FILTER_RDP, wrong.budget.delta = 0;
        FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_create(f.file, &wrong, &err));
        assert_int_equal(stat(f.file, &what), -1);
    }
    OK(dusk_ledger_create(f.file, &right, &err));
    folder_remove(&f);
}

static void versions(void **state)
{
    (void)state;
    folder f = folder_make();
    dusk_ledger *ledger;
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
    tamper(f.file, "PRAGMA user_version = 3");
    FAILS(DUSK_ERR_UNSUPPORTED, dusk_ledger_open(&ledger, f.file, &err));
    tamper(f.file, "PRAGMA user_version = 0");
    FAILS(DUSK_ERR_CORRUPT, dusk_ledger_open(&ledger, f.file, &err));
    tamper(f.file, "PRAGMA user_version = -1");
    FAILS(DUSK_ERR_CORRUPT, dusk_ledger_open(&ledger, f.file, &err));
    tamper(f.file, "PRAGMA user_version = 1"); /* its tables are not those of format 1 */
    FAILS(DUSK_ERR_CORRUPT, dusk_ledger_open(&ledger, f.file, &err));
    tamper(f.file, "PRAGMA user_version = 2");
    dusk_ledger_close(ledger_of(f.file));
    tamper(f.file, "PRAGMA application_id = 1");
    FAILS(DUSK_ERR_IO, dusk_ledger_open(&ledger, f.file, &err));
    folder_remove(&f);
}

/* ---- Format 1 ---------------------------------------------------------------------------------- */

/* The bytes that are hashed, written once more. */
typedef struct bytes {
    unsigned char data[4096];
    size_t n;
} bytes;

static void put(bytes *b, uint64_t x)
{
    for (int i = 0; i < 8; i++) b->data[b->n++] = (unsigned char)(x >> 8 * i);
}

static void put_real(bytes *b, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    put(b, bits);
}

static void put_text(bytes *b, const char *text)
{
    put(b, text ? strlen(text) : UINT64_MAX);
    if (!text) return;
    memcpy(b->data + b->n, text, strlen(text));
    b->n += strlen(text);
}

typedef struct old_entry {
    uint64_t number, kind, charge;
    const char *subject, *value, *purpose, *fingerprint, *price;
    double epsilon, delta, at;
} old_entry;

static void hash_old(unsigned char hash[32], const old_entry *e, const unsigned char previous[32])
{
    bytes b = { .n = 0 };
    put_text(&b, "dusk ledger entry");
    put(&b, 1);
    put(&b, 32);
    memcpy(b.data + b.n, previous, 32);
    b.n += 32;
    put(&b, e->number);
    put(&b, e->kind);
    put(&b, 1000);
    put_text(&b, e->subject);
    put_text(&b, e->value);
    put_text(&b, e->purpose);
    put(&b, e->charge);
    put_real(&b, e->epsilon);
    put_real(&b, e->delta);
    put_real(&b, e->at);
    put_text(&b, e->fingerprint);
    put_text(&b, e->price);
    crypto_generichash(hash, 32, b.data, b.n, NULL, 0);
}

static void digest_old(unsigned char hash[32], const char *state, uint64_t charges, uint64_t entry,
                       const unsigned char of_entry[32])
{
    bytes b = { .n = 0 };
    put_text(&b, "dusk ledger balance");
    put_text(&b, "");
    put_real(&b, 1);
    put_real(&b, 0);
    put(&b, charges);
    put_text(&b, state);
    put(&b, entry);
    put(&b, 32);
    memcpy(b.data + b.n, of_entry, 32);
    b.n += 32;
    crypto_generichash(hash, 32, b.data, b.n, NULL, 0);
}

static void answer_hash(char hex[65], const char *text)
{
    bytes b = { .n = 0 };
    unsigned char hash[32];
    put_text(&b, "dusk ledger answer");
    put_text(&b, text);
    crypto_generichash(hash, 32, b.data, b.n, NULL, 0);
    sodium_bin2hex(hex, 65, hash, 32);
}

static const char tables_of_1[] =
    "PRAGMA application_id = 1685418859; PRAGMA user_version = 1;"
    "CREATE TABLE answer (charge INTEGER PRIMARY KEY, entry INTEGER NOT NULL, fingerprint TEXT, "
    "text BLOB NOT NULL) STRICT;"
    "CREATE INDEX answer_request ON answer (fingerprint);"
    "CREATE TABLE balance (analyst TEXT PRIMARY KEY NOT NULL, epsilon REAL NOT NULL, delta REAL NOT NULL, "
    "charges INTEGER NOT NULL, state TEXT NOT NULL, entry INTEGER NOT NULL, digest BLOB NOT NULL) "
    "STRICT, WITHOUT ROWID;"
    "CREATE TABLE entry (number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, time INTEGER NOT NULL, "
    "subject TEXT NOT NULL, value TEXT, purpose TEXT NOT NULL, charge INTEGER NOT NULL, "
    "epsilon REAL NOT NULL, delta REAL NOT NULL, at REAL NOT NULL, fingerprint TEXT, "
    "price TEXT NOT NULL, hash BLOB NOT NULL) STRICT;"
    "CREATE TABLE fact (place INTEGER PRIMARY KEY, subject TEXT NOT NULL, property TEXT NOT NULL, "
    "entry INTEGER NOT NULL, UNIQUE (subject, property)) STRICT;"
    "CREATE TABLE recall (charge INTEGER NOT NULL, analyst TEXT NOT NULL, entry INTEGER NOT NULL, "
    "PRIMARY KEY (charge, analyst)) STRICT, WITHOUT ROWID;";

static char *quoted(const char *text) { return sqlite3_mprintf("%Q", text); }

static void make_old(const char *path, unsigned char last[32])
{
    char answer[65], hex[65];
    unsigned char hash[32] = { 0 }, digest[32];
    answer_hash(answer, "42");
    const char *quarter = "3fd0000000000000 0000000000000000", *zero = "0000000000000000 0000000000000000";
    const old_entry entries[] = {
        { 1, 1, 0, "", "filter=basic neighbours=add-remove epsilon=1 delta=0", "", NULL, zero, 1, 0, 0 },
        { 2, 2, 0, "visits.age bounds", "0:120", "", NULL, "", 0, 0, 0 },
        { 3, 4, 0, "alice", "pure(0.25)", "how many", "q", quarter, 0.25, 0, 0 },
        { 4, 5, 3, "", answer, "", NULL, "", 0, 0, 0 },
    };
    unsigned char charged[32];
    tamper(path, tables_of_1);
    for (size_t i = 0; i < 4; i++) {
        const old_entry *e = &entries[i];
        unsigned char previous[32];
        memcpy(previous, hash, 32);
        hash_old(hash, e, previous);
        if (i == 2) memcpy(charged, hash, 32);
        sodium_bin2hex(hex, sizeof hex, hash, 32);
        char *fingerprint = quoted(e->fingerprint);
        char *sql = sqlite3_mprintf(
            "INSERT INTO entry VALUES (%d, %d, 1000, %Q, %Q, %Q, %d, %f, %f, %f, %s, %Q, x'%s')",
            (int)e->number, (int)e->kind, e->subject, e->value, e->purpose, (int)e->charge, e->epsilon,
            e->delta, e->at, fingerprint, e->price, hex);
        tamper(path, sql);
        sqlite3_free(sql);
        sqlite3_free(fingerprint);
    }
    memcpy(last, hash, 32);
    digest_old(digest, quarter, 1, 3, charged);
    sodium_bin2hex(hex, sizeof hex, digest, 32);
    char *sql = sqlite3_mprintf("INSERT INTO balance VALUES ('', 1.0, 0.0, 1, %Q, 3, x'%s');"
                                "INSERT INTO fact VALUES (2, 'visits.age', 'bounds', 2);"
                                "INSERT INTO answer VALUES (3, 4, 'q', CAST('42' AS BLOB))",
                                quarter, hex);
    tamper(path, sql);
    sqlite3_free(sql);
}

static dusk_status see_fact(void *context, const dusk_fact *fact, dusk_error *err)
{
    (void)err;
    assert_string_equal(fact->value, "0:120");
    ++*(int *)context;
    return DUSK_OK;
}

/* Everything that an old file holds is in the new one, under the old hashes; it goes on from there. */
static void from_format_1(void **state)
{
    (void)state;
    folder f = folder_make();
    unsigned char last[32];
    uint8_t hash[32];
    uint64_t number;
    int facts = 0;
    char *answer;
    size_t length;
    make_old(f.file, last);
    for (int i = 0; i < 2; i++) {
        dusk_ledger *ledger = ledger_of(f.file);
        if (i == 0) {
            OK(dusk_ledger_head(ledger, &number, hash, &err));
            assert_int_equal(number, 4);
            assert_memory_equal(hash, last, 32);
        }
        OK(dusk_ledger_verify(ledger, &err));
        OK(dusk_ledger_facts(ledger, see_fact, &facts, &err));
        assert_int_equal(facts, i + 1);
        dusk_spending s = spending_of(ledger, NULL);
        assert_true(s.spent.epsilon == 0.25 + 0.125 * i && s.limit.epsilon == 1);
        dusk_charge wanted = { .analyst = "alice", .fingerprint = "q" };
        OK(dusk_ledger_recall(ledger, &answer, &length, NULL, &wanted, &err));
        assert_string_equal(answer, "42");
        dusk_ledger_free_text(answer);
        if (i == 0) (void)charge_of(ledger, "bob", "pure(0.125)");
        dusk_ledger_close(ledger);
    }
    folder_remove(&f);
}

/* An old file that was changed does not become a new one. */
static void from_a_damaged_one(void **state)
{
    (void)state;
    folder f = folder_make();
    unsigned char last[32];
    dusk_ledger *ledger;
    make_old(f.file, last);
    tamper(f.file, "CREATE TABLE more (x)");
    FAILS(DUSK_ERR_CORRUPT, dusk_ledger_open(&ledger, f.file, &err));
    tamper(f.file, "DROP TABLE more; UPDATE entry SET value = 'pure(0.1)' WHERE number = 3");
    ledger = ledger_of(f.file);
    FAILS(DUSK_ERR_CORRUPT, dusk_ledger_verify(ledger, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

/* Read by others it is read; without the right to write nothing is spent. */
static void without_rights(void **state)
{
    (void)state;
    folder f = folder_make();
    dusk_ledger *ledger = NULL;
    dusk_error said;
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
    assert_int_equal(chmod(f.file, 0400), 0);
    bool root = geteuid() == 0; /* may write anything: be somebody else */
    const uid_t nobody = 65534;
    if (root) {
        assert_int_equal(chown(f.path, nobody, (gid_t)-1) | chown(f.file, nobody, (gid_t)-1), 0);
        assert_int_equal(seteuid(nobody), 0);
    }
    dusk_status status = dusk_ledger_open(&ledger, f.file, &said);
    if (status == DUSK_OK) status = try_charge(ledger, NULL, "alice", "pure(0.1)", &said);
    assert_int_equal(status, DUSK_ERR_IO);
    dusk_ledger_close(ledger);
    assert_int_equal(chmod(f.file, 0600), 0);
    if (root) assert_int_equal(seteuid(0), 0);
    ledger = ledger_of(f.file);
    assert_int_equal(spending_of(ledger, NULL).charges, 0);
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

/* Somebody else holds it. */
static void held_by_others(void **state)
{
    (void)state;
    folder f = folder_make();
    sqlite3 *other = NULL;
    dusk_error said;
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
    dusk_ledger *ledger = ledger_of(f.file);
    ledger_store_patience(ledger, 20);
    assert_int_equal(sqlite3_open(f.file, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(try_charge(ledger, NULL, "alice", "pure(0.1)", &said), DUSK_ERR_BUSY);
    assert_int_equal(spending_of(ledger, NULL).charges, 0); /* reading goes on */
    FAILS(DUSK_ERR_BUSY, dusk_ledger_declare(ledger, "a", "b", "c", &err));
    assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    (void)charge_of(ledger, "alice", "pure(0.1)");
    sqlite3_close(other);
    dusk_ledger_close(ledger);
    dusk_ledger_close(NULL);
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_files),        cmocka_unit_test(bad_options),
        cmocka_unit_test(versions),           cmocka_unit_test(from_format_1),
        cmocka_unit_test(from_a_damaged_one), cmocka_unit_test(without_rights),
        cmocka_unit_test(held_by_others)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
