/* SPDX-License-Identifier: Apache-2.0 */
/* A Johnson-Lindenstrauss sketch of all rows [Blocki, Blum, Datta & Sheffet 2012]: r random combinations of the rows, Y = G X for a matrix G of normal
 * numbers that is thrown away, so that |Y v|^2 / r is about |X v|^2 for every direction v. Each row of Y is normal with covariance X^T X; where that is wide in
 * every direction, one row more or less hardly shows. So a noisy least eigenvalue of X^T X is released first (the test of singular values that
 * the method needs), and what it lacks of the width that the promise needs is added, as w^2 times the identity.
 *
 * What is promised: (epsilon, delta) for the sketch and the test, add or remove one row, in ideal arithmetic: normal numbers are drawn in doubles. What
 * is not: a projection of each row by itself (X R for a public R) hides nothing, and is not what this releases. The model has the sketch, and
 * the components that it shows, by which a row gets coordinates. Proof: projection.proof.md. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/learner.h"
#include "learn/normals.h"
#include "learn/spectrum.h"
#include "numeric/special.h"

#define TEST_PART 0.1 /* of epsilon, for the least eigenvalue */

typedef struct projection_plan {
    size_t components, size;
    double width;  /* what the least eigenvalue has to be, in units of the longest row squared */
    double margin; /* the test errs by more with probability delta / 2 at most, a row's own part included */
    dusk_noise test;
} projection_plan;

/* --- how wide ------------------------------------------------------------------------------------------------- */

/* Bounds on delta at epsilon of r normal numbers of variance 1 + t beside 1, and the other way round. */
static double delta_of(double epsilon, double t, double r)
{
    const double shift = r / 2 * log1p(t), scale = 2 * (1 + t) / t;
    const double high = (shift + epsilon) * scale, low = (shift - epsilon) * scale;
    const double with_row = dusk_gamma_q(r / 2, high / 2 / (1 + t));
    const double without_row = low > 0 ? dusk_gamma_p(r / 2, low / 2) : 0;
    return fmax(with_row, without_row);
}

/* The largest t with delta_of(t) <= delta, a hair less. */
static double find_t(double epsilon, double delta, double r)
{
    double low = 0, high = 1e6;
    for (int turn = 0; turn < 200 && high - low > 1e-12 * high; turn++) {
        double t = low > 0 ? sqrt(low * high) : high / 1024;
        if (delta_of(epsilon, t, r) <= delta)
            low = t;
        else
            high = t;
        if (high < 1e-200) break;
    }
    return low * (1 - 1e-6);
}

/* --- plan --------------------------------------------------------------------------------------------------------- */

static dusk_status check(const learn_job *job, size_t d, size_t k, dusk_error *err)
{
    if (!(job->budget.delta > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a delta such as 1e-6",
                         "a sketch of rows needs a delta above 0");
    if (job->budget.factor != 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use pca",
                         "a sketch of rows is private for one row that is added or removed only");
    if (k > d || d > 4096)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer",
                         "there are %zu columns (at most 4096), and %zu components", d, k);
    return DUSK_OK;
}

DUSK_PROVEN(plan)
static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    projection_plan *p = NULL;
    double epsilon, half;

    DUSK_TRY(learn_plan_features(job, false, err));
    DUSK_NEW(p, 1);
    job->plan = p;
    p->components = (size_t)learn_setting(job, "components");
    p->size = (size_t)learn_setting(job, "size");
    DUSK_TRY(check(job, job->features.width, p->components, err));
    DUSK_TRY(learn_model_room((double)(p->size + p->components) * (double)job->features.width, err));
    half = job->budget.delta / (job->budget.any ? 4 : 2); /* what scaling costs needs some of it */
    DUSK_TRY(learn_budget_rest(&job->budget, &epsilon, 2 * half, err)); /* test and sketch together */
    if (!(epsilon > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use scaling=bounds",
                         "scaling leaves nothing for the sketch");
    DUSK_TRY(dusk_laplace_init(&p->test, 1, 1, TEST_PART * epsilon, DUSK_GRID_DEFAULT, err));
    p->margin = 1 + p->test.scale * log(1 / half) * (1 + 0x1p-20);
    p->width = 1 / find_t((1 - TEST_PART) * epsilon * (1 - 0x1p-10), half, (double)p->size);
    if (!isfinite(p->width))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a larger epsilon or delta",
                         "no width of rows makes a sketch of this promise");
    learn_say(job, "the least eigenvalue of the matrix of second moments, with noise of deviation %.4g rows",
              p->test.scale * M_SQRT2);
    learn_say(job,
              "%zu random combinations of all rows, which are made %.6g rows wide in every direction where "
              "the test does not "
              "show that they are",
              p->size, p->width);
done:
    return status;
}

/* --- fit ------------------------------------------------------------------------------------------------------------ */

/* X^T X in units of the longest row squared. */
static dusk_status add_up(double *out, const learn_matrix *matrix, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = matrix->rows.width;
    const double square = matrix->bound * matrix->bound;
    tensor_sum sum = { 0 };
    tensor_block block = { 0 };
    DUSK_TRY(tensor_sum_init(&sum, d * d, err));
    DUSK_TRY(tensor_block_open(&block, &matrix->rows, err));
    while (tensor_block_next(&block)) tensor_sum_gram(&sum, &block, square);
    const dusk_int128 *totals = tensor_sum_totals(&sum);
    for (size_t i = 0; i < d * d; i++) out[i] = (double)totals[i] / square;
done:
    tensor_block_close(&block);
    tensor_sum_clear(&sum);
    return status;
}

