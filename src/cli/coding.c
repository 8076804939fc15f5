/* SPDX-License-Identifier: Apache-2.0 */
/* Reading schemas, and tables by them; see schema.h. Mistakes in the schema and in the
 * header are errors, what the rows hold never is one. */
#include "cli/coding.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/options.h"
#include "cli/output.h"

enum { COLUMNS_MAX = 64, WORD_MAX = 512 };
#define VALUES_MAX (1 << 24)

/* ---- The words of a line ------------------------------------------------------ */

typedef struct reader {
    const char *path, *at;
    size_t line;
    char word[WORD_MAX];
} reader;

static dusk_status fail_line(const reader *r, const char *what, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_PARSE,
                     "a line is: NAME numeric LO:HI bins N, NAME whole LO:HI or NAME category A,B,...; "
                     "then perhaps: else WORD",
                     "%.100s line %zu: %s", r->path, r->line, what);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static void skip_blanks(reader *r)
{
    while (is_blank(*r->at)) r->at++;
}

static bool at_end(reader *r)
{
    skip_blanks(r);
    return !*r->at || *r->at == '#';
}

/* The next word, up to a blank, a comma or the end; in quotes it may hold anything, two
 * quotes being one. */
static dusk_status read_word(reader *r, dusk_error *err)
{
    size_t length = 0;
    bool quoted;
    skip_blanks(r);
    quoted = *r->at == '"';
    if (quoted) r->at++;
    for (;; r->at++) {
        if (quoted && *r->at == '"') {
            if (r->at[1] != '"') break;
            r->at++;
        } else if (!*r->at || *r->at == '\n') {
            if (quoted) return fail_line(r, "a quote is never closed", err);
            break;
        } else if (!quoted && (is_blank(*r->at) || *r->at == ',' || *r->at == '#')) {
            break;
        }
        if (length + 1 >= sizeof r->word) return fail_line(r, "a word is too long", err);
        r->word[length++] = *r->at;
    }
    if (quoted) r->at++;
    r->word[length] = '\0';
    if (length == 0) return fail_line(r, "a word is missing", err);
    return DUSK_OK;
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = dusk_allocate(size, 1);
    if (copy) memcpy(copy, text, size);
    return copy;
}

static dusk_status keep_word(char **out, const char *word, dusk_error *err)
{
    *out = copy_text(word);
    return *out ? DUSK_OK : dusk_fail_memory(err);
}

/* ---- The kinds of columns ------------------------------------------------------ */

static dusk_status read_range(reader *r, dusk_coding_column *column, dusk_error *err)
{
    double bounds[2];
    dusk_status status = read_word(r, err);
    if (status != DUSK_OK) return status;
    if (dusk_parse_list(r->word, ':', bounds, 2) != 2 || !(bounds[0] <= bounds[1]) ||
        !isfinite(bounds[1] - bounds[0]))
        return fail_line(r, "a range must have the form LO:HI, LO not above HI", err);
    column->low = bounds[0];
    column->high = bounds[1];
    return DUSK_OK;
}

static dusk_status read_numeric(reader *r, dusk_coding_column *column, dusk_error *err)
{
    dusk_status status;
    int64_t bins;
    DUSK_TRY(read_range(r, column, err));
    if (!(column->low < column->high)) return fail_line(r, "LO must be below HI", err);
    DUSK_TRY(read_word(r, err));
    if (strcmp(r->word, "bins") != 0) return fail_line(r, "say how many bins: bins 8", err);
    DUSK_TRY(read_word(r, err));
    if (!dusk_parse_whole(r->word, 1, VALUES_MAX, &bins))
        return fail_line(r, "the number of bins must be a whole number, at least 1", err);
    column->kind = DUSK_CODING_NUMERIC;
    column->values = (uint32_t)bins;
done:
    return status;
}

static dusk_status read_whole(reader *r, dusk_coding_column *column, dusk_error *err)
{
    dusk_status status = read_range(r, column, err);
    if (status != DUSK_OK) return status;
    if (column->low != floor(column->low) || column->high != floor(column->high) ||
        fmax(fabs(column->low), fabs(column->high)) > 0x1p53 || column->high - column->low >= VALUES_MAX)
        return fail_line(r, "LO and HI must be whole numbers, and the range not too long", err);
    column->kind = DUSK_CODING_WHOLE;
    column->values = (uint32_t)(column->high - column->low) + 1;
    return DUSK_OK;
}

static dusk_status read_category(reader *r, dusk_coding_column *column, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    column->kind = DUSK_CODING_CATEGORY;
    for (;;) {
        DUSK_TRY(read_word(r, err));
        for (uint32_t i = 0; i < column->values; i++)
            if (!strcmp(column->words[i], r->word)) return fail_line(r, "a word comes twice", err);
        DUSK_GROW(column->words, column->words_room, column->values);
        DUSK_TRY(keep_word(&column->words[column->values], r->word, err));
        column->values++;
        skip_blanks(r);
        if (*r->at != ',') break;
        r->at++;
    }
done:
    return status;
}

