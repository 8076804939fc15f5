/* SPDX-License-Identifier: Apache-2.0 */
/* k-means: with a large epsilon every method finds clusters that are apart, as good as without privacy; with a small one
 * it is still defined. Refusals; centres in the unit of the fields; categories. */
#include "cluster_frames.h"
#include "learn/kmeans_start.h"

#define TWO "a numeric 5:6\nb numeric -1:0\n"
#define FIVE "x[5] numeric -3:10\n"

static double inertia(const dusk_model *model, const dusk_frame *frame)
{
    dusk_model_scores scores;
    assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
    return scores.inertia;
}

/* Rows are uniform in cubes with edges of a twentieth of the bounds, 2: the square is d 0.1^2 / 12. */
static void clusters_are_found(void **state)
{
    static const char *const methods[] = { "method=grid", "method=hash", "method=auto", "method=sketch" };
    (void)state;
    for (int k = 0; k < 16; k++) {
        const bool grid = k / 2 % 4 == 0, two = k % 2 || grid;
        const char *text = two ? TWO : FIVE;
        cluster_request r = { "kmeans", .settings = { "groups=4", methods[k / 2 % 4] }, .epsilon = 50,
                              .delta = k / 8 ? 1e-6 : 0, .rows = k % 4 ? 2000 : 0 };
        dusk_frame *frame = cluster_frame(text, 2000, 4, 5);
        dusk_model *model = cluster_train(&r, frame, (uint64_t)k);
        double ideal = (two ? 2 : 5) * 0.01 / 12;
        if (!(inertia(model, frame) < (grid ? 1.2 : 1.1) * ideal))
            fail_msg("%s: inertia %g, ideal %g", r.settings[1], inertia(model, frame), ideal);
        dusk_model_free(model);
        dusk_frame_free(frame);
    }
}

static void lloyd_is_as_good_as_its_start(void **state)
{
    (void)state;
    cluster_request r = { "kmeans", .settings = { "groups=1", "method=lloyd", "rounds=5" }, .epsilon = 1000 };
    dusk_frame *frame = cluster_frame(TWO, 500, 1, 3);
    dusk_model *model = cluster_train(&r, frame, 1);
    assert_true(inertia(model, frame) < 1.05 * 2 * 0.01 / 12);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

/* Centres that are chosen are among the best candidates, and rounds make them better. */
static void choices_are_good(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        cluster_request r = { "kmeans",
                              .settings = { "groups=4", "method=choice", k % 2 ? "rounds=0" : "rounds=4" },
                              .epsilon = 400, .delta = k / 2 ? 1e-6 : 0 };
        dusk_frame *frame = cluster_frame(TWO, 2000, 4, 5);
        dusk_model *model = cluster_train(&r, frame, (uint64_t)k);
        double times = inertia(model, frame) / (2 * 0.01 / 12);
        if (!(times < (k % 2 ? 4 : 1.3))) fail_msg("%g times the ideal", times);
        dusk_model_free(model);
        dusk_frame_free(frame);
    }
}

static void blocks_agree(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        cluster_request r = { "kmeans", .settings = { "groups=4", "method=blocks" }, .epsilon = 50,
                              .delta = k ? 1e-6 : 0, .rows = k ? 8000 : 0 };
        dusk_frame *frame = cluster_frame(TWO, 8000, 4, 5);
        dusk_model *model = cluster_train(&r, frame, (uint64_t)k);
        double times = inertia(model, frame) / (2 * 0.01 / 12);
        if (!(times < 3)) fail_msg("%d: %g times the ideal", k, times);
        dusk_model_free(model);
        dusk_frame_free(frame);
    }
}

