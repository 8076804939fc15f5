/* SPDX-License-Identifier: Apache-2.0 */
/* A released table. Nothing in it is private. */
#include "query/result.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"

bool query_type_is_text(dusk_type type)
{
    return type == DUSK_TYPE_TEXT || type == DUSK_TYPE_DATE || type == DUSK_TYPE_TIMESTAMP;
}

/* `integer` counts where it rounds to `number`: a cell that was made of a double has 0 there. */
bool query_cell_integer(const dusk_cell *cell, int64_t *out)
{
    *out = cell->integer;
    return cell->type == DUSK_TYPE_INTEGER && cell->exact && !cell->null &&
           (double)cell->integer == cell->number;
}

void query_cell_settle(dusk_cell *cell)
{
    bool known = query_cell_integer(cell, &cell->integer);
    bool whole = cell->type == DUSK_TYPE_INTEGER && cell->exact && !cell->null && fabs(cell->number) < 0x1p63;
    if (!known) cell->integer = whole ? (int64_t)cell->number : 0;
}

/* A copy that is UTF-8; NULL when memory is out. */
static char *copy_text(query_arena *arena, const char *text)
{
    size_t length = strlen(text);
    if (dusk_utf8_valid(text, length)) return query_arena_text(arena, text, length);
    char *copy = query_arena_take(arena, 3 * length + 1, 1);
    if (copy) dusk_utf8_repair(copy, text, length);
    return copy;
}

dusk_status query_result_new(dusk_result **out, size_t columns, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_result *result = NULL;
    *out = NULL;
    DUSK_NEW(result, 1);
    DUSK_NEW(result->name, columns);
    DUSK_TRY(query_arena_new(&result->texts, err));
    result->columns = columns;
    for (size_t i = 0; i < columns; i++) DUSK_TRY(query_result_set_name(result, i, "", err));
    *out = result;
    result = NULL;
done:
    dusk_result_free(result);
    return status;
}

dusk_status query_result_set_name(dusk_result *result, size_t column, const char *name, dusk_error *err)
{
    char *copy = copy_text(result->texts, name);
    if (!copy) return dusk_fail_memory(err);
    result->name[column] = copy;
    return DUSK_OK;
}

dusk_status query_result_add(dusk_result *result, const dusk_cell *row, dusk_error *err)
{
    if (result->columns > 0 && result->rows == result->room) {
        size_t room = result->room ? 2 * result->room : 16;
        void *larger = dusk_larger(result->cell, result->rows * result->columns, room * result->columns,
                                   sizeof *result->cell);
        if (!larger) return dusk_fail_memory(err);
        result->cell = larger;
        result->room = room;
    }
    for (size_t i = 0; i < result->columns; i++) {
        dusk_cell cell = row[i];
        if (!query_type_is_text(cell.type))
            cell.text = NULL;
        else
            cell.number = cell.low = cell.high = 0;
        if (cell.text && cell.null) cell.text = NULL;
        if (cell.text && !(cell.text = copy_text(result->texts, cell.text))) return dusk_fail_memory(err);
        query_cell_settle(&cell);
        result->cell[result->rows * result->columns + i] = cell;
    }
    result->rows++;
    return DUSK_OK;
}

void dusk_result_free(dusk_result *result)
{
    if (!result) return;
    dusk_deallocate(result->name);
    dusk_deallocate(result->cell);
    query_arena_free(result->texts);
    dusk_deallocate(result);
}

size_t dusk_result_rows(const dusk_result *result) { return result->rows; }

size_t dusk_result_columns(const dusk_result *result) { return result->columns; }

const char *dusk_result_name(const dusk_result *result, size_t column) { return result->name[column]; }

const dusk_cell *dusk_result_cell(const dusk_result *result, size_t row, size_t column)
{
    return &result->cell[row * result->columns + column];
}
