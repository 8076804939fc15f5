/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of neighbouring tables through bounding and release, call by call. Units have far more rows and groups than
 * they may, values lie beyond their bounds, are NULL, infinite or no numbers, keys lie outside the public ones:
 * whatever a unit does, every total moves by no more than the noise declares, and the table that leaves is the
 * same. This is A18 to A23 and A29 of the attacks on query systems: clamping, sensitivities, domains and sizes from the
 * data, and rows that a join multiplied. */
#include "base/memory.h"
#include "bounding_tables.h"
#include "query_plans.h"
#include "replay.h"

enum { GROUPS = 5, UNITS = 40, MANY = 30 };

static uint64_t seed = 61;
static uint64_t below(uint64_t n) { return splitmix64(&seed) % n; }

/* All rows of the units 1 .. UNITS, and of `last` as this side has it: nothing where `version` is 0. */
static size_t make_rows(row *out, uint64_t last, uint64_t version)
{
    static const double odd[] = { 0, 100, -7, 3.25, -1e300, NAN, INFINITY, 46.5, -INFINITY, 1e-310 };
    size_t n = 0;
    for (uint64_t unit = 1; unit <= UNITS; unit++) {
        uint64_t coins = unit * 1000 + (unit == last ? version : 0);
        size_t rows = unit == last ? (version ? MANY : 0) : 1 + splitmix64(&coins) % 8;
        for (size_t i = 0; i < rows; i++) {
            row *r = &out[n++];
            *r = (row){ .unit = { .integer = (int64_t)unit } };
            r->key[0].integer = (int64_t)(splitmix64(&coins) % (GROUPS + 1)); /* the last is no public key */
            for (int v = 0; v < 2; v++) {
                uint64_t x = splitmix64(&coins);
                r->value[v] =
                    (cell){ .integer = (int64_t)(x % 200) - 50, .real = odd[x % 10], .null = x % 11 == 0 };
            }
        }
    }
    return n;
}

/* Ties of several quantiles are broken by coins that follow the order of rows: one fraction a value here. */
static void random_plan(plan_kit *kit, bool public_keys)
{
    bool ranked[2] = { false };
    kit_open(kit, 1, 2, public_keys);
    kit->column[3].type = DUSK_TYPE_INTEGER;
    for (size_t n = 1 + below(4); n > 0; n--) {
        query_measure_kind kind = (query_measure_kind)(QUERY_COUNT_ROWS + below(13));
        size_t value = below(2);
        if (kind >= QUERY_QUANTILE && ranked[value]) kind = QUERY_COUNT_DISTINCT;
        ranked[value] |= kind >= QUERY_QUANTILE;
        kit_add(kit, kind, value, -7, 100)->whole = value == 1;
    }
}

static bounded *bound(const query_terms *terms, const row *rows, size_t n, bool public_keys,
                      dusk_generator *gen)
{
    static const dusk_cell_type key[] = { DUSK_CELL_INTEGER },
                                values[] = { DUSK_CELL_REAL, DUSK_CELL_INTEGER };
    query_value public_groups[GROUPS] = { { 0 } };
    bounding_options o;
    bounding *b = NULL;
    bounded *out;
    for (int g = 0; g < GROUPS; g++) public_groups[g].integer = g;
    query_terms_bounding(terms, &o);
    o.unit_type = DUSK_CELL_INTEGER;
    o.key_types = key;
    o.value_types = values;
    o.groups = public_keys ? public_groups : NULL;
    o.groups_count = public_keys ? GROUPS : 0;
    o.threads = 1;
    assert_int_equal(bounding_new(&b, &o, gen, NULL), DUSK_OK);
    assert_int_equal(add_rows_to(b, &o, rows, n, NULL), DUSK_OK);
    assert_int_equal(bounding_finish(b, &out, NULL), DUSK_OK);
    bounding_free(b);
    return out;
}

static char *release(const plan_kit *kit, const query_terms *terms, const bounded *groups,
                     dusk_generator *gen)
{
    dusk_result *result;
    char *text;
    size_t length;
    assert_int_equal(query_release(&result, &kit->plan, terms, groups, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_result_write(result, &text, &length, NULL), DUSK_OK);
    dusk_result_free(result);
    return text;
}

static void units_move_what_is_declared(void **state)
{
    static row rows[2][UNITS * 8 + MANY];
    (void)state;
    for (uint64_t round = 0; round < 150; round++) {
        plan_kit kit;
        char *text[2];
        bounded *groups[2];
        bool public_keys = below(3), replaced = public_keys && below(2);
        dusk_query_options o =
            kit_options(below(2) ? 2 : 0.1, 1e-6, below(2) ? DUSK_QUERY_GAUSSIAN : DUSK_QUERY_LAPLACE);
        o.groups_per_unit = 1 + (uint32_t)below(4);
        o.rows_per_group = 1 + (uint32_t)below(4);
        o.rows_per_unit = (uint32_t)below(8);
        random_plan(&kit, public_keys);
        query_terms *terms = kit_terms(&kit, &o, replaced ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE);
        uint64_t last = 1 + below(UNITS);
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++) {
            size_t n = make_rows(rows[side], last, side ? 7 + round : replaced ? 3 : 0);
            groups[side] = bound(terms, rows[side], n, public_keys, r.gen[side]);
        }
        assert_int_equal(groups[0]->groups, groups[1]->groups); /* enough units for every key */
        for (int side = 0; side < 2; side++) text[side] = release(&kit, terms, groups[side], r.gen[side]);
        assert_string_equal(text[0], text[1]);
        replay_close(&r, (replay_declared){ .epsilon = o.epsilon, .delta = o.delta, .coins_vary = true });
        for (int side = 0; side < 2; side++) {
            bounded_free(groups[side]);
            dusk_deallocate(text[side]);
        }
        query_terms_free(terms);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(units_move_what_is_declared) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
