/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of events: it round-trips, and hostile text gets one sentence
 * with a column. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accounting/event.h"
#include "support.h"

static void assert_reads_as(const char *text, const char *normal)
{
    dusk_event event, again;
    dusk_error err = { .message = "" };
    char written[4096];
    if (dusk_event_parse(&event, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    assert_int_equal(dusk_event_format(&event, written, sizeof written, NULL), DUSK_OK);
    assert_string_equal(written, normal);
    assert_int_equal(dusk_event_parse(&again, written, NULL), DUSK_OK);
    assert_memory_equal(&event, &again, sizeof event);
}

static void assert_fails(const char *text, int column, const char *word)
{
    dusk_event event, before;
    dusk_error err = { .message = "" };
    char place[32];
    memset(&event, 0x5a, sizeof event);
    before = event;
    snprintf(place, sizeof place, "column %d:", column);
    assert_int_equal(dusk_event_parse(&event, text, &err), DUSK_ERR_PARSE);
    assert_int_equal(err.status, DUSK_ERR_PARSE);
    if (!strstr(err.message, place) || !strstr(err.message, word))
        fail_msg("%.60s: expected %s %s, got %s", text, place, word, err.message);
    assert_true(strlen(err.hint) > 0);
    assert_memory_equal(&event, &before, sizeof event);
}

static void forms(void **state)
{
    (void)state;
    assert_reads_as("pure(1)", "pure(1)");
    assert_reads_as(" approx ( 1 , 1e-6 ) ", "approx(1, 1e-06)");
    assert_reads_as("zcdp(.5)+gdp(5.)", "zcdp(0.5) + gdp(5)");
    assert_reads_as("laplace(+2E+0)\t*\n3", "laplace(2) * 3");
    assert_reads_as("gaussian(0.05e2) * 2 * 3", "gaussian(5) * 6");
    assert_reads_as("discrete_laplace(2, 1)", "discrete_laplace(2)");
    assert_reads_as("discrete_gaussian(2, 5)", "discrete_gaussian(2, 5)");
    assert_reads_as("randomized_response(1,2)+exponential(1)+permute_and_flip(1)+noisy_max(1)+svt(1,2,3)",
                    "randomized_response(1, 2) + exponential(1) + permute_and_flip(1) + noisy_max(1) + "
                    "svt(1, 2, 3)");
    assert_reads_as("(laplace(1) + gaussian(2) * 2) * 3", "laplace(1) * 3 + gaussian(2) * 6");
    assert_reads_as("((((pure(1)))))", "pure(1)");
    assert_reads_as("pure(1) + (pure(1) + pure(2)) * 2 + pure(2)", "pure(1) * 3 + pure(2) * 3");
    assert_reads_as("pure(1) * 4611686018427387904", "pure(1) * 4611686018427387904");
    assert_reads_as("pure(0.0000000000)", "pure(0)");
    assert_reads_as("pure(-0)", "pure(0)");
    assert_reads_as("laplace(5e-324)", "laplace(5e-324)");
    assert_reads_as("laplace(1.7976931348623157e308)", "laplace(1.7976931348623157e+308)");
}

/* Every double reads back as itself. */
static void numbers_round_trip(void **state)
{
    uint64_t bits = 0x9e3779b97f4a7c15;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        dusk_event event, again;
        char text[128];
        double x;
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        uint64_t positive = (bits ^ (bits >> 29)) >> 1;
        memcpy(&x, &positive, sizeof x);
        if (!isfinite(x) || x == 0) continue;
        assert_int_equal(dusk_event_gaussian(&event, x, NULL), DUSK_OK);
        assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
        assert_int_equal(dusk_event_parse(&again, text, NULL), DUSK_OK);
        assert_memory_equal(&event, &again, sizeof event);
    }
}

static void mistakes(void **state)
{
    (void)state;
    assert_fails("", 1, "an event is expected");
    assert_fails("   ", 4, "an event is expected");
    assert_fails("foo(1)", 1, "no event of this name");
    assert_fails("Laplace(1)", 1, "an event is expected");
    assert_fails("laplace", 8, "parenthesis");
    assert_fails("laplace(", 9, "a number is expected");
    assert_fails("laplace()", 9, "a number is expected");
    assert_fails("laplace(1", 10, "closing");
    assert_fails("laplace(1, 2)", 10, "closing");
    assert_fails("laplace(1) 2", 12, "already ended");
    assert_fails("laplace(1) + ", 14, "an event is expected");
    assert_fails("laplace(1) + + laplace(1)", 14, "an event is expected");
    assert_fails("2 * laplace(1)", 1, "an event is expected");
    assert_fails("laplace(1) * laplace(1)", 14, "whole number");
    assert_fails("laplace(1) * -1", 14, "whole number");
    assert_fails("laplace(1) * 1e6", 14, "whole number");
    assert_fails("laplace(1) * 2.5", 14, "whole number");
    assert_fails("laplace(1) * 0", 1, "times");
    assert_fails("laplace(1) * 4611686018427387905", 1, "2^62");
    assert_fails("laplace(1) * 99999999999999999999999", 14, "too large");
    assert_fails("(laplace(1)", 12, "closing");
    assert_fails("laplace(1))", 11, "already ended");
    assert_fails("approx(1)", 9, "comma");
    assert_fails("randomized_response(1)", 22, "comma");
    assert_fails("randomized_response(1, 2.0)", 24, "whole number");
    assert_fails("svt(1, 2)", 9, "comma");
    assert_fails("svt(1, 2, -1)", 11, "whole number");
}

static void bad_numbers(void **state)
{
    (void)state;
    assert_fails("laplace(nan)", 9, "a number is expected");
    assert_fails("laplace(inf)", 9, "a number is expected");
    assert_fails("laplace(-inf)", 9, "a number is expected");
    assert_fails("laplace(0x1p3)", 10, "closing");
    assert_fails("laplace(.)", 9, "a number is expected");
    assert_fails("laplace(1.2.3)", 12, "closing");
    assert_fails("laplace(1e)", 9, "exponent");
    assert_fails("laplace(1e999)", 9, "too large");
    assert_fails("pure(1e-999)", 6, "too small");
    assert_fails("pure(1e99999999999999999999999)", 6, "too large");
    assert_fails("pure(1e-99999999999999999999999)", 6, "too small");
    assert_fails("pure(1) + laplace(-1)", 11, "scale");
    assert_fails("laplace(0)", 1, "scale");
    assert_fails("approx(1, 1)", 1, "delta");
    assert_fails("randomized_response(1, 1)", 1, "answers");
    assert_fails("discrete_laplace(1, 0)", 1, "sensitivity");
    assert_fails("laplace(1,5)", 10, "closing");
}

/* n times `open`, then `middle`, then n times `close` */
static char *nested(size_t n, const char *open, const char *middle, const char *close)
{
    size_t step = strlen(open), after = strlen(close);
    char *text = malloc(n * (step + after) + strlen(middle) + 1), *at = text;
    assert_non_null(text);
    for (size_t i = 0; i < n; i++, at += step) memcpy(at, open, step);
    memcpy(at, middle, strlen(middle));
    at += strlen(middle);
    for (size_t i = 0; i < n; i++, at += after) memcpy(at, close, after);
    *at = '\0';
    return text;
}

static void hostile_sizes(void **state)
{
    char *text = nested(32, "(", "pure(1)", ")");
    (void)state;
    assert_reads_as(text, "pure(1)");
    free(text);
    assert_fails(text = nested(33, "(", "pure(1)", ")"), 33, "nested");
    free(text);
    assert_fails(text = nested(1000000, "(", "", ""), 33, "nested");
    free(text);
    assert_fails(text = nested(1000000, "1", "", ""), 1, "an event is expected");
    free(text);
    text = nested(100000, "1", "", ")");
    memcpy(text, "pure(", 5);
    assert_fails(text, 6, "60 digits");
    free(text);
    assert_fails(text = nested(1000000, "a", "(1)", ""), 1, "no event of this name");
    free(text);
    text = nested(100000, "pure(1)+", "pure(1)", "");
    assert_reads_as(text, "pure(1) * 100001");
    free(text);
    assert_fails(text = nested(100000, "", "pure(1)", " * 2"), 1, "2^62");
    free(text);
}

/* Any change of a byte of a good text is read or refused, never worse. */
static void mangled(void **state)
{
    static const char good[] = "(laplace(1.5e-3) + svt(1, 2, 3)) * 12 + discrete_gaussian(4, 2)";
    (void)state;
    for (size_t i = 0; i < sizeof good - 1; i++)
        for (int c = 0; c < 256; c++) {
            char text[sizeof good];
            dusk_event event;
            dusk_error err = { .message = "" };
            memcpy(text, good, sizeof good);
            text[i] = (char)c;
            dusk_status status = dusk_event_parse(&event, text, &err);
            assert_true(status == DUSK_OK || (status == DUSK_ERR_PARSE && strstr(err.message, "column ")));
        }
}

static void small_buffers(void **state)
{
    dusk_event event;
    dusk_error err;
    char text[16] = "untouched";
    (void)state;
    assert_int_equal(dusk_event_pure(&event, 0.125, NULL), DUSK_OK); /* pure(0.125): 11 bytes */
    assert_int_equal(dusk_event_format(&event, text, 0, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_event_format(&event, text, 11, &err), DUSK_ERR_ARGUMENT);
    assert_string_equal(text, "untouched");
    assert_int_equal(dusk_event_format(&event, text, 12, &err), DUSK_OK);
    assert_string_equal(text, "pure(0.125)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),         cmocka_unit_test(numbers_round_trip), cmocka_unit_test(mistakes),
        cmocka_unit_test(bad_numbers),   cmocka_unit_test(hostile_sizes),      cmocka_unit_test(mangled),
        cmocka_unit_test(small_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
