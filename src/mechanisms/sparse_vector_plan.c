/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse vector: how much noise, and which event. The forms, with c hits, a
 * sensitivity of 1, and f = 2 (1 if monotonic):
 *   shared      one threshold noise 1/eps1 for the run, queries f c/eps2: svt(eps1, eps2, c)
 *               [Lyu, Su & Li 2017, Algorithm 7]; the only one with delta = 0
 *   restarted   a fresh threshold noise 1/eps1 after every hit, queries f/eps2:
 *               svt(eps1, eps2, 1) * c [Dwork & Roth 2014, Theorem 3.25]; if monotonic the
 *               losses lie in an interval of eps1 + 2 eps2: exponential(eps1 + 2 eps2) * c
 *   gaussian    the same with Gaussian noise and at most n queries [Zhu & Wang 2020]:
 *               svt_gaussian(sigma1, sigma2, n) * c, if monotonic svt_gaussian(sigma1, 2 sigma2, n) * c;
 *               its Renyi divergence grows with c ln n, so for many hits each instance is
 *               priced by itself: approx(eps0, delta0) * c
 * With delta > 0 the noise is the least for which the accountant finds the event of
 * the whole run within the promise. Proof: sparse_vector_plan.proof.md. */
#include <math.h>

#include "accounting/account.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/sparse_vector.h"
#include "numeric/rounding.h"

/* --- what is refused ----------------------------------------------------------- */

static dusk_status check_promise(const dusk_sparse_vector_options *options, dusk_error *err)
{
    if (!(options->epsilon > 0 && options->epsilon < INFINITY))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "common values lie between 0.01 and 10",
                         "epsilon must be positive and finite");
    if (!(options->numeric_epsilon >= 0 && options->numeric_epsilon < INFINITY))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "0 means no numeric answers",
                         "numeric_epsilon must be finite and not negative");
    if (!(options->delta >= 0 && options->delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "0, or far below 1 over the number of people",
                         "delta must be at least 0 and below 1");
    if (!(options->threshold_share >= 0 && options->threshold_share < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "0 means the best ratio",
                         "threshold_share must be 0, or lie between 0 and 1");
    return DUSK_OK;
}

static dusk_status check_noise(const dusk_sparse_vector_options *options, dusk_error *err)
{
    if (options->noise == DUSK_LAPLACE) return DUSK_OK;
    if (options->noise != DUSK_GAUSSIAN)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take Laplace or Gaussian noise",
                         "sparse vector has no such noise");
    if (options->delta == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "far below 1 over the number of people",
                         "Gaussian noise needs a delta above 0");
    if (options->length == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "say how many queries there are at most, or take Laplace noise",
                         "Gaussian noise needs a length");
    if (options->threshold_share > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it 0", "threshold_share is for Laplace noise");
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
    dusk_status status = check_promise(options, err);
    return status == DUSK_OK ? check_noise(options, err) : status;
}

/* --- the forms ------------------------------------------------------------------ */

typedef enum sparse_form { SHARED = 1, RESTARTED, GAUSSIAN_RENYI, GAUSSIAN_APPROX } sparse_form;

/* How far one comparison moves: the query, and the threshold the other way. */
static double moves(const dusk_sparse_vector_options *options) { return options->monotonic ? 1 : 2; }

/* The share of the threshold with the least variance of the difference, 1/eps1^2 + (f
 * m/eps2)^2: eps1 : eps2 = 1 : (f m)^(2/3) [Lyu et al., section 4]; and where it is
 * eps1 + 2 eps2 that counts, 1 : 2^(-1/3). */
static double threshold_share(const dusk_sparse_vector_options *options, sparse_form form)
{
    if (options->threshold_share > 0) return options->threshold_share;
    if (form == RESTARTED && options->monotonic) return 1 / (1 + cbrt(0.5));
    double root = cbrt(moves(options) * (form == SHARED ? options->hits : 1));
    return 1 / (1 + root * root);
}

static dusk_status laplace_event(dusk_event *out, const dusk_sparse_vector_options *options, sparse_form form,
                                 double first, double second, dusk_error *err)
{
    dusk_status status;
    if (form == SHARED) return dusk_event_svt(out, first, second, options->hits, err);
    if (options->monotonic)
        status = dusk_event_exponential(
            out, dusk_add_up(first, DUSK_MUTATE(SPARSE_RANGE_TOO_NARROW, 2, 1) * second), err);
    else
        status = dusk_event_svt(out, first, second, 1, err);
    return status == DUSK_OK ? dusk_event_repeat(out, out, options->hits, err) : status;
}

/* Comparisons with Laplace noise: each instance is `total`-private. Rounded so that the
 * two shares never add up to more. */
static dusk_status set_laplace(dusk_sparse_plan *plan, const dusk_sparse_vector_options *options,
                               sparse_form form, double total, dusk_error *err)
{
    double first = threshold_share(options, form) * total, second = dusk_sub_down(total, first);
    plan->law = DUSK_ADDITIVE_LAPLACE;
    plan->instance_hits = form == SHARED ? options->hits : 1;
    plan->threshold = dusk_div_up(1, first);
    double hidden = moves(options) * DUSK_MUTATE(SPARSE_NOISE_IGNORES_HITS, plan->instance_hits, 1);
    plan->query = dusk_div_up(hidden, second);
    if (!(plan->threshold < INFINITY && plan->query < INFINITY))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take a larger epsilon, or shares that are closer",
                         "the shares of epsilon are too small or too far apart for one grid");
    return laplace_event(&plan->event, options, form, first, second, err);
}

