/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BASE_MEMORY_H
#define DUSK_BASE_MEMORY_H

/* The one allocator, so that tests can make the n-th allocation fail. */

#include <stddef.h>

#include "base/error.h"

/* `count` zeroed elements of `size` bytes, or NULL (also when the product
 * overflows). A count of zero gives a pointer that can be freed. */
void *dusk_allocate(size_t count, size_t size);

/* Free what dusk_allocate gave; NULL is fine. */
void dusk_deallocate(void *memory);

/* Overwrite with zeros, never optimised away. */
void dusk_wipe(void *memory, size_t size);

dusk_status dusk_fail_memory(dusk_error *err);

/* pointer = count zeroed elements of its type, or go to `done`. */
#define DUSK_NEW(pointer, count)                                                                             \
    do {                                                                                                     \
        (pointer) = dusk_allocate((count), sizeof *(pointer));                                               \
        if (!(pointer)) {                                                                                    \
            status = dusk_fail_memory(err);                                                                  \
            goto done;                                                                                       \
        }                                                                                                    \
    } while (0)

/* Zeroed memory for `room` elements, the first `used` of them moved there from
 * `memory`, which is freed; NULL, and `memory` as it was, when there is none. */
void *dusk_larger(void *memory, size_t used, size_t room, size_t size);

/* Make sure that a list of `used` elements has room for one more, or go to `done`. */
#define DUSK_GROW(pointer, room, used)                                                                       \
    do {                                                                                                     \
        if ((used) == (room)) {                                                                              \
            size_t larger_ = (room) ? 2 * (room) : 8;                                                        \
            void *moved_ = dusk_larger((pointer), (used), larger_, sizeof *(pointer));                       \
            if (!moved_) {                                                                                   \
                status = dusk_fail_memory(err);                                                              \
                goto done;                                                                                   \
            }                                                                                                \
            (pointer) = moved_;                                                                              \
            (room) = larger_;                                                                                \
        }                                                                                                    \
    } while (0)

#ifdef DUSK_TESTING
/* Make the n-th allocation from now on fail (1 is the next one; 0: none). */
void dusk_memory_fail_at(long n);
/* Bytes that are allocated, by all threads; and the most there were since dusk_memory_watch. */
size_t dusk_memory_used(void);
size_t dusk_memory_most(void);
void dusk_memory_watch(void);
#endif

#endif
