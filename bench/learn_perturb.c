/* SPDX-License-Identifier: Apache-2.0 */
/* Perturbed objectives: utility on public data sets, and time beside Newton's method without privacy. How the defaults were
 * fixed: docs/learning/perturbation.md. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn.h"

/* --- time ------------------------------------------------------------------------------------------------------------ */

typedef struct fit {
    dusk_frame *frame;
    dusk_training *training;
    dusk_generator *gen;
    double *rows, *weights; /* of the plain solver */
    size_t width;
} fit;

static void fit_private(void *context)
{
    fit *f = context;
    dusk_model *model;
    dusk_error err;
    bench_require(dusk_training_run(f->training, &model, f->frame, f->gen, &err), &err);
    dusk_model_free(model);
}

/* The frame's numbers, which lie in [-1, 1], and a constant column. */
static void copy_rows(fit *f)
{
    for (size_t i = 0; i < f->frame->rows; i++) {
        for (size_t c = 0; c + 1 < f->width; c++) f->rows[i * f->width + c] = f->frame->column[c].number[i];
        f->rows[(i + 1) * f->width - 1] = 1;
    }
}

enum { BLOCK = 512 };

/* Gradient and second derivative of the logistic loss at the weights. */
static void derivatives(const fit *f, double *gradient, double *second, double *scratch)
{
    const size_t d = f->width, rows = f->frame->rows;
    const int32_t *label = f->frame->column[d - 1].code;
    double score[BLOCK], slope[BLOCK];
    for (size_t first = 0; first < rows; first += BLOCK) {
        const size_t n = rows - first < BLOCK ? rows - first : BLOCK;
        const double *x = f->rows + first * d;
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)d, 1, x, (int)d, f->weights, 1, 0, score, 1);
        for (size_t i = 0; i < n; i++) {
            double p = 1 / (1 + exp(-score[i])), root = sqrt(p * (1 - p));
            slope[i] = p - (label[first + i] == 1);
            for (size_t c = 0; c < d; c++) scratch[i * d + c] = root * x[i * d + c];
        }
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)n, (int)d, 1, x, (int)d, slope, 1, 1, gradient, 1);
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)n, 1, scratch, (int)d, 1, second,
                    (int)d);
    }
}

/* Newton's method in doubles, from 0, until the gradient is 1e-6 long: some six steps. */
static void fit_plain(void *context)
{
    fit *f = context;
    const size_t d = f->width;
    double *gradient = malloc(d * sizeof *gradient), *second = malloc(d * d * sizeof *second),
           *scratch = malloc(BLOCK * d * sizeof *scratch);
    copy_rows(f);
    memset(f->weights, 0, d * sizeof *f->weights);
    for (int step = 0; step < 20; step++) {
        memset(gradient, 0, d * sizeof *gradient);
        memset(second, 0, d * d * sizeof *second);
        derivatives(f, gradient, second, scratch);
        for (size_t c = 0; c < d; c++) gradient[c] += 10 * f->weights[c], second[c * d + c] += 10;
        if (cblas_dnrm2((int)d, gradient, 1) < 1e-6) break;
        (void)LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', (int)d, 1, second, (int)d, gradient, 1);
        for (size_t c = 0; c < d; c++) f->weights[c] -= gradient[c];
    }
    free(gradient);
    free(second);
    free(scratch);
}

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 11) + 0.5) * 0x1p-53;
}

/* Labels follow a logistic model, which is right for five rows in six. */
static dusk_frame *random_frame(size_t rows, size_t columns)
{
    char text[64];
    dusk_fields *fields;
    dusk_frame *frame;
    dusk_error err;
    uint64_t state = 1;
    snprintf(text, sizeof text, "x[%zu] numeric -1:1\ny category no,yes\n", columns);
    bench_require(dusk_fields_parse(&fields, text, &err), &err);
    bench_require(dusk_frame_new(&frame, fields, rows, &err), &err);
    for (size_t i = 0; i < rows; i++) {
        double score = 0, u;
        for (size_t c = 0; c < columns; c++) {
            double x = frame->column[c].number[i] = 2 * uniform(&state) - 1;
            score += x * (c % 3 == 0 ? 6.8 : -3.4) / sqrt((double)columns);
        }
        u = uniform(&state);
        frame->column[columns].code[i] = score + log(u / (1 - u)) > 0;
    }
    dusk_fields_free(fields);
    return frame;
}

