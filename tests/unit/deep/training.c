/* SPDX-License-Identifier: Apache-2.0 */
/* The training loop as it is shipped: samples without rows take noisy steps like any other, all released coordinates have noise of the
 * planned deviation, independent between coordinates, layers and steps; one thread gives what three do; what is learned is right where noise is small. */
#include <math.h>
#include <string.h>

#include "dusk/learn.h"
#include "seeded.h"

enum { RUNS = 400 };

static dusk_training *prepare(const char *fields_text, const char *const *settings, dusk_train_options o)
{
    dusk_fields *fields;
    dusk_training *training;
    dusk_error err = { .message = "" };
    assert_int_equal(dusk_fields_parse(&fields, fields_text, NULL), DUSK_OK);
    o.size = sizeof o;
    o.label = "y";
    o.settings = settings;
    while (settings[o.settings_count]) o.settings_count++;
    if (dusk_training_prepare(&training, "net", fields, &o, &err) != DUSK_OK) fail_msg("%s", err.message);
    dusk_fields_free(fields);
    return training;
}

static dusk_model *train(const char *fields_text, const dusk_frame *rows, const char *const *settings,
                         dusk_train_options o, dusk_generator *gen)
{
    dusk_training *training = prepare(fields_text, settings, o);
    dusk_model *model;
    assert_int_equal(dusk_training_run(training, &model, rows, gen, NULL), DUSK_OK);
    dusk_training_free(training);
    return model;
}

static const char *const fields_text = "x numeric -1:1\nz numeric -1:1\ny category no,yes\n";

static dusk_frame *some_rows(size_t n)
{
    dusk_fields *fields;
    dusk_frame *frame;
    uint64_t seed = 3;
    assert_int_equal(dusk_fields_parse(&fields, fields_text, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, n, NULL), DUSK_OK);
    for (size_t i = 0; i < n; i++) {
        const double x = (double)(splitmix64(&seed) >> 11) * 0x1p-52 - 1,
                     z = (double)(splitmix64(&seed) >> 11) * 0x1p-52 - 1;
        frame->column[0].number[i] = x;
        frame->column[1].number[i] = z;
        frame->column[2].code[i] = x * z > 0; /* which no line tells apart */
    }
    dusk_fields_free(fields);
    return frame;
}

/* Of nobody: steps of a rate of 1 from 0 add up the noise of all, the deviation of which the statement names. */
static void empty_samples_take_noisy_steps(void **state)
{
    (void)state;
    static const char *const settings[] = { "net=output",      "rate=0.5",   "steps=40",
                                            "learning_rate=1", "momentum=0", NULL };
    dusk_train_options o = { .epsilon = 1, .delta = 1e-3, .neighbours = DUSK_ADD_REMOVE, .rows = 2 };
    dusk_generator *gen = seeded(5);
    dusk_training *training = prepare(fields_text, settings, o);
    dusk_frame *nobody = some_rows(0);
    double square[6] = { 0 }, products = 0;
    char text[200];
    assert_int_equal(dusk_event_format(&dusk_training_statement(training)->event, text, sizeof text, NULL),
                     DUSK_OK);
    const double sigma = strtod(strstr(text, "gaussian(") + 9, NULL);
    for (int run = 0; run < RUNS; run++) {
        size_t rows, columns;
        dusk_model *model;
        assert_int_equal(dusk_training_run(training, &model, nobody, gen, NULL), DUSK_OK);
        const double *p = dusk_model_array(model, "parameters", &rows, &columns);
        assert_int_equal(columns, 6);
        for (size_t j = 0; j < 6; j++) {
            assert_true(p[j] != 0);
            square[j] += p[j] * p[j];
        }
        products += p[0] * p[3];
        dusk_model_free(model);
    }
    dusk_training_free(training);
    dusk_frame_free(nobody);
    const double variance = 40 * sigma * sigma; /* the lot is 1 */
    for (size_t j = 0; j < 6; j++)
        assert_true(fabs(square[j] / RUNS / variance - 1) < 5.5 * sqrt(2.0 / RUNS));
    assert_true(fabs(products / RUNS / variance) < 5.5 / sqrt(RUNS));
    dusk_generator_free(gen);
}

