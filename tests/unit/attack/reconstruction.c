/* SPDX-License-Identifier: Apache-2.0 */
/* Reconstruction: products with the matrix of groups, exact answers give everything back, the
 * certificates hold, and answers that are wrong on purpose stop one decoder and not the
 * other. */
#include <math.h>
#include <stdlib.h>

#include "attack/box_fit.h"
#include "attack/choices.h"
#include "failing_memory.h"

static double uniform(attack_choices *choices)
{
    return ((double)(attack_word(choices) >> 11) + 0.5) * 0x1p-53;
}

/* About normal: twelve uniform numbers. */
static double normal(attack_choices *choices)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += uniform(choices);
    return sum;
}

typedef struct study {
    size_t people, questions;
    dusk_groups *groups;
    double *truth, *answers, *values;
} study;

static study open_study(size_t people, size_t questions, double share, uint64_t seed)
{
    study s = { .people = people, .questions = questions };
    attack_choices choices = { seed ^ 0x5eed };
    assert_int_equal(dusk_groups_random(&s.groups, people, questions, seed, NULL), DUSK_OK);
    s.truth = calloc(people, sizeof *s.truth);
    s.values = calloc(people, sizeof *s.values);
    s.answers = calloc(questions, sizeof *s.answers);
    for (size_t i = 0; i < people; i++) s.truth[i] = uniform(&choices) < share;
    dusk_groups_answer(s.groups, s.answers, s.truth);
    return s;
}

static void close_study(study *s)
{
    dusk_groups_free(s->groups);
    free(s->truth);
    free(s->values);
    free(s->answers);
}

static void add_noise(study *s, double deviation, double wrong, uint64_t seed)
{
    attack_choices choices = { seed };
    for (size_t j = 0; j < s->questions; j++) {
        s->answers[j] += deviation * normal(&choices);
        if (uniform(&choices) < wrong) s->answers[j] = (double)s->people * uniform(&choices);
    }
}

static double recover(study *s, dusk_decoder decoder, dusk_reconstruction *out)
{
    dusk_reconstruction_options options;
    dusk_error err;
    dusk_reconstruction_options_init(&options);
    options.decoder = decoder;
    assert_int_equal(dusk_reconstruct(out, s->values, s->groups, s->answers, &options, &err), DUSK_OK);
    for (size_t i = 0; i < s->people; i++) assert_true(s->values[i] >= 0 && s->values[i] <= 1);
    return (double)dusk_reconstruction_right(s->values, s->truth, s->people) / (double)s->people;
}

/* --- the matrix ------------------------------------------------------------------------ */

static void products_are_those_of_the_matrix(void **state)
{
    (void)state;
    static const size_t sizes[][2] = { { 1, 1 },   { 7, 3 },   { 8, 8 },    { 9, 40 },
                                       { 31, 17 }, { 65, 33 }, { 100, 200 } };
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t people = sizes[k][0], questions = sizes[k][1];
        double x[200], y[200], got[200];
        dusk_groups *groups;
        attack_choices choices = { k };
        assert_int_equal(dusk_groups_random(&groups, people, questions, 11, NULL), DUSK_OK);
        assert_int_equal(dusk_groups_people(groups), people);
        assert_int_equal(dusk_groups_questions(groups), questions);
        for (size_t i = 0; i < 200; i++) {
            x[i] = (double)(attack_word(&choices) >> 40);
            y[i] = (double)(attack_word(&choices) >> 40);
        }
        attack_counts(groups, got, x); /* whole numbers: sums are exact in any order */
        for (size_t q = 0; q < questions; q++) {
            double sum = 0;
            for (size_t p = 0; p < people; p++) sum += dusk_groups_has(groups, q, p) ? x[p] : 0;
            assert_true(sum == got[q]);
        }
        attack_shares(groups, got, y);
        for (size_t p = 0; p < people; p++) {
            double sum = 0;
            for (size_t q = 0; q < questions; q++) sum += dusk_groups_has(groups, q, p) ? y[q] : 0;
            assert_true(sum == got[p]);
        }
        dusk_groups_free(groups);
    }
}

static void groups_are_fair(void **state)
{
    (void)state;
    dusk_groups *groups;
    size_t in = 0;
    assert_int_equal(dusk_groups_random(&groups, 300, 400, 3, NULL), DUSK_OK);
    for (size_t q = 0; q < 400; q++)
        for (size_t p = 0; p < 300; p++) in += dusk_groups_has(groups, q, p);
    assert_true(fabs((double)in - 60000) < 5 * 173.3); /* deviation sqrt(120000)/2 */
    dusk_groups_free(groups);
}

/* --- what falls --------------------------------------------------------------------------- */

