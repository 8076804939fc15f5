/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse vector: many queries against one threshold, paying for the hits [Lyu,
 * Su & Li 2017, Algorithm 7; Dwork & Roth 2014, section 3.6]. In their words:
 *   rho  = Lap(D / eps1)        the threshold's noise: drawn once, kept
 *   nu_i = Lap(2 c D / eps2)    every query's noise; c D / eps2 if monotonic
 *   above when q_i + nu_i >= T + rho; stop after c of them
 *   answers with Lap(c D / eps3), never with the noise of the comparison
 *   eps1 : eps2 = 1 : (2c)^(2/3), or 1 : c^(2/3) if monotonic (their section 4)
 * All noise is exactly rounded Laplace noise in steps of one public grid, and
 * queries and threshold are brought to it, so that comparisons are between
 * integers. D is the sensitivity in steps, rounded up. NaN counts as 0 and what
 * lies beyond 2^100 steps as 2^100. Proof: sparse_vector.proof.md.
 *
 * The run is not resumable: a handle that is lost has spent its budget. */
#include "mechanisms/sparse_vector.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/noise.h"
#include "numeric/fixed_sum.h"
#include "numeric/rounding.h"
#include "random/noise_additive.h"

/* What follows from the options; nothing private. */
typedef struct sparse_plan {
    double epsilon_threshold, epsilon_queries; /* together at most epsilon */
    int grid;
    double sensitivity;                                /* in steps, a whole number */
    double threshold_scale, query_scale, answer_scale; /* in steps */
} sparse_plan;

struct dusk_sparse_vector {
    dusk_sparse_vector_options options;
    sparse_plan plan;
    dusk_additive query_noise, answer_noise;
    dusk_int128 noisy_threshold; /* in steps */
    uint32_t hits_left;
};

void dusk_sparse_vector_options_init(dusk_sparse_vector_options *options)
{
    *options = (dusk_sparse_vector_options){ .size = sizeof *options, .hits = 1 };
}

/* --- the plan ---------------------------------------------------------------- */

static dusk_status check_epsilons(const dusk_sparse_vector_options *options, dusk_error *err)
{
    if (!(options->epsilon > 0 && options->epsilon < INFINITY))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "common values lie between 0.01 and 10",
                         "epsilon must be positive and finite");
    if (!(options->numeric_epsilon >= 0 && options->numeric_epsilon < INFINITY))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "0 means no numeric answers",
                         "numeric_epsilon must be finite and not negative");
    if (!(options->threshold_share >= 0 && options->threshold_share < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "0 means the best ratio",
                         "threshold_share must be 0, or lie between 0 and 1");
    return DUSK_OK;
}

static dusk_status check_options(const dusk_sparse_vector_options *options, dusk_error *err)
{
    if (options->size != sizeof *options)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_sparse_vector_options_init first",
                         "the options were not initialised");
    if (!(options->sensitivity > 0 && options->sensitivity < INFINITY))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for counts it is 1",
                         "sensitivity must be positive and finite");
    if (!isfinite(options->threshold))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "the threshold must be finite");
    if (options->hits == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "1 stops at the first answer above",
                         "hits must be at least 1");
    return check_epsilons(options, err);
}

/* How many steps of sensitivity the noise of one comparison must hide. */
static double query_factor(const dusk_sparse_vector_options *options)
{
    double sides = options->monotonic ? 1 : 2;
    return sides * DUSK_MUTATE(SPARSE_NOISE_IGNORES_HITS, options->hits, 1);
}

/* Rounded so that the two shares never add up to more than epsilon. */
static void split_epsilon(sparse_plan *plan, const dusk_sparse_vector_options *options)
{
    double share = options->threshold_share;
    if (share == 0) {
        double root = cbrt((options->monotonic ? 1.0 : 2.0) * options->hits);
        share = 1 / (1 + root * root);
    }
    plan->epsilon_threshold = share * options->epsilon;
    plan->epsilon_queries = dusk_sub_down(options->epsilon, plan->epsilon_threshold);
}

static double answer_scale_up(const dusk_sparse_vector_options *options, double sensitivity)
{
    if (options->numeric_epsilon == 0) return 0;
    return dusk_div_up(dusk_mul_up(options->hits, sensitivity), options->numeric_epsilon);
}

