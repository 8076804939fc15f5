/* SPDX-License-Identifier: Apache-2.0 */
/* Linear models with few or small weights, for many columns of which few matter.
 *
 *   frank_wolfe  weights in an l1 ball: each step goes toward one of its 2d corners, chosen by the exponential mechanism on
 *                the gradient, of which one row moves each coordinate by at most 1 however many there are [Talwar,
 *                Thakurta & Zhang 2015]; the error grows with log d
 *   mirror       the same ball by exponentiated noisy gradients, averaged [Talwar, Thakurta & Zhang 2014]
 *   threshold    noisy gradient descent that keeps the largest weights only [Wang & Gu 2019: iterative hard
 *                thresholding]
 *
 * The gradient is the exact sum of gradient.h. Proof: sparse.proof.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/classifier.h"
#include "learn/gradient.h"
#include "learn/learner.h"
#include "learn/regression.h"

enum { FRANK_WOLFE, MIRROR, THRESHOLD };
#define RADIUS_MOST 64.0

typedef struct sparse_plan {
    int method;
    size_t steps, keep;
    double radius, rate;
    learn_gradient gradient; /* frank_wolfe: without noise, its clip is of one coordinate */
    dusk_selection choice;   /* frank_wolfe */
    learn_noise count;       /* the others */
} sparse_plan;

/* --- plan ---------------------------------------------------------------------------------------------------- */

/* More steps where more can be told apart: by what is public. */
static size_t choose_steps(const learn_job *job)
{
    double asked = learn_setting(job, "steps"), rows = (double)job->rows;
    if (asked >= 1) return (size_t)asked;
    if (job->rows == 0) return 20;
    double signal = rows * (job->budget.mu > 0 ? job->budget.mu : job->budget.epsilon) / job->budget.factor;
    return (size_t)fmin(fmax(floor(cbrt(signal * signal) / 8), 8), 80);
}

DUSK_PROVEN(plan_choices)
static dusk_status plan_choices(learn_job *job, sparse_plan *p, const learn_loss *loss, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double epsilon, most = floor(ldexp(loss->lipschitz, -LEARN_GRADIENT_GRID));
    p->gradient =
        (learn_gradient){ .loss = *loss, .vectors = 1, .width = job->features.width, .clip = fmax(most, 1) };
    most = p->gradient.clip;
    DUSK_TRY(learn_budget_choices(&job->budget, &epsilon, p->steps, err));
    DUSK_TRY(dusk_selection_init(&p->choice, DUSK_SELECT_EXPONENTIAL,
                                 DUSK_MUTATE(SPARSE_ROW_COUNTS_ONCE, most * job->budget.factor, most), false,
                                 epsilon, err));
    learn_say(job, "%zu choices of one of %zu corners by the gradient, epsilon %s each", p->steps,
              2 * job->features.width, dusk_shown_up(epsilon, 4).text);
done:
    return status;
}

static dusk_status plan_gradients(learn_job *job, sparse_plan *p, const learn_loss *loss, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double clip = fmin(learn_setting(job, "clip") * loss->lipschitz, LEARN_NORM_MOST);
    DUSK_TRY(learn_plan_count(job, &p->count, job->budget.left * 0.02, err));
    DUSK_TRY(learn_plan_gradient(job, &p->gradient, loss, 0, clip, job->budget.left, NULL, p->steps, err));
    learn_say(job, "%zu gradients of %zu numbers with noise of deviation %.4g each", p->steps,
              job->features.width, p->gradient.noise.deviation);
done:
    return status;
}

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool binary = job->learner->shown.task == DUSK_TASK_BINARY;
    sparse_plan *p = NULL;
    DUSK_TRY(learn_plan_features(job, true, err));
    DUSK_NEW(p, 1);
    job->plan = p;
    p->method = learn_choice(job, "method");
    p->steps = choose_steps(job);
    p->radius = learn_setting(job, "radius");
    p->rate = learn_setting(job, "rate");
    if (p->rate == 0) p->rate = p->method == MIRROR ? 20 : 4;
    p->keep = (size_t)learn_setting(job, "keep");
    const learn_loss loss =
        binary ? learn_loss_of(LEARN_LOGISTIC, 1) : learn_loss_of(LEARN_HUBER, learn_setting(job, "knee"));
    DUSK_TRY(p->method == FRANK_WOLFE ? plan_choices(job, p, &loss, err)
                                      : plan_gradients(job, p, &loss, err));
done:
    return status;
}

/* --- steps ------------------------------------------------------------------------------------------------------ */

