/* SPDX-License-Identifier: Apache-2.0 */
/* Unary encoding, the server's side. Symmetric [Erlingsson, Pihur & Korolova 2014]: the bit of the truth is kept as often as the others are. Optimised
 * [Wang et al. 2017]: the bit of the truth is a fair coin and the others are set as seldom as epsilon allows, the least variance there is for rare values.
 * Counters: one a category. Device: client_unary.c. Proof: unary.proof.md. */
#include "base/mutant.h"
#include "local/attacks.h"
#include "local/counting.h"

static dusk_status plan_symmetric(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    survey->task.p =
        local_keep_down(DUSK_MUTATE(SUE_WHOLE_EPSILON_A_BIT, options->epsilon / 2, options->epsilon), 1);
    survey->task.q = 0 - survey->task.p;
    return local_map_check(survey, err);
}

static dusk_status plan_optimised(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    survey->task.p = (uint64_t)1 << 63;
    survey->task.q = 0 - local_keep_down(options->epsilon, 1);
    return local_map_check(survey, err);
}

DUSK_PROVEN(unary_epsilon)
static double unary_epsilon(const dusk_client_task *task)
{
    const dusk_uint128 ahead = (dusk_uint128)task->p * (0 - task->q);
    const dusk_uint128 behind = (dusk_uint128)task->q * (0 - task->p);
    return local_log_ratio_up(ahead, behind);
}

static uint64_t cells(const dusk_client_task *task) { return task->domain; }

/* Reports between two that no device makes are added together. */
static uint64_t absorb(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    const size_t size = (task->domain + 7) / 8;
    uint64_t dropped = 0;
    size_t from = 0;
    for (size_t i = 0; i < n && task->domain % 8; i++)
        if (local_row_is_padded(task->domain, reports + i * size)) {
            local_columns_add(cell, task->domain, reports + from * size, size, i - from);
            from = i + 1;
            dropped++;
        }
    local_columns_add(cell, task->domain, reports + from * size, size, n - from);
    return dropped;
}

static dusk_status counts(const dusk_client_task *task, const int64_t *cell, uint64_t reports, double *out,
                          double *deviations, const uint64_t *values, size_t n, dusk_error *err)
{
    (void)err;
    local_pure_counts(local_chance(task->p), local_chance(task->q), cell, task->domain, reports, out,
                      deviations, values, n);
    return DUSK_OK;
}

static double variance(const dusk_client_task *task, double share)
{
    return local_pure_variance(local_chance(task->p), local_chance(task->q), share);
}

/* All bits can be set. */
static void reach(const dusk_client_task *task, uint32_t targets, double *least, double *most)
{
    local_pure_reach(local_chance(task->p), local_chance(task->q), targets, targets, least, most);
}

/* Bits are independent. */
static void range(const dusk_client_task *task, uint64_t from, uint64_t to, double *inside, double *outside)
{
    const double others = (double)(to - from) * variance(task, 0);
    *inside = variance(task, 1) + DUSK_MUTATE(RANGE_OF_ONE_BIT, others, 0);
    *outside = variance(task, 0) + DUSK_MUTATE(RANGE_OF_ONE_BIT, others, 0);
}

const local_protocol local_sue = {
    .name = "sue",
    .about = "symmetric unary encoding: a bit a category, each flipped as often",
    .mechanism = DUSK_SUE,
    .question = DUSK_ASKS_COUNTS,
    .plan = plan_symmetric,
    .epsilon = unary_epsilon,
    .cells = cells,
    .absorb = absorb,
    .counts = counts,
    .variance = variance,
    .reach = reach,
    .supports = local_supports_map,
    .craft = local_craft_map,
    .range = range,
};

const local_protocol local_oue = {
    .name = "oue",
    .about = "optimised unary encoding: a bit a category, those of others seldom set",
    .mechanism = DUSK_OUE,
    .question = DUSK_ASKS_COUNTS,
    .plan = plan_optimised,
    .epsilon = unary_epsilon,
    .cells = cells,
    .absorb = absorb,
    .counts = counts,
    .variance = variance,
    .reach = reach,
    .supports = local_supports_map,
    .craft = local_craft_map,
    .range = range,
};
