/* SPDX-License-Identifier: Apache-2.0 */
/* Principal components drawn by the exponential mechanism, pure epsilon: a direction v with probability proportional to exp(epsilon |X v|^2 /
 * R^2) [Chaudhuri, Sarwate & Sinha 2013], and after it the next one among those perpendicular to it [iterative eigenvector sampling: Amin,
 * Dick, Kulesza, Munoz Medina & Vassilvitskii 2019]. One row adds between 0 and R^2 to |X v|^2, the same way for all v, so no factor of 2 is lost.
 * Mean, distances and variances are released besides (ball.h). The law of the directions is drawn in doubles, and holds for real numbers
 * only: idealised. Or, with a delta, of X^T X with Wishart noise (wishart.h). Proof: pca_sampling.proof.md. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/ball.h"
#include "learn/bingham.h"
#include "learn/learner.h"
#include "learn/spectrum.h"
#include "learn/wishart.h"

typedef struct sampling_plan {
    size_t components;
    bool by_wishart;
    learn_wishart wishart;
    learn_ball_plan ball;
    learn_noise variances; /* along components, and of all columns together */
    double
        concentration; /* epsilon of a direction over what a change of the data does, in units of the radius squared */
} sampling_plan;

DUSK_PROVEN(plan)
static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    sampling_plan *p = NULL;
    double epsilon;
    DUSK_TRY(learn_plan_features(job, false, err));
    job->features.unmeasured = true;
    DUSK_NEW(p, 1);
    job->plan = p;
    const size_t d = job->features.width, k = (size_t)learn_setting(job, "components");
    p->components = k;
    if (k > d || d > 4096)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, k > d ? "ask for fewer" : "use pca with method=power",
                         "there are %zu columns (at most 4096), and %zu components", d, k);
    DUSK_TRY(learn_plan_ball(job, &p->ball,
                             learn_choice(job, "centre") == 0 ? learn_setting(job, "centre_share") : 0,
                             learn_choice(job, "radius") == 0 ? 0.03 : 0, err));
    p->by_wishart = learn_choice(job, "method") == 1;
    if (p->by_wishart) return learn_plan_wishart(job, &p->wishart, err);
    DUSK_TRY(learn_budget_noise(&job->budget, &p->variances, (uint32_t)k + 1,
                                ceil(M_SQRT2 * LEARN_BALL * LEARN_BALL), -2 * LEARN_BALL_BITS, 0.05, 1, err));
    DUSK_TRY(learn_budget_choices(&job->budget, &epsilon, k, err));
    p->concentration = epsilon / DUSK_MUTATE(SAMPLING_MOVES_ONE_ROW, job->budget.factor, 1);
    learn_say(job, "%zu directions v by exp(%.6g |X v|^2), rows being at most 1 long: epsilon %s each", k,
              p->concentration, dusk_shown_up(epsilon, 6).text);
    learn_say(job, "how much there is along each, with noise of deviation %.4g", p->variances.deviation);
done:
    return status;
}

/* --- rows ---------------------------------------------------------------------------------------------------- */

/* X^T X of rows in the ball, in units of the radius squared. */
static dusk_status add_up(double *out, const learn_ball *ball, const learn_matrix *matrix, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = matrix->rows.width;
    tensor_sum sum = { 0 };
    tensor_block block = { 0 };
    DUSK_TRY(tensor_sum_init(&sum, d * d, err));
    DUSK_TRY(tensor_block_open(&block, &matrix->rows, err));
    while (tensor_block_advance(&block)) {
        learn_ball_map(ball, &block);
        tensor_sum_gram(&sum, &block, LEARN_BALL * LEARN_BALL);
    }
    const dusk_int128 *totals = tensor_sum_totals(&sum);
    for (size_t i = 0; i < d * d; i++) out[i] = (double)totals[i] / (LEARN_BALL * LEARN_BALL);
done:
    tensor_block_close(&block);
    tensor_sum_clear(&sum);
    return status;
}

/* --- directions ------------------------------------------------------------------------------------------------ */

/* The reflection that takes v (of length 1) to the last axis is 1 - 2 w w^T; w over v. */
static void make_reflection(double *v, size_t m)
{
    double sign = v[m - 1] > 0 ? 1 : -1;
    v[m - 1] += sign; /* to the axis or its opposite, whichever is farther: nothing cancels */
    cblas_dscal((int)m, 1 / cblas_dnrm2((int)m, v, 1), v, 1);
}

/* x (m numbers) by the reflection of w. */
static void reflect(double *x, const double *w, size_t m)
{
    cblas_daxpy((int)m, -2 * cblas_ddot((int)m, x, 1, w, 1), w, 1, x, 1);
}

/* The matrix in the space perpendicular to v: reflected on both sides, less the last row and column; m * m to (m - 1) * (m - 1). */
static void deflate(double *matrix, const double *w, size_t m)
{
    for (size_t i = 0; i < m; i++) reflect(matrix + i * m, w, m);
    for (size_t j = 0; j < m; j++) /* the other side, column by column */
        cblas_daxpy((int)m, -2 * cblas_ddot((int)m, matrix + j, (int)m, w, 1), w, 1, matrix + j, (int)m);
    for (size_t i = 0; i + 1 < m; i++)
        memmove(matrix + i * (m - 1), matrix + i * m, (m - 1) * sizeof *matrix);
}

/* Draw direction c among those that are left, d - c dimensions, and write it as a vector of all columns. reflections has the earlier
 * ones, c of them, d numbers each. */
