/* SPDX-License-Identifier: Apache-2.0 */
/* The Bernstein mechanism [Alda & Rubinstein 2017] for the objective of a linear model of few columns: the sum of the losses of all rows, as a
 * function of the weights, is released by its values on a public lattice in a box of weights, and all else is post-processing. The
 * iterated Bernstein operator makes a polynomial of them, which is minimised within the box: noise cannot carry weights out of it, whichever way the
 * polynomial bends, and nothing is asked of the loss.
 *
 * The paper adds Laplace noise for the most that a value moves times the number of values. Here what a row adds is one vector, its losses
 * at all points of the lattice less its loss at 0, in whole steps; vectors longer than a public length are scaled down to it, and noise is for
 * that length. On a lattice about 0 the margins of a row have squares that add to |x|^2 times a public number, whatever its direction: most rows are
 * far shorter than the worst at every point would make them.
 *
 * A lattice of k + 1 points a side has (k + 1)^d of them: wide rows want other learners. Proof: bernstein.proof.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/classifier.h"
#include "learn/learner.h"
#include "learn/polynomial.h"
#include "learn/regression.h"
#include "learn/risk.h"

enum { POINTS_MOST = 4096 };
#define GRID (-10) /* a step of a loss: LEARN_RISK_ONE of them are 1 */

typedef struct bernstein_plan {
    learn_risk risk;
    learn_noise noise;
    size_t degree, points, iterations;
    double radius, penalty;
    double most;     /* the length of what one row adds, in steps */
    double *weights; /* of the lattice: points * width, in steps */
    bool keep;
} bernstein_plan;

static void forget(void *plan)
{
    bernstein_plan *p = plan;
    if (!p) return;
    learn_risk_clear(&p->risk);
    dusk_deallocate(p->weights);
    dusk_deallocate(p);
}

/* --- plan ------------------------------------------------------------------------------------------------------- */

static dusk_status choose_lattice(const learn_job *job, bernstein_plan *p, dusk_error *err)
{
    const size_t width = job->features.width;
    p->degree = (size_t)learn_setting(job, "degree");
    p->points = learn_lattice_points(p->degree, width, POINTS_MOST);
    if (p->points && width <= LEARN_POLYNOMIAL_WIDTH_MOST) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT,
                     "name fewer columns, ask for a smaller degree, or use another learner",
                     "a lattice of degree %zu has more than %d points for %zu columns, with the constant",
                     p->degree, POINTS_MOST, width);
}

static dusk_status make_lattice(bernstein_plan *p, size_t width, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t at[LEARN_POLYNOMIAL_WIDTH_MOST];
    DUSK_NEW(p->weights, p->points * width);
    for (size_t i = 0; i < p->points; i++) {
        learn_lattice_point(i, p->degree, width, at);
        for (size_t j = 0; j < width; j++) {
            double side = 2 * (double)at[j] / (double)p->degree - 1;
            p->weights[i * width + j] = rint(ldexp(side * p->radius, LEARN_RISK_BITS));
        }
    }
done:
    return status;
}

/* How long the vector of a row of full length is at most, about: the squares of its margins add to norm^2 radius^2 points (k + 2) / (3 k),
 * and a loss is within `slope` times the margin of its value at 0. Rows that are longer, by rounding or as `clip` is
 * below 1, are scaled down. */
static double longest(const learn_job *job, const bernstein_plan *p, const learn_loss *loss)
{
    const double k = (double)p->degree, spread = sqrt((double)p->points * (k + 2) / (3 * k));
    const double slope = loss->kind == LEARN_LOGISTIC ? M_SQRT1_2 : loss->lipschitz;
    return slope * job->features.norm * p->radius * spread;
}

