/* SPDX-License-Identifier: Apache-2.0 */
/* Propose-test-release [Dwork & Lei 2009; Vadhan 2017, Proposition 3.2 and Algorithm
 * 3.3], with a test on whole numbers: the distance to the nearest table where the proposed
 * bound fails, plus discrete Laplace noise, against a threshold that distance 0 reaches
 * with probability delta at most, by the exact tail of that law.
 *
 * Two neighbours are either within the bound of each other, and then test and release
 * are two mechanisms one after the other, or both at distance 0, and then they differ
 * only where the test passes. Proof: propose_test_release.proof.md. */
#include "mechanisms/propose_test_release.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/aggregate.h"
#include "mechanisms/noise.h"
#include "mechanisms/request.h"
#include "numeric/rounding.h"
#include "random/record.h"
#include "random/rounded.h"

#define FARTHEST ((uint64_t)1 << 60) /* distances end here */

/* --- calibration -------------------------------------------------------------------- */

static dusk_status check_request(dusk_noise_law law, double bound, double test_share, double epsilon,
                                 double delta, dusk_error *err)
{
    if (law != DUSK_LAPLACE && law != DUSK_GAUSSIAN)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose DUSK_LAPLACE or DUSK_GAUSSIAN",
                         "propose-test-release takes Laplace or Gaussian noise");
    if (!(bound > 0) || !isfinite(bound))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "propose by how much one unit moves the value on usual data",
                         "the proposed sensitivity must be finite and above 0");
    if (!(test_share >= 0 && test_share < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "0 stands for one half",
                         "the share of the test must be at least 0 and below 1");
    dusk_status status = dusk_request_epsilon(epsilon, err);
    if (status != DUSK_OK) return status;
    if (!(delta > 0 && delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a small probability such as 1e-6",
                         "delta must be above 0 and below 1: the test may pass by bad luck");
    return DUSK_OK;
}

/* P(K >= t) = q^t / (1 + q) rounded up, q = exp(-1/scale), t >= 1. */
DUSK_PROVEN(test_tail_up)
static double test_tail_up(double scale, double t)
{
    return dusk_div_up(dusk_exp_up(-dusk_div_down(t, scale)),
                       dusk_add_down(1, dusk_exp_down(-dusk_div_up(1, scale))));
}

/* The least threshold whose tail is at most delta. */
static dusk_status choose_threshold(dusk_propose *propose, double delta, dusk_error *err)
{
    double scale = propose->test.scale, t = fmax(1, floor(-scale * log(2 * delta)) - 2);
    if (!(t < 0x1p50))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take a larger epsilon",
                         "epsilon is too small for a test that can pass");
    while (t > 1 && test_tail_up(scale, t) <= delta) t = fmax(1, t - 1);
    while (test_tail_up(scale, t) > DUSK_MUTATE(PROPOSE_LAX_THRESHOLD, delta, 2 * delta)) t++;
    propose->threshold = (int64_t)t;
    propose->failure = test_tail_up(scale, t);
    return DUSK_OK;
}

dusk_status dusk_propose_init(dusk_propose *out, dusk_noise_law law, double bound, double test_share,
                              double epsilon, double delta, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_propose propose = { .bound = bound, .promise = { epsilon, delta } };
    double share, test_delta;

    DUSK_TRY(check_request(law, bound, test_share, epsilon, delta, err));
    share = test_share > 0 ? epsilon * test_share : epsilon / 2;
    DUSK_TRY(dusk_discrete_laplace_init(&propose.test, 1, 1, share, 0, err));
    /* what remains, less what an accountant may round up */
    double rest = dusk_mul_down(dusk_sub_down(epsilon, share), 1 - 0x1p-40);
    test_delta = law == DUSK_GAUSSIAN ? delta / 2 : delta;
    if (law == DUSK_GAUSSIAN)
        DUSK_TRY(dusk_gaussian_init(&propose.noise, 1, bound, rest, delta / 2 * (1 - 0x1p-30),
                                    DUSK_GRID_DEFAULT, err));
    else
        DUSK_TRY(dusk_laplace_init(&propose.noise, 1, bound, rest, DUSK_GRID_DEFAULT, err));
    DUSK_TRY(choose_threshold(&propose, test_delta, err));
    *out = propose;
done:
    return status;
}

