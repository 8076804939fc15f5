/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of Bayesian logistic regression with little noise beside the posterior itself: samples are about where it is, and
 * about as wide. The reference is the mode with its curvature (Newton), which for many rows is the posterior. */
#include "learners.h"

enum { ROWS = 1000, WIDTH = 2 };

static dusk_frame *make_frame(dusk_generator *gen)
{
    dusk_fields *fields;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&fields, "x numeric -1:1\ngood category no,yes\n", NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, ROWS, NULL), DUSK_OK);
    for (size_t r = 0; r < ROWS; r++) {
        uint64_t word[2];
        assert_int_equal(dusk_generator_words(gen, word, 2, 64, NULL), DUSK_OK);
        double x = (double)word[0] * 0x1p-63 - 1;
        frame->column[0].number[r] = x;
        frame->column[1].code[r] = (double)word[1] * 0x1p-64 < 1 / (1 + exp(-2 * x - 0.5));
    }
    dusk_fields_free(fields);
    return frame;
}

/* The mode of the posterior, and deviations by the inverse of its curvature. */
static void find_mode(const dusk_frame *frame, double prior, double *mode, double *deviation)
{
    double h[3];
    mode[0] = mode[1] = 0;
    for (int turn = 0; turn < 30; turn++) {
        double g[2] = { mode[0] / prior / prior, mode[1] / prior / prior };
        h[0] = h[2] = 1 / prior / prior;
        h[1] = 0;
        for (size_t r = 0; r < frame->rows; r++) {
            double x = frame->column[0].number[r], p = 1 / (1 + exp(-mode[0] * x - mode[1]));
            double slope = p - frame->column[1].code[r], bend = p * (1 - p);
            g[0] += slope * x;
            g[1] += slope;
            h[0] += bend * x * x;
            h[1] += bend * x;
            h[2] += bend;
        }
        double det = h[0] * h[2] - h[1] * h[1];
        mode[0] -= (h[2] * g[0] - h[1] * g[1]) / det;
        mode[1] -= (h[0] * g[1] - h[1] * g[0]) / det;
    }
    deviation[0] = sqrt(h[2] / (h[0] * h[2] - h[1] * h[1]));
    deviation[1] = sqrt(h[0] / (h[0] * h[2] - h[1] * h[1]));
}

static void check(const char *method, const dusk_frame *frame, dusk_generator *gen)
{
    const char *settings[] = { method, "scaling=bounds", "chain=1600", "descent=60", "clip=1" };
    double mode[WIDTH], deviation[WIDTH], mean[WIDTH] = { 0 }, spread[WIDTH] = { 0 };
    enum { RUNS = 3 };
    find_mode(frame, 3, mode, deviation);
    for (int run = 0; run < RUNS; run++) {
        dusk_train_options o = learners_options(dusk_learner_named("bayes_logistic"), 1e4, 1e-6);
        dusk_training *training;
        dusk_model *model;
        size_t rows, d;
        o.label = "good";
        o.rows = ROWS;
        o.settings = settings;
        o.settings_count = 5;
        assert_int_equal(dusk_training_prepare(&training, "bayes_logistic", frame->fields, &o, NULL),
                         DUSK_OK);
        assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
        const double *m = dusk_model_array(model, "weights", &rows, &d);
        const double *s = dusk_model_array(model, "deviations", &rows, &d);
        assert_int_equal(d, WIDTH);
        for (size_t j = 0; j < WIDTH; j++) {
            mean[j] += m[j] / RUNS;
            spread[j] += s[j] / RUNS;
        }
        dusk_model_free(model);
        dusk_training_free(training);
    }
    for (size_t j = 0; j < WIDTH; j++) {
        print_message("%s: mean %.3f for %.3f, deviation %.4f for %.4f\n", method, mean[j], mode[j],
                      spread[j], deviation[j]);
        assert_true(fabs(mean[j] - mode[j]) < deviation[j]);
        assert_true(spread[j] > 0.6 * deviation[j] && spread[j] < 1.5 * deviation[j]);
    }
}

static void samples_are_those_of_the_posterior(void **state)
{
    dusk_generator *gen = seeded(3);
    dusk_frame *frame = make_frame(gen);
    (void)state;
    check("method=langevin", frame, gen);
    check("method=metropolis", frame, gen);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(samples_are_those_of_the_posterior) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
