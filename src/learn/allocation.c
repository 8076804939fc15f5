/* SPDX-License-Identifier: Apache-2.0 */
/* What random allocation costs: every row is put into one of the steps of an epoch, by coins of its own ("balls in bins") [Chua et al. 2024;
 * Feldman & Shenfeld 2025]. The chance that a row is in a step, for one who has seen all steps before, is hardly above one over the number of steps, but for
 * a small probability; so it costs no more than poisson samples of that chance, and a delta. Proof: allocation.proof.md.
 *
 * Only for data of which one row is there or not, and rows that are units: nothing is shown here of replacements and of groups. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/format.h"
#include "base/mutant.h"
#include "learn/sampler.h"
#include "mechanisms/noise.h"

#define SHARE 0.01           /* of delta, for all epochs */
#define SPREAD_MOST 0.9      /* what total variation may be, of an epoch */
#define MARGIN (1 + 0x1p-40) /* above all rounding of doubles here */
#define ENOUGH 0.997         /* of epsilon that is used */
enum { TRIES = 24 };

/* The sigma of an event gaussian(sigma); 0: it is another one. */
static double sigma_of(const dusk_event *release)
{
    char text[200];
    if (dusk_event_format(release, text, sizeof text, NULL) != DUSK_OK || strncmp(text, "gaussian(", 9) != 0)
        return 0;
    return dusk_number_at(text + 9, NULL);
}

/* The chance that `bins` poisson samples must have, at most 1; false: with so little noise, or so few steps, nothing is known. */
DUSK_PROVEN(find_chance)
static bool find_chance(double *chance, double sigma, uint64_t bins, double failure)
{
    const double t = (double)bins;
    const double gap = sqrt(2 * exp(1 / (sigma * sigma)) * log(1 / failure) / t) * MARGIN;
    if (!(sigma > 0 && gap < 1)) return false;
    const double spread = erf(1 / (2 * M_SQRT2 * sigma)) / (1 - gap) * MARGIN;
    *chance = 1 / (t * (1 - gap)) * MARGIN;
    if (DUSK_MUTATE(ALLOCATED_PRICED_AS_POISSON, false, true)) *chance = 1 / t;
    return spread <= SPREAD_MOST && *chance < 1;
}

/* Whether noise was enough for anything to be known is in *known. */
static dusk_status make_event(dusk_event *out, bool *known, const learn_sampler *sampler, double delta,
                              const dusk_event *release, uint64_t times, uint64_t all, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const uint64_t epochs = all / sampler->bins + (all % sampler->bins > 0);
    const double each = SHARE * delta / (double)epochs;
    dusk_event failures;
    double chance;
    *known = find_chance(&chance, sigma_of(release), sampler->bins, each * (1 - SPREAD_MOST) / MARGIN);
    if (!*known) return DUSK_OK;
    DUSK_TRY(dusk_event_poisson(out, chance, release, err));
    DUSK_TRY(dusk_event_repeat(out, out, times, err));
    DUSK_TRY(dusk_event_approx(&failures, 0, each, err));
    DUSK_TRY(
        dusk_event_repeat(&failures, &failures, times / sampler->bins + (times % sampler->bins > 0), err));
    DUSK_TRY(dusk_event_add(out, out, &failures, err));
done:
    return status;
}

static dusk_status fail_short(uint64_t bins, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT,
                     "sample by poisson, ask for more noise, or take fewer rows at a time: --rate 0.001",
                     "nothing is known of what rows in one of %llu steps cost, with so little noise",
                     (unsigned long long)bins);
}

dusk_status learn_allocation_event(dusk_event *out, const learn_sampler *sampler, double delta,
                                   const dusk_event *release, uint64_t times, uint64_t all, dusk_error *err)
{
    bool known;
    const dusk_status status = make_event(out, &known, sampler, delta, release, times, all, err);
    return status == DUSK_OK && !known ? fail_short(sampler->bins, err) : status;
}

/* Noise of this multiplier, its event, and what all costs with it; infinity: nothing is known. */
static dusk_status try_noise(learn_budget *trial, learn_noise *noise, double *epsilon, double multiplier,
                             double steps, const learn_sampler *sampler, uint64_t times, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event release, event;
    bool known;
    *epsilon = INFINITY;
    DUSK_TRY(dusk_gaussian_multiplier_init(&noise->gauss, noise->dimension, ldexp(steps, noise->grid),
                                           multiplier, noise->grid, err));
    DUSK_TRY(dusk_noise_for_total(&noise->gauss, err));
    DUSK_TRY(dusk_noise_event(&noise->gauss, &release, err));
    noise->deviation = noise->gauss.scale;
    DUSK_TRY(make_event(&event, &known, sampler, trial->delta, &release, times, times, err));
    if (!known) return DUSK_OK;
    DUSK_TRY(learn_stages_price(epsilon, trial, &event, err));
done:
    return status;
}

DUSK_PROVEN(learn_budget_allocated)
dusk_status learn_budget_allocated(learn_budget *budget, learn_noise *out, uint32_t dimension, double steps,
                                   int grid, const learn_sampler *sampler, uint64_t times, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_budget before = *budget;
    const bool given = budget->multiplier > 0;
    const double wanted = budget->epsilon * (1 - (1 - ENOUGH) / 2);
    double low = 0, low_epsilon = 0, high = 0, high_epsilon = 0, epsilon;
    double multiplier = given ? budget->multiplier * (1 + 0x1p-30) : 1;
    if (budget->neighbours != DUSK_ADD_REMOVE || budget->factor != 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "sample by poisson",
                         "rows that are allocated to steps have a price where one row is there or not");
    for (int turn = 0; turn < TRIES && !(high_epsilon > ENOUGH * before.epsilon); turn++) {
        learn_budget trial = before;
        learn_noise noise = { .gaussian = true, .dimension = dimension, .grid = grid };
        DUSK_TRY(try_noise(&trial, &noise, &epsilon, multiplier, steps, sampler, times, err));
        if (epsilon < INFINITY && (given || epsilon <= before.epsilon)) {
            high = multiplier;
            high_epsilon = epsilon;
            *budget = trial;
            *out = noise;
        } else {
            low = multiplier;
            low_epsilon = fmin(epsilon, 4 * before.epsilon);
        }
        if (given || multiplier > 1e6) break;
        multiplier = learn_stages_next(low, low_epsilon, high, high_epsilon, wanted);
    }
    if (!(high > 0)) return fail_short(sampler->bins, err);
done:
    return status;
}