/* Events speak of what neighbours can change: no relation is counted twice. */
static dusk_status price(const dusk_event *event, double delta, dusk_accountant accountant, double *epsilon,
                         dusk_error *err)
{
    dusk_account account;
    dusk_status status = dusk_account_event(&account, event, delta, DUSK_ADD_REMOVE, accountant, err);
    if (status == DUSK_ERR_UNSUPPORTED && accountant != DUSK_BEST)
        status = dusk_account_event(&account, event, delta, DUSK_ADD_REMOVE, DUSK_BEST, err);
    if (status == DUSK_OK) *epsilon = account.bound.upper;
    return status;
}

/* Comparisons with Gaussian noise; sigma2 = sqrt(2) sigma1, or as large if monotonic, has the
 * least variance of the difference for a given 1/(2 sigma1^2) + f^2/(2 sigma2^2). */
static dusk_status set_gaussian(dusk_sparse_plan *plan, const dusk_sparse_vector_options *options,
                                sparse_form form, double sigma, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double epsilon, delta = options->delta / options->hits / 4;
    plan->law = DUSK_ADDITIVE_GAUSSIAN;
    plan->instance_hits = 1;
    plan->threshold = sigma;
    plan->query = sigma * sqrt(moves(options));
    double priced = plan->query * DUSK_MUTATE(SPARSE_GAUSSIAN_MONOTONIC, 2 / moves(options), 2);
    DUSK_TRY(dusk_event_svt_gaussian(&plan->event, sigma, priced, options->length, err));
    if (form == GAUSSIAN_APPROX) {
        DUSK_TRY(price(&plan->event, delta, DUSK_RDP, &epsilon, err));
        DUSK_TRY(dusk_event_approx(&plan->event, fmin(epsilon, 0x1p900), delta, err));
    }
    DUSK_TRY(dusk_event_repeat(&plan->event, &plan->event, options->hits, err));
done:
    return status;
}

/* Noise that grows with `size`. */
static dusk_status set_comparisons(dusk_sparse_plan *plan, const dusk_sparse_vector_options *options,
                                   sparse_form form, double size, dusk_error *err)
{
    if (options->noise == DUSK_GAUSSIAN) return set_gaussian(plan, options, form, size, err);
    return set_laplace(plan, options, form, dusk_div_down(1, size), err);
}

static dusk_status answers_event(dusk_event *out, const dusk_sparse_vector_options *options,
                                 dusk_additive_law law, double scale, dusk_error *err)
{
    dusk_status status = law == DUSK_ADDITIVE_LAPLACE ? dusk_event_laplace(out, scale, err)
                                                      : dusk_event_gaussian(out, scale, err);
    return status == DUSK_OK ? dusk_event_repeat(out, out, options->hits, err) : status;
}

/* --- calibration ------------------------------------------------------------------ */

/* What is looked for: the least size at which the event is within the target. A part
 * that has no size is not there. */
typedef struct sparse_search {
    const dusk_sparse_vector_options *options;
    sparse_form form;
    dusk_additive_law answer_law;
    double comparisons, answers; /* sizes at 1 */
    dusk_budget target;
    dusk_accountant accountant; /* quick for this event */
} sparse_search;

static dusk_status plan_at(dusk_sparse_plan *plan, const sparse_search *search, double size, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event answers;
    plan->answer = search->answers * size;
    plan->answer_law = search->answer_law;
    if (search->comparisons > 0)
        DUSK_TRY(set_comparisons(plan, search->options, search->form, search->comparisons * size, err));
    if (search->answers > 0) {
        DUSK_TRY(answers_event(&answers, search->options, search->answer_law, plan->answer, err));
        if (search->comparisons > 0)
            DUSK_TRY(dusk_event_add(&plan->event, &plan->event, &answers, err));
        else
            plan->event = answers;
    }
done:
    return status;
}

