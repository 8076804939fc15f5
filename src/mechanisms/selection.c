/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the best of several candidates: parameters, rate, event, interval,
 * and which of the two samplers does the work.
 *
 *   exponential mechanism   McSherry & Talwar 2007; bounded range: Durfee &
 *                           Rogers 2019, Dong, Durfee & Rogers 2020
 *   permute-and-flip        McKenna & Sheldon 2020
 *   report noisy max        Dwork & Roth 2014, section 3.3; Ding et al. 2021
 *
 * One rate serves all: noise of scale 1 is added to rate * score with rate =
 * epsilon / (2 sensitivity), or epsilon / sensitivity for monotonic scores. It
 * is passed on as a fraction, never rounded. Privacy: selection.proof.md. Not
 * here: candidates that are not known beforehand (limit_domain.c). */
#include "mechanisms/selection.h"

#include <math.h>

#include "base/error.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/noisy_max.h"
#include "mechanisms/permute_and_flip.h"
#include "mechanisms/request.h"
#include "numeric/rounding.h"
#include "random/record.h"

/* 2 sensitivity must be a double. */
static const double sensitivity_max = 0x1p1000;

static dusk_status check_selection(const dusk_selection *selection, dusk_error *err)
{
    if (selection->method < DUSK_SELECT_EXPONENTIAL || selection->method > DUSK_SELECT_NOISY_MAX_EXPONENTIAL)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take one of the DUSK_SELECT_ values",
                         "the selection method is not known");
    if (!(selection->sensitivity > 0 && selection->sensitivity <= sensitivity_max))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for counts it is 1",
                         "sensitivity must be positive and at most 2^1000");
    if (!(selection->epsilon > 0 && selection->epsilon < INFINITY))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "common values lie between 0.01 and 10",
                         "epsilon must be positive and finite");
    return DUSK_OK;
}

static bool has_gumbel_noise(const dusk_selection *selection)
{
    return selection->method == DUSK_SELECT_EXPONENTIAL || selection->method == DUSK_SELECT_NOISY_MAX_GUMBEL;
}

static bool permutes_and_flips(const dusk_selection *selection)
{
    return selection->method == DUSK_SELECT_PERMUTE_AND_FLIP ||
           selection->method == DUSK_SELECT_NOISY_MAX_EXPONENTIAL;
}

static dusk_status check_choices(const dusk_selection *selection, size_t k, dusk_error *err)
{
    if (k == 0) return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "the number of choices must be at least 1");
    if (k > 1 && !has_gumbel_noise(selection))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take DUSK_SELECT_EXPONENTIAL",
                         "several choices at once need the exponential mechanism (Gumbel noise)");
    return DUSK_OK;
}

static dusk_status check_candidates(const dusk_selection *selection, size_t k, size_t n, dusk_error *err)
{
    dusk_status status = check_selection(selection, err);
    if (status == DUSK_OK) status = check_choices(selection, k, err);
    if (status != DUSK_OK) return status;
    if (n == 0) return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "there must be at least one candidate");
    if (k > n)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose fewer, or add candidates",
                         "there must be at least as many candidates as choices");
    return DUSK_OK;
}

dusk_status dusk_selection_init(dusk_selection *out, dusk_selection_method method, double sensitivity,
                                bool monotonic, double epsilon, dusk_error *err)
{
    dusk_selection selection = {
        .method = method, .monotonic = monotonic, .sensitivity = sensitivity, .epsilon = epsilon
    };
    dusk_status status = check_selection(&selection, err);
    if (status == DUSK_OK) *out = selection;
    return status;
}

/* The rate is epsilon over this, exactly: doubling is exact below 2^1001. */
static double rate_denominator(const dusk_selection *selection)
{
    double factor = selection->monotonic ? 1 : DUSK_MUTATE(SELECTION_FORGETS_BOTH_SIDES, 2, 1);
    return factor * selection->sensitivity;
}

#ifdef DUSK_TESTING
static void record_choice(const dusk_selection *selection, const dusk_noisy_scores *in, size_t *indices,
                          size_t k, dusk_generator *gen)
{
    dusk_record_header header = {
        .what = "choice",
        .law = DUSK_RECORD_GUMBEL,
        .norm = selection->monotonic ? DUSK_RECORD_RANGE : DUSK_RECORD_LINF,
        .sensitivity = selection->sensitivity,
        .scale = in->denominator / in->numerator,
        .epsilon = selection->epsilon,
        .choices = (uint32_t)k,
        .parameter = { { "method", selection->method }, { "candidates", (double)in->n } },
    };
    dusk_record_at at = dusk_record_begin(gen, &header);
    for (size_t i = 0; i < in->n; i++) dusk_record_real(at, i, dusk_noisy_score(in->scores[i]), NULL);
    dusk_record_output(at, indices, k * sizeof *indices);
}
#endif

