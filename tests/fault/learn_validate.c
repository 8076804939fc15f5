/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th allocation fails, or entropy is out, while a validation is planned or runs: it says so, gives no model, and leaks nothing (the
 * sanitizer build looks). */
#include "dusk/learn_select.h"

#include "learners.h"

#include "failing_memory.h"

static const char *const candidates[] = { "regularisation=10", "regularisation=20" };

static dusk_status attempt(dusk_model **model, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    const char *setting = "form=output";
    dusk_train_options train;
    dusk_validation_options options;
    dusk_validation *v = NULL;
    size_t candidate;
    dusk_train_options_init(&train);
    train.label = "good";
    train.epsilon = 1;
    train.rows = 10;
    train.neighbours = DUSK_ADD_REMOVE;
    train.settings = &setting;
    train.settings_count = 1;
    dusk_validation_options_init(&options);
    options.candidates = candidates;
    options.candidates_count = 2;
    dusk_status status = dusk_validation_prepare(&v, "amp_svm", frame->fields, &train, &options, err);
    if (status == DUSK_OK) status = dusk_validation_run(v, model, &candidate, frame, gen, err);
    dusk_validation_free(v);
    return status;
}

static void memory_runs_out(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(1);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 10, gen);
    bool done = false;
    for (long n = 1; !done; n += 1 + n / 8) {
        dusk_generator *coins = seeded(2);
        dusk_model *model = NULL;
        dusk_error err = { .message = "" };
        dusk_memory_fail_at(n);
        done = went_through(attempt(&model, frame, coins, &err), &err, n, 100000);
        assert_true(done == (model != NULL));
        dusk_model_free(model);
        dusk_generator_free(coins);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

static void entropy_runs_out(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(1);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 10, gen);
    for (unsigned bits = 1; bits <= 512; bits *= 2) {
        dusk_generator *empty = zeros(bits);
        dusk_model *model = NULL;
        assert_int_equal(attempt(&model, frame, empty, NULL), DUSK_ERR_ENTROPY);
        assert_null(model);
        dusk_generator_free(empty);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(entropy_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
