/* SPDX-License-Identifier: Apache-2.0 */
/* Scores on public rows against sums over pairs and other plain definitions. */
#include "failing_memory.h"
#include "toy_models.h"

static void close_to(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * fmax(1, fabs(want)))) fail_msg("%.17g, not %.17g", got, want);
}

static dusk_model_scores score(const dusk_model *model, const dusk_frame *frame)
{
    dusk_model_scores scores;
    dusk_error err = { .message = "" };
    if (dusk_model_score(&scores, model, frame, &err) != DUSK_OK) fail_msg("%s", err.message);
    return scores;
}

/* By pairs; labels 0, 1 and -1 (none). */
static double area_by_pairs(const dusk_frame *frame)
{
    double sum = 0, pairs = 0;
    for (size_t i = 0; i < frame->rows; i++)
        for (size_t j = 0; j < frame->rows; j++) {
            if (frame->column[0].code[i] != 0 || frame->column[0].code[j] != 1) continue;
            double low = frame->column[1].number[i], high = frame->column[1].number[j];
            pairs++;
            sum += low < high ? 1 : low == high ? 0.5 : 0;
        }
    return sum / pairs;
}

static void categories(void **state)
{
    dusk_model *model = toy_model(&toy_binary, TOY_CLASSES);
    uint64_t seed = 3;
    (void)state;
    for (int round = 0; round < 60; round++) {
        dusk_frame *frame = toy_frame(TOY_CLASSES, 2 + splitmix64(&seed) % 40);
        double n = 0, right = 0, ones = 0, loss = 0;
        for (size_t i = 0; i < frame->rows; i++) {
            int32_t y = (int32_t)(splitmix64(&seed) % 4) - 1; /* -1: none, 2: no category */
            double x = (double)(splitmix64(&seed) % 11), p = x / 10;
            if (i < 2) y = (int32_t)i;
            frame->column[0].code[i] = y;
            frame->column[1].number[i] = x;
            if (y < 0 || y > 1) continue;
            n++;
            right += (p > 0.5) == y; /* the first of equal ones */
            ones += y;
            loss -= log(fmax(y ? p : 1 - p, 0x1p-40));
        }
        dusk_model_scores got = score(model, frame);
        assert_int_equal(got.rows, (size_t)n);
        close_to(got.accuracy, right / n);
        close_to(got.majority, fmax(ones, n - ones) / n);
        close_to(got.log_loss, loss / n);
        close_to(got.auc, area_by_pairs(frame));
        assert_true(isnan(got.rmse) && isnan(got.r2) && isnan(got.inertia) && isnan(got.explained) &&
                    isnan(got.log_likelihood) && isnan(got.mae));
        dusk_frame_free(frame);
    }
    dusk_model_free(model);
}

/* Confidence 0.9 and 60 % right in one bin; 1 and all right in the last: |0.6 - 0.9| of half of the rows. */
static void calibration(void **state)
{
    dusk_model *model = toy_model(&toy_binary, TOY_CLASSES);
    dusk_frame *frame = toy_frame(TOY_CLASSES, 10);
    (void)state;
    for (size_t i = 0; i < 10; i++) {
        frame->column[1].number[i] = i < 5 ? 8.5 : 0;
        frame->column[0].code[i] = i < 3;
    }
    close_to(score(model, frame).calibration, (0.85 - 0.6) / 2);
    dusk_frame_free(frame);
    dusk_model_free(model);
}

static void one_category_or_no_rows(void **state)
{
    dusk_model *model = toy_model(&toy_binary, TOY_CLASSES);
    dusk_frame *frame = toy_frame(TOY_CLASSES, 4), *empty = toy_frame(TOY_CLASSES, 0);
    (void)state;
    dusk_model_scores got = score(model, frame);
    assert_true(got.accuracy == 1 && got.majority == 1 && isnan(got.auc));
    got = score(model, empty);
    assert_true(got.rows == 0 && isnan(got.accuracy) && isnan(got.log_loss) && isnan(got.calibration));
    dusk_frame_free(frame);
    dusk_frame_free(empty);
    dusk_model_free(model);
}

