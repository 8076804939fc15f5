/* SPDX-License-Identifier: Apache-2.0 */
/* Stages of noise that are found on the way; see allocation.h. Proof: allocation.proof.md. */
#include "deep/allocation.h"

#include <math.h>
#include <string.h>

#include "accounting/filter.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "deep/schedule.h"
#include "learn/model.h"

#define FALL_MOST 1.0
#define PENALTY 1.0
#define HAIR (1 + 0x1p-20)
enum { TRIES = 8 };

dusk_status deep_allocation_open(deep_allocation *out, const learn_allowance *allowance, uint64_t steps,
                                 double lot, size_t numbers, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *out = (deep_allocation){ .allowance = allowance, .steps = steps, .lot = lot, .numbers = numbers };
    out->stages = deep_stage_times(out->times, DEEP_ALLOCATIONS, steps);
    DUSK_NEW(out->last, numbers);
    DUSK_TRY(learn_allowance_open(allowance, &out->filter, err));
done:
    return status;
}

void deep_allocation_close(deep_allocation *a)
{
    dusk_filter_free(a->filter);
    dusk_deallocate(a->last);
    *a = (deep_allocation){ .allowance = NULL };
}

/* --- lengths ------------------------------------------------------------------------------------------------------- */

double deep_fall_of(const double *length, const double *middle, size_t stages)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t k = 0; k < stages; k++) {
        if (!(length[k] > 0)) continue;
        const double u = log(middle[k]), v = log(length[k]);
        n++;
        x += u;
        y += v;
        xx += u * u;
        xy += u * v;
    }
    if (n < 2) return 0;
    return fmin(fmax((x * y / n - xy) / (xx - x * x / n + PENALTY), 0), FALL_MOST);
}

/* The length of gradients in the stage that ends; not below what its error is. */
static double length_of(const deep_allocation *a)
{
    const deep_allocated *k = &a->kept;
    if (!(k->pairs > 0)) return 0;
    const double noise = a->noise.deviation / a->lot, square = k->product / k->pairs / (a->lot * a->lot);
    return sqrt(fmax(square, noise * noise * sqrt((double)a->numbers / k->pairs)));
}

void deep_allocation_look(deep_allocation *a, uint64_t step, const float *released, size_t first, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += (double)a->last[first + j] * (double)released[j];
    if (step > 0) a->kept.product += sum;
    if (step > 0 && first == 0) a->kept.pairs++;
    memcpy(a->last + first, released, n * sizeof *released);
}

/* --- stages ---------------------------------------------------------------------------------------------------------- */

/* Noise of the stages from `next` on: shapes of it, over that of the first of them. */
static void shape(const deep_allocation *a, size_t next, double *factor)
{
    double middle[DEEP_ALLOCATIONS], begun = 0;
    for (size_t k = 0; k < a->stages; k++) {
        middle[k] = begun + (double)a->times[k] / 2;
        begun += (double)a->times[k];
    }
    const double fall = deep_fall_of(a->kept.length, middle, next);
    for (size_t k = next; k < a->stages; k++) factor[k] = pow(middle[k] / middle[next], -fall / 2);
}

/* The multiplier of the next stage; what is in it, and more, is taken of the filter. */
static dusk_status choose(const deep_allocation *a, size_t next, double *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double even = a->allowance->even;
    double factor[DEEP_ALLOCATIONS], found;
    shape(a, next, factor);
    DUSK_TRY(learn_allowance_fit(a->allowance, a->filter, &found, factor + next, a->times + next,
                                 a->stages - next, err));
    *out = fmin(found, even * DEEP_ALLOCATED_RANGE);
done:
    return status;
}

DUSK_PROVEN(take_stage)
static dusk_status take_stage(deep_allocation *a, size_t stage, double multiplier, dusk_error *err)
{
    dusk_status status = DUSK_ERR_BUDGET;
    for (int turn = 0; turn < TRIES && status == DUSK_ERR_BUDGET; turn++) {
        a->kept.multiplier[stage] = multiplier;
        status = learn_allowance_take(a->allowance, a->filter, &a->noise, multiplier, a->times[stage], err);
        multiplier *= HAIR; /* what was found is so by rounding that is not directed */
    }
    return status;
}

dusk_status deep_allocation_resume(deep_allocation *a, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t k = 0; k < a->stages && a->kept.multiplier[k] > 0; k++)
        DUSK_TRY(learn_allowance_take(a->allowance, a->filter, &a->noise, a->kept.multiplier[k], a->times[k],
                                      err));
done:
    return status;
}

DUSK_PROVEN(deep_allocation_begin)
dusk_status deep_allocation_begin(deep_allocation *a, uint64_t step, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t stage = deep_stage_of(step, a->steps, a->stages);
    double multiplier;
    if (a->kept.multiplier[stage] > 0) return DUSK_OK;
    if (stage > 0) a->kept.length[stage - 1] = length_of(a);
    a->kept.product = a->kept.pairs = 0;
    DUSK_TRY(choose(a, stage, &multiplier, err));
    DUSK_TRY(take_stage(a, stage, multiplier, err));
done:
    return status;
}

dusk_status deep_allocation_put(const deep_allocation *a, dusk_model *model, dusk_error *err)
{
    double deviation[DEEP_ALLOCATIONS];
    for (size_t k = 0; k < a->stages; k++)
        deviation[k] = learn_allowance_deviation(a->allowance, a->kept.multiplier[k]);
    return learn_model_put(model, "noise", 1, a->stages, deviation, err);
}