static dusk_status is_within(const sparse_search *search, double size, bool *within, dusk_error *err)
{
    dusk_sparse_plan plan;
    double epsilon;
    dusk_status status = plan_at(&plan, search, size, err);
    if (status == DUSK_OK)
        status = price(&plan.event, search->target.delta, search->accountant, &epsilon, err);
    if (status == DUSK_OK) *within = epsilon <= search->target.epsilon;
    return status;
}

enum { DOUBLINGS = 200, HALVINGS = 28 };

/* The least size, up to 2^-28 of itself, that is_within was seen to accept. */
static dusk_status solve(const sparse_search *search, double *size, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double high = 1, low;
    bool within = false, below = true;
    for (int i = 0; i < DOUBLINGS && !within; i++, high *= within ? 1 : 2)
        DUSK_TRY(is_within(search, high, &within, err));
    if (!within)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take a larger epsilon or delta, or fewer hits",
                         "no noise is enough for this promise");
    for (low = high / 2; below && low > 0x1p-200; low /= below ? 2 : 1) {
        DUSK_TRY(is_within(search, low, &below, err));
        if (below) high = low;
    }
    for (int i = 0; i < HALVINGS; i++) {
        double middle = low + (high - low) / 2;
        DUSK_TRY(is_within(search, middle, &within, err));
        if (within)
            high = middle;
        else
            low = middle;
    }
    *size = high;
done:
    return status;
}

/* The variance of what is compared, up to a factor that is the same for all forms
 * with the same law. */
static double variance(const dusk_sparse_plan *plan)
{
    return plan->threshold * plan->threshold + plan->query * plan->query;
}

/* Comparisons alone, in one form; keep it if it has less noise. */
static dusk_status try_form(sparse_search *search, double *least, sparse_form form,
                            dusk_accountant accountant, dusk_budget target, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_sparse_plan plan;
    double size = dusk_div_up(1, target.epsilon);
    sparse_search alone = { .options = search->options, .form = form, .comparisons = 1, .target = target };
    alone.accountant = accountant;
    if (form != SHARED) DUSK_TRY(solve(&alone, &size, err)); /* which is private by itself */
    DUSK_TRY(plan_at(&plan, &alone, size, err));
    if (!(variance(&plan) < *least)) goto done;
    *least = variance(&plan);
    search->form = form;
    search->comparisons = size;
done:
    return status;
}

static dusk_status choose_form(sparse_search *search, dusk_budget target, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_sparse_vector_options *options = search->options;
    double least = INFINITY;
    if (options->noise == DUSK_GAUSSIAN) {
        DUSK_TRY(try_form(search, &least, GAUSSIAN_RENYI, DUSK_RDP, target, err));
        if (options->hits > 1) DUSK_TRY(try_form(search, &least, GAUSSIAN_APPROX, DUSK_OPTIMAL, target, err));
    } else {
        dusk_accountant quick = options->monotonic ? DUSK_RDP : DUSK_OPTIMAL;
        DUSK_TRY(try_form(search, &least, SHARED, quick, target, err));
        if (options->hits > 1) DUSK_TRY(try_form(search, &least, RESTARTED, quick, target, err));
    }
done:
    return status;
}

/* Laplace noise for c times numeric_epsilon/c, or Gaussian noise, whichever has the smaller
 * deviation: where delta would help Laplace noise, Gaussian noise is better. */
static dusk_status choose_answers(sparse_search *search, dusk_budget target, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double gaussian, laplace = dusk_div_up(search->options->hits, target.epsilon);
    sparse_search alone = { .options = search->options, .answers = 1, .target = target };
    alone.answer_law = DUSK_ADDITIVE_GAUSSIAN;
    alone.accountant = DUSK_GDP;
    DUSK_TRY(solve(&alone, &gaussian, err));
    bool normal = gaussian < sqrt(2) * laplace;
    search->answer_law = normal ? DUSK_ADDITIVE_GAUSSIAN : DUSK_ADDITIVE_LAPLACE;
    search->answers = normal ? gaussian : laplace;
done:
    return status;
}

/* The best accountant asks all others; this one is the best for such a sum. */
static dusk_accountant quick_for(const sparse_search *search)
{
    if (search->form == RESTARTED && search->options->monotonic) return DUSK_RDP;
    return search->options->hits < 8 ? DUSK_BEST : DUSK_CONTOUR;
}

/* (epsilon + numeric_epsilon, delta) for the run: comparisons and answers by
 * themselves, for half of delta each, then both as small as they can be together. */
