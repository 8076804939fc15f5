/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions as SQL text, by the templates of a dialect; see emit.h. The plan is trusted to be
 * well typed; what it is not is reported as a bug, before any engine sees it. */
#include <stdio.h>
#include <string.h>

#include "base/mutant.h"
#include "query/emit.h"

void emit_fail(emitter *em, dusk_status status, const char *message, const char *hint)
{
    if (em->status == DUSK_OK) em->status = dusk_fail(em->err, status, hint, "%s", message);
}

static void bug(emitter *em, const char *what) { emit_fail(em, DUSK_ERR_INTERNAL, what, ""); }

static void put(emitter *em, const char *text) { dusk_buffer_bytes(em->out, text, strlen(text)); }

/* --- templates --------------------------------------------------------------------------------- */

/* A name, a constant, or a few sums and products of them: cheaper to say again than to bind. */
static bool is_short(const emitter *em, const query_expression *e, unsigned *nodes)
{
    if (++*nodes > 31) return false;
    if (e->kind != QUERY_CALL) return true;
    if (em->dialect->trimmed) return false; /* its sums have operands that are said thrice */
    if (e->function != QUERY_ADD && e->function != QUERY_SUBTRACT && e->function != QUERY_MULTIPLY)
        return false;
    for (size_t i = 0; i < e->arguments; i++)
        if (!is_short(em, e->argument[i], nodes)) return false;
    return true;
}

static bool must_bind(const emitter *em, const char *text, const emit_operand *operand, size_t i)
{
    unsigned mentions = 0, nodes = 0;
    for (const char *at = strchr(text, '$'); at && at[1]; at = strchr(at + 2, '$'))
        if (at[1] == '1' + (char)i) mentions++;
    return mentions > 1 && !is_short(em, operand->e, &nodes);
}

static void put_operand(emitter *em, const emit_operand *operand)
{
    if (operand->bound[0])
        put(em, operand->bound);
    else
        emit_expression(em, operand->e, operand->form);
}

static void put_mark(emitter *em, char mark, const emit_marks *marks)
{
    const char *text = NULL;
    if (marks) switch (mark) {
        case 'u': text = marks->unit; break;
        case 'L': text = marks->first; break;
        case 'H': text = marks->last; break;
        case 'm': text = marks->from; break;
        case 'd': text = marks->count; break;
        case 'p': text = marks->pattern; break;
        case 'f': text = marks->factor; break;
        default: break;
        }
    if (text)
        put(em, text);
    else
        bug(em, "a template has a mark without a text");
}

static void put_body(emitter *em, const char *text, const emit_operand *operand, size_t operands,
                     const emit_marks *marks)
{
    for (; *text; text++) {
        size_t plain = strcspn(text, "$");
        dusk_buffer_bytes(em->out, text, plain);
        text += plain;
        if (!*text) break;
        text++;
        if (*text == '$') /* $$ stands for itself, in patterns */
            put(em, "$");
        else if (*text < '1' || *text > '9')
            put_mark(em, *text, marks);
        else if ((size_t)(*text - '1') < operands)
            put_operand(em, &operand[*text - '1']);
        else
            bug(em, "a function has fewer arguments than its template");
    }
}

/* list_transform([operand], lambda b1: ...)[1] */
static void expand_lambda(emitter *em, const char *text, emit_operand *operand, size_t operands,
                          const bool *bind, const emit_marks *marks)
{
    size_t bound = 0;
    for (size_t i = 0; i < operands; i++) {
        if (!bind[i]) continue;
        put(em, "list_transform([");
        put_operand(em, &operand[i]);
        snprintf(operand[i].bound, sizeof operand[i].bound, "b%u", ++em->names);
        dusk_buffer_add(em->out, "], lambda %s: ", operand[i].bound);
        bound++;
    }
    put_body(em, text, operand, operands, marks);
    while (bound--) put(em, ")[1]");
}

/* (SELECT ... FROM (SELECT operand AS v1, ... OFFSET 0) AS b1): the offset keeps the planner from
 * putting the operand back in its places. */
