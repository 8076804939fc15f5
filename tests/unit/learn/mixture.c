/* SPDX-License-Identifier: Apache-2.0 */
/* Mixtures of normal densities: at a large epsilon components are those that rows were drawn from; densities add to one; odd tables
 * are defined; released numbers vary as claimed. */
#include "learn/mixture.h"

#include <math.h>

#include "cluster_frames.h"

#define TWO "a numeric -4:4\nb numeric 0:8\n"

static double normal(uint64_t *seed)
{
    double u = cluster_uniform(seed) + 1e-12, v = cluster_uniform(seed);
    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* A quarter about (-2, 2) with deviations 0.3 and 0.6, the rest about (2, 6), correlated: deviations of 0.5, covariance 0.2. */
static dusk_frame *make_frame(size_t rows)
{
    dusk_frame *frame = cluster_frame(TWO, rows, 1, 3);
    uint64_t seed = 5;
    for (size_t i = 0; i < rows; i++) {
        double x = normal(&seed), y = normal(&seed);
        frame->column[0].number[i] = i % 4 ? 2 + 0.5 * x : -2 + 0.3 * x;
        frame->column[1].number[i] = i % 4 ? 6 + 0.5 * (0.8 * x + 0.6 * y) : 2 + 0.6 * y;
    }
    return frame;
}

static bool near(double x, double y, double by) { return fabs(x - y) < by; }

static void components_are_found(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        cluster_request r = { "mixture",
                              .settings = { "groups=2", k % 2 ? "covariance=full" : "covariance=diagonal",
                                            "rounds=8" },
                              .epsilon = 2000, .delta = k / 2 ? 1e-6 : 0, .rows = 4000 };
        dusk_frame *frame = make_frame(4000);
        dusk_model *model = cluster_train(&r, frame, 1);
        size_t n, d, one;
        const double *mean = dusk_model_array(model, "centres_in_units", &n, &d);
        const double *weight = dusk_model_array(model, "weights", &one, &n);
        const double *c = dusk_model_array(model, "covariances", &n, &d);
        int small = weight[0] < weight[1] ? 0 : 1, large = 1 - small;
        assert_true(near(weight[small], 0.25, 0.02) && near(weight[small] + weight[large], 0.99, 1e-9));
        assert_true(near(mean[2 * small], -2, 0.05) && near(mean[2 * small + 1], 2, 0.08));
        assert_true(near(mean[2 * large], 2, 0.05) && near(mean[2 * large + 1], 6, 0.05));
        /* a unit of a vector is 4 units of the fields */
        assert_true(near(16 * c[4 * small], 0.09, 0.02) && near(16 * c[4 * small + 3], 0.36, 0.05));
        assert_true(near(16 * c[4 * large], 0.25, 0.04) &&
                    near(16 * c[4 * large + 1], k % 2 ? 0.2 : 0, 0.04));
        dusk_model_free(model);
        dusk_frame_free(frame);
    }
}

/* Over a lattice of the box the density adds to about one, in units of the bounds. */
static void densities_add_to_one(void **state)
{
    enum { SIDE = 80 };
    cluster_request r = { "mixture", .settings = { "groups=2", "covariance=full" }, .epsilon = 50,
                          .delta = 1e-6, .rows = 4000 };
    dusk_frame *frame = make_frame(4000), *lattice = cluster_frame(TWO, SIDE * SIDE, 1, 1);
    dusk_prediction p;
    double sum = 0;
    (void)state;
    dusk_model *model = cluster_train(&r, frame, 2);
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        lattice->column[0].number[i] = -4 + 8 * ((double)(i % SIDE) + 0.5) / SIDE;
        lattice->column[1].number[i] = 8 * ((double)(i / SIDE) + 0.5) / SIDE;
    }
    assert_int_equal(dusk_predict(&p, model, lattice, NULL), DUSK_OK);
    assert_int_equal(p.columns, 1);
    for (size_t i = 0; i < p.rows; i++) sum += exp(p.value[i]) / (SIDE * SIDE);
    assert_true(near(sum, 1, 0.02));
    dusk_prediction_clear(&p);
    dusk_model_free(model);
    dusk_frame_free(frame);
    dusk_frame_free(lattice);
}

/* No rows, one row, constant columns, more columns than rows: finite, and no row is impossible. */
static void odd_tables_are_defined(void **state)
{
    static const char *const texts[] = { "x[12] numeric 5:6\n", TWO, "a numeric 0:1\nc category p,q\n" };
    (void)state;
    for (int k = 0; k < 12; k++) {
        cluster_request r = { "mixture", .settings = { "groups=3", k / 3 % 2 ? "covariance=full" : NULL },
                              .epsilon = 0.1, .delta = k / 6 ? 1e-6 : 0 };
        for (size_t rows = 0; rows < 9; rows += 4) {
            dusk_frame *frame = cluster_frame(texts[k % 3], rows, 1, 3);
            for (size_t i = 0; i < rows; i++) frame->column[0].number[i] = i == 3 ? NAN : 5.5;
            dusk_model *model = cluster_train(&r, frame, (uint64_t)k);
            dusk_prediction p;
            assert_int_equal(dusk_predict(&p, model, frame, NULL), DUSK_OK);
            for (size_t i = 0; i < rows; i++)
                assert_true(isfinite(p.value[i]) && p.value[i] > log(0.0099) - 1e-3 - 14);
            dusk_prediction_clear(&p);
            dusk_model_free(model);
            dusk_frame_free(frame);
        }
    }
}

static void nonsense_is_refused(void **state)
{
    cluster_request r = { "mixture", .settings = { "groups=1024", "covariance=full" }, .epsilon = 1 };
    (void)state;
    cluster_refused(&r, "x[200] numeric 0:1\n", "moments");
    r.settings[0] = "rounds=0";
    cluster_refused(&r, TWO, "rounds");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_found),
        cmocka_unit_test(densities_add_to_one),
        cmocka_unit_test(odd_tables_are_defined),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
