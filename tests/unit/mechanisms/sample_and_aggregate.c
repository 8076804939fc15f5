/* SPDX-License-Identifier: Apache-2.0 */
/* Sample-and-aggregate: one unit changes one block, whatever the function does; every
 * value is total; the aggregate over blocks is the one for replaced values. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "dusk/mechanisms.h"
#include "random/generator.h"
#include "unit/mechanisms/aggregate_help.h"

enum { N = 2000, BLOCKS = 40 };
static double rows[N];
static uint64_t units[N];

static int set_up(void **state)
{
    for (int i = 0; i < N; i++) rows[i] = (i * 7919 % N) / 20.0;
    return open_seeded(state, 57721);
}

static dusk_aggregate request(double epsilon) { return ask(DUSK_ADD_REMOVE, 0, 100, epsilon); }

static double mean_of(const size_t *index, size_t n, void *context)
{
    const double *x = context;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[index[i]];
    return sum / (double)n; /* NaN for an empty block */
}

/* --- who changes what ------------------------------------------------------------------ */

/* The contents of every block, as a number that order and content decide. */
typedef struct recorder {
    const double *x;
    uint64_t seen[BLOCKS];
    size_t calls, rows;
} recorder;

static double record(const size_t *index, size_t n, void *context)
{
    recorder *r = context;
    uint64_t hash = n;
    for (size_t i = 0; i < n; i++) {
        double x = r->x[index[i]];
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        hash ^= bits;
        hash = splitmix64(&hash);
    }
    r->seen[r->calls++] = hash;
    r->rows += n;
    return 50;
}

static recorder run(const double *x, size_t n, const uint64_t *names)
{
    recorder r = { .x = x };
    dusk_aggregate how = request(1);
    dusk_answer answer;
    dusk_generator *gen = seeded(99);
    assert_int_equal(dusk_sample_and_aggregate_release(&answer, &how, DUSK_BLOCKS_MEAN, BLOCKS, n, names,
                                                       record, &r, gen, NULL),
                     DUSK_OK);
    assert_true(r.calls == BLOCKS && r.rows == n);
    dusk_generator_free(gen);
    return r;
}

static unsigned changed(const recorder *a, const recorder *b)
{
    unsigned count = 0;
    for (size_t i = 0; i < BLOCKS; i++) count += a->seen[i] != b->seen[i];
    return count;
}

/* With the same coins for the rows that both have. */
static void a_row_changes_one_block(void **state)
{
    (void)state;
    double other[N];
    recorder all = run(rows, N, NULL);
    for (size_t n = N - 5; n < N; n++) {
        recorder fewer = run(rows, n, NULL);
        assert_true(changed(&all, &fewer) <= N - n && changed(&all, &fewer) >= 1);
    }
    memcpy(other, rows, sizeof other);
    other[N / 2] = -3;
    recorder replaced = run(other, N, NULL);
    assert_int_equal(changed(&all, &replaced), 1);
}

static void a_unit_of_many_rows_changes_one_block(void **state)
{
    (void)state;
    double other[N];
    uint64_t names[N];
    size_t kept = 0;
    for (int i = 0; i < N; i++) units[i] = (uint64_t)i / 50 * 1000003;
    recorder all = run(rows, N, units);
    for (uint64_t gone = 0; gone < 40; gone += 7) {
        kept = 0;
        for (int i = 0; i < N; i++)
            if (units[i] != gone * 1000003) {
                names[kept] = units[i];
                other[kept++] = rows[i];
            }
        assert_int_equal(kept, N - 50);
        recorder fewer = run(other, kept, names);
        assert_int_equal(changed(&all, &fewer), 1);
    }
}

/* Blocks are used evenly, by rows and by names. */
static double count_rows(const size_t *index, size_t n, void *context)
{
    size_t *most = context;
    (void)index;
    if (n > *most) *most = n;
    return (double)n;
}

