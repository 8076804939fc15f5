/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse vector: many queries against one threshold, paying for the hits [Lyu,
 * Su & Li 2017, Algorithm 7; Dwork & Roth 2014, section 3.6; with Gaussian noise
 * Zhu & Wang 2020]. In their words:
 *   rho   the threshold's noise: kept, or drawn afresh after every hit
 *   nu_i  every query's noise
 *   above when q_i + nu_i >= T + rho; stop after c of them, or after n queries
 *   answers with fresh noise, never with the noise of the comparison
 * How large the noise is, and of which law: sparse_vector_plan.c. All noise is
 * exactly rounded ideal noise in steps of one public grid, and queries and threshold
 * are brought to it, so that comparisons are between integers. NaN counts as 0 and
 * what lies beyond 2^100 steps as 2^100. Proof: sparse_vector.proof.md.
 *
 * The run is not resumable: a handle that is lost has spent its budget. */
#include "mechanisms/sparse_vector.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/noise.h"
#include "mechanisms/request.h"
#include "numeric/fixed_sum.h"
#include "numeric/rounding.h"
#include "numeric/special.h"
#include "random/noise_additive.h"
#include "random/record.h"

struct dusk_sparse_vector {
    dusk_sparse_vector_options options;
    dusk_sparse_plan plan;
    dusk_additive threshold_noise, query_noise, answer_noise;
    dusk_int128 noisy_threshold; /* in steps */
    uint32_t hits_left;
    uint64_t queries_left; /* UINT64_MAX: any number */
};

void dusk_sparse_vector_options_init(dusk_sparse_vector_options *options)
{
    *options = (dusk_sparse_vector_options){ .size = sizeof *options, .hits = 1, .noise = DUSK_LAPLACE };
}

/* --- the run -------------------------------------------------------------------- */

DUSK_PROVEN(dusk_sparse_vector_start)
dusk_status dusk_sparse_vector_start(dusk_sparse_vector **out, const dusk_sparse_vector_options *options,
                                     const dusk_sparse_plan *plan, unsigned width, dusk_generator *gen,
                                     dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_sparse_vector *sv = NULL;
    dusk_int128 rho;

    *out = NULL;
    DUSK_NEW(sv, 1);
    *sv = (dusk_sparse_vector){ .options = *options, .plan = *plan, .hits_left = options->hits };
    sv->queries_left = options->length > 0 ? options->length : UINT64_MAX;
    dusk_additive_init(&sv->threshold_noise, plan->law, plan->threshold_scale, width);
    dusk_additive_init(&sv->query_noise, plan->law, plan->query_scale, width);
    if (plan->answer_scale > 0)
        dusk_additive_init(&sv->answer_noise, plan->answer_law, plan->answer_scale, width);
    DUSK_TRY(dusk_additive_draw(&sv->threshold_noise, &rho, gen, err));
    sv->noisy_threshold = dusk_noise_steps(options->threshold, plan->grid) + rho;
    *out = sv;
    sv = NULL;
done:
    dusk_sparse_vector_free(sv);
    return status;
}

