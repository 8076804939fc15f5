/* SPDX-License-Identifier: Apache-2.0 */
/* The tree: with much epsilon it is the greedy one, beside a plain search; leaves have the noise that is said; odd rows. */
#include "learn/learner.h"
#include "learners.h"

static dusk_status prepare(dusk_training **out, const dusk_frame *frame, const char *label, double epsilon,
                           double delta, const char *a, const char *b)
{
    const char *settings[] = { a, b };
    dusk_train_options o;
    dusk_train_options_init(&o);
    o.label = label;
    o.epsilon = epsilon;
    o.delta = delta;
    o.neighbours = DUSK_ADD_REMOVE;
    o.settings = settings;
    o.settings_count = 2;
    return dusk_training_prepare(out, "tree", frame->fields, &o, NULL);
}

static dusk_status train(dusk_model **out, const dusk_frame *frame, const char *label, double epsilon,
                         double delta, const char *a, const char *b, dusk_generator *gen)
{
    dusk_training *training;
    dusk_status status = prepare(&training, frame, label, epsilon, delta, a, b);
    if (status == DUSK_OK) status = dusk_training_run(training, out, frame, gen, NULL);
    dusk_training_free(training);
    return status;
}

/* What a split leaves: Gini impurity of the two sides times rows, or rows of the smaller class. */
static double loss_of(double no, double yes, bool gini)
{
    if (!gini) return fmin(no, yes);
    return no + yes > 0 ? 2 * no * yes / (no + yes) : 0;
}

static double split_loss(const dusk_frame *frame, size_t field, double bin, bool gini)
{
    double side[2][2] = { { 0 } };
    for (size_t i = 0; i < frame->rows; i++) {
        bool second = field == LEARNERS_COLOUR ? frame->column[field].code[i] == (int32_t)bin
                                               : frame->column[field].number[i] >= bin;
        side[second][frame->column[LEARNERS_GOOD].code[i]]++;
    }
    return loss_of(side[0][0], side[0][1], gini) + loss_of(side[1][0], side[1][1], gini);
}

static void the_root_is_the_best_split(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        const bool gini = seed % 2;
        dusk_generator *gen = seeded(seed);
        dusk_frame *frame = learners_frame(
            "x numeric -1:1\nz numeric 0:10\nsame numeric 0:1\ncolour category red,green,blue\n"
            "good category no,yes\ny numeric -5:5\n",
            300, gen);
        dusk_model *model;
        size_t rows, columns;
        assert_int_equal(train(&model, frame, "good", 200, seed % 6 ? 0 : 1e-6,
                               gini ? "score=gini" : "score=accuracy", "depth=1", gen),
                         DUSK_OK);
        const double *split = dusk_model_array(model, "splits", &rows, &columns);
        const size_t field = (size_t)split[0];
        assert_true(rows == 1 && field != LEARNERS_GOOD);
        /* where the bins of the fields begin, one field after the other */
        size_t at = 0;
        double best = INFINITY, chosen = INFINITY;
        const double *edge = dusk_model_array(model, "bins", &rows, &columns);
        for (size_t f = 0; f <= LEARNERS_Y; f++) {
            if (f == LEARNERS_GOOD) continue;
            size_t n = 1;
            while (at + n < columns && edge[at + n] > edge[at + n - 1]) n++;
            for (size_t v = f != LEARNERS_COLOUR; v < n; v++) {
                double loss = split_loss(frame, f, edge[at + v], gini);
                best = fmin(best, loss);
                if (f == field && (double)v == split[1]) chosen = loss;
            }
            at += n;
        }
        assert_true(chosen <= best + 0.01);
        dusk_model_free(model);
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
}

/* A question within a question. */
static void nested_rules_are_found(void **state)
{
    (void)state;
    enum { ROWS = 4000 };
    dusk_generator *gen = seeded(9);
    dusk_fields *fields;
    dusk_frame *frame;
    dusk_model *model;
    dusk_model_scores scores;
    assert_int_equal(dusk_fields_parse(&fields,
                                       "x numeric 0:1\ncolour category red,green,blue\nkind category a,b,c\n",
                                       NULL),
                     DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, ROWS, NULL), DUSK_OK);
    for (size_t i = 0; i < ROWS; i++) {
        double x = (double)(i % 64) / 64;
        int32_t colour = (int32_t)(i / 64 % 3);
        frame->column[0].number[i] = x;
        frame->column[1].code[i] = colour;
        frame->column[2].code[i] = colour == 1 ? 2 : x >= 0.75;
    }
    for (int delta = 0; delta < 2; delta++) {
        assert_int_equal(train(&model, frame, "kind", 4, delta ? 1e-6 : 0, "depth=3", "bins=8", gen),
                         DUSK_OK);
        assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
        assert_true(scores.accuracy > 0.99);
        dusk_model_free(model);
    }
    dusk_frame_free(frame);
    dusk_fields_free(fields);
    dusk_generator_free(gen);
}

