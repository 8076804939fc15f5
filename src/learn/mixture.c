/* SPDX-License-Identifier: Apache-2.0 */
/* A mixture of normal densities by private EM [Park, Foulds, Chaudhuri & Welling 2017]. It begins like k-means (kmeans_start.h); each round a row is shared out
 * among the components by what is known of them, in whole parts, and what is released of every component is its rows, and first and second moments
 * of offsets from its centre within a radius: about a known centre, so that noise is as small as the component, not as the box.
 * Covariances are diagonal or full. A small part of the density is even over the box, so that no row is impossible. Proof: mixture.proof.md. */
#include "learn/mixture.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/kmeans_start.h"

typedef struct mixture_plan {
    size_t k;
    bool full;
    uint64_t rounds;
    learn_start start;
    learn_mixture_noise round;
} mixture_plan;

/* --- plan -------------------------------------------------------------------------------------------------------- */

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    mixture_plan *p = NULL;
    DUSK_TRY(learn_plan_features(job, false, err));
    job->features.unmeasured = true;
    DUSK_NEW(p, 1);
    job->plan = p;
    p->k = (size_t)learn_setting(job, "groups");
    p->full = learn_choice(job, "covariance") == 1;
    p->rounds = (uint64_t)learn_setting(job, "rounds");
    p->start.method = learn_start_method(job, LEARN_START_AUTO);
    if ((double)p->k * (double)learn_mixture_numbers(job->features.width, p->full) > 0x1p22)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer groups, or covariance=diagonal",
                         "%zu groups of %zu columns have too many moments", p->k, job->features.width);
    DUSK_TRY(learn_model_room((double)p->k * pow((double)job->features.width + 1, 2), err));
    DUSK_TRY(learn_plan_start(job, &p->start, p->k, learn_setting(job, "start"), err));
    DUSK_TRY(learn_plan_mixture(job, &p->round, p->k, p->full, job->budget.left, p->rounds, err));
    learn_say(job, "%llu times rows, means and %s of %zu groups, %u numbers in all",
              (unsigned long long)p->rounds, p->full ? "covariances" : "variances", p->k,
              p->round.noise.dimension);
done:
    return status;
}

/* --- fit ---------------------------------------------------------------------------------------------------------- */

/* Components as vectors see them, [lower, upper] being [-1, 1]. */
static dusk_status put_model(learn_job *job, const learn_mixture *m, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t k = m->groups.k, d = m->groups.width, each = d * d;
    double *values = NULL;
    DUSK_NEW(values, k * each > k * d ? k * each : k * d);
    DUSK_TRY(learn_model_put(job->model, "weights", 1, k, m->weight, err));
    for (size_t i = 0; i < k * d; i++) values[i] = m->groups.centre[i] / LEARN_ONE;
    DUSK_TRY(learn_model_put(job->model, "centres", k, d, values, err));
    for (size_t i = 0; i < k * d; i++) {
        const learn_feature *f = &job->features.feature[i % d];
        if (f->code < 0) values[i] = f->centre + (f->factor != 0 ? values[i] / f->factor : 0);
    }
    DUSK_TRY(learn_model_put(job->model, "centres_in_units", k, d, values, err));
    for (size_t i = 0; i < k * d * d; i++) values[i] = m->covariance[i] / (LEARN_ONE * LEARN_ONE);
    DUSK_TRY(learn_model_put(job->model, "covariances", k, d * d, values, err));
done:
    dusk_deallocate(values);
    return status;
}

DUSK_PROVEN(fit)
static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const mixture_plan *p = job->plan;
    learn_matrix matrix = { .bound = 0 };
    learn_mixture m = { .full = p->full };

    DUSK_TRY(learn_fit_features(job, &matrix, frame, gen, err));
    DUSK_TRY(learn_mixture_init(&m, p->k, p->full, &job->features, job->fields, err));
    DUSK_TRY(learn_fit_start(job, &p->start, &m.groups, &matrix, gen, err));
    learn_mixture_begin(&m);
    for (uint64_t r = 0; r < p->rounds; r++) {
        learn_progress(job, (double)(r + 1) / (double)(p->rounds + 1));
        DUSK_TRY(learn_mixture_round(&m, &p->round, &matrix, gen, err));
    }
    DUSK_TRY(put_model(job, &m, err));
