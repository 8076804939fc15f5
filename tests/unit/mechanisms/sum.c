/* SPDX-License-Identifier: Apache-2.0 */
/* Sums: with the same coins, neighbouring tables give answers that differ by no
 * more than declared, whatever the rows are; the sum is exact, in any order. */
#include "unit/mechanisms/aggregate_help.h"

/* The l1 sensitivity that the statement rests on: scale = sensitivity / epsilon. */
static double declared(const dusk_aggregate *how)
{
    double m = how->rows_per_unit, most = fmax(how->upper, 0), least = fmin(how->lower, 0);
    if (how->neighbours == DUSK_ADD_REMOVE) return m * fmax(fabs(how->lower), fabs(how->upper));
    return m == 1 ? how->upper - how->lower : m * (most - least);
}

/* How far the same coins throw answers about the truth, on average. */
static double spread(const dusk_aggregate *how)
{
    double sum = 0;
    for (uint64_t seed = 0; seed < 4000; seed++) sum += fabs(value_of(dusk_sum_release, how, NULL, 0, seed));
    return sum / 4000;
}

static const double bounds[][2] = {
    { 0, 10 }, { -3, 10 }, { -10, 3 }, { 5, 10 }, { -10, -5 }, { -1e-3, 1e-3 }
};
enum { BOUNDS = sizeof bounds / sizeof *bounds };

static void the_noise_has_the_declared_scale(void **state)
{
    (void)state;
    for (size_t b = 0; b < BOUNDS; b++)
        for (dusk_neighbours who = DUSK_ADD_REMOVE; who <= DUSK_REPLACE_ONE; who++)
            for (uint32_t m = 1; m <= 3; m += 2) {
                dusk_aggregate how = ask(who, bounds[b][0], bounds[b][1], 2);
                how.rows_per_unit = m;
                assert_true(fabs(spread(&how) / (declared(&how) / 2) - 1) < 0.1); /* 6 deviations */
                assert_string_equal(event_of(answer_of(dusk_sum_release, &how, NULL, 0, 0).statement),
                                    "laplace(0.5)");
            }
}

/* Rows that go to the bounds, beyond them, and to their odd neighbours. */
static double odd_row(uint64_t *seed, const dusk_aggregate *how)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    switch (*seed >> 60) {
    case 0: return how->lower;
    case 1: return how->upper;
    case 2: return 1e9;
    case 3: return -INFINITY;
    case 4: return NAN;
    case 5: return DBL_TRUE_MIN;
    case 6: return nextafter(how->upper, -INFINITY);
    default: return how->lower + (how->upper - how->lower) * (double)(*seed >> 11 & 0xffffffff) * 0x1p-32;
    }
}

/* A21 in the small: one unit's rows are added, or exchanged for others. */
static void neighbours_differ_by_no_more_than_declared(void **state)
{
    enum { N = 40 };
    double rows[N + 6], other[N + 6];
    uint64_t seed = 1;
    (void)state;
    for (int i = 0; i < 30000; i++) {
        const double *b = bounds[(size_t)i % BOUNDS];
        dusk_aggregate how = ask(i / 6 % 2 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE, b[0], b[1], 1);
        how.rows_per_unit = 1 + (uint32_t)i % 3;
        how.delta = i % 500 == 0 ? 1e-6 : 0;
        bool exchange = how.neighbours == DUSK_REPLACE_ONE;
        size_t mine = 0, theirs = exchange ? (size_t)(seed >> 40) % (how.rows_per_unit + 1) : 0;
        for (size_t k = 0; k < N; k++) rows[k] = other[k] = odd_row(&seed, &how);
        for (; mine < how.rows_per_unit; mine++) rows[N + mine] = odd_row(&seed, &how);
        if (exchange && how.rows_per_unit == 1) theirs = 1;
        for (size_t k = 0; k < theirs; k++) other[N + k] = odd_row(&seed, &how);
        double x = value_of(dusk_sum_release, &how, rows, N + mine, (uint64_t)i);
        double y = value_of(dusk_sum_release, &how, other, N + theirs, (uint64_t)i);
        double limit = declared(&how), rounding = 0x1p-52 * (fabs(x) + fabs(y));
        if (fabs(x - y) > limit + rounding) fail_msg("%g apart, declared %g", fabs(x - y), limit);
    }
}

/* A5: a row beside a huge one is not lost, nor counted twice. */
static void a5_sums_are_exact(void **state)
{
    double rows[1001];
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, 0, 0x1p53, 0x1p30);
    (void)state;
    rows[0] = 0x1p53;
    for (int i = 1; i <= 1000; i++) rows[i] = 1 + 0x1p-52;
    double more = value_of(dusk_sum_release, &how, rows, 1001, 1),
           less = value_of(dusk_sum_release, &how, rows, 1, 1);
    assert_true(fabs(more - less - 1000) <= 4);
}

/* A7, A9: the same rows in another order, bit for bit. */
static void order_does_not_matter(void **state)
{
    const double a[3] = { DBL_MAX, 1, -1 }, b[3] = { 1, DBL_MAX, -1 }, c[3] = { -1, 1, DBL_MAX };
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, -1e15, 1e15, 1);
    (void)state;
    double x = value_of(dusk_sum_release, &how, a, 3, 3);
    assert_true(x == value_of(dusk_sum_release, &how, b, 3, 3));
    assert_true(x == value_of(dusk_sum_release, &how, c, 3, 3));
}

/* A8: as many rows of the largest 64-bit integer as fit a test, and as many as
 * fit the accumulator. */
static void a8_sums_do_not_wrap(void **state)
{
    enum { N = 100000 };
    static double rows[N];
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, 0, 0x1p63, 1);
    (void)state;
    for (int i = 0; i < N; i++) rows[i] = (double)INT64_MAX;
    dusk_answer answer = answer_of(dusk_sum_release, &how, rows, N, 8);
    assert_true(answer.low <= N * 0x1p63 && N * 0x1p63 <= answer.high);
    assert_true(fabs(answer.value / (N * 0x1p63) - 1) < 1e-3);
}

/* Bounds far from 0, tiny, huge; epsilon tiny and huge. */
static void grids_fit_every_request(void **state)
{
    const double wide[][2] = { { 1e9, 1e9 + 1 }, { -1e-250, 1e-250 }, { 0, 1e250 }, { 1e15, 1e15 + 0.125 } };
    (void)state;
    for (size_t b = 0; b < 4; b++)
        for (double epsilon = 1e-5; epsilon < 1e9; epsilon *= 100)
            for (dusk_neighbours who = DUSK_ADD_REMOVE; who <= DUSK_REPLACE_ONE; who++) {
                dusk_aggregate how = ask(who, wide[b][0], wide[b][1], epsilon);
                double row = wide[b][1], scale = declared(&how) / epsilon;
                dusk_answer a = answer_of(dusk_sum_release, &how, &row, 1, 4);
                assert_true(fabs(a.value - row) < 40 * scale + 0x1p-50 * fabs(row));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_noise_has_the_declared_scale),
        cmocka_unit_test(neighbours_differ_by_no_more_than_declared),
        cmocka_unit_test(a5_sums_are_exact),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(a8_sums_do_not_wrap),
        cmocka_unit_test(grids_fit_every_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
