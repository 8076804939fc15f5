/* SPDX-License-Identifier: Apache-2.0 */
/* Naive Bayes: at a large epsilon its chances are those of plain counting; missing classes, rows without a label and odd
 * values are defined; what is not known says nothing. */
#include "cluster_frames.h"

#define FIELDS "x numeric 0:8\nc category p,q\ny category a,b,d\n"
enum { ROWS = 3000 };

/* Class a: x in [0, 1), c mostly p; class b: x in [6, 8), c mostly q; class d never. */
static dusk_frame *make_frame(size_t rows)
{
    dusk_frame *frame = cluster_frame(FIELDS, rows, 1, 3);
    uint64_t seed = 8;
    for (size_t i = 0; i < rows; i++) {
        int32_t y = i % 3 == 0;
        frame->column[0].number[i] = y ? 6 + 2 * cluster_uniform(&seed) : cluster_uniform(&seed);
        frame->column[1].code[i] = cluster_uniform(&seed) < 0.8 ? y : 1 - y;
        frame->column[2].code[i] = y;
    }
    return frame;
}

static void chances_are_counts(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        cluster_request r = { "naive_bayes", .settings = { k % 2 ? "numbers=normal" : "numbers=bins" },
                              .label = "y", .epsilon = 1e5, .delta = k / 2 ? 1e-6 : 0 };
        dusk_frame *frame = make_frame(ROWS);
        dusk_model *model = cluster_train(&r, frame, 1);
        size_t classes, cells, one, n;
        const double *chance = dusk_model_array(model, "chances", &classes, &cells);
        const double *share = dusk_model_array(model, "shares", &one, &n);
        assert_true(classes == 3 && one == 1 && n == 3);
        assert_true(fabs(share[0] - 2.0 / 3) < 0.01 && share[2] < 0.01);
        size_t c = cells - 3; /* p, q, none */
        assert_true(fabs(chance[c] - 0.8) < 0.03 && fabs(chance[cells + c] - 0.2) < 0.03);
        assert_true(fabs(chance[c] + chance[c + 1] + chance[c + 2] - 1) < 1e-6);
        if (k %
            2) { /* [0, 8] is [-1, 1]: 0.5 is -0.875, 7 is 0.75; deviations of 1 / sqrt(12) and 2 / sqrt(12) */
            assert_true(fabs(chance[1] + 0.875) < 0.01 && fabs(chance[cells + 1] - 0.75) < 0.01);
            assert_true(fabs(chance[2] - 0.0722) < 0.01 && fabs(chance[cells + 2] - 0.144) < 0.01);
        }
        dusk_model_scores scores;
        assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
        assert_true(scores.accuracy > 0.999);
        dusk_model_free(model);
        dusk_frame_free(frame);
    }
}

/* A class that no row has stays possible; values that noise could explain leave the shares as they are. */
static void what_is_not_known_says_nothing(void **state)
{
    cluster_request r = { "naive_bayes", .settings = { NULL }, .label = "y", .epsilon = 0.001 };
    dusk_frame *frame = make_frame(30);
    (void)state;
    dusk_model *model = cluster_train(&r, frame, 4);
    dusk_prediction p;
    assert_int_equal(dusk_predict(&p, model, frame, NULL), DUSK_OK);
    for (size_t i = 0; i < p.rows * p.columns; i++) assert_true(p.value[i] > 1e-12 && p.value[i] <= 1);
    dusk_prediction_clear(&p);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

static void rows_without_a_class_do_not_count(void **state)
{
    cluster_request r = { "naive_bayes", .settings = { NULL }, .label = "y", .epsilon = 1e5 };
    dusk_frame *frame = make_frame(600), *more = make_frame(900);
    (void)state;
    for (size_t i = 600; i < 900; i++) more->column[2].code[i] = i % 2 ? -1 : 3;
    for (int normal = 0; normal < 2; normal++) {
        r.settings[0] = normal ? "numbers=normal" : "numbers=bins";
        dusk_model *a = cluster_train(&r, frame, 4), *b = cluster_train(&r, more, 4);
        size_t classes, cells;
        const double *x = dusk_model_array(a, "chances", &classes, &cells);
        const double *y = dusk_model_array(b, "chances", &classes, &cells);
        for (size_t i = 0; i < classes * cells; i++) assert_true(x[i] == y[i]);
        dusk_model_free(a);
        dusk_model_free(b);
    }
    dusk_frame_free(frame);
    dusk_frame_free(more);
}

/* With many columns Gaussian noise is less, with one column Laplace noise. */
static void the_smaller_noise_is_taken(void **state)
{
    const char *const texts[] = { "c category p,q\ny category a,b\n", "x[60] numeric 0:1\ny category a,b\n" };
    const char *const words[] = { "Laplace", "Gaussian" };
    (void)state;
    for (int k = 0; k < 2; k++) {
        cluster_request r = { "naive_bayes", .settings = { NULL }, .label = "y", .epsilon = 1,
                              .delta = 1e-6 };
        dusk_fields *fields;
        dusk_training *training;
        char *text;
        assert_int_equal(dusk_fields_parse(&fields, texts[k], NULL), DUSK_OK);
        assert_int_equal(cluster_prepare(&training, &r, fields, NULL), DUSK_OK);
        assert_int_equal(dusk_training_explain(training, &text, NULL), DUSK_OK);
        assert_non_null(strstr(text, words[k]));
        dusk_ledger_free_text(text);
        dusk_training_free(training);
        dusk_fields_free(fields);
    }
}

static void nonsense_is_refused(void **state)
{
    cluster_request r = { "naive_bayes", .settings = { NULL }, .label = "y", .epsilon = 1 };
    (void)state;
    cluster_refused(&r, "y category a,b\n", "label");
    cluster_refused(&r, "x numeric 0:1\ny numeric 0:1\n", "numeric");
    r.settings[0] = "bins=1";
    cluster_refused(&r, FIELDS, "bins");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chances_are_counts),
        cmocka_unit_test(what_is_not_known_says_nothing),
        cmocka_unit_test(rows_without_a_class_do_not_count),
        cmocka_unit_test(the_smaller_noise_is_taken),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
