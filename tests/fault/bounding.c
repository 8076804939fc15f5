/* SPDX-License-Identifier: Apache-2.0 */
/* Bounding without memory at the n-th request, and with a disk that is full: the status says so, nothing
 * comes out, nothing leaks (the sanitizer build looks), and with enough of both the totals are right. */
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bounding_tables.h"
#include "failing_memory.h"

enum { ROWS = 300 };

static row rows[ROWS];
static const dusk_cell_type keys[] = { DUSK_CELL_INTEGER, DUSK_CELL_TEXT };
static const dusk_cell_type values[] = { DUSK_CELL_REAL, DUSK_CELL_TEXT };

static const bounding_total totals[] = {
    { .kind = BOUNDING_SUM, .upper = 5, .reach = 5, .unit_low = NAN, .unit_high = NAN },
    { .kind = BOUNDING_DISTINCT, .value = 1 },
    { .kind = BOUNDING_COLLECT, .upper = 5 },
};

static bounding_options options_of(size_t memory, bool text)
{
    static const char *const names[] = { "anna", "bert", "a much longer name than most have", "" };
    for (size_t i = 0; i < ROWS; i++)
        rows[i] = (row){ text ? (cell)TEXT(names[i % 4]) : (cell)WHOLE((int64_t)i % 7),
                         { WHOLE((int64_t)i % 11), TEXT(names[i % 3]) },
                         { REAL((double)(i % 5)), TEXT(names[i % 2]) } };
    return (bounding_options){ .unit_type = text ? DUSK_CELL_TEXT : DUSK_CELL_INTEGER,
                               .key_types = keys,
                               .keys = 2,
                               .value_types = values,
                               .values = 2,
                               .total = totals,
                               .totals = 3,
                               .groups_per_unit = 4,
                               .rows_per_group = 2,
                               .rows_per_unit = 30,
                               .memory = memory,
                               .threads = 1 };
}

static dusk_int128 sum_of(const bounded *g)
{
    dusk_int128 sum = 0;
    for (size_t i = 0; i < 3 * g->groups; i++) sum += g->sum[i] + (dusk_int128)g->collected_count[i];
    return sum;
}

static void no_memory(void **state)
{
    static const size_t memories[] = { 0, 1, 20000 };
    (void)state;
    for (int way = 0; way < 6; way++) {
        bounding_options options = options_of(memories[way / 2], way % 2);
        bounded *right = run_bounding(&options, rows, ROWS, 64, 1);
        for (long n = 1;; n += n < 150 ? 1 : 1 + n / 16) {
            bounded *got = NULL;
            dusk_error err = { .message = "" };
            dusk_generator *gen = seeded(1);
            bounding *b = NULL;
            dusk_memory_fail_at(n);
            dusk_status status = bounding_new(&b, &options, gen, &err);
            for (size_t at = 0; status == DUSK_OK && at < ROWS; at += 64)
                status = add_rows_to(b, &options, rows + at, ROWS - at < 64 ? ROWS - at : 64, &err);
            if (status == DUSK_OK) status = bounding_finish(b, &got, &err);
            bool through = went_through(status, &err, n, 100000);
            if (through) assert_true(sum_of(got) == sum_of(right));
            if (!through) {
                bounded *after;
                assert_null(got);
                if (b) assert_int_equal(bounding_finish(b, &after, NULL), DUSK_ERR_INTERNAL);
            }
            bounded_free(got);
            bounding_free(b);
            dusk_generator_free(gen);
            if (through) break;
        }
        bounded_free(right);
    }
}

/* The file may have so many bytes and no more. */
static void full_disk(void **state)
{
    struct rlimit before, small;
    (void)state;
    bounding_options options = options_of(1, true);
    bounded *right = run_bounding(&options, rows, ROWS, 64, 1), *got;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    bool went = false;
    for (rlim_t most = 0; !went; most += 1500) {
        dusk_error err = { .message = "" };
        small = before;
        small.rlim_cur = most;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        dusk_status status = try_bounding(&got, &options, rows, ROWS, 64, 1, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        went = status == DUSK_OK;
        if (went) {
            assert_true(most > 0);
            assert_true(sum_of(got) == sum_of(right));
            continue;
        }
        assert_int_equal(status, DUSK_ERR_IO);
        assert_string_equal(err.message, "writing a temporary file failed");
        assert_null(got);
        assert_true(most < 10000000);
    }
    bounded_free(got);
    bounded_free(right);
}

static void no_folder(void **state)
{
    (void)state;
    bounding_options options = options_of(1, false);
    dusk_error err = { .message = "" };
    bounded *got;
    options.folder = "/dev/null/nowhere";
    assert_int_equal(try_bounding(&got, &options, rows, ROWS, 64, 1, &err), DUSK_ERR_IO);
    assert_string_equal(err.message, "making a temporary file failed");
    options.memory = 0; /* also where nothing would go to the file: how many rows there are must not show */
    assert_int_equal(try_bounding(&got, &options, rows, ROWS, 64, 1, &err), DUSK_ERR_IO);
    assert_null(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_memory),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
