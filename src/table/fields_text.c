/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of declared fields; see dusk/frame.h. A line is a list of words; a word is bare, or in double quotes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "table/domain.h"
#include "table/fields.h"
#include "table/schema.h"
#include "table/value.h"

enum {
    TEXT_MAX = 1 << 26,  /* bytes of a file of fields */
    COPIES_MAX = 1 << 22 /* categories of all fields that one line declares */
};

typedef struct reader {
    const char *at;
    size_t line;
    char *word; /* room for any word of the text */
    bool quoted;
    char **list; /* categories of the line */
    size_t listed, list_room;
    bool has_unit, has_rows; /* facts are said once: the later of two would be the one that counts */
    dusk_fields *fields;
} reader;

static const char quoted[] = "put a name or a category with blanks in quotes: sex category \"not said\",Male";
static const char form[] = "write a line as \"age numeric 17:90\" or \"sex category Female,Male\"";

static dusk_status refuse(const reader *r, const char *hint, const char *what, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_PARSE, hint, "line %zu of the fields: %s", r->line, what);
}

/* --- words ---------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static bool is_end(char c) { return c == '\0' || c == '\n' || c == '#'; }

static void skip_blanks(reader *r)
{
    while (is_blank(*r->at)) r->at++;
}

/* What "\c" stands for; 0: nothing. */
static char escaped(char c)
{
    switch (c) {
    case '\\':
    case ',':
    case '"': return c;
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return 0;
    }
}

/* The next word, up to a blank, a comma, a comment or the end of the line; quoted ones up to their quote. */
static dusk_status take_word(reader *r, dusk_error *err)
{
    size_t n = 0;
    skip_blanks(r);
    r->quoted = *r->at == '"';
    if (r->quoted) r->at++;
    for (;; r->at++) {
        char c = *r->at;
        if (r->quoted ? c == '"' : is_blank(c) || c == ',' || is_end(c)) break;
        if (c == '\0' || c == '\n')
            return refuse(r, "end it with a quote", "a quoted text does not end", err);
        if (c == '\\') {
            c = r->at[1] ? escaped(r->at[1]) : 0;
            if (!c) return refuse(r, "write \\\\ for a backslash", "a backslash escapes nothing", err);
            r->at++;
        }
        r->word[n++] = c;
    }
    if (r->quoted) r->at++;
    r->word[n] = '\0';
    skip_blanks(r);
    return n || r->quoted ? DUSK_OK : refuse(r, form, "a word is missing", err);
}

/* a,b,c into r->list. */
static dusk_status take_list(reader *r, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (;;) {
        DUSK_TRY(take_word(r, err));
        if (r->listed == TABLE_CATEGORIES_MAX)
            return refuse(r, "declare fewer", "there are more than 2^20 categories", err);
        DUSK_GROW(r->list, r->list_room, r->listed);
        if (!(r->list[r->listed] = table_copy(r->word, strlen(r->word)))) {
            status = dusk_fail_memory(err);
            goto done;
        }
        r->listed++;
        if (*r->at != ',') break;
        r->at++;
    }
done:
    return status;
}

static void drop_list(reader *r)
{
    for (size_t i = 0; i < r->listed; i++) dusk_deallocate(r->list[i]);
    r->listed = 0;
}

static bool read_number(double *out, const char *text, size_t length)
{
    return table_read_real(out, text, length) && isfinite(*out);
}

/* --- lines ----------------------------------------------------------------------------------- */

typedef struct line {
    char name[DUSK_NAME_MAX + 1];
    size_t copies; /* of name[12]; 0: just one, by the name itself */
    double lower, upper, missing;
} line;

/* "pixel[784]" is 784 names. */
static dusk_status take_name(reader *r, line *out, dusk_error *err)
{
    size_t length = strlen(r->word);
    char *bracket = r->quoted || !length || r->word[length - 1] != ']' ? NULL : strrchr(r->word, '[');
    if (bracket) {
        int64_t n;
        if (!table_read_integer(&n, bracket + 1, length - 2 - (size_t)(bracket - r->word)) || n < 1 ||
            n > (int64_t)TABLE_FIELDS_MAX)
            return refuse(r, "write pixel[784], or the name in quotes",
                          "what is in brackets is no number of fields", err);
        out->copies = (size_t)n;
        length = (size_t)(bracket - r->word);
    }
    if (length == 0 || length > DUSK_NAME_MAX - (bracket ? 5u : 0u))
        return refuse(r, "shorten it", "the name of the field is empty or too long", err);
    memcpy(out->name, r->word, length);
    return DUSK_OK;
}

