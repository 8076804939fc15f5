/* SPDX-License-Identifier: Apache-2.0 */
/* What learners have in common while they plan and fit: settings by name, words, features by settings, counts of rows. */
#include <math.h>

#include "learn/learner.h"
#include "seeded.h"

static const dusk_setting settings[] = {
    { "depth", "3", NULL, 1, 9, true, "" },
    { "way", "b", "a|b|c", 0, 0, false, "" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};
static const learn_learner learner = { .shown = { .name = "none", .settings = settings } };

static learn_job job_of(dusk_fields *fields, double delta)
{
    learn_job job = {
        .learner = &learner, .fields = fields, .label = DUSK_NO_LINK, .setting = { 3, 1, 0, 0, 0.1 }
    };
    assert_int_equal(learn_budget_init(&job.budget, DUSK_ADD_REMOVE, 1, delta, 1, NULL), DUSK_OK);
    return job;
}

static dusk_fields *parsed(const char *text)
{
    dusk_fields *fields;
    assert_int_equal(dusk_fields_parse(&fields, text, NULL), DUSK_OK);
    return fields;
}

static void forget(learn_job *job)
{
    learn_features_clear(&job->features);
    dusk_buffer_clear(&job->said);
}

static void settings_by_name(void **state)
{
    learn_job job = { .learner = &learner, .setting = { 3, 1, 0, 0, 0.1 } };
    (void)state;
    assert_true(learn_setting(&job, "depth") == 3 && learn_setting(&job, "scaling_share") == 0.1);
    assert_int_equal(learn_choice(&job, "way"), 1);
    assert_true(isnan(learn_setting(&job, "none")));
}

static void words(void **state)
{
    learn_job job = { .learner = &learner };
    char longer[700];
    (void)state;
    learn_say(&job, "%d numbers", 3);
    learn_say(&job, "and %s", "more");
    assert_string_equal(job.said.data, "3 numbers\nand more\n");
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    learn_say(&job, "%s", longer); /* cut, not overrun */
    assert_true(job.said.length > 400 && job.said.length < 700);
    dusk_buffer_clear(&job.said);
}

static void features_by_settings(void **state)
{
    dusk_fields *fields = parsed("a numeric 0:1\nb numeric 0:1\nc category x,y\n");
    (void)state;
    learn_job job = job_of(fields, 1e-6);
    assert_int_equal(learn_plan_features(&job, true, NULL), DUSK_OK);
    assert_true(job.features.width == 5 && fabs(job.features.norm - 2) < 1e-9);
    assert_true(!job.scaling_is_paid && job.budget.left == 1 && !job.budget.any);
    assert_non_null(strstr(job.said.data, "5 columns"));
    forget(&job);
    job = job_of(fields, 1e-6);
    job.setting[2] = 0.5; /* norm */
    assert_int_equal(learn_plan_features(&job, false, NULL), DUSK_OK);
    assert_true(job.features.width == 4 && job.features.norm == 0.5);
    forget(&job);
    dusk_fields_free(fields);
    fields = parsed("a[5000] numeric 0:1\n"); /* rows of length 70: a norm is needed */
    job = job_of(fields, 1e-6);
    assert_int_equal(learn_plan_features(&job, false, NULL), DUSK_ERR_ARGUMENT);
    forget(&job);
    dusk_fields_free(fields);
}

static void counts(void **state)
{
    dusk_fields *fields = parsed("a numeric 0:1\n");
    dusk_generator *gen = seeded(2);
    learn_noise noise;
    double count;
    (void)state;
    learn_job job = job_of(fields, 0);
    job.rows = 1000; /* declared: the true number is not looked at, and costs nothing */
    assert_int_equal(learn_plan_count(&job, &noise, 0.1, NULL), DUSK_OK);
    assert_true(noise.dimension == 0 && job.budget.left == 1);
    assert_int_equal(learn_fit_count(&job, &noise, &count, 17, gen, NULL), DUSK_OK);
    assert_true(count == 1000);
    forget(&job);
    for (int gaussian = 0; gaussian < 2; gaussian++) {
        job = job_of(fields, gaussian * 1e-6);
        assert_int_equal(learn_plan_count(&job, &noise, 0.5, NULL), DUSK_OK);
        assert_true(noise.dimension == 1 && job.budget.left == 0.5 && noise.deviation > 0.5);
        double sum = 0;
        for (int i = 0; i < 400; i++) {
            assert_int_equal(learn_fit_count(&job, &noise, &count, 5000, gen, NULL), DUSK_OK);
            sum += count - 5000;
        }
        assert_true(fabs(sum / 400) < 6 * noise.deviation / 20);
        for (int i = 0; i < 50; i++) {
            assert_int_equal(learn_fit_count(&job, &noise, &count, 0, gen, NULL), DUSK_OK);
            assert_true(count >= 1);
        }
        forget(&job);
    }
    dusk_generator_free(gen);
    dusk_fields_free(fields);
}

static void see_part(void *context, double part) { *(double *)context = part; }

static void progress(void **state)
{
    double seen = 0;
    learn_job job = { .learner = &learner };
    (void)state;
    learn_progress(&job, 0.5); /* nobody listens */
    job.progress = see_part;
    job.progress_context = &seen;
    learn_progress(&job, 0.25);
    assert_true(seen == 0.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_by_name),
        cmocka_unit_test(words),
        cmocka_unit_test(features_by_settings),
        cmocka_unit_test(counts),
        cmocka_unit_test(progress),
    };
    return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}
