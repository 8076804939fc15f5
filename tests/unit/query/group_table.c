/* SPDX-License-Identifier: Apache-2.0 */
/* The dictionary of tuples: equal tuples, and no others, have one code, whatever the hashes. */
#include <math.h>
#include <stdlib.h>

#include "query/group_table.h"
#include "support.h"

static const uint64_t key[2] = { 0x0123456789abcdef, 0xfedcba9876543210 };

static group_table *open_table(const dusk_cell_type *types, size_t n, bool collide)
{
    group_table *table;
    assert_int_equal(group_table_new(&table, types, n, key, NULL), DUSK_OK);
    if (collide) group_table_collide(table);
    return table;
}

static uint32_t add(group_table *table, const query_value *tuple, bool wanted_new)
{
    uint32_t code;
    bool is_new;
    assert_int_equal(group_table_add(table, &code, &is_new, tuple, NULL), DUSK_OK);
    assert_int_equal(is_new, wanted_new);
    return code;
}

#define TEXT(x)                                                                                              \
    {                                                                                                        \
        .text = (x), .length = sizeof(x) - 1                                                                 \
    }

static void tuples_that_look_alike_differ(void **state)
{
    (void)state;
    static const dusk_cell_type types[] = { DUSK_CELL_TEXT, DUSK_CELL_TEXT, DUSK_CELL_REAL };
    static const query_value tuples[][3] = {
        { TEXT("ab"), TEXT("c"), { .real = 0 } },
        { TEXT("a"), TEXT("bc"), { .real = 0 } },
        { TEXT("abc"), TEXT(""), { .real = 0 } },
        { TEXT(""), TEXT("abc"), { .real = 0 } },
        { { .null = true }, TEXT("abc"), { .real = 0 } },
        { TEXT("a\0c"), TEXT(""), { .real = 0 } },
        { TEXT("a"), TEXT(""), { .real = 0 } },
        { TEXT("a"), { .null = true }, { .real = 0 } },
        { TEXT("a"), { .null = true }, { .real = 0x1p-1074 } },
        { TEXT("a"), { .null = true }, { .null = true } },
        { TEXT("a"), { .null = true }, { .real = INFINITY } },
    };
    enum { N = sizeof tuples / sizeof *tuples };
    for (int collide = 0; collide < 2; collide++) {
        group_table *table = open_table(types, 3, collide);
        for (uint32_t i = 0; i < N; i++) assert_int_equal(add(table, tuples[i], true), i);
        for (uint32_t i = 0; i < N; i++) assert_int_equal(add(table, tuples[i], false), i);
        query_value same[3] = { TEXT("a"), { .null = true }, { .real = -0.0 } };
        assert_int_equal(add(table, same, false), 7);
        same[2].real = NAN;
        assert_int_equal(add(table, same, false), 9);
        same[2].real = -NAN;
        assert_int_equal(add(table, same, false), 9);
        assert_int_equal(group_table_count(table), N);
        for (uint32_t i = 0; i < N; i++) {
            query_value got[3];
            group_table_tuple(table, got, i);
            for (size_t c = 0; c < 2; c++) {
                assert_int_equal(got[c].null, tuples[i][c].null);
                assert_int_equal(got[c].length, tuples[i][c].length);
                if (got[c].length) assert_memory_equal(got[c].text, tuples[i][c].text, got[c].length);
            }
            assert_true(got[2].null == tuples[i][2].null &&
                        (got[2].null || got[2].real == tuples[i][2].real));
        }
        group_table_free(table);
    }
}

/* Many integers, by chunks, beside the obvious way. */
static void integers_have_their_codes(void **state)
{
    (void)state;
    static const dusk_cell_type type = DUSK_CELL_INTEGER;
    enum { N = 4000, DIFFERENT = 700 };
    static int64_t number[N], seen[DIFFERENT + 1];
    static uint8_t null[N];
    static uint32_t code[N];
    uint64_t random = 1;
    for (int collide = 0; collide < 2; collide++) {
        group_table *table = open_table(&type, 1, collide);
        uint32_t count = 0, null_code = GROUP_NONE;
        for (size_t i = 0; i < N; i++) {
            uint64_t x = splitmix64(&random) % DIFFERENT;
            number[i] = x == 0 ? INT64_MIN : x == 1 ? INT64_MAX : (int64_t)(x << 40) - (INT64_C(1) << 45);
            null[i] = splitmix64(&random) % 50 == 0;
        }
        dusk_cells cells = { .type = type, .null = null, .integers = number };
        assert_int_equal(group_table_codes(table, code, &cells, N, true, NULL), DUSK_OK);
        for (size_t i = 0; i < N; i++) {
            uint32_t wanted = 0;
            if (null[i]) {
                if (null_code == GROUP_NONE) null_code = count++;
                assert_int_equal(code[i], null_code);
                continue;
            }
            while (wanted < count && (wanted == null_code || seen[wanted] != number[i])) wanted++;
            if (wanted == count) seen[count++] = number[i];
            assert_int_equal(code[i], wanted);
        }
        assert_int_equal(group_table_count(table), count);
        int64_t other = 12345;
        cells = (dusk_cells){ .type = type, .integers = &other };
        assert_int_equal(group_table_codes(table, code, &cells, 1, false, NULL), DUSK_OK);
        assert_int_equal(code[0], GROUP_NONE);
        assert_int_equal(group_table_count(table), count);
        group_table_free(table);
    }
}

/* How two tuples stand to each other does not depend on who else is there, or who came first. */
static void order_is_by_content(void **state)
{
    (void)state;
    static const dusk_cell_type type = DUSK_CELL_TEXT;
    enum { N = 300 };
    static char names[N][8];
    uint32_t place[2][N];
    for (size_t i = 0; i < N; i++) {
        names[i][0] = 'x';
        for (size_t d = 0, x = i; d < 4; d++, x /= 8) names[i][1 + d] = (char)('0' + x % 8);
    }
    for (int collide = 0; collide < 2; collide++) {
        group_table *all = open_table(&type, 1, collide), *some = open_table(&type, 1, collide);
        for (size_t i = 0; i < N; i++) add(all, &(query_value){ .text = names[i], .length = 5 }, true);
        for (size_t i = N; i-- > 0;)
            if (i % 3 == 0) add(some, &(query_value){ .text = names[i], .length = 5 }, true);
        assert_int_equal(group_table_order(all, place[0], NULL), DUSK_OK);
        assert_int_equal(group_table_order(some, place[1], NULL), DUSK_OK);
        bool taken[N] = { false };
        for (size_t i = 0; i < N; i++) {
            assert_true(place[0][i] < N && !taken[place[0][i]]);
            taken[place[0][i]] = true;
        }
        for (size_t i = 0; i < N; i += 3)
            for (size_t j = 0; j < N; j += 3)
                assert_int_equal(place[0][i] < place[0][j],
                                 place[1][(N - 1 - i) / 3] < place[1][(N - 1 - j) / 3]);
        assert_int_equal(group_table_merge(some, all, NULL), DUSK_OK);
        assert_int_equal(group_table_count(some), N);
        group_table_free(all);
        group_table_free(some);
    }
    group_table_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tuples_that_look_alike_differ),
        cmocka_unit_test(integers_have_their_codes),
        cmocka_unit_test(order_is_by_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
