/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of text files; see csv.h. The file is read in large pieces into one buffer, a record
 * is divided where it lies, and fields point into it. A record that does not end within what was
 * read is divided again from its beginning once more is there, so that no state is carried over the
 * border of two pieces. Eight bytes are looked at together [Mycroft 1987: a zero byte in a word]. */
#include "table/csv.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/utf8.h"
#include "table/input.h"
#include "table/schema.h"

enum { DEFAULT_BUFFER = 1 << 20, PADDING = 32, COLUMNS_MAX = 10000 };

typedef struct raw_field {
    char *text; /* behind the opening quote, where there is one */
    size_t length;
    bool quoted, escaped; /* escaped: quotes within are to be undone */
} raw_field;

struct table_csv {
    table_input input;
    char *path;
    char delimiter;
    uint64_t delimiters; /* the delimiter in each of eight bytes */
    char *data;          /* capacity + PADDING bytes; data[end] is a newline that nobody wrote */
    size_t capacity, at, end;
    bool ended; /* the file has no more bytes */

    raw_field *field, unwanted;
    size_t fields, room, need; /* fields of the record; more than `need` are not kept */
    bool blank;                /* the record is an empty line */
    bool in_header;

    char (*name)[DUSK_NAME_MAX + 1];
    size_t columns;
    bool first_line_is_header;

    char *scratch; /* for texts that had to be repaired */
    size_t scratch_room;
};

/* --- bytes ------------------------------------------------------------------------------- */

/* Make room behind the record that begins at `at`: move it to the front, or take twice the buffer. */
static dusk_status make_room(table_csv *csv, dusk_error *err)
{
    size_t kept = csv->end - csv->at;
    if (csv->at == 0 && csv->end == csv->capacity) {
        if (csv->capacity > SIZE_MAX / 4) return dusk_fail_memory(err);
        char *larger = dusk_larger(csv->data, csv->end, 2 * csv->capacity + PADDING, 1);
        if (!larger) return dusk_fail_memory(err);
        csv->data = larger;
        csv->capacity *= 2;
        return DUSK_OK;
    }
    memmove(csv->data, csv->data + csv->at, kept);
    csv->at = 0;
    csv->end = kept;
    return DUSK_OK;
}

static dusk_status read_more(table_csv *csv, dusk_error *err)
{
    dusk_status status = make_room(csv, err);
    if (status != DUSK_OK) return status;
    size_t n;
    status = table_input_read(&csv->input, csv->data + csv->end, csv->capacity - csv->end, &n, err);
    if (status != DUSK_OK) return status;
    csv->end += n;
    csv->ended = n == 0;
    csv->data[csv->end] = '\n';
    return DUSK_OK;
}

static uint64_t zero_bytes(uint64_t x) { return (x - 0x0101010101010101u) & ~x & 0x8080808080808080u; }

static uint64_t borders(uint64_t eight, uint64_t delimiters)
{
    return zero_bytes(eight ^ delimiters) | zero_bytes(eight ^ 0x0A0A0A0A0A0A0A0Au);
}

/* The first delimiter or newline at or after p. There is one: the newline behind the last byte. The
 * lowest mark of zero_bytes is always right, those above it need not be. */
static char *find_border(char *p, char delimiter, uint64_t delimiters)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    (void)delimiter;
    for (;; p += 16) { /* most fields end here: without a branch for either half */
        uint64_t low, high;
        memcpy(&low, p, sizeof low);
        memcpy(&high, p + 8, sizeof high);
        low = borders(low, delimiters);
        high = borders(high, delimiters);
        if (low | high) return p + (low ? __builtin_ctzll(low) / 8 : 8 + __builtin_ctzll(high) / 8);
    }
#else
    (void)delimiters;
    while (*p != delimiter && *p != '\n') p++;
    return p;
#endif
}

