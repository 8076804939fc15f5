/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers read back as themselves, everyday ones look everyday, and nothing is
 * written past the end of a buffer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "comma.h"
#include "support.h"

static const char *number(double x)
{
    static char room[64];
    dusk_text text;
    dusk_text_init(&text, room, sizeof room);
    dusk_text_number(&text, x);
    assert_false(text.overflow);
    return room;
}

static void test_everyday(void **state)
{
    (void)state;
    assert_string_equal(number(0), "0");
    assert_string_equal(number(100), "100");
    assert_string_equal(number(0.5), "0.5");
    assert_string_equal(number(-2.5e-5), "-0.000025");
    assert_string_equal(number(1e-6), "1e-06");
    assert_string_equal(number(1e15), "1000000000000000");
    assert_string_equal(number(INFINITY), "inf");
}

static void test_round_trip(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int i = 0; i < 100000; i++) {
        double x, y;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        memcpy(&x, &seed, sizeof x);
        if (!isfinite(x)) continue;
        y = strtod(number(x), NULL);
        assert_memory_equal(&x, &y, sizeof x);
    }
}

static void test_locale(void **state)
{
    (void)state;
    if (!comma_chosen()) skip(); /* not installed here */
    assert_string_equal(number(0.25), "0.25");
    point_again();
}

static void test_overflow(void **state)
{
    char room[8] = "zzzzzzz";
    dusk_text text;
    (void)state;
    dusk_text_init(&text, room, 4);
    dusk_text_add(&text, "abcdef");
    assert_true(text.overflow);
    assert_string_equal(room, "abc");
    assert_int_equal(room[4], 'z');
    dusk_text_init(&text, NULL, 0);
    dusk_text_add(&text, "x");
    assert_true(text.overflow);
}

static void test_json(void **state)
{
    char room[64];
    dusk_text text;
    (void)state;
    dusk_text_init(&text, room, sizeof room);
    dusk_text_json_string(&text, "a\"b\\\n");
    dusk_text_json_string(&text, NULL);
    dusk_text_json_number(&text, NAN);
    assert_string_equal(room, "\"a\\\"b\\\\\\u000a\"nullnull");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_everyday), cmocka_unit_test(test_round_trip),
                                        cmocka_unit_test(test_locale), cmocka_unit_test(test_overflow),
                                        cmocka_unit_test(test_json) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
