/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_ENTRY_SORT_H
#define DUSK_QUERY_ENTRY_SORT_H

/* Sorting entries by an order that is compiled in: insertion for few, merging for many. Stable. */

#include "query/bounding_inner.h"

typedef bool entry_less(const bounding_worker *w, const bounding_entry *a, const bounding_entry *b,
                        size_t value);

enum { ENTRY_FEW = 24 };

static inline __attribute__((always_inline)) void entry_insert(const bounding_worker *w, bounding_entry *e,
                                                               size_t n, entry_less *less, size_t value)
{
    for (size_t i = 1; i < n; i++) {
        bounding_entry x = e[i];
        size_t j = i;
        for (; j > 0 && less(w, &x, &e[j - 1], value); j--) e[j] = e[j - 1];
        e[j] = x;
    }
}

/* `spare` has room for n entries. */
static inline __attribute__((always_inline)) void entry_sort(const bounding_worker *w, bounding_entry *e,
                                                             bounding_entry *spare, size_t n,
                                                             entry_less *less, size_t value)
{
    bounding_entry *from = e, *to = spare;
    for (size_t at = 0; at < n; at += ENTRY_FEW)
        entry_insert(w, e + at, n - at < ENTRY_FEW ? n - at : ENTRY_FEW, less, value);
    for (size_t width = ENTRY_FEW; width < n; width *= 2) {
        for (size_t at = 0; at < n; at += 2 * width) {
            size_t middle = n - at < width ? n : at + width, end = n - at < 2 * width ? n : at + 2 * width;
            size_t i = at, j = middle;
            for (size_t k = at; k < end; k++)
                to[k] =
                    j == end || (i < middle && !less(w, &from[j], &from[i], value)) ? from[i++] : from[j++];
        }
        bounding_entry *swap = from;
        from = to;
        to = swap;
    }
    if (from != e) memcpy(e, from, n * sizeof *e);
}

#endif
