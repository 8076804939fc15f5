/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of released rows, by characters of UTF-8 (query_result makes sure that they are). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "query/evaluate.h"

/* Bytes of the character at `text`, 1 for what is none; 0 at the end. */
static size_t step(const char *text)
{
    size_t n = *text ? dusk_utf8_size(text, strnlen(text, 4)) : 0;
    return *text && n == 0 ? 1 : n;
}

static size_t length_of(const char *text)
{
    size_t n = 0;
    for (; *text; text += step(text)) n++;
    return n;
}

/* --- LIKE ------------------------------------------------------------------------------------------ */

/* Whether the pattern's first element is this character; how long the element is. */
static bool matches_one(const char *pattern, size_t *element, const char *text)
{
    size_t n = step(text);
    if (*pattern == '_') {
        *element = 1;
        return n > 0;
    }
    size_t escape = *pattern == '\\' && pattern[1];
    *element = escape + step(pattern + escape);
    return n > 0 && n == *element - escape && memcmp(pattern + escape, text, n) == 0;
}

/* Greedy from the last %, so that the work is at most the product of the two lengths. */
static bool is_like(const char *text, const char *pattern)
{
    const char *retry_pattern = NULL, *retry_text = NULL;
    size_t element = 0;
    while (*text || *pattern) {
        if (*pattern == '%') {
            retry_pattern = ++pattern;
            retry_text = text;
        } else if (*pattern && matches_one(pattern, &element, text)) {
            pattern += element;
            text += step(text);
        } else if (retry_text && *retry_text) {
            retry_text += step(retry_text);
            text = retry_text;
            pattern = retry_pattern;
        } else {
            return false;
        }
    }
    return true;
}

/* --- new texts -------------------------------------------------------------------------------------- */

static char *changed_case(const query_call *call, const char *text)
{
    char from = call->function == QUERY_LOWER ? 'A' : 'a';
    char *copy = query_arena_text(call->arena, text, strlen(text));
    for (char *at = copy; copy && *at; at++)
        if (*at >= from && *at < from + 26) *at = (char)(*at ^ 0x20);
    return copy;
}

static char *trimmed(const query_call *call, const char *text)
{
    size_t length;
    while (*text == ' ') text++;
    length = strlen(text);
    while (length > 0 && text[length - 1] == ' ') length--;
    return query_arena_text(call->arena, text, length);
}

static char *joined(const query_call *call)
{
    size_t length = 0;
    for (size_t i = 0; i < call->arguments; i++) length += strlen(call->argument[i].text);
    char *text = query_arena_take(call->arena, length + 1, 1), *at = text;
    for (size_t i = 0; text && i < call->arguments; i++) {
        size_t n = strlen(call->argument[i].text);
        memcpy(at, call->argument[i].text, n);
        at += n;
    }
    return text;
}

static char *part_of(const query_call *call, const char *text)
{
    double from = call->argument[1].number;
    double length = call->arguments > 2 ? call->argument[2].number : INFINITY;
    for (; from > 1 && *text; from--) text += step(text);
    const char *end = text;
    for (; length >= 1 && *end; length--) end += step(end);
    return query_arena_text(call->arena, text, (size_t)(end - text));
}

dusk_status query_evaluate_text(dusk_cell *out, const query_call *call, dusk_error *err)
{
    for (size_t i = 0; i < call->arguments; i++)
        if (!call->argument[i].text && !(call->function == QUERY_SUBSTRING && i > 0)) {
            query_set_null(out); /* no plan has this */
            return DUSK_OK;
        }
    const char *text = call->argument[0].text;
    switch (call->function) {
    case QUERY_LIKE: query_set_number(out, is_like(text, call->argument[1].text)); return DUSK_OK;
    case QUERY_LENGTH: query_set_number(out, (double)length_of(text)); return DUSK_OK;
    case QUERY_LOWER:
    case QUERY_UPPER: return query_set_text(out, changed_case(call, text), err);
    case QUERY_TRIM: return query_set_text(out, trimmed(call, text), err);
    case QUERY_CONCAT: return query_set_text(out, joined(call), err);
    default: return query_set_text(out, part_of(call, text), err);
    }
}
