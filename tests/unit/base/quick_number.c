/* SPDX-License-Identifier: Apache-2.0 */
/* The quick reader of numbers says what strtod says, to the last bit, and takes no more for
 * a number than strtod does. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/quick_number.h"
#include "comma.h"
#include "support.h"

/* Both ways; the text is followed by bytes that must not be looked at. */
static void same(const char *text)
{
    char room[900], *end = NULL;
    size_t length = strlen(text);
    double got = -1, wanted = strtod(text, &end);
    memcpy(room, text, length);
    memcpy(room + length, "7e9", 4);
    bool is_number = length && *end == '\0' && !(text[0] >= '\t' && text[0] <= ' ');
    if (dusk_quick_number(room, length, &got) != is_number)
        fail_msg("%s is %sa number", text, is_number ? "" : "not ");
    if (!is_number) return;
    if (isnan(wanted) ? !isnan(got) : memcmp(&got, &wanted, sizeof got) != 0)
        fail_msg("%s is %.17g, not %.17g", text, wanted, got);
}

static void everyday(void **state)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "+0",
        "1",
        "-1",
        "+1",
        "007",
        "3.7",
        "-3.7",
        ".5",
        "5.",
        "-.5",
        "1e5",
        "1E5",
        "1e+5",
        "1e-5",
        "1.5e3",
        "0.1",
        "0.2",
        "0.3",
        "123456789",
        "1e22",
        "1e23",
        "9007199254740993",
        "9007199254740992",
        "9007199254740991",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "0e9999",
        "0e99999",
        "1e308",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1e309",
        "4.9e-324",
        "2.4e-324",
        "1e-400",
        "2.2250738585072011e-308",
        "0x1p3",
        "0x1.8p-1074",
        "-0x1.999999999999ap-4",
        "0x",
        "0xg",
        "nan",
        "NaN",
        "-nan",
        "inf",
        "-inf",
        "Infinity",
        "+inf",
        "infin",
        "nano",
        "",
        "-",
        "+",
        ".",
        "e5",
        "1e",
        "1e+",
        "1e-",
        "--1",
        "1-",
        "1.2.3",
        "1,5",
        "1_000",
        " 1",
        "1 ",
        "\t1",
        "T",
        "0b1",
        "1f",
        "1d",
        "1L",
        "one",
        "0.000000000000000000000000000000001",
        "123456789012345678901234567890",
        "1e00000000005",
        "0.30000000000000004",
        "1.1102230246251565e-16",
        "8.5e-27",
        "12345678901234567e10",
        "1e27",
        "1e28",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) same(texts[i]);
}

/* What programs print: shortest forms, 15 and 17 digits, fixed places. */
static void printed(void **state)
{
    static const char *const formats[] = { "%.17g", "%.15g", "%.16g", "%.6f", "%.18f",
                                           "%g",    "%.0f",  "%a",    "%.18e" };
    uint64_t seed = 3;
    char text[800];
    (void)state;
    for (int i = 0; i < 300000; i++) {
        uint64_t bits = splitmix64(&seed);
        double x = i % 2 ? from_bits(bits) : ldexp((double)(int64_t)bits, (int)(bits % 90) - 100);
        if (fabs(x) > 1e60 && i % 2 == 0) continue;
        const char *format = formats[(unsigned)i % (sizeof formats / sizeof *formats)];
        snprintf(text, sizeof text, format, x);
        same(text);
    }
}

/* Half way between two doubles, and a digit beside it. */
static void half_way(void **state)
{
    uint64_t seed = 4;
    char text[400];
    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t m = (splitmix64(&seed) >> 10) | (uint64_t)1 << 53; /* 54 bits */
        uint64_t half = (m | 1) + (uint64_t)(i % 3) - 1;
        snprintf(text, sizeof text, "%llu", (unsigned long long)half);
        same(text);
        snprintf(text, sizeof text, "%llu.%de1", (unsigned long long)(half >> 4), i % 10);
        same(text);
        snprintf(text, sizeof text, "%llue-%d", (unsigned long long)(m | splitmix64(&seed) << 54), i % 30);
        same(text);
    }
}

/* Every short text of the letters that numbers are made of. */
static void all_short(void **state)
{
    static const char letters[] = "019.eE+-xnai ";
    char text[6] = "";
    (void)state;
    for (uint32_t code = 0; code < 13 * 13 * 13 * 13 * 13; code++) {
        uint32_t rest = code;
        for (int i = 0; i < 5; i++, rest /= 13) text[i] = letters[rest % 13];
        size_t length = 5;
        while (length && text[length - 1] == ' ') length--;
        char cut[6] = "";
        memcpy(cut, text, length);
        same(cut);
    }
}

static void the_hosts_locale_does_not_matter(void **state)
{
    const char *long_number = "0.30000000000000000000001";
    double x = 0;
    (void)state;
    if (!comma_chosen()) skip(); /* not installed here */
    assert_true(dusk_quick_number(long_number, strlen(long_number), &x));
    assert_true(x == 0.3);
    assert_false(dusk_quick_number("0,30000000000000000000001", 25, &x));
    point_again();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyday),
        cmocka_unit_test(printed),
        cmocka_unit_test(half_way),
        cmocka_unit_test(all_short),
        cmocka_unit_test(the_hosts_locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
