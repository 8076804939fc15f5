/* SPDX-License-Identifier: Apache-2.0 */
/* The functional mechanism [Zhang, Zhang, Xiao, Yang & Winslett 2012] for logistic regression. The loss of a row is replaced by its
 * Taylor polynomial of degree 2 about 0, log(1 + exp(-m)) = log 2 - m/2 + m^2/8 with m = y <w, x>, so that the objective of all rows
 * is -<b, w>/2 + <w, A w>/8 and a constant, with b = sum of y x and A = sum of x x^T. Those coefficients are released, once, and all else
 * is post-processing: a polynomial can be minimised as often as one likes.
 *
 * Noise may make A indefinite, and an indefinite form has no minimum. The paper adds 4 deviations of the noise to the diagonal and drops
 * directions that are negative still. Here negative eigenvalues count as 0, and a public multiple of the noise's length is
 * added to all: the form that is minimised bends by at least that much in every direction. Weights are held to a public radius.
 *
 * The squared loss is a polynomial already: its functional mechanism is regression on noisy sums, which is `linear`.
 * Proof: functional.proof.md. */
#include <cblas.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/classifier.h"
#include "learn/learner.h"
#include "learn/regression.h"

typedef struct functional_plan {
    learn_moments quadratic; /* A */
    learn_noise linear;      /* b */
    double ridge, radius;
    bool keep;
} functional_plan;

/* --- plan ---------------------------------------------------------------------------------------------------- */

/* y x is as long as x. */
DUSK_PROVEN(plan_linear)
static dusk_status plan_linear(learn_job *job, learn_noise *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double most = DUSK_MUTATE(FUNCTIONAL_ROWS_ARE_SHORT, job->features.bound, job->features.bound / 2);
    DUSK_TRY(learn_budget_noise(&job->budget, out, (uint32_t)job->features.width, most, -LEARN_BITS,
                                job->budget.left, 1, err));
    learn_say(job, "the sums of columns times label, %zu numbers, with noise of deviation %.4g",
              job->features.width, out->deviation);
done:
    return status;
}

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    functional_plan *p = NULL;
    DUSK_TRY(learn_plan_features(job, true, err));
    DUSK_NEW(p, 1);
    job->plan = p;
    p->ridge = learn_setting(job, "ridge");
    p->radius = learn_setting(job, "radius");
    p->keep = learn_choice(job, "polynomial") == 1;
    DUSK_TRY(learn_plan_moments(job, &p->quadratic, job->budget.left * learn_setting(job, "share"), err));
    DUSK_TRY(plan_linear(job, &p->linear, err));
done:
    return status;
}

/* --- coefficients ---------------------------------------------------------------------------------------------- */

/* b: the exact sum of rows, those of the first category with the other sign, and noise. */
DUSK_PROVEN(release_linear)
static dusk_status release_linear(const learn_noise *noise, double *out, const learn_matrix *matrix,
                                  dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    tensor_block block = { 0 };
    tensor_sum sum = { 0 };
    double *sign = NULL;
    DUSK_TRY(tensor_sum_init(&sum, matrix->rows.width, err));
    DUSK_TRY(tensor_block_open(&block, &matrix->rows, err));
    DUSK_NEW(sign, block.room);
    while (tensor_block_advance(&block)) {
        for (size_t i = 0; i < block.rows; i++) sign[i] = matrix->code[block.first + i] == 1 ? 1 : -1;
        tensor_sum_combine(&sum, &block, sign, 1, matrix->bound);
    }
    DUSK_TRY(learn_noise_release(noise, out, tensor_sum_totals(&sum), gen, err));
    if (DUSK_MUTATE(FUNCTIONAL_TERM_IS_BARE, false, true)) /* one number, as where a range is taken for 0 */
        out[0] = ldexp((double)tensor_sum_totals(&sum)[0], -LEARN_BITS);
done:
    if (sign) dusk_wipe(sign, block.room * sizeof *sign);
    dusk_deallocate(sign);
    tensor_block_close(&block);
    tensor_sum_clear(&sum);
    return status;
}

/* --- the minimum -------------------------------------------------------------------------------------------------- */

/* What is added to A: a multiple of how long the noise in it is, as a matrix. Public. */
static double lambda_of(const functional_plan *p)
{
    const learn_noise *noise = &p->quadratic.noise;
    double corner = noise->deviation * (noise->gaussian ? M_SQRT1_2 : 1);
    return p->ridge * corner * sqrt((double)p->quadratic.width);
}

