/* SPDX-License-Identifier: Apache-2.0 */
/* Releases of groups made by hand: without noise they are plain arithmetic, with it every group that is shown
 * has some, and the order of rows tells nothing. */
#include "query/release.h"

#include <float.h>

#include "failing_memory.h"
#include "query_plans.h"
#include "seeded.h"

enum { GROUPS = 4, ROWS = 300 };

typedef struct data {
    size_t group[ROWS];
    double value[ROWS];
} data;

static data some_rows(uint64_t seed, double lower, double upper)
{
    data d;
    for (int i = 0; i < ROWS; i++) {
        d.group[i] = splitmix64(&seed) % (GROUPS - 1); /* the last group is empty */
        d.value[i] = lower + (upper - lower) * (double)(splitmix64(&seed) >> 11) * 0x1p-53;
    }
    return d;
}

/* One row a unit. */
static bounded *bound(const query_terms *terms, const data *d)
{
    bounding_options o;
    query_terms_bounding(terms, &o);
    bounded *b = kit_bounded(GROUPS, o.keys, o.totals);
    for (int i = 0; i < ROWS; i++) {
        kit_add_row(b, &o, d->group[i], &d->value[i]);
        kit_add_unit(b, &o, d->group[i]);
    }
    return b;
}

static size_t totals_of(const query_terms *terms)
{
    bounding_options o;
    query_terms_bounding(terms, &o);
    return o.totals;
}

static dusk_result *run(const plan_kit *kit, const query_terms *terms, const data *d, dusk_generator *gen)
{
    bounded *b = bound(terms, d);
    dusk_result *result = NULL;
    dusk_error err = { 0 };
    dusk_status status = query_release(&result, &kit->plan, terms, b, gen, &err);
    if (status != DUSK_OK) fail_msg("release: %s", err.message);
    kit_bounded_free(b, totals_of(terms));
    return result;
}

static double cell(const dusk_result *r, size_t row, size_t column)
{
    return dusk_result_cell(r, row, column)->number;
}

static bool near(double a, double b, double by) { return fabs(a - b) <= by; }

static void all_measures(plan_kit *kit, double lower, double upper)
{
    for (int kind = QUERY_COUNT_ROWS; kind <= QUERY_MAXIMUM; kind++)
        kit_add(kit, (query_measure_kind)kind, 0, lower, upper);
}

typedef struct plain {
    double n, sum, mean, population, sample, least, most, median;
} plain;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static plain plain_of(const data *d, size_t group)
{
    plain p = { 0 };
    double rows[ROWS];
    for (int i = 0; i < ROWS; i++)
        if (d->group[i] == group) rows[(size_t)p.n++] = d->value[i];
    for (size_t i = 0; i < (size_t)p.n; i++) p.sum += rows[i];
    p.mean = p.sum / p.n;
    for (size_t i = 0; i < (size_t)p.n; i++) p.population += (rows[i] - p.mean) * (rows[i] - p.mean) / p.n;
    p.sample = p.population * p.n / (p.n - 1);
    qsort(rows, (size_t)p.n, sizeof *rows, by_size);
    p.least = rows[0];
    p.most = rows[(size_t)p.n - 1];
    p.median = (rows[((size_t)p.n - 1) / 2] + rows[(size_t)p.n / 2]) / 2;
    return p;
}

static void check_plain(const dusk_result *r, size_t row, const data *d)
{
    plain p = plain_of(d, row);
    const double wanted[] = { p.n,
                              p.n,
                              p.n,
                              p.n,
                              p.sum,
                              p.mean,
                              p.sample,
                              p.population,
                              sqrt(p.sample),
                              sqrt(p.population),
                              p.median,
                              p.least,
                              p.most };
    assert_true(cell(r, row, 0) == (double)row);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const dusk_cell *c = dusk_result_cell(r, row, 1 + i);
        if (!near(c->number, wanted[i], 1e-9 * (1 + fabs(wanted[i]))))
            fail_msg("measure %zu of group %zu is %.17g, not %.17g", i, row, c->number, wanted[i]);
        assert_true(c->low <= wanted[i] && wanted[i] <= c->high);
        assert_false(c->exact || c->null);
    }
}

