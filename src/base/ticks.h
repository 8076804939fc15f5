/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BASE_TICKS_H
#define DUSK_BASE_TICKS_H

/* The time of short work: processor ticks where they can be read, else nanoseconds. */

#include <stdint.h>
#ifdef __x86_64__
#include <x86intrin.h>
#else
#include <time.h>
#endif

static inline uint64_t dusk_ticks(void)
{
#ifdef __x86_64__
    unsigned processor;
    _mm_lfence();
    uint64_t t = __rdtscp(&processor);
    _mm_lfence();
    return t;
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

#endif