static void numbers(void **state)
{
    dusk_model *model = toy_model(&toy_number, TOY_NUMBERS);
    dusk_frame *frame = toy_frame(TOY_NUMBERS, 5);
    const double x[] = { 1, 2, 3, 4, 5 }, y[] = { 1, 3, NAN, 2, 9 }; /* 9 is beyond the bounds, and counts */
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        frame->column[1].number[i] = x[i];
        frame->column[0].number[i] = y[i];
    }
    dusk_model_scores got = score(model, frame);
    assert_int_equal(got.rows, 4);
    close_to(got.rmse, sqrt((0 + 1 + 4 + 16) / 4.0));
    close_to(got.mae, (0 + 1 + 2 + 4) / 4.0);
    close_to(got.r2, 1 - 21 / (1 + 9 + 4 + 81 - 15 * 15 / 4.0));
    assert_true(isnan(got.accuracy) && isnan(got.auc));
    dusk_frame_free(frame);
    dusk_model_free(model);
}

static void groups_and_densities(void **state)
{
    dusk_model *model = toy_model(&toy_group, TOY_PLAIN), *likely = toy_model(&toy_likely, TOY_PLAIN);
    dusk_frame *frame = toy_frame(TOY_PLAIN, 3);
    const double centres[6] = { -1, 1, 0, 0.5, 0, 1 };
    (void)state;
    assert_true(isnan(score(model, frame).inertia));
    assert_int_equal(learn_model_put(model, "centres", 2, 3, centres, NULL), DUSK_OK);
    frame->column[0].number[1] = 10; /* encoded (-1, 1, 0), (1, 1, 0), (0, 0, 1) */
    frame->column[0].number[2] = 5;
    frame->column[1].code[2] = 1;
    /* rows that are as long as can be are a step or two shorter, once on the grid */
    assert_true(fabs(score(model, frame).inertia - (0 + (0.25 + 1 + 1) + 0.25) / 3) < 1e-4);
    close_to(score(likely, frame).log_likelihood, -5);
    dusk_frame_free(frame);
    dusk_model_free(model);
    dusk_model_free(likely);
}

static void vectors(void **state)
{
    dusk_model *model = toy_model(&toy_vector, "x numeric -1:1\nz numeric -1:1\n");
    dusk_frame *frame = toy_frame("x numeric -1:1\nz numeric -1:1\n", 4);
    const double axis[2] = { 0.6, 0.8 }, twice[2] = { 1.2, 1.6 };
    (void)state;
    for (size_t i = 0; i < 4; i++) { /* four corners about (0.25, -0.25) */
        frame->column[0].number[i] = 0.25 + (i % 2 ? 0.5 : -0.5);
        frame->column[1].number[i] = -0.25 + (i / 2 ? 0.5 : -0.5);
    }
    assert_int_equal(learn_model_put(model, "components", 1, 2, axis, NULL), DUSK_OK);
    assert_true(fabs(score(model, frame).explained - 0.5) < 1e-9);
    frame->column[0].number[0] = frame->column[1].number[0] = NAN; /* the middle: (0, 0) */
    assert_true(score(model, frame).explained > 0);
    /* a component that is too long keeps less, not more */
    assert_int_equal(learn_model_put(model, "components", 1, 2, twice, NULL), DUSK_OK);
    assert_true(score(model, frame).explained < 0);
    dusk_frame_free(frame);
    dusk_model_free(model);
}

static void a_label_is_needed(void **state)
{
    dusk_model *model = toy_model(&toy_binary, TOY_CLASSES);
    dusk_frame *frame = toy_frame(TOY_PLAIN, 4);
    dusk_model_scores got;
    dusk_error err = { .message = "" };
    (void)state;
    assert_int_equal(dusk_model_score(&got, model, frame, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "no field y"));
    dusk_frame_free(frame);
    dusk_model_free(model);
}

static void memory_may_fail(void **state)
{
    dusk_model *model = toy_model(&toy_binary, TOY_CLASSES);
    dusk_frame *frame = toy_frame(TOY_CLASSES, 4);
    (void)state;
    for (long n = 1;; n++) {
        dusk_model_scores got;
        dusk_error err = { .message = "" };
        dusk_memory_fail_at(n);
        if (went_through(dusk_model_score(&got, model, frame, &err), &err, n, 50)) break;
    }
    dusk_frame_free(frame);
    dusk_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(categories),
        cmocka_unit_test(calibration),
        cmocka_unit_test(one_category_or_no_rows),
        cmocka_unit_test(numbers),
        cmocka_unit_test(groups_and_densities),
        cmocka_unit_test(vectors),
        cmocka_unit_test(a_label_is_needed),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
