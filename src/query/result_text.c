/* SPDX-License-Identifier: Apache-2.0 */
/* A result as text, which the ledger stores. It reads back as the same result to the last bit, so numbers
 * are the 16 hexadecimal digits of their IEEE 754 form, and texts come with their number of bytes:
 *     dusk result 1
 *     COLUMNS ROWS
 *     BYTES NAME                           a line for each column
 *     TYPE NULL EXACT NUMBER LOW HIGH      a line for each cell, row by row, of a number
 *     TYPE NULL EXACT BYTES TEXT           of a text, unless it is NULL
 * TYPE is a letter (i r t b d s), NULL and EXACT are n and e, or '-'; the first three have no blanks between
 * them. An exact integer that its NUMBER does not hold has the letter I, and its digits behind HIGH. A reader accepts exactly what the writer writes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "query/result.h"

static const char heading[] = "dusk result 1\n";
static const char letters[] = "?irtbds"; /* by dusk_type */

/* --- writing -------------------------------------------------------------------------------- */

/* Counts where `data` is NULL. */
typedef struct writer {
    char *data;
    size_t length;
} writer;

static void put(writer *w, const char *bytes, size_t n)
{
    if (w->data && n) memcpy(w->data + w->length, bytes, n);
    w->length += n;
}

static void put_size(writer *w, size_t n, char after)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%zu%c", n, after);
    put(w, digits, (size_t)length);
}

static void put_text(writer *w, const char *text)
{
    put_size(w, strlen(text), ' ');
    put(w, text, strlen(text));
}

static void put_bits(writer *w, uint64_t bits)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, " %016" PRIx64, bits);
    put(w, digits, (size_t)length);
}

static void put_number(writer *w, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_bits(w, bits);
}

/* Whether the integer is another than the one that is read off `number`. */
static bool is_long(const dusk_cell *cell)
{
    dusk_cell read = *cell;
    int64_t integer;
    read.integer = 0;
    query_cell_settle(&read);
    return query_cell_integer(cell, &integer) && integer != read.integer;
}

static void put_cell(writer *w, const dusk_cell *cell)
{
    bool long_integer = is_long(cell);
    const char flags[3] = { long_integer ? 'I' : letters[cell->type], cell->null ? 'n' : '-',
                            cell->exact ? 'e' : '-' };
    put(w, flags, sizeof flags);
    if (!query_type_is_text(cell->type)) {
        put_number(w, cell->number);
        put_number(w, cell->low);
        put_number(w, cell->high);
        if (long_integer) put_bits(w, (uint64_t)cell->integer);
    } else if (!cell->null) {
        put(w, " ", 1);
        put_text(w, cell->text ? cell->text : "");
    }
    put(w, "\n", 1);
}

static void put_result(writer *w, const dusk_result *result)
{
    put(w, heading, sizeof heading - 1);
    put_size(w, result->columns, ' ');
    put_size(w, result->rows, '\n');
    for (size_t i = 0; i < result->columns; i++) {
        put_text(w, result->name[i]);
        put(w, "\n", 1);
    }
    for (size_t i = 0; i < result->rows * result->columns; i++) put_cell(w, &result->cell[i]);
}

dusk_status dusk_result_write(const dusk_result *result, char **text, size_t *length, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    writer counted = { 0 }, w = { 0 };
    put_result(&counted, result);
    DUSK_NEW(w.data, counted.length + 1);
    put_result(&w, result);
    *text = w.data;
    *length = w.length;
done:
    return status;
}

/* --- reading --------------------------------------------------------------------------------- */

typedef struct reader {
    const char *start, *at, *end;
} reader;

static dusk_status refuse(const reader *r, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_CORRUPT, "", "this is no stored result: byte %zu is not what it should be",
                     (size_t)(r->at - r->start));
}

static bool take(reader *r, char c)
{
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

/* Decimal digits without leading zeros, below 2^53. */
static bool take_size(reader *r, size_t *out)
{
    const char *first = r->at;
    size_t n = 0;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
        if (r->at - first == 15) return false;
        n = 10 * n + (size_t)(*r->at++ - '0');
    }
    *out = n;
    return r->at > first && (*first != '0' || r->at == first + 1);
}

