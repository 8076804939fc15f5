/* SPDX-License-Identifier: Apache-2.0 */
/* Files of tallies and collectors: the same when they are read, refused when a byte was changed, whole or not there; and shards that are merged. */
#include <dirent.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "local/collector.h"
#include "support.h"

static char folder[64], path[96];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/dusk-tally-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static const char *inside(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int files(void)
{
    int n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; (e = readdir(dir));) n += e->d_name[0] != '.';
    closedir(dir);
    return n;
}

static int remove_folder(void **state)
{
    static const char *const names[] = { "a", "b" };
    (void)state;
    for (size_t i = 0; i < 2; i++) (void)unlink(inside(names[i]));
    return rmdir(folder);
}

static dusk_collector *collector_of(uint64_t first, uint64_t last, uint64_t epoch, uint32_t lanes)
{
    dusk_survey_options o;
    dusk_survey survey;
    dusk_collector *c;
    dusk_survey_options_init(&o);
    o.mechanism = DUSK_GRR;
    o.epsilon = 1;
    o.domain = 300;
    assert_int_equal(dusk_survey_init(&survey, &o, NULL), DUSK_OK);
    assert_int_equal(dusk_collector_new(&c, &survey, epoch, lanes, NULL), DUSK_OK);
    dusk_intake *intake;
    assert_int_equal(dusk_intake_new(&intake, c, lanes - 1, NULL), DUSK_OK);
    for (uint64_t i = first; i < last; i++) {
        uint8_t record[32] = { 0x58, 0x18, 0x85, 1, 0x1b, 0, 0, 0, 0, 0, 0, 0, 0, (uint8_t)epoch, 0x48 };
        for (int j = 0; j < 8; j++) record[5 + j] = (uint8_t)(survey.task.id >> (56 - 8 * j));
        for (int j = 0; j < 8; j++) record[15 + j] = (uint8_t)(i >> (8 * j));
        record[23] = 0x42;
        record[24] = (uint8_t)(i % 301);
        record[25] = (uint8_t)(i % 301 >> 8);
        assert_int_equal(dusk_intake_take(intake, record, 26, NULL), DUSK_OK);
    }
    dusk_intake_end(intake);
    dusk_intake_free(intake);
    return c;
}

static void same(dusk_collector *a, dusk_collector *b)
{
    uint64_t x[DUSK_TAKEN_KINDS], y[DUSK_TAKEN_KINDS];
    const dusk_tally *s = dusk_collector_tally(a), *t = dusk_collector_tally(b);
    dusk_collector_kinds(a, x);
    dusk_collector_kinds(b, y);
    assert_memory_equal(x, y, sizeof x);
    assert_int_equal(s->cells, t->cells);
    assert_memory_equal(s->cell, t->cell, s->cells * sizeof *s->cell);
    assert_int_equal(s->survey.task.id, t->survey.task.id);
    assert_int_equal(local_nonces_count(a->nonces), local_nonces_count(b->nonces));
    assert_int_equal(dusk_collector_epoch(a), dusk_collector_epoch(b));
}