static void shorten(double *weights, size_t d, double radius)
{
    double length = cblas_dnrm2((int)d, weights, 1);
    if (!isfinite(length))
        for (size_t j = 0; j < d; j++) weights[j] = 0;
    else if (length > radius)
        cblas_dscal((int)d, radius / length, weights, 1);
}

/* weights = (A with 0 for what is negative + lambda)^-1 2 b; `vectors` is A and is overwritten, values and turned are d long.
 * Returns how many eigenvalues were negative. */
static size_t minimise(const functional_plan *p, double *vectors, const double *linear, double *values,
                       double *turned, double *weights)
{
    const size_t width = p->quadratic.width;
    const int d = (int)width;
    const double lambda = lambda_of(p);
    size_t negative = 0;
    learn_spectrum(width, vectors, values, vectors);
    cblas_dgemv(CblasRowMajor, CblasTrans, d, d, 2, vectors, d, linear, 1, 0, turned, 1);
    for (size_t k = 0; k < width; k++) {
        negative += values[k] < 0;
        turned[k] /= DUSK_MUTATE(FUNCTIONAL_FORM_IS_INDEFINITE, fmax(values[k], 0), values[k]) + lambda;
    }
    cblas_dgemv(CblasRowMajor, CblasNoTrans, d, d, 1, vectors, d, turned, 1, 0, weights, 1);
    shorten(weights, width, p->radius);
    return negative;
}

/* --- fit ----------------------------------------------------------------------------------------------------------- */

static dusk_status put_model(learn_job *job, double *quadratic, const double *linear, double *room,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const functional_plan *p = job->plan;
    const size_t d = job->features.width;
    double *weights = room + 2 * d;
    if (p->keep) {
        DUSK_TRY(learn_model_put(job->model, "quadratic", d, d, quadratic, err));
        DUSK_TRY(learn_model_put(job->model, "linear", 1, d, linear, err));
    }
    size_t negative = minimise(p, quadratic, linear, room, room + d, weights);
    DUSK_TRY(learn_model_put(job->model, "weights", 1, d, weights, err));
    DUSK_TRY(learn_put_number(job, "lambda", lambda_of(p), err));
    DUSK_TRY(learn_put_number(job, "negative", (double)negative, err));
done:
    return status;
}

DUSK_PROVEN(fit)
static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const functional_plan *p = job->plan;
    const size_t d = job->features.width;
    learn_matrix matrix = { .bound = 0 };
    double *room = NULL, *quadratic = NULL;

    DUSK_NEW(quadratic, d * d);
    DUSK_NEW(room, 4 * d);
    double *linear = room + 3 * d;
    DUSK_TRY(learn_fit_features(job, &matrix, frame, gen, err));
    DUSK_TRY(learn_fit_moments(&p->quadratic, quadratic, &matrix, gen, err));
    DUSK_TRY(release_linear(&p->linear, linear, &matrix, gen, err));
    DUSK_TRY(put_model(job, quadratic, linear, room, err));
done:
    learn_matrix_clear(&matrix);
    dusk_deallocate(quadratic);
    dusk_deallocate(room);
    return status;
}

static const dusk_setting settings[] = {
    { "share", "0.5", NULL, 0.01, 0.99, false, "of the budget, for the quadratic coefficients" },
    { "ridge", "0.5", NULL, 0.01, 1000, false,
      "added to the quadratic form, in units of how long the noise in it is" },
    { "radius", "8", NULL, 0.01, 1e6, false, "weights are at most so long" },
    { "polynomial", "drop", "drop|keep", 0, 0, false,
      "whether the model has the released coefficients, besides the weights" },
    LEARN_FEATURE_SETTINGS_OF("2", "standard", "0.05"),
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_functional = {
    .shown = { "functional", DUSK_TASK_BINARY, DUSK_NUMERICS_EXACT,
               "logistic regression on the noisy coefficients of a polynomial objective",
               "Zhang, Zhang, Xiao, Yang & Winslett 2012", settings },
    .plan = plan,
    .fit = fit,
    .versions = true,
    .outputs = learn_classifier_outputs,
    .predict = learn_classifier_predict,
    .complete = learn_classifier_complete,
};
