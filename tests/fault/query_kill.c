/* SPDX-License-Identifier: Apache-2.0 */
/* Whole queries that die: at every step of the disk, at any moment, or for want of memory; and two processes
 * that spend the same budget. What was answered was charged, what was drawn was charged before, the ledger
 * verifies, and an answer that was given is given again. */
#include <sys/wait.h>

#include "base/memory.h"
#include "failing_disk.h"
#include "query_world.h"
#include "random/generator.h"
#include "random/record.h"
#include "random/tape.h"

static world_source at;

static int make_world(void **state)
{
    static world w;
    (void)state;
    world_make(&w, &(world_options){ .seed = 4, .customers = 6, .orders = 12, .items = 12 });
    world_open(&at, &w);
    dusk_source_close(at.source);
    at.source = NULL;
    return 0;
}

static int end_world(void **state)
{
    (void)state;
    world_close(&at);
    return 0;
}

/* The file as it was made, under another name. */
static void copy_source(char path[120], const char *name)
{
    char buffer[1 << 16];
    size_t n;
    snprintf(path, 120, "%s/%s", at.at.path, name);
    FILE *from = fopen(at.at.file, "rb"), *to = fopen(path, "wb");
    assert_true(from && to);
    while ((n = fread(buffer, 1, sizeof buffer, from)) > 0) assert_int_equal(fwrite(buffer, 1, n, to), n);
    fclose(from);
    assert_int_equal(fclose(to), 0);
}

static dusk_query_options some_options(void)
{
    dusk_query_options o;
    dusk_query_options_init(&o);
    o.epsilon = 0.125;
    o.threads = 1;
    return o;
}

/* Question `i`, answered; or how it failed. */
static dusk_status ask(dusk_source *source, int i, double *number, dusk_receipt *receipt, dusk_generator *gen)
{
    char sql[80];
    dusk_query *query = NULL;
    dusk_result *result = NULL;
    dusk_query_options o = some_options();
    snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM orders WHERE amount < %d", i);
    dusk_status status = dusk_query_prepare(&query, source, sql, &o, NULL);
    if (status == DUSK_OK) status = dusk_query_run(query, &result, receipt, gen, NULL);
    if (status == DUSK_OK) *number = dusk_result_cell(result, 0, 0)->number;
    dusk_result_free(result);
    dusk_query_free(query);
    return status;
}

/* Ask from `first` on until a failure or `most`; tell every answer. The child's whole life. */
static void live(const char *path, int first, int most, int tell)
{
    dusk_source *source = NULL;
    dusk_generator *gen = NULL;
    dusk_receipt receipt;
    double number;
    if (dusk_generator_new(&gen, NULL) != DUSK_OK || dusk_source_open(&source, path, NULL) != DUSK_OK)
        _exit(0);
    for (int i = first; i < first + most; i++)
        if (ask(source, i, &number, &receipt, gen) != DUSK_OK ||
            write(tell, &number, sizeof number) != sizeof number)
            break;
    dusk_source_close(source);
    dusk_generator_free(gen);
    _exit(0);
}

/* What was told was charged, and is told again for nothing. */
static void look(const char *path, int first, const double *told, size_t n)
{
    dusk_source *source;
    dusk_generator *gen;
    dusk_receipt receipt;
    double number;
    OK(dusk_source_open(&source, path, &err));
    OK(dusk_generator_new(&gen, &err));
    OK(dusk_ledger_verify(dusk_source_ledger(source), &err));
    dusk_spending before = spending_of(dusk_source_ledger(source), NULL);
    assert_true(before.charges >= n && before.charges <= n + 1);
    assert_true(before.spent.epsilon >= 0.125 * (double)n);
    for (size_t i = 0; i < n; i++) {
        OK(ask(source, first + (int)i, &number, &receipt, gen));
        assert_true(receipt.cached && !receipt.charged && number == told[i]);
    }
    assert_true(spending_of(dusk_source_ledger(source), NULL).charges == before.charges);
    dusk_generator_free(gen);
    dusk_source_close(source);
}

enum { MOST = 64 };

static size_t hear(int from, double told[MOST])
{
    size_t n = 0;
    while (n < MOST && read(from, &told[n], sizeof told[n]) == sizeof told[n]) n++;
    return n;
}

static pid_t start(const char *path, int first, int most, disk_mode mode, long step, int *from)
{
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(pipes[0]);
        if (mode != DISK_GOOD) disk_install();
        if (mode != DISK_GOOD) disk_set(mode, step, 0);
        live(path, first, most, pipes[1]);
    }
    close(pipes[1]);
    *from = pipes[0];
    return child;
}