static dusk_status calibrate(dusk_sparse_plan *plan, const dusk_sparse_vector_options *options,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool numeric = options->numeric_epsilon > 0;
    double delta = numeric ? options->delta / 2 : options->delta, size = 1;
    sparse_search search = { .options = options };
    search.target =
        (dusk_budget){ dusk_add_down(options->epsilon, options->numeric_epsilon), options->delta };
    DUSK_TRY(choose_form(&search, (dusk_budget){ options->epsilon, delta }, err));
    if (numeric) {
        DUSK_TRY(choose_answers(&search, (dusk_budget){ options->numeric_epsilon, delta }, err));
        search.accountant = quick_for(&search);
        DUSK_TRY(solve(&search, &size, err));
    }
    DUSK_TRY(plan_at(plan, &search, size, err));
done:
    return status;
}

/* --- the plan ---------------------------------------------------------------------- */

/* delta = 0: Laplace noise, one threshold, epsilon and numeric_epsilon as they are. */
static dusk_status set_pure(dusk_sparse_plan *plan, const dusk_sparse_vector_options *options,
                            dusk_error *err)
{
    dusk_event answers;
    dusk_status status = set_laplace(plan, options, SHARED, options->epsilon, err);
    plan->answer_law = DUSK_ADDITIVE_LAPLACE;
    if (status != DUSK_OK || options->numeric_epsilon == 0) return status;
    plan->answer = dusk_div_up(options->hits, options->numeric_epsilon);
    double priced = dusk_div_down(options->hits, options->numeric_epsilon);
    status = answers_event(&answers, options, DUSK_ADDITIVE_LAPLACE, priced, err);
    return status == DUSK_OK ? dusk_event_add(&plan->event, &plan->event, &answers, err) : status;
}

/* The scales for a sensitivity in any unit. */
static void set_scales(dusk_sparse_plan *plan, double sensitivity)
{
    plan->sensitivity = sensitivity;
    plan->threshold_scale = dusk_mul_up(plan->threshold, sensitivity);
    plan->query_scale = dusk_mul_up(plan->query, sensitivity);
    plan->answer_scale = plan->answer > 0 ? dusk_mul_up(plan->answer, sensitivity) : 0;
}

static double smallest_scale(const dusk_sparse_plan *plan)
{
    double scale = fmin(plan->threshold_scale, plan->query_scale);
    return plan->answer_scale > 0 ? fmin(scale, plan->answer_scale) : scale;
}

static double largest_scale(const dusk_sparse_plan *plan)
{
    return fmax(fmax(plan->threshold_scale, plan->query_scale), plan->answer_scale);
}

/* Fine enough for the smallest scale (2^40 steps) and for the sensitivity (2^20
 * steps, so that rounding it up costs nothing), coarse enough for the largest
 * scale (2^59 steps). Requires scales in the unit of the data. */
static int choose_grid(const dusk_sparse_plan *plan, double sensitivity)
{
    int fine = ilogb(smallest_scale(plan)) - 40, coarse = ilogb(largest_scale(plan)) - 58;
    if (ilogb(sensitivity) - 20 < fine) fine = ilogb(sensitivity) - 20;
    return fine > coarse ? fine : coarse;
}

static dusk_status place(dusk_sparse_plan *plan, const dusk_sparse_vector_options *options, int grid,
                         dusk_error *err)
{
    set_scales(plan, options->sensitivity);
    if (!(smallest_scale(plan) > 0x1p-900 && largest_scale(plan) < 0x1p900))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "measure the queries in another unit",
                         "the scale of the noise must lie between 2^-900 and 2^900");
    plan->grid = grid == DUSK_GRID_DEFAULT ? choose_grid(plan, options->sensitivity) : grid;
    set_scales(plan, ceil(ldexp(options->sensitivity, -plan->grid)));
    if (!(smallest_scale(plan) >= 0x1p-40 && largest_scale(plan) <= 0x1p60))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take a larger epsilon, or shares that are closer",
                         "the shares of epsilon are too small or too far apart for one grid");
    if (!(fabs(ldexp(options->threshold, -plan->grid)) <= 0x1p99))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "the threshold is too far from 0 for the noise");
    return DUSK_OK;
}

DUSK_PROVEN(dusk_sparse_plan_make)
dusk_status dusk_sparse_plan_make(dusk_sparse_plan *out, const dusk_sparse_vector_options *options, int grid,
                                  dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_sparse_plan plan = { .answer = 0 };
    DUSK_TRY(check_options(options, err));
    DUSK_TRY(options->delta > 0 ? calibrate(&plan, options, err) : set_pure(&plan, options, err));
    DUSK_TRY(place(&plan, options, grid, err));
    *out = plan;
done:
    return status;
}
