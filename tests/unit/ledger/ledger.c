/* SPDX-License-Identifier: Apache-2.0 */
/* Making and opening ledgers, their first entries, head and history. */
#include "ledger/balance.h"
#include "ledgers.h"

static void made_and_opened(void **state)
{
    (void)state;
    folder f = folder_make();
    struct stat what;
    dusk_ledger_options options;
    for (dusk_filter_kind kind = DUSK_FILTER_BASIC; kind <= DUSK_FILTER_GDP; kind++) {
        ledger_make(f.file, kind, 1.5, 1e-6);
        assert_int_equal(stat(f.file, &what), 0);
        assert_int_equal(what.st_mode & 07777, 0600);
        dusk_ledger *ledger = ledger_of(f.file);
        dusk_ledger_made_with(ledger, &options);
        assert_int_equal(options.size, sizeof options);
        assert_int_equal(options.filter, kind);
        assert_int_equal(options.neighbours, DUSK_ADD_REMOVE);
        assert_true(options.budget.epsilon == 1.5 && options.budget.delta == 1e-6);
        dusk_ledger_close(ledger);
        assert_int_equal(unlink(f.file), 0);
    }
    folder_remove(&f);
}

typedef struct seen {
    char text[2048];
    uint64_t next;
    int left; /* visits before it fails */
    uint8_t last[32];
} seen;

static dusk_status see(void *context, const dusk_entry *e, dusk_error *err)
{
    seen *s = context;
    size_t n = strlen(s->text);
    (void)err;
    assert_int_equal(e->number, s->next++);
    assert_true(e->time > 1600000000);
    bool answered = e->kind == DUSK_ENTRY_ANSWERED;
    if (answered) assert_int_equal(strlen(e->value), 64);
    snprintf(s->text + n, sizeof s->text - n, "%d|%s|%s|%s|%d|%g|%g\n", (int)e->kind, e->subject,
             !e->value  ? "(none)"
             : answered ? "hash"
                        : e->value,
             e->purpose, (int)e->charge, e->cost.epsilon, e->cost.delta);
    memcpy(s->last, e->hash, 32);
    return s->left-- > 0 ? DUSK_OK : DUSK_ERR_CHECK;
}

