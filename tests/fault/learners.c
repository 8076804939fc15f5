/* SPDX-License-Identifier: Apache-2.0 */
/* Every learner when memory or entropy is out at any step: it says so, gives no model, and loses no memory (the sanitizers
 * see that). */
#include "learners.h"

#include "failing_memory.h"

static void memory_runs_out(void **state)
{
    (void)state;
    for (size_t i = 0; dusk_learner_at(i); i++) {
        const dusk_learner *l = dusk_learner_at(i);
        dusk_generator *gen = seeded(i + 1);
        dusk_frame *frame = learners_frame(learners_fields(l), 12, gen);
        dusk_train_options o = learners_options(l, 2, 1e-3);
        bool done = false;
        for (long n = 1; !done; n += 1 + n / 3) {
            dusk_training *training = NULL;
            dusk_model *model = NULL;
            dusk_error err = { .message = "" };
            dusk_memory_fail_at(n);
            dusk_status status = dusk_training_prepare(&training, l->name, frame->fields, &o, &err);
            if (status == DUSK_OK) status = dusk_training_run(training, &model, frame, gen, &err);
            done = went_through(status, &err, n, 100000);
            if (!done) assert_null(model);
            dusk_model_free(model);
            dusk_training_free(training);
        }
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
}

static void entropy_runs_out(void **state)
{
    (void)state;
    for (size_t i = 0; dusk_learner_at(i); i++) {
        const dusk_learner *l = dusk_learner_at(i);
        dusk_generator *gen = seeded(3), *empty = zeros(1);
        dusk_frame *frame = learners_frame(learners_fields(l), 12, gen);
        dusk_train_options o = learners_options(l, 2, 1e-3);
        dusk_training *training;
        dusk_model *model = NULL;
        assert_int_equal(dusk_training_prepare(&training, l->name, frame->fields, &o, NULL), DUSK_OK);
        assert_int_equal(dusk_training_run(training, &model, frame, empty, NULL), DUSK_ERR_ENTROPY);
        assert_null(model);
        dusk_training_free(training);
        dusk_frame_free(frame);
        dusk_generator_free(gen);
        dusk_generator_free(empty);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(entropy_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
