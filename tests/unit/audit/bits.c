/* SPDX-License-Identifier: Apache-2.0 */
/* The bit-level audit: what each test sees and what it says; what the bounds are made of; what is refused. */
#include "audit/bits.h"

#include <math.h>

#include "audit/float_noise.h"
#include "failing_memory.h"

enum { DRAWS = 1 << 15 };

static dusk_audit_options claim(double epsilon, double delta)
{
    dusk_audit_options options;
    dusk_audit_options_init(&options);
    options.epsilon = epsilon;
    options.delta = delta;
    options.draws = DRAWS;
    return options;
}

/* Audit noise of a method and scale 1 / epsilon on two values. */
static dusk_audit_report audit(audit_float_method *method, double a, double b, double scale,
                               const dusk_audit_options *options)
{
    audit_float_noise noise;
    dusk_audit_report report;
    audit_float_noise_init(&noise, method, 1 / options->epsilon, 42);
    dusk_sampler sampler = audit_float_sampler(&noise);
    dusk_input_pair pair = { { &a, &b }, "pair" };
    assert_int_equal(dusk_audit_bits(&report, &sampler, &pair, scale, options, NULL), DUSK_OK);
    assert_true(report.hits[0] <= report.trials[0] && report.hits[1] <= report.trials[1]);
    assert_int_equal(report.draws, 2 * (options->draws + dusk_audit_bits_selection(options->draws)));
    return report;
}

/* --- what is seen ------------------------------------------------------------------------ */

static void naive_noise_is_seen_as_a_black_box(void **state)
{
    audit_float_method *const methods[] = { audit_float_laplace,       audit_float_laplace_32,
                                            audit_float_laplace_numpy, audit_float_laplace_difference,
                                            audit_float_laplace_sign,  audit_float_laplace_single,
                                            audit_float_box_muller,    audit_float_polar,
                                            audit_float_ziggurat };
    dusk_audit_options options = claim(0.7, 0);
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        dusk_audit_report report = audit(methods[i], 0, 1, 0, &options);
        assert_int_equal(report.verdict, DUSK_VIOLATION);
        assert_string_equal(report.family, "last bits");
        assert_true(report.epsilon > 4 && report.epsilon_sure < report.epsilon);
    }
}

/* Inputs so near that sums lose no bits: only the formula tells them apart. */
static void formulae_are_led_back(void **state)
{
    static const struct {
        audit_float_method *method;
        const char *family;
    } cases[] = {
        { audit_float_laplace, "laplace support" },       { audit_float_laplace_32, "laplace support" },
        { audit_float_laplace_numpy, "laplace support" }, { audit_float_laplace_sign, "laplace support" },
        { audit_float_box_muller, "gaussian pair" },      { audit_float_polar, "gaussian pair" }
    };
    dusk_audit_options options = claim(1, 1e-5);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dusk_audit_report report = audit(cases[i].method, 0, 0x1p-20, 1, &options);
        assert_int_equal(report.verdict, DUSK_VIOLATION);
        assert_string_equal(report.family, cases[i].family);
        assert_true(report.epsilon > 2);
    }
    assert_int_equal(audit(audit_float_laplace, 0, 0x1p-20, 0, &options).verdict, DUSK_PASS);
}

/* About half of a naive sampler's outputs are out of reach from the other value [Mironov 2012], all of
 * them are in reach from their own. */
static void support_of_naive_laplace(void **state)
{
    const double zero = 0, one = 1;
    audit_bits bits = { .centre = { &zero, &one }, .single = true, .length = 1, .scale = 10 };
    audit_float_noise noise;
    unsigned away = 0;
    (void)state;
    audit_float_noise_init(&noise, audit_float_laplace, 10, 7);
    for (int i = 0; i < 20000; i++) {
        double y = audit_float_laplace(&noise, 1);
        unsigned key = audit_laplace_support.key(&bits, &y, 0, 1); /* k 2^-52 */
        assert_true((key & 7) <= 3);
        away += key >> 3 >= 4;
    }
    assert_in_range(away, 8000, 14000);
}

static void values_far_from_zero_hide_the_holes(void **state)
{
    dusk_audit_options options = claim(0.7, 0);
    (void)state;
    assert_int_equal(audit(audit_float_laplace, 1e10, 1e10 + 1, 1 / 0.7, &options).verdict, DUSK_PASS);
}

