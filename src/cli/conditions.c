/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and conditions; see conditions.h. */
#include "cli/conditions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* ---- Rows -------------------------------------------------------------------- */

/* A row while it is read. */
typedef struct draft {
    char *text;
    size_t room, used, fields;
    dusk_status status;
} draft;

static void add_byte(draft *d, char c)
{
    dusk_status status = DUSK_OK;
    dusk_error *err = NULL;
    if (d->status != DUSK_OK) return;
    DUSK_GROW(d->text, d->room, d->used);
    d->text[d->used++] = c;
done:
    d->status = status;
}

static void add_field(void *context, size_t index, const char *text)
{
    draft *d = context;
    (void)index;
    do add_byte(d, *text);
    while (*text++);
    d->fields++;
}

static bool is_space(int c) { return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == '\n'; }

/* The words of the next line that has any. */
static bool read_words(dusk_input *input, draft *d)
{
    int c, before = ' ';
    while ((c = getc_unlocked(input->file)) != EOF && !(c == '\n' && d->fields > 0)) {
        input->bytes++;
        if (!is_space(c)) {
            if (is_space(before)) d->fields++;
            add_byte(d, (char)c);
        } else if (!is_space(before)) {
            add_byte(d, '\0');
        }
        before = c;
    }
    if (d->fields > 0 && !is_space(before)) add_byte(d, '\0');
    return d->fields > 0;
}

static bool read_draft(const dusk_rows *rows, dusk_input *input, draft *d)
{
    return rows->table ? dusk_input_record(input, add_field, d) : read_words(input, d);
}

/* The next row, or *found is false. */
static dusk_status read_row(dusk_row *out, bool *found, const dusk_rows *rows, dusk_input *input,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    draft d = { .text = NULL };
    *found = read_draft(rows, input, &d);
    if (d.status != DUSK_OK) DUSK_TRY(dusk_fail_memory(err));
    if (*found) {
        DUSK_NEW(out->text, d.used);
        memcpy(out->text, d.text, d.used);
        out->fields = d.fields;
    }
done:
    if (d.text) dusk_wipe(d.text, d.used);
    dusk_deallocate(d.text);
    return status;
}

dusk_status dusk_rows_read(dusk_rows *out, dusk_input *input, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool found = true;
    *out = (dusk_rows){ .table = input->table };
    if (out->table) DUSK_TRY(read_row(&out->header, &found, out, input, err));
    if (!found)
        return dusk_fail(err, DUSK_ERR_PARSE, "its first line must name the columns", "%.150s has no header",
                         input->name);
    while (found) {
        DUSK_GROW(out->row, out->room, out->count);
        DUSK_TRY(read_row(&out->row[out->count], &found, out, input, err));
        out->count += found;
    }
done:
    return status;
}

static size_t length_of(const dusk_row *row)
{
    const char *at = row->text;
    for (size_t i = 0; i < row->fields; i++) at += strlen(at) + 1;
    return (size_t)(at - row->text);
}

static void row_free(dusk_row *row)
{
    if (row->text) dusk_wipe(row->text, length_of(row));
    dusk_deallocate(row->text);
}

void dusk_rows_free(dusk_rows *rows)
{
    row_free(&rows->header);
    for (size_t i = 0; i < rows->count; i++) row_free(&rows->row[i]);
    dusk_deallocate(rows->row);
    *rows = (dusk_rows){ .row = NULL };
}

/* ---- Conditions ---------------------------------------------------------------- */

static double number_of(const char *text)
{
    char *end;
    double x = strtod(text, &end);
    return end == text || *end ? NAN : x;
}

/* Without the spaces around it. */
static char *trim(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && is_space(text[n - 1])) text[--n] = '\0';
    while (is_space(*text)) text++;
    return text;
}

static dusk_status find_column(size_t *out, const dusk_rows *rows, const char *name, dusk_error *err)
{
    const char *at = rows->header.text;
    for (size_t i = 0; i < rows->header.fields; i++, at += strlen(at) + 1)
        if (!strcmp(at, name)) {
            *out = i;
            return DUSK_OK;
        }
    return dusk_fail(err, DUSK_ERR_PARSE, "the first line of the file has the names",
                     "there is no column %.100s", name);
}

/* The operator at the first of "=!<>"; its length, and 0 when there is none. */
static size_t find_operator(const char *at, dusk_term_kind *kind)
{
    bool longer = at[0] && at[1] == '=';
    switch (*at) {
    case '=': *kind = DUSK_TERM_EQUAL; return longer ? 2 : 1;
    case '!': *kind = DUSK_TERM_UNEQUAL; return longer ? 2 : 0;
    case '<': *kind = longer ? DUSK_TERM_AT_MOST : DUSK_TERM_LESS; return longer ? 2 : 1;
    case '>': *kind = longer ? DUSK_TERM_AT_LEAST : DUSK_TERM_MORE; return longer ? 2 : 1;
    default: return 0;
    }
}