/* --- records ------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Where the next field is kept: a place of its own, or the one for what nobody asked for. */
static dusk_status next_place(table_csv *csv, raw_field **out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *out = &csv->unwanted;
    if (csv->fields >= csv->need) return DUSK_OK;
    DUSK_GROW(csv->field, csv->room, csv->fields);
    *out = &csv->field[csv->fields++];
done:
    return status;
}

/* The end of the quoted field that begins at p: its delimiter or newline. NULL: not within what was
 * read. */
static char *divide_quoted(const table_csv *csv, char *p, char *limit, raw_field *field)
{
    char *close = p + 1;
    field->text = p + 1;
    field->quoted = true;
    field->escaped = false;
    for (;; close += 2) {
        close = memchr(close, '"', (size_t)(limit - close));
        if (!close) {
            field->length = (size_t)(limit - field->text);
            return csv->ended ? limit : NULL;
        }
        /* At the end of the piece, where one cannot tell whether the quote is doubled, the border that is
         * found below is not within what was read. */
        if (close[1] != '"') break;
        field->escaped = true;
    }
    char *end = find_border(close + 1, csv->delimiter, csv->delimiters);
    char *last = end - (*end == '\n' && end[-1] == '\r');
    while (is_blank(last[-1])) last--;
    field->length = (size_t)(close - field->text);
    if (last > close + 1) {
        field->escaped = true; /* text behind the closing quote: table_csv_field adds it */
        field->length = (size_t)(last - field->text);
    }
    return end;
}

static char *divide_plain(const table_csv *csv, char *p, raw_field *field)
{
    char *end = find_border(p, csv->delimiter, csv->delimiters);
    char *last = end - (*end == '\n' && end > p && end[-1] == '\r');
    while (last > p && DUSK_MUTATE(CSV_BLANKS_COUNT, is_blank(last[-1]), false)) last--;
    field->text = p;
    field->length = (size_t)(last - p);
    field->quoted = field->escaped = false;
    return end;
}

/* Where the record ends, when no quote is left in its line; else NULL. */
static char *skip_rest(char *p, char *limit)
{
    char *end = memchr(p, '\n', (size_t)(limit - p));
    return end && !memchr(p, '"', (size_t)(end - p)) ? end : NULL;
}

/* Divide the record at csv->at. *whole is false when it does not end within what was read. */
static dusk_status divide(table_csv *csv, bool *whole, dusk_error *err)
{
    char *p = csv->data + csv->at, *limit = csv->data + csv->end, *end;
    bool tried = false, first = true; /* tried to skip the rest */
    raw_field *field;
    *whole = false;
    csv->fields = 0;
    for (;; p = end + 1, first = false) {
        dusk_status status = next_place(csv, &field, err);
        if (status != DUSK_OK) return status;
        while (is_blank(*p) && *p != csv->delimiter) p++; /* a newline ends it */
        end = *p == '"' && p < limit ? divide_quoted(csv, p, limit, field) : divide_plain(csv, p, field);
        if (!end || (DUSK_MUTATE(CSV_PIECE_ENDS_RECORD, end == limit, false) && !csv->ended)) return DUSK_OK;
        if (end == limit || *end == '\n') break;
        if (tried || csv->fields < csv->need) continue;
        char *rest = skip_rest(end + 1, limit);
        tried = true;
        if (!rest) continue;
        end = rest;
        break;
    }
    csv->blank = !tried && first && field->length == 0 && !field->quoted;
    csv->at = (size_t)(end - csv->data) + (end < limit);
    *whole = true;
    return DUSK_OK;
}

dusk_status table_csv_next(table_csv *csv, bool *found, dusk_error *err)
{
    for (;;) {
        bool whole = false;
        if (csv->at == csv->end && csv->ended) {
            *found = false;
            return DUSK_OK;
        }
        dusk_status status = csv->at == csv->end ? DUSK_OK : divide(csv, &whole, err);
        if (status == DUSK_OK && !whole) status = read_more(csv, err);
        if (status != DUSK_OK) return status;
        if (!whole || (csv->blank && (csv->columns != 1 || csv->in_header))) continue;
        *found = true;
        return DUSK_OK;
    }
}

