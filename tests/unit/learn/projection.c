/* SPDX-License-Identifier: Apache-2.0 */
/* Sketches: lengths of X v are kept, what is added is what the test lacks, and the width is what the promise needs. */
#include "spectral.h"

enum { D = 4, ROWS = 200000 };

static dusk_frame *rows_of(size_t rows, uint64_t seed)
{
    dusk_frame *frame = frame_of("x[4] numeric -1:1\n", rows);
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < D; c++) frame->column[c].number[i] = even(&seed) / (1 + (double)c);
    return frame;
}

/* |Y v|^2 / r less the ridge is |X v|^2, within 5 sqrt(2 / r). */
static void lengths_are_kept(void **state)
{
    enum { R = 4096 };
    dusk_frame *frame = rows_of(ROWS, 1);
    (void)state;
    dusk_model *model = trained("projection", frame, 1, 1e-6, "size=4096 components=4", 3);
    const double *y = array_of(model, "sketch", R, D), ridge = array_of(model, "ridge", 1, 1)[0];
    assert_true(ridge == 0); /* rows are wide enough as they are */
    for (size_t c = 0; c < D; c++) {
        double sketched = 0, exact = 0;
        for (size_t i = 0; i < R; i++) sketched += y[i * D + c] * y[i * D + c] / R;
        for (size_t i = 0; i < ROWS; i++) exact += frame->column[c].number[i] * frame->column[c].number[i];
        assert_true(fabs(sketched / exact - 1) < 5 * sqrt(2.0 / R));
    }
    const double *parts = array_of(model, "components", 4, D);
    assert_true(fabs(parts[0]) > 0.9);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

/* Few rows: nearly all of the width is added; none: all of it. */
static void narrow_rows_are_made_wide(void **state)
{
    (void)state;
    for (size_t rows = 0; rows < 60; rows += 50)
        for (uint64_t seed = 0; seed < 20; seed++) {
            dusk_frame *frame = rows_of(rows, seed);
            dusk_model *model = trained("projection", frame, 1, 1e-6, "size=64", seed);
            dusk_model *wide = trained("projection", frame, 1, 1e-6, "size=1024", seed);
            /* the width grows like sqrt(size) */
            double a = array_of(model, "ridge", 1, 1)[0], b = array_of(wide, "ridge", 1, 1)[0];
            assert_true(a > 20 * 4 && b / a > 3 && b / a < 4.5);
            dusk_model_free(model);
            dusk_model_free(wide);
            dusk_frame_free(frame);
        }
}

/* The width by a rough count of its own: with r = 1024 at (0.9, 5e-7) the loss is near normal of deviation t sqrt(r / 2), so that
 * 1 / t is about sqrt(512) times the noise multiplier of a Gaussian that has no part in e^epsilon. */
static void width_is_what_the_promise_needs(void **state)
{
    dusk_frame *frame = frame_of("x numeric -1:1\n", 0);
    (void)state;
    dusk_model *model = trained("projection", frame, 1, 1e-6, "components=1 size=1024", 1);
    double ridge = array_of(model, "ridge", 1, 1)[0];
    assert_true(ridge > sqrt(512) * 4.8 && ridge < sqrt(512) * 6.8);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

/* What scaling costs is taken off the sketch, whose width is then for less than the whole promise. */
static void scaling_is_paid_for(void **state)
{
    dusk_frame *frame = frame_of("x[4] numeric -1:1\n", 0);
    (void)state;
    dusk_model *plain = trained("projection", frame, 1, 1e-6, "norm=2", 1);
    dusk_model *scaled = trained("projection", frame, 1, 1e-6, "norm=2 scaling=standard", 1);
    assert_true(array_of(scaled, "ridge", 1, 1)[0] > array_of(plain, "ridge", 1, 1)[0]);
    dusk_model_free(plain);
    dusk_model_free(scaled);
    dusk_frame_free(frame);
}

static void refuses_what_it_cannot_promise(void **state)
{
    dusk_frame *frame = rows_of(0, 1), *two = frame_of("x[4] numeric -1:1\nrows_per_unit 2\n", 0);
    dusk_model *model;
    dusk_error err;
    (void)state;
    assert_int_equal(try_training(&model, "projection", frame, 1, 0, "", 1, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "delta"));
    assert_int_equal(try_training(&model, "projection", two, 1, 1e-6, "", 1, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(try_training(&model, "projection", frame, 1, 1e-6, "components=5", 1, &err),
                     DUSK_ERR_ARGUMENT);
    dusk_frame_free(frame);
    dusk_frame_free(two);
}

/* A model that could be written and not read would have been paid for in vain. */
static void no_model_is_too_large_to_read(void **state)
{
    static const char *const asked[][2] = { { "projection", "size=16384" },
                                            { "covariance", "" },
                                            { "mixture", "groups=8" } };
    dusk_frame *frame = frame_of("x[4000] numeric -1:1\n", 0);
    dusk_model *model;
    dusk_error err;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(try_training(&model, asked[i][0], frame, 1, 1e-6, asked[i][1], 1, &err),
                         DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "too large for a file"));
    }
    dusk_frame_free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_are_kept),
        cmocka_unit_test(narrow_rows_are_made_wide),
        cmocka_unit_test(width_is_what_the_promise_needs),
        cmocka_unit_test(scaling_is_paid_for),
        cmocka_unit_test(no_model_is_too_large_to_read),
        cmocka_unit_test(refuses_what_it_cannot_promise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