static dusk_status check_made(const dusk_propose *propose, dusk_error *err)
{
    if (propose->threshold >= 1 && propose->failure > 0 && propose->failure < 1 &&
        propose->test.law == DUSK_DISCRETE_LAPLACE && propose->test.grid == 0 && propose->test.scale > 0 &&
        test_tail_up(propose->test.scale, (double)propose->threshold) <= propose->failure &&
        propose->noise.sensitivity >= propose->bound && propose->bound > 0)
        return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "make it with dusk_propose_init",
                     "the mechanism was never made");
}

/* --- release -------------------------------------------------------------------------- */

#ifdef DUSK_TESTING
/* The selection behind the test: what follows is seen only if it passes. */
static dusk_record_at record_test(const dusk_propose *propose, dusk_int128 near, dusk_generator *gen)
{
    dusk_record_header header = {
        .what = "proposal",
        .law = DUSK_RECORD_DISCRETE_LAPLACE,
        .norm = DUSK_RECORD_L1,
        .sensitivity = 1,
        .scale = propose->test.scale,
        .delta = propose->failure,
        .selects = true,
        .threshold = (double)propose->threshold,
        .parameter = { { "bound", propose->bound } },
    };
    dusk_record_at at = dusk_record_begin(gen, &header);
    dusk_record_whole(at, 0, near, NULL);
    return at;
}
#endif

DUSK_PROVEN(dusk_propose_release)
dusk_status dusk_propose_release(const dusk_propose *propose, bool *released, double *out, double value,
                                 uint64_t distance, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_int128 near = (dusk_int128)(distance < FARTHEST ? distance : FARTHEST);
    double noisy_distance, answer;

    DUSK_TRY(check_made(propose, err));
    DUSK_TRY(dusk_noise_release_steps(&propose->test, &noisy_distance, near, DUSK_WIDTH_FULL, gen, err));
    DUSK_RECORD(dusk_record_guard(gen, record_test(propose, near, gen));)
    DUSK_TRY(dusk_noise_release(&propose->noise, &answer, value, gen, err));
    DUSK_RECORD(dusk_record_guard(gen, (dusk_record_at){ NULL, 0 });)
    bool passed =
        DUSK_MUTATE(PROPOSE_TESTS_WITHOUT_NOISE, noisy_distance, (double)near) >= (double)propose->threshold;
    *released = passed;
    *out = passed ? answer : NAN;
done:
    return status;
}

/* --- what it says about itself ---------------------------------------------------------- */

DUSK_PROVEN(dusk_propose_event)
dusk_status dusk_propose_event(const dusk_propose *propose, dusk_event *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event sum, part;

    DUSK_TRY(check_made(propose, err));
    DUSK_TRY(dusk_noise_event(&propose->test, &sum, err));
    DUSK_TRY(dusk_noise_event(&propose->noise, &part, err));
    DUSK_TRY(dusk_event_add(&sum, &sum, &part, err));
    DUSK_TRY(dusk_event_approx(&part, 0, propose->failure, err));
    DUSK_TRY(dusk_event_add(&sum, &sum, &part, err));
    *out = sum;
done:
    return status;
}

DUSK_PROVEN(dusk_propose_interval)
dusk_status dusk_propose_interval(const dusk_propose *propose, double *half_width, uint64_t *enough,
                                  double confidence, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double width, test_width;

    DUSK_TRY(check_made(propose, err));
    DUSK_TRY(dusk_noise_interval(&propose->noise, &width, confidence, err));
    DUSK_TRY(dusk_noise_interval(&propose->test, &test_width, confidence, err));
    *half_width = width;
    *enough = (uint64_t)propose->threshold + (uint64_t)fmin(ceil(test_width), 0x1p62);
done:
    return status;
}

