/* SPDX-License-Identifier: Apache-2.0 */
/* Components: with much budget those of the rows, by all methods; defined where rows are few, missing or all alike. */
#include "spectral.h"

enum { D = 6, ROWS = 3000 };

/* Two directions of deviation 0.3 and 0.15 about a mean far from the middle, and little of anything else. */
static const double first[D] = { 0.5, 0.5, 0.5, 0.5, 0, 0 }, second[D] = { 0, 0, 0, 0, 0.6, -0.8 };

static dusk_frame *plane(uint64_t seed)
{
    dusk_frame *frame = frame_of("x[6] numeric -2:2\n", ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        double u = even(&seed) * 0.6, v = even(&seed) * 0.3;
        for (size_t c = 0; c < D; c++)
            frame->column[c].number[i] = 0.7 + u * first[c] + v * second[c] + 0.01 * even(&seed);
    }
    return frame;
}

static double product(const double *a, const double *b)
{
    double sum = 0;
    for (size_t c = 0; c < D; c++) sum += a[c] * b[c];
    return sum;
}

static void all_methods_find_the_plane(void **state)
{
    static const char *const settings[] = { "components=2", "components=2 method=power",
                                            "components=2 radius=bounds",
                                            "components=2 method=power radius=bounds norm=4" };
    dusk_frame *frame = plane(1);
    (void)state;
    for (size_t s = 0; s < 8; s++) {
        dusk_model *model = trained("pca", frame, 1e4, s % 2 ? 0 : 1e-6, settings[s / 2], s);
        const double *parts = array_of(model, "components", 2, D), *centre = array_of(model, "centre", 1, D);
        const double *explained = array_of(model, "explained", 1, 2);
        assert_true(fabs(product(parts, first)) > 0.999);
        assert_true(fabs(product(parts + D, second)) > 0.995);
        assert_true(fabs(product(parts, parts) - 1) < 1e-9 && fabs(product(parts, parts + D)) < 1e-9);
        for (size_t c = 0; c < D; c++) assert_true(fabs(centre[c] * 2 - 0.7) < 0.05);
        assert_true(explained[0] > explained[1] && explained[0] + explained[1] > 0.97);
        dusk_model_free(model);
    }
    dusk_frame_free(frame);
}

/* About 0 the mean is what there is most of. */
static void without_a_centre_it_is_about_zero(void **state)
{
    dusk_frame *frame = plane(2);
    (void)state;
    for (int power = 0; power < 2; power++) {
        dusk_model *model =
            trained("pca", frame, 1e4, 1e-6, power ? "centre=no method=power" : "centre=no", 5);
        const double *parts = array_of(model, "components", 2, D), *centre = array_of(model, "centre", 1, D);
        double ones = 0;
        for (size_t c = 0; c < D; c++) ones += parts[c] / sqrt(D);
        assert_true(fabs(ones) > 0.98);
        for (size_t c = 0; c < D; c++) assert_true(centre[c] == 0);
        dusk_model_free(model);
    }
    dusk_frame_free(frame);
}

