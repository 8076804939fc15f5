/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of events, written and read:
 *     sum  := term { '+' term }
 *     term := item { '*' count }
 *     item := name '(' number { ',' number } ')'  |  '(' sum ')'
 * Blanks may stand between any two of these. Numbers are decimal and read to
 * the nearest double, whatever the locale; what is written reads back as the
 * same event. The reader takes any bytes: it fails with one sentence and a
 * column, and does work linear in the text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accounting/event.h"
#include "base/mutant.h"
#include "base/text.h"

#define DEPTH_MAX 32  /* nested parentheses */
#define DIGITS_MAX 60 /* of one number */

static void write_real(dusk_text *text, double x)
{
    if (DUSK_MUTATE(EVENT_TEXT_SIX_DIGITS, 0, 1))
        dusk_text_add(text, "%g", x);
    else
        dusk_text_number(text, x);
}

static void write_part(dusk_text *text, const dusk_event_part *part)
{
    const dusk_event_form *form = dusk_event_form_of(part->kind);
    dusk_text_add(text, "%s(", form->name);
    for (unsigned i = 0; i < form->reals; i++) {
        if (i) dusk_text_add(text, ", ");
        write_real(text, part->real[i]);
    }
    if (form->whole_name && !(form->whole_may_be_left_out && part->whole == 1))
        dusk_text_add(text, ", %llu", (unsigned long long)part->whole);
    dusk_text_add(text, ")");
    if (part->times > 1) dusk_text_add(text, " * %llu", (unsigned long long)part->times);
}

static void write_parts(dusk_text *text, const dusk_event_parts *parts)
{
    for (uint64_t i = 0; i < parts->count; i++) {
        if (i) dusk_text_add(text, " + ");
        write_part(text, &parts->part[i]);
    }
}

size_t dusk_event_text_length(const dusk_event_parts *parts)
{
    char buffer[128 * DUSK_EVENT_NODES_MAX];
    dusk_text text;
    dusk_text_init(&text, buffer, sizeof buffer);
    write_parts(&text, parts);
    return text.length;
}

dusk_status dusk_event_format(const dusk_event *event, char *text, size_t size, dusk_error *err)
{
    dusk_event_parts parts;
    dusk_status status = dusk_event_read(&parts, event, err);
    if (status != DUSK_OK) return status;
    char buffer[DUSK_EVENT_TEXT_MAX];
    dusk_text written;
    dusk_text_init(&written, buffer, sizeof buffer);
    write_parts(&written, &parts);
    if (written.overflow || written.length >= size)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give 8192 bytes", "size is too small for the event");
    memcpy(text, buffer, written.length + 1);
    return DUSK_OK;
}

typedef struct reader {
    const char *text, *at;
    unsigned depth;
    dusk_error *err;
} reader;

/* "column 9: what"; columns count bytes from 1. */
static dusk_status fail_at(reader *in, const char *place, const char *hint, const char *what)
{
    return dusk_fail(in->err, DUSK_ERR_PARSE, hint, "event text, column %zu: %s",
                     (size_t)(place - in->text) + 1, what);
}

static void skip_blanks(reader *in)
{
    while (*in->at == ' ' || *in->at == '\t' || *in->at == '\n' || *in->at == '\r') in->at++;
}