static void exact_answers_give_everything_back(void **state)
{
    (void)state;
    static const size_t sizes[] = { 64, 128, 256, 512 };
    for (size_t k = 0; k < 4; k++)
        for (int decoder = DUSK_LEAST_SQUARES; decoder <= DUSK_LEAST_ABSOLUTE; decoder++)
            for (uint64_t seed = 1; seed <= 3; seed++) {
                study s = open_study(sizes[k], 2 * sizes[k], seed == 3 ? 0.2 : 0.5, seed);
                dusk_reconstruction out;
                assert_true(recover(&s, (dusk_decoder)decoder, &out) == 1);
                assert_true(out.solved);
                close_study(&s);
            }
}

static void small_noise_gives_nearly_everything_back(void **state)
{
    (void)state;
    study s = open_study(512, 1024, 0.5, 5);
    dusk_reconstruction out;
    add_noise(&s, 1, 0, 9);
    assert_true(recover(&s, DUSK_LEAST_SQUARES, &out) >= 0.999);
    assert_true(recover(&s, DUSK_LEAST_ABSOLUTE, &out) >= 0.999);
    close_study(&s);
}

/* Noise of sqrt(n)/4: theory says 84 % before the box is used. 512 people, deviation of a share
 * of independent guesses 0.016. */
static void noise_at_the_edge_gives_most_back(void **state)
{
    (void)state;
    study s = open_study(512, 1024, 0.5, 6);
    dusk_reconstruction out;
    add_noise(&s, sqrt(512) / 4, 0, 10);
    assert_true(fabs(dusk_reconstruction_expected(512, 1024, sqrt(512) / 4) - 0.8413) < 1e-4);
    double share = recover(&s, DUSK_LEAST_SQUARES, &out);
    assert_true(share > 0.8413 - 0.08 && share < 0.97);
    close_study(&s);
}

/* Noise of eight times sqrt(n): theory says 51 %, and a share of 512 coins deviates by 2.2 %. */
static void noise_far_beyond_gives_nothing_back(void **state)
{
    (void)state;
    study s = open_study(512, 1024, 0.5, 7);
    dusk_reconstruction out;
    add_noise(&s, 8 * sqrt(512), 0, 11);
    assert_true(recover(&s, DUSK_LEAST_SQUARES, &out) < 0.62);
    assert_true(recover(&s, DUSK_LEAST_ABSOLUTE, &out) < 0.62);
    close_study(&s);
}

/* A tenth of the answers arbitrary: the linear program does not care, least squares is lost. */
static void wrong_answers_stop_least_squares_only(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        study s = open_study(256, 1024, 0.5, seed);
        dusk_reconstruction out;
        add_noise(&s, 0, 0.1, 20 + seed);
        assert_true(recover(&s, DUSK_LEAST_ABSOLUTE, &out) == 1);
        assert_true(out.solved);
        assert_true(recover(&s, DUSK_LEAST_SQUARES, &out) < 0.75);
        close_study(&s);
    }
}

/* Somebody who knows that a fifth has it, and gets noise only, says "no" of everybody; exact
 * answers are believed all the same. The certificate is that of both parts: no column has less. */
static void what_was_known_weighs_where_answers_do_not(void **state)
{
    (void)state;
    dusk_reconstruction_options options;
    dusk_reconstruction out;
    attack_choices choices = { 60 };
    double other[200];
    dusk_reconstruction_options_init(&options);
    options.prior = 0.2;
    for (int noisy = 0; noisy < 2; noisy++) {
        study s = open_study(200, 400, 0.2, 61);
        size_t holders = 0;
        if (noisy) add_noise(&s, 500, 0, 62);
        for (size_t p = 0; p < 200; p++) holders += s.truth[p] > 0.5;
        assert_int_equal(dusk_reconstruct(&out, s.values, s.groups, s.answers, &options, NULL), DUSK_OK);
        assert_true(out.solved && out.least <= out.misfit);
        assert_int_equal(dusk_reconstruction_right(s.values, s.truth, 200), noisy ? 200 - holders : 200);
        if (noisy) { /* the leash, found from its own minimum: slopes of both parts cancel for the free */
            attack_fit fit;
            assert_int_equal(attack_fit_new(&fit, s.groups, s.answers, 1000, NULL), DUSK_OK);
            fit.centre = 0.2;
            fit.leash = 1e6;
            attack_fit_improve(&fit, 1e-3);
            assert_true(fit.gap <= 1e-3);
            double least = fit.misfit - fit.gap;
            for (int i = 0; i < 200; i++) {
                double reach = pow(10, -4 * uniform(&choices));
                for (size_t p = 0; p < 200; p++)
                    other[p] = fmax(0, fmin(1, fit.x[p] + reach * (2 * uniform(&choices) - 1)));
                memcpy(fit.x, other, sizeof other);
                attack_fit_look(&fit);
                assert_true(fit.misfit >= least - 1e-6 * least);
            }
            attack_fit_free(&fit);
        }
        close_study(&s);
    }
}

