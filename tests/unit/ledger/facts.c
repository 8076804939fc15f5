/* SPDX-License-Identifier: Apache-2.0 */
/* Facts: declared, declared anew, taken back, in the order of their first declaration. */
#include "ledgers.h"

typedef struct list {
    char text[512];
    int left; /* visits before it fails */
    dusk_ledger *ledger;
} list;

static dusk_status note(void *context, const dusk_fact *fact, dusk_error *err)
{
    list *l = context;
    size_t n = strlen(l->text);
    snprintf(l->text + n, sizeof l->text - n, "%s|%s|%s;", fact->subject, fact->property, fact->value);
    if (l->ledger) return dusk_ledger_declare(l->ledger, "a", "b", "c", err);
    return l->left-- > 0 ? DUSK_OK : DUSK_ERR_CHECK;
}

static void declared(void **state)
{
    (void)state;
    folder f = folder_make();
    list l = { .left = 9 };
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
    dusk_ledger *ledger = ledger_of(f.file);
    OK(dusk_ledger_facts(ledger, note, &l, &err));
    assert_string_equal(l.text, "");
    OK(dusk_ledger_declare(ledger, "t.b", "bounds", "0:1", &err));
    OK(dusk_ledger_declare(ledger, "t.a", "bounds", "", &err));
    OK(dusk_ledger_declare(ledger, "t.a a", "domain", "x\ny", &err));
    OK(dusk_ledger_declare(ledger, "t.b", "bounds", "0:2", &err));
    OK(dusk_ledger_declare(ledger, "t.a", "bounds", NULL, &err));
    dusk_ledger_close(ledger);
    ledger = ledger_of(f.file);
    OK(dusk_ledger_facts(ledger, note, &l, &err));
    assert_string_equal(l.text, "t.b|bounds|0:2;t.a a|domain|x\ny;");
    OK(dusk_ledger_declare(ledger, "t.a", "bounds", "5:6", &err));
    l = (list){ .left = 9 };
    OK(dusk_ledger_facts(ledger, note, &l, &err));
    assert_string_equal(l.text, "t.b|bounds|0:2;t.a|bounds|5:6;t.a a|domain|x\ny;");
    l = (list){ .left = 1 };
    assert_int_equal(dusk_ledger_facts(ledger, note, &l, NULL), DUSK_ERR_CHECK);
    assert_string_equal(l.text, "t.b|bounds|0:2;t.a|bounds|5:6;");
    /* A visitor must not change what it visits. */
    l = (list){ .ledger = ledger };
    FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_facts(ledger, note, &l, &err));
    OK(dusk_ledger_verify(ledger, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

/* All of them or none. */
static void together(void **state)
{
    (void)state;
    folder f = folder_make();
    list l = { .left = 9 };
    uint64_t before, after;
    uint8_t hash[32];
    char large[1100];
    memset(large, 'a', sizeof large);
    large[1024] = '\0';
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
    dusk_ledger *ledger = ledger_of(f.file);
    OK(dusk_ledger_head(ledger, &before, hash, &err));
    const dusk_fact wrong[] = { { NULL, "b", "v" },  { "a", "", "v" },    { "a", NULL, "v" },
                                { "a", "b c", "v" }, { "a\n", "b", "v" }, { "a", "b", "\xff" },
                                { large, "b", "v" }, { "a", large, NULL } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const dusk_fact facts[] = { { "x", "y", "z" }, wrong[i] };
        FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_declare_all(ledger, facts, 2, &err));
    }
    OK(dusk_ledger_declare_all(ledger, NULL, 0, &err));
    OK(dusk_ledger_head(ledger, &after, hash, &err));
    assert_int_equal(before, after);
    const dusk_fact facts[] = { { "x", "y", "z" }, { "", "z", "y" } }; /* "": the whole source */
    OK(dusk_ledger_declare_all(ledger, facts, 2, &err));
    OK(dusk_ledger_facts(ledger, note, &l, &err));
    assert_string_equal(l.text, "x|y|z;|z|y;");
    OK(dusk_ledger_verify(ledger, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

/* A fact that was changed in the file is not believed. */
static void changed(void **state)
{
    (void)state;
    static const char *const changes[] = { "UPDATE entry SET value = '0:9' WHERE number = 2",
                                           "UPDATE fact SET entry = 3 WHERE property = 'bounds'",
                                           "UPDATE fact SET entry = 1 WHERE property = 'bounds'",
                                           "UPDATE fact SET entry = 99 WHERE property = 'bounds'",
                                           "UPDATE fact SET subject = 't.z' WHERE property = 'bounds'" };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        folder f = folder_make();
        list l = { .left = 9 };
        ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
        dusk_ledger *ledger = ledger_of(f.file);
        OK(dusk_ledger_declare(ledger, "t.b", "bounds", "0:1", &err));
        OK(dusk_ledger_declare(ledger, "t.b", "domain", "a,b", &err));
        (void)charge_of(ledger, "alice", "pure(0.1)");
        tamper(f.file, changes[i]);
        FAILS(DUSK_ERR_CORRUPT, dusk_ledger_facts(ledger, note, &l, &err));
        FAILS(DUSK_ERR_CORRUPT, dusk_ledger_verify(ledger, &err));
        dusk_ledger_close(ledger);
        folder_remove(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(declared), cmocka_unit_test(together),
                                        cmocka_unit_test(changed) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