static void blocks_are_even(void **state)
{
    dusk_aggregate how = request(100);
    for (int i = 0; i < N; i++) units[i] = (uint64_t)i;
    for (int named = 0; named < 2; named++) {
        dusk_answer answer;
        size_t most = 0;
        assert_int_equal(dusk_sample_and_aggregate_release(&answer, &how, DUSK_BLOCKS_MEAN, BLOCKS, N,
                                                           named ? units : NULL, count_rows, &most, *state,
                                                           NULL),
                         DUSK_OK);
        assert_true(most < 95); /* 50 are expected, with a deviation of 7 */
        assert_true(fabs(answer.value - 50) < 2);
    }
}

/* --- promises -------------------------------------------------------------------------- */

static void a_unit_in_several_blocks_costs_more_noise(void **state)
{
    for (uint32_t m = 1; m <= 4; m += 3)
        for (int named = 0; named < 2; named++)
            for (int replace = 0; replace < 2; replace++) {
                dusk_aggregate how = request(1);
                dusk_answer answer;
                how.rows_per_unit = m;
                how.neighbours = replace ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
                double touched = named ? 1.0 + replace : (double)m;
                assert_int_equal(dusk_sample_and_aggregate_release(&answer, &how, DUSK_BLOCKS_MEAN, 1000, N,
                                                                   named ? units : NULL, mean_of, rows,
                                                                   *state, NULL),
                                 DUSK_OK);
                double want = 2 * touched * 100 / 1000 * log(20);
                assert_true(fabs((answer.high - answer.low) / want - 1) < 1e-6);
                assert_true(answer.statement.epsilon <= 1 && answer.statement.epsilon > 0.999);
                assert_true(answer.statement.neighbours == how.neighbours);
            }
}

/* The median is that of replaced values: the same coins give the same answer. */
static double next_value(const size_t *index, size_t n, void *context)
{
    double *at = context;
    (void)index;
    (void)n;
    return *at += 3;
}

static void medians_are_for_replaced_values(void **state)
{
    (void)state;
    dusk_aggregate how = request(1), over = how;
    double at = 0, values[20], direct[2], rank_error, half = 0.5;
    dusk_statement statement;
    dusk_answer answer;
    over.neighbours = DUSK_REPLACE_ONE;
    for (int i = 0; i < 20; i++) values[i] = 3 * (i + 1);
    dusk_generator *one = seeded(4), *two = seeded(4);
    for (int trial = 0; trial < 20; trial++) {
        at = 0;
        assert_int_equal(dusk_sample_and_aggregate_release(&answer, &how, DUSK_BLOCKS_MEDIAN, 20, 0, NULL,
                                                           next_value, &at, one, NULL),
                         DUSK_OK);
        for (int i = 0; i < 2; i++) {
            unsigned char key[32]; /* of the partition, between the plan and the median */
            if (i) assert_int_equal(dusk_generator_bytes(two, key, sizeof key, NULL), DUSK_OK);
            assert_int_equal(dusk_quantiles_release(&direct[i], &rank_error, &statement, &over, &half, 1,
                                                    values, i ? 20 : 0, two, NULL),
                             DUSK_OK);
        }
        assert_true(answer.value == direct[1]);
        assert_true(answer.statement.neighbours == DUSK_ADD_REMOVE && answer.statement.epsilon == 1);
    }
    dusk_generator_free(one);
    dusk_generator_free(two);
}

static void answers_are_near(void **state)
{
    for (dusk_blocks_aggregate kind = DUSK_BLOCKS_MEAN; kind <= DUSK_BLOCKS_SMOOTH_MEDIAN; kind++)
        for (int with_delta = 0; with_delta < 2; with_delta++) {
            dusk_aggregate how = request(4);
            dusk_answer answer;
            if (with_delta && kind == DUSK_BLOCKS_MEDIAN) continue;
            how.delta = with_delta ? 1e-6 : 0;
            how.confidence = 0.999;
            int far = 0;
            for (int i = 0; i < 20; i++) {
                assert_int_equal(dusk_sample_and_aggregate_release(&answer, &how, kind, BLOCKS, N, NULL,
                                                                   mean_of, rows, *state, NULL),
                                 DUSK_OK);
                assert_true(answer.low <= answer.value && answer.value <= answer.high);
                assert_true(answer.statement.epsilon <= 4);
                far += fabs(answer.value - 50) > 12;
            }
            assert_true(far <= 5);
        }
}

