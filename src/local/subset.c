/* SPDX-License-Identifier: Apache-2.0 */
/* Subset selection, the server's side [Ye & Barg 2018]: the least variance that any randomiser can have, for every epsilon; reports are bit maps. Counters: one a category.
 * Device: client_subset.c. Proof: subset.proof.md. */
#include <math.h>
#include <string.h>

#include "local/attacks.h"
#include "local/counting.h"

static double truth_of(const dusk_client_task *task) { return local_chance(task->p); }
/* One of the others is in a set with the truth, or in one without. */
static double other_of(const dusk_client_task *task)
{
    const double k = task->width, others = (double)task->domain - 1;
    return (truth_of(task) * (k - 1) + local_chance(0 - task->p) * k) / others;
}

static double variance(const dusk_client_task *task, double share)
{
    return local_pure_variance(truth_of(task), other_of(task), share);
}

/* p / C(d-1, k-1) is at most e^epsilon times (1-p) / C(d-1, k). */
static void set_chance(dusk_client_task *task, double epsilon)
{
    const double in = task->width, out = (double)(task->domain - task->width);
    task->p = local_keep_down(epsilon, nextafter(out / in, INFINITY));
}

/* About d / (e^epsilon + 1) of d categories; of the two whole numbers the one with the smaller variance. */
static dusk_status plan(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_client_task best = survey->task;
    const double ideal = survey->task.domain / (exp(options->epsilon) + 1);
    DUSK_TRY(local_map_check(survey, err));
    if (options->width >= survey->task.domain)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "leave the size to the plan",
                           "a subset must be smaller than the domain"));
    best.width = options->width ? options->width : ideal < 1 ? 1 : (uint32_t)ideal;
    set_chance(&best, options->epsilon);
    survey->task = best;
    survey->task.width++;
    if (options->width || survey->task.width >= survey->task.domain) survey->task = best;
    set_chance(&survey->task, options->epsilon);
    if (variance(&best, 0) <= variance(&survey->task, 0)) survey->task = best;
done:
    return status;
}

DUSK_PROVEN(ss_epsilon)
static double ss_epsilon(const dusk_client_task *task)
{
    return local_log_odds_up(task->p, task->domain - task->width, task->width);
}

static uint64_t cells(const dusk_client_task *task) { return task->domain; }

/* As many bits as the set has members, and none behind the last category. */
static bool is_set(const dusk_client_task *task, const uint8_t *report, size_t size)
{
    uint64_t members = 0;
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, report + i, 8);
        members += (uint64_t)__builtin_popcountll(word);
    }
    for (; i < size; i++) members += (uint64_t)__builtin_popcount(report[i]);
    return members == task->width && !local_row_is_padded(task->domain, report);
}

/* Reports between two that no device makes are added together. */
static uint64_t absorb(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    const size_t size = (task->domain + 7) / 8;
    uint64_t dropped = 0;
    size_t from = 0;
    for (size_t i = 0; i < n; i++)
        if (!is_set(task, reports + i * size, size)) {
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
    local_pure_counts(truth_of(task), other_of(task), cell, task->domain, reports, out, deviations, values,
                      n);
    return DUSK_OK;
}

/* A set has no more members than its size. */
static void reach(const dusk_client_task *task, uint32_t targets, double *least, double *most)
{
    local_pure_reach(truth_of(task), other_of(task), targets, targets < task->width ? targets : task->width,
                     least, most);
}

/* Squares, on average, of `sure` and how many of `good` ones are among `drawn` of the others. */
static double squares(double sure, double drawn, double good, double others)
{
    const double mean = drawn * good / others;
    const double varies = others > 1 ? mean * (1 - good / others) * (others - drawn) / (others - 1) : 0;
    return (sure + mean) * (sure + mean) + varies;
}

/* The set has the truth and k - 1 of the others, or k of the others. */
static void range(const dusk_client_task *task, uint64_t from, uint64_t to, double *inside, double *outside)
{
    const double others = (double)task->domain - 1, k = task->width, m = (double)(to - from);
    const double p = truth_of(task), lie = local_chance(0 - task->p), q = other_of(task), gain = p - q;
    const double in = p + m * q, out = (m + 1) * q;
    *inside = p * squares(1, k - 1, m, others) + lie * squares(0, k, m, others) - in * in;
    *outside = p * squares(0, k - 1, m + 1, others) + lie * squares(0, k, m + 1, others) - out * out;
    *inside = fmax(*inside, 0) / (gain * gain);
    *outside =
        m < others ? fmax(*outside, 0) / (gain * gain) : *inside; /* of all of them nobody is outside */
}

const local_protocol local_ss = {
    .name = "ss",
    .about = "subset selection: a set of categories, the truth more often in it than not",
    .mechanism = DUSK_SS,
    .question = DUSK_ASKS_COUNTS,
    .plan = plan,
    .epsilon = ss_epsilon,
    .cells = cells,
    .absorb = absorb,
    .counts = counts,
    .variance = variance,
    .reach = reach,
    .supports = local_supports_map,
    .craft = local_craft_subset,
    .range = range,
};