dusk_status dusk_sparse_vector_new_on(dusk_sparse_vector **out, const dusk_sparse_vector_options *options,
                                      int grid, unsigned width, dusk_generator *gen, dusk_error *err)
{
    dusk_sparse_plan plan;
    *out = NULL;
    dusk_status status = dusk_sparse_plan_make(&plan, options, grid, err);
    return status == DUSK_OK ? dusk_sparse_vector_start(out, options, &plan, width, gen, err) : status;
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

static dusk_status check_left(const dusk_sparse_vector *sv, dusk_error *err)
{
    if (sv->hits_left == 0)
        return dusk_fail(err, DUSK_ERR_BUDGET, "start a new run, which is charged again",
                         "all hits of this sparse vector run were given");
    if (sv->queries_left == 0)
        return dusk_fail(err, DUSK_ERR_BUDGET, "start a new run, which is charged again",
                         "all queries of this sparse vector run were asked");
    return DUSK_OK;
}

/* What an answer changes. An instance that has had its hits is over: the next one
 * has the threshold noise `rho`. */
static void count_query(dusk_sparse_vector *sv, bool above, dusk_int128 rho)
{
    if (sv->options.length > 0) sv->queries_left -= DUSK_MUTATE(SPARSE_LENGTH_NOT_KEPT, 1U, 0U);
    if (!above) return;
    sv->hits_left -= DUSK_MUTATE(SPARSE_NEVER_STOPS, 1U, 0U);
    if (DUSK_MUTATE(SPARSE_THRESHOLD_KEPT, sv->plan.instance_hits, UINT32_MAX) == 1)
        sv->noisy_threshold = dusk_noise_steps(sv->options.threshold, sv->plan.grid) + rho;
}

#ifdef DUSK_TESTING
/* Queries below cost nothing, or little, and it is the run that is priced: each call says only
 * how far its query may move. */
static void record_query(const dusk_sparse_vector *sv, dusk_int128 steps, bool *above, dusk_generator *gen)
{
    dusk_record_header header = {
        .what = "sparse_vector",
        .norm = DUSK_RECORD_LINF,
        .sensitivity = sv->plan.sensitivity,
        .scale = sv->plan.query_scale,
        .parameter = { { "grid", sv->plan.grid },
                       { "threshold", sv->options.threshold },
                       { "threshold scale", sv->plan.threshold_scale },
                       { "hits left", sv->hits_left } },
    };
    dusk_record_at at = dusk_record_begin(gen, &header);
    dusk_record_whole(at, 0, steps, NULL);
    dusk_record_output(at, above, sizeof *above);
}

static void record_answer(const dusk_sparse_vector *sv, dusk_int128 steps, dusk_int128 *answer,
                          dusk_generator *gen)
{
    dusk_record_header header = {
        .what = "sparse_vector_answer",
        .law = sv->plan.answer_law == DUSK_ADDITIVE_LAPLACE ? DUSK_RECORD_LAPLACE : DUSK_RECORD_GAUSSIAN,
        .norm = DUSK_RECORD_LINF,
        .sensitivity = sv->plan.sensitivity,
        .scale = sv->plan.answer_scale,
        .parameter = { { "grid", sv->plan.grid } },
    };
    dusk_record_whole(dusk_record_begin(gen, &header), 0, steps, answer);
}
#endif

/* All noise is drawn before the comparison, so that neither a failure nor the
 * time depends on its outcome. */
DUSK_PROVEN(dusk_sparse_vector_release)
dusk_status dusk_sparse_vector_release(dusk_sparse_vector *sv, bool *above, double *value, double query,
                                       dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_int128 nu, fresh = 0, rho = 0, steps;
    bool numeric = sv->plan.answer_scale > 0;

    if (numeric && !value)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "numeric answers need a place to be written to");
    DUSK_TRY(check_left(sv, err));
    DUSK_TRY(dusk_additive_draw(&sv->query_noise, &nu, gen, err));
    if (numeric) DUSK_TRY(dusk_additive_draw(&sv->answer_noise, &fresh, gen, err));
    if (sv->plan.instance_hits == 1 && sv->hits_left > 1)
        DUSK_TRY(dusk_additive_draw(&sv->threshold_noise, &rho, gen, err));
    steps = dusk_noise_steps(query, sv->plan.grid);
    *above = steps + DUSK_MUTATE(SPARSE_QUERY_WITHOUT_NOISE, nu, 0) >= sv->noisy_threshold;
    DUSK_RECORD(record_query(sv, steps, above, gen);)
    count_query(sv, DUSK_MUTATE(REPLAY_HITS_FOLLOW_DATA, *above, steps >= sv->noisy_threshold), rho);
    fresh = steps + DUSK_MUTATE(SPARSE_ANSWER_REUSES_NOISE, fresh, nu);
    DUSK_RECORD(if (numeric && *above) record_answer(sv, steps, &fresh, gen);)
    if (value) *value = numeric && *above ? dusk_fixed_value(fresh, sv->plan.grid) : NAN;
done:
    return status;
}

uint32_t dusk_sparse_vector_hits_left(const dusk_sparse_vector *sv) { return sv->hits_left; }

uint64_t dusk_sparse_vector_queries_left(const dusk_sparse_vector *sv) { return sv->queries_left; }

/* --- what it says about itself ----------------------------------------------------- */

