/* SPDX-License-Identifier: Apache-2.0 */
/* A disk that is full, at every step, once or for good; a limit on the size of files; memory that
 * ends. What fails says so, and has spent nothing; the handle goes on when there is room again. */
#include <sys/resource.h>
#include <sys/wait.h>

#include "failing_disk.h"
#include "failing_memory.h"
#include "ledger/store.h"
#include "ledgers.h"

static dusk_event event;

/* A call failed as it may: the disk is to blame, in a sentence that names the file. */
static void check_said(dusk_status status, const dusk_error *err, const char *path)
{
    if (status != DUSK_ERR_IO) fail_msg("%s: %s", dusk_status_name(status), err->message);
    assert_int_equal(err->status, status);
    assert_non_null(strstr(err->message, path));
}

/* Reserve, commit, recall, declare and grant; how many charges went through. */
static int use(dusk_ledger *ledger, const char *path)
{
    dusk_error err = { .message = "" };
    uint64_t id = 77;
    int charged = 0;
    char *answer = NULL;
    size_t length;
    dusk_charge charge = {
        .analyst = "alice", .event = &event, .fingerprint = "q", .epsilon = 0.125, .version = 1
    };
    dusk_status status = dusk_ledger_reserve(ledger, &id, &charge, &err);
    if (status == DUSK_OK) {
        charged++;
        status = dusk_ledger_commit(ledger, id, "42", 2, &err);
    } else {
        assert_int_equal(id, 77);
    }
    if (status != DUSK_OK) check_said(status, &err, path);
    charge.analyst = "bob";
    status = dusk_ledger_recall(ledger, &answer, &length, NULL, &charge, &err);
    if (status != DUSK_OK) {
        assert_null(answer);
        check_said(status, &err, path);
    }
    dusk_ledger_free_text(answer);
    status = dusk_ledger_declare(ledger, "t", "bounds", "0:1", &err);
    if (status != DUSK_OK) check_said(status, &err, path);
    status = dusk_ledger_grant(ledger, "alice", (dusk_budget){ 0.75, 0 }, &err);
    if (status != DUSK_OK) check_said(status, &err, path);
    return charged;
}

static void full_at(disk_mode mode, long *last)
{
    for (long step = 1;; step++) {
        folder f = folder_make();
        disk_set(DISK_GOOD, 0, 0);
        ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
        dusk_ledger *ledger = ledger_of(f.file);
        OK(dusk_ledger_grant(ledger, "bob", (dusk_budget){ 0.75, 0 }, &err));
        disk_set(mode, step, 0);
        int charged = use(ledger, f.file);
        bool ended = disk.steps < step;
        disk_set(DISK_GOOD, 0, 0);
        assert_true(spending_of(ledger, NULL).spent.epsilon == 0.125 * charged);
        (void)charge_of(ledger, "alice", "pure(0.125)");
        dusk_ledger_close(ledger);
        ledger = ledger_of(f.file);
        assert_true(spending_of(ledger, NULL).spent.epsilon == 0.125 * (charged + 1));
        assert_int_equal(spending_of(ledger, NULL).charges, charged + 1);
        OK(dusk_ledger_verify(ledger, &err));
        dusk_ledger_close(ledger);
        folder_remove(&f);
        if (!ended) continue;
        assert_int_equal(charged, 1);
        *last = step;
        return;
    }
}

static void full(void **state)
{
    long once = 0, for_good = 0;
    (void)state;
    full_at(DISK_FULL, &once);
    full_at(DISK_STAYS_FULL, &for_good);
    assert_true(once > 20 && for_good == once);
}

