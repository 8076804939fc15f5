/* SPDX-License-Identifier: Apache-2.0 */
/* Private-kNN as a whole: it learns where noise is small, every answer is over a sample of its own, and what it needs is said before a row is read. */
#include <string.h>

#include "deep/votes.h"
#include "learners.h"
#include "random/record.h"

static dusk_status prepare(dusk_training **out, const dusk_frame *open, double delta,
                           const char *const *settings, size_t count, dusk_error *err)
{
    dusk_train_options o;
    dusk_train_options_init(&o);
    o.label = "good";
    o.epsilon = 50;
    o.delta = delta;
    o.neighbours = DUSK_ADD_REMOVE;
    o.open_rows = open;
    o.settings = settings;
    o.settings_count = count;
    return dusk_training_prepare(out, "private_knn", open->fields, &o, err);
}

static void test_learns(void **state)
{
    (void)state;
    static const char *const plain[] = { "rate=1", "questions=200", "neighbours=40" };
    static const char *const screened[] = { "rate=1", "questions=200", "neighbours=40", "method=confident" };
    for (int how = 0; how < 2; how++) {
        dusk_generator *gen = seeded(1);
        dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 2000, gen),
                   *open = learners_frame(LEARNERS_FIELDS, 400, gen);
        dusk_training *training;
        dusk_model *model;
        dusk_model_scores scores;
        assert_int_equal(prepare(&training, open, 1e-5, how ? screened : plain, how ? 4 : 3, NULL), DUSK_OK);
        assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
        assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
        assert_true(scores.accuracy > 0.85 && scores.accuracy > scores.majority + 0.2);
        dusk_model_free(model);
        dusk_training_free(training);
        dusk_frame_free(frame);
        dusk_frame_free(open);
        dusk_generator_free(gen);
    }
}

/* The same question, again and again, to half of rows of which half say something else: answers differ by more than noise does. */
static void test_fresh_samples(void **state)
{
    (void)state;
    static const char *const settings[] = { "rate=0.5", "questions=60", "neighbours=1000", "epochs=1",
                                            "margin=0" };
    dusk_generator *gen = seeded(2);
    dusk_frame *open = learners_frame(LEARNERS_FIELDS, 60, gen),
               *frame = learners_frame(LEARNERS_FIELDS, 800, gen);
    dusk_training *training;
    dusk_model *model;
    size_t rows, columns, said[2] = { 0, 0 };
    for (size_t r = 0; r < frame->rows; r++) frame->column[LEARNERS_GOOD].code[r] = r % 2;
    assert_int_equal(prepare(&training, open, 1e-5, settings, 5, NULL), DUSK_OK);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    const double *answer = dusk_model_array(model, "answers", &rows, &columns);
    for (size_t q = 0; q < rows; q++)
        if (answer[2 * q + 1] >= 0) said[(int)answer[2 * q + 1]]++;
    assert_true(said[0] > 12 && said[1] > 12);
    dusk_model_free(model);
    dusk_training_free(training);
    dusk_frame_free(frame);
    dusk_frame_free(open);
    dusk_generator_free(gen);
}

/* The largest of the numbers that a call releases. */
static double largest_of(const dusk_record_call *call)
{
    double most = 0;
    for (size_t i = 0; i < call->n; i++) most = fmax(most, (double)call->inputs[i].whole);
    return most;
}

/* All rows of a sample vote, and half of them for either: two samples hardly ever have as many votes for the class with most. */
static void test_two_samples(void **state)
{
    (void)state;
    static const char *const settings[] = { "rate=0.5",        "questions=40", "answers=40",
                                            "neighbours=1000", "threshold=0",  "method=confident",
                                            "epochs=1",        "margin=0" };
    dusk_generator *gen = seeded(3);
    dusk_frame *open = learners_frame(LEARNERS_FIELDS, 60, gen),
               *frame = learners_frame(LEARNERS_FIELDS, 800, gen);
    dusk_training *training;
    dusk_model *model;
    dusk_record record = { .n = 0 };
    size_t pairs = 0, same = 0;
    for (size_t r = 0; r < frame->rows; r++) frame->column[LEARNERS_GOOD].code[r] = r % 2;
    assert_int_equal(prepare(&training, open, 1e-5, settings, 8, NULL), DUSK_OK);
    dusk_generator_record(gen, &record);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    dusk_generator_record(gen, NULL);
    for (size_t i = 0; i + 1 < record.n; i++) {
        const double asked = largest_of(&record.calls[i]) / DEEP_VOTE_MOVES,
                     answered = largest_of(&record.calls[i + 1]) / DEEP_VOTE;
        if (asked != floor(asked) || answered != floor(answered))
            continue; /* an answer, and the next question */
        assert_true(asked > 150 && asked < 300 && answered > 150 && answered < 300);
        pairs++;
        same += asked == answered;
    }
    assert_true(pairs >= 35 && same < pairs / 4);
    dusk_record_clear(&record);
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
               *none = learners_frame(LEARNERS_FIELDS, 0, gen);
    dusk_training *training;
    dusk_error err;
    assert_int_equal(prepare(&training, open, 0, NULL, 0, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.hint, "lnmax"));
    assert_int_equal(prepare(&training, none, 1e-5, NULL, 0, &err), DUSK_ERR_ARGUMENT);
    assert_null(training);
    dusk_frame_free(open);
    dusk_frame_free(none);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_learns), cmocka_unit_test(test_fresh_samples),
                                        cmocka_unit_test(test_two_samples), cmocka_unit_test(test_refusals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