DUSK_PROVEN(dusk_selection_choose)
dusk_status dusk_selection_choose(const dusk_selection *selection, size_t *indices, size_t k,
                                  const double *scores, size_t n, unsigned width, dusk_generator *gen,
                                  dusk_error *err)
{
    dusk_status status = check_candidates(selection, k, n, err);
    if (status != DUSK_OK) return status;
    dusk_noisy_scores candidates = {
        .scores = scores,
        .n = n,
        .numerator = selection->epsilon,
        .denominator = rate_denominator(selection),
        .law = has_gumbel_noise(selection) ? DUSK_NOISY_GUMBEL : DUSK_NOISY_LAPLACE,
        .width = width,
    };
    if (permutes_and_flips(selection))
        status = dusk_permute_and_flip(indices, scores, n, candidates.numerator, candidates.denominator,
                                       width, gen, err);
    else
        status = dusk_noisy_max(indices, k, &candidates, gen, err);
    DUSK_RECORD(if (status == DUSK_OK) record_choice(selection, &candidates, indices, k, gen);)
    return status;
}

dusk_status dusk_selection_release(const dusk_selection *selection, size_t *index, const double *scores,
                                   size_t n, dusk_generator *gen, dusk_error *err)
{
    return dusk_selection_choose(selection, index, 1, scores, n, 64, gen, err);
}

dusk_status dusk_selection_release_top(const dusk_selection *selection, size_t *indices, size_t k,
                                       const double *scores, size_t n, dusk_generator *gen, dusk_error *err)
{
    if (!has_gumbel_noise(selection))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take DUSK_SELECT_EXPONENTIAL",
                         "several choices at once need the exponential mechanism (Gumbel noise)");
    return dusk_selection_choose(selection, indices, k, scores, n, 64, gen, err);
}

DUSK_PROVEN(dusk_selection_event)
dusk_status dusk_selection_event(const dusk_selection *selection, size_t k, dusk_event *out, dusk_error *err)
{
    dusk_event one;
    dusk_status status = DUSK_OK;

    DUSK_TRY(check_selection(selection, err));
    DUSK_TRY(check_choices(selection, k, err));
    if (has_gumbel_noise(selection))
        status = dusk_event_exponential(&one, selection->epsilon, err);
    else if (permutes_and_flips(selection))
        status = dusk_event_permute_and_flip(&one, selection->epsilon, err);
    else
        status = dusk_event_noisy_max(&one, selection->epsilon, err);
    if (status == DUSK_OK && k > 1) status = dusk_event_repeat(&one, &one, k, err);
    if (status == DUSK_OK) *out = one;
done:
    return status;
}

/* --- how far below the best ----------------------------------------------- */

/* An upper bound of max(0, ln(ways / odds / beta)). */
static double log_ratio_up(double ways, double odds, double beta)
{
    double ratio = dusk_div_up(ways, dusk_mul_down(odds, beta));
    return ratio > 1 ? dusk_log_up(ratio) : 0;
}

/* The least y, rounded up, with (2 + y) exp(-y) <= target, where `log_target`
 * is at least -ln(target): y - ln(2 + y) grows, and 2 log_target + 4 is beyond. */
static double laplace_gap_up(double log_target)
{
    double low = 0, high = 2 * log_target + 4;
    for (int i = 0; i < 80; i++) {
        double y = low + (high - low) / 2;
        bool enough = dusk_sub_down(y, dusk_log_up(dusk_add_up(2, y))) >= log_target;
        if (enough)
            high = y;
        else
            low = y;
    }
    return high;
}

/* At least n; equal to it below 2^53. */
static double count_up(size_t n) { return n >> 53 ? (double)n * (1 + 0x1p-52) : (double)n; }

/* y such that a choice is more than y / rate below the best with probability at
 * most beta; k > 1 only for Gumbel noise. */
static double rated_shortfall_up(const dusk_selection *selection, size_t k, size_t n, double beta)
{
    double others = count_up(n - 1);
    if (n == 1) return 0;
    if (has_gumbel_noise(selection)) return log_ratio_up(dusk_mul_up(count_up(k), others), 1, beta);
    if (permutes_and_flips(selection)) return log_ratio_up(others, 2, beta);
    return laplace_gap_up(log_ratio_up(others, 4, beta));
}

DUSK_PROVEN(dusk_selection_interval)
dusk_status dusk_selection_interval(const dusk_selection *selection, double *shortfall, size_t k, size_t n,
                                    double confidence, dusk_error *err)
{
    dusk_status status = check_candidates(selection, k, n, err);
    if (status != DUSK_OK) return status;
    if ((status = dusk_request_confidence(confidence, err)) != DUSK_OK) return status;
    double y = rated_shortfall_up(selection, k, n, dusk_sub_down(1, confidence));
    *shortfall = dusk_div_up(dusk_mul_up(y, rate_denominator(selection)), selection->epsilon);
    return DUSK_OK;
}