static dusk_status take_bounds(reader *r, line *out, dusk_error *err)
{
    static const char hint[] = "write numeric 0:100, the least and the greatest number";
    dusk_status status = take_word(r, err);
    if (status != DUSK_OK) return status;
    const char *colon = strchr(r->word, ':');
    if (!colon || !read_number(&out->lower, r->word, (size_t)(colon - r->word)) ||
        !read_number(&out->upper, colon + 1, strlen(colon + 1)) || !(out->lower < out->upper))
        return refuse(r, hint,
                      "two numbers with a colon between them are expected, the first below the second", err);
    out->missing = NAN;
    if (is_end(*r->at)) return DUSK_OK;
    status = take_word(r, err);
    if (status != DUSK_OK) return status;
    if (strcmp(r->word, "missing") != 0)
        return refuse(r, form, "\"missing\" or nothing is expected here", err);
    status = take_word(r, err);
    if (status != DUSK_OK) return status;
    if (!read_number(&out->missing, r->word, strlen(r->word)) || out->missing < out->lower ||
        out->missing > out->upper)
        return refuse(r, "write numeric 0:100 missing 50",
                      "what missing counts as is no number within the bounds", err);
    return DUSK_OK;
}

static dusk_status add_named(reader *r, const line *l, const char *name, dusk_error *err)
{
    dusk_status status =
        r->listed ? table_fields_add_category(r->fields, name, (const char *const *)r->list, r->listed, err)
                  : table_fields_add_number(r->fields, name, l->lower, l->upper, l->missing, err);
    if (status == DUSK_ERR_ARGUMENT) /* the same sentence, with its line */
        return refuse(r, "name each category once, as UTF-8, and declare at most 65536 fields",
                      "the field is refused: a category twice, a text that is not UTF-8, or too many fields",
                      err);
    return status;
}

static dusk_status add_line(reader *r, const line *l, dusk_error *err)
{
    char name[DUSK_NAME_MAX + 32];
    if (!l->copies) return add_named(r, l, l->name, err);
    if (r->listed > COPIES_MAX / l->copies) /* a short text must not ask for all memory */
        return refuse(r, "declare fewer", "there are more than 2^22 categories in all", err);
    for (size_t i = 0; i < l->copies; i++) {
        snprintf(name, sizeof name, "%s%zu", l->name, i);
        dusk_status status = add_named(r, l, name, err);
        if (status != DUSK_OK) return status;
    }
    return DUSK_OK;
}

/* "unit person" and "rows_per_unit 3" are the lines of two words; r->word is the second. */
static dusk_status take_fact(reader *r, const char *name, dusk_error *err)
{
    int64_t n;
    size_t length = strlen(r->word);
    bool *has = !strcmp(name, "unit") ? &r->has_unit : !strcmp(name, "rows_per_unit") ? &r->has_rows : NULL;
    if (has && *has) return refuse(r, "leave one of them out", "unit or rows_per_unit is there twice", err);
    if (has) *has = true;
    if (!strcmp(name, "unit")) {
        if (length == 0 || length >= sizeof r->fields->unit || !dusk_utf8_valid(r->word, length))
            return refuse(r, "write unit person", "a unit is a word of at most 63 bytes of UTF-8", err);
        table_fields_unit(r->fields, r->word);
        return DUSK_OK;
    }
    if (strcmp(name, "rows_per_unit") != 0) return refuse(r, form, "bounds or categories are missing", err);
    if (!table_read_integer(&n, r->word, length) || n < 1 || n > (int64_t)UINT32_MAX)
        return refuse(r, "write rows_per_unit 1", "a whole number from 1 to 2^32 - 1 is expected", err);
    r->fields->rows_per_unit = (uint32_t)n;
    return DUSK_OK;
}

static dusk_status take_line(reader *r, dusk_error *err)
{
    dusk_status status;
    line l = { .copies = 0 };
    DUSK_TRY(take_word(r, err));
    DUSK_TRY(take_name(r, &l, err));
    DUSK_TRY(take_word(r, err));
    if (is_end(*r->at)) {
        status = take_fact(r, l.name, err);
        goto done;
    }
    if (!strcmp(r->word, "numeric"))
        DUSK_TRY(take_bounds(r, &l, err));
    else if (!strcmp(r->word, "category"))
        DUSK_TRY(take_list(r, err));
    else
        DUSK_TRY(refuse(r, form, "a field is numeric or category", err));
    DUSK_TRY(is_end(*r->at) ? DUSK_OK : refuse(r, quoted, "there is more than a field in it", err));
    DUSK_TRY(add_line(r, &l, err));
done:
    drop_list(r);
    return status;
}

