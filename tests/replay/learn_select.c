/* SPDX-License-Identifier: Apache-2.0 */
/* A search on neighbouring tables with the same coins. Rows are exchanged, so that both sides toss as many coins to hold rows
 * out: every release of every run, training or score, is within what it declares, and the answers are the same. The whole is not the sum of
 * its calls, so that it is not priced here (tests/exhaustive/candidates.c). */
#include "dusk/learn_select.h"

#include "learners.h"

#include "replay.h"

enum { ROWS = 60 };

static void same_answers(const dusk_search_result *a, const dusk_search_result *b)
{
    assert_int_equal(a->candidate, b->candidate);
    replay_same(&a->score, &b->score, 1);
    for (size_t i = 0; dusk_model_array_at(a->model, i); i++) {
        size_t rows, columns;
        const char *name = dusk_model_array_at(a->model, i);
        const double *x = dusk_model_array(a->model, name, &rows, &columns);
        const double *y = dusk_model_array(b->model, name, &rows, &columns);
        assert_non_null(y);
        replay_same(x, y, rows * columns);
    }
}

static void run_pair(const char *learner, const char *label, double delta, uint64_t seed)
{
    const char *candidates[] = { "", "rounds=3", "bins=4" };
    dusk_generator *gen = seeded(seed);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, ROWS, gen);
    dusk_train_options train;
    dusk_search_options options;
    dusk_search *search;
    dusk_search_result result[2];
    dusk_train_options_init(&train);
    train.label = label;
    train.epsilon = seed % 2 ? 1 : 40;
    train.delta = delta;
    train.neighbours = DUSK_REPLACE_ONE;
    dusk_search_options_init(&options);
    options.candidates = candidates;
    options.candidates_count = 3;
    assert_int_equal(dusk_search_prepare(&search, learner, frame->fields, &train, &options, NULL), DUSK_OK);
    replay p = replay_open(seed);
    for (int side = 0; side < 2; side++) {
        size_t row = (size_t)seed % ROWS; /* all of it changes */
        frame->column[LEARNERS_X].number[row] = side ? 1 : -1;
        frame->column[LEARNERS_Z].number[row] = side ? NAN : 10;
        frame->column[LEARNERS_COLOUR].code[row] = side ? -1 : 2;
        frame->column[LEARNERS_GOOD].code[row] = side;
        frame->column[LEARNERS_Y].number[row] = side ? 5 : -1e308;
        assert_int_equal(dusk_search_run(search, &result[side], frame, p.gen[side], NULL), DUSK_OK);
    }
    same_answers(&result[0], &result[1]);
    for (int side = 0; side < 2; side++) dusk_model_free(result[side].model);
    dusk_search_free(search);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    replay_close(&p, (replay_declared){ .epsilon = 0 });
}

static void searches(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 4; k++) {
        run_pair("boosting", "good", k % 2 ? 1e-6 : 0, 20 + k);
        run_pair("boosting_numbers", "y", k % 2 ? 1e-6 : 0, 30 + k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(searches) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