static void run_time(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const size_t columns = *(const size_t *)self->setup, rows = 1000000;
    dusk_train_options options;
    dusk_error err = { .message = "" };
    fit f = { .gen = gen, .frame = random_frame(rows, columns), .width = columns + 1 };
    f.rows = bench_allocate(rows * f.width, sizeof *f.rows);
    f.weights = bench_allocate(f.width, sizeof *f.weights);
    dusk_train_options_init(&options);
    options.label = "y";
    options.epsilon = 1;
    options.delta = 1e-6;
    options.neighbours = DUSK_ADD_REMOVE;
    bench_require(dusk_training_prepare(&f.training, "amp_logistic", f.frame->fields, &options, &err), &err);
    bench_times times = bench_compare(fit_private, fit_plain, &f);
    *out = (bench_result){ .value = times.work, .floor_value = times.floor };
    dusk_training_free(f.training);
    dusk_frame_free(f.frame);
    free(f.rows);
    free(f.weights);
}

/* --- cases ------------------------------------------------------------------------------------------------------------ */

static const size_t narrow = 20, wide = 100;

#define CASE(learner, set, words, settings, metric, delta, e)                                                \
    {                                                                                                        \
        "learn/" learner "/" set "/" words "/" #e,                                                           \
            metric == BENCH_MSE ? "mean squared error, the label's range being 2"                            \
                                : "accuracy on held-out rows",                                               \
            metric == BENCH_MSE ? "mse" : "accuracy", "the same at epsilon 10^6", "", bench_learn_run,       \
            &(const bench_learn)                                                                             \
        {                                                                                                    \
            learner, settings, set, metric, e, delta, 10                                                     \
        }                                                                                                    \
    }
#define THREE(learner, set, words, settings, metric, delta)                                                  \
    CASE(learner, set, words, settings, metric, delta, 0.1),                                                 \
        CASE(learner, set, words, settings, metric, delta, 0.5),                                             \
        CASE(learner, set, words, settings, metric, delta, 1)

const bench_case bench_learn_perturb_cases[] = {
    THREE("amp_logistic", "adult", "objective", "", BENCH_ACCURACY, -1),
    THREE("amp_svm", "adult", "objective", "", BENCH_ACCURACY, -1),
    THREE("amp_logistic", "adult", "pure", "", BENCH_ACCURACY, 0),
    THREE("amp_logistic", "adult", "output", "form=output", BENCH_ACCURACY, -1),
    THREE("amp_logistic", "adult", "output-pure", "form=output", BENCH_ACCURACY, 0),
    THREE("amp_logistic", "bank", "objective", "", BENCH_ACCURACY, -1),
    THREE("amp_logistic", "compas", "objective", "", BENCH_ACCURACY, -1),
    THREE("amp_svm", "compas", "objective", "", BENCH_ACCURACY, -1),
    THREE("amp_multinomial", "covertype", "objective", "", BENCH_ACCURACY, -1),
    THREE("amp_huber", "california", "objective", "", BENCH_MSE, -1),
    { "learn/amp_logistic/time/1e6x20", "a fit on 10^6 rows of 20 numbers in memory (scikit-learn: 0.86 s)",
      "s", "Newton's method in doubles, without privacy", "ratio <= 1.1", run_time, &narrow },
    { "learn/amp_logistic/time/1e6x100", "a fit on 10^6 rows of 100 numbers in memory", "s",
      "Newton's method in doubles, without privacy", "ratio <= 1.1", run_time, &wide },
    { NULL, NULL, NULL, NULL, NULL, NULL, NULL },
};
