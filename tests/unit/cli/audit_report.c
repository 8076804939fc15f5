/* SPDX-License-Identifier: Apache-2.0 */
/* The line of an audit: bounds are cut, and what is above a claim looks above it. The program
 * is no library: what is tested is compiled in. */
#include <math.h>
#include <stdio.h>

#include "support.h"

#include "cli/audit_report.c"
#include "cli/output.c"

static char line[400];

static const char *report(double claimed, double measured, double exact, dusk_verdict verdict)
{
    FILE *file = fmemopen(line, sizeof line, "w");
    assert_non_null(file);
    audit_print_report(file,
                       &(dusk_audit_report){ .claimed = claimed,
                                             .epsilon = measured,
                                             .verdict = verdict,
                                             .detectable = 2.5,
                                             .draws = 5000000 },
                       0.95, exact, 0.94);
    fclose(file);
    return line;
}

static void the_line(void **state)
{
    (void)state;
    assert_string_equal(
        report(0.7, 0.6319, 0.643, DUSK_PASS),
        "claimed 0.700 | measured >= 0.631 (95 %) | exact 0.643 | pass | 5.0e6 draws | 0.9 s");
    assert_string_equal(report(0.7, 0.6319, NAN, DUSK_PASS),
                        "claimed 0.700 | measured >= 0.631 (95 %) | pass | 5.0e6 draws | 0.9 s");
    assert_string_equal(
        report(0.7, 0, INFINITY, DUSK_INCONCLUSIVE),
        "claimed 0.700 | measured >= 0.000 (95 %) | exact infinite | inconclusive, could have "
        "caught 2.500 | 5.0e6 draws | 0.9 s");
}

/* Places enough to tell a bound from the claim. */
static void small_claims(void **state)
{
    (void)state;
    assert_non_null(
        strstr(report(0.01, 0.0123, NAN, DUSK_VIOLATION), "claimed 0.0100 | measured >= 0.0123 "));
    assert_non_null(strstr(report(0.7, 0.70004, NAN, DUSK_PASS), "claimed 0.70000 | measured >= 0.70004 "));
    assert_non_null(strstr(report(0.7, 0.69996, NAN, DUSK_PASS), "claimed 0.700 | measured >= 0.699 "));
    assert_non_null(strstr(report(0, 0.0004, NAN, DUSK_PASS), "claimed 0.0000 | measured >= 0.0004 "));
    assert_non_null(strstr(report(1e-12, 1e-3, NAN, DUSK_VIOLATION), "claimed 1e-12 | measured >= 0.001 "));
    assert_non_null(strstr(report(1e300, 12.3456, NAN, DUSK_PASS), "claimed 1e300 | measured >= 12.345 "));
    assert_non_null(strstr(report(INFINITY, 1, NAN, DUSK_PASS), "claimed infinite | measured >= 1.000 "));
    assert_non_null(strstr(report(1, INFINITY, NAN, DUSK_PASS), "claimed 1.000 | measured >= infinity "));
}

/* As the user wrote it, and never 100. */
static void percents(void **state)
{
    static const struct {
        double confidence;
        const char *text;
    } known[] = { { 0.95, "95" },
                  { 0.5, "50" },
                  { 0.999, "99.9" },
                  { 0.57, "57" },
                  { 0.123456789, "12.3457" },
                  { 0.99999999, "99.999999" },
                  { 0.9999996, "99.99996" },
                  { 1e-9, "1e-7" },
                  { 1 - 0x1p-53, "99.99999999999999" } };
    char text[DUSK_DECIMAL_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        dusk_decimal_percent(text, known[i].confidence);
        assert_string_equal(text, known[i].text);
    }
    for (double rest = 0.5; rest >= 0x1p-53; rest *= 0.75) {
        dusk_decimal_percent(text, 1 - rest);
        assert_true(strtod(text, NULL) < 100);
    }
}

/* What is printed is at most the bound, and above the claim only where the bound is. */
static void never_above(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 20000; i++) {
        double scale = exp2((double)(splitmix64(&seed) % 40) - 30), claimed, measured, shown[2];
        claimed = scale * (double)(splitmix64(&seed) >> 40) * 0x1p-24;
        measured = i % 3 ? claimed * (1 + ((double)(splitmix64(&seed) >> 40) * 0x1p-24 - 0.5) * 0.01) : scale;
        report(claimed, measured, NAN, DUSK_PASS);
        assert_int_equal(sscanf(line, "claimed %lf | measured >= %lf", &shown[0], &shown[1]), 2);
        assert_true(shown[1] <= measured);
        assert_true(measured - shown[1] <= 0.001);
        if (measured <= claimed) assert_true(shown[1] <= shown[0] + 1e-9);
    }
}

static void densities_and_deltas(void **state)
{
    (void)state;
    char text[400];
    FILE *file = fmemopen(text, sizeof text, "w");
    assert_non_null(file);
    audit_print_report(file,
                       &(dusk_audit_report){ .claimed = 1,
                                             .delta = 1e-6,
                                             .epsilon = 0.5,
                                             .verdict = DUSK_PASS,
                                             .density = DUSK_DENSITY_TRUSTED,
                                             .draws = 999 },
                       0.99, NAN, 123.4);
    fclose(file);
    assert_string_equal(text, "claimed 1.000 at delta 1e-6 | measured >= 0.500 (99 %, likelihood ratio "
                              "believed) | pass | 999 draws | 123.4 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line),    cmocka_unit_test(small_claims),         cmocka_unit_test(percents),
        cmocka_unit_test(never_above), cmocka_unit_test(densities_and_deltas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
