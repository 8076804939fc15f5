/* SPDX-License-Identifier: Apache-2.0 */
/* Random tables: the totals of a table are the sums of those of its units alone, with the same coins,
 * whatever the order of rows, chunks, threads and memory; so neighbours differ by the bounded contribution
 * of one unit, which is as small as the options say. */
#include "bounding_tables.h"
#include "query/bounding_inner.h"

enum { ROWS = 400, UNITS = 9, TOTALS = 6 };

typedef struct table {
    bounding_options options;
    dusk_cell_type key_types[ROW_KEYS], value_types[ROW_VALUES];
    bounding_total total[TOTALS];
    query_value groups[3 * ROW_KEYS];
    row rows[ROWS];
    size_t n;
    uint64_t seed;
} table;

static const char *const words[] = { "", "a", "b", "aa", "ab", "a longer text that is no name", "c" };

static cell random_cell(dusk_cell_type type, uint64_t *random, unsigned different)
{
    uint64_t x = splitmix64(random) % different;
    static const double odd[] = { 0, -0.0, NAN, INFINITY, -INFINITY, 0x1p-1074, 1e300, -3.5 };
    if (splitmix64(random) % 12 == 0) return (cell)NOTHING;
    if (type == DUSK_CELL_TEXT) return (cell)TEXT(words[x % 7]);
    if (type == DUSK_CELL_INTEGER) return (cell)WHOLE((int64_t)x - 2);
    if (splitmix64(random) % 8 == 0) return (cell)REAL(odd[x % 8]);
    return (cell)REAL((double)x * 0.37 - 1);
}

static dusk_cell_type random_type(uint64_t *random) { return (dusk_cell_type)(1 + splitmix64(random) % 3); }

static bounding_total random_total(const table *t, uint64_t *random)
{
    bounding_total total = { .kind = (bounding_kind)(1 + splitmix64(random) % 7),
                             .lower = -2,
                             .upper = 1 + (double)(splitmix64(random) % 4),
                             .centre = (double)(splitmix64(random) % 2),
                             .half_square = 1,
                             .reach = 6.3,
                             .grid = -(int)(splitmix64(random) % 20),
                             .unit_low = NAN,
                             .unit_high = NAN };
    total.value = splitmix64(random) % ROW_VALUES;
    bool is_number = t->value_types[total.value] != DUSK_CELL_TEXT;
    if (!is_number && total.kind != BOUNDING_VALUES && total.kind != BOUNDING_DISTINCT)
        total.kind = BOUNDING_DISTINCT;
    if (total.kind == BOUNDING_SUM && splitmix64(random) % 2) {
        total.unit_low = -3.25;
        total.unit_high = 2.6;
    }
    return total;
}

static void make_table(table *t, uint64_t seed)
{
    uint64_t random = seed * 1000003;
    *t = (table){ .seed = seed, .n = splitmix64(&random) % ROWS };
    bounding_options *o = &t->options;
    o->unit_type = splitmix64(&random) % 2 ? DUSK_CELL_INTEGER : DUSK_CELL_TEXT;
    o->keys = splitmix64(&random) % (ROW_KEYS + 1);
    o->values = ROW_VALUES;
    for (size_t i = 0; i < ROW_KEYS; i++) t->key_types[i] = random_type(&random);
    for (size_t i = 0; i < ROW_VALUES; i++) t->value_types[i] = random_type(&random);
    o->key_types = t->key_types;
    o->value_types = t->value_types;
    o->totals = TOTALS;
    o->total = t->total;
    for (size_t i = 0; i < TOTALS; i++) t->total[i] = random_total(t, &random);
    o->groups_per_unit = 1 + (uint32_t)(splitmix64(&random) % 5);
    o->rows_per_group = 1 + (uint32_t)(splitmix64(&random) % 4);
    o->rows_per_unit = splitmix64(&random) % 2 ? 1 + (uint32_t)(splitmix64(&random) % 12) : 0;
    o->threads = 1;
    for (size_t i = 0; i < t->n; i++) {
        row *r = &t->rows[i];
        unsigned u = (unsigned)(splitmix64(&random) % UNITS);
        if (splitmix64(&random) % 3 == 0) u = 0; /* one who has many */
        r->unit =
            o->unit_type == DUSK_CELL_INTEGER ? (cell)WHOLE((int64_t)u * 7 - 3) : (cell)TEXT(words[u % 7]);
        for (size_t k = 0; k < ROW_KEYS; k++) r->key[k] = random_cell(t->key_types[k], &random, 4);
        for (size_t v = 0; v < ROW_VALUES; v++) r->value[v] = random_cell(t->value_types[v], &random, 6);
    }
    if (o->keys == 0 || splitmix64(&random) % 2) return;
    o->groups = t->groups; /* three that differ in their first key */
    o->groups_count = 3;
    for (size_t g = 0; g < 3; g++)
        for (size_t k = 0; k < o->keys; k++)
            t->groups[g * o->keys + k] = (query_value){ .null = g == 2,
                                                        .integer = (int64_t)g,
                                                        .real = (double)g * 0.37 - 1,
                                                        .text = words[g],
                                                        .length = strlen(words[g]) };
}

