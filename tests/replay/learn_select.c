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

static void run_pair(const char *learner, const char *label, const char *const candidates[3], double delta,
                     uint64_t seed)
{
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
    train.rows = ROWS;
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
    const char *boosted[] = { "", "rounds=3", "bins=4" };
    const char *sampled[] = { "rate=0.2 steps=4 sampler=shuffled", "rate=0.1 steps=6 sampler=shuffled",
                              "rate=1 steps=2" };
    for (uint64_t k = 0; k < 3; k++) {
        run_pair("boosting", "good", boosted, k % 2 ? 1e-6 : 0, 20 + k);
        run_pair("boosting_numbers", "y", boosted, k % 2 ? 1e-6 : 0, 30 + k);
        run_pair("net_numbers", "y", sampled, 1e-6, 40 + k);
    }
}

/* Claims about a fixed model, on rows of which those of one unit are there or not. */
static void holdouts(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 8; k++) {
        dusk_generator *gen = seeded(50 + k);
        const char *text = k % 2 ? LEARNERS_FIELDS "rows_per_unit 2\n" : LEARNERS_FIELDS;
        dusk_frame *frame = learners_frame(text, ROWS, gen);
        dusk_train_options train;
        dusk_training *training;
        dusk_model *model;
        dusk_holdout_options o;
        dusk_train_options_init(&train);
        train.label = "good";
        train.epsilon = 50;
        train.neighbours = DUSK_ADD_REMOVE;
        assert_int_equal(dusk_training_prepare(&training, "boosting", frame->fields, &train, NULL), DUSK_OK);
        assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
        dusk_holdout_options_init(&o);
        o.epsilon = 20;
        o.neighbours = DUSK_ADD_REMOVE;
        o.rows = ROWS;
        o.hits = 5;
        bool right[2][8];
        double accuracy[2][8];
        replay p = replay_open(k);
        for (int side = 0; side < 2; side++) {
            dusk_holdout *holdout;
            frame->rows = side ? ROWS - 1 - k % 2 : ROWS;
            assert_int_equal(dusk_holdout_new(&holdout, frame, &o, p.gen[side], NULL), DUSK_OK);
            for (size_t i = 0; i < 8; i++) {
                right[side][i] = false;
                accuracy[side][i] = -1;
                if (dusk_holdout_hits_left(holdout) == 0) continue;
                assert_int_equal(dusk_holdout_release(holdout, &right[side][i], &accuracy[side][i], model,
                                                      (double)i / 7, p.gen[side], NULL),
                                 DUSK_OK);
            }
            dusk_holdout_free(holdout);
        }
        assert_memory_equal(right[0], right[1], sizeof right[0]);
        replay_same(accuracy[0], accuracy[1], 8);
        replay_close(&p, (replay_declared){ .epsilon = 20, .coins_vary = true });
        frame->rows = ROWS;
        dusk_training_free(training);
        dusk_model_free(model);
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(searches), cmocka_unit_test(holdouts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
