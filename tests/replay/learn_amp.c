/* SPDX-License-Identifier: Apache-2.0 */
/* Perturbed objectives on neighbouring tables. form=output is a release like others: with the same coins its inputs are within what
 * it declares. form=objective is private by the density of its minimiser, not by sums: neighbours with the same minimiser are compared
 * by tests/unit/learn/objective.c, and densities by tests/enclosure/linear_term.c. */
#include "learners.h"

#include "learn/learner.h"
#include "replay.h"

static const char *const names[] = { "amp_logistic", "amp_svm", "amp_huber", "amp_multinomial" };

static dusk_frame *table(size_t rows, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, rows, gen);
    if (rows > 3) { /* a row at the ends of its bounds, with the label that is against it */
        frame->column[LEARNERS_X].number[rows - 1] = 1e308;
        frame->column[LEARNERS_Z].number[rows - 1] = 10;
        frame->column[LEARNERS_SAME].number[rows - 1] = -1;
        frame->column[LEARNERS_GOOD].code[rows - 1] = 0;
        frame->column[LEARNERS_Y].number[rows - 1] = -5;
    }
    dusk_generator_free(gen);
    return frame;
}

static void run_output(int learner, int k)
{
    const char *settings[] = { "form=output", k & 4 ? "regularisation=0.5" : "ratio=0.01" };
    const dusk_learner *l = dusk_learner_named(names[learner]);
    dusk_train_options o = learners_options(l, 2, k & 1 ? 1e-6 : 0);
    dusk_model *model[2];
    o.settings = settings;
    o.settings_count = 2;
    o.neighbours = k & 2 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
    replay p = replay_open((uint64_t)(10 * learner + k));
    for (size_t side = 0; side < 2; side++) {
        dusk_frame *frame = table(20 + (k & 2 ? 0 : side), 3);
        dusk_training *training;
        if (k & 2 && side)
            frame->column[LEARNERS_X].number[19] = -1, frame->column[LEARNERS_GOOD].code[19] = 1;
        assert_int_equal(dusk_training_prepare(&training, l->name, frame->fields, &o, NULL), DUSK_OK);
        assert_int_equal(dusk_training_run(training, &model[side], frame, p.gen[side], NULL), DUSK_OK);
        dusk_training_free(training);
        dusk_frame_free(frame);
    }
    size_t rows, columns;
    const double *a = dusk_model_array(model[0], "weights", &rows, &columns);
    replay_same(a, dusk_model_array(model[1], "weights", &rows, &columns), rows * columns);
    for (int side = 0; side < 2; side++) dusk_model_free(model[side]);
    replay_close(&p, (replay_declared){ .epsilon = o.epsilon, .delta = o.delta });
}

static void output_is_within_what_it_declares(void **state)
{
    (void)state;
    for (int learner = 0; learner < 4; learner++)
        for (int k = 0; k < 8; k++) run_output(learner, k);
}

/* One row that comes, where there was none, pulls by all of its gradient. */
static void output_of_one_row(void **state)
{
    (void)state;
    const char *settings[] = { "form=output", "regularisation=1000", "knee=0.05" };
    dusk_train_options o = learners_options(dusk_learner_named("amp_svm"), 1, 1e-6);
    dusk_fields *fields;
    dusk_model *model[2];
    o.settings = settings;
    o.settings_count = 3;
    assert_int_equal(dusk_fields_parse(&fields, "x numeric -1:1\ngood category no,yes\n", NULL), DUSK_OK);
    replay p = replay_open(4);
    for (size_t side = 0; side < 2; side++) {
        dusk_frame *frame;
        dusk_training *training;
        assert_int_equal(dusk_frame_new(&frame, fields, side, NULL), DUSK_OK);
        if (side) frame->column[0].number[0] = 1, frame->column[1].code[0] = 1;
        assert_int_equal(dusk_training_prepare(&training, "amp_svm", fields, &o, NULL), DUSK_OK);
        assert_int_equal(dusk_training_run(training, &model[side], frame, p.gen[side], NULL), DUSK_OK);
        dusk_training_free(training);
        dusk_frame_free(frame);
    }
    for (int side = 0; side < 2; side++) dusk_model_free(model[side]);
    dusk_fields_free(fields);
    replay_close(&p, (replay_declared){ .epsilon = 1, .delta = 1e-6 });
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(output_is_within_what_it_declares),
                                        cmocka_unit_test(output_of_one_row) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
