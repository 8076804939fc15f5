/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers have a point, whatever locale the program has. */
#include "base/format.h"

#include <string.h>

#include "comma.h"
#include "support.h"

static void check_numbers(void)
{
    char text[40], *end;
    assert_int_equal(dusk_format(text, sizeof text, "%.3f %a %s", 1.5, 0.75, "x,y"), 18);
    assert_string_equal(text, "1.500 0x1.8p-1 x,y");
    assert_int_equal(dusk_format(text, 4, "%.3f", 1.5), 5);
    assert_string_equal(text, "1.5");
    assert_true(dusk_number_at("0.25;", &end) == 0.25);
    assert_string_equal(end, ";");
    assert_true(dusk_number_at("0,25", &end) == 0);
    assert_string_equal(end, ",25");
    assert_true(dusk_number_at("1e-3", NULL) == 1e-3);
}

static void without_a_locale(void **state)
{
    (void)state;
    check_numbers();
}

static void with_a_comma(void **state)
{
    (void)state;
    if (!comma_chosen()) skip(); /* not installed here */
    check_numbers();
    assert_string_equal(localeconv()->decimal_point, ","); /* the program has its locale still */
    point_again();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_locale),
        cmocka_unit_test(with_a_comma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
