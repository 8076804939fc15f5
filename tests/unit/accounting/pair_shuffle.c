/* SPDX-License-Identifier: Apache-2.0 */
/* Shuffled reports as a pair: its curve is above that of shuffle.c and close to
 * it, alone it is that of shuffle.c, and it is a pair for replacing only. */
#include <math.h>

#include "accounting/accountants.h"
#include "accounting/pair_make.h"
#include "accounting/shuffle.h"
#include "support.h"

static dusk_composition *events;

static dusk_status resolve(dusk_pairs *pairs, const char *text, dusk_direction direction)
{
    dusk_error err = { 0 };
    dusk_neighbours how = direction == DUSK_REPLACE ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
    assert_int_equal(dusk_composition_new(&events, how, &err), DUSK_OK);
    if (dusk_composition_parse(events, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    return dusk_pairs_resolve(pairs, events, direction, "test", &err);
}

static void release(dusk_pairs *pairs)
{
    dusk_pairs_free(pairs);
    dusk_composition_free(events);
}

static void dots_lie_on_the_curve(void **state)
{
    static const struct {
        const char *text;
        uint64_t n;
        double local;
    } cases[] = { { "shuffle(1000, 1) * 2", 1000, 1 },
                  { "shuffle(1000000, 4) * 2", 1000000, 4 },
                  { "shuffle(100, 0.1) * 3", 100, 0.1 } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dusk_pairs pairs;
        assert_int_equal(resolve(&pairs, cases[i].text, DUSK_REPLACE), DUSK_OK);
        assert_int_equal(pairs.count, 1);
        double middle = dusk_shuffle_epsilon_up(cases[i].n, cases[i].local, 1e-6);
        for (double share = 0; share < 2; share += 0.07) {
            double e = share * middle, want = dusk_shuffle_delta_up(cases[i].n, cases[i].local, e);
            double got = dusk_pair_delta_up(pairs.pair, e);
            if (!(got >= want * (1 - 1e-12) && got <= want * (want > 1e-9 ? 1.002 : 1.1)))
                fail_msg("%s at %g: %.17g for %.17g", cases[i].text, e, got, want);
        }
        assert_true(dusk_pair_delta_up(pairs.pair, cases[i].local * 1.0001) < 1e-300);
        release(&pairs);
    }
}

static void alone_it_is_asked_directly(void **state)
{
    dusk_pairs pairs;
    dusk_bound out;
    (void)state;
    assert_int_equal(resolve(&pairs, "shuffle(10000, 1)", DUSK_REPLACE), DUSK_OK);
    assert_int_equal(dusk_exact_epsilon(&out, &pairs, 1e-6, NULL), DUSK_OK);
    assert_true(out.upper == dusk_shuffle_epsilon_up(10000, 1, 1e-6) && out.lower == 0);
    assert_int_equal(dusk_exact_delta(&out, &pairs, 0.01, NULL), DUSK_OK);
    assert_true(out.upper == dusk_shuffle_delta_up(10000, 1, 0.01));
    release(&pairs);
    assert_int_equal(resolve(&pairs, "shuffle_response(10000, 20, 1)", DUSK_REPLACE), DUSK_OK);
    assert_int_equal(dusk_exact_epsilon(&out, &pairs, 1e-6, NULL), DUSK_OK);
    assert_true(out.upper == dusk_shuffle_response_epsilon_up(10000, 1, 20, 1e-6));
    release(&pairs);
}

/* Groups and samples of shuffles are not shuffles. */
static void wrapped_it_is_not_asked(void **state)
{
    static const char *const texts[] = { "group(2, shuffle(1000, 0.5))", "poisson(0.5, shuffle(1000, 0.5))",
                                         "without_replacement(1, 2, shuffle(1000, 0.5))" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        dusk_pairs pairs;
        assert_int_equal(resolve(&pairs, texts[i], DUSK_REPLACE), DUSK_OK);
        assert_false(pairs.pair[0].shuffled);
        release(&pairs);
    }
}

static void only_replacing(void **state)
{
    dusk_pairs pairs;
    (void)state;
    assert_int_equal(resolve(&pairs, "shuffle(1000, 1)", DUSK_REMOVE), DUSK_ERR_UNSUPPORTED);
    dusk_composition_free(events);
    assert_int_equal(resolve(&pairs, "shuffle(1000, 0)", DUSK_REPLACE), DUSK_OK);
    assert_int_equal(pairs.count, 0);
    release(&pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dots_lie_on_the_curve),
        cmocka_unit_test(alone_it_is_asked_directly),
        cmocka_unit_test(wrapped_it_is_not_asked),
        cmocka_unit_test(only_replacing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
