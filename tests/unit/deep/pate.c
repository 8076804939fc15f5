/* SPDX-License-Identifier: Apache-2.0 */
/* PATE as a whole: it learns where noise is small, and says what it needs before a row is read. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "learners.h"

static dusk_status prepare(dusk_training **out, const char *learner, const dusk_fields *fields,
                           const dusk_frame *open, double delta, dusk_error *err)
{
    dusk_train_options o;
    dusk_train_options_init(&o);
    o.label = "good";
    o.epsilon = 1e4;
    o.delta = delta;
    o.neighbours = DUSK_ADD_REMOVE;
    o.open_rows = open;
    return dusk_training_prepare(out, learner, fields, &o, err);
}

static void test_learns(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(1);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 3000, gen),
               *open = learners_frame(LEARNERS_FIELDS, 400, gen);
    dusk_training *training;
    dusk_model *model;
    dusk_model_scores scores;
    assert_int_equal(prepare(&training, "pate", frame->fields, open, 1e-5, NULL), DUSK_OK);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
    assert_true(scores.accuracy > 0.85 && scores.accuracy > scores.majority + 0.2);
    dusk_model_free(model);
    dusk_training_free(training);
    dusk_frame_free(frame);
    dusk_frame_free(open);
    dusk_generator_free(gen);
}

/* Pictures of a bar, upright or across, a little turned and shifted, of a brightness that says nothing. */
static dusk_frame *bars(size_t rows, dusk_generator *gen)
{
    enum { SIDE = 8 };
    char text[SIDE * SIDE * 24 + 40] = "";
    dusk_fields *fields;
    dusk_frame *frame;
    size_t length = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "p%d numeric 0:1\n", i);
    (void)snprintf(text + length, sizeof text - length, "good category no,yes\n");
    assert_int_equal(dusk_fields_parse(&fields, text, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    for (size_t r = 0; r < rows; r++) {
        uint64_t word[4];
        assert_int_equal(dusk_generator_words(gen, word, 4, 64, NULL), DUSK_OK);
        const bool upright = word[0] & 1;
        const double light = 0.4 + 0.6 * (double)word[1] * 0x1p-64,
                     middle = 2 + 3 * (double)word[2] * 0x1p-64,
                     slope = 0.5 * (double)word[3] * 0x1p-64 - 0.25;
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                const double away = upright ? x - middle - slope * (y - 4) : y - middle - slope * (x - 4);
                frame->column[y * SIDE + x].number[r] = light * fmax(0, 1 - fabs(away));
            }
        frame->column[SIDE * SIDE].code[r] = upright;
    }
    dusk_fields_free(fields);
    return frame;
}

static void test_pictures(void **state)
{
    (void)state;
    static const char *const settings[] = { "net=input 8 8; output", "range=unit", "questions=12",
                                            "teachers=10" };
    dusk_generator *gen = seeded(2);
    dusk_frame *frame = bars(600, gen), *open = bars(300, gen), *last = bars(300, gen);
    for (int moves = 0; moves < 2; moves++) {
        const char *all[5] = { settings[0], settings[1], settings[2], settings[3],
                               moves ? "moves=yes" : "moves=no" };
        dusk_train_options o;
        dusk_training *training;
        dusk_model *model;
        dusk_model_scores scores;
        dusk_train_options_init(&o);
        o.label = "good";
        o.epsilon = 1e4;
        o.delta = 1e-5;
        o.neighbours = DUSK_ADD_REMOVE;
        o.open_rows = open;
        o.settings = all;
        o.settings_count = 5;
        assert_int_equal(dusk_training_prepare(&training, "pate", frame->fields, &o, NULL), DUSK_OK);
        assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
        assert_int_equal(dusk_model_score(&scores, model, last, NULL), DUSK_OK);
        assert_true(scores.accuracy > 0.95);
        dusk_model_free(model);
        dusk_training_free(training);
    }
    dusk_frame_free(frame);
    dusk_frame_free(open);
    dusk_frame_free(last);
    dusk_generator_free(gen);
}

static void test_refusals(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(1);
    dusk_frame *open = learners_frame(LEARNERS_FIELDS, 20, gen),
               *none = learners_frame(LEARNERS_FIELDS, 0, gen),
               *other = learners_frame("x numeric -1:1\ny numeric -5:5\n", 3, gen);
    dusk_training *training;
    dusk_error err;
    assert_int_equal(prepare(&training, "pate", open->fields, NULL, 1e-5, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.hint, "--public"));
    assert_int_equal(prepare(&training, "pate", open->fields, none, 1e-5, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(prepare(&training, "pate", open->fields, other, 1e-5, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(prepare(&training, "pate", open->fields, open, 0, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(prepare(&training, "logistic", open->fields, open, 1e-5, &err), DUSK_ERR_ARGUMENT);
    assert_null(training);
    dusk_frame_free(open);
    dusk_frame_free(none);
    dusk_frame_free(other);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_learns), cmocka_unit_test(test_pictures),
                                        cmocka_unit_test(test_refusals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