static void expand_subselect(emitter *em, const char *text, const emit_operand *operand, size_t operands,
                             const bool *bind, const emit_marks *marks)
{
    emit_operand renamed[9];
    const char *between = "";
    unsigned name = ++em->names;
    put(em, "(SELECT ");
    for (size_t i = 0; i < operands; i++) {
        renamed[i] = operand[i];
        if (bind[i]) snprintf(renamed[i].bound, sizeof renamed[i].bound, "b%u.v%zu", name, i);
    }
    put_body(em, text, renamed, operands, marks);
    put(em, " FROM (SELECT ");
    for (size_t i = 0; i < operands; i++) {
        if (!bind[i]) continue;
        put(em, between);
        put_operand(em, &operand[i]);
        dusk_buffer_add(em->out, " AS v%zu", i);
        between = ", ";
    }
    dusk_buffer_add(em->out, " OFFSET 0) AS b%u)", name);
}

void emit_expand(emitter *em, const char *text, emit_operand *operand, size_t operands,
                 const emit_marks *marks)
{
    bool bind[9] = { false }, any = false;
    if (!text || operands > 9) {
        bug(em, "a function has no template in this dialect");
        return;
    }
    for (size_t i = 0; i < operands; i++)
        if (!operand[i].bound[0]) any |= bind[i] = must_bind(em, text, &operand[i], i);
    if (!any)
        put_body(em, text, operand, operands, marks);
    else if (em->dialect->lambda)
        expand_lambda(em, text, operand, operands, bind, marks);
    else
        expand_subselect(em, text, operand, operands, bind, marks);
}

void emit_one(emitter *em, const char *text, const query_expression *e, emit_form form)
{
    emit_operand operand = { .e = e, .form = form };
    emit_expand(em, text, &operand, 1, NULL);
}

/* --- calls ------------------------------------------------------------------------------------------ */

static void put_call(emitter *em, const char *text, const query_expression *e, emit_form form)
{
    emit_operand operand[9] = { { .e = NULL } };
    if (e->arguments > 9) {
        bug(em, "a function has too many arguments");
        return;
    }
    for (size_t i = 0; i < e->arguments; i++)
        operand[i] = (emit_operand){ .e = e->argument[i], .form = form };
    emit_expand(em, text, operand, e->arguments, NULL);
}

static void put_list(emitter *em, const emit_list *list, const query_expression *e, const char *text,
                     emit_form form)
{
    put(em, list->open);
    for (size_t i = 0; i < e->arguments; i++) {
        if (i) put(em, list->between);
        if (text)
            emit_one(em, text, e->argument[i], form);
        else
            emit_expression(em, e->argument[i], form);
    }
    put(em, list->close);
}

/* x in (a, b, ...) */
static void put_in(emitter *em, const query_expression *e)
{
    put(em, "(");
    emit_expression(em, e->argument[0], EMIT_NATIVE);
    put(em, " IN (");
    for (size_t i = 1; i < e->arguments; i++) {
        if (i > 1) put(em, ", ");
        emit_expression(em, e->argument[i], EMIT_NATIVE);
    }
    if (e->arguments < 2) emit_null(em, e->argument[0]->type, EMIT_NATIVE);
    put(em, "))");
}

static void put_case(emitter *em, const query_expression *e, emit_form form)
{
    put(em, "CASE");
    for (size_t i = 0; i + 1 < e->arguments; i += 2) {
        put(em, " WHEN ");
        emit_expression(em, e->argument[i], EMIT_NATIVE);
        put(em, " THEN ");
        emit_expression(em, e->argument[i + 1], form);
    }
    if (e->arguments % 2 == 1) {
        put(em, " ELSE ");
        emit_expression(em, e->argument[e->arguments - 1], form);
    }
    put(em, " END");
}

/* From a constant place, a constant length; more than 10^9 of either is the same as that. */
static void put_substring(emitter *em, const query_expression *e)
{
    char place[24], count[24];
    emit_operand operand = { .e = e->argument[0], .form = EMIT_NATIVE };
    emit_marks marks = { .from = place, .count = count };
    int64_t from = e->argument[1]->value.integer, length = e->argument[2]->value.integer;
    if (from < 1 || length < 0) {
        bug(em, "a part of a text begins before its beginning");
        return;
    }
    snprintf(place, sizeof place, "%d", from < 1000000000 ? (int)from : 1000000000);
    snprintf(count, sizeof count, "%d", length < 1000000000 ? (int)length : 1000000000);
    emit_expand(em, em->dialect->function[QUERY_SUBSTRING], &operand, 1, &marks);
}

