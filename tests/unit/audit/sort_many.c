/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting by digits gives what comparing gives, for few and for many doubles; and finding a place
 * among sorted numbers gives what counting gives. */
#include <math.h>
#include <stdlib.h>

#include "audit/cells.h"
#include "audit/coins.h"
#include "audit/score.h"
#include "support.h"

enum { MOST = 5000 };

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void check(const double *values, size_t n)
{
    double expected[MOST], found[MOST], scratch[MOST];
    for (size_t i = 0; i < n; i++) expected[i] = found[i] = values[i];
    qsort(expected, n, sizeof *expected, by_value);
    audit_sort_many(found, n, scratch);
    for (size_t i = 0; i < n; i++) assert_true(found[i] == expected[i]);
}

static void digits_sort_as_comparisons_do(void **state)
{
    static const double special[] = { 0, -0.0, INFINITY, -INFINITY, 0x1p-1074, -0x1p-1074, 0x1p1023, 1, -1 };
    static const size_t sizes[] = { 0, 1, 2, 2047, 2048, 2049, MOST };
    double values[MOST];
    audit_coins coins = audit_coins_seeded(1);
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < 4; kind++) {
            for (size_t i = 0; i < sizes[s]; i++) {
                double u = audit_uniform(&coins) - 0.5;
                double kinds[] = { u, ldexp(u, (int)audit_below(&coins, 2000) - 1000), 7,
                                   special[audit_below(&coins, sizeof special / sizeof *special)] };
                values[i] = kinds[kind];
            }
            check(values, sizes[s]);
        }
}

/* All places of short lists: on each number, beside it and beyond both ends. */
static void places_are_counts(void **state)
{
    enum { LONGEST = 70 };
    double edges[LONGEST];
    (void)state;
    for (size_t n = 0; n <= LONGEST; n++) {
        for (size_t i = 0; i < n; i++) edges[i] = (double)i;
        if (n > 2) edges[n - 1] = INFINITY;
        for (double x = -1; x <= (double)n + 1; x += 0.5) {
            size_t count = 0;
            for (size_t i = 0; i < n; i++) count += edges[i] < x;
            assert_int_equal(audit_place(x, edges, n), count);
        }
        assert_int_equal(audit_place(-INFINITY, edges, n), 0);
        assert_int_equal(audit_place(INFINITY, edges, n), n > 2 ? n - 1 : n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(digits_sort_as_comparisons_do),
                                        cmocka_unit_test(places_are_counts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