/* Counts of all leaves vary over seeds as said: discrete Laplace of scale 1 / (0.3 epsilon). */
static void every_leaf_has_noise(void **state)
{
    (void)state;
    enum { SEEDS = 300, CELLS = 8 };
    double sum[CELLS] = { 0 }, square[CELLS] = { 0 };
    const double scale = 1 / (0.3 * 0.5);
    dusk_generator *gen = seeded(10);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 0, gen);
    dusk_training *training;
    assert_int_equal(prepare(&training, frame, "good", 0.5, 1e-6, "depth=2", "bins=4"), DUSK_OK);
    for (int s = 0; s < SEEDS; s++) {
        dusk_model *model;
        size_t rows, columns;
        assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
        const double *leaves = dusk_model_array(model, "leaves", &rows, &columns);
        assert_int_equal(rows * columns, CELLS);
        for (size_t i = 0; i < CELLS; i++) {
            sum[i] += leaves[i];
            square[i] += leaves[i] * leaves[i];
        }
        dusk_model_free(model);
    }
    for (size_t i = 0; i < CELLS; i++) {
        double variance = (square[i] - sum[i] * sum[i] / SEEDS) / (SEEDS - 1);
        assert_true(variance > 2 * scale * scale * 0.5 && variance < 2 * scale * scale * 2);
        assert_true(fabs(sum[i] / SEEDS) < 6 * scale * sqrt(2.0 / SEEDS)); /* no row is in it */
    }
    dusk_training_free(training);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

static void large_trees_are_refused(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(11);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 3, gen);
    dusk_model *model = NULL;
    assert_int_equal(train(&model, frame, "good", 1, 0, "depth=11", "bins=4", gen), DUSK_ERR_ARGUMENT);
    assert_int_equal(train(&model, frame, "good", 1, 0, "depth=10", "bins=1", gen), DUSK_ERR_ARGUMENT);
    assert_int_equal(train(&model, frame, "y", 1, 0, "depth=3", "bins=4", gen), DUSK_ERR_ARGUMENT);
    assert_null(model);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* What a file may hold that nobody wrote: found before anything is predicted. */
static void broken_models_are_found(void **state)
{
    (void)state;
    const char *learners[] = { "tree", "forest", "boosting" };
    const char *arrays[] = { "splits", "scores", "shapes", "intercept" };
    for (int l = 0; l < 3; l++)
        for (int a = 0; a < 4; a++) {
            dusk_generator *gen = seeded(12);
            dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 20, gen);
            dusk_train_options o = learners_options(dusk_learner_named("boosting"), 1, 0);
            dusk_training *training;
            dusk_model *model;
            size_t rows, columns;
            assert_int_equal(dusk_training_prepare(&training, learners[l], frame->fields, &o, NULL), DUSK_OK);
            assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
            assert_true(model->learner->complete(model));
            const double *old = dusk_model_array(model, arrays[a], &rows, &columns);
            const double bad[] = { NAN, INFINITY, LEARNERS_GOOD, 0.5, 1e300, -1 };
            static double value[16384];
            assert_true(!old || rows * columns <= 16384);
            for (size_t k = 0; old && k < sizeof bad / sizeof *bad; k++) {
                size_t last = rows * columns - 1;
                memcpy(value, dusk_model_array(model, arrays[a], &rows, &columns),
                       (last + 1) * sizeof *value);
                double kept = value[last];
                value[last] = bad[k];
                assert_int_equal(learn_model_put(model, arrays[a], rows, columns, value, NULL), DUSK_OK);
                bool wrong = !isfinite(bad[k]) || (a == 0 && bad[k] != LEARNERS_GOOD);
                assert_int_equal(model->learner->complete(model), !wrong);
                value[last] = kept;
                if (a == 0) { /* a split of the label */
                    value[last - 1] = LEARNERS_GOOD;
                    assert_int_equal(learn_model_put(model, arrays[a], rows, columns, value, NULL), DUSK_OK);
                    assert_false(model->learner->complete(model));
                    value[last - 1] = LEARNERS_X;
                }
                assert_int_equal(learn_model_put(model, arrays[a], rows, columns, value, NULL), DUSK_OK);
            }
            if (old) { /* another shape */
                assert_int_equal(
                    learn_model_put(model, arrays[a], rows, columns - (columns > 1), value, NULL), DUSK_OK);
                if (columns > 1) assert_false(model->learner->complete(model));
                assert_int_equal(learn_model_put(model, arrays[a], 0, 0, value, NULL), DUSK_OK);
                assert_false(model->learner->complete(model));
            }
            dusk_model_free(model);
            dusk_training_free(training);
            dusk_frame_free(frame);
            dusk_generator_free(gen);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_root_is_the_best_split), cmocka_unit_test(nested_rules_are_found),
        cmocka_unit_test(every_leaf_has_noise),       cmocka_unit_test(large_trees_are_refused),
        cmocka_unit_test(broken_models_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
