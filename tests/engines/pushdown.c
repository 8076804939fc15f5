/* SPDX-License-Identifier: Apache-2.0 */
/* Bounding on the server beside bounding here, of the same rows by the same engine: the same totals, bit by bit, where
 * nothing is cut; and what a unit adds is a function of its own rows. A PostgreSQL cluster of its own; skipped
 * where there is none. */
#include <float.h>

#include "failing_memory.h"
#include "pushdown_runs.h"

/* --- random rows --------------------------------------------------------------------------------------- */

static const double odd_reals[] = { NAN,     INFINITY, -INFINITY,  0.0,    -0.0, 5e-324,   -5e-324, 1e-200,
                                    -1e-162, 1.5e-162, 1e308,      -1e308, 0.1,  -0.1,     2.5,     -2.5,
                                    1,       3,        1e15 + 0.3, 0x1p62, 1e-3, 12345.678 };
static const int64_t odd_integers[] = { INT64_MIN, INT64_MAX, 0, 1, -1, 9007199254740993, 2, 3 };
static const char *const odd_texts[] = { "",
                                         "a",
                                         "A",
                                         "a ",
                                         "'",
                                         "\"",
                                         "\\",
                                         "\\x00",
                                         "{",
                                         "NULL,",
                                         "\n",
                                         "\xC3\xA4\xE2\x82\xAC",
                                         "a longer text than most" };
#define COUNT(list) (sizeof(list) / sizeof *(list))

static cell random_cell(dusk_cell_type type, uint64_t *r, size_t choices)
{
    if (splitmix64(r) % 9 == 0) return (cell)NOTHING;
    uint64_t pick = splitmix64(r);
    if (type == DUSK_CELL_INTEGER) return (cell)WHOLE(odd_integers[pick % choices % COUNT(odd_integers)]);
    if (type == DUSK_CELL_TEXT) return (cell)TEXT(odd_texts[pick % choices % COUNT(odd_texts)]);
    if (choices > 50 && pick % 2) return (cell)REAL((double)(int64_t)splitmix64(r) / 0x1p53);
    return (cell)REAL(odd_reals[pick / 2 % choices % COUNT(odd_reals)]);
}

static void random_rows(row *rows, size_t n, const bounding_options *o, uint64_t *r)
{
    for (size_t i = 0; i < n; i++) {
        rows[i].unit = random_cell(o->unit_type, r, 100);
        for (size_t k = 0; k < o->keys; k++) rows[i].key[k] = random_cell(o->key_types[k], r, 4);
        for (size_t v = 0; v < o->values; v++) rows[i].value[v] = random_cell(o->value_types[v], r, 100);
    }
}

static query_value value_of(const cell *c)
{
    return (query_value){ .null = c->null || isnan(c->real),
                          .integer = c->integer,
                          .real = c->real,
                          .text = c->text,
                          .length = c->text ? strlen(c->text) : 0 };
}

/* Different tuples of keys as public groups. */
static size_t random_groups(query_value *out, size_t most, const bounding_options *o, uint64_t *r)
{
    size_t n = 0;
    for (size_t turn = 0; turn < 3 * most && n < most; turn++) {
        query_value *key = out + n * o->keys;
        bounded have = { .groups = n, .key = out };
        for (size_t k = 0; k < o->keys; k++) {
            cell c = random_cell(o->key_types[k], r, 5);
            key[k] = value_of(&c);
        }
        n += find_group(&have, o, key) == SIZE_MAX;
    }
    return n;
}

