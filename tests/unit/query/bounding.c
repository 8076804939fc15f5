/* SPDX-License-Identifier: Apache-2.0 */
/* Bounding by hand: small tables whose bounded totals can be told. */
#include "bounding_tables.h"

static const dusk_cell_type whole_key[] = { DUSK_CELL_INTEGER, DUSK_CELL_INTEGER };
static const dusk_cell_type text_key[] = { DUSK_CELL_TEXT, DUSK_CELL_TEXT };
static const dusk_cell_type real_key[] = { DUSK_CELL_REAL, DUSK_CELL_TEXT };
static const dusk_cell_type real_values[] = { DUSK_CELL_REAL, DUSK_CELL_TEXT };
static const dusk_cell_type whole_values[] = { DUSK_CELL_INTEGER, DUSK_CELL_INTEGER };

/* Every kind, of value 0, with bounds 0 to 10 about 0 on the grid of quarters. */
static bounding_total total_of(bounding_kind kind)
{
    return (bounding_total){ .kind = kind,
                             .lower = 0,
                             .upper = 10,
                             .half_square = 0,
                             .reach = kind == BOUNDING_SQUARES ? 100 : 10,
                             .grid = -2,
                             .unit_low = NAN,
                             .unit_high = NAN };
}

static bounding_options options_of(const bounding_total *total, size_t totals)
{
    return (bounding_options){ .unit_type = DUSK_CELL_INTEGER,
                               .key_types = whole_key,
                               .keys = 1,
                               .value_types = real_values,
                               .values = 1,
                               .total = total,
                               .totals = totals,
                               .groups_per_unit = 100,
                               .rows_per_group = 100,
                               .threads = 1 };
}

static int64_t total_at(const bounded *g, size_t total, size_t group)
{
    assert_true(group < g->groups);
    return (int64_t)g->sum[total * g->groups + group];
}

static int64_t total_of_key(const bounded *g, const bounding_options *options, size_t total, int64_t key)
{
    query_value wanted = { .integer = key };
    return total_at(g, total, find_group(g, options, &wanted));
}

enum { EVERY = 7 };
static void every_total(bounding_total *out)
{
    for (int i = 0; i < EVERY; i++) out[i] = total_of((bounding_kind)(BOUNDING_UNITS + i));
}

static void nothing_is_lost_within_bounds(void **state)
{
    (void)state;
    bounding_total total[EVERY];
    every_total(total);
    bounding_options options = options_of(total, EVERY);
    const row rows[] = {
        { WHOLE(1), { WHOLE(5) }, { REAL(1.25) } }, { WHOLE(2), { WHOLE(5) }, { REAL(2) } },
        { WHOLE(1), { WHOLE(5) }, { REAL(1.25) } }, { WHOLE(1), { WHOLE(-6) }, { NOTHING } },
        { WHOLE(3), { WHOLE(5) }, { NOTHING } },    { WHOLE(1), { WHOLE(5) }, { REAL(3) } },
    };
    static const int64_t five[] = { 3, 5, 4, 30, 4 * (1 + 1 + 4 + 9) + 2 + 2, 3 };
    for (size_t chunk = 1; chunk <= 6; chunk++) {
        bounded *g = run_bounding(&options, rows, 6, chunk, 1);
        assert_int_equal(g->groups, 2);
        /* 1.25^2 is 1.5625: 6 quarters, toward zero */
        for (size_t t = 0; t < 6; t++)
            if (t != 4) assert_int_equal(total_of_key(g, &options, t, 5), five[t]);
        assert_int_equal(total_of_key(g, &options, 4, 5), 6 + 6 + 16 + 36);
        assert_int_equal(total_of_key(g, &options, 0, -6), 1);
        assert_int_equal(total_of_key(g, &options, 1, -6), 1);
        for (size_t t = 2; t < 6; t++) assert_int_equal(total_of_key(g, &options, t, -6), 0);
        size_t at = find_group(g, &options, &(query_value){ .integer = 5 });
        assert_int_equal(g->units[at], 3);
        assert_int_equal(g->collected_count[6 * 2 + at], 4);
        static const double sorted[] = { 1.25, 1.25, 2, 3 };
        assert_memory_equal(g->collected[6 * 2 + at], sorted, sizeof sorted);
        assert_int_equal(g->collected_count[6 * 2 + 1 - at], 0);
        bounded_free(g);
    }
}