static void written_and_read(void **state)
{
    dusk_collector *c = collector_of(0, 5000, 3, 3), *again;
    dusk_tally *tally, *plain;
    struct stat facts;
    (void)state;
    assert_int_equal(dusk_tally_dropped(dusk_collector_tally(c)), 16); /* 300, which is no category */
    assert_int_equal(dusk_collector_write(c, inside("a"), NULL), DUSK_OK);
    assert_int_equal(dusk_collector_read(&again, inside("a"), 2, NULL), DUSK_OK);
    same(c, again);
    for (uint64_t i = 0; i < 6000; i++) assert_int_equal(local_nonces_has(again->nonces, i), i < 5000);
    dusk_collector_free(again);
    /* its tally, also alone; which is not enough to go on */
    assert_int_equal(dusk_tally_read(&tally, inside("a"), NULL), DUSK_OK);
    assert_int_equal(dusk_tally_write(tally, inside("b"), NULL), DUSK_OK);
    assert_int_equal(dusk_tally_read(&plain, inside("b"), NULL), DUSK_OK);
    assert_memory_equal(plain->cell, dusk_collector_tally(c)->cell, 300 * sizeof(int64_t));
    assert_int_equal(dusk_tally_reports(plain), dusk_tally_reports(dusk_collector_tally(c)));
    assert_int_equal(dusk_collector_read(&again, inside("b"), 1, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(stat(inside("b"), &facts), 0);
    assert_true(facts.st_size < 300 * 8 + 800);
    assert_int_equal(files(), 2);
    dusk_tally_free(tally);
    dusk_tally_free(plain);
    dusk_collector_free(c);
}

static uint8_t *whole(const char *name, size_t *n)
{
    struct stat facts;
    assert_int_equal(stat(inside(name), &facts), 0);
    *n = (size_t)facts.st_size;
    uint8_t *bytes = malloc(*n);
    FILE *file = fopen(inside(name), "rb");
    assert_int_equal(fread(bytes, 1, *n, file), *n);
    fclose(file);
    return bytes;
}

static dusk_status both(const uint8_t *bytes, size_t n)
{
    dusk_collector *c;
    dusk_tally *t;
    const dusk_status status = dusk_collector_parse(&c, bytes, n, 1, NULL);
    if (status == DUSK_OK) dusk_collector_free(c);
    if (dusk_tally_parse(&t, bytes, n, NULL) == DUSK_OK) dusk_tally_free(t);
    return status;
}

/* A byte that was changed, anywhere; a file that was cut, anywhere; and contents that do not belong together under a hash that is right. */
static void changed_files(void **state)
{
    dusk_collector *c = collector_of(0, 20, 3, 1);
    size_t n;
    uint64_t seed = 5;
    int fine = 0;
    (void)state;
    assert_int_equal(dusk_collector_write(c, inside("a"), NULL), DUSK_OK);
    uint8_t *bytes = whole("a", &n), *copy = malloc(n);
    assert_int_equal(both(bytes, n), DUSK_OK);
    for (size_t i = 0; i < n; i++) {
        memcpy(copy, bytes, n);
        copy[i] ^= (uint8_t)(1 << i % 8);
        assert_int_equal(both(copy, n), i == 11 ? DUSK_ERR_UNSUPPORTED : DUSK_ERR_CORRUPT);
        uint8_t *cut = malloc(i + 1);
        memcpy(cut, bytes, i);
        assert_int_equal(both(cut, i), DUSK_ERR_CORRUPT);
        free(cut);
    }
    for (int round = 0; round < 3000; round++) {
        size_t length = n - splitmix64(&seed) % 40 * (splitmix64(&seed) % 4 == 0);
        memcpy(copy, bytes, n);
        for (int i = 0; i < 2; i++)
            copy[13 + splitmix64(&seed) % (length - 13 - 32)] = (uint8_t)splitmix64(&seed);
        crypto_generichash(copy + length - 32, 32, copy, length - 32, NULL, 0);
        const dusk_status status = both(copy, length);
        assert_true(status == DUSK_OK || status == DUSK_ERR_CORRUPT);
        fine += status == DUSK_OK;
    }
    assert_true(fine > 0); /* counters may be any */
    free(bytes);
    free(copy);
    dusk_collector_free(c);
}

/* One number of a file that is otherwise right. */
static dusk_status with(const uint8_t *bytes, size_t n, size_t at, uint64_t number)
{
    uint8_t *copy = malloc(n);
    memcpy(copy, bytes, n);
    client_put(copy + at, number, 8);
    crypto_generichash(copy + n - 32, 32, copy, n - 32, NULL, 0);
    const dusk_status status = both(copy, n);
    free(copy);
    return status;
}

/* As many nonces as reports, but for the few that two shards have; and counts that can be counts. */
static void numbers_that_do_not_belong_together(void **state)
{
    dusk_collector *c = collector_of(0, 20, 3, 1);
    size_t n;
    (void)state;
    assert_int_equal(dusk_collector_write(c, inside("a"), NULL), DUSK_OK);
    uint8_t *bytes = whole("a", &n);
    const size_t reports = 13 + 8 + client_get(bytes + 13, 8), kinds = reports + 8 * (3 + 300 + 2 + 1);
    assert_int_equal(client_get(bytes + reports, 8), 20);
    assert_int_equal(client_get(bytes + kinds - 8, 8), DUSK_TAKEN_KINDS);
    assert_int_equal(with(bytes, n, reports, 20), DUSK_OK);
    assert_int_equal(with(bytes, n, reports, 21), DUSK_OK);
    assert_int_equal(with(bytes, n, reports, 19), DUSK_ERR_CORRUPT);
    assert_int_equal(with(bytes, n, reports, 60), DUSK_ERR_CORRUPT);
    assert_int_equal(with(bytes, n, reports, (uint64_t)1 << 60), DUSK_ERR_CORRUPT);
    assert_int_equal(with(bytes, n, kinds + 8, 77), DUSK_OK);
    assert_int_equal(with(bytes, n, kinds + 8, (uint64_t)1 << 60), DUSK_ERR_CORRUPT);
    free(bytes);
    dusk_collector_free(c);
}

/* Counters that nobody counted do not overflow, however many of them are merged. */
static void sums_that_would_overflow(void **state)
{
    dusk_collector *c = collector_of(0, 20, 3, 1), *other = collector_of(20, 40, 3, 1);
    dusk_tally *t = c->lane[0].tally, *large = other->lane[0].tally;
    dusk_status status = DUSK_OK;
    int merges = 0;
    (void)state;
    large->cell[7] = -((int64_t)1 << 53);
    for (; status == DUSK_OK && merges < 2000; merges++) {
        const int64_t before = t->cell[7];
        status = dusk_tally_merge(t, large, NULL);
        assert_true(status == DUSK_OK ? t->cell[7] < before : t->cell[7] == before);
    }
    assert_int_equal(status, DUSK_ERR_CORRUPT);
    assert_true(merges > 200);
    dusk_collector_free(c);
    dusk_collector_free(other);
}

static void places_that_are_no_files(void **state)
{
    dusk_collector *c;
    dusk_tally *t;
    (void)state;
    assert_int_equal(dusk_collector_read(&c, inside("none"), 1, NULL), DUSK_ERR_IO);
    assert_int_equal(dusk_collector_read(&c, folder, 1, NULL), DUSK_ERR_IO);
    assert_int_equal(dusk_tally_read(&t, "/dev/zero", NULL), DUSK_ERR_IO);
    assert_int_equal(mkfifo(inside("pipe"), 0600), 0);
    assert_int_equal(dusk_tally_read(&t, inside("pipe"), NULL), DUSK_ERR_IO); /* at once */
    assert_int_equal(unlink(inside("pipe")), 0);
    c = collector_of(0, 3, 0, 1);
    assert_int_equal(dusk_collector_write(c, inside("none/x"), NULL), DUSK_ERR_IO);
    assert_int_equal(dusk_collector_write(c, folder, NULL), DUSK_ERR_IO);
    dusk_collector_free(c);
}

/* What was there stays when the disk is full, and nothing is beside it. */
static void full_disk(void **state)
{
    dusk_collector *c = collector_of(0, 10, 3, 1), *large = collector_of(0, 60000, 3, 1), *again;
    struct rlimit was, small;
    (void)state;
    assert_int_equal(dusk_collector_write(c, inside("a"), NULL), DUSK_OK);
    const int before = files();
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    for (rlim_t limit = 1 << 10; limit <= 1 << 18; limit *= 16) {
        small = was;
        small.rlim_cur = limit;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        const dusk_status status = dusk_collector_write(large, inside("a"), NULL);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
        assert_int_equal(status, DUSK_ERR_IO);
        assert_int_equal(files(), before);
        assert_int_equal(dusk_collector_read(&again, inside("a"), 1, NULL), DUSK_OK);
        same(c, again);
        dusk_collector_free(again);
    }
    assert_int_equal(dusk_collector_write(large, inside("a"), NULL), DUSK_OK);
    dusk_collector_free(c);
    dusk_collector_free(large);
}

static void shards(void **state)
{
    dusk_collector *all = collector_of(0, 900, 3, 2), *a = collector_of(0, 400, 3, 2),
                   *b = collector_of(400, 900, 3, 1), *overlap = collector_of(350, 600, 3, 1),
                   *few = collector_of(899, 1099, 3, 1), *other = collector_of(2000, 2100, 4, 1);
    bool added = false;
    uint64_t twice = 9;
    (void)state;
    assert_int_equal(dusk_collector_merge(a, b, &added, &twice, NULL), DUSK_OK);
    assert_true(added && twice == 0);
    same(a, all);
    assert_int_equal(dusk_collector_merge(a, b, &added, &twice, NULL),
                     DUSK_OK); /* once more, after a crash */
    assert_false(added);
    assert_int_equal(dusk_collector_merge(a, a, &added, &twice, NULL), DUSK_OK);
    assert_false(added);
    same(a, all);
    assert_int_equal(dusk_collector_merge(b, overlap, &added, &twice, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_collector_merge(a, other, &added, &twice, NULL), DUSK_ERR_ARGUMENT);
    same(a, all);
    assert_int_equal(dusk_collector_merge(a, few, &added, &twice, NULL), DUSK_OK);
    assert_true(added && twice == 1);
    assert_int_equal(local_nonces_count(a->nonces), 1099);
    dusk_collector_free(all);
    dusk_collector_free(a);
    dusk_collector_free(b);
    dusk_collector_free(overlap);
    dusk_collector_free(few);
    dusk_collector_free(other);
}

/* A merge that runs out of memory is not written. */
static void half_a_merge(void **state)
{
    (void)state;
    for (long at = 1; at < 40; at++) {
        dusk_collector *a = collector_of(0, 400, 3, 1), *b = collector_of(400, 9000, 3, 1);
        bool added;
        uint64_t twice;
        dusk_memory_fail_at(at);
        const dusk_status status = dusk_collector_merge(a, b, &added, &twice, NULL);
        dusk_memory_fail_at(0);
        assert_int_equal(dusk_collector_write(a, inside("a"), NULL),
                         status == DUSK_OK ? DUSK_OK : DUSK_ERR_ARGUMENT);
        dusk_collector_free(a);
        dusk_collector_free(b);
    }
    dusk_collector *c;
    for (long at = 1; at < 400; at += 3) {
        dusk_memory_fail_at(at);
        const dusk_status status = dusk_collector_read(&c, inside("a"), 1, NULL);
        dusk_memory_fail_at(0);
        assert_true(status == DUSK_OK ? c != NULL : c == NULL);
        dusk_collector_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_and_read),
        cmocka_unit_test(changed_files),
        cmocka_unit_test(numbers_that_do_not_belong_together),
        cmocka_unit_test(sums_that_would_overflow),
        cmocka_unit_test(places_that_are_no_files),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(shards),
        cmocka_unit_test(half_a_merge),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
