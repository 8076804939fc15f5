/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbouring streams with the same coins: the same noise is drawn, so each answer may
 * differ by what one item can change in its window and no more; statements, widths and the
 * coins taken may not differ at all. Numbers are hostile on purpose. */
#include <math.h>

#include "dusk/dusk.h"
#include "hostile.h"
#include "random/generator.h"
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

static void replay(dusk_stream_method method, double delta)
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
    replay(DUSK_STREAM_TREE, 0);
    replay(DUSK_STREAM_TREE, 1e-6);
}

static void honaker(void **state)
{
    (void)state;
    replay(DUSK_STREAM_HONAKER, 0);
    replay(DUSK_STREAM_HONAKER, 1e-6);
}

static void matrices(void **state)
{
    (void)state;
    replay(DUSK_STREAM_SQUARE_ROOT, 1e-6);
    replay(DUSK_STREAM_BANDED, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(trees), cmocka_unit_test(honaker),
                                        cmocka_unit_test(matrices) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
