/* SPDX-License-Identifier: Apache-2.0 */
/* Records: calls are numbered, outputs are taken over, and without a record nothing happens. What
 * they are compared by: tests/replay/library.c. */
#include "random/record.h"

#include "random/generator.h"
#include "seeded.h"

static dusk_record_at begin(dusk_generator *gen, const char *what)
{
    return dusk_record_begin(gen, &(dusk_record_header){ .what = what });
}

static void without_a_record_nothing_happens(void **state)
{
    dusk_generator *gen = seeded(1);
    double x = 7;
    (void)state;
    dusk_record_at at = begin(gen, "a");
    assert_null(at.record);
    dusk_record_real(at, 0, 1, &x);
    dusk_record_output(at, &x, sizeof x);
    dusk_record_declare(at, DUSK_RECORD_L2, 1);
    dusk_record_scope(gen, "s", 1);
    dusk_record_guard(gen, at);
    assert_true(x == 7);
    dusk_generator_free(gen);
}

static void calls_are_numbered_by_operator_and_scope(void **state)
{
    dusk_generator *gen = seeded(1), *fork;
    dusk_record record = { .n = 0 };
    (void)state;
    dusk_generator_record(gen, &record);
    begin(gen, "a");
    begin(gen, "b");
    begin(gen, "a");
    dusk_record_scope(gen, "group", 5);
    begin(gen, "a");
    dusk_record_scope(gen, "group", 6);
    begin(gen, "a");
    dusk_record_scope(gen, "group", 5);
    begin(gen, "a");
    dusk_record_scope(gen, NULL, 0);
    assert_int_equal(dusk_generator_fork(&fork, gen, NULL), DUSK_OK);
    begin(fork, "a"); /* to the same record */
    const uint64_t index[] = { 0, 0, 1, 0, 0, 1, 2 };
    assert_int_equal(record.n, 7);
    for (size_t i = 0; i < record.n; i++) assert_int_equal(record.calls[i].index, index[i]);
    assert_ptr_equal(dusk_record_twin(&record, &record.calls[5], 2), &record.calls[5]);
    assert_true(record.taken > 0); /* the key of the fork */
    dusk_generator_free(fork);
    dusk_generator_free(gen);
    dusk_record_clear(&record);
}

/* By key, whatever the order; keys that the first one lacks keep their own. */
static void outputs_are_taken_over(void **state)
{
    dusk_generator *gen[2] = { seeded(1), seeded(1) };
    dusk_record record[2] = { { .n = 0 }, { .outputs = &record[0] } };
    dusk_int128 whole[2] = { 100, 200 };
    double real[2] = { 1.5, 2.5 }, own = 9;
    int call[2] = { 11, 22 };
    (void)state;
    for (int side = 0; side < 2; side++) {
        dusk_generator_record(gen[side], &record[side]);
        dusk_record_at at = begin(gen[side], "a");
        if (side) dusk_record_real(at, 8, 0, &own);
        dusk_record_real(at, 3, 0.25 + side, &real[side]);
        dusk_record_whole(at, 2, side, &whole[side]);
        dusk_record_output(at, &call[side], sizeof call[side]);
    }
    assert_true(real[1] == 1.5 && whole[1] == 100 && call[1] == 11 && own == 9);
    const dusk_record_input *input = dusk_record_find(&record[1].calls[0], 3, 0);
    assert_true(input && input->real == 1.25 && input->real_output == 1.5 && input->uses == 1);
    assert_null(dusk_record_find(&record[0].calls[0], 8, 0));
    for (int side = 0; side < 2; side++) {
        dusk_generator_free(gen[side]);
        dusk_record_clear(&record[side]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_record_nothing_happens),
        cmocka_unit_test(calls_are_numbered_by_operator_and_scope),
        cmocka_unit_test(outputs_are_taken_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
