/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of unusual shape: texts longer than a block, empty ones, and many columns. */
#include <math.h>
#include <stdlib.h>

#include "bounding_tables.h"

enum { ROWS = 240, LONG = 5000, COLUMNS = 70 };

static void long_texts_are_whole(void **state)
{
    static const size_t memories[] = { 0, 1, 30000, 300000 };
    static const dusk_cell_type text[] = { DUSK_CELL_TEXT };
    static const bounding_total totals[] = { { .kind = BOUNDING_UNITS },
                                             { .kind = BOUNDING_DISTINCT },
                                             { .kind = BOUNDING_ROWS } };
    static char names[8][LONG + 1];
    static row rows[ROWS];
    bounding_options options = { .unit_type = DUSK_CELL_TEXT,
                                 .key_types = text,
                                 .keys = 1,
                                 .value_types = text,
                                 .values = 1,
                                 .total = totals,
                                 .totals = 3,
                                 .groups_per_unit = 8,
                                 .rows_per_group = 100,
                                 .threads = 2 };
    (void)state;
    for (size_t i = 0; i < 8; i++) { /* they differ in the last byte only, and in length */
        memset(names[i], 'n', LONG);
        names[i][i < 4 ? LONG - 1 : 100 * (i - 4)] = i < 4 ? (char)('0' + i) : '\0';
    }
    for (size_t i = 0; i < ROWS; i++)
        rows[i] = (row){ TEXT(names[i % 8]), { TEXT(names[i / 8 % 3]) }, { TEXT(names[i / 24 % 5]) } };
    for (size_t m = 0; m < sizeof memories / sizeof *memories; m++) {
        options.memory = memories[m];
        bounded *g = run_bounding(&options, rows, ROWS, 50, 1);
        assert_int_equal(g->groups, 3);
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(g->key[i].length, LONG);
            assert_true(g->sum[i] == 8);
            assert_true(g->sum[3 + i] == 5);
            assert_true(g->sum[6 + i] == ROWS / 3);
        }
        bounded_free(g);
    }
}

/* Column v is NULL in row i when v divides i: each has its own NULL bit. */
static void many_columns_have_their_own_nulls(void **state)
{
    static dusk_cell_type types[COLUMNS];
    static bounding_total totals[2 * COLUMNS];
    static double values[ROWS];
    static uint8_t nulls[COLUMNS][ROWS];
    static int64_t units[ROWS];
    static dusk_cells cells[1 + COLUMNS];
    (void)state;
    cells[0] = (dusk_cells){ .type = DUSK_CELL_INTEGER, .integers = units };
    for (size_t v = 0; v < COLUMNS; v++) {
        types[v] = DUSK_CELL_REAL;
        for (size_t i = 0; i < ROWS; i++) nulls[v][i] = i % (v + 1) == 0;
        cells[1 + v] = (dusk_cells){ .type = DUSK_CELL_REAL, .null = nulls[v], .reals = values };
        totals[v] = (bounding_total){ .kind = BOUNDING_VALUES, .value = v };
        totals[COLUMNS + v] = (bounding_total){
            .kind = BOUNDING_SUM, .value = v, .upper = ROWS, .reach = ROWS, .unit_low = NAN, .unit_high = NAN
        };
    }
    for (size_t i = 0; i < ROWS; i++) {
        values[i] = (double)i;
        units[i] = (int64_t)i;
    }
    for (size_t memory = 0; memory < 2; memory++) {
        const bounding_options options = { .unit_type = DUSK_CELL_INTEGER,
                                           .value_types = types,
                                           .values = COLUMNS,
                                           .total = totals,
                                           .totals = 2 * COLUMNS,
                                           .groups_per_unit = 1,
                                           .rows_per_group = 1,
                                           .memory = memory,
                                           .threads = 1 };
        const dusk_chunk chunk = { ROWS, 1 + COLUMNS, cells };
        dusk_generator *gen = seeded(1);
        bounding *b;
        bounded *g;
        assert_int_equal(bounding_new(&b, &options, gen, NULL), DUSK_OK);
        assert_int_equal(bounding_add(b, &chunk, NULL), DUSK_OK);
        assert_int_equal(bounding_finish(b, &g, NULL), DUSK_OK);
        for (size_t v = 0; v < COLUMNS; v++) {
            int64_t count = 0, sum = 0;
            for (size_t i = 0; i < ROWS; i++)
                if (!nulls[v][i]) {
                    count++;
                    sum += (int64_t)i;
                }
            assert_true(g->sum[v] == count && g->sum[COLUMNS + v] == sum);
        }
        bounded_free(g);
        bounding_free(b);
        dusk_generator_free(gen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_texts_are_whole),
        cmocka_unit_test(many_columns_have_their_own_nulls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