/* The scales for a sensitivity in any unit. */
static void set_scales(sparse_plan *plan, const dusk_sparse_vector_options *options, double sensitivity)
{
    plan->sensitivity = sensitivity;
    plan->threshold_scale = dusk_div_up(sensitivity, plan->epsilon_threshold);
    plan->query_scale = dusk_div_up(dusk_mul_up(query_factor(options), sensitivity), plan->epsilon_queries);
    plan->answer_scale = answer_scale_up(options, sensitivity);
}

static double smallest_scale(const sparse_plan *plan)
{
    double scale = fmin(plan->threshold_scale, plan->query_scale);
    return plan->answer_scale > 0 ? fmin(scale, plan->answer_scale) : scale;
}

static double largest_scale(const sparse_plan *plan)
{
    return fmax(fmax(plan->threshold_scale, plan->query_scale), plan->answer_scale);
}

/* Fine enough for the smallest scale (2^40 steps) and for the sensitivity (2^20
 * steps, so that rounding it up costs nothing), coarse enough for the largest
 * scale (2^59 steps). Requires scales in the unit of the data. */
static int choose_grid(const sparse_plan *plan, double sensitivity)
{
    int fine = ilogb(smallest_scale(plan)) - 40, coarse = ilogb(largest_scale(plan)) - 58;
    if (ilogb(sensitivity) - 20 < fine) fine = ilogb(sensitivity) - 20;
    return fine > coarse ? fine : coarse;
}

static dusk_status make_plan(sparse_plan *plan, const dusk_sparse_vector_options *options, int grid,
                             dusk_error *err)
{
    dusk_status status = check_options(options, err);
    if (status != DUSK_OK) return status;
    split_epsilon(plan, options);
    set_scales(plan, options, options->sensitivity);
    if (!(smallest_scale(plan) > 0x1p-900 && largest_scale(plan) < 0x1p900))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "measure the queries in another unit",
                         "the scale of the noise must lie between 2^-900 and 2^900");
    plan->grid = grid == DUSK_GRID_DEFAULT ? choose_grid(plan, options->sensitivity) : grid;
    set_scales(plan, options, ceil(ldexp(options->sensitivity, -plan->grid)));
    if (!(smallest_scale(plan) >= 0x1p-40 && largest_scale(plan) <= 0x1p60))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take a larger epsilon, or shares that are closer",
                         "the shares of epsilon are too small or too far apart for one grid");
    if (!(fabs(ldexp(options->threshold, -plan->grid)) <= 0x1p99))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "the threshold is too far from 0 for the noise");
    return DUSK_OK;
}

/* --- the run -------------------------------------------------------------------- */

DUSK_PROVEN(dusk_sparse_vector_new_on)
dusk_status dusk_sparse_vector_new_on(dusk_sparse_vector **out, const dusk_sparse_vector_options *options,
                                      int grid, unsigned width, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_sparse_vector *sv = NULL;
    sparse_plan plan;
    dusk_additive noise;
    dusk_int128 rho;

    *out = NULL;
    DUSK_TRY(make_plan(&plan, options, grid, err));
    DUSK_NEW(sv, 1);
    *sv = (dusk_sparse_vector){ .options = *options, .plan = plan, .hits_left = options->hits };
    dusk_additive_init(&noise, DUSK_ADDITIVE_LAPLACE, plan.threshold_scale, width);
    dusk_additive_init(&sv->query_noise, DUSK_ADDITIVE_LAPLACE, plan.query_scale, width);
    if (plan.answer_scale > 0)
        dusk_additive_init(&sv->answer_noise, DUSK_ADDITIVE_LAPLACE, plan.answer_scale, width);
    DUSK_TRY(dusk_additive_draw(&noise, &rho, gen, err));
    sv->noisy_threshold = dusk_noise_steps(options->threshold, plan.grid) + rho;
    *out = sv;
    sv = NULL;
done:
    dusk_sparse_vector_free(sv);
    return status;
}

dusk_status dusk_sparse_vector_new(dusk_sparse_vector **out, const dusk_sparse_vector_options *options,
                                   dusk_generator *gen, dusk_error *err)
{
    return dusk_sparse_vector_new_on(out, options, DUSK_GRID_DEFAULT, DUSK_WIDTH_FULL, gen, err);
}

