/* SPDX-License-Identifier: Apache-2.0 */
/* Perturbed objectives as learners: right without noise, private with it, and defined on odd data. */
#include "learners.h"

#include "learn/learner.h"
#include "objectives.h"

static const char *const names[] = { "amp_logistic", "amp_svm", "amp_huber", "amp_multinomial" };

typedef struct request {
    const char *learner;
    const char *settings[4];
    double epsilon, delta;
    dusk_neighbours neighbours; /* 0: add-remove */
    uint64_t rows;
    const char *fields; /* NULL: the usual ones */
} request;

static dusk_status prepare(const request *r, dusk_training **training, dusk_error *err)
{
    dusk_fields *fields;
    dusk_train_options o = learners_options(dusk_learner_named(r->learner), r->epsilon, r->delta);
    assert_int_equal(dusk_fields_parse(&fields, r->fields ? r->fields : LEARNERS_FIELDS, NULL), DUSK_OK);
    if (r->neighbours) o.neighbours = r->neighbours;
    o.rows = r->rows;
    o.settings = r->settings;
    while (o.settings_count < 4 && r->settings[o.settings_count]) o.settings_count++;
    dusk_status status = dusk_training_prepare(training, r->learner, fields, &o, err);
    dusk_fields_free(fields);
    return status;
}

static dusk_model *train(const request *r, const dusk_frame *frame, dusk_generator *gen)
{
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    if (prepare(r, &training, &err) != DUSK_OK) fail_msg("%s: %s", r->learner, err.message);
    assert_true(dusk_training_statement(training)->epsilon <= r->epsilon);
    assert_true(dusk_training_statement(training)->epsilon > 0.95 * r->epsilon);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, &err), DUSK_OK);
    dusk_training_free(training);
    return model;
}

static void refuse(const request *r, const char *words)
{
    dusk_training *training;
    dusk_error err = { .message = "" };
    assert_int_equal(prepare(r, &training, &err), DUSK_ERR_ARGUMENT);
    assert_null(training);
    if (!strstr(err.message, words)) fail_msg("%s", err.message);
}

/* --- without noise --------------------------------------------------------------------------------------------------------- */

/* At a huge epsilon the gradient of the plain objective is next to nothing at the weights, in both forms, with a delta or not. */
static void test_minimiser(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(4);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 400, gen);
    for (int i = 0; i < 4; i++)
        for (int form = 0; form < 4; form++) {
            const dusk_learner *l = dusk_learner_named(names[i]);
            request r = { names[i],
                          { "regularisation=3", form & 1 ? "form=output" : "form=objective", NULL },
                          1e8,
                          form & 2 ? 0 : 1e-6,
                          DUSK_ADD_REMOVE,
                          0,
                          NULL };
            dusk_model *model = train(&r, frame, gen);
            size_t k, d;
            const double *weights = dusk_model_array(model, "weights", &k, &d);
            learn_features features;
            learn_matrix matrix;
            learn_point point;
            double none[64] = { 0 };
            assert_int_equal(learn_features_init(&features, frame->fields,
                                                 dusk_fields_find(frame->fields, learners_label(l)), true, 0,
                                                 NULL),
                             DUSK_OK);
            assert_int_equal(learn_matrix_make(&matrix, &features, frame, NULL), DUSK_OK);
            learn_loss loss = i == 1   ? learn_loss_of(LEARN_HUBER_SVM, 2)
                              : i == 2 ? learn_loss_of(LEARN_HUBER, 0.25)
                                       : learn_loss_of(LEARN_LOGISTIC, 1);
            const learn_objective o = { &matrix, loss, k, 3, none };
            assert_int_equal(d, features.width);
            assert_int_equal(learn_point_init(&point, k * d, NULL), DUSK_OK);
            learn_point_set(&point, &o, weights, none, 2);
            double length = objectives_length(&o, &point, NULL), sum = 0;
            if (!(length < 0.05)) fail_msg("%s: gradient of %g", names[i], length);
            for (size_t c = 0; c < k * d; c++) sum += fabs(weights[c]);
            assert_true(sum > 0.5);
            assert_true(model->learner->complete(model));
            learn_point_clear(&point);
            learn_matrix_clear(&matrix);
            learn_features_clear(&features);
            dusk_model_free(model);
        }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* Predictions follow the labels. */
static void test_prediction(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(5);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 600, gen);
    for (int i = 0; i < 3; i++) {
        request r = { names[i], { NULL }, 1e4, 1e-6, DUSK_ADD_REMOVE, 0, NULL };
        dusk_model *model = train(&r, frame, gen);
        dusk_model_scores scores;
        assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
        if (i < 2)
            assert_true(scores.accuracy > 0.9 && scores.auc > 0.97);
        else
            assert_true(scores.r2 > 0.9);
        dusk_model_free(model);
    }
    for (size_t j = 0; j < frame->rows; j++) /* three classes that follow x */
        frame->column[LEARNERS_COLOUR].code[j] =
            (int32_t)floor((frame->column[LEARNERS_X].number[j] + 1) * 1.4999);
    request r = { "amp_multinomial", { NULL }, 1e4, 1e-6, DUSK_ADD_REMOVE, 0, NULL };
    dusk_model *model = train(&r, frame, gen);
    dusk_model_scores scores;
    assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
    assert_true(scores.accuracy > 0.85);
    dusk_model_free(model);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* --- with noise ----------------------------------------------------------------------------------------------------------------- */