static bool same_unit(const table *t, const row *a, const row *b)
{
    if (t->options.unit_type == DUSK_CELL_INTEGER) return a->unit.integer == b->unit.integer;
    return strcmp(a->unit.text, b->unit.text) == 0;
}

static void assert_same(const table *t, const bounded *a, const bounded *b)
{
    assert_int_equal(a->groups, b->groups);
    for (size_t g = 0; g < a->groups; g++) {
        size_t h = find_group(b, &t->options, &a->key[g * t->options.keys]);
        assert_true(h < b->groups);
        assert_int_equal(a->units[g], b->units[h]);
        for (size_t i = 0; i < TOTALS; i++) {
            size_t at = i * a->groups + g, there = i * a->groups + h;
            assert_true(a->sum[at] == b->sum[there]);
            assert_int_equal(a->collected_count[at], b->collected_count[there]);
            if (a->collected_count[at])
                assert_memory_equal(a->collected[at], b->collected[there],
                                    a->collected_count[at] * sizeof(double));
        }
    }
}

static void shuffle(table *t, uint64_t random)
{
    for (size_t i = t->n; i > 1; i--) {
        size_t j = splitmix64(&random) % i;
        row swap = t->rows[i - 1];
        t->rows[i - 1] = t->rows[j];
        t->rows[j] = swap;
    }
}

/* All in memory, all blocks in the file and every unit too large for the memory, and in between. */
static void nothing_but_rows_and_coins_matters(void **state)
{
    static const size_t memories[] = { 0, 1, 6000, 20000, 60000, 200000 };
    (void)state;
    static table t;
    for (uint64_t seed = 0; seed < 120; seed++) {
        make_table(&t, seed);
        bounded *first = run_bounding(&t.options, t.rows, t.n, ROWS, seed);
        for (unsigned way = 0; way < 6; way++) {
            shuffle(&t, seed + way);
            t.options.threads = 1 + way % 4;
            t.options.memory = memories[way];
            bounded *again = run_bounding(&t.options, t.rows, t.n, way < 3 ? 1 + 7 * way : ROWS, seed);
            assert_same(&t, first, again);
            bounded_free(again);
        }
        bounded_free(first);
    }
}

/* The rows of the units for which `in` says so. */
static size_t rows_of(const table *t, row *out, const row *unit, bool in)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        if (same_unit(t, &t->rows[i], unit) == in) out[n++] = t->rows[i];
    return n;
}

static dusk_int128 at_key(const table *t, const bounded *g, size_t total, const query_value *key)
{
    size_t h = find_group(g, &t->options, key);
    return h < g->groups ? g->sum[total * g->groups + h] : 0;
}

static uint64_t units_at(const table *t, const bounded *g, const query_value *key)
{
    size_t h = find_group(g, &t->options, key);
    return h < g->groups ? g->units[h] : 0;
}

/* The most that one unit adds to a total of a group. */
static double largest(const table *t, const bounding_total *total)
{
    double rows = t->options.rows_per_group, steps = ldexp(total->reach, -total->grid);
    if (t->options.rows_per_unit && t->options.rows_per_unit < rows) rows = t->options.rows_per_unit;
    if (total->kind == BOUNDING_UNITS) return 1;
    if (total->kind == BOUNDING_SUM && !isnan(total->unit_low))
        return fmin(rows * steps, floor(ldexp(3.25, -total->grid)));
    if (total->kind == BOUNDING_SUM || total->kind == BOUNDING_SQUARES) return rows * steps;
    return rows;
}

static void check_neighbours(const table *t, const bounded *all, const bounded *without, const bounded *alone)
{
    uint64_t touched = 0;
    for (size_t g = 0; g < all->groups; g++) {
        const query_value *key = &all->key[g * t->options.keys];
        uint64_t moved = all->units[g] - units_at(t, without, key);
        assert_int_equal(moved, units_at(t, alone, key));
        assert_in_range(moved, 0, 1);
        touched += moved;
        for (size_t i = 0; i < TOTALS; i++) {
            const bounding_total *total = &t->total[i];
            dusk_int128 change = all->sum[i * all->groups + g] - at_key(t, without, i, key);
            dusk_int128 own = at_key(t, alone, i, key);
            assert_true(fabs((double)change) <= largest(t, total));
            if (total->kind == BOUNDING_DISTINCT)
                assert_true(change >= 0 && change <= own);
            else
                assert_true(change == own);
            if (!moved) assert_true(change == 0);
        }
    }
    assert_in_range(touched, 0, t->options.groups_per_unit);
}

