/* SPDX-License-Identifier: Apache-2.0 */
/* The solver: steps, penalties and constraints, on what was released. */
#include "learn/descent.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "learn/newton.h"
#include "learn/sampled.h"
#include "learn/scaling.h"

#define COUNT_SHARE 0.02
#define DRIFT 0.5 /* how far noise may carry a weight, by the steps alone */
/* The largest rate, in units of 1 / (smoothness length^2): slopes that end keep it from blowing up; those of residuals grow. */
#define HASTE 16.0
#define CARE 1.0
#define ADAPTIVE_RATE 0.5 /* of a weight, at its first step */

/* --- plan --------------------------------------------------------------------------------------------------- */

static dusk_status read_settings(learn_descent *out, const learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_descent d = { .rate = learn_setting(job, "rate"),
                        .momentum = learn_setting(job, "momentum"),
                        .average = learn_setting(job, "average"),
                        .l2 = learn_setting(job, "l2"),
                        .l1 = learn_setting(job, "l1"),
                        .group = learn_setting(job, "group"),
                        .radius = learn_setting(job, "radius"),
                        .positive = learn_choice(job, "sign") == 1 };
    d.steps = (uint64_t)learn_setting(job, "steps");
    d.sample = learn_choice(job, "method") == 1;
    d.sampler = (learn_sampler){ .rate = 1 };
    if (d.sample)
        DUSK_TRY(learn_sampler_init(&d.sampler, (learn_sampling)learn_choice(job, "sampler"),
                                    learn_setting(job, "sample"), job->rows, job->budget.neighbours, err));
    d.adaptive = learn_choice(job, "method") == 2;
    d.newton = learn_choice(job, "method") == 3;
    if (d.steps == 0 && d.newton) d.steps = 5;
    if (d.steps == 0) d.steps = d.sample ? 200 : job->budget.delta > 0 ? 30 : 10;
    *out = d;
done:
    return status;
}

static dusk_status plan_newton(learn_job *job, learn_descent *d, const learn_loss *loss, size_t classes,
                               dusk_error *err)
{
    if (classes > 0 || d->l1 > 0 || d->group > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use method=full",
                         "method=newton is for two classes or numbers, and for no penalty but l2");
    return learn_plan_curvature(job, &d->curvature, loss, d->typical, job->budget.left / 2, d->steps, err);
}

dusk_status learn_descent_plan(learn_job *job, const learn_loss *loss, size_t classes, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double clip = learn_setting(job, "clip");
    learn_descent *d = NULL;
    DUSK_NEW(d, 1);
    job->plan = d;
    DUSK_TRY(read_settings(d, job, err));
    DUSK_TRY(learn_plan_features(job, true, err));
    d->typical = learn_typical_length(&job->features);
    if (clip == 0) clip = fmin(fmin(loss->margin ? 0.5 : loss->lipschitz, 0.5) * d->typical, LEARN_NORM_MOST);
    DUSK_TRY(learn_plan_count(job, &d->count, COUNT_SHARE, err));
    if (d->newton) DUSK_TRY(plan_newton(job, d, loss, classes, err));
    DUSK_TRY(learn_plan_gradient(job, &d->gradient, loss, classes, clip, job->budget.left, &d->sampler,
                                 d->steps, err));
    learn_say(job, "%llu gradients of %u numbers, rows clipped to %.4g, each with noise of deviation %.4g",
              (unsigned long long)d->steps, d->gradient.noise.dimension, clip, d->gradient.noise.deviation);
    if (d->sample) learn_sampler_say(job, &d->sampler);
done:
    return status;
}

/* --- a step --------------------------------------------------------------------------------------------------- */

/* Noise moves a weight by rate / n * deviation * sqrt(steps) over all steps, about: as fast as keeps that within DRIFT, and
 * not faster than curvature allows. */