static void without_noise_it_is_plain_arithmetic(void **state)
{
    for (int kind = 0; kind < 4; kind++) {
        plan_kit kit;
        data d = some_rows((uint64_t)kind, -3, 8);
        dusk_query_options o = kit_options(1, 1e-6, kind % 2 ? DUSK_QUERY_GAUSSIAN : DUSK_QUERY_LAPLACE);
        kit_open(&kit, 1, 1, kind < 2);
        all_measures(&kit, -3, 8);
        query_terms *terms = kit_terms(&kit, &o, DUSK_ADD_REMOVE);
        query_release_without_noise(true);
        dusk_result *r = run(&kit, terms, &d, *state);
        query_release_without_noise(false);
        assert_int_equal(dusk_result_rows(r), kind < 2 ? GROUPS : GROUPS - 1); /* nobody is in the last */
        assert_int_equal(dusk_result_columns(r), 14);
        assert_string_equal(dusk_result_name(r, 3), "o3");
        for (size_t g = 0; g < GROUPS - 1; g++) check_plain(r, g, &d);
        dusk_result_free(r);
        query_terms_free(terms);
    }
}

/* A sum by itself, and whole ones, which stay whole. */
static void sums_alone_are_exact_too(void **state)
{
    for (int whole = 0; whole < 2; whole++) {
        plan_kit kit;
        data d = some_rows(9, -100, 50);
        dusk_query_options o = kit_options(1, 0, DUSK_QUERY_LAPLACE);
        kit_open(&kit, 1, 1, true);
        kit_add(&kit, QUERY_SUM, 0, -100, 50)->whole = whole;
        for (int i = 0; whole && i < ROWS; i++) d.value[i] = rint(d.value[i]);
        query_terms *terms = kit_terms(&kit, &o, DUSK_ADD_REMOVE);
        query_release_without_noise(true);
        dusk_result *r = run(&kit, terms, &d, *state);
        query_release_without_noise(false);
        for (size_t g = 0; g < GROUPS - 1; g++)
            assert_true(near(cell(r, g, 1), plain_of(&d, g).sum, whole ? 0 : 1e-8));
        dusk_result_free(r);
        r = run(&kit, terms, &d, *state);
        for (size_t g = 0; whole && g < GROUPS; g++) assert_true(cell(r, g, 1) == rint(cell(r, g, 1)));
        assert_true(dusk_result_cell(r, 0, 1)->low < plain_of(&d, 0).sum);
        dusk_result_free(r);
        query_terms_free(terms);
    }
}

/* Whatever is in a group, its numbers move: absent public keys too. */
static void every_group_has_noise(void **state)
{
    plan_kit kit;
    data d = some_rows(3, 0, 10);
    dusk_query_options o = kit_options(0.01, 0, DUSK_QUERY_LAPLACE);
    unsigned same[GROUPS][2] = { { 0 } };
    kit_open(&kit, 1, 1, true);
    kit_add(&kit, QUERY_COUNT_ROWS, QUERY_NONE, NAN, NAN);
    kit_add(&kit, QUERY_SUM, 0, 0, 10);
    query_terms *terms = kit_terms(&kit, &o, DUSK_ADD_REMOVE);
    for (int round = 0; round < 40; round++) {
        dusk_result *r = run(&kit, terms, &d, *state);
        assert_int_equal(dusk_result_rows(r), GROUPS);
        for (size_t g = 0; g < GROUPS; g++) {
            plain p = g < GROUPS - 1 ? plain_of(&d, g) : (plain){ 0 };
            same[g][0] += cell(r, g, 1) == p.n;
            same[g][1] += near(cell(r, g, 2), p.sum, 1e-6);
            assert_true(cell(r, g, 1) == rint(cell(r, g, 1)));
            assert_true(dusk_result_cell(r, g, 1)->low >= 0 && dusk_result_cell(r, g, 2)->low >= 0);
        }
        dusk_result_free(r);
    }
    for (size_t g = 0; g < GROUPS; g++) assert_true(same[g][0] < 6 && same[g][1] == 0);
    query_terms_free(terms);
}

/* Private keys come sorted, however bounding left them; rare ones do not come. */
static void private_keys_are_selected_and_sorted(void **state)
{
    plan_kit kit;
    dusk_query_options o = kit_options(1, 1e-9, DUSK_QUERY_LAPLACE);
    bounding_options how;
    static const double order[6] = { 5, -2, 7, 1e300, NAN, -0.5 }; /* NaN: NULL */
    kit_open(&kit, 1, 0, false);
    kit.column[1].type = kit.expression[0].type = DUSK_TYPE_REAL;
    kit_add(&kit, QUERY_COUNT_UNITS, QUERY_NONE, NAN, NAN);
    query_terms *terms = kit_terms(&kit, &o, DUSK_ADD_REMOVE);
    query_terms_bounding(terms, &how);
    bounded *b = kit_bounded(6, 1, how.totals);
    for (size_t g = 0; g < 6; g++) {
        b->key[g] = (query_value){ .null = isnan(order[g]), .real = order[g] };
        b->units[g] = g == 2 ? 1 : 1000;
        b->sum[g] = (dusk_int128)b->units[g];
    }
    dusk_result *r;
    assert_int_equal(query_release(&r, &kit.plan, terms, b, *state, NULL), DUSK_OK);
    assert_int_equal(dusk_result_rows(r), 5);
    const double wanted[5] = { -2, -0.5, 5, 1e300, NAN };
    for (size_t i = 0; i < 5; i++) {
        const dusk_cell *key = dusk_result_cell(r, i, 0);
        assert_true(isnan(wanted[i]) ? key->null : key->number == wanted[i]);
        assert_true(key->exact);
        assert_true(near(cell(r, i, 1), 1000, 200));
    }
    dusk_result_free(r);
    kit_bounded_free(b, how.totals);
    query_terms_free(terms);
}

