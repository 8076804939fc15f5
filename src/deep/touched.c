/* SPDX-License-Identifier: Apache-2.0 */
/* Touched rows by hash, and in order when they are asked for. */
#include "deep/touched.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void deep_touched_open(deep_touched *out, size_t rows, size_t width)
{
    *out = (deep_touched){ .rows = rows, .width = width };
}

double deep_touched_bytes(const deep_touched *t)
{
    const double row =
        sizeof *t->row + sizeof *t->order + 4 * sizeof *t->place + (double)t->width * sizeof *t->total;
    return 2 * ((double)t->rows * row + 16 * sizeof *t->place);
}

static void wipe(void *room, size_t size)
{
    if (room) dusk_wipe(room, size);
    dusk_deallocate(room);
}

void deep_touched_close(deep_touched *t)
{
    wipe(t->row, t->room * sizeof *t->row);
    wipe(t->total, t->room * t->width * sizeof *t->total);
    wipe(t->order, t->room * sizeof *t->order);
    wipe(t->place, t->places * sizeof *t->place);
    *t = (deep_touched){ 0 };
}

void deep_touched_reset(deep_touched *t)
{
    t->count = 0;
    t->sorted = false;
    if (t->place) memset(t->place, 0, t->places * sizeof *t->place);
}

/* Where the row is, or where it would be: there is always a free place. */
static uint32_t *find(const deep_touched *t, uint32_t row)
{
    size_t at = (size_t)((row * 0x9e3779b97f4a7c15u) >> 32) & (t->places - 1);
    while (t->place[at] != 0 && t->row[t->place[at] - 1] != row) at = (at + 1) & (t->places - 1);
    return &t->place[at];
}

dusk_status deep_touched_expect(deep_touched *t, size_t more, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t needed = more > t->rows - t->count ? t->rows : t->count + more;
    deep_touched larger = { .rows = t->rows, .width = t->width, .count = t->count, .places = 16 };
    if (needed <= t->room) return DUSK_OK;
    larger.room = needed > 2 * t->room ? needed : 2 * t->room > t->rows ? t->rows : 2 * t->room;
    while (larger.places < 2 * larger.room) larger.places *= 2;
    DUSK_NEW(larger.row, larger.room);
    DUSK_NEW(larger.total, larger.room * larger.width);
    DUSK_NEW(larger.order, larger.room);
    DUSK_NEW(larger.place, larger.places);
    for (size_t k = 0; k < t->count; k++) {
        larger.row[k] = t->row[k];
        *find(&larger, t->row[k]) = (uint32_t)k + 1;
    }
    if (t->count > 0) memcpy(larger.total, t->total, t->count * t->width * sizeof *t->total);
    deep_touched_close(t);
    *t = larger;
    larger = (deep_touched){ 0 };
done:
    deep_touched_close(&larger);
    return status;
}

int64_t *deep_touched_row(deep_touched *t, uint32_t row)
{
    uint32_t *place = find(t, row);
    if (*place == 0) {
        t->row[t->count] = row;
        memset(t->total + t->count * t->width, 0, t->width * sizeof *t->total);
        *place = (uint32_t)++t->count;
        t->sorted = false;
    }
    return t->total + (*place - 1) * t->width;
}

dusk_status deep_touched_merge(deep_touched *t, const deep_touched *other, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(deep_touched_expect(t, other->count, err));
    for (size_t k = 0; k < other->count; k++) {
        int64_t *to = deep_touched_row(t, other->row[k]);
        const int64_t *from = other->total + k * t->width;
        for (size_t j = 0; j < t->width; j++) to[j] += from[j];
    }
done:
    return status;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort(deep_touched *t)
{
    for (size_t k = 0; k < t->count; k++) t->order[k] = (uint64_t)t->row[k] << 32 | k;
    if (t->count > 1) qsort(t->order, t->count, sizeof *t->order, compare);
    t->sorted = true;
}

/* How many of the touched rows come before this one. */
static size_t before(const deep_touched *t, size_t row)
{
    size_t low = 0, high = t->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((size_t)(t->order[middle] >> 32) < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void deep_touched_copy(deep_touched *t, size_t first, size_t n, int64_t *out)
{
    if (!t->sorted) sort(t);
    memset(out, 0, n * sizeof *out);
    for (size_t k = before(t, first / t->width); k < t->count; k++) {
        const size_t begin = (size_t)(t->order[k] >> 32) * t->width;
        const int64_t *from = t->total + (size_t)(t->order[k] & 0xffffffffu) * t->width;
        if (begin >= first + n) break;
        const size_t skip = begin < first ? first - begin : 0;
        const size_t end = begin + t->width < first + n ? begin + t->width : first + n;
        memcpy(out + begin + skip - first, from + skip, (end - begin - skip) * sizeof *out);
    }
}
