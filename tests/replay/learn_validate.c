/* SPDX-License-Identifier: Apache-2.0 */
/* Validation by stability on neighbouring tables with the same coins: scores move no further than the choice declares, whether rows change that are learned from or rows held
 * out, and the release of the candidate that was chosen is within what it declares. Rows are exchanged, so that both sides toss as many coins. */
#include "dusk/learn_select.h"

#include "learners.h"

#include "replay.h"

enum { ROWS = 200 };

/* `weak`: the regularisation is weak and few rows are learned from, so that those move scores most; otherwise rows held out do: weights stay at 0. */
static void run_pair(const char *learner, const char *label, bool weak, uint64_t seed)
{
    const char *candidates[] = { weak ? "regularisation=0.5" : "regularisation=1e6",
                                 weak ? "regularisation=0.4 norm=2" : "regularisation=2e6" };
    const char *setting = "form=output";
    const bool several = seed % 2;
    dusk_generator *gen = seeded(seed);
    dusk_frame *frame =
        learners_frame(several ? LEARNERS_FIELDS "rows_per_unit 4\n" : LEARNERS_FIELDS, ROWS, gen);
    dusk_train_options train;
    dusk_validation_options options;
    dusk_validation *v;
    dusk_model *model[2];
    size_t candidate[2] = { 7, 8 };
    dusk_train_options_init(&train);
    train.label = label;
    train.epsilon = seed & 4 ? 1 : 40;
    train.delta = seed & 2 ? 1e-6 : 0;
    train.neighbours = DUSK_REPLACE_ONE;
    train.rows = ROWS;
    train.settings = &setting;
    train.settings_count = 1;
    dusk_validation_options_init(&options);
    options.candidates = candidates;
    options.candidates_count = 2;
    options.held_out = 0.9;
    assert_int_equal(dusk_validation_prepare(&v, learner, frame->fields, &train, &options, NULL), DUSK_OK);
    replay p = replay_open(seed);
    for (int side = 0; side < 2; side++) {
        for (size_t row = 0; row < (several ? 4 : 1); row++) {
            frame->column[LEARNERS_X].number[row] = weak && side ? 1 : -1;
            frame->column[LEARNERS_Z].number[row] = weak && side ? NAN : 10;
            frame->column[LEARNERS_GOOD].code[row] = side;
            frame->column[LEARNERS_Y].number[row] = side ? 5 : weak ? -1e308 : 0;
        }
        assert_int_equal(dusk_validation_run(v, &model[side], &candidate[side], frame, p.gen[side], NULL),
                         DUSK_OK);
    }
    assert_int_equal(candidate[0], candidate[1]);
    size_t rows, columns;
    const double *a = dusk_model_array(model[0], "weights", &rows, &columns);
    replay_same(a, dusk_model_array(model[1], "weights", &rows, &columns), rows * columns);
    for (int side = 0; side < 2; side++) dusk_model_free(model[side]);
    dusk_validation_free(v);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    replay_close(&p, (replay_declared){ .epsilon = train.epsilon, .delta = train.delta, .coins_vary = true });
}

static void rows_that_are_learned_from(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 8; k++) {
        run_pair("amp_logistic", "good", true, 10 + k);
        run_pair("amp_svm", "good", true, 20 + k);
        run_pair("amp_huber", "y", true, 30 + k);
    }
}

static void rows_held_out(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 8; k++) {
        run_pair("amp_logistic", "good", false, 40 + k);
        run_pair("amp_huber", "y", false, 50 + k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rows_that_are_learned_from),
                                        cmocka_unit_test(rows_held_out) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
