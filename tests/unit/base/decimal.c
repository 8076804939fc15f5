/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds in decimal: on the right side of what they bound, by less than one in the last digit, and what has few
 * digits stays as it is. */
#include "base/decimal.h"

#include <math.h>
#include <stdio.h>

#include "comma.h"
#include "support.h"

static void known(void **state)
{
    static const struct {
        double x;
        int digits;
        const char *up, *down;
    } list[] = { { 0.1, 4, "0.1", "0.1" },
                 { 0.30000000000000004, 4, "0.3001", "0.3" },
                 { 1.23449, 4, "1.235", "1.234" },
                 { 1.23451, 4, "1.235", "1.234" },
                 { 99.9996, 4, "100", "99.99" },
                 { 999999.5, 6, "1000000", "999999" },
                 { 1e-6, 3, "1e-6", "1e-6" },
                 { 1.2344e-6, 3, "1.24e-6", "1.23e-6" },
                 { 0.00012344, 3, "0.000124", "0.000123" },
                 { -1.23449, 4, "-1.234", "-1.235" },
                 { 1e300, 1, "1e300", "1e300" },
                 { 0, 4, "0", "0" },
                 { INFINITY, 4, "infinity", "infinity" },
                 { NAN, 4, "nan", "nan" } };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        assert_string_equal(dusk_shown_up(list[i].x, list[i].digits).text, list[i].up);
        assert_string_equal(dusk_shown_down(list[i].x, list[i].digits).text, list[i].down);
    }
}

static void never_on_the_wrong_side(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < 100000; i++) {
        double x = i % 2 ? from_bits(splitmix64(&seed)) : exp2((double)(splitmix64(&seed) % 6000) / 100 - 30);
        if (!isfinite(x)) continue;
        const int digits = 1 + (int)(splitmix64(&seed) % 17);
        const double up = strtod(dusk_shown_up(x, digits).text, NULL);
        const double down = strtod(dusk_shown_down(x, digits).text, NULL);
        assert_true(down <= x && x <= up);
        if (isfinite(up) && isfinite(down) && fabs(x) > 1e-290)
            assert_true(fabs(up - down) <= fabs(x) * pow(10, 1 - digits) * (1 + 1e-9) + fabs(x) * 0x1p-51);
    }
}

/* Two of them in one call do not share their room. */
static void several_at_once(void **state)
{
    char text[200];
    (void)state;
    snprintf(text, sizeof text, "epsilon %s at delta %s", dusk_shown_up(1.23449, 4).text,
             dusk_shown_up(1.2344e-6, 3).text);
    assert_string_equal(text, "epsilon 1.235 at delta 1.24e-6");
}

static void another_decimal_point(void **state)
{
    char text[DUSK_DECIMAL_SIZE];
    (void)state;
    if (!comma_chosen()) skip(); /* not installed here */
    assert_string_equal(dusk_shown_up(1.23449, 4).text, "1.235");
    assert_string_equal(dusk_shown_down(0.5, 4).text, "0.5");
    dusk_decimal(text, 1e-7);
    assert_string_equal(text, "1e-7");
    dusk_decimal_percent(text, 0.999);
    point_again();
    assert_string_equal(text, "99.9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known),
        cmocka_unit_test(never_on_the_wrong_side),
        cmocka_unit_test(several_at_once),
        cmocka_unit_test(another_decimal_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
