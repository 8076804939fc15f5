/* SPDX-License-Identifier: Apache-2.0 */
/* Ladders on neighbouring tables with the same coins: every release of every version and every comparison is within what it declares, all of them together cost no more
 * than the statement says, and the answers are the same. Rows are exchanged where some are held out, so that both sides toss as many coins. */
#include "dusk/learn_select.h"

#include "learners.h"

#include "replay.h"

enum { ROWS = 60 };

static void same_answers(const dusk_ladder_result *a, const dusk_ladder_result *b)
{
    assert_int_equal(a->version, b->version);
    assert_int_equal(a->met, b->met);
    for (size_t i = 0; dusk_model_array_at(a->model, i); i++) {
        size_t rows, columns;
        const char *name = dusk_model_array_at(a->model, i);
        const double *x = dusk_model_array(a->model, name, &rows, &columns);
        const double *y = dusk_model_array(b->model, name, &rows, &columns);
        assert_non_null(y);
        replay_same(x, y, rows * columns);
    }
}

/* All of a row, or its labels only, so that it is right on one side and wrong on the other; two rows where a unit has two. */
static void change(dusk_frame *frame, size_t rows, bool all, int side)
{
    for (size_t row = 0; row < rows; row++) {
        const bool other = all && side;
        frame->column[LEARNERS_X].number[row] = other ? 1 : -1;
        frame->column[LEARNERS_Z].number[row] = other ? NAN : 10;
        frame->column[LEARNERS_COLOUR].code[row] = other ? -1 : 2;
        frame->column[LEARNERS_GOOD].code[row] = side;
        frame->column[LEARNERS_Y].number[row] = side ? 5 : -1e308;
    }
}

static void run_pair(const char *learner, const char *label, double target, bool private, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    const bool two = seed % 2;
    dusk_frame *frame =
        learners_frame(two ? LEARNERS_FIELDS "rows_per_unit 2\n" : LEARNERS_FIELDS, ROWS, gen);
    dusk_frame *public =
        learners_frame(two ? LEARNERS_FIELDS "rows_per_unit 2\n" : LEARNERS_FIELDS, ROWS, gen);
    const char *setting = "scaling=bounds";
    dusk_train_options train;
    dusk_ladder_options options;
    dusk_ladder *ladder;
    dusk_ladder_result result[2];
    dusk_train_options_init(&train);
    train.label = label;
    train.epsilon = seed % 3 ? 1 : 30;
    train.delta = 1e-6;
    train.neighbours = private ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
    train.settings = &setting;
    train.settings_count = strcmp(learner, "naive_bayes") != 0;
    dusk_ladder_options_init(&options);
    options.target = target;
    options.rows = private ? NULL : public;
    options.versions = 3;
    options.held_out = 0.8;
    assert_int_equal(dusk_ladder_prepare(&ladder, learner, frame->fields, &train, &options, NULL), DUSK_OK);
    replay p = replay_open(seed);
    for (int side = 0; side < 2; side++) {
        if (private)
            change(frame, two ? 2 : 1, seed & 2, side);
        else
            frame->rows = side ? (size_t)ROWS - 1 - two : ROWS;
        assert_int_equal(dusk_ladder_run(ladder, &result[side], frame, p.gen[side], NULL), DUSK_OK);
    }
    same_answers(&result[0], &result[1]);
    for (int side = 0; side < 2; side++) dusk_model_free(result[side].model);
    frame->rows = ROWS;
    dusk_ladder_free(ladder);
    dusk_frame_free(frame);
    dusk_frame_free(public);
    dusk_generator_free(gen);
    replay_close(&p, (replay_declared){ .epsilon = train.epsilon, .delta = train.delta });
}

static void by_public_rows(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 4; k++) {
        run_pair("functional", "good", 0.9, false, 10 + k);
        run_pair("linear", "y", 1, false, 20 + k);
        run_pair("naive_bayes", "colour", 0.6, false, 30 + k);
    }
}

static void by_private_rows(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 4; k++) {
        run_pair("functional", "good", 0.9, true, 40 + k);
        run_pair("linear", "y", 1, true, 50 + k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(by_public_rows), cmocka_unit_test(by_private_rows) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