static void variances_are_those_of_rows(void **state)
{
    dusk_frame *frame = plane(3);
    (void)state;
    dusk_model *model = trained("pca", frame, 1e5, 1e-6, "radius=bounds", 5);
    const double *variance = array_of(model, "variance", 1, 2);
    /* uniform on (-0.6, 0.6): variance 0.12; bounds of +-2 are +-1 */
    assert_true(fabs(variance[0] / (0.12 / 4) - 1) < 0.05);
    assert_true(fabs(variance[1] / (0.03 / 4) - 1) < 0.08);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

static void coordinates_are_products(void **state)
{
    dusk_frame *frame = plane(4);
    dusk_prediction p;
    (void)state;
    dusk_model *model = trained("pca", frame, 10, 1e-6, "components=3", 5);
    const double *parts = array_of(model, "components", 3, D), *centre = array_of(model, "centre", 1, D);
    assert_int_equal(dusk_predict(&p, model, frame, NULL), DUSK_OK);
    assert_int_equal(p.rows, ROWS);
    assert_int_equal(p.columns, 3);
    for (size_t i = 0; i < ROWS; i += 97)
        for (size_t k = 0; k < 3; k++) {
            double sum = 0;
            for (size_t c = 0; c < D; c++)
                sum += (frame->column[c].number[i] / 2 - centre[c]) * parts[k * D + c];
            assert_true(fabs(p.value[i * 3 + k] - sum) < 1e-3);
        }
    dusk_prediction_clear(&p);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

static void odd_tables_have_a_model(void **state)
{
    static const char *const settings[] = { "components=6", "components=6 method=power", "centre=no",
                                            "centre=no radius=bounds", "centre=no method=power" };
    (void)state;
    for (size_t rows = 0; rows < 5; rows += 2)
        for (size_t s = 0; s < 10; s++) {
            dusk_frame *frame = frame_of("x[6] numeric 5:6\n", rows);
            for (size_t i = 0; i < rows; i++)
                for (size_t c = 0; c < D; c++)
                    frame->column[c].number[i] = rows == 2 ? 5.5 : i % 2 ? NAN : INFINITY;
            dusk_model *model = trained("pca", frame, 0.1, s % 2 ? 0 : 1e-6, settings[s / 2], s);
            size_t k = s < 4 ? 6 : 2;
            const double *parts = array_of(model, "components", k, D);
            array_of(model, "centre", 1, D);
            array_of(model, "variance", 1, k);
            array_of(model, "explained", 1, k);
            for (size_t c = 0; c < k; c++)
                assert_true(fabs(product(parts + c * D, parts + c * D) - 1) < 1e-9);
            dusk_model_free(model);
            dusk_frame_free(frame);
        }
}

static void refuses_too_many_components(void **state)
{
    dusk_frame *frame = plane(5);
    dusk_model *model;
    dusk_error err;
    (void)state;
    assert_int_equal(try_training(&model, "pca", frame, 1, 1e-6, "components=7", 1, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "6 columns"));
    dusk_frame_free(frame);
}

/* Rows too wide for a matrix have the power method. */
static void wide_rows_have_a_method(void **state)
{
    dusk_frame *frame = frame_of("x[9000] numeric 0:1\n", 3);
    dusk_model *model;
    dusk_error err;
    (void)state;
    assert_int_equal(try_training(&model, "pca", frame, 1, 1e-6, "norm=8", 1, &err), DUSK_ERR_ARGUMENT);
    assert_string_equal(err.hint, "use method=power");
    model = trained("pca", frame, 1, 1e-6, "norm=8 method=power iterations=1", 1);
    array_of(model, "components", 2, 9000);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

/* Bounds that say little: rows fill a hundredth of the box. The released distance makes up for it. */
static void the_median_distance_saves_noise(void **state)
{
    dusk_frame *frame = frame_of("x[6] numeric -200:200\n", ROWS);
    uint64_t seed = 6;
    double kept[2];
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        double u = even(&seed);
        for (size_t c = 0; c < D; c++) frame->column[c].number[i] = 10 + 2 * u * first[c] + 0.2 * even(&seed);
    }
    for (int bounds = 0; bounds < 2; bounds++) {
        dusk_model *model =
            trained("pca", frame, 2, 1e-6, bounds ? "components=1 radius=bounds" : "components=1", 9);
        kept[bounds] = fabs(product(array_of(model, "components", 1, D), first));
        dusk_model_free(model);
    }
    assert_true(kept[0] > 0.95 && kept[1] < 0.95);
    dusk_frame_free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_methods_find_the_plane),  cmocka_unit_test(without_a_centre_it_is_about_zero),
        cmocka_unit_test(variances_are_those_of_rows), cmocka_unit_test(coordinates_are_products),
        cmocka_unit_test(odd_tables_have_a_model),     cmocka_unit_test(refuses_too_many_components),
        cmocka_unit_test(wide_rows_have_a_method),     cmocka_unit_test(the_median_distance_saves_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