static bool take(reader *in, char c)
{
    skip_blanks(in);
    if (*in->at != c) return false;
    in->at++;
    return true;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Digits into `digits`, without the point; *shift counts those behind it. */
static bool scan_digits(reader *in, char *digits, size_t *count, int *shift)
{
    bool point = false;
    for (*count = 0, *shift = 0;; in->at++) {
        if (*in->at == '.' && !point) {
            point = true;
        } else if (is_digit(*in->at)) {
            if (*count == DIGITS_MAX) return false;
            digits[(*count)++] = *in->at;
            *shift += point;
        } else {
            return true;
        }
    }
}

/* An exponent behind 'e'; false when there is none or it has no digits. */
static bool scan_exponent(reader *in, int *exponent)
{
    bool negative = *in->at == '-';
    if (negative || *in->at == '+') in->at++;
    if (!is_digit(*in->at)) return false;
    for (*exponent = 0; is_digit(*in->at); in->at++)
        if (*exponent < 100000) *exponent = *exponent * 10 + (*in->at - '0');
    if (negative) *exponent = -*exponent;
    return true;
}

static dusk_status read_real(reader *in, double *x)
{
    static const char hint[] = "give a decimal number such as 0.5 or 1e-6";
    skip_blanks(in);
    const char *start = in->at;
    char digits[DIGITS_MAX + 1], spelled[DIGITS_MAX + 16];
    size_t count;
    int shift, exponent = 0;
    bool negative = *in->at == '-';
    if (negative || *in->at == '+') in->at++;
    if (!scan_digits(in, digits, &count, &shift))
        return fail_at(in, start, "use fewer digits", "the number has more than 60 digits");
    if (count == 0) return fail_at(in, start, hint, "a number is expected here");
    digits[count] = '\0';
    if (*in->at == 'e' || *in->at == 'E') {
        in->at++;
        if (!scan_exponent(in, &exponent)) return fail_at(in, start, hint, "the exponent has no digits");
    }
    /* Without a point strtod does not depend on the locale. */
    snprintf(spelled, sizeof spelled, "%se%d", digits, exponent - shift);
    double value = strtod(spelled, NULL);
    if (isinf(value)) return fail_at(in, start, hint, "the number is too large");
    /* Reading 1e-999 as 0 would promise more privacy than the text does. */
    if (value == 0 && strspn(digits, "0") != count)
        return fail_at(in, start, hint, "the number is too small");
    *x = negative ? -value : value;
    return DUSK_OK;
}

static dusk_status read_whole(reader *in, uint64_t *n)
{
    skip_blanks(in);
    const char *start = in->at;
    if (!is_digit(*start))
        return fail_at(in, start, "give a whole number such as 1000", "a whole number is expected here");
    for (*n = 0; is_digit(*in->at); in->at++) {
        uint64_t digit = (uint64_t)(*in->at - '0');
        if (*n > (UINT64_MAX - digit) / 10)
            return fail_at(in, start, "give at most 18446744073709551615", "the whole number is too large");
        *n = *n * 10 + digit;
    }
    if (*in->at == '.' || *in->at == 'e' || *in->at == 'E')
        return fail_at(in, start, "write all digits, as in 1000000", "a whole number is expected here");
    return DUSK_OK;
}

/* Says what the constructor said, at the place of the part. */
static dusk_status fail_like(reader *in, const char *place, const dusk_error *inner)
{
    return fail_at(in, place, inner->hint, inner->message);
}

/* '(' parameters ')' behind the name of a kind. */
static dusk_status read_parameters(reader *in, dusk_event_part *part)
{
    const dusk_event_form *form = dusk_event_form_of(part->kind);
    dusk_status status = DUSK_OK;
    if (!take(in, '('))
        return fail_at(in, in->at, "write it as in laplace(2)", "a parenthesis is expected here");
    for (unsigned i = 0; i < form->reals; i++) {
        if (i && !take(in, ','))
            return fail_at(in, in->at, "see the list of events in dusk/accounting.h",
                           "a comma is expected here");
        DUSK_TRY(read_real(in, &part->real[i]));
    }
    if (form->whole_name) {
        bool given = take(in, ',');
        if (!given && !form->whole_may_be_left_out)
            return fail_at(in, in->at, "see the list of events in dusk/accounting.h",
                           "a comma and a whole number are expected here");
        part->whole = 1;
        if (given) DUSK_TRY(read_whole(in, &part->whole));
    }
    if (!take(in, ')'))
        return fail_at(in, in->at, "see the list of events in dusk/accounting.h",
                       "a closing parenthesis is expected here");
done:
    return status;
}

static dusk_status read_mechanism(reader *in, dusk_event *out)
{
    const char *start = in->at;
    size_t length = 0;
    while ((start[length] >= 'a' && start[length] <= 'z') || start[length] == '_') length++;
    dusk_event_part part = { .kind = dusk_event_kind_named(start, length), .times = 1 };
    if (part.kind == 0)
        return fail_at(in, start, "write an event such as gaussian(2) or laplace(1) * 10",
                       length ? "there is no event of this name" : "an event is expected here");
    in->at += length;
    dusk_status status = read_parameters(in, &part);
    if (status != DUSK_OK) return status;
    dusk_error inner = { .hint = "" };
    if (dusk_event_make(out, &part, &inner) != DUSK_OK) return fail_like(in, start, &inner);
    return DUSK_OK;
}

static dusk_status read_sum(reader *in, dusk_event *out);

static dusk_status read_term(reader *in, dusk_event *out)
{
    dusk_status status = DUSK_OK;
    skip_blanks(in);
    const char *start = in->at;
    if (take(in, '(')) {
        if (++in->depth > DEPTH_MAX)
            return fail_at(in, start, "remove parentheses", "parentheses are nested more than 32 deep");
        DUSK_TRY(read_sum(in, out));
        if (!take(in, ')'))
            return fail_at(in, in->at, "close the parenthesis", "a closing parenthesis is expected here");
        in->depth--;
    } else {
        DUSK_TRY(read_mechanism(in, out));
    }
    while (take(in, '*')) {
        uint64_t times;
        dusk_error inner = { .hint = "" };
        DUSK_TRY(read_whole(in, &times));
        if (dusk_event_repeat(out, out, times, &inner) != DUSK_OK) return fail_like(in, start, &inner);
    }
done:
    return status;
}

static dusk_status read_sum(reader *in, dusk_event *out)
{
    dusk_status status = read_term(in, out);
    while (status == DUSK_OK && take(in, '+')) {
        skip_blanks(in);
        const char *start = in->at;
        dusk_event term;
        dusk_error inner = { .hint = "" };
        status = read_term(in, &term);
        if (status == DUSK_OK && dusk_event_add(out, out, &term, &inner) != DUSK_OK)
            status = fail_like(in, start, &inner);
    }
    return status;
}

dusk_status dusk_event_parse(dusk_event *out, const char *text, dusk_error *err)
{
    reader in = { .text = text, .at = text, .err = err };
    dusk_event event;
    dusk_status status = read_sum(&in, &event);
    if (status != DUSK_OK) return status;
    skip_blanks(&in);
    if (*in.at)
        return fail_at(&in, in.at, "join events with + and repeat them with *",
                       "the event has already ended");
    *out = event;
    return DUSK_OK;
}
