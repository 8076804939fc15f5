/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbouring streams with the same coins: the same noise is drawn, so each answer may
 * differ by what one item can change in its window and no more; statements, widths and the
 * coins taken may not differ at all. Numbers are hostile on purpose. */
#include <math.h>

#include "dusk/dusk.h"
#include "hostile.h"
#include "random/generator.h"
#include "replay.h"
#include "seeded.h"
#include "streams.h"

enum { LENGTH = 40, ROUNDS = 24 };

static uint64_t seed = 41;

static double hostile(void) { return hostile_number(&seed, 0x1p-58); }

static dusk_stream_options request(dusk_stream_method method, bool whole, double delta, uint64_t window)
{
    dusk_stream_options o = stream_request(method, LENGTH, delta);
    o.whole = whole;
    o.lower = -3.7;
    o.upper = 11.25;
    o.bands = 5;
    o.window = window;
    o.epsilon = 0.9;
    return o;
}

/* One side of a run: answers, statement, and a word of what coins are left. */
typedef struct side {
    double answer[LENGTH];
    char text[16384];
    uint64_t word;
} side;

static void run(side *out, const dusk_stream_options *o, const double *numbers, uint64_t round)
{
    dusk_generator *gen = seeded(round);
    dusk_stream *s;
    dusk_statement statement;
    assert_int_equal(dusk_stream_new(&s, o, NULL), DUSK_OK);
    for (int t = 0; t < LENGTH; t++)
        assert_int_equal(dusk_stream_release(s, &out->answer[t], numbers[t], gen, NULL), DUSK_OK);
    assert_int_equal(dusk_stream_state(s, &statement, NULL), DUSK_OK);
    assert_int_equal(dusk_statement_json(&statement, out->text, sizeof out->text, NULL), DUSK_OK);
    assert_int_equal(dusk_generator_words(gen, &out->word, 1, 64, NULL), DUSK_OK);
    dusk_stream_free(s);
    dusk_generator_free(gen);
}

static void compare(const side *a, const side *b, uint64_t at, uint64_t window)
{
    const double most = 14.95 * (1 + 1e-9);
    assert_string_equal(a->text, b->text);
    assert_int_equal(a->word, b->word);
    for (uint64_t t = 0; t < LENGTH; t++) {
        double moved = fabs(a->answer[t] - b->answer[t]);
        bool inside = t >= at && (window == 0 || t - at < window);
        if (moved > (inside ? most : 1e-9)) fail_msg("one item moved answer %d by %g", (int)t, moved);
    }
}

static void compare_runs(dusk_stream_method method, double delta)
{
    static side sides[2];
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t window = round % 3 ? 0 : 1 + round % 17, at = splitmix64(&seed) % LENGTH;
        dusk_stream_options o = request(method, round % 2, delta, window);
        if (window == 0 && round % 4 == 1 && method <= DUSK_STREAM_HONAKER) o.length = 0;
        double numbers[LENGTH];
        for (int t = 0; t < LENGTH; t++) numbers[t] = hostile();
        run(&sides[0], &o, numbers, round);
        numbers[at] = round % 5 ? NAN : hostile(); /* gone, or moved by all that the bounds allow */
        run(&sides[1], &o, numbers, round);
        compare(&sides[0], &sides[1], at, window);
    }
}

static void trees(void **state)
{
    (void)state;
    compare_runs(DUSK_STREAM_TREE, 0);
    compare_runs(DUSK_STREAM_TREE, 1e-6);
}

static void honaker(void **state)
{
    (void)state;
    compare_runs(DUSK_STREAM_HONAKER, 0);
    compare_runs(DUSK_STREAM_HONAKER, 1e-6);
}

static void matrices(void **state)
{
    (void)state;
    compare_runs(DUSK_STREAM_SQUARE_ROOT, 1e-6);
    compare_runs(DUSK_STREAM_BANDED, 1e-6);
}

/* --- call by call ---------------------------------------------------------------------------- */

/* What one unit's items do to all that is released, in any place and under both relations, costs no
 * more than the run. */
static void call_by_call(void **state)
{
    static const dusk_stream_method methods[] = { DUSK_STREAM_TREE, DUSK_STREAM_HONAKER,
                                                  DUSK_STREAM_SQUARE_ROOT, DUSK_STREAM_BANDED };
    (void)state;
    for (uint64_t round = 0; round < 3 * ROUNDS; round++) {
        dusk_stream_method method = methods[round % 4];
        bool tree = method <= DUSK_STREAM_HONAKER;
        dusk_stream_options o =
            request(method, round / 4 % 2, tree && round / 8 % 2 ? 0 : 1e-6, round % 3 ? 0 : 1 + round % 17);
        double numbers[2][LENGTH], answer[2][LENGTH];
        dusk_statement statement;
        o.neighbours = round / 16 % 2 ? DUSK_ADD_REMOVE : DUSK_REPLACE_ONE;
        o.items_per_unit = 1 + (uint32_t)(round / 32 % 2);
        if (tree && o.window == 0 && round % 5 == 0) o.length = 0; /* not known */
        for (int t = 0; t < LENGTH; t++) numbers[0][t] = numbers[1][t] = hostile();
        /* the items of a unit are as near to each other as they may be, or a little further apart */
        if (method == DUSK_STREAM_BANDED) o.separation = round % 8; /* 3 or 7; there are 5 bands */
        uint64_t gap = (o.separation ? o.separation : 1) + (round % 3 ? 0 : splitmix64(&seed) % 9);
        uint64_t at = splitmix64(&seed) % (LENGTH - gap), to = splitmix64(&seed) % (LENGTH - gap);
        for (uint32_t i = 0; i < o.items_per_unit; i++) {
            if (round % 3) numbers[0][at + i * gap] = o.upper;
            numbers[1][at + i * gap] = NAN;
            /* items that are exchanged may be at other steps */
            if (o.neighbours == DUSK_REPLACE_ONE) numbers[0][to + i * gap] = NAN;
        }
        replay r = replay_open(round);
        for (int i = 0; i < 2; i++) {
            dusk_stream *s;
            assert_int_equal(dusk_stream_new(&s, &o, NULL), DUSK_OK);
            for (int t = 0; t < LENGTH; t++)
                assert_int_equal(dusk_stream_release(s, &answer[i][t], numbers[i][t], r.gen[i], NULL),
                                 DUSK_OK);
            assert_int_equal(dusk_stream_state(s, &statement, NULL), DUSK_OK);
            dusk_stream_free(s);
        }
        replay_same(answer[0], answer[1], LENGTH);
        replay_close(&r, (replay_declared){ .epsilon = statement.epsilon, .delta = statement.delta });
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(call_by_call), cmocka_unit_test(trees),
                                        cmocka_unit_test(honaker), cmocka_unit_test(matrices) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