static dusk_status read_column(reader *r, dusk_coding_column *column, dusk_error *err)
{
    dusk_status status;
    DUSK_TRY(read_word(r, err));
    DUSK_TRY(keep_word(&column->name, r->word, err));
    DUSK_TRY(read_word(r, err));
    if (!strcmp(r->word, "numeric"))
        DUSK_TRY(read_numeric(r, column, err));
    else if (!strcmp(r->word, "whole"))
        DUSK_TRY(read_whole(r, column, err));
    else if (!strcmp(r->word, "category"))
        DUSK_TRY(read_category(r, column, err));
    else
        return fail_line(r, "the second word must be numeric, whole or category", err);
    if (at_end(r)) return DUSK_OK;
    DUSK_TRY(read_word(r, err));
    if (strcmp(r->word, "else") != 0) return fail_line(r, "there are words too many", err);
    DUSK_TRY(read_word(r, err));
    DUSK_TRY(keep_word(&column->other, r->word, err));
    for (uint32_t i = 0; column->words && i < column->values; i++)
        if (!strcmp(column->words[i], column->other)) return fail_line(r, "a word comes twice", err);
    if (!at_end(r)) return fail_line(r, "there are words too many", err);
done:
    return status;
}

/* ---- The file ------------------------------------------------------------------ */

static void free_column(dusk_coding_column *column)
{
    for (uint32_t i = 0; column->words && i < column->values; i++) dusk_deallocate(column->words[i]);
    dusk_deallocate(column->words);
    dusk_deallocate(column->name);
    dusk_deallocate(column->other);
}

void dusk_coding_free(dusk_coding *schema)
{
    for (size_t i = 0; i < schema->columns; i++) free_column(&schema->column[i]);
    dusk_deallocate(schema->column);
    *schema = (dusk_coding){ 0 };
}

size_t dusk_coding_find(const dusk_coding *schema, const char *name)
{
    size_t i = 0;
    while (i < schema->columns && strcmp(schema->column[i].name, name) != 0) i++;
    return i;
}

static dusk_status read_line(dusk_coding *schema, reader *r, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_coding_column column = { 0 };
    DUSK_TRY(read_column(r, &column, err));
    if (schema->columns == COLUMNS_MAX) {
        status = fail_line(r, "there are more than 64 columns", err);
        goto done;
    }
    if (dusk_coding_find(schema, column.name) < schema->columns) {
        status = fail_line(r, "this column was declared before", err);
        goto done;
    }
    DUSK_GROW(schema->column, schema->room, schema->columns);
    schema->column[schema->columns++] = column;
    column = (dusk_coding_column){ 0 };
done:
    free_column(&column);
    return status;
}

dusk_status dusk_coding_read(dusk_coding *out, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_coding schema = { 0 };
    reader r = { .path = path };
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;

    if (!file)
        return dusk_fail(err, DUSK_ERR_IO, "write one line a column, as in: sex category Female,Male",
                         "cannot read %.150s: %s", path, strerror(errno));
    while (getline(&line, &size, file) >= 0) {
        r.line++;
        r.at = line;
        if (!at_end(&r)) DUSK_TRY(read_line(&schema, &r, err));
    }
    if (ferror(file))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_IO, "", "cannot read %.150s: %s", path, strerror(errno)));
    if (schema.columns == 0)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_PARSE, "write one line a column, as in: sex category Female,Male",
                           "%.150s declares no column", path));
    *out = schema;
    schema = (dusk_coding){ 0 };
done:
    free(line);
    fclose(file);
    dusk_coding_free(&schema);
    return status;
}

/* ---- Codes --------------------------------------------------------------------- */

uint32_t dusk_coding_size(const dusk_coding_column *column)
{
    return column->values + (column->other != NULL);
}

static uint32_t code_of_number(const dusk_coding_column *column, double x)
{
    double low = column->low, high = column->high, n = column->values;
    if (isnan(x)) {
        if (column->other) return column->values;
        x = 0;
    }
    x = fmin(fmax(x, low), high);
    double at = column->kind == DUSK_CODING_WHOLE ? floor(x) - low : floor((x - low) / (high - low) * n);
    return (uint32_t)fmin(fmax(at, 0), n - 1);
}

uint32_t dusk_coding_code(const dusk_coding_column *column, const char *text)
{
    if (column->kind != DUSK_CODING_CATEGORY) {
        char *end = NULL;
        double x = strtod(text, &end);
        return code_of_number(column, *text && !*end && !is_blank(*text) ? x : (double)NAN);
    }
    for (uint32_t i = 0; i < column->values; i++)
        if (!strcmp(column->words[i], text)) return i;
    return column->other ? column->values : column->values - 1;
}

static double edge(const dusk_coding_column *column, uint32_t i)
{
    double part = (double)i / column->values;
    return i == column->values ? column->high : column->low * (1 - part) + column->high * part;
}

static void write_label(const dusk_coding_column *column, uint32_t code, bool middle, char *text, size_t size)
{
    char low[64], high[64];
    if (code >= column->values) {
        snprintf(text, size, "%s", column->other ? column->other : "");
    } else if (column->kind == DUSK_CODING_CATEGORY) {
        snprintf(text, size, "%s", column->words[code]);
    } else if (column->kind == DUSK_CODING_WHOLE) {
        dusk_format_number(text, size, column->low + code);
    } else if (middle) {
        dusk_format_number(text, size, edge(column, code) / 2 + edge(column, code + 1) / 2);
    } else {
        dusk_format_number(low, sizeof low, edge(column, code));
        dusk_format_number(high, sizeof high, edge(column, code + 1));
        snprintf(text, size, "%s:%s", low, high);
    }
}

void dusk_coding_label(const dusk_coding_column *column, uint32_t code, char *text, size_t size)
{
    write_label(column, code, false, text, size);
}

void dusk_coding_field(const dusk_coding_column *column, uint32_t code, char *text, size_t size)
{
    write_label(column, code, true, text, size);
}
