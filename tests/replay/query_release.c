/* SPDX-License-Identifier: Apache-2.0 */
/* Releases of neighbouring groups, call by call: every draw has its twin, totals move by what the noise declares,
 * the moves together cost no more than what was asked for, and the whole table that leaves is the same. The bounded
 * rows of a unit are made by hand, as wild as the bounds allow. */
#include "base/memory.h"
#include "query_plans.h"
#include "replay.h"

enum { GROUPS = 6, UNITS = 60 };

static uint64_t seed = 505;
static uint64_t below(uint64_t n) { return splitmix64(&seed) % n; }

static void add_unit(bounded *b, const bounding_options *o, uint64_t unit)
{
    static const double odd[] = { 0, 100, -7, 3.25, -1e300, NAN, 1e300, 46.5 };
    uint64_t coins = unit;
    size_t rows = o->rows_per_unit ? o->rows_per_unit : UINT32_MAX, first = splitmix64(&coins) % GROUPS;
    for (size_t g = 0; g < o->groups_per_unit && g < GROUPS && rows > 0; g++) {
        kit_add_unit(b, o, (first + g) % GROUPS);
        for (size_t i = 0; i < o->rows_per_group && rows > 0; i++, rows--) {
            const double value[2] = { odd[splitmix64(&coins) % 8], odd[splitmix64(&coins) % 8] };
            kit_add_row(b, o, (first + g) % GROUPS, value);
        }
    }
}

static void random_plan(plan_kit *kit, bool public_keys)
{
    kit_open(kit, 1, 2, public_keys);
    for (size_t n = 1 + below(4); n > 0; n--) {
        query_measure *m =
            kit_add(kit, (query_measure_kind)(QUERY_COUNT_ROWS + below(13)), below(2), -7, 100);
        m->whole = m->value == 1;
    }
}

/* The table of one side, as text. */
static char *release(const plan_kit *kit, const query_terms *terms, uint64_t units, uint64_t last,
                     dusk_generator *gen)
{
    bounding_options o;
    dusk_result *result;
    char *text;
    size_t length;
    query_terms_bounding(terms, &o);
    bounded *b = kit_bounded(GROUPS, 1, o.totals);
    for (uint64_t u = 0; u < units; u++) add_unit(b, &o, u);
    if (last) add_unit(b, &o, last);
    assert_int_equal(query_release(&result, &kit->plan, terms, b, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_result_write(result, &text, &length, NULL), DUSK_OK);
    dusk_result_free(result);
    kit_bounded_free(b, o.totals);
    return text;
}

static void releases_call_by_call(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 120; round++) {
        plan_kit kit;
        char *text[2];
        bool public_keys = below(2);
        /* keys under replace-one are selected by two steps of add/remove, of which a record declares one */
        bool replaced = public_keys && below(2);
        dusk_query_options o =
            kit_options(below(2) ? 1 : 0.2, 1e-6, below(2) ? DUSK_QUERY_GAUSSIAN : DUSK_QUERY_LAPLACE);
        o.groups_per_unit = 1 + (uint32_t)below(4);
        o.rows_per_group = 1 + (uint32_t)below(3);
        o.rows_per_unit = (uint32_t)below(6);
        random_plan(&kit, public_keys);
        query_terms *terms = kit_terms(&kit, &o, replaced ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE);
        replay r = replay_open(round);
        uint64_t units = below(3) ? UNITS : below(4);
        for (int side = 0; side < 2; side++)
            text[side] = release(&kit, terms, units,
                                 side       ? 1000 + round
                                 : replaced ? 7777 + round
                                            : 0,
                                 r.gen[side]);
        assert_string_equal(text[0], text[1]);
        for (int side = 0; side < 2; side++) dusk_deallocate(text[side]);
        /* quantiles and the selection of keys take coins as they need them */
        replay_close(&r, (replay_declared){ .epsilon = o.epsilon, .delta = o.delta, .coins_vary = true });
        query_terms_free(terms);
    }
}

/* Counts and sums of public keys take the same coins, whatever is in the groups. */
static void totals_take_the_same_coins(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 20; round++) {
        plan_kit kit;
        dusk_query_options o = kit_options(1, 1e-6, round % 2 ? DUSK_QUERY_GAUSSIAN : DUSK_QUERY_LAPLACE);
        kit_open(&kit, 1, 2, true);
        for (int kind = QUERY_COUNT_ROWS; kind < QUERY_QUANTILE; kind++)
            kit_add(&kit, (query_measure_kind)kind, 0, -7, 100);
        query_terms *terms = kit_terms(&kit, &o, DUSK_ADD_REMOVE);
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            free(release(&kit, terms, 3 * round, side ? 99 : 0, r.gen[side]));
        replay_close(&r, (replay_declared){ .epsilon = 1, .delta = o.delta });
        query_terms_free(terms);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(releases_call_by_call),
        cmocka_unit_test(totals_take_the_same_coins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
