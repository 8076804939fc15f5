/* SPDX-License-Identifier: Apache-2.0 */
/* Answers: stored once, given again free to who has paid, at its price to others. */
#include <math.h>

#include "ledgers.h"

static uint64_t ask(dusk_ledger *ledger, const char *analyst, const char *fingerprint, double epsilon,
                    uint64_t version, const char *answer)
{
    uint64_t id = 0;
    dusk_event event;
    OK(dusk_event_pure(&event, epsilon, &err));
    dusk_charge charge = { .analyst = analyst,
                           .event = &event,
                           .fingerprint = fingerprint,
                           .epsilon = epsilon,
                           .version = version };
    OK(dusk_ledger_reserve(ledger, &id, &charge, &err));
    if (answer) OK(dusk_ledger_commit(ledger, id, answer, strlen(answer), &err));
    return id;
}

/* What is recalled, NULL for nothing; until the next call. */
static const char *recall(dusk_ledger *ledger, const char *analyst, const char *fingerprint, double epsilon,
                          uint64_t version)
{
    static char kept[64];
    char *answer = (char *)1;
    size_t length = 99;
    dusk_charge wanted = {
        .analyst = analyst, .fingerprint = fingerprint, .epsilon = epsilon, .version = version
    };
    OK(dusk_ledger_recall(ledger, &answer, &length, NULL, &wanted, &err));
    if (!answer) return NULL;
    assert_int_equal(length, strlen(answer));
    snprintf(kept, sizeof kept, "%s", answer);
    dusk_ledger_free_text(answer);
    return kept;
}