/* HAVING, ORDER BY with NULLs and ties, OFFSET and LIMIT. */
static void rows_are_arranged(void **state)
{
    plan_kit kit;
    data d = some_rows(5, 0, 1);
    dusk_query_options o = kit_options(1, 0, DUSK_QUERY_LAPLACE);
    query_expression key = { .kind = QUERY_COLUMN, .type = DUSK_TYPE_INTEGER }, two = key,
                     *pair[2] = { &key, &two };
    two = (query_expression){ .kind = QUERY_CONSTANT, .type = DUSK_TYPE_INTEGER, .value.integer = 2 };
    query_expression unequal = { QUERY_CALL, DUSK_TYPE_BOOLEAN, -1, { 0 }, 0, QUERY_UNEQUAL, pair, 2 };
    query_expression modulo = { QUERY_CALL, DUSK_TYPE_INTEGER, -1, { 0 }, 0, QUERY_MODULO, pair, 2 };
    query_order order = { &modulo, true, false };
    kit_open(&kit, 1, 1, true);
    kit_add(&kit, QUERY_COUNT_ROWS, QUERY_NONE, NAN, NAN);
    query_terms *terms = kit_terms(&kit, &o, DUSK_ADD_REMOVE);
    kit.plan.having = &unequal;
    kit.plan.order = &order;
    kit.plan.orders = 1;
    dusk_result *r = run(&kit, terms, &d, *state);
    assert_int_equal(dusk_result_rows(r), 3); /* odd ones first, each in the order of keys */
    assert_true(cell(r, 0, 0) == 1 && cell(r, 1, 0) == 3 && cell(r, 2, 0) == 0);
    dusk_result_free(r);
    kit.plan.offset = 1;
    kit.plan.limit = 1;
    r = run(&kit, terms, &d, *state);
    assert_int_equal(dusk_result_rows(r), 1);
    assert_true(cell(r, 0, 0) == 3);
    assert_int_equal(dusk_result_columns(r), 2);
    dusk_result_free(r);
    kit.plan.offset = 9;
    r = run(&kit, terms, &d, *state);
    assert_int_equal(dusk_result_rows(r), 0);
    dusk_result_free(r);
    query_terms_free(terms);
}

static void memory_may_fail_anywhere(void **state)
{
    plan_kit kit;
    data d = some_rows(6, 0, 1);
    dusk_query_options o = kit_options(1, 1e-6, DUSK_QUERY_GAUSSIAN);
    (void)state;
    kit_open(&kit, 1, 1, false);
    all_measures(&kit, 0, 1);
    for (long n = 1;; n++) {
        query_terms *terms;
        dusk_error err;
        dusk_memory_fail_at(n);
        bool fine =
            went_through(query_terms_new(&terms, &kit.plan, &o, DUSK_ADD_REMOVE, &err), &err, n, 1000);
        query_terms_free(terms);
        if (fine) break;
    }
    query_terms *terms = kit_terms(&kit, &o, DUSK_ADD_REMOVE);
    bounded *b = bound(terms, &d);
    for (long n = 1;; n++) {
        dusk_generator *gen = seeded(4);
        dusk_result *r;
        dusk_error err;
        dusk_memory_fail_at(n);
        bool fine = went_through(query_release(&r, &kit.plan, terms, b, gen, &err), &err, n, 1000);
        assert_true(fine == (r != NULL));
        dusk_result_free(r);
        dusk_generator_free(gen);
        if (fine) break;
    }
    kit_bounded_free(b, totals_of(terms));
    query_terms_free(terms);
}

static int open_one(void **state) { return open_seeded(state, 11); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_noise_it_is_plain_arithmetic),
        cmocka_unit_test(sums_alone_are_exact_too),
        cmocka_unit_test(every_group_has_noise),
        cmocka_unit_test(private_keys_are_selected_and_sorted),
        cmocka_unit_test(rows_are_arranged),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, open_one, close_generator);
}
