/* SPDX-License-Identifier: Apache-2.0 */
/* Several attributes of a person as one number in mixed radix, the first attribute lowest. */
#include "local/client.h"

int client_attributes_are_fine(const dusk_client_task *task)
{
    uint64_t product = 1;
    uint32_t i;
    if (task->attributes > DUSK_ATTRIBUTES_MOST) return 0;
    for (i = 0; i < DUSK_ATTRIBUTES_MOST; i++) {
        const uint32_t size = task->sizes[i];
        if (i >= task->attributes && size > 0) return 0;
        if (i >= task->attributes) continue;
        if (size < 2 || product > ~(uint64_t)0 / size) return 0;
        product *= size;
    }
    return 1;
}

uint64_t dusk_client_pack(const dusk_client_task *task, const uint32_t *categories)
{
    uint64_t value = 0;
    uint32_t i;
    for (i = task->attributes; i-- > 0;)
        value =
            value * task->sizes[i] + (categories[i] < task->sizes[i] ? categories[i] : task->sizes[i] - 1);
    return value;
}

void dusk_client_unpack(const dusk_client_task *task, uint64_t value, uint32_t *categories)
{
    uint32_t i;
    for (i = 0; i < task->attributes; i++) {
        const uint32_t size = task->sizes[i];
        const int last = i + 1 == task->attributes;
        categories[i] = (uint32_t)(last && value >= size ? size - 1 : value % size);
        value /= size;
    }
}
