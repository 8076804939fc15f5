/* SPDX-License-Identifier: Apache-2.0 */
/* Gains of rows; see gains.h. Proof: gains.proof.md. */
#include "deep/gains.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "deep/threads.h"

#define HAIR 0x1p-24 /* more than the rounding of a length */
#define FAR 0x1p100  /* no gain counts for more: its square is a number */
enum { LOSSES = DEEP_LENGTHS + 1 };

/* --- a row -------------------------------------------------------------------------------------------------------------- */

/* Over the clip. A loss that is no number any more is as much worse as may be. */
static double gain_of(double before, double after, double clip)
{
    const double gain = (before - after) / clip;
    return isfinite(after) ? fmin(fmax(gain, -FAR), FAR) : -1;
}

static bool is_short(const int64_t *steps)
{
    int64_t square = 0;
    for (size_t k = 0; k < DEEP_LENGTHS; k++) {
        if (steps[k] > (int64_t)DEEP_GAIN_STEPS || steps[k] < -(int64_t)DEEP_GAIN_STEPS) return false;
        square += steps[k] * steps[k];
    }
    return square <= (int64_t)DEEP_GAIN_STEPS * (int64_t)DEEP_GAIN_STEPS;
}

DUSK_PROVEN(deep_gain_of)
void deep_gain_of(int64_t out[DEEP_LENGTHS], const double *loss, double clip)
{
    const bool clips = DUSK_MUTATE(DEEP_GAINS_ARE_NOT_CLIPPED, true, false);
    double gain[DEEP_LENGTHS], square = 0;
    memset(out, 0, DEEP_LENGTHS * sizeof *out);
    if (!isfinite(loss[0]) || !(clip > 0)) return;
    for (size_t k = 0; k < DEEP_LENGTHS; k++) {
        gain[k] = gain_of(loss[0], loss[1 + k], clip);
        square += gain[k] * gain[k];
    }
    const double length = sqrt(square) * (1 + HAIR);
    if (!isfinite(length)) return;
    const double scale = DEEP_GAIN_STEPS * (1 - HAIR) / (clips ? fmax(length, 1) : 1);
    for (size_t k = 0; k < DEEP_LENGTHS; k++) out[k] = (int64_t)fmin(fmax(gain[k] * scale, -0x1p40), 0x1p40);
    if (clips && !is_short(out)) memset(out, 0, DEEP_LENGTHS * sizeof *out);
}

/* --- rows --------------------------------------------------------------------------------------------------------------- */

void deep_gains_close(deep_gains *g)
{
    for (size_t k = 0; g->part && k < g->parts; k++) {
        struct deep_gain_part *part = &g->part[k];
        if (part->loss) dusk_wipe(part->loss, g->turns[k].pass.room * LOSSES * sizeof *part->loss);
        dusk_wipe(part->total, sizeof part->total);
        dusk_deallocate(part->loss);
        dusk_deallocate(part->moved);
    }
    dusk_deallocate(g->part);
    *g = (deep_gains){ .parts = 0 };
}

double deep_gains_bytes(size_t numbers)
{
    return (double)sizeof(struct deep_gain_part) + (double)numbers * sizeof(float);
}

double deep_gains_row_bytes(void) { return LOSSES * sizeof(double); }

dusk_status deep_gains_open(deep_gains *out, deep_turns *turns, size_t parts, size_t numbers, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *out = (deep_gains){ .turns = turns, .parts = parts, .numbers = numbers };
    DUSK_NEW(out->part, parts);
    for (size_t k = 0; k < parts; k++) {
        DUSK_NEW(out->part[k].moved, numbers);
        DUSK_NEW(out->part[k].loss, turns[k].pass.room * LOSSES);
    }
done:
    return status;
}

/* Losses of the rows of a pass by parameters: column `column` of all losses. */
static void find_losses(deep_turns *w, const float *parameters, double *loss, size_t column)
{
    const deep_wanted wanted = { w->code, w->number, w->mark };
    w->pass.parameters = parameters;
    deep_forward(&w->pass);
    for (size_t i = 0; i < w->pass.examples; i++)
        loss[i * LOSSES + column] = deep_loss_of(
            w->plan->loss, &w->pass, &wanted, DUSK_MUTATE(DEEP_GAIN_OF_THE_ROW_BEFORE, i, i > 0 ? i - 1 : i));
}

static float moved(float parameter, float gradient, double rate)
{
    return parameter - (float)(rate * (double)gradient);
}

static void add_turn(const deep_gains *g, deep_turns *w, struct deep_gain_part *part)
{
    int64_t one[DEEP_LENGTHS];
    find_losses(w, g->parameters, part->loss, 0);
    for (size_t k = 0; k < DEEP_LENGTHS; k++) {
        for (size_t j = 0; j < g->numbers; j++)
            part->moved[j] = moved(g->parameters[j], g->gradient[j], g->rate[k]);
        find_losses(w, part->moved, part->loss, 1 + k);
    }
    for (size_t i = 0; i < w->pass.examples; i++) {
        deep_gain_of(one, part->loss + i * LOSSES, g->clip);
        for (size_t k = 0; k < DEEP_LENGTHS; k++) part->total[k] += one[k];
    }
    dusk_wipe(one, sizeof one);
}

static void work(void *context, size_t number)
{
    const deep_gains *g = context;
    deep_turns *w = &g->turns[number];
    deep_sample *s = w->sample;
    const bool training = w->pass.training;
    w->pass.training = false;
    for (size_t first; (first = atomic_fetch_add(&s->next, s->turn)) < s->count;) {
        deep_turns_take(w, first, s->count - first < s->turn ? s->count - first : s->turn);
        add_turn(g, w, &g->part[number]);
    }
    w->pass.training = training;
}

DUSK_PROVEN(deep_gains_add_up)
void deep_gains_add_up(deep_gains *g, dusk_int128 total[DEEP_LENGTHS])
{
    for (size_t k = 0; k < g->parts; k++) memset(g->part[k].total, 0, sizeof g->part[k].total);
    deep_work(work, g, g->parts);
    for (size_t k = 0; k < DEEP_LENGTHS; k++) {
        total[k] = 0;
        for (size_t p = 0; p < g->parts; p++) total[k] += g->part[p].total[k];
    }
}

DUSK_PROVEN(deep_gains_step)
dusk_status deep_gains_step(deep_gains *g, deep_descent *d, float *parameters, double clip, double unit,
                            dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool noisy = DUSK_MUTATE(DEEP_CHOICE_HAS_NO_NOISE, true, false);
    const bool bare = !noisy || DUSK_MUTATE(DEEP_CHOSEN_BY_PRIVATE_TOTALS, false, true);
    dusk_int128 total[DEEP_LENGTHS];
    double gain[DEEP_LENGTHS];
    g->parameters = parameters;
    g->gradient = d->gradient;
    g->clip = deep_descent_clip(d, clip, unit);
    for (size_t k = 0; k < DEEP_LENGTHS; k++) g->rate[k] = deep_descent_rate(d, k) * unit;
    deep_gains_add_up(g, total);
    if (noisy) DUSK_TRY(learn_noise_release(&d->choice, gain, total, gen, err));
    for (size_t k = 0; bare && k < DEEP_LENGTHS; k++) gain[k] = ldexp((double)total[k], DEEP_GAIN_GRID);
    const double rate = deep_descent_choose(d, gain, g->clip) * unit;
    for (size_t j = 0; j < g->numbers; j++) parameters[j] = moved(parameters[j], g->gradient[j], rate);
done:
    dusk_wipe(total, sizeof total);
    return status;
}
