/* SPDX-License-Identifier: Apache-2.0 */
/* The event of a part of the steps, collected as that of all of them is (learn/sampler.c, learn/stages.c); see spent.h. */
#include "deep/spent.h"

#include "mechanisms/noise.h"

static bool is_sampled(const learn_sampler *s)
{
    return s->way != LEARN_SHUFFLED && (s->way != LEARN_POISSON || s->rate < 1);
}

/* `times` releases with this noise. */
static dusk_status releases(const deep_plan *plan, const learn_noise *noise, uint64_t times, dusk_event *out,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event release;
    DUSK_TRY(dusk_noise_event(&noise->gauss, &release, err));
    if (plan->sampler.way == LEARN_ALLOCATED)
        return learn_allocation_event(out, &plan->sampler, plan->before.delta, &release, times, plan->steps,
                                      err);
    if (is_sampled(&plan->sampler))
        DUSK_TRY(learn_sampler_event(&release, &plan->before, &plan->sampler, &release, err));
    DUSK_TRY(dusk_event_repeat(out, &release, times, err));
done:
    return status;
}

/* Of the first `steps`, stage by stage. */
static dusk_status staged(const deep_plan *plan, uint64_t steps, dusk_event *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double factor[DEEP_STAGES];
    uint64_t times[DEEP_STAGES];
    dusk_event stage;
    const size_t stages = deep_stages(factor, times, 1, plan->steps);
    for (size_t k = 0; k < stages && steps > 0; k++) {
        const uint64_t n = steps < times[k] ? steps : times[k];
        DUSK_TRY(releases(plan, &plan->stage[k], n, k == 0 ? out : &stage, err));
        if (k > 0) DUSK_TRY(dusk_event_add(out, out, &stage, err));
        steps -= n;
    }
done:
    return status;
}

dusk_status deep_spent(const learn_job *job, uint64_t steps, dusk_event *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_plan *plan = job->plan;
    learn_budget budget = plan->before;
    dusk_event event;
    uint64_t times = steps;
    if (plan->counted > 0) { /* samples follow from a count: the same */
        *out = job->budget.event;
        return DUSK_OK;
    }
    if (plan->allocates) { /* what was taken is found on the way: the most it may be */
        DUSK_TRY(learn_allowance_event(&plan->allowance, &event, err));
        DUSK_TRY(learn_budget_event(&budget, &event, budget.left, 1, err));
        *out = budget.event;
        return DUSK_OK;
    }
    if (plan->sampler.way == LEARN_SHUFFLED) { /* an epoch that was begun is one release */
        const uint64_t epoch = learn_sampler_epoch(&plan->sampler);
        times = steps / epoch + (steps % epoch > 0);
    }
    DUSK_TRY(plan->stages > 0 ? staged(plan, steps, &event, err)
                              : releases(plan, &plan->noise, times, &event, err));
    DUSK_TRY(is_sampled(&plan->sampler) ? learn_sampler_join(&budget, &event, 1, err)
                                        : learn_budget_event(&budget, &event, budget.left, 1, err));
    *out = budget.event;
done:
    return status;
}
