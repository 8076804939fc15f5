/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules: rates are what they are said to be; stages have all steps, once; noise of every step is that of its stage. */
#include "deep/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/learn.h"
#include "seeded.h"

static void rates_are_as_said(void **state)
{
    (void)state;
    const deep_schedule constant = { .falling = DEEP_RATE_CONSTANT }, root = { .falling = DEEP_RATE_ROOT },
                        cosine = { .falling = DEEP_RATE_COSINE };
    const deep_schedule ramps = { .warm_up = 0.2, .cool_down = 0.5 };
    for (uint64_t t = 0; t < 100; t++) {
        const double part = ((double)t + 0.5) / 100;
        assert_true(deep_schedule_at(&constant, t, 100) == 1);
        assert_true(fabs(deep_schedule_at(&root, t, 100) * sqrt((double)t + 1) - 1) < 1e-12);
        assert_true(fabs(deep_schedule_at(&cosine, t, 100) - pow(cos(M_PI * part / 2), 2)) < 1e-12);
        assert_true(fabs(deep_schedule_at(&ramps, t, 100) - fmin(1, fmin(part / 0.2, (1 - part) / 0.5))) <
                    1e-12);
    }
}

static void stages_have_every_step_once(void **state)
{
    (void)state;
    for (uint64_t steps = 1; steps < 60; steps++) {
        double factor[DEEP_STAGES];
        uint64_t times[DEEP_STAGES], seen[DEEP_STAGES] = { 0 };
        const size_t stages = deep_stages(factor, times, 0.25, steps);
        assert_true(stages <= DEEP_STAGES && stages <= steps);
        for (uint64_t t = 0; t < steps; t++) {
            assert_true(deep_stage_of(t, steps, stages) < stages);
            seen[deep_stage_of(t, steps, stages)]++;
        }
        assert_memory_equal(seen, times, stages * sizeof *seen);
        assert_true(factor[0] == 1);
        if (stages > 1) assert_true(fabs(factor[stages - 1] - 0.25) < 1e-15);
    }
}

/* Of nobody, the lot being 2: all that is in the weights is noise, whose deviations the statement names. */
static void noise_is_that_of_the_stage(void **state)
{
    (void)state;
    enum { RUNS = 300 };
    static const char *const settings[] = { "net=output",     "rate=1",          "steps=8",
                                            "noise_fall=0.1", "learning_rate=1", "momentum=0" };
    dusk_train_options o = { .size = sizeof o,
                             .epsilon = 2,
                             .delta = 1e-3,
                             .neighbours = DUSK_ADD_REMOVE,
                             .rows = 2,
                             .label = "y",
                             .settings = settings,
                             .settings_count = 6 };
    dusk_fields *fields;
    dusk_training *training;
    dusk_frame *nobody;
    dusk_generator *gen = seeded(5);
    char text[2000];
    double variance = 0, square = 0;
    assert_int_equal(dusk_fields_parse(&fields, "x numeric -1:1\ny category no,yes\n", NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&nobody, fields, 0, NULL), DUSK_OK);
    assert_int_equal(dusk_training_prepare(&training, "net", fields, &o, NULL), DUSK_OK);
    assert_int_equal(dusk_event_format(&dusk_training_statement(training)->event, text, sizeof text, NULL),
                     DUSK_OK);
    size_t parts = 0;
    for (const char *at = text; (at = strstr(at, "gaussian(")); at++, parts++)
        variance += pow(strtod(at + 9, NULL) / 2, 2);
    assert_int_equal(parts, 8);
    for (int run = 0; run < RUNS; run++) {
        size_t rows, columns;
        dusk_model *model;
        assert_int_equal(dusk_training_run(training, &model, nobody, gen, NULL), DUSK_OK);
        const double *p = dusk_model_array(model, "parameters", &rows, &columns);
        for (size_t j = 0; j < columns; j++) square += p[j] * p[j] / (double)columns;
        dusk_model_free(model);
    }
    assert_true(fabs(square / RUNS / variance - 1) < 5.5 * sqrt(2.0 / (RUNS * 4)));
    dusk_training_free(training);
    dusk_frame_free(nobody);
    dusk_fields_free(fields);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_as_said),
        cmocka_unit_test(stages_have_every_step_once),
        cmocka_unit_test(noise_is_that_of_the_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
