/* SPDX-License-Identifier: Apache-2.0 */
/* Means, second moments, covariances and correlations of all columns, from one release: the matrix of second moments of rows with a
 * constant 1 [Dwork, Talwar, Thakurta & Zhang 2014, with the mean in the same release]. Everything else is post-processing: the
 * covariance is the nearest one without negative eigenvalues. As a density it is the normal one with that mean and covariance, of rows as
 * vectors; directions that noise hides are as wide as the noise. Rows that `norm` scales down count with the square of their factor.
 * Proof of the release: moments.proof.md. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "learn/learner.h"
#include "learn/moments.h"
#include "learn/spectrum.h"

#define LEAST_VARIANCE 0x1p-24

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_moments *moments = NULL;
    DUSK_TRY(learn_plan_features(job, true, err));
    job->features.unmeasured = true;
    DUSK_TRY(learn_model_room(5 * pow((double)job->features.width, 2), err));
    DUSK_NEW(moments, 1);
    job->plan = moments;
    DUSK_TRY(learn_plan_moments(job, moments, job->budget.left, err));
done:
    return status;
}

/* What is made of the matrix. */
typedef struct tables {
    double *mean, *moments, *covariance, *correlation, *whitening; /* d, d * d, d * d, d * d, d * (d + 1) */
    double *values, *vectors;
    double count, noise, log_determinant;
} tables;

static dusk_status open_tables(tables *t, size_t d, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_NEW(t->mean, d);
    DUSK_NEW(t->moments, d * d);
    DUSK_NEW(t->covariance, d * d);
    DUSK_NEW(t->correlation, d * d);
    DUSK_NEW(t->whitening, d * (d + 1));
    DUSK_NEW(t->values, d);
    DUSK_NEW(t->vectors, d * d);
done:
    return status;
}

static void close_tables(tables *t)
{
    dusk_deallocate(t->mean);
    dusk_deallocate(t->moments);
    dusk_deallocate(t->covariance);
    dusk_deallocate(t->correlation);
    dusk_deallocate(t->whitening);
    dusk_deallocate(t->values);
    dusk_deallocate(t->vectors);
}

static void take_moments(tables *t, const double *matrix, size_t d, double norm)
{
    const size_t wide = d + 1;
    double square = 0;
    for (size_t j = 0; j < d; j++) {
        t->mean[j] = matrix[j * wide + d] / t->count;
        square += t->mean[j] * t->mean[j];
    }
    for (size_t j = 0; j < d; j++) t->mean[j] /= fmax(sqrt(square) / norm, 1); /* no longer than rows */
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            t->moments[i * d + j] = matrix[i * wide + j] / t->count;
            t->correlation[i * d + j] = t->moments[i * d + j] - t->mean[i] * t->mean[j];
        }
}

/* Covariance and whitening from the eigenvalues of what `correlation` holds for now. */
static dusk_status take_spectrum(tables *t, size_t d, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double least = fmax(2 * t->noise * sqrt((double)d), LEAST_VARIANCE);
    t->log_determinant = 0;
    DUSK_TRY(learn_eigenvectors(t->correlation, d, d, t->values, t->vectors, err));
    for (size_t c = 0; c < d; c++) {
        double width = fmax(t->values[c], least), *to = t->whitening + c * (d + 1);
        t->log_determinant += log(width);
        for (size_t j = 0; j < d; j++) to[j] = t->vectors[c * d + j] / sqrt(width);
        to[d] = -cblas_ddot((int)d, to, 1, t->mean, 1);
        cblas_dscal((int)d, sqrt(fmax(t->values[c], 0)), t->vectors + c * d, 1);
    }
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)d, (int)d, (int)d, 1, t->vectors, (int)d,
                t->vectors, (int)d, 0, t->covariance, (int)d);
done:
    return status;
}

static void take_correlations(tables *t, size_t d)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            double scale = sqrt(t->covariance[i * d + i]) * sqrt(t->covariance[j * d + j]);
            double r = scale > 0 ? t->covariance[i * d + j] / scale : 0;
            t->correlation[i * d + j] = i == j ? 1 : fmin(fmax(r, -1), 1);
        }
}

