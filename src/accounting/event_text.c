/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of events, read; event_write.c writes it.
 *     sum   := term { '+' term }
 *     term  := item { '*' count }
 *     item  := name '(' list ')'  |  '(' sum ')'
 *     list  := numbers, then whatever the form of the name has below: a sum,
 *              sums, or pairs  number ':' number
 * Blanks may stand between any two of these. Numbers are decimal and read to
 * the nearest double, whatever the locale; what is written reads back as the
 * same event. The reader takes any bytes: it fails with one sentence and a
 * column. It does work near linear in the text: trees are appended to one
 * list, and equal brothers are counted together when their sum has ended. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accounting/composition.h"
#include "base/format.h"
#include "base/memory.h"
#include "base/mutant.h"

#define DIGITS_MAX 60 /* of one number */

typedef struct reader {
    const char *text, *at;
    const dusk_event_grammar *grammar;
    bool variable_seen;
    unsigned depth;
    dusk_forest *trees; /* read so far, the unfinished ones with span 1 */
    dusk_error inner;   /* what another function said, for fail_like */
    dusk_error *err;
} reader;

static const char number_hint[] = "give a decimal number such as 0.5 or 1e-6";
static const char list_hint[] = "see the list of events in dusk/accounting.h";

/* "column 9: what"; columns count bytes from 1. */
static dusk_status fail_at(reader *in, const char *place, const char *hint, const char *what)
{
    return dusk_fail(in->err, DUSK_ERR_PARSE, hint, "event text, column %zu: %s",
                     (size_t)(place - in->text) + 1, what);
}

/* Says what another function said in in->inner, at a place of the text. */
static dusk_status fail_like(reader *in, const char *place)
{
    const dusk_error *inner = &in->inner;
    if (inner->status == DUSK_ERR_MEMORY) return dusk_fail_memory(in->err);
    return fail_at(in, place, inner->hint, inner->message);
}