/* --- certificates ----------------------------------------------------------------------------- */

static double misfit_of(const study *s, const double *x, dusk_decoder decoder)
{
    double sum = 0;
    for (size_t q = 0; q < s->questions; q++) {
        double error = -s->answers[q];
        for (size_t p = 0; p < s->people; p++) error += dusk_groups_has(s->groups, q, p) ? x[p] : 0;
        sum += decoder == DUSK_LEAST_SQUARES ? 0.5 * error * error : fabs(error);
    }
    return sum;
}

/* No column that we can think of beats `least`: the truth, and many near the one found. */
static void nothing_is_below_the_certificate(void **state)
{
    (void)state;
    static const double deviations[] = { 0, 1, 4, 60 };
    for (size_t k = 0; k < 4; k++)
        for (int d = DUSK_LEAST_SQUARES; d <= DUSK_LEAST_ABSOLUTE; d++) {
            dusk_decoder decoder = (dusk_decoder)d;
            study s = open_study(48, 120, 0.5, 30 + k);
            dusk_reconstruction out;
            attack_choices choices = { 4 };
            double other[48];
            add_noise(&s, deviations[k], 0, 40 + k);
            (void)recover(&s, decoder, &out);
            double slack = 1e-9 * (1 + out.misfit);
            assert_true(fabs(misfit_of(&s, s.values, decoder) - out.misfit) <= slack);
            assert_true(out.solved && out.least <= out.misfit);
            assert_true(misfit_of(&s, s.truth, decoder) >= out.least - slack);
            for (int i = 0; i < 300; i++) {
                double reach = pow(10, -3 * uniform(&choices));
                for (size_t p = 0; p < 48; p++)
                    other[p] = fmax(0, fmin(1, s.values[p] + reach * (2 * uniform(&choices) - 1)));
                assert_true(misfit_of(&s, other, decoder) >= out.least - slack);
            }
            close_study(&s);
        }
}

/* The certificate is made at any point of the way, not only at the end: at points that are
 * nowhere near the minimum it must be below the misfit of a good column. */
static void the_certificate_holds_on_the_way(void **state)
{
    (void)state;
    study s = open_study(40, 100, 0.5, 50);
    add_noise(&s, 2, 0, 51);
    attack_choices choices = { 52 };
    attack_fit fit;
    assert_int_equal(attack_fit_new(&fit, s.groups, s.answers, 1000, NULL), DUSK_OK);
    for (int i = 0; i < 200; i++) {
        for (size_t p = 0; p < 40; p++) {
            double u = 3 * uniform(&choices) - 1;
            fit.x[p] = fmax(0, fmin(1, u));
        }
        fit.bend = i % 2 ? INFINITY : 1;
        attack_fit_look(&fit);
        if (i % 2) {
            assert_true(fit.misfit - fit.gap <= misfit_of(&s, s.truth, DUSK_LEAST_SQUARES) + 1e-9);
        } else {
            assert_true(fit.misfit - fit.gap <= misfit_of(&s, s.truth, DUSK_LEAST_ABSOLUTE) + 1e-9);
        }
    }
    attack_fit_free(&fit);
    close_study(&s);
}

/* --- hostile ------------------------------------------------------------------------------------ */