/* A charge is one sync; now and then the log is put into the file, which takes a few more. */
static void one_sync(void **state)
{
    (void)state;
    folder f = folder_make();
    long plain = 0, charges = 600;
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
    dusk_ledger *ledger = ledger_of(f.file);
    (void)charge_of(ledger, "alice", "pure(0.001)");
    long all = 0;
    for (long i = 0; i < charges; i++) {
        disk_set(DISK_GOOD, 0, 0);
        (void)charge_of(ledger, "alice", "pure(0.001)");
        assert_true(disk.syncs >= 1);
        plain += disk.syncs == 1;
        all += disk.syncs;
    }
    assert_true(plain > charges * 19 / 20 && all < charges * 11 / 10);
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

/* A file that cannot be made is not left behind. */
static void full_while_made(void **state)
{
    (void)state;
    dusk_ledger_options options;
    dusk_ledger_options_init(&options);
    options.neighbours = DUSK_ADD_REMOVE;
    options.budget = (dusk_budget){ 1, 0 };
    dusk_status status = DUSK_ERR_IO;
    for (long step = 1; status != DUSK_OK; step++) {
        folder f = folder_make();
        dusk_error err = { .message = "" };
        disk_set(DISK_STAYS_FULL, step, 0);
        status = dusk_ledger_create(f.file, &options, &err);
        disk_set(DISK_GOOD, 0, 0);
        if (status != DUSK_OK) {
            check_said(status, &err, f.file);
            assert_int_equal(access(f.file, F_OK), -1);
            ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
        }
        dusk_ledger_close(ledger_of(f.file));
        folder_remove(&f);
        assert_true(step < 1000);
    }
}

/* A limit on the size of files, as of a quota: in a child, since it cannot be taken back. */
static void limited_child(const char *path, size_t more)
{
    struct stat what;
    char log[128];
    dusk_error said = { .message = "" };
    dusk_ledger *ledger = ledger_of(path);
    (void)charge_of(ledger, "alice", "pure(0.125)"); /* there is a log now */
    snprintf(log, sizeof log, "%s-wal", path);
    assert_int_equal(stat(log, &what), 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit = { (rlim_t)what.st_size + more, RLIM_INFINITY };
    const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    dusk_status status = try_charge(ledger, NULL, "alice", "pure(0.125)", &said);
    if (status != DUSK_OK) check_said(status, &said, path);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    assert_true(spending_of(ledger, NULL).spent.epsilon == (status == DUSK_OK ? 0.25 : 0.125));
    (void)charge_of(ledger, "alice", "pure(0.125)");
    OK(dusk_ledger_verify(ledger, &err));
    _exit(status == DUSK_OK ? 10 : 11);
}

static void limited_files(void **state)
{
    (void)state;
    int failed = 0, went = 0;
    for (size_t more = 0; more < 40000; more += 1999) {
        folder f = folder_make();
        int status;
        ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) limited_child(f.file, more);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 10 || WEXITSTATUS(status) == 11));
        WEXITSTATUS(status) == 10 ? went++ : failed++;
        folder_remove(&f);
    }
    assert_true(failed > 2 && went > 2);
}

/* The n-th allocation of our own fails, for every n. */
static void no_memory(void **state)
{
    (void)state;
    folder f = folder_make();
    dusk_error err = { .message = "" };
    dusk_ledger *ledger = NULL;
    dusk_spending s;
    uint64_t id = 0;
    char *answer = NULL;
    size_t length;
    dusk_charge charge = {
        .analyst = "alice", .event = &event, .fingerprint = "q", .epsilon = 0.125, .version = 1
    };
    ledger_make(f.file, DUSK_FILTER_BASIC, 1, 0);
#define UNTIL_IT_GOES(call)                                                                                  \
    for (long n = 1;; n++) {                                                                                 \
        dusk_memory_fail_at(n);                                                                              \
        dusk_status status_ = (call);                                                                        \
        if (went_through(status_, &err, n, 1000)) break;                                                     \
    }
    UNTIL_IT_GOES(dusk_ledger_open(&ledger, f.file, &err));
    UNTIL_IT_GOES(dusk_ledger_reserve(ledger, &id, &charge, &err));
    UNTIL_IT_GOES(dusk_ledger_grant(ledger, "bob", (dusk_budget){ 0.5, 0 }, &err));
    UNTIL_IT_GOES(dusk_ledger_commit(ledger, id, "42", 2, &err));
    charge.analyst = "bob";
    UNTIL_IT_GOES(dusk_ledger_recall(ledger, &answer, &length, NULL, &charge, &err));
    dusk_ledger_free_text(answer);
    UNTIL_IT_GOES(dusk_ledger_spending(ledger, &s, "bob", &err));
    assert_true(s.spent.epsilon == 0.125 && s.charges == 1);
    UNTIL_IT_GOES(dusk_ledger_spending(ledger, &s, NULL, &err));
    assert_true(s.spent.epsilon == 0.125 && s.charges == 1);
    UNTIL_IT_GOES(dusk_ledger_verify(ledger, &err));
    dusk_ledger_close(ledger);
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(full), cmocka_unit_test(one_sync),
                                        cmocka_unit_test(full_while_made), cmocka_unit_test(limited_files),
                                        cmocka_unit_test(no_memory) };
    disk_install();
    event = event_of("pure(0.125)");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
