/* SPDX-License-Identifier: Apache-2.0 */
/* Where a row stands is nothing to any learner. Sums over rows are exact, so that a model does not depend on their order, to the last
 * digit, with the same coins; and what a model says of a row does not depend on the rows beside it. Noise is for what one row adds: a
 * row that changed, in the last digit, what others add would move a release by more than was paid for. */
#include <string.h>

#include "learners.h"

#define DELTA 1e-5
#define FIELDS "x[29] numeric -1:1\ny numeric -5:5\ngood category no,yes\ncolour category red,green,blue\n"

static const char *fields_of(const dusk_learner *l)
{
    const bool own = learners_narrow(l) || learners_open(l) || !strncmp(l->name, "net_", 4);
    return own ? learners_fields(l) : FIELDS;
}

/* Rows `first` on of a table that has no end, or the same backwards. */
static dusk_frame *some_rows(const dusk_learner *l, size_t first, size_t rows, bool backwards)
{
    dusk_fields *fields;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&fields, fields_of(l), NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    for (size_t c = 0; c < fields->count; c++)
        for (size_t r = 0; r < rows; r++) {
            const size_t number = first + (backwards ? rows - 1 - r : r);
            const double x = sin((double)(number * 31 + c) * 1.7);
            if (frame->column[c].number) frame->column[c].number[r] = x;
            if (frame->column[c].code) frame->column[c].code[r] = x > 0.2;
        }
    dusk_fields_free(fields);
    return frame;
}

static dusk_model *train(const dusk_learner *l, const dusk_frame *frame)
{
    dusk_generator *gen = seeded(5);
    dusk_train_options o = learners_options(l, 3, DELTA);
    dusk_training *training;
    dusk_model *model = NULL;
    dusk_error err = { .message = "" };
    if (dusk_training_prepare(&training, l->name, frame->fields, &o, &err) != DUSK_OK ||
        dusk_training_run(training, &model, frame, gen, &err) != DUSK_OK)
        fail_msg("%s: %s", l->name, err.message);
    dusk_training_free(training);
    dusk_generator_free(gen);
    return model;
}

static void say_the_same_of_a_row_beside_others(void **state)
{
    (void)state;
    for (size_t i = 0; dusk_learner_at(i); i++) {
        const dusk_learner *l = dusk_learner_at(i);
        if (l->task > DUSK_TASK_GROUPS) continue; /* whose scores are not released */
        dusk_frame *frame = some_rows(l, 0, 40, false), *more = some_rows(l, 0, 12, false),
                   *fewer = some_rows(l, 1, 11, false);
        dusk_model *model = train(l, frame);
        dusk_prediction p, q;
        assert_int_equal(dusk_predict(&p, model, more, NULL), DUSK_OK);
        assert_int_equal(dusk_predict(&q, model, fewer, NULL), DUSK_OK);
        if (memcmp(p.value + p.columns, q.value, q.rows * q.columns * sizeof *q.value) != 0)
            fail_msg("what %s says of a row depends on where it is", l->name);
        dusk_prediction_clear(&p);
        dusk_prediction_clear(&q);
        dusk_model_free(model);
        dusk_frame_free(frame);
        dusk_frame_free(more);
        dusk_frame_free(fewer);
    }
}

static void compare(const dusk_learner *l, const dusk_model *a, const dusk_model *b)
{
    for (size_t i = 0; dusk_model_array_at(a, i); i++) {
        size_t rows, columns, same_rows, same_columns;
        const char *name = dusk_model_array_at(a, i);
        const double *x = dusk_model_array(a, name, &rows, &columns);
        const double *y = dusk_model_array(b, name, &same_rows, &same_columns);
        assert_true(y && rows == same_rows && columns == same_columns);
        if (memcmp(x, y, rows * columns * sizeof *x) != 0)
            fail_msg("%s of %s depends on the order of rows", name, l->name);
    }
}

/* But for those in which each row has coins of its own, by its number. */
static void learn_the_same_from_rows_in_any_order(void **state)
{
    (void)state;
    for (size_t i = 0; dusk_learner_at(i); i++) {
        const dusk_learner *l = dusk_learner_at(i);
        if (!strcmp(l->name, "theil_sen") || !strcmp(l->name, "aggregate_linear") || learners_open(l) ||
            dusk_learner_is_for_labels(l))
            continue;
        dusk_frame *frame = some_rows(l, 0, 301, false), *turned = some_rows(l, 0, 301, true);
        dusk_model *a = train(l, frame), *b = train(l, turned);
        compare(l, a, b);
        dusk_model_free(a);
        dusk_model_free(b);
        dusk_frame_free(frame);
        dusk_frame_free(turned);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(say_the_same_of_a_row_beside_others),
        cmocka_unit_test(learn_the_same_from_rows_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
