/* SPDX-License-Identifier: Apache-2.0 */
/* Reports that a device can make: numbers below a limit, rows of bits without others behind them, and sets of a size. Those of absorb are the same
 * (tests/unit/local/every.c). */
#include "local/valid.h"

#include "base/mutant.h"
#include "local/counting.h"

uint64_t local_answers(const dusk_client_task *task)
{
    switch (task->mechanism) {
    case DUSK_GRR:
    case DUSK_PLANAR: return task->domain;
    case DUSK_OLH: return (uint64_t)task->rows * task->rows * task->width;
    case DUSK_HADAMARD: return DUSK_MUTATE(VALID_ONE_SIGN, 2, 1) * (uint64_t)task->width;
    case DUSK_HR: return (uint64_t)task->rows * task->width;
    case DUSK_PGR: return client_points(task->width, task->rows);
    case DUSK_HCMS:
    case DUSK_TREE: return 2 * (uint64_t)task->rows * task->width;
    case DUSK_ONEBIT:
    case DUSK_DUCHI: return 2;
    case DUSK_PIECEWISE:
    case DUSK_SQUAREWAVE: return (uint64_t)task->domain + task->width - 1;
    case DUSK_HYBRID: return (uint64_t)task->domain + task->width + 1;
    default: return 0;
    }
}

bool local_validity_is_known(const dusk_client_task *task)
{
    switch (task->mechanism) {
    case DUSK_SUE:
    case DUSK_OUE:
    case DUSK_SS:
    case DUSK_CMS:
    case DUSK_RAPPOR: return true;
    default: return local_answers(task) > 0;
    }
}

static uint32_t members(const uint8_t *map, uint32_t bytes)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < bytes; i++) n += (uint32_t)__builtin_popcount(map[i]);
    return n;
}

bool local_report_is_valid(const dusk_client_task *task, const uint8_t *report)
{
    const uint32_t bytes = client_bytes_for(task->rows > 0 ? task->rows : 1);
    switch (task->mechanism) {
    case DUSK_SUE:
    case DUSK_OUE: return !local_row_is_padded(task->domain, report);
    case DUSK_SS:
        return !local_row_is_padded(task->domain, report) &&
               members(report, (task->domain + 7) / 8) == task->width;
    case DUSK_CMS:
    case DUSK_RAPPOR:
        return client_get(report, bytes) < task->rows && !local_row_is_padded(task->width, report + bytes);
    default: return client_get(report, dusk_report_size(task)) < local_answers(task);
    }
}
