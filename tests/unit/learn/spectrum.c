/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvectors of released matrices: V diag V^T is the matrix, largest first, the same sign every time; what noise adds to eigenvalues is taken
 * off; models of components are complete or are not read. */
#include "learn/spectrum.h"

#include "learn/model.h"
#include "spectral.h"

static void vectors_make_the_matrix(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (size_t d = 1; d <= 24; d++) {
        double matrix[24 * 24] = { 0 }, copy[24 * 24], values[24], vectors[24 * 24], some[24], first[24 * 24];
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j <= i; j++) matrix[i * d + j] = matrix[j * d + i] = even(&seed);
        memcpy(copy, matrix, sizeof copy);
        assert_int_equal(learn_eigenvectors(copy, d, d, values, vectors, NULL), DUSK_OK);
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++) {
                double sum = 0;
                for (size_t c = 0; c < d; c++) sum += values[c] * vectors[c * d + i] * vectors[c * d + j];
                assert_true(fabs(sum - matrix[i * d + j]) < 1e-12 * 24);
            }
        for (size_t c = 1; c < d; c++) assert_true(values[c] <= values[c - 1]);
        size_t k = 1 + d / 3;
        memcpy(copy, matrix, sizeof copy);
        assert_int_equal(learn_eigenvectors(copy, d, k, some, first, NULL), DUSK_OK);
        for (size_t c = 0; c < k; c++) assert_true(fabs(some[c] - values[c]) < 1e-12 * 24);
        for (size_t i = 0; i < k * d; i++) assert_true(fabs(first[i] - vectors[i]) < 1e-7);
    }
}

/* A spike of 3 in noise of deviation s off the diagonal, d columns: it is seen at about 3 + s^2 d / 3, and corrected to 3. */
static void noise_is_taken_off(void **state)
{
    const double s = 0.1;
    const size_t d = 100;
    (void)state;
    assert_true(fabs(learn_value_without_noise(3 + s * s * (double)d / 3, s, d) - 3) < 1e-12);
    assert_true(learn_value_without_noise(1.99, s, d) == 0);
    assert_true(learn_value_without_noise(-5, s, d) == 0);
    assert_true(learn_value_without_noise(2, 0, d) == 2);
}

static void odd_models_are_not_complete(void **state)
{
    dusk_frame *frame = frame_of("x[3] numeric 0:1\n", 0);
    const double bad[] = { NAN, 0, INFINITY };
    (void)state;
    dusk_model *model = trained("pca", frame, 1, 1e-6, "", 1);
    assert_true(learn_components_complete(model));
    assert_int_equal(learn_model_put(model, "centre", 1, 3, bad, NULL), DUSK_OK);
    assert_false(learn_components_complete(model));
    assert_int_equal(learn_model_put(model, "centre", 1, 2, (double[]){ 0, 0 }, NULL), DUSK_OK);
    assert_false(learn_components_complete(model));
    assert_int_equal(learn_model_put(model, "centre", 1, 3, (double[]){ 0, 0, 0 }, NULL), DUSK_OK);
    assert_true(learn_components_complete(model));
    assert_int_equal(learn_model_put(model, "components", 1, 3, bad, NULL), DUSK_OK);
    assert_false(learn_components_complete(model));
    dusk_model_free(model);
    dusk_frame_free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_make_the_matrix),
        cmocka_unit_test(noise_is_taken_off),
        cmocka_unit_test(odd_models_are_not_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
