/* SPDX-License-Identifier: Apache-2.0 */
/* Where a mistake in an expression is. The library names a column of the whole
 * text; people want a line, and to see the place:
 *     dusk account: column 15: there is no event of this name
 *         poisson(0.01, gausian(1)) * 10000
 *                       ^
 *     hint: did you mean gaussian? it is written gaussian(sigma) */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/account.h"

#define INDENT 4
#define WIDTH 70 /* bytes of the line that are shown */

/* Whether the character of n bytes at s is safe to show: a terminal obeys
 * control characters, also those of U+0080 to U+009F. */
static bool is_shown(const char *s, size_t n)
{
    const unsigned char *c = (const unsigned char *)s;
    return n && c[0] >= 0x20 && c[0] != 0x7f && !(c[0] == 0xC2 && c[1] < 0xA0);
}

/* The line from `start` to `end`, and a caret under `place`. */
static void add_excerpt(dusk_text *out, const char *text, const char *start, const char *end,
                        const char *place)
{
    bool cut = start > text && start[-1] != '\n';
    int caret = INDENT + (cut ? 3 : 0);
    dusk_text_add(out, "\n%*s%s", INDENT, "", cut ? "..." : "");
    for (const char *c = start; c < end;) {
        size_t n = dusk_utf8_length(c);
        if (is_shown(c, n))
            dusk_text_add(out, "%.*s", (int)n, c);
        else
            dusk_text_add(out, "%c", *c == '\t' || *c == '\r' ? ' ' : '?');
        if (c < place) caret++;
        c += n ? n : 1;
    }
    dusk_text_add(out, "%s\n%*s^", *end && *end != '\n' ? "..." : "", caret, "");
}

static bool is_rest(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

/* Of the line around `place`, what fits into `room` bytes. */
static void cut_line(const char *text, const char *place, size_t room, const char **start, const char **end)
{
    const char *from = place, *to = place;
    while (from > text && from[-1] != '\n' && (size_t)(place - from) < room * 2 / 3) from--;
    while (*to && *to != '\n' && (size_t)(to - from) < room) to++;
    while (from > text && from[-1] != '\n' && (size_t)(to - from) < room) from--;
    while (from < place && is_rest(*from)) from++; /* no half characters */
    while (to > place && is_rest(*to)) to--;
    *start = from;
    *end = to;
}

static size_t word_length(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_') n++;
    return n;
}

static const dusk_operand *find_event(const char *name, size_t length)
{
    for (const dusk_operand *event = dusk_account_events; event->name; event++)
        if (strlen(event->name) == length && !strncmp(event->name, name, length)) return event;
    return NULL;
}

/* The event whose parentheses are around `place`. */
static const dusk_operand *event_around(const char *text, const char *place)
{
    size_t closed = 0;
    for (const char *c = place; c > text; c--) {
        if (c[-1] == ')') closed++;
        if (c[-1] != '(' || closed--) continue;
        const char *start = c - 1;
        while (start > text && (isalnum((unsigned char)start[-1]) || start[-1] == '_')) start--;
        return find_event(start, (size_t)(c - 1 - start));
    }
    return NULL;
}

static void suggest_event(dusk_error *err, const char *place)
{
    char word[40];
    dusk_text hint;
    dusk_suggestion suggestion;
    size_t length = word_length(place);
    if (length >= sizeof word) length = 0; /* like no event at all */
    for (size_t i = 0; i < length; i++) word[i] = (char)tolower((unsigned char)place[i]);
    word[length] = '\0';
    dusk_suggestion_init(&suggestion, word);
    for (const dusk_operand *event = dusk_account_events; event->name; event++) {
        dusk_suggestion_offer(&suggestion, event->name);
        if (event->also && dusk_options_listed(event->also, word)) {
            suggestion.best = event->name;
            suggestion.distance = 0;
        }
    }
    dusk_text_init(&hint, err->hint, sizeof err->hint);
    if (!suggestion.best) {
        dusk_text_add(&hint, "dusk account -h lists the events");
        return;
    }
    const dusk_operand *best = find_event(suggestion.best, strlen(suggestion.best));
    dusk_text_add(&hint, "did you mean %s? it is written %s", suggestion.best, best->either);
}

/* Hints of the library speak to programmers; here they name what to type. */
static void improve_hint(dusk_error *err, const char *text, const char *place)
{
    const dusk_operand *event = event_around(text, place);
    char old[sizeof err->hint];
    dusk_text hint;
    memcpy(old, err->hint, sizeof old);
    dusk_text_init(&hint, err->hint, sizeof err->hint);
    if (strstr(err->message, "no event of this name") ||
        (strstr(err->message, "an event is expected") && isalpha((unsigned char)*place)))
        suggest_event(err, place);
    else if (strstr(err->message, "closing parenthesis is expected") && !*place)
        dusk_text_add(&hint, "close the parenthesis");
    else if (strstr(err->message, "there is no number called"))
        dusk_text_add(&hint, "give a number, or have it found: --solve %.*s --epsilon 1 --delta 1e-6",
                      (int)word_length(place), place);
    else if (strstr(err->message, "expected here") && event)
        dusk_text_add(&hint, "it is written %s; dusk account %s -h tells more", event->either, event->name);
    else if (strstr(old, "accounting.h"))
        dusk_text_add(&hint, "dusk account -h lists the events");
    else
        dusk_text_add(&hint, "%.200s", old);
}

dusk_status account_explain(dusk_error *err, const char *text, const char *source)
{
    static const char before[] = "event text, column ";
    char *after = NULL, message[sizeof err->message];
    const char *start, *end;
    dusk_text out;
    if (!text || strncmp(err->message, before, strlen(before)) != 0) return err->status;
    unsigned long long column = strtoull(err->message + strlen(before), &after, 10);
    if (column == 0 || column > strlen(text) + 1 || *after != ':') return err->status;
    const char *place = text + (column - 1), *line = text;
    size_t number = 1;
    for (const char *c = text; c < place; c++)
        if (*c == '\n') {
            number++;
            line = c + 1;
        }
    improve_hint(err, text, place);
    dusk_text_init(&out, message, sizeof message);
    if (source && strcmp(source, "-") != 0) dusk_text_add(&out, "%.50s, ", source);
    if (number > 1) dusk_text_add(&out, "line %zu, ", number);
    dusk_text_add(&out, "column %zu%.140s", (size_t)(place - line) + 1, after);
    size_t length = out.length, spare = sizeof message - length, room = spare > 64 ? (spare - 24) / 2 : 0;
    cut_line(text, place, room < WIDTH ? room : WIDTH, &start, &end);
    add_excerpt(&out, text, start, end, place);
    if (out.overflow) message[length] = '\0';
    memcpy(err->message, message, sizeof message);
    return err->status;
}