static bool take_bits(reader *r, uint64_t *out)
{
    uint64_t bits = 0;
    if (!take(r, ' ') || r->end - r->at < 16) return false;
    for (int i = 0; i < 16; i++, r->at++) {
        const char *digit = *r->at ? strchr("0123456789abcdef", *r->at) : NULL;
        if (!digit) return false;
        bits = bits << 4 | (uint64_t)(*digit <= '9' ? *digit - '0' : *digit - 'a' + 10);
    }
    *out = bits;
    return true;
}

static bool take_number(reader *r, double *out)
{
    uint64_t bits;
    if (!take_bits(r, &bits)) return false;
    memcpy(out, &bits, sizeof bits);
    return true;
}

static bool take_integer(reader *r, dusk_cell *cell)
{
    uint64_t bits;
    if (!take_bits(r, &bits)) return false;
    cell->integer = (int64_t)bits;
    return is_long(cell);
}

/* BYTES TEXT; a copy that ends in '\0'. */
static dusk_status take_text(reader *r, query_arena *arena, char **out, dusk_error *err)
{
    size_t length;
    if (!take_size(r, &length) || !take(r, ' ') || length > (size_t)(r->end - r->at)) return refuse(r, err);
    if (memchr(r->at, '\0', length) || !dusk_utf8_valid(r->at, length)) return refuse(r, err);
    *out = query_arena_text(arena, r->at, length);
    r->at += length;
    return *out ? DUSK_OK : dusk_fail_memory(err);
}

static bool take_flag(reader *r, char letter, bool *out)
{
    *out = take(r, letter);
    return *out || take(r, '-');
}

static dusk_status take_cell(reader *r, query_arena *arena, dusk_cell *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char *text = NULL;
    const char *letter = r->at < r->end && *r->at ? strchr(letters, *r->at) : NULL;
    bool long_integer = r->at < r->end && *r->at == 'I';
    if (long_integer) letter = letters + DUSK_TYPE_INTEGER;
    if (!letter || letter == letters) return refuse(r, err);
    out->type = (dusk_type)(letter - letters);
    r->at++;
    if (!take_flag(r, 'n', &out->null) || !take_flag(r, 'e', &out->exact)) return refuse(r, err);
    if (!query_type_is_text(out->type)) {
        if (!take_number(r, &out->number) || !take_number(r, &out->low) || !take_number(r, &out->high))
            return refuse(r, err);
        if (long_integer && !take_integer(r, out)) return refuse(r, err);
        query_cell_settle(out);
    } else if (!out->null) {
        if (!take(r, ' ')) return refuse(r, err);
        DUSK_TRY(take_text(r, arena, &text, err));
        out->text = text;
    }
    if (!take(r, '\n')) return refuse(r, err);
done:
    return status;
}

/* Every name takes four bytes at least, and every cell as many: so a few bytes cannot ask for much memory. */
static dusk_status take_shape(reader *r, size_t *columns, size_t *rows, dusk_error *err)
{
    size_t left = (size_t)(r->end - r->at);
    if (left < sizeof heading - 1 || memcmp(r->at, heading, sizeof heading - 1) != 0) return refuse(r, err);
    r->at += sizeof heading - 1;
    if (!take_size(r, columns) || !take(r, ' ') || !take_size(r, rows) || !take(r, '\n'))
        return refuse(r, err);
    if (*columns > left || *rows > (*columns ? left / *columns : SIZE_MAX)) return refuse(r, err);
    return DUSK_OK;
}

dusk_status dusk_result_read(dusk_result **out, const char *text, size_t length, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    reader r = { text, text, text + length };
    dusk_result *result = NULL;
    size_t columns, rows;

    *out = NULL;
    DUSK_TRY(take_shape(&r, &columns, &rows, err));
    DUSK_TRY(query_result_new(&result, columns, err));
    for (size_t i = 0; i < columns; i++) {
        DUSK_TRY(take_text(&r, result->texts, &result->name[i], err));
        if (!take(&r, '\n')) DUSK_TRY(refuse(&r, err));
    }
    DUSK_NEW(result->cell, rows * columns);
    result->rows = result->room = rows;
    for (size_t i = 0; i < rows * columns; i++) DUSK_TRY(take_cell(&r, result->texts, &result->cell[i], err));
    if (r.at != r.end) DUSK_TRY(refuse(&r, err));
    *out = result;
    result = NULL;
done:
    dusk_result_free(result);
    return status;
}