static void bad_requests_are_refused(void **state)
{
    (void)state;
    study s = open_study(4, 8, 0.5, 1);
    dusk_groups *groups = (dusk_groups *)1;
    dusk_reconstruction out = { .misfit = -7 };
    dusk_reconstruction_options options;
    dusk_error err;
    assert_int_equal(dusk_groups_new(&groups, 0, 5, &err), DUSK_ERR_ARGUMENT);
    assert_null(groups);
    assert_int_equal(dusk_groups_new(&groups, 5, 0, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_groups_new(&groups, SIZE_MAX, SIZE_MAX, &err), DUSK_ERR_ARGUMENT);
    dusk_reconstruction_options_init(&options);
    static const double bad[] = { NAN, INFINITY, -INFINITY, 1e300 };
    for (size_t i = 0; i < 4; i++) {
        double keep = s.answers[3];
        s.answers[3] = bad[i];
        assert_int_equal(dusk_reconstruct(&out, s.values, s.groups, s.answers, &options, &err),
                         DUSK_ERR_ARGUMENT);
        s.answers[3] = keep;
    }
    options.tolerance = 0;
    assert_int_equal(dusk_reconstruct(&out, s.values, s.groups, s.answers, &options, &err),
                     DUSK_ERR_ARGUMENT);
    options.tolerance = 0.1;
    options.decoder = (dusk_decoder)9;
    assert_int_equal(dusk_reconstruct(&out, s.values, s.groups, s.answers, &options, &err),
                     DUSK_ERR_ARGUMENT);
    dusk_reconstruction_options_init(&options);
    static const double priors[] = { NAN, -0.1, 1, INFINITY };
    for (size_t i = 0; i < 4; i++) {
        options.prior = priors[i];
        assert_int_equal(dusk_reconstruct(&out, s.values, s.groups, s.answers, &options, &err),
                         DUSK_ERR_ARGUMENT);
    }
    options.prior = 0.5;
    options.decoder = DUSK_LEAST_ABSOLUTE;
    assert_int_equal(dusk_reconstruct(&out, s.values, s.groups, s.answers, &options, &err),
                     DUSK_ERR_ARGUMENT);
    dusk_reconstruction_options_init(&options);
    options.size = 0;
    assert_int_equal(dusk_reconstruct(&out, s.values, s.groups, s.answers, &options, &err),
                     DUSK_ERR_ARGUMENT);
    assert_true(out.misfit == -7);
    assert_true(isnan(dusk_reconstruction_expected(5, 5, 1)));
    assert_true(isnan(dusk_reconstruction_expected(5, 10, NAN)));
    assert_true(dusk_reconstruction_expected(5, 10, 0) == 1);
    assert_string_equal(dusk_decoder_name(DUSK_LEAST_ABSOLUTE), "absolute");
    close_study(&s);
}

/* Huge answers, no work allowed, groups in which nobody is: an end, and a certificate. */
static void odd_problems_end(void **state)
{
    (void)state;
    study s = open_study(16, 4, 0.5, 2);
    dusk_reconstruction out;
    dusk_reconstruction_options options;
    dusk_groups *nobody;
    for (int d = DUSK_LEAST_SQUARES; d <= DUSK_LEAST_ABSOLUTE; d++) {
        double keep = s.answers[0];
        (void)recover(&s, (dusk_decoder)d, &out); /* fewer questions than people */
        assert_true(out.solved);
        s.answers[0] = -0x1p100;
        (void)recover(&s, (dusk_decoder)d, &out);
        assert_true(isfinite(out.misfit) && out.least <= out.misfit);
        s.answers[0] = keep;
        dusk_reconstruction_options_init(&options);
        options.decoder = (dusk_decoder)d;
        options.work_most = 0;
        assert_int_equal(dusk_reconstruct(&out, s.values, s.groups, s.answers, &options, NULL), DUSK_OK);
        assert_true(out.least <= out.misfit && out.work < 20);
        assert_int_equal(dusk_groups_new(&nobody, 16, 4, NULL), DUSK_OK);
        options.work_most = 1000;
        assert_int_equal(dusk_reconstruct(&out, s.values, nobody, s.answers, &options, NULL), DUSK_OK);
        assert_true(out.solved && out.work < 20);
        dusk_groups_free(nobody);
    }
    close_study(&s);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    study s = open_study(16, 32, 0.5, 2);
    dusk_reconstruction out;
    dusk_reconstruction_options options;
    dusk_error err;
    dusk_groups *groups;
    bool through = false;
    dusk_reconstruction_options_init(&options);
    for (long n = 1; !through; n++) {
        dusk_memory_fail_at(n);
        through = went_through(dusk_groups_random(&groups, 9, 9, 1, &err), &err, n, 10);
        if (!through) assert_null(groups);
    }
    dusk_groups_free(groups);
    through = false;
    for (long n = 1; !through; n++) {
        dusk_memory_fail_at(n);
        through =
            went_through(dusk_reconstruct(&out, s.values, s.groups, s.answers, &options, &err), &err, n, 30);
    }
    close_study(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_matrix),
        cmocka_unit_test(groups_are_fair),
        cmocka_unit_test(exact_answers_give_everything_back),
        cmocka_unit_test(small_noise_gives_nearly_everything_back),
        cmocka_unit_test(noise_at_the_edge_gives_most_back),
        cmocka_unit_test(noise_far_beyond_gives_nothing_back),
        cmocka_unit_test(wrong_answers_stop_least_squares_only),
        cmocka_unit_test(what_was_known_weighs_where_answers_do_not),
        cmocka_unit_test(nothing_is_below_the_certificate),
        cmocka_unit_test(the_certificate_holds_on_the_way),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(odd_problems_end),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