/* Corner 2j is radius e_j, corner 2j + 1 its negative; a larger score is a steeper way down. */
DUSK_PROVEN(choose_corner)
static dusk_status choose_corner(const sparse_plan *p, size_t *corner, const dusk_int128 *gradient,
                                 size_t width, double *scores, dusk_generator *gen, dusk_error *err)
{
    const dusk_int128 most = (dusk_int128)1 << 53;
    for (size_t j = 0; j < width; j++) {
        dusk_int128 g = gradient[j] < most ? gradient[j] : most;
        scores[2 * j + 1] = (double)(g > -most ? g : -most);
        scores[2 * j] = -scores[2 * j + 1];
    }
    dusk_status status = dusk_selection_release(&p->choice, corner, scores, 2 * width, gen, err);
    dusk_wipe(scores, 2 * width * sizeof *scores);
    return status;
}

/* The same rows, with the largest number of each in the place of its length: so a row is clipped coordinate by
 * coordinate. The lengths are to be freed. */
DUSK_PROVEN(view_by_largest)
static dusk_status view_by_largest(learn_matrix *out, const learn_matrix *matrix, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t width = matrix->rows.width;
    *out = *matrix;
    DUSK_NEW(out->length, matrix->rows.rows);
    for (size_t i = 0; i < matrix->rows.rows; i++)
        for (size_t j = 0; j < width; j++)
            out->length[i] = fmaxf(out->length[i], fabsf(matrix->rows.x[i * width + j]));
done:
    return status;
}

static dusk_status run_frank_wolfe(learn_job *job, const learn_matrix *matrix, double *weights,
                                   learn_gradient_work *work, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const sparse_plan *p = job->plan;
    const size_t width = matrix->rows.width;
    learn_matrix view = { .bound = 0 };
    double *scores = NULL;
    DUSK_NEW(scores, 2 * width);
    DUSK_TRY(view_by_largest(&view, matrix, err));
    for (size_t t = 0; t < p->steps; t++) {
        double part = 2 / ((double)t + 2);
        size_t corner;
        learn_gradient_round(work->whole, weights, 1, width);
        DUSK_TRY(choose_corner(p, &corner, learn_gradient_sum(work, &p->gradient, &view, work->whole), width,
                               scores, gen, err));
        for (size_t j = 0; j < width; j++) weights[j] *= 1 - part;
        weights[corner / 2] += part * (corner % 2 ? -p->radius : p->radius);
        learn_progress(job, (double)(t + 1) / (double)p->steps);
    }
done:
    dusk_deallocate(view.length);
    dusk_deallocate(scores);
    return status;
}

static double largest_of(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* weights = radius * (exp(z) - exp(-z)) / sum of both, z being minus the sum of gradients so far, scaled. */
static void set_by_exponents(double *weights, const double *z, size_t width, double radius)
{
    double most = largest_of(z, width), sum = 0;
    for (size_t j = 0; j < width; j++) sum += exp(z[j] - most) + exp(-z[j] - most);
    for (size_t j = 0; j < width; j++) weights[j] = radius * (exp(z[j] - most) - exp(-z[j] - most)) / sum;
}

static int compare_sizes(const void *a, const void *b)
{
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x < y) - (x > y);
}

/* Keep the `keep` largest; the constant always stays. */
static void keep_largest(double *weights, size_t width, size_t keep, double *sorted)
{
    if (keep + 1 >= width) return;
    memcpy(sorted, weights, (width - 1) * sizeof *sorted);
    qsort(sorted, width - 1, sizeof *sorted, compare_sizes);
    for (size_t j = 0, kept = 0; j + 1 < width; j++)
        if (fabs(weights[j]) < fabs(sorted[keep - 1]) || kept++ >= keep) weights[j] = 0;
}

static void shrink_into_ball(double *weights, size_t width, double radius)
{
    double square = 0;
    for (size_t j = 0; j < width; j++) square += weights[j] * weights[j];
    for (size_t j = 0; square > radius * radius && j < width; j++) weights[j] *= radius / sqrt(square);
}

typedef struct walk {
    double *gradient, *z, *mean, *sorted;
    double count;
} walk;

static void make_step(const sparse_plan *p, walk *w, double *weights, size_t width, size_t t)
{
    for (size_t j = 0; j < width; j++) w->z[j] -= w->gradient[j] / w->count * p->rate;
    if (p->method == MIRROR) {
        set_by_exponents(weights, w->z, width, p->radius);
        for (size_t j = 0; j < width; j++) w->mean[j] += (weights[j] - w->mean[j]) / (double)(t + 1);
        return;
    }
    memcpy(weights, w->z, width * sizeof *weights);
    keep_largest(weights, width, p->keep, w->sorted);
    shrink_into_ball(weights, width, p->radius);
    memcpy(w->z, weights, width * sizeof *weights);
}