/* A total with bounds, centre, reach and grid that bounding accepts. */
static bounding_total random_total(bounding_kind kind, size_t value, uint64_t *r)
{
    static const double ends[] = { 0, 1, -1, 0.5, 100, -100, 1e-3, 1e9, -1e9, 1e100, -1e100, 1e-170 };
    double a = ends[splitmix64(r) % COUNT(ends)], b = ends[splitmix64(r) % COUNT(ends)];
    bounding_total total = { .kind = kind,
                             .value = value,
                             .lower = fmin(a, b),
                             .upper = fmax(a, b),
                             .unit_low = NAN,
                             .unit_high = NAN };
    if (splitmix64(r) % 2) total.centre = total.lower + (total.upper - total.lower) / 2;
    double most = fmax(fabs(total.lower - total.centre), fabs(total.upper - total.centre));
    if (kind == BOUNDING_SQUARES) {
        if (splitmix64(r) % 2) total.half_square = most * most / 2;
        most = fmax(most * most - total.half_square, total.half_square);
    }
    total.reach = splitmix64(r) % 4 ? most : most / 3;
    int exponent = total.reach > 0 ? ilogb(total.reach) : 0;
    total.grid = exponent - (int)(splitmix64(r) % 61);
    if (total.grid < -1074) total.grid = -1074;
    if (kind == BOUNDING_SUM && splitmix64(r) % 3 == 0) {
        total.unit_low = -0.7 * total.reach;
        total.unit_high = 0.9 * total.reach;
    }
    return total;
}

enum { TOTALS = 7 };

typedef struct making {
    bounding_options options;
    bounding_total total[TOTALS];
    dusk_cell_type keys[ROW_KEYS], values[ROW_VALUES];
    query_value groups[40 * ROW_KEYS];
} making;

static void random_options(making *m, uint64_t *r)
{
    static const dusk_cell_type any[] = { DUSK_CELL_INTEGER, DUSK_CELL_REAL, DUSK_CELL_TEXT };
    for (size_t k = 0; k < ROW_KEYS; k++) m->keys[k] = any[splitmix64(r) % 3];
    m->values[0] = any[splitmix64(r) % 2];
    m->values[1] = any[splitmix64(r) % 3];
    m->total[0] = (bounding_total){ .kind = BOUNDING_UNITS };
    m->total[1] = (bounding_total){ .kind = BOUNDING_ROWS };
    m->total[2] = (bounding_total){ .kind = BOUNDING_VALUES, .value = 0 };
    m->total[3] = (bounding_total){ .kind = BOUNDING_VALUES, .value = 1 };
    m->total[4] = random_total(BOUNDING_SUM, 0, r);
    m->total[5] = random_total(BOUNDING_SUM, 0, r);
    m->total[6] = random_total(BOUNDING_SQUARES, 0, r);
    m->options = (bounding_options){ .unit_type = splitmix64(r) % 2 ? DUSK_CELL_INTEGER : DUSK_CELL_TEXT,
                                     .key_types = m->keys,
                                     .keys = splitmix64(r) % 3,
                                     .value_types = m->values,
                                     .values = 2,
                                     .total = m->total,
                                     .totals = splitmix64(r) % 5 ? TOTALS : splitmix64(r) % (TOTALS + 1),
                                     .groups_per_unit = 1000,
                                     .rows_per_group = 1000,
                                     .rows_per_unit = splitmix64(r) % 2 ? 1000 : 0,
                                     .threads = 1 };
    if (m->options.keys && splitmix64(r) % 2) {
        m->options.groups = m->groups;
        m->options.groups_count = random_groups(m->groups, splitmix64(r) % 40, &m->options, r);
    } else if (!m->options.keys) {
        m->options.groups_count = 1;
    }
}

/* --- tests ---------------------------------------------------------------------------------------------- */

static void totals_are_those_of_streaming(void **state)
{
    static row rows[200];
    uint64_t r = 20;
    (void)state;
    for (size_t turn = 0; turn < 150; turn++) {
        making m;
        random_options(&m, &r);
        size_t n = splitmix64(&r) % COUNT(rows);
        random_rows(rows, n, &m.options, &r);
        char *sql = sql_of(&m.options, rows, n);
        bounded *a = pushed(&m.options, sql, turn), *b = streamed(&m.options, sql, turn);
        assert_same(a, b, &m.options);
        bounded_free(a);
        bounded_free(b);
        dusk_deallocate(sql);
    }
}

