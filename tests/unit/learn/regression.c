/* SPDX-License-Identifier: Apache-2.0 */
#include "learn/regression.h"

#include "regressions.h"

/* The sums are those of whole numbers, added one by one. */
static void test_sums(void **unused)
{
    (void)unused;
    for (size_t n = 0; n < 1200; n = 2 * n + 1) {
        dusk_frame *frame = regression_frame(regression_fields, n, 3, n);
        learn_features features;
        learn_matrix matrix;
        tensor_sum sum = { 0 };
        size_t rows;
        if (n > 2) frame->column[3].number[1] = NAN;
        assert_int_equal(learn_features_init(&features, frame->fields, 3, true, 1.2, NULL), DUSK_OK);
        assert_int_equal(learn_matrix_make(&matrix, &features, frame, NULL), DUSK_OK);
        assert_int_equal(learn_sum_products(&sum, &rows, &features, frame, NULL), DUSK_OK);
        assert_int_equal(rows, n - (n > 2));
        const dusk_int128 *totals = tensor_sum_totals(&sum);
        for (size_t a = 0; a < 5; a++)
            for (size_t b = 0; b < 5; b++) {
                int64_t expected = 0;
                for (size_t i = 0; i < rows; i++) {
                    float x = a < 4 ? matrix.rows.x[4 * i + a] : matrix.target[i];
                    float y = b < 4 ? matrix.rows.x[4 * i + b] : matrix.target[i];
                    expected += (int64_t)x * (int64_t)y;
                }
                assert_true(totals[5 * a + b] == expected);
            }
        tensor_sum_clear(&sum);
        learn_matrix_clear(&matrix);
        learn_features_clear(&features);
        dusk_frame_free(frame);
    }
}

/* Of e - E w, by drawing: E symmetric of independent entries, more noise on the diagonal than off it. */
static void test_noise_covariance(void **unused)
{
    (void)unused;
    enum { DRAWS = 40000 };
    const double w[3] = { 1, -2, 0.5 };
    learn_statistics s = { .width = 3, .moment_noise = 1.5, .corner_noise = 0.7, .product_noise = 0.9 };
    double second[9], claimed[9], seen[9] = { 0 };
    uint64_t seed = 3;
    for (size_t i = 0; i < 9; i++) second[i] = w[i / 3] * w[i % 3];
    learn_noise_covariance(&s, second, claimed);
    for (int t = 0; t < DRAWS; t++) {
        double e[3], m[9];
        for (size_t i = 0; i < 3; i++) {
            e[i] = 0.9 * regression_normal(&seed);
            for (size_t j = i; j < 3; j++)
                m[3 * i + j] = m[3 * j + i] = (i == j ? 1.5 : 0.7) * regression_normal(&seed);
        }
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++) e[i] -= m[3 * i + j] * w[j];
        for (size_t i = 0; i < 9; i++) seen[i] += e[i / 3] * e[i % 3] / DRAWS;
    }
    for (size_t i = 0; i < 9;
         i++) /* the deviation of such a mean is sqrt(2) variance / sqrt(DRAWS) at most */
        assert_true(fabs(seen[i] - claimed[i]) < 6 * 1.42 * claimed[4] / sqrt(DRAWS));
}

static void test_spectrum(void **unused)
{
    (void)unused;
    const double matrix[9] = { 2, 1, 0, 1, -3, 0.5, 0, 0.5, 1 };
    double values[3], vectors[9], scratch[9], back[9];
    learn_spectrum(3, matrix, values, vectors);
    assert_true(values[0] < values[1] && values[1] < values[2]);
    assert_true(fabs(values[0] + values[1] + values[2]) < 1e-12);
    learn_from_spectrum(3, vectors, values, scratch, back);
    for (size_t i = 0; i < 9; i++) assert_true(fabs(back[i] - matrix[i]) < 1e-12);
}

/* More ridge for less to stand on, none where the least eigenvalue is above the noise. */
static void test_ridge(void **unused)
{
    (void)unused;
    learn_statistics s = { .width = 4, .moment_noise = 10 };
    double most = learn_adaptive_ridge(&s, -5);
    assert_true(fabs(most - 5 * sqrt(4 * log(2 * 16 / 0.05))) < 1e-9);
    assert_true(learn_adaptive_ridge(&s, 0) == most);
    assert_true(fabs(learn_adaptive_ridge(&s, most / 2) - most / 2) < 1e-9);
    assert_true(learn_adaptive_ridge(&s, 2 * most) == 0);
}

/* A sum of squares that noise made negative counts as what its noise is. */
static void test_residual(void **unused)
{
    (void)unused;
    double moments[4] = { 100, 0, 0, 50 }, products[2] = { 40, -10 };
    const double w[2] = { 0.5, -0.25 };
    learn_statistics s = { .width = 2,
                           .moments = moments,
                           .products = products,
                           .squares = 30,
                           .rows = 102,
                           .moment_noise = 0.1,
                           .corner_noise = 0.07,
                           .product_noise = 0.1,
                           .square_noise = 0.1 };
    double sum = 30 - 2 * (20 + 2.5) + 25 + 50 * 0.0625;
    assert_true(fabs(learn_residual_variance(&s, w, moments) - sum / 100) < 1e-12);
    s.squares = -30;
    double variance = learn_residual_variance(&s, w, moments);
    assert_true(variance > 0.001 && variance < 0.003);
    s.rows = 1;
    assert_true(learn_residual_variance(&s, w, moments) > variance);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_sums), cmocka_unit_test(test_noise_covariance),
                                        cmocka_unit_test(test_spectrum), cmocka_unit_test(test_ridge),
                                        cmocka_unit_test(test_residual) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
