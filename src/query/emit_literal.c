/* SPDX-License-Identifier: Apache-2.0 */
/* Constants as SQL text. They are all that an analyst's text leaves in generated SQL: text
 * stands between quotes that are doubled inside, and every dialect is set to take '\' as it is. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "query/emit.h"
#include "table/calendar.h"

static void wrapped(emitter *em, const char *literal, const char *text, size_t length)
{
    size_t before = strcspn(literal, "|");
    dusk_buffer_bytes(em->out, literal, before);
    dusk_buffer_bytes(em->out, text, length);
    if (literal[before]) dusk_buffer_add(em->out, "%s", literal + before + 1);
}

void emit_null(emitter *em, dusk_type type, emit_form form)
{
    if (form != EMIT_NATIVE) type = DUSK_TYPE_REAL;
    if (em->dialect->type[type])
        dusk_buffer_add(em->out, "CAST(NULL AS %s)", em->dialect->type[type]);
    else
        dusk_buffer_add(em->out, "NULL");
}

/* 'it''s' */
static void quoted(dusk_buffer *out, const char *text, size_t length)
{
    dusk_buffer_bytes(out, "'", 1);
    for (size_t i = 0; i < length; i++) {
        dusk_buffer_bytes(out, text + i, 1);
        if (text[i] == DUSK_MUTATE(EMIT_QUOTE_NOT_DOUBLED, '\'', '\0')) dusk_buffer_bytes(out, "'", 1);
    }
    dusk_buffer_bytes(out, "'", 1);
}

static void put_text(emitter *em, const char *text, size_t length)
{
    dusk_buffer literal = { 0 };
    if (memchr(text, '\0', length)) {
        emit_fail(em, DUSK_ERR_UNSUPPORTED, "a text constant has a byte of value 0", "leave it out");
        return;
    }
    quoted(&literal, text, length);
    if (literal.failed)
        em->out->failed = true;
    else
        wrapped(em, em->dialect->literal[DUSK_TYPE_TEXT], literal.data, literal.length);
    dusk_buffer_clear(&literal);
}

/* Always with an exponent: 5e0 is a double everywhere, 5.0 is not. */
static void put_real(emitter *em, double x)
{
    dusk_buffer digits = { 0 };
    if (!isfinite(x)) {
        emit_null(em, DUSK_TYPE_REAL, EMIT_NATIVE);
        return;
    }
    dusk_buffer_number(&digits, x);
    if (!digits.failed && !strchr(digits.data, 'e')) dusk_buffer_add(&digits, "e0");
    if (digits.failed)
        em->out->failed = true;
    else
        wrapped(em, em->dialect->literal[DUSK_TYPE_REAL], digits.data, digits.length);
    dusk_buffer_clear(&digits);
}

static void put_integer(emitter *em, int64_t x)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRId64, x);
    wrapped(em, em->dialect->literal[DUSK_TYPE_INTEGER], digits, (size_t)n);
}

/* Written anew, so that it is one in every engine. */
static void put_time(emitter *em, const query_expression *e)
{
    char text[TABLE_TIMESTAMP_LENGTH + 1];
    table_time time;
    if (!e->value.text || !table_read_time(&time, e->value.text, e->value.length)) {
        emit_null(em, e->type, EMIT_NATIVE);
        return;
    }
    if (e->type == DUSK_TYPE_DATE)
        table_write_date(text, &time);
    else
        table_write_timestamp(text, &time);
    wrapped(em, em->dialect->literal[e->type], text, strlen(text));
}

void emit_constant(emitter *em, const query_expression *e, emit_form form)
{
    const query_value *v = &e->value;
    if (v->null) {
        emit_null(em, e->type, form);
        return;
    }
    switch (e->type) {
    case DUSK_TYPE_INTEGER:
        if (form == EMIT_NATIVE)
            put_integer(em, v->integer);
        else
            put_real(em, (double)v->integer);
        break;
    case DUSK_TYPE_REAL:
        if (form == EMIT_TRIMMED && fabs(v->real) >= EMIT_TRIM_HIGH)
            emit_null(em, DUSK_TYPE_REAL, EMIT_NATIVE);
        else
            put_real(em, form == EMIT_TRIMMED && fabs(v->real) < EMIT_TRIM_LOW ? 0 : v->real);
        break;
    case DUSK_TYPE_BOOLEAN: dusk_buffer_add(em->out, "%s", em->dialect->truth[v->integer != 0]); break;
    case DUSK_TYPE_TEXT: put_text(em, v->text, v->length); break;
    case DUSK_TYPE_DATE:
    case DUSK_TYPE_TIMESTAMP: put_time(em, e); break;
    }
}

/* --- patterns ------------------------------------------------------------------------------------ */

/* A pattern means the same everywhere when '\' stands before %, _ and '\' only: before other
 * characters it is dropped, at the end it is one of the text. Gives whether any is left. */
static bool normal_pattern(dusk_buffer *out, const char *text, size_t length)
{
    bool escaped = false;
    for (size_t i = 0; i < length; i++) {
        bool escape = text[i] == '\\', last = i + 1 == length;
        if (escape && !last) i++;
        bool stays = text[i] == '%' || text[i] == '_' || text[i] == '\\';
        if (escape && stays && !(last && DUSK_MUTATE(EMIT_PATTERN_ENDS_IN_ESCAPE, false, true))) {
            dusk_buffer_bytes(out, "\\", 1);
            escaped = true;
        }
        dusk_buffer_bytes(out, text + i, 1);
    }
    return escaped;
}

void emit_like(emitter *em, const query_expression *e)
{
    emit_operand operand = { .e = e->argument[0], .form = EMIT_NATIVE };
    const query_value *v = &e->argument[1]->value;
    dusk_buffer pattern = { 0 }, literal = { 0 };
    emit_marks marks = { 0 };

    if (v->null) {
        emit_null(em, DUSK_TYPE_BOOLEAN, EMIT_NATIVE);
        return;
    }
    if (memchr(v->text, '\0', v->length)) {
        emit_fail(em, DUSK_ERR_UNSUPPORTED, "a pattern has a byte of value 0", "leave it out");
        return;
    }
    bool escaped = normal_pattern(&pattern, v->text, v->length);
    if (!pattern.failed) quoted(&literal, pattern.data ? pattern.data : "", pattern.length);
    if (pattern.failed || literal.failed) {
        em->out->failed = true;
    } else {
        marks.pattern = literal.data;
        emit_expand(em, escaped ? em->dialect->like_escaped : em->dialect->like, &operand, 1, &marks);
    }
    dusk_buffer_clear(&pattern);
    dusk_buffer_clear(&literal);
}
