/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse learners without noise to speak of: they find the few columns that matter, stay in their ball, and keep as
 * many weights as they are told to. */
#include "learners.h"

enum { COLUMNS = 40, ROWS = 3000 };
static const char fields[] = "x[40] numeric -1:1\ngood category no,yes\ny numeric -4:4\n";

/* Only columns 3 and 17 matter. */
static dusk_frame *make_frame(dusk_generator *gen)
{
    dusk_fields *f;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&f, fields, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, f, ROWS, NULL), DUSK_OK);
    for (size_t r = 0; r < ROWS; r++) {
        uint64_t word[COLUMNS];
        assert_int_equal(dusk_generator_words(gen, word, COLUMNS, 64, NULL), DUSK_OK);
        for (size_t c = 0; c < COLUMNS; c++) frame->column[c].number[r] = (double)word[c] * 0x1p-63 - 1;
        double sum = 2 * frame->column[3].number[r] - frame->column[17].number[r];
        frame->column[COLUMNS].code[r] = sum > 0;
        frame->column[COLUMNS + 1].number[r] = sum;
    }
    dusk_fields_free(f);
    return frame;
}

static dusk_model *train(const char *learner, const char *method, const char *more, const dusk_frame *all,
                         dusk_generator *gen)
{
    const char *settings[] = { method, more, "steps=200" };
    bool number = !strcmp(learner, "sparse_linear");
    dusk_train_options o = learners_options(dusk_learner_named(learner), 1e7, 0.1);
    dusk_fields *f;
    dusk_frame frame = *all;
    dusk_training *training;
    dusk_model *model;
    o.label = number ? "y" : "good";
    o.settings = settings;
    o.settings_count = 3;
    /* the other label is no column to learn from */
    assert_int_equal(dusk_fields_parse(&f,
                                       number ? "x[40] numeric -1:1\ny numeric -4:4\n"
                                              : "x[40] numeric -1:1\ngood category no,yes\n",
                                       NULL),
                     DUSK_OK);
    dusk_frame_column columns[COLUMNS + 1];
    memcpy(columns, all->column, COLUMNS * sizeof *columns);
    columns[COLUMNS] = all->column[COLUMNS + number];
    frame.fields = f;
    frame.column = columns;
    assert_int_equal(dusk_training_prepare(&training, learner, f, &o, NULL), DUSK_OK);
    assert_int_equal(dusk_training_run(training, &model, &frame, gen, NULL), DUSK_OK);
    dusk_training_free(training);
    dusk_fields_free(f);
    return model;
}

static void check(const char *learner, const char *method, const char *more, double l1, size_t kept,
                  const dusk_frame *frame, dusk_generator *gen)
{
    dusk_model *model = train(learner, method, more, frame, gen);
    size_t rows, d, others = 0;
    const double *w = dusk_model_array(model, "weights", &rows, &d);
    double sum = 0, largest = 0;
    for (size_t j = 0; j < d; j++) {
        sum += fabs(w[j]);
        others += w[j] != 0 && j + 1 < d;
        if (j != 3 && j != 17 && j + 1 < d) largest = fmax(largest, fabs(w[j]));
    }
    print_message("%s %s: %.3f %.3f, others up to %.3f\n", learner, method, w[3], w[17], largest);
    assert_true(sum <= l1 * (1 + 1e-9));
    assert_true(others <= kept);
    assert_true(w[3] > 0 && w[17] < 0 && w[3] / -w[17] > 1.2 && w[3] / -w[17] < 4 &&
                largest < 0.4 * fabs(w[17]));
    dusk_model_free(model);
}

static void find_what_matters(void **state)
{
    dusk_generator *gen = seeded(5);
    dusk_frame *frame = make_frame(gen);
    (void)state;
    for (int number = 0; number < 2; number++) {
        const char *learner = number ? "sparse_linear" : "sparse_logistic";
        const char *radius = number ? "radius=0.75" : "radius=6";
        check(learner, "method=frank_wolfe", radius, number ? 0.75 : 6, COLUMNS, frame, gen);
        check(learner, "method=mirror", radius, number ? 0.75 : 6, COLUMNS, frame, gen);
        check(learner, "method=threshold", "keep=2", 8, 2, frame, gen);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(find_what_matters) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