/* --- a quantile --------------------------------------------------------------------------- */

/* Is some window of j rows that touches rank r longer than `bound`? */
static bool is_wide(const dusk_ordered *x, int64_t r, int64_t j, double bound)
{
    int64_t last = (int64_t)x->n + 1;
    if (j >= last) return dusk_sub_up(x->upper, x->lower) > bound;
    for (int64_t u = 0; u <= j; u++)
        if (dusk_sub_up(dusk_ordered_row(x, r + u), dusk_ordered_row(x, r + u - j)) > bound) return true;
    return false;
}

/* The least k for which some window of (k + 1) m rows is longer than `bound`; windows grow
 * with k. Where not even the bounds are so far apart no table is, and it is infinite. */
DUSK_PROVEN(dusk_propose_distance)
uint64_t dusk_propose_distance(const dusk_ordered *x, size_t r, uint32_t m, double bound)
{
    int64_t low = 0, high = ((int64_t)x->n + m) / m; /* (high + 1) m > n: as wide as the bounds */
    if (!(dusk_sub_up(x->upper, x->lower) > bound)) return FARTHEST;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (is_wide(x, (int64_t)r, (middle + 1) * m, bound))
            high = middle;
        else
            low = middle + 1;
    }
    return (uint64_t)DUSK_MUTATE(PROPOSE_DISTANCE_ONE_MORE, low, low + 1);
}

/* Everything public. */
typedef struct propose_plan {
    dusk_propose propose;
    double half_width;
    dusk_statement statement;
} propose_plan;

static dusk_status make_plan(propose_plan *plan, const dusk_aggregate *how, dusk_noise_law law, double bound,
                             double q, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;
    uint64_t enough;

    DUSK_TRY(dusk_aggregate_check(how, true, err));
    if (!(q > 0 && q < 1))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for 0.5, the median",
                           "the quantile must lie between 0 and 1"));
    DUSK_TRY(dusk_propose_init(&plan->propose, law, bound, 0, how->epsilon, how->delta, err));
    DUSK_TRY(dusk_propose_interval(&plan->propose, &plan->half_width, &enough, how->confidence, err));
    DUSK_TRY(dusk_propose_event(&plan->propose, &event, err));
    DUSK_TRY(dusk_aggregate_state(&plan->statement, how, true, &event, err));
done:
    return status;
}

static dusk_answer answer_of(const propose_plan *plan, const dusk_aggregate *how, bool released, double value)
{
    dusk_range range = { how->lower, how->upper };
    if (released) {
        range = dusk_range_about(value, plan->half_width, plan->propose.noise.grid);
        range = dusk_range_clamp(range, how->lower, how->upper);
        value = fmin(fmax(value, how->lower), how->upper);
    }
    return (dusk_answer){ .value = value,
                          .low = range.low,
                          .high = range.high,
                          .confidence = how->confidence,
                          .statement = plan->statement };
}

DUSK_PROVEN(dusk_propose_quantile_release)
dusk_status dusk_propose_quantile_release(dusk_answer *out, bool *released, const dusk_aggregate *how,
                                          dusk_noise_law law, double bound, double q, const double *rows,
                                          size_t n, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    propose_plan plan;
    dusk_ordered x = { .n = 0 };
    double value;
    bool passed;
    size_t r;

    DUSK_TRY(make_plan(&plan, how, law, bound, q, err));
    DUSK_TRY(dusk_ordered_new(&x, rows, n, how->lower, how->upper, err));
    r = dusk_rank_of(dusk_rank_target(q), n);
    DUSK_TRY(dusk_propose_release(&plan.propose, &passed, &value, dusk_ordered_row(&x, (int64_t)r),
                                  dusk_propose_distance(&x, r, how->rows_per_unit, bound), gen, err));
    *out = answer_of(&plan, how, passed, value);
    *released = passed;
done:
    dusk_ordered_clear(&x);
    return status;
}
