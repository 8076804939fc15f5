/* SPDX-License-Identifier: Apache-2.0 */
/* What plans cost: totals that are shared, sensitivities against what units can really do, noise, and that no
 * accountant finds more than was asked for. */
#include "query/terms.h"

#include "base/memory.h"
#include "query_plans.h"

static uint64_t seed = 77;
static uint64_t below(uint64_t n) { return splitmix64(&seed) % n; }

static void random_plan(plan_kit *kit, bool public_keys)
{
    kit_open(kit, 1 + below(2), 3, public_keys);
    kit->column[1 + kit->plan.keys].facts.nullable = false;
    for (size_t n = 1 + below(5); n > 0; n--) {
        query_measure_kind kind = (query_measure_kind)(QUERY_COUNT_ROWS + below(13));
        size_t value = below(3);
        query_measure *m = kit_add(kit, kind, value, value == 1 ? -7.25 : 0, value == 2 ? 1e6 : 100);
        m->whole = value == 2;
        m->fraction = 0.25 * (double)(1 + below(3));
    }
}

static dusk_query_options random_options(void)
{
    static const double epsilons[] = { 0.1, 1, 3.7, 1e-3, 10 };
    dusk_query_options o = kit_options(epsilons[below(5)], below(2) ? 1e-6 : 1e-9,
                                       below(2) ? DUSK_QUERY_GAUSSIAN : DUSK_QUERY_LAPLACE);
    o.groups_per_unit = (uint32_t)below(6);
    o.rows_per_group = (uint32_t)below(4);
    o.rows_per_unit = (uint32_t)below(8);
    return o;
}

/* --- price ---------------------------------------------------------------------------------------- */