static dusk_status run_gradients(learn_job *job, const learn_matrix *matrix, double *weights,
                                 learn_gradient_work *work, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const sparse_plan *p = job->plan;
    const size_t width = matrix->rows.width;
    double *room = NULL;
    walk w;
    DUSK_NEW(room, 4 * width);
    w = (walk){ room, room + width, room + 2 * width, room + 3 * width, 1 };
    DUSK_TRY(learn_fit_count(job, &p->count, &w.count, matrix->rows.rows, gen, err));
    for (size_t t = 0; t < p->steps; t++) {
        DUSK_TRY(learn_gradient_release(work, &p->gradient, w.gradient, matrix, weights, gen, err));
        make_step(p, &w, weights, width, t);
        learn_progress(job, (double)(t + 1) / (double)p->steps);
    }
    if (p->method == MIRROR) memcpy(weights, w.mean, width * sizeof *weights);
done:
    dusk_deallocate(room);
    return status;
}

static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const sparse_plan *p = job->plan;
    const size_t width = job->features.width;
    learn_matrix matrix = { .bound = 0 };
    learn_gradient_work work = { .margin = NULL };
    double *weights = NULL;

    DUSK_NEW(weights, width);
    DUSK_TRY(learn_fit_features(job, &matrix, frame, gen, err));
    DUSK_TRY(learn_gradient_open(&work, &p->gradient, &matrix, err));
    DUSK_TRY(p->method == FRANK_WOLFE ? run_frank_wolfe(job, &matrix, weights, &work, gen, err)
                                      : run_gradients(job, &matrix, weights, &work, gen, err));
    if (job->learner->shown.task == DUSK_TASK_NUMBER)
        DUSK_TRY(learn_put_linear(job, weights, NULL, 0, err));
    else
        DUSK_TRY(learn_model_put(job->model, "weights", 1, width, weights, err));
done:
    learn_gradient_close(&work);
    learn_matrix_clear(&matrix);
    dusk_deallocate(weights);
    return status;
}

/* --- learners ------------------------------------------------------------------------------------------------------ */

/* clang-format off */
#define SPARSE_SETTINGS                                                                                      \
    { "method", "mirror", "frank_wolfe|mirror|threshold", 0, 0, false,                                       \
      "corners of an l1 ball one by one, exponentiated gradients in it, or the largest weights only" },      \
    { "radius", "5", NULL, 0.01, RADIUS_MOST, false,                                                         \
      "of the ball that weights stay in: l1, and l2 for method=threshold" },                                 \
    { "steps", "0", NULL, 0, 10000, true, "0: by the number of rows, where it is declared, else 20" },       \
    { "keep", "10", NULL, 1, 1 << 20, true, "weights besides the constant, of method=threshold" },           \
    { "rate", "0", NULL, 0, 1e6, false, "of learning; 0: 20 for method=mirror, 4 for threshold" },           \
    { "clip", "2", NULL, 0.01, 64, false, "of a row's gradient, of methods mirror and threshold" }
/* clang-format on */

static const dusk_setting logistic_settings[] = {
    SPARSE_SETTINGS,
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_sparse_logistic = {
    .shown = { "sparse_logistic", DUSK_TASK_BINARY, DUSK_NUMERICS_EXACT,
               "logistic regression with few weights, for many columns of which few matter",
               "Talwar, Thakurta & Zhang 2015", logistic_settings },
    .plan = plan,
    .fit = fit,
    .outputs = learn_classifier_outputs,
    .predict = learn_classifier_predict,
    .complete = learn_classifier_complete,
};

static const dusk_setting linear_settings[] = {
    SPARSE_SETTINGS,
    { "knee", "0.5", NULL, 0.001, 4, false,
      "errors beyond this count linearly; the label's range is [-1, 1]" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_sparse_linear = {
    .shown = { "sparse_linear", DUSK_TASK_NUMBER, DUSK_NUMERICS_EXACT,
               "linear regression with few weights, for many columns of which few matter",
               "Talwar, Thakurta & Zhang 2015", linear_settings },
    .plan = plan,
    .fit = fit,
    .outputs = learn_linear_outputs,
    .predict = learn_linear_predict,
    .complete = learn_linear_complete,
};
