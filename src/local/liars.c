/* SPDX-License-Identifier: Apache-2.0 */
/* What people who lie can do to estimates [Cao, Jia & Gong 2021, "Data poisoning attacks to local differential privacy protocols"; Cheu, Smith & Ullman 2021]. A report is worth at
 * most what its randomiser makes of it (reach of the protocols), and liars send that; honest reports are right on average. */
#include <math.h>

#include "base/mutant.h"
#include "dusk/local_liars.h"
#include "local/liars.h"
#include "local/protocol.h"

void local_pure_reach(double truth, double other, uint32_t targets, uint32_t together, double *least,
                      double *most)
{
    const double gain = truth - other;
    const double none = -(targets * other) / gain;
    const double all = (DUSK_MUTATE(REACH_OF_ONE_VALUE, together, 1) - targets * other) / gain;
    *least = fmin(none, all);
    *most = fmax(none, all);
}

/* The estimate is (1 - liars) times the honest one and liars times what their reports add, while the honest share of the targets is between 0 and 1 (of a mean: -1 and 1). */
dusk_status dusk_survey_push(const dusk_survey *survey, double liars, uint32_t targets, double *up,
                             double *down, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const local_protocol *protocol = local_protocol_of(survey->task.mechanism);
    const bool counts = protocol->question == DUSK_ASKS_COUNTS;
    double least, most;
    if (!(liars >= 0 && liars < 1))
        DUSK_TRY(
            dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 0.05", "a share of liars is from 0 to below 1"));
    if (!protocol->reach)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_UNSUPPORTED, "take oue or olh",
                           "it is not known how far liars move %s", protocol->name));
    if (targets < 1 || (!counts && targets > 1) ||
        (survey->task.domain && counts && targets > survey->task.domain))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "1 of a mean, and up to the domain of counts",
                           "there are no so many targets"));
    protocol->reach(&survey->task, targets, &least, &most);
    const double unit = counts ? 1 : survey->high / 2 - survey->low / 2;
    *up = liars * (most - (counts ? 0 : -1)) * unit;
    *down = liars * (1 - least) * unit;
done:
    return status;
}

/* The chance of k of n bits, each with q. */
static double binomial(double n, double k, double q)
{
    if (k < 0 || k > n) return 0;
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(q) + (n - k) * log1p(-q));
}

uint32_t local_map_bits(const dusk_client_task *task)
{
    switch (task->mechanism) {
    case DUSK_SUE:
    case DUSK_OUE: return task->domain;
    case DUSK_CMS: return task->width;
    default: return 0;
    }
}

uint32_t local_map_count(const dusk_client_task *task, const uint8_t *report)
{
    const uint32_t from = task->mechanism == DUSK_CMS ? client_bytes_for(task->rows) : 0;
    uint32_t bits = 0;
    for (uint32_t i = from; i < dusk_report_size(task); i++) bits += (uint32_t)__builtin_popcount(report[i]);
    return bits;
}

/* The bit of the truth is a coin of p wherever it is, and the others are coins of q, which of CMS is 1 - p: how many are set does not depend on the value. */
double local_chance_of_bits(const dusk_client_task *task, uint32_t bits)
{
    const bool sketch = task->mechanism == DUSK_CMS;
    const double p = local_chance(task->p), q = sketch ? local_chance(0 - task->p) : local_chance(task->q);
    const uint32_t all = local_map_bits(task);
    const double others = (double)all - 1;
    double below = 0, above = 0;
    for (uint32_t k = 0; k <= all; k++) {
        const double here = p * binomial(others, (double)k - 1, q) + (1 - p) * binomial(others, k, q);
        if (k <= bits) below += here;
        if (k >= bits) above += here;
    }
    return fmin(2 * fmin(below, DUSK_MUTATE(CHANCE_OF_FEW_BITS, above, 1)), 1);
}

dusk_status dusk_report_chance(const dusk_survey *survey, const uint8_t *report, double *chance,
                               dusk_error *err)
{
    if (local_map_bits(&survey->task) == 0)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "reports of oue, sue and cms can",
                         "a report of %s cannot be implausible by itself",
                         local_protocol_of(survey->task.mechanism)->name);
    *chance = local_chance_of_bits(&survey->task, local_map_count(&survey->task, report));
    return DUSK_OK;
}