/* Every exponent that a square and a step can have: no error, and the same totals. */
static void nothing_overflows_or_underflows(void **state)
{
    dusk_cell_type real = DUSK_CELL_REAL;
    bounding_total total[4] = { 0 };
    bounding_options o = { .unit_type = DUSK_CELL_INTEGER,
                           .value_types = &real,
                           .values = 1,
                           .total = total,
                           .totals = 4,
                           .groups_per_unit = 1,
                           .rows_per_group = 100000,
                           .groups_count = 1 };
    const char *sql =
        "SELECT 1::bigint, s * m * power(2::float8, e) FROM generate_series(-1074, 1023) e, "
        "(VALUES ('1'::float8), (1.4142135623730951), (1.4142135623730949), (1.9999999999999998)) a(m), "
        "(VALUES (1), (-1)) b(s) WHERE e >= -1022 OR m = 1";
    (void)state;
    for (int t = 0; t < 4; t++)
        total[t] = (bounding_total){ .kind = t < 2 ? BOUNDING_SUM : BOUNDING_SQUARES,
                                     .lower = t < 2 ? -DBL_MAX : -0x1p500,
                                     .upper = t < 2 ? DBL_MAX : 0x1p500,
                                     .reach = t % 2 ? 0x1p900 : 0x1p-1015,
                                     .grid = t % 2 ? 840 : -1074,
                                     .unit_low = NAN,
                                     .unit_high = NAN };
    bounded *a = pushed(&o, sql, 1), *b = streamed(&o, sql, 1);
    assert_same(a, b, &o);
    assert_int_equal(a->units[0], 1);
    bounded_free(a);
    bounded_free(b);
}

/* Bounds that cut: the totals of a table are the sums of those of its units alone, whatever the order of its rows, and
 * a unit adds no more than it may. */
static void totals_are_sums_over_units(void **state)
{
    static row rows[120], part[120];
    uint64_t r = 30;
    (void)state;
    for (uint64_t turn = 0; turn < 40; turn++) {
        making m;
        bounding_options *o = &m.options;
        random_options(&m, &r);
        o->totals = TOTALS;
        o->groups_per_unit = 1 + (uint32_t)splitmix64(&r) % 3;
        o->rows_per_group = 1 + (uint32_t)splitmix64(&r) % 3;
        o->rows_per_unit = splitmix64(&r) % 2 ? 1 + (uint32_t)splitmix64(&r) % 6 : 0;
        random_rows(rows, COUNT(rows), o, &r);
        char *sql = sql_of(o, rows, COUNT(rows));
        bounded *all = pushed(o, sql, turn);
        uint64_t *units = calloc(all->groups + 1, sizeof *units);
        dusk_int128 *sum = calloc(all->groups * TOTALS + 1, sizeof *sum);
        assert_true(units && sum);
        dusk_deallocate(sql);
        for (size_t u = 0; u < (o->unit_type == DUSK_CELL_TEXT ? COUNT(odd_texts) : COUNT(odd_integers));
             u++) {
            size_t n = 0, groups = 0;
            dusk_int128 held = 0;
            for (size_t i = COUNT(rows); i-- > 0;) /* in another order */
                if (!rows[i].unit.null &&
                    (o->unit_type == DUSK_CELL_TEXT ? rows[i].unit.text == odd_texts[u]
                                                    : rows[i].unit.integer == odd_integers[u]))
                    part[n++] = rows[i];
            sql = sql_of(o, part, n);
            bounded *own = pushed(o, sql, turn);
            for (size_t g = 0; g < own->groups; g++) {
                size_t to = find_group(all, o, own->key + g * o->keys);
                assert_true(to != SIZE_MAX && own->units[g] <= 1);
                groups += own->units[g];
                units[to] += own->units[g];
                assert_in_range(own->sum[own->groups + g], 0, o->rows_per_group);
                held += own->sum[own->groups + g];
                for (size_t t = 0; t < TOTALS; t++) {
                    dusk_int128 x = own->sum[t * own->groups + g];
                    sum[t * all->groups + to] += x;
                    if (t >= 4)
                        assert_true(fabs((double)x) <= 0x1.001p0 * o->rows_per_group *
                                                           ldexp(m.total[t].reach, -m.total[t].grid));
                }
            }
            assert_true(groups <= o->groups_per_unit);
            assert_true(!o->rows_per_unit || held <= o->rows_per_unit);
            bounded_free(own);
            dusk_deallocate(sql);
        }
        for (size_t g = 0; g < all->groups; g++) {
            assert_int_equal(units[g], all->units[g]);
            for (size_t t = 0; t < TOTALS; t++)
                assert_true(sum[t * all->groups + g] == all->sum[t * all->groups + g]);
        }
        free(units);
        free(sum);
        bounded_free(all);
    }
}