static dusk_status fail_times(reader *in, const char *place)
{
    (void)dusk_fail_times(&in->inner);
    return fail_like(in, place);
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

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static size_t name_length(const char *at)
{
    size_t n = 0;
    if (is_letter(*at))
        while (is_letter(at[n]) || is_digit(at[n])) n++;
    return n;
}

static bool is_called(const char *at, const char *name)
{
    size_t n = name_length(at);
    return n == strlen(name) && memcmp(at, name, n) == 0;
}

/* A name in the place of a number. */
static bool take_variable(reader *in)
{
    if (!in->grammar->variable || !is_called(in->at, in->grammar->variable)) return false;
    in->at += name_length(in->at);
    in->variable_seen = true;
    return true;
}

/* There is something else in the place of a number. */
static dusk_status fail_number(reader *in, const char *what, const char *hint)
{
    size_t n = name_length(in->at);
    if (!in->grammar->many || n == 0 || dusk_event_kind_named(in->at, n))
        return fail_at(in, in->at, hint, what);
    char words[128];
    snprintf(words, sizeof words, "there is no number called %.*s%s", n < 64 ? (int)n : 64, in->at,
             n > 64 ? "..." : "");
    return fail_at(in, in->at, "give a number, or ask for this one with --solve and its name", words);
}

/* A decimal number: its digits without the point, and the power of ten. */
typedef struct decimal {
    char digits[DIGITS_MAX + 1];
    size_t count;
    int exponent;
    bool scaled; /* written with an exponent */
} decimal;

static dusk_status read_decimal(reader *in, decimal *x, const char *start)
{
    int shift;
    *x = (decimal){ .count = 0 };
    if (!scan_digits(in, x->digits, &x->count, &shift))
        return fail_at(in, start, "use fewer digits", "the number has more than 60 digits");
    if (x->count && (*in->at == 'e' || *in->at == 'E')) {
        in->at++;
        x->scaled = true;
        if (!scan_exponent(in, &x->exponent))
            return fail_at(in, start, number_hint, "the exponent has no digits");
    }
    x->exponent -= shift;
    return DUSK_OK;
}

static dusk_status read_real(reader *in, double *x)
{
    skip_blanks(in);
    const char *start = in->at;
    char spelled[DIGITS_MAX + 16];
    decimal d;
    if (take_variable(in)) {
        *x = in->grammar->value + 0.0;
        return DUSK_OK;
    }
    bool negative = *in->at == '-';
    if (negative || *in->at == '+') in->at++;
    dusk_status status = read_decimal(in, &d, start);
    if (status != DUSK_OK) return status;
    if (d.count == 0) {
        in->at = start;
        return fail_number(in, "a number is expected here", number_hint);
    }
    snprintf(spelled, sizeof spelled, "%se%d", d.digits, d.exponent);
    double value = dusk_number_at(spelled, NULL);
    if (isinf(value)) return fail_at(in, start, number_hint, "the number is too large");
    /* Reading 1e-999 as 0 would promise more privacy than the text does. */
    if (value == 0 && strspn(d.digits, "0") != d.count)
        return fail_at(in, start, number_hint, "the number is too small");
    *x = (negative ? -value : value) + 0.0; /* -0 is 0: equal nodes have equal bytes */
    return DUSK_OK;
}

/* 15e5, 1.5e6: whole, at most 2^62. */
static bool whole_of(uint64_t *n, const decimal *d)
{
    size_t count = d->count;
    int exponent = d->exponent;
    while (count && d->digits[count - 1] == '0') count--, exponent++;
    if (count && exponent < 0) return false;
    *n = 0;
    for (size_t i = 0; i < count; i++) {
        *n = *n * 10 + (uint64_t)(d->digits[i] - '0');
        if (*n > DUSK_EVENT_TIMES_MAX) return false;
    }
    for (; *n && exponent > 0; exponent--) {
        if (*n > DUSK_EVENT_TIMES_MAX / 10) return false;
        *n *= 10;
    }
    return true;
}

static dusk_status read_scaled_whole(reader *in, uint64_t *n, const char *start)
{
    decimal d;
    in->at = start;
    dusk_status status = read_decimal(in, &d, start);
    if (status == DUSK_OK && !(d.scaled && whole_of(n, &d)))
        status = fail_at(in, start, "write all digits, as in 1000000", "a whole number is expected here");
    return status;
}

static dusk_status whole_of_variable(reader *in, uint64_t *n, const char *start)
{
    double value = floor(in->grammar->value);
    if (!(value >= 0 && value <= 0x1p62))
        return fail_at(in, start, "give it a value from 0 to 2^62", "a whole number is expected here");
    *n = (uint64_t)value;
    return DUSK_OK;
}

static dusk_status read_whole(reader *in, uint64_t *n)
{
    skip_blanks(in);
    const char *start = in->at;
    if (take_variable(in)) return whole_of_variable(in, n, start);
    if (!is_digit(*start))
        return fail_number(in, "a whole number is expected here", "give a whole number such as 1000");
    bool overflow = false;
    for (*n = 0; is_digit(*in->at); in->at++) {
        uint64_t digit = (uint64_t)(*in->at - '0');
        overflow = overflow || *n > (UINT64_MAX - digit) / 10;
        *n = *n * 10 + digit;
    }
    if (*in->at == '.' || *in->at == 'e' || *in->at == 'E') return read_scaled_whole(in, n, start);
    if (overflow)
        return fail_at(in, start, "give at most 18446744073709551615", "the whole number is too large");
    return DUSK_OK;
}

/* The comma before all parameters but the first. */
static dusk_status read_comma(reader *in, bool *first, const char *missing)
{
    if (!*first && !take(in, ',')) return fail_at(in, in->at, list_hint, missing);
    *first = false;
    return DUSK_OK;
}

static dusk_status read_wholes(reader *in, dusk_event_node *node, bool *first)
{
    const dusk_event_form *form = dusk_event_form_of(node->kind);
    dusk_status status = DUSK_OK;
    for (unsigned i = 0; i < form->wholes; i++) {
        if (form->whole_may_be_left_out && i + 1 == form->wholes) {
            node->whole[i] = 1;
            skip_blanks(in);
            if (*in->at != ',') break;
        }
        DUSK_TRY(read_comma(in, first, "a comma and a whole number are expected here"));
        DUSK_TRY(read_whole(in, &node->whole[i]));
    }
done:
    return status;
}

static dusk_status read_numbers(reader *in, dusk_event_node *node, bool *first)
{
    const dusk_event_form *form = dusk_event_form_of(node->kind);
    dusk_status status = DUSK_OK;
    if (form->wholes_first) DUSK_TRY(read_wholes(in, node, first));
    for (unsigned i = 0; i < form->reals; i++) {
        skip_blanks(in);
        if (form->real_may_be_left_out && i + 1 == form->reals && *in->at != ',') break;
        DUSK_TRY(read_comma(in, first, "a comma is expected here"));
        DUSK_TRY(read_real(in, &node->real[i]));
    }
    if (!form->wholes_first) DUSK_TRY(read_wholes(in, node, first));
done:
    return status;
}

static dusk_status push(reader *in, dusk_event_node node)
{
    node.span = 1;
    node.times = 1;
    return dusk_forest_push(in->trees, node, in->err);
}

static dusk_status read_points(reader *in, uint32_t table)
{
    dusk_status status = DUSK_OK;
    do {
        dusk_event_node point = { .kind = DUSK_EVENT_POINT };
        skip_blanks(in);
        if (table == DUSK_EVENT_PLD && is_called(in->at, "inf")) {
            in->at += 3;
            point.real[0] = INFINITY;
        } else {
            DUSK_TRY(read_real(in, &point.real[0]));
        }
        if (!take(in, ':'))
            return fail_at(in, in->at, list_hint, "a colon is expected here, as in rdp(2: 0.5)");
        DUSK_TRY(read_real(in, &point.real[1]));
        DUSK_TRY(push(in, point));
    } while (take(in, ','));
done:
    return status;
}

static dusk_status read_sum(reader *in);

/* A sum one level deeper than what is around it. */
static dusk_status read_inner_sum(reader *in, const char *place)
{
    if (in->depth == DUSK_EVENT_DEPTH_MAX)
        return fail_at(in, place, "remove parentheses", "the text is nested more than 64 deep");
    in->depth++;
    dusk_status status = read_sum(in);
    in->depth--;
    return status;
}

/* The same below the node that was pushed last: a list of brothers of its own. */
static dusk_status read_sum_below(reader *in, const char *place)
{
    skip_blanks(in);
    const char *start = in->at;
    size_t from = in->trees->count;
    dusk_status status = read_inner_sum(in, place);
    if (status == DUSK_OK && dusk_forest_merge(in->trees, from, &in->inner) != DUSK_OK)
        status = fail_like(in, start);
    return status;
}

/* Close the node that was pushed at `at`; what has nothing below is left out. */
static void close_node(reader *in, size_t at)
{
    in->trees->node[at].span = (uint32_t)(in->trees->count - at);
    if (in->trees->node[at].span == 1) in->trees->count = at;
}

static dusk_status read_branches(reader *in, const char *place)
{
    dusk_status status = DUSK_OK;
    do {
        size_t at = in->trees->count;
        DUSK_TRY(push(in, (dusk_event_node){ .kind = DUSK_EVENT_BRANCH }));
        DUSK_TRY(read_sum_below(in, place));
        close_node(in, at);
    } while (take(in, ','));
done:
    return status;
}

/* '(' numbers and what is below ')' behind the name of a kind. */
static dusk_status read_list(reader *in, uint32_t kind, const char *place)
{
    dusk_event_below below = dusk_event_form_of(kind)->below;
    dusk_event_node node = { .kind = kind };
    dusk_status status = DUSK_OK;
    bool first = true;
    size_t at = in->trees->count;
    if (!take(in, '('))
        return fail_at(in, in->at, "write it as in laplace(2)", "a parenthesis is expected here");
    DUSK_TRY(read_numbers(in, &node, &first));
    DUSK_TRY(push(in, node));
    if (below == DUSK_BELOW_SUM) {
        DUSK_TRY(read_comma(in, &first, "a comma and an event are expected here"));
        DUSK_TRY(read_sum_below(in, place));
    } else if (below == DUSK_BELOW_BRANCHES) {
        DUSK_TRY(read_branches(in, place));
    } else if (below == DUSK_BELOW_POINTS) {
        DUSK_TRY(read_points(in, kind));
    }
    if (!take(in, ')')) return fail_at(in, in->at, list_hint, "a closing parenthesis is expected here");
    in->trees->node[at].span = (uint32_t)(in->trees->count - at);
    if (dusk_event_check(&in->trees->node[at], &in->inner) != DUSK_OK) return fail_like(in, place);
    if (below != DUSK_BELOW_NOTHING) close_node(in, at);
done:
    return status;
}

static dusk_status read_item(reader *in)
{
    const char *start = in->at;
    if (take(in, '(')) {
        dusk_status status = read_inner_sum(in, start);
        if (status == DUSK_OK && !take(in, ')'))
            status = fail_at(in, in->at, "close the parenthesis", "a closing parenthesis is expected here");
        return status;
    }
    size_t length = 0;
    while ((start[length] >= 'a' && start[length] <= 'z') || start[length] == '_') length++;
    uint32_t kind = dusk_event_kind_named(start, length);
    if (kind == 0)
        return fail_at(in, start, "write an event such as gaussian(2) or laplace(1) * 10",
                       length ? "there is no event of this name" : "an event is expected here");
    in->at += length;
    return read_list(in, kind, start);
}

/* The product of the counts behind an item; 1 when there is none. */
static dusk_status read_counts(reader *in, uint64_t *times, const char *start)
{
    for (*times = 1; take(in, '*');) {
        uint64_t n;
        dusk_status status = read_whole(in, &n);
        if (status != DUSK_OK) return status;
        if (n == 0 && !in->grammar->many)
            return fail_at(in, start, "give 1 or more", "times must be at least 1");
        if (*times && n > DUSK_EVENT_TIMES_MAX / *times) return fail_times(in, start);
        *times *= n;
    }
    return DUSK_OK;
}

static dusk_status read_term(reader *in)
{
    dusk_status status = DUSK_OK;
    uint64_t times;
    size_t from = in->trees->count;
    skip_blanks(in);
    const char *start = in->at;
    DUSK_TRY(read_item(in));
    DUSK_TRY(read_counts(in, &times, start));
    if (times == 0) in->trees->count = from;
    for (size_t i = from; times > 1 && i < in->trees->count; i += in->trees->node[i].span) {
        dusk_event_node *tree = &in->trees->node[i];
        if (times > DUSK_EVENT_TIMES_MAX / tree->times) return fail_times(in, start);
        tree->times *= DUSK_MUTATE(EVENT_TEXT_FIRST_REPEATED, times, i == from ? times : 1);
    }
done:
    return status;
}

static dusk_status read_sum(reader *in)
{
    dusk_status status = read_term(in);
    while (status == DUSK_OK && take(in, '+')) status = read_term(in);
    return status;
}

dusk_status dusk_forest_parse(dusk_forest *out, const char *text, const dusk_event_grammar *grammar,
                              dusk_error *err)
{
    dusk_forest trees = { 0 };
    reader in = { .text = text, .at = text, .grammar = grammar, .trees = &trees, .err = err };
    dusk_status status = DUSK_OK;
    DUSK_TRY(read_sum(&in));
    skip_blanks(&in);
    if (*in.at)
        DUSK_TRY(
            fail_at(&in, in.at, "join events with + and repeat them with *", "the event has already ended"));
    if (grammar->variable && !in.variable_seen)
        DUSK_TRY(fail_at(&in, text, "write its name in the place of a number, as in gaussian(sigma)",
                         "the name to solve for is not in the text"));
    if (dusk_forest_merge(&trees, 0, &in.inner) != DUSK_OK) DUSK_TRY(fail_like(&in, text));
    *out = trees;
    trees = (dusk_forest){ 0 };
done:
    dusk_forest_free(&trees);
    return status;
}

dusk_status dusk_event_parse(dusk_event *out, const char *text, dusk_error *err)
{
    dusk_forest trees = { 0 };
    reader in = { .text = text, .err = err };
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_forest_parse(&trees, text, &(dusk_event_grammar){ .many = false }, err));
    if (dusk_event_seal(out, trees.node, trees.count, &in.inner) != DUSK_OK) DUSK_TRY(fail_like(&in, text));
done:
    dusk_forest_free(&trees);
    return status;
}
