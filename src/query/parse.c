/* SPDX-License-Identifier: Apache-2.0 */
/* Text -> tree, by libpg_query and jansson, and how the tree is looked at. Sizes are checked
 * here, once: the text, its nesting, and the number of nodes that are looked at. */
#include "query/parse.h"

#include <pg_query.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/format.h"
#include "base/memory.h"

/* Places are told in characters from 1; the tree has them in bytes from 0. */
static size_t character_of(const char *sql, int position)
{
    size_t characters = 1;
    for (int i = 0; i < position && sql[i] != '\0'; i++)
        if (((unsigned char)sql[i + 1] & 0xC0u) != 0x80u) characters++;
    return characters;
}

void *query_refuse(query_reader *in, int position, const char *hint, const char *format, ...)
{
    char text[200];
    va_list list;
    if (in->status != DUSK_OK) return NULL;
    if (hint[0] == '\0') hint = "see docs/sql.md for what may be written";
    va_start(list, format);
    (void)dusk_format_list(text, sizeof text, format, list);
    va_end(list);
    if (position < 0)
        in->status = dusk_fail(in->err, DUSK_ERR_UNSUPPORTED, hint, "%s", text);
    else
        in->status = dusk_fail(in->err, DUSK_ERR_UNSUPPORTED, hint, "at character %zu: %s",
                               character_of(in->sql, position), text);
    return NULL;
}

void *query_refuse_memory(query_reader *in)
{
    if (in->status == DUSK_OK) in->status = dusk_fail_memory(in->err);
    return NULL;
}

void *query_take(query_reader *in, size_t count, size_t size)
{
    if (count > (QUERY_MEMORY_MAX - in->taken) / size)
        return query_refuse(in, -1, "ask a shorter question, of fewer tables", "the query is too large");
    in->taken += count * size;
    void *memory = query_arena_take(in->arena, count, size);
    return memory ? memory : query_refuse_memory(in);
}

char *query_keep(query_reader *in, const char *text, size_t length)
{
    char *copy = query_arena_text(in->arena, text, length);
    return copy ? copy : query_refuse_memory(in);
}

/* --- reading ---------------------------------------------------------------------------- */

/* UTF-8 of RFC 3629: no overlong form, no surrogate, nothing beyond U+10FFFF. */
static size_t utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80) return 1;
    size_t n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4) return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xC0u) != 0x80u) return 0;
    if (s[0] == 0xE0 && s[1] < 0xA0) return 0;
    if (s[0] == 0xED && s[1] > 0x9F) return 0;
    if (s[0] == 0xF0 && s[1] < 0x90) return 0;
    if (s[0] == 0xF4 && s[1] > 0x8F) return 0;
    return n;
}

static bool check_text(query_reader *in)
{
    size_t length = strnlen(in->sql, QUERY_TEXT_MAX + 1);
    if (length > QUERY_TEXT_MAX) {
        in->status = dusk_fail(in->err, DUSK_ERR_PARSE, "ask a shorter question",
                               "the query has more than %zu bytes", QUERY_TEXT_MAX);
        return false;
    }
    for (size_t i = 0, n; i < length; i += n)
        if ((n = utf8_length((const unsigned char *)in->sql + i)) == 0) {
            in->status = dusk_fail(in->err, DUSK_ERR_PARSE, "write the query in UTF-8",
                                   "at character %zu: the text is not UTF-8", character_of(in->sql, (int)i));
            return false;
        }
    return true;
}

static void *not_read(query_reader *in, int character, const char *hint, const char *what)
{
    if (in->status == DUSK_OK)
        in->status = dusk_fail(in->err, DUSK_ERR_PARSE, hint, "at character %d: %s",
                               character > 0 ? character : 1, what);
    return NULL;
}

static const json_t *one_select(query_reader *in, const json_t *root)
{
    const json_t *list = json_object_get(root, "stmts"), *body;
    static const char hint[] = "ask one SELECT at a time";
    if (json_array_size(list) == 0) return not_read(in, 1, hint, "there is no query");
    if (json_array_size(list) > 1) {
        const json_t *second = json_array_get(list, 1);
        json_int_t at = json_integer_value(json_object_get(second, "stmt_location"));
        return query_refuse(in, (int)at, hint, "there is a second statement");
    }
    const json_t *statement = json_object_get(json_array_get(list, 0), "stmt");
    if (query_node_is(statement, "SelectStmt", &body)) return body;
    return query_refuse(in, 0, "write SELECT ... FROM ...", "only SELECT is answered");
}