static double rate_of(const learn_descent *d, double rows)
{
    double smoothness = d->gradient.classes ? LEARN_SOFTMAX_SMOOTHNESS : d->gradient.loss.smoothness;
    double calm = DRIFT * d->sampler.rate * rows / (d->gradient.noise.deviation * sqrt((double)d->steps));
    double most = d->gradient.classes || d->gradient.loss.margin ? HASTE : CARE;
    if (d->rate > 0) return d->rate;
    if (d->adaptive) return ADAPTIVE_RATE * (1 - d->momentum);
    return fmin(calm * (1 - d->momentum), most / (smoothness * d->typical * d->typical));
}

static double shrink(double x, double by) { return x > by ? x - by : x < -by ? x + by : 0; }

/* The weights of one field, from `first` on, as one. */
static void shrink_group(double *w, size_t n, double by)
{
    double square = 0;
    for (size_t j = 0; j < n; j++) square += w[j] * w[j];
    double factor = square > by * by ? 1 - by / sqrt(square) : 0;
    for (size_t j = 0; j < n; j++) w[j] *= factor;
}

/* The proximal step of the penalties, whose weight against the mean of losses is 1 / rows; all but the constant. */
static void penalise(const learn_descent *d, const learn_features *features, double *w, double by)
{
    const size_t width = features->width - features->constant;
    for (size_t j = 0; j < width; j++) w[j] = shrink(w[j], by * d->l1);
    for (size_t j = 0, end; d->group > 0 && j < width; j = end) {
        for (end = j + 1; end < width && features->feature[end].column == features->feature[j].column;) end++;
        shrink_group(w + j, end - j, by * d->group);
    }
    for (size_t j = 0; j < width; j++) {
        w[j] /= 1 + by * d->l2;
        if (d->positive && w[j] < 0) w[j] = 0;
    }
}

static void project(double *w, size_t n, double radius)
{
    double square = 0;
    for (size_t j = 0; j < n; j++) square += w[j] * w[j];
    if (!(square > radius * radius)) return;
    for (size_t j = 0; j < n; j++) w[j] *= radius / sqrt(square);
}

typedef struct state {
    double *velocity, *gradient, *mean, *squares;
} state;

/* To the minimum of the released parabola, the penalty's part included. */
static dusk_status newton_step(const learn_descent *d, double *w, double *gradient, double *second,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t width = d->gradient.width;
    for (size_t j = 0; j + 1 < width; j++) gradient[j] += d->l2 * w[j];
    DUSK_TRY(learn_newton_step(&d->curvature, gradient, second, d->l2, err));
    for (size_t j = 0; j < width; j++) {
        w[j] -= (d->rate > 0 ? d->rate : 1) * gradient[j];
        if (d->positive && w[j] < 0 && j + 1 < width) w[j] = 0;
    }
    project(w, width, d->radius > 0 ? d->radius : LEARN_WEIGHT_MOST);
done:
    return status;
}

static void step(const learn_descent *d, const learn_features *features, double *w, state *s, double rate,
                 double rows)
{
    const size_t width = d->gradient.width, n = d->gradient.vectors * width;
    for (size_t j = 0; j < n; j++) {
        double g = s->gradient[j] / (d->sampler.rate * rows); /* public, whoever is in a sample */
        s->squares[j] += g * g;
        if (d->adaptive) g /= sqrt(s->squares[j]) + 1e-12;
        s->velocity[j] = d->momentum * s->velocity[j] + g;
        w[j] -= rate * s->velocity[j];
    }
    for (size_t k = 0; k < d->gradient.vectors; k++) penalise(d, features, w + k * width, rate / rows);
    project(w, n, d->radius > 0 ? d->radius : LEARN_WEIGHT_MOST);
}

