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
    char written[8192];
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
    assert_reads_as("metric(1e-2,200)*3", "metric(0.01, 200) * 3");
    assert_reads_as("(laplace(1) + gaussian(2) * 2) * 3", "laplace(1) * 3 + gaussian(2) * 6");
    assert_reads_as("((((pure(1)))))", "pure(1)");
    assert_reads_as("pure(1) + (pure(1) + pure(2)) * 2 + pure(2)", "pure(1) * 3 + pure(2) * 3");
    assert_reads_as("pure(1) * 4611686018427387904", "pure(1) * 4611686018427387904");
    assert_reads_as("pure(0.0000000000)", "pure(0)");
    assert_reads_as("pure(-0)", "pure(0)");
    assert_reads_as("laplace(5e-324)", "laplace(5e-324)");
    assert_reads_as("laplace(1.7976931348623157e308)", "laplace(1.7976931348623157e+308)");
}

static void wrappers_and_tables(void **state)
{
    (void)state;
    assert_reads_as("zcdp(1,0)+zcdp(1,2)", "zcdp(1) + zcdp(1, 2)");
    assert_reads_as("mcdp(0,1) + tcdp(1,1.5) + staircase(1,.5)",
                    "mcdp(0, 1) + tcdp(1, 1.5) + staircase(1, 0.5)");
    assert_reads_as("svt_gaussian(1,2,1e3)+tree(5,1024)+matrix(5,.5)+shuffle(1e6,1)",
                    "svt_gaussian(1, 2, 1000) + tree(5, 1024) + matrix(5, 0.5) + shuffle(1000000, 1)");
    assert_reads_as("rdp(1.5:0 , 2 : 1,64:.5)*2", "rdp(1.5: 0, 2: 1, 64: 0.5) * 2");
    assert_reads_as("fdp(0: 1, 0.1: 0.8, 1: 0)", "fdp(0: 1, 0.1: 0.8, 1: 0)");
    assert_reads_as("fdp(0: 1, .3: .7, 0.9: 0.1, 1: 0)", "fdp(0: 1, 0.3: 0.7, 0.9: 0.1, 1: 0)");
    assert_reads_as("pld(-1: 0.25, -0: 0.25, 2: 0, inf: 1e-9)", "pld(-1: 0.25, 0: 0.25, 2: 0, inf: 1e-09)");
    assert_reads_as("pld(inf: 1)", "pld(inf: 1)");
    assert_reads_as("poisson(0.01, gaussian(1)) * 10000", "poisson(0.01, gaussian(1)) * 10000");
    assert_reads_as("poisson(1, pure(1)) + poisson(0, pure(1))", "poisson(1, pure(1)) + poisson(0, pure(1))");
    assert_reads_as("without_replacement(1, 1, pure(1)) + with_replacement(5, 2, pure(1) * 2)",
                    "without_replacement(1, 1, pure(1)) + with_replacement(5, 2, pure(1) * 2)");
    assert_reads_as("group(1, (group(2, pure(1)) * 2 + pure(2)) * 3) * 4",
                    "group(1, group(2, pure(1)) * 6 + pure(2) * 3) * 4");
    assert_reads_as("parallel(pure(1), pure(1), pure(1) + (pure(1)))",
                    "parallel(pure(1), pure(1), pure(1) * 2)");
    assert_reads_as(
        "select_best(-0.5, .5, laplace(1)) + select_best(0, .5, laplace(1)) + select_poisson(3,laplace(1))",
        "select_best(-0.5, 0.5, laplace(1)) + select_best(0, 0.5, laplace(1)) + "
        "select_poisson(3, laplace(1))");
    assert_reads_as(
        "poisson(0.5, gaussian(1)) + pure(1) + poisson(0.5, gaussian(1)) * 2 + poisson(0.5, gaussian(1) * 2)",
        "poisson(0.5, gaussian(1)) * 3 + pure(1) + poisson(0.5, gaussian(1) * 2)");
    assert_reads_as("rdp(2: 1) + rdp(2: 1) + rdp(2: 2)", "rdp(2: 1) * 2 + rdp(2: 2)");
}