dusk_status dusk_fields_parse(dusk_fields **out, const char *text, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    reader r = { .at = strncmp(text, "\xEF\xBB\xBF", 3) ? text : text + 3 }; /* a byte order mark */
    *out = NULL;
    DUSK_NEW(r.word, strlen(text) + 1);
    DUSK_TRY(table_fields_new(&r.fields, err));
    while (*r.at) {
        r.line++;
        skip_blanks(&r);
        if (!is_end(*r.at)) DUSK_TRY(take_line(&r, err));
        while (*r.at && *r.at != '\n') r.at++; /* a comment */
        if (*r.at) r.at++;
    }
    status = table_fields_distinct(r.fields, err);
    if (status == DUSK_ERR_ARGUMENT && err) err->status = DUSK_ERR_PARSE;
    if (status == DUSK_ERR_ARGUMENT) status = DUSK_ERR_PARSE;
    if (status != DUSK_OK) goto done;
    *out = r.fields;
    r.fields = NULL;
done:
    dusk_fields_free(r.fields);
    dusk_deallocate(r.list);
    dusk_deallocate(r.word);
    return status;
}

dusk_status dusk_fields_read(dusk_fields **out, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char *text = NULL;
    size_t used = 0, room = 0, n;
    FILE *file = fopen(path, "rb");
    *out = NULL;
    if (!file)
        return dusk_fail(err, DUSK_ERR_IO, "see that the file is there and can be read",
                         "%s cannot be opened", path);
    do {
        DUSK_GROW(text, room, used);
        n = fread(text + used, 1, room - used, file);
        used += n;
    } while (n > 0 && used < TEXT_MAX);
    if (ferror(file) || used >= TEXT_MAX) {
        status = dusk_fail(err, DUSK_ERR_IO, "give a file of fields, a line each",
                           "%s cannot be read as fields", path);
        goto done;
    }
    DUSK_GROW(text, room, used);
    text[used] = '\0';
    DUSK_TRY(memchr(text, '\0', used) ? dusk_fail(err, DUSK_ERR_PARSE, form, "%s is not text", path)
                                      : DUSK_OK);
    DUSK_TRY(dusk_fields_parse(out, text, err));
done:
    (void)fclose(file);
    dusk_deallocate(text);
    return status;
}

/* --- writing ------------------------------------------------------------------------------------- */

static bool is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_.+-<>=?/:;&'()%*!@$^~|{}", c)) || (unsigned char)c >= 0x80;
}

/* The letter behind the backslash for a character of a quoted text; 0: it stands for itself. */
static char escape_of(char c)
{
    switch (c) {
    case '\\':
    case '"': return c;
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return 0;
    }
}

static void put_word(dusk_buffer *out, const char *word)
{
    bool bare = *word != '\0';
    for (const char *p = word; *p; p++) bare = bare && is_bare(*p);
    if (bare) {
        dusk_buffer_bytes(out, word, strlen(word));
        return;
    }
    dusk_buffer_add(out, "\"");
    for (; *word; word++) {
        char pair[2] = { '\\', escape_of(*word) };
        if (pair[1])
            dusk_buffer_bytes(out, pair, 2);
        else
            dusk_buffer_bytes(out, word, 1);
    }
    dusk_buffer_add(out, "\"");
}

static void put_field(dusk_buffer *out, const dusk_field *field)
{
    put_word(out, field->name);
    if (field->kind == DUSK_FIELD_CATEGORY) {
        for (size_t v = 0; v < field->values; v++) {
            dusk_buffer_add(out, v ? "," : " category ");
            put_word(out, field->value[v]);
        }
    } else {
        dusk_buffer_add(out, " numeric ");
        dusk_buffer_number(out, field->lower);
        dusk_buffer_add(out, ":");
        dusk_buffer_number(out, field->upper);
        dusk_buffer_add(out, " missing ");
        dusk_buffer_number(out, field->missing);
    }
    dusk_buffer_add(out, "\n");
}

dusk_status dusk_fields_format(const dusk_fields *fields, char **text, dusk_error *err)
{
    dusk_buffer out = { 0 };
    for (size_t i = 0; i < fields->count; i++) put_field(&out, &fields->field[i]);
    dusk_buffer_add(&out, "unit ");
    put_word(&out, fields->unit);
    dusk_buffer_add(&out, "\nrows_per_unit %u\n", (unsigned)fields->rows_per_unit);
    return dusk_buffer_take(&out, text, err);
}