const json_t *query_parse(query_reader *in, json_t **root)
{
    *root = NULL;
    if (!check_text(in)) return NULL;
    PgQueryParseResult parsed = pg_query_parse(in->sql);
    json_error_t bad;
    bad.text[0] = '\0';
    if (parsed.error) {
        /* Its own words would repeat the analyst's text. */
        not_read(in, parsed.error->cursorpos, "the grammar is PostgreSQL's; see docs/sql.md",
                 strncmp(parsed.error->message, "memory exhausted", 16) == 0
                     ? "the query is nested too deeply"
                     : "the query cannot be read");
    } else if (!(*root = json_loads(parsed.parse_tree, 0, &bad))) {
        if (json_error_code(&bad) == json_error_out_of_memory)
            query_refuse_memory(in);
        else
            not_read(in, 1, "write it in smaller parts", "the query is nested too deeply");
    }
    pg_query_free_parse_result(parsed);
    if (!*root) return NULL;
    return one_select(in, *root);
}

/* --- looking ---------------------------------------------------------------------------- */

const char *query_node(const json_t *node, const json_t **body)
{
    void *member = json_object_iter((json_t *)(uintptr_t)node);
    *body = NULL;
    if (!member || json_object_size(node) != 1) return "";
    *body = json_object_iter_value(member);
    return json_is_object(*body) ? json_object_iter_key(member) : "";
}

bool query_node_is(const json_t *node, const char *kind, const json_t **body)
{
    return strcmp(query_node(node, body), kind) == 0;
}

static bool listed(const char *allowed, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = allowed; (at = strstr(at, word)) != NULL; at += length) {
        bool starts = at == allowed || at[-1] == ' ';
        if (starts && (at[length] == ' ' || at[length] == '\0')) return true;
    }
    return false;
}

bool query_only(query_reader *in, const json_t *body, const char *allowed, const char *what)
{
    json_t *object = (json_t *)(uintptr_t)body;
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        if (listed(allowed, json_object_iter_key(at))) continue;
        int place = query_place(json_object_iter_value(at));
        query_refuse(in, place >= 0 ? place : query_place(body), "see docs/sql.md for what may be written",
                     "this form of %s is not supported", what);
        return false;
    }
    return true;
}

/* Own places first, then the smallest below. Trees of the parser are at most as deep as jansson reads. */
int query_place(const json_t *node)
{
    int best = -1;
    if (json_is_object(node)) {
        const json_t *own = json_object_get(node, "location");
        if (json_is_integer(own) && json_integer_value(own) >= 0) best = (int)json_integer_value(own);
        json_t *object = (json_t *)(uintptr_t)node;
        for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
            int below = query_place(json_object_iter_value(at));
            if (below >= 0 && (best < 0 || below < best)) best = below;
        }
    } else if (json_is_array(node)) {
        for (size_t i = 0; i < json_array_size(node); i++) {
            int below = query_place(json_array_get(node, i));
            if (below >= 0 && (best < 0 || below < best)) best = below;
        }
    }
    return best;
}

const char *query_string(const json_t *body, const char *member)
{
    const char *text = json_string_value(json_object_get(body, member));
    return text ? text : "";
}

bool query_flag(const json_t *body, const char *member)
{
    return json_is_true(json_object_get(body, member));
}

const char *query_name(const json_t *node)
{
    const json_t *body;
    if (!query_node_is(node, "String", &body)) return NULL;
    return query_string(body, "sval");
}

bool query_enter(query_reader *in, const json_t *node)
{
    if (in->status != DUSK_OK) return false;
    if (in->depth >= QUERY_DEPTH_MAX) {
        query_refuse(in, query_place(node), "use parentheses less, or subqueries in WITH",
                     "more than %u levels are nested here", QUERY_DEPTH_MAX);
        return false;
    }
    if (++in->work > QUERY_WORK_MAX) {
        query_refuse(in, query_place(node), "ask a shorter question", "the query is too long");
        return false;
    }
    in->depth++;
    return true;
}

void query_leave(query_reader *in) { in->depth--; }

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

bool query_same_name(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) a++, b++;
    return lower(*a) == lower(*b);
}

size_t query_name_length(const char *name)
{
    size_t length = strnlen(name, 64);
    if (length < 64) return length;
    for (length = 63; length > 0 && ((unsigned char)name[length] & 0xC0u) == 0x80u;) length--;
    return length;
}