/* How much has to be added to every eigenvalue. */
DUSK_PROVEN(test_width)
static dusk_status test_width(const projection_plan *p, double *added, double least, dusk_generator *gen,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double noisy;
    DUSK_TRY(dusk_noise_release(&p->test, &noisy, fmax(least, 0), gen, err));
    double sure = noisy - DUSK_MUTATE(PROJECTION_TEST_IS_SURE, p->margin, -p->width);
    *added = fmax(p->width - fmax(sure, 0), 0);
done:
    return status;
}

/* sketch: size * d numbers; values and vectors are the eigenvalues and eigenvectors of X^T X. */
DUSK_PROVEN(draw_sketch)
static dusk_status draw_sketch(double *sketch, size_t size, const double *values, double *vectors,
                               double added, size_t d, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *normals = NULL;
    DUSK_NEW(normals, size * d);
    DUSK_TRY(learn_normals(normals, size * d, gen, err));
    for (size_t c = 0; c < d; c++) cblas_dscal((int)d, sqrt(fmax(values[c], 0) + added), vectors + c * d, 1);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)size, (int)d, (int)d, 1, normals, (int)d,
                vectors, (int)d, 0, sketch, (int)d);
done:
    if (normals) dusk_wipe(normals, size * d * sizeof *normals);
    dusk_deallocate(normals);
    return status;
}

/* What the sketch shows: eigenvalues of Y^T Y / r, less what was added. */
static dusk_status put(learn_job *job, double *sketch, double added, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const projection_plan *p = job->plan;
    const size_t d = job->features.width, k = p->components;
    const double unit = job->features.bound / LEARN_ONE;
    double *matrix = NULL, *parts = NULL, *values = NULL, *zeros = NULL, total = 0,
           ridge = added * unit * unit;

    DUSK_NEW(matrix, d * d);
    DUSK_NEW(parts, k * d);
    DUSK_NEW(values, k);
    DUSK_NEW(zeros, d);
    const learn_ball ball = { .width = d, .centre = zeros, .radius = job->features.bound };
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)d, (int)d, (int)p->size, 1 / (double)p->size,
                sketch, (int)d, sketch, (int)d, 0, matrix, (int)d);
    for (size_t j = 0; j < d; j++) total += matrix[j * d + j] - added;
    DUSK_TRY(learn_eigenvectors(matrix, d, k, values, parts, err));
    for (size_t c = 0; c < k; c++) values[c] = fmax(values[c] - added, 0);
    DUSK_TRY(learn_put_components(job->model, &ball, NULL, parts, k, values, total, err));
    cblas_dscal((int)(p->size * d), unit, sketch, 1);
    DUSK_TRY(learn_model_put(job->model, "sketch", p->size, d, sketch, err));
    DUSK_TRY(learn_model_put(job->model, "ridge", 1, 1, &ridge, err));
done:
    dusk_deallocate(matrix);
    dusk_deallocate(parts);
    dusk_deallocate(values);
    dusk_deallocate(zeros);
    return status;
}

static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const projection_plan *p = job->plan;
    const size_t d = job->features.width;
    learn_matrix matrix = { .bound = 0 };
    double *moments = NULL, *values = NULL, *vectors = NULL, *sketch = NULL, added;

    DUSK_NEW(moments, d * d);
    DUSK_NEW(values, d);
    DUSK_NEW(vectors, d * d);
    DUSK_NEW(sketch, p->size * d);
    DUSK_TRY(learn_fit_features(job, &matrix, frame, gen, err));
    DUSK_TRY(add_up(moments, &matrix, err));
    DUSK_TRY(learn_eigenvectors(moments, d, d, values, vectors, err));
    DUSK_TRY(test_width(p, &added, values[d - 1], gen, err));
    DUSK_TRY(draw_sketch(sketch, p->size, values, vectors, added, d, gen, err));
    DUSK_TRY(put(job, sketch, added, err));
done:
    learn_matrix_clear(&matrix);
    if (moments) dusk_wipe(moments, d * d * sizeof *moments);
    if (vectors) dusk_wipe(vectors, d * d * sizeof *vectors);
    if (values) dusk_wipe(values, d * sizeof *values);
    dusk_deallocate(moments);
    dusk_deallocate(values);
    dusk_deallocate(vectors);
    dusk_deallocate(sketch);
    return status;
}

static const dusk_setting settings[] = {
    { "components", "2", NULL, 1, 4096, true, "how many" },
    { "size", "256", NULL, 1, 16384, true, "random combinations of rows; errors are about 1 / sqrt(size)" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_projection = {
    .shown = { "projection", DUSK_TASK_VECTOR, DUSK_NUMERICS_IDEALISED,
               "a Johnson-Lindenstrauss sketch of all rows, and the components that it shows",
               "Blocki, Blum, Datta & Sheffet 2012", settings },
    .plan = plan,
    .fit = fit,
    .outputs = learn_components_outputs,
    .predict = learn_components_predict,
    .complete = learn_components_complete,
    .add_remove_only = true,
};
