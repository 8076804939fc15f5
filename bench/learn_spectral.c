/* SPDX-License-Identifier: Apache-2.0 */
/* Components, covariances and densities on public data sets, and the time of components beside the same work without privacy. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn.h"
#include "learn/features.h"

/* --- time ------------------------------------------------------------------------------------------------------ */

typedef struct shape {
    size_t rows, columns;
} shape;

typedef struct timing {
    dusk_frame *frame;
    dusk_training *training;
    dusk_generator *gen;
    learn_features features;
} timing;

enum { BLOCK = 256 };

static void run_private(void *context)
{
    timing *t = context;
    dusk_error err = { .message = "" };
    dusk_model *model;
    bench_require(dusk_training_run(t->training, &model, t->frame, t->gen, &err), &err);
    dusk_model_free(model);
}

/* What anybody would do with rows read the same way: mean, covariance by dsyrk, eigenvalues. */
static void run_plain(void *context)
{
    timing *t = context;
    const size_t n = t->frame->rows, d = t->frame->fields->count;
    dusk_error err = { .message = "" };
    learn_matrix read;
    bench_require(learn_matrix_make(&read, &t->features, t->frame, &err), &err);
    const float *x = read.rows.x;
    double *mean = bench_allocate(d, sizeof *mean), *block = bench_allocate(BLOCK * d, sizeof *block);
    double *matrix = bench_allocate(d * d, sizeof *matrix), *values = bench_allocate(d, sizeof *values);
    memset(mean, 0, d * sizeof *mean);
    memset(matrix, 0, d * d * sizeof *matrix);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < d; c++) mean[c] += (double)x[i * d + c];
    for (size_t c = 0; c < d; c++) mean[c] /= (double)n;
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t rows = n - first < BLOCK ? n - first : BLOCK;
        for (size_t i = 0; i < rows; i++)
            for (size_t c = 0; c < d; c++) block[i * d + c] = (double)x[(first + i) * d + c] - mean[c];
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)rows, 1, block, (int)d, 1, matrix,
                    (int)d);
    }
    if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', (int)d, matrix, (int)d, values) != 0) abort();
    bench_keep(values[d - 1]);
    learn_matrix_clear(&read);
    free(mean);
    free(block);
    free(matrix);
    free(values);
}

static void fill(dusk_frame *frame, dusk_generator *gen)
{
    for (size_t c = 0; c < frame->fields->count; c++) {
        double *numbers =
            bench_uniform(frame->rows, -2 / (1 + 0.1 * (double)c), 2 / (1 + 0.1 * (double)c), gen);
        memcpy(frame->column[c].number, numbers, frame->rows * sizeof *numbers);
        free(numbers);
    }
}

static void run_time(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const shape *s = self->setup;
    const char *settings[] = { "components=5" };
    timing t = { .gen = gen };
    dusk_error err = { .message = "" };
    dusk_train_options options;
    dusk_fields *fields;
    char text[64];
    snprintf(text, sizeof text, "x[%zu] numeric -4:4\n", s->columns);
    bench_require(dusk_fields_parse(&fields, text, &err), &err);
    bench_require(dusk_frame_new(&t.frame, fields, s->rows, &err), &err);
    fill(t.frame, gen);
    dusk_train_options_init(&options);
    options.settings = settings;
    options.settings_count = 1;
    options.epsilon = 1;
    options.delta = 1e-9;
    options.neighbours = DUSK_ADD_REMOVE;
    bench_require(dusk_training_prepare(&t.training, "pca", fields, &options, &err), &err);
    bench_require(learn_features_init(&t.features, fields, DUSK_NO_LINK, false, 0, &err), &err);
    t.features.unmeasured = true;
    bench_times times = bench_compare(run_private, run_plain, &t);
    *out = (bench_result){ .value = times.work, .floor_value = times.floor };
    learn_features_clear(&t.features);
    dusk_training_free(t.training);
    dusk_frame_free(t.frame);
    dusk_fields_free(fields);
}

static const shape narrow = { 1000000, 20 }, wide = { 1000000, 100 };

/* --- utility ----------------------------------------------------------------------------------------------------- */

#define WITHOUT "the same at epsilon 10^6"
#define UTILITY(name, what, unit, ...)                                                                       \
    {                                                                                                        \
        name, what, unit, WITHOUT, "", bench_learn_run, &(const bench_learn) { __VA_ARGS__ }                 \
    }
#define EXPLAINED(name, learner, more, epsilon, delta, trainings)                                            \
    UTILITY(name, "ten components of the digits, share of the variance of the test rows", "explained",       \
            learner, "components=10" more, "mnist", BENCH_EXPLAINED, epsilon, delta, trainings)
#define LIKELIHOOD(name, learner, settings, data, epsilon)                                                   \
    UTILITY(name, "mean log likelihood of a test row", "log likelihood", learner, settings, data,            \
            BENCH_LOG_LIKELIHOOD, epsilon, -1, 10)

const bench_case bench_learn_spectral_cases[] = {
    { "learn/pca/time/1e6x20", "five components of 10^6 rows of 20 columns, from the frame to the model", "s",
      "the same without privacy: mean, dsyrk, eigenvalues", "ratio <= 1.1", run_time, &narrow },
    { "learn/pca/time/1e6x100", "five components of 10^6 rows of 100 columns, from the frame to the model",
      "s", "the same without privacy: mean, dsyrk, eigenvalues", "ratio <= 1.1", run_time, &wide },
    EXPLAINED("learn/pca/mnist/0.1", "pca", "", 0.1, -1, 10),
    EXPLAINED("learn/pca/mnist/0.5", "pca", "", 0.5, -1, 10),
    EXPLAINED("learn/pca/mnist/1", "pca", "", 1, -1, 10),
    EXPLAINED("learn/pca-power/mnist/0.1", "pca", " method=power", 0.1, -1, 10),
    EXPLAINED("learn/pca-power/mnist/1", "pca", " method=power", 1, -1, 10),
    EXPLAINED("learn/pca-sampling/mnist/0.1", "pca_sampling", "", 0.1, -1, 3),
    EXPLAINED("learn/pca-sampling/mnist/1", "pca_sampling", "", 1, -1, 3),
    EXPLAINED("learn/pca-wishart/mnist/0.1", "pca_sampling", " method=wishart centre_share=0.07", 0.1, -1, 3),
    EXPLAINED("learn/pca-wishart/mnist/1", "pca_sampling", " method=wishart centre_share=0.07", 1, -1, 3),
    EXPLAINED("learn/pca-sampling-pure/mnist/1", "pca_sampling", "", 1, 0, 3),
    LIKELIHOOD("learn/covariance/california/0.1", "covariance", "", "california", 0.1),
    LIKELIHOOD("learn/covariance/california/1", "covariance", "", "california", 1),
    LIKELIHOOD("learn/density-tree/adult/0.1", "density", "", "adult", 0.1),
    LIKELIHOOD("learn/density-tree/adult/1", "density", "", "adult", 1),
    LIKELIHOOD("learn/density-independent/adult/0.1", "density", "structure=independent", "adult", 0.1),
    LIKELIHOOD("learn/density-independent/adult/1", "density", "structure=independent", "adult", 1),
    { .name = NULL },
};