/* Every weight varies from seed to seed, whatever the bounds are: without rows by exactly the deviation that is said. */
static void test_spread(void **state)
{
    (void)state;
    const char *fields = "a numeric 0:1\nb numeric -1:0\nc numeric 5:6\ngood category no,yes\n";
    enum { SEEDS = 200 };
    for (int form = 0; form < 3; form++) {
        dusk_generator *gen = seeded(70 + (uint64_t)form);
        dusk_fields *parsed;
        dusk_frame *frame;
        dusk_training *training;
        request r = { "amp_logistic",
                      { form == 1 ? "form=output" : "form=objective", "regularisation=40", NULL },
                      1,
                      form == 2 ? 0 : 1e-6,
                      DUSK_ADD_REMOVE,
                      0,
                      fields };
        double square[4] = { 0 };
        assert_int_equal(dusk_fields_parse(&parsed, fields, NULL), DUSK_OK);
        assert_int_equal(dusk_frame_new(&frame, parsed, 0, NULL), DUSK_OK);
        assert_int_equal(prepare(&r, &training, NULL), DUSK_OK);
        for (int t = 0; t < SEEDS; t++) {
            dusk_model *model;
            size_t k, d;
            assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
            const double *w = dusk_model_array(model, "weights", &k, &d);
            for (size_t c = 0; c < 4; c++) square[c] += w[c] * w[c] / SEEDS;
            dusk_model_free(model);
        }
        /* norm 2, slope 1: Gaussian noise of 2 sigma(1, 1e-6) = 2 * 4.22 over 40, or K-norm noise of scale 2 in 4 dimensions */
        double deviation = form == 2 ? 2 * sqrt(5) / 40 : 2 * 4.22 / 40;
        for (size_t c = 0; c < 4; c++) {
            double ratio = sqrt(square[c]) / deviation;
            if (!(ratio > 0.75 && ratio < 1.35)) fail_msg("form %d weight %zu: %g", form, c, ratio);
        }
        dusk_training_free(training);
        dusk_frame_free(frame);
        dusk_fields_free(parsed);
        dusk_generator_free(gen);
    }
}

/* What is asked for is what is planned: regularisation, per row, by the noise; units and replacements cost more. */
static double said_strength(const request *r)
{
    dusk_training *training;
    dusk_error err = { .message = "" };
    char *text;
    if (prepare(r, &training, &err) != DUSK_OK) fail_msg("%s", err.message);
    assert_int_equal(dusk_training_explain(training, &text, NULL), DUSK_OK);
    const char *at = strstr(text, "regularisation ");
    assert_non_null(at);
    double strength = strtod(at + strlen("regularisation "), NULL);
    dusk_ledger_free_text(text);
    dusk_training_free(training);
    return strength;
}

/* A sentence about epsilon does not say less than is spent, where rounding to nearest would. */
static void test_said_epsilon(void **state)
{
    request r = { "amp_logistic", { NULL }, 1.23449, 1e-6, DUSK_ADD_REMOVE, 0, NULL };
    dusk_training *training;
    char *text;
    (void)state;
    assert_int_equal(prepare(&r, &training, NULL), DUSK_OK);
    assert_int_equal(dusk_training_explain(training, &text, NULL), DUSK_OK);
    assert_non_null(strstr(text, " of epsilon 1.235\n"));
    dusk_ledger_free_text(text);
    dusk_training_free(training);
}

static void test_strength(void **state)
{
    (void)state;
    request r = { "amp_logistic", { "regularisation=7.5", NULL }, 1, 1e-6, DUSK_ADD_REMOVE, 1000, NULL };
    assert_true(said_strength(&r) == 7.5);
    r.settings[0] = "per_row=0.01";
    assert_true(fabs(said_strength(&r) - 10) < 1e-5);
    r.settings[0] = NULL;
    double once = said_strength(&r);
    r.neighbours = DUSK_REPLACE_ONE;
    double exchanged = said_strength(&r);
    assert_true(exchanged > 1.9 * once && exchanged < 2.3 * once);
    r.neighbours = DUSK_ADD_REMOVE;
    r.fields = LEARNERS_FIELDS "rows_per_unit 2\n";
    double twice = said_strength(&r);
    assert_true(twice > 1.9 * once && twice < 2.3 * once);
}