static bool was_killed(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

static void killed_at_every_step_of_the_disk(void **state)
{
    char path[120];
    double told[MOST];
    (void)state;
    for (long step = 1;; step++) {
        int from;
        copy_source(path, "steps.dusk");
        pid_t child = start(path, 0, 2, DISK_KILL, step, &from);
        size_t n = hear(from, told);
        close(from);
        bool killed = was_killed(child);
        look(path, 0, told, n);
        (void)unlink(path);
        if (!killed) {
            assert_true(n == 2 && step > 8);
            return;
        }
    }
}

static void killed_at_any_moment(void **state)
{
    uint64_t random = 31;
    char path[120];
    double told[MOST];
    (void)state;
    for (int round = 0; round < 12; round++) {
        int from;
        copy_source(path, "moments.dusk");
        pid_t child = start(path, 0, MOST, DISK_GOOD, 0, &from);
        size_t wanted = splitmix64(&random) % 6, n = 0;
        while (n < wanted && read(from, &told[n], sizeof told[n]) == sizeof told[n]) n++;
        usleep((useconds_t)(splitmix64(&random) % 3000));
        kill(child, SIGKILL);
        n += hear(from, told + n);
        close(from);
        (void)was_killed(child);
        look(path, 0, told, n);
        (void)unlink(path);
    }
}

static void two_spenders_share_a_budget(void **state)
{
    char path[120];
    double told[2][MOST];
    size_t answers = 0;
    pid_t child[2];
    int from[2];
    dusk_ledger *ledger;
    (void)state;
    copy_source(path, "two.dusk");
    ledger = ledger_of(path);
    OK(dusk_ledger_set_total(ledger, (dusk_budget){ 2, 0 }, &err));
    dusk_ledger_close(ledger);
    for (int i = 0; i < 2; i++) child[i] = start(path, 1000 * i, MOST, DISK_GOOD, 0, &from[i]);
    for (int i = 0; i < 2; i++) {
        answers += hear(from[i], told[i]);
        close(from[i]);
        assert_false(was_killed(child[i]));
    }
    assert_int_equal(answers, 16);
    ledger = ledger_of(path);
    OK(dusk_ledger_verify(ledger, &err));
    assert_true(spending_of(ledger, NULL).charges == 16 && spending_of(ledger, NULL).spent.epsilon <= 2);
    dusk_ledger_close(ledger);
}

/* Whatever allocation fails: when noise was drawn, its charge had been made. */
static void what_is_drawn_was_charged(void **state)
{
    char path[120];
    dusk_source *source;
    dusk_generator *gen;
    bool answered = false, drawn_in_vain = false;
    (void)state;
    copy_source(path, "memory.dusk");
    OK(dusk_source_open(&source, path, &err));
    OK(dusk_generator_new_seeded(&gen, 1, &err));
    for (long n = 1; !answered; n++) {
        dusk_query *query;
        dusk_result *result = NULL;
        dusk_query_options o = some_options();
        dusk_record record = { .n = 0 };
        char sql[80];
        snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM orders WHERE amount < %ld", n);
        OK(dusk_query_prepare(&query, source, sql, &o, &err));
        dusk_generator_record(gen, &record);
        uint64_t before = spending_of(dusk_source_ledger(source), NULL).charges;
        dusk_memory_fail_at(n);
        answered = dusk_query_run(query, &result, NULL, gen, NULL) == DUSK_OK;
        dusk_memory_fail_at(0);
        dusk_generator_record(gen, NULL);
        uint64_t charges = spending_of(dusk_source_ledger(source), NULL).charges - before;
        assert_true(charges <= 1);
        if (record.n > 0 && charges == 0) fail_msg("allocation %ld: drawn, and not charged", n);
        drawn_in_vain = drawn_in_vain || (record.n > 0 && !answered);
        assert_true(!answered || charges == 1);
        dusk_record_clear(&record);
        dusk_result_free(result);
        dusk_query_free(query);
    }
    assert_true(drawn_in_vain);
    OK(dusk_ledger_verify(dusk_source_ledger(source), &err));
    dusk_generator_free(gen);
    dusk_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_drawn_was_charged),
        cmocka_unit_test(killed_at_every_step_of_the_disk),
        cmocka_unit_test(killed_at_any_moment),
        cmocka_unit_test(two_spenders_share_a_budget),
    };
    return cmocka_run_group_tests(tests, make_world, end_world);
}
