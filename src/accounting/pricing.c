/* SPDX-License-Identifier: Apache-2.0 */
/* A composition made ready to be priced: its dominating pairs in each direction,
 * whether they are tight, and whether both directions are the same. */
#include <math.h>
#include <string.h>

#include "accounting/account.h"
#include "base/mutant.h"

dusk_status dusk_check_delta(double delta, dusk_error *err)
{
    if (delta >= 0 && delta < 1) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a small one such as 1e-6", "delta must be in [0, 1)");
}

dusk_status dusk_check_epsilon(double epsilon, dusk_error *err)
{
    if (epsilon >= 0 && isfinite(epsilon)) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a number such as 1",
                     "epsilon must be at least 0 and finite");
}

/* Whether two pairs have the same law of losses; false when it is not plain to see. */
static bool same_law(const dusk_pair *a, const dusk_pair *b)
{
    if (a->kind != b->kind || a->times != b->times || a->folded != b->folded) return false;
    switch (a->kind) {
    case DUSK_PAIR_GAUSSIAN: return memcmp(&a->mu_squared, &b->mu_squared, sizeof a->mu_squared) == 0;
    case DUSK_PAIR_LAPLACE:
        return a->rate >= 1 && b->rate >= 1 && memcmp(&a->scale, &b->scale, sizeof a->scale) == 0;
    case DUSK_PAIR_ATOMS:
        return a->atoms == b->atoms && a->atoms > 0 &&
               memcmp(a->loss, b->loss, a->atoms * sizeof *a->loss) == 0 &&
               memcmp(a->mass, b->mass, a->atoms * sizeof *a->mass) == 0 &&
               memcmp(&a->infinite, &b->infinite, sizeof a->infinite) == 0;
    default: return false;
    }
}

static bool alike(const dusk_pairs *a, const dusk_pairs *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (!same_law(&a->pair[i], &b->pair[i])) return false;
    return true;
}

/* Whether lower bounds of all pairs are lower bounds of the event. From now on the
 * pairs count as tight: what accountants say of them is about the pairs. */
static bool take_tightness(dusk_pairs *pairs)
{
    bool tight = true;
    for (size_t i = 0; i < pairs->count; i++) {
        if (!DUSK_MUTATE(LOWER_BOUND_OF_LOOSE_PAIR, pairs->pair[i].tight, true)) tight = false;
        pairs->pair[i].tight = true;
    }
    return tight;
}

dusk_status dusk_pricing_begin(dusk_pricing *pricing, const dusk_composition *composition,
                               dusk_accountant accountant, dusk_error *err)
{
    static const dusk_direction both[] = { DUSK_REMOVE, DUSK_ADD }, one[] = { DUSK_REPLACE };
    bool replace = composition->neighbours == DUSK_REPLACE_ONE;
    *pricing = (dusk_pricing){
        .composition = composition, .accountant = accountant, .directions = replace ? 1 : 2, .goal = NAN
    };
    if (accountant < DUSK_BEST || accountant > DUSK_ACCOUNTANTS)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give DUSK_BEST", "accountant is none of the accountants");
    for (size_t d = 0; d < pricing->directions; d++) {
        dusk_status status = dusk_pairs_resolve(
            &pricing->pairs[d], composition, replace ? one[d] : DUSK_MUTATE(ONLY_ADDING, both[d], DUSK_ADD),
            dusk_accountant_name(accountant), &pricing->refusal);
        pricing->resolved[d] = status == DUSK_OK;
        if (status != DUSK_OK && status != DUSK_ERR_UNSUPPORTED) {
            if (err) *err = pricing->refusal;
            return status;
        }
        if (status == DUSK_OK) pricing->tight[d] = take_tightness(&pricing->pairs[d]);
    }
    pricing->alike = !replace && pricing->resolved[0] && pricing->resolved[1] &&
                     alike(&pricing->pairs[0], &pricing->pairs[1]);
    return DUSK_OK;
}

void dusk_pricing_end(dusk_pricing *pricing)
{
    for (size_t d = 0; d < pricing->directions; d++)
        if (pricing->resolved[d]) dusk_pairs_free(&pricing->pairs[d]);
}