#define PARALLEL                                                                                             \
    "&options=-c%20max_parallel_workers_per_gather%3D2%20-c%20parallel_setup_cost%3D0%20-c%20"               \
    "parallel_tuple_cost%3D0%20-c%20min_parallel_table_scan_size%3D0"

/* Whatever plan the server makes, and in whatever order it has the rows: the same choices, and so the same totals. */
static void plans_do_not_matter(void **state)
{
    static const char *const columns[][2] = { { "u", "text" }, { "k", "text" }, { "v", "real" } };
    static const char *const settings[] = {
        "",
        "&options=-c%20enable_hashagg%3Doff%20-c%20enable_incremental_sort%3Doff%20-c%20work_mem%3D64kB",
        PARALLEL,
        "&options=-c%20enable_sort%3Doff%20-c%20enable_hashjoin%3Doff%20-c%20jit_above_cost%3D0",
    };
    static const dusk_cell_type texts[] = { DUSK_CELL_TEXT }, reals[] = { DUSK_CELL_REAL };
    query_value groups[3] = { { .text = "1", .length = 1 }, { .text = "7", .length = 1 }, { .null = true } };
    bounding_total total[2] = {
        { .kind = BOUNDING_ROWS },
        { .kind = BOUNDING_SUM, .upper = 1000, .reach = 1000, .unit_low = NAN, .unit_high = NAN }
    };
    bounding_options o = { .unit_type = DUSK_CELL_TEXT,
                           .key_types = texts,
                           .keys = 1,
                           .value_types = reals,
                           .values = 1,
                           .total = total,
                           .totals = 2,
                           .groups_per_unit = 2,
                           .rows_per_group = 2,
                           .rows_per_unit = 5 };
    dusk_engine *usual = engine;
    bounded *first[2] = { NULL };
    (void)state;
    assert_true(owner_does(pushdown_uri,
                           "CREATE TABLE p AS SELECT (hashint8(i) % 500)::text AS u, nullif(abs(hashint8("
                           "i + 77)) % 9, 0)::text AS k, (i % 400)::float8 AS v FROM "
                           "generate_series(1::bigint, 20000) AS i"));
    for (size_t s = 0; s < 2 * COUNT(settings); s++) {
        bool is_public = s % 2;
        if (s == COUNT(settings)) /* the rows in another order */
            assert_true(owner_does(pushdown_uri, "CREATE INDEX ON p (v); CLUSTER p USING p_v_idx"));
        engine = open_table("p", columns, 3, settings[s / 2]);
        assert_non_null(engine);
        o.groups = is_public ? groups : NULL;
        o.groups_count = is_public ? 3 : 0;
        bounded *g = pushed(&o, "SELECT c0, c1, c2 FROM t0", 11);
        assert_int_equal(g->groups, is_public ? 3 : 9);
        if (first[is_public])
            assert_same(g, first[is_public], &o);
        else
            first[is_public] = g;
        if (first[is_public] != g) bounded_free(g);
        engine->class->close(engine);
    }
    bounded_free(first[0]);
    bounded_free(first[1]);
    engine = usual;
}

/* --- what does not fit, and what fails ---------------------------------------------------------------------- */

static const dusk_cell_type integers[] = { DUSK_CELL_INTEGER, DUSK_CELL_INTEGER };
static const dusk_cell_type value[] = { DUSK_CELL_REAL };
static bounding_total sum_to_16 = {
    .kind = BOUNDING_SUM, .upper = 16, .reach = 16, .unit_low = NAN, .unit_high = NAN
};

static bounding_options plain_options(void)
{
    return (bounding_options){ .unit_type = DUSK_CELL_INTEGER,
                               .key_types = integers,
                               .keys = 2,
                               .value_types = value,
                               .values = 1,
                               .total = &sum_to_16,
                               .totals = 1,
                               .groups_per_unit = 5,
                               .rows_per_group = 5 };
}

