/* SPDX-License-Identifier: Apache-2.0 */
/* Checked allocation and wiping. */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef DUSK_TESTING
#include <malloc.h>
#include <stdatomic.h>
#endif

#ifdef DUSK_TESTING
static _Thread_local long allocations_left; /* test builds only */

void dusk_memory_fail_at(long n) { allocations_left = n; }

static int must_fail(void) { return allocations_left > 0 && --allocations_left == 0; }

static _Atomic size_t allocated, largest; /* test builds only */

size_t dusk_memory_used(void) { return allocated; }
size_t dusk_memory_most(void) { return largest; }
void dusk_memory_watch(void) { largest = allocated; }

static void *count_in(void *memory)
{
    const size_t more = memory ? malloc_usable_size(memory) : 0;
    const size_t now = atomic_fetch_add(&allocated, more) + more;
    for (size_t before = largest; now > before && !atomic_compare_exchange_weak(&largest, &before, now);) {
    }
    return memory;
}

static void count_out(void *memory)
{
    if (memory) allocated -= malloc_usable_size(memory);
}
#else
static int must_fail(void) { return 0; }
static void *count_in(void *memory) { return memory; }
static void count_out(void *memory) { (void)memory; }
#endif

void *dusk_allocate(size_t count, size_t size)
{
    if (must_fail() || (size && count > SIZE_MAX / size)) return NULL;
    return count_in(calloc(count ? count : 1, size ? size : 1));
}

void dusk_deallocate(void *memory)
{
    count_out(memory);
    free(memory);
}

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
