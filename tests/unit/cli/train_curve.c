/* SPDX-License-Identifier: Apache-2.0 */
/* The line of a training that goes on: what matters most is there on a narrow terminal, and a price is not
 * smaller than it is. The program is no library: what is tested is compiled in. */
#include <math.h>
#include <stdio.h>

#include "support.h"

#include "cli/output.c"
#include "cli/train_curve.c"

static char text[LINE_SIZE];

static const char *line_of(size_t columns, const train_line *l)
{
    memset(text, '#', sizeof text);
    write_line(text, columns, l);
    assert_true(strlen(text) < columns);
    return text;
}

static const dusk_train_point point = { .loss = 0.6931, .accuracy = 0.9731, .rmse = NAN };
static const train_line usual = { .step = 1234,
                                  .steps = 6000,
                                  .left = 123,
                                  .rate = 38.7,
                                  .spent = 1.23449,
                                  .promised = 4.00001,
                                  .checked = &point };

static void widths(void **state)
{
    (void)state;
    assert_string_equal(
        line_of(200, &usual),
        "1234/6000, 39/s, 123 s left, epsilon 1.24 if planned to stop here, public loss 0.693, "
        "right 97.3 %, epsilon 4.001 in all");
    assert_string_equal(line_of(80, &usual),
                        "1234/6000, 39/s, 123 s left, epsilon 1.24 if planned to stop here, loss 0.693");
    assert_string_equal(line_of(60, &usual), "1234/6000, 123 s left, epsilon 1.24 if planned to stop here");
    assert_string_equal(line_of(40, &usual), "1234/6000, 123 s left, loss 0.693, 39/s");
    assert_string_equal(line_of(16, &usual), "1234/6000, 39/s");
    assert_string_equal(line_of(5, &usual), "");
    assert_string_equal(line_of(1, &usual), "");
}

/* Long numbers leave no room for a loss, and the price stays. */
static void price_outranks_loss(void **state)
{
    train_line long_one = usual;
    (void)state;
    long_one.step = 123456;
    long_one.steps = 600000;
    long_one.left = 12345;
    assert_string_equal(line_of(80, &long_one),
                        "123456/600000, 39/s, 12345 s left, epsilon 1.24 if planned to stop here");
}

static void what_is_known(void **state)
{
    train_line l = usual;
    const dusk_train_point numbers = { .loss = 2, .accuracy = NAN, .rmse = 12.345 };
    (void)state;
    l.spent = 0;
    l.checked = &numbers;
    assert_string_equal(line_of(200, &l),
                        "1234/6000, 39/s, 123 s left, costs epsilon 4.001, public rmse 12.3");
    l.promised = 0;
    l.checked = NULL;
    assert_string_equal(line_of(200, &l), "1234/6000, 39/s, 123 s left");
}

static void a_price_is_never_less(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        const double epsilon = exp2((double)(splitmix64(&seed) >> 40) * 0x1p-24 * 30 - 15);
        train_line l = usual;
        double shown[2];
        l.spent = epsilon;
        l.promised = epsilon * 2;
        line_of(200, &l);
        assert_int_equal(sscanf(strstr(text, "epsilon "), "epsilon %lf", &shown[0]), 1);
        assert_int_equal(sscanf(strrchr(text, '%'), "%%, epsilon %lf in all", &shown[1]), 1);
        assert_true(shown[0] >= l.spent && shown[1] >= l.promised);
        assert_true(shown[0] <= 1.011 * l.spent && shown[1] <= 1.0011 * l.promised);
        dusk_format_up(text, sizeof text, epsilon, 3);
        assert_true(strtod(text, NULL) >= epsilon && strtod(text, NULL) < epsilon + 0.0011);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths),
        cmocka_unit_test(price_outranks_loss),
        cmocka_unit_test(what_is_known),
        cmocka_unit_test(a_price_is_never_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