DUSK_PROVEN(dusk_sparse_vector_event)
dusk_status dusk_sparse_vector_event(const dusk_sparse_vector *sv, dusk_event *out, dusk_error *err)
{
    (void)err;
    *out = sv->plan.event;
    return DUSK_OK;
}

/* t with P(Z > t) <= p for noise of scale 1 and p <= 1/2, not below 0. The normal
 * quantile is right to a relative 1e-14 (special.h). */
static double deviate_up(dusk_additive_law law, double p)
{
    if (p >= 0.5) return 0;
    if (law == DUSK_ADDITIVE_LAPLACE) return p > 0 ? dusk_log_up(dusk_div_up(1, 2 * p)) : INFINITY;
    return p > 1e-300 ? dusk_normal_upper_quantile(p) * (1 + 1e-12) + 1e-12 : INFINITY;
}

/* Two noises apart, in steps: beta is shared as the scales are, which gives about the
 * least; any shares are sound. A threshold noise errs on both sides, a query's on one. */
static double margin_apart(const dusk_sparse_plan *plan, double thresholds, double queries, double beta)
{
    double share = plan->threshold_scale / (plan->threshold_scale + plan->query_scale);
    double beta_threshold = beta * share, beta_queries = dusk_sub_down(beta, beta_threshold);
    double first = deviate_up(plan->law, dusk_div_down(beta_threshold, 2 * thresholds));
    double second = deviate_up(plan->law, dusk_div_down(beta_queries, queries));
    return dusk_add_up(dusk_mul_up(plan->threshold_scale, first), dusk_mul_up(plan->query_scale, second));
}

/* t with P(Z > t) <= p for the difference Z of two Laplace noises of scale 1 and at most 1,
 * `ratio`. Of scales 1 and a < 1 it is (exp(-t) - a^2 exp(-t/a)) / (2 (1 - a^2)), of scale 1
 * both exp(-t) (2 + t)/4, which falls; so t = ln((2 + t)/(4 p)) is approached from above. */
static double laplace_difference_up(double ratio, double p)
{
    if (!(p > 0)) return INFINITY;
    double uneven = dusk_sub_down(1, dusk_mul_up(ratio, ratio)), equal = 1e4;
    double t = deviate_up(DUSK_ADDITIVE_LAPLACE, dusk_mul_down(p, fmax(uneven, 0)));
    for (int i = 0; i < 8; i++) equal = dusk_log_up(dusk_div_up(2 + equal * (1 + 0x1p-50), 4 * p));
    return fmax(fmin(t, equal), 0);
}

/* The difference of the two noises, for each query by itself, in steps. */
static double margin_together(const dusk_sparse_plan *plan, double queries, double beta)
{
    double large = fmax(plan->threshold_scale, plan->query_scale);
    double ratio = dusk_div_up(fmin(plan->threshold_scale, plan->query_scale), large);
    double each = dusk_div_down(beta, queries);
    if (plan->law == DUSK_ADDITIVE_LAPLACE) return dusk_mul_up(large, laplace_difference_up(ratio, each));
    double root = dusk_sqrt_up(dusk_add_up(1, dusk_mul_up(ratio, ratio)));
    return dusk_mul_up(dusk_mul_up(large, root), deviate_up(plan->law, each));
}

DUSK_PROVEN(dusk_sparse_vector_interval)
dusk_status dusk_sparse_vector_interval(const dusk_sparse_vector *sv, double *margin, uint64_t queries,
                                        double confidence, dusk_error *err)
{
    if (queries == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "the number of queries must be at least 1");
    dusk_status status = dusk_request_confidence(confidence, err);
    if (status != DUSK_OK) return status;
    double thresholds = 1, asked = (double)queries * (1 + 0x1p-52), beta = dusk_sub_down(1, confidence);
    if (sv->plan.instance_hits == 1) thresholds = fmin(asked, sv->options.hits);
    double steps =
        fmin(margin_apart(&sv->plan, thresholds, asked, beta), margin_together(&sv->plan, asked, beta));
    *margin = dusk_mul_up(dusk_add_up(steps, 2), ldexp(1, sv->plan.grid));
    return DUSK_OK;
}