static void bad_wrappers_and_tables(void **state)
{
    (void)state;
    assert_fails("poisson(0.5)", 12, "a comma and an event");
    assert_fails("poisson(0.5, )", 14, "an event is expected");
    assert_fails("poisson(0.5, pure(1)", 21, "closing");
    assert_fails("poisson(0.5, pure(1), pure(1))", 21, "closing");
    assert_fails("poisson(1.5, pure(1))", 1, "rate must be from 0 to 1");
    assert_fails("pure(2) + poisson(0.5, pure(-1))", 24, "epsilon");
    assert_fails("without_replacement(3, 2, pure(1))", 1, "at most units");
    assert_fails("without_replacement(0, 2, pure(1))", 1, "sample must be at least 1");
    assert_fails("without_replacement(1, 2)", 25, "a comma and an event");
    assert_fails("with_replacement(1, 0, pure(1))", 1, "units must be at least 1");
    assert_fails("group(0, pure(1))", 1, "size must be at least 1");
    assert_fails("group(2, pure(1) * 0)", 10, "times");
    assert_fails("group(pure(1))", 7, "whole number");
    assert_fails("parallel()", 10, "an event is expected");
    assert_fails("select_best(-1, 0.5, pure(1))", 1, "eta");
    assert_fails("select_best(1, 1, pure(1))", 1, "gamma");
    assert_fails("select_best(1, 0, pure(1))", 1, "gamma");
    assert_fails("select_poisson(0, pure(1))", 1, "mu");
    assert_fails("tcdp(1, 1)", 1, "omega must be finite and above 1");
    assert_fails("mcdp(1, 0)", 1, "tau");
    assert_fails("staircase(1, 1)", 1, "gamma");
    assert_fails("tree(1, 0)", 1, "items");
    assert_fails("matrix(1, 0)", 1, "column_norm");
    assert_fails("shuffle(0, 1)", 1, "reports");
    assert_fails("shuffle(1, -1)", 1, "epsilon");
    assert_fails("shuffle(1.5, 1)", 9, "whole number");
    assert_fails("svt_gaussian(1, 1, 0)", 1, "queries");
    assert_fails("threshold_monitor(1, 0)", 1, "contributions");
    assert_fails("rdp()", 5, "a number is expected");
    assert_fails("rdp(2)", 6, "a colon");
    assert_fails("rdp(2: )", 8, "a number is expected");
    assert_fails("rdp(2: 1,)", 10, "a number is expected");
    assert_fails("rdp(1: 1)", 1, "at point 1 orders");
    assert_fails("rdp(2: 1, 2: 1)", 1, "at point 2 orders");
    assert_fails("rdp(2: -1)", 1, "epsilon");
    assert_fails("rdp(inf: 1)", 5, "a number is expected");
    assert_fails("fdp(0: 1)", 1, "the last type I error");
    assert_fails("fdp(0.1: 0.9, 1: 0)", 1, "the first type I error");
    assert_fails("fdp(0: 1, 0.5: 0.2, 0.5: 0.1, 1: 0)", 1, "at point 3 type I errors must be increasing");
    assert_fails("fdp(0: 1, 0.5: 0.6, 1: 0)", 1, "1 minus");
    assert_fails("fdp(0: 0.5, 0.1: 0.55, 1: 0)", 1, "must not increase");
    assert_fails("fdp(0: 0.5, 0.1: 0.5, 1: 0)", 1, "convex");
    assert_fails("fdp(0: 1, 0.5: -0.1, 1: 0)", 1, "type II");
    assert_fails("pld(0: 1.5)", 1, "probability");
    assert_fails("pld(0: 0.5, 0: 0.5)", 1, "losses must be increasing");
    assert_fails("pld(inf: 0.5, 1: 0.5)", 1, "losses must be increasing");
    assert_fails("pld(-inf: 0.5)", 5, "a number is expected");
    assert_fails("pld(1: 0.6, 2: 0.6)", 1, "more than 1");
    assert_fails("pld(-1: 1)", 1, "exp(-loss)");
    assert_fails("pld(-1000: 0.5)", 1, "exp(-loss)");
}

static void scaled_whole_numbers(void **state)
{
    (void)state;
    assert_reads_as("pure(1) * 1e6", "pure(1) * 1000000");
    assert_reads_as("pure(1) * 1.5E+3", "pure(1) * 1500");
    assert_reads_as("pure(1) * 1200e-2", "pure(1) * 12");
    assert_reads_as("pure(1) * 461168601842738790400e-2", "pure(1) * 4611686018427387904");
    assert_reads_as("pure(1) * 00000000000000000000000000000000000000000000000000000000000000000002",
                    "pure(1) * 2");
    assert_fails("pure(1) * 1e-1", 11, "whole number");
    assert_fails("pure(1) * 1.55e1", 11, "whole number");
    assert_fails("pure(1) * 1e19", 11, "whole number");
    assert_fails("pure(1) * 1e999999999999", 11, "whole number");
    assert_fails("pure(1) * 1e", 11, "exponent");
    assert_fails("pure(1) * 0e5", 1, "times");
    assert_fails("pure(1) * 2.0", 11, "whole number");
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
    char *text = nested(64, "(", "pure(1)", ")");
    (void)state;
    assert_reads_as(text, "pure(1)");
    free(text);
    assert_fails(text = nested(65, "(", "pure(1)", ")"), 65, "nested");
    free(text);
    assert_fails(text = nested(1000000, "(", "", ""), 65, "nested");
    free(text);
    text = nested(64, "group(2, ", "pure(1)", ")");
    assert_reads_as(text, text);
    free(text);
    assert_fails(text = nested(65, "group(2, ", "pure(1)", ")"), 64 * 9 + 1, "nested");
    free(text);
    text = nested(50, "poisson(0.5, parallel(", "pure(1)", "))");
    assert_fails(text, 32 * 22 + 1, "nested");
    free(text);
    assert_fails(text = nested(100000, "", "rdp(2: 1", ", 2: 1"), 600009, "closing");
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
    static const char good[] = "(laplace(1.5e-3) + svt(1, 2, 3)) * 12 + poisson(0.5, pure(1) + pure(2)) + "
                               "rdp(2: 1, 3: 2) + parallel(pure(1), group(4, pld(1: 0.5, inf: 0.1)))";
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
        cmocka_unit_test(forms),
        cmocka_unit_test(numbers_round_trip),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(bad_numbers),
        cmocka_unit_test(hostile_sizes),
        cmocka_unit_test(mangled),
        cmocka_unit_test(small_buffers),
        cmocka_unit_test(wrappers_and_tables),
        cmocka_unit_test(bad_wrappers_and_tables),
        cmocka_unit_test(scaled_whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