done:
    learn_mixture_clear(&m);
    learn_matrix_clear(&matrix);
    return status;
}

/* --- prediction ------------------------------------------------------------------------------------------------------ */

static size_t outputs(const dusk_model *model)
{
    (void)model;
    return 1;
}

/* What a density of vectors is in units of the bounds: the logarithm of how many units of a vector a bound is wide. */
static double log_units(const dusk_model *model)
{
    double sum = 0;
    for (size_t i = 0; i < model->features.width; i++) {
        const learn_feature *f = &model->features.feature[i];
        if (f->code >= 0 || f->column == DUSK_NO_LINK) continue;
        const dusk_field *field = &model->fields->field[f->column];
        double wide = fabs(f->factor) * (field->upper - field->lower);
        if (wide > 0 && isfinite(wide)) sum += log(wide);
    }
    return sum;
}

static dusk_status load(learn_mixture *m, const dusk_model *model, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t k, d, one, each;
    const double *centre = dusk_model_array(model, "centres", &k, &d);
    const double *covariance = dusk_model_array(model, "covariances", &k, &each);
    const double *weight = dusk_model_array(model, "weights", &one, &k);
    DUSK_TRY(learn_mixture_init(m, k, true, &model->features, model->fields, err));
    for (size_t i = 0; i < k * d; i++) m->groups.centre[i] = centre[i] * LEARN_ONE;
    for (size_t i = 0; i < k * d * d; i++) m->covariance[i] = covariance[i] * LEARN_ONE * LEARN_ONE;
    memcpy(m->weight, weight, k * sizeof *weight);
    learn_mixture_settle(m);
done:
    return status;
}

/* The logarithm of the density, that of a row that may be anywhere within the bounds being 0. */
static dusk_status predict(const dusk_model *model, const dusk_frame *frame, double *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_mixture m = { .full = true };
    learn_matrix matrix = { .bound = 0 };
    double *x = NULL, units = log_units(model) + (double)model->features.width * log(LEARN_ONE);
    DUSK_NEW(x, model->features.width);
    DUSK_TRY(load(&m, model, err));
    DUSK_TRY(learn_matrix_make_all(&matrix, &model->features, frame, err));
    for (size_t i = 0; i < matrix.rows.rows; i++) {
        for (size_t j = 0; j < model->features.width; j++)
            x[j] = (double)matrix.rows.x[i * model->features.width + j];
        out[i] = learn_mixture_log(&m, x, units);
    }
done:
    learn_mixture_clear(&m);
    learn_matrix_clear(&matrix);
    dusk_deallocate(x);
    return status;
}

static bool complete(const dusk_model *model)
{
    size_t k, d, n, each, one, w;
    return dusk_model_array(model, "centres", &k, &d) && d == model->features.width && k >= 1 &&
           dusk_model_array(model, "covariances", &n, &each) && n == k && each == d * d &&
           dusk_model_array(model, "weights", &one, &w) && one == 1 && w == k;
}

static const dusk_setting settings[] = {
    { "groups", "4", NULL, 1, 1024, true, "how many normal densities" },
    { "covariance", "diagonal", "diagonal|full", 0, 0, false, "of each" },
    { "rounds", "2", NULL, 1, 1000, true, "of EM after the start" },
    { "start", "0.6", NULL, 0.01, 0.99, false, "of the budget, for where it begins" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_normal_mixture = {
    .shown = { "mixture", DUSK_TASK_DENSITY, DUSK_NUMERICS_EXACT,
               "a mixture of normal densities by private EM from a paid start",
               "Park, Foulds, Chaudhuri & Welling 2017", settings },
    .plan = plan,
    .fit = fit,
    .outputs = outputs,
    .predict = predict,
    .complete = complete,
};
