/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of sparse learners on neighbours: choices and gradients move by no more than they declare. */
#include "learners.h"

#include "replay.h"

enum { ROWS = 30 };

static dusk_frame *make_frame(size_t rows, int side)
{
    dusk_generator *gen = seeded(11);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS "rows_per_unit 2\n", rows, gen);
    for (size_t r = ROWS; r < rows; r++) { /* at the ends of all bounds, on the other side's other end */
        frame->column[LEARNERS_X].number[r] = side ? 1e300 : -1e300;
        frame->column[LEARNERS_Z].number[r] = side ? 10 : 0;
        frame->column[LEARNERS_Y].number[r] = side ? -5 : 5;
        frame->column[LEARNERS_GOOD].code[r] = 1;
    }
    dusk_generator_free(gen);
    return frame;
}

static void run_pair(const char *learner, const char *method, const dusk_train_options *asked, uint64_t seed)
{
    const char *settings[] = { method, "steps=3" };
    dusk_train_options o = *asked;
    dusk_training *training;
    dusk_model *model[2];
    size_t rows, d;
    replay p = replay_open(seed);
    o.settings = settings;
    o.settings_count = 2;
    for (int side = 0; side < 2; side++) {
        bool there = side || o.neighbours == DUSK_REPLACE_ONE;
        dusk_frame *frame = make_frame(ROWS + (there ? 2 : 0), side);
        if (side == 0)
            assert_int_equal(dusk_training_prepare(&training, learner, frame->fields, &o, NULL), DUSK_OK);
        assert_int_equal(dusk_training_run(training, &model[side], frame, p.gen[side], NULL), DUSK_OK);
        dusk_frame_free(frame);
    }
    dusk_training_free(training);
    const double *a = dusk_model_array(model[0], "weights", &rows, &d);
    replay_same(a, dusk_model_array(model[1], "weights", &rows, &d), d);
    for (int side = 0; side < 2; side++) dusk_model_free(model[side]);
    /* choices cost a little less together than the sum of their epsilons, by which they are compared */
    double more = o.delta > 0 && !strcmp(method, "method=frank_wolfe") ? 1.1 : 1;
    replay_close(&p, (replay_declared){ .epsilon = more * o.epsilon, .delta = o.delta });
}

static void neighbours_look_alike(void **state)
{
    static const char *const methods[] = { "method=frank_wolfe", "method=mirror", "method=threshold" };
    static const char *const names[] = { "sparse_logistic", "sparse_linear" };
    (void)state;
    for (uint64_t k = 0; k < 24; k++) {
        const char *learner = names[k % 2];
        dusk_train_options o = learners_options(dusk_learner_named(learner), 2, k & 2 ? 1e-6 : 0);
        o.neighbours = k & 4 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
        run_pair(learner, methods[k / 8], &o, k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(neighbours_look_alike) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
