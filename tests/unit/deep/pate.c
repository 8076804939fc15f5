/* SPDX-License-Identifier: Apache-2.0 */
/* PATE as a whole: it learns where noise is small, and says what it needs before a row is read. */
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
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_learns), cmocka_unit_test(test_refusals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
