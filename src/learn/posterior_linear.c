/* SPDX-License-Identifier: Apache-2.0 */
/* One sample of the posterior of linear regression, tempered so that it keeps the promise (OPS) [Dimitrakakis et al. 2014;
 * Wang, Fienberg & Smola 2015]: weights w of a ball have the density
 *
 *     exp(-temper sum over rows of (y - x w)^2 / 2 - |w|^2 / (2 prior^2)),
 *
 * which is an exponential mechanism: a row changes its logarithm by no more than temper times the range of (y - x w)^2 / 2
 * over the ball. method=ops: a ball about 0. method=adaptive, after the AdaOPS of Wang 2018 but by another road: half of the
 * budget goes to AdaSSP (linear.c), and the ball is a small one about its weights, over which a row's loss hardly changes.
 *
 * The density is sampled by Gibbs steps along the eigenvectors, in floating point, of a chain that was run for a while. So the
 * promise holds for real numbers and a chain at its end: idealised. Proof: posterior_linear.proof.md. */
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/learner.h"
#include "learn/normals.h"
#include "learn/regression.h"
#include "learn/scaling.h"
#include "numeric/special.h"

enum { METHOD_OPS, METHOD_ADAPTIVE, SWEEPS = 300 };

typedef struct posterior_plan {
    bool adaptive;
    learn_regression regression; /* of adaptive */
    double radius, prior, epsilon, factor;
} posterior_plan;

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    posterior_plan *p = NULL;
    DUSK_TRY(learn_plan_features(job, learn_choice(job, "intercept") == 0, err));
    if (job->features.width > 4096)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare fewer fields, or fewer categories",
                         "there are %zu columns, and 4096 at most have a posterior", job->features.width);
    DUSK_NEW(p, 1);
    job->plan = p;
    p->adaptive = learn_choice(job, "method") == METHOD_ADAPTIVE;
    p->radius = learn_setting(job, "radius");
    p->prior = learn_setting(job, "prior");
    p->factor = job->budget.factor;
    if (p->adaptive) {
        DUSK_TRY(learn_budget_pure(&job->budget, &p->epsilon, true, job->budget.left / 2, 1, err));
        DUSK_TRY(learn_plan_regression(job, &p->regression, err));
    } else {
        DUSK_TRY(learn_budget_choices(&job->budget, &p->epsilon, 1, err));
    }
    learn_say(job, "one sample of the posterior of the weights, in a ball, epsilon %s (in ideal arithmetic)",
              dusk_shown_up(p->epsilon, 4).text);
done:
    return status;
}

/* --- the ball ------------------------------------------------------------------------------------------------ */

typedef struct ball {
    double *centre, radius;
} ball;

/* How much (y - x w)^2 / 2 of one row can differ between two points of the ball: |y| <= 1, |x| <= norm. */
DUSK_PROVEN(range_of_loss)
static double range_of_loss(const ball *b, size_t d, double norm)
{
    double square = 0;
    for (size_t j = 0; j < d; j++) square += b->centre[j] * b->centre[j];
    double middle = 1 + norm * sqrt(square), reach = norm * b->radius;
    double range = middle >= reach ? 2 * middle * reach : (middle + reach) * (middle + reach) / 2;
    return DUSK_MUTATE(POSTERIOR_RANGE_IS_SHORT, range, range / 8);
}

/* About the weights of AdaSSP; as wide as they may be wrong by the noise, within what was asked for. */
static dusk_status find_ball(learn_job *job, const posterior_plan *p, ball *out, const dusk_frame *frame,
                             dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = job->features.width;
    learn_statistics s = { .width = 0 };
    double *values = NULL, *vectors = NULL, square = 0;
    DUSK_NEW(values, d);
    DUSK_NEW(vectors, d * d);
    DUSK_TRY(learn_fit_regression(job, &p->regression, &s, frame, gen, err));
    learn_spectrum(d, s.moments, values, vectors);
    double ridge = learn_adaptive_ridge(&s, values[0]);
    for (size_t k = 0; k < d; k++) {
        double along = 0;
        for (size_t j = 0; j < d; j++) along += vectors[j * d + k] * s.products[j];
        along /= fmax(values[k], 0) + ridge;
        for (size_t j = 0; j < d; j++) out->centre[j] += along * vectors[j * d + k];
    }
    for (size_t j = 0; j < d; j++) square += out->centre[j] * out->centre[j];
    double noise = sqrt((double)d) * hypot(s.product_noise, s.corner_noise * sqrt(square));
    out->radius = fmin(p->radius, fmax(noise / (fmax(values[0], 0) + ridge), 1e-6));
done:
    learn_statistics_clear(&s);
    dusk_deallocate(values);
    dusk_deallocate(vectors);
    return status;
}

/* --- the chain ------------------------------------------------------------------------------------------------ */

/* Standard normal, given that it lies in [low, high]; u is uniform. */
static double normal_between(double low, double high, double u)
{
    if (high <= 0) return -normal_between(-high, -low, u);
    if (low > 30) return fmin(low - log(u) / low, high); /* beyond what tails in doubles tell */
    if (low <= 0) {
        double from = dusk_normal_cdf(low), to = dusk_normal_cdf(high);
        return fmin(fmax(dusk_normal_quantile(fmin(fmax(from + u * (to - from), 1e-300), 1 - 0x1p-53)), low),
                    high);
    }
    double from = dusk_normal_sf(high), to = dusk_normal_sf(low);
    return fmin(fmax(dusk_normal_upper_quantile(fmax(from + u * (to - from), 1e-300)), low), high);
}