static dusk_status put_tables(dusk_model *model, const tables *t, const double *released, size_t d,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(learn_model_put(model, "sums", d + 1, d + 1, released, err));
    DUSK_TRY(learn_model_put(model, "count", 1, 1, &t->count, err));
    DUSK_TRY(learn_model_put(model, "noise", 1, 1, &t->noise, err));
    DUSK_TRY(learn_model_put(model, "mean", 1, d, t->mean, err));
    DUSK_TRY(learn_model_put(model, "moments", d, d, t->moments, err));
    DUSK_TRY(learn_model_put(model, "covariance", d, d, t->covariance, err));
    DUSK_TRY(learn_model_put(model, "correlation", d, d, t->correlation, err));
    DUSK_TRY(learn_model_put(model, "whitening", d, d + 1, t->whitening, err));
    DUSK_TRY(learn_model_put(model, "log_determinant", 1, 1, &t->log_determinant, err));
done:
    return status;
}

static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_moments *p = job->plan;
    const size_t wide = p->width, d = wide - 1;
    learn_matrix matrix = { .bound = 0 };
    double *released = NULL;
    tables t = { .mean = NULL };

    DUSK_NEW(released, wide * wide);
    DUSK_TRY(open_tables(&t, d, err));
    DUSK_TRY(learn_fit_features(job, &matrix, frame, gen, err));
    DUSK_TRY(learn_fit_moments(p, released, &matrix, gen, err));
    t.count = job->rows > 0 ? (double)job->rows : fmax(released[d * wide + d], 1);
    t.noise = p->noise.deviation * (p->noise.gaussian ? M_SQRT1_2 : 1) / t.count;
    take_moments(&t, released, d, job->features.norm);
    DUSK_TRY(take_spectrum(&t, d, err));
    take_correlations(&t, d);
    DUSK_TRY(put_tables(job->model, &t, released, d, err));
done:
    learn_matrix_clear(&matrix);
    close_tables(&t);
    dusk_deallocate(released);
    return status;
}

static size_t outputs(const dusk_model *model)
{
    (void)model;
    return 1;
}

/* The constant column makes the whitening affine. */
static dusk_status predict(const dusk_model *model, const dusk_frame *frame, double *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t d = 0, wide;
    const double *whitening = dusk_model_array(model, "whitening", &d, &wide);
    const double base = (double)d * log(2 * M_PI) + learn_model_number(model, "log_determinant", 0);
    learn_matrix matrix = { .bound = 0 };
    tensor_block block = { 0 };
    double *white = NULL;

    DUSK_TRY(learn_matrix_make_all(&matrix, &model->features, frame, err));
    DUSK_TRY(tensor_block_open(&block, &matrix.rows, err));
    DUSK_NEW(white, block.room * d);
    while (tensor_block_next(&block)) {
        tensor_block_multiply(&block, white, whitening, d); /* of real numbers: rounded, which is fine here */
        for (size_t i = 0; i < block.rows; i++) {
            double square = cblas_ddot((int)d, white + i * d, 1, white + i * d, 1) / LEARN_ONE / LEARN_ONE;
            out[block.first + i] = -(base + square) / 2;
        }
    }
done:
    tensor_block_close(&block);
    learn_matrix_clear(&matrix);
    dusk_deallocate(white);
    return status;
}

static bool complete(const dusk_model *model)
{
    size_t d, wide;
    const double *whitening = dusk_model_array(model, "whitening", &d, &wide);
    return whitening && wide == model->features.width && d + 1 == wide &&
           learn_all_finite(whitening, d * wide) &&
           isfinite(learn_model_number(model, "log_determinant", NAN));
}

static const dusk_setting settings[] = {
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_covariance = {
    .shown = { "covariance", DUSK_TASK_DENSITY, DUSK_NUMERICS_EXACT,
               "means, second moments, covariances and correlations of all columns, and the normal density "
               "they make",
               "Dwork, Talwar, Thakurta & Zhang 2014", settings },
    .plan = plan,
    .fit = fit,
    .versions = true,
    .outputs = outputs,
    .predict = predict,
    .complete = complete,
};