static void check_lists(const table *t, const bounded *all, const bounded *without, const bounded *alone)
{
    for (size_t g = 0; g < all->groups; g++) {
        const query_value *key = &all->key[g * t->options.keys];
        size_t a = find_group(without, &t->options, key), b = find_group(alone, &t->options, key);
        for (size_t i = 0; i < TOTALS; i++) {
            size_t n = all->collected_count[i * all->groups + g];
            size_t m = a < without->groups ? without->collected_count[i * without->groups + a] : 0;
            size_t k = b < alone->groups ? alone->collected_count[i * alone->groups + b] : 0;
            assert_int_equal(n, m + k);
            double sum[3] = { 0 }; /* of clamped values: exact, they are few and near 1 */
            for (size_t j = 0; j < n; j++) sum[0] += all->collected[i * all->groups + g][j];
            for (size_t j = 0; j < m; j++) sum[1] += without->collected[i * without->groups + a][j];
            for (size_t j = 0; j < k; j++) sum[1] += alone->collected[i * alone->groups + b][j];
            assert_true(fabs(sum[0] - sum[1]) < 1e-9);
        }
    }
}

/* l0 and l1 of what one unit adds, and that no row goes that might stay. */
static void check_alone(const table *t, const bounded *alone, size_t held)
{
    uint64_t groups = 0, rows = 0;
    size_t total = TOTALS;
    for (size_t i = 0; i < TOTALS; i++)
        if (t->total[i].kind == BOUNDING_ROWS) total = i;
    for (size_t g = 0; g < alone->groups; g++) {
        groups += alone->units[g];
        if (total < TOTALS) rows += (uint64_t)alone->sum[total * alone->groups + g];
    }
    uint64_t most = (uint64_t)t->options.groups_per_unit * t->options.rows_per_group;
    if (t->options.rows_per_unit && t->options.rows_per_unit < most) most = t->options.rows_per_unit;
    assert_in_range(groups, 0, t->options.groups_per_unit);
    assert_in_range(rows, 0, most);
    if (t->options.keys == 0 && total < TOTALS) { /* one group: as many as may */
        most = t->options.rows_per_group;
        if (t->options.rows_per_unit && t->options.rows_per_unit < most) most = t->options.rows_per_unit;
        assert_int_equal(rows, held < most ? held : most);
    }
}

static void neighbours_differ_by_one_bounded_unit(void **state)
{
    (void)state;
    static table t;
    static row some[ROWS];
    for (uint64_t seed = 0; seed < 250; seed++) {
        make_table(&t, seed);
        if (t.n == 0) continue;
        t.options.memory = seed % 3 * 9000;
        bounded *all = run_bounding(&t.options, t.rows, t.n, ROWS, seed);
        for (size_t k = 0; k < 3; k++) {
            const row who = t.rows[k % t.n];
            size_t n = rows_of(&t, some, &who, false);
            bounded *without = run_bounding(&t.options, some, n, ROWS, seed);
            n = rows_of(&t, some, &who, true);
            bounded *alone = run_bounding(&t.options, some, n, ROWS, seed);
            check_neighbours(&t, all, without, alone);
            check_lists(&t, all, without, alone);
            check_alone(&t, alone, n);
            bounded_free(without);
            bounded_free(alone);
        }
        bounded_free(all);
    }
}

/* Names of texts that collide: the texts decide. */
static void texts_decide_where_names_are_the_same(void **state)
{
    (void)state;
    static table t;
    for (uint64_t seed = 0; seed < 60; seed++) {
        make_table(&t, seed);
        if (t.options.unit_type != DUSK_CELL_TEXT) continue;
        bounded *first = run_bounding(&t.options, t.rows, t.n, ROWS, seed), *again;
        dusk_generator *gen = seeded(seed);
        bounding *b;
        assert_int_equal(bounding_new(&b, &t.options, gen, NULL), DUSK_OK);
        b->name_mask = (uint64_t)seed % 2 << 63;
        assert_int_equal(add_rows_to(b, &t.options, t.rows, t.n, NULL), DUSK_OK);
        assert_int_equal(bounding_finish(b, &again, NULL), DUSK_OK);
        assert_same(&t, first, again);
        bounding_free(b);
        dusk_generator_free(gen);
        bounded_free(first);
        bounded_free(again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_but_rows_and_coins_matters),
        cmocka_unit_test(neighbours_differ_by_one_bounded_unit),
        cmocka_unit_test(texts_decide_where_names_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