/* --- fields ---------------------------------------------------------------------------------- */

/* Undo the quotes of a field where it lies: "" is one, the closing one goes, what follows stays. */
static void undo_quotes(raw_field *field)
{
    char *out = field->text;
    const char *in = field->text, *end = in + field->length;
    bool inside = true;
    for (; in < end; in++) {
        if (inside && *in == '"') {
            if (in + 1 < end && in[1] == '"')
                in++;
            else {
                inside = false;
                continue;
            }
        }
        *out++ = *in;
    }
    field->length = (size_t)(out - field->text);
    field->escaped = false;
}

static void trim(raw_field *field)
{
    for (; field->length && is_blank(field->text[field->length - 1]);) field->length--;
    for (; field->length && is_blank(*field->text); field->text++) field->length--;
}

bool table_csv_field(table_csv *csv, size_t column, const char **text, size_t *length)
{
    if (column >= csv->fields) return false;
    raw_field *field = &csv->field[column];
    if (field->escaped) undo_quotes(field);
    if (field->quoted) trim(field);
    *text = field->text;
    *length = field->length;
    return field->length || field->quoted;
}

dusk_status table_csv_clean(table_csv *csv, const char **text, size_t *length, dusk_error *err)
{
    const char *in = *text;
    size_t n = *length;
    if (!memchr(in, '\0', n) && dusk_utf8_valid(in, n)) return DUSK_OK;
    if (csv->scratch_room / 3 < n) {
        char *larger = n > SIZE_MAX / 4 ? NULL : dusk_allocate(3 * n, 1);
        if (!larger) return dusk_fail_memory(err);
        dusk_deallocate(csv->scratch);
        csv->scratch = larger;
        csv->scratch_room = 3 * n;
    }
    *length = dusk_utf8_repair(csv->scratch, in, n);
    *text = csv->scratch;
    return DUSK_OK;
}

/* --- the header -------------------------------------------------------------------------------- */

static dusk_status take_name(table_csv *csv, size_t i, const char *text, size_t length, dusk_error *err)
{
    if (length > DUSK_NAME_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "shorten it, or name the columns with ?header=a,b,c",
                         "the name of column %zu of %s has more than %d bytes", i + 1, csv->path,
                         DUSK_NAME_MAX);
    if (length == 0)
        snprintf(csv->name[i], sizeof csv->name[i], "column%zu", i + 1);
    else
        memcpy(csv->name[i], text, length);
    size_t twin = table_csv_find(csv, csv->name[i]);
    if (twin < i)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "rename one, or name the columns with ?header=a,b,c",
                         "columns %zu and %zu of %s have the same name", twin + 1, i + 1, csv->path);
    return DUSK_OK;
}

static dusk_status make_names(table_csv *csv, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (n > COLUMNS_MAX)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "is the delimiter right? say it with ?delimiter=;",
                         "%s has more than %d columns", csv->path, COLUMNS_MAX);
    DUSK_NEW(csv->name, n);
    csv->columns = n;
done:
    return status;
}

/* Names from the record that was read last. */
static dusk_status names_from_line(table_csv *csv, bool found, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const char *text;
    size_t length;
    if (!found)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "a text file begins with a line of names", "%s is empty",
                         csv->path);
    size_t n = csv->fields;
    if (n > 1 && !table_csv_field(csv, n - 1, &text, &length)) n--; /* a delimiter ends each line */
    DUSK_TRY(make_names(csv, n, err));
    for (size_t i = 0; i < n; i++) {
        text = "", length = 0;
        if (table_csv_field(csv, i, &text, &length)) DUSK_TRY(table_csv_clean(csv, &text, &length, err));
        DUSK_TRY(take_name(csv, i, text, length, err));
    }