static void right_mechanisms_pass(void **state)
{
    dusk_audit_options options = claim(0.7, 0);
    (void)state;
    assert_int_equal(audit(audit_float_snapping, 0, 1, 1 / 0.7, &options).verdict, DUSK_PASS);
    /* multiples of 2^-52 times a power of two: all sums are exact */
    options = claim(1.0 / 128, 1.0 / 256);
    assert_int_equal(audit(audit_float_uniform, 0, 1, 128, &options).verdict, DUSK_PASS);
}

/* --- what is said ------------------------------------------------------------------------- */

static void cells_have_words(void **state)
{
    const double zero = 0, one = 1;
    audit_bits bits = { .centre = { &zero, &one }, .single = true, .length = 1 };
    char words[200];
    dusk_text text;
    double y = 0.25 + 0x1p-54;
    (void)state;
    dusk_text_init(&text, words, sizeof words);
    audit_low_bits.say(&text, &bits, audit_low_bits.key(&bits, &y, 0, 1), 1);
    assert_string_equal(words, "output in 2^-2..2^-1, an odd multiple of 2^-54");
    /* 0.25 + 2^-54 - 1 cannot be held, and is no sum with 1 */
    dusk_text_init(&text, words, sizeof words);
    audit_low_bits.say(&text, &bits, audit_low_bits.key(&bits, &y, 0, 7), 7);
    assert_string_equal(words, "output in 2^-2..2^-1; can be A + noise, cannot be B + noise");
    for (unsigned form = 0; form < audit_low_bits.forms; form++)
        for (unsigned key = 0; key < AUDIT_CELLS; key += 97) {
            dusk_text_init(&text, words, sizeof words);
            audit_low_bits.say(&text, &bits, key, form);
            assert_true(text.length > 0 && !text.overflow);
        }
}

static void hostile_outputs_have_cells(void **state)
{
    const double zero = 0, far = -1e300;
    const double outputs[] = { NAN, INFINITY, -INFINITY, 0, -0.0, 0x1p-1074, -0x1p-1074, 1e308, -1e308, 1 };
    audit_bits bits = {
        .centre = { &zero, &far }, .single = true, .length = 1, .scale = 0x1p-1000, .top = 996
    };
    const audit_bits_feature *const all[] = { &audit_low_bits, &audit_low_bits_scaled, &audit_laplace_support,
                                              &audit_gaussian_pairs };
    (void)state;
    for (size_t f = 0; f < 4; f++)
        for (unsigned form = 0; form < all[f]->forms; form++)
            for (size_t i = 0; i + 1 < sizeof outputs / sizeof *outputs; i++)
                assert_true(all[f]->key(&bits, &outputs[i], 0, form) < AUDIT_CELLS);
}

/* --- what the bounds are ------------------------------------------------------------------- */

static void bounds_are_those_of_counts(void **state)
{
    dusk_audit_options options = claim(0.7, 1e-3);
    (void)state;
    dusk_audit_report r = audit(audit_float_laplace, 0, 1, 0, &options);
    const uint64_t *k = r.hits, *n = r.trials;
    assert_int_equal(n[0], DRAWS);
    assert_int_equal(n[1], DRAWS);
    double sure = dusk_epsilon_down(k[0], n[0], k[1], n[1], 1e-3, 1e-6);
    assert_true(r.epsilon_sure == sure);
    assert_true(fabs(r.epsilon - dusk_epsilon_down(k[0], n[0], k[1], n[1], 1e-3, 0.05)) < 1e-9);
}

/* Of two releases: twice the delta, half the epsilon. */
static void pairs_are_two_releases(void **state)
{
    dusk_audit_options options = claim(1, 1e-2);
    (void)state;
    dusk_audit_report r = audit(audit_float_polar, 0, 0x1p-20, 1, &options);
    const uint64_t *k = r.hits, *n = r.trials;
    assert_string_equal(r.family, "gaussian pair");
    assert_true(n[0] <= DRAWS / 2 && n[0] >= DRAWS / 2 - DRAWS / 1024);
    assert_true(r.epsilon_sure == dusk_epsilon_down(k[0], n[0], k[1], n[1], 2e-2, 1e-6) / 2);
    assert_true(r.mu < dusk_gaussian_mu_down(k[0], n[0], k[1], n[1], 0.05) * 0.7072);
}

static dusk_status both(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    (void)err;
    for (size_t i = 0; i < 2 * n; i++) out[i] = audit_float_box_muller(context, input[i % 2]);
    return DUSK_OK;
}

