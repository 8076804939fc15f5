/* SPDX-License-Identifier: Apache-2.0 */
/* A released table. Nothing in it is private. */
#include "query/result.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

bool query_type_is_text(dusk_type type)
{
    return type == DUSK_TYPE_TEXT || type == DUSK_TYPE_DATE || type == DUSK_TYPE_TIMESTAMP;
}

/* [Unicode 15, table 3-7]: no overlong forms, no surrogates, nothing above U+10FFFF. */
size_t query_character(const char *text, size_t length)
{
    const unsigned char *s = (const unsigned char *)text;
    unsigned char low = 0x80, high = 0xBF;
    size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xC2 && s[0] < 0xE0 ? 2 : s[0] >> 4 == 0xE ? 3 : 4;
    if (s[0] >= 0x80 && (s[0] < 0xC2 || s[0] > 0xF4)) return 0;
    if (n > length || s[0] == 0) return 0;
    if (s[0] == 0xE0) low = 0xA0;
    if (s[0] == 0xED) high = 0x9F;
    if (s[0] == 0xF0) low = 0x90;
    if (s[0] == 0xF4) high = 0x8F;
    for (size_t i = 1; i < n; i++) {
        if (s[i] < low || s[i] > high) return 0;
        low = 0x80;
        high = 0xBF;
    }
    return n;
}

/* A copy that is UTF-8; NULL when memory is out. */
static char *copy_text(query_arena *arena, const char *text)
{
    static const char odd[3] = "\xEF\xBF\xBD";
    size_t length = strlen(text), size = 0, n;
    for (size_t i = 0; i < length; i += n ? n : 1) {
        n = query_character(text + i, length - i);
        size += n ? n : sizeof odd;
    }
    if (size == length) return query_arena_text(arena, text, length);
    char *copy = query_arena_take(arena, size + 1, 1), *at = copy;
    for (size_t i = 0; copy && i < length; i += n ? n : 1) {
        n = query_character(text + i, length - i);
        memcpy(at, n ? text + i : odd, n ? n : sizeof odd);
        at += n ? n : sizeof odd;
    }
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
