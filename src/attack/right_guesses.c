/* SPDX-License-Identifier: Apache-2.0 */
/* How often an attacker may be right by the accountant, how often one was, and the order in which
 * people are looked at. */
#include <math.h>

#include "attack/choices.h"
#include "base/error.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "dusk/attack_releases.h"
#include "dusk/audit_mechanisms.h"
#include "numeric/rounding.h"

DUSK_PROVEN(dusk_right_guesses_up)
dusk_status dusk_right_guesses_up(double *out, const dusk_composition *released, double prior,
                                  dusk_error *err)
{
    dusk_account price;
    dusk_status status = DUSK_OK;
    if (!(prior >= 0 && prior <= 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 0.5: as likely as not",
                         "the prior must be between 0 and 1");
    double rare = fmin(prior, dusk_sub_up(1, prior)), often = fmax(prior, dusk_sub_up(1, prior));
    if (rare == 0) {
        *out = 1;
        return DUSK_OK;
    }
    /* down: a smaller epsilon has the larger delta */
    double odds = fmax(0, dusk_log_down(dusk_div_down(dusk_sub_down(1, rare), rare)));
    DUSK_TRY(dusk_account_delta(&price, released, odds, DUSK_BEST, err));
    *out =
        fmin(1, dusk_add_up(often, dusk_mul_up(rare, DUSK_MUTATE(ATTACK_GUESSES_HALF_DELTA, price.bound.upper,
                                                                 0.5 * price.bound.upper))));
done:
    return status;
}

dusk_status dusk_guesses_count(dusk_guesses *out, uint64_t right, uint64_t trials, double confidence,
                               dusk_error *err)
{
    if (!(confidence > 0 && confidence < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 0.95",
                         "the confidence must be above 0 and below 1");
    if (right > trials)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "there are more right guesses than guesses");
    double error = 0.5 * dusk_sub_down(1, confidence); /* for each side */
    *out = (dusk_guesses){
        .right = right,
        .trials = trials,
        .share = trials ? (double)right / (double)trials : NAN,
        .low = dusk_clopper_pearson_down(right, trials, error),
        .high = dusk_clopper_pearson_up(right, trials, error),
    };
    return DUSK_OK;
}

/* Fisher & Yates; to within n 2^-64 all orders are as likely. */
void dusk_attack_order(size_t *order, size_t n, uint64_t seed)
{
    attack_choices choices = { seed };
    for (size_t i = 0; i < n; i++) {
        size_t j = (size_t)(((dusk_uint128)attack_word(&choices) * (i + 1)) >> 64);
        order[i] = order[j];
        order[j] = i;
    }
}