/* Coordinates along the eigenvectors, each normal by itself but for the ball: mean[k], deviation[k]; z is about the
 * centre of the ball and starts within it. */
static dusk_status run_chain(double *z, const double *mean, const double *deviation, size_t d, double radius,
                             dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double square = 0, u;
        for (size_t k = 0; k < d; k++) square += z[k] * z[k];
        for (size_t k = 0; k < d; k++) {
            double reach = sqrt(fmax(radius * radius - (square - z[k] * z[k]), 0));
            DUSK_TRY(learn_uniform(&u, gen, err));
            square -= z[k] * z[k];
            z[k] = mean[k] + deviation[k] * normal_between((-reach - mean[k]) / deviation[k],
                                                           (reach - mean[k]) / deviation[k], u);
            z[k] = fmin(fmax(z[k], -reach), reach);
            square += z[k] * z[k];
        }
    }
done:
    return status;
}

/* The precision temper X^T X + 1 / prior^2 in `vectors`, and what it is to give, about the centre of the ball, in `wanted`. */
static void find_law(const dusk_int128 *totals, const ball *b, size_t d, double temper, double prior,
                     double *vectors, double *wanted)
{
    const double unit = ldexp(1, -2 * LEARN_BITS), own = 1 / (prior * prior);
    for (size_t i = 0; i < d; i++) {
        wanted[i] = temper * unit * (double)totals[i * (d + 1) + d];
        for (size_t j = 0; j < d; j++) {
            vectors[i * d + j] = temper * unit * (double)totals[i * (d + 1) + j] + (i == j ? own : 0);
            wanted[i] -= vectors[i * d + j] * b->centre[j];
        }
    }
}

static dusk_status sample(const dusk_int128 *totals, const ball *b, size_t d, double temper, double prior,
                          double *weights, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *room = NULL, *vectors, *wanted, *values, *mean, *deviation, *z;
    DUSK_NEW(room, d * d + 5 * d);
    vectors = room;
    wanted = vectors + d * d;
    values = wanted + d;
    mean = values + d;
    deviation = mean + d;
    z = deviation + d;
    find_law(totals, b, d, temper, prior, vectors, wanted);
    learn_spectrum(d, vectors, values, vectors);
    for (size_t k = 0; k < d; k++) {
        double precision = fmax(values[k], 1 / (prior * prior));
        for (size_t j = 0; j < d; j++) mean[k] += vectors[j * d + k] * wanted[j];
        mean[k] /= precision;
        deviation[k] = 1 / sqrt(precision);
    }
    DUSK_TRY(run_chain(z, mean, deviation, d, b->radius, gen, err));
    for (size_t j = 0; j < d; j++) {
        weights[j] = b->centre[j];
        for (size_t k = 0; k < d; k++) weights[j] += vectors[j * d + k] * z[k];
    }
done:
    if (room) dusk_wipe(room, (d * d + 5 * d) * sizeof *room);
    dusk_deallocate(room);
    return status;
}

/* --- fit -------------------------------------------------------------------------------------------------------- */

DUSK_PROVEN(fit)
static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const posterior_plan *p = job->plan;
    const size_t d = job->features.width;
    ball b = { .radius = p->radius };
    double *weights = NULL;
    tensor_sum sum = { 0 };
    size_t unused;

    DUSK_NEW(b.centre, d);
    DUSK_NEW(weights, d);
    DUSK_TRY(p->adaptive ? find_ball(job, p, &b, frame, gen, err) : learn_fit_scaling(job, frame, gen, err));
    DUSK_TRY(learn_sum_products(&sum, &unused, &job->features, frame, err));
    double temper = p->epsilon / (p->factor * range_of_loss(&b, d, job->features.norm));
    DUSK_TRY(sample(tensor_sum_totals(&sum), &b, d, temper, p->prior, weights, gen, err));
    DUSK_TRY(learn_put_linear(job, weights, NULL, 0, err));
    DUSK_TRY(learn_put_number(job, "temper", temper, err));
    DUSK_TRY(learn_put_number(job, "radius", b.radius, err));
done:
    tensor_sum_clear(&sum);
    dusk_deallocate(b.centre);
    dusk_deallocate(weights);
    return status;
}

static const dusk_setting settings[] = {
    { "method", "ops", "ops|adaptive", 0, 0, false,
      "a ball about 0, or about weights that half of the budget finds" },
    { "radius", "1", NULL, 0x1p-10, 64, false,
      "of the ball, columns and label being in [-1, 1]; the most of adaptive" },
    { "prior", "0.5", NULL, 1e-3, 1e3, false, "deviation of weights before anything is known" },
    { "intercept", "yes", "yes|no", 0, 0, false, "a constant column" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_posterior_linear = {
    .shown = { "posterior_linear", DUSK_TASK_NUMBER, DUSK_NUMERICS_IDEALISED,
               "linear regression by one sample of a tempered posterior",
               "Wang, Fienberg & Smola 2015; Wang 2018", settings },
    .plan = plan,
    .fit = fit,
    .outputs = learn_linear_outputs,
    .predict = learn_linear_predict,
    .complete = learn_linear_complete,
};