done:
    return status;
}

/* Names from "a,b,c". */
static dusk_status names_from_location(table_csv *csv, char *header, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t n = 1;
    for (const char *p = header; *p; p++) n += *p == ',';
    DUSK_TRY(make_names(csv, n, err));
    for (size_t i = 0; i < n; i++) {
        raw_field name = { .text = header, .length = strcspn(header, ",") };
        header += name.length + 1;
        trim(&name);
        DUSK_TRY(take_name(csv, i, name.text, name.length, err));
    }
done:
    return status;
}

static dusk_status skip_mark(table_csv *csv, dusk_error *err)
{
    while (csv->end - csv->at < 3 && !csv->ended) {
        dusk_status status = read_more(csv, err);
        if (status != DUSK_OK) return status;
    }
    if (csv->end - csv->at >= 3 && memcmp(csv->data + csv->at, "\xEF\xBB\xBF", 3) == 0) csv->at += 3;
    return DUSK_OK;
}

static dusk_status read_start(table_csv *csv, char *header, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool found = false;
    size_t need = csv->need;
    DUSK_TRY(skip_mark(csv, err));
    if (csv->first_line_is_header) {
        csv->need = SIZE_MAX;
        csv->in_header = true;
        DUSK_TRY(table_csv_next(csv, &found, err));
        csv->in_header = false;
        if (!csv->name) DUSK_TRY(names_from_line(csv, found, err));
    } else if (!csv->name)
        DUSK_TRY(names_from_location(csv, header, err));
    csv->need = need < csv->columns ? need : csv->columns;
done:
    return status;
}

/* --- opening ------------------------------------------------------------------------------------- */

dusk_status table_csv_open(table_csv **out, const dusk_location *location, size_t buffer, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    table_csv *csv = NULL;
    *out = NULL;
    DUSK_NEW(csv, 1);
    csv->input.file = -1;
    csv->delimiter = location->delimiter;
    csv->delimiters = 0x0101010101010101u * (unsigned char)location->delimiter;
    csv->capacity = buffer ? buffer : DEFAULT_BUFFER;
    csv->need = SIZE_MAX;
    csv->first_line_is_header = !location->header;
    if (!(csv->path = table_copy(location->path, strlen(location->path)))) {
        status = dusk_fail_memory(err);
        goto done;
    }
    DUSK_NEW(csv->data, csv->capacity + PADDING);
    DUSK_TRY(table_input_open(&csv->input, csv->path, table_input_named_gzip(csv->path), err));
    DUSK_TRY(read_start(csv, location->header, err));
    *out = csv;
    csv = NULL;
done:
    table_csv_close(csv);
    return status;
}

void table_csv_close(table_csv *csv)
{
    if (!csv) return;
    table_input_close(&csv->input);
    dusk_deallocate(csv->path);
    dusk_deallocate(csv->data);
    dusk_deallocate(csv->field);
    dusk_deallocate(csv->name);
    dusk_deallocate(csv->scratch);
    dusk_deallocate(csv);
}

dusk_status table_csv_rewind(table_csv *csv, dusk_error *err)
{
    dusk_status status = table_input_rewind(&csv->input, err);
    if (status != DUSK_OK) return status;
    csv->at = csv->end = csv->fields = 0;
    csv->ended = false;
    return read_start(csv, NULL, err);
}

void table_csv_need(table_csv *csv, size_t columns)
{
    csv->need = columns < csv->columns ? columns : csv->columns;
}

size_t table_csv_columns(const table_csv *csv) { return csv->columns; }
const char *table_csv_name(const table_csv *csv, size_t column) { return csv->name[column]; }
uint64_t table_csv_size(const table_csv *csv) { return csv->input.size; }

size_t table_csv_find(const table_csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->columns; i++)
        if (csv->name[i][0] && table_same_name(name, strlen(name), csv->name[i])) return i;
    return DUSK_NO_LINK;
}
