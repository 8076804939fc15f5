/* SPDX-License-Identifier: Apache-2.0 */
/* Which values a report speaks for; see attacks.h. A report that no device makes need not be told from others. */
#include "local/attacks.h"

static uint64_t number_of(const dusk_client_task *task, const uint8_t *report)
{
    return client_get(report, dusk_report_size(task));
}

bool local_supports_number(const dusk_client_task *task, const uint8_t *report, uint64_t value)
{
    return number_of(task, report) == value;
}

bool local_supports_map(const dusk_client_task *task, const uint8_t *report, uint64_t value)
{
    return value < task->domain && local_bit(report, (uint32_t)value);
}

/* By divisions, which are faster than what a device does; reports are public. */
bool local_supports_hash(const dusk_client_task *task, const uint8_t *report, uint64_t value)
{
    const uint64_t number = number_of(task, report), pair = number / task->width, prime = task->rows;
    const uint64_t x = (pair / prime * value + pair % prime) % prime;
    return value < task->domain && x * task->width / prime == number % task->width;
}

bool local_supports_sign(const dusk_client_task *task, const uint8_t *report, uint64_t value)
{
    const uint32_t number = (uint32_t)number_of(task, report);
    return value < task->domain && client_parity(number >> 1 & (uint32_t)value) == (number & 1);
}

bool local_supports_block(const dusk_client_task *task, const uint8_t *report, uint64_t value)
{
    const uint64_t number = number_of(task, report), row = value / task->rows + 1;
    return value < task->domain && number / task->width == value % task->rows &&
           client_parity((uint32_t)(number % task->width & row)) == 0;
}

bool local_supports_point(const dusk_client_task *task, const uint8_t *report, uint64_t value)
{
    uint32_t x[DUSK_GEOMETRY_MOST], y[DUSK_GEOMETRY_MOST];
    uint64_t product = 0;
    if (value >= task->domain) return false;
    client_point(task->width, task->rows, (uint32_t)value, x);
    client_point(task->width, task->rows, (uint32_t)number_of(task, report), y);
    for (uint32_t i = 0; i < task->rows; i++) product += (uint64_t)x[i] * y[i];
    return product % task->width == 0;
}

bool local_supports_row(const dusk_client_task *task, const uint8_t *report, uint64_t value)
{
    const uint32_t bytes = client_bytes_for(task->rows), row = (uint32_t)client_get(report, bytes);
    return local_bit(report + bytes, client_place(task->seed, row, value, task->width));
}

bool local_supports_row_sign(const dusk_client_task *task, const uint8_t *report, uint64_t value)
{
    const uint32_t number = (uint32_t)number_of(task, report), at = number >> 1;
    const uint32_t place = client_place(task->seed, at / task->width, value, task->width);
    return client_parity(at % task->width & place) == (number & 1);
}

bool local_supports_filter(const dusk_client_task *task, const uint8_t *report, uint64_t value)
{
    const uint32_t bytes = client_bytes_for(task->rows), cohort = (uint32_t)client_get(report, bytes);
    bool all = true;
    for (uint32_t i = 0; i < task->hashes; i++)
        all &= local_bit(report + bytes,
                         client_place(task->seed, cohort * task->hashes + i, value, task->width));
    return all;
}

bool local_supports_bucket(const dusk_client_task *task, const uint8_t *report, uint64_t value)
{
    const uint32_t bytes = client_bytes_for(task->domain);
    for (uint32_t i = 0; i < task->width; i++)
        if (client_get(report + (size_t)i * bytes, bytes) == value)
            return local_bit(report + (size_t)task->width * bytes, i);
    return false;
}