/* The noisy threshold would tell what the hits hide. */
void dusk_sparse_vector_free(dusk_sparse_vector *sv)
{
    if (sv) dusk_wipe(sv, sizeof *sv);
    dusk_deallocate(sv);
}

/* All noise is drawn before the comparison, so that neither a failure nor the
 * time depends on its outcome. */
DUSK_PROVEN(dusk_sparse_vector_release)
dusk_status dusk_sparse_vector_release(dusk_sparse_vector *sv, bool *above, double *value, double query,
                                       dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_int128 nu, fresh = 0, steps;
    bool numeric = sv->plan.answer_scale > 0;

    if (numeric && !value)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "numeric answers need a place to be written to");
    if (sv->hits_left == 0)
        return dusk_fail(err, DUSK_ERR_BUDGET, "start a new run, which is charged again",
                         "all hits of this sparse vector run were given");
    DUSK_TRY(dusk_additive_draw(&sv->query_noise, &nu, gen, err));
    if (numeric) DUSK_TRY(dusk_additive_draw(&sv->answer_noise, &fresh, gen, err));
    steps = dusk_noise_steps(query, sv->plan.grid);
    *above = steps + DUSK_MUTATE(SPARSE_QUERY_WITHOUT_NOISE, nu, 0) >= sv->noisy_threshold;
    if (*above) sv->hits_left -= DUSK_MUTATE(SPARSE_NEVER_STOPS, 1U, 0U);
    fresh = DUSK_MUTATE(SPARSE_ANSWER_REUSES_NOISE, fresh, nu);
    if (value) *value = numeric && *above ? dusk_fixed_value(steps + fresh, sv->plan.grid) : NAN;
done:
    return status;
}

uint32_t dusk_sparse_vector_hits_left(const dusk_sparse_vector *sv) { return sv->hits_left; }

/* --- what it says about itself ----------------------------------------------------- */

DUSK_PROVEN(dusk_sparse_vector_event)
dusk_status dusk_sparse_vector_event(const dusk_sparse_vector *sv, dusk_event *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event run, answers;

    DUSK_TRY(
        dusk_event_svt(&run, sv->plan.epsilon_threshold, sv->plan.epsilon_queries, sv->options.hits, err));
    if (sv->plan.answer_scale > 0) {
        double scale = dusk_div_down(sv->plan.answer_scale, sv->plan.sensitivity);
        DUSK_TRY(dusk_event_laplace(&answers, scale, err));
        DUSK_TRY(dusk_event_repeat(&answers, &answers, sv->options.hits, err));
        DUSK_TRY(dusk_event_add(&run, &run, &answers, err));
    }
    *out = run;
done:
    return status;
}

/* scale ln(ways / beta), not below 0. */
static double tail_up(double scale, double ways, double beta)
{
    double ratio = dusk_div_up(ways, beta);
    return ratio > 1 ? dusk_mul_up(scale, dusk_log_up(ratio)) : 0;
}

DUSK_PROVEN(dusk_sparse_vector_interval)
dusk_status dusk_sparse_vector_interval(const dusk_sparse_vector *sv, double *margin, uint64_t queries,
                                        double confidence, dusk_error *err)
{
    if (queries == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "the number of queries must be at least 1");
    if (!(confidence > 0 && confidence < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "0.95 is common", "confidence must lie between 0 and 1");
    const sparse_plan *plan = &sv->plan;
    /* Any split of beta is sound; shares as the scales give the least margin. */
    double beta = dusk_sub_down(1, confidence);
    double share = plan->threshold_scale / (plan->threshold_scale + plan->query_scale);
    double beta_threshold = beta * share, beta_queries = dusk_sub_down(beta, beta_threshold);
    double ways = (double)queries / 2 * (1 + 0x1p-52);
    double steps = dusk_add_up(tail_up(plan->threshold_scale, 1, beta_threshold),
                               tail_up(plan->query_scale, ways, beta_queries));
    *margin = dusk_mul_up(dusk_add_up(steps, 2), ldexp(1, plan->grid));
    return DUSK_OK;
}