static void put_round(emitter *em, const query_expression *e, emit_form operand_form)
{
    emit_operand operand = { .e = e->argument[0], .form = operand_form };
    char factor[16], count[16];
    emit_marks marks = { .factor = factor, .count = count };
    int64_t digits = e->arguments > 1 ? e->argument[1]->value.integer : 0;
    if (digits < -15 || digits > 15) {
        bug(em, "a number is rounded to more than 15 digits");
        return;
    }
    snprintf(factor, sizeof factor, "1e%d", (int)(digits < 0 ? -digits : digits));
    snprintf(count, sizeof count, "%d", (int)digits);
    emit_expand(em,
                digits == 0  ? em->dialect->function[QUERY_ROUND]
                : digits > 0 ? em->dialect->round_digits
                             : em->dialect->round_tens,
                &operand, 1, &marks);
}

/* A call that gives a double, and that may be infinite or NaN where the dialect has such. Sums
 * and products pass on what is not finite, so that it is looked at once, at the end. */
static void put_number(emitter *em, const query_expression *e)
{
    const char *text = em->dialect->function[e->function];
    bool passes = e->function == QUERY_ADD || e->function == QUERY_SUBTRACT ||
                  e->function == QUERY_MULTIPLY || e->function == QUERY_NEGATE || e->function == QUERY_ABS;
    emit_form form = emit_must_trim(em, e) ? EMIT_TRIMMED : passes ? EMIT_OPEN : EMIT_NUMBER;
    if (e->function == QUERY_ROUND)
        put_round(em, e, form);
    else if (e->function == QUERY_TO_REAL)
        emit_one(em, em->dialect->cast[e->argument[0]->type][DUSK_TYPE_REAL], e->argument[0], EMIT_NATIVE);
    else
        put_call(em, text, e, form);
}

static void put_cast(emitter *em, const query_expression *e, dusk_type to)
{
    const query_expression *x = e->argument[0];
    const char *text = em->dialect->cast[x->type][to];
    if (x->type == to) {
        emit_expression(em, x, EMIT_NATIVE);
        return;
    }
    if (!text)
        emit_fail(em, DUSK_ERR_UNSUPPORTED, "there is no such cast", "cast to text first");
    else if (x->type == DUSK_TYPE_DATE || x->type == DUSK_TYPE_TIMESTAMP)
        emit_moment(em, text, x, x->type);
    else
        emit_one(em, text, x, EMIT_NATIVE);
}

static void put_comparison(emitter *em, const query_expression *e)
{
    const char *text = em->dialect->function[e->function];
    if (e->argument[0]->type == DUSK_TYPE_TEXT && em->dialect->compare_text[e->function])
        text = em->dialect->compare_text[e->function];
    put_call(em, text, e, EMIT_NATIVE);
}

static void put_native(emitter *em, const query_expression *e)
{
    static const emit_list all = { "(", " AND ", ")" }, some = { "(", " OR ", ")" };
    switch (e->function) {
    case QUERY_AND: put_list(em, &all, e, NULL, EMIT_NATIVE); break;
    case QUERY_OR: put_list(em, &some, e, NULL, EMIT_NATIVE); break;
    case QUERY_IN: put_in(em, e); break;
    case QUERY_LIKE: emit_like(em, e); break;
    case QUERY_CONCAT: put_list(em, &em->dialect->concat, e, NULL, EMIT_NATIVE); break;
    case QUERY_SUBSTRING: put_substring(em, e); break;
    case QUERY_EXTRACT:
    case QUERY_DATE_TRUNC:
    case QUERY_DATE_ADD:
    case QUERY_DATE_DIFF: emit_time(em, e); break;
    case QUERY_TO_INTEGER: put_cast(em, e, DUSK_TYPE_INTEGER); break;
    case QUERY_TO_TEXT: put_cast(em, e, DUSK_TYPE_TEXT); break;
    case QUERY_TO_BOOLEAN: put_cast(em, e, DUSK_TYPE_BOOLEAN); break;
    case QUERY_TO_DATE: put_cast(em, e, DUSK_TYPE_DATE); break;
    case QUERY_TO_TIMESTAMP: put_cast(em, e, DUSK_TYPE_TIMESTAMP); break;
    default: put_comparison(em, e);
    }
}