/* column op value */
static dusk_status parse_term(dusk_condition *out, const dusk_rows *rows, char *text, dusk_error *err)
{
    dusk_term_kind kind = DUSK_TERM_EQUAL;
    char *at = text + strcspn(text, "=!<>");
    size_t length = find_operator(at, &kind);
    if (length == 0)
        return dusk_fail(err, DUSK_ERR_PARSE, "write column op value, as in: age >= 65 and sex = 1",
                         "a condition has no =, !=, <, <=, > or >=");
    char *value = trim(at + length);
    *at = '\0';
    double number = number_of(value);
    if (isnan(number) && kind != DUSK_TERM_EQUAL && kind != DUSK_TERM_UNEQUAL)
        return dusk_fail(err, DUSK_ERR_PARSE, "words can be compared with = and !=", "%.100s is not a number",
                         value);
    out->term[out->terms].kind = kind;
    out->term[out->terms].value = value;
    out->term[out->terms].number = number;
    return find_column(&out->term[out->terms++].column, rows, trim(text), err);
}

/* Where the word "and" stands alone, or NULL. */
static char *find_and(char *text)
{
    for (char *at = strstr(text, "and"); at; at = strstr(at + 1, "and"))
        if (at > text && is_space(at[-1]) && (!at[3] || is_space(at[3]))) return at;
    return NULL;
}

static dusk_status fail_many(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_PARSE, "ask for less at once", "a query has more than %d parts",
                     DUSK_TERMS_MAX);
}

static dusk_status parse_terms(dusk_condition *out, const dusk_rows *rows, dusk_error *err)
{
    for (char *at = out->text; at;) {
        char *next = find_and(at);
        if (out->terms == DUSK_TERMS_MAX) return fail_many(err);
        if (next) *next = '\0';
        dusk_status status = parse_term(out, rows, at, err);
        if (status != DUSK_OK) return status;
        at = next ? next + 3 : NULL;
    }
    return DUSK_OK;
}

static dusk_status parse_words(dusk_condition *out, dusk_error *err)
{
    for (char *at = out->text; *at;) {
        while (is_space(*at)) *at++ = '\0';
        if (!*at) break;
        if (out->terms == DUSK_TERMS_MAX) return fail_many(err);
        out->term[out->terms].kind = DUSK_TERM_WORD;
        out->term[out->terms++].value = at;
        while (*at && !is_space(*at)) at++;
    }
    return DUSK_OK;
}

dusk_status dusk_condition_parse(dusk_condition *out, const dusk_rows *rows, const char *line,
                                 dusk_error *err)
{
    out->terms = 0;
    if (strlen(line) >= sizeof out->text)
        return dusk_fail(err, DUSK_ERR_PARSE, "ask for less at once", "a query is longer than %d bytes",
                         DUSK_CONDITION_MAX - 1);
    memcpy(out->text, line, strlen(line) + 1);
    return rows->table ? parse_terms(out, rows, err) : parse_words(out, err);
}

static const char *field_of(const dusk_row *row, size_t index)
{
    const char *at = row->text;
    if (index >= row->fields) return "";
    while (index-- > 0) at += strlen(at) + 1;
    return at;
}

static bool has_word(const dusk_row *row, const char *word)
{
    const char *at = row->text;
    for (size_t i = 0; i < row->fields; i++, at += strlen(at) + 1)
        if (!strcmp(at, word)) return true;
    return false;
}

bool dusk_condition_holds(const void *record, void *context)
{
    const dusk_row *row = record;
    const dusk_condition *c = context;
    for (size_t i = 0; i < c->terms; i++) {
        if (c->term[i].kind == DUSK_TERM_WORD) {
            if (!has_word(row, c->term[i].value)) return false;
            continue;
        }
        const char *field = field_of(row, c->term[i].column);
        double x = number_of(field), y = c->term[i].number;
        bool equal = isnan(y) ? !strcmp(field, c->term[i].value) : x == y;
        bool holds = false;
        switch (c->term[i].kind) {
        case DUSK_TERM_EQUAL: holds = equal; break;
        case DUSK_TERM_UNEQUAL: holds = !equal; break;
        case DUSK_TERM_LESS: holds = x < y; break;
        case DUSK_TERM_AT_MOST: holds = x <= y; break;
        case DUSK_TERM_MORE: holds = x > y; break;
        default: holds = x >= y; break;
        }
        if (!holds) return false;
    }
    return true;
}
