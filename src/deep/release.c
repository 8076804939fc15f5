/* SPDX-License-Identifier: Apache-2.0 */
/* What is released of a step, and how parameters follow it; see run.h. Proof: release.proof.md. */
#include "deep/run.h"

#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/totals.h"

/* Planted bugs of noise, in what was released of a step from coordinate `first` on: `total` is what went into it. */
static void spoil_noise(const deep_run *t, float *out, const int64_t *total, size_t first, size_t n)
{
    const double deviation = t->ahead.noise->scale;
    const bool of_the_step = DUSK_MUTATE(DEEP_NOISE_OF_THE_STEP, false, true);
    const bool untouched = /* of an embedding */
        DUSK_MUTATE(DEEP_UNTOUCHED_HAS_NO_NOISE, false, total == t->worker[0].sum.piece);
    for (size_t j = 0; untouched && j < n; j++)
        if (total[j] == 0) out[j] = 0;
    for (size_t j = 0; DUSK_MUTATE(DEEP_NOISE_IN_FLOATS, false, true) && j < n; j++) out[j] *= 1 + 0x1p-20f;
    for (size_t j = 0; DUSK_MUTATE(DEEP_NOISE_OF_EACH_THREAD, false, true) && j < n; j++)
        out[j] += (float)(t->workers - 1) * (out[j] - (float)ldexp((double)total[j], DEEP_GRID));
    for (size_t j = 0; of_the_step && j < n; j++) {
        const uint64_t place = 1000003 * t->optimiser.steps + first + j;
        const double part = (double)(place * 0x9e3779b97f4a7c15u >> 11) * 0x1p-52 - 1;
        out[j] = (float)(ldexp((double)total[j], DEEP_GRID) + 1.7 * deviation * part);
    }
}

/* Coordinates from `first` on of the release of a step, to estimates of the totals. */
static dusk_status release_piece(deep_run *t, dusk_totals *totals, float *out, const int64_t *total,
                                 size_t first, size_t n, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_history *history = t->history.c ? &t->history : NULL;
    if (history) total = deep_history_mix(history, total, first, n);
    DUSK_TRY(dusk_totals_release_floats(totals, out, total, n, gen, err));
    const bool bare = DUSK_MUTATE(DEEP_NO_NOISE, false, true) ||
                      DUSK_MUTATE(DEEP_SUMS_HAVE_NO_NOISE, false, history && history->terms > 0);
    for (size_t j = 0; bare && j < n; j++) out[j] = (float)ldexp((double)total[j], DEEP_GRID);
    spoil_noise(t, out, total, first, n);
    if (history) deep_history_undo(history, out, first, n);
done:
    return status;
}

/* Votes are the last coordinate of the totals. */
static dusk_status release_votes(deep_run *t, dusk_totals *totals, size_t count, dusk_generator *gen,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_plan *plan = t->plan;
    int64_t votes = deep_clip_votes(t->worker[0].sum.within, count);
    float noisy;
    DUSK_TRY(release_piece(t, totals, &noisy, &votes, deep_released(plan), 1, gen, err));
    t->clip = deep_next_clip(
        t->clip, DUSK_MUTATE(DEEP_CLIP_BY_PRIVATE_VOTES, (double)noisy, ldexp((double)votes, DEEP_GRID)),
        plan->lot, plan->quantile, plan->clip_rate);
done:
    dusk_wipe(&votes, sizeof votes);
    return status;
}

/* A step along directions, by coordinates; they are one piece. */
_Static_assert(DEEP_DIRECTIONS_MOST <= DEEP_PIECE, "coordinates are released at once");
static void move_along(deep_run *t, const float *coordinates, double unit)
{
    deep_subspace_expand(&t->subspace, coordinates, t->whole);
    deep_optimiser_move(&t->optimiser, t->learned, t->whole, unit, 0, t->subspace.numbers);
}