DUSK_PROVEN(plan_noise)
static dusk_status plan_noise(learn_job *job, bernstein_plan *p, const learn_loss *loss, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    p->most = floor(fmax(longest(job, p, loss) * learn_setting(job, "clip") * LEARN_RISK_ONE, 1));
    DUSK_TRY(learn_budget_noise(&job->budget, &p->noise, (uint32_t)p->points,
                                DUSK_MUTATE(BERNSTEIN_ROWS_ARE_SHORT, p->most, ceil(p->most / 4)), GRID,
                                job->budget.left, 1, err));
    learn_say(job, "the loss of all rows at %zu points of a lattice, with noise of deviation %.4g", p->points,
              p->noise.deviation);
done:
    return status;
}

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool binary = job->learner->shown.task == DUSK_TASK_BINARY;
    bernstein_plan *p = NULL;
    DUSK_TRY(learn_plan_features(job, true, err));
    DUSK_NEW(p, 1);
    job->plan = p;
    DUSK_TRY(choose_lattice(job, p, err));
    p->iterations = (size_t)learn_setting(job, "iterations");
    p->radius = learn_setting(job, "radius");
    p->keep = learn_choice(job, "polynomial") == 1;
    learn_loss loss =
        binary ? learn_loss_of(LEARN_LOGISTIC, 1) : learn_loss_of(LEARN_HUBER, learn_setting(job, "knee"));
    DUSK_TRY(learn_risk_init(&p->risk, &loss, 0x1p20, err));
    DUSK_TRY(make_lattice(p, job->features.width, err));
    DUSK_TRY(plan_noise(job, p, &loss, err));
    p->penalty = learn_setting(job, "ridge") * p->noise.deviation;
done:
    return status;
}

/* --- values on the lattice ---------------------------------------------------------------------------------------- */

/* What a row adds: its losses less its loss at 0, whole numbers, in length p->most at most. In place of its products. */
DUSK_PROVEN(row_values)
static void row_values(const bernstein_plan *p, const learn_matrix *matrix, size_t row, double *products)
{
    const double centre = learn_risk_of(&p->risk, matrix, row, 0);
    for (size_t i = 0; i < p->points; i++)
        products[i] = learn_risk_of(&p->risk, matrix, row, products[i]) - centre;
    if (DUSK_MUTATE(BERNSTEIN_ROWS_KEEP_LENGTH, true, false)) learn_row_shorten(products, p->points, p->most);
}

/* values = the exact sums over rows, and noise. */
DUSK_PROVEN(release_values)
static dusk_status release_values(const bernstein_plan *p, double *values, const learn_matrix *matrix,
                                  dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    tensor_block block = { 0 };
    tensor_sum sum = { 0 };
    double *products = NULL;
    DUSK_TRY(tensor_sum_init(&sum, p->points, err));
    DUSK_TRY(tensor_block_open(&block, &matrix->rows, err));
    DUSK_NEW(products, block.room * p->points);
    while (tensor_block_next(&block)) {
        tensor_block_multiply(&block, products, p->weights, p->points);
        for (size_t i = 0; i < block.rows; i++) {
            row_values(p, matrix, block.first + i, products + i * p->points);
            tensor_sum_add(&sum, 0, products + i * p->points, p->points, p->most);
        }
    }
    DUSK_TRY(learn_noise_release(&p->noise, values, tensor_sum_totals(&sum), gen, err));
    if (DUSK_MUTATE(BERNSTEIN_VALUE_IS_BARE, false, true)) /* one number, as where a lattice ends early */
        values[0] = ldexp((double)tensor_sum_totals(&sum)[0], GRID);
done:
    if (products) dusk_wipe(products, block.room * p->points * sizeof *products);
    dusk_deallocate(products);
    tensor_block_close(&block);
    tensor_sum_clear(&sum);
    return status;
}

/* --- fit ----------------------------------------------------------------------------------------------------------- */

