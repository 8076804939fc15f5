/* SPDX-License-Identifier: Apache-2.0 */
/* A holdout that can be used again: claims that are right are let be, however many; wrong ones are corrected, until the
 * answers are used up; the price is that of the whole. */
#include <math.h>

#include "dusk/learn_select.h"
#include "learners.h"

static dusk_model *train(const dusk_frame *frame, dusk_generator *gen)
{
    dusk_train_options o;
    dusk_training *training;
    dusk_model *model;
    dusk_train_options_init(&o);
    o.label = "good";
    o.epsilon = 100;
    o.neighbours = DUSK_ADD_REMOVE;
    assert_int_equal(dusk_training_prepare(&training, "boosting", frame->fields, &o, NULL), DUSK_OK);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    dusk_training_free(training);
    return model;
}

static dusk_holdout_options asked(double epsilon, uint64_t rows)
{
    dusk_holdout_options o;
    dusk_holdout_options_init(&o);
    o.epsilon = epsilon;
    o.neighbours = DUSK_ADD_REMOVE;
    o.rows = rows;
    return o;
}

static void wrong_claims_are_corrected(void **state)
{
    (void)state;
    enum { ROWS = 8000 };
    dusk_generator *gen = seeded(1);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, ROWS, gen);
    dusk_model *model = train(frame, gen);
    dusk_model_scores scores;
    dusk_holdout *holdout;
    dusk_holdout_options o = asked(4, ROWS);
    bool right = false;
    double accuracy = NAN;
    o.hits = 3;
    assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
    assert_int_equal(dusk_holdout_new(&holdout, frame, &o, gen, NULL), DUSK_OK);
    const dusk_statement *s = dusk_holdout_statement(holdout);
    assert_true(s->epsilon <= 4 && s->epsilon > 3.9 && s->delta == 0);
    for (int k = 0; k < 200; k++) {
        assert_int_equal(dusk_holdout_release(holdout, &right, &accuracy, model, scores.accuracy, gen, NULL),
                         DUSK_OK);
        assert_true(right && accuracy == scores.accuracy);
    }
    for (uint32_t k = 0; k < 3; k++) {
        assert_int_equal(dusk_holdout_hits_left(holdout), 3 - k);
        double claim = k % 2 ? scores.accuracy - 0.2 : fmin(scores.accuracy + 0.2, 1);
        if (fabs(claim - scores.accuracy) < 0.1) claim = 0.5;
        assert_int_equal(dusk_holdout_release(holdout, &right, &accuracy, model, claim, gen, NULL), DUSK_OK);
        assert_true(!right && fabs(accuracy - scores.accuracy) < 0.03);
    }
    assert_int_equal(dusk_holdout_release(holdout, &right, &accuracy, model, 0.5, gen, NULL),
                     DUSK_ERR_BUDGET);
    dusk_holdout_free(holdout);
    dusk_model_free(model);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

static void odd_requests_are_refused(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(2);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 50, gen), *other;
    dusk_model *model = train(frame, gen);
    dusk_holdout_options bad[] = { asked(0, 50), asked(1, 0),  asked(1, 50),
                                   asked(1, 50), asked(1, 50), asked(1, 50) };
    dusk_holdout *holdout;
    bool right = false;
    double accuracy = 77;
    bad[2].tolerance = 0;
    bad[3].hits = 0;
    bad[4].neighbours = 0;
    bad[5].size = 1;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(dusk_holdout_new(&holdout, frame, &bad[k], gen, NULL), DUSK_ERR_ARGUMENT);
        assert_null(holdout);
    }
    dusk_holdout_options o = asked(1, 50);
    assert_int_equal(dusk_holdout_new(&holdout, frame, &o, gen, NULL), DUSK_OK);
    const double claims[] = { -0.1, 1.1, NAN };
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(dusk_holdout_release(holdout, &right, &accuracy, model, claims[k], gen, NULL),
                         DUSK_ERR_ARGUMENT);
    dusk_holdout_free(holdout);
    other =
        learners_frame("x numeric -1:1\ny numeric -5:5\n", 3, gen); /* rows without what the model looks at */
    assert_int_equal(dusk_holdout_new(&holdout, other, &o, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_holdout_release(holdout, &right, &accuracy, model, 0.5, gen, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_true(accuracy == 77);
    dusk_holdout_free(holdout);
    dusk_model_free(model);
    dusk_frame_free(other);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_claims_are_corrected),
        cmocka_unit_test(odd_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
