/* SPDX-License-Identifier: Apache-2.0 */
/* Trainings by carriers of gradients: they learn, with ways to clip and optimisers as ever, and alike on any number of threads; a plan says how many numbers a step releases; wrong
 * ones are refused with what to type instead. */
#include "deep/training.h"

#include <string.h>

#include "learners.h"

enum { ROWS = 300 };

static dusk_status train(dusk_model **out, const char *const *settings, size_t count, double epsilon,
                         dusk_error *err)
{
    dusk_training *training;
    dusk_train_options o = learners_options(dusk_learner_named("net"), epsilon, 1e-3);
    dusk_generator *gen = seeded(6);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, ROWS, gen);
    *out = NULL;
    o.label = "good";
    o.rows = ROWS;
    o.no_privacy = epsilon == 0;
    o.settings = settings;
    o.settings_count = count;
    for (size_t k = 0; k < count; k++) {
        if (!strncmp(settings[k], "subspace=", 9)) o.open_rows = frame;
        if (!strcmp(settings[k], "sampler=shuffled")) o.neighbours = DUSK_REPLACE_ONE;
    }
    const dusk_status status = dusk_training_prepare(&training, "net", frame->fields, &o, err);
    if (status == DUSK_OK) {
        assert_int_equal(dusk_training_run(training, out, frame, gen, NULL), DUSK_OK);
        dusk_training_free(training);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    return status;
}

static double accuracy(const dusk_model *model)
{
    dusk_model_scores scores;
    dusk_generator *gen = seeded(61);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, ROWS, gen);
    assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    return scores.accuracy;
}

static void trainings_learn(void **state)
{
    (void)state;
    static const char *const ways[][6] = {
        { "net=dense 16; tanh; output", "rate=1", "steps=60", "carriers=2", "learning_rate=0.5",
          "threads=2" },
        { "net=dense 16; tanh; output", "rate=1", "steps=60", "carriers=1", "optimiser=adam",
          "learning_rate=0.05" },
        { "net=groupnorm 1 fixed; dense 16; tanh; output", "rate=1", "steps=60", "carriers=2",
          "clipping=adaptive", "average=0.5" },
        { "net=dense 16; relu; layernorm; dense 12; tanh; output", "rate=1", "steps=60", "carriers=2",
          "clipping=layers", "momentum=0.5" },
    };
    dusk_model *model;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        for (int plain = 0; plain < 2; plain++) {
            assert_int_equal(train(&model, ways[k], 6, plain ? 0 : 2000, NULL), DUSK_OK);
            if (!(accuracy(model) > 0.85)) fail_msg("way %zu: %g", k, accuracy(model));
            dusk_model_free(model);
        }
}

/* Noise is of one generator with two threads and with three, and sums are of whole numbers. */
static void threads_are_no_matter(void **state)
{
    (void)state;
    const char *settings[] = { "net=dense 16; tanh; output", "rate=1", "steps=5", "carriers=2", "threads=2" };
    dusk_model *model[2];
    size_t rows, n;
    for (int k = 0; k < 2; k++) {
        settings[4] = k ? "threads=3" : "threads=2";
        assert_int_equal(train(&model[k], settings, 5, 3, NULL), DUSK_OK);
    }
    const double *x = dusk_model_array(model[0], "parameters", &rows, &n);
    assert_memory_equal(x, dusk_model_array(model[1], "parameters", &rows, &n), n * sizeof *x);
    for (int k = 0; k < 2; k++) dusk_model_free(model[k]);
}

static void others_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[][6] = {
        { "net=dense 16; tanh; output", "carriers=5", NULL }, /* no fewer numbers */
        { "net=output", "carriers=2", NULL },
        { "net=dense 16; tanh; output", "carriers=2", "subspace=2", NULL },
        { "net=dense 16; tanh; output", "carriers=2", "optimiser=adam_unbiased", NULL },
        { "net=dense 16; tanh; output", "carriers=2", "smooth=2", NULL },
        { "net=dense 16; tanh; output", "carriers=2", "bias_noise=0.1", NULL },
        { "net=dense 16; tanh; output", "carriers=2", "sampler=shuffled", "correlation=tree", "rate=0.1",
          NULL },
        { "net=dense 16; tanh; output", "carriers=2", "frozen=1", NULL }, /* what is left is too small */
    };
    dusk_model *model;
    dusk_error err;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        size_t n = 0;
        while (n < 6 && wrong[k][n]) n++;
        assert_int_equal(train(&model, wrong[k], n, 1, &err), DUSK_ERR_ARGUMENT);
        if (!strstr(err.message, "carriers")) fail_msg("%zu: %s", k, err.message);
        assert_true(err.hint[0] != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trainings_learn),
        cmocka_unit_test(threads_are_no_matter),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