/* Everything from here on is of what was released. */
static dusk_status put_model(learn_job *job, double *values, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bernstein_plan *p = job->plan;
    const size_t width = job->features.width;
    double weights[LEARN_POLYNOMIAL_WIDTH_MOST];
    learn_polynomial polynomial = {
        .degree = p->degree, .width = width, .points = p->points, .value = values
    };
    DUSK_TRY(learn_polynomial_iterate(&polynomial, p->iterations, err));
    DUSK_TRY(learn_polynomial_minimum(&polynomial, p->penalty, weights, err));
    for (size_t j = 0; j < width; j++) weights[j] = (2 * weights[j] - 1) * p->radius;
    if (p->keep) DUSK_TRY(learn_model_put(job->model, "polynomial", 1, p->points, values, err));
    DUSK_TRY(learn_put_number(job, "degree", (double)p->degree, err));
    if (job->learner->shown.task == DUSK_TASK_BINARY)
        DUSK_TRY(learn_model_put(job->model, "weights", 1, width, weights, err));
    else
        DUSK_TRY(learn_put_linear(job, weights, NULL, 0, err));
done:
    return status;
}

DUSK_PROVEN(fit)
static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bernstein_plan *p = job->plan;
    learn_matrix matrix = { .bound = 0 };
    double *values = NULL;
    DUSK_NEW(values, p->points);
    DUSK_TRY(learn_fit_features(job, &matrix, frame, gen, err));
    DUSK_TRY(release_values(p, values, &matrix, gen, err));
    DUSK_TRY(put_model(job, values, err));
done:
    learn_matrix_clear(&matrix);
    dusk_deallocate(values);
    return status;
}

#define BERNSTEIN_SETTINGS(radius, ridge)                                                                    \
    { "degree",                                                                                              \
      "2",                                                                                                   \
      NULL,                                                                                                  \
      1,                                                                                                     \
      LEARN_DEGREE_MOST,                                                                                     \
      true,                                                                                                  \
      "of the polynomial: one less than the points of the lattice along a column" },                         \
        { "iterations", "3", NULL, 1, 64, true, "of the operator: the more, the nearer and the noisier" },   \
        { "radius", radius, NULL, 0.01, 32, false, "each weight is at most so large" },                      \
        { "clip",                                                                                            \
          "0.5",                                                                                             \
          NULL,                                                                                              \
          0.01,                                                                                              \
          1,                                                                                                 \
          false,                                                                                             \
          "what a row adds is scaled down to this part of the longest that it can be" },                     \
        { "ridge",                                                                                           \
          ridge,                                                                                             \
          NULL,                                                                                              \
          0,                                                                                                 \
          1000,                                                                                              \
          false,                                                                                             \
          "added to the objective for a weight at its end, in units of the noise; by the square" },          \
    {                                                                                                        \
        "polynomial", "drop", "drop|keep", 0, 0, false,                                                      \
            "whether the model has the released coefficients, besides the weights"                           \
    }

static const dusk_setting logistic_settings[] = {
    BERNSTEIN_SETTINGS("3", "0.2"),
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

static const dusk_setting huber_settings[] = {
    { "knee", "0.25", NULL, 0.01, 4, false, "residuals beyond count by their size, not their square" },
    BERNSTEIN_SETTINGS("1", "1"),
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_bernstein_logistic = {
    .shown = { "bernstein_logistic", DUSK_TASK_BINARY, DUSK_NUMERICS_EXACT,
               "logistic regression on a noisy polynomial objective in a box, for few columns",
               "Alda & Rubinstein 2017", logistic_settings },
    .plan = plan,
    .fit = fit,
    .forget = forget,
    .outputs = learn_classifier_outputs,
    .predict = learn_classifier_predict,
    .complete = learn_classifier_complete,
};

const learn_learner learn_bernstein_huber = {
    .shown = { "bernstein_huber", DUSK_TASK_NUMBER, DUSK_NUMERICS_EXACT,
               "robust regression on a noisy polynomial objective in a box, for few columns",
               "Alda & Rubinstein 2017", huber_settings },
    .plan = plan,
    .fit = fit,
    .forget = forget,
    .outputs = learn_linear_outputs,
    .predict = learn_linear_predict,
    .complete = learn_linear_complete,
};
