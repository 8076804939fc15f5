/* SPDX-License-Identifier: Apache-2.0 */
/* Every unit keeps a few of its rows; see unit_rows.h. Proof: unit_rows.proof.md. */
#include "query/unit_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "random/keyed.h"

enum { STREAM_ROWS = 1, HELD_MOST = 0x7fffffff };

dusk_status unit_rows_open(unit_rows *out, const dusk_fields *fields, dusk_error *err)
{
    *out = (unit_rows){ .used = 0 };
    return table_filler_open(&out->filler, fields, err);
}

dusk_status unit_rows_begin(unit_rows *rows, const void *unit, size_t size, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t row = table_filler_rows(&rows->filler);
    DUSK_GROW(rows->end, rows->end_room, row);
    if (rows->name_room - rows->used < size) {
        size_t room = 2 * (rows->used + size);
        char *larger = room < size ? NULL : dusk_larger(rows->name, rows->used, room, 1);
        if (!larger) return dusk_fail_memory(err);
        rows->name = larger;
        rows->name_room = room;
    }
    if (size) memcpy(rows->name + rows->used, unit, size);
    rows->used += size;
    rows->end[row] = rows->used;
    DUSK_TRY(table_filler_row(&rows->filler, err));
done:
    return status;
}

void unit_rows_end(unit_rows *rows) { table_filler_end(&rows->filler); }

void unit_rows_close(unit_rows *rows)
{
    size_t n = rows->filler.frame ? table_filler_rows(&rows->filler) : 0;
    if (rows->name) dusk_wipe(rows->name, rows->used);
    if (rows->end) dusk_wipe(rows->end, n * sizeof *rows->end);
    dusk_deallocate(rows->name);
    dusk_deallocate(rows->end);
    table_filler_close(&rows->filler);
    *rows = (unit_rows){ .used = 0 };
}

/* --- order ------------------------------------------------------------------------------------ */

typedef struct place {
    uint64_t number; /* of the unit, by the coins' key */
    const unit_rows *all;
    size_t row;
} place;

static const char *name_of(const place *p, size_t *size)
{
    size_t begin = p->row ? p->all->end[p->row - 1] : 0;
    *size = p->all->end[p->row] - begin;
    return p->all->name + begin;
}

static int by_unit(const place *a, const place *b)
{
    size_t m, n;
    if (a->number != b->number) return a->number < b->number ? -1 : 1;
    const char *x = name_of(a, &m), *y = name_of(b, &n);
    if (m != n) return m < n ? -1 : 1;
    return m ? memcmp(x, y, m) : 0;
}

static int by_bytes(const void *column, size_t a, size_t b, size_t size)
{
    return memcmp((const char *)column + a * size, (const char *)column + b * size, size);
}

/* Rows that are equal in this order are equal in every cell. */
static int by_content(const place *a, const place *b)
{
    const dusk_frame *frame = a->all->filler.frame;
    int order = 0;
    for (size_t c = 0; c < frame->fields->count && order == 0; c++) {
        const dusk_frame_column *column = &frame->column[c];
        order = column->number ? by_bytes(column->number, a->row, b->row, sizeof *column->number)
                               : by_bytes(column->code, a->row, b->row, sizeof *column->code);
    }
    return order;
}

static int compare(const void *x, const void *y)
{
    const place *a = x, *b = y;
    int order = by_unit(a, b);
    return order ? order : by_content(a, b);
}

DUSK_PROVEN(sort_rows)
static dusk_status sort_rows(place **out, const unit_rows *rows, const dusk_keyed_coins *coins,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t n = rows->filler.frame->rows;
    place *order = NULL;
    DUSK_NEW(order, n);
    for (size_t row = 0; row < n; row++) {
        size_t size;
        order[row] = (place){ .all = rows, .row = row };
        const char *name = name_of(&order[row], &size);
        order[row].number = dusk_keyed_unit(coins, name, size);
    }
    if (n) qsort(order, n, sizeof *order, compare);
    *out = order;
done:
    return status;
}

/* --- choice ------------------------------------------------------------------------------------- */

/* The places that stay are moved to the front, in their order. */
DUSK_PROVEN(choose_rows)
static dusk_status choose_rows(place *order, size_t n, size_t *kept, uint32_t most, dusk_keyed_coins *coins,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t *chosen = NULL, count;
    *kept = 0;
    DUSK_NEW(chosen, most < n ? most : n);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && by_unit(&order[first], &order[end]) == 0;) end++;
        size_t held = end - first < HELD_MOST ? end - first : HELD_MOST;
        if (DUSK_MUTATE(UNIT_ROWS_ALL_STAY, held <= most, true)) {
            memmove(order + *kept, order + first, (end - first) * sizeof *order);
            *kept += end - first;
            continue;
        }
        uint64_t unit = DUSK_MUTATE(UNIT_ROWS_BY_PLACE, order[first].number, first);
        DUSK_TRY(dusk_keyed_choose(coins, STREAM_ROWS, unit, held, most, chosen, &count, err));
        for (size_t i = 0; i < count; i++) order[(*kept)++] = order[first + chosen[i]];
    }
done:
    dusk_deallocate(chosen);
    return status;
}

/* --- the frame -------------------------------------------------------------------------------------- */

/* A column at a time, so that one is there twice at most. */
static dusk_status gather(void **column, size_t rows, size_t size, const place *order, size_t kept,
                          dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char *out = dusk_allocate(kept, size);
    if (!out) return dusk_fail_memory(err);
    for (size_t i = 0; i < kept; i++) memcpy(out + i * size, (char *)*column + order[i].row * size, size);
    dusk_wipe(*column, rows * size);
    dusk_deallocate(*column);
    *column = out;
    return status;
}

static dusk_status take_frame(dusk_frame **out, unit_rows *rows, const place *order, size_t kept,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_frame *frame = table_filler_take(&rows->filler);
    const size_t n = frame->rows;
    frame->rows = 0; /* until all columns have as many */
    for (size_t c = 0; c < frame->fields->count; c++) {
        dusk_frame_column *column = &frame->column[c];
        void *cells = column->number ? (void *)column->number : (void *)column->code;
        DUSK_TRY(gather(&cells, n, column->number ? sizeof *column->number : sizeof *column->code, order,
                        kept, err));
        if (column->number)
            column->number = cells;
        else
            column->code = cells;
    }
    frame->rows = kept;
    *out = frame;
    frame = NULL;
done:
    dusk_frame_free(frame);
    return status;
}

DUSK_PROVEN(unit_rows_bound)
dusk_status unit_rows_bound(unit_rows *rows, dusk_frame **out, uint32_t most, dusk_generator *gen,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_keyed_coins *coins = NULL;
    place *order = NULL;
    const size_t n = table_filler_rows(&rows->filler);
    size_t kept;
    *out = NULL;
    table_filler_settle(&rows->filler);
    DUSK_TRY(dusk_keyed_new(&coins, gen, err));
    DUSK_TRY(sort_rows(&order, rows, coins, err));
    DUSK_TRY(choose_rows(order, n, &kept, most, coins, err));
    DUSK_TRY(take_frame(out, rows, order, kept, err));
done:
    if (order) dusk_wipe(order, n * sizeof *order);
    dusk_deallocate(order);
    dusk_keyed_free(coins);
    return status;
}