static void what_does_not_fit(void **state)
{
    bounding_total total = sum_to_16;
    bounding_options o = plain_options();
    dusk_generator *gen = seeded(1);
    bounded *out;
    query_value bad[2] = { { .text = "a\0b", .length = 3 }, { .text = "c", .length = 1 } };
    dusk_cell_type text = DUSK_CELL_TEXT;
    (void)state;
    o.total = &total;
    assert_false(query_pushdown_pays(engine)); /* by a socket of the file system */
    assert_true(query_pushdown_pays(&(dusk_engine){ .class = engine->class, .remote = true }));
    assert_true(query_pushdown_fits(&o, DUSK_DIALECT_POSTGRES));
    assert_false(query_pushdown_fits(&o, DUSK_DIALECT_SQLITE));
    assert_false(query_pushdown_fits(&o, DUSK_DIALECT_DUCKDB));
    total.kind = BOUNDING_DISTINCT;
    assert_false(query_pushdown_fits(&o, DUSK_DIALECT_POSTGRES));
    assert_int_equal(try_pushdown(&out, &o, "SELECT 1", gen), DUSK_ERR_UNSUPPORTED);
    assert_null(out);
    total.kind = BOUNDING_COLLECT;
    assert_false(query_pushdown_fits(&o, DUSK_DIALECT_POSTGRES));
    total = (bounding_total){ .kind = BOUNDING_SUM, .lower = -DBL_MAX, .upper = 1, .centre = 1e300 };
    assert_false(query_pushdown_fits(&o, DUSK_DIALECT_POSTGRES));
    total = (bounding_total){ .kind = BOUNDING_SQUARES, .upper = 1e160 };
    assert_false(query_pushdown_fits(&o, DUSK_DIALECT_POSTGRES));
    total = (bounding_total){ .kind = BOUNDING_SQUARES, .upper = 1e150, .half_square = -DBL_MAX };
    total.half_square = -DBL_MAX;
    total.upper = 1e154;
    assert_false(query_pushdown_fits(&o, DUSK_DIALECT_POSTGRES));
    total = sum_to_16;
    o.keys = 1;
    o.key_types = &text;
    o.groups = bad;
    o.groups_count = 2;
    assert_false(query_pushdown_fits(&o, DUSK_DIALECT_POSTGRES));
    bad[0] = bad[1];
    assert_true(query_pushdown_fits(&o, DUSK_DIALECT_POSTGRES));
    assert_int_equal(try_pushdown(&out, &o, "SELECT 1", gen), DUSK_ERR_ARGUMENT);
    o.groups_count = PUSHDOWN_GROUPS_MAX + 1;
    assert_false(query_pushdown_fits(&o, DUSK_DIALECT_POSTGRES));
    o.groups_count = 1;
    o.rows_per_group = 0;
    assert_int_equal(try_pushdown(&out, &o, "SELECT 1", gen), DUSK_ERR_ARGUMENT);
    dusk_generator_free(gen);
}

static void failures(void **state)
{
    bounding_options o = plain_options();
    dusk_generator *gen = seeded(1), *empty = zeros(8);
    bounded *out;
    (void)state;
    assert_int_equal(try_pushdown(&out, &o, "SELECT 4321::bigint / 0, 1::bigint, 1::bigint, 1::float8", gen),
                     DUSK_ERR_IO);
    assert_null(strstr(err.message, "4321"));
    assert_null(out);
    assert_int_equal(try_pushdown(&out, &o, "SELECT 1", empty), DUSK_ERR_ENTROPY);
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        dusk_status status = try_pushdown(
            &out, &o, "SELECT i::bigint, i::bigint, 1::bigint, 1::float8 FROM generate_series(1, 5000) i",
            gen);
        if (went_through(status, &err, n, 1000)) break;
        assert_null(out);
    }
    assert_int_equal(out->groups, 5000);
    bounded_free(out);
    dusk_generator_free(gen);
    dusk_generator_free(empty);
}

static int tests(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(totals_are_those_of_streaming),
        cmocka_unit_test(nothing_overflows_or_underflows),
        cmocka_unit_test(totals_are_sums_over_units),
        cmocka_unit_test(plans_do_not_matter),
        cmocka_unit_test(what_does_not_fit),
        cmocka_unit_test(failures),
    };
    return cmocka_run_group_tests(list, pushdown_begin, pushdown_end);
}

int main(void) { return cluster_run(tests); }
