/* SPDX-License-Identifier: Apache-2.0 */
/* Counts: the noise is for as many rows as a unit may hold, answers are whole
 * numbers that differ by what the data differ by, and a public count is given
 * as it is. */
#include "unit/mechanisms/aggregate_help.h"

static dusk_answer count_of(const dusk_aggregate *how, uint64_t rows, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    dusk_answer answer;
    assert_int_equal(dusk_count_release(&answer, how, rows, gen, NULL), DUSK_OK);
    dusk_generator_free(gen);
    return answer;
}

static void noise_is_for_all_rows_of_a_unit(void **state)
{
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, 0, 0, 0.5);
    dusk_answer answer;
    (void)state;
    answer = count_of(&how, 100, 1);
    assert_string_equal(event_of(answer.statement), "discrete_laplace(2)");
    how.rows_per_unit = 3;
    answer = count_of(&how, 100, 1);
    assert_string_equal(event_of(answer.statement), "discrete_laplace(6, 3)");
    how.neighbours = DUSK_REPLACE_ONE;
    answer = count_of(&how, 100, 1);
    assert_string_equal(event_of(answer.statement), "discrete_laplace(6, 3)");
    how.delta = 1e-6;
    answer = count_of(&how, 100, 1);
    assert_memory_equal(event_of(answer.statement), "gaussian(", 9);
}

static void answers_are_whole_and_move_with_the_data(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        dusk_aggregate how = ask(DUSK_ADD_REMOVE, 0, 0, 0.1);
        how.delta = seed % 2 ? 1e-6 : 0;
        dusk_answer a = count_of(&how, 0, seed), b = count_of(&how, 12345, seed);
        assert_true(a.value == rint(a.value));
        assert_true(b.value - a.value == 12345);
        assert_true(a.low >= 0 && b.low == b.value - (b.high - b.value));
        assert_true(b.low == rint(b.low) && b.high > b.value);
    }
}

static void the_largest_counts_do_not_wrap(void **state)
{
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, 0, 0, 0x1p-50);
    how.confidence = 1 - 1e-9;
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        dusk_answer a = count_of(&how, UINT64_MAX, seed);
        assert_true(a.value > 0x1p63 && a.low <= 0x1p64 && a.high >= 0x1p64 - 1);
    }
}

/* Exchanging a unit's one row changes no count. */
static void a_public_count_is_exact(void **state)
{
    dusk_aggregate how = ask(DUSK_REPLACE_ONE, 0, 0, 1);
    dusk_answer a = count_of(&how, 77, 1);
    (void)state;
    assert_true(a.value == 77 && a.low == 77 && a.high == 77);
    assert_string_equal(event_of(a.statement), "pure(0)");
    assert_true(a.statement.epsilon == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_for_all_rows_of_a_unit),
        cmocka_unit_test(answers_are_whole_and_move_with_the_data),
        cmocka_unit_test(the_largest_counts_do_not_wrap),
        cmocka_unit_test(a_public_count_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