/* An output of two numbers is one release. */
static void a_vector_is_one_release(void **state)
{
    const double first[] = { 0, 0 }, second[] = { 0x1p-20, 0 };
    audit_float_noise noise;
    dusk_audit_report r;
    dusk_audit_options options = claim(1, 1e-2);
    dusk_input_pair pair = { { first, second }, "pair" };
    (void)state;
    audit_float_noise_init(&noise, audit_float_box_muller, 1, 42);
    dusk_sampler sampler = { .context = &noise, .input_length = 2, .output_length = 2, .draw = both };
    assert_int_equal(dusk_audit_bits(&r, &sampler, &pair, 1, &options, NULL), DUSK_OK);
    assert_int_equal(r.verdict, DUSK_VIOLATION);
    assert_string_equal(r.family, "gaussian pair");
    assert_int_equal(r.trials[0], DRAWS);
    assert_true(r.epsilon_sure == dusk_epsilon_down(r.hits[0], DRAWS, r.hits[1], DRAWS, 1e-2, 1e-6));
}

static void few_draws_are_inconclusive(void **state)
{
    dusk_audit_options options = claim(5, 0);
    (void)state;
    options.draws = 1000;
    dusk_audit_report report = audit(audit_float_snapping, 0, 1, 0, &options);
    assert_int_equal(report.verdict, DUSK_INCONCLUSIVE);
    assert_true(isinf(report.detectable));
}

/* --- what is refused ------------------------------------------------------------------------- */

static void bad_questions_are_refused(void **state)
{
    const double good[] = { 0, 1 }, bad[] = { NAN, INFINITY };
    audit_float_noise noise;
    dusk_audit_report report = { .draws = 7 };
    dusk_error err;
    (void)state;
    audit_float_noise_init(&noise, audit_float_laplace, 1, 1);
    for (int i = 0; i < 12; i++) {
        dusk_audit_options options = claim(1, 0);
        dusk_sampler sampler = audit_float_sampler(&noise);
        dusk_input_pair pair = { { &good[0], &good[1] }, "" };
        double scale = i == 0 ? NAN : i == 1 ? -1 : i == 2 ? INFINITY : 1;
        if (i == 3) pair.input[0] = &bad[0];
        if (i == 4) pair.input[1] = &bad[1];
        if (i == 5) sampler.output_length = 0;
        if (i == 6) sampler.output_length = 17;
        if (i == 7) options.epsilon = NAN;
        if (i == 8) options.delta = 1;
        if (i == 9) options.confidence = 1;
        if (i == 10) options.alarm = 0;
        if (i == 11) options.draws = 3;
        assert_int_equal(dusk_audit_bits(&report, &sampler, &pair, scale, &options, &err), DUSK_ERR_ARGUMENT);
        assert_true(err.message[0] && err.hint[0]);
        assert_int_equal(report.draws, 7);
    }
}

static dusk_status no_coins(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    (void)context, (void)out, (void)n, (void)input, (void)err;
    return DUSK_ERR_ENTROPY;
}

static void failures_are_passed_on(void **state)
{
    const double values[] = { 0, 1 };
    audit_float_noise noise;
    dusk_audit_report report = { .draws = 7 };
    dusk_error err;
    dusk_audit_options options = claim(1, 0);
    dusk_input_pair pair = { { &values[0], &values[1] }, "" };
    dusk_sampler sampler = { .input_length = 1, .output_length = 1, .draw = no_coins };
    (void)state;
    options.draws = 64;
    assert_int_equal(dusk_audit_bits(&report, &sampler, &pair, 0, &options, &err), DUSK_ERR_ENTROPY);
    assert_int_equal(report.draws, 7);
    audit_float_noise_init(&noise, audit_float_laplace, 1, 1);
    sampler = audit_float_sampler(&noise);
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        dusk_status status = dusk_audit_bits(&report, &sampler, &pair, 0, &options, &err);
        if (went_through(status, &err, n, 20)) break;
        assert_int_equal(report.draws, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(naive_noise_is_seen_as_a_black_box),
        cmocka_unit_test(formulae_are_led_back),
        cmocka_unit_test(support_of_naive_laplace),
        cmocka_unit_test(values_far_from_zero_hide_the_holes),
        cmocka_unit_test(right_mechanisms_pass),
        cmocka_unit_test(cells_have_words),
        cmocka_unit_test(hostile_outputs_have_cells),
        cmocka_unit_test(bounds_are_those_of_counts),
        cmocka_unit_test(pairs_are_two_releases),
        cmocka_unit_test(a_vector_is_one_release),
        cmocka_unit_test(few_draws_are_inconclusive),
        cmocka_unit_test(bad_questions_are_refused),
        cmocka_unit_test(failures_are_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