static void values_are_clamped_and_rounded_to_zero(void **state)
{
    (void)state;
    bounding_total total[3] = { total_of(BOUNDING_SUM), total_of(BOUNDING_SQUARES),
                                total_of(BOUNDING_COLLECT) };
    total[0].centre = total[1].centre = 5;
    total[0].reach = 5;
    total[1].half_square = total[1].reach = 12.5;
    bounding_options options = options_of(total, 3);
    static const struct {
        double value, clamped;
        int64_t sum, squares; /* quarters */
    } cases[] = {
        { 0, 0, -20, 50 },     { 10, 10, 20, 50 },        { INFINITY, 10, 20, 50 }, { -INFINITY, 0, -20, 50 },
        { 1e308, 10, 20, 50 }, { -0.0, 0, -20, 50 },      { 5.3, 5.3, 1, -49 },     { 4.7, 4.7, -1, -49 },
        { 4.9, 4.9, 0, -49 },  { 0x1p-1074, 0, -20, 50 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const row one = { WHOLE(1), { WHOLE(1) }, { REAL(cases[i].value) } };
        bounded *g = run_bounding(&options, &one, 1, 1, 1);
        assert_int_equal(total_at(g, 0, 0), cases[i].sum);
        assert_int_equal(total_at(g, 1, 0), cases[i].squares);
        assert_int_equal(g->collected_count[2], 1);
        assert_true(fabs(g->collected[2][0] - cases[i].clamped) < 1e-300);
        bounded_free(g);
    }
}

static void nan_and_null_add_nothing(void **state)
{
    (void)state;
    bounding_total total[EVERY];
    every_total(total);
    bounding_options options = options_of(total, EVERY);
    const row rows[] = { { WHOLE(1), { WHOLE(1) }, { REAL(NAN) } }, { WHOLE(1), { WHOLE(1) }, { NOTHING } } };
    static const int64_t wanted[] = { 1, 2, 0, 0, 0, 0, 0 };
    bounded *g = run_bounding(&options, rows, 2, 2, 1);
    for (size_t t = 0; t < EVERY; t++) assert_int_equal(total_at(g, t, 0), wanted[t]);
    assert_int_equal(g->collected_count[6], 0);
    bounded_free(g);
}

/* A12: rows without a unit are left out; NULL is a key, and NaN is NULL, and -0 is 0. */
static void keys_are_exact(void **state)
{
    (void)state;
    bounding_total total = total_of(BOUNDING_ROWS);
    bounding_options options = options_of(&total, 1);
    options.key_types = real_key;
    options.keys = 2;
    const row rows[] = {
        { WHOLE(1), { REAL(0.0), TEXT("a") }, { REAL(1) } },
        { WHOLE(1), { REAL(-0.0), TEXT("a") }, { REAL(1) } },
        { WHOLE(1), { REAL(NAN), TEXT("") }, { REAL(1) } },
        { WHOLE(1), { NOTHING, TEXT("") }, { REAL(1) } },
        { WHOLE(1), { REAL(0.0), TEXT("A") }, { REAL(1) } },
        { WHOLE(1), { REAL(0.0), NOTHING }, { REAL(1) } },
        { NOTHING, { REAL(7.0), TEXT("x") }, { REAL(1) } },
        { NOTHING, { REAL(0.0), TEXT("a") }, { REAL(1) } },
        { WHOLE(1), { REAL(-NAN), TEXT("") }, { REAL(1) } },
    };
    static const struct {
        query_value key[2];
        int64_t rows;
    } wanted[] = {
        { { { .real = 0 }, { .text = "a", .length = 1 } }, 2 },
        { { { .null = true }, { .text = "", .length = 0 } }, 3 },
        { { { .real = 0 }, { .text = "A", .length = 1 } }, 1 },
        { { { .real = 0 }, { .null = true } }, 1 },
    };
    bounded *g = run_bounding(&options, rows, sizeof rows / sizeof *rows, 4, 1);
    assert_int_equal(g->groups, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(total_at(g, 0, find_group(g, &options, wanted[i].key)), wanted[i].rows);
    for (size_t i = 0; i < 4; i++)
        if (g->key[2 * i + 1].text) assert_int_equal(g->key[2 * i + 1].text[g->key[2 * i + 1].length], '\0');
    bounded_free(g);
}

/* A16: public groups are all there, in their order, and nothing else is; keys of other groups do not
 * count toward any bound. */
static void public_groups_come_first(void **state)
{
    (void)state;
    bounding_total total[2] = { total_of(BOUNDING_ROWS), total_of(BOUNDING_UNITS) };
    bounding_options options = options_of(total, 2);
    const query_value groups[] = { { .text = "b", .length = 1 },
                                   { .text = "", .length = 0 },
                                   { .null = true } };
    options.key_types = text_key;
    options.groups = groups;
    options.groups_count = 3;
    options.groups_per_unit = 1;
    options.rows_per_group = 1;
    options.rows_per_unit = 1;
    row rows[40];
    for (size_t i = 0; i < 40; i++)
        rows[i] = (row){ WHOLE((int64_t)i / 10), { TEXT(i % 10 == 3 ? "b" : "other") }, { REAL(1) } };
    for (uint64_t seed = 0; seed < 20; seed++) {
        bounded *g = run_bounding(&options, rows, 40, 40, seed);
        assert_int_equal(g->groups, 3);
        assert_string_equal(g->key[0].text, "b");
        assert_string_equal(g->key[1].text, "");
        assert_true(g->key[2].null);
        assert_int_equal(total_at(g, 0, 0), 4);
        assert_int_equal(g->units[0], 4);
        assert_int_equal(g->units[1] + g->units[2], 0);
        bounded_free(g);
    }
}

static void without_keys_there_is_one_group(void **state)
{
    (void)state;
    bounding_total total[2] = { total_of(BOUNDING_ROWS), total_of(BOUNDING_SUM) };
    bounding_options options = options_of(total, 2);
    options.keys = 0;
    options.rows_per_group = 2;
    row rows[9];
    for (size_t i = 0; i < 9; i++) rows[i] = (row){ WHOLE((int64_t)i % 2), { NOTHING }, { REAL(1) } };
    for (size_t n = 0; n <= 9; n += 9) {
        bounded *g = run_bounding(&options, rows, n, 9, 1);
        assert_int_equal(g->groups, 1);
        assert_int_equal(total_at(g, 0, 0), n ? 4 : 0);
        assert_int_equal(total_at(g, 1, 0), n ? 16 : 0);
        assert_int_equal(g->units[0], n ? 2 : 0);
        bounded_free(g);
    }
}

/* A18, A29: whatever a unit holds, it is in so many groups, with so many rows. */
static void one_unit_is_bounded(void **state)
{
    (void)state;
    bounding_total total[4] = { total_of(BOUNDING_ROWS), total_of(BOUNDING_SUM), total_of(BOUNDING_DISTINCT),
                                total_of(BOUNDING_UNITS) };
    bounding_options options = options_of(total, 4);
    enum { N = 5000 };
    row *rows = calloc(N, sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < N; i++)
        rows[i] = (row){ WHOLE(7), { WHOLE((int64_t)i % 100) }, { REAL((double)(i % 1000) / 100) } };
    static const uint32_t limits[][3] = { { 1, 1, 0 }, { 3, 2, 0 },     { 100, 1, 0 },
                                          { 4, 7, 5 }, { 100, 100, 1 }, { 1, 100, 0 } };
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        options.groups_per_unit = limits[l][0];
        options.rows_per_group = limits[l][1];
        options.rows_per_unit = limits[l][2];
        bounded *g = run_bounding(&options, rows, N, 1000, l);
        int64_t all = 0, groups = 0;
        for (size_t i = 0; i < g->groups; i++) {
            assert_in_range(total_at(g, 0, i), 1, limits[l][1]);
            assert_in_range(total_at(g, 2, i), 1, limits[l][1]);
            assert_in_range(total_at(g, 1, i), 0, 40 * limits[l][1]);
            assert_int_equal(total_at(g, 3, i), 1);
            all += total_at(g, 0, i);
            groups++;
        }
        assert_in_range(groups, 1, limits[l][0]);
        if (limits[l][2]) assert_in_range(all, 1, limits[l][2]);
        if (!limits[l][2]) assert_int_equal(groups, limits[l][0]);
        bounded_free(g);
    }
    free(rows);
}

/* Of a unit's values at most rows_per_group different ones count, and values of several units once. */
static void different_values_are_counted_once(void **state)
{
    (void)state;
    static const dusk_cell_type text_value[] = { DUSK_CELL_TEXT };
    bounding_total total = total_of(BOUNDING_DISTINCT);
    bounding_options options = options_of(&total, 1);
    options.keys = 0;
    options.rows_per_group = 2;
    const row numbers[] = {
        { WHOLE(1), { NOTHING }, { REAL(0.0) } }, { WHOLE(1), { NOTHING }, { REAL(-0.0) } },
        { WHOLE(1), { NOTHING }, { NOTHING } },   { WHOLE(2), { NOTHING }, { REAL(0.0) } },
        { WHOLE(2), { NOTHING }, { REAL(NAN) } }, { WHOLE(2), { NOTHING }, { REAL(1.0) } },
    };
    bounded *g = run_bounding(&options, numbers, 6, 2, 1);
    assert_int_equal(total_at(g, 0, 0), 2);
    bounded_free(g);
    options.value_types = text_value;
    const row texts[] = {
        { WHOLE(1), { NOTHING }, { TEXT("a") } }, { WHOLE(1), { NOTHING }, { TEXT("b") } },
        { WHOLE(1), { NOTHING }, { TEXT("c") } }, { WHOLE(1), { NOTHING }, { TEXT("d") } },
        { WHOLE(2), { NOTHING }, { TEXT("") } },  { WHOLE(3), { NOTHING }, { TEXT("") } },
        { WHOLE(3), { NOTHING }, { NOTHING } },
    };
    g = run_bounding(&options, texts, 7, 7, 1);
    assert_int_equal(total_at(g, 0, 0), 3);
    bounded_free(g);
}

static void totals_of_units_are_clamped(void **state)
{
    (void)state;
    bounding_total total = total_of(BOUNDING_SUM);
    bounding_options options = options_of(&total, 1);
    options.keys = 0;
    options.value_types = whole_values;
    total.lower = -10;
    total.unit_low = -4.9;
    total.unit_high = 6.3;
    row rows[6];
    static const struct {
        int64_t each, wanted;
    } cases[] = { { 1, 24 }, { 2, 25 }, { 10, 25 }, { -1, -19 }, { -10, -19 }, { 0, 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t k = 0; k < 6; k++) rows[k] = (row){ WHOLE(1), { NOTHING }, { WHOLE(cases[i].each) } };
        bounded *g = run_bounding(&options, rows, 6, 6, 1);
        assert_int_equal(total_at(g, 0, 0), cases[i].wanted);
        bounded_free(g);
    }
    /* a unit without a value adds nothing, even where its total would be clamped to more */
    total.unit_low = 1;
    const row absent = { WHOLE(1), { NOTHING }, { NOTHING } };
    bounded *g = run_bounding(&options, &absent, 1, 1, 1);
    assert_int_equal(total_at(g, 0, 0), 0);
    bounded_free(g);
}

static void texts_are_units(void **state)
{
    (void)state;
    bounding_total total[2] = { total_of(BOUNDING_UNITS), total_of(BOUNDING_ROWS) };
    bounding_options options = options_of(total, 2);
    options.unit_type = DUSK_CELL_TEXT;
    options.keys = 0;
    options.rows_per_group = 1;
    row rows[600];
    char names[200][8];
    for (size_t i = 0; i < 200; i++) snprintf(names[i], sizeof names[i], "u%zu", i);
    for (size_t i = 0; i < 600; i++) rows[i] = (row){ TEXT(names[i % 200]), { NOTHING }, { REAL(1) } };
    rows[0].unit.text = rows[200].unit.text = "";
    bounded *g = run_bounding(&options, rows, 600, 100, 1);
    assert_int_equal(total_at(g, 0, 0), 201);
    assert_int_equal(total_at(g, 1, 0), 201);
    bounded_free(g);
}

/* A5 to A9: sums are exact, whatever the order. */
static void sums_are_exact(void **state)
{
    (void)state;
    bounding_total total = total_of(BOUNDING_SUM);
    bounding_options options = options_of(&total, 1);
    enum { N = 1001 };
    row *rows = calloc(N, sizeof *rows);
    assert_non_null(rows);
    options.keys = 0;
    total = (bounding_total){
        .kind = BOUNDING_SUM, .upper = 0x1p53, .reach = 0x1p53, .grid = -8, .unit_low = NAN, .unit_high = NAN
    };
    for (size_t first = 0; first < 2; first++) {
        for (size_t i = 0; i < N; i++)
            rows[i] = (row){ WHOLE((int64_t)i), { NOTHING }, { REAL(i == first * (N - 1) ? 0x1p53 : 1) } };
        bounded *g = run_bounding(&options, rows, N, 64, 1);
        assert_true(g->sum[0] == (dusk_int128)((UINT64_C(1) << 53) + 1000) << 8);
        bounded_free(g);
    }
    /* the largest terms there can be */
    total.upper = total.reach = 0x1p62;
    total.grid = 0;
    for (size_t i = 0; i < N; i++) rows[i].value[0].real = INFINITY;
    bounded *g = run_bounding(&options, rows, N, 64, 1);
    assert_true(g->sum[0] == (dusk_int128)N << 62);
    bounded_free(g);
    free(rows);
}

static void refuses(const bounding_options *options)
{
    bounded *out;
    dusk_error err = { .message = "" };
    assert_int_equal(try_bounding(&out, options, NULL, 0, 1, 1, &err), DUSK_ERR_ARGUMENT);
    assert_true(strlen(err.message) > 0);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    bounding_total total = total_of(BOUNDING_SUM);
    const bounding_options good = options_of(&total, 1);
    bounding_options bad;
    bounded_free(run_bounding(&good, NULL, 0, 1, 1));
#define TRY(change) (bad = good, (change), refuses(&bad))
    TRY(bad.unit_type = DUSK_CELL_REAL);
    TRY(bad.groups_per_unit = 0);
    TRY(bad.rows_per_group = 0);
    TRY(bad.values = 0);
    TRY(bad.value_types = text_key);
    bad = good;
    const bounding_total right = total;
#define TRY_TOTAL(change) (total = right, (change), refuses(&good))
    TRY_TOTAL(total.kind = 0);
    TRY_TOTAL(total.kind = BOUNDING_COLLECT + 1);
    TRY_TOTAL(total.value = 1);
    TRY_TOTAL(total.lower = NAN);
    TRY_TOTAL(total.upper = INFINITY);
    TRY_TOTAL(total.lower = 11);
    TRY_TOTAL(total.centre = NAN);
    TRY_TOTAL(total.reach = NAN);
    TRY_TOTAL(total.reach = -1);
    TRY_TOTAL(total.grid = -60);
    TRY_TOTAL(total.grid = 1000);
    TRY_TOTAL(total.unit_low = 1);
    TRY_TOTAL((total.unit_low = 3, total.unit_high = 2));
    TRY_TOTAL((total.unit_low = 3, total.unit_high = 0x1p61));
    TRY_TOTAL((total.unit_low = 3, total.unit_high = 4, total.kind = BOUNDING_SQUARES));
    total = right;
    const query_value twice[] = { { .integer = 3 }, { .integer = 4 }, { .integer = 3 } };
    bad.groups = twice;
    bad.groups_count = 3;
    refuses(&bad);
    bad.groups_count = 2;
    bounded_free(run_bounding(&bad, NULL, 0, 1, 1));
}

static void a_bounding_is_finished_once(void **state)
{
    (void)state;
    bounding_total total = total_of(BOUNDING_ROWS);
    bounding_options options = options_of(&total, 1), other = options;
    dusk_generator *gen = seeded(1);
    bounding *b;
    bounded *g, *again;
    const row one = { WHOLE(1), { WHOLE(1) }, { REAL(1) } };
    assert_int_equal(bounding_new(&b, &options, gen, NULL), DUSK_OK);
    other.values = 0;
    assert_int_equal(add_rows_to(b, &other, &one, 1, NULL), DUSK_ERR_INTERNAL);
    other = options;
    other.unit_type = DUSK_CELL_TEXT;
    assert_int_equal(add_rows_to(b, &other, &one, 1, NULL), DUSK_ERR_INTERNAL);
    assert_int_equal(add_rows_to(b, &options, &one, 1, NULL), DUSK_OK);
    assert_int_equal(bounding_finish(b, &g, NULL), DUSK_OK);
    assert_int_equal(bounding_finish(b, &again, NULL), DUSK_ERR_INTERNAL);
    assert_int_equal(add_rows_to(b, &options, &one, 1, NULL), DUSK_ERR_INTERNAL);
    assert_null(again);
    bounding_free(b);
    assert_int_equal(g->units[0], 1);
    bounded_free(g);
    bounded_free(NULL);
    bounding_free(NULL);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_within_bounds),
        cmocka_unit_test(values_are_clamped_and_rounded_to_zero),
        cmocka_unit_test(nan_and_null_add_nothing),
        cmocka_unit_test(keys_are_exact),
        cmocka_unit_test(public_groups_come_first),
        cmocka_unit_test(without_keys_there_is_one_group),
        cmocka_unit_test(one_unit_is_bounded),
        cmocka_unit_test(different_values_are_counted_once),
        cmocka_unit_test(totals_of_units_are_clamped),
        cmocka_unit_test(texts_are_units),
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(a_bounding_is_finished_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
