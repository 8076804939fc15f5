/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th allocation fails, or entropy is out, while versions are planned or made: it says so, gives no model, and leaks nothing (the sanitizer
 * build looks). */
#include "dusk/learn_select.h"

#include "learners.h"

#include "failing_memory.h"

static dusk_status attempt(dusk_ladder_result *result, const dusk_frame *frame, const dusk_frame *rows,
                           dusk_generator *gen, dusk_error *err)
{
    dusk_train_options train;
    dusk_ladder_options options;
    dusk_ladder *ladder = NULL;
    dusk_train_options_init(&train);
    train.label = "y";
    train.epsilon = 1;
    train.delta = 1e-6;
    train.neighbours = DUSK_ADD_REMOVE;
    dusk_ladder_options_init(&options);
    options.target = 1e-9;
    options.versions = 2;
    options.rows = rows;
    dusk_status status = dusk_ladder_prepare(&ladder, "linear", frame->fields, &train, &options, err);
    if (status == DUSK_OK) status = dusk_ladder_run(ladder, result, frame, gen, err);
    dusk_ladder_free(ladder);
    return status;
}

static void memory_runs_out(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(1);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 10, gen);
    for (int private = 0; private < 2; private ++) {
        bool done = false;
        for (long n = 1; !done; n += 1 + n / 8) {
            dusk_generator *coins = seeded(2);
            dusk_ladder_result result = { .model = NULL };
            dusk_error err = { .message = "" };
            dusk_memory_fail_at(n);
            done =
                went_through(attempt(&result, frame, private ? NULL : frame, coins, &err), &err, n, 100000);
            assert_true(done == (result.model != NULL));
            dusk_model_free(result.model);
            dusk_generator_free(coins);
        }
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
        dusk_ladder_result result = { .model = NULL };
        assert_int_equal(attempt(&result, frame, bits % 3 ? frame : NULL, empty, NULL), DUSK_ERR_ENTROPY);
        assert_null(result.model);
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