DUSK_PROVEN(draw_direction)
static dusk_status draw_direction(double *out, double *matrix, double *reflections, size_t c, size_t d,
                                  double concentration, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t m = d - c;
    double *scaled = NULL, *own = reflections + c * d;
    DUSK_NEW(scaled, m * m);
    for (size_t i = 0; i < m * m; i++) scaled[i] = concentration * matrix[i];
    DUSK_TRY(learn_bingham_draw(own, scaled, m, gen, err));
    memset(out, 0, d * sizeof *out);
    memcpy(out, own, m * sizeof *out);
    for (size_t r = c; r-- > 0;) reflect(out, reflections + r * d, d - r);
    make_reflection(own, m);
    deflate(matrix, own, m);
done:
    if (scaled) dusk_wipe(scaled, m * m * sizeof *scaled);
    dusk_deallocate(scaled);
    return status;
}

/* v^T A v for each component, and the trace, with noise. */
DUSK_PROVEN(release_variances)
static dusk_status release_variances(const sampling_plan *p, double *values, const double *matrix,
                                     const double *components, size_t d, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t k = p->components;
    dusk_int128 *totals = NULL;
    double *product = NULL, trace = 0;
    DUSK_NEW(totals, k + 1);
    DUSK_NEW(product, d);
    for (size_t c = 0; c < k; c++) {
        const double *v = components + c * d;
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)d, (int)d, 1, matrix, (int)d, v, 1, 0, product, 1);
        totals[c] = (dusk_int128)rint(cblas_ddot((int)d, v, 1, product, 1) * LEARN_BALL * LEARN_BALL);
    }
    for (size_t j = 0; j < d; j++) trace += matrix[j * d + j];
    totals[k] = (dusk_int128)rint(trace * LEARN_BALL * LEARN_BALL);
    DUSK_TRY(learn_noise_release(&p->variances, values, totals, gen, err));
done:
    dusk_deallocate(totals);
    dusk_deallocate(product);
    return status;
}

static dusk_status draw_all(const learn_job *job, double *components, double *values, const double *matrix,
                            size_t d, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const sampling_plan *p = job->plan;
    double *left = NULL, *reflections = NULL;
    DUSK_NEW(left, d * d);
    DUSK_NEW(reflections, p->components * d);
    memcpy(left, matrix, d * d * sizeof *left);
    for (size_t c = 0; c < p->components; c++) {
        DUSK_TRY(draw_direction(components + c * d, left, reflections, c, d, p->concentration, gen, err));
        learn_progress(job, (double)(c + 1) / (double)(p->components + 1));
    }
    DUSK_TRY(release_variances(p, values, matrix, components, d, gen, err));
done:
    if (left) dusk_wipe(left, d * d * sizeof *left);
    dusk_deallocate(left);
    dusk_deallocate(reflections);
    return status;
}

/* Components of the matrix with noise; it is overwritten. values has one more number than components, the trace. */
static dusk_status fit_wishart(const sampling_plan *p, double *components, double *values, double *matrix,
                               size_t d, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double noise = p->wishart.scale * sqrt((double)p->wishart.rows);
    double trace = 0;
    DUSK_TRY(learn_fit_wishart(&p->wishart, matrix, gen, err));
    for (size_t j = 0; j < d; j++) trace += matrix[j * d + j];
    DUSK_TRY(learn_eigenvectors(matrix, d, p->components, values, components, err));
    for (size_t c = 0; c < p->components; c++) values[c] = learn_value_without_noise(values[c], noise, d);
    values[p->components] = trace;
done:
    return status;
}

static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const sampling_plan *p = job->plan;
    const size_t d = job->features.width, k = p->components;
    learn_matrix matrix = { .bound = 0 };
    learn_ball ball = { 0 };
    double *moments = NULL, *components = NULL, *values = NULL;

    DUSK_NEW(moments, d * d);
    DUSK_NEW(components, k * d);
    DUSK_NEW(values, k + 1);
    DUSK_TRY(learn_fit_features(job, &matrix, frame, gen, err));
    DUSK_TRY(learn_fit_ball(job, &p->ball, &ball, &matrix, gen, err));
    DUSK_TRY(add_up(moments, &ball, &matrix, err));
    if (p->by_wishart)
        status = fit_wishart(p, components, values, moments, d, gen, err);
    else
        status = draw_all(job, components, values, moments, d, gen, err);
    if (status != DUSK_OK) goto done;
    for (size_t c = 0; c <= k; c++) values[c] /= ball.count;
    DUSK_TRY(learn_put_components(job->model, &ball, NULL, components, k, values, values[k], err));
done:
    learn_ball_clear(&ball);
    learn_matrix_clear(&matrix);
    if (moments) dusk_wipe(moments, d * d * sizeof *moments);
    dusk_deallocate(moments);
    dusk_deallocate(components);
    dusk_deallocate(values);
    return status;
}

static const dusk_setting settings[] = {
    { "components", "2", NULL, 1, 4096, true, "how many" },
    { "method", "exponential", "exponential|wishart", 0, 0, false,
      "directions that are drawn, or those of a matrix with Wishart noise, which needs a delta" },
    { "centre", "yes", "yes|no", 0, 0, false, "about a released mean, or about the middle of the bounds" },
    { "centre_share", "0.3", NULL, 0.001, 0.9, false, "of the budget, for the mean" },
    { "radius", "median", "median|bounds", 0, 0, false,
      "rows farther away than a released median distance count as if they were that far, or none does" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_pca_sampling = {
    .shown = { "pca_sampling", DUSK_TASK_VECTOR, DUSK_NUMERICS_IDEALISED,
               "principal components drawn one after the other by the exponential mechanism, or with Wishart "
               "noise",
               "Chaudhuri, Sarwate & Sinha 2013; Amin et al. 2019; Sheffet 2015", settings },
    .plan = plan,
    .fit = fit,
    .outputs = learn_components_outputs,
    .predict = learn_components_predict,
    .complete = learn_components_complete,
};
