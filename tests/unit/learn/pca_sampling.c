/* SPDX-License-Identifier: Apache-2.0 */
/* Directions that are drawn: perpendicular, with much budget those of the rows, with none anywhere; accepted only as idealised. */
#include "spectral.h"

enum { D = 6, ROWS = 3000 };

static dusk_frame *with_axes(size_t rows, uint64_t seed)
{
    dusk_frame *frame = frame_of("x[6] numeric -1:1\n", rows);
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < D; c++)
            frame->column[c].number[i] = 0.1 + 0.8 * even(&seed) / (1 + 2 * (double)c);
    return frame;
}

static double product(const double *a, const double *b)
{
    double sum = 0;
    for (size_t c = 0; c < D; c++) sum += a[c] * b[c];
    return sum;
}

static void finds_the_axes(void **state)
{
    dusk_frame *frame = with_axes(ROWS, 1);
    (void)state;
    for (int pure = 0; pure < 2; pure++) {
        dusk_model *model = trained("pca_sampling", frame, 2000, pure ? 0 : 1e-6, "components=3", 4);
        const double *parts = array_of(model, "components", 3, D),
                     *variance = array_of(model, "variance", 1, 3);
        for (size_t c = 0; c < 3; c++) assert_true(fabs(parts[c * D + c]) > 0.97);
        assert_true(variance[0] > variance[1] && variance[1] > variance[2]);
        assert_true(array_of(model, "explained", 1, 3)[0] > 0.6);
        dusk_model_free(model);
    }
    dusk_frame_free(frame);
}

static void directions_are_perpendicular(void **state)
{
    (void)state;
    for (uint64_t t = 0; t < 12; t++) {
        dusk_frame *frame = with_axes(t % 3 * 20, t);
        dusk_model *model = trained("pca_sampling", frame, 1, t % 2 ? 0 : 1e-6,
                                    t % 4 > 1 ? "components=6 centre=no radius=bounds" : "components=6", t);
        const double *parts = array_of(model, "components", 6, D);
        for (size_t a = 0; a < D; a++)
            for (size_t b = 0; b < D; b++)
                assert_true(fabs(product(parts + a * D, parts + b * D) - (a == b)) < 1e-9);
        dusk_model_free(model);
        dusk_frame_free(frame);
    }
}

static void needs_to_be_accepted(void **state)
{
    dusk_frame *frame = with_axes(0, 1);
    dusk_train_options o;
    dusk_training *training;
    dusk_error err;
    (void)state;
    dusk_train_options_init(&o);
    o.epsilon = 1;
    o.neighbours = DUSK_ADD_REMOVE;
    assert_int_equal(dusk_training_prepare(&training, "pca_sampling", frame->fields, &o, &err),
                     DUSK_ERR_ARGUMENT);
    o.accept_idealised = true;
    assert_int_equal(dusk_training_prepare(&training, "pca_sampling", frame->fields, &o, &err), DUSK_OK);
    assert_int_equal(dusk_training_statement(training)->numerics, DUSK_NUMERICS_IDEALISED);
    assert_true(dusk_training_statement(training)->epsilon <= 1);
    dusk_training_free(training);
    dusk_frame_free(frame);
}

/* What one change of the data does to |X v|^2 is the number of rows a unit, and twice that where they are exchanged. */
static void choices_are_for_all_rows_of_a_unit(void **state)
{
    (void)state;
    for (int t = 0; t < 4; t++) {
        dusk_frame *frame =
            frame_of(t / 2 ? "x[6] numeric -1:1\nrows_per_unit 3\n" : "x[6] numeric -1:1\n", 0);
        dusk_train_options o;
        dusk_training *training;
        char *text;
        double sharpness, epsilon;
        dusk_train_options_init(&o);
        o.epsilon = 1;
        o.neighbours = t % 2 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
        o.accept_idealised = true;
        assert_int_equal(dusk_training_prepare(&training, "pca_sampling", frame->fields, &o, NULL), DUSK_OK);
        assert_int_equal(dusk_training_explain(training, &text, NULL), DUSK_OK);
        const char *at = strstr(text, "directions v by exp(");
        assert_non_null(at);
        assert_int_equal(sscanf(at,
                                "directions v by exp(%lf |X v|^2), rows being at most 1 long: epsilon %lf",
                                &sharpness, &epsilon),
                         2);
        assert_true(fabs(epsilon / sharpness / ((t % 2 ? 2 : 1) * (t / 2 ? 3 : 1)) - 1) < 1e-4);
        dusk_ledger_free_text(text);
        dusk_training_free(training);
        dusk_frame_free(frame);
    }
}

static void too_many_components_are_refused(void **state)
{
    dusk_frame *frame = with_axes(0, 1);
    dusk_model *model;
    dusk_error err;
    (void)state;
    assert_int_equal(try_training(&model, "pca_sampling", frame, 1, 0, "components=7", 1, &err),
                     DUSK_ERR_ARGUMENT);
    dusk_frame_free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_axes),
        cmocka_unit_test(directions_are_perpendicular),
        cmocka_unit_test(needs_to_be_accepted),
        cmocka_unit_test(choices_are_for_all_rows_of_a_unit),
        cmocka_unit_test(too_many_components_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
