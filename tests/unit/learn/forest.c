/* SPDX-License-Identifier: Apache-2.0 */
/* The forest: it learns what a few rows of random splits can say, its counts have the noise that is said, and its structure
 * looks at no row. */
#include "learners.h"

static dusk_model *train(const dusk_frame *frame, const char *label, double epsilon, double delta,
                         const char *setting, dusk_generator *gen)
{
    dusk_train_options o;
    dusk_training *training;
    dusk_model *model;
    dusk_train_options_init(&o);
    o.label = label;
    o.epsilon = epsilon;
    o.delta = delta;
    o.neighbours = DUSK_ADD_REMOVE;
    o.settings = &setting;
    o.settings_count = 1;
    assert_int_equal(dusk_training_prepare(&training, "forest", frame->fields, &o, NULL), DUSK_OK);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    dusk_training_free(training);
    return model;
}

static void classes_are_learned(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(1);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 3000, gen);
    dusk_model_scores scores;
    for (size_t i = 0; i < frame->rows; i++) /* three classes of two numbers */
        frame->column[LEARNERS_COLOUR].code[i] =
            frame->column[LEARNERS_X].number[i] > 0 ? 2 : frame->column[LEARNERS_Z].number[i] > 5;
    const char *labels[] = { "good", "colour" };
    for (int k = 0; k < 2; k++) {
        dusk_model *model = train(frame, labels[k], 8, 1e-6, "trees=64", gen);
        assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
        assert_true(scores.accuracy > 0.9 && scores.accuracy > scores.majority + 0.2);
        dusk_model_free(model);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* The same coins on other rows: the same splits. */
static void splits_do_not_look_at_rows(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(2);
    dusk_frame *frame[2] = { learners_frame(LEARNERS_FIELDS, 40, gen),
                             learners_frame(LEARNERS_FIELDS, 0, gen) };
    dusk_model *model[2];
    size_t rows, columns;
    dusk_generator_free(gen);
    for (int k = 0; k < 2; k++) {
        gen = seeded(3);
        model[k] = train(frame[k], "good", 1, 1e-6, "trees=1", gen);
        dusk_generator_free(gen);
    }
    const double *a = dusk_model_array(model[0], "splits", &rows, &columns);
    const double *b = dusk_model_array(model[1], "splits", &rows, &columns);
    for (size_t i = 0; i < rows * columns; i++) assert_true(a[i] == b[i]);
    for (int k = 0; k < 2; k++) {
        dusk_model_free(model[k]);
        dusk_frame_free(frame[k]);
    }
}

/* Counts: with three trees and a tenth of the budget, sigma = sqrt(3 / 0.1) / mu. */
static void every_leaf_has_noise(void **state)
{
    (void)state;
    enum { SEEDS = 200 };
    static double sum[96], square[96];
    const double sigma = sqrt(3 / 0.1) / 0.223; /* mu at (1, 1e-6) is about 0.223 */
    dusk_generator *gen = seeded(4);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 0, gen);
    for (int s = 0; s < SEEDS; s++) {
        size_t rows, columns;
        dusk_model *model = train(frame, "good", 1, 1e-6, "trees=3", gen);
        const double *leaves = dusk_model_array(model, "leaves", &rows, &columns);
        assert_int_equal(rows * columns, 96);
        for (size_t i = 0; i < 96; i++) {
            sum[i] += leaves[i];
            square[i] += leaves[i] * leaves[i];
        }
        dusk_model_free(model);
    }
    for (size_t i = 0; i < 96; i++) {
        double variance = (square[i] - sum[i] * sum[i] / SEEDS) / (SEEDS - 1);
        assert_true(variance > 0.5 * sigma * sigma && variance < 1.7 * sigma * sigma);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_learned),
        cmocka_unit_test(splits_do_not_look_at_rows),
        cmocka_unit_test(every_leaf_has_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
