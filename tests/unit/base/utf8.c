/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 against the table of well-formed sequences of the Unicode standard, for every start. */
#include "base/utf8.h"

#include "support.h"

/* Table 3-7 of the Unicode standard: first byte, then the second byte; the rest is 80..BF. */
static const struct {
    unsigned first, last, from, to;
    size_t size;
} rows[] = { { 0x00, 0x7F, 0, 0, 1 },       { 0xC2, 0xDF, 0x80, 0xBF, 2 }, { 0xE0, 0xE0, 0xA0, 0xBF, 3 },
             { 0xE1, 0xEC, 0x80, 0xBF, 3 }, { 0xED, 0xED, 0x80, 0x9F, 3 }, { 0xEE, 0xEF, 0x80, 0xBF, 3 },
             { 0xF0, 0xF0, 0x90, 0xBF, 4 }, { 0xF1, 0xF3, 0x80, 0xBF, 4 }, { 0xF4, 0xF4, 0x80, 0x8F, 4 } };

static size_t wanted_size(unsigned a, unsigned b)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (a >= rows[i].first && a <= rows[i].last)
            return rows[i].size == 1 || (b >= rows[i].from && b <= rows[i].to) ? rows[i].size : 0;
    return 0;
}

static void every_start(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++) {
            char text[4] = { (char)a, (char)b, (char)0x80, (char)0xBF };
            size_t wanted = wanted_size(a, b);
            assert_int_equal(dusk_utf8_size(text, 4), wanted);
            for (size_t length = 0; length < wanted; length++)
                assert_int_equal(dusk_utf8_size(text, length), 0);
            text[2] = 'x';
            assert_int_equal(dusk_utf8_size(text, 4), wanted > 2 ? 0 : wanted);
        }
}

static void whole_texts(void **state)
{
    char text[40];
    (void)state;
    assert_true(dusk_utf8_valid("", 0));
    assert_true(dusk_utf8_valid("gr\xc3\xbc\xc3\x9f, \xf0\x9f\x99\x82", 13));
    for (size_t at = 0; at < sizeof text; at++) { /* wherever it is among the eights */
        memset(text, 'a', sizeof text);
        text[at] = (char)0xC3;
        assert_false(dusk_utf8_valid(text, sizeof text));
        if (at + 1 < sizeof text) text[at + 1] = (char)0xA4;
        assert_int_equal(dusk_utf8_valid(text, sizeof text), at + 1 < sizeof text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_start), cmocka_unit_test(whole_texts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