/* Bounds that are twenty times as wide as where rows are: finer cells are made there. */
static void wide_bounds_are_searched(void **state)
{
    (void)state;
    cluster_request r = { "kmeans", .settings = { "groups=4", "method=grid" }, .epsilon = 2, .rows = 20000 };
    dusk_frame *frame = cluster_frame("a numeric -1000:1000\nb numeric -1000:1000\n", 20000, 4, 5);
    for (size_t c = 0; c < 2; c++)
        for (size_t i = 0; i < 20000; i++) frame->column[c].number[i] = 500 + frame->column[c].number[i] / 20;
    dusk_model *model = cluster_train(&r, frame, 3);
    double times = inertia(model, frame) / (2 * 0.01 / 12 / 400);
    if (!(times < 1.5)) fail_msg("%g times the ideal", times);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

static void centres_have_units(void **state)
{
    (void)state;
    cluster_request r = { "kmeans", .settings = { "groups=1" }, .epsilon = 1000, .delta = 1e-6, .rows = 900 };
    dusk_frame *frame = cluster_frame(TWO "c category p,q,r\n", 900, 1, 3);
    for (size_t i = 0; i < 900; i++) frame->column[2].code[i] = (int32_t)(i % 3) - 1;
    dusk_model *model = cluster_train(&r, frame, 1);
    double mean = 0;
    size_t rows, columns, one, k;
    for (size_t i = 0; i < 900; i++) mean += frame->column[0].number[i] / 900;
    const double *centre = dusk_model_array(model, "centres_in_units", &rows, &columns);
    const double *count = dusk_model_array(model, "counts", &one, &k);
    assert_true(rows == 1 && columns == 5);
    assert_true(fabs(centre[0] - mean) < 0.01 && centre[1] > -1 && centre[1] < 0);
    assert_true(fabs(centre[2] - 1.0 / 3) < 0.02 && fabs(centre[4]) < 0.02);
    assert_true(one == 1 && k == 1 && fabs(*count - 900) < 20);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

static void rows_lie_in_one_group(void **state)
{
    (void)state;
    cluster_request r = { "kmeans", .settings = { "groups=3" }, .epsilon = 0.01 };
    dusk_frame *frame = cluster_frame(TWO, 20, 2, 3);
    dusk_model *model = cluster_train(&r, frame, 1);
    dusk_prediction p;
    assert_int_equal(dusk_predict(&p, model, frame, NULL), DUSK_OK);
    assert_int_equal(p.columns, 3);
    for (size_t i = 0; i < p.rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < 3; j++) {
            assert_true(p.value[3 * i + j] == 0 || p.value[3 * i + j] == 1);
            sum += p.value[3 * i + j];
        }
        assert_true(sum == 1);
    }
    dusk_prediction_clear(&p);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

/* More columns than rows, constant columns, no rows: centres are finite and within the bounds. */
static void odd_tables_are_defined(void **state)
{
    static const char *const texts[] = { "x[40] numeric 5:6\n", TWO, "a numeric 0:1\n" };
    (void)state;
    for (int k = 0; k < 30; k++) {
        static const char *const methods[] = { "method=grid", "method=hash", "method=lloyd", "method=auto",
                                               "method=sketch" };
        if (k % 3 == 0 && k / 3 % 5 % 4 == 0) continue; /* refused; slow */
        cluster_request r = { "kmeans", .settings = { "groups=5", methods[k / 3 % 5] }, .epsilon = 0.1,
                              .delta = k / 15 ? 1e-6 : 0 };
        for (size_t rows = 0; rows < 12; rows += 11) {
            dusk_frame *frame = cluster_frame(texts[k % 3], rows, 1, 3);
            for (size_t i = 0; i < rows; i++) frame->column[0].number[i] = 5.5;
            dusk_model *model = cluster_train(&r, frame, (uint64_t)k);
            size_t n, d;
            const double *centre = dusk_model_array(model, "centres", &n, &d);
            for (size_t i = 0; i < n * d; i++) assert_true(centre[i] >= -1.001 && centre[i] <= 1.001);
            dusk_model_free(model);
            dusk_frame_free(frame);
        }
    }
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    cluster_request r = { "kmeans", .settings = { "method=grid" }, .epsilon = 1 };
    cluster_refused(&r, "x[9] numeric 0:1\n", "grid");
    r.settings[0] = "method=lloyd";
    r.settings[1] = "rounds=0";
    cluster_refused(&r, TWO, "rounds");
    r.settings[0] = "method=sketch";
    r.settings[1] = NULL;
    cluster_refused(&r, "x[65] numeric 0:1\n", "columns");
    r.settings[1] = "groups=257";
    cluster_refused(&r, TWO, "groups");
    r.settings[0] = "groups=0";
    r.settings[1] = NULL;
    cluster_refused(&r, TWO, "groups");
    r.settings[0] = "groups=4096";
    r.settings[1] = "norm=8";
    cluster_refused(&r, "x[20000] numeric 0:1\n", "columns");
}

/* Cells and planes follow from public numbers, and are never too many. */
static void summaries_have_a_size(void **state)
{
    (void)state;
    for (size_t d = 1; d <= 8; d++)
        for (double rows = 1; rows < 1e13; rows *= 10) {
            size_t side = learn_grid_side(d, rows, 1.5), planes = learn_hash_planes(d, rows, 0x1p24);
            assert_true(side >= 1 && pow((double)side, (double)d) <= 0x1p18 && planes >= 1 && planes <= 11);
        }
    assert_true(learn_grid_side(2, 5000, M_SQRT2) > learn_grid_side(2, 500, M_SQRT2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_are_found),       cmocka_unit_test(lloyd_is_as_good_as_its_start),
        cmocka_unit_test(choices_are_good),         cmocka_unit_test(blocks_agree),
        cmocka_unit_test(wide_bounds_are_searched), cmocka_unit_test(centres_have_units),
        cmocka_unit_test(rows_lie_in_one_group),    cmocka_unit_test(odd_tables_are_defined),
        cmocka_unit_test(nonsense_is_refused),      cmocka_unit_test(summaries_have_a_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