static dusk_status descend(learn_job *job, const learn_descent *d, double *weights,
                           const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t n = d->gradient.vectors * d->gradient.width;
    uint64_t last = (uint64_t)ceil(d->average * (double)d->steps);
    learn_gradient_work work = { 0 };
    learn_sample sample = { 0 };
    state s = { NULL, NULL, NULL, NULL };
    double rows, *second = NULL;

    if (last < 1) last = 1;
    if (last > d->steps) last = d->steps;
    DUSK_NEW(s.velocity, n);
    DUSK_NEW(s.gradient, n);
    DUSK_NEW(s.mean, n);
    DUSK_NEW(s.squares, n);
    if (d->newton) DUSK_NEW(second, n * n);
    if (d->sample) DUSK_TRY(learn_sample_open(&sample, matrix, &d->sampler, gen, err));
    DUSK_TRY(learn_gradient_open(&work, &d->gradient, d->sample ? &sample.piece : matrix, err));
    DUSK_TRY(learn_fit_count(job, &d->count, &rows, matrix->rows.rows, gen, err));
    memset(weights, 0, n * sizeof *weights);
    const double rate = rate_of(d, rows);
    for (uint64_t t = 0; t < d->steps; t++) {
        if (d->sample)
            DUSK_TRY(learn_sample_release(&sample, &work, &d->gradient, s.gradient, weights, t, gen, err));
        else
            DUSK_TRY(learn_gradient_release(&work, &d->gradient, s.gradient, matrix, weights, gen, err));
        if (d->newton) {
            DUSK_TRY(learn_curvature_release(&d->curvature, second, &d->gradient, &work, matrix, weights, gen,
                                             err));
            DUSK_TRY(newton_step(d, weights, s.gradient, second, err));
        } else {
            step(d, &job->features, weights, &s, rate, rows);
        }
        for (size_t j = 0; t >= d->steps - last && j < n; j++) s.mean[j] += weights[j] / (double)last;
        learn_progress(job, (double)(t + 1) / (double)d->steps);
    }
    memcpy(weights, s.mean, n * sizeof *weights);
done:
    learn_gradient_close(&work);
    learn_sample_close(&sample);
    dusk_deallocate(second);
    dusk_deallocate(s.squares);
    dusk_deallocate(s.velocity);
    dusk_deallocate(s.gradient);
    dusk_deallocate(s.mean);
    return status;
}

dusk_status learn_descent_fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_descent *d = job->plan;
    const size_t width = d->gradient.width, vectors = d->gradient.vectors;
    learn_matrix matrix = { .bound = 0 };
    double *weights = NULL;
    DUSK_NEW(weights, vectors * width);
    DUSK_TRY(learn_fit_features(job, &matrix, frame, gen, err));
    DUSK_TRY(descend(job, d, weights, &matrix, gen, err));
    DUSK_TRY(learn_model_put(job->model, "weights", vectors, width, weights, err));
done:
    learn_matrix_clear(&matrix);
    dusk_deallocate(weights);
    return status;
}

/* --- models ------------------------------------------------------------------------------------------------------- */

dusk_status learn_descent_scores(const dusk_model *model, const dusk_frame *frame, double *out,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t k, d;
    const double *weights = dusk_model_array(model, "weights", &k, &d);
    learn_matrix matrix = { .bound = 0 };
    DUSK_TRY(learn_matrix_make_all(&matrix, &model->features, frame, err));
    for (size_t i = 0; i < matrix.rows.rows; i++)
        for (size_t c = 0; c < k; c++) {
            double sum = 0;
            for (size_t j = 0; j < d; j++)
                sum += (double)matrix.rows.x[i * d + j] / LEARN_ONE * weights[c * d + j];
            out[i * k + c] = sum;
        }
done:
    learn_matrix_clear(&matrix);
    return status;
}

bool learn_descent_complete(const dusk_model *model, size_t vectors)
{
    size_t k, d;
    const double *weights = dusk_model_array(model, "weights", &k, &d);
    if (!weights || k != vectors || d != model->features.width) return false;
    for (size_t j = 0; j < k * d; j++)
        if (!isfinite(weights[j]) || fabs(weights[j]) > 1e100) return false;
    return true;
}