/* Noise on the weights is for the certified gradient and for the rounding of the linear term, over the regularisation. */
static void test_noise_covers_gradient(void **state)
{
    (void)state;
    request r = { "amp_logistic",
                  { "regularisation=64", NULL },
                  1,
                  1e-6,
                  DUSK_ADD_REMOVE,
                  0,
                  "x numeric -1:1\ny numeric -1:1\nz numeric -1:1\ngood category no,yes\n" };
    dusk_training *training;
    char *text;
    assert_int_equal(prepare(&r, &training, NULL), DUSK_OK);
    assert_int_equal(dusk_training_explain(training, &text, NULL), DUSK_OK);
    const char *at = strstr(text, "weights, with noise of deviation ");
    assert_non_null(at);
    double deviation = strtod(at + strlen("weights, with noise of deviation "), NULL);
    learn_loss loss = learn_loss_of(LEARN_LOGISTIC, 1);
    double gamma = learn_certified_reachable(&loss, 1, 2), least = 128 * 4.22 * 2 * gamma / 64;
    assert_true(deviation > least * (1 + 1. / 17) && deviation < least * 1.2);
    dusk_ledger_free_text(text);
    dusk_training_free(training);
}

/* --- odd data, and what is refused ------------------------------------------------------------------------------------------------- */

static void test_odd_data(void **state)
{
    (void)state;
    const size_t sizes[] = { 0, 1, 2, 30 };
    for (int i = 0; i < 4; i++)
        for (int s = 0; s < 4; s++)
            for (int k = 0; k < 4; k++) {
                dusk_generator *gen = seeded((uint64_t)(10 * i + s));
                dusk_frame *frame = learners_frame(LEARNERS_FIELDS, sizes[s], gen);
                for (size_t r = 0; r < sizes[s];
                     r++) { /* one class only, labels that are missing, numbers that are none */
                    frame->column[LEARNERS_GOOD].code[r] = r % 5 == 4 ? -1 : 0;
                    frame->column[LEARNERS_COLOUR].code[r] = r % 5 == 4 ? 77 : 1;
                    if (r % 5 == 4) frame->column[LEARNERS_Y].number[r] = NAN;
                    if (r % 3 == 1) frame->column[LEARNERS_X].number[r] = r % 2 ? NAN : 1e300;
                }
                request r = { names[i],
                              { k & 1 ? "form=output" : NULL, NULL },
                              0.5,
                              k & 2 ? 0 : 1e-6,
                              DUSK_ADD_REMOVE,
                              0,
                              NULL };
                dusk_model *model = train(&r, frame, gen);
                assert_true(model->learner->complete(model));
                dusk_prediction p;
                assert_int_equal(dusk_predict(&p, model, frame, NULL), DUSK_OK);
                for (size_t c = 0; c < p.rows * p.columns; c++) assert_true(isfinite(p.value[c]));
                dusk_prediction_clear(&p);
                dusk_model_free(model);
                dusk_frame_free(frame);
                dusk_generator_free(gen);
            }
}

/* Rows without a label are not there. */
static void test_missing_labels(void **state)
{
    (void)state;
    dusk_model *model[2];
    for (int side = 0; side < 2; side++) {
        dusk_generator *gen = seeded(8), *coins = seeded(9);
        dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
        for (size_t r = 40; r < 60; r++) frame->column[LEARNERS_GOOD].code[r] = side ? -1 : 2;
        if (!side) frame->rows = 40;
        request r = { "amp_logistic", { NULL }, 1, 1e-6, DUSK_ADD_REMOVE, 0, NULL };
        model[side] = train(&r, frame, coins);
        frame->rows = 60;
        dusk_frame_free(frame);
        dusk_generator_free(gen);
        dusk_generator_free(coins);
    }
    size_t k, d;
    const double *a = dusk_model_array(model[0], "weights", &k, &d),
                 *b = dusk_model_array(model[1], "weights", &k, &d);
    assert_memory_equal(a, b, k * d * sizeof *a);
    for (int side = 0; side < 2; side++) dusk_model_free(model[side]);
}

static void test_refusals(void **state)
{
    (void)state;
    request r = { "amp_logistic", { "regularisation=1e-3", NULL }, 0.1, 1e-6, DUSK_ADD_REMOVE, 0, NULL };
    refuse(&r, "too small for a linear term");
    r.delta = 0;
    refuse(&r, "too small for a linear term");
    r.settings[0] = "regularisation=1e-9";
    refuse(&r, "too weak for rows of this length");
    r.settings[0] = "per_row=0.1";
    refuse(&r, "needs the number of rows");
    r.rows = 10, r.settings[1] = "regularisation=2";
    refuse(&r, "given twice");
    r.settings[0] = NULL, r.fields = LEARNERS_FIELDS "rows_per_unit 17\n";
    refuse(&r, "too many for a perturbed objective");
    r.learner = "amp_svm", r.settings[0] = "knee=0.01", r.settings[1] = NULL;
    refuse(&r, "knee is a number from");
    r.learner = "amp_huber", r.settings[0] = NULL, r.fields = "x numeric 0:1\ny category u,v\n";
    refuse(&r, "learns numbers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minimiser),
        cmocka_unit_test(test_prediction),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_strength),
        cmocka_unit_test(test_said_epsilon),
        cmocka_unit_test(test_odd_data),
        cmocka_unit_test(test_missing_labels),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_noise_covers_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