/* --- expressions ------------------------------------------------------------------------------------ */

static bool is_choice(const query_expression *e)
{
    return e->function == QUERY_CASE || e->function == QUERY_COALESCE || e->function == QUERY_NULLIF ||
           e->function == QUERY_LEAST || e->function == QUERY_GREATEST;
}

static void put_choice(emitter *em, const query_expression *e, emit_form form)
{
    static const emit_list coalesce = { "COALESCE(", ", ", ")" };
    const char *text = e->type == DUSK_TYPE_TEXT ? em->dialect->text_in_list : NULL;
    if (form == EMIT_OPEN) form = EMIT_NUMBER;
    switch (e->function) {
    case QUERY_CASE: put_case(em, e, form); break;
    case QUERY_COALESCE: put_list(em, &coalesce, e, NULL, form); break;
    case QUERY_LEAST: put_list(em, &em->dialect->least, e, text, form); break;
    case QUERY_GREATEST: put_list(em, &em->dialect->greatest, e, text, form); break;
    default: put_call(em, em->dialect->function[QUERY_NULLIF], e, form);
    }
}

/* A double in the form that is wanted. */
static void put_double(emitter *em, const query_expression *e, emit_form form)
{
    const char *text = NULL;
    emit_span span = emit_span_of(em, e);
    if (form == EMIT_TRIMMED && (span.low < EMIT_TRIM_LOW || span.high > EMIT_TRIM_HIGH))
        text = em->dialect->trimmed;
    else if (form != EMIT_OPEN && span.high > EMIT_SPAN_HIGH)
        text = DUSK_MUTATE(EMIT_INFINITY_STAYS, em->dialect->closed, NULL);
    if (form == EMIT_NATIVE && e->type == DUSK_TYPE_INTEGER)
        emit_one(em, DUSK_MUTATE(EMIT_WHOLE_UNGUARDED, em->dialect->integer_of_number, "CAST($1 AS INTEGER)"),
                 e, EMIT_OPEN);
    else if (text)
        emit_one(em, text, e, em->dialect->closed ? EMIT_OPEN : EMIT_NUMBER);
    else
        put_number(em, e);
}

static void put_column(emitter *em, const query_expression *e)
{
    if (e->index < em->columns)
        put(em, em->scope[e->index].text);
    else
        bug(em, "an expression names a column that its relation does not have");
}

/* Forms of what is no double yet: a column or a whole number of 64 bits. */
static void put_other(emitter *em, const query_expression *e, emit_form form)
{
    if (form == EMIT_TRIMMED && emit_span_of(em, e).high > EMIT_TRIM_HIGH)
        emit_one(em, em->dialect->trimmed, e, EMIT_NUMBER);
    else if (form != EMIT_NATIVE && e->type != DUSK_TYPE_REAL)
        emit_one(em, em->dialect->number_of_integer, e, EMIT_NATIVE);
    else if (e->kind == QUERY_COLUMN)
        put_column(em, e);
    else
        put_native(em, e);
}

void emit_expression(emitter *em, const query_expression *e, emit_form form)
{
    if (em->status != DUSK_OK) return;
    if (em->depth >= EMIT_DEPTH_MAX) {
        emit_fail(em, DUSK_ERR_UNSUPPORTED, "an expression is nested too deeply",
                  "write it with fewer levels of brackets, or a long sum as sums of parts");
        return;
    }
    em->depth++;
    if (e->kind == QUERY_CALL && e->function == QUERY_TO_REAL && e->argument[0]->type <= DUSK_TYPE_REAL)
        emit_expression(em, e->argument[0], form == EMIT_NATIVE ? EMIT_NUMBER : form);
    else if (e->kind == QUERY_CONSTANT)
        emit_constant(em, e, form);
    else if (e->kind == QUERY_CALL && is_choice(e))
        put_choice(em, e, form);
    else if (emit_is_number(e))
        put_double(em, e, form);
    else
        put_other(em, e, form);
    em->depth--;
}