static void given_again(void **state)
{
    (void)state;
    folder f = folder_make();
    char *answer = (char *)1;
    size_t length = 99;
    ledger_make(f.file, DUSK_FILTER_BASIC, 2, 0);
    dusk_ledger *ledger = ledger_of(f.file);
    OK(dusk_ledger_grant(ledger, "carl", (dusk_budget){ 0.4, 0 }, &err));
    assert_null(recall(ledger, "alice", "q", 0.25, 1));
    uint64_t id = ask(ledger, "alice", "q", 0.25, 1, NULL);
    assert_null(recall(ledger, "alice", "q", 0.25, 1)); /* charged, but there is no answer yet */
    OK(dusk_ledger_commit(ledger, id, "42", 2, &err));
    dusk_ledger_close(ledger);
    ledger = ledger_of(f.file);
    assert_string_equal(recall(ledger, "alice", "q", 0.25, 1), "42");
    assert_string_equal(recall(ledger, "alice", "q", 0.125, 1), "42");
    assert_null(recall(ledger, "alice", "q", 0.5, 1));
    assert_null(recall(ledger, "alice", "q", 0.25, 2));
    assert_null(recall(ledger, "alice", "p", 0.25, 1));
    assert_int_equal(spending_of(ledger, "alice").charges, 1);
    /* Carl pays once, to his own limit; the total does not. */
    assert_string_equal(recall(ledger, "carl", "q", 0.25, 1), "42");
    assert_string_equal(recall(ledger, "carl", "q", 0.25, 1), "42");
    dusk_spending carl = spending_of(ledger, "carl");
    assert_true(carl.spent.epsilon == 0.25 && carl.charges == 1);
    assert_true(spending_of(ledger, NULL).spent.epsilon == 0.25);
    assert_int_equal(spending_of(ledger, NULL).charges, 1);
    /* What is beyond his limit he is not given. */
    (void)ask(ledger, "alice", "r", 0.25, 1, "17");
    dusk_charge wanted = { .analyst = "carl", .fingerprint = "r", .epsilon = 0.25, .version = 1 };
    FAILS(DUSK_ERR_BUDGET, dusk_ledger_recall(ledger, &answer, &length, NULL, &wanted, &err));
    assert_null(answer);
    assert_int_equal(length, 99);
    assert_true(spending_of(ledger, "carl").spent.epsilon == 0.25);
    /* Bob has no limit, but it is written down. */
    assert_string_equal(recall(ledger, "bob", "r", 0.25, 1), "17");
    assert_true(spending_of(ledger, "bob").spent.epsilon == 0.25);
    assert_true(spending_of(ledger, NULL).spent.epsilon == 0.5);
    OK(dusk_ledger_verify(ledger, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

/* A thousand times the same question: one answer, one charge. */
static void thousand_times(void **state)
{
    (void)state;
    folder f = folder_make();
    uint64_t before, after;
    uint8_t hash[32];
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
    dusk_ledger *ledger = ledger_of(f.file);
    (void)ask(ledger, "alice", "q", 0.25, 1, "42");
    (void)recall(ledger, "bob", "q", 0.25, 1);
    OK(dusk_ledger_head(ledger, &before, hash, &err));
    for (int i = 0; i < 1000; i++) {
        assert_string_equal(recall(ledger, "alice", "q", 0.25, 1), "42");
        assert_string_equal(recall(ledger, "bob", "q", 0.25, 1), "42");
    }
    OK(dusk_ledger_head(ledger, &after, hash, &err));
    assert_int_equal(before, after);
    assert_true(spending_of(ledger, NULL).spent.epsilon == 0.25);
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

/* The best that was paid for; of others, what costs least. */
static void which_one(void **state)
{
    (void)state;
    folder f = folder_make();
    ledger_make(f.file, DUSK_FILTER_BASIC, 10, 0);
    dusk_ledger *ledger = ledger_of(f.file);
    (void)ask(ledger, "alice", "q", 0.5, 1, "half");
    (void)ask(ledger, "alice", "q", 2, 1, "two");
    (void)ask(ledger, "alice", "q", 1, 1, "one");
    (void)ask(ledger, "bob", "q", 1, 1, "bob's one");
    assert_string_equal(recall(ledger, "alice", "q", 0.1, 1), "two");
    assert_string_equal(recall(ledger, "bob", "q", 0.1, 1), "bob's one");
    assert_string_equal(recall(ledger, "carl", "q", 0.6, 1), "one");
    assert_true(spending_of(ledger, "carl").spent.epsilon == 1);
    assert_string_equal(recall(ledger, "carl", "q", 0.1, 1), "one");
    assert_string_equal(recall(ledger, "bob", "q", 1.5, 1), "two");
    assert_true(spending_of(ledger, "bob").spent.epsilon == 3);
    /* Who pays from a limit of his own pays what he asks for, and not more. */
    OK(dusk_ledger_grant(ledger, "dora", (dusk_budget){ 0.7, 0 }, &err));
    assert_null(recall(ledger, "dora", "q", 0.1, 1));
    assert_null(recall(ledger, "dora", "q", 0.7, 1));
    assert_true(spending_of(ledger, "dora").spent.epsilon == 0);
    for (int i = 0; i < 2; i++) {
        dusk_charge wanted = { .analyst = "dora", .fingerprint = "q", .epsilon = 0.5, .version = 1 };
        char *answer;
        size_t length;
        bool charged = i == 1;
        OK(dusk_ledger_recall(ledger, &answer, &length, &charged, &wanted, &err));
        assert_string_equal(answer, "half");
        assert_true(charged == (i == 0)); /* the second time it is his */
        dusk_ledger_free_text(answer);
    }
    assert_string_equal(recall(ledger, "dora", "q", 0.1, 1), "half");
    assert_true(spending_of(ledger, "dora").spent.epsilon == 0.5);
    OK(dusk_ledger_verify(ledger, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

/* With every filter: what another pays is what his own charge would have cost. */
static void at_the_same_price(void **state)
{
    (void)state;
    for (dusk_filter_kind kind = DUSK_FILTER_BASIC; kind <= DUSK_FILTER_GDP; kind++) {
        folder f = folder_make();
        uint64_t id = 0;
        dusk_event event = event_of("gaussian(20)");
        dusk_charge charge = { .analyst = "alice",
                               .event = &event,
                               .delta = kind == DUSK_FILTER_BASIC ? 1e-7 : 0,
                               .fingerprint = "q",
                               .epsilon = 0.3 };
        ledger_make(f.file, kind, 3, 1e-6);
        dusk_ledger *ledger = ledger_of(f.file);
        OK(dusk_ledger_grant(ledger, "alice", (dusk_budget){ 0.8, 1e-6 }, &err));
        OK(dusk_ledger_grant(ledger, "bob", (dusk_budget){ 0.8, 1e-6 }, &err));
        OK(dusk_ledger_reserve(ledger, &id, &charge, &err));
        OK(dusk_ledger_commit(ledger, id, "x", 1, &err));
        charge.analyst = "bob";
        charge.event = NULL;
        char *answer;
        size_t length;
        OK(dusk_ledger_recall(ledger, &answer, &length, NULL, &charge, &err));
        dusk_ledger_free_text(answer);
        dusk_spending a = spending_of(ledger, "alice"), b = spending_of(ledger, "bob");
        assert_true(a.share == b.share && a.share > 0 && a.spent.epsilon == b.spent.epsilon);
        assert_true(a.spent.delta == b.spent.delta && a.left.epsilon == b.left.epsilon);
        OK(dusk_ledger_verify(ledger, &err));
        /* A limit set anew has both in it. */
        OK(dusk_ledger_grant(ledger, "alice", (dusk_budget){ 0.9, 1e-6 }, &err));
        OK(dusk_ledger_grant(ledger, "bob", (dusk_budget){ 0.9, 1e-6 }, &err));
        a = spending_of(ledger, "alice"), b = spending_of(ledger, "bob");
        assert_true(a.share == b.share && a.share > 0 && b.charges == 1);
        OK(dusk_ledger_verify(ledger, &err));
        dusk_ledger_close(ledger);
        folder_remove(&f);
    }
}

static void commit_once(void **state)
{
    (void)state;
    folder f = folder_make();
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
    dusk_ledger *ledger = ledger_of(f.file);
    uint64_t id = ask(ledger, "alice", "q", 0.25, 1, "42");
    const uint64_t wrong[] = { id, 0, 1, id + 1, id + 2, UINT64_MAX };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_commit(ledger, wrong[i], "43", 2, &err));
    FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_commit(ledger, id, "43", (size_t)1 << 30, &err));
    assert_string_equal(recall(ledger, "alice", "q", 0.25, 1), "42");
    /* Any bytes, and none. */
    char *answer;
    size_t length;
    dusk_charge wanted = { .analyst = "alice", .fingerprint = "bytes", .epsilon = 0.125 };
    OK(dusk_ledger_commit(ledger, ask(ledger, "alice", "bytes", 0.125, 0, NULL), "a\0b\xff", 4, &err));
    OK(dusk_ledger_recall(ledger, &answer, &length, NULL, &wanted, &err));
    assert_int_equal(length, 4);
    assert_memory_equal(answer, "a\0b\xff", 5);
    dusk_ledger_free_text(answer);
    OK(dusk_ledger_commit(ledger, ask(ledger, "alice", "none", 0.125, 0, NULL), NULL, 0, &err));
    wanted.fingerprint = "none";
    OK(dusk_ledger_recall(ledger, &answer, &length, NULL, &wanted, &err));
    assert_int_equal(length, 0);
    assert_string_equal(answer, "");
    dusk_ledger_free_text(answer);
    wanted.fingerprint = NULL;
    OK(dusk_ledger_recall(ledger, &answer, &length, NULL, &wanted, &err));
    assert_null(answer);
    wanted.fingerprint = "q", wanted.epsilon = NAN;
    FAILS(DUSK_ERR_ARGUMENT, dusk_ledger_recall(ledger, &answer, &length, NULL, &wanted, &err));
    OK(dusk_ledger_verify(ledger, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

/* An answer, or what it answers, that was changed in the file is not given. */
static void changed_answers(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "UPDATE answer SET text = CAST('43' AS BLOB)",
        "UPDATE answer SET version = 7",
        "UPDATE answer SET fingerprint = 'p'",
        "UPDATE answer SET asked = 0.5",
        "UPDATE answer SET entry = 1",
        "UPDATE entry SET fingerprint = 'p' WHERE number = 2",
        "DELETE FROM entry WHERE number = 3",
        "UPDATE answer SET charge = 1 WHERE fingerprint = 'q'",
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        folder f = folder_make();
        ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
        dusk_ledger *ledger = ledger_of(f.file);
        (void)ask(ledger, "alice", "q", 0.25, 1, "42");
        (void)ask(ledger, "alice", "z", 0.25, 1, "9");
        tamper(f.file, changes[i]);
        static const struct {
            const char *fingerprint;
            double epsilon;
            uint64_t version;
        } requests[] = { { "q", 0.25, 1 }, { "q", 0.25, 7 }, { "p", 0.25, 1 }, { "q", 0.5, 1 } };
        for (size_t j = 0; j < 4; j++) {
            char *answer = NULL;
            size_t length;
            dusk_charge wanted = { .analyst = "alice",
                                   .fingerprint = requests[j].fingerprint,
                                   .epsilon = requests[j].epsilon,
                                   .version = requests[j].version };
            dusk_status status = dusk_ledger_recall(ledger, &answer, &length, NULL, &wanted, NULL);
            assert_true(status == DUSK_ERR_CORRUPT || (status == DUSK_OK && !answer));
        }
        FAILS(DUSK_ERR_CORRUPT, dusk_ledger_verify(ledger, &err));
        dusk_ledger_close(ledger);
        folder_remove(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(given_again), cmocka_unit_test(thousand_times),
                                        cmocka_unit_test(which_one),   cmocka_unit_test(at_the_same_price),
                                        cmocka_unit_test(commit_once), cmocka_unit_test(changed_answers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
