/* SPDX-License-Identifier: Apache-2.0 */
/* What an attacker can gain: the advantage of a test for a unit's presence, and
 * the odds of a fact after the answer. The derivations are in
 * attacker.proof.md. */
#include <math.h>

#include "accounting/account.h"
#include "accounting/bound.h"
#include "base/mutant.h"

dusk_status dusk_account_advantage(dusk_account *out, const dusk_composition *composition,
                                   dusk_accountant accountant, dusk_error *err)
{
    return dusk_account_delta(out, composition, 0, accountant, err);
}

/* A threshold that the privacy loss exceeds with probability at most delta: any
 * share u in (0, 1) gives one, epsilon(u delta) + ln(1/(1 - u)); the smallest
 * of those seen is kept. */
typedef struct threshold {
    dusk_pricing *pricing;
    double delta;
    double least;
} threshold;

/* Look at one share; *epsilon is the epsilon there. */
DUSK_PROVEN(look)
static dusk_status look(threshold *t, double *epsilon, double share, dusk_error *err)
{
    dusk_account a;
    dusk_question question = { false, dusk_mul_down(t->delta, share) };
    dusk_status status = dusk_pricing_ask(&a, t->pricing, question, err);
    if (status != DUSK_OK) return status;
    double more = DUSK_MUTATE(LOSS_TAIL_IS_DELTA, -dusk_log1p_down(-share), 0);
    *epsilon = a.bound.upper;
    t->least = fmin(t->least, dusk_add_up(a.bound.upper, more));
    return DUSK_OK;
}

/* Where ln delta falls with slope -s in epsilon, u = 1/(1 + s) is best; the
 * slope is taken from the last two looks. */
static dusk_status find(threshold *t, dusk_error *err)
{
    double before, here, share = 0.25, last = 0.5;
    dusk_status status = look(t, &before, last, err);
    for (int i = 0; i < 4 && status == DUSK_OK && t->delta * share > 0; i++) {
        status = look(t, &here, share, err);
        double slope = log(last / share) / (here - before);
        last = share;
        before = here;
        share = 1 / (1 + slope);
        if (!(slope > 0 && isfinite(slope) && fabs(share / last - 1) > 1e-3)) break;
    }
    return status;
}

dusk_status dusk_account_posterior_odds(double *out, const dusk_composition *composition, double odds,
                                        double delta, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_pricing pricing = { 0 };
    dusk_account pure;
    if (!(odds >= 0 && isfinite(odds)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "even odds are 1", "odds must be at least 0 and finite");
    DUSK_TRY(dusk_check_delta(delta, err));
    DUSK_TRY(dusk_pricing_begin(&pricing, composition, DUSK_BEST, err));
    DUSK_TRY(dusk_pricing_ask(&pure, &pricing, (dusk_question){ false, 0 }, err));
    threshold t = { &pricing, delta, pure.bound.upper };
    if (delta > 0) DUSK_TRY(find(&t, err));
    *out = odds > 0 ? dusk_mul_up(odds, dusk_exp_up(t.least)) : 0;
done:
    dusk_pricing_end(&pricing);
    return status;
}