static double price(const query_terms *terms, double delta, dusk_neighbours neighbours, dusk_accountant who)
{
    dusk_composition *c;
    dusk_account account;
    dusk_error err = { 0 };
    assert_int_equal(dusk_composition_new(&c, neighbours, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_add(c, query_terms_event(terms), 1, NULL), DUSK_OK);
    if (dusk_account_epsilon(&account, c, delta, who, &err) != DUSK_OK) fail_msg("account: %s", err.message);
    dusk_composition_free(c);
    return account.bound.upper;
}

static void prices_are_what_was_asked(void **state)
{
    (void)state;
    for (int round = 0; round < 45; round++) {
        plan_kit kit;
        random_plan(&kit, below(2));
        dusk_query_options o = random_options();
        dusk_neighbours neighbours = below(2) ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
        query_terms *terms = kit_terms(&kit, &o, neighbours);
        double basic = price(terms, o.delta, neighbours, DUSK_BASIC);
        if (!(basic <= o.epsilon && basic >= o.epsilon * (1 - 1e-2)))
            fail_msg("round %d: basic composition finds %.17g, asked %.17g", round, basic, o.epsilon);
        if (round % 40 == 7) assert_true(price(terms, o.delta, neighbours, DUSK_BEST) <= o.epsilon);
        assert_true(query_terms_delta(terms) == 0 || query_terms_delta(terms) == o.delta);
        if (query_terms_delta(terms) == 0 && kit.plan.public_keys)
            assert_true(price(terms, 0, neighbours, DUSK_BASIC) <= o.epsilon);
        query_terms_free(terms);
    }
}

/* --- what a unit can do ------------------------------------------------------------------------------ */

enum { GROUPS = 9 };

/* Bounded rows of a unit, as many as there may be or fewer, with values at and beyond the bounds. */
static void add_unit(bounded *b, const bounding_options *o)
{
    static const double odd[] = { 0, 100, -7.25, 1e6, 3.3, -1e300, NAN, 50, 1e300, 46.375 };
    size_t rows = o->rows_per_unit ? o->rows_per_unit : UINT32_MAX, first = below(GROUPS), plain = below(3);
    size_t fixed = below(10);
    for (size_t g = 0; g < o->groups_per_unit && g < GROUPS && rows > 0; g++) {
        size_t at = (first + g) % GROUPS;
        kit_add_unit(b, o, at);
        for (size_t i = 0; i < o->rows_per_group && rows > 0; i++) {
            double value[3];
            for (int v = 0; v < 3; v++) value[v] = odd[plain ? fixed : below(10)];
            kit_add_row(b, o, at, value);
            rows--;
            if (below(20) == 0) break;
        }
    }
}

static void no_unit_moves_totals_further(void **state)
{
    double tightest = 0;
    (void)state;
    for (int round = 0; round < 200; round++) {
        plan_kit kit;
        bounding_options how;
        random_plan(&kit, true);
        dusk_query_options o = random_options();
        dusk_neighbours neighbours = below(2) ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
        query_terms *terms = kit_terms(&kit, &o, neighbours);
        query_terms_bounding(terms, &how);
        bounded *a = kit_bounded(GROUPS, how.keys, how.totals),
                *b = kit_bounded(GROUPS, how.keys, how.totals);
        add_unit(a, &how);
        if (neighbours == DUSK_REPLACE_ONE) add_unit(b, &how);
        for (size_t t = 0; t < how.totals; t++) {
            const dusk_noise *noise = &terms->primitive[t].noise;
            double l1 = 0, squares = 0;
            for (size_t g = 0; g < GROUPS; g++) {
                double d = (double)(a->sum[t * GROUPS + g] - b->sum[t * GROUPS + g]);
                l1 += fabs(d);
                squares += d * d;
            }
            if (how.total[t].kind == BOUNDING_COLLECT) continue;
            double most = ldexp(noise->grid_sensitivity, -noise->grid) * (1 + 1e-12);
            double moved = noise->law == DUSK_GAUSSIAN ? sqrt(squares) : l1;
            if (moved > most) fail_msg("a unit moves total %zu by %.17g, declared %.17g", t, moved, most);
            tightest = fmax(tightest, moved / most);
        }
        kit_bounded_free(a, how.totals);
        kit_bounded_free(b, how.totals);
        query_terms_free(terms);
    }
    assert_true(tightest > 0.999);
}

static void noise_is_for_what_a_unit_can_change(void **state)
{
    plan_kit kit;
    dusk_query_options o = kit_options(0.5, 1e-6, DUSK_QUERY_LAPLACE);
    (void)state;
    kit_open(&kit, 1, 1, true);
    kit_add(&kit, QUERY_COUNT_ROWS, QUERY_NONE, NAN, NAN);
    kit_add(&kit, QUERY_COUNT_UNITS, QUERY_NONE, NAN, NAN);
    kit_add(&kit, QUERY_SUM, 0, -3, 8);
    kit_add(&kit, QUERY_QUANTILE, 0, -3, 8);
    o.groups_per_unit = 3;
    o.rows_per_group = 2;
    for (int relation = 1; relation <= 2; relation++) {
        query_terms *t = kit_terms(&kit, &o, relation == 1 ? DUSK_ADD_REMOVE : DUSK_REPLACE_ONE);
        const query_primitive *p = t->primitive;
        assert_int_equal(t->primitives, 4);
        assert_true(p[0].l1 == 6 && fabs(p[0].l2 - sqrt(12)) < 1e-12);
        assert_true(p[1].l1 == 3 && fabs(p[1].l2 - sqrt(3)) < 1e-12);
        assert_true(p[2].l1 == 48 && fabs(p[2].l2 - 8 * sqrt(12)) < 1e-12);
        for (int i = 0; i < 3; i++)
            assert_true(fabs(p[i].noise.scale / (relation * p[i].l1 * 4 / 0.5) - 1) < 1e-9);
        assert_true(fabs(p[3].quantiles.epsilon / (0.5 / 4 / 3 / relation) - 1) < 1e-9);
        assert_int_equal(p[3].quantiles.rows_per_unit, 2);
        query_terms_free(t);
    }
    o.rows_per_unit = 4; /* fewer than 3 groups of 2 */
    query_terms *t = kit_terms(&kit, &o, DUSK_ADD_REMOVE);
    assert_true(t->primitive[0].l1 == 4 && fabs(t->primitive[0].l2 - sqrt(8)) < 1e-12);
    assert_int_equal(t->rows_per_unit, 4);
    query_terms_free(t);
    o.rows_per_unit = 1;
    t = kit_terms(&kit, &o, DUSK_ADD_REMOVE);
    assert_int_equal(t->groups_per_unit * t->rows_per_group, 1);
    query_terms_free(t);
}

static void keys_are_selected_for_all_groups_of_a_unit(void **state)
{
    plan_kit kit;
    dusk_query_options o = kit_options(1, 1e-6, DUSK_QUERY_LAPLACE);
    (void)state;
    kit_open(&kit, 1, 1, false);
    kit_add(&kit, QUERY_COUNT_ROWS, QUERY_NONE, NAN, NAN);
    o.groups_per_unit = 5;
    o.rows_per_group = 2; /* rows are not units */
    for (int relation = 1; relation <= 2; relation++) {
        query_terms *t = kit_terms(&kit, &o, relation == 1 ? DUSK_ADD_REMOVE : DUSK_REPLACE_ONE);
        assert_int_equal(t->selection.keys_per_unit, 5);
        assert_true(fabs(t->selection.epsilon - 0.5 / relation) < 1e-9 && t->selection_delta == 1e-6);
        assert_true(relation == 1 ? t->selection.delta == 1e-6 : t->selection.delta < 0.5e-6);
        assert_true(t->selection_half > 5 * 2 * 10);
        query_terms_free(t);
    }
    o.noise = DUSK_QUERY_GAUSSIAN;
    o.groups_per_unit = 100; /* a threshold needs the root of that only */
    query_terms *t = kit_terms(&kit, &o, DUSK_ADD_REMOVE);
    assert_int_equal(t->selection.method, DUSK_KEYS_GAUSSIAN);
    query_terms_free(t);
}

/* A count of units is drawn with the keys, for the whole of epsilon: the threshold serves both. */
static void counts_of_units_come_with_their_keys(void **state)
{
    plan_kit kit;
    dusk_query_options o = kit_options(1, 1e-6, DUSK_QUERY_LAPLACE);
    (void)state;
    for (int units = 0; units < 2; units++)
        for (int relation = 1; relation <= 2; relation++) {
            kit_open(&kit, 1, 1, false);
            kit_add(&kit, units ? QUERY_COUNT_UNITS : QUERY_COUNT_ROWS, QUERY_NONE, NAN, NAN);
            o.rows_per_group = units ? 3 : 1;
            o.groups_per_unit = 2;
            query_terms *t = kit_terms(&kit, &o, relation == 1 ? DUSK_ADD_REMOVE : DUSK_REPLACE_ONE);
            assert_int_equal(t->counted, 0);
            assert_int_equal(t->selection.method, DUSK_KEYS_LAPLACE);
            assert_true(fabs(t->primitive[0].noise.scale - 2 * relation) < 1e-9);
            assert_true(price(t, 1e-6, t->neighbours, DUSK_BASIC) <= 1);
            kit_add(&kit, QUERY_SUM, 0, 0, 5);
            query_terms_free(t);
            t = kit_terms(&kit, &o, relation == 1 ? DUSK_ADD_REMOVE : DUSK_REPLACE_ONE);
            assert_true(fabs(t->primitive[0].noise.scale - 4 * relation) < 1e-6); /* two shares, not three */
            query_terms_free(t);
        }
}

/* All Gaussian noises together are one mechanism: two of equal price have sqrt(2) times the deviation. */
static void gaussian_noises_are_one_mechanism(void **state)
{
    plan_kit kit;
    dusk_query_options o = kit_options(1, 1e-6, DUSK_QUERY_GAUSSIAN);
    double alone = 0;
    (void)state;
    kit_open(&kit, 1, 2, true);
    for (unsigned n = 1; n <= 4; n++) {
        kit_add(&kit, n == 1 ? QUERY_COUNT_ROWS : QUERY_SUM, (n + 1) % 2, 0, n);
        query_terms *t = kit_terms(&kit, &o, DUSK_ADD_REMOVE);
        assert_int_equal(t->primitives, n);
        if (n == 1) alone = t->primitive[0].noise.scale;
        assert_true(fabs(t->primitive[0].noise.scale / (alone * sqrt(n)) - 1) < 1e-9);
        query_terms_free(t);
    }
}

/* No unit is in more groups than there are. */
static void public_groups_bound_those_of_a_unit(void **state)
{
    static const char *const domain[] = { "0", "1", "2" };
    plan_kit kit;
    dusk_query_options o = kit_options(1, 0, DUSK_QUERY_LAPLACE);
    (void)state;
    o.groups_per_unit = 100;
    for (size_t keys = 0; keys <= 2; keys++) {
        kit_open(&kit, keys, 1, true);
        kit_add(&kit, QUERY_COUNT_ROWS, QUERY_NONE, NAN, NAN);
        for (size_t k = 1; k <= keys; k++)
            kit.column[k].facts = (query_facts){ .domain = domain, .values = 3 };
        if (keys == 2) kit.column[2].facts.nullable = true;
        query_terms *t = kit_terms(&kit, &o, DUSK_ADD_REMOVE);
        assert_int_equal(t->groups_per_unit, keys == 0 ? 1 : keys == 1 ? 3 : 12);
        assert_true(t->primitive[0].l1 == t->groups_per_unit);
        query_terms_free(t);
    }
}

/* --- sharing ----------------------------------------------------------------------------------------------- */

static size_t primitives_of(const plan_kit *kit, uint32_t rows_per_group)
{
    dusk_query_options o = kit_options(1, 1e-6, DUSK_QUERY_LAPLACE);
    o.rows_per_group = rows_per_group;
    query_terms *t = kit_terms(kit, &o, DUSK_ADD_REMOVE);
    size_t n = t->primitives;
    query_terms_free(t);
    return n;
}

static void equal_totals_are_drawn_once(void **state)
{
    plan_kit kit;
    (void)state;
    kit_open(&kit, 0, 2, true);
    kit.column[1].facts.nullable = false;
    kit_add(&kit, QUERY_COUNT_ROWS, QUERY_NONE, NAN, NAN);
    kit_add(&kit, QUERY_COUNT_VALUES, 0, NAN, NAN);
    assert_int_equal(primitives_of(&kit, 1), 1); /* never NULL */
    kit_add(&kit, QUERY_COUNT_UNITS, QUERY_NONE, NAN, NAN);
    assert_int_equal(primitives_of(&kit, 1), 1); /* a unit has one row */
    assert_int_equal(primitives_of(&kit, 2), 2);
    kit_add(&kit, QUERY_SUM, 0, 0, 10);
    assert_int_equal(primitives_of(&kit, 1), 2);
    kit_add(&kit, QUERY_MEAN, 0, 0, 10); /* the sum comes out of it */
    assert_int_equal(primitives_of(&kit, 1), 2);
    kit_add(&kit, QUERY_VARIANCE, 0, 0, 10);
    kit_add(&kit, QUERY_DEVIATION_POPULATION, 0, 0, 10);
    assert_int_equal(primitives_of(&kit, 1), 3);
    kit_add(&kit, QUERY_MEAN, 1, 0, 10); /* this one may be NULL */
    assert_int_equal(primitives_of(&kit, 1), 5);
    kit_add(&kit, QUERY_QUANTILE, 1, 0, 10)->fraction = 0.9;
    kit_add(&kit, QUERY_MINIMUM, 1, 0, 10);
    kit_add(&kit, QUERY_QUANTILE, 1, 0, 10);
    assert_int_equal(primitives_of(&kit, 1), 6);
    kit_add(&kit, QUERY_QUANTILE, 1, 0, 20);
    assert_int_equal(primitives_of(&kit, 1), 7);
}

/* --- options and words ------------------------------------------------------------------------------------- */

static void refused(const plan_kit *kit, const dusk_query_options *o, const char *hint)
{
    query_terms *t = NULL;
    dusk_error err = { 0 };
    assert_int_equal(query_terms_new(&t, &kit->plan, o, DUSK_ADD_REMOVE, &err), DUSK_ERR_ARGUMENT);
    assert_null(t);
    if (!strstr(err.hint, hint)) fail_msg("the hint is \"%s\", without \"%s\"", err.hint, hint);
}

static void options_that_do_not_fit_are_refused(void **state)
{
    plan_kit kit;
    const dusk_query_options fine = kit_options(1, 1e-6, DUSK_QUERY_LAPLACE);
    dusk_query_options o = fine;
    (void)state;
    kit_open(&kit, 1, 1, false);
    kit_add(&kit, QUERY_COUNT_ROWS, QUERY_NONE, NAN, NAN);
    for (int i = 0; i < 4; i++) {
        o.epsilon = (double[]){ 0, -1, NAN, INFINITY }[i];
        refused(&kit, &o, "--epsilon");
    }
    o = fine;
    o.delta = 0;
    refused(&kit, &o, "domain=");
    o.delta = 1;
    refused(&kit, &o, "--delta");
    o = fine;
    o.confidence = 1;
    refused(&kit, &o, "--ci");
    o = fine;
    o.noise = (dusk_query_noise)3;
    refused(&kit, &o, "laplace");
    o = fine;
    o.size = 1;
    refused(&kit, &o, "init");
    kit_open(&kit, 1, 1, true);
    o = kit_options(1, 0, DUSK_QUERY_GAUSSIAN);
    refused(&kit, &o, "--delta");
    kit_add(&kit, QUERY_SUM, 0, NAN, 5);
    refused(&kit, &fine, "bounds=");
}

/* However wild a request is, it is priced as asked or refused with a hint: never a failed promise. */
static void wild_requests_are_priced_or_refused(void **state)
{
    static const double epsilons[] = { 0x1p-100, 1e-9, 1e-4, 0.7, 30, 1e5, 0x1p20 },
                        deltas[] = { 1e-300, 1e-12, 0.5 };
    static const double bounds[][2] = { { -1e300, 1e300 },   { 0, 5e-324 }, { 1, 1 },    { 0, 0 },
                                        { -1e-200, 1e-200 }, { 0, 1e18 },   { -3, 1e9 }, { 1e15, 1e15 + 1 } };
    static const uint32_t counts[] = { 0, 1, 1000, UINT32_MAX };
    unsigned fine = 0;
    (void)state;
    for (int round = 0; round < 300; round++) {
        plan_kit kit;
        query_terms *t = NULL;
        dusk_error err = { 0 };
        kit_open(&kit, 1, 3, below(2));
        for (size_t n = 1 + below(3); n > 0; n--) {
            const double *b = bounds[below(8)];
            kit_add(&kit, (query_measure_kind)(QUERY_COUNT_ROWS + below(13)), below(3), b[0], b[1])->whole =
                below(2);
        }
        dusk_query_options o = kit_options(epsilons[below(7)], deltas[below(3)],
                                           below(4) ? DUSK_QUERY_LAPLACE : DUSK_QUERY_GAUSSIAN);
        o.groups_per_unit = counts[below(4)];
        o.rows_per_group = counts[below(4)];
        o.rows_per_unit = counts[below(4)];
        dusk_neighbours neighbours = below(2) ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
        dusk_status status = query_terms_new(&t, &kit.plan, &o, neighbours, &err);
        if (status == DUSK_OK) {
            fine++;
            assert_true(price(t, o.delta, neighbours, DUSK_BASIC) <= o.epsilon);
        } else if ((status != DUSK_ERR_ARGUMENT && status != DUSK_ERR_UNSUPPORTED) || err.hint[0] == '\0') {
            fail_msg("round %d: %s (%s)", round, err.message, err.hint);
        }
        query_terms_free(t);
    }
    assert_true(fine > 100);
}

static char *normal_of(const plan_kit *kit, const dusk_query_options *o)
{
    query_terms *t = kit_terms(kit, o, DUSK_ADD_REMOVE);
    char *text = NULL;
    assert_int_equal(query_terms_normal(t, &text, NULL), DUSK_OK);
    query_terms_free(t);
    return text;
}

static void the_normal_form_is_all_but_epsilon(void **state)
{
    plan_kit kit;
    dusk_query_options o = kit_options(1, 1e-6, DUSK_QUERY_LAPLACE), other[6];
    (void)state;
    kit_open(&kit, 1, 1, false);
    kit_add(&kit, QUERY_SUM, 0, 0, 5);
    char *text = normal_of(&kit, &o);
    for (int i = 0; i < 6; i++) other[i] = o;
    other[0].epsilon = 0.25;
    other[1].delta = 1e-7;
    other[2].confidence = 0.9;
    other[3].groups_per_unit = 2;
    other[4].rows_per_group = 2;
    other[5].noise = DUSK_QUERY_GAUSSIAN;
    for (int i = 0; i < 6; i++) {
        char *changed = normal_of(&kit, &other[i]);
        assert_int_equal(strcmp(text, changed) == 0, i == 0);
        dusk_deallocate(changed);
    }
    dusk_deallocate(text);
}

static void terms_are_described(void **state)
{
    (void)state;
    for (int round = 0; round < 45; round++) {
        plan_kit kit;
        char *text = NULL;
        random_plan(&kit, below(2));
        dusk_query_options o = random_options();
        query_terms *t = kit_terms(&kit, &o, DUSK_REPLACE_ONE);
        assert_int_equal(query_terms_describe(t, &text, NULL), DUSK_OK);
        assert_non_null(strstr(text, "cost: epsilon"));
        assert_non_null(strstr(text, "replace-one"));
        assert_non_null(strstr(text, kit.plan.public_keys ? "keys: public" : "keys: private"));
        assert_null(strstr(text, "(null)"));
        dusk_deallocate(text);
        query_terms_free(t);
    }
}

/* A promise is not printed smaller than it is, where rounding to nearest would. */
static void costs_are_rounded_up(void **state)
{
    plan_kit kit;
    char *text = NULL;
    dusk_query_options o = kit_options(0.1234561, 1.2341e-6, DUSK_QUERY_LAPLACE);
    (void)state;
    kit_open(&kit, 1, 1, false);
    kit_add(&kit, QUERY_SUM, 0, 0, 5);
    query_terms *t = kit_terms(&kit, &o, DUSK_ADD_REMOVE);
    assert_int_equal(query_terms_describe(t, &text, NULL), DUSK_OK);
    assert_non_null(strstr(text, "\ncost: epsilon 0.123457, delta 1.24e-6 for one unit"));
    dusk_deallocate(text);
    query_terms_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_are_what_was_asked),
        cmocka_unit_test(no_unit_moves_totals_further),
        cmocka_unit_test(noise_is_for_what_a_unit_can_change),
        cmocka_unit_test(keys_are_selected_for_all_groups_of_a_unit),
        cmocka_unit_test(counts_of_units_come_with_their_keys),
        cmocka_unit_test(public_groups_bound_those_of_a_unit),
        cmocka_unit_test(gaussian_noises_are_one_mechanism),
        cmocka_unit_test(equal_totals_are_drawn_once),
        cmocka_unit_test(options_that_do_not_fit_are_refused),
        cmocka_unit_test(wild_requests_are_priced_or_refused),
        cmocka_unit_test(the_normal_form_is_all_but_epsilon),
        cmocka_unit_test(terms_are_described),
        cmocka_unit_test(costs_are_rounded_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
