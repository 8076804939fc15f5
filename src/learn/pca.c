/* SPDX-License-Identifier: Apache-2.0 */
/* Principal components of a noisy matrix of second moments ("Analyze Gauss") [Dwork, Talwar, Thakurta & Zhang 2014].
 * The matrix X^T X is an exact sum; a row x of length at most R adds x x^T, of Frobenius norm at most R^2. Noise on the d(d+1)/2
 * numbers of one triangle, those off the diagonal counted sqrt(2) times, so that the norm of what a row adds is that of the
 * whole matrix: it is then sigma on the diagonal and sigma / sqrt(2) off it. What follows is post-processing. Proof of the release: moments.proof.md. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/learner.h"
#include "learn/moments.h"

typedef struct pca_plan {
    learn_moments moments;
    size_t components;
} pca_plan;

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    pca_plan *p = NULL;
    DUSK_TRY(learn_plan_features(job, false, err));
    DUSK_NEW(p, 1);
    job->plan = p;
    p->components = (size_t)learn_setting(job, "components");
    if (p->components > job->features.width)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer", "there are %zu columns, and %zu components",
                         job->features.width, p->components);
    DUSK_TRY(learn_plan_moments(job, &p->moments, job->budget.left, err));
done:
    return status;
}

static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const pca_plan *p = job->plan;
    const size_t d = job->features.width, k = p->components;
    learn_matrix matrix = { .bound = 0 };
    double *moments = NULL, *values = NULL, *parts = NULL;

    DUSK_NEW(moments, d * d);
    DUSK_NEW(values, d);
    DUSK_NEW(parts, k * d);
    DUSK_TRY(learn_fit_features(job, &matrix, frame, gen, err));
    DUSK_TRY(learn_fit_moments(&p->moments, moments, &matrix, gen, err));
    if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', (int)d, moments, (int)d, values) != 0)
        memset(moments, 0, d * d * sizeof *moments); /* of what was released: no component at all */
    for (size_t c = 0; c < k; c++)
        for (size_t j = 0; j < d; j++) parts[c * d + j] = moments[j * d + (d - 1 - c)];
    for (size_t c = 0; c < d / 2; c++) { /* the largest first */
        double swapped = values[c];
        values[c] = values[d - 1 - c];
        values[d - 1 - c] = swapped;
    }
    DUSK_TRY(learn_model_put(job->model, "components", k, d, parts, err));
    DUSK_TRY(learn_model_put(job->model, "moments", 1, d, values, err));
done:
    learn_matrix_clear(&matrix);
    dusk_deallocate(moments);
    dusk_deallocate(values);
    dusk_deallocate(parts);
    return status;
}

static size_t outputs(const dusk_model *model)
{
    size_t rows = 0, columns;
    (void)dusk_model_array(model, "components", &rows, &columns);
    return rows;
}

static dusk_status predict(const dusk_model *model, const dusk_frame *frame, double *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t k, d;
    const double *parts = dusk_model_array(model, "components", &k, &d);
    learn_matrix matrix = { .bound = 0 };
    DUSK_TRY(learn_matrix_make_all(&matrix, &model->features, frame, err));
    for (size_t i = 0; i < matrix.rows.rows; i++)
        for (size_t c = 0; c < k; c++) {
            double sum = 0;
            for (size_t j = 0; j < d; j++)
                sum += (double)matrix.rows.x[i * d + j] / LEARN_ONE * parts[c * d + j];
            out[i * k + c] = sum;
        }
done:
    learn_matrix_clear(&matrix);
    return status;
}

static bool complete(const dusk_model *model)
{
    size_t k, d;
    return dusk_model_array(model, "components", &k, &d) && d == model->features.width && k >= 1 && k <= d;
}

static const dusk_setting settings[] = {
    { "components", "2", NULL, 1, 4096, true, "how many" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_pca = {
    .shown = { "pca", DUSK_TASK_VECTOR, DUSK_NUMERICS_EXACT,
               "principal components (about 0) of a noisy matrix of second moments",
               "Dwork, Talwar, Thakurta & Zhang 2014", settings },
    .plan = plan,
    .fit = fit,
    .outputs = outputs,
    .predict = predict,
    .complete = complete,
};
