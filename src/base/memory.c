/* SPDX-License-Identifier: Apache-2.0 */
/* Checked allocation and wiping. */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef DUSK_TESTING
static _Thread_local long allocations_left; /* test builds only */

void dusk_memory_fail_at(long n) { allocations_left = n; }

static int must_fail(void) { return allocations_left > 0 && --allocations_left == 0; }
#else
static int must_fail(void) { return 0; }
#endif

void *dusk_allocate(size_t count, size_t size)
{
    if (must_fail() || (size && count > SIZE_MAX / size)) return NULL;
    return calloc(count ? count : 1, size ? size : 1);
}

void dusk_deallocate(void *memory) { free(memory); }

void *dusk_larger(void *memory, size_t used, size_t room, size_t size)
{
    void *larger = dusk_allocate(room, size);
    if (!larger) return NULL;
    if (used) memcpy(larger, memory, used * size);
    dusk_deallocate(memory);
    return larger;
}

void dusk_wipe(void *memory, size_t size) { explicit_bzero(memory, size); }

dusk_status dusk_fail_memory(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_MEMORY, "free some memory or work on less data at once", "out of memory");
}
