/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_WIPE_H
#define DUSK_QUERY_WIPE_H

#include "base/memory.h"

/* For memory that has held private bytes; NULL is fine. */
static inline void wipe_and_free(void *memory, size_t size)
{
    if (memory) dusk_wipe(memory, size);
    dusk_deallocate(memory);
}

#endif
