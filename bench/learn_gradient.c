/* SPDX-License-Identifier: Apache-2.0 */
/* Linear models by noisy gradient descent: what they are worth on public data sets with their default settings, and how long
 * a fit takes beside the same solver without privacy. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "learn.h"
#include "learn/descent.h"

/* --- time ------------------------------------------------------------------------------------------------------ */

enum { ROWS = 1000000, STEPS = 30, TURNS = 3 };

static dusk_frame *rows_of(size_t width, dusk_generator *gen)
{
    char text[64];
    dusk_fields *fields;
    dusk_frame *frame;
    dusk_error err = { .message = "" };
    snprintf(text, sizeof text, "x[%zu] numeric -4:4\ny category no,yes\n", width);
    bench_require(dusk_fields_parse(&fields, text, &err), &err);
    bench_require(dusk_frame_new(&frame, fields, ROWS, &err), &err);
    dusk_fields_free(fields);
    double *noise = bench_uniform(ROWS, -1, 1, gen);
    for (size_t c = 0; c < width; c++) {
        double *values = bench_uniform(ROWS, -2, 2, gen);
        for (size_t r = 0; r < ROWS; r++) {
            frame->column[c].number[r] = values[r];
            noise[r] += values[r] * (c % 3 == 0 ? 1 : -0.5) / sqrt((double)width);
        }
        dusk_deallocate(values);
    }
    for (size_t r = 0; r < ROWS; r++) frame->column[width].code[r] = noise[r] > 0;
    dusk_deallocate(noise);
    return frame;
}

static double private_fit(const dusk_frame *frame, dusk_generator *gen)
{
    dusk_train_options options;
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    dusk_train_options_init(&options);
    options.label = "y";
    options.epsilon = 1;
    options.delta = 1e-9;
    options.neighbours = DUSK_ADD_REMOVE;
    options.rows = ROWS;
    double start = bench_cpu_seconds();
    bench_require(dusk_training_prepare(&training, "logistic", frame->fields, &options, &err), &err);
    bench_require(dusk_training_run(training, &model, frame, gen, &err), &err);
    double seconds = bench_cpu_seconds() - start;
    dusk_model_free(model);
    dusk_training_free(training);
    return seconds;
}

/* Standard scaling as the learner's, without noise. */
static void scale(learn_features *features, const dusk_frame *frame)
{
    for (size_t i = 0; i + 1 < features->width; i++) {
        learn_feature *f = &features->feature[i];
        int64_t sum, squares;
        learn_number_sums(f, frame, &sum, &squares);
        double mean = (double)sum / LEARN_ONE / ROWS, square = (double)squares / LEARN_ONE / ROWS;
        f->centre += mean / f->factor;
        f->factor /= sqrt(fmax(square - mean * mean, 1e-4));
    }
}

static void plain_step(double *w, double *velocity, double *margin, tensor_block *block, tensor_sum *sum,
                       const learn_matrix *matrix, const learn_loss *loss)
{
    const size_t width = matrix->rows.width;
    tensor_sum_reset(sum);
    while (tensor_block_advance(block)) {
        const int32_t *code = matrix->code + block->first;
        tensor_block_multiply(block, margin, w, 1);
        for (size_t i = 0; i < block->rows; i++) margin[i] *= 0x1p-15 * (2 * code[i] - 1);
        learn_loss_slopes(loss, margin, margin, block->rows);
        for (size_t i = 0; i < block->rows; i++) margin[i] *= 2 * code[i] - 1;
        tensor_sum_combine(sum, block, margin, 1, 1);
    }
    for (size_t j = 0; j < width; j++) {
        velocity[j] = 0.5 * velocity[j] + sum->part[j] / LEARN_ONE / ROWS;
        w[j] -= velocity[j];
    }
}

/* The same passes over the same rows, in plain doubles: no rounding, no clipping, no noise. */
static double plain_fit(const dusk_frame *frame)
{
    dusk_error err = { .message = "" };
    learn_features features;
    learn_matrix matrix;
    tensor_block block;
    tensor_sum sum;
    learn_loss loss = learn_loss_of(LEARN_LOGISTIC, 1);
    const size_t label = frame->fields->count - 1;
    double start = bench_cpu_seconds();
    bench_require(learn_features_init(&features, frame->fields, label, true, 0, &err), &err);
    scale(&features, frame);
    features.bound = LEARN_NORM_MOST * LEARN_ONE;
    bench_require(learn_matrix_make(&matrix, &features, frame, &err), &err);
    bench_require(tensor_block_open(&block, &matrix.rows, &err), &err);
    bench_require(tensor_sum_init(&sum, features.width, &err), &err);
    double *w = bench_allocate(features.width, sizeof *w), *v = bench_allocate(features.width, sizeof *v);
    double *margin = bench_allocate(block.room, sizeof *margin);
    for (int t = 0; t < STEPS; t++) plain_step(w, v, margin, &block, &sum, &matrix, &loss);
    bench_keep(w[0]);
    dusk_deallocate(w);
    dusk_deallocate(v);
    dusk_deallocate(margin);
    tensor_sum_clear(&sum);
    tensor_block_close(&block);
    learn_matrix_clear(&matrix);
    learn_features_clear(&features);
    return bench_cpu_seconds() - start;
}