/* --- what is refused, what is total ----------------------------------------------------- */

static double hostile(const size_t *index, size_t n, void *context)
{
    static const double values[] = { NAN, INFINITY, -INFINITY, 1e308, -0.0 };
    size_t *at = context;
    (void)index;
    (void)n;
    return values[(*at)++ % 5];
}

static void hostile_values_are_total(void **state)
{
    for (dusk_blocks_aggregate kind = DUSK_BLOCKS_MEAN; kind <= DUSK_BLOCKS_SMOOTH_MEDIAN; kind++)
        for (uint32_t blocks = 1; blocks < 12; blocks += 5) {
            dusk_aggregate how = request(0.5);
            dusk_answer answer;
            size_t at = 0;
            assert_int_equal(dusk_sample_and_aggregate_release(&answer, &how, kind, blocks, 0, NULL, hostile,
                                                               &at, *state, NULL),
                             DUSK_OK);
            assert_true(answer.value >= 0 && answer.value <= 100);
        }
}

static void refused(const dusk_aggregate *how, dusk_blocks_aggregate kind, uint32_t blocks, void **state)
{
    dusk_answer answer = { .value = 77 };
    dusk_error err;
    size_t calls = 0;
    assert_int_equal(
        dusk_sample_and_aggregate_release(&answer, how, kind, blocks, N, NULL, hostile, &calls, *state, &err),
        DUSK_ERR_ARGUMENT);
    assert_true(answer.value == 77 && calls == 0 && strlen(err.message) > 10);
}

static void bad_requests_are_refused(void **state)
{
    dusk_aggregate how = request(1), other;
    refused(&how, DUSK_BLOCKS_MEAN, 0, state);
    refused(&how, DUSK_BLOCKS_MEAN, UINT32_MAX, state);
    refused(&how, 0, 10, state);
    refused(&how, 4, 10, state);
    other = how;
    other.delta = 1e-6;
    refused(&other, DUSK_BLOCKS_MEDIAN, 10, state);
    other = how;
    other.upper = NAN;
    refused(&other, DUSK_BLOCKS_MEAN, 10, state);
    other = how;
    other.epsilon = 0;
    refused(&other, DUSK_BLOCKS_SMOOTH_MEDIAN, 10, state);
}

static void failures_release_nothing(void **state)
{
    dusk_aggregate how = request(1);
    for (long k = 1; k <= 4; k++) {
        dusk_answer answer = { .value = 77 };
        dusk_memory_fail_at(k);
        assert_int_equal(dusk_sample_and_aggregate_release(&answer, &how, DUSK_BLOCKS_MEAN, BLOCKS, N, NULL,
                                                           mean_of, rows, *state, NULL),
                         DUSK_ERR_MEMORY);
        assert_true(answer.value == 77);
    }
    dusk_memory_fail_at(0);
    dusk_answer answer = { .value = 77 };
    dusk_generator *tape = zeros(100);
    assert_int_equal(dusk_sample_and_aggregate_release(&answer, &how, DUSK_BLOCKS_MEAN, BLOCKS, N, NULL,
                                                       mean_of, rows, tape, NULL),
                     DUSK_ERR_ENTROPY);
    assert_true(answer.value == 77);
    dusk_generator_free(tape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_changes_one_block),
        cmocka_unit_test(a_unit_of_many_rows_changes_one_block),
        cmocka_unit_test(blocks_are_even),
        cmocka_unit_test(a_unit_in_several_blocks_costs_more_noise),
        cmocka_unit_test(medians_are_for_replaced_values),
        cmocka_unit_test(answers_are_near),
        cmocka_unit_test(hostile_values_are_total),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(failures_release_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, close_generator);
}
