/* SPDX-License-Identifier: Apache-2.0 */
/* kill -9 and loss of power at every step of the disk, while a ledger is made and used: what a
 * call has said is done is there afterwards, what it has not is there or is not, whole; and the
 * ledger verifies. */
#include <sys/wait.h>

#include "failing_disk.h"
#include "ledgers.h"

enum { CALLS = 7 };

static const dusk_charge wanted = { .analyst = "bob", .fingerprint = "q", .epsilon = 0.125, .version = 1 };

/* One call after the other; `done` hears of each that has returned. */
static void use(const char *path, int done)
{
    dusk_ledger *ledger = NULL;
    dusk_event event;
    uint64_t id;
    char *answer;
    size_t length;
    dusk_charge charge = wanted;
    charge.analyst = "alice";
    charge.event = &event;
    if (dusk_ledger_open(&ledger, path, NULL) != DUSK_OK) return;
    if (dusk_event_parse(&event, "pure(0.125)", NULL) != DUSK_OK) return;
#define SAY(call)                                                                                            \
    if ((call) != DUSK_OK || write(done, "x", 1) != 1) return
    SAY(dusk_ledger_reserve(ledger, &id, &charge, NULL));
    SAY(dusk_ledger_commit(ledger, id, "42", 2, NULL));
    SAY(dusk_ledger_recall(ledger, &answer, &length, NULL, &wanted, NULL));
    dusk_ledger_free_text(answer);
    SAY(dusk_ledger_declare(ledger, "t", "bounds", "0:1", NULL));
    SAY(dusk_ledger_grant(ledger, "alice", (dusk_budget){ 0.5, 0 }, NULL));
    SAY(dusk_ledger_reserve(ledger, &id, &charge, NULL));
    dusk_ledger_close(ledger); /* puts the log into the file */
    SAY(DUSK_OK);
#undef SAY
}

/* How many calls returned before it died; *died: it did not come to its end. */
static int run_child(const char *path, disk_mode mode, long step, uint64_t seed, bool *died)
{
    int pipes[2], status, calls = 0;
    char heard;
    assert_int_equal(pipe(pipes), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(pipes[0]);
        disk_install();
        disk_set(mode, step, seed);
        use(path, pipes[1]);
        _exit(0);
    }
    close(pipes[1]);
    while (read(pipes[0], &heard, 1) == 1) calls++;
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    *died = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    assert_true(*died || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
    return calls;
}

/* The file is 3 entries before, and one more after each of the first six calls. */
static void look(const char *path, int calls)
{
    dusk_ledger *ledger = ledger_of(path);
    uint64_t number = 0;
    uint8_t hash[32];
    OK(dusk_ledger_verify(ledger, &err));
    OK(dusk_ledger_head(ledger, &number, hash, &err));
    int least = 3 + (calls < 6 ? calls : 6), most = calls < 6 ? least + 1 : least;
    assert_in_range(number, least, most);
    /* Entries are in the order of the calls: totals follow from how many there are. */
    double total = 0.25 + (number >= 4 ? 0.125 : 0) + (number >= 9 ? 0.125 : 0);
    assert_true(spending_of(ledger, NULL).spent.epsilon == total);
    assert_true(spending_of(ledger, "bob").spent.epsilon == (number >= 6 ? 0.125 : 0));
    assert_true(spending_of(ledger, "alice").spent.epsilon == total);
    assert_true(spending_of(ledger, "alice").limited == (number >= 8));
    (void)charge_of(ledger, "carl", "pure(0.0625)"); /* it goes on */
    OK(dusk_ledger_verify(ledger, &err));
    dusk_ledger_close(ledger);
}

static void make_used(const char *path)
{
    ledger_make(path, DUSK_FILTER_BASIC, 1, 0);
    dusk_ledger *ledger = ledger_of(path);
    OK(dusk_ledger_grant(ledger, "bob", (dusk_budget){ 0.75, 0 }, &err));
    (void)charge_of(ledger, "alice", "pure(0.25)");
    dusk_ledger_close(ledger);
}

/* Until a run comes to its end: then all steps were tried. */
static long all_steps(disk_mode mode, uint64_t seed)
{
    for (long step = 1;; step++) {
        folder f = folder_make();
        bool died;
        make_used(f.file);
        int calls = run_child(f.file, mode, step, seed, &died);
        look(f.file, calls);
        folder_remove(&f);
        if (died) continue;
        assert_int_equal(calls, CALLS);
        return step;
    }
}

static void killed(void **state)
{
    (void)state;
    assert_true(all_steps(DISK_KILL, 0) > 20);
}

static void power_lost(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) assert_true(all_steps(DISK_POWER, seed) > 20);
}

/* A file that was not made to its end is no ledger; one that create has said is made is one. */
static void killed_while_made(void **state)
{
    (void)state;
    for (int power = 0; power < 2; power++) {
        int ledgers = 0, others = 0;
        for (long step = 1; ledgers < 3; step++) {
            folder f = folder_make();
            int status;
            fflush(NULL);
            pid_t child = fork();
            assert_true(child >= 0);
            if (child == 0) {
                disk_install();
                disk_set(power ? DISK_POWER : DISK_KILL, step, 0);
                ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
                disk_die(); /* at once after it was said to be made */
            }
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(WIFSIGNALED(status));
            dusk_ledger *ledger = NULL;
            dusk_status opened = dusk_ledger_open(&ledger, f.file, NULL);
            assert_true(opened == DUSK_OK || opened == DUSK_ERR_IO);
            if (opened == DUSK_OK) {
                (void)charge_of(ledger, "alice", "pure(0.25)");
                OK(dusk_ledger_verify(ledger, &err));
                ledgers++;
            } else {
                assert_true(ledgers == 0);
                others++;
            }
            dusk_ledger_close(ledger);
            folder_remove(&f);
        }
        assert_true(others > 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(killed), cmocka_unit_test(power_lost),
                                        cmocka_unit_test(killed_while_made) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
