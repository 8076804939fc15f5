/* SPDX-License-Identifier: Apache-2.0 */
/* Sketches and RAPPOR at small sizes, with every choice of their coins: the law has the epsilon that the survey says, and estimates are, on average over reports, what values that share
 * places make of them. */
#include "dusk/local.h"
#include "local/protocol.h"
#include "local/survey.h"
#include "local_law.h"

enum { VALUES = 5 };

static dusk_survey survey_of(uint32_t mechanism, uint32_t rows, uint32_t width, uint32_t hashes,
                             double epsilon)
{
    dusk_survey survey = { .name = "law", .low = -1, .high = 1 };
    dusk_client_task *task = &survey.task;
    task->mechanism = mechanism;
    task->rows = rows;
    task->width = width;
    task->hashes = hashes;
    task->seed = 3;
    task->p = local_keep_down(mechanism == DUSK_CMS ? epsilon / 2 : epsilon, 1);
    if (mechanism == DUSK_RAPPOR) {
        task->q = local_keep_down(epsilon, 1);
        task->p = 0 - task->q;
        task->f = ((uint64_t)1 << 61) + ((uint64_t)1 << 56); /* no multiple of a 128th */
    }
    assert_int_equal(local_survey_complete(&survey, NULL), DUSK_OK);
    return survey;
}

/* The part of hash functions that put both into one place; of RAPPOR, of the bits of one that the other sets. */
static double shared(const dusk_client_task *task, uint64_t a, uint64_t b)
{
    const uint32_t h = task->hashes ? task->hashes : 1;
    double together = 0;
    for (uint32_t row = 0; row < task->rows; row++)
        for (uint32_t i = 0; i < h; i++) {
            bool set = false;
            for (uint32_t j = 0; j < h; j++)
                set |= client_place(task->seed, row * h + i, a, task->width) ==
                       client_place(task->seed, row * h + j, b, task->width);
            together += set;
        }
    return together / task->rows / h;
}

static void check_means(const dusk_survey *survey)
{
    const uint32_t h = survey->task.hashes ? survey->task.hashes : 1;
    const double chance = 1 - pow(1 - 1.0 / survey->task.width, h);
    for (uint64_t v = 0; v < VALUES; v++) {
        local_law law;
        double mean[VALUES] = { 0 }, count[VALUES];
        law_of(&law, dusk_client_report, &survey->task, v);
        for (size_t i = 0; i < law.count; i++) {
            dusk_tally *tally = NULL;
            assert_int_equal(dusk_tally_new(&tally, survey, NULL), DUSK_OK);
            dusk_tally_add(tally, law.report[i], 1);
            assert_int_equal(dusk_tally_reports(tally), 1);
            assert_int_equal(dusk_tally_counts(tally, count, NULL, NULL, VALUES, NULL), DUSK_OK);
            for (size_t x = 0; x < VALUES; x++) mean[x] += mpq_get_d(law.weight[i]) * count[x];
            dusk_tally_free(tally);
        }
        for (uint64_t x = 0; x < VALUES; x++) {
            const double right = (shared(&survey->task, x, v) - chance) / (1 - chance);
            if (!(fabs(mean[x] - right) < 1e-9)) fail_msg("%g on average, and %g is right", mean[x], right);
        }
        law_clear(&law);
    }
}

static void check(uint32_t mechanism, uint32_t rows, uint32_t width, uint32_t hashes, double epsilon,
                  bool sharp)
{
    const dusk_survey survey = survey_of(mechanism, rows, width, hashes, epsilon);
    const double truth = law_epsilon(dusk_client_report, &survey.task, VALUES);
    if (!(survey.epsilon >= truth * (1 - 1e-15) && (!sharp || survey.epsilon <= truth * (1 + 1e-12))))
        fail_msg("%s %u %u %u: the law has %.17g, the survey says %.17g", dusk_randomiser_name(mechanism),
                 rows, width, hashes, truth, survey.epsilon);
    check_means(&survey);
}

static void sketches(void **state)
{
    static const double epsilon[] = { 0.2, 1, 4 };
    (void)state;
    for (size_t e = 0; e < sizeof epsilon / sizeof *epsilon; e++) {
        check(DUSK_CMS, 1, 4, 0, epsilon[e], true);
        check(DUSK_CMS, 3, 5, 0, epsilon[e], true);
        check(DUSK_HCMS, 1, 4, 0, epsilon[e], true);
        check(DUSK_HCMS, 3, 8, 0, epsilon[e], true);
    }
}

static void rappor(void **state)
{
    (void)state;
    check(DUSK_RAPPOR, 1, 3, 1, 1, true);
    check(DUSK_RAPPOR, 2, 3, 1, 0.4, true);
    check(DUSK_RAPPOR, 2, 3, 2, 1, false); /* of 3 bits two values never differ in 4 */
}

/* As planned, with the numbers of the literature: f = 1/2, p = 1/2, q = 3/4, two hash functions: 1.0743 and 4.39 [the notes of a deployment]. */
static void permanent(void **state)
{
    dusk_survey survey = { .name = "r", .low = -1, .high = 1 };
    (void)state;
    survey.task = (dusk_client_task){ .mechanism = DUSK_RAPPOR,
                                      .rows = 64,
                                      .width = 128,
                                      .hashes = 2,
                                      .f = (uint64_t)1 << 63,
                                      .p = (uint64_t)1 << 63,
                                      .q = (uint64_t)3 << 62 };
    assert_int_equal(local_survey_complete(&survey, NULL), DUSK_OK);
    assert_true(fabs(survey.epsilon - 1.0743) < 1e-4);
    assert_true(fabs(survey.permanent - 4.394449) < 1e-6);
    survey.task.f = (uint64_t)ldexp(57.0 / 128, 64); /* 0.45 cut down to 128ths: 5.001 and not 4.947 */
    assert_int_equal(local_survey_complete(&survey, NULL), DUSK_OK);
    assert_true(fabs(survey.permanent - 5.0012) < 1e-3);
    for (double epsilon = 0.25; epsilon < 10; epsilon *= 2) {
        dusk_survey_options options;
        dusk_survey_options_init(&options);
        options.mechanism = DUSK_RAPPOR;
        options.epsilon = epsilon;
        options.permanent = 1.5 * epsilon;
        assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_OK);
        assert_true(survey.epsilon <= epsilon * (1 + 1e-12) && survey.epsilon > epsilon * 0.9999);
        assert_true(survey.permanent <= 1.5 * epsilon * (1 + 1e-12) && survey.permanent > 1.4999 * epsilon);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sketches),
        cmocka_unit_test(rappor),
        cmocka_unit_test(permanent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