static double accuracy(const dusk_model *model, const dusk_frame *frame)
{
    dusk_model_scores scores;
    assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
    return scores.accuracy;
}

/* Several draw noise by a generator of its own, one does not: so two against five, with as many turns as they like. */
static void threads_give_the_same(void **state)
{
    (void)state;
    static const char *const two[] = { "net=dense 9; tanh; output", "rate=0.5", "steps=60", "threads=2",
                                       NULL };
    static const char *const five[] = { "net=dense 9; tanh; output", "rate=0.5", "steps=60", "threads=5",
                                        NULL };
    dusk_train_options o = { .epsilon = 1, .delta = 1e-3, .neighbours = DUSK_ADD_REMOVE, .rows = 300 };
    dusk_frame *frame = some_rows(300);
    size_t rows, columns;
    dusk_generator *gen[2] = { seeded(8), seeded(8) };
    dusk_model *a = train(fields_text, frame, two, o, gen[0]),
               *b = train(fields_text, frame, five, o, gen[1]);
    const double *p = dusk_model_array(a, "parameters", &rows, &columns);
    assert_memory_equal(p, dusk_model_array(b, "parameters", &rows, &columns), columns * sizeof *p);
    for (int i = 0; i < 2; i++) dusk_generator_free(gen[i]);
    dusk_model_free(a);
    dusk_model_free(b);
    dusk_frame_free(frame);
}

/* A lot of draws may be of more rows than there are, each with coins of its own; what there is of room is seen under a sanitizer. */
static void draws_may_be_more_than_rows(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "net=dense 9; dropout 0.5; output", "sampler=drawn", "lot=60", "steps=30", "threads=2", NULL
    };
    dusk_train_options o = { .noise = 1, .delta = 1e-3, .neighbours = DUSK_REPLACE_ONE, .rows = 60 };
    dusk_frame *frame = some_rows(3);
    dusk_generator *gen = seeded(9);
    size_t rows, columns;
    dusk_model *model = train(fields_text, frame, settings, o, gen);
    const double *p = dusk_model_array(model, "parameters", &rows, &columns);
    for (size_t j = 0; j < columns; j++) assert_true(isfinite(p[j]) && p[j] != 0);
    dusk_model_free(model);
    dusk_generator_free(gen);
    dusk_frame_free(frame);
}

/* With next to no noise a hidden layer learns what a line cannot, by every way to clip and to step. */
static void nets_learn(void **state)
{
    (void)state;
    static const char *const ways[][8] = {
        { "net=dense 16; tanh; output", "rate=1", "steps=150", "learning_rate=1", NULL },
        { "net=dense 16; relu; output", "rate=1", "steps=150", "clipping=automatic", "learning_rate=0.3",
          NULL },
        { "net=dense 16; elu; output", "rate=1", "steps=150", "clipping=layers", "learning_rate=1", NULL },
        { "net=dense 16; tanh; output", "rate=1", "steps=150", "optimiser=adam", "learning_rate=0.02", NULL },
        { "net=dense 16; tanh; output", "rate=1", "steps=150", "optimiser=adagrad", "learning_rate=0.2",
          "momentum=0", NULL },
        { "net=dense 16; tanh; output", "rate=1", "steps=150", "average=0.9", "warm_up=0.1", "cool_down=0.3",
          "learning_rate=1", NULL },
    };
    dusk_train_options o = { .epsilon = 2000, .delta = 1e-3, .neighbours = DUSK_ADD_REMOVE, .rows = 600 };
    dusk_frame *frame = some_rows(600), *other = some_rows(400);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        dusk_generator *gen = seeded(k + 1);
        dusk_model *model = train(fields_text, frame, ways[k], o, gen);
        if (!(accuracy(model, other) > 0.9)) fail_msg("way %zu: %g", k, accuracy(model, other));
        dusk_model_free(model);
        dusk_generator_free(gen);
    }
    dusk_frame_free(frame);
    dusk_frame_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_samples_take_noisy_steps),
        cmocka_unit_test(threads_give_the_same),
        cmocka_unit_test(draws_may_be_more_than_rows),
        cmocka_unit_test(nets_learn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