/* Everything that happened, in order, each kind with what dusk/ledger.h says of it. */
static void history(void **state)
{
    (void)state;
    folder f = folder_make();
    seen s = { .next = 1, .left = 99 };
    uint64_t id = 0, number = 0;
    uint8_t hash[32];
    char *answer;
    size_t length;
    dusk_event event = event_of("gaussian(4)");
    dusk_charge charge = { .analyst = "alice",
                           .event = &event,
                           .delta = 1e-7,
                           .purpose = "how many",
                           .fingerprint = "q",
                           .epsilon = 0.5 };
    ledger_make(f.file, DUSK_FILTER_BASIC, 3, 1e-6);
    dusk_ledger *ledger = ledger_of(f.file);
    OK(dusk_ledger_declare(ledger, "visits.age", "bounds", "0:120", &err));
    OK(dusk_ledger_declare(ledger, "visits.age", "bounds", NULL, &err));
    OK(dusk_ledger_grant(ledger, "alice", (dusk_budget){ 2, 1e-6 }, &err));
    OK(dusk_ledger_set_total(ledger, (dusk_budget){ 2.5, 1e-6 }, &err));
    OK(dusk_ledger_reserve(ledger, &id, &charge, &err));
    assert_int_equal(id, 6);
    OK(dusk_ledger_commit(ledger, id, "42", 2, &err));
    charge.analyst = "bob";
    OK(dusk_ledger_recall(ledger, &answer, &length, NULL, &charge, &err));
    dusk_ledger_free_text(answer);
    event = event_of("pure(0.25)");
    charge.purpose = NULL;
    OK(dusk_ledger_reserve(ledger, &id, &charge, &err));
    OK(dusk_ledger_history(ledger, 0, see, &s, &err));
    assert_int_equal(s.next, 10);
    const char *at = strstr(s.text, "4|alice|gaussian(4)|how many|0|");
    assert_non_null(at);
    double epsilon = strtod(at + 31, NULL);
    assert_true(epsilon > 1 && epsilon < 2);
    assert_non_null(strstr(s.text, "1||filter=basic neighbours=add-remove epsilon=3 delta=1e-06||0|0|0\n"
                                   "2|visits.age bounds|0:120||0|0|0\n"
                                   "2|visits.age bounds|(none)||0|0|0\n"
                                   "3|alice|epsilon=2 delta=1e-06||0|0|0\n"
                                   "3||epsilon=2.5 delta=1e-06||0|0|0\n"));
    assert_non_null(strstr(s.text, "5||hash||6|0|0\n6|bob||how many|6|"));
    assert_non_null(strstr(s.text, "4|bob|pure(0.25)||0|0.25|0\n"));
    OK(dusk_ledger_head(ledger, &number, hash, &err));
    assert_int_equal(number, 9);
    assert_memory_equal(hash, s.last, 32);
    s = (seen){ .next = 8, .left = 99 };
    OK(dusk_ledger_history(ledger, 8, see, &s, &err));
    assert_int_equal(s.next, 10);
    s = (seen){ .next = 1, .left = 2 };
    assert_int_equal(dusk_ledger_history(ledger, 1, see, &s, NULL), DUSK_ERR_CHECK);
    assert_int_equal(s.next, 4);
    s = (seen){ .next = 1, .left = 0 };
    OK(dusk_ledger_history(ledger, UINT64_MAX, see, &s, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

/* The sums of a limit, as a machine with other orders would have written them. */
static dusk_status write_other_orders(dusk_ledger *ledger, void *context, dusk_error *err)
{
    ledger_balance row;
    ledger_filter *filter;
    char sums[DUSK_FILTER_TEXT_MAX];
    dusk_text text;
    dusk_status status = ledger_balance_read(ledger, &row, context, err);
    if (status == DUSK_OK) status = ledger_filter_get(ledger, &filter, context, row.limit, err);
    if (status != DUSK_OK) return status;
    filter->filter->meter.alpha[0] += 0x1p-19;
    dusk_text_init(&text, sums, sizeof sums);
    dusk_filter_write(filter->filter, &text);
    ledger_entry entry = {
        .kind = DUSK_ENTRY_GRANTED, .subject = context, .value = "", .cost = row.limit, .price = sums
    };
    status = ledger_chain_append(ledger, &entry, err);
    return status == DUSK_OK ? ledger_balance_put(ledger, filter, row.charges, &entry, err) : status;
}

/* A file that comes from such a machine has its limits set anew, from the events; one that is used by
 * both at once is refused. */
static void from_another_machine(void **state)
{
    (void)state;
    folder f = folder_make();
    char alice[] = "alice", total[] = "";
    uint64_t number;
    uint8_t hash[32];
    dusk_error said;
    ledger_make(f.file, DUSK_FILTER_RDP, 1, 1e-6);
    dusk_ledger *ledger = ledger_of(f.file), *other = ledger_of(f.file);
    OK(dusk_ledger_grant(ledger, alice, (dusk_budget){ 0.5, 1e-6 }, &err));
    (void)charge_of(ledger, alice, "gaussian(40)");
    dusk_spending before[2] = { spending_of(ledger, NULL), spending_of(ledger, alice) };
    OK(ledger_write(ledger, write_other_orders, total, &err));
    OK(ledger_write(ledger, write_other_orders, alice, &err));
    dusk_ledger_close(ledger);
    assert_int_equal(try_charge(other, NULL, alice, "gaussian(40)", &said), DUSK_ERR_UNSUPPORTED);
    dusk_ledger_close(other);
    ledger = ledger_of(f.file);
    OK(dusk_ledger_head(ledger, &number, hash, &err));
    assert_int_equal(number, 7);
    dusk_spending after[2] = { spending_of(ledger, NULL), spending_of(ledger, alice) };
    for (int i = 0; i < 2; i++) {
        assert_true(before[i].share == after[i].share && before[i].left.epsilon == after[i].left.epsilon);
        assert_true(before[i].spent.epsilon == after[i].spent.epsilon && after[i].charges == 1);
    }
    OK(dusk_ledger_verify(ledger, &err));
    (void)charge_of(ledger, alice, "gaussian(40)");
    OK(dusk_ledger_verify(ledger, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

/* A few thousand charges: all of them are there, and add up to what they should. */
static void many_charges(void **state)
{
    (void)state;
    folder f = folder_make();
    const int n = 5000;
    ledger_make(f.file, DUSK_FILTER_BASIC, 10, 0);
    dusk_ledger *ledger = ledger_of(f.file);
    for (int i = 0; i < n; i++) (void)charge_of(ledger, "alice", "pure(0.0009765625)");
    dusk_spending s = spending_of(ledger, NULL);
    assert_true(s.charges == (uint64_t)n && s.spent.epsilon == n * 0x1p-10);
    OK(dusk_ledger_verify(ledger, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

/* The log is found by the file's name: by a second one, what is in it would be spent again. */
static void has_one_name(void **state)
{
    (void)state;
    folder f = folder_make();
    char other[128];
    dusk_ledger *ledger, *second = NULL;
    dusk_event event = event_of("pure(0.5)");
    const dusk_charge charge = { .analyst = "alice", .event = &event };
    uint64_t id;
    snprintf(other, sizeof other, "%s/other.dusk", f.path);
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
    ledger = ledger_of(f.file);
    OK(dusk_ledger_reserve(ledger, &id, &charge, &err));
    assert_int_equal(link(f.file, other), 0);
    FAILS(DUSK_ERR_IO, dusk_ledger_open(&second, other, &err));
    FAILS(DUSK_ERR_IO, dusk_ledger_reserve(ledger, &id, &charge, &err));
    assert_int_equal(unlink(other), 0);
    /* One that was moved is not charged by its old name. */
    assert_int_equal(rename(f.file, other), 0);
    FAILS(DUSK_ERR_IO, dusk_ledger_reserve(ledger, &id, &charge, &err));
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
    FAILS(DUSK_ERR_IO, dusk_ledger_reserve(ledger, &id, &charge, &err));
    assert_int_equal(rename(other, f.file), 0);
    OK(dusk_ledger_reserve(ledger, &id, &charge, &err));
    dusk_ledger_close(ledger);
    assert_int_equal(symlink(f.file, other), 0);
    ledger = ledger_of(other);
    assert_true(spending_of(ledger, NULL).spent.epsilon == 1);
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(made_and_opened), cmocka_unit_test(history),
                                        cmocka_unit_test(from_another_machine),
                                        cmocka_unit_test(many_charges), cmocka_unit_test(has_one_name) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