static void run_time(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const size_t *width = self->setup;
    dusk_frame *frame = rows_of(*width, gen);
    double fit[TURNS], floor_[TURNS];
    for (int t = 0; t < TURNS; t++) {
        fit[t] = private_fit(frame, gen);
        floor_[t] = plain_fit(frame);
    }
    dusk_frame_free(frame);
    *out = (bench_result){ .value = bench_median(fit, TURNS), .floor_value = bench_median(floor_, TURNS) };
}

#define FLOOR_TIME "the same passes without noise, clipping or rounding"
static const size_t narrow = 20, wide = 100;

/* --- utility ------------------------------------------------------------------------------------------------- */

#define UTILITY_BY(kind, how, settings, set, at, text, unit_, metric_, trainings_, aim_)                     \
    {                                                                                                        \
        "learn/" kind how "/" set "/epsilon=" text, kind how " on held-out rows of " set, unit_,             \
            "the same at epsilon 10^6", aim_, bench_learn_run, &(const bench_learn)                          \
        {                                                                                                    \
            kind, settings, set, metric_, at, -1, trainings_                                                 \
        }                                                                                                    \
    }
#define UTILITY(kind, set, at, text, unit_, metric_, trainings_, aim_)                                       \
    UTILITY_BY(kind, "", "", set, at, text, unit_, metric_, trainings_, aim_)
#define METHOD(kind, how, set)                                                                               \
    UTILITY_BY(kind, "/" how, "method=" how, set, 0.1, "0.1", "accuracy", BENCH_ACCURACY, 10, ""),           \
        UTILITY_BY(kind, "/" how, "method=" how, set, 0.5, "0.5", "accuracy", BENCH_ACCURACY, 10, ""),       \
        UTILITY_BY(kind, "/" how, "method=" how, set, 1, "1", "accuracy", BENCH_ACCURACY, 10, "")
#define ACCURACY(kind, set, trainings, a, b, c)                                                              \
    UTILITY(kind, set, 0.1, "0.1", "accuracy", BENCH_ACCURACY, trainings, a),                                \
        UTILITY(kind, set, 0.5, "0.5", "accuracy", BENCH_ACCURACY, trainings, b),                            \
        UTILITY(kind, set, 1, "1", "accuracy", BENCH_ACCURACY, trainings, c)
#define ERROR(kind, set)                                                                                     \
    UTILITY(kind, set, 0.1, "0.1", "MSE", BENCH_MSE, 10, ""),                                                \
        UTILITY(kind, set, 1, "1", "MSE", BENCH_MSE, 10, "")

const bench_case bench_learn_gradient_cases[] = {
    { "learn/logistic/time/n=1e6,d=20", "a fit of 30 steps, from a frame to a model", "s", FLOOR_TIME,
      "ratio <= 1.1", run_time, &narrow },
    { "learn/logistic/time/n=1e6,d=100", "a fit of 30 steps, from a frame to a model", "s", FLOOR_TIME,
      "ratio <= 1.1", run_time, &wide },
    ACCURACY("logistic", "adult", 10, ">= 0.835", ">= 0.845", ">= 0.848"),
    METHOD("logistic", "sgd", "adult"),
    METHOD("logistic", "adagrad", "adult"),
    METHOD("logistic", "newton", "adult"),
    ACCURACY("svm", "adult", 10, ">= 0.767", ">= 0.828", ">= 0.833"),
    ACCURACY("logistic", "bank", 10, "", "", ""),
    ACCURACY("logistic", "compas", 10, "", "", ""),
    ACCURACY("logistic", "german", 10, "", "", ""),
    ACCURACY("logistic", "kddcup99", 3, "", "", ""),
    ACCURACY("multinomial", "covertype", 10, "", "", ""),
    ACCURACY("multinomial", "mnist", 2, "", "", ""),
    ERROR("huber_regression", "bike"),
    ERROR("huber_regression", "california"),
    { NULL, NULL, NULL, NULL, NULL, NULL, NULL },
};