/* A step by what carriers say of the gradient, when all of it is known. */
static void move_carried(deep_run *t, double unit)
{
    deep_carriers_expand(&t->carriers, &t->worker[0].pass);
    deep_optimiser_move(&t->optimiser, t->learned, t->carriers.whole, unit, 0, t->plan->net.parameters);
}

/* Planted bugs: carriers are moved by totals before there is noise; the first numbers, which are of one carrier, have none. */
static void spoil(deep_run *t, const int64_t *total, size_t first, size_t n)
{
    deep_carriers *c = &t->carriers;
    for (size_t j = 0; DUSK_MUTATE(DEEP_CARRIERS_BY_PRIVATE_TOTALS, false, true) && j < n; j++)
        if (c->carrier[first + j] != 0) c->carrier[first + j] += (float)ldexp((double)total[j], DEEP_GRID);
    for (size_t j = 0; DUSK_MUTATE(DEEP_ONE_CARRIER_HAS_NO_NOISE, false, true) && first + j < 4; j++)
        c->released[first + j] = (float)ldexp((double)total[j], DEEP_GRID);
}

/* The next noise is found by what was released. */
static void look(deep_run *t, uint64_t step, const float *released, const int64_t *total, size_t first,
                 size_t n)
{
    float bare[DEEP_PIECE];
    const bool spoilt = DUSK_MUTATE(DEEP_ALLOCATED_BY_PRIVATE_TOTALS, false, true);
    for (size_t j = 0; spoilt && j < n; j++) bare[j] = (float)ldexp((double)total[j], DEEP_GRID);
    deep_allocation_look(&t->allocation, step, spoilt ? bare : released, first, n);
}

DUSK_PROVEN(deep_run_release)
dusk_status deep_run_release(deep_run *t, uint64_t step, deep_sum *sum, size_t count, dusk_generator *gen,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    (void)count; /* private: nothing is divided by it */
    const double unit = t->clip / DUSK_MUTATE(DEEP_DIVIDES_BY_WHAT_CAME, t->plan->lot, (double)count + 1);
    const size_t n = deep_released(t->plan);
    dusk_totals totals;
    DUSK_TRY(dusk_totals_begin(&totals, t->ahead.noise, t->ahead.gen ? &t->ahead.draws : NULL, gen, err));
    for (size_t first = 0, size; first < n; first += size) {
        size = n - first < DEEP_PIECE ? n - first : DEEP_PIECE;
        const int64_t *total = deep_sum_totals(sum, first, &size);
        float *out = t->carriers.carrier ? t->carriers.released + first : t->gradient;
        DUSK_TRY(release_piece(t, &totals, out, total, first, size, gen, err));
        if (t->allocation.allowance) look(t, step, out, total, first, size);
        if (t->carriers.carrier)
            spoil(t, total, first, size);
        else if (t->descent.allowance)
            deep_descent_take(&t->descent, out, first, size);
        else if (t->subspace.directions == 0)
            deep_optimiser_move(&t->optimiser, t->learned, t->gradient, unit, first, size);
        else
            move_along(t, t->gradient, unit);
    }
    if (t->carriers.carrier) move_carried(t, unit);
    if (t->plan->clipping == DEEP_CLIP_ADAPTIVE) DUSK_TRY(release_votes(t, &totals, count, gen, err));
done:
    return status;
}

void deep_run_move_plainly(deep_run *t)
{
    const float *gradient = t->worker[0].plain.total;
    const double unit = 1 / (t->plan->lot * (double)deep_passes(t->plan));
    if (t->subspace.directions > 0) {
        deep_subspace_take(&t->subspace, gradient, t->gradient);
        move_along(t, t->gradient, unit);
        return;
    }
    if (t->carriers.carrier) {
        deep_tuning_gradient(&t->worker[0].pass, gradient, t->carriers.released);
        move_carried(t, unit);
        return;
    }
    if (t->start) deep_tuning_gradient(&t->worker[0].pass, gradient, t->whole);
    deep_optimiser_move(&t->optimiser, t->learned, t->start ? t->whole : gradient, unit, 0,
                        deep_learned(t->plan));
}
