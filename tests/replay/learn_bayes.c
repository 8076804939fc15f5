/* SPDX-License-Identifier: Apache-2.0 */
/* The chains of Bayesian logistic regression on neighbours. */
#include "learners.h"

#include "replay.h"

enum { ROWS = 25 };

static void run_pair(const char *method, dusk_neighbours neighbours, double delta, uint64_t seed)
{
    const char *settings[] = { method, "chain=32", "descent=2" };
    dusk_train_options o = learners_options(dusk_learner_named("bayes_logistic"), 2, delta);
    dusk_model *model[2];
    size_t rows, d;
    replay p = replay_open(seed);
    o.neighbours = neighbours;
    o.settings = settings;
    o.settings_count = 3;
    for (int side = 0; side < 2; side++) {
        bool there = side || neighbours == DUSK_REPLACE_ONE;
        dusk_generator *gen = seeded(9);
        dusk_frame *frame = learners_frame(LEARNERS_FIELDS, ROWS + there, gen);
        dusk_training *training;
        if (there) {
            frame->column[LEARNERS_X].number[ROWS] = side ? 1e9 : -1e9;
            frame->column[LEARNERS_GOOD].code[ROWS] = 1;
        }
        assert_int_equal(dusk_training_prepare(&training, "bayes_logistic", frame->fields, &o, NULL),
                         DUSK_OK);
        assert_int_equal(dusk_training_run(training, &model[side], frame, p.gen[side], NULL), DUSK_OK);
        dusk_training_free(training);
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
    const double *a = dusk_model_array(model[0], "samples", &rows, &d);
    replay_same(a, dusk_model_array(model[1], "samples", &rows, &d), rows * d);
    for (int side = 0; side < 2; side++) dusk_model_free(model[side]);
    replay_close(&p, (replay_declared){ .epsilon = o.epsilon, .delta = o.delta });
}

static void neighbours_look_alike(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 8; k++)
        run_pair(k & 1 ? "method=metropolis" : "method=langevin", k & 2 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE,
                 k & 4 ? 0 : 1e-6, k);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(neighbours_look_alike) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
