/* SPDX-License-Identifier: Apache-2.0 */
/* Several processes that spend from one file at the same time: together they spend all of it and
 * no more, nothing is lost, and one that is killed leaves what it was told is charged. */
#include <signal.h>
#include <sys/wait.h>

#include "ledgers.h"

enum { SPENDERS = 4, SHARES = 96 };

/* Charge until it is refused; `done` hears of each charge that was accepted. */
static void spend(const char *path, const char *analyst, int done)
{
    dusk_error err = { .message = "" };
    dusk_ledger *ledger = NULL;
    dusk_event event;
    dusk_charge charge = { .analyst = analyst, .event = &event };
    uint64_t id;
    if (dusk_ledger_open(&ledger, path, &err) != DUSK_OK) _exit(3);
    if (dusk_event_pure(&event, 1.0 / SHARES, &err) != DUSK_OK) _exit(4);
    for (;;) {
        dusk_status status = dusk_ledger_reserve(ledger, &id, &charge, &err);
        if (status == DUSK_ERR_BUDGET) break;
        if (status != DUSK_OK) _exit(5);
        if (write(done, "x", 1) != 1) _exit(6);
    }
    dusk_ledger_close(ledger);
    _exit(0);
}

typedef struct crowd {
    pid_t child[SPENDERS];
    int heard; /* the end that is read */
} crowd;

static crowd start(const char *path)
{
    crowd c;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    fflush(NULL);
    for (int i = 0; i < SPENDERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "a%d", i);
        c.child[i] = fork();
        assert_true(c.child[i] >= 0);
        if (c.child[i] == 0) spend(path, name, pipes[1]);
    }
    close(pipes[1]);
    c.heard = pipes[0];
    return c;
}

static int listen_to(crowd *c, int most)
{
    char byte;
    int n = 0;
    while (n < most && read(c->heard, &byte, 1) == 1) n++;
    return n;
}

/* Exit codes; a killed one is -9. */
static void join(crowd *c, int codes[SPENDERS])
{
    for (int i = 0; i < SPENDERS; i++) {
        int status;
        assert_int_equal(waitpid(c->child[i], &status, 0), c->child[i]);
        codes[i] = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    }
    close(c->heard);
}

static void never_too_much(void **state)
{
    (void)state;
    folder f = folder_make();
    int codes[SPENDERS];
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
    dusk_ledger *ledger = ledger_of(f.file);
    OK(dusk_ledger_grant(ledger, "a0", (dusk_budget){ 5.0 / SHARES, 0 }, &err));
    dusk_ledger_close(ledger);
    crowd c = start(f.file);
    int accepted = listen_to(&c, 10 * SHARES);
    join(&c, codes);
    for (int i = 0; i < SPENDERS; i++) assert_int_equal(codes[i], 0);
    ledger = ledger_of(f.file);
    dusk_spending s = spending_of(ledger, NULL);
    assert_int_equal(s.charges, accepted);
    assert_true(s.spent.epsilon <= 1 && accepted <= SHARES && accepted >= SHARES - 1); /* sums round up */
    assert_true(spending_of(ledger, "a0").charges <= 5);
    OK(dusk_ledger_verify(ledger, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

/* Two of them are killed in the middle, after another number of charges each time. */
static void killed_in_the_middle(void **state)
{
    (void)state;
    for (int after = 1; after < 60; after += 7) {
        folder f = folder_make();
        int codes[SPENDERS];
        ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
        crowd c = start(f.file);
        int accepted = listen_to(&c, after);
        (void)kill(c.child[1], SIGKILL);
        accepted += listen_to(&c, after % 5);
        (void)kill(c.child[2], SIGKILL);
        accepted += listen_to(&c, 10 * SHARES);
        join(&c, codes);
        assert_true(codes[0] == 0 && codes[3] == 0);
        dusk_ledger *ledger = ledger_of(f.file);
        dusk_spending s = spending_of(ledger, NULL);
        /* The last charge of one that was killed may be on disk before it could say so. */
        assert_in_range(s.charges, accepted, accepted + 2);
        assert_true(s.spent.epsilon <= 1 && s.charges >= SHARES - 1);
        OK(dusk_ledger_verify(ledger, &err));
        dusk_ledger_close(ledger);
        folder_remove(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(never_too_much),
                                        cmocka_unit_test(killed_in_the_middle) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
